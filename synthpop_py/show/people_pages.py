"""What other people see of results about people: shown counts of `rounding`, figures computed from
these, and nothing else. Only public fields of results are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from ..rounding import MEASURES, PROMISE, counts, means, over, people, percent, precision, too_few
from ..rounding import shown as shown_count
from .printing import Sections, Table

if TYPE_CHECKING:
    from ..results import Disclosure

IDENTITY = ("UiO", "repU", "iS")
ATTRIBUTE = {
    "Dorig": "the original itself reveals their value of the target",
    "DiS": "the synthetic data seem {sure} of their value of the target",
    "DiSCO": "of these, the value is correct: revealed",
}
HOW_TO_READ = (
    "Higher is riskier. People whom exclusions leave out count as not found and not revealed;"
    " percentages are of all people."
)
MOST_PAIRS = 5
ONE_CLASS = "one class"


def nearly_sure(certainty: float) -> str:
    """What "revealed" means in a picture if less than certainty was asked for."""
    if certainty == 1:
        return ""
    return f" Revealed: at least {100 * certainty:.10g} % of the records with the same keys agree."


def rows_of(results: Sequence[Disclosure], to: int) -> pd.DataFrame:
    """`rounding.means` of every target, the riskiest first by what is shown: an order by exact
    figures would say more.
    """
    index = pd.Index([one.target for one in results], tupleize_cols=False)
    frame = pd.DataFrame([means(one, to).tolist() for one in results], index, ["N", *MEASURES])
    if len(results) == 1:
        return frame
    return frame.sort_values("DiSCO", ascending=False, kind="stable")


def _of_all(n: float, whole: float, to: int) -> str:
    """A shown count with its percentage, such as "120 (2.4 %)"."""
    told = people(n, whole, to)
    return told if n >= whole else f"{told} ({percent(n, whole, to)})"


def headline(results: Sequence[Disclosure], to: int) -> list[str]:
    """Of one target or several, from the same keys."""
    rows = rows_of(results, to)
    target, everybody = rows.index[0], rows["N"].iloc[0]
    revealed = _of_all(rows["DiSCO"].iloc[0], everybody, to)
    keys = ", ".join(map(str, results[0].keys))
    most = f"Most is revealed about {target}: its value for {revealed} (DiSCO)."
    if len(results) == 1:
        most = f"For {revealed} the synthetic data reveal the value of {target} (DiSCO)."
    return [
        f"Of {people(everybody, to=to)} people {_of_all(rows['repU'].max(), everybody, to)} are"
        f" unique on {keys} in the original and in the synthetic data (repU).",
        most,
    ]


def sections(results: Sequence[Disclosure], to: int) -> Sections:
    """Identity and attribute risk with a row for each target, non-members, each synthesis of a
    single target, and what may be common knowledge.
    """
    rows, by_target = rows_of(results, to), {one.target: one for one in results}
    results = [by_target[target] for target in rows.index]
    first, everybody = results[0], rows["N"].iloc[0]
    # identity risk of all targets together, unless exclusions make them differ
    of = rows
    if len(rows[list(IDENTITY)].drop_duplicates()) == 1:
        of = rows.head(1).set_axis(["people" if len(rows) == 1 else "all targets"])
    caption = "Identity: unique (UiO), unique in both (repU), keys found (iS)"
    found: list[list[Any]] = [[Table(_with_shares(of, IDENTITY, to), caption)]]
    attribute = _with_shares(rows, ATTRIBUTE, to)
    attribute["correct, of DiS"] = [precision(row, to) or "-" for row in rows.to_dict("records")]
    syntheses = "1 synthesis" if first.m == 1 else f"means over {first.m} syntheses"
    keys = ", ".join(map(str, first.keys))
    caption = f"{people(everybody, to=to)} people, {syntheses}; keys: {keys}"
    certainty = first.certainty
    sure = "certain" if certainty == 1 else f"at least {100 * certainty:.10g} % sure"
    meanings = [f"  {name}: {ATTRIBUTE[name].format(sure=sure)}" for name in ATTRIBUTE]
    found.append([Table(attribute, caption), *meanings])
    if first.baseline is not None:
        found.append(_beside_non_members(results, rows, to))
    if first.m > 1 and len(results) == 1:
        each = counts(first, to)[list(MEASURES)]
        texts = each.apply(lambda column: [people(n, everybody, to) for n in column])
        texts.index = pd.Index([f"synthesis {j}" for j in each.index])
        found.append([Table(texts, "People, in each synthesis")])
    for one in results:
        common = common_knowledge(one, to)
        if len(results) > 1 and common:
            common = [f"{one.target}:", *(f"  {told.lstrip()}" for told in common)]
        found.append(common)
    return [section for section in (*found, [HOW_TO_READ], [PROMISE]) if section]


def _with_shares(rows: pd.DataFrame, names: Iterable[str], to: int) -> pd.DataFrame:
    shown = pd.DataFrame(index=rows.index.map(str))
    for name in names:
        shown[name] = [_of_all(n, whole, to) for n, whole in zip(rows[name], rows["N"])]
    return shown


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


def _beside_non_members(results: Sequence[Disclosure], rows: pd.DataFrame, to: int) -> list[Any]:
    """iS, DiS and DiSCO of a single target, DiSCO of several."""
    beside, sample = {}, 0
    for one, row in zip(results, rows.to_dict("records")):
        outside = non_members(one, to)
        if not outside:
            return []
        sample = outside["N"]
        for name in ("iS", "DiS", "DiSCO") if len(results) == 1 else ("DiSCO",):
            label = name if len(results) == 1 else f"{name} of {one.target}"
            points = 100 * (row[name] / row["N"] - outside[name] / sample)
            shares = percent(row[name], row["N"], to), percent(outside[name], sample, to)
            beside[label] = (*shares, f"{points:+.1f}")
    columns = ["people", "non-members", "difference"]
    frame = pd.DataFrame.from_dict(beside, orient="index", columns=columns)
    caption = f"Beside {people(sample, to=to)} non-members (holdout), in % of each; in % points"
    return [Table(frame, caption)]


def common_knowledge(result: Disclosure, to: int) -> list[str]:
    """Levels and pairs behind what is revealed, named where enough people have them. A class is not
    named: it may end at one person's value.
    """
    correct, target = result.corrected or result, result.target
    classes: dict[str, tuple[str, ...]] = {}
    for name, made in correct.groupings.items():
        classes[str(name)] = made.labels[: len(made.breaks) - 1]  # special values follow
    of_target = classes.get(str(target), ())
    levels: dict[str, str] = {}
    pairs: dict[str, str] = {}
    for row in _rows(correct.check_1way):
        if min(row["All"], row["nLevelDis"]) >= to:
            revealed, everybody = over(row["PctLevelDis"]), over(row["PctLevelAll"])
            is_class = row["Level"] in of_target
            value = f"a value of {ONE_CLASS}" if is_class else f"the value {row['Level']}"
            levels[value] = (
                f"{revealed[0].upper()}{revealed[1:]} of those whose {target} is revealed have"
                f" {value}; so have {everybody} of all people. This may be common"
                " knowledge."
            )
    for row in _rows(correct.check_2way):
        if min(row["key_target_total"], row["npairs"]) >= to:
            text = row["target_key_levs"]
            for label in of_target:
                if text.startswith(f"{label}|"):
                    text = ONE_CLASS + text.removeprefix(label)
            for label in classes.get(row["key"], ()):
                if text.endswith(f"|{label}"):
                    text = text.removesuffix(label) + ONE_CLASS
            name = f"{text} ({target}|{row['key']})"
            pairs[name] = f"  {name}: {over(row['PctTargetKeyLevel'])} of the people with this key"
    told = list(levels.values())
    if pairs:
        told += ["Nearly always together, and so perhaps common knowledge:"]
        told += list(pairs.values())[:MOST_PAIRS]
    if len(pairs) > MOST_PAIRS:
        told.append(f"  and {len(pairs) - MOST_PAIRS} more pairs")
    return told


def _rows(frames: Iterable[pd.DataFrame | None]) -> list[dict[Any, Any]]:
    return [row for one in frames if one is not None for row in one.to_dict("records")]
