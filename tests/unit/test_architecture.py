"""What the architecture page says of the code, and rules on imports. A test here fails when a name
that the page looks for is gone: give `docs/architecture.py` the new one.
"""

from __future__ import annotations

import ast
import builtins
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from docs import architecture, build
from synthpop_py import datasets, disclosure, r_defects
from synthpop_py.disclosure import run

# Rooms whose reading order is not complete yet. May only become fewer.
NOT_YET: set[str] = set()
# When a call is read in order. Both may only become fewer.
MOST_SWITCHES = 48  # of plain frames
MOST_SWITCHES_OF_A_SYNDS = 45  # the goal
ROOT = Path(__file__).resolve().parents[2]
PEOPLE = datasets.load("SD2011").head(60)


@pytest.fixture(scope="module")
def visits():
    return architecture.trace(
        lambda: str(disclosure(PEOPLE, PEOPLE, ["sex", "age"], "marital", print_flag=False))
    )


# ---- imports -------------------------------------------------------------------------


def test_no_modules_import_each_other_in_a_ring():
    assert architecture.cycle(architecture.imports()) == []


def test_a_ring_is_found():
    assert architecture.cycle({"a": {"b"}, "b": {"c"}, "c": {"a"}}) == ["a", "b", "c", "a"]
    assert architecture.cycle({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []


@pytest.mark.parametrize("module", [m for m in architecture.modules() if m.startswith("core.")])
def test_the_core_knows_numpy_and_nothing_else(module):
    allowed = {"numpy", "synthpop_py", *sys.stdlib_module_names}
    assert architecture.outside_imports(module) <= allowed


def test_imports_are_read_as_python_reads_them():
    """Loading a module loads what the graph says it imports."""
    graph = architecture.imports()
    for module in ("disclosure", "errors", "show.shown"):
        goals, reached = set(graph[module]), set()
        while goals:
            reached |= goals
            goals = set().union(*(graph[goal] for goal in goals)) - reached
        assert {f"synthpop_py.{goal}" for goal in reached if goal} <= loaded_by(module)


def loaded_by(module: str) -> set[str]:
    program = f"import sys, synthpop_py.{module}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    return set(done.stdout.split())


# ---- rooms ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(set(architecture.rooms()) - NOT_YET))
def test_a_reading_order_names_every_module_and_no_other(name):
    room = architecture.room(name)
    assert room.purpose and room.left_out == [] and room.gone == []


# ---- the way of a call ---------------------------------------------------------------


@pytest.mark.parametrize("step", architecture.STEPS, ids=lambda step: step.name)
def test_every_step_of_the_page_is_in_the_code(step, visits):
    assert architecture.function_of(step, visits) is not None


def test_the_steps_come_in_the_order_of_the_page(visits):
    assert [part.step for part in architecture.stretches(visits)] == list(architecture.STEPS)


def test_the_run_names_its_steps_as_the_page_does():
    of_the_page = [step.name for step in architecture.STEPS]
    named = re.search(r"it does eight: ([\w, ]+)\.", run.__doc__).group(1).split(", ")
    assert len(of_the_page) == 11 and ["read", *named, "result", "show"] == of_the_page


def test_a_reader_of_the_call_does_not_turn_to_other_files_all_the_time(visits):
    """Every function opened once, in the order of the call."""
    assert architecture.file_switches(visits) <= MOST_SWITCHES


def test_the_papers_call_keeps_the_goal():
    people, release = datasets.load("SD2011"), datasets.load_synthesis("SD2011_s1")
    keys = ["sex", "age", "region", "placesize"]

    def call():
        return str(disclosure(release, people, keys, "depress", print_flag=False))

    call()  # what is kept from one call to the next is no step of it
    visits = architecture.trace(call)
    assert architecture.file_switches(visits) <= MOST_SWITCHES_OF_A_SYNDS


@pytest.mark.parametrize("function", architecture.MARKS)
def test_what_is_marked_in_the_picture_is_entered(function, visits):
    assert function in {visit.function for visit in visits}


@pytest.mark.parametrize("name, least", [("MEASURES", 20), ("DEFECTS", 40)])
def test_the_registries_are_found(name, least):
    file, entries = architecture.registry(name)
    assert file and len(entries) >= least


def test_the_results_are_found():
    assert {"Disclosure", "MultiDisclosure", "KeyRisk"} <= set(architecture.shown_results())


def test_a_trace_has_every_function_once_in_order():
    visits = architecture.trace(r_defects)
    once = architecture.first_visits([*visits, *visits])
    assert once == architecture.first_visits(visits)
    assert "r_defects" in [visit.function for visit in once]


# ---- where new code goes -------------------------------------------------------------

GUIDE = (build.PAGES / "how-to" / "where-new-code-goes.md").read_text(encoding="utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
SKELETON = re.compile(r"^( *)```python\n(.*?)^ *```$", flags=re.M | re.S)
FILE = re.compile(
    r"`((?:synthpop_py|tests|docs|r_reference|scripts|fixtures|benchmarks)/[\w./-]*)`"
)


def test_every_name_of_the_guide_is_somewhere_in_the_code():
    assert architecture.GONE not in GUIDE


@pytest.mark.parametrize("text", [GUIDE, CONTRIBUTING], ids=["guide", "CONTRIBUTING"])
def test_every_file_named_is_there(text):
    named = set(FILE.findall(text))
    assert named and [name for name in sorted(named) if not (ROOT / name).exists()] == []


def test_every_skeleton_is_python():
    skeletons = [textwrap.dedent(code) for _, code in SKELETON.findall(GUIDE)]
    assert len(skeletons) >= 15
    for code in skeletons:
        ast.parse(code)


def names_called(code: str) -> set[str]:
    calls = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Call)]
    return {ast.unparse(node.func).rpartition(".")[2] for node in calls}


# what a skeleton defines itself, and what is of Python, NumPy, pandas or pytest
OWN = {"risk_figures", "plot_risk", "example", "sd5", "measures", "flatnonzero"}
OWN |= {"items", "values", "append", "arange", "dataclass", "replace", "copy", "astype", "round"}
OWN |= {"any", "TrustsTheLatest", "assign", "equals", "barh", "mean"}


def test_what_skeletons_call_is_in_the_code():
    """In the package, or in what writes the cases and tests."""
    called = set().union(
        *(names_called(textwrap.dedent(code)) for _, code in SKELETON.findall(GUIDE))
    )
    folders = [ROOT / "synthpop_py", ROOT / "r_reference", ROOT / "tests" / "parity"]
    sources = [path.read_text(encoding="utf-8") for f in folders for path in f.rglob("*.py")]
    defined = set(re.findall(r"^\s*(?:def|class) (\w+)", "\n".join(sources), flags=re.M))
    assert sorted(called - defined - OWN - set(dir(builtins))) == []
