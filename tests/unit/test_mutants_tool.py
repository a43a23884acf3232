"""The tool that changes the code at random: which changes it makes, which it never makes, and how
it counts what came of them.
"""

from __future__ import annotations

import ast
import json
import math

import pytest

from scripts.mutation import coverage_map, record, sampling, trial
from scripts.mutation.operators import Mutant, mutants

LEFT_ALONE = '''"""Text with 1 and 2."""
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from a import b

__all__ = ["one", "two"]
Kind = Literal["a", "b"] | None


@cached(maxsize=3)
def one(a: "int | None", b: str) -> "list[int] | None":
    """Adds 1 < 2."""
    if a is b:
        raise ValueError(f"{a + 1} is not {b!r}" + "3")
    warn(f"{a - 1}", stacklevel=2)
    return "all " + b
'''


def after(source: str, kind: str | None = None) -> set[str]:
    """What takes the place of the changed text."""
    return {m.after for m in mutants(source) if kind is None or m.kind == kind}


@pytest.mark.parametrize(
    "source, kind, expected",
    [
        ("x = a < b", "comparison", {"(a <= b)", "(a >= b)"}),
        ("x = a == b", "comparison", {"(a != b)"}),
        ("x = a in b", "comparison", {"(a not in b)"}),
        ("x = 0 == a != b", "comparison", {"(0 != a != b)", "(0 == a == b)"}),
        ("x = a + b", "arithmetic", {"(a - b)"}),
        ("x = a // b", "arithmetic", {"(a * b)"}),
        ("x += a", "arithmetic", {"x -= a"}),
        ("x = a and b", "and, or", {"(a or b)"}),
        ("x = 5", "constant", {"(6)", "(4)"}),
        ("x = True", "constant", {"False"}),
        ("def f(a=2): pass", "constant", {"(3)", "(1)"}),
        ("x = -a", "sign", {"(a)"}),
        ("x = ~a", "dropped ~", {"(a)"}),
        ("x = not a", "dropped not", {"(a)"}),
        ("if a and b: pass", "condition", {"(not (a and b))"}),
        ("x = [i for i in a if f(i)]", "condition", {"(not (f(i)))"}),
        ("x = a if c else b", "condition", {"(not (c))"}),
        ("x = a[i:]", "slice", {"(a[i + 1:])", "(a[i - 1:])"}),
        ("x = np.min(a)", "swapped call", {"(np.max(a))"}),
        ("x = any(a)", "swapped call", {"(all(a))"}),
        ("a[i] = b", "statement removed", {"pass"}),
        ("a.append(b)", "statement removed", {"pass"}),
        ("for i in a:\n    continue", "jump", {"break"}),
        ("def f():\n    return a", "returned", {"return None"}),
        ("def f() -> int:\n    return a", "returned", {"return 0"}),
    ],
)
def test_each_change(source, kind, expected):
    assert after(source, kind) == expected


def test_what_no_test_can_notice_is_left_alone():
    assert [(m.kind, m.before) for m in mutants(LEFT_ALONE)] == [("comparison", "a is b")]


@pytest.mark.parametrize("source", ["if not a: pass", "if a < b: pass"])
def test_a_condition_is_negated_once(source):
    assert after(source, "condition") == set()
    negated = {ast.unparse(ast.parse(m.source)) for m in mutants(source)}
    assert len(negated) == len(mutants(source))


def test_only_the_changed_text_differs_and_every_mutant_can_be_compiled():
    source = 'ä = "ö"; x = (  # why\n    a + 1\n)\nif x[2:n] and not x:\n    y = min(x)\n'
    for mutant in mutants(source):
        assert mutant.source == source.replace(mutant.before, mutant.after, 1)
        compile(mutant.source, "module", "exec")
    assert {m.line for m in mutants(source)} == {2, 4, 5}
    assert {m.code for m in mutants(source) if m.line == 2} == {"a + 1"}


# ---- sampling ------------------------------------------------------------------------


@pytest.fixture
def repository(tmp_path):
    room = tmp_path / "synthpop_py" / "core"
    room.mkdir(parents=True)
    (room / "sums.py").write_text("def total(a, b):\n    return a + b * 2\n")
    (room / "bounds.py").write_text("def inside(a):\n    return 0 < a < 5\n")
    return tmp_path


def test_the_same_seed_gives_the_same_sample(repository):
    every = sampling.sites(repository, ["core"])
    assert {site.room for site in every} == {"core"}
    assert sampling.sample(every, 5, seed=1) == sampling.sample(every, 5, seed=1)
    assert sampling.sample(every, 5, seed=1) != sampling.sample(every, 5, seed=2)
    assert len(set(sampling.sample(every, 1000, seed=1))) == len(every)


def test_a_room_may_be_one_module_and_a_missing_one_is_named(repository):
    assert sampling.files_of(repository, ["core/sums.py"]) == ["synthpop_py/core/sums.py"]
    assert sampling.missing_rooms(repository, ["core", "cellar"]) == ["cellar"]


def test_another_content_has_another_digest(repository):
    files = sampling.files_of(repository, ["core"])
    before = sampling.digest(repository, files)
    (repository / files[0]).write_text("x = 1\n")
    assert sampling.digest(repository, files) != before


# ---- which tests ---------------------------------------------------------------------


def test_the_fastest_case_of_every_function_comes_before_a_second_one(tmp_path):
    seconds = {"t.py::a[1]": 0.1, "t.py::a[2]": 0.2, "t.py::b": 0.5, "t.py::slow": 50.0}
    covered = coverage_map.CoverageMap(tmp_path, tmp_path, seconds, cost=1.0)
    assert covered.in_order(seconds, most=2, budget=10) == ["t.py::a[1]", "t.py::b"]
    assert covered.in_order(seconds, most=9, budget=10) == ["t.py::a[1]", "t.py::a[2]", "t.py::b"]
    assert covered.in_order(["t.py::slow"], most=9, budget=10) == ["t.py::slow"]


def test_a_line_that_few_tests_run_is_tried_with_all_tests_of_its_module():
    mutant = Mutant(4, 0, 5, "constant", "1", "2", "")
    many = {f"t.py::many[{i}]" for i in range(20)}
    assert coverage_map.tests_for(mutant, {4: many, 9: {"t.py::other"}}) == many
    assert coverage_map.tests_for(mutant, {5: set(), 9: {"t.py::other"}}) == {"t.py::other"}
    assert coverage_map.tests_for(mutant, {9: {"t.py::other"}}) == set()


def test_the_file_with_most_tests_is_read_first():
    tests = ["a.py::one", "b.py::one", "b.py::two[x]"]
    assert trial.rounds(tests) == [["b.py::one", "b.py::two[x]"], ["a.py::one"]]
    assert trial.rounds(tests[:1]) == [tests[:1]]


# ---- counting ------------------------------------------------------------------------


def rows(**outcomes: int) -> list[dict]:
    return [
        {"room": "core", "kind": "sign", "file": "f.py", "line": 1, "before": "-a", "after": "a"}
        | {"outcome": name.replace("_", " ")}
        for name, times in outcomes.items()
        for _ in range(times)
    ]


def test_verdicts_change_the_count():
    known = rows(killed=6, survived=3, not_covered=1)
    assert record.summary(known)["share_killed"] == 0.6
    known[6]["verdict"] = "equivalent: the value is not used"
    known[7]["verdict"] = "killed by new test: tests/unit/test_x.py::test_y"
    assert record.summary(known)["share_killed"] == round(7 / 9, 4)
    assert record.summary(known)["by_room"]["core"]["equivalent"] == 1


def test_wilsons_lower_bound():
    share, z, n = 0.9, 1.959964, 300
    lower = record.wilson_lower(270, n)
    # the bound is the share at which 0.9 would be z standard errors away
    assert math.isclose(share - lower, z * math.sqrt(lower * (1 - lower) / n), rel_tol=1e-9)
    assert record.wilson_lower(0, 0) == 0.0


def test_a_record_is_read_as_it_was_written(tmp_path):
    path = tmp_path / "mutants.json"
    head = {"seed": 1, "size": 2, "sites": 9, "commit": "abc"}
    record.write(path, head | {"mutants": rows(killed=1, survived=1)})
    assert record.read(path) == head | {"mutants": rows(killed=1, survived=1)}
    assert json.loads(path.read_text())["mutants"][1]["outcome"] == "survived"
    assert "survived: f.py:1 sign: -a → a" in record.report(record.read(path))
