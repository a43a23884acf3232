"""An `IdentificationRisk` as text and HTML."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from html import escape

import pandas as pd

from ..tables import html_table, table_text
from .results import IdentificationRisk

MOST_GROUPS = 20
TITLE = "Targets, each original record in turn (higher is riskier, except false and false rate)"


def as_text(result: IdentificationRisk, digits: int) -> str:
    parts = [head(result), f"{TITLE}:\n{_with_meanings(measures(result, digits))}"]
    if result._by is not None:
        parts.append(f"{group_title(result)}:\n{table_text(groups(result), digits)}")
    return "\n\n".join([*parts, note(result)])


def as_html(result: IdentificationRisk, digits: int) -> str:
    tables = html_table(measures(result, digits), digits, TITLE)
    if result._by is not None:
        tables += html_table(groups(result), digits, group_title(result))
    lines = "".join(f"<p>{escape(line)}</p>" for line in head(result).split("\n"))
    return f"<div>{lines}{tables}<p>{escape(note(result))}</p></div>"


def _with_meanings(table: pd.DataFrame) -> str:
    """Figures on the right of their columns, sentences on the left."""
    figures = table_text(table[["value", "of"]]).split("\n")
    return "\n".join(
        f"{figure}  {meaning}".rstrip() for figure, meaning in zip(figures, ["", *table["meaning"]])
    )


def head(result: IdentificationRisk) -> str:
    stages = f"{result.sets} synthetic sets" if result.sets != 1 else "1 synthetic set"
    if result.r is not None:
        stages += f" in {result.m} nests" if result.m != 1 else " in 1 nest"
    lines = [f"Identification risk of {result.n} records in {stages}; attack: {result.attack}"]
    lines.append(
        f"Keys released unchanged: {_names(result.known)}; synthesised:"
        f" {_names(result.synthesised)}; {membership(result)}"
    )
    request = result._request
    near = [f"{name} {interval}" for name, interval in request.intervals.items()]
    if request.distance is not None:
        near.append(f"{_names(request.distance.columns or ())}: {request.distance}")
    if near:
        lines.append(
            f"Numeric keys match when near: {'; '.join(near)};"
            f" {'boundary included' if request.boundary == 'closed' else 'boundary excluded'}"
        )
    return "\n".join(lines)


def membership(result: IdentificationRisk) -> str:
    belief = result._request.belief
    if belief.in_file:
        return "targets known to be in the file"
    source = "survey weights" if belief.weights is not None else "population counts"
    return f"targets perhaps not in the file ({source})" + (
        ", intruder abstains" if belief.abstain else ""
    )


def measures(result: IdentificationRisk, digits: int) -> pd.DataFrame:
    """The measures with what they count; texts, so that counts keep no decimals."""
    limit = f"{result.threshold:g}"
    rows = {
        "perceived": (
            str(result.perceived),
            str(result.n),
            f"highest match probability above {limit}",
        ),
        "expected": (
            f"{result.expected:.{digits}f}",
            str(result.n),
            "right guesses among the likeliest records, at random where several tie",
        ),
        "true": (str(result.true), str(result.n), "the one likeliest record is the right one"),
        "false": (str(result.false), str(result.n), "the one likeliest record is a wrong one"),
        "true rate": (_percent(result.true_rate, digits), "", "true, in % of original records"),
        "false rate": (
            _percent(result.false_rate, digits),
            "",
            f"false, in % of the {result.unique_matches} unique matches",
        ),
    }
    return pd.DataFrame.from_dict(rows, orient="index", columns=["value", "of", "meaning"]).astype(
        object
    )


def group_title(result: IdentificationRisk) -> str:
    return f"By {_names(groups(result).index.names)} (counts of records; rates are shares)"


def groups(result: IdentificationRisk) -> pd.DataFrame:
    return result.by(result._by).head(MOST_GROUPS)


def note(result: IdentificationRisk) -> str:
    if result._request.belief.in_file and result._outcome.fallbacks.any():
        some = int((result._outcome.fallbacks > 0).sum())
        first = (
            f"Fallback (no record agreed on all keys) was used for {some} of {result.n} targets in"
            " some set. "
        )
    else:
        first = ""
    grows = ", .path() how risk grows with the released sets" if result.m > 1 else ""
    return f"{first}See .records() for every target, .by(...) for subgroups{grows}."


def _percent(share: float, digits: int) -> str:
    return "not defined" if share != share else f"{100 * share:.{digits}f}"


def _names(names: Iterable[Hashable]) -> str:
    return ", ".join(map(str, names)) or "none"
