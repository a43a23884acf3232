"""The registry of R's defects: what each is, where, since and until when, and what is correct.

A defect that a later version fixes gets an `until`; one that it introduces gets a `since`. Whether
the port reproduces a defect follows from this table and nothing else (`synthpop_py.r.reading`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from .layouts import LAYOUTS, in_order, version_key

Function = Literal[
    "disclosure",
    "multi_disclosure",
    "replicated_uniques",
    "numtocat_syn",
    "mergelevels_syn",
]


class Moves(NamedTuple):
    """A figure of the summary that a defect moves, if the summary uses one of these measures;
    empty: any measure.
    """

    figure: Literal["ident_syn", "ident_orig", "attrib_orig", "attrib_syn", "npairs"]
    measures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Defect:
    """One entry of the registry.

    Attributes
    ----------
    functions : the functions of this package in which it shows.
    severity : A silently wrong numbers likely in real use; B silently wrong, narrower; C R crashes;
        D display or documentation.
    kind : "bug", or "convention" where a reading can be defended but differs from the published
        definition.
    port : how the port treats it: "switch" (R's number under compat="r", the correct one under
        "corrected"), "works" (both modes give the correct answer, because R gives none), "same" (no
        number differs), "other function" (a switch in a companion of `disclosure()`).
    since, until : the first and the last version of synthpop that has it; None: all that are known.
    of_the_call : for the summary: the defect is in how R passes arguments on, so it affects the
        results of single targets.
    moves : for the summary: the figures that it can move; empty: any.
    """

    id: str
    functions: tuple[Function, ...]
    severity: Literal["A", "B", "C", "D"]
    kind: Literal["bug", "convention"]
    port: Literal["switch", "works", "same", "other function"]
    summary: str
    r_does: str
    correct: str
    since: str | None = None
    until: str | None = None
    of_the_call: bool = False
    moves: tuple[Moves, ...] = ()

    @property
    def misleads(self) -> bool:
        """Whether it needs a warning: not if figures are only shown differently, nor for another
        convention. Results list those without a warning.
        """
        return self.severity != "D" and self.kind != "convention"

    @property
    def versions(self) -> tuple[str, ...]:
        """The known versions that have it, the earliest first."""
        return tuple(version for version in in_order(LAYOUTS) if self.is_in(version))

    def is_in(self, version: str) -> bool:
        key = version_key(version)
        if self.since is not None and key < version_key(self.since):
            return False
        return self.until is None or key <= version_key(self.until)

    def is_reproduced(self, function: Function, version: str) -> bool:
        """Whether the port reproduces it for this version of R in this function."""
        switched = self.port in ("switch", "other function")
        return switched and function in self.functions and self.is_in(version)

    @property
    def test(self) -> str:
        """The test that shows it beside R's recorded answer; its cases are named after the id."""
        return f"{LEDGER}::{TESTS.get(self.id, TESTS[self.port])}"


LEDGER = "tests/parity/test_ledger.py"
TESTS = {
    "switch": "test_switch_is_named_with_both_figures",
    "works": "test_works_in_both_modes",
    "same": "test_same_in_both_modes",
    "other function": "test_other_function_gives_rs_figure_and_corrected_the_correct_one",
    "D48": "test_d48_whole_numbers_that_r_writes_alike_are_one_value_to_it",
    "D49": "test_d49_the_largest_value_of_49_classes_is_in_none",
    "D50": "test_d50_a_value_that_is_a_bound_is_counted_below_it",
    "D25": "test_d25_r_takes_an_absent_special_value_and_corrected_refuses_it",
}

DEFECTS: tuple[Defect, ...] = (
    Defect(
        id="D1",
        functions=("disclosure",),
        severity="A",
        kind="bug",
        port="switch",
        summary="tables compared by position",
        r_does=(
            "re-sorts only the table that lacks levels, then compares original and synthetic rows"
            " (or columns of a single key) by position"
        ),
        correct="compare levels by name",
    ),
    Defect(
        id="D2",
        functions=("disclosure", "multi_disclosure"),
        severity="A",
        kind="bug",
        port="switch",
        summary="usekeysNA lands on other keys",
        r_does="permutes usekeysNA the wrong way round when keys are not in the data's order",
        correct="each value belongs to the key it was given for",
        of_the_call=True,
    ),
    Defect(
        id="D3",
        functions=("disclosure", "multi_disclosure"),
        severity="A",
        kind="bug",
        port="switch",
        summary="ngroups_keys lands on other keys",
        r_does="applies ngroups_keys in the data's column order",
        correct="each value belongs to the key it was given for",
        of_the_call=True,
    ),
    Defect(
        id="D4",
        functions=("disclosure",),
        severity="C",
        kind="bug",
        port="works",
        summary="factor target missing on one side",
        r_does="crashes for plain data frames",
        correct="missing is a level",
    ),
    Defect(
        id="D5",
        functions=("disclosure",),
        severity="C",
        kind="bug",
        port="works",
        summary="number missing only in the synthetic data",
        r_does="crashes for plain data frames",
        correct="missing is a level",
    ),
    Defect(
        id="D6",
        functions=("disclosure",),
        severity="B",
        kind="bug",
        port="switch",
        summary="keys missing on one side",
        r_does="for plain data frames, ignores usekeysNA = FALSE for that key",
        correct="missing keys are excluded when asked",
    ),
    Defect(
        id="D7",
        functions=("disclosure",),
        severity="C",
        kind="bug",
        port="works",
        summary="text, logical or date with missing values",
        r_does="crashes",
        correct="missing is a level",
    ),
    Defect(
        id="D8",
        functions=("disclosure",),
        severity="B",
        kind="bug",
        port="switch",
        summary="missing targets only in the synthetic data",
        r_does="usetargetNA = FALSE leaves them in",
        correct="they are excluded too",
    ),
    Defect(
        id="D9",
        functions=("disclosure",),
        severity="B",
        kind="bug",
        port="switch",
        summary="missing and the text 'Missing'",
        r_does="merges missing values with a genuine level 'Missing'",
        correct="two different levels",
    ),
    Defect(
        id="D10",
        functions=("disclosure",),
        severity="B",
        kind="bug",
        port="switch",
        summary="' | ' inside labels of keys",
        r_does=(
            "glues keys with ' | ' and splits them again, so combinations merge and components"
            " shift"
        ),
        correct="keys are compared one by one",
    ),
    Defect(
        id="D11",
        functions=("disclosure",),
        severity="C",
        kind="bug",
        port="switch",
        summary="'|' inside labels",
        r_does=(
            "splits pairs of check_2way at the first '|', so it crashes, shows rows of NA, "
            "or counts another level"
        ),
        correct="the pair is counted as it is",
    ),
    Defect(
        id="D12",
        functions=("disclosure",),
        severity="B",
        kind="bug",
        port="switch",
        summary="a key called 'keys'",
        r_does="overwrites it, so nothing matches from the second synthesis on",
        correct="a name like any other",
    ),
    Defect(
        id="D13",
        functions=("disclosure",),
        severity="C",
        kind="bug",
        port="works",
        summary="one key combination and a new target level",
        r_does="crashes",
        correct="an ordinary table",
    ),
    Defect(
        id="D14",
        functions=("disclosure",),
        severity="B",
        kind="bug",
        port="switch",
        summary="unused levels of a single key",
        r_does="counts levels that no synthetic record has as found (UiOiS)",
        correct="only levels that occur",
    ),
    Defect(
        id="D15",
        functions=("disclosure", "replicated_uniques", "numtocat_syn"),
        severity="B",
        kind="bug",
        port="switch",
        summary="one value, two texts",
        r_does=(
            "matches numbers, times and factors by texts that differ between columns (100000 and"
            " 1e+05, 1 and 1.0)"
        ),
        correct="values are matched by value",
    ),
    Defect(
        id="D16",
        functions=("disclosure",),
        severity="A",
        kind="bug",
        port="switch",
        summary="TCAP above 100 %",
        r_does="divides counts filtered in different ways",
        correct="the kept DiSCO records over the kept iS records",
        until="1.9-2",
    ),
    Defect(
        id="D17",
        functions=("disclosure",),
        severity="B",
        kind="convention",
        port="switch",
        summary="exclusions of target values change identity risk",
        r_does="recounts who is unique after removing target values",
        correct="who is unique does not depend on the target",
    ),
    Defect(
        id="D19",
        functions=("disclosure",),
        severity="B",
        kind="convention",
        port="same",
        summary="denominators are original counts",
        r_does=(
            "documents max_denom, denom_lim and thresh_2way as synthetic counts, uses original ones"
        ),
        correct="kept and documented; records() gives both",
    ),
    Defect(
        id="D20",
        functions=("disclosure",),
        severity="B",
        kind="bug",
        port="works",
        summary="exclude_* of unequal length, or for text columns",
        r_does="accepts unequal lengths with a wrong result and refuses text columns",
        correct="equal lengths required, any column",
    ),
    Defect(
        id="D21",
        functions=("disclosure",),
        severity="C",
        kind="bug",
        port="switch",
        summary="several values in not_targetlev",
        r_does="an empty first element switches all off; an error from R 4.3 on",
        correct="a set of levels",
    ),
    Defect(
        id="D22",
        functions=("disclosure", "numtocat_syn"),
        severity="B",
        kind="bug",
        port="switch",
        summary="two groups",
        r_does="replaces two quantile groups by equal widths",
        correct="split at the median",
    ),
    Defect(
        id="D23",
        functions=("disclosure",),
        severity="D",
        kind="bug",
        port="same",
        summary="messages about grouping",
        r_does="name another variable and ignore print_flag",
        correct="name the variable, and only when asked",
    ),
    Defect(
        id="D24",
        functions=("disclosure",),
        severity="C",
        kind="bug",
        port="works",
        summary="grouping with syntheses of unequal length",
        r_does="crashes",
        correct="pool all values",
    ),
    Defect(
        id="D25",
        functions=("disclosure",),
        severity="D",
        kind="bug",
        port="same",
        summary="special values that do not occur",
        r_does="checks only the last value of cont_na",
        correct=(
            "checks all of them (compat='corrected' refuses a value that does not occur; no figure"
            " differs)"
        ),
    ),
    Defect(
        id="D26",
        functions=("disclosure",),
        severity="A",
        kind="bug",
        port="works",
        summary="tibbles",
        r_does="crashes or shows DiSCO 0",
        correct="any data frame is a data frame",
    ),
    Defect(
        id="D27",
        functions=("disclosure",),
        severity="C",
        kind="bug",
        port="works",
        summary="column names with spaces or hyphens",
        r_does="refuses them",
        correct="names are only names",
    ),
    Defect(
        id="D28",
        functions=("disclosure",),
        severity="C",
        kind="bug",
        port="switch",
        summary="lists of syntheses",
        r_does=(
            "uses only the first when it had to be adjusted, never checks the others, and fails for"
            " some lists"
        ),
        correct="all syntheses are used",
    ),
    Defect(
        id="D29",
        functions=("multi_disclosure",),
        severity="A",
        kind="bug",
        port="other function",
        summary="multi: repU of several syntheses",
        r_does="reports the first synthesis as the average",
        correct="the average",
        moves=(Moves("ident_syn", ("repU",)),),
    ),
    Defect(
        id="D30",
        functions=("multi_disclosure",),
        severity="D",
        kind="bug",
        port="other function",
        summary="multi: Npairs",
        r_does="counts 0 or 1",
        correct="the number of pairs",
        moves=(Moves("npairs"),),
    ),
    Defect(
        id="D31",
        functions=("multi_disclosure",),
        severity="C",
        kind="bug",
        port="other function",
        summary="multi: DiSDiO, UiSiO, baseCAPd",
        r_does="give NA",
        correct="Dorig, UiOiS, baseCAPd",
        moves=(Moves("ident_syn", ("UiSiO", "baseCAPd")), Moves("attrib_orig", ("DiSDiO",))),
    ),
    Defect(
        id="D32",
        functions=("multi_disclosure",),
        severity="A",
        kind="bug",
        port="other function",
        summary="multi: exclusions",
        r_does="overwrites exclude_keylevs by exclude_targetlevs; drops all for data frames",
        correct="as asked",
        of_the_call=True,
    ),
    Defect(
        id="D33",
        functions=("multi_disclosure",),
        severity="D",
        kind="bug",
        port="other function",
        summary="multi: printing",
        r_does="ignores digits and never shows its reminders",
        correct="both work",
    ),
    Defect(
        id="D34",
        functions=("disclosure",),
        severity="D",
        kind="bug",
        port="same",
        summary="printing",
        r_does="unreachable branches, wrong headings",
        correct="our own words",
    ),
    Defect(
        id="D35",
        functions=("disclosure",),
        severity="D",
        kind="bug",
        port="switch",
        summary="check1 and check2 of several syntheses",
        r_does="reports only the last synthesis flagged",
        correct="reports all of them",
    ),
    Defect(
        id="D36",
        functions=("replicated_uniques",),
        severity="A",
        kind="bug",
        port="other function",
        summary="replicated uniques: padding",
        r_does=(
            "writes numbers beside text with 7 digits and a common width, so equal keys may not"
            " match and close ones merge"
        ),
        correct="values are matched by value",
    ),
    Defect(
        id="D37",
        functions=("replicated_uniques",),
        severity="A",
        kind="bug",
        port="other function",
        summary="replicated uniques: one key",
        r_does=(
            "finds no synthetic unique in the original, leaves missing values out, and for one"
            " synthesis marks nothing"
        ),
        correct="one key is a key",
    ),
    Defect(
        id="D38",
        functions=("replicated_uniques",),
        severity="B",
        kind="bug",
        port="other function",
        summary="replicated uniques: '|', stale sizes",
        r_does=(
            "merges keys with '|' and missing with the text NA, keeps old sizes, repeats or cuts"
            " unequal syntheses or crashes"
        ),
        correct="keys one by one, sizes as they are",
    ),
    Defect(
        id="D39",
        functions=("numtocat_syn",),
        severity="D",
        kind="bug",
        port="other function",
        summary="numtocat: order of levels",
        r_does="sorts levels like words, not by size",
        correct="levels in numeric order",
    ),
    Defect(
        id="D40",
        functions=("disclosure",),
        severity="D",
        kind="convention",
        port="same",
        summary="ties depend on the collation",
        r_does="orders tied levels and pairs as the locale sorts",
        correct="the same, with the collation as an argument",
    ),
    Defect(
        id="D41",
        functions=("disclosure",),
        severity="C",
        kind="bug",
        port="works",
        summary="dense tables",
        r_does="needs memory for levels times combinations",
        correct="occupied cells only",
    ),
    Defect(
        id="D42",
        functions=("multi_disclosure",),
        severity="C",
        kind="bug",
        port="other function",
        summary="multi: DCAP",
        r_does="gives NA",
        correct="DCAPd",
        since="1.9-3",
        moves=(Moves("attrib_syn"),),
    ),
    Defect(
        id="D43",
        functions=("disclosure",),
        severity="D",
        kind="bug",
        port="works",
        summary="labels of attrib_denoms",
        r_does="shows the denominators of TCAPb and TCAPs under each other's name",
        correct="each under its own name",
        since="1.9-3",
    ),
    Defect(
        id="D44",
        functions=("disclosure",),
        severity="B",
        kind="convention",
        port="same",
        summary="DCAPb, DCAPs, TCAPb, TCAPs",
        r_does=(
            "divide counts of original records by counts of synthetic ones, so they can "
            "exceed 100 %"
        ),
        correct="kept as published; TCAP, DCAPd and DiSCO are shares of original records",
        since="1.9-3",
    ),
    Defect(
        id="D45",
        functions=("disclosure",),
        severity="B",
        kind="bug",
        port="switch",
        summary="TCAP with exclusions",
        r_does=(
            "decides again after exclusions which records are certain, so its numerator is no"
            " longer that of DiSCO"
        ),
        correct="the kept DiSCO records over the kept DiS records",
        since="1.9-3",
    ),
    Defect(
        id="D46",
        functions=("disclosure",),
        severity="D",
        kind="bug",
        port="switch",
        summary="share exactly at the threshold of check_1way",
        r_does="compares a rounded percentage: 11 of 20 is more than 55",
        correct="exact comparison",
    ),
    Defect(
        id="D47",
        functions=("mergelevels_syn",),
        severity="D",
        kind="bug",
        port="other function",
        summary="mergelevels: labels and ties",
        r_does=(
            "newlabel names another level than the one that was merged, ties leave a small level"
            " behind, addNA merges an ample level with an empty one"
        ),
        correct="the label names what was merged; every level left has at least minsize records",
    ),
    Defect(
        id="D48",
        functions=("disclosure", "replicated_uniques"),
        severity="C",
        kind="bug",
        port="switch",
        summary="numbers of more than 15 digits",
        r_does="treats whole numbers that it writes alike as one value (1e17 and 1e17 + 16)",
        correct="they are different values",
    ),
    Defect(
        id="D49",
        functions=("disclosure", "numtocat_syn"),
        severity="B",
        kind="bug",
        port="switch",
        summary="the largest value in no class",
        r_does=(
            "computes the last quantile at 49 * (1/49), which is below 1, so the largest "
            "value lies beyond the last class and counts as missing; also for 98, 103, 107 "
            "and other numbers of classes"
        ),
        correct="the outer classes hold the smallest and the largest value",
    ),
    Defect(
        id="D50",
        functions=("disclosure", "numtocat_syn"),
        severity="B",
        kind="bug",
        port="switch",
        summary="a value outside the class it is counted in",
        r_does=(
            "computes bounds of classes with rounding, such as 3 * (1/5), which is above 0.6; of "
            "the values 0 to 9 in five classes it counts 5 in the class [3,5)"
        ),
        correct="a value is in the class whose label holds it",
    ),
)

BY_ID: dict[str, Defect] = {defect.id: defect for defect in DEFECTS}


def number(defect: str) -> int:
    """The number of an id, by which lists are sorted."""
    return int(defect[1:])
