"""The arguments of `identification_risk()`, checked once."""

from __future__ import annotations

import math
import numbers
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal

import numpy as np
import pandas as pd

from ..arguments import check_choice, check_flag, check_whole, chosen_columns, is_number
from ..core.arrays import Floats
from ..errors import InputError, unknown_name
from ..tables.frames import owned_values
from .belief import Belief, Fallback
from .coarsening import check_coarsen
from .distances import Distance, Euclidean, Mahalanobis
from .intervals import Boundary, Interval, interval_of
from .knowledge import TargetList, read_targets
from .membership import LogLinear, read_population, read_units, read_weights, whole_amounts

__all__ = ["Attack", "AttackRequest", "check_request"]

Attack = Literal["probability", "mode", "model"]
MODEL_SCALE = 10**6  # N_t of a model is rounded to six decimals


@dataclass(frozen=True, slots=True, eq=False)
class AttackRequest:
    """The checked arguments, in the form the rest trusts.

    Attributes
    ----------
    targets : the intruder's own; None where every original record is one.
    coarsen : groups of values by key: a mapping of levels, or cut points.
    population : the keys of the population's rows, None where there is none.
    models, parameters, draws, restrictions : for the model-aware attack, which reads them.
    most_pairs : how many pairs of target and record may be checked one by one.
    """

    known: tuple[Hashable, ...]
    synthesised: tuple[Hashable, ...]
    attack: Attack
    intervals: dict[Hashable, Interval]
    distance: Distance | None
    boundary: Boundary
    belief: Belief
    targets: TargetList | None
    coarsen: dict[Hashable, Any]
    population: pd.DataFrame | None
    models: Any
    parameters: Any
    draws: int
    restrictions: Any
    most_pairs: int


def check_request(
    original: pd.DataFrame,
    *,
    known: Any,
    synthesised: Any,
    attack: Any,
    intervals: Any,
    distance: Any,
    targets: Any,
    target_records: Any,
    coarsen: Any,
    population: Any,
    weights: Any,
    units: Any,
    threshold: Any,
    fallback: Any,
    boundary: Any,
    abstain: Any,
    models: Any,
    parameters: Any,
    draws: Any,
    restrictions: Any,
    most_pairs: Any,
) -> AttackRequest:
    """The arguments in the form the rest trusts, or an `InputError` that names the wrong one."""
    attack = check_choice("attack", attack, ("probability", "mode", "model"))
    boundary = check_choice("boundary", boundary, ("closed", "open"))
    known, synthesised = _keys(original, known, synthesised)
    keys = (*known, *synthesised)
    near = _intervals(intervals, keys)
    together = _distance(distance, original, synthesised, near)
    judged_together = () if together is None else together.columns or ()
    own_targets = read_targets(targets, target_records, original, keys)
    _check_distance_of_targets(judged_together, own_targets)
    groups = check_coarsen(coarsen, keys, {*near, *judged_together}, own_targets)
    in_file = _known_to_be_in_file(population=population, weights=weights, units=units)
    belief = _belief(in_file, threshold=threshold, fallback=fallback, abstain=abstain)
    population_keys = None
    if weights is not None:
        belief = _with_weights(belief, weights, original)
    elif population is not None:
        population_keys, counts = read_population(population, keys)
        belief = _with_population(belief, counts, len(original))
    elif isinstance(units, LogLinear):
        belief = replace(belief, model=units, scale=MODEL_SCALE)
    elif units is not None:
        whole, scale = whole_amounts(read_units(units, original, own_targets), len(original))
        belief = replace(belief, units=whole, scale=scale)
    _check_model_arguments(attack, models, restrictions, keys)
    return AttackRequest(
        known=known,
        synthesised=synthesised,
        attack=attack,
        intervals=near,
        distance=together,
        boundary=boundary,
        belief=belief,
        targets=own_targets,
        coarsen=groups,
        population=population_keys,
        models=owned_values(models),
        parameters=owned_values(parameters),
        draws=check_whole("draws", draws, 1),
        restrictions=owned_values(restrictions),
        most_pairs=check_whole("most_pairs", most_pairs, 1),
    )


def _keys(
    original: pd.DataFrame, known: Any, synthesised: Any
) -> tuple[tuple[Hashable, ...], tuple[Hashable, ...]]:
    """The names of the known and of the synthesised keys."""
    columns = list(original.columns)
    unchanged = tuple(chosen_columns("known", known, columns, "the original data"))
    replaced = tuple(chosen_columns("synthesised", synthesised, columns, "the original data"))
    for name in unchanged:
        if name in replaced:
            raise InputError(
                f"synthesised: {name!r} is also among the known keys; a key is either "
                "released unchanged or synthesised"
            )
    return unchanged, replaced


def _intervals(intervals: Any, keys: Sequence[Hashable]) -> dict[Hashable, Interval]:
    if intervals is None:
        return {}
    if not isinstance(intervals, Mapping):
        raise InputError(
            f"intervals: {intervals!r} is not a mapping; give keys with intervals, as in"
            " {'age': 2, 'income': Relative(0.1)}"
        )
    for name in intervals:
        if name not in keys:
            raise unknown_name("intervals", name, list(keys), "the keys")
    return {name: interval_of(name, value) for name, value in intervals.items()}


def _distance(
    distance: Any,
    original: pd.DataFrame,
    synthesised: Sequence[Hashable],
    intervals: Mapping[Hashable, Interval],
) -> Distance | None:
    """The distance with its columns named."""
    if distance is None:
        return None
    if not isinstance(distance, (Euclidean, Mahalanobis)):
        raise InputError(
            f"distance: {distance!r} cannot be used; give Euclidean(radius, columns) or"
            " Mahalanobis(radius, columns, covariance)"
        )
    columns = distance.columns
    if columns is None:
        columns = _numbers_without_interval(original, synthesised, intervals)
    else:
        _check_distance_columns(columns, synthesised, intervals)
    if not columns:
        raise InputError(
            "distance: no numeric synthesised key is left for it; name them, as in Euclidean(5,"
            " ['age', 'income'])"
        )
    if isinstance(distance, Euclidean):
        return Euclidean(distance.radius, columns)
    return Mahalanobis(distance.radius, columns, distance.covariance)


def _check_distance_columns(
    columns: Sequence[Hashable],
    synthesised: Sequence[Hashable],
    intervals: Mapping[Hashable, Interval],
) -> None:
    for name in columns:
        if name in intervals:
            raise InputError(
                f"distance: {name!r} also has an interval; use only one of the two for a key"
            )
        if name not in synthesised:
            raise unknown_name("distance", name, list(synthesised), "the synthesised keys")
    if len(set(columns)) < len(columns):
        names = ", ".join(map(str, columns))
        raise InputError(f"distance: a column is given more than once among {names}")


def _numbers_without_interval(
    original: pd.DataFrame,
    synthesised: Sequence[Hashable],
    intervals: Mapping[Hashable, Interval],
) -> tuple[Hashable, ...]:
    """Synthesised numeric keys without an interval."""
    without = [name for name in synthesised if name not in intervals]
    return tuple(name for name in without if _is_number(original[name]))


def _is_number(column: pd.Series) -> bool:
    if pd.api.types.is_bool_dtype(column.dtype):
        return False
    return bool(pd.api.types.is_numeric_dtype(column.dtype))


def _check_distance_of_targets(columns: Sequence[Hashable], targets: TargetList | None) -> None:
    """A distance needs numbers."""
    if targets is None:
        return
    for name in columns:
        if name in targets.statements:
            raise InputError(
                f"targets: {name!r} is part of the distance, which needs a number for every "
                "target; give numbers, or take the key out of the distance: Between(...) and "
                "sets are compared separately"
            )


def _known_to_be_in_file(**sources: Any) -> bool:
    given = [name for name, source in sources.items() if source is not None]
    if len(given) > 1:
        raise InputError(
            f"{', '.join(given)}: give only one of them; each says how many units a record "
            "may stand for"
        )
    return not given


def _belief(in_file: bool, *, threshold: Any, fallback: Any, abstain: Any) -> Belief:
    """How the intruder decides; the amounts of a population are still to come."""
    abstains = check_flag("abstain", abstain)
    if abstains and in_file:
        raise InputError(
            "abstain: needs population, weights or units; without them the target is known "
            "to be in the file"
        )
    step = _fallback(fallback)
    if step == "categories" and not in_file:
        raise InputError(
            "fallback: cannot be used with population, weights or units, where a target "
            "without a match counts as outside the file; leave fallback at True"
        )
    # a target without a match counts as outside the file
    if not in_file:
        step = None
    return Belief(threshold=_threshold(threshold), fallback=step, abstain=abstains)


def _with_weights(belief: Belief, weights: Any, original: pd.DataFrame) -> Belief:
    amounts = read_weights(weights, original)
    whole, scale = whole_amounts(amounts, len(original))
    return replace(belief, weights=whole, scale=scale)


def _with_population(belief: Belief, counts: Floats, n: int) -> Belief:
    whole, scale = whole_amounts(counts, n)
    return replace(belief, population=whole, scale=scale)


def _fallback(fallback: Any) -> Fallback | None:
    if isinstance(fallback, (bool, np.bool_)):
        return "known" if fallback else None
    if fallback == "known":
        return "known"
    if fallback == "categories":
        return "categories"
    raise InputError(
        f"fallback: {fallback!r} is unknown; choices: True (or 'known'), 'categories', False"
    )


def _threshold(threshold: Any) -> Fraction:
    """A float means what is written, 0.3 is 3/10; a Fraction stays as it is."""
    good = is_number(threshold) and math.isfinite(threshold) and 0 < threshold < 1
    if not good:
        raise InputError(
            f"threshold: {threshold!r} is not a probability between 0 and 1, both excluded"
        )
    if isinstance(threshold, numbers.Rational):
        return Fraction(threshold)
    return Fraction(repr(float(threshold)))


def _check_model_arguments(
    attack: Attack, models: Any, restrictions: Any, keys: Sequence[Hashable]
) -> None:
    if attack == "model":
        if not keys:
            raise InputError(
                "attack: 'model' draws values of synthesised keys, but no key is given; for "
                "an intruder who knows no keys, leave attack at 'probability'"
            )
        if models is None:
            raise InputError(
                "models: attack='model' needs the synthesis models the intruder knows, in the"
                " order of synthesis"
            )
        return
    for name, value in (("models", models), ("restrictions", restrictions)):
        if value is not None:
            raise InputError(f"{name}: only attack='model' uses them; the attack is {attack!r}")
