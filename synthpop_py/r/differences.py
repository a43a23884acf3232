"""Where R's results are not the correct ones: how its `multi.disclosure()` passes arguments on,
which figures of its summary are not those of the targets, and what is said of figures that it has
wrong.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..arguments import listed
from .ledger import DEFECTS
from .reading import LAYOUTS, VERSIONS

if TYPE_CHECKING:
    from ..multi import MultiDisclosure
    from ..results import Disclosure

SAME = 1e-12  # smaller differences come from summing in another order
MOST_DECIMALS = 12
HEADLINES = {"repU": "ident", "DiSCO": "attrib", "UiO": "ident", "Dorig": "attrib"}
NOT_IN_MEANS = "checks, exclusions or single syntheses"
WHERE_WHY = "Why: .defects. The correct result: .corrected, or compat='corrected'."
# figures of the summary, with the defects of R in the summary itself
FIGURES = {
    "ident_syn": {"D29", "D31"},
    "attrib_syn": {"D31", "D42"},
    "ident_orig": {"D29", "D31"},
    "attrib_orig": {"D31", "D42"},
    "npairs": {"D30"},
}
IDENTITY = ("ident_syn", "ident_orig")
ORIGINAL_MEASURE = {"DiSCO": "Dorig", "DiSDiO": "Dorig", "DCAP": "CAPd"}


def calls_as_r(
    own: dict[str, Any], by_key: dict[str, Any], correct: Mapping[str, Any], plain: bool
) -> list[tuple[dict[str, Any], set[str]]]:
    """What R asks `disclosure()` for a target, with the defects met. If R stops there although the
    user's exclusion is valid, the next is done as asked.

    `own` are arguments of the target, `by_key` those of keys as given: R takes them in the order of
    the data (D2, D3). It drops exclusions of plain frames, and writes the target's levels over
    those of the key (D32).
    """
    met = {"D2"} if by_key["usekeysNA"] != correct["usekeysNA"] else set()
    if listed(by_key["ngroups_keys"]) != listed(correct["ngroups_keys"]):
        met.add("D3")
    as_asked = own | by_key
    calls = [(as_asked, met)]
    if own["exclude_keys"] is None:
        return calls
    taken = {"exclude_keylevs": own["exclude_targetlevs"]}
    if plain:
        taken = dict.fromkeys(("exclude_keys", "exclude_keylevs", "exclude_targetlevs"))
    if plain or own["exclude_keylevs"] != own["exclude_targetlevs"]:
        calls.insert(0, (as_asked | taken, {*met, "D32"}))
    return calls


def row_as_r(
    row: dict[str, Any], repU: Sequence[float], measures: tuple[str, str], compat: str
) -> tuple[dict[str, Any], set[str]]:
    """A row of the summary as R has it, and the defects that changed it. D29: repU of the first
    synthesis. D30: pairs are 0 or 1. D31, D42: measures that are not found.
    """
    ident, attrib = measures
    changed: dict[str, dict[str, Any]] = {}
    if ident == "repU" and len(set(repU)) > 1:
        changed["D29"] = {"ident_syn": repU[0]}
    if row["npairs"] > 1:
        changed["D30"] = {"npairs": 1}
    if ident != "repU":
        changed["D31"] = {"ident_syn": math.nan}
    if attrib == "DiSDiO":
        changed["D31"] = changed.get("D31", {}) | {"attrib_orig": math.nan}
    if attrib == "DCAP" and DEFECTS["D42"].is_in(VERSIONS[compat]):
        changed["D42"] = {"attrib_syn": math.nan}
    for change in changed.values():
        row = row | change
    return row, set(changed)


def columns_of(table: str, compat: str) -> dict[str, str]:
    """The columns of one of R's tables, each with its measure."""
    layout = LAYOUTS[VERSIONS[compat]]
    if table == "allCAPs":
        return layout.caps
    return {"ident": layout.ident, "attrib": layout.attrib, "attrib_denoms": layout.denoms}[table]


def same(a: Any, b: Any) -> bool:
    """Whether two figures are equal but for the order of sums; NaN equals NaN."""
    if isinstance(a, str) or isinstance(b, str):
        return bool(a == b)
    return a == b or math.isclose(a, b, rel_tol=SAME, abs_tol=0) or (a != a and b != b)


class Wrong(NamedTuple):
    """A figure that R has otherwise than is correct: the part of `print` that shows it, what it is
    of, and the defects behind it.
    """

    part: str
    told: str
    r: float
    correct: float
    ids: str

    def both(self) -> tuple[str, str]:
        """Both figures with enough decimals to tell them apart; whole numbers are counts."""
        figures = self.r, self.correct
        if isinstance(self.r, int):
            return str(self.r), str(self.correct)
        for decimals in range(2, MOST_DECIMALS + 1):
            r, correct = ("none" if x != x else f"{x:.{decimals}f} %" for x in figures)
            if r != correct:
                break
        return r, correct


def wrong_in_target(result: Disclosure) -> list[Wrong]:
    """The measures that R has wrong, those first on which people decide."""
    if result.corrected is None:
        return []
    parts = dict(HEADLINES)
    for part in ("ident", "attrib", "allCAPs"):
        parts |= dict.fromkeys(columns_of(part, result.compat).values(), part)
    ids = ", ".join(finding.id for finding in result.defects)
    both = [(name, getattr(result, name), getattr(result.corrected, name)) for name in parts]
    return [Wrong(parts[name], name, a, b, ids) for name, a, b in both if not same(a, b)]


def wrong_in_summary(result: MultiDisclosure) -> list[Wrong]:
    """Figure by figure, the target where it moved most first; one entry where all targets have the
    same identity figure.
    """
    if result.corrected is None:
        return []
    original = ORIGINAL_MEASURE[result.attrib_meas]
    measures = (result.ident_meas, result.attrib_meas, "UiO", original, "Npairs")
    found = []
    for measure, (figure, own) in zip(measures, FIGURES.items()):
        part = "ident" if figure in IDENTITY else "attrib"
        of_summary = [finding.id for finding in result.defects if finding.id in own]
        wrong = []
        for target, row in result._rows.items():
            r, correct = row[figure], result.corrected._rows[target][figure]
            if not same(r, correct):
                ids = of_summary or [one.id for one in result.output_list[target].defects]
                wrong.append(Wrong(part, f"{measure} of {target}", r, correct, ", ".join(ids)))
        # where R has no figure first
        wrong.sort(key=lambda one: -math.inf if one.r != one.r else -abs(one.r - one.correct))
        alike = len({one.both() for one in wrong}) == 1
        if part == "ident" and alike and len(wrong) == len(result._rows):
            wrong = [wrong[0]._replace(told=measure)]
        found += wrong
    return found


def change(result: Disclosure) -> str:
    """What R has wrong, for a warning, which ends up in logs: no level is named."""
    return _in_short(wrong_in_target(result)) or result.defects[0].refused or NOT_IN_MEANS


def change_of_summary(result: MultiDisclosure) -> str:
    wrong = [one for one in wrong_in_summary(result) if not one.told.startswith("Npairs")]
    moved = [f"{change(one)}, of {one.target}" for one in result._results() if one.defects]
    return _in_short(wrong) or next(iter(moved), "numbers of flagged pairs")


def _in_short(wrong: Sequence[Wrong]) -> str:
    """The figure that matters most; empty where none is wrong."""
    if not wrong:
        return ""
    r, correct = (text.removesuffix(" %") for text in wrong[0].both())
    more = f"; {len(wrong) - 1} more" if len(wrong) > 1 else ""
    return f"{wrong[0].told}: R {r}, correct {correct}{more}"


def first_of(wrong: Sequence[Wrong], compat: str) -> str:
    """The first figure that R has wrong, and how many more there are."""
    r, correct = wrong[0].both()
    more = len(wrong) - 1
    others = f" {more} more {'differs' if more == 1 else 'differ'}." if more else ""
    return (
        f"R's synthpop {VERSIONS[compat]} reports {wrong[0].told} {r}; {correct} is correct"
        f" ({wrong[0].ids}).{others}"
    )


def defects_of_target(result: Disclosure, to_print: Sequence[str] = ("all",)) -> list[str]:
    """What is wrong in R's figures, of those that are printed."""
    ids = ", ".join(finding.id for finding in result.defects)
    if result.corrected is None:
        return [f"{result.defects[0].refused} ({ids})."]
    whole = not {"short", "all"}.isdisjoint(to_print)
    wrong = [one for one in wrong_in_target(result) if whole or one.part in to_print]
    if wrong:
        return [first_of(wrong, result.compat), WHERE_WHY]
    where = NOT_IN_MEANS if whole else "other figures of this result"
    return [f"R's synthpop {VERSIONS[result.compat]} has {where} wrong ({ids}).", WHERE_WHY]


def defects_of_summary(result: MultiDisclosure, to_print: Sequence[str]) -> list[str]:
    """The same of a summary. A wrong figure behind it is told if none in it is wrong."""
    wrong = [one for one in wrong_in_summary(result) if one.part in to_print]
    if wrong:
        where = ".defects" if result.defects else ".output_list[target].defects"
        return [first_of(wrong, result.compat), WHERE_WHY.replace(".defects", where)]
    moved = [one for one in result.output_list.values() if one.defects]
    if "attrib" not in to_print or not moved:
        return []
    moved.sort(key=lambda one: one.corrected is not None)  # a refused call first
    line = f"{moved[0].target}: {defects_of_target(moved[0])[0]}"
    if len(moved) > 1:
        others = ", ".join(str(one.target) for one in moved[1:])
        line += f" Other targets in which R has wrong figures: {others}."
    return [line, "Why: .output_list[target].defects."]
