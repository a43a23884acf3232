"""The intruder who knows the synthesis models: plausible original values of the synthesised columns
(Reiter and Mitra, section 2.2).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import check_choice
from ..core.arrays import Floats, Integers
from ..errors import InputError
from ..estimation.design import is_numeric
from ..synthesis.chain import (
    FittedChain,
    ResponseRule,
    check_chain,
    coding_of,
    columns_of,
    merged,
    response_as_given,
)
from ..synthesis.models import Estimate, SynthesisModel
from ..synthesis.partial import Posterior, checked_estimate
from ..synthesis.restrictions import Resolved, resolve, simulate_unique

ParameterDraw = Callable[[np.random.Generator], list[Floats]]
Chain = Sequence[SynthesisModel]


def draw_keys(
    sets: Sequence[pd.DataFrame], asked: SimpleNamespace, rng: np.random.Generator
) -> list[pd.DataFrame]:
    """Plausible versions of the original values of the synthesised columns, drawn by an intruder
    who knows the models: frames with the responses of the models, rows as in the sets.

    `asked` has the `models`, their `parameters` (see `_parameters`), the number of versions
    (`draws`, h), and the `restrictions` on which values were replaced. In a release in two stages
    every set has the same weight, although sets of one nest are not independent.
    """
    parameters = asked.parameters
    frames = [frame.reset_index(drop=True) for frame in sets]
    chain = _chain(asked.models, frames[0])
    coding = parameters.coding if isinstance(parameters, Posterior) else coding_of(frames, chain)
    data = []
    for number, frame in enumerate(frames, start=1):
        place = "synthetic" if len(frames) == 1 else f"synthetic data set {number}"
        data.append(coding.read(frame, place))
    resolved = resolve(asked.restrictions, chain, coding, frames)
    # what is fitted is fitted once; only draws of parameters differ between versions
    parameter_draw = _parameters(parameters, chain, data, resolved)
    # columns that no model uses: restrictions may look at them
    others = frames[0].drop(columns=list(coding.columns)).set_axis(data[0].index)
    versions = []
    for _ in range(asked.draws):
        fitted = FittedChain(chain, parameter_draw(rng), rng)
        drawn = _version(fitted, data[0], others, resolved)
        responses = [model.response for model in chain]
        given = {name: response_as_given(drawn, name, coding, frames[0]) for name in responses}
        versions.append(pd.DataFrame(given).set_axis(sets[0].index))
    return versions


def _version(
    fitted: FittedChain, data: pd.DataFrame, others: pd.DataFrame, resolved: Resolved
) -> pd.DataFrame:
    """One draw of all responses, with the parameters given."""

    def simulate(
        rows: Integers | None, current: pd.DataFrame, rules: Mapping[Hashable, ResponseRule]
    ) -> pd.DataFrame:
        if rows is None:
            return fitted.simulate(current, rules, others)
        part_rules = {name: rule.rows(rows) for name, rule in rules.items()}
        part = fitted.simulate(current.iloc[rows], part_rules, others.iloc[rows])
        replaced = current.copy()
        for name in [model.response for model in fitted.models]:
            replaced[name] = merged(current[name], rows, part[name].array)
        return replaced

    if resolved.uniques:
        return simulate_unique(data, others, resolved, simulate, fitted.rng)
    return simulate(None, data, resolved.rules)


def check_models(asked: SimpleNamespace, sets: Sequence[pd.DataFrame]) -> None:
    """Every synthesised key has a model. Predictors that no model synthesises are the original's,
    row for row; one that is text here and a number there is not compared.
    """
    chain, original = _chain(asked.models, sets[0]), asked.original
    responses = [model.response for model in chain]
    for name in asked.synthesised:
        if name not in responses:
            raise InputError(
                f"models: none of them draws the synthesised key {name!r}; give a model for every"
                " synthesised key"
            )
    names = {name for model in chain for name in model.predictors if name not in responses}
    for number, frame in enumerate(sets, start=1):
        for name in names.intersection(frame.columns, original.columns):
            released, own = frame[name], original[name]
            if is_numeric(released) == is_numeric(own) and not _same(released, own):
                raise InputError(
                    f"models: the predictor {name!r} differs between the original and synthetic"
                    f" data set {number}; bring the rows into the same order, or give a model for"
                    " it if it was synthesised"
                )


def _chain(models: Any, released: pd.DataFrame) -> tuple[SynthesisModel, ...]:
    """The models, checked against the columns of a released set."""
    unfitted = models.models if isinstance(models, Posterior) else models
    return check_chain(unfitted, list(released.columns), "the released data")


def _same(first: pd.Series, second: pd.Series) -> bool:
    """The same values, perhaps in another type."""
    a, b = first.to_numpy(dtype=object), second.to_numpy(dtype=object)
    gaps = pd.isna(a)
    if not np.array_equal(gaps, pd.isna(b)):
        return False
    # pd.NA equals nothing, and is not unequal to anything either
    return bool(np.all(a[~gaps] == b[~gaps]))


def _parameters(
    parameters: Any, chain: Chain, data: Sequence[pd.DataFrame], resolved: Resolved
) -> ParameterDraw:
    """A function that gives the parameters of one version.

    "fixed": every model is fitted to each set (to the records that were replaced, as far as that is
    known); the average of the m estimates is taken as known (Reiter and Mitra, equation 3).
    "simulated": see `combined_draw`. A `Posterior`, or for each model an `Estimate` or a pair
    (mean, covariance): the agency released them, nothing is fitted.
    """
    if isinstance(parameters, (Posterior, list, tuple)):
        estimates = _released(parameters, chain, data[0])
        return lambda rng: [estimate.draw(rng) for estimate in estimates]
    simulated = check_choice("parameters", parameters, ("fixed", "simulated")) == "simulated"
    if simulated and len(data) < 2:
        raise InputError(
            "parameters: 'simulated' needs at least two synthetic sets, because one says nothing"
            " about the variance between sets; use 'fixed'"
        )
    fits = [[_fit(model, frame, resolved, simulated) for frame in data] for model in chain]
    if simulated:
        return lambda rng: [combined_draw(of_model, rng) for of_model in fits]
    means = [np.mean([fit.mean for fit in of_model], axis=0) for of_model in fits]
    return lambda rng: means


def _fit(
    model: SynthesisModel, data: pd.DataFrame, resolved: Resolved, covariance: bool
) -> Estimate:
    rule = resolved.rules.get(model.response)
    if rule is not None and rule.replaced is not None:
        data = data.iloc[np.flatnonzero(rule.replaced)]
    part = columns_of(data, model)
    estimate = checked_estimate(model, model.fit(part, covariance=covariance), part)
    if covariance and estimate.spread is None and len(estimate.mean):
        raise InputError(
            f"parameters: 'simulated' needs covariances, and the model of {model.response!r} gives"
            " none; use 'fixed'"
        )
    return estimate


def combined_draw(fits: Sequence[Estimate], rng: np.random.Generator) -> Floats:
    """A draw from the normal distribution with the mean of the m estimates and T = mean covariance
    + B / m, where B is their covariance among each other (equations 4 to 6).

    It is the sum of independent parts with the covariances Sigma_1 / m, ..., Sigma_m / m and B / m:
    B = D'D / (m - 1) for the deviations D of the estimates from their mean, hence D'w / sqrt(m (m -
    1)) with standard normal w has covariance B / m.
    """
    m = len(fits)
    means = np.stack([fit.mean for fit in fits])
    centre = means.mean(axis=0)
    within = np.zeros(centre.size)
    for fit in fits:
        if fit.spread is not None:
            within = within + fit.spread.draw(rng)
    between = rng.standard_normal(m) @ (means - centre) / np.sqrt(m * (m - 1))
    drawn: Floats = centre + within / np.sqrt(m) + between
    return drawn


def _released(parameters: Any, chain: Chain, data: pd.DataFrame) -> list[Estimate]:
    """The distributions that the agency released, one for each model."""
    is_posterior = isinstance(parameters, Posterior)
    given = parameters.estimates if is_posterior else parameters
    # the models that the intruder knows are those that were fitted
    fitted = parameters.models if is_posterior else chain
    ours, theirs = (
        [(one.response, *one.predictors) for one in models] for models in (chain, fitted)
    )
    if len(given) != len(chain) or ours != theirs:
        raise InputError(
            f"parameters: {len(given)} distributions are given for {len(chain)} models, or they"
            " belong to other models; give one for each, in the same order"
        )
    estimates = []
    for model, one in zip(chain, given):
        pair = isinstance(one, (tuple, list)) and len(one) == 2
        if not pair and not isinstance(one, Estimate):
            raise InputError(
                f"parameters: holds a {type(one).__name__}; give an Estimate or a pair (mean,"
                " covariance) for each model"
            )
        estimate = Estimate(*one) if pair else one
        estimates.append(checked_estimate(model, estimate, columns_of(data, model)))
    return estimates
