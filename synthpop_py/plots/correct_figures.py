"""R's figures with the correct ones beside them, as the figures of `disclosure()` draw them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pandas as pd

from ..disclosure.baseline_show import outside_of
from ..disclosure.people import people_of
from ..errors import InputError
from ..multi import MultiDisclosure
from ..results import Disclosure
from ..show import Count
from .left_out import base_counts
from .small_figures import hidden_among, is_hidden


def check_result(result: Any) -> None:
    if isinstance(result, MultiDisclosure):
        raise InputError(
            "result: a summary holds several results; give one of them, as in"
            " summary.output_list[target]"
        )
    if not isinstance(result, Disclosure):
        raise InputError(
            f"result: {type(result).__name__} cannot be drawn here; give what disclosure() returned"
        )


def hidden_counts(
    result: Disclosure,
    measures: Sequence[str],
    min_cell: int,
    base: Callable[[Disclosure], Iterable[Sequence[Count]]] = base_counts,
) -> frozenset[str]:
    """The counts behind these measures, and behind the numbers left out, that may not be shown."""
    behind: list[Sequence[Count]] = list(_people_behind(result, measures).values())
    behind += base(result)
    if result.corrected is not None:
        behind += _people_behind(result.corrected, measures).values()
        behind += base(result.corrected)
    outside = outside_of(result)
    if outside is not None:
        behind += [outside.others(one) for one in outside.baseline.measures]
        behind.append((outside.left_out, outside.remaining))
    return hidden_among(behind, result._relations(), min_cell)


def with_correct(
    result: Disclosure, measures: Sequence[str], hidden: frozenset[str] = frozenset()
) -> pd.DataFrame:
    """Rows of `tidy` for some measures with the correct figure and its numerator where they differ,
    NaN elsewhere.

    Columns `hidden`, `correct_hidden` say which of them the rule on small cells hides; these are
    NaN too.
    """
    keys = ["synthesis", "measure"]
    as_given = result.tidy()
    corrected = as_given if result.corrected is None else result.corrected.tidy()
    correct = corrected[[*keys, "value", "numerator"]]
    correct = correct.rename(columns={"value": "correct", "numerator": "correct_numerator"})
    # outer: R may have read fewer syntheses
    both = _of(measures, as_given).merge(_of(measures, correct), on=keys, how="outer")
    differing = [if_other(r, correct) for r, correct in zip(both["value"], both["correct"])]
    both = both.assign(correct=pd.Series(differing, index=both.index, dtype=float))
    return _without_small(result, both, measures, hidden)


def _without_small(
    result: Disclosure, figures: pd.DataFrame, measures: Sequence[str], hidden: frozenset[str]
) -> pd.DataFrame:
    """The figures that may be shown."""
    as_given = _people_behind(result, measures)
    correct = as_given if result.corrected is None else _people_behind(result.corrected, measures)
    places = list(zip(figures["synthesis"], figures["measure"]))
    r_hidden = [is_hidden(as_given.get(place, ()), hidden) for place in places]
    correct_hidden = [is_hidden(correct.get(place, ()), hidden) for place in places]
    figures = figures.assign(
        hidden=r_hidden, correct_hidden=figures["correct"].notna() & pd.Series(correct_hidden)
    )
    figures.loc[figures["hidden"], ["value", "numerator"]] = math.nan
    figures.loc[figures["correct_hidden"], ["correct", "correct_numerator"]] = math.nan
    return figures


def _people_behind(
    result: Disclosure, measures: Sequence[str]
) -> dict[tuple[int, str], tuple[Count, ...]]:
    """By synthesis and measure."""
    behind = {}
    for people in people_of(result):
        for measure in measures:
            behind[people.synthesis, measure] = people.shares[measure]
    return behind


def _of(measures: Sequence[str], tidy: pd.DataFrame) -> pd.DataFrame:
    return tidy[tidy["measure"].isin(measures)]


def if_other(r: float, correct: float) -> float:
    """The correct figure if there is one and R's differs."""
    if math.isnan(correct) or math.isclose(r, correct, rel_tol=1e-12):
        return math.nan
    return float(correct)


def refused(result: Disclosure) -> str:
    """A note on figures of R that have no correct counterpart."""
    if result.defects and result.corrected is None:
        return ". R's figures; under the corrected reading this call is invalid: see .defects"
    return ""
