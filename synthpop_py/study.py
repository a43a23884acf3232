"""Risk and utility as more synthetic sets are released: the study of Drechsler and Reiter (2009) on
your own data, and generated establishments to study.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from .arguments import check_number, check_whole, listed, random_generator
from .core.arrays import Floats, Integers
from .errors import InputError, warning_once
from .estimation.evaluation import Estimands
from .estimation.overlap import overlap_table
from .matching import IdentificationRisk, identification_risk
from .rounding import ROUND_TO, figure, figures, part
from .show.printing import Sections, Table
from .show.values import column_name
from .show.views import Drawn
from .synds import SynDS
from .synthesis import Posterior, SynthesisModel, fit_models, partial_synthesis
from .tables.frames import AnyFrame
from .tables.opening import (
    check_original,
    is_frame,
    nested_sets,
    out_of_order,
    synthetic_sets,
)

__all__ = ["RiskUtilityByM", "generated_establishments", "risk_utility_by_m"]

# gives m times r sets, nest after nest
MakeSets = Callable[[int, int, np.random.Generator], Sequence[pd.DataFrame]]

ALL = "all"
UNIT = {
    "overlap": "0 to 1, higher is more useful",
    "estimands": "estimands in the mean of the overlap",
    "perceived": "records, higher is riskier",
    "expected": "records, higher is riskier",
    "true": "records, higher is riskier",
    "false": "records wrongly named, higher is safer",
    "unique_matches": "records with one likeliest match",
}
MEASURES = ["perceived", "expected", "true", "false", "unique_matches"]
INDUSTRIES = 16
SMALL_INDUSTRIES = 4  # the last ones; each about a quarter as frequent as the others
STRENGTH = 2.0  # how well industries can be told from the other variables


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

    Notes
    -----
    A release of one set (m = 1) has no overlap, because the variance between sets cannot be
    estimated; its risk is given. Nor has an estimand that has no value in some set (the mean of a
    group without records), which happens more often with more sets. To make designs comparable, the
    mean is over the estimands that have an overlap in *every* design of the replicate; the table
    says how many these are.

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
    wanted = _designs(designs)
    rng = random_generator(seed)
    first = synthetic[0] if isinstance(synthetic, (list, tuple)) and synthetic else synthetic
    exists = isinstance(synthetic, SynDS) or is_frame(first)
    responses: Any = None
    if exists:
        make = _existing(nested_sets("synthetic", synthetic))
    elif isinstance(synthetic, (Posterior, SynthesisModel, list, tuple)):
        fitted = synthetic if isinstance(synthetic, Posterior) else fit_models(frame, synthetic)
        responses = [model.response for model in fitted.models]
        make = _by_models(frame, fitted, first_stage)
    elif callable(synthetic):
        make = synthetic
    else:
        raise InputError(
            f"synthetic: {type(synthetic).__name__} cannot be used; give models, a function (m, r,"
            " rng), a SynDS or a list of DataFrames"
        )
    repeats = check_whole("replicates", replicates, 1)
    if exists and repeats > 1:
        raise InputError(
            f"replicates: {repeats} cannot be made from existing sets; give models or a function"
        )
    if synthesised is None and responses is None:
        raise InputError(
            "synthesised: is needed unless models make the synthesis; name the keys "
            "whose values were replaced"
        )
    synthesised = tuple(listed(responses if synthesised is None else synthesised))
    keys: dict[str, Any] = {"known": tuple(listed(known)), "synthesised": synthesised}
    rows_of_group = _groups(groups, len(frame))
    asked = Estimands(estimands, frame)
    level = check_number("level", level, 0, 1, open_low=True, open_high=True)
    most = max((m for m, r in wanted if r == 1), default=0)
    runs, tables = [], []
    for replicate in range(1, repeats + 1):
        # the release with m = 3 is the first part of that with m = 10
        shared = _made(make, most, 1, rng) if most else []
        of_shared = _estimates(asked, shared)
        overlaps, risks = [], []
        for m, r in wanted:
            sets, answers = shared[:m], of_shared[:m]
            if r > 1:
                sets = _made(make, m, r, rng)
                answers = _estimates(asked, sets)
            nests = np.array(answers).reshape(m, r, -1, 2)
            overlaps.append(
                overlap_table(asked.labels, asked.original, nests, level, one_set="undefined")
            )
            risks.append(identification_risk(sets, frame, seed=rng, **keys, **risk))
        # one set or nest alone never has an overlap, and is left out of this
        several = [one["overlap"].notna() for (m, _), one in zip(wanted, overlaps) if m > 1]
        in_every_design = np.all(several, axis=0)
        for (m, r), overlap, found in zip(wanted, overlaps, risks):
            design = {"replicate": replicate, "m": m, "r": r}
            counted = in_every_design & overlap["overlap"].notna()
            tables.append(overlap.assign(counted=counted, **design))
            runs += _runs(
                {**design, "sets": m * r}, found, rows_of_group, overlap["overlap"][counted]
            )
    each = pd.concat(tables).reset_index().rename(columns={"release": "synthetic"})
    columns = ["estimand", "original", "synthetic", "overlap", "counted", "replicate", "m", "r"]
    return RiskUtilityByM(
        runs=pd.DataFrame(runs),
        estimands=each[columns],
        n=len(frame),
        level=level,
        **keys,
    )


def _designs(designs: Any) -> list[tuple[int, int]]:
    """Each design as (m, r)."""
    several = isinstance(designs, (list, tuple, range, np.ndarray))
    pairs: list[tuple[int, int]] = []
    for design in designs if several else [designs]:
        pair = design if isinstance(design, (tuple, list)) else (design, 1)
        if len(pair) != 2:
            raise InputError(
                f"designs: {design!r} cannot be used; give m, or (m, r) for m nests of r sets"
            )
        m, r = (check_whole("designs", number, 1) for number in pair)
        if (m, r) in pairs:
            raise InputError(f"designs: {design!r} is given more than once")
        pairs.append((m, r))
    if not pairs:
        raise InputError("designs: is empty; give how many sets are released, such as (2, 5, 10)")
    return pairs


def _by_models(frame: pd.DataFrame, fitted: Posterior, first_stage: Any) -> MakeSets:
    def make(m: int, r: int, rng: np.random.Generator) -> Sequence[pd.DataFrame]:
        first = first_stage if r > 1 else None
        return partial_synthesis(frame, fitted, m, r=r, first_stage=first, seed=rng).syn

    return make


def _existing(nests: list[list[pd.DataFrame]]) -> MakeSets:
    """The first r sets of each of the first m nests."""

    def make(m: int, r: int, rng: np.random.Generator) -> Sequence[pd.DataFrame]:
        sizes = list(map(len, nests))
        enough = [size >= r for size in sizes[:m]]
        if len(enough) < m or not all(enough):
            raise InputError(
                f"designs: {m} nests of {r} sets are asked for, {len(sizes)} nests of"
                f" {', '.join(map(str, sizes))} sets are given"
            )
        return [frame for nest in nests[:m] for frame in nest[:r]]

    return make


def _made(make: MakeSets, m: int, r: int, rng: np.random.Generator) -> list[pd.DataFrame]:
    sets = synthetic_sets("synthetic", make(m, r, rng))
    if len(sets) != m * r:
        raise InputError(
            f"synthetic: the function gave {len(sets)} sets for m = {m} and r = {r}; {m * r}"
            " are needed"
        )
    return sets


def _groups(groups: Mapping[str, Any] | None, count: int) -> dict[str, Integers]:
    """Positions of the records of each group."""
    rows_of_group = {}
    for name, value in (groups or {}).items():
        rows = np.asarray(value)
        if rows.dtype == bool and rows.shape == (count,):
            rows = np.flatnonzero(rows)
        are_positions = rows.ndim == 1 and rows.dtype.kind in "iu"
        are_known = np.isin(rows, np.arange(count)).all()
        distinct = len(np.unique(rows))
        if not (are_positions and are_known and 0 < distinct == len(rows)):
            raise InputError(
                f"groups: {name!r} is neither True or False for each of {count} records, nor"
                f" distinct positions of rows from 0 to {count - 1}"
            )
        if name == ALL:
            raise InputError(f"groups: {ALL!r} stands for all records; give another name")
        rows_of_group[name] = rows
    return rows_of_group


def _estimates(estimands: Estimands, sets: Sequence[pd.DataFrame]) -> list[Floats]:
    return [estimands.of(frame, f"synthetic set {n}") for n, frame in enumerate(sets, start=1)]


def _runs(
    design: dict[str, int],
    risk: IdentificationRisk,
    groups: Mapping[str, Integers],
    overlap: pd.Series,
) -> list[dict[str, Any]]:
    """One row for all records, with the mean of the overlaps that count, and one for each group."""
    of_all = {name: getattr(risk, name) for name in MEASURES}
    used = {"overlap": float(overlap.mean()), "estimands": len(overlap)}
    rows = [{**design, "group": ALL, "records": risk.n, **used, **of_all}]
    if not groups:
        return rows
    records = risk.records()
    c = records["c"]
    of_record = {
        "perceived": records["perceived"],
        "expected": records["I"] / c.clip(lower=1),
        "true": records["K"],
        "false": records["F"],
        "unique_matches": c == 1,
    }
    none = {"overlap": np.nan, "estimands": 0}
    for name, positions in groups.items():
        sums = {measure: values.iloc[positions].sum() for measure, values in of_record.items()}
        rows.append({**design, "group": name, "records": len(positions), **none, **sums})
    return rows


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class RiskUtilityByM(Drawn):
    """Risk and utility of releases of different size, over replicates.

    Attributes
    ----------
    runs : one row for each replicate, design and group: replicate, m, r, sets, group, records,
        overlap (mean over the estimands that have one in every design of the replicate; NaN for
        subgroups), estimands (how many these are), perceived, expected, true, false,
        unique_matches.
    estimands : one row for each replicate, design and estimand: estimand, original, synthetic (mean
        of the sets), overlap, counted (it has an overlap in every design and is in the mean),
        replicate, m, r.
    n : original records.
    level : of the confidence intervals.
    known, synthesised : the keys.
    """

    runs: pd.DataFrame
    estimands: pd.DataFrame
    n: int
    level: float
    known: tuple[Hashable, ...]
    synthesised: tuple[Hashable, ...]

    @property
    def replicates(self) -> int:
        """How often each release was simulated."""
        return int(self.runs["replicate"].max())

    @property
    def table(self) -> pd.DataFrame:
        """One row for each design, in the order asked for: sets, overlap, estimands (in the mean of
        the overlap), perceived, expected, true, and expected and true of each group; means over
        replicates.
        """
        groups = self.runs.groupby(["m", "r", "group"], sort=False)
        mean = groups[["sets", "overlap", "estimands", *MEASURES]].mean().reset_index()
        pairs = zip(mean["m"], mean["r"])
        mean.index = [f"m = {m}" if r == 1 else f"m = {m}, r = {r}" for m, r in pairs]
        columns = ["sets", "overlap", "estimands", "perceived", "expected", "true"]
        table = mean.loc[mean["group"] == ALL, columns].astype({"sets": "int64"})
        if (table["estimands"] % 1 == 0).all():
            table["estimands"] = table["estimands"].astype("int64")
        for group in self.runs["group"].unique()[1:]:
            of_group = mean[mean["group"] == group]
            for measure in ("expected", "true"):
                table[f"{measure} [{group}]"] = of_group[measure]
        return table

    def tidy(self) -> pd.DataFrame:
        """One row for each design, group and measure; of the whole file also the overlap and the
        number of estimands it is the mean of.

        Columns: m, r, sets, group, measure, value (mean over replicates), sd (NaN for one
        replicate), min, max, replicates, numerator (sum over replicates), denominator (replicates
        that have a value), unit.
        """
        design = ["m", "r", "sets", "group"]
        rows = self.runs.melt(design, list(UNIT), "measure", ignore_index=False)
        rows = rows.sort_index(kind="stable").astype({"value": float})
        values = rows.groupby([*design, "measure"], sort=False)["value"]
        tidy = values.agg(["mean", "std", "min", "max", "size", "sum", "count"]).reset_index()
        names = {"mean": "value", "std": "sd", "size": "replicates", "sum": "numerator"}
        tidy = tidy.rename(columns={**names, "count": "denominator"})
        tidy["unit"] = tidy["measure"].map(UNIT)
        of_groups = tidy["measure"].isin(MEASURES)
        return tidy[of_groups | (tidy["group"] == ALL)].reset_index(drop=True)

    def _title(self) -> str:
        return "Risk and utility by number of released sets"

    def _everybody(self) -> int:
        return self.n

    def _sections(self) -> Sections:
        return self._rounded(1)

    def _rounded(self, to: int) -> Sections:
        keys = ", ".join(map(str, (*self.known, *self.synthesised)))
        times = "one simulated release each"
        if self.replicates > 1:
            times = f"means of {self.replicates} simulated releases each"
        head = (
            f"Risk and utility by number of released sets; {part(self.n, to=to)} original records,"
            f" keys {keys}; {times}"
        )
        # groups may add up to all records, which would undo rounding: exact views only
        frame = self.table
        if to > 1:
            frame = frame.loc[:, ~frame.columns.str.endswith("]")]
        frame = figures(frame, to, dict.fromkeys(MEASURES, self.n))
        table = Table(frame, self._title(), digits=3, titled=False)
        used = self.runs.query(f"group == '{ALL}' and m > 1")["estimands"]
        low, high = used.min(), used.max()
        overlap = (
            f"overlap: of {100 * self.level:g} % intervals with those from the original data, mean"
            f" of {low if low == high else f'{low} to {high}'} of"
            f" {self.estimands['estimand'].nunique()} estimands, those that have one in every"
            " design (1: the same; higher is more useful)"
        )
        risk = (
            "perceived: records an intruder believes they have found; expected: records they "
            "are expected to guess correctly; true: records whose one likeliest match is "
            "correct, which the intruder cannot know (higher is riskier)"
        )
        return [[head, table, overlap, risk]]

    def _headline(self, to: int = 1) -> list[str]:
        table = self.table
        lines = []
        ends = table.iloc[sorted({0, len(table) - 1})]
        for name, overlap, expected in zip(ends.index, ends["overlap"], ends["expected"]):
            near: Any = f"{overlap:.3f}"
            found: Any = f"{expected:.3f}"
            if to > 1:
                near, found = figure(overlap, to), part(expected, self.n, to)
            lines.append(f"{name}: overlap {near}, expected correct matches {found}.")
        return lines

    def _content(self) -> dict[str, Any]:
        return {"n": self.n, **self._arguments(), "table": self.table}

    def _arguments(self) -> dict[str, Any]:
        return {
            "known": list(map(column_name, self.known)),
            "synthesised": list(map(column_name, self.synthesised)),
            "level": self.level,
            "replicates": self.replicates,
        }

    def _records(self) -> dict[str, Any]:
        return {"original": self.n}

    def plot(self, measure: str = "expected", ax: Any = None, *, round_to: int = ROUND_TO) -> Any:
        """Risk against utility, a point for each design; needs matplotlib.

        Parameters
        ----------
        measure : "expected", "true" or "perceived".
        ax : matplotlib axes to draw into; by default those of a new figure.
        round_to : counts of people are rounded to a multiple of this; 1 draws exact ones.
        """
        from .plots.study import plot_risk_utility_by_m

        return plot_risk_utility_by_m(self, measure, ax, round_to=round_to)


@warning_once
def generated_establishments(n: int = 2000, *, seed: Any = 1997) -> pd.DataFrame:
    """A made-up survey of establishments, for studies and teaching: skewed sizes, 16 industries of
    which four are small.

    Nothing in it is real. As in the IAB Establishment Panel (Drechsler and Reiter), the number of
    employees is skewed, it and the industry can be predicted from other variables, and training
    depends on size. Industry follows a multinomial regression on the other variables, and the cube
    root of the number of employees a normal regression on them and the industry: synthesis models
    of this form are correct. Columns: industry ("01" to "16", categorical), employees, wages,
    capital, export, qualified, seasonal, east, agreement (collective wage agreement), training.

    Parameters
    ----------
    n : number of establishments.
    seed : whole number or numpy Generator. The same seed gives the same data.

    Examples
    --------
    >>> frame = generated_establishments(1000)
    >>> employees = frame["employees"]
    >>> frame["industry"].nunique(), bool(employees.mean() > 1.5 * employees.median())
    (16, True)
    """
    number = check_whole("n", n, 1)
    rng = random_generator(seed)
    wages = rng.gamma(1.3, 1.0, number)
    capital = rng.gamma(2.0, 0.5, number)
    export = rng.beta(0.8, 2.0, number)
    qualified = rng.beta(2.0, 2.0, number)
    seasonal = rng.normal(size=number)
    east = rng.random(number) < 0.25
    industry = _drawn(_scores([wages, capital, export, qualified, seasonal]), rng)
    # typical values of an industry follow a fixed pattern: industries differ in the same way in
    # every draw
    typical_size = 0.4 * np.sin(1.7 * np.arange(INDUSTRIES))
    root = 1.6 + 1.35 * wages + 0.5 * capital + typical_size[industry]
    root = root + 0.3 * export + rng.normal(0, 0.3, number)
    employees = np.maximum(1, np.round(root**3)).astype(np.int64)
    agreement_score = -1.5 + 0.5 * root - 0.5 * east
    agreement = rng.random(number) < _logistic(agreement_score)
    size_effect = 0.006 * np.minimum(employees, 400)
    training_score = -2.0 + size_effect + 1.2 * qualified + 0.4 * agreement
    training = rng.random(number) < _logistic(training_score)
    codes = [f"{i + 1:02d}" for i in range(INDUSTRIES)]
    return pd.DataFrame(
        {
            "industry": pd.Categorical.from_codes(industry, categories=codes),
            "employees": employees,
            "wages": wages,
            "capital": capital,
            "export": export,
            "qualified": qualified,
            "seasonal": seasonal,
            "east": east,
            "agreement": agreement,
            "training": training,
        }
    )


def _logistic(score: Floats) -> Floats:
    return 1 / (1 + np.exp(-score))


def _scores(columns: Sequence[Floats]) -> Floats:
    """Logarithms of how likely each industry is for each establishment, up to a constant: linear in
    what is known of it.
    """
    industry = np.arange(INDUSTRIES)
    frequency = np.where(industry < INDUSTRIES - SMALL_INDUSTRIES, np.log(4.0), 0.0)
    scores = frequency * np.ones((len(columns[0]), 1))
    for number, column in enumerate(columns, start=1):
        standardised = (column - column.mean()) / max(column.std(), 1e-12)
        effects = STRENGTH * np.cos(number * 1.9 * industry + number)
        scores += np.outer(standardised, effects)
    return scores


def _drawn(scores: Floats, rng: np.random.Generator) -> Integers:
    """One column for each row, by the largest of score plus Gumbel noise: the same as drawing with
    probabilities proportional to exp(score).
    """
    noise = rng.gumbel(size=scores.shape)
    drawn: Integers = np.argmax(scores + noise, axis=1)
    return drawn
