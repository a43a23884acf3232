"""Partial synthesis: models fitted to the original data, values drawn from them, in one stage or
two.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from ..arguments import check_choice, check_whole, chosen_columns, random_generator
from ..core.arrays import Flags
from ..errors import InputError
from ..estimation.design import Coding
from ..show import Document, Shown, fill
from ..spellings import r_names_too
from ..synds import SynDS
from ..tables.opening import check_frame
from .chain import Rule, check_chain, coding_of, columns_of, simulate_chain
from .models import Estimate, SynthesisModel

__all__ = ["Posterior", "fit_models", "partial_synthesis"]

DIGITS = 3
FITTED = "Synthesis models in order, fitted"


# ---- fitting -------------------------------------------------------------------------


@r_names_too()
def fit_models(original: pd.DataFrame, models: Any, *, where: Any = None) -> Posterior:
    """Fit synthesis models to the original data.

    Parameters
    ----------
    original : DataFrame
        The original data. By name also ``data=``.
    models : `SynthesisModel`s in the order in which values are synthesised.
    where : records whose values are replaced: True or False for each, a function of `original` that
        says so, or a mapping from responses to either. A model is fitted to the records it
        replaces. None: all records.

    Returns
    -------
    Posterior
        What `partial_synthesis` draws from, and what an agency may release:
        `identification_risk(..., parameters=posterior)`.

    Examples
    --------
    Two of four are "b", so both have the same chance and the coefficient, a log-ratio, is 0:

    >>> from synthpop_py.synthesis import Multinomial
    >>> posterior = fit_models(pd.DataFrame({"x": ["a", "b", "a", "b"]}), [Multinomial("x")])
    >>> posterior.tidy()[["response", "parameter", "mean"]].values.tolist()
    [['x', 'b: intercept', 0.0]]
    """
    frame = _checked_original(original)
    chain = check_chain(models, list(frame.columns), "the original data")
    coding = coding_of([frame], chain)
    data = coding.read(frame, "original")
    replaced = _replaced(where, chain, frame)
    estimates = []
    for model in chain:
        rows = replaced[model.response]
        part = columns_of(data if rows is None else data.iloc[np.flatnonzero(rows)], model)
        estimates.append(checked_estimate(model, model.fit(part, covariance=True), part))
    return Posterior(chain, tuple(estimates), coding, replaced)


def _checked_original(original: Any) -> pd.DataFrame:
    frame = check_frame(original, "original")
    if not len(frame):
        raise InputError("original: has no rows")
    return frame


def _replaced(
    where: Any, chain: Sequence[SynthesisModel], frame: pd.DataFrame
) -> dict[Hashable, Flags | None]:
    """For each response the records whose value is replaced, None for all."""
    responses = [model.response for model in chain]
    given = dict(where) if isinstance(where, Mapping) else dict.fromkeys(responses, where)
    for name in given:
        if name not in responses:
            raise InputError(
                f"where: {name!r} is not the response of a model; choices:"
                f" {', '.join(map(str, responses))}"
            )
    return {name: _flags(name, given.get(name), frame) for name in responses}


def _flags(name: Hashable, value: Any, frame: pd.DataFrame) -> Flags | None:
    if value is None:
        return None
    flags = np.asarray(value(frame) if callable(value) else value)
    if flags.dtype != bool or flags.shape != (len(frame),):
        raise InputError(
            f"where: has type {flags.dtype} and shape {flags.shape} for {name!r}; give True or"
            f" False for each of {len(frame)} records"
        )
    if not flags.any():
        raise InputError(f"where: no record of {name!r} is replaced; leave its model out")
    return flags


def checked_estimate(model: SynthesisModel, estimate: Any, data: pd.DataFrame) -> Estimate:
    """What a model's fit gave, or what was released for it."""
    if not isinstance(estimate, Estimate):
        raise InputError(
            f"models: fit of the model of {model.response!r} gave a {type(estimate).__name__}; an"
            " Estimate is needed"
        )
    wanted = len(model.labels(data)) if hasattr(model, "labels") else len(estimate.mean)
    if len(estimate.mean) != wanted:
        raise InputError(
            f"parameters: the model of {model.response!r} has {wanted} parameters for these data,"
            f" {len(estimate.mean)} are given"
        )
    return estimate


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Posterior(Shown):
    """Fitted synthesis models: for each a normal distribution of its parameters.

    Attributes
    ----------
    models : in order.
    estimates : an `Estimate` for each.
    coding : how columns are read: which are categorical, and their levels.
    replaced : for each response the records that are replaced, None for all.
    """

    models: tuple[SynthesisModel, ...]
    estimates: tuple[Estimate, ...]
    coding: Coding
    replaced: Mapping[Hashable, Flags | None]

    def fixed(self) -> Posterior:
        """The same with parameters taken as known, at their mode: an intruder who is given this
        does not draw them.
        """
        return Posterior(
            self.models, tuple(e.fixed() for e in self.estimates), self.coding, self.replaced
        )

    def tidy(self) -> pd.DataFrame:
        """One row for each parameter: response, parameter, mean, sd (NaN where taken as known)."""
        parts = []
        for model, estimate in zip(self.models, self.estimates):
            covariance = estimate.covariance()
            sd = (
                np.full(len(estimate.mean), np.nan)
                if covariance is None
                else np.sqrt(np.diag(covariance))
            )
            labels = estimate.labels or tuple(map(str, range(1, len(estimate.mean) + 1)))
            parts.append(
                pd.DataFrame(
                    {
                        "response": pd.Series([model.response] * len(sd), dtype=object),
                        "parameter": list(labels),
                        "mean": estimate.mean,
                        "sd": sd,
                    }
                )
            )
        return pd.concat(parts, ignore_index=True)

    def _table(self) -> pd.DataFrame:
        rows = [
            (len(m.predictors), len(e.mean), "known" if e.spread is None else "normal")
            for m, e in zip(self.models, self.estimates)
        ]
        return pd.DataFrame(
            rows,
            columns=["predictors", "parameters", "distribution"],
            index=[str(m.response) for m in self.models],
        )

    def _document(self) -> Document:
        table = fill.table_of(self._table(), FITTED, digits=DIGITS, titled=False)
        number = len(self.models)
        return Document(
            title=FITTED,
            sections=(fill.section(fill.note(FITTED), table),),
            headline=(fill.note(f"{number} synthesis model{'s' * (number > 1)}, fitted."),),
        )

    def _content(self) -> dict[str, Any]:
        return {"models": self._table(), "parameters": self.tidy()}


# ---- synthesis -----------------------------------------------------------------------


@r_names_too()
def partial_synthesis(
    original: pd.DataFrame,
    models: Any,
    m: int = 5,
    *,
    parameters: Literal["posterior", "plugin"] = "posterior",
    where: Any = None,
    r: int = 1,
    first_stage: Any = None,
    seed: Any = None,
) -> SynDS:
    """Make partially synthetic data: the original records with some values replaced by draws from
    models.

    Models are fitted to the original data. For each synthetic set their parameters are drawn from
    the fitted normal distribution, then values are drawn in the order of the models, each given the
    columns left unchanged and the *synthetic* values of the responses before it.

    Parameters
    ----------
    original : DataFrame
        The original data. By name also ``data=``.
    models : `SynthesisModel`s in order, or what `fit_models` made of them (then nothing is fitted
        again).
    m : number of synthetic sets; of nests when `r` is more than 1.
    parameters : "posterior" draws parameters anew for each set, as proper partial synthesis does;
        "plugin" uses the estimate for all.
    where : records whose values are replaced, see `fit_models`.
    r : sets in each nest of a two-stage release. Responses of the first stage are drawn once per
        nest, the others once per set.
    first_stage : responses of the first stage, those of the first models; needed when `r` is more
        than 1.
    seed : whole number or numpy Generator, for a result that can be repeated.

    Returns
    -------
    SynDS
        m times r sets, those of one nest next to each other, with the rows and columns of
        `original`. ``meta`` holds m, r, the nest of each set (from 1), and how they were made.

    Examples
    --------
    >>> from synthpop_py.synthesis import Multinomial
    >>> frame = pd.DataFrame({"sex": ["F", "M", "F", "M"], "smokes": ["no", "no", "yes", "no"]})
    >>> synthesis = partial_synthesis(frame, [Multinomial("smokes", ["sex"])], m=3, seed=1)
    >>> synthesis
    SynDS(m=3, 4 rows, 2 columns)
    >>> synthesis.syn[0]["sex"].tolist()
    ['F', 'M', 'F', 'M']
    """
    frame = _checked_original(original)
    sets, each = check_whole("m", m, 1), check_whole("r", r, 1)
    check_choice("parameters", parameters, ("posterior", "plugin"))
    rng = random_generator(seed)
    posterior = _fitted(frame, models, where)
    early = _first_stage(posterior.models, each, first_stage)
    source = posterior if parameters == "posterior" else posterior.fixed()
    made = []
    data = posterior.coding.read(frame, "original")
    rules = _rules(posterior, data)
    for _ in range(sets):
        nest = _drawn(source, slice(0, early), data, rng, rules)
        made += [_drawn(source, slice(early, None), nest, rng, rules) for _ in range(each)]
    responses = [model.response for model in posterior.models]
    meta = {
        "m": sets,
        "r": each,
        "nest": [nest + 1 for nest in range(sets) for _ in range(each)],
        "synthesised": responses,
        "first_stage": responses[:early],
    }
    meta |= {
        "parameters": parameters,
        "models": [repr(model) for model in posterior.models],
        "seed": seed if isinstance(seed, int) else None,
    }
    return SynDS([_as_released(frame, posterior, drawn) for drawn in made], meta=meta)


def _fitted(frame: pd.DataFrame, models: Any, where: Any) -> Posterior:
    if not isinstance(models, Posterior):
        return fit_models(frame, models, where=where)
    if where is not None:
        raise InputError("where: belongs to fit_models when the models are already fitted")
    if any(rows is not None and len(rows) != len(frame) for rows in models.replaced.values()):
        raise InputError(
            "models: were fitted to other records than these; the records to replace cannot be told"
        )
    return models


def _first_stage(chain: Sequence[SynthesisModel], r: int, first_stage: Any) -> int:
    """How many models belong to the first stage of two."""
    responses = [model.response for model in chain]
    if first_stage is None:
        if r == 1:
            return 0
        raise InputError(
            "first_stage: needed when r is more than 1; name the first responses, some of:"
            f" {', '.join(map(str, responses))}"
        )
    names = chosen_columns("first_stage", first_stage, responses, "the responses")
    count = len(names)
    if not 0 < count < len(chain) or set(names) != set(responses[:count]):
        raise InputError(
            f"first_stage: {names} are not the first of the responses, with some left for the"
            f" second stage; the order is: {', '.join(map(str, responses))}"
        )
    return count


def _rules(posterior: Posterior, data: pd.DataFrame) -> dict[Hashable, Rule]:
    """Records to replace; levels that none of them has are not invented."""
    rules = {}
    for model in posterior.models:
        rows = posterior.replaced[model.response]
        column = data[model.response]
        if rows is None:
            continue
        possible = (
            np.isin(np.arange(len(column.cat.categories)), column.cat.codes.to_numpy()[rows])
            if isinstance(column.dtype, pd.CategoricalDtype)
            else None
        )
        rules[model.response] = Rule(rows, possible)
    return rules


def _drawn(
    source: Posterior,
    stage: slice,
    data: pd.DataFrame,
    rng: np.random.Generator,
    rules: Mapping[Hashable, Rule],
) -> pd.DataFrame:
    values = [estimate.draw(rng) for estimate in source.estimates[stage]]
    return simulate_chain(source.models[stage], values, data, rng, rules, data[[]])


def _as_released(frame: pd.DataFrame, posterior: Posterior, drawn: pd.DataFrame) -> pd.DataFrame:
    """The original with the responses replaced, each in its own type."""
    new = {}
    for model in posterior.models:
        name = model.response
        values = drawn[name].array if name in posterior.coding.levels else drawn[name].to_numpy()
        new[name] = posterior.coding.as_given(values, name, frame[name])
    return pd.DataFrame(
        {name: new.get(name, frame[name]) for name in frame.columns}, index=frame.index
    )
