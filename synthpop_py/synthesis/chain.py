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
from ..errors import InputError, unknown_name
from ..estimation.design import MISSING, Coding, is_categorical, make_coding
from ..tables.frames import plain_values
from .models import SynthesisModel, drawn_codes

MOST_TRIES = 1000

Allowed = Callable[[pd.Series, pd.DataFrame], Any]


def check_chain(models: Any, columns: Sequence[Hashable], where: str) -> tuple[SynthesisModel, ...]:
    """Models whose responses and predictors are columns: no response twice, no predictor
    synthesised later.
    """
    chain = tuple(models) if isinstance(models, (list, tuple)) else (models,)
    for model in chain:
        if not isinstance(model, SynthesisModel) or isinstance(model, type):
            raise InputError(
                f"models: {type(model).__name__} cannot be used; give Multinomial,"
                " NormalRegression, or objects with response, predictors, fit and simulate"
            )
    if not chain:
        raise InputError("models: is empty; give one model or several")
    responses = [model.response for model in chain]
    for number, model in enumerate(chain):
        response = model.response
        if not is_column(response, columns):
            raise unknown_name("models", response, columns, where)
        if response in responses[:number]:
            raise InputError(f"models: two models have the response {response!r}")
        for name in model.predictors:
            if not is_column(name, columns):
                raise unknown_name(f"models, predictors of {response!r}", name, columns, where)
            if name in responses[number:]:
                raise InputError(
                    f"models: {name!r} is a predictor of {response!r} but not synthesised before it"
                )
        if len(set(model.predictors)) < len(model.predictors):
            raise InputError(f"models: a predictor of {response!r} is given more than once")
    return chain


def coding_of(frames: Sequence[pd.DataFrame], chain: Sequence[SynthesisModel]) -> Coding:
    """One reading of all columns that the models name; responses declared categorical are so as
    predictors too.
    """
    columns = [name for model in chain for name in (*model.predictors, model.response)]
    categorical = [m.response for m in chain if getattr(m, "categorical", False)]
    return make_coding(frames, columns, categorical)


def columns_of(data: pd.DataFrame, model: SynthesisModel) -> pd.DataFrame:
    """The columns of a model: its predictors and its response."""
    return data[[*model.predictors, model.response]]


def flags_of(argument: str, value: Any, frame: pd.DataFrame) -> Flags:
    """True or False for each record, given as such or by a function of the frame."""
    flags = np.array(value(frame) if callable(value) else plain_values(value))
    if flags.dtype != bool or flags.shape != (len(frame),):
        raise InputError(
            f"{argument}: has type {flags.dtype} and shape {flags.shape}; give True or False for"
            f" each of {len(frame)} records"
        )
    return flags


@dataclass(frozen=True, slots=True, eq=False)
class ResponseRule:
    """What is known about the values of one response; None where nothing is.

    replaced : bool, shape (n,); records whose value is simulated, the others keep theirs.
    possible : bool, shape (K,); levels that the value can have.
    allowed : function of proposed values and the records' data that says which of them are
        possible.
    preferred : function of the records' data that gives levels, shape (n, K), to which values are
        restricted if possible: a record that would have none left is not restricted.
    """

    replaced: Flags | None = None
    possible: Flags | None = None
    allowed: Allowed | None = None
    preferred: Callable[[pd.DataFrame], Flags] | None = None

    def rows(self, chosen: Integers) -> ResponseRule:
        """The rule for some of the records."""
        return self if self.replaced is None else replace(self, replaced=self.replaced[chosen])


class FittedChain:
    """Models in order, each with the parameters from which its response is drawn by `rng`."""

    def __init__(
        self,
        models: Sequence[SynthesisModel],
        parameters: Sequence[Floats],
        rng: np.random.Generator,
    ) -> None:
        self.models, self.parameters, self.rng = models, parameters, rng

    def simulate(
        self, data: pd.DataFrame, rules: Mapping[Hashable, ResponseRule], others: pd.DataFrame
    ) -> pd.DataFrame:
        """The data with every response simulated in turn.

        data : what `Coding.read` gave.
        others : columns that only rules look at, with the same rows.
        """
        data = data.copy()
        not_drawn = [model.response for model in self.models]
        for model, parameters in zip(self.models, self.parameters, strict=True):
            name = model.response
            rule = rules.get(name, ResponseRule())
            part, records, rows = data, others, np.arange(len(data))
            if rule.replaced is not None:
                rows = np.flatnonzero(rule.replaced)
                part, records = data.iloc[rows], others.iloc[rows]
            if rule.allowed is not None or rule.preferred is not None:
                # all columns except the responses still to be drawn
                records = pd.concat([records, part.drop(columns=not_drawn)], axis=1)
            if len(part):
                new = _drawn(model, parameters, self.rng, columns_of(part, model), rule, records)
                is_whole = len(new) == len(data)
                data[name] = new if is_whole else merged(data[name], rows, new)
            not_drawn = not_drawn[1:]
        return data


def merged(column: pd.Series, rows: Integers, new: Any) -> Any:
    """The column with new values in some rows: a Categorical, or float64."""
    if is_categorical(column):
        # a copy: the codes of the column itself must stay
        codes = column.cat.codes.to_numpy().astype(np.int64)
        codes[rows] = new.codes
        return pd.Categorical.from_codes(codes, categories=column.cat.categories)
    values = column.to_numpy(dtype=float, copy=True)
    values[rows] = new
    return values


def response_as_given(
    drawn: pd.DataFrame, name: Hashable, coding: Coding, frame: pd.DataFrame
) -> pd.Series:
    """A simulated response in the type that it has in the user's frame."""
    column = drawn[name]
    values = column.array if name in coding.levels else column.to_numpy()
    return coding.as_given(values, name, frame[name])


def _drawn(
    model: Any,  # a `SynthesisModel`, perhaps with probabilities
    parameters: Floats,
    rng: np.random.Generator,
    data: pd.DataFrame,
    rule: ResponseRule,
    records: pd.DataFrame,
) -> Any:
    """Values of the response for all rows of `data`: a Categorical with the column's categories, or
    float64. `records` are what the rule looks at.
    """
    name = model.response
    column = data[name]
    if rule.possible is None and rule.allowed is None and rule.preferred is None:
        return _simulated(model, parameters, rng, data)
    possible = None
    if is_categorical(column):
        possible = _possible(name, column.cat.categories, rule, records)
        if hasattr(model, "probabilities"):
            if rule.preferred is not None:
                free = possible & rule.preferred(records)
                possible = np.where(free.any(axis=1, keepdims=True), free, possible)
            chances = np.where(possible, model.probabilities(parameters, data), 0.0)
            # a record whose possible levels all have no chance draws among them evenly
            without = chances.sum(axis=1) <= 0
            chances[without] = possible[without]
            codes = drawn_codes(chances, rng.random(len(data)))
            return pd.Categorical.from_codes(codes, categories=column.cat.categories)
    waiting = np.arange(len(data))
    for _ in range(MOST_TRIES):
        new = _simulated(model, parameters, rng, data.iloc[waiting])
        column = pd.Series(merged(column, waiting, new), index=data.index)
        if possible is not None:
            good = possible[waiting, new.codes]
        else:
            proposed = pd.Series(new, index=records.index[waiting])
            good = _asked(name, rule, proposed, records.iloc[waiting])
        waiting = waiting[~good]
        if not len(waiting):
            return column.array if is_categorical(column) else column.to_numpy()
    raise InputError(
        f"restrictions: {len(waiting)} records got no allowed value of {name!r} in"
        f" {MOST_TRIES} draws; check the restriction"
    )


def _simulated(
    model: SynthesisModel, parameters: Floats, rng: np.random.Generator, data: pd.DataFrame
) -> Any:
    """What the model simulates, in the form of the column."""
    column = data[model.response]
    values = model.simulate(parameters, data, rng)
    wrong = ""
    if np.ndim(values) != 1 or len(values) != len(column):
        wrong = f"an answer of shape {np.shape(values)} for {len(column)} records; one value for"
        wrong += " each is needed"
    elif is_categorical(column):
        categories = column.cat.categories
        if not (isinstance(values, pd.Categorical) and values.categories.equals(categories)):
            labels = pd.Index(np.asarray(values, dtype=object), dtype=object)
            codes = categories.get_indexer(labels)
            values = pd.Categorical.from_codes(codes, categories=categories)
        if (values.codes < 0).any():
            wrong = "values that are not among its categories"
    else:
        values = pd.to_numeric(pd.Series(values), errors="coerce").to_numpy(dtype=float)
        if not np.isfinite(values).all():
            wrong = "values that are not finite numbers"
    if wrong:
        raise InputError(f"models: simulate of the model of {model.response!r} gave {wrong}")
    return values


def _possible(
    name: Hashable, categories: pd.Index, rule: ResponseRule, records: pd.DataFrame
) -> Flags:
    """Shape (n, K): the levels that each record's value can have; each record has at least one."""
    possible = np.ones((len(records), len(categories)), dtype=bool)
    if rule.possible is not None:
        possible &= rule.possible
    if rule.allowed is not None:
        for number, level in enumerate(categories):
            plain = None if level is MISSING else level  # as a user's function gets it
            proposed = pd.Series([plain] * len(records), index=records.index, dtype=object)
            possible[:, number] &= _asked(name, rule, proposed, records)
    nothing = np.flatnonzero(~possible.any(axis=1))
    if len(nothing):
        first_row = int(records.index[nothing[0]]) + 1
        raise InputError(
            f"restrictions: no level of {name!r} is allowed for {len(nothing)} records, the first"
            f" at row {first_row}"
        )
    return possible


def _asked(name: Hashable, rule: ResponseRule, values: pd.Series, records: pd.DataFrame) -> Flags:
    """The answer of a user's function about proposed values; True where there is none."""
    answer = np.asarray(True if rule.allowed is None else rule.allowed(values, records))
    if answer.dtype != bool or answer.shape not in ((), (len(values),)):
        raise InputError(
            f"restrictions: the function for {name!r} gave {answer.dtype} of shape {answer.shape};"
            f" True or False for each of {len(values)} records is needed"
        )
    return np.broadcast_to(answer, len(values))
