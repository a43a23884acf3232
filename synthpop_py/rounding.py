"""Counts of people as they are shown to other people.

A count is rounded to a multiple of `to` (10), and is never shown above what the reader knows to be
its ceiling, rounded down: "all 25 of 25" would be shown as 30 otherwise, which only 25 can be.
Everything else that is shown is computed from shown counts. Then every count keeps at least five
possible values for a reader who has the page and the released data; `tests/unit/test_rounding.py`
tries all feasible counts. With `to=1` everything is exact.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from .arguments import check_whole
from .errors import InputError

if TYPE_CHECKING:
    from .results import Disclosure

ROUND_TO = 10
EXACT = "exact figures, not for release"
PROMISE = (
    "From one report and the released data, every count of people keeps at least five possible"
    " values."
)
MEASURES = ("UiO", "repU", "iS", "Dorig", "DiS", "DiSCO")
MANY = 1000  # people of whom a tenth of one per cent is shown


def check_round_to(value: object) -> int:
    """The base of rounding: 1 for exact figures, or 10 and more."""
    base = check_whole("round_to", value, 1)
    if 1 < base < ROUND_TO:
        raise InputError(
            f"round_to: {base} would leave counts fewer than five possible values; give {ROUND_TO}"
            " or more, or 1 for exact figures"
        )
    return base


def mark(to: int) -> str:
    """What a picture says about its figures.

    >>> mark(10)
    'Counts of people are rounded to 10; 0: fewer than 5'
    """
    if to == 1:
        return EXACT.capitalize()
    return f"Counts of people are rounded to {to}; 0: {people(0, to=to)}"


def shown(x: float, *known: int, to: int = ROUND_TO) -> Any:
    """A count as it is shown; `known` are counts that it cannot exceed and that a reader knows.

    >>> shown(14), shown(15), shown(25, 25), shown(4)
    (10, 20, 20, 0)
    """
    if to == 1:
        return x
    # half up
    values = [int((2 * x + to) // (2 * to)), *(max(k // to, 0) for k in known)]
    return to * min(values)


def counts(result: Disclosure, to: int = ROUND_TO) -> pd.DataFrame:
    """Shown counts of one target, one row per synthesis (index 1 to m): N, then the original
    records that UiO, repU, iS, Dorig, DiS and DiSCO count. Always the correct figures, not R's.
    """
    correct = result.corrected or result
    everybody = correct.Norig
    why = too_few(everybody, to)
    if why:
        raise InputError(why)
    rows = []
    for shares in correct.shares:
        row = {"N": shown(everybody, everybody, to=to)}
        for measure in MEASURES:
            # anyone with the release can count those who are unique in it
            known = [int(shares["UiS"].numerator)] if measure == "repU" else []
            row[measure] = shown(int(shares[measure].numerator), everybody, *known, to=to)
        rows.append(row)
    return pd.DataFrame(rows, index=range(1, correct.m + 1))


def means(result: Disclosure, to: int = ROUND_TO) -> pd.Series:
    """The means of `counts` over syntheses."""
    return counts(result, to).mean()


def at_most(n: float, to: int = ROUND_TO) -> float:
    """The largest count that is shown as `n`: a limit is met if this is within it.

    >>> at_most(0), at_most(120)
    (4, 124)
    """
    return n + (to + 1) // 2 - 1


def too_few(N: int, to: int = ROUND_TO) -> str:
    """Why there are no figures; empty where there are."""
    if to == 1 or N >= 2 * to:
        return ""
    return (
        f"No figures are shown: rounded to {to}, those of fewer than {2 * to} people would say"
        " nothing."
    )


def people(n: float, whole: float | None = None, to: int = ROUND_TO) -> str:
    """A shown count, or a mean of shown counts, as text.

    >>> people(1230), people(0), people(20, 20)
    ('1,230', 'fewer than 5', 'nearly all')
    """
    if to == 1:
        return f"{n:,.0f}" if float(n).is_integer() else f"{n:,.1f}"
    if whole and n >= whole:
        return "nearly all"
    if n < to / 2:
        return f"fewer than {(to + 1) // 2}"
    return f"{n:,.0f}"


def percent(n: float, whole: float, to: int = ROUND_TO, decimals: int | None = None) -> str:
    """One shown count in per cent of another: with a decimal if `whole` is 1,000 or more. A part is
    never shown as nothing or as all.

    >>> percent(230, 900), percent(230, 2000), percent(900, 900), percent(0, 900)
    ('26 %', '11.5 %', 'nearly all', 'under 1 %')
    """
    if not whole:
        return ""
    if to == 1:
        return f"{100 * n / whole:.{2 if decimals is None else decimals}f} %"
    if n >= whole:
        return "nearly all"
    if decimals is None:
        decimals = 1 if whole >= MANY else 0
    step = 10.0**-decimals
    figure = 100 * max(n, to / 2) / whole
    if n < to / 2:
        # fewer than five people are under this
        return f"under {math.ceil(round(figure / step, 6)) * step:.{decimals}f} %"
    if figure < step / 2:
        return f"under {step:.{decimals}f} %"
    if figure >= 100 - step / 2:
        return f"over {100 - step:.{decimals}f} %"
    return f"{figure:.{decimals}f} %"


def part(n: float, whole: int | None = None, to: int = ROUND_TO) -> Any:
    """A count, of `whole` people or of all there are: as it is with to=1, otherwise as text."""
    if to == 1 or math.isnan(n):
        return n
    if whole is None:
        return people(shown(n, int(n), to=to), to=to)
    return people(shown(n, whole, to=to), shown(whole, whole, to=to), to)


def figure(value: float, to: int = ROUND_TO) -> Any:
    """Any figure that is not a count of people: as it is with to=1, otherwise a text of two
    significant digits.
    """
    if to == 1 or not math.isfinite(value):
        return value
    return f"{float(f'{value:.2g}'):,.10g}"


def figures(
    frame: pd.DataFrame, to: int, counts_of: Mapping[str, int] | None = None
) -> pd.DataFrame:
    """A table of figures: some columns are `counts_of` so many people, others that are not whole
    numbers have two significant digits. As it is with to=1.
    """
    if to == 1:
        return frame
    whole = counts_of or {}
    changed = {}
    for at, (name, column) in enumerate(frame.items()):
        values = column.tolist()
        if name in whole:
            changed[at] = [part(n, whole[str(name)], to) for n in values]
        elif pd.api.types.is_float_dtype(column.dtype):
            changed[at] = [figure(value, to) for value in values]
        else:
            changed[at] = values
    table = pd.DataFrame(changed, index=frame.index, dtype=object)
    return table.set_axis(frame.columns, axis=1)


def precision(counts_row: Mapping[str, Any], to: int = ROUND_TO) -> str | None:
    """How many of the people whom the synthetic data are certain about have that value, in per
    cent; None where these are too few.
    """
    certain, correct = counts_row["DiS"], counts_row["DiSCO"]
    least = 1 if to == 1 else 10 * to
    return percent(correct, certain, to) if certain >= least else None


def over(share: float) -> str:
    """The per cent of a pair of levels, never more exact than this."""
    for step in (90, 80, 50):
        if share > step:
            return f"over {step} %"
    return "at most 50 %"
