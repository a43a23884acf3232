"""Risk and utility as more synthetic sets are released: the study of Drechsler and Reiter (2009) on
your own data.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import check_number, check_whole, listed, random_generator
from ..core.arrays import Flags, Floats, Integers, Values
from ..errors import InputError, warning_once
from ..estimation.evaluation import Estimands, read_estimands
from ..estimation.overlap import overlap_table
from ..matching.api import identification_risk
from ..matching.result import IdentificationRisk
from ..synds import SynDS
from ..synthesis.models import SynthesisModel
from ..synthesis.partial import Posterior, fit_models, partial_synthesis
from ..tables.frames import AnyFrame
from ..tables.opening import (
    check_original,
    is_frame,
    nested_sets,
    out_of_order,
    synthetic_sets,
)
from .result import ALL, MEASURES, RiskUtilityByM

__all__ = ["risk_utility_by_m"]

ReleaseDesign = tuple[int, int]  # m and r
MakeSets = Callable[[int, int, np.random.Generator], Sequence[pd.DataFrame]]


@warning_once
def risk_utility_by_m(
    synthetic: Any,
    original: AnyFrame,
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
        frames, nest after nest. Or existing sets (SynDS or list of frames): then the first m of
        them are released, and there is one replicate. For a SynDS in two stages
        (`partial_synthesis` with r), the first r sets of each of the first m nests are released.
    original : DataFrame of pandas, polars or Arrow
        The original data.
    estimands : one or several functions of a frame of pandas that return estimates and variances
        ``(q, v)``, such as `Means`, `Proportions` and `Regression`; a mapping gives them names.
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
    a group without records) has no overlap in that release. This happens more often with more sets,
    and mostly to estimands that are hard to estimate. To make designs comparable, the mean is over
    the estimands that have an overlap in *every* design of the replicate; the table says how many
    these are.

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
    # a misspelt argument is an error now, not after the first synthesis
    inspect.signature(identification_risk).bind_partial(**risk)
    if is_frame(synthetic) and not is_frame(original):
        raise out_of_order(original, "original")
    frame = check_original(original, "original")
    if not len(frame):
        raise InputError("original: has no rows")
    releases = _release_designs(designs)
    rng = random_generator(seed)
    source = _source(frame, synthetic, first_stage, releases)
    repeats = _replicates(replicates, source)
    keys = _keys(source, known, synthesised)
    rows_of_group = _groups(groups, len(frame))
    wanted = read_estimands(estimands, frame)
    level = check_number("level", level, 0, 1, open_low=True, open_high=True)
    study = _Study(
        original=frame,
        source=source,
        designs=releases,
        estimands=wanted,
        groups=rows_of_group,
        level=level,
        risk={**keys, **risk},
    )
    runs, overlaps = [], []
    for number in range(1, repeats + 1):
        replicate = study.replicate(rng)
        runs += _runs(replicate, number)
        overlaps += _overlaps(replicate, number)
    return RiskUtilityByM(
        runs=pd.DataFrame(runs),
        estimands=pd.concat(overlaps, ignore_index=True),
        n=len(frame),
        level=level,
        known=keys["known"],
        synthesised=keys["synthesised"],
    )


def _release_designs(designs: Any) -> list[ReleaseDesign]:
    """Each design as (m, r)."""
    several = isinstance(designs, (list, tuple, range, np.ndarray))
    pairs: list[ReleaseDesign] = []
    for design in designs if several else [designs]:
        pair = design if isinstance(design, (tuple, list)) else (design, 1)
        if len(pair) != 2:
            raise InputError(
                f"designs: {design!r} cannot be used; give m, or (m, r) for m nests of r sets"
            )
        m = check_whole("designs", pair[0], 1)
        r = check_whole("designs", pair[1], 1)
        if (m, r) in pairs:
            raise InputError(f"designs: {design!r} is given more than once")
        pairs.append((m, r))
    if not pairs:
        raise InputError("designs: is empty; give how many sets are released, such as (2, 5, 10)")
    return pairs


def _replicates(replicates: Any, source: _Source) -> int:
    repeats = check_whole("replicates", replicates, 1)
    if source.fixed and repeats > 1:
        raise InputError(
            f"replicates: {repeats} cannot be made from existing sets; give models or a function"
        )
    return repeats


@dataclass(frozen=True, slots=True, eq=False)
class _Source:
    """Where sets come from. `fixed`: they already exist. `responses`: what the models synthesise,
    None where that is not known.
    """

    make: MakeSets
    fixed: bool
    responses: list[Hashable] | None


def _source(
    frame: pd.DataFrame, synthesis: Any, first_stage: Any, designs: Sequence[ReleaseDesign]
) -> _Source:
    if _are_sets(synthesis):
        return _existing(nested_sets("synthetic", synthesis), designs)
    if isinstance(synthesis, (Posterior, SynthesisModel, list, tuple)):
        posterior = synthesis if isinstance(synthesis, Posterior) else fit_models(frame, synthesis)
        return _from_models(frame, posterior, first_stage)
    if callable(synthesis):
        return _Source(_checked_function(synthesis), fixed=False, responses=None)
    raise InputError(
        f"synthetic: {type(synthesis).__name__} cannot be used; give models, a function (m, r,"
        " rng), a SynDS or a list of DataFrames"
    )


def _are_sets(synthesis: Any) -> bool:
    """Sets that exist, not what makes them."""
    if isinstance(synthesis, SynDS) or is_frame(synthesis):
        return True
    if not isinstance(synthesis, (list, tuple)) or not synthesis:
        return False
    return is_frame(synthesis[0])


def _from_models(frame: pd.DataFrame, posterior: Posterior, first_stage: Any) -> _Source:
    """Sets drawn from fitted models."""

    def make(m: int, r: int, rng: np.random.Generator) -> Sequence[pd.DataFrame]:
        first = first_stage if r > 1 else None
        return partial_synthesis(frame, posterior, m, r=r, first_stage=first, seed=rng).syn

    responses = [model.response for model in posterior.models]
    return _Source(make, fixed=False, responses=responses)


def _existing(nests: list[list[pd.DataFrame]], designs: Sequence[ReleaseDesign]) -> _Source:
    """Sets that are there; a design takes the first r of each of the first m nests."""
    two_stage = any(len(nest) > 1 for nest in nests)
    for m, r in designs:
        if r > 1 and not two_stage:
            raise InputError(
                f"designs: ({m}, {r}) has two stages, which these sets do not have; give models or"
                " a function, or what partial_synthesis made with r"
            )
        if m > len(nests) or r > min(len(nest) for nest in nests[:m]):
            raise _too_few(nests, m, r)

    def make(m: int, r: int, rng: np.random.Generator) -> list[pd.DataFrame]:
        return [frame for nest in nests[:m] for frame in nest[:r]]

    return _Source(make, fixed=True, responses=None)


def _too_few(nests: list[list[pd.DataFrame]], m: int, r: int) -> InputError:
    if r == 1:
        return InputError(f"designs: {m} sets are asked for, but {len(nests)} are given")
    sizes = ", ".join(str(len(nest)) for nest in nests)
    return InputError(
        f"designs: {m} nests of {r} sets are asked for, {len(nests)} nests of {sizes} sets are"
        " given"
    )


def _checked_function(synthesis: Callable[..., Any]) -> MakeSets:
    """The user's function, with a check of what it gives."""

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
    """The keys by their names in `identification_risk`."""
    if synthesised is None:
        if source.responses is None:
            raise InputError(
                "synthesised: is needed unless models make the synthesis; name the keys "
                "whose values were replaced"
            )
        synthesised = source.responses
    return {"known": tuple(listed(known)), "synthesised": tuple(listed(synthesised))}


def _groups(groups: Any, count: int) -> dict[str, Integers]:
    """Positions of the records of each group."""
    rows_of_group = {}
    for name, value in (groups or {}).items():
        rows = np.asarray(value)
        if rows.dtype == bool and rows.shape == (count,):
            rows = np.flatnonzero(rows)
        if not _are_positions(rows, count):
            raise InputError(
                f"groups: {name!r} is neither True or False for each of {count} records, nor"
                f" distinct positions of rows from 0 to {count - 1}"
            )
        if name == ALL:
            raise InputError(f"groups: {ALL!r} stands for all records; give another name")
        rows_of_group[name] = rows
    return rows_of_group


def _are_positions(rows: Values, count: int) -> bool:
    """Distinct positions of some of so many records."""
    if rows.ndim != 1 or rows.dtype.kind not in "iu" or not len(rows):
        return False
    if rows.min() < 0 or rows.max() >= count:
        return False
    return len(np.unique(rows)) == len(rows)


@dataclass(frozen=True, slots=True, eq=False)
class _Release:
    """The results of one simulated release: the measures of risk by group, and the table of
    `overlap_table` with `counted`, the overlaps of the estimands that every design has (NaN for
    the others).
    """

    design: ReleaseDesign
    risk: Mapping[str, dict[str, Any]]
    overlap: pd.DataFrame


@dataclass(frozen=True, slots=True, eq=False)
class _Study:
    """Everything a replicate needs; `risk` holds arguments of `identification_risk`."""

    original: pd.DataFrame
    source: _Source
    designs: Sequence[ReleaseDesign]
    estimands: Estimands
    groups: Mapping[str, Integers]
    level: float
    risk: dict[str, Any]

    def replicate(self, rng: np.random.Generator) -> list[_Release]:
        """Every design simulated once."""
        releases = []
        for design, sets, answers in self._sets(rng):
            overlap = self._overlap(design, answers)
            risk = identification_risk(list(sets), self.original, seed=rng, **self.risk)
            releases.append(_Release(design, _figures(risk, self.groups), overlap))
        common = _common(releases)
        return [replace(release, overlap=_counted(release.overlap, common)) for release in releases]

    def _sets(
        self, rng: np.random.Generator
    ) -> Iterator[tuple[ReleaseDesign, Sequence[pd.DataFrame], Floats]]:
        """Every design with its sets and their estimates, shape (sets, k, 2); designs of one stage
        share both.
        """
        # the release with m = 3 is the first part of that with m = 10
        most = max((m for m, r in self.designs if r == 1), default=0)
        shared = self.source.make(most, 1, rng) if most else []
        shared_answers = self._answers(shared)
        for m, r in self.designs:
            if r == 1:
                yield (m, r), shared[:m], shared_answers[:m]
            else:
                sets = self.source.make(m, r, rng)
                yield (m, r), sets, self._answers(sets)

    def _answers(self, sets: Sequence[pd.DataFrame]) -> Floats:
        answers = []
        for number, frame in enumerate(sets, start=1):
            answers.append(self.estimands.of(frame, f"synthetic set {number}"))
        return np.array(answers)

    def _overlap(self, design: ReleaseDesign, answers: Floats) -> pd.DataFrame:
        """The overlap of confidence intervals for each estimand."""
        m, r = design
        return overlap_table(
            self.estimands.labels,
            self.estimands.original,
            answers.reshape(m, r, -1, 2),
            self.level,
            one_set="undefined",
        )


def _common(releases: Sequence[_Release]) -> Flags:
    """Which estimands have an overlap in every design; one set or nest alone never has any and is
    left out of this.
    """
    defined = []
    for release in releases:
        m, _ = release.design
        if m > 1:
            defined.append(release.overlap["overlap"].notna().to_numpy())
    if not defined:
        return np.zeros(len(releases[0].overlap), dtype=bool)
    common: Flags = np.all(defined, axis=0)
    return common


def _counted(overlap: pd.DataFrame, common: Flags) -> pd.DataFrame:
    return overlap.assign(counted=overlap["overlap"].where(common))


def _figures(risk: IdentificationRisk, groups: Mapping[str, Integers]) -> dict[str, dict[str, Any]]:
    """The measures of all records and of each group."""
    of_all = {name: getattr(risk, name) for name in MEASURES}
    figures = {ALL: {"records": risk.n} | of_all}
    if not groups:
        return figures
    records = risk.records()
    for name, rows in groups.items():
        figures[name] = _figures_of_group(records.iloc[rows])
    return figures


def _figures_of_group(records: pd.DataFrame) -> dict[str, Any]:
    c = records["c"]
    guesses = records["I"] / c.where(c > 0, 1)
    return {
        "records": len(records),
        "perceived": int(records["perceived"].sum()),
        "expected": float(guesses.sum()),
        "true": int(records["K"].sum()),
        "false": int(records["F"].sum()),
        "unique_matches": int((c == 1).sum()),
    }


def _runs(releases: Sequence[_Release], replicate: int) -> list[dict[str, Any]]:
    """For each design one row for all records and one for each group."""
    rows = []
    for release in releases:
        m, r = release.design
        counted = release.overlap["counted"]
        for group, figures in release.risk.items():
            row = {"replicate": replicate, "m": m, "r": r, "sets": m * r, "group": group}
            row |= {"records": figures["records"], "overlap": np.nan, "estimands": 0}
            if group == ALL:
                row["overlap"] = float(counted.mean())
                row["estimands"] = int(counted.notna().sum())
            rows.append(row | figures)
    return rows


def _overlaps(releases: Sequence[_Release], replicate: int) -> list[pd.DataFrame]:
    """For each design a table of the estimands."""
    tables = []
    for release in releases:
        m, r = release.design
        table = release.overlap.assign(counted=release.overlap["counted"].notna())
        table = table.reset_index()[["estimand", "original", "release", "overlap", "counted"]]
        table = table.rename(columns={"release": "synthetic"})
        tables.append(table.assign(replicate=replicate, m=m, r=r))
    return tables
