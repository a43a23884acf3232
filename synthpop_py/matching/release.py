"""The released sets: in one stage or in nests, row for row the original's records."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..core.arrays import Integers
from ..errors import InputError
from ..synds import SynDS
from ..tables.labels import check_labels
from ..tables.opening import check_original, nested_sets, synthetic_sets

__all__ = ["Release", "read_release"]


@dataclass(frozen=True, slots=True, eq=False)
class Release:
    """`frames` are the released sets, nest after nest; `nests` says how many each nest has (1 each
    for a release in one stage).
    """

    original: pd.DataFrame
    frames: tuple[pd.DataFrame, ...]
    nests: tuple[int, ...]
    two_stage: bool

    def shares(self, steps: int) -> Integers:
        """Whole-number weights of the sets of the first nests: every nest counts the same, and
        within it every set.
        """
        used = self.nests[:steps]
        common = math.lcm(*used)
        return np.repeat([common // r for r in used], used)


def read_release(synthetic: Any, original: Any) -> Release:
    """Check that synthetic and original data are frames of the same records in the same order."""
    check_original(original, "original")
    if not len(original):
        raise InputError("original: has no rows; there is nobody to be found")
    nests, two_stage = _nests(synthetic)
    frames = [frame for nest in nests for frame in nest]
    for number, frame in enumerate(frames, start=1):
        _check_rows(
            original, frame, "synthetic" if len(frames) == 1 else f"synthetic, set {number}"
        )
    return Release(original, tuple(frames), tuple(len(nest) for nest in nests), two_stage)


def _nests(synthetic: Any) -> tuple[list[list[pd.DataFrame]], bool]:
    inner = (list, tuple, SynDS)
    if not isinstance(synthetic, (list, tuple)) or not any(
        isinstance(item, inner) for item in synthetic
    ):
        nests = nested_sets("synthetic", synthetic)
        return nests, any(len(nest) > 1 for nest in nests)
    for number, item in enumerate(synthetic, start=1):
        if not isinstance(item, inner):
            raise InputError(
                f"synthetic: element {number} is a {type(item).__name__} among lists; give m"
                " frames, or m lists of frames for a release in two stages"
            )
    return [
        synthetic_sets(f"synthetic, nest {number}", item)
        for number, item in enumerate(synthetic, start=1)
    ], True


def _check_rows(original: pd.DataFrame, frame: pd.DataFrame, argument: str) -> None:
    if len(frame) != len(original):
        raise InputError(
            f"{argument}: has {len(frame)} rows, the original {len(original)}; partially synthetic"
            " data have the original's records, one row each, in the same order"
        )
    check_labels(argument, frame.index, original)
