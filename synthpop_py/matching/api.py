"""`identification_risk()`: who could be found in partially synthetic data."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
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
from .population import (
    LogLinear,
    as_written,
    read_population,
    read_units,
    read_weights,
    whole_amounts,
)
from .result import IdentificationRisk
from .targets import check_coarsen, read_records, split_statements

Attack = Literal["probability", "mode", "model"]
NESTS = (list, tuple, SynDS)  # what may hold the sets of one nest
MODEL_SCALE = 10**6  # N_t of a model is rounded to six decimals
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
    original, nests, two_stage = _read_release(synthetic, original)
    frames = [frame for nest in nests for frame in nest]
    columns = list(original.columns)
    known = chosen_columns("known", known, columns, "the original data")
    synthesised = chosen_columns("synthesised", synthesised, columns, "the original data")
    keys = (*known, *synthesised)
    if len(set(keys)) < len(keys):
        twice = next(name for name in synthesised if name in known)
        raise InputError(
            f"synthesised: {twice!r} is also among the known keys; a key is either released"
            " unchanged or synthesised"
        )
    for argument, names in (("known", known), ("synthesised", synthesised)):
        for name in names:
            check_in_every_set(argument, name, frames)
    asked: dict[str, Any] = {
        "known": tuple(known),
        "synthesised": tuple(synthesised),
        "attack": check_choice("attack", attack, ("probability", "mode", "model")),
        "boundary": check_choice("boundary", boundary, ("closed", "open")),
        "threshold": _threshold(threshold),
        "draws": check_whole("draws", draws, 1),
        "by": owned_values(by),
        "seed": seed,
        "models": owned_values(models),
        "parameters": owned_values(parameters),
        "restrictions": owned_values(restrictions),
        "two_stage": two_stage,
    }
    _check_model_arguments(asked, keys)
    asked |= _targets(targets, target_records, original, keys)
    asked |= _near(intervals, distance, coarsen, original, asked)
    sources = {"population": population, "weights": weights, "units": units}
    asked |= _membership(sources, fallback, abstain, original, asked)
    intruder = Intruder(asked, original, frames, [len(nest) for nest in nests])
    outcomes = intruder.attack()
    if not outcomes["highest"].any():
        who = "original record" if targets is None else "target"
        warn(
            f"synthetic: no released record matches the keys of any {who}, so a risk of 0 "
            "says nothing; check the keys, the intervals and the distance",
            DataWarning,
        )
    result = IdentificationRisk.of(intruder, outcomes, found_so_far())
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
    two_stage = isinstance(synthetic, (list, tuple)) and any(
        isinstance(item, NESTS) for item in synthetic
    )
    if two_stage:
        nests = []
        for number, item in enumerate(synthetic, start=1):
            if not isinstance(item, NESTS):
                raise InputError(
                    f"synthetic: element {number} is a {type(item).__name__} among lists; give m"
                    " frames, or m lists of frames for a release in two stages"
                )
            nests.append(synthetic_sets(f"synthetic, nest {number}", item))
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


# ---- the other arguments -------------------------------------------------------------


def _threshold(threshold: Any) -> Fraction:
    """A float means what is written, 0.3 is 3/10; a fraction stays as it is."""
    check_number("threshold", threshold, 0, 1, open_low=True, open_high=True)
    return as_written(threshold)


def _check_model_arguments(asked: Mapping[str, Any], keys: Sequence[Hashable]) -> None:
    by_models = asked["attack"] == "model"
    if by_models and (asked["models"] is None or not keys):
        raise InputError(
            "models: attack='model' needs the synthesis models the intruder knows, in the order of"
            " synthesis, and at least one key"
        )
    for name in ("models", "restrictions"):
        if not by_models and asked[name] is not None:
            raise InputError(
                f"{name}: only attack='model' uses them; the attack is {asked['attack']!r}"
            )


def _targets(
    targets: Any, target_records: Any, original: pd.DataFrame, keys: Sequence[Hashable]
) -> dict[str, Any]:
    """Who the targets are: the frame given (None where all original records are targets), its keys,
    what is known in part, and the row of the original that each target is.
    """
    if targets is None:
        if target_records is not None:
            raise InputError(
                "target_records: says which records the targets are, but there are no targets; give"
                " targets too, or leave it out: then every original record is a target"
            )
        everybody = np.arange(len(original))
        return {"given": None, "own": None, "statements": {}, "records": everybody}
    frame = check_frame(targets, "targets")
    if not len(frame):
        raise InputError("targets: has no rows; give one row per target, or leave it out")
    values, statements = split_statements(frame, keys)
    records = read_records(target_records, frame, original)
    return {"given": owned(frame), "own": values, "statements": statements, "records": records}


def _near(
    intervals: Any, distance: Any, coarsen: Any, original: pd.DataFrame, asked: Mapping[str, Any]
) -> dict[str, Any]:
    """What need not agree exactly: intervals, the distance with its columns named, and groups."""
    keys = (*asked["known"], *asked["synthesised"])
    if intervals is not None and not isinstance(intervals, Mapping):
        raise InputError(
            f"intervals: {intervals!r} is not a mapping; give keys with intervals, as in"
            " {'age': 2, 'income': Relative(0.1)}"
        )
    near = {name: interval_of(name, value) for name, value in (intervals or {}).items()}
    groups = check_coarsen(coarsen, asked["statements"])
    together: tuple[Hashable, ...] = ()
    if distance is not None:
        if not isinstance(distance, (Euclidean, Mahalanobis)):
            raise InputError(
                f"distance: {distance!r} cannot be used; give Euclidean(radius, columns) or"
                " Mahalanobis(radius, columns, covariance)"
            )
        if distance.columns is None:
            numbers = original.select_dtypes("number").columns
            free = [name for name in asked["synthesised"] if name not in near and name in numbers]
            distance = replace(distance, columns=free)
        together = tuple(distance.columns or ())
        if not together or len(set(together)) < len(together):
            raise InputError(
                "distance: no numeric synthesised key is left for it, or one is given more than"
                " once; name them, as in Euclidean(5, ['age', 'income'])"
            )
    allowed = {"intervals": keys, "distance": asked["synthesised"], "coarsen": keys}
    named = {"intervals": tuple(near), "distance": together, "coarsen": tuple(groups)}
    uses: dict[Hashable, str] = dict.fromkeys(asked["statements"], "sets or ends among the targets")
    for argument in ("distance", "intervals", "coarsen"):
        for name in named[argument]:
            if name not in allowed[argument]:
                what = "the synthesised keys" if argument == "distance" else "the keys"
                raise unknown_name(argument, name, list(allowed[argument]), what)
            if argument == "distance" or uses.get(name) in named:
                if name in uses:
                    raise InputError(
                        f"{argument}: {name!r} also has {uses[name]}; use only one of them"
                    )
            uses[name] = argument
    return {"intervals": near, "distance": distance, "coarsen": groups}


def _membership(
    sources: Mapping[str, Any],
    fallback: Any,
    abstain: Any,
    original: pd.DataFrame,
    asked: Mapping[str, Any],
) -> dict[str, Any]:
    """Where N_t comes from (`source`, None where targets are known to be in the file), amounts as
    whole numbers over `scale`, and how the intruder decides.
    """
    given = [name for name, source in sources.items() if source is not None]
    if len(given) > 1:
        raise InputError(
            f"{', '.join(given)}: give only one of them; each says how many units a record may"
            " stand for"
        )
    if check_flag("abstain", abstain) and not given:
        raise InputError(
            "abstain: needs population, weights or units; without them the target is known to be"
            " in the file"
        )
    if not isinstance(fallback, (bool, np.bool_, str)) or fallback not in FALLBACKS:
        raise InputError(
            f"fallback: {fallback!r} is unknown; choices: True (or 'known'), 'categories', False"
        )
    if fallback == "categories" and given:
        raise InputError(
            "fallback: cannot be used with population, weights or units, where a target without a"
            " match counts as outside the file; leave fallback at True"
        )
    found: dict[str, Any] = {
        "source": given[0] if given else None,
        "fallback": None if given else FALLBACKS[fallback],
        "abstain": bool(abstain),
        "population": None,
        "amounts": None,
        "scale": 1,
    }
    units = sources["units"]
    if isinstance(units, LogLinear):
        return found | {"source": "model", "model": units, "scale": MODEL_SCALE}
    if not given:
        return found
    if given == ["weights"]:
        amounts = read_weights(sources["weights"], original)
    elif given == ["units"]:
        amounts = read_units(units, original if asked["given"] is None else asked["given"])
    else:
        keys = (*asked["known"], *asked["synthesised"])
        found["population"], amounts = read_population(sources["population"], keys)
    found["amounts"], found["scale"] = whole_amounts(amounts, len(original))
    return found
