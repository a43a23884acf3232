"""`identification_risk()`: who could be found in partially synthetic data."""

from __future__ import annotations

import math
import numbers
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Literal

import numpy as np
import pandas as pd

from ..arguments import (
    check_choice,
    check_flag,
    check_whole,
    chosen_columns,
    is_number,
    random_generator,
)
from ..errors import DataWarning, InputError, found_so_far, unknown_name, warn, warning_once
from ..synds import SynDS
from ..tables.frames import AnyFrame, check_labels, owned_values
from ..tables.opening import check_original, nested_sets, synthetic_sets
from .intruders import Intruder, Release, intruder_of
from .near import Boundary, Distance, Euclidean, Interval, Mahalanobis, interval_of
from .population import LogLinear, read_population, read_units, read_weights, whole_amounts
from .result import IdentificationRisk, measures_of
from .targets import (
    Attack,
    Belief,
    Request,
    Source,
    TargetList,
    check_coarsen,
    read_targets,
)

NESTS = (list, tuple, SynDS)  # what may hold the sets of one nest
MODEL_SCALE = 10**6  # N_t of a model is rounded to six decimals
FALLBACKS = ("known", "categories")
Names = tuple[Hashable, ...]


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
    unless the intruder has targets of their own.

    Parameters
    ----------
    synthetic : SynDS, DataFrame of pandas, polars or Arrow, a list of these, or a list of lists
        The m released sets; m lists of sets, or a SynDS of `partial_synthesis` with r, for a
        release in two stages (every nest counts the same, and within it every set).
    original : DataFrame of pandas, polars or Arrow
        The confidential data: the targets, unless others are given.
    known : names or positions (from 1) of keys released unchanged; may be empty.
    synthesised : names or positions of keys whose values were replaced; may be empty. With no keys
        at all, everybody matches.
    attack : "probability" averages over the sets; "mode" treats each record's most frequent values
        as the true ones (ties drawn with `seed`); "model" is the intruder who knows the synthesis
        models.
    intervals : numeric keys that need only be near, as in ``{"age": 2, "income": Relative(0.1),
        "size": QuantileSD(20)}``; a number is a fixed radius.
    distance : `Euclidean` or `Mahalanobis`: several synthesised numeric keys compared together.
    targets : the intruder's own targets, of whom some may not be in the file: a DataFrame with one
        row per target and all keys. A cell holds a value, a set (or list) of values of which one is
        the target's, or `Between` for a number known by its ends; ``Between()`` where nothing is
        known.
    target_records : which original record each target is: a column of `targets`, or one row label
        of the original per target; missing (None) for a target who is not in the file.
    coarsen : keys that are known in groups only, in all tables alike: ``{"age": [30, 45, 60]}`` for
        bands, each beginning at a cut point, a number or a date; ``{"town": {"A": "north", "B":
        "north", "C": "south"}}`` for groups of levels.
    population : census counts by key, for targets not known to be in the file: a DataFrame of keys
        and counts (or of keys, one row per unit), a Series with keys as index, or a mapping from
        combinations (known keys first) to counts.
    weights : the same from survey weights: a column of the original or one number per record.
    units : the same as numbers: how many of the population agree with the target (N_t), one number
        for all, one per target, or a column of the targets that holds them; or `LogLinear`, a
        model.
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

    Returns
    -------
    IdentificationRisk

    Notes
    -----
    Missing is a separate level: it matches a missing value and nothing else. Numbers without an
    interval match where whole numbers are equal and fractions agree in 15 digits; a text that
    spells a number is that number. A `DataWarning` says where hardly any value of a
    released key occurs in the original: a low risk would then mean nothing. Ties and the threshold
    are decided in exact arithmetic. N_t is never taken to be below n_t. A distance that differs
    from the radius by less than 1e-12 of the numbers involved, and less than a millionth of the
    radius, is on the boundary. Targets with the same partial knowledge are attacked together: time
    grows with the number of different sets and ends, times the records.

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

    An intruder with two targets: the first record, of whom they know the sex and that the town is A
    or B, and a man from B who is not in the file. Five men of the population are from B, and eleven
    women from A or B.

    >>> knowledge = pd.DataFrame({"sex": ["f", "m"], "town": [{"A", "B"}, "B"]})
    >>> outside = identification_risk(
    ...     sets,
    ...     people,
    ...     known="sex",
    ...     synthesised="town",
    ...     targets=knowledge,
    ...     target_records=[0, None],
    ...     units=[11, 5],
    ... )
    >>> outside.records()[["highest", "c", "I", "F", "in_file"]].round(3)
            highest  c  I  F  in_file
    target
    0         0.091  2  1  0    0.182
    1         0.100  1  0  1    0.100
    """
    release = _read_release(synthetic, original)
    original = release.original
    known, synthesised = _keys(original, known, synthesised)
    keys = (*known, *synthesised)
    attack = check_choice("attack", attack, ("probability", "mode", "model"))
    boundary = check_choice("boundary", boundary, ("closed", "open"))
    near = _intervals(intervals, keys)
    own = read_targets(targets, target_records, original, keys)
    together = _distance(distance, original, synthesised, near, own)
    columns = () if together is None else together.columns or ()
    groups = check_coarsen(coarsen, keys, {*near, *columns}, own)
    sources = {"population": population, "weights": weights, "units": units}
    belief = _belief(sources, threshold, fallback, abstain)
    belief, population_keys = _with_amounts(belief, sources, original, own, keys)
    _check_model_arguments(attack, models, restrictions, keys)
    model = {
        "models": owned_values(models),
        "parameters": owned_values(parameters),
        "draws": check_whole("draws", draws, 1),
        "restrictions": owned_values(restrictions),
    }
    request = Request(
        known=known,
        synthesised=synthesised,
        attack=attack,
        intervals=near,
        distance=together,
        boundary=boundary,
        belief=belief,
        targets=own,
        coarsen=groups,
        population=population_keys,
        model=model,
    )
    intruder = intruder_of(release, request, random_generator(seed))
    result = _result(release, request, intruder, by)
    if by is not None:
        result.by(by)  # a wrong `by` is reported now, not when the result is shown
    return result


def _result(release: Release, request: Request, intruder: Intruder, by: Any) -> IdentificationRisk:
    """What the intruder achieves with all released sets."""
    seen = intruder.look(len(release.nests))
    outcomes = seen.attack()
    if not outcomes.highest.any():
        who = "original record" if request.targets is None else "target"
        warn(
            f"synthetic: no released record matches the keys of any {who}, so a risk of 0 "
            "says nothing; check the keys, the intervals and the distance",
            DataWarning,
        )
    targets = request.targets
    return IdentificationRisk(
        **measures_of(outcomes),
        n=len(outcomes.c),
        targets_in_file=int((intruder.keys.records >= 0).sum()),
        m=len(release.nests),
        sets=len(release.frames),
        r=release.nests if release.two_stage else None,
        attack=request.attack,
        known=request.known,
        synthesised=request.synthesised,
        threshold=float(request.belief.threshold),
        notes=found_so_far(),
        _by=owned_values(by),
        _outcomes=outcomes,
        _request=request,
        _original=intruder.release.original,
        _targets=intruder.release.original if targets is None else targets.given,
        _intruder=intruder,
        _seen=seen,
    )


# ---- the release ---------------------------------------------------------------------


def _read_release(synthetic: Any, original: Any) -> Release:
    """Check that synthetic and original data are frames of the same records in the same order."""
    original = check_original(original, "original")
    if not len(original):
        raise InputError("original: has no rows, so there is nobody to find")
    several = isinstance(synthetic, (list, tuple))
    if several and any(isinstance(item, NESTS) for item in synthetic):
        for number, item in enumerate(synthetic, start=1):
            if not isinstance(item, NESTS):
                raise InputError(
                    f"synthetic: element {number} is a {type(item).__name__} among lists; give m"
                    " frames, or m lists of frames for a release in two stages"
                )
        named = enumerate(synthetic, start=1)
        nests = [synthetic_sets(f"synthetic, nest {number}", item) for number, item in named]
        two_stage = True
    else:
        nests = nested_sets("synthetic", synthetic)
        two_stage = any(len(nest) > 1 for nest in nests)
    frames = tuple(frame for nest in nests for frame in nest)
    for number, frame in enumerate(frames, start=1):
        argument = "synthetic" if len(frames) == 1 else f"synthetic, set {number}"
        if len(frame) != len(original):
            raise InputError(
                f"{argument}: has {len(frame)} rows, the original {len(original)}; partially"
                " synthetic data have the original's records, one row each, in the same order"
            )
        check_labels(argument, frame.index, original)
    return Release(original, frames, tuple(map(len, nests)), two_stage)


# ---- the other arguments -------------------------------------------------------------


def _keys(original: pd.DataFrame, known: Any, synthesised: Any) -> tuple[Names, Names]:
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


def _intervals(intervals: Any, keys: Names) -> dict[Hashable, Interval]:
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
    synthesised: Names,
    intervals: Mapping[Hashable, Interval],
    targets: TargetList | None,
) -> Distance | None:
    """The distance with its columns named; it needs numbers."""
    if distance is None:
        return None
    if not isinstance(distance, (Euclidean, Mahalanobis)):
        raise InputError(
            f"distance: {distance!r} cannot be used; give Euclidean(radius, columns) or"
            " Mahalanobis(radius, columns, covariance)"
        )
    columns = distance.columns
    if columns is None:
        free = [name for name in synthesised if name not in intervals]
        numbers_alone = original[free].select_dtypes("number").columns
        columns = tuple(name for name in free if name in numbers_alone)
    for name in columns:
        if name in intervals:
            raise InputError(
                f"distance: {name!r} also has an interval; use only one of the two for a key"
            )
        if name not in synthesised:
            raise unknown_name("distance", name, list(synthesised), "the synthesised keys")
        if targets is not None and name in targets.statements:
            raise InputError(
                f"targets: {name!r} is part of the distance, which needs a number for every "
                "target; give numbers, or take the key out of the distance: Between(...) and "
                "sets are compared separately"
            )
    if len(set(columns)) < len(columns):
        names = ", ".join(map(str, columns))
        raise InputError(f"distance: a column is given more than once among {names}")
    if not columns:
        raise InputError(
            "distance: no numeric synthesised key is left for it; name them, as in Euclidean(5,"
            " ['age', 'income'])"
        )
    return replace(distance, columns=columns)


def _belief(sources: Mapping[str, Any], threshold: Any, fallback: Any, abstain: Any) -> Belief:
    """How the intruder decides; the amounts of a population are still to come."""
    given = [name for name, source in sources.items() if source is not None]
    if len(given) > 1:
        raise InputError(
            f"{', '.join(given)}: give only one of them; each says how many units a record "
            "may stand for"
        )
    abstains = check_flag("abstain", abstain)
    if abstains and not given:
        raise InputError(
            "abstain: needs population, weights or units; without them the target is known "
            "to be in the file"
        )
    is_flag = isinstance(fallback, (bool, np.bool_))
    if not is_flag and not (isinstance(fallback, str) and fallback in FALLBACKS):
        raise InputError(
            f"fallback: {fallback!r} is unknown; choices: True (or 'known'), 'categories', False"
        )
    step = fallback
    if is_flag:
        step = "known" if fallback else None
    if step == "categories" and given:
        raise InputError(
            "fallback: cannot be used with population, weights or units, where a target "
            "without a match counts as outside the file; leave fallback at True"
        )
    if not (is_number(threshold) and math.isfinite(threshold) and 0 < threshold < 1):
        raise InputError(
            f"threshold: {threshold!r} is not a probability between 0 and 1, both excluded"
        )
    # a float means what is written, 0.3 is 3/10; a fraction stays as it is
    is_exact = isinstance(threshold, numbers.Rational)
    limit = Fraction(threshold) if is_exact else Fraction(repr(float(threshold)))
    return Belief(limit, None if given else step, abstain=abstains)


def _with_amounts(
    belief: Belief,
    sources: Mapping[str, Any],
    original: pd.DataFrame,
    targets: TargetList | None,
    keys: Names,
) -> tuple[Belief, pd.DataFrame | None]:
    """With what says how many units a record may stand for, and the keys of the population."""
    population, weights, units = (sources[name] for name in ("population", "weights", "units"))
    if isinstance(units, LogLinear):
        return replace(belief, source="model", model=units, scale=MODEL_SCALE), None
    source: Source
    frame = None
    if weights is not None:
        source, amounts = "weights", read_weights(weights, original)
    elif population is not None:
        source = "population"
        frame, amounts = read_population(population, keys)
    elif units is not None:
        source = "units"
        amounts = read_units(units, original if targets is None else targets.given)
    else:
        return belief, None
    whole, scale = whole_amounts(amounts, len(original))
    return replace(belief, source=source, amounts=whole, scale=scale), frame


def _check_model_arguments(attack: Attack, models: Any, restrictions: Any, keys: Names) -> None:
    if attack == "model" and not keys:
        raise InputError(
            "attack: 'model' draws values of synthesised keys, but no key is given; for "
            "an intruder who knows no keys, leave attack at 'probability'"
        )
    if attack == "model" and models is None:
        raise InputError(
            "models: attack='model' needs the synthesis models the intruder knows, in the"
            " order of synthesis"
        )
    for name, value in (("models", models), ("restrictions", restrictions)):
        if attack != "model" and value is not None:
            raise InputError(f"{name}: only attack='model' uses them; the attack is {attack!r}")
