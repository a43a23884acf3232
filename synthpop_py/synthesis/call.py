"""The arguments of `syn()`, checked once: which columns, in which order, by which method, from
which predictors.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from ..arguments import (
    check_choice,
    check_flag,
    check_number,
    check_whole,
    chosen_columns,
    is_number,
    listed,
)
from ..errors import InputError, unknown_choice, unknown_name
from ..r.only_there import is_method, way_without_method
from ..tables.opening import plain_if_frame
from .smoothing import SMOOTHINGS, Smoothing
from .trees import TreeRules

__all__ = ["Call", "Method", "call_text", "check_call", "is_modelled"]

Method = Literal["cart", "sample", "constant", "collinear", ""]

METHODS = ("cart", "sample", "constant", "collinear", "")
LARGEST_SEED = 2**31 - 1


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """A checked call of `syn()`.

    Attributes
    ----------
    predictors : for each visited column, in the order of visits, the columns that predict it in the
        order of the data.
    sequence : the visits with those columns that have the method ""; they can still turn out to be
        constant or collinear.
    records : k, how many synthetic records to make.
    """

    methods: dict[Hashable, Method]
    visits: list[Hashable]
    sequence: list[Hashable]
    predictors: dict[Hashable, list[Hashable]]
    m: int
    records: int
    seed: int | None
    proper: bool
    cont_na: dict[Hashable, tuple[float, ...]]
    semicont: dict[Hashable, tuple[float, ...]]
    minnumlevels: int
    maxfaclevels: int
    smoothing: dict[Hashable, Smoothing]
    rules: TreeRules
    keeps_some: bool  # whether the user gave some column the method ""

    def named_special(self, name: Hashable) -> tuple[float, ...]:
        """The special values of a number that the user named."""
        return (*self.cont_na.get(name, ()), *self.semicont.get(name, ()))

    def takes_part(self, name: Hashable) -> bool:
        """Whether a column is synthesised or predicts another one."""
        return name in self.predictors or is_modelled(name, self.predictors)


def is_modelled(name: Hashable, predictors: dict[Hashable, list[Hashable]]) -> bool:
    """Whether a tree meets a column, as its outcome or as a predictor."""
    if predictors.get(name):
        return True
    return any(name in others for others in predictors.values())


def check_call(
    data: pd.DataFrame,
    *,
    method: Any,
    visit_sequence: Any,
    predictor_matrix: Any,
    m: Any,
    k: Any,
    proper: Any,
    minnumlevels: Any,
    maxfaclevels: Any,
    cont_na: Any,
    semicont: Any,
    seed: Any,
    cart_minbucket: Any,
    cart_cp: Any,
    smoothing: Any,
) -> Call:
    """The call with every argument resolved to columns and numbers."""
    _check_data(data)
    names = list(data.columns)
    visits = _visits(visit_sequence, names)
    methods = _methods(method, names, visits)
    rules = TreeRules(
        minbucket=max(1, check_whole("cart_minbucket", cart_minbucket)),  # R takes 0 for 1
        cp=check_number("cart_cp", cart_cp, low=0.0),
    )
    return Call(
        methods=methods,
        visits=[name for name in visits if methods[name]],
        sequence=visits,
        predictors=_predictors(predictor_matrix, names, visits, methods),
        m=check_whole("m", m),
        records=len(data) if k is None else check_whole("k", k, low=1),
        seed=_seed(seed),
        proper=check_flag("proper", proper),
        cont_na=_special("cont_na", cont_na, data),
        semicont=_special("semicont", semicont, data),
        minnumlevels=check_whole("minnumlevels", minnumlevels, low=0),
        maxfaclevels=check_whole("maxfaclevels", maxfaclevels, low=1),
        smoothing=_smoothing(smoothing, data),
        rules=rules,
        keeps_some=_names_none(method),
    )


def call_text(given: Mapping[str, Any], defaults: Mapping[str, Any]) -> str:
    """A call as a user would write it again, without what it left out.

    >>> call_text({"method": "cart", "m": 2, "k": None}, {"method": "cart", "m": 1, "k": None})
    'syn(data, m=2)'
    """
    parts = ["data"]
    for name, value in given.items():
        is_default = type(value) is type(defaults[name]) and value == defaults[name]
        if not is_default:
            parts.append(f"{name}={_value_text(value)}")
    return f"syn({', '.join(parts)})"


def _value_text(value: Any) -> str:
    """Short values as they are, a matrix by its shape."""
    if isinstance(value, (pd.DataFrame, np.ndarray)) and value.ndim == 2:
        return f"<{value.shape[0]} x {value.shape[1]}>"
    if isinstance(value, pd.Series):
        value = _by_name(value)
    if isinstance(value, (np.ndarray, np.generic, pd.Index, pd.Series)):
        value = value.tolist()
    return repr(value)


def _check_data(data: pd.DataFrame) -> None:
    if not len(data) or not len(data.columns):
        raise InputError("data: has no rows or no columns, so there is nothing to synthesise")
    if any(pd.api.types.is_scalar(name) and pd.isna(name) for name in data.columns):
        raise InputError("data: the name of a column is missing; rename it")


def _visits(given: Any, names: list[Hashable]) -> list[Hashable]:
    if given is None:
        return names
    visits = chosen_columns("visit_sequence", given, names)
    if not visits:
        raise InputError("visit_sequence: is empty; name at least one column")
    return visits


def _methods(given: Any, names: list[Hashable], visits: list[Hashable]) -> dict[Hashable, Method]:
    """A method for every column: "" where it is not synthesised."""
    given = _by_name(given)
    if not isinstance(given, (str, Mapping)) and len(listed(given)) == 1 < len(names):
        given = listed(given)[0]  # for R a text is a vector of one
    if isinstance(given, str):
        methods = dict.fromkeys(visits, _method(given))
        methods[visits[0]] = "sample"  # nothing was synthesised before it that could predict it
    elif isinstance(given, Mapping):
        unknown = [name for name in given if name not in names]
        if unknown:
            raise unknown_name("method", unknown[0], names, "the data")
        methods = dict.fromkeys(visits, _method("cart"))
        methods[visits[0]] = "sample"
        methods.update({name: _method(given[name], name) for name in visits if name in given})
    else:
        methods = _methods_in_order(listed(given), names, visits)
    return {name: methods.get(name, "") for name in names}


def _names_none(method: Any) -> bool:
    """Whether the methods that the user gave have "" among them."""
    given = _by_name(method)
    values = given.values() if isinstance(given, Mapping) else listed(given)
    return any(isinstance(value, str) and not value.strip() for value in values)


def _by_name(given: Any) -> Any:
    """R's named vector: a Series, whose labels are names unless they are pandas' default
    numbers.
    """
    if isinstance(given, pd.Series) and not isinstance(given.index, pd.RangeIndex):
        return given.to_dict()
    return given


def _methods_in_order(
    given: list[Any], names: list[Hashable], visits: list[Hashable]
) -> dict[Hashable, Method]:
    if len(given) != len(names):
        raise InputError(
            f"method: {len(given)} methods for {len(names)} columns; give one for all, one per"
            " column in the order of the data, or a mapping of columns to methods"
        )
    methods = {name: _method(value, name) for name, value in zip(names, given, strict=True)}
    return {name: methods[name] for name in visits}


def _method(value: Any, name: Hashable | None = None) -> Method:
    argument = "method" if name is None else f"method of {name!r}"
    value = value.replace(" ", "") if isinstance(value, str) else value  # as R does
    if value in METHODS:
        chosen: Method = value
        return chosen
    if is_method(value):
        raise InputError(
            f"{argument}: {value!r} exists only in R; choices here: 'cart' and 'sample'."
            f" Instead: {way_without_method(str(value))}"
        )
    raise unknown_choice(argument, value, [*METHODS[:4]], "the methods")


def _predictors(
    given: Any,
    names: list[Hashable],
    visits: list[Hashable],
    methods: dict[Hashable, Method],
) -> dict[Hashable, list[Hashable]]:
    """The predictors of each column: all columns visited earlier, as far as a matrix allows."""
    allowed = None if given is None else _matrix(given, names)
    observed = {name for name in names if not methods[name]}
    predictors: dict[Hashable, list[Hashable]] = {}
    for turn, name in enumerate(visits):
        if not methods[name]:
            continue
        predictors[name] = []
        if methods[name] == "sample":
            continue
        usable = set(visits[:turn])
        if allowed is not None:
            # a column that is not synthesised has its values from the start
            row = allowed[names.index(name)]
            usable = {other for other, one in zip(names, row, strict=True) if one}
            usable &= {*visits[:turn], *observed}
        predictors[name] = [other for other in names if other in usable and other != name]
    return predictors


def _matrix(given: Any, names: list[Hashable]) -> np.ndarray:
    given = plain_if_frame(given, "predictor_matrix")
    if isinstance(given, pd.DataFrame):
        for axis in (given.index, given.columns):
            if set(axis) == set(names):
                continue
            if list(axis) != list(range(len(names))):
                raise InputError(
                    "predictor_matrix: its row and column names are not those of the data"
                )
        if set(given.index) == set(names) and set(given.columns) == set(names):
            given = given.loc[names, names]
    try:
        matrix = np.asarray(given)
    except ValueError:
        raise InputError("predictor_matrix: its rows have unequal lengths") from None
    if matrix.shape != (len(names), len(names)):
        shape = " x ".join(map(str, matrix.shape)) if matrix.ndim > 1 else "no matrix"
        raise InputError(
            f"predictor_matrix: is {shape}; give one row and one column per column of the data,"
            f" {len(names)} x {len(names)}, with 1 where the column predicts the row"
        )
    if not np.isin(matrix, (0, 1)).all():
        raise InputError(
            "predictor_matrix: holds values other than 0 and 1; give 1 where the column predicts "
            "the row"
        )
    return matrix.astype(bool)


def _special(argument: str, given: Any, data: pd.DataFrame) -> dict[Hashable, tuple[float, ...]]:
    """Special values by column; missing values need not be listed."""
    given = _by_name(given)
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise InputError(
            f"{argument}: {given!r} is not a mapping; give column names with values, as in"
            " {'income': -8}"
        )
    special = {}
    for name, values in given.items():
        if name not in data.columns:
            raise unknown_name(argument, name, list(data.columns), "the data")
        if not _is_number(data[name]):
            raise InputError(f"{argument}: column {name!r} is not a number")
        special[name] = _special_numbers(argument, name, listed(values))
    return special


def _special_numbers(argument: str, name: Hashable, values: list[Any]) -> tuple[float, ...]:
    numbers = []
    for value in values:
        if is_number(value):
            numbers.append(float(value))
        elif value is not None and value is not pd.NA:
            raise InputError(f"{argument}: {value!r} for {name!r} is not a number")
    return tuple(number for number in numbers if not np.isnan(number))


def _smoothing(given: Any, data: pd.DataFrame) -> dict[Hashable, Smoothing]:
    """How numbers are smoothed: one way for all of them, or by column."""
    given = _by_name(given)
    if given is None or (isinstance(given, str) and not given):
        return {}
    numbers = [name for name in data.columns if _is_number(data[name])]
    if not isinstance(given, Mapping):
        return dict.fromkeys(numbers, check_choice("smoothing", given, SMOOTHINGS))
    smoothing: dict[Hashable, Smoothing] = {}
    for name, how in given.items():
        if name not in data.columns:
            raise unknown_name("smoothing", name, list(data.columns), "the data")
        if how is None or (isinstance(how, str) and not how):
            continue
        if name not in numbers:
            raise InputError(f"smoothing: column {name!r} is not a number; leave it out")
        smoothing[name] = check_choice("smoothing", how, SMOOTHINGS)
    return smoothing


def _is_number(column: pd.Series) -> bool:
    dtype = column.dtype
    return pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_bool_dtype(dtype)


def _seed(given: Any) -> int | None:
    """R's seeds are whole numbers of 32 bits; without one the operating system draws."""
    drawn_in_r = isinstance(given, str) and given == "sample"
    if given is None or drawn_in_r:
        return None
    if is_number(given) and abs(given) <= LARGEST_SEED:
        return int(given)  # R also cuts off decimals
    raise InputError(
        f"seed: is not a whole number from -{LARGEST_SEED} to {LARGEST_SEED}, as R's "
        "set.seed() needs; leave it out for a release"
    )
