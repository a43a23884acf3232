"""Several models in order: each response is simulated given the columns released unchanged and the
responses before it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import is_column
from ..core.arrays import Flags, Floats, Integers
from ..errors import InputError
from ..estimation.design import MISSING, Coding, make_coding
from ..names import unknown_name
from .models import SynthesisModel, drawn_codes

MOST_TRIES = 1000

Allowed = Callable[[pd.Series, pd.DataFrame], Any]


# ---- the models ----------------------------------------------------------------------


def check_chain(models: Any, columns: Sequence[Hashable], place: str) -> tuple[SynthesisModel, ...]:
    """Models whose responses and predictors are columns, each response once, predictors never later
    in the order.
    """
    chain = (
        (models,)
        if _is_model(models)
        else tuple(models)
        if isinstance(models, (list, tuple))
        else ()
    )
    if not chain:
        raise InputError(
            f"models: {type(models).__name__} cannot be used or is empty; give a list of models in"
            " the order in which values are synthesised"
        )
    for number, model in enumerate(chain, start=1):
        if not _is_model(model):
            choices = (
                "give Multinomial, NormalRegression, or an object with response, predictors, fit"
                " and simulate"
            )
            raise InputError(f"models: element {number} is a {type(model).__name__}; {choices}")
        if not is_column(model.response, columns):
            raise unknown_name("models", model.response, columns, place)
    responses = [model.response for model in chain]
    for number, model in enumerate(chain):
        if model.response in responses[:number]:
            raise InputError(f"models: two models have the response {model.response!r}")
        for name in model.predictors:
            if not is_column(name, columns):
                raise unknown_name(
                    f"models, predictors of {model.response!r}", name, columns, place
                )
            if name == model.response:
                raise InputError(f"models: {name!r} is a predictor of itself")
            if name in responses[number:]:
                raise InputError(
                    f"models: {name!r} is a predictor of {model.response!r} but synthesised after"
                    " it; change the order or leave it out"
                )
        if len(set(model.predictors)) < len(model.predictors):
            raise InputError(f"models: a predictor of {model.response!r} is given more than once")
    return chain


def _is_model(value: Any) -> bool:
    return isinstance(value, SynthesisModel) and not isinstance(value, type)


def coding_of(frames: Sequence[pd.DataFrame], chain: Sequence[SynthesisModel]) -> Coding:
    """One reading of all columns that the models name; responses said to be categorical are, also
    as predictors.
    """
    columns = [name for model in chain for name in (*model.predictors, model.response)]
    return make_coding(
        frames, columns, [model.response for model in chain if getattr(model, "categorical", False)]
    )


def columns_of(data: pd.DataFrame, model: SynthesisModel) -> pd.DataFrame:
    return data[[*model.predictors, model.response]]


# ---- simulation ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """What is known about the values of one response.

    replaced : bool, shape (n,); records whose value is simulated, the others keep theirs. None:
    all.
    possible : bool, shape (K,) or (n, K); levels that the value can have. None: all.
    allowed : function of proposed values and the records' data that says which of them are
    possible. None: all.
    preferred : function of the records' data that gives levels, shape (n, K), to which values are
    confined as far as possible: a record that would be left without
        any is not. None: all.
    """

    replaced: Flags | None = None
    possible: Flags | None = None
    allowed: Allowed | None = None
    preferred: Callable[[pd.DataFrame], Flags] | None = None

    def rows(self, chosen: Integers) -> Rule:
        """The rule for some of the records."""
        possible = (
            self.possible[chosen]
            if self.possible is not None and self.possible.ndim == 2
            else self.possible
        )
        return replace(
            self,
            replaced=None if self.replaced is None else self.replaced[chosen],
            possible=possible,
        )

    @property
    def looks_at_records(self) -> bool:
        return self.allowed is not None or self.preferred is not None


def simulate_chain(
    chain: Sequence[SynthesisModel],
    parameters: Sequence[Floats],
    data: pd.DataFrame,
    rng: np.random.Generator,
    rules: Mapping[Hashable, Rule],
    others: pd.DataFrame,
) -> pd.DataFrame:
    """The data with every response simulated in turn.

    data : what `Coding.read` gave.
    others : columns that only rules look at, with the same rows.
    """
    data = data.copy()
    for number, (model, values) in enumerate(zip(chain, parameters, strict=True)):
        rule = rules.get(model.response, Rule())
        replaced = np.arange(len(data)) if rule.replaced is None else np.flatnonzero(rule.replaced)
        if len(replaced):
            some = len(replaced) < len(data)
            part, rest = (data.iloc[replaced], others.iloc[replaced]) if some else (data, others)
            known = (
                pd.concat(
                    [rest, part.drop(columns=[later.response for later in chain[number:]])], axis=1
                )
                if rule.looks_at_records
                else rest
            )
            new = _simulate_one(
                model,
                values,
                columns_of(part, model),
                rng,
                rule.rows(replaced) if some else rule,
                known,
            )
            data[model.response] = merged(data[model.response], replaced, new) if some else new
    return data


def merged(column: pd.Series, rows: Integers, new: Any) -> Any:
    """The column with new values in some rows: a Categorical, or float64."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        codes = column.cat.codes.to_numpy().astype(np.int64)
        codes[rows] = new.codes
        return pd.Categorical.from_codes(codes, categories=column.cat.categories)
    values = column.to_numpy(dtype=float, copy=True)
    values[rows] = new
    return values


def _simulate_one(
    model: SynthesisModel,
    parameters: Floats,
    data: pd.DataFrame,
    rng: np.random.Generator,
    rule: Rule,
    records: pd.DataFrame,
) -> Any:
    """Values of one response for all rows of `data`: a Categorical with the column's categories, or
    float64.
    """
    column = data[model.response]
    if rule.possible is None and not rule.looks_at_records:
        return _checked(model, model.simulate(parameters, data, rng), column)
    if isinstance(column.dtype, pd.CategoricalDtype) and hasattr(model, "probabilities"):
        return _from_probabilities(model, parameters, data, rng, rule, records)
    return _until_allowed(model, parameters, data, rng, rule, records)


def _checked(model: SynthesisModel, values: Any, column: pd.Series) -> Any:
    """What a model simulated, in the form of the column."""
    name, count = model.response, len(column)
    if np.ndim(values) != 1 or len(values) != count:
        raise InputError(
            f"models: simulate of the model of {name!r} gave an answer of shape {np.shape(values)}"
            f" for {count} records; one value for each is needed"
        )
    if isinstance(column.dtype, pd.CategoricalDtype):
        categories = column.cat.categories
        if isinstance(values, pd.Categorical) and values.categories.equals(categories):
            result = values
        else:
            result = pd.Categorical.from_codes(
                categories.get_indexer(pd.Index(np.asarray(values, dtype=object), dtype=object)),
                categories=categories,
            )
        if (result.codes < 0).any():
            raise InputError(
                f"models: simulate of the model of {name!r} gave values that are not among its"
                f" categories: {', '.join(map(str, categories))}"
            )
        return result
    try:
        numbers = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        numbers = np.array([np.nan])
    if not np.isfinite(numbers).all():
        raise InputError(
            f"models: simulate of the model of {name!r} gave values that are not finite numbers"
        )
    return numbers


def _from_probabilities(
    model: Any,
    parameters: Floats,
    data: pd.DataFrame,
    rng: np.random.Generator,
    rule: Rule,
    records: pd.DataFrame,
) -> pd.Categorical:
    """Draws with the probability of impossible levels set to 0; a record whose possible levels all
    have probability 0 draws among them evenly.
    """
    categories = data[model.response].cat.categories
    possible = _possible(model.response, categories, rule, records, len(data))
    chances = np.where(possible, model.probabilities(parameters, data), 0.0)
    without = chances.sum(axis=1) <= 0
    chances[without] = possible[without]
    return pd.Categorical.from_codes(
        drawn_codes(chances, rng.random(len(data))), categories=categories
    )


def _possible(
    name: Hashable, categories: pd.Index, rule: Rule, records: pd.DataFrame, count: int
) -> Flags:
    """Shape (n, K): the levels that each record's value can have; each record has at least one."""
    possible = np.ones((count, len(categories)), dtype=bool)
    if rule.possible is not None:
        possible &= rule.possible
    if rule.allowed is not None:
        for at, level in enumerate(categories):
            proposed = pd.Series(
                [None if level is MISSING else level] * count, index=records.index, dtype=object
            )
            possible[:, at] &= _asked(name, rule.allowed, proposed, records)
    nothing = np.flatnonzero(~possible.any(axis=1))
    if len(nothing):
        raise InputError(
            f"restrictions: no level of {name!r} is allowed for {len(nothing)} records, the first"
            f" at row {int(records.index[nothing[0]]) + 1}"
        )
    if rule.preferred is not None:
        confined = possible & rule.preferred(records)
        possible = np.where(confined.any(axis=1, keepdims=True), confined, possible)
    return possible


def _asked(name: Hashable, allowed: Allowed, values: pd.Series, records: pd.DataFrame) -> Flags:
    answer = np.asarray(allowed(values, records))
    if answer.dtype != bool or answer.shape not in ((), (len(values),)):
        raise InputError(
            f"restrictions: the function for {name!r} gave {answer.dtype} of shape {answer.shape};"
            f" True or False for each of {len(values)} records is needed"
        )
    return np.broadcast_to(answer, len(values))


def _until_allowed(
    model: SynthesisModel,
    parameters: Floats,
    data: pd.DataFrame,
    rng: np.random.Generator,
    rule: Rule,
    records: pd.DataFrame,
) -> Any:
    """Draws again until every value is allowed."""
    column, waiting = data[model.response], np.arange(len(data))
    for _ in range(MOST_TRIES):
        part = data.iloc[waiting]
        new = _checked(model, model.simulate(parameters, part, rng), part[model.response])
        column = pd.Series(merged(column, waiting, new), index=data.index)
        waiting = waiting[~_good(model.response, new, rule.rows(waiting), records.iloc[waiting])]
        if not len(waiting):
            return (
                column.array if isinstance(column.dtype, pd.CategoricalDtype) else column.to_numpy()
            )
    raise InputError(
        f"restrictions: {len(waiting)} records got no allowed value of {model.response!r} in"
        f" {MOST_TRIES} draws; is the restriction right?"
    )


def _good(name: Hashable, values: Any, rule: Rule, records: pd.DataFrame) -> Flags:
    good = np.ones(len(values), dtype=bool)
    if rule.possible is not None:
        good &= np.broadcast_to(rule.possible, (len(values), rule.possible.shape[-1]))[
            np.arange(len(values)), values.codes
        ]
    if rule.allowed is not None:
        plain = (
            [None if v is MISSING else v for v in values]
            if isinstance(values, pd.Categorical)
            else values
        )
        good &= _asked(
            name,
            rule.allowed,
            pd.Series(
                plain,
                index=records.index,
                dtype=object if isinstance(values, pd.Categorical) else float,
            ),
            records,
        )
    return good
