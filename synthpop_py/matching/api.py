"""`identification_risk()`: who could be found in partially synthetic data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal

from ..arguments import random_generator
from ..errors import DataWarning, found_so_far, warn, warning_once
from ..synds import SynDS
from ..tables.frames import AnyFrame, owned_values
from .distances import Distance
from .effort import MOST_PAIRS
from .intervals import Boundary
from .intruders import Intruder, intruder_of
from .options import Attack, AttackRequest, check_request
from .release import ReleasedSets, read_release
from .result import IdentificationRisk, measures_of

__all__ = ["identification_risk"]


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
    most_pairs: int = MOST_PAIRS,
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
    most_pairs : the most pairs of a target and a record to check one by one; more are refused.
        Exact keys and intervals hardly ever need this; a distance does, and many sets with
        intervals (a `SlowWarning` gives their number).

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
    release = read_release(synthetic, original)
    request = check_request(
        release.original,
        known=known,
        synthesised=synthesised,
        attack=attack,
        intervals=intervals,
        distance=distance,
        targets=targets,
        target_records=target_records,
        coarsen=coarsen,
        population=population,
        weights=weights,
        units=units,
        threshold=threshold,
        fallback=fallback,
        boundary=boundary,
        abstain=abstain,
        models=models,
        parameters=parameters,
        draws=draws,
        restrictions=restrictions,
        most_pairs=most_pairs,
    )
    intruder = intruder_of(release, request, random_generator(seed))
    result = _result(release, request, intruder, by)
    if by is not None:
        result.by(by)  # a wrong `by` is reported now, not when the result is shown
    return result


def _result(
    release: ReleasedSets, request: AttackRequest, intruder: Intruder, by: Any
) -> IdentificationRisk:
    """What the intruder achieves with all released sets."""
    outcomes, seen = intruder.attack(len(release.nests))
    measures = measures_of(outcomes)
    if not outcomes.highest.any():
        who = "original record" if request.targets is None else "target"
        warn(
            f"synthetic: no released record matches the keys of any {who}, so a risk of 0 "
            "says nothing; check the keys, the intervals and the distance",
            DataWarning,
        )
    kept = intruder.release
    targets = request.targets
    return IdentificationRisk(
        n=measures.n,
        targets_in_file=measures.n if targets is None else int((targets.records >= 0).sum()),
        **measures.as_row(),
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
        _release=kept,
        _targets=kept.original if targets is None else targets.given,
        _intruder=intruder,
        _seen=seen,
    )
