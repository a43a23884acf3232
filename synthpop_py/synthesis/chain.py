"""Several models in order: each response is simulated given the columns released unchanged and the
responses before it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ..arguments import is_column
from ..core.arrays import Flags, Floats, Integers
from ..errors import InputError, unknown_name
from ..estimation.design import MISSING, Coding, is_categorical, make_coding
from .models import SynthesisModel, drawn_codes

MOST_TRIES = 1000

Allowed = Callable[[pd.Series, pd.DataFrame], Any]


def check_chain(models: Any, columns: Sequence[Hashable], where: str) -> tuple[SynthesisModel, ...]:
    """Models whose responses and predictors are columns: no response twice, no predictor
    synthesised later.
    """
    chain = (models,) if _is_model(models) else models
    if not isinstance(chain, (list, tuple)) or not chain:
        raise InputError(
            f"models: {type(models).__name__} cannot be used or is empty; give a list of models in"
            " the order in which values are synthesised"
        )
    for number, model in enumerate(chain, start=1):
        if not _is_model(model):
            raise InputError(
                f"models: element {number} is a {type(model).__name__}; give Multinomial,"
                " NormalRegression, or an object with response, predictors, fit and simulate"
            )
        if not is_column(model.response, columns):
            raise unknown_name("models", model.response, columns, where)
    responses = [model.response for model in chain]
    for number, model in enumerate(chain):
        response = model.response
        if response in responses[:number]:
            raise InputError(f"models: two models have the response {response!r}")
        for name in model.predictors:
            if not is_column(name, columns):
                raise unknown_name(f"models, predictors of {response!r}", name, columns, where)
            if name == response:
                raise InputError(f"models: {name!r} is a predictor of itself")
            if name in responses[number:]:
                raise InputError(
                    f"models: {name!r} is a predictor of {response!r} but synthesised after it;"
                    " change the order or leave it out"
                )
        if len(set(model.predictors)) < len(model.predictors):
            raise InputError(f"models: a predictor of {response!r} is given more than once")
    return tuple(chain)


def _is_model(value: Any) -> bool:
    return isinstance(value, SynthesisModel) and not isinstance(value, type)


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


@dataclass(frozen=True, slots=True, eq=False)
class ResponseRule:
    """What is known about the values of one response; None where nothing is.

    replaced : bool, shape (n,); records whose value is simulated, the others keep theirs.
    possible : bool, shape (K,) or (n, K); levels that the value can have.
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
        replaced, possible = self.replaced, self.possible
        if replaced is not None:
            replaced = replaced[chosen]
        if possible is not None and possible.ndim == 2:
            possible = possible[chosen]
        return replace(self, replaced=replaced, possible=possible)

    @property
    def looks_at_records(self) -> bool:
        return self.allowed is not None or self.preferred is not None


class FittedChain(NamedTuple):
    """Models in order, each with the parameters from which its response is drawn by `rng`."""

    models: Sequence[SynthesisModel]
    parameters: Sequence[Floats]
    rng: np.random.Generator

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
            rows = np.arange(len(data))
            if rule.replaced is not None:
                rows = np.flatnonzero(rule.replaced)
                rule = rule.rows(rows)
            whole = len(rows) == len(data)
            part = data if whole else data.iloc[rows]
            records = others if whole else others.iloc[rows]
            if rule.looks_at_records:  # all columns except the responses still to be drawn
                records = pd.concat([records, part.drop(columns=not_drawn)], axis=1)
            if whole:
                data[name] = _drawn(model, parameters, self.rng, part, rule, records)
            elif len(rows):
                new = _drawn(model, parameters, self.rng, part, rule, records)
                data[name] = merged(data[name], rows, new)
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


# ---- draws of one response under a rule ---------------------------------------------------------


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
    data = columns_of(data, model)  # a model sees only the columns it names
    if rule.possible is None and not rule.looks_at_records:
        return _simulated(model, parameters, rng, data)
    name = model.response
    column = data[name]
    if is_categorical(column) and hasattr(model, "probabilities"):
        # impossible levels have probability 0; a record whose possible levels all have it draws
        # among them evenly
        categories = column.cat.categories
        possible = _possible(name, categories, rule, records)
        chances = np.where(possible, model.probabilities(parameters, data), 0.0)
        without = chances.sum(axis=1) <= 0
        chances[without] = possible[without]
        codes = drawn_codes(chances, rng.random(len(data)))
        return pd.Categorical.from_codes(codes, categories=categories)
    waiting = np.arange(len(data))
    for _ in range(MOST_TRIES):
        new = _simulated(model, parameters, rng, data.iloc[waiting])
        column = pd.Series(merged(column, waiting, new), index=data.index)
        waiting = waiting[~_good(name, new, rule.rows(waiting), records.iloc[waiting])]
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
    name = model.response
    column = data[name]
    values = model.simulate(parameters, data, rng)
    if np.ndim(values) != 1 or len(values) != len(column):
        raise InputError(
            f"models: simulate of the model of {name!r} gave an answer of shape"
            f" {np.shape(values)} for {len(column)} records; one value for each is needed"
        )
    if is_categorical(column):
        categories = column.cat.categories
        if not (isinstance(values, pd.Categorical) and values.categories.equals(categories)):
            labels = pd.Index(np.asarray(values, dtype=object), dtype=object)
            codes = categories.get_indexer(labels)
            values = pd.Categorical.from_codes(codes, categories=categories)
        if (values.codes < 0).any():
            raise InputError(
                f"models: simulate of the model of {name!r} gave values that are not among its"
                " categories (the error's details have them)",
                details={"levels": tuple(categories)},
            )
        return values
    try:
        numbers = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        numbers = np.array([np.nan])
    if not np.isfinite(numbers).all():
        raise InputError(
            f"models: simulate of the model of {name!r} gave values that are not finite numbers"
        )
    return numbers


def _possible(
    name: Hashable, categories: pd.Index, rule: ResponseRule, records: pd.DataFrame
) -> Flags:
    """Shape (n, K): the levels that each record's value can have; each record has at least one."""
    possible = np.ones((len(records), len(categories)), dtype=bool)
    if rule.possible is not None:
        possible &= rule.possible
    if rule.allowed is not None:
        for number, level in enumerate(categories):
            proposed = _plain([level] * len(records), records)
            possible[:, number] &= _asked(name, rule.allowed, proposed, records)
    nothing = np.flatnonzero(~possible.any(axis=1))
    if len(nothing):
        first_row = int(records.index[nothing[0]]) + 1
        raise InputError(
            f"restrictions: no level of {name!r} is allowed for {len(nothing)} records, the first"
            f" at row {first_row}"
        )
    # a preference, not a rule: it is ignored where it would leave a record without a level
    if rule.preferred is not None:
        confined = possible & rule.preferred(records)
        possible = np.where(confined.any(axis=1, keepdims=True), confined, possible)
    return possible


def _good(name: Hashable, values: Any, rule: ResponseRule, records: pd.DataFrame) -> Flags:
    """Which of the values drawn are allowed."""
    count = len(values)
    good = np.ones(count, dtype=bool)
    if rule.possible is not None:
        possible = np.broadcast_to(rule.possible, (count, rule.possible.shape[-1]))
        good &= possible[np.arange(count), values.codes]
    if rule.allowed is not None:
        drawn = pd.Series(values, index=records.index)
        if isinstance(values, pd.Categorical):
            drawn = _plain(values, records)
        good &= _asked(name, rule.allowed, drawn, records)
    return good


def _plain(levels: Iterable[Any], records: pd.DataFrame) -> pd.Series:
    """Levels as a user's function gets them: None where missing."""
    values = [None if level is MISSING else level for level in levels]
    return pd.Series(values, index=records.index, dtype=object)


def _asked(name: Hashable, allowed: Allowed, values: pd.Series, records: pd.DataFrame) -> Flags:
    """The answer of a user's function about proposed values."""
    answer = np.asarray(allowed(values, records))
    if answer.dtype != bool or answer.shape not in ((), (len(values),)):
        raise InputError(
            f"restrictions: the function for {name!r} gave {answer.dtype} of shape {answer.shape};"
            f" True or False for each of {len(values)} records is needed"
        )
    return np.broadcast_to(answer, len(values))
