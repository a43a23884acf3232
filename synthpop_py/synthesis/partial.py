"""Partial synthesis: models fitted to the original data, values drawn from them, in one stage or
two.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import pandas as pd

from ..arguments import check_choice, check_whole, chosen_columns
from ..core.arrays import Flags
from ..errors import InputError, warning_once
from ..estimation.design import Coding, is_categorical
from ..release_seed import release_generator
from ..show.printing import Sections, Table
from ..show.views import Shown
from ..synds import SynDS
from ..tables.frames import AnyFrame, give_back
from ..tables.opening import check_frame
from .chain import (
    FittedChain,
    ResponseRule,
    check_chain,
    coding_of,
    columns_of,
    flags_of,
    response_as_given,
)
from .models import Estimate, SynthesisModel

__all__ = ["Posterior", "fit_models", "partial_synthesis"]

DIGITS = 3
FITTED = "Synthesis models in order, fitted"


@warning_once
def fit_models(original: AnyFrame, models: Any, *, where: Any = None) -> Posterior:
    """Fit synthesis models to the original data.

    Parameters
    ----------
    original : DataFrame of pandas, polars or Arrow
        The original data.
    models : `SynthesisModel`s in the order in which values are synthesised.
    where : records whose values are replaced: True or False for each, a function of `original` (in
        pandas) that returns this, or a mapping from responses to either. A model is fitted to the
        records it replaces. None: all records.

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
    responses = [model.response for model in chain]
    by_name = where if isinstance(where, Mapping) else dict.fromkeys(responses, where)
    for name in by_name:
        if name not in responses:
            choices = ", ".join(map(str, responses))
            raise InputError(f"where: {name!r} is not the response of a model; choices: {choices}")
    replaced: dict[Hashable, Flags | None] = {}
    estimates = []
    for model in chain:
        name = model.response
        part = columns_of(data, model)
        replaced[name] = None
        if by_name.get(name) is not None:
            flags = flags_of(f"where, for {name!r}", by_name[name], frame)
            if not flags.any():
                raise InputError(f"where: no record of {name!r} is replaced; leave its model out")
            replaced[name] = flags
            part = part.iloc[np.flatnonzero(flags)]
        estimates.append(checked_estimate(model, model.fit(part, covariance=True), part))
    return Posterior(models=chain, estimates=tuple(estimates), coding=coding, replaced=replaced)


def _checked_original(original: Any) -> pd.DataFrame:
    frame = check_frame(original, "original")
    if not len(frame):
        raise InputError("original: has no rows")
    return frame


def checked_estimate(model: SynthesisModel, estimate: Any, data: pd.DataFrame) -> Estimate:
    """The estimate from a model's fit, or the one released for it."""
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
        """The same with parameters taken as known, at their mode: an intruder who has these does
        not draw them.
        """
        known = tuple(estimate.fixed() for estimate in self.estimates)
        return replace(self, estimates=known)

    def tidy(self) -> pd.DataFrame:
        """One row for each parameter: response, parameter, mean, sd (NaN where taken as known)."""
        parts = []
        for model, estimate in zip(self.models, self.estimates, strict=True):
            count = len(estimate.mean)
            covariance = estimate.covariance()
            part = pd.DataFrame({"parameter": list(estimate.labels or range(1, count + 1))})
            part.insert(0, "response", pd.Series([model.response] * count, dtype=object))
            part["mean"] = estimate.mean
            part["sd"] = np.nan if covariance is None else np.sqrt(np.diag(covariance))
            parts.append(part.astype({"parameter": str}))
        return pd.concat(parts, ignore_index=True)

    def _table(self) -> pd.DataFrame:
        known = [estimate.spread is None for estimate in self.estimates]
        table = {
            "predictors": [len(model.predictors) for model in self.models],
            "parameters": [len(estimate.mean) for estimate in self.estimates],
            "distribution": ["known" if one else "normal" for one in known],
        }
        return pd.DataFrame(table, index=[str(model.response) for model in self.models])

    def _title(self) -> str:
        return FITTED

    def _headline(self, to: int = 1) -> list[str]:
        number = len(self.models)
        return [f"{number} synthesis model{'s' if number > 1 else ''}, fitted."]

    def _sections(self) -> Sections:
        return [[FITTED, Table(self._table(), FITTED, digits=DIGITS, titled=False)]]

    def _content(self) -> dict[str, Any]:
        return {"models": self._table(), "parameters": self.tidy()}


@warning_once
def partial_synthesis(
    original: AnyFrame,
    models: Any,
    m: int = 5,
    *,
    parameters: Literal["posterior", "plugin"] = "posterior",
    where: Any = None,
    r: int = 1,
    first_stage: Any = None,
    seed: Any = None,
    reproducible: bool = False,
) -> SynDS:
    """Make partially synthetic data: the original records with some values replaced by draws from
    models.

    Models are fitted to the original data. For each synthetic set their parameters are drawn from
    the fitted normal distribution, then values are drawn in the order of the models, each given the
    columns left unchanged and the *synthetic* values of the responses before it.

    Parameters
    ----------
    original : DataFrame of pandas, polars or Arrow
        The original data.
    models : `SynthesisModel`s in order, or what `fit_models` made of them (then nothing is fitted
        again).
    m : number of synthetic sets; of nests when `r` is more than 1.
    parameters : "posterior" draws new parameters for each set, as proper partial synthesis does;
        "plugin" uses the estimate for all.
    where : records whose values are replaced, see `fit_models`.
    r : sets in each nest of a two-stage release. Responses of the first stage are drawn once per
        nest, the others once per set.
    first_stage : responses of the first stage, those of the first models; needed when `r` is more
        than 1.
    seed : leave it out for a release; the operating system draws. Anyone who has the seed, a whole
        number or a numpy.random.Generator, can make the same data again and undo the release. A
        seed of fewer than 100 bits can be guessed and gives a warning; `secrets.randbits(128)`,
        kept secret, cannot be guessed.
    reproducible : True for teaching and tests, where nothing is released: a short seed then gives
        no warning.

    Returns
    -------
    SynDS
        m times r sets of the kind given, those of one nest next to each other, with the rows and
        columns of `original`. ``meta`` holds m, r, the nest of each set (from 1), and how they were
        made.

    Examples
    --------
    >>> from synthpop_py.synthesis import Multinomial
    >>> frame = pd.DataFrame({"sex": ["F", "M", "F", "M"], "smokes": ["no", "no", "yes", "no"]})
    >>> synthesis = partial_synthesis(frame, [Multinomial("smokes", ["sex"])], m=3)
    >>> synthesis
    SynDS(m=3, 4 rows, 2 columns)
    >>> synthesis.syn[0]["sex"].tolist()
    ['F', 'M', 'F', 'M']
    """
    frame = _checked_original(original)
    sets, each = check_whole("m", m, 1), check_whole("r", r, 1)
    check_choice("parameters", parameters, ("posterior", "plugin"))
    rng = release_generator(seed, reproducible)
    posterior = models
    if not isinstance(models, Posterior):
        posterior = fit_models(frame, models, where=where)
    elif where is not None:
        raise InputError("where: belongs to fit_models when the models are already fitted")
    for flags in posterior.replaced.values():
        if flags is not None and len(flags) != len(frame):
            raise InputError("models: were fitted to another number of records")
    responses = [model.response for model in posterior.models]
    early = _first_stage(responses, each, first_stage)
    source = posterior if parameters == "posterior" else posterior.fixed()
    data = posterior.coding.read(frame, "original")
    rules = {name: _rule(data[name], posterior.replaced[name]) for name in responses}

    def drawn(stage: slice, given: pd.DataFrame) -> pd.DataFrame:
        """The data with the responses of one stage drawn."""
        values = [estimate.draw(rng) for estimate in source.estimates[stage]]
        return FittedChain(source.models[stage], values, rng).simulate(given, rules, given[[]])

    released = []
    for _ in range(sets):
        # sets of a nest share the responses of the first stage; in one stage there are none
        nest = drawn(slice(0, early), data)
        for _ in range(each):
            one = drawn(slice(early, None), nest)
            made = {n: response_as_given(one, n, posterior.coding, frame) for n in responses}
            columns = {name: made.get(name, frame[name]) for name in frame.columns}
            released.append(give_back(pd.DataFrame(columns, index=frame.index), original))
    meta = {
        "m": sets,
        "r": each,
        "nest": np.repeat(np.arange(sets) + 1, each).tolist(),
        "synthesised": responses,
        "first_stage": responses[:early],
        "parameters": parameters,
        "models": [repr(model) for model in posterior.models],
    }
    return SynDS(released, meta=meta)


def _first_stage(responses: Sequence[Hashable], r: int, first_stage: Any) -> int:
    """How many models belong to the first stage of two."""
    if first_stage is None and r == 1:
        return 0
    names = []
    if first_stage is not None:
        names = chosen_columns("first_stage", first_stage, responses, "the responses")
    count = len(names)
    are_first = set(names) == set(responses[:count])
    if not are_first or count in (0, len(responses)):
        in_order = ", ".join(map(str, responses))
        raise InputError(
            "first_stage: is needed when r is more than 1; name the first responses, with some left"
            f" for the second stage; the order is: {in_order}"
        )
    return count


def _rule(column: pd.Series, replaced: Flags | None) -> ResponseRule:
    """Records to replace; levels that none of them has are not invented."""
    if replaced is None or not is_categorical(column):
        return ResponseRule(replaced)
    occurring = column.cat.codes.to_numpy()[replaced]
    return ResponseRule(replaced, np.isin(np.arange(len(column.cat.categories)), occurring))
