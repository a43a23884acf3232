"""The table of R's names on the page "move a call from R" cannot go stale: it has every function
that was ported and every argument of each, and names none that is not there.
"""

from __future__ import annotations

import inspect

import pytest

import synthpop_py
from docs import build, r_names
from synthpop_py.r import only_there

PAGE = (build.PAGES / "how-to/move-a-call-from-r.md").read_text(encoding="utf-8")
# R's exports that are functions of users, synthpop 1.9-2; methods and print methods left out
R_EXPORTS = (
    "syn",
    "syn.strata",
    "syn.cart",
    "syn.ctree",
    "syn.logreg",
    "syn.norm",
    "syn.normrank",
    "syn.passive",
    "syn.pmm",
    "syn.polr",
    "syn.polyreg",
    "syn.sample",
    "syn.survctree",
    "syn.lognorm",
    "syn.sqrtnorm",
    "syn.cubertnorm",
    "syn.rf",
    "syn.ranger",
    "syn.bag",
    "syn.nested",
    "syn.satcat",
    "syn.catall",
    "syn.ipf",
    "syn.smooth",
    "compare",
    "multi.compare",
    "lm.synds",
    "glm.synds",
    "multinom.synds",
    "polr.synds",
    "replicated.uniques",
    "sdc",
    "read.obs",
    "write.syn",
    "utility.gen",
    "utility.tab",
    "utility.tables",
    "disclosure",
    "multi.disclosure",
    "codebook.syn",
    "numtocat.syn",
    "mergelevels.syn",
    "synorig.compare",
)
# public functions with a name of R
PORTED = sorted(
    name
    for name in synthpop_py.__all__
    if inspect.isfunction(getattr(synthpop_py, name))
    and name.replace("_", ".") in {*R_EXPORTS, "disclosure.summary"}
)


def parameters(name: str) -> list[str]:
    found = inspect.signature(getattr(synthpop_py, name)).parameters.values()
    return [f"**{p.name}" if p.kind is p.VAR_KEYWORD else p.name for p in found]


def test_the_functions_that_were_ported_are_known():
    assert PORTED == sorted({*r_names.ARGUMENTS, "disclosure_summary"})
    assert synthpop_py.disclosure_summary is synthpop_py.multi_disclosure


@pytest.mark.parametrize("name", R_EXPORTS)
def test_every_function_of_r_is_in_one_of_the_two_tables_or_a_method(name):
    rows = (*r_names.FUNCTIONS, *r_names.NOT_HERE)
    named = {part.partition("(")[0] for row in rows for part in row.r.split(", ")}
    assert name in named | {*r_names.METHOD_FUNCTIONS}


@pytest.mark.parametrize("name", [n for n in PORTED if n != "disclosure_summary"])
def test_every_argument_of_ours_is_in_the_table_and_no_other(name):
    listed = [row.here for row in r_names.ARGUMENTS[name] if row.here]
    assert sorted(listed) == sorted(parameters(name))


@pytest.mark.parametrize("name", r_names.ARGUMENTS)
def test_the_page_shows_the_table(name):
    assert r_names.markdown(r_names.ARGUMENTS[name]) in PAGE


def test_the_page_shows_the_functions():
    assert r_names.functions(r_names.FUNCTIONS) in PAGE
    assert r_names.functions(r_names.NOT_HERE) in PAGE
    assert ", ".join(f"`{name}`" for name in r_names.METHOD_FUNCTIONS) in PAGE


@pytest.mark.parametrize("name", sorted(r_names.ARGUMENTS))
def test_dots_become_underscores_and_nothing_else(name):
    moved = [row for row in r_names.ARGUMENTS[name] if row.r and row.here and row.r != "..."]
    assert moved and all(row.r.replace(".", "_") == row.here for row in moved)


def test_what_takes_a_function_s_place_is_public():
    names = {row.here for row in (*r_names.FUNCTIONS, *r_names.NOT_HERE) if row.here}
    assert {n for n in names if "(" not in n} <= {*synthpop_py.__all__, "datasets.load"}


def test_what_only_r_has_says_so_in_the_errors_too():
    """An error that names the way out, and the table, are about the same functions."""
    absent = {part.partition("(")[0] for row in r_names.NOT_HERE for part in row.r.split(", ")}
    in_errors = {name.replace("_", ".") for name in only_there.FUNCTIONS} - {"SD2011"}
    assert in_errors <= absent
