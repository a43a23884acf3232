"""One place of a paper that contradicts its own tables, its data or R, or that we depart from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple, dataclass
from typing import Literal

import pandas as pd


@dataclass(frozen=True, slots=True, kw_only=True)
class Erratum:
    """What is printed, and what is correct.

    name : a short name, the test's id.
    where : section, equation or table.
    printed : the formula, label or sentence, cut to what matters.
    gives : what it gives when it is taken literally, computed.
    shows : what the paper's own table prints, or its data say.
    ours : what this package computes.
    used : the reading that we use.
    kind : contradiction; rounding, where figures differ in their last digits only; extension, where
        nothing printed is wrong and we go further.
    """

    name: str
    where: str
    printed: str
    gives: str
    shows: str
    ours: str
    used: str
    kind: Literal["contradiction", "rounding", "extension"] = "contradiction"


HEADINGS = (
    "about",
    "where",
    "as printed",
    "which gives",
    "table or data",
    "we compute",
    "we use",
)


def as_frame(errata: Iterable[Erratum], names: Iterable[str] | None = None) -> pd.DataFrame:
    """A table for a page, one row per erratum; `names` picks some of them."""
    wanted = None if names is None else set(names)
    chosen = [e for e in errata if wanted is None or e.name in wanted]
    return pd.DataFrame([astuple(e)[: len(HEADINGS)] for e in chosen], columns=list(HEADINGS))


def figures(*values: float, digits: int = 2) -> str:
    """Numbers with fixed decimals, one after the other."""
    return ", ".join(f"{value:.{digits}f}" for value in values)
