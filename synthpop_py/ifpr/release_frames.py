"""The tables of an `IFPRRelease`: how it was made, and what it discloses."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..core.arrays import Floats, Integers, Values
from .naming import group_texts
from .profile import Profile, highest_count, profile

if TYPE_CHECKING:
    from .release import IFPRRelease

ALL = "all blocks"


def design_frame(release: IFPRRelease) -> pd.DataFrame:
    """See `IFPRRelease.design`."""
    flows = release._randomisation.flows
    units = flows.units.sum(axis=1)
    expected = (flows.cells * flows.theta).sum(axis=1) * flows.possible
    columns: dict[str, Any] = {"units": units, "cells": flows.cells.sum(axis=1)}
    columns |= _cells_by_size(release)
    columns |= _thetas(release)
    columns["expected_changed"] = expected
    columns["share_perturbed"] = expected / units
    columns["changed"] = _changed_by_block(release)
    columns["elsewhere"] = flows.elsewhere
    names = _free_names(release._names.variables, columns)
    groups = dict(zip(names, group_texts(release._names)))
    return pd.DataFrame(groups | columns, index=_index(release._labels()))


def _cells_by_size(release: IFPRRelease) -> dict[str, Integers]:
    """cells_1, cells_2, ...: none of sizes that do not occur."""
    flows = release._randomisation.flows
    by_size = dict(zip(flows.sizes.tolist(), flows.cells.T))
    none = np.zeros(len(flows.cells), dtype=np.int64)
    return {f"cells_{T}": by_size.get(T, none) for T in release._goal.sizes.tolist()}


def _thetas(release: IFPRRelease) -> dict[str, Any]:
    """theta, or theta_1, theta_2, ... where sizes differ. Sizes that are only company have one for
    each block.
    """
    goal, flows = release._goal, release._randomisation.flows
    thetas = release.theta
    if len(set(thetas.values())) == 1 and goal.needs.all():
        return {"theta": goal.theta[0]}
    by_block = dict(zip(flows.sizes.tolist(), flows.theta.T))
    columns: dict[str, Any] = {}
    for (T, theta), needs in zip(thetas.items(), goal.needs):
        columns[f"theta_{T}"] = theta if needs else by_block.get(T, theta)
    return columns


def _changed_by_block(release: IFPRRelease) -> Integers:
    randomisation = release._randomisation
    left = randomisation.unit_cell[release._moved]
    return np.bincount(randomisation.block[left], minlength=len(randomisation.flows.cells))


def _free_names(variables: Sequence[Hashable], taken: Collection[str]) -> list[str]:
    """Texts of the variables that are no other column's name, nor each other's."""
    names: list[str] = []
    for variable in variables:
        name = str(variable)
        while name in taken or name in names:
            name += " (groups)"
        names.append(name)
    return names


def _index(labels: Values | list[str]) -> pd.Index:
    return pd.Index(labels, name="block", dtype=object)


def cells_frame(release: IFPRRelease) -> pd.DataFrame:
    """See `IFPRRelease.cells`."""
    randomisation = release._randomisation
    number = len(randomisation.block)
    flows = randomisation.flows
    keys = release._original()[list(release.keys)].iloc[randomisation.first]
    columns = {
        "block": release._labels()[randomisation.block],
        "T": flows.sizes[randomisation.size_at],
        "S": np.bincount(release._released, minlength=number),
        "leave": flows.leave_if_possible[randomisation.block, randomisation.size_at],
    }
    return pd.DataFrame(columns, index=_key_index(keys))


def _key_index(keys: pd.DataFrame) -> pd.Index:
    """One level per key, also where there is one only."""
    if len(keys.columns) == 1:
        return pd.Index(keys.iloc[:, 0], name=keys.columns[0])
    return pd.MultiIndex.from_frame(keys)


def found_table_frame(release: IFPRRelease, last: int) -> pd.DataFrame:
    """See `IFPRRelease.found_table`; `last` is the highest count that is shown."""
    flows = release._randomisation.flows
    blocks = profile(flows, last)
    pooled = _pool(blocks, flows.units)
    columns: dict[str, Any] = {}
    for i, T in enumerate(flows.sizes.tolist()):
        for a in range(last + 1):
            columns[f"T={T} P({a})"] = np.append(blocks.found[:, i, a], pooled.found[0, i, a])
    return pd.DataFrame(columns, index=_index([*release._labels(), ALL]))


def risk_table_frame(release: IFPRRelease, last: int) -> pd.DataFrame:
    """See `IFPRRelease.risk_table`; `last` is the highest count that is shown."""
    randomisation = release._randomisation
    units = randomisation.flows.units
    blocks = profile(randomisation.flows, max(last, highest_count(release.xi)))
    pooled = _pool(blocks, units)
    block_risk, pooled_risk = blocks.risk, pooled.risk
    all_units = len(randomisation.unit_row)
    columns: dict[str, Any] = {"units": np.append(units.sum(axis=1), all_units)}
    for i, T in enumerate(randomisation.flows.sizes.tolist()):
        for a in range(1, last + 1):
            columns[f"T={T} IR({a})"] = np.append(block_risk[:, i, a], pooled_risk[0, i, a])
        columns[f"T={T} overall"] = np.append(blocks.overall[:, i], pooled.overall[0, i])
    worst = np.nan_to_num(block_risk[..., 1:]).max(axis=(1, 2), initial=0.0)
    of_untouched = 1 / release._untouched_sizes[:1]
    columns["worst"] = np.append(worst, max([*worst.tolist(), *of_untouched.tolist()]))
    return pd.DataFrame(columns, index=_index([*release._labels(), ALL]))


def _pool(blocks: Profile, units: Integers) -> Profile:
    """Chances of a target drawn from all units of its size, one row."""
    total = units.sum(axis=0).astype(float)
    weight = units[..., None]
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.nansum(blocks.found * weight, axis=0) / total[:, None]
        matched = np.nansum(blocks.matched * weight, axis=0) / total[:, None]
        overall = np.nansum(blocks.overall * units, axis=0) / total
    return Profile(found[None], matched[None], overall[None])


def tidy_risk_frame(release: IFPRRelease, last: int) -> pd.DataFrame:
    """See `IFPRRelease.tidy`; `last` is the highest count that is shown."""
    flows = release._randomisation.flows
    blocks = profile(flows, last)
    units = flows.units[..., None]
    ones = np.ones(flows.cells.shape)
    matches = with_all_counts(blocks.matched, blocks.overall) * units.astype(float)
    finders = with_all_counts(blocks.found, ones) * units.astype(float)
    with np.errstate(divide="ignore", invalid="ignore"):
        risk = matches / finders
    columns = {
        "block": release._labels()[:, None, None],
        "T": flows.sizes[:, None],
        "a": np.array([*range(1, last + 1), None], dtype=object),
        "risk": risk,
        "expected_matches": matches,
        "expected_units": finders,
        "cells": flows.cells[..., None],
        "units": units,
    }
    long = {name: np.broadcast_to(columns[name], risk.shape).reshape(-1) for name in columns}
    frame = pd.DataFrame(long)
    return frame[frame["cells"] > 0].reset_index(drop=True)


def with_all_counts(by_count: Floats, overall: Floats) -> Floats:
    """Chances of the counts from 1 on, and at last those of all counts together."""
    return np.concatenate((by_count[..., 1:], overall[..., None]), axis=-1)
