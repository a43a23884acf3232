"""What other people see of results about people: shown counts of `rounding`, figures computed from
these, and nothing else. Only public fields of results are read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pandas as pd

from ..rounding import (
    MEASURES,
    PROMISE,
    counts,
    means,
    over,
    people,
    percent,
    precision,
    too_few,
)
from ..rounding import shown as shown_count
from .printing import Sections, Table

if TYPE_CHECKING:
    from ..multi import MultiDisclosure
    from ..results import Disclosure

MEANING = {
    "UiO": "unique in the original by their keys",
    "repU": "unique in the original and in the synthetic data",
    "iS": "their keys are in the synthetic data",
    "Dorig": "the original itself reveals their value of {target}",
    "DiS": "the synthetic data seem {sure} of their value of {target}",
    "DiSCO": "of these, the value is correct: revealed",
}
HOW_TO_READ = (
    "Higher is riskier. People whom exclusions leave out count as not found and not revealed;"
    " percentages are of all people."
)
MOST_PAIRS = 5


def _sure(certainty: float) -> str:
    return "certain" if certainty == 1 else f"at least {100 * certainty:.10g} % sure"


def nearly_sure(certainty: float) -> str:
    """What "revealed" means in a picture if less than certainty was asked for."""
    if certainty == 1:
        return ""
    return f" Revealed: at least {100 * certainty:.10g} % of the records with the same keys agree."


def _names(names: Any) -> str:
    return ", ".join(map(str, names))


def _of_all(n: float, whole: float, to: int) -> str:
    """A shown count with its percentage, such as "120 (2.4 %)"."""
    told = people(n, whole, to)
    return told if n >= whole else f"{told} ({percent(n, whole, to)})"


# ---- one target ----------------------------------------------------------------------


def disclosure_headline(result: Disclosure, to: int) -> list[str]:
    row = means(result, to)
    everybody = row["N"]
    return [
        f"Of {people(everybody, to=to)} people {_of_all(row['repU'], everybody, to)} are unique on"
        f" {_names(result.keys)} in the original and in the synthetic data (repU).",
        f"For {_of_all(row['DiSCO'], everybody, to)} the synthetic data reveal the value of"
        f" {result.target} (DiSCO).",
    ]


def disclosure_sections(result: Disclosure, to: int) -> Sections:
    """One table of the measures, their counts in each synthesis, what may be common knowledge."""
    row = means(result, to)
    everybody = row["N"]
    meaning = {"target": result.target, "sure": _sure(result.certainty)}
    frame = pd.DataFrame(
        {
            "people": [people(row[name], everybody, to) for name in MEASURES],
            "of all": [percent(row[name], everybody, to) for name in MEASURES],
            "meaning": [MEANING[name].format(**meaning) for name in MEASURES],
        },
        index=list(MEASURES),
    )
    syntheses = "1 synthesis" if result.m == 1 else f"means over {result.m} syntheses"
    caption = f"{people(everybody, to=to)} people, {syntheses}; keys: {_names(result.keys)}"
    sections: list[list[Any]] = [[Table(frame, caption, prose=("meaning",)), HOW_TO_READ]]
    correct = precision(row, to)
    if correct is not None:
        sure = meaning["sure"]
        sections.append([f"Of the values that the synthetic data seem {sure} of: {correct} are"
                         " correct."])  # fmt: skip
    outside = non_members(result, to)
    if outside:
        names = ["iS", "DiS", "DiSCO"]
        beside = {name: (row[name], everybody, outside[name], outside["N"]) for name in names}
        sections.append([_beside_non_members(beside, to)])
    if result.m > 1:
        each = counts(result, to)[list(MEASURES)]
        texts = each.apply(lambda column: [people(n, everybody, to) for n in column])
        texts.index = pd.Index([f"synthesis {j}" for j in each.index])
        sections.append([Table(texts, "People, in each synthesis")])
    common = list(common_knowledge(result, to))
    return [section for section in (*sections, common, [PROMISE]) if section]


def non_members(result: Disclosure, to: int) -> dict[str, int]:
    """Shown counts of those in the holdout, means over syntheses: N, iS, DiS, DiSCO; empty without
    one, or where they are few.
    """
    if result.baseline is None:
        return {}
    rows = result.baseline.set_index("measure")
    whole = int(rows.loc["DiSCO", "n_non_members"])
    if too_few(whole, to):
        return {}
    found = {"N": shown_count(whole, whole, to=to)}
    for name in ("iS", "DiS", "DiSCO"):
        found[name] = shown_count(rows.loc[name, "numerator_non_members"], whole, to=to)
    return found


def _beside_non_members(rows: dict[str, tuple[float, float, int, int]], to: int) -> Table:
    """Each row: shown counts of the people, of all, of non-members, of all these."""
    shares = [(n / whole, out / sample) for n, whole, out, sample in rows.values()]
    frame = pd.DataFrame(
        {
            "people": [percent(n, whole, to) for n, whole, *_ in rows.values()],
            "non-members": [percent(out, sample, to) for *_, out, sample in rows.values()],
            "difference": [f"{100 * (inside - out):+.1f}" for inside, out in shares],
        },
        index=list(rows),
    )
    number = people(next(iter(rows.values()))[-1], to=to)
    return Table(frame, f"Beside {number} non-members (holdout), in % of each; in % points")


def common_knowledge(result: Disclosure, to: int) -> Iterator[str]:
    """Levels and pairs behind what is revealed, named where enough people have them."""
    correct = result.corrected or result
    levels: dict[str, str] = {}
    pairs: dict[str, str] = {}
    for level in correct.check_1way:
        for row in [] if level is None else level.to_dict("records"):
            if min(row["All"], row["nLevelDis"]) >= to:
                revealed, everybody = over(row["PctLevelDis"]), over(row["PctLevelAll"])
                levels[row["Level"]] = (
                    f"{revealed} of those whose {result.target} is revealed have the value"
                    f" {row['Level']}; so have {everybody} of all people. This may be common"
                    " knowledge."
                )
    for pair in correct.check_2way:
        for row in [] if pair is None else pair.to_dict("records"):
            if row["key_target_total"] >= to and row["npairs"] >= to:
                name = f"{row['target_key_levs']} ({result.target}|{row['key']})"
                pairs[name] = (
                    f"{name}: {over(row['PctTargetKeyLevel'])} of the people with this key"
                )
    for told in levels.values():
        yield told[0].upper() + told[1:]
    if pairs:
        yield "Nearly always together, and so perhaps common knowledge:"
        yield from (f"  {told}" for told in list(pairs.values())[:MOST_PAIRS])
        if len(pairs) > MOST_PAIRS:
            yield f"  and {len(pairs) - MOST_PAIRS} more pairs"


# ---- several targets -----------------------------------------------------------------


def multi_rows(result: MultiDisclosure, to: int) -> pd.DataFrame:
    """`rounding.means` of every target, the riskiest first by what is shown: an order by exact
    figures would say more.
    """
    rows = {target: means(one, to) for target, one in result.output_list.items()}
    index = pd.Index(list(rows), tupleize_cols=False)
    frame = pd.DataFrame([row.tolist() for row in rows.values()], index, ["N", *MEASURES])
    return frame.sort_values("DiSCO", ascending=False, kind="stable")


def multi_headline(result: MultiDisclosure, to: int) -> list[str]:
    rows = multi_rows(result, to)
    target, row = rows.index[0], rows.iloc[0]
    everybody = row["N"]
    return [
        f"Of {people(everybody, to=to)} people {_of_all(rows['repU'].max(), everybody, to)} are"
        f" unique on {_names(result.keys)} in the original and in the synthetic data (repU).",
        f"Most is revealed about {target}: its value for {_of_all(row['DiSCO'], everybody, to)}"
        " (DiSCO).",
    ]


def multi_sections(result: MultiDisclosure, to: int) -> Sections:
    """One table with a row per target, one of the identity measures."""
    rows = multi_rows(result, to)
    everybody = rows["N"].iloc[0]
    frame = pd.DataFrame(index=rows.index.map(str))
    for name in ("Dorig", "DiS", "DiSCO"):
        frame[name] = [people(n, everybody, to) for n in rows[name]]
    frame["DiSCO, of all"] = [percent(n, everybody, to) for n in rows["DiSCO"]]
    frame["correct, of DiS"] = [precision(row, to) or "-" for row in rows.to_dict("records")]
    syntheses = "1 synthesis" if result.m == 1 else f"means over {result.m} syntheses"
    caption = f"{people(everybody, to=to)} people, {syntheses}; keys: {_names(result.keys)}"
    sure = _sure(next(iter(result.output_list.values())).certainty)
    meanings = [
        f"  {name}: {MEANING[name].format(target='the target', sure=sure)}"
        for name in ("Dorig", "DiS", "DiSCO")
    ]
    sections: list[list[Any]] = [[_identity(rows, to)], [Table(frame, caption), *meanings]]
    outside = {target: non_members(result.output_list[target], to) for target in rows.index}
    if all(outside.values()):
        beside = {
            f"DiSCO of {target}": (rows.loc[target, "DiSCO"], everybody, out["DiSCO"], out["N"])
            for target, out in outside.items()
        }
        sections.append([_beside_non_members(beside, to)])
    for target in rows.index:
        common = list(common_knowledge(result.output_list[target], to))
        if common:
            sections.append([f"{target}:", *(f"  {told.lstrip()}" for told in common)])
    return [*sections, [HOW_TO_READ], [PROMISE]]


def _identity(rows: pd.DataFrame, to: int) -> Table:
    """Of all targets together, unless exclusions make them differ."""
    everybody = rows["N"].iloc[0]
    alike = len(rows[["UiO", "repU", "iS"]].drop_duplicates()) == 1
    of = rows.head(1) if alike else rows
    frame = pd.DataFrame(
        {name: [_of_all(n, everybody, to) for n in of[name]] for name in ("UiO", "repU", "iS")},
        index=["all targets"] if alike else of.index.map(str),
    )
    return Table(frame, "Identity: unique (UiO), unique in both (repU), keys found (iS)")
