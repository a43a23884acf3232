"""What a call gave stays as it is, whatever happens to the frames and arrays it was given."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from functools import cache, partial
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from synthpop_py import SynDS, identification_risk, ifpr, ru_map, synthesis
from tests.unit.every_call import CALLS, NUMBERS, SEED, Inputs, N, inputs, told

# of the functions of numbers those that are given arrays
OF_ARRAYS = (
    *("combine", "combine_two_stage", "ci_overlap"),
    *("ifpr_found", "ifpr_risk", "ifpr_variance", "ru_curve"),
)
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
    arrays = given.arrays()
    for frame in given.frames():
        for name in frame.columns:
            values = frame[name].array
            if isinstance(values, pd.Categorical):
                arrays.append(values.codes)
            elif isinstance(values, pd.arrays.IntegerArray):
                arrays += [values._data, values._mask]
            else:
                arrays.append(frame[name].to_numpy())
    return arrays


@pytest.mark.parametrize("name", WITH_DATA)
def test_no_array_of_a_result_is_the_users(name):
    given = inputs()
    answer = CALLS[name](given)
    memory = _memory(given)
    arrays = [part for part in _kept(answer) if isinstance(part, np.ndarray)]
    for array in arrays:
        assert not any(np.may_share_memory(array, users) for users in memory)


ABOUT_CELLS = (
    "disclosure",
    "disclosure, corrected",
    "disclosure_summary",
    "multi_disclosure",
    "key_risk",
    "risk_utility_by_m",
    "ru_map",
    "table_utility",
    "propensity_utility",
    "estimand_overlap",
    "ifpr, verify",
    "ifpr, audit",
)


@pytest.mark.parametrize("name", ABOUT_CELLS)
def test_a_result_about_cells_keeps_nothing_as_long_as_the_data(name):
    answer = CALLS[name](inputs())
    assert [part for part in _kept(answer) if np.ndim(part) and len(part) == N] == []


def test_the_walk_reaches_what_a_function_keeps():
    array = np.arange(3)
    holder = SimpleNamespace(ask=[partial(np.add, array)], later=lambda: array + 1)
    assert sum(part is array for part in _kept(holder)) == 1
    assert sum(part is array for part in _kept(holder.later)) == 1


# ---- the faults that were found, one by one -------------------------------------------


def test_a_release_is_judged_by_the_data_it_was_made_from():
    people = pd.DataFrame({"sex": list("fffmmm"), "age": [30, 31, 32] * 2, "income": range(6)})
    release = ifpr(people, ["sex", "age"], theta=0.5, blocks="sex", seed=SEED)
    distance = release.tvd()
    people["age"] = 99
    pd.testing.assert_frame_equal(release.tvd(), distance)
    assert release.original["age"].tolist() == [30, 31, 32] * 2


def test_changes_of_what_a_release_hands_out_do_not_matter():
    sex = pd.Categorical(list("fffmmm"))
    people = pd.DataFrame({"sex": sex, "age": [30, 31, 32] * 2, "income": range(6)})
    release = ifpr(people, ["sex", "age"], theta=0.5, blocks="sex", seed=SEED)
    before = told(release)
    for frame in (release.data, release.original):
        _write(frame)
        _rearrange(frame)
    assert told(release) == before
    assert list(release.data.columns) == list(people.columns)


def test_a_map_shows_no_risk_of_a_release_made_from_other_data():
    people = pd.DataFrame({"sex": list("fffmmm"), "age": [30, 31, 32] * 2})
    release = ifpr(people, ["sex", "age"], theta=0.5, blocks="sex", seed=SEED)
    same = ru_map({"x": release}, people, keys=["sex", "age"], risk="IR").table
    people.loc[0, "age"] = 33
    other = ru_map({"x": release}, people, keys=["sex", "age"], risk="IR")
    assert same["IR"].notna().all()
    assert other.table["IR"].isna().all() and "made from other data" in str(other)


def test_groups_are_those_of_the_call():
    people = pd.DataFrame({"sex": list("ffmm"), "town": list("AABB"), "c": list("xyyy")})
    groups = np.array([1, 1, 1, 2])
    risk = identification_risk(people, people, known="sex", synthesised="town", by=groups)
    by_column, shown, probable = risk.by("c"), str(risk), risk.probabilities(0)
    people.sort_values("c", ascending=False, inplace=True)
    groups[:] = 3
    pd.testing.assert_frame_equal(risk.by("c"), by_column)
    pd.testing.assert_series_equal(risk.probabilities(0), probable)
    assert str(risk) == shown


def test_restrictions_and_the_meta_of_a_synthesis_are_kept_as_given():
    replaced, nest = np.array([True, False]), [1, 1]
    restriction = synthesis.Restriction(allowed=["A"], replaced=replaced)
    uniques = synthesis.SampleUniques(["town"], replaced)
    synds = SynDS([pd.DataFrame({"x": [1]})] * 2, meta={"nest": nest})
    replaced[:] = False
    nest[1] = 2
    assert restriction.replaced.tolist() == uniques.replaced.tolist() == [True, False]
    assert synds.meta == {"nest": [1, 1]}
