"""A `KeyRisk` as text and HTML."""

from __future__ import annotations

from html import escape

import pandas as pd

from ..tables import html_table, table_text
from .key_risk import UNIT, KeyRisk

MOST_ROWS = 10
MOST_SETS = 3


def top_rows(result: KeyRisk) -> pd.DataFrame:
    """The riskiest sets, by their text."""
    return result.table.head(MOST_ROWS).drop(columns="keys").set_index("text")


def as_text(result: KeyRisk, digits: int) -> str:
    parts = [head(result), f"{title(result)}:\n{table_text(top_rows(result), digits)}"]
    if len(result.table) > MOST_ROWS:
        parts[-1] += f"\nand {len(result.table) - MOST_ROWS} more in .table"
    return "\n\n".join([*parts, "\n".join(notes(result, digits))])


def as_html(result: KeyRisk, digits: int) -> str:
    lines = "".join(f"<p>{escape(line)}</p>" for line in notes(result, digits))
    table = html_table(top_rows(result), digits, title(result))
    return f"<div><p>{escape(head(result))}</p>{table}{lines}</div>"


def head(result: KeyRisk) -> str:
    syntheses = "1 synthesis" if result.m == 1 else f"{result.m} syntheses (averages)"
    limit = "" if result.max_keys == len(result.candidates) else f" of up to {result.max_keys}"
    return (
        f"Risk of {len(result.table)} sets{limit} from {len(result.candidates)} candidate keys;"
        f" {result.Norig} original records, {syntheses}"
    )


def title(result: KeyRisk) -> str:
    which = "All" if len(result.table) <= MOST_ROWS else f"The {MOST_ROWS} riskiest"
    return f"{which} sets of keys, in {UNIT} (higher is riskier)"


def notes(result: KeyRisk, digits: int) -> list[str]:
    """The smallest dangerous sets, what a candidate adds, and what to do next."""
    return [_smallest(result), _adds(result, digits), _next(result)]


def _smallest(result: KeyRisk) -> str:
    sets = result.smallest().text.tolist()
    percent = f"{100 * result.share:g} %"
    if not sets:
        return f"No set makes {percent} of the original records unique (UiO)."
    more = f" and {len(sets) - MOST_SETS} more, see .smallest()" if len(sets) > MOST_SETS else ""
    return (
        f"Smallest sets that make at least {percent} of the original records unique (UiO):"
        f" {'; '.join(sets[:MOST_SETS])}{more}."
    )


def _adds(result: KeyRisk, digits: int) -> str:
    gain = result.marginal().mean_increase
    first = (
        f"{gain.index[0]} adds most to UiO: {gain.iloc[0]:.{digits}f} percentage points on average"
        " when it joins a set"
    )
    return first + (
        f"; {gain.index[-1]} adds least: {gain.iloc[-1]:.{digits}f}." if len(gain) > 1 else "."
    )


def _next(result: KeyRisk) -> str:
    target = repr(result.targets[0]) if result.targets else "..."
    keys = list(result.table["keys"].iloc[0])
    return (
        f"Next: see the first set in detail with disclosure(object, data, keys={keys!r},"
        f" target={target}, compat='corrected'), and coarsen or drop the candidates that add most"
        " (.marginal())."
    )
