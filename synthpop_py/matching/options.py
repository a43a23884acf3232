"""The arguments of `identification_risk()`, checked once."""

from __future__ import annotations

import math
import numbers
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np
import pandas as pd

from ..arguments import check_choice, check_flag, check_whole, chosen_columns, is_number
from ..errors import InputError
from ..names import unknown_name
from .attacks import Belief, Fallback
from .distances import Distance, Euclidean, Mahalanobis
from .intervals import Boundary, Interval, interval_of
from .membership import read_population, read_weights, whole_amounts

__all__ = ["Attack", "Request", "check_request"]

Attack = Literal["probability", "mode", "model"]


@dataclass(frozen=True, slots=True, eq=False)
class Request:
    """What was asked for, in the form the rest trusts.

    Attributes
    ----------
    population : the keys of the population's rows, None where there is none.
    models, parameters, draws, restrictions : for the model-aware attack, passed on as they are.
    """

    known: tuple[Hashable, ...]
    synthesised: tuple[Hashable, ...]
    attack: Attack
    intervals: dict[Hashable, Interval]
    distance: Distance | None
    boundary: Boundary
    belief: Belief
    population: pd.DataFrame | None
    models: Any
    parameters: Any
    draws: int
    restrictions: Any


def check_request(
    original: pd.DataFrame,
    *,
    known: Any,
    synthesised: Any,
    attack: Any,
    intervals: Any,
    distance: Any,
    population: Any,
    weights: Any,
    threshold: Any,
    fallback: Any,
    boundary: Any,
    abstain: Any,
    models: Any,
    parameters: Any,
    draws: Any,
    restrictions: Any,
) -> Request:
    attack = check_choice("attack", attack, ("probability", "mode", "model"))
    boundary = check_choice("boundary", boundary, ("closed", "open"))
    known, synthesised = _keys(original, known, synthesised)
    near = _intervals(intervals, (*known, *synthesised))
    together = _distance(distance, original, synthesised, near)
    belief, people = _belief(
        original, (*known, *synthesised), population, weights, threshold, fallback, abstain
    )
    _check_model_arguments(attack, models, restrictions)
    return Request(
        known,
        synthesised,
        attack,
        near,
        together,
        boundary,
        belief,
        people,
        models,
        parameters,
        check_whole("draws", draws, 1),
        restrictions,
    )


def _keys(
    original: pd.DataFrame, known: Any, synthesised: Any
) -> tuple[tuple[Hashable, ...], tuple[Hashable, ...]]:
    columns = list(original.columns)
    names = tuple(chosen_columns("known", known, columns, "the original data"))
    replaced = tuple(chosen_columns("synthesised", synthesised, columns, "the original data"))
    both = [name for name in names if name in replaced]
    if both:
        raise InputError(
            f"synthesised: {both[0]!r} is among the known keys too; a key is either released"
            " unchanged or synthesised"
        )
    if not names and not replaced:
        raise InputError(
            "known, synthesised: no key given; an intruder must know something. Choices:"
            f" {', '.join(map(str, columns))}"
        )
    return names, replaced


def _intervals(given: Any, keys: Sequence[Hashable]) -> dict[Hashable, Interval]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise InputError(
            f"intervals: {given!r} is not a mapping; give keys with intervals, as in {{'age': 2,"
            " 'income': Relative(0.1)}"
        )
    for name in given:
        if name not in keys:
            raise unknown_name("intervals", name, list(keys), "the keys")
    return {name: interval_of(name, value) for name, value in given.items()}


def _distance(
    given: Any,
    original: pd.DataFrame,
    synthesised: Sequence[Hashable],
    intervals: Mapping[Hashable, Interval],
) -> Distance | None:
    if given is None:
        return None
    if not isinstance(given, (Euclidean, Mahalanobis)):
        raise InputError(
            f"distance: {given!r} cannot be used; give Euclidean(radius, columns) or"
            " Mahalanobis(radius, columns, covariance)"
        )
    free = [name for name in synthesised if name not in intervals and _is_number(original[name])]
    for name in given.columns or ():
        if name in intervals:
            raise InputError(
                f"distance: {name!r} has an interval of its own; a key is judged by one of the two"
            )
        if name not in synthesised:
            raise unknown_name("distance", name, list(synthesised), "the synthesised keys")
    columns = tuple(free) if given.columns is None else given.columns
    if len(set(columns)) < len(columns):
        raise InputError(
            f"distance: a column is given more than once among {', '.join(map(str, columns))}"
        )
    if not columns:
        raise InputError(
            "distance: no numeric synthesised key is left for it; name them, as in Euclidean(5,"
            " ['age', 'income'])"
        )
    return (
        Euclidean(given.radius, columns)
        if isinstance(given, Euclidean)
        else Mahalanobis(given.radius, columns, given.covariance)
    )


def _is_number(column: pd.Series) -> bool:
    return pd.api.types.is_numeric_dtype(column.dtype) and not pd.api.types.is_bool_dtype(
        column.dtype
    )


def _belief(
    original: pd.DataFrame,
    keys: Sequence[Hashable],
    population: Any,
    weights: Any,
    threshold: Any,
    fallback: Any,
    abstain: Any,
) -> tuple[Belief, pd.DataFrame | None]:
    if population is not None and weights is not None:
        raise InputError(
            "population, weights: give one of them; both say how many units a record may stand for"
        )
    in_file = population is None and weights is None
    abstain = check_flag("abstain", abstain)
    if abstain and in_file:
        raise InputError(
            "abstain: a target that is known to be in the file is never outside; it needs"
            " population or weights"
        )
    step = _fallback(fallback)
    if step == "categories" and not in_file:
        raise InputError(
            "fallback: with population or weights there is none, a target that matches nobody is"
            " taken to be outside the file; leave fallback at True"
        )
    limit = _threshold(threshold)
    if in_file:
        return Belief(limit, step, None, None, 1, False), None
    people = None
    if weights is not None:
        amounts = read_weights(weights, original)
    else:
        people, amounts = read_population(population, keys)
    whole, scale = whole_amounts(amounts, len(original))
    return (
        Belief(
            limit,
            None,
            whole if people is None else None,
            None if people is None else whole,
            scale,
            abstain,
        ),
        people,
    )


def _fallback(given: Any) -> Fallback | None:
    if isinstance(given, (bool, np.bool_)):
        return "known" if given else None
    if given in ("known", "categories"):
        fallback: Fallback = given
        return fallback
    raise InputError(
        f"fallback: {given!r} is unknown; choices: True (or 'known'), 'categories', False"
    )


def _threshold(given: Any) -> Fraction:
    """A float is taken as it is written, 0.3 as 3/10; a Fraction as it is."""
    good = is_number(given) and math.isfinite(given) and 0 < given < 1
    if not good:
        raise InputError(
            f"threshold: {given!r} is not a probability between 0 and 1, both excluded"
        )
    return Fraction(given) if isinstance(given, numbers.Rational) else Fraction(repr(float(given)))


def _check_model_arguments(attack: Attack, models: Any, restrictions: Any) -> None:
    if attack == "model" and models is None:
        raise InputError(
            "models: attack='model' needs the synthesis models the intruder knows, in the order of"
            " synthesis"
        )
    for name, value in (("models", models), ("restrictions", restrictions)):
        if attack != "model" and value is not None:
            raise InputError(f"{name}: only attack='model' uses them; the attack is {attack!r}")
