"""``--fail-over``: limits for pipelines, on the largest value over targets and syntheses."""

from __future__ import annotations

import math
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..errors import InputError
from ..names import unknown_choice
from .messages import tell
from .options import number_pairs
from .wording import in_options

if TYPE_CHECKING:
    from ..disclosure.measures import Share
    from ..summary.result import MultiDisclosure

__all__ = ["Judged", "Limit", "add_limits", "are_kept", "judged", "limits_asked"]

OPTION = "--fail-over"
ROUNDING = 1e-10  # far below what one person of a billion adds


class Limit(NamedTuple):
    """The highest acceptable value of a measure, in per cent."""

    measure: str
    highest: float


class Judged(NamedTuple):
    """A limit, and the largest value that was found.

    Attributes
    ----------
    value : in per cent; `target` and `synthesis` (from 1) say where.
    share : the records behind it.
    """

    limit: Limit
    value: float
    share: Share
    target: str
    synthesis: int

    @property
    def is_kept(self) -> bool:
        # 42 of 600 are 7 %, and 7.000000000000001 % as doubles divide them
        return self.value <= self.limit.highest + ROUNDING


def add_limits(parser: ArgumentParser) -> None:
    parser.add_argument(
        OPTION,
        action="append",
        default=[],
        metavar="MEASURE=LIMIT",
        help="exit code 1 if the largest value over targets and syntheses is above this "
        "percentage, such as DiSCO=5; by the published definitions, whatever --compat says. "
        "Repeat for each measure",
    )


def limits_asked(chosen: Namespace) -> list[Limit]:
    """The limits that were typed."""
    from ..disclosure.measures import BY_NAME

    limits = []
    for name, highest in number_pairs(OPTION, chosen.fail_over):
        if name not in BY_NAME:
            raise unknown_choice(OPTION, name, list(BY_NAME), "the measures")
        if not 0 <= highest <= 100:
            raise InputError(f"{OPTION}: {name}={highest:g} is not a percentage; give 0 to 100")
        limits.append(Limit(measure=name, highest=highest))
    return limits


def judged(limits: Sequence[Limit], correct: MultiDisclosure) -> list[Judged]:
    """Each limit with the largest value of a correct result. A target that cannot be compared has
    no figure to judge.
    """
    for target, single in correct.output_list.items():
        if limits and single._uncompared:
            raise InputError(
                f"{OPTION}: no limit can be judged for {str(target)!r};"
                f" {in_options(single.notes[0])}"
            )
    return [_judged(limit, correct) for limit in limits]


def _judged(limit: Limit, correct: MultiDisclosure) -> Judged:
    found = []
    for target, single in correct.output_list.items():
        for number, figures in enumerate(single._sets, start=1):
            share = figures.shares[limit.measure]
            if not math.isnan(share.percent):
                found.append(Judged(limit, share.percent, share, str(target), number))
    if not found:
        raise InputError(
            f"{OPTION}: {limit.measure} has no value for any target, so its limit cannot be judged"
        )
    return max(found, key=lambda one: one.value)


def are_kept(results: Sequence[Judged], min_cell: int) -> bool:
    """Whether all limits are kept. Each is told with its figure, rounded as `_rounded` does."""
    for one in results:
        figure = f"{one.value:.2f} %"
        if min_cell > 1:
            figure = _rounded(one, min_cell)
        verdict = "within" if one.is_kept else "above"
        tell(
            f"{OPTION}: {one.limit.measure} of {one.target} (synthesis {one.synthesis}): {figure};"
            f" {verdict} the limit of {one.limit.highest:g} %"
        )
    return all(one.is_kept for one in results)


def _rounded(one: Judged, base: int) -> str:
    """A share of records rounded to a multiple of the base; fewer than half of it are not told
    apart from none.
    """
    share = one.share
    records = base * math.floor(share.numerator / base + 0.5)
    if not records:
        return f"fewer than {(base + 1) // 2} people"
    if records >= share.denominator:
        return "nearly all people"
    figure = 100 * records / share.denominator
    is_beyond = figure > one.limit.highest + ROUNDING
    # a rounded figure must not seem to be on the other side of the limit
    return "close to it" if is_beyond is one.is_kept else f"about {figure:.1f} %"
