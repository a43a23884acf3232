"""What `ifpr` returns: the released data, how they were made, and what they disclose."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from ..arguments import check_choice, check_whole, chosen_columns
from ..core.arrays import Integers, Values
from ..core.levels import Variable
from ..show import Cell, Document, Relation, Shown
from ..show.plain import column_name
from .cells import exact_variable
from .marginals import marginal_frame
from .naming import BlockNames, block_labels, group_texts
from .profile import Profile, highest_count, profile
from .randomise import Exchange
from .scheme import Goal, check_xi
from .subtables import chosen_tables, distance_frame

if TYPE_CHECKING:
    from .audit import IFPRAudit
    from .check import IFPRCheck

ALL = "all blocks"
PLOTS = ("risk", "design")


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class IFPRRelease(Shown):
    """Released data with their design and risk. Risks are chances of a correct match, 0 to 1;
    higher is riskier.

    Attributes
    ----------
    data : DataFrame
        The released data: keys of some records replaced, everything else, order and index as in the
        original.
    original : the data given, not copied.
    keys : names.
    """

    data: pd.DataFrame
    original: pd.DataFrame
    keys: tuple[Hashable, ...]
    _goal: Goal
    _exchange: Exchange
    _released: Integers
    _names: BlockNames
    _cells_of_size: Integers

    # ---- how it was made -------------------------------------------------------------

    @property
    def xi(self) -> float:
        """The highest chance of a correct match accepted; where theta was given, the one it attains
        in large blocks.
        """
        return self._goal.xi

    @property
    def theta(self) -> dict[int, float]:
        """Expected number of units that leave a cell, by its size; other sizes are not perturbed.
        Of sizes that are only company, the highest of all blocks.
        """
        goal, flows = self._goal, self._exchange.flows
        used = dict(
            zip(
                flows.sizes.tolist(),
                np.where(flows.cells > 0, flows.theta, 0.0).max(axis=0, initial=0.0).tolist(),
            )
        )
        return {
            T: theta if needs else used.get(T, 0.0)
            for T, theta, needs in zip(
                goal.sizes.tolist(), goal.theta.tolist(), goal.needs.tolist()
            )
        }

    @property
    def max_count(self) -> int:
        """Cells with more units were left as they are."""
        return self._goal.max_count

    @property
    def changed(self) -> pd.Series:
        """For each record whether it was given the keys of another cell."""
        mask = np.zeros(len(self.data), dtype=bool)
        mask[self._exchange.unit_row] = self._released != self._exchange.unit_cell
        return pd.Series(mask, index=self.data.index, name="changed")

    @property
    def merged(self) -> pd.DataFrame:
        """Blocks that were too small and became part of another: one row each, with the label it
        would have had and the block it is in now.
        """
        names = self._names
        joined = names.joined
        return pd.DataFrame(
            {
                "was": block_labels(names.before_merging())[joined],
                "block": self._labels()[names.run[joined]],
            },
            dtype=object,
        )

    @property
    def design(self) -> pd.DataFrame:
        """One row per block, by its label.

        Columns: the groups of the block variables ("units (groups)" for a variable that is called
        like one of the others); units, cells (of those that are perturbed), cells_1, cells_2, ...
        by size; theta (theta_1, ... where sizes differ); expected_changed (units), share_perturbed
        (expected_changed / units), changed (units, in this release); elsewhere (whether a unit is
        likelier to go to one given other cell than to stay, see `IFPRCheck`).
        """
        exchange, flows = self._exchange, self._exchange.flows
        units = exchange.units_by_block.sum(axis=1)
        expected = (flows.cells * flows.theta).sum(axis=1) * flows.possible
        moved = exchange.block[exchange.unit_cell[self._released != exchange.unit_cell]]
        at = {T: i for i, T in enumerate(flows.sizes.tolist())}
        none = np.zeros(len(units), dtype=np.int64)
        columns: dict[str, Any] = {"units": units, "cells": flows.cells.sum(axis=1)}
        columns |= {
            f"cells_{T}": flows.cells[:, at[T]] if T in at else none
            for T in self._goal.sizes.tolist()
        }
        thetas = self.theta
        if len(set(thetas.values())) == 1 and self._goal.needs.all():
            columns["theta"] = self._goal.theta[0]
        else:
            columns |= {
                f"theta_{T}": theta if self._goal.needs[i] or T not in at else flows.theta[:, at[T]]
                for i, (T, theta) in enumerate(thetas.items())
            }
        columns |= {
            "expected_changed": expected,
            "share_perturbed": expected / units,
            "changed": np.bincount(moved, minlength=len(units)),
            "elsewhere": flows.elsewhere,
        }
        groups = dict(zip(_free_names(self._names.variables, columns), group_texts(self._names)))
        return pd.DataFrame(
            groups | columns, index=pd.Index(self._labels(), name="block", dtype=object)
        )

    def _labels(self) -> Values:
        return block_labels(self._names)

    # ---- risk ------------------------------------------------------------------------

    def risk_table(self, max_a: int | None = None) -> pd.DataFrame:
        """Theory: the risk of a target in each block and over all of them.

        Parameters
        ----------
        max_a : show released counts a from 1 to this; None for as many as there are sizes of cells,
            at least 2.

        Returns
        -------
        DataFrame
            One row per block and a last one, "all blocks", for a target drawn from all perturbed
            units. Columns: units; for each size T "T=1 IR(1)", "T=1 IR(2)", ... = P(correct match |
            S = a) and "T=1 overall" = P(correct match), of sizes that occur; "worst", the highest
            IR over T and every a that is shown or could pass the goal (1 / a above xi), in the last
            row with 1 / T of cells that were left as they are. NaN where a block has no such cell
            or the count cannot occur.
        """
        last = self._last("max_a", max_a)
        found = profile(self._exchange.flows, max(last, highest_count(self.xi)))
        pooled = _pool(found, self._exchange.units_by_block)
        columns: dict[str, Any] = {
            "units": np.append(
                self._exchange.units_by_block.sum(axis=1), len(self._exchange.unit_row)
            )
        }
        for i, T in enumerate(self._exchange.flows.sizes.tolist()):
            for a in range(1, last + 1):
                columns[f"T={T} IR({a})"] = np.append(found.risk[:, i, a], pooled.risk[0, i, a])
            columns[f"T={T} overall"] = np.append(found.overall[:, i], pooled.overall[0, i])
        worst = np.nan_to_num(found.risk[..., 1:]).max(axis=(1, 2), initial=0.0)
        left = np.flatnonzero(self._cells_of_size[self.max_count + 1 :]) + self.max_count + 1
        columns["worst"] = np.append(worst, max([*worst.tolist(), *(1 / left[:1]).tolist()]))
        return pd.DataFrame(
            columns, index=pd.Index([*self._labels(), ALL], name="block", dtype=object)
        )

    def _last(self, argument: str, value: Any) -> int:
        """The highest released count to be shown by itself."""
        return (
            max(2, int(self._exchange.flows.sizes.max()))
            if value is None
            else check_whole(argument, value, 1)
        )

    def tidy(self, max_a: int | None = None) -> pd.DataFrame:
        """The risk table in long form: one row for each block, size T and released count a.

        Columns: block, T, a (None for all counts together), risk, expected_matches and
        expected_units (numerator and denominator: units of T-cells of the block that are expected
        to be matched, and to find a records in their cell), cells, units.
        """
        last = self._last("max_a", max_a)
        found, flows = profile(self._exchange.flows, last), self._exchange.flows
        b, r = flows.cells.shape
        units = self._exchange.units_by_block.astype(float)
        matches = (
            np.concatenate((found.matched[..., 1:], found.overall[..., None]), axis=-1)
            * units[..., None]
        )
        found_units = (
            np.concatenate((found.found[..., 1:], np.ones((b, r, 1))), axis=-1) * units[..., None]
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            risk = matches / found_units
        shape, per = (b, r, last + 1), r * (last + 1)
        columns = {
            "block": np.repeat(self._labels(), per),
            "T": np.broadcast_to(flows.sizes[:, None], shape).reshape(-1),
            "a": pd.Series([*range(1, last + 1), None] * (b * r), dtype=object),
            "risk": risk.reshape(-1),
            "expected_matches": matches.reshape(-1),
            "expected_units": found_units.reshape(-1),
            "cells": np.broadcast_to(flows.cells[..., None], shape).reshape(-1),
            "units": np.broadcast_to(units[..., None], shape).reshape(-1).astype(np.int64),
        }
        frame = pd.DataFrame(columns)
        return frame[frame["cells"] > 0].reset_index(drop=True)

    def verify(self, xi: float | None = None) -> IFPRCheck:
        """Whether every block meets the goal for every size of cells and every released count.

        Parameters
        ----------
        xi : the goal; None for that of the release.

        Returns
        -------
        IFPRCheck
            True as a condition if all is well. `table` has each block, T and a; `violations` those
            that pass the goal.
        """
        from .check import check_release

        return check_release(self, self.xi if xi is None else check_xi(xi))

    def audit(
        self,
        runs: int = 100,
        *,
        max_s: int | None = None,
        seed: int | np.random.Generator | None = None,
    ) -> IFPRAudit:
        """The randomisation repeated: how often an intruder would be right, by T and S, beside
        theory.

        Parameters
        ----------
        runs : releases that are drawn and thrown away.
        max_s : counts S shown one by one, from 1 to this; None for as many as there are sizes of
            cells, at least 2.
        seed : whole number or numpy Generator.

        Returns
        -------
        IFPRAudit
        """
        from .audit import run_audit

        return run_audit(self, check_whole("runs", runs, 1), self._last("max_s", max_s), seed)

    # ---- utility ---------------------------------------------------------------------

    def marginals(self, variables: Any = None) -> pd.DataFrame:
        """Frequencies of single keys, original against released.

        Parameters
        ----------
        variables : some of the keys; None for all.

        Returns
        -------
        DataFrame
            One row per level. Columns: variable, level, original, released (records),
            original_share, released_share, original_minus_released (records), sampling_sd (records:
            what the count of a random sample would vary by, sqrt(n p (1 - p))), ifpr_sd (records:
            what the randomisation adds, given the data).
        """
        chosen = (
            list(self.keys)
            if variables is None
            else chosen_columns("variables", variables, self.keys, "the keys of the release")
        )
        return pd.concat(
            [marginal_frame(name, self._coded(name), self._exchange) for name in chosen],
            ignore_index=True,
        )

    def tvd(self, variables: Any = None, order: Any = None) -> pd.DataFrame:
        """Total variation distance of sub-tables, original against released: no share of any set of
        cells differs by more.

        Parameters
        ----------
        variables : columns of the data, keys or not; None for the keys. A list of lists gives
            several sub-tables.
        order : None for one table of all the variables together; 1, 2, ... or several of these for
            all tables of so many of them.

        Returns
        -------
        DataFrame
            One row per table. Columns: variables (tuple), tvd (0: same distribution, 1: nothing in
            common), cells (levels that occur, multiplied), occupied (cells with records in either
            table).
        """
        tables = chosen_tables(variables, order, list(self.original.columns), self.keys)
        return distance_frame(
            tables,
            {
                name: self._coded(name)
                for name in dict.fromkeys(name for table in tables for name in table)
            },
        )

    def _coded(self, name: Hashable) -> Variable:
        """A column in both tables, coded alike."""
        return exact_variable(name, [self.original[name], self.data[name]], f"variables: {name!r}")

    # ---- views -----------------------------------------------------------------------

    def _document(self) -> Document:
        from .show import document

        return document(self)

    def _content(self) -> dict[str, Any]:
        from .show import content

        return content(self)

    def _arguments(self) -> dict[str, Any]:
        return {
            "keys": [column_name(key) for key in self.keys],
            "blocks": [column_name(name) for name in self._names.variables],
            "xi": self.xi,
            "max_count": self.max_count,
        }

    def _records(self) -> dict[str, Any]:
        from .show import everybody

        everyone = Cell(len(self.data), (everybody(self),))
        return {"original": everyone, "released": everyone}

    def _relations(self) -> tuple[Relation, ...]:
        from .show import relations

        return tuple(relations(self))

    def plot(self, kind: Literal["risk", "design"] = "risk", ax: Any = None) -> Any:
        """Draw the risk by released count and goal ("risk"), or the share of units that change in
        each block ("design"). Returns matplotlib axes.
        """
        from ..plots.ifpr import plot_ifpr_design, plot_ifpr_risk

        return (
            plot_ifpr_risk(self, ax)
            if check_choice("kind", kind, PLOTS) == "risk"
            else plot_ifpr_design(self, ax)
        )


def _free_names(variables: Sequence[Hashable], taken: Collection[str]) -> list[str]:
    """Texts of the variables that are no other column's name, nor each other's."""
    names: list[str] = []
    for variable in variables:
        name = str(variable)
        while name in taken or name in names:
            name += " (groups)"
        names.append(name)
    return names


def _pool(found: Profile, units: Integers) -> Profile:
    """Chances of a target drawn from all units of its size, one row."""
    total = units.sum(axis=0).astype(float)
    with np.errstate(divide="ignore", invalid="ignore"):
        by_count = [
            np.nansum(part * units[..., None], axis=0) / total[:, None]
            for part in (found.found, found.matched)
        ]
        overall = np.nansum(found.overall * units, axis=0) / total
    return Profile(by_count[0][None], by_count[1][None], overall[None])
