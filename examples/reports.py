"""The reports in this folder, and the picture of one for the README (`make report`).

The picture needs Chromium; without it the old one stays. The date is that of SOURCE_DATE_EPOCH.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

import numpy as np

from synthpop_py import Report, datasets, report
from synthpop_py.report.render import find_browser, sandbox_options
from synthpop_py.synthesis.stream import RStream

FOLDER = Path(__file__).resolve().parent
PICTURE = FOLDER.parent / "docs" / "report.png"
SIZE = (1000, 1300)


def social_diagnosis() -> Report:
    """Five syntheses by R's trees; four keys, five targets."""
    return report(
        datasets.load_synthesis("SD2011_s5"),
        datasets.load("SD2011"),
        keys=["sex", "age", "region", "placesize"],
        limits={"DiSCO": 5, "repU": 10},
        cont_na={"income": -8},
        labels={
            "depress": "depression score",
            "ls": "satisfaction with life",
            "marital": "marital status",
            "workab": "answer on work abroad",
            "placesize": "size of place",
        },
        title="Disclosure risk of synthetic data: Social Diagnosis 2011",
        path=FOLDER / "report_SD2011.html",
        force=True,
    )


def adult() -> Report:
    """A copy of rows drawn with replacement; who was not drawn is a genuine holdout."""
    people = datasets.load("Adult")
    drawn = RStream(8564).below(len(people), len(people))  # as the copy was drawn in R
    is_member = np.isin(np.arange(len(people)), drawn)
    return report(
        datasets.load_synthesis("Adult_boot"),
        people[is_member],
        keys=["age", "occupation", "race", "sex"],
        targets=["hours.per.week", "income", "marital.status", "education", "capital.loss"],
        holdout=people[~is_member],
        labels={"hours.per.week": "number of working hours", "capital.loss": "capital loss"},
        title="Disclosure risk of a bootstrap copy: Adult",
        path=FOLDER / "report_Adult.html",
        force=True,
    )


def draw(page: Path) -> None:
    """A picture of the top of a page."""
    program = find_browser()
    if program is None:
        print("no Chromium here: the picture of the report stays as it is")
        return
    width, height = SIZE
    with tempfile.TemporaryDirectory() as profile:
        command = [program, "--headless", "--disable-gpu", "--hide-scrollbars", *sandbox_options()]
        command += [f"--user-data-dir={profile}", f"--window-size={width},{height}"]
        command += [f"--screenshot={PICTURE}", page.as_uri()]
        subprocess.run(command, check=True, capture_output=True, timeout=120)
    print(f"{PICTURE.name}: {PICTURE.stat().st_size / 1000:.0f} kB")


def main() -> None:
    for make in (social_diagnosis, adult):
        print(make())
    draw(FOLDER / "report_SD2011.html")


if __name__ == "__main__":
    main()
