"""The skeletons of the page "Where new code goes" work: each is added to a copy of the package as
the page says, or run in the module where it would stand.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import synthpop_py
from docs import build
from r_reference.case_maker import ledger as case_ledger
from synthpop_py.masks import noise
from synthpop_py.plots import funnel
from synthpop_py.show import printing
from tests.parity import test_ledger
from tests.published import paper_figures
from tests.unit.test_disclosure_measures import KEYS, ORIGINAL, SYNTHETIC, example

PACKAGE = Path(synthpop_py.__file__).parent
PAGE = (build.PAGES / "how-to" / "where-new-code-goes.md").read_text(encoding="utf-8")
SKELETON = re.compile(r"^( *)```python\n(.*?)^ *```$", flags=re.M | re.S)


def skeletons(heading: str) -> list[str]:
    """The code under a heading of the page, in its order."""
    (section,) = re.findall(rf"^## {heading}\n(.*?)(?=^## |\Z)", PAGE, flags=re.M | re.S)
    return [textwrap.dedent(code) for _, code in SKELETON.findall(section)]


def defined(code: str, module: Any) -> dict[str, Any]:
    """What a skeleton defines when it stands in a module, which stays as it is."""
    names = dict(vars(module))
    exec(code, names)
    return names


class Copy:
    """A copy of the package that skeletons are added to."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(PACKAGE, folder / "synthpop_py", ignore=ignored)

    def add(self, module: str, text: str, *, before: str = "", after: str = "") -> None:
        """Put text before or after a place that is there once; without one, at the end."""
        path = self.folder / "synthpop_py" / module
        source = path.read_text(encoding="utf-8")
        place = before or after
        if not place:
            path.write_text(f"{source}\n{text}", encoding="utf-8")
            return
        assert source.count(place) == 1, (module, place)
        new = text + place if before else place + text
        path.write_text(source.replace(place, new), encoding="utf-8")

    def run(self, code: str) -> None:
        """Run code that uses the copy and may check what it likes."""
        done = subprocess.run(
            [sys.executable, "-c", f"{TABLES}\n{code}"],
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr


TABLES = f"""
import pandas as pd
from synthpop_py import disclosure
ORIGINAL = pd.DataFrame({ORIGINAL.to_dict("list")!r})
SYNTHETIC = pd.DataFrame({SYNTHETIC.to_dict("list")!r})

def example(synthetic=SYNTHETIC, original=ORIGINAL, **arguments):
    arguments = {{"compat": "corrected", "print_flag": False, **arguments}}
    return disclosure(synthetic, original, {KEYS!r}, "t", **arguments)
"""


@pytest.fixture
def copy(tmp_path) -> Copy:
    return Copy(tmp_path)


def indented(code: str, by: int) -> str:
    return textwrap.indent(code, " " * by)


# ---- in a copy of the package --------------------------------------------------------


def test_a_measure(copy):
    entry, shares = skeletons("A measure")
    copy.add("disclosure/measures.py", f"\n{entry.strip()},", after="tuple[Measure, ...] = (")
    expected = eval(shares.partition("|")[2].partition("#")[0])
    copy.run(f"""
tidy = example().tidy().set_index("measure")
for name, figures in {expected!r}.items():
    row = tidy.loc[name]
    assert (row["numerator"], row["denominator"]) == figures, row
    assert row["direction"] == "higher is riskier"
    assert name in example().to_json() and example().shares[0][name]
from synthpop_py.disclosure import people
behind = people.People(example(), 0).shares["DiSCOs"]
assert [count.n for count in behind] == [3], behind  # so that its small cells are hidden
""")


def test_a_defect(copy):
    entry, step, ledger_entry = skeletons("A defect of R")
    copy.add("r/defects.py", f"\n{entry.strip()},", after="DEFECTS: tuple[Defect, ...] = (")
    copy.run(f"""
from synthpop_py import r_defects
from synthpop_py.r.both import as_r
assert r_defects().at["D99", "versions"] == "1.9-3"
assert as_r("r").reproduces("D99") and not as_r("r-1.9-2").reproduces("D99")
import numpy as np

def step(reading, as_r, correct):
{indented(step, 4)}
as_in_r, correct = np.array([1, 2]), np.array([1, 3])
reading = as_r("r")
assert step(reading, correct, correct) is correct and not reading.touched
assert step(reading, as_in_r, correct) is as_in_r and reading.touched == {{"D99"}}
assert step(as_r("corrected"), as_in_r, correct) is correct
""")
    switch = eval(ledger_entry, vars(test_ledger))
    assert (switch.id, switch.r, switch.correct) == ("D99", 50, 25)


def test_a_version(copy):
    (layout,) = skeletons("A version of synthpop")
    copy.add("r/layouts.py", f"from dataclasses import replace\n{layout}")
    copy.run("""
from synthpop_py.r.reading import MODES
assert MODES == ("r", "r-1.9-4", "r-1.9-3", "r-1.9-2", "corrected")
newest = example(compat="r")
assert list(newest.allCAPs) == ["TCAP"] and newest.to_dict()["r_version"] == "1.9-4"
assert len(example(compat="r-1.9-3").allCAPs.columns) == 8
""")


def test_an_exclusion(copy):
    reason, rule, argument, test = skeletons("An exclusion")
    last = '    Reason("over denom_lim"'
    copy.add("disclosure/exclusions.py", f"    {reason.strip()},\n", before=last)
    copy.add(
        "disclosure/exclusions.py",
        indented(rule, 4),
        before="    return rules\n\n\ndef _target_rule",
    )
    field = "    least_target: int\n"
    copy.add("disclosure/options.py", field, before="    style: dict[str, Any]\n    thresh")
    copy.add("disclosure/options.py", f"\n    {argument.strip()},", after="OTHERS = (")
    imported = "from ..arguments import check_whole\n"
    copy.add(
        "disclosure/options.py",
        imported,
        before="from ..errors import InputError, UnknownLevelWarning, warn\n",
    )
    parameter = "    least_target: int = 0,\n"
    copy.add("disclosure/api.py", parameter, before="    denom_lim: int | None = 5,\n")
    given = "        least_target=least_target,\n"
    copy.add("disclosure/api.py", given, before="        denom_lim=denom_lim,\n")
    name = re.findall(r"def (\w+)", test)[0]
    copy.run(f"""
from synthpop_py import multi_disclosure
{test}
{name}()
assert example().Nexclusions[0].loc["original", "rare target"] == 0
# who is unique does not depend on targets, and R, which has no such exclusion, is not to blame
with_rare = ORIGINAL.assign(t=list("xxyzzyxy"))  # z: two of the three unique people
every = example(SYNTHETIC, with_rare, compat="r")
few = example(SYNTHETIC, with_rare, compat="r", least_target=3)
assert few.ident.equals(every.ident)
assert "D17" not in [finding.id for finding in few.defects]
multi_disclosure(SYNTHETIC, ORIGINAL, {KEYS!r}, ["t"], print_flag=False, plot=False)
""")


def test_an_attack(copy):
    intruder, choice, test = skeletons("An attack")
    last = "    problem = one_problem(keys, belief.units)\n    return Averaging("
    copy.add("matching/intruders.py", indented(choice, 4), before=last)
    copy.add("matching/intruders.py", intruder)
    choices = 'check_choice("attack", attack, ("probability", '
    copy.add("matching/options.py", '"latest", ', after=choices)
    copy.run(f"""
from synthpop_py import identification_risk
people = pd.DataFrame({{"sex": list("fffmm"), "town": list("ABCAB")}})
first, second = people.assign(town=list("BBBAA")), people.assign(town=list("ABBBA"))

{test}
test_the_second_set_counts_twice(people, first, second)
averaged = identification_risk([first, second], people, known="sex", synthesised="town")
latest = identification_risk(
    [first, second], people, known="sex", synthesised="town", attack="latest"
)
assert not latest.records()["highest"].equals(averaged.records()["highest"])
""")


# ---- in the module where it would stand ----------------------------------------------


def test_a_plot():
    pytest.importorskip("matplotlib")
    code, _ = skeletons("A plot")
    result = example()
    panel = defined(code, funnel)["plot_risk"](result, round_to=1)
    widths = [bar.get_width() for bar in panel.patches]
    assert widths == [result.attrib.Dorig[1], result.attrib.DiSCO[1]]
    assert [label.get_text() for label in panel.get_yticklabels()] == ["Dorig", "DiSCO"]


def test_a_section():
    (code,) = skeletons("A section of a result's document")
    behind_risk = defined(code, printing)["behind_risk"]
    result = example(thresh_2way=(0, 0))
    assert result.check_2way[0] is not None
    assert "Pairs behind them:" in printing.text([behind_risk(result, 2)])
    assert behind_risk(example(), 2) == ["No pair is behind most disclosures."]


def test_a_mask():
    (code,) = skeletons("A mask")
    round_to = defined(code, noise)["round_to"]
    people = pd.DataFrame({"age": [31, 44], "income": [903.0, np.nan]}, index=[7, 9])
    masked = round_to(people, ["age", "income"], base=5)
    expected = pd.DataFrame({"age": [30, 45], "income": [905.0, np.nan]}, index=[7, 9])
    pd.testing.assert_frame_equal(masked, expected)
    assert people["age"].tolist() == [31, 44]


def test_a_recorded_case():
    (code,) = skeletons("A recorded case")
    case = eval(code, vars(case_ledger))
    assert case["id"] == "ledger/D99/two_keys"


def test_a_published_figure():
    (code,) = skeletons("A published figure")
    names: dict[str, Any] = {}
    exec(code, names)
    assert names["IDENT"].items() <= paper_figures.IDENT.items()
    result = type("Result", (), {"ident": pd.DataFrame(paper_figures.IDENT)})
    names["test_section_3_2"](result)
    result.ident = result.ident + 1
    with pytest.raises(AssertionError):
        names["test_section_3_2"](result)
