"""How long the search for a split will take, estimated before it begins: if three or more classes
are predicted, a tree tries every subset of the levels of a factor.
"""

from __future__ import annotations

import numpy as np

from ..errors import InputError, SlowWarning, some, warn
from .call import Call
from .prepare import Coded, Place, Plan, Step, place_name

__all__ = ["check_subsets"]

TOO_MANY_LEVELS = 26  # from here on the search over subsets of levels needs gigabytes
# what that search takes: measured with 20 to 25 levels and 3 to 10 classes (about the mean), and
# with SD2011 (nodes of a tree that hold next to all levels of a factor)
SECONDS_PER_SUBSET = 8e-8
BYTES_PER_SUBSET = 60
NODES_WITH_ALL_LEVELS = 10
LONG = 5.0  # seconds from which on it is announced
CURE = (
    "Put such a factor last in visit_sequence, set its column of predictor_matrix to 0, or merge"
    " its levels"
)


def check_subsets(plan: Plan, call: Call) -> None:
    """Warn of searches that take long, refuse those that would never finish."""
    refused = []
    for predictor, outcomes in _searches(plan.steps, plan.coded).items():
        levels = len(np.unique(plan.coded[predictor].values))
        told = _on_subsets(place_name(predictor), levels, list(map(place_name, outcomes)))
        seconds = _seconds(levels, len(plan.coded[predictor].values), len(outcomes), call)
        if levels >= TOO_MANY_LEVELS:
            refused.append(told)
        elif seconds >= LONG:
            warn(f"{told}; this can take {_about(seconds)}. {CURE}", SlowWarning)
    if refused:
        raise InputError(f"visit_sequence: {'; '.join(refused)}. {CURE}")


def _seconds(levels: int, rows: int, outcomes: int, call: Call) -> float:
    """What the searches over subsets of a factor will take, roughly."""
    nodes = min(NODES_WITH_ALL_LEVELS, max(1, rows // levels))
    trees = outcomes * (call.m if call.proper else 1)
    return trees * nodes * SECONDS_PER_SUBSET * 2.0 ** (levels - 1)


def _searches(steps: list[Step], coded: dict[Place, Coded]) -> dict[Place, list[Place]]:
    """The factors of which trees look at every subset of levels, each with the outcomes of these
    trees.
    """
    searches: dict[Place, list[Place]] = {}
    for step in steps:
        outcome = coded[step.place]
        if step.method != "cart" or len(np.unique(outcome.values)) < 3 or not outcome.is_factor:
            continue
        for place in step.predictors:
            if coded[place].is_nominal:
                searches.setdefault(place, []).append(step.place)
    return searches


def _on_subsets(predictor: str, levels: int, outcomes: list[str]) -> str:
    needed = BYTES_PER_SUBSET * 2.0 ** (levels - 1) / 1e9
    return (
        f"{predictor!r} has {levels} levels and predicts three or more classes (of "
        f"{some(outcomes, most=3)}), so a node tries 2^{levels - 1} subsets, which needs "
        f"{_two_figures(needed)} GB"
    )


def _two_figures(number: float) -> str:
    """A number as people write it: 0.27, 8.1, 260."""
    return np.format_float_positional(number, precision=2, fractional=False, trim="-")


def _about(seconds: float) -> str:
    if seconds < 120:
        return f"about {seconds:.0f} s"
    return f"about {seconds / 60:.0f} min"
