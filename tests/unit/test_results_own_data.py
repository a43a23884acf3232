"""What a call gave stays as it is, whatever happens to the frames and arrays it was given."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from functools import cache
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.unit.every_call import CALLS, NUMBERS, Inputs, inputs, told

# of the functions of numbers those that are given arrays
OF_ARRAYS = ("combine", "combine_two_stage", "ci_overlap", "ifpr_risk", "ifpr_variance", "ru_curve")
WITH_DATA = [name for name in CALLS if name not in NUMBERS or name in OF_ARRAYS]

pytestmark = pytest.mark.filterwarnings("ignore")


def _write(frame: pd.DataFrame) -> None:
    """Into the arrays themselves, where pandas hands out ones that can be written to; then by
    position, then by label.
    """
    for at, name in enumerate(frame.columns):
        values = frame[name].values
        if not isinstance(values, np.ndarray) or values.flags.writeable:
            values[:3] = values[-1]
        frame.iloc[1:4, at] = frame.iloc[-3:, at].to_numpy()[::-1]
        frame.iloc[4, at] = frame.iloc[0, at]
        frame.loc[frame.index[3:6], name] = frame[name].iloc[-1]


def _replace(frame: pd.DataFrame) -> None:
    """Columns are assigned, levels get other names and no order, values go missing."""
    for name in frame.columns:
        if isinstance(frame[name].dtype, pd.CategoricalDtype):
            first = frame[name].cat.categories[0]
            frame[name] = frame[name].cat.rename_categories({first: "other"}).cat.as_unordered()
        else:
            frame[name] = frame[name].to_numpy()[::-1]
    frame.replace({"A": "B", 100: 101}, inplace=True)
    frame.mask(frame == frame.iloc[0], inplace=True)


def _rearrange(frame: pd.DataFrame) -> None:
    """Rows are sorted, dropped and labelled anew; columns are dropped and renamed."""
    frame.sort_values(list(frame.columns), ascending=False, inplace=True)
    frame.drop(index=frame.index[::2], inplace=True)
    frame.index.name = "label"
    frame.index = frame.index[::-1]
    frame.drop(columns=list(frame.columns[1:]), inplace=True)
    frame.columns = ["new"]


CHANGES: dict[str, Callable[[pd.DataFrame], None]] = {
    "written into": _write,
    "replaced": _replace,
    "rearranged": _rearrange,
}


def _change(given: Inputs, how: Callable[[pd.DataFrame], None]) -> None:
    for frame in given.frames():
        how(frame)
    for array in given.arrays():
        array[...] = array[::-1].copy()
        array[0] = array[-1]
    given.sets.pop()


@cache
def _alone(name: str) -> str:
    return told(CALLS[name](inputs()))


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", WITH_DATA)
def test_changes_of_the_inputs_do_not_matter(name, change):
    given = inputs()
    answer = CALLS[name](given)
    _change(given, CHANGES[change])
    assert told(answer) == _alone(name)


@pytest.mark.parametrize("change", CHANGES)
def test_the_changes_are_changes(change):
    given = inputs()
    _change(given, CHANGES[change])
    for changed, frame in zip([given.original, *given.sets], inputs().frames()):
        assert not changed.equals(frame)
    for changed, array in zip(given.arrays(), inputs().arrays()):
        assert not np.array_equal(changed, array)


# ---- what a result keeps, whether a method shows it or not ----------------------------


def _kept(thing: Any) -> Iterator[Any]:
    """Every array and frame that can be reached from a result, also through functions that it
    keeps; frames are not looked into.
    """
    seen: set[int] = set()
    waiting = [thing]
    while waiting:
        part = waiting.pop()
        if id(part) in seen or isinstance(part, (type, ModuleType)):
            continue
        seen.add(id(part))
        if isinstance(part, (np.ndarray, pd.DataFrame, pd.Series, pd.Index)):
            yield part
        elif isinstance(part, FunctionType):
            waiting += [part.__closure__, part.__defaults__, part.__kwdefaults__]
        else:
            waiting += gc.get_referents(part)


def _memory(given: Inputs) -> list[np.ndarray]:
    """The arrays behind all inputs."""
    arrays = list(given.arrays())
    for frame in given.frames():
        for name in frame.columns:
            values = frame[name].array
            codes = values.codes if isinstance(values, pd.Categorical) else None
            arrays.append(np.asarray(values._data if codes is None else codes)
                          if hasattr(values, "_data") or codes is not None
                          else frame[name].to_numpy())
    return arrays


@pytest.mark.parametrize("name", WITH_DATA)
def test_no_array_of_a_result_is_the_users(name):
    given = inputs()
    answer = CALLS[name](given)
    memory = _memory(given)
    arrays = [part for part in _kept(answer) if isinstance(part, np.ndarray)]
    for array in arrays:
        assert not any(np.may_share_memory(array, users) for users in memory)
