"""R's defects: what each is, and the one switch through which the port reproduces them.

The pipeline computes the right numbers. Where R's differ, the step at the edge that causes it asks
``Compat.shows("D1", condition)``: true only when R is to be reproduced *and* the defect matters for
this input. What was asked for is noted, so that a result can say which defects touched it. No
formula knows of R.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Mode = Literal["r", "r-1.9-2", "corrected"]
MODES: tuple[Mode, ...] = ("r", "r-1.9-2", "corrected")

VERSIONS: dict[str, str] = {"r": "1.9-3", "r-1.9-2": "1.9-2", "corrected": "1.9-3"}


Severity = Literal["A", "B", "C", "D"]
Kind = Literal["bug", "convention"]
Port = Literal["switch", "works", "same", "other function"]


@dataclass(frozen=True, slots=True)
class Defect:
    """One entry of the ledger.

    Attributes
    ----------
    severity : A silently wrong numbers likely in real use; B silently wrong, narrower; C R crashes;
        D display or documentation.
    kind : "bug", or "convention" where a reading can be defended but differs from the published
        definition.
    port : how the port treats it: "switch" (R's number under compat="r", the right one under
        "corrected"), "works" (both modes give the right answer, because R gives none), "same" (no
        number differs), "other function" (concerns a companion of `disclosure()`).
    """

    id: str
    summary: str
    r_does: str
    right: str
    severity: Severity
    kind: Kind
    port: Port
    versions: tuple[str, ...] = ("1.9-2", "1.9-3")


def _d(
    id: str,
    severity: Severity,
    kind: Kind,
    port: Port,
    summary: str,
    r_does: str,
    right: str,
    versions: tuple[str, ...] = ("1.9-2", "1.9-3"),
) -> Defect:
    return Defect(id, summary, r_does, right, severity, kind, port, versions)


DEFECTS: tuple[Defect, ...] = (
    _d(
        "D1",
        "A",
        "bug",
        "switch",
        "tables compared by position",
        "re-sorts only the table that lacks levels, then compares original and synthetic rows (or"
        " columns of a single key) by position",
        "compare levels by name",
    ),
    _d(
        "D2",
        "A",
        "bug",
        "switch",
        "usekeysNA lands on other keys",
        "permutes usekeysNA the wrong way round when keys are not in the data's order",
        "each value belongs to the key it was given for",
    ),
    _d(
        "D3",
        "A",
        "bug",
        "switch",
        "ngroups_keys lands on other keys",
        "applies ngroups_keys in the data's column order",
        "each value belongs to the key it was given for",
    ),
    _d(
        "D4",
        "C",
        "bug",
        "works",
        "factor target missing on one side",
        "crashes for plain data frames",
        "missing is a level",
    ),
    _d(
        "D5",
        "C",
        "bug",
        "works",
        "number missing only in the synthetic data",
        "crashes for plain data frames",
        "missing is a level",
    ),
    _d(
        "D6",
        "B",
        "bug",
        "switch",
        "keys missing on one side",
        "for plain data frames, ignores usekeysNA = FALSE for that key",
        "missing keys are excluded when asked",
    ),
    _d(
        "D7",
        "C",
        "bug",
        "works",
        "text, logical or date with missing values",
        "crashes",
        "missing is a level",
    ),
    _d(
        "D8",
        "B",
        "bug",
        "switch",
        "missing targets only in the synthetic data",
        "usetargetNA = FALSE leaves them in",
        "they are excluded too",
    ),
    _d(
        "D9",
        "B",
        "bug",
        "switch",
        "missing and the text 'Missing'",
        "merges missing values with a genuine level 'Missing'",
        "two different levels",
    ),
    _d(
        "D10",
        "B",
        "bug",
        "switch",
        "' | ' inside labels of keys",
        "glues keys with ' | ' and splits them again, so combinations merge and components shift",
        "keys are compared one by one",
    ),
    _d(
        "D11",
        "C",
        "bug",
        "switch",
        "'|' inside labels",
        "takes pairs of check_2way apart at the first '|', so it crashes, shows rows of NA, or"
        " counts another level",
        "the pair is counted as it is",
    ),
    _d(
        "D12",
        "B",
        "bug",
        "switch",
        "a key called 'keys'",
        "overwrites it, so nothing matches from the second synthesis on",
        "a name like any other",
    ),
    _d(
        "D13",
        "C",
        "bug",
        "works",
        "one key combination and a new target level",
        "crashes",
        "an ordinary table",
    ),
    _d(
        "D14",
        "B",
        "bug",
        "switch",
        "unused levels of a single key",
        "counts levels that no synthetic record has as found (UiOiS)",
        "only levels that occur",
    ),
    _d(
        "D15",
        "B",
        "bug",
        "switch",
        "one value, two texts",
        "matches numbers, times and factors by texts that differ between columns (100000 and"
        " 1e+05)",
        "values are matched by value",
    ),
    _d(
        "D16",
        "A",
        "bug",
        "switch",
        "TCAP above 100 %",
        "divides counts filtered in different ways",
        "the kept DiSCO records over the kept iS records",
        ("1.9-2",),
    ),
    _d(
        "D17",
        "B",
        "convention",
        "switch",
        "exclusions of target values change identity risk",
        "recounts who is unique after removing target values",
        "who is unique does not depend on the target",
    ),
    _d(
        "D19",
        "B",
        "convention",
        "same",
        "denominators are original counts",
        "documents max_denom, denom_lim and thresh_2way as synthetic counts, uses original ones",
        "kept and documented; records() gives both",
    ),
    _d(
        "D20",
        "B",
        "bug",
        "works",
        "exclude_* of unequal length, or for text columns",
        "accepts unequal lengths with a wrong result and refuses text columns",
        "equal lengths required, any column",
    ),
    _d(
        "D21",
        "C",
        "bug",
        "switch",
        "several values in not_targetlev",
        "an empty first element switches all off; an error from R 4.3 on",
        "a set of levels",
    ),
    _d(
        "D22",
        "B",
        "bug",
        "switch",
        "two groups",
        "replaces two quantile groups by equal widths",
        "split at the median",
    ),
    _d(
        "D23",
        "D",
        "bug",
        "same",
        "messages about grouping",
        "name another variable and ignore print_flag",
        "name the variable, and only when asked",
    ),
    _d(
        "D24",
        "C",
        "bug",
        "works",
        "grouping with syntheses of unequal length",
        "crashes",
        "pool all values",
    ),
    _d(
        "D25",
        "D",
        "bug",
        "same",
        "special values that do not occur",
        "checks only the last value of cont_na",
        "checks all of them (compat='corrected' refuses a value that does not occur; no figure"
        " differs)",
    ),
    _d(
        "D26",
        "A",
        "bug",
        "works",
        "tibbles",
        "crashes or shows DiSCO 0",
        "any data frame is a data frame",
    ),
    _d(
        "D27",
        "C",
        "bug",
        "works",
        "column names with spaces or hyphens",
        "refuses them",
        "names are only names",
    ),
    _d(
        "D28",
        "C",
        "bug",
        "switch",
        "lists of syntheses",
        "uses only the first when it had to be adjusted, never checks the others, and fails for"
        " some lists",
        "all syntheses are used",
    ),
    _d(
        "D29",
        "A",
        "bug",
        "other function",
        "multi: repU of several syntheses",
        "reports the first synthesis as the average",
        "the average",
    ),
    _d(
        "D30", "D", "bug", "other function", "multi: Npairs", "counts 0 or 1", "the number of pairs"
    ),
    _d(
        "D31",
        "C",
        "bug",
        "other function",
        "multi: DiSDiO, UiSiO, baseCAPd",
        "give NA",
        "Dorig, UiOiS, baseCAPd",
    ),
    _d(
        "D32",
        "A",
        "bug",
        "other function",
        "multi: exclusions",
        "overwrites exclude_keylevs by exclude_targetlevs; drops all for data frames",
        "as asked",
    ),
    _d(
        "D33",
        "D",
        "bug",
        "other function",
        "multi: printing",
        "ignores digits and never shows its reminders",
        "both work",
    ),
    _d(
        "D34",
        "D",
        "bug",
        "same",
        "printing",
        "unreachable branches, wrong headings",
        "our own words",
    ),
    _d(
        "D35",
        "D",
        "bug",
        "switch",
        "check1 and check2 of several syntheses",
        "tells only of the last synthesis flagged",
        "tells of all",
    ),
    _d(
        "D36",
        "A",
        "bug",
        "other function",
        "replicated uniques: padding",
        "writes numbers beside text with 7 digits and a common width, so equal keys may not match"
        " and close ones merge",
        "values are matched by value",
    ),
    _d(
        "D37",
        "A",
        "bug",
        "other function",
        "replicated uniques: one key",
        "finds no synthetic unique in the original, leaves missing values out, and for one"
        " synthesis marks nothing",
        "one key is a key",
    ),
    _d(
        "D38",
        "B",
        "bug",
        "other function",
        "replicated uniques: '|', stale sizes",
        "merges keys with '|' and missing with the text NA, keeps old sizes, repeats or cuts"
        " unequal syntheses or crashes",
        "keys one by one, sizes as they are",
    ),
    _d("D39", "D", "bug", "other function", "numtocat: order of levels", "alphabetical", "numeric"),
    _d(
        "D40",
        "D",
        "convention",
        "same",
        "ties depend on the collation",
        "orders tied levels and pairs as the locale sorts",
        "the same, with the collation as an argument",
    ),
    _d(
        "D41",
        "C",
        "bug",
        "works",
        "dense tables",
        "needs memory for levels times combinations",
        "occupied cells only",
    ),
    _d("D42", "C", "bug", "other function", "multi: DCAP", "gives NA", "DCAPd", ("1.9-3",)),
    _d(
        "D43",
        "D",
        "bug",
        "works",
        "labels of attrib_denoms",
        "shows the denominators of TCAPb and TCAPs under each other's name",
        "each under its own name",
        ("1.9-3",),
    ),
    _d(
        "D44",
        "B",
        "convention",
        "same",
        "DCAPb, DCAPs, TCAPb, TCAPs",
        "divide counts of original records by counts of synthetic ones, so they can pass 100 %",
        "kept as published; TCAP, DCAPd and DiSCO are shares of original records",
        ("1.9-3",),
    ),
    _d(
        "D45",
        "B",
        "bug",
        "switch",
        "TCAP with exclusions",
        "decides again after exclusions which records are certain, so its numerator is no longer"
        " that of DiSCO",
        "the kept DiSCO records over the kept DiS records",
        ("1.9-3",),
    ),
    _d(
        "D46",
        "D",
        "bug",
        "switch",
        "share exactly at the threshold of check_1way",
        "compares a rounded percentage: 11 of 20 is more than 55",
        "exact comparison",
    ),
    _d(
        "D47",
        "D",
        "bug",
        "other function",
        "mergelevels: labels and ties",
        "newlabel names another level than the one that was merged, ties leave a small level"
        " behind, addNA merges an ample level with an empty one",
        "the label names what was merged; every level left has at least minsize records",
    ),
)

BY_ID: dict[str, Defect] = {d.id: d for d in DEFECTS}


def switched(mode: Mode) -> frozenset[str]:
    """The defects that a mode reproduces."""
    if mode == "corrected":
        return frozenset()
    return frozenset(d.id for d in DEFECTS if d.port == "switch" and VERSIONS[mode] in d.versions)


@dataclass(slots=True)
class Compat:
    """Which defects to reproduce, and which of them mattered so far."""

    active: frozenset[str]
    version: str = "1.9-3"
    seen: set[str] = field(default_factory=set)

    def shows(self, defect: str, condition: bool = True) -> bool:
        """Whether to do as R does here; notes that it mattered."""
        if defect in self.active and condition:
            self.seen.add(defect)
            return True
        return False
