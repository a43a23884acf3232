"""What the architecture page says of the code, and rules on imports. A test here fails when a name
that the page looks for is gone: give `docs/architecture.py` the new one.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

from docs import architecture
from synthpop_py import datasets, disclosure, r_defects

# Rooms whose reading order is not complete yet. May only become fewer.
NOT_YET = {
    "core",
    "disclosure",
    "estimation",
    "ifpr",
    "key_search",
    "plots",
    "r",
    "r_files",
    "show",
}
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
    assert room.purpose and sorted(room.named) == sorted(room.modules)


# ---- the way of a call ---------------------------------------------------------------


@pytest.mark.parametrize("step", architecture.STEPS, ids=lambda step: step.name)
def test_every_step_of_the_page_is_in_the_code(step, visits):
    assert architecture.function_of(step, visits) is not None


def test_the_steps_come_in_the_order_of_the_page(visits):
    assert [part.step for part in architecture.stretches(visits)] == list(architecture.STEPS)


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
