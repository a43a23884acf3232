"""What `ifpr` returns: the released data, how they were made, and what they disclose."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from itertools import chain, combinations
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from ..arguments import check_choice, check_whole, chosen_columns, is_column, listed
from ..core.arrays import Floats, Integers, Values
from ..core.coding import Variable, joint_codes
from ..errors import InputError
from ..rounding import ROUND_TO, figures, part, percent, shown
from ..show.printing import Sections, Table
from ..show.values import column_name
from ..show.views import Drawn
from ..tables.frames import AnyFrame, give_back, owned
from .blocks import Blocks, exact_variable
from .flows import Exchange, check_xi, level_variance, sparse_matrix
from .risk import expected_units, highest_count, ratio
from .theta import Goal

if TYPE_CHECKING:
    import scipy

    from .check import IFPRAudit, IFPRCheck

ALL = "all blocks"
UNPERTURBED = "not perturbed"
MOST_SIZES = 6
ROOM = 4  # possible cells are counted densely up to this many times the records
TITLE = "Risk by T, the number of units that shared their keys (0 to 1; higher is riskier)"
HOW_TO_READ = (
    "IR(a): chance of a correct match when a records are found, theory over all blocks; overall:"
    " whatever is found; worst: over blocks and a."
)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class IFPRRelease(Drawn):
    """Released data with their design and risk. Risks are chances of a correct match, 0 to 1;
    higher is riskier.

    Attributes
    ----------
    data : DataFrame
        The released data, of the kind that `ifpr` was given: keys of some records replaced,
        everything else, order and row labels as in the original.
    original : DataFrame
        The data as they were when the release was made.
    keys : names.

    The release keeps its own data: changes to the data given, or to `data` and `original`, do not
    change it. Those two are new frames each time (without a copy from pandas 3 on).
    """

    keys: tuple[Hashable, ...]
    _data: pd.DataFrame
    _true_keys: pd.DataFrame
    _given: AnyFrame
    _goal: Goal
    _exchange: Exchange
    _released: Integers
    _blocks: Blocks
    _cells_of_size: Integers

    @property
    def data(self) -> AnyFrame:
        """The released data."""
        return self._as_given(owned(self._data))

    @property
    def original(self) -> AnyFrame:
        """The data that the release was made from."""
        return self._as_given(self._original())

    def _as_given(self, frame: pd.DataFrame) -> AnyFrame:
        return frame if self._given is None else give_back(frame, self._given)

    def _original(self) -> pd.DataFrame:
        frame = owned(self._data)
        for name in self._true_keys.columns:
            frame.isetitem(frame.columns.get_loc(name), self._true_keys[name].copy())
        return frame

    @property
    def xi(self) -> float:
        """The highest chance of a correct match accepted; where theta was given, the one it attains
        in large blocks.
        """
        return self._goal.xi

    @property
    def theta(self) -> dict[int, float]:
        """Expected number of units that leave a cell, by its size; other sizes are not perturbed.
        For sizes that take part only as destinations, the highest of all blocks.
        """
        goal, flows = self._goal, self._exchange.flows
        highest = np.where(flows.cells > 0, flows.theta, 0.0).max(axis=0, initial=0.0)
        used = dict(zip(flows.sizes.tolist(), highest.tolist()))
        rows = zip(goal.sizes.tolist(), goal.theta.tolist(), goal.needs.tolist())
        return {T: theta if needs else used.get(T, 0.0) for T, theta, needs in rows}

    @property
    def max_count(self) -> int:
        """Cells with more units were left as they are."""
        return self._goal.max_count

    @property
    def changed(self) -> pd.Series:
        """For each record, whether it got the keys of another cell."""
        mask = np.zeros(len(self._data), dtype=bool)
        mask[self._exchange.unit_row] = self._released != self._exchange.unit_cell
        return pd.Series(mask, index=self._data.index, name="changed")

    @property
    def merged(self) -> pd.DataFrame:
        """Blocks that were too small and became part of another: one row each, with the block's own
        label and the block it is in now.
        """
        blocks, joined = self._blocks, self._blocks.joined
        before = blocks.merged(np.arange(len(blocks.run))).names()
        now = blocks.names()[blocks.run[joined]]
        return pd.DataFrame({"was": before[joined], "block": now}, dtype=object)

    @property
    def design(self) -> pd.DataFrame:
        """One row per block, by its label.

        Columns: the groups of the block variables ("units (groups)" for a variable that is called
        like one of the others); units, cells (of those that are perturbed), cells_1, cells_2, ...
        by size; theta (theta_1, ... where sizes differ); expected_changed (units), share_perturbed
        (expected_changed / units), changed (units, in this release); elsewhere (whether a unit is
        likelier to go to one given other cell than to stay, see `IFPRCheck`).
        """
        goal, flows, exchange = self._goal, self._exchange.flows, self._exchange
        thetas = self.theta
        units = flows.units.sum(axis=1)
        expected = (flows.cells * flows.theta).sum(axis=1) * flows.possible
        columns: dict[str, Any] = {"units": units, "cells": flows.cells.sum(axis=1)}
        by_size = dict(zip(flows.sizes.tolist(), flows.cells.T))
        for T in thetas:
            columns[f"cells_{T}"] = by_size.get(T, np.zeros_like(units))
        if len(set(thetas.values())) == 1 and goal.needs.all():
            columns["theta"] = goal.theta[0]
        else:  # sizes that are only company have one for each block
            by_block = dict(zip(flows.sizes.tolist(), flows.theta.T))
            for (T, theta), needs in zip(thetas.items(), goal.needs):
                columns[f"theta_{T}"] = theta if needs else by_block.get(T, theta)
        left = exchange.block[exchange.unit_cell[self._released != exchange.unit_cell]]
        columns["expected_changed"] = expected
        columns["share_perturbed"] = expected / units
        columns["changed"] = np.bincount(left, minlength=len(units))
        columns["elsewhere"] = flows.elsewhere
        groups: dict[str, Any] = {}
        group_texts = self._blocks.group_texts()
        for variable, texts in zip(self._blocks.variables, group_texts):
            name = str(variable)
            while name in columns or name in groups:
                name += " (groups)"
            groups[name] = texts
        return pd.DataFrame(groups | columns, index=_index(self._blocks.names(group_texts)))

    def risk_table(self, max_a: int | None = None) -> pd.DataFrame:
        """Theory: the risk of a target in each block; in a last row, "all blocks", of one drawn
        from all perturbed units.

        Columns: units; for each size T that occurs "T=1 IR(1)", "T=1 IR(2)", ... = P(correct match
        | S = a), a from 1 to `max_a` (None: as many as there are sizes of cells, at least 2), and
        "T=1 overall" = P(correct match); "worst", the highest IR over T and every a that is shown
        or could pass the goal (1 / a above xi), and, in the last row, 1 / T of cells that were left
        as they are. NaN where a block has no such cell or the count cannot occur.
        """
        last = self._last("max_a", max_a)
        flows = self._exchange.flows
        finders, matches = expected_units(flows, max(last, highest_count(self.xi)))
        risk = ratio(matches, finders)
        units = np.append(flows.units.sum(axis=1), len(self._exchange.unit_row))
        columns: dict[str, Any] = {"units": units}
        for i, T in enumerate(flows.sizes.tolist()):
            for a in range(1, last + 1):
                columns[f"T={T} IR({a})"] = risk[:, i, a]
            columns[f"T={T} overall"] = risk[:, i, -1]
        by_count = np.nan_to_num(risk[:-1, :, 1:-1])
        worst = by_count.max(axis=(1, 2), initial=0.0)
        left = 1 / self._untouched_sizes[:1]
        columns["worst"] = np.append(worst, np.append(worst, left).max())
        return pd.DataFrame(columns, index=_index([*self._blocks.names(), ALL]))

    def _last(self, argument: str, value: Any) -> int:
        """The highest released count to be shown by itself."""
        if value is not None:
            return check_whole(argument, value, 1)
        return max(2, int(self._exchange.flows.sizes.max()))

    @property
    def _untouched_sizes(self) -> Integers:
        """Sizes of the cells that were left as they are, ascending."""
        larger = self._cells_of_size[self.max_count + 1 :]
        return np.flatnonzero(larger) + self.max_count + 1

    def found_table(self, max_a: int | None = None) -> pd.DataFrame:
        """Theory: how many records are found under the keys of a target in each block; in a last
        row, "all blocks", of one drawn from all perturbed units of its size.

        Columns: for each size T that occurs "T=1 P(0)", "T=1 P(1)", ... = P(S = a), a from 0 to
        `max_a`, see `risk_table`. NaN where a block has no such cell. One theta, one T, one a:
        `ifpr_found`.
        """
        last = self._last("max_a", max_a)
        flows = self._exchange.flows
        finders, _ = expected_units(flows, last)
        found = ratio(finders, finders[..., -1:])
        columns = {}
        for i, T in enumerate(flows.sizes.tolist()):
            for a in range(last + 1):
                columns[f"T={T} P({a})"] = found[:, i, a]
        return pd.DataFrame(columns, index=_index([*self._blocks.names(), ALL]))

    def tidy(self, max_a: int | None = None) -> pd.DataFrame:
        """The risk table in long form: one row for each block, size T and released count a.

        Columns: block, T, a (None for all counts together), risk, expected_matches and
        expected_units (numerator and denominator: units of T-cells of the block that are expected
        to be matched, and to find a records in their cell), cells, units.
        """
        last = self._last("max_a", max_a)
        flows = self._exchange.flows
        finders, matches = (units[:-1, :, 1:] for units in expected_units(flows, last))
        columns = {
            "block": self._blocks.names()[:, None, None],
            "T": flows.sizes[:, None],
            "a": np.array([*range(1, last + 1), None], dtype=object),
            "risk": ratio(matches, finders),
            "expected_matches": matches,
            "expected_units": finders,
            "cells": flows.cells[..., None],
            "units": flows.units[..., None],
        }
        stretched = np.broadcast_arrays(*columns.values())
        frame = pd.DataFrame({name: x.reshape(-1) for name, x in zip(columns, stretched)})
        return frame[frame["cells"] > 0].reset_index(drop=True)

    @property
    def cells(self) -> pd.DataFrame:
        """The combinations of keys that take part in the exchange, in the order of `matrix`: one
        row each, by its keys.

        Columns: block (its label in `design`), T (units before), S (units in this release), leave
        (the chance of each of its units to leave). T comes from the original: keep it as
        confidential as the original.
        """
        exchange = self._exchange
        keys = self._original()[list(self.keys)].iloc[exchange.first]
        index = pd.MultiIndex.from_frame(keys)
        if len(keys.columns) == 1:
            index = pd.Index(keys.iloc[:, 0], name=keys.columns[0])
        columns = {
            "block": self._blocks.names()[exchange.block],
            "T": exchange.flows.sizes[exchange.size_at],
            "S": np.bincount(self._released, minlength=len(exchange.block)),
            "leave": exchange.leave,
        }
        return pd.DataFrame(columns, index=index)

    def matrix(self, block: Any = None) -> scipy.sparse.csr_array:
        """The post-randomisation matrix: P[c, d] is the chance that a unit of cell c is released in
        cell d; of one block, by its label in `design`, or of all. Block diagonal, rows sum to 1.

        Rows and columns are those of `cells`, of one block its rows there in their order.
        Combinations of keys that are not perturbed are left out; they would have 1 on the diagonal.
        The chances show which cells held one unit, so the matrix must not be published.

        Examples
        --------
        >>> from synthpop_py import ifpr
        >>> people = pd.DataFrame({"age": [30, 31, 31]})
        >>> release = ifpr(people, "age", theta=0.5, seed=1, reproducible=True)
        >>> release.cells["T"].tolist(), release.matrix().toarray().tolist()
        ([1, 2], [[0.5, 0.5], [0.25, 0.75]])
        """
        in_blocks = np.arange(len(self._exchange.block))
        if block is not None:
            labels = self._blocks.names().tolist()
            name = check_choice("block", block, labels)
            in_blocks = np.flatnonzero(self._exchange.block == labels.index(name))
        return sparse_matrix(self._exchange, in_blocks)

    def verify(self, xi: float | None = None) -> IFPRCheck:
        """Whether every block meets the goal for every size of cells and every released count;
        `xi` is the goal, by default that of the release.
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
        """The randomisation repeated: how often an intruder would be correct, by T and S, with
        theory beside it.

        Parameters
        ----------
        runs : number of releases to draw and discard.
        max_s : counts S shown one by one, from 1 to this; None for as many as there are sizes of
            cells, at least 2.
        seed : whole number or numpy Generator.
        """
        from .check import run_audit

        runs = check_whole("runs", runs, 1)
        return run_audit(self._exchange, runs, self._last("max_s", max_s), seed)

    def marginals(self, variables: Any = None) -> pd.DataFrame:
        """Frequencies of single keys, all or some of them, original against released.

        One row per level. Columns: variable, level, original, released (records), original_share,
        released_share, original_minus_released (records), sampling_sd (records: the standard
        deviation of the count in a random sample, sqrt(n p (1 - p))), ifpr_sd (records: the
        standard deviation that the randomisation adds, given the data).
        """
        chosen = list(self.keys)
        if variables is not None:
            chosen = chosen_columns("variables", variables, self.keys, "the keys of the release")
        return pd.concat([self._marginal(key) for key in chosen], ignore_index=True)

    def _marginal(self, key: Hashable) -> pd.DataFrame:
        """One row per level that occurs, in the order of the codes."""
        variable = self._coded(key)
        both = [np.bincount(codes, minlength=variable.size) for codes in variable.codes]
        present = np.flatnonzero(both[0] + both[1])
        original, released = both[0][present], both[1][present]
        of_cell = np.searchsorted(present, variable.codes[0][self._exchange.first])
        variance = level_variance(self._exchange, of_cell, len(present))
        columns = {
            "variable": pd.Series([key] * len(present), dtype=object),
            "level": variable.texts(present),
            "original": original,
            "released": released,
            "original_share": original / original.sum(),
            "released_share": released / original.sum(),
            "original_minus_released": original - released,
            "sampling_sd": sampling_sd(original),
            "ifpr_sd": np.sqrt(variance),
        }
        return pd.DataFrame(columns)

    def tvd(self, variables: Any = None, order: Any = None) -> pd.DataFrame:
        """Total variation distance of sub-tables, original against released: no share of any set of
        cells differs by more.

        Parameters
        ----------
        variables : columns of the data, keys or not; None for the keys. A list of lists gives
            several sub-tables.
        order : None for one table of all the variables together; 1, 2, ... or several of these for
            all tables of that many variables.

        One row per table, with the columns variables (tuple), tvd (0: same distribution, 1: nothing
        in common), cells (levels that occur, multiplied), occupied (cells with records in either
        table).
        """
        tables = _sub_tables(list(self.keys) if variables is None else variables, order, self._data)
        coded = {name: self._coded(name) for name in dict.fromkeys(chain.from_iterable(tables))}
        levels = {name: _distance([variable])[1] for name, variable in coded.items()}
        found = [_distance([coded[name] for name in table]) for table in tables]
        columns = {
            "variables": pd.Series(tables, dtype=object),
            "tvd": [distance for distance, _ in found],
            "cells": [math.prod(levels[name] for name in table) for table in tables],
            "occupied": [occupied for _, occupied in found],
        }
        return pd.DataFrame(columns)

    def _coded(self, name: Hashable) -> Variable:
        """A column in both tables, coded alike."""
        released = self._data[name]
        # keys that were kept and all other columns are the same in both
        both = [self._true_keys.get(name, released), released]
        return exact_variable(name, both, f"variables: {name!r}")

    # ---- what it says ----------------------------------------------------------------

    def _title(self) -> str:
        return "IFPR release"

    def _everybody(self) -> int:
        return len(self._data)

    def _headline(self, to: int = 1) -> list[str]:
        return [f"{self.verify().verdict}."]

    def _sections(self) -> Sections:
        return self._rounded(1)

    def _rounded(self, to: int) -> Sections:
        check = self.verify()
        frame = self._risk_by_size(check)
        if to > 1:  # units of all sizes add up to all records, which would undo rounding
            frame = figures(frame.drop(columns=["cells", "units"]), to)
        notes = [f"{HOW_TO_READ} {check.verdict}.", *(f"Note: {note}." for note in check.notes)]
        return [list(self._head(to)), [Table(frame, TITLE, digits=4)], notes]

    def _head(self, to: int) -> Iterator[str]:
        goal, blocks, records = self._goal, self._blocks, len(self._data)

        def number(n: int) -> str:
            return f"{n:,}" if to == 1 else part(n, records, to)

        def share(n: int) -> str:
            if to == 1:
                return f"{100 * n / records:.1f} %"
            return percent(shown(n, records, to=to), shown(records, records, to=to), to)

        thetas = [f"{T}: {theta:.4g}" for T, theta in self.theta.items()]
        strength = f"theta by size: {', '.join(thetas[:MOST_SIZES])}"
        if len(thetas) > MOST_SIZES:
            strength += ", ..."
        if len(set(self.theta.values())) == 1:
            strength = f"theta = {self.theta[1]:.4g}"
        aim = "goal" if goal.asked else "attained in large blocks"
        units, changed = len(self._exchange.unit_row), int(self.changed.sum())
        everybody = f"{records:,}" if to == 1 else part(records, to=to)
        yield f"IFPR release of {everybody} records; keys: {', '.join(map(str, self.keys))}"
        yield (
            "Chance of a correct match among the records under the target's own keys at most xi ="
            f" {goal.xi:.4g} ({aim}; lower is safer); {strength}"
        )
        yield (
            f"{number(units)} units ({share(units)} of records) share their keys with at most"
            f" {goal.max_count} in all; {number(changed)} of them ({share(changed)} of records)"
            " have other keys now"
        )
        text = "1 block" if blocks.number == 1 else f"{blocks.number:,} blocks"
        if blocks.variables:
            text += f" by {', '.join(map(str, blocks.variables))}"
        if blocks.joined.any():
            text += (
                f"; {blocks.joined.sum():,} of {len(blocks.run):,} were merged because some were"
                " too small, see .merged"
            )
        yield text

    def _risk_by_size(self, check: IFPRCheck) -> pd.DataFrame:
        """One row for each perturbed size of cells that occurs, and one for all others: their
        number, the chance to leave, and the risk.
        """
        flows = self._exchange.flows
        overall = self.risk_table(max_a=2).iloc[-1]
        worst = check.table[check.table["block"] != UNPERTURBED].groupby("T")["risk"].max()
        cells = flows.cells.sum(axis=0)
        leave = (flows.cells * flows.leave).sum(axis=0) / np.maximum(cells, 1)
        rows: dict[str, list[float]] = {}
        for T, number, leaving in zip(flows.sizes.tolist(), cells, leave):
            if number:
                risks = [overall[f"T={T} {what}"] for what in ("IR(1)", "IR(2)", "overall")]
                rows[f"T = {T}"] = [number, T * number, leaving, *risks, worst.get(T, np.nan)]
        sizes = self._untouched_sizes
        if len(sizes):  # all T units are found, so each is matched with 1 / T, one unit per cell
            left = self._cells_of_size[sizes]
            number, units = left.sum(), (sizes * left).sum()
            risks = [np.nan, np.nan, number / units, 1 / sizes[0]]
            rows[f"T > {self.max_count}"] = [number, units, 0.0, *risks]
        columns = ["cells", "units", "P(leave)", "IR(1)", "IR(2)", "overall", "worst IR"]
        return pd.DataFrame.from_dict(rows, orient="index", columns=columns)

    def _content(self) -> dict[str, Any]:
        check = self.verify()
        return {
            "keys": list(map(column_name, self.keys)),
            "xi": self.xi,
            "theta": self.theta,
            "max_count": self.max_count,
            "blocks": self._blocks.number,
            "units": len(self._exchange.unit_row),
            "changed": int(self.changed.sum()),
            "risk": self._risk_by_size(check),
            "meets": check.ok,
            "verdict": check.verdict,
            "notes": list(check.notes),
        }

    def _arguments(self) -> dict[str, Any]:
        return {
            "keys": list(map(column_name, self.keys)),
            "blocks": list(map(column_name, self._blocks.variables)),
            "xi": self.xi,
            "max_count": self.max_count,
        }

    def _records(self) -> dict[str, Any]:
        return {"original": len(self._data), "released": len(self._data)}

    def plot(
        self,
        kind: Literal["risk", "design"] = "risk",
        ax: Any = None,
        *,
        round_to: int = ROUND_TO,
    ) -> Any:
        """Draw the risk by released count and goal ("risk"; chances, not people), or the share of
        units that change in each block ("design"; from counts rounded to a multiple of `round_to`,
        1 draws exact ones). Returns matplotlib axes.
        """
        from ..plots.ifpr import plot_ifpr_design, plot_ifpr_risk

        if check_choice("kind", kind, ("risk", "design")) == "risk":
            return plot_ifpr_risk(self, ax)
        return plot_ifpr_design(self, ax, round_to=round_to)


def _index(labels: Values | list[str]) -> pd.Index:
    return pd.Index(labels, name="block", dtype=object)


def sampling_sd(counts: Integers) -> Floats:
    """Standard deviation of each count in a multinomial sample with these frequencies: sqrt(n p (1
    - p)).

    >>> sampling_sd(np.array([50, 50])).tolist()
    [5.0, 5.0]
    """
    p = counts / counts.sum()
    sd: Floats = np.sqrt(counts.sum() * p * (1 - p))
    return sd


def _sub_tables(variables: Any, order: Any, data: pd.DataFrame) -> list[tuple[Hashable, ...]]:
    """The sub-tables asked for, each as the names of its variables."""
    columns = list(data.columns)
    items = [variables] if is_column(variables, columns) else listed(variables)
    # a tuple may be the name of one column
    if any(isinstance(item, (list, tuple)) and not is_column(item, columns) for item in items):
        if order is not None:
            raise InputError(
                "order: `variables` already lists sub-tables; leave order out, or give single"
                " columns"
            )
        return [tuple(chosen_columns("variables", item, columns)) for item in items]
    names = chosen_columns("variables", items, columns)
    if not names:
        raise InputError("variables: none given")
    orders = [len(names)]
    if order is not None:
        orders = [check_whole("order", value, 1) for value in listed(order)]
    for number in orders:
        if number > len(names):
            raise InputError(f"order: {number} variables in a table, but only {len(names)} given")
    return [table for number in orders for table in combinations(names, number)]


def _distance(variables: list[Variable]) -> tuple[float, int]:
    """Total variation distance, and cells that are occupied in either table."""
    (first, second), size = joint_codes(variables)
    if size > ROOM * len(first):
        both = np.unique(np.concatenate((first, second)), return_inverse=True)[1].reshape(-1)
        first, second = np.split(both, 2)
        size = int(both.max()) + 1
    before, after = np.bincount(first, minlength=size), np.bincount(second, minlength=size)
    distance = np.abs(before - after).sum() / (2 * len(first))
    return float(distance), int(np.count_nonzero(before + after))
