"""Figures that R computes differently from the published definition, each under its defect.

The registry of measures knows nothing of this: R's figures replace the correct ones afterwards.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ..disclosure.measures import Share, Tally
from .reading import Reading


class Departure(NamedTuple):
    """A measure that R computes differently, and the defect behind it."""

    measure: str
    defect: str
    share: Callable[[Tally], Share]


def _tcap_after_exclusions(tally: Tally) -> Share:
    """R decides again, after exclusions, who is certain (D45)."""
    return Share(tally.certain_correct, tally.certain)


def _tcap_of_two_filters(tally: Tally) -> Share:
    """R divides what one filter left by what another one left (D16)."""
    return Share(tally.totals["DiSCO"], tally.orig_found)


DEPARTURES = (
    Departure("TCAP_DiS", "D45", _tcap_after_exclusions),
    Departure("TCAP_iS", "D16", _tcap_of_two_filters),
)


def as_r_computes(shares: dict[str, Share], tally: Tally, compat: Reading) -> dict[str, Share]:
    """The shares, with R's own where R is reproduced and they differ."""
    # which figure is correct does not depend on R, so the correct one is at hand to compare with
    taken = dict(shares)
    for departure in DEPARTURES:
        as_r = departure.share(tally)
        if compat.follow_r(departure.defect, as_r != shares[departure.measure]):
            taken[departure.measure] = as_r
    return taken
