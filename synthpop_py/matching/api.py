"""`identification_risk()`: who could be found in partially synthetic data."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any, Literal

import numpy as np
import pandas as pd

from ..arguments import (
    check_choice,
    check_flag,
    check_in_every_set,
    check_number,
    check_whole,
    chosen_columns,
)
from ..errors import DataWarning, InputError, found_so_far, unknown_name, warn, warning_once
from ..synds import SynDS
from ..tables.frames import AnyFrame, check_labels, owned, owned_values
from ..tables.opening import check_frame, check_original, nested_sets, synthetic_sets
from .intruders import Intruder
from .near import Boundary, Distance, Euclidean, Mahalanobis, interval_of
from .result import IdentificationRisk
from .targets import Between, as_written, read_amounts, read_records, split_statements

Attack = Literal["probability", "mode", "model"]
FALLBACKS = {True: "known", False: None, "known": "known", "categories": "categories"}


@warning_once
def identification_risk(
    synthetic: AnyFrame | SynDS | Sequence[AnyFrame] | Sequence[Sequence[AnyFrame]],
    original: AnyFrame,
    *,
    known: Any,
    synthesised: Any,
    attack: Attack = "probability",
    intervals: Mapping[Any, Any] | None = None,
    distance: Distance | None = None,
    targets: AnyFrame | None = None,
    target_records: Any = None,
    coarsen: Mapping[Any, Any] | None = None,
    population: Any = None,
    weights: Any = None,
    units: Any = None,
    threshold: float | Fraction = 0.2,
    fallback: bool | Literal["known", "categories"] = True,
    boundary: Boundary = "closed",
    abstain: bool = False,
    by: Any = None,
    seed: Any = None,
    models: Any = None,
    parameters: Any = "fixed",
    draws: int = 100,
    restrictions: Any = None,
) -> IdentificationRisk:
    """Risk that an intruder finds original records in partially synthetic data (Reiter and Mitra;
    Drechsler and Reiter).

    Partially synthetic data have the original's records, row for row, with some values replaced.
    The intruder knows the true keys of a target and asks which released record is theirs. In each
    released set, the records that agree with the target on all keys share the probability equally,
    1 / n_t; probabilities are averaged over the sets. Every original record is a target in turn,
    unless the intruder has targets of their own. Ties and the threshold are decided exactly.

    Parameters
    ----------
    synthetic : SynDS, DataFrame of pandas, polars or Arrow, a list of these, or a list of lists
        The m released sets; m lists of sets, or a SynDS of `partial_synthesis` with r, for a
        release in two stages (every nest counts the same, and within it every set).
    original : DataFrame of pandas, polars or Arrow
        The confidential data: the targets, unless others are given.
    known, synthesised : names or positions (from 1) of the keys released unchanged, and of those
        whose values were replaced; either may be empty. With no keys at all, everybody matches.
    attack : "probability" averages over the sets; "mode" treats each record's most frequent values
        as the true ones (ties drawn with `seed`); "model" is the intruder who knows the synthesis
        models.
    intervals : numeric keys that need only be near, as in ``{"age": 2, "income": Relative(0.1),
        "size": QuantileSD(20)}``; a number is a fixed radius.
    distance : `Euclidean` or `Mahalanobis`: several synthesised numeric keys compared together.
    targets : the intruder's own targets: a DataFrame with one row per target and all keys. A cell
        holds a value, a set (or list) of values of which one is the target's, or `Between` for a
        number known by its ends; ``Between()`` where nothing is known.
    target_records : which original record each target is: a column of `targets`, or one row label
        of the original per target; missing (None) for a target who is not in the file.
    coarsen : keys that are known in groups only, in all tables alike: cut points that begin bands,
        ``{"age": [30, 45, 60]}``, or groups of levels, ``{"town": {"A": "north", "B": "south"}}``.
    population : census counts by key, for targets not known to be in the file: a DataFrame of keys
        and counts (or of keys, one row per unit), a Series with keys as index, or a mapping from
        combinations (known keys first) to counts.
    weights : the same from survey weights: a column of the original or one number per record.
    units : the same as numbers (N_t, how many of the population agree with the target): one for
        all, one per target, or a column of the targets; or `LogLinear`, a model.
    threshold : the perceived risk counts targets whose highest probability is above it. A float is
        read as it is written (0.3 is 3/10).
    fallback : if no record of a set matches. True: all records that agree on the known keys share
        the probability. "categories": first those that agree on all exact keys (Drechsler and
        Reiter: the industry), then on the known ones. False: no record has any. There is no
        fallback with `population`, `weights` or `units`.
    boundary : whether a value exactly at the radius matches ("closed") or not ("open").
    abstain : with `population`, `weights` or `units`: the intruder names no record for a target who
        is at least as likely to be outside the file as to be any one record.
    by : subgroups to show, as for `IdentificationRisk.by`.
    seed : for ties of the mode attack and the draws of the model attack.
    models, parameters, draws, restrictions : for attack="model": see `SynthesisModel`.

    Examples
    --------
    Four people; sex is released unchanged, town was replaced, twice. Take the first, f in A. In set
    1 records 1 and 3 are f in A: 1/2 each. In set 2 only record 3 is: 1. The averages are 1/4 for
    record 1 and 3/4 for record 3, so the intruder names record 3, and is wrong.

    >>> import pandas as pd
    >>> from synthpop_py.matching import identification_risk
    >>> people = pd.DataFrame({"sex": ["f", "m", "f", "m"], "town": ["A", "A", "B", "B"]})
    >>> sets = [people.assign(town=towns) for towns in (["A", "A", "A", "B"], ["B", "A", "A", "A"])]
    >>> risk = identification_risk(sets, people, known="sex", synthesised="town")
    >>> risk.records()[["highest", "c", "I", "K", "F"]]
            highest  c  I  K  F
    record
    0          0.75  1  0  0  1
    1          0.75  1  1  1  0
    2          0.75  1  0  0  1
    3          0.75  1  1  1  0
    >>> risk.perceived, risk.expected, risk.true, risk.false
    (4, 2.0, 2, 2)
    """
    asked = SimpleNamespace(attack=attack, boundary=boundary, by=by, seed=seed, models=models)
    check_choice("attack", attack, ("probability", "mode", "model"))
    check_choice("boundary", boundary, ("closed", "open"))
    asked.original, asked.nests, asked.two_stage = _read_release(synthetic, original)
    _read_keys(asked, known, synthesised)
    check_number("threshold", threshold, 0, 1, open_low=True, open_high=True)
    asked.threshold, asked.draws = as_written(threshold), check_whole("draws", draws, 1)
    asked.parameters, asked.restrictions = parameters, restrictions
    _check_models(asked)
    _read_targets(asked, targets, target_records)
    _read_near(asked, intervals, distance, coarsen)
    sources = {"population": population, "weights": weights, "units": units}
    _read_membership(asked, sources, fallback, abstain)
    intruder = Intruder(asked)
    outcomes = intruder.attack()
    if not outcomes["highest"].any():
        who = "original record" if targets is None else "target"
        warn(
            f"synthetic: no released record matches the keys of any {who}, so a risk of 0 "
            "says nothing; check the keys, the intervals and the distance",
            DataWarning,
        )
    result = IdentificationRisk._of(intruder, outcomes, found_so_far())
    if by is not None:
        result.by(by)  # a wrong `by` is reported now, not when the result is shown
    return result


def _read_release(
    synthetic: Any, original: Any
) -> tuple[pd.DataFrame, list[list[pd.DataFrame]], bool]:
    """The original, the nests of released sets, and whether the release is in two stages: frames of
    the same records in the same order.
    """
    original = check_original(original, "original")
    if not len(original):
        raise InputError("original: has no rows, so there is nobody to find")
    several = synthetic if isinstance(synthetic, (list, tuple)) else []
    if any(isinstance(item, (list, tuple, SynDS)) for item in several):
        named = enumerate(synthetic, start=1)
        nests = [synthetic_sets(f"synthetic, nest {number}", item) for number, item in named]
        two_stage = True
    else:
        nests = nested_sets("synthetic", synthetic)
        two_stage = any(len(nest) > 1 for nest in nests)
    frames = [frame for nest in nests for frame in nest]
    for number, frame in enumerate(frames, start=1):
        argument = "synthetic" if len(frames) == 1 else f"synthetic, set {number}"
        if len(frame) != len(original):
            raise InputError(
                f"{argument}: has {len(frame)} rows, the original {len(original)}; partially"
                " synthetic data have the original's records, one row each, in the same order"
            )
        check_labels(argument, frame.index, original)
    return original, nests, two_stage


def _read_keys(asked: SimpleNamespace, known: Any, synthesised: Any) -> None:
    columns = list(asked.original.columns)
    frames = [frame for nest in asked.nests for frame in nest]
    for argument, given in (("known", known), ("synthesised", synthesised)):
        names = tuple(chosen_columns(argument, given, columns, "the original data"))
        for name in names:
            check_in_every_set(argument, name, frames)
        setattr(asked, argument, names)
    twice = [name for name in asked.synthesised if name in asked.known]
    if twice:
        raise InputError(
            f"synthesised: {twice[0]!r} is also among the known keys; a key is either released"
            " unchanged or synthesised"
        )
    asked.keys = (*asked.known, *asked.synthesised)


def _check_models(asked: SimpleNamespace) -> None:
    by_models = asked.attack == "model"
    if by_models and (asked.models is None or not asked.keys):
        raise InputError(
            "models: attack='model' needs the synthesis models the intruder knows, in the order of"
            " synthesis, and at least one key"
        )
    for name in ("models", "restrictions"):
        given = getattr(asked, name)
        if given is not None and not by_models:
            raise InputError(
                f"{name}: only attack='model' uses them; the attack is {asked.attack!r}"
            )
    for name in ("models", "parameters", "restrictions", "by"):
        setattr(asked, name, owned_values(getattr(asked, name)))


def _read_targets(asked: SimpleNamespace, targets: Any, target_records: Any) -> None:
    """The frame `given` (None where all original records are targets), the `values` of its keys,
    `statements` where keys are known in part, and the row of the original that each target is.
    """
    original = asked.original
    if targets is None:
        if target_records is not None:
            raise InputError(
                "target_records: says which records the targets are, but there are no targets; give"
                " targets too, or leave it out: then every original record is a target"
            )
        asked.given, asked.values, asked.statements = None, original, {}
        asked.records = np.arange(len(original))
        return
    asked.given = owned(check_frame(targets, "targets"))
    if not len(asked.given):
        raise InputError("targets: has no rows; give one row per target, or leave it out")
    asked.values, asked.statements = split_statements(asked.given, asked.keys)
    asked.records = read_records(target_records, asked.given, original)


def _read_near(asked: SimpleNamespace, intervals: Any, distance: Any, coarsen: Any) -> None:
    """What need not agree exactly: intervals, the distance with its columns named, and groups."""
    for argument, given in (("intervals", intervals), ("coarsen", coarsen)):
        if given is not None and not isinstance(given, Mapping):
            raise InputError(
                f"{argument}: {given!r} is not a mapping; give keys, as in {{'age': 2}} for"
                " intervals, and {'age': [30, 45]} or {'town': {'A': 'north', 'B': 'south'}} to"
                " coarsen"
            )
    _check_names("intervals", intervals or {}, asked.keys, "the keys")
    near = {name: interval_of(name, value) for name, value in (intervals or {}).items()}
    together: Sequence[Hashable] = ()
    if distance is not None:
        if not isinstance(distance, (Euclidean, Mahalanobis)):
            raise InputError(
                f"distance: {distance!r} cannot be used; give Euclidean(radius, columns) or"
                " Mahalanobis(radius, columns, covariance)"
            )
        taken = {*near, *asked.statements}
        free = [name for name in asked.synthesised if name not in taken]
        numbers = asked.original[free].select_dtypes("number").columns
        together = tuple(numbers) if distance.columns is None else distance.columns
        what = "the synthesised keys that targets have values of, without an interval"
        _check_names("distance", together, free, what)
        if not together or len(set(together)) < len(together):
            raise InputError(
                "distance: no numeric synthesised key is left for it, or one is given more than"
                " once; name them, as in Euclidean(5, ['age', 'income'])"
            )
        distance = replace(distance, columns=together)
    by_ends = []
    for name, (_, statements) in asked.statements.items():
        if any(isinstance(one, Between) and not one.says_nothing for one in statements):
            by_ends.append(name)
    free = [name for name in asked.keys if name not in {*near, *together, *by_ends}]
    what = "the keys that have no interval, no part in the distance, and no Between(...)"
    _check_names("coarsen", coarsen or {}, free, what)
    asked.intervals, asked.distance, asked.together = near, distance, together
    asked.coarsen = owned_values(dict(coarsen or {}))


def _check_names(argument: str, names: Any, allowed: Sequence[Hashable], what: str) -> None:
    for name in names:
        if name not in allowed:
            raise unknown_name(argument, name, list(allowed), what)


def _read_membership(
    asked: SimpleNamespace, sources: Mapping[str, Any], fallback: Any, abstain: Any
) -> None:
    """Where N_t comes from (`source`, None where targets are known to be in the file), `amounts` as
    whole numbers over `scale`, and how the intruder decides.
    """
    given = [name for name, source in sources.items() if source is not None]
    if len(given) > 1:
        raise InputError(
            f"{', '.join(given)}: give only one of them; each says how many units a record may"
            " stand for"
        )
    asked.abstain = check_flag("abstain", abstain)
    if asked.abstain and not given:
        raise InputError(
            "abstain: needs population, weights or units; without them the target is known to be"
            " in the file"
        )
    if not isinstance(fallback, (bool, np.bool_, str)) or fallback not in FALLBACKS:
        raise InputError(
            f"fallback: {fallback!r} is unknown; choices: True (or 'known'), 'categories', False"
        )
    asked.fallback = FALLBACKS[fallback]
    if asked.fallback == "categories" and given:
        raise InputError(
            "fallback: cannot be used with population, weights or units, where a target without a"
            " match counts as outside the file; leave fallback at True"
        )
    asked.source = asked.population = asked.amounts = None
    asked.scale = 1
    if given:
        asked.source, asked.fallback = given[0], None
        read_amounts(asked, sources[asked.source])
