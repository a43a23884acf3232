"""The released sets: in one stage or in nests, row for row the original's records."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from ..core.arrays import Integers
from ..errors import InputError
from ..synds import SynDS
from ..tables.frames import check_labels, owned
from ..tables.opening import check_original, nested_sets, synthetic_sets

__all__ = ["ReleasedSets", "read_release"]

NESTS = (list, tuple, SynDS)  # what may hold the sets of one nest


@dataclass(frozen=True, slots=True, eq=False)
class ReleasedSets:
    """`frames` are the released sets, nest after nest; `nests` says how many each nest has (1 each
    for a release in one stage).
    """

    original: pd.DataFrame
    frames: tuple[pd.DataFrame, ...]
    nests: tuple[int, ...]
    two_stage: bool

    def kept(self, *, sets: bool) -> ReleasedSets:
        """A copy for an intruder who is asked again later, when the user may have changed the
        frames; with the released sets only if the intruder reads them again.
        """
        frames = tuple(map(owned, self.frames)) if sets else ()
        return replace(self, original=owned(self.original), frames=frames)

    def shares(self, steps: int) -> Integers:
        """Whole-number weights of the sets of the first nests: every nest counts the same, and
        within it every set.
        """
        nest_sizes = self.nests[:steps]
        common = math.lcm(*nest_sizes)
        share_of_set = [common // size for size in nest_sizes]
        return np.repeat(share_of_set, nest_sizes)


def read_release(synthetic: Any, original: Any) -> ReleasedSets:
    """Check that synthetic and original data are frames of the same records in the same order."""
    original = check_original(original, "original")
    if not len(original):
        raise InputError("original: has no rows, so there is nobody to find")
    nests, two_stage = _nests(synthetic)
    frames = tuple(frame for nest in nests for frame in nest)
    _check_rows(original, frames)
    nest_sizes = tuple(len(nest) for nest in nests)
    return ReleasedSets(original=original, frames=frames, nests=nest_sizes, two_stage=two_stage)


def _nests(synthetic: Any) -> tuple[list[list[pd.DataFrame]], bool]:
    """The sets of each nest, and whether the release has two stages."""
    if not _holds_nests(synthetic):
        nests = nested_sets("synthetic", synthetic)
        two_stage = any(len(nest) > 1 for nest in nests)
        return nests, two_stage
    nests = []
    for number, item in enumerate(synthetic, start=1):
        if not isinstance(item, NESTS):
            raise InputError(
                f"synthetic: element {number} is a {type(item).__name__} among lists; give m"
                " frames, or m lists of frames for a release in two stages"
            )
    for number, item in enumerate(synthetic, start=1):
        nests.append(synthetic_sets(f"synthetic, nest {number}", item))
    return nests, True


def _holds_nests(synthetic: Any) -> bool:
    """Whether some element of a list is a collection of sets itself."""
    if not isinstance(synthetic, (list, tuple)):
        return False
    return any(isinstance(item, NESTS) for item in synthetic)


def _check_rows(original: pd.DataFrame, frames: Sequence[pd.DataFrame]) -> None:
    """Check that every set has the original's records, in the same order."""
    for number, frame in enumerate(frames, start=1):
        argument = "synthetic" if len(frames) == 1 else f"synthetic, set {number}"
        if len(frame) != len(original):
            raise InputError(
                f"{argument}: has {len(frame)} rows, the original {len(original)}; partially"
                " synthetic data have the original's records, one row each, in the same order"
            )
        check_labels(argument, frame.index, original)
