"""R's figures with the right ones beside them, as the figures of `disclosure()` draw them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pandas as pd

from ..disclosure.result import Disclosure
from ..errors import InputError
from ..summary.result import MultiDisclosure


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


def with_right(result: Disclosure, measures: Sequence[str]) -> pd.DataFrame:
    """Rows of `tidy` for some measures with the right figure and its numerator where they differ,
    NaN elsewhere.
    """
    keys = ["synthesis", "measure"]
    as_given = result.tidy()
    corrected = as_given if result.corrected is None else result.corrected.tidy()
    right = corrected[[*keys, "value", "numerator"]]
    right = right.rename(columns={"value": "right", "numerator": "right_numerator"})
    # outer: R may have read fewer syntheses
    both = _of(measures, as_given).merge(_of(measures, right), on=keys, how="outer")
    differing = [if_other(r, correct) for r, correct in zip(both["value"], both["right"])]
    return both.assign(right=pd.Series(differing, index=both.index, dtype=float))


def _of(measures: Sequence[str], tidy: pd.DataFrame) -> pd.DataFrame:
    return tidy[tidy["measure"].isin(measures)]


def if_other(r: float, right: float) -> float:
    """The right figure if there is one and R's is not it."""
    if math.isnan(right) or math.isclose(r, right, rel_tol=1e-12):
        return math.nan
    return float(right)


def refused(result: Disclosure) -> str:
    """A word on figures of R that have no right counterpart."""
    if result.defects and result.corrected is None:
        return ". R's figures; under the corrected reading this call is invalid: see .defects"
    return ""
