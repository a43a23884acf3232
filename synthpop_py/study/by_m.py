"""Risk and utility as more synthetic sets are released: the study of Drechsler and Reiter (2009) on
data of one's own.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import check_number, check_whole, listed, random_generator
from ..core.arrays import Flags, Floats, Integers
from ..errors import InputError
from ..estimation.evaluation import Estimands, read_estimands
from ..estimation.overlap import overlap_table
from ..matching.api import identification_risk
from ..matching.result import IdentificationRisk
from ..names import argument_names
from ..spellings import r_names_too
from ..synds import SynDS
from ..synthesis.models import SynthesisModel
from ..synthesis.partial import Posterior, fit_models, partial_synthesis
from ..tables.opening import check_original, nested_sets, out_of_order, synthetic_sets
from .result import ALL, MEASURES, RiskUtilityByM

__all__ = ["risk_utility_by_m"]

Design = tuple[int, int]
MakeSets = Callable[[int, int, np.random.Generator], Sequence[pd.DataFrame]]


@r_names_too(*argument_names(identification_risk))
def risk_utility_by_m(
    synthetic: Any,
    original: pd.DataFrame,
    estimands: Any,
    *,
    known: Any = (),
    synthesised: Any = None,
    designs: Any = (2, 3, 5, 10),
    first_stage: Any = None,
    replicates: int = 1,
    level: float = 0.95,
    groups: Mapping[str, Any] | None = None,
    seed: Any = None,
    **risk: Any,
) -> RiskUtilityByM:
    """How identification risk and usefulness change with the number of synthetic sets that are
    released.

    For each design and replicate, sets are synthesised, `identification_risk` is measured, every
    estimand is estimated from each set and combined, and its confidence interval is compared with
    that from the original data (`ci_overlap`, averaged over estimands).

    Parameters
    ----------
    synthetic : how sets are made. Synthesis models in order (or what `fit_models` made of them):
        sets come from `partial_synthesis`. A function ``(m, r, rng)`` that returns m times r
        frames, nest after nest. Or sets that exist already (SynDS or list of frames): then m is how
        many of them, from the first on, are released, and there is one replicate. Of a SynDS in two
        stages (`partial_synthesis` with r) the first r sets of each of the first m nests are. By
        name also ``object=``.
    original : DataFrame
        The original data. By name also ``data=``.
    estimands : one or several functions of a frame that return estimates and variances ``(q, v)``,
        such as `Means`, `Proportions` and `Regression`; a mapping gives them names.
    known, synthesised : keys as for `identification_risk`. `synthesised` is by default every
        response of the models.
    designs : what is released: m, or (m, r) for m nests of r sets.
    first_stage : responses drawn once per nest, for two-stage designs with models.
    replicates : how often the whole release is simulated. One-stage designs of a replicate share
        their sets: the release with m = 3 is the first part of that with m = 10.
    level : of the confidence intervals. Those of the original data are normal, those of the
        synthetic data follow the combining rules.
    groups : subgroups of records whose risk is given too: names with True or False for each record,
        or with positions of rows.
    seed : whole number or numpy Generator.
    **risk : more arguments of `identification_risk`, such as attack, intervals, fallback,
        threshold.

    Returns
    -------
    RiskUtilityByM

    Notes
    -----
    The overlap of a release of one set (m = 1) is undefined: the variance between sets cannot be
    estimated. It is NaN, its risk is given. An estimand that has no value in some set (the mean of
    a group without records) has no overlap in that release. The more sets, the more often that
    happens, and mostly to estimands that are hard to get right. So that designs can be compared,
    the mean is over the estimands that have an overlap in *every* design of the replicate; the
    table says how many these are.

    Examples
    --------
    >>> from synthpop_py.estimation import Means
    >>> from synthpop_py.synthesis import Multinomial
    >>> ages = [30.0, 31, 50, 52, 29, 33, 47, 55]
    >>> people = pd.DataFrame({"sex": list("fmfmfmfm"), "town": list("AABBAABB"), "age": ages})
    >>> study = risk_utility_by_m(
    ...     [Multinomial("town", ["age"])],
    ...     people,
    ...     Means("age", by="town"),
    ...     known="sex",
    ...     designs=(2, 4),
    ...     replicates=3,
    ...     seed=1,
    ... )
    >>> study.table.index.tolist()
    ['m = 2', 'm = 4']
    """
    if isinstance(synthetic, pd.DataFrame) and not isinstance(original, pd.DataFrame):
        raise out_of_order(original, "original")
    frame = check_original(original, "original")
    if not len(frame):
        raise InputError("original: has no rows")
    steps = _designs(designs)
    rng = random_generator(seed)
    source = _source(frame, synthetic, first_stage, steps)
    repeats = check_whole("replicates", replicates, 1)
    if source.fixed and repeats > 1:
        raise InputError(
            f"replicates: {repeats} cannot be made from sets that exist already; give models or a"
            " function"
        )
    keys = _keys(source, known, synthesised)
    targets = _groups(groups, len(frame))
    wanted = read_estimands(estimands, frame)
    level = check_number("level", level, 0, 1, open_low=True, open_high=True)
    runs, overlaps = [], []
    for replicate in range(1, repeats + 1):
        figures, tables = [], []
        for (m, r), sets, answers in _releases(source, steps, wanted, rng):
            tables.append(
                overlap_table(
                    wanted.labels,
                    wanted.original,
                    answers.reshape(m, r, -1, 2),
                    level,
                    one_set="undefined",
                )
            )
            figures.append(
                _figures(identification_risk(list(sets), frame, seed=rng, **keys, **risk), targets)
            )
        common = _common(steps, tables)
        for (m, r), found, table in zip(steps, figures, tables):
            counted = table["overlap"].where(common)
            runs += _rows(found, replicate, m, r, counted)
            each = table.assign(counted=counted.notna()).reset_index()[
                ["estimand", "original", "release", "overlap", "counted"]
            ]
            overlaps.append(
                each.rename(columns={"release": "synthetic"}).assign(replicate=replicate, m=m, r=r)
            )
    return RiskUtilityByM(
        pd.DataFrame(runs),
        pd.concat(overlaps, ignore_index=True),
        len(frame),
        level,
        keys["known"],
        keys["synthesised"],
    )


# ---- arguments -----------------------------------------------------------------------


def _designs(designs: Any) -> list[Design]:
    steps = []
    for given in designs if isinstance(designs, (list, tuple, range, np.ndarray)) else [designs]:
        pair = given if isinstance(given, (tuple, list)) else (given, 1)
        if len(pair) != 2:
            raise InputError(
                f"designs: {given!r} cannot be used; give m, or (m, r) for m nests of r sets"
            )
        step = (check_whole("designs", pair[0], 1), check_whole("designs", pair[1], 1))
        if step in steps:
            raise InputError(f"designs: {given!r} is given more than once")
        steps.append(step)
    if not steps:
        raise InputError("designs: is empty; give how many sets are released, such as (2, 5, 10)")
    return steps


@dataclass(frozen=True, slots=True, eq=False)
class _Source:
    """Where sets come from. `fixed`: they exist already. `responses`: what the models synthesise,
    None where that is not known.
    """

    make: MakeSets
    fixed: bool
    responses: list[Hashable] | None


def _source(
    frame: pd.DataFrame, synthesis: Any, first_stage: Any, steps: Sequence[Design]
) -> _Source:
    if isinstance(synthesis, (SynDS, pd.DataFrame)) or (
        isinstance(synthesis, (list, tuple))
        and synthesis
        and isinstance(synthesis[0], pd.DataFrame)
    ):
        return _existing(nested_sets("synthetic", synthesis), steps)
    if isinstance(synthesis, (Posterior, SynthesisModel, list, tuple)):
        posterior = synthesis if isinstance(synthesis, Posterior) else fit_models(frame, synthesis)
        stage = first_stage if any(r > 1 for _, r in steps) else None

        def make(m: int, r: int, rng: np.random.Generator) -> Sequence[pd.DataFrame]:
            first = stage if r > 1 else None
            return partial_synthesis(frame, posterior, m, r=r, first_stage=first, seed=rng).syn

        return _Source(make, False, [model.response for model in posterior.models])
    if callable(synthesis):
        return _Source(_checked_function(synthesis), False, None)
    raise InputError(
        f"synthetic: {type(synthesis).__name__} cannot be used; give models, a function (m, r,"
        " rng), a SynDS or a list of DataFrames"
    )


def _existing(nests: list[list[pd.DataFrame]], steps: Sequence[Design]) -> _Source:
    """Sets that are there; a design takes the first r of each of the first m nests."""
    for m, r in steps:
        if r > 1 and all(len(nest) == 1 for nest in nests):
            raise InputError(
                f"designs: ({m}, {r}) has two stages, which these sets do not have; give models or"
                " a function, or what partial_synthesis made with r"
            )
        if m > len(nests) or r > min(len(nest) for nest in nests[:m]):
            there = (
                f"{len(nests)} are given"
                if r == 1
                else (
                    f"{len(nests)} nests of {', '.join(str(len(nest)) for nest in nests)} sets are"
                    " given"
                )
            )
            raise InputError(
                f"designs: {m} {'sets' if r == 1 else f'nests of {r} sets'} are asked for, {there}"
            )
    return _Source(
        lambda m, r, rng: [frame for nest in nests[:m] for frame in nest[:r]], True, None
    )


def _checked_function(synthesis: Callable[..., Any]) -> MakeSets:
    def make(m: int, r: int, rng: np.random.Generator) -> list[pd.DataFrame]:
        sets = synthetic_sets("synthetic", synthesis(m, r, rng))
        if len(sets) != m * r:
            raise InputError(
                f"synthetic: the function gave {len(sets)} sets for m = {m} and r = {r}; {m * r}"
                " are needed"
            )
        return sets

    return make


def _keys(source: _Source, known: Any, synthesised: Any) -> dict[str, Any]:
    if synthesised is None:
        if source.responses is None:
            raise InputError(
                "synthesised: needed where the synthesis is not given by models; name the keys"
                " whose values were replaced"
            )
        synthesised = source.responses
    return {"known": tuple(listed(known)), "synthesised": tuple(listed(synthesised))}


def _groups(groups: Any, count: int) -> dict[str, Integers]:
    """Positions of the records of each group."""
    chosen = {}
    for name, value in (groups or {}).items():
        rows = np.asarray(value)
        if rows.dtype == bool and rows.shape == (count,):
            rows = np.flatnonzero(rows)
        if (
            rows.ndim != 1
            or rows.dtype.kind not in "iu"
            or not len(rows)
            or rows.min() < 0
            or rows.max() >= count
            or len(np.unique(rows)) < len(rows)
        ):
            raise InputError(
                f"groups: {name!r} is neither True or False for each of {count} records, nor"
                f" distinct positions of rows from 0 to {count - 1}"
            )
        if name == ALL:
            raise InputError(f"groups: {ALL!r} stands for all records; give another name")
        chosen[name] = rows
    return chosen


# ---- one replicate -------------------------------------------------------------------


def _releases(
    source: _Source, steps: Sequence[Design], wanted: Estimands, rng: np.random.Generator
) -> Iterator[tuple[Design, Sequence[pd.DataFrame], Floats]]:
    """Every design with its sets and what they say about the estimands, shape (sets, k, 2); designs
    of one stage share both.
    """
    single = max((m for m, r in steps if r == 1), default=0)
    shared = source.make(single, 1, rng) if single else []
    answers = _answers(wanted, shared)
    for m, r in steps:
        if r == 1:
            yield (m, r), shared[:m], answers[:m]
        else:
            sets = source.make(m, r, rng)
            yield (m, r), sets, _answers(wanted, sets)


def _answers(wanted: Estimands, sets: Sequence[pd.DataFrame]) -> Floats:
    return np.array(
        [wanted.of(frame, f"synthetic set {i}") for i, frame in enumerate(sets, start=1)]
    )


def _common(steps: Sequence[Design], tables: Sequence[pd.DataFrame]) -> Flags:
    """Which estimands have an overlap in every design; one set or nest alone never has any and is
    left out of this.
    """
    defined = [table["overlap"].notna().to_numpy() for (m, _), table in zip(steps, tables) if m > 1]
    return np.all(defined, axis=0) if defined else np.zeros(len(tables[0]), dtype=bool)


def _figures(
    found: IdentificationRisk, groups: Mapping[str, Integers]
) -> dict[str, dict[str, Any]]:
    """The measures of all records and of each group."""
    figures = {ALL: {"records": found.n} | {name: getattr(found, name) for name in MEASURES}}
    records = found.records() if groups else pd.DataFrame()
    for name, chosen in groups.items():
        part = records.iloc[chosen]
        expected = float((part["I"] / part["c"].where(part["c"] > 0, 1)).sum())
        counts = {
            "true": int(part["K"].sum()),
            "false": int(part["F"].sum()),
            "unique_matches": int((part["c"] == 1).sum()),
        }
        figures[name] = {
            "records": len(chosen),
            "perceived": int(part["perceived"].sum()),
            "expected": expected,
        } | counts
    return figures


def _rows(
    figures: Mapping[str, dict[str, Any]], replicate: int, m: int, r: int, counted: pd.Series
) -> list[dict[str, Any]]:
    """One row for all records and one for each group. `counted` are the overlaps of the estimands
    that count, NaN for the others.
    """
    head = {"replicate": replicate, "m": m, "r": r, "sets": m * r}
    all_records, other = (
        {"overlap": float(counted.mean()), "estimands": int(counted.notna().sum())},
        {"overlap": np.nan, "estimands": 0},
    )
    return [
        head
        | {"group": name, "records": own["records"]}
        | (all_records if name == ALL else other)
        | own
        for name, own in figures.items()
    ]
