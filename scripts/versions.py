"""Runs all tests with the lowest and the newest versions under every Python of this machine.

    python scripts/versions.py                     everything (make versions)
    python scripts/versions.py --only newest       one of the two sets
    python scripts/versions.py --python 3.13       one Python
    python scripts/versions.py --add FILE          rows recorded in another checkout, a chroot's say

Each run has a throw-away environment. What was run is kept in docs/versions.json, which the page
docs/pages/reference/versions.md shows. The lowest versions are those that pyproject.toml allows;
they exist for Python 3.11 only. Extras other than `plot` are tried with the newest set.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RECORD = ROOT / "docs" / "versions.json"
PYTHONS = ["3.11", "3.12", "3.13", "3.14", "3.15"]
SHOWN = ["numpy", "pandas", "scipy", "matplotlib", "pyarrow", "rdata", "pyreadr"]
EXTRAS = {"lowest": "plot", "newest": "plot,rdata,pyreadr,frames"}
LOWEST_PYTHON = "3.11"
SUMMARY = re.compile(r"(\d+) (failed|passed|skipped|errors?)\b")


def main() -> int:
    options = arguments()
    if options.add:
        remember(json.loads(options.add.read_text(encoding="utf-8")))
        return 0
    failures, rows = 0, []
    for version in options.python:
        interpreter = find_python(version)
        if interpreter is None:
            print(f"Python {version}: not on this machine")
            continue
        for chosen in sets_for(version, options.only):
            try:
                row = run(interpreter, chosen)
            except subprocess.CalledProcessError as error:
                print(f"Python {version}, {chosen}: could not be installed\n{error.stderr[-1500:]}")
                failures += 1
                continue
            rows.append(row)
            print(line(row), flush=True)
            failures += row["failed"] > 0 or row["passed"] == 0
    remember(rows)  # at the end: a test compares the page with this record
    return int(failures > 0)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=["lowest", "newest"])
    parser.add_argument("--python", action="append", choices=PYTHONS)
    parser.add_argument("--add", type=Path, metavar="FILE")
    options = parser.parse_args()
    options.python = options.python or PYTHONS
    return options


def sets_for(version: str, only: str | None) -> list[str]:
    possible = ["lowest", "newest"] if version == LOWEST_PYTHON else ["newest"]
    return [chosen for chosen in possible if only in (None, chosen)]


def find_python(version: str) -> str | None:
    """An interpreter of this version: on the path, or where pyenv and uv keep theirs."""
    home = Path.home()
    found = [shutil.which(f"python{version}")]
    for folder in (home / ".pyenv/versions", home / ".local/share/uv/python"):
        found += sorted(map(str, folder.glob(f"*{version}.*/bin/python3")))
    return next((path for path in found if path and has_version(path, version)), None)


def has_version(path: str, version: str) -> bool:
    question = "import sys; print('%d.%d' % sys.version_info[:2])"
    answer = subprocess.run([path, "-c", question], capture_output=True, text=True, check=False)
    return answer.stdout.strip() == version


def run(interpreter: str, chosen: str) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as folder:
        python = environment(Path(folder), interpreter, chosen)
        versions = installed(python)
        command = [str(python), "-m", "pytest", "-q", "-n", "auto", "-p", "no:cacheprovider"]
        kept = {**os.environ, "SYNTHPOP_PY_NO_R": "1", "HYPOTHESIS_STORAGE_DIRECTORY": folder}
        done = subprocess.run(command, cwd=ROOT, env=kept, capture_output=True, text=True)
    counts = {word.rstrip("s"): int(n) for n, word in SUMMARY.findall(done.stdout[-400:])}
    failed = counts.get("failed", 0) + counts.get("error", 0)
    if failed or done.returncode:
        print(done.stdout[-6000:], done.stderr[-2000:])
    return {
        "set": chosen,
        "commit": commit(),
        "date": datetime.date.today().isoformat(),
        "versions": versions,
        "passed": counts.get("passed", 0),
        "skipped": counts.get("skipped", 0),
        "failed": failed or int(done.returncode != 0),
    }


def commit() -> str:
    """The commit that was run, short; a dirty tree is said."""
    command = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return answer.stdout.strip() or "unknown"


def environment(folder: Path, interpreter: str, chosen: str) -> Path:
    """A new environment with the package, its extras and what the tests need."""
    python = folder / "bin" / "python"
    subprocess.run([interpreter, "-m", "venv", str(folder)], check=True)
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "install", "-q"]
    quiet = {"capture_output": True, "text": True}
    subprocess.run([*pip, "pip>=25.1"], check=True, **quiet)
    pins = lowest_pins() if chosen == "lowest" else []
    package = f"{ROOT}[{EXTRAS[chosen]}]"
    group = f"{ROOT / 'pyproject.toml'}:test"
    subprocess.run([*pip, package, "--group", group, *pins], check=True, **quiet)
    subprocess.run([*pip[:-2], "uninstall", "-q", "-y", "synthpop-disclosure"], check=True, **quiet)
    return python


def lowest_pins() -> list[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["plot"]]
    # matplotlib 3.6 calls what pyparsing has deprecated since
    return [*(requirement.replace(">=", "==") for requirement in wanted), "pyparsing<3.1"]


def installed(python: Path) -> dict[str, str]:
    question = (
        "import importlib.metadata as m, json, platform\n"
        f"names = {SHOWN!r}\n"
        "found = {d.metadata['Name'].lower(): d.version for d in m.distributions()}\n"
        "versions = {n: found[n] for n in names if n in found}\n"
        "print(json.dumps({'Python': platform.python_version(), **versions}))"
    )
    answer = subprocess.run([str(python), "-c", question], capture_output=True, text=True)
    return json.loads(answer.stdout)


def remember(rows: list[dict[str, object]]) -> None:
    """One row for each minor version of Python and set: the last run counts."""
    known = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.is_file() else []
    by_place = {place(row): row for row in [*known, *rows]}
    table = [by_place[key] for key in sorted(by_place)]
    RECORD.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")


def place(row: dict[str, object]) -> tuple[int, str]:
    return int(row["versions"]["Python"].split(".")[1]), row["set"]


def line(row: dict[str, object]) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in row["versions"].items())
    counts = ", ".join(f"{row[word]} {word}" for word in ("passed", "skipped", "failed"))
    return f"{row['set']}: {versions}: {counts}"


if __name__ == "__main__":
    sys.exit(main())
