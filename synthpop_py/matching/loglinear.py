"""N_t by a Poisson model of the cells of the keys, with main effects only (`LogLinear`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from ..core.arrays import Integers
from ..errors import InputError
from .keys import MatchKeys
from .membership import ROOM, LogLinear
from .problem import Problem, prepare

__all__ = ["units_by_model"]


def units_by_model(problem: Problem, model: LogLinear, counts: Integers, scale: int) -> Integers:
    """n_t + mu_t (1 - f) / f times `scale`, rounded to a whole number, halves up; int64, of the
    shape of `counts`, the matches by target key and set.
    """
    sets = counts.shape[1]
    n = problem.keys.n
    share = model.share
    # in integers of any length: the product of several counts exceeds 64 bits
    product: npt.NDArray[np.object_] = np.full(counts.shape, 1, dtype=object)
    keys = 0
    for alone in _one_key_each(problem.keys):
        of_key = prepare(alone)
        of_target = of_key.targets.of_record[problem.targets.example]
        product = product * of_key.counts[of_target, :sets].astype(object)
        keys += 1
    # mu = product / n^(keys - 1); without keys everybody agrees, and mu = n
    product = product * n
    numerator = product * (share.denominator - share.numerator) * scale
    denominator = n**keys * share.numerator
    outside = (2 * numerator + denominator) // (2 * denominator)
    units = outside + counts.astype(object) * scale
    if units.size and units.max() >= ROOM:
        raise InputError(
            f"units: LogLinear({model.fraction}) expects more units of the population than can be"
            " counted in 64 bits; give a larger fraction"
        )
    whole: Integers = units.astype(np.int64)
    return whole


def _one_key_each(keys: MatchKeys) -> Iterator[MatchKeys]:
    """The same question with one key; those of a joint distance are one."""
    for exact in keys.exact:
        yield replace(keys, exact=(exact,), numeric=(), distance=None)
    for numeric in keys.numeric:
        if numeric.interval is not None:
            yield replace(keys, exact=(), numeric=(numeric,), distance=None)
    joint = tuple(key for key in keys.numeric if key.interval is None)
    if joint:
        yield replace(keys, exact=(), numeric=joint)
