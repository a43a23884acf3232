"""The registry of R's defects: what each is, where, since and until when, and what is correct.

A defect that a later version fixes gets an `until`; one that it introduces gets a `since`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Defect:
    """One entry of the registry.

    Attributes
    ----------
    severity : A silently wrong numbers likely in real use; B silently wrong, narrower; C R crashes;
        D display or documentation.
    kind : "bug", or "convention" where a reading can be defended but differs from the published
        definition.
    port : how the port treats it: "switch" (R's number under compat="r", the correct one under
        "corrected"), "works" (both modes give the correct answer, because R gives none), "same" (no
        number differs), "other function" (a switch in a companion of `disclosure()`).
    since, until : the first and the last version of synthpop that has it; None: all that are known.
    """

    severity: Literal["A", "B", "C", "D"]
    kind: Literal["bug", "convention"] = "bug"
    port: Literal["switch", "works", "same", "other function"] = "switch"
    summary: str
    r_does: str
    correct: str
    since: str | None = None
    until: str | None = None

    @property
    def misleads(self) -> bool:
        """Whether it needs a warning: not if figures are only shown differently, nor for another
        convention. Results list those without a warning.
        """
        return self.severity != "D" and self.kind != "convention"

    def is_in(self, version: str) -> bool:
        """Whether a version of synthpop has it."""
        first, last = self.since or version, self.until or version
        return _place(first) <= _place(version) <= _place(last)


def _place(version: str) -> tuple[int, ...]:
    """By which versions are sorted: 1.10-0 comes after 1.9-3."""
    return tuple(map(int, version.replace("-", ".").split(".")))


DEFECTS: dict[str, Defect] = {
    "D1": Defect(
        severity="A",
        summary="tables compared by position",
        r_does=(
            "re-sorts only the table that lacks levels, then compares original and synthetic "
            "rows (or columns of a single key) by position"
        ),
        correct="compare levels by name",
    ),
    "D2": Defect(
        severity="A",
        summary="usekeysNA lands on other keys",
        r_does="permutes usekeysNA the wrong way round when keys are not in the data's order",
        correct="each value belongs to the key it was given for",
    ),
    "D3": Defect(
        severity="A",
        summary="ngroups_keys lands on other keys",
        r_does="applies ngroups_keys in the data's column order",
        correct="each value belongs to the key it was given for",
    ),
    "D4": Defect(
        severity="C",
        port="works",
        summary="factor target missing on one side",
        r_does="crashes for plain data frames",
        correct="missing is a level",
    ),
    "D5": Defect(
        severity="C",
        port="works",
        summary="number missing only in the synthetic data",
        r_does="crashes for plain data frames",
        correct="missing is a level",
    ),
    "D6": Defect(
        severity="B",
        summary="keys missing on one side",
        r_does="for plain data frames, ignores usekeysNA = FALSE for that key",
        correct="missing keys are excluded when asked",
    ),
    "D7": Defect(
        severity="C",
        port="works",
        summary="text, logical or date with missing values",
        r_does="crashes",
        correct="missing is a level",
    ),
    "D8": Defect(
        severity="B",
        summary="missing targets only in the synthetic data",
        r_does="usetargetNA = FALSE leaves them in",
        correct="they are excluded too",
    ),
    "D9": Defect(
        severity="B",
        summary="missing and the text 'Missing'",
        r_does="merges missing values with a genuine level 'Missing'",
        correct="two different levels",
    ),
    "D10": Defect(
        severity="B",
        summary="' | ' inside labels of keys",
        r_does=(
            "glues keys with ' | ' and splits them again, so combinations merge and components "
            "shift"
        ),
        correct="keys are compared one by one",
    ),
    "D11": Defect(
        severity="C",
        summary="'|' inside labels",
        r_does=(
            "splits pairs of check_2way at the first '|', so it crashes, shows rows of NA, or "
            "counts another level"
        ),
        correct="the pair is counted as it is",
    ),
    "D12": Defect(
        severity="B",
        summary="a key called 'keys'",
        r_does="overwrites it, so nothing matches from the second synthesis on",
        correct="a name like any other",
    ),
    "D13": Defect(
        severity="C",
        port="works",
        summary="one key combination and a new target level",
        r_does="crashes",
        correct="an ordinary table",
    ),
    "D14": Defect(
        severity="B",
        summary="unused levels of a single key",
        r_does="counts levels that no synthetic record has as found (UiOiS)",
        correct="only levels that occur",
    ),
    "D15": Defect(
        severity="B",
        summary="one value, two texts",
        r_does=(
            "matches numbers, times and factors by texts that differ between columns (100000 "
            "and 1e+05, 1 and 1.0)"
        ),
        correct="values are matched by value",
    ),
    "D16": Defect(
        severity="A",
        summary="TCAP above 100 %",
        r_does="divides counts filtered in different ways",
        correct="the kept DiSCO records over the kept iS records",
        until="1.9-2",
    ),
    "D17": Defect(
        severity="B",
        kind="convention",
        summary="exclusions of target values change identity risk",
        r_does="recounts who is unique after removing target values",
        correct="who is unique does not depend on the target",
    ),
    "D19": Defect(
        severity="B",
        kind="convention",
        port="same",
        summary="denominators are original counts",
        r_does=(
            "documents max_denom, denom_lim and thresh_2way as synthetic counts, uses original ones"
        ),
        correct="kept and documented; records() gives both",
    ),
    "D20": Defect(
        severity="B",
        port="works",
        summary="exclude_* of unequal length, or for text columns",
        r_does="accepts unequal lengths with a wrong result and refuses text columns",
        correct="equal lengths required, any column",
    ),
    "D21": Defect(
        severity="C",
        summary="several values in not_targetlev",
        r_does="an empty first element switches all off; an error from R 4.3 on",
        correct="a set of levels",
    ),
    "D22": Defect(
        severity="B",
        summary="two groups",
        r_does="replaces two quantile groups by equal widths",
        correct="split at the median",
    ),
    "D23": Defect(
        severity="D",
        port="same",
        summary="messages about grouping",
        r_does="name another variable and ignore print_flag",
        correct="name the variable, and only when asked",
    ),
    "D24": Defect(
        severity="C",
        port="works",
        summary="grouping with syntheses of unequal length",
        r_does="crashes",
        correct="pool all values",
    ),
    "D25": Defect(
        severity="D",
        port="same",
        summary="special values that do not occur",
        r_does="checks only the last value of cont_na",
        correct=(
            "checks all of them (compat='corrected' refuses a value that does not occur; no "
            "figure differs)"
        ),
    ),
    "D26": Defect(
        severity="A",
        port="works",
        summary="tibbles",
        r_does="crashes or shows DiSCO 0",
        correct="any data frame is a data frame",
    ),
    "D27": Defect(
        severity="C",
        port="works",
        summary="column names with spaces or hyphens",
        r_does="refuses them",
        correct="names are only names",
    ),
    "D28": Defect(
        severity="C",
        summary="lists of syntheses",
        r_does=(
            "uses only the first when it had to be adjusted, never checks the others, and fails "
            "for some lists"
        ),
        correct="all syntheses are used",
    ),
    "D29": Defect(
        severity="A",
        port="other function",
        summary="multi: repU of several syntheses",
        r_does="reports the first synthesis as the average",
        correct="the average",
    ),
    "D30": Defect(
        severity="D",
        port="other function",
        summary="multi: Npairs",
        r_does="counts 0 or 1",
        correct="the number of pairs",
    ),
    "D31": Defect(
        severity="C",
        port="other function",
        summary="multi: DiSDiO, UiSiO, baseCAPd",
        r_does="give NA",
        correct="Dorig, UiOiS, baseCAPd",
    ),
    "D32": Defect(
        severity="A",
        port="other function",
        summary="multi: exclusions",
        r_does="overwrites exclude_keylevs by exclude_targetlevs; drops all for data frames",
        correct="as asked",
    ),
    "D33": Defect(
        severity="D",
        port="other function",
        summary="multi: printing",
        r_does="ignores digits and never shows its reminders",
        correct="both work",
    ),
    "D34": Defect(
        severity="D",
        port="same",
        summary="printing",
        r_does="unreachable branches, wrong headings",
        correct="our own words",
    ),
    "D35": Defect(
        severity="D",
        summary="check1 and check2 of several syntheses",
        r_does="reports only the last synthesis flagged",
        correct="reports all of them",
    ),
    "D36": Defect(
        severity="A",
        port="other function",
        summary="replicated uniques: padding",
        r_does=(
            "writes numbers beside text with 7 digits and a common width, so equal keys may not "
            "match and close ones merge"
        ),
        correct="values are matched by value",
    ),
    "D37": Defect(
        severity="A",
        port="other function",
        summary="replicated uniques: one key",
        r_does=(
            "finds no synthetic unique in the original, leaves missing values out, and for one "
            "synthesis marks nothing"
        ),
        correct="one key is a key",
    ),
    "D38": Defect(
        severity="B",
        port="other function",
        summary="replicated uniques: '|', stale sizes",
        r_does=(
            "merges keys with '|' and missing with the text NA, keeps old sizes, repeats or "
            "cuts unequal syntheses or crashes"
        ),
        correct="keys one by one, sizes as they are",
    ),
    "D39": Defect(
        severity="D",
        port="other function",
        summary="numtocat: order of levels",
        r_does="sorts levels like words, not by size",
        correct="levels in numeric order",
    ),
    "D40": Defect(
        severity="D",
        kind="convention",
        port="same",
        summary="ties depend on the collation",
        r_does="orders tied levels and pairs as the locale sorts",
        correct="the same, with the collation as an argument",
    ),
    "D41": Defect(
        severity="C",
        port="works",
        summary="dense tables",
        r_does="needs memory for levels times combinations",
        correct="occupied cells only",
    ),
    "D42": Defect(
        severity="C",
        port="other function",
        summary="multi: DCAP",
        r_does="gives NA",
        correct="DCAPd",
        since="1.9-3",
    ),
    "D43": Defect(
        severity="D",
        port="works",
        summary="labels of attrib_denoms",
        r_does="shows the denominators of TCAPb and TCAPs under each other's name",
        correct="each under its own name",
        since="1.9-3",
    ),
    "D44": Defect(
        severity="B",
        kind="convention",
        port="same",
        summary="DCAPb, DCAPs, TCAPb, TCAPs",
        r_does=(
            "divide counts of original records by counts of synthetic ones, so they can exceed "
            "100 %"
        ),
        correct="kept as published; TCAP, DCAPd and DiSCO are shares of original records",
        since="1.9-3",
    ),
    "D45": Defect(
        severity="B",
        summary="TCAP with exclusions",
        r_does=(
            "decides again after exclusions which records are certain, so its numerator is no "
            "longer that of DiSCO"
        ),
        correct="the kept DiSCO records over the kept DiS records",
        since="1.9-3",
    ),
    "D46": Defect(
        severity="D",
        summary="share exactly at the threshold of check_1way",
        r_does="compares a rounded percentage: 11 of 20 is more than 55",
        correct="exact comparison",
    ),
    "D47": Defect(
        severity="D",
        port="other function",
        summary="mergelevels: labels and ties",
        r_does=(
            "newlabel names another level than the one that was merged, ties leave a small "
            "level behind, addNA merges an ample level with an empty one"
        ),
        correct="the label names what was merged; every level left has at least minsize records",
    ),
    "D48": Defect(
        severity="C",
        summary="numbers of more than 15 digits",
        r_does="treats whole numbers that it writes alike as one value (1e17 and 1e17 + 16)",
        correct="they are different values",
    ),
    "D49": Defect(
        severity="B",
        summary="the largest value in no class",
        r_does=(
            "computes the last quantile at 49 * (1/49), which is below 1, so the largest value "
            "lies beyond the last class and counts as missing; also for 98, 103, 107 and other "
            "numbers of classes"
        ),
        correct="the outer classes hold the smallest and the largest value",
    ),
    "D50": Defect(
        severity="B",
        summary="a value outside the class it is counted in",
        r_does=(
            "computes bounds of classes with rounding, such as 3 * (1/5), which is above 0.6; "
            "of the values 0 to 9 in five classes it counts 5 in the class [3,5)"
        ),
        correct="a value is in the class whose label holds it",
    ),
}
