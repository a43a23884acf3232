"""The figures of one target in a summary: correct ones, and what R makes of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..disclosure.result import Disclosure
from ..r.reading import Reading
from .options import Settings
from .result import DEFAULT_IDENT, ORIGINAL_MEASURE, TargetRow

# the measures behind the names that R gives them
SHARE_OF = {"UiSiO": "UiOiS", "DCAP": "DCAPd"}


def target_row(result: Disclosure, settings: Settings) -> TargetRow:
    """The figures of one target, averaged over the syntheses."""
    return TargetRow(
        target=result.target,
        ident_orig=_average(result, "UiO"),
        ident_syn=_average(result, settings.ident_meas),
        attrib_orig=_average(result, ORIGINAL_MEASURE[settings.attrib_meas]),
        attrib_syn=_average(result, settings.attrib_meas),
        check1=result.check1,
        npairs=result.check2 or 0,
        check2=result.check2,
        left_out=_left_out(result),
    )


def row_as_r(row: TargetRow, result: Disclosure, settings: Settings, reading: Reading) -> TargetRow:
    """The same with R's figures where R is reproduced and they differ."""
    by_set = _percents(result, settings.ident_meas)
    if settings.ident_meas == DEFAULT_IDENT:
        if reading.follow_r("D29", len(set(by_set)) > 1):
            row = replace(row, ident_syn=by_set[0])
    elif reading.follow_r("D31"):
        row = replace(row, ident_syn=math.nan)
    if settings.attrib_meas == "DCAP" and reading.follow_r("D42"):
        row = replace(row, attrib_syn=math.nan)
    if settings.attrib_meas == "DiSDiO" and reading.follow_r("D31"):
        row = replace(row, attrib_orig=math.nan)
    if reading.follow_r("D30", row.npairs > 1):
        row = replace(row, npairs=1)
    return row


def _left_out(result: Disclosure) -> int:
    """People left out by exclusions: those of the first synthesis that leaves out any, because the
    original decides who is (`who_decides` in `disclosure.people`).
    """
    for figures in result._sets:
        number = result.Norig - int(figures.ledger[0, -1])
        if number:
            return number
    return 0


def _percents(result: Disclosure, measure: str) -> list[float]:
    """A measure by its name in a summary, in each synthesis."""
    share = SHARE_OF.get(measure, measure)
    return [shares[share].percent for shares in result.shares]


def _average(result: Disclosure, measure: str) -> float:
    return mean_as_r(_percents(result, measure))


def mean_as_r(values: Sequence[float]) -> float:
    """R's mean: the long-double sum divided by the number, so one value stays itself."""
    if len(values) == 1:
        return float(values[0])
    array = np.asarray(values, dtype=np.longdouble)
    return float(array.sum() / len(array)) if len(array) else math.nan
