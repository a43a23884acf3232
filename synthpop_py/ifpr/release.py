"""`ifpr()`, inverse-frequency post-randomisation of keys, and what it returns: the released data,
how they were made, and what they disclose.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from ..arguments import check_choice, check_whole, chosen_columns, is_column, listed, resolve_keys
from ..core.arrays import Flags, Floats, Integers, Values
from ..core.coding import Variable, joint_codes
from ..errors import DataWarning, InputError, warn, warning_once
from ..release_seed import release_generator
from ..rounding import ROUND_TO, figures, part, percent, shown
from ..show.printing import Sections, Table
from ..show.values import column_name
from ..show.views import Drawn
from ..tables.frames import AnyFrame, give_back, owned, owned_values
from ..tables.opening import check_frame
from .blocks import Blocks, exact_variable, find_blocks, key_cells, safe_blocks
from .flows import Exchange, cells_by_size, check_xi, exchange_flows, kinds_of
from .risk import expected_units, highest_count, passes, ratio, worst_risk
from .theta import Scheme, read_goal

if TYPE_CHECKING:
    import scipy

    from .check import IFPRAudit, IFPRCheck

SmallBlocks = Literal["merge", "error", "keep"]
ALL = "all blocks"
UNPERTURBED = "not perturbed"
MOST_SIZES = 6
ROOM = 4  # possible cells are counted one by one up to so many times the records
TITLE = "Risk by T, the number of units that shared their keys (0 to 1; higher is riskier)"
HOW_TO_READ = (
    "IR(a): chance of a correct match when a records are found, theory over all blocks; overall:"
    " whatever is found; worst: over blocks and a."
)


@warning_once
def ifpr(
    original: AnyFrame,
    keys: Any,
    *,
    xi: float | None = None,
    theta: float | Mapping[int, float] | None = None,
    blocks: Any = None,
    max_count: int | None = None,
    scheme: Scheme | None = None,
    small_blocks: SmallBlocks = "merge",
    seed: int | np.random.Generator | None = None,
    reproducible: bool = False,
) -> IFPRRelease:
    """A copy of the data in which rare combinations of keys are exchanged at random. An intruder
    who picks among the records with a person's own keys is correct with probability at most xi.

    A unit in a cell (all units with the same keys) of T <= `max_count` units leaves it with
    probability theta / T, for another such cell of its block chosen at random. It takes over all
    keys of that cell and keeps everything else. Every cell keeps its expected count, every block
    its total. Values are the same only if they are equal to the last digit; missing is a level.

    Parameters
    ----------
    original : DataFrame of pandas, polars or Arrow; not changed.
    keys : names or positions (from 1) of the columns an intruder may know.
    xi : the goal, above 0 and below 1, for every number of records found with the person's keys.
        (Nothing is promised about records with other keys; `IFPRRelease.verify` names the blocks
        where looking there pays.) `ifpr_theta` gives the theta that is used.
    theta : instead of xi: the expected number of units that leave a cell, 0 to 1, or one for each
        size T, 0 to T.
    blocks : what may not change, or only within groups; None if everything may change. The name of
        a column (a key, or a function of the keys), or ``{key: "keep"}``, keeps it as it is.
        ``{key: {level: group}}`` lets a key change within groups of levels, and so does a Series
        with levels as its index; ``{key: [18, 25, 65]}`` within bands, each beginning at a cut
        point, a number or a date. A list may hold several of these.
    max_count : cells with more units are left as they are, and no unit moves to them. None for 2,
        or as many as xi needs: cells with more units must have 1 / T <= xi.
    scheme : with xi, "common" for one theta or "size" for one for each size of cells; None for
        "common" from xi = 1/3 on, and "size" below, where only that works.
    small_blocks : what to do with blocks that are too small to meet the goal (one cell; two units
        alone; others when xi is small, or when thetas by size cannot be balanced). "merge" joins
        each to a neighbour in the order of the block variables, without crossing columns that are
        kept. "error" names them. "keep" leaves them, and `IFPRRelease.verify` reports them.
    seed, reproducible : leave both out for a release, see `synthpop_py.release_seed`.

    Examples
    --------
    Six people, each alone with sex and age. Sex is kept, age may change to any other in the block.

    >>> people = pd.DataFrame({"sex": list("fffmmm"), "age": [30, 31, 32] * 2, "income": range(6)})
    >>> release = ifpr(people, ["sex", "age"], theta=0.5, blocks="sex", seed=1, reproducible=True)
    >>> release.data[["sex", "income"]].equals(people[["sex", "income"]])
    True
    >>> release.design[["units", "cells", "share_perturbed"]].to_numpy().tolist()
    [[3.0, 3.0, 0.5], [3.0, 3.0, 0.5]]
    """
    frame = check_frame(original, "original")
    if not len(frame):
        raise InputError("original: has no rows, so there is nobody to protect")
    names = resolve_keys(keys, frame, [])
    for name in names:
        if frame[name].isna().all():
            text = f"keys: {name!r} is missing in every record, so it says nothing; leave it out"
            warn(text, DataWarning, short=f"{name!r} is missing in every record")
    check_choice("small_blocks", small_blocks, ("merge", "error", "keep"))
    generator = release_generator(seed, reproducible)
    goal, thetas = read_goal(xi, theta, max_count, scheme)

    variables = {name: exact_variable(name, [frame[name]], f"keys: {name!r}") for name in names}
    of_record, first = key_cells(list(variables.values()))
    size = np.bincount(of_record)
    rare = np.flatnonzero(size <= len(thetas))
    sizes = np.unique(size[rare]) if len(rare) else np.ones(1, dtype=np.int64)
    size_at = np.searchsorted(sizes, size[rare])
    block, found = find_blocks(blocks, frame, variables, of_record, first[rare])
    thetas_here = thetas[sizes - 1]

    def unsafe(cells: Integers) -> Flags:
        # if units cannot be exchanged, all stay with a risk of 1 / T, which may be low enough
        first_of_kind, kind = kinds_of(cells)
        kinds = cells[first_of_kind]
        leave, arrival, _ = exchange_flows(thetas_here, sizes, kinds)
        worst = worst_risk(sizes, kinds, leave, arrival, goal)
        return np.any(passes(worst, goal), axis=1)[kind]  # type: ignore[no-any-return]

    cells = cells_by_size(block, size_at, (len(found), len(sizes)))
    safe_blocks(found, cells, sizes, unsafe, small_blocks)
    # cells are numbered by block and size
    block = found.run[block]
    order = np.lexsort((size_at, block))
    number = np.full(len(size), -1)
    number[rare[order]] = np.arange(len(order))
    exchange = Exchange(
        thetas_here,
        sizes,
        cells_by_size(block, size_at, (len(found), len(sizes))),
        block[order],
        size_at[order],
        first[rare[order]],
        number[of_record],
    )
    released = exchange.draw(exchange.unit_cell, generator)
    movable = [name for name in names if name not in found.variables[: found.kept]]
    return IFPRRelease(
        keys=names,
        xi=goal,
        _data=_released_frame(frame, movable, exchange, released),
        _true_keys=frame[movable].copy(),
        _given=None if frame is original else owned_values(original),
        _asked=xi is not None,
        _thetas=thetas,
        _exchange=exchange,
        _released=released,
        _blocks=found,
        _cells_of_size=np.bincount(size),
    )


def _released_frame(
    data: pd.DataFrame, movable: list[Hashable], exchange: Exchange, released: Integers
) -> pd.DataFrame:
    """A copy with the keys that may change taken from a record of the new cell. Where units could
    have arrived, units that stay take their keys from that record too: a value may be written in
    two ways (None and NaN, 0 and -0), and this must not show who stayed.
    """
    frame = data.copy()
    source = np.arange(len(data))
    exchanged = exchange.cell_leave[exchange.unit_cell] > 0
    source[exchange.unit_row[exchanged]] = exchange.first[released[exchanged]]
    for name in movable:
        at = data.columns.get_loc(name)
        # as a Series: pandas would convert an array of objects again, turning dates into times
        taken = data.iloc[:, at].take(source)
        taken.index = frame.index
        frame.isetitem(at, taken)
    return frame


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class IFPRRelease(Drawn):
    """Released data with their design and risk. Risks are chances of a correct match, 0 to 1;
    higher is riskier.

    It keeps its own data: `data` and `original` are new frames each time.

    Attributes
    ----------
    keys : names.
    xi : the highest chance of a correct match accepted; where theta was given, the one it attains
        in large blocks.
    """

    keys: tuple[Hashable, ...]
    xi: float
    _data: pd.DataFrame
    _true_keys: pd.DataFrame
    _given: AnyFrame
    _asked: bool
    _thetas: Floats
    _exchange: Exchange
    _released: Integers
    _blocks: Blocks
    _cells_of_size: Integers

    @property
    def data(self) -> AnyFrame:
        """The released data, of the kind that `ifpr` was given: keys of some records replaced,
        everything else, order and row labels as in the original.
        """
        return self._as_given(owned(self._data))

    @property
    def original(self) -> AnyFrame:
        """The data as they were when the release was made."""
        return self._as_given(self._original())

    def _as_given(self, frame: pd.DataFrame) -> AnyFrame:
        return frame if self._given is None else give_back(frame, self._given)

    def _original(self) -> pd.DataFrame:
        frame = owned(self._data)
        for name in self._true_keys.columns:
            frame.isetitem(frame.columns.get_loc(name), self._true_keys[name].copy())
        return frame

    @property
    def theta(self) -> dict[int, float]:
        """Units expected to leave a cell, by its size; other sizes are not perturbed."""
        return dict(enumerate(self._thetas.tolist(), start=1))

    @property
    def max_count(self) -> int:
        """Cells with more units were left as they are."""
        return len(self._thetas)

    @property
    def changed(self) -> pd.Series:
        """For each record, whether it got the keys of another cell."""
        mask = np.zeros(len(self._data), dtype=bool)
        mask[self._exchange.unit_row] = self._released != self._exchange.unit_cell
        return pd.Series(mask, index=self._data.index, name="changed")

    @property
    def merged(self) -> pd.DataFrame:
        """Blocks that became part of another: the block's own label, and the block it is in now."""
        blocks, joined = self._blocks, self._blocks.joined()
        before = blocks.described(np.arange(len(blocks.run))).index
        now = blocks.shown.index[blocks.run[joined]]
        return pd.DataFrame({"was": before[joined], "block": now}, dtype=object)

    @property
    def design(self) -> pd.DataFrame:
        """One row per block, by its label: the groups of the block variables ("units (groups)" for
        a variable that is called like one of the others); units, cells, cells_1, cells_2, ... that
        are perturbed, by size; theta (theta_1, ... where sizes differ); expected_changed (units),
        share_perturbed (expected_changed / units), changed (units, in this release); elsewhere
        (whether a unit is likelier to go to one given other cell than to stay, see `IFPRCheck`).
        """
        exchange, groups = self._exchange, self._blocks.shown
        units = exchange.units.sum(axis=1)
        expected = (exchange.units * exchange.leave).sum(axis=1)
        columns: dict[str, Any] = {"units": units, "cells": exchange.cells.sum(axis=1)}
        by_size = pd.DataFrame(exchange.cells, columns=exchange.sizes.tolist())
        for T in self.theta:
            columns[f"cells_{T}"] = by_size[T].to_numpy() if T in by_size else 0
        common = len(set(self.theta.values())) == 1
        for T, theta in self.theta.items():
            columns["theta" if common else f"theta_{T}"] = theta
        left = exchange.block[exchange.unit_cell[self._released != exchange.unit_cell]]
        columns["expected_changed"] = expected
        columns["share_perturbed"] = expected / units
        columns["changed"] = np.bincount(left, minlength=len(units))
        columns["elsewhere"] = exchange.elsewhere
        names: list[str] = []
        for variable in self._blocks.variables:
            name = str(variable)
            while name in columns or name in names:
                name += " (groups)"
            names.append(name)
        numbers = pd.DataFrame(columns, index=groups.index)
        return pd.concat([groups.set_axis(names, axis=1), numbers], axis=1)

    def risk_table(self, max_a: int | None = None) -> pd.DataFrame:
        """Theory: the risk of a target in each block; in a last row, "all blocks", of one drawn
        from all perturbed units.

        Columns: units; for each size T "T=1 IR(1)", ... = P(correct match | S = a), a from 1 to
        `max_a` (None for the largest T, at least 2), and "T=1 overall" = P(correct match); "worst",
        the highest IR over T and every a that is shown or could pass the goal (1 / a above xi),
        and, in the last row, 1 / T of cells that were left as they are. NaN where a block has no
        such cell or the count cannot occur.
        """
        last = self._last("max_a", max_a)
        exchange = self._exchange
        finders, matches = expected_units(exchange, max(last, highest_count(self.xi)))
        risk = ratio(matches, finders)
        shown = np.append(risk[..., 1 : last + 1], risk[..., -1:], axis=-1)
        frame = self._by_size(shown, [*(f"IR({a})" for a in range(1, last + 1)), "overall"])
        units = exchange.units.sum(axis=1)
        frame.insert(0, "units", np.append(units, units.sum()))
        worst = np.nan_to_num(risk[:-1, :, 1:-1]).max(axis=(1, 2), initial=0.0)
        left = 1 / self._untouched()[:1]
        return frame.assign(worst=np.append(worst, np.append(worst, left).max()))

    def _by_size(self, values: Floats, names: list[str]) -> pd.DataFrame:
        """Columns for each size, one row per block and one for all of them."""
        labels = [*self._blocks.shown.index, ALL]
        frames = []
        for i, T in enumerate(self._exchange.sizes.tolist()):
            columns = [f"T={T} {name}" for name in names]
            frames.append(pd.DataFrame(values[:, i], columns=columns))
        index = pd.Index(labels, name="block", dtype=object)
        return pd.concat(frames, axis=1).set_axis(index)

    def _last(self, argument: str, value: Any) -> int:
        """The highest released count to be shown by itself."""
        usual = max(2, int(self._exchange.sizes.max()))
        return usual if value is None else check_whole(argument, value, 1)

    def _labels(self) -> Values:
        labels: Values = self._blocks.shown.index.to_numpy()
        return labels

    def _untouched(self) -> Integers:
        """Sizes of the cells that were left as they are, ascending."""
        larger = self._cells_of_size[self.max_count + 1 :]
        return np.flatnonzero(larger) + self.max_count + 1

    def found_table(self, max_a: int | None = None) -> pd.DataFrame:
        """Theory: how many records are found under the keys of a target. As `risk_table`, with the
        columns "T=1 P(0)", "T=1 P(1)", ... = P(S = a), a from 0 to `max_a`.
        """
        last = self._last("max_a", max_a)
        finders, _ = expected_units(self._exchange, last)
        found = ratio(finders, finders[..., -1:])[..., : last + 1]
        return self._by_size(found, [f"P({a})" for a in range(last + 1)])

    def tidy(self, max_a: int | None = None) -> pd.DataFrame:
        """The risk table in long form: block, T, a (None for all counts together), risk,
        expected_matches and expected_units (numerator and denominator: units of T-cells of the
        block that are expected to be matched, and to find a records in their cell), cells, units.
        """
        last = self._last("max_a", max_a)
        exchange = self._exchange
        finders, matches = (units[:-1, :, 1:] for units in expected_units(exchange, last))
        columns = {
            "block": self._labels()[:, None, None],
            "T": exchange.sizes[:, None],
            "a": np.array([*range(1, last + 1), None], dtype=object),
            "risk": ratio(matches, finders),
            "expected_matches": matches,
            "expected_units": finders,
            "cells": exchange.cells[..., None],
            "units": exchange.units[..., None],
        }
        stretched = np.broadcast_arrays(*columns.values())
        frame = pd.DataFrame({name: x.reshape(-1) for name, x in zip(columns, stretched)})
        return frame[frame["cells"] > 0].reset_index(drop=True)

    @property
    def cells(self) -> pd.DataFrame:
        """The combinations of keys that take part, in the order of `matrix`: one row each, by its
        keys. Columns: block (its label in `design`), T (units before), S (units in this release),
        leave (the chance of each of its units to leave). Keep it as confidential as the original.
        """
        exchange = self._exchange
        keys = self._original()[list(self.keys)].iloc[exchange.first]
        index = pd.MultiIndex.from_frame(keys)
        if len(self.keys) == 1:
            index = pd.Index(keys.iloc[:, 0])
        columns = {
            "block": self._labels()[exchange.block],
            "T": exchange.sizes[exchange.size_at],
            "S": np.bincount(self._released, minlength=len(exchange.block)),
            "leave": exchange.cell_leave,
        }
        return pd.DataFrame(columns, index=index)

    def matrix(self, block: Any = None) -> scipy.sparse.csr_array:
        """The post-randomisation matrix: P[c, d] is the chance that a unit of cell c is released in
        cell d, rows and columns as in `cells`; of one block, by its label in `design`, or of all.
        Block diagonal, rows sum to 1. It shows which cells held one unit: do not publish it.

        >>> release = ifpr(pd.DataFrame({"age": [30, 31, 31]}), "age", theta=0.5)
        >>> release.cells["T"].tolist(), release.matrix().toarray().tolist()
        ([1, 2], [[0.5, 0.5], [0.25, 0.75]])
        """
        chosen = np.arange(len(self._exchange.block))
        if block is not None:
            labels = self._labels().tolist()
            at = labels.index(check_choice("block", block, labels))
            chosen = np.flatnonzero(self._exchange.block == at)
        return self._exchange.matrix(chosen)

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
        """The randomisation repeated: how often an intruder would be correct in `runs` releases,
        which are discarded, by T and S, with theory beside it. Counts S are shown one by one up to
        `max_s`, by default the largest T, at least 2.
        """
        from .check import run_audit

        last = self._last("max_s", max_s)
        return run_audit(self._exchange, check_whole("runs", runs, 1), last, seed)

    def marginals(self, variables: Any = None) -> pd.DataFrame:
        """Frequencies of single keys, all or some of them, one row per level: variable, level,
        original, released (records), original_share, released_share, original_minus_released,
        sampling_sd (of the count in a random sample, sqrt(n p (1 - p))), ifpr_sd (that the
        randomisation adds, given the data).
        """
        given = list(self.keys) if variables is None else variables
        chosen = chosen_columns("variables", given, self.keys, "the keys of the release")
        return pd.concat(map(self._marginal, chosen), ignore_index=True)

    def _marginal(self, key: Hashable) -> pd.DataFrame:
        """One row per level that occurs, in the order of the codes."""
        variable = self._coded(key)
        before, after = (np.bincount(codes, minlength=variable.size) for codes in variable.codes)
        present = np.flatnonzero(before + after)
        original, released = before[present], after[present]
        of_cell = np.searchsorted(present, variable.codes[0][self._exchange.first])
        variance = self._exchange.level_variance(of_cell, len(present))
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

        `variables` are columns of the data, by default the keys, together or, with `order` 1, 2,
        ... or several of these, in all tables of that many; a list of lists names several tables.
        One row per table: variables (tuple), tvd (0: same distribution, 1: nothing in common),
        cells (levels that occur, multiplied), occupied (cells with records in either table).
        """
        given = list(self.keys) if variables is None else variables
        tables = _sub_tables(given, order, list(self._data.columns))
        names = dict.fromkeys(name for table in tables for name in table)
        coded = {name: self._coded(name) for name in names}
        levels = {name: _distance([coded[name]])[1] for name in names}
        rows = []
        for table in tables:
            distance, occupied = _distance([coded[name] for name in table])
            rows.append((table, distance, math.prod(levels[name] for name in table), occupied))
        return pd.DataFrame(rows, columns=["variables", "tvd", "cells", "occupied"])

    def _coded(self, name: Hashable) -> Variable:
        """A column in both tables, coded alike."""
        released = self._data[name]
        # keys that were kept and all other columns are the same in both
        both = [self._true_keys.get(name, released), released]
        return exact_variable(name, both, f"variables: {name!r}")

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
        records, blocks = len(self._data), self._blocks
        everybody = f"{records:,}" if to == 1 else part(records, to=to)

        def people(n: int) -> str:
            if to == 1:
                return f"{n:,} {{}} ({100 * n / records:.1f} % of records)"
            share = percent(shown(n, records, to=to), shown(records, records, to=to), to)
            return f"{part(n, records, to)} {{}} ({share} of records)"

        thetas = self.theta
        strength = f"theta = {thetas[1]:.4g}"
        if len(set(thetas.values())) > 1:
            by_size = [f"{T}: {theta:.4g}" for T, theta in thetas.items()]
            strength = f"theta by size: {', '.join(by_size[:MOST_SIZES])}"
            strength += ", ..." if len(by_size) > MOST_SIZES else ""
        aim = "goal" if self._asked else "attained in large blocks"
        yield f"IFPR release of {everybody} records; keys: {', '.join(map(str, self.keys))}"
        yield (
            "Chance of a correct match among the records under the target's own keys at most xi ="
            f" {self.xi:.4g} ({aim}; lower is safer); {strength}"
        )
        yield (
            f"{people(len(self._released)).format('units')} share their keys with at most"
            f" {self.max_count} in all; {people(int(self.changed.sum())).format('of them')} have"
            " other keys now"
        )
        text = "1 block" if len(blocks) == 1 else f"{len(blocks):,} blocks"
        if blocks.variables:
            text += f" by {', '.join(map(str, blocks.variables))}"
        joined = blocks.joined()
        if joined.any():
            text += (
                f"; {joined.sum():,} of {len(joined):,} were merged because some were too small,"
                " see .merged"
            )
        yield text

    def _risk_by_size(self, check: IFPRCheck) -> pd.DataFrame:
        """One row for each perturbed size of cells that occurs, and one for all others: their
        number, the chance to leave, and the risk.
        """
        exchange, overall = self._exchange, self.risk_table(max_a=2).iloc[-1]
        worst = check.table[check.table["block"] != UNPERTURBED].groupby("T")["risk"].max()
        cells = exchange.cells.sum(axis=0)
        leave = (exchange.cells * exchange.leave).sum(axis=0) / np.maximum(cells, 1)
        rows: dict[str, list[float]] = {}
        for T, number, leaving in zip(exchange.sizes.tolist(), cells, leave):
            if number:
                risks = [overall[f"T={T} {what}"] for what in ("IR(1)", "IR(2)", "overall")]
                rows[f"T = {T}"] = [number, T * number, leaving, *risks, worst.get(T, np.nan)]
        sizes = self._untouched()
        if len(sizes):  # all T units are found, so each is matched with 1 / T, one unit per cell
            left = self._cells_of_size[sizes]
            number, units = int(left.sum()), int(sizes @ left)
            risks = [np.nan, np.nan, number / units, 1 / sizes[0]]
            rows[f"T > {self.max_count}"] = [number, units, 0.0, *risks]
        columns = ["cells", "units", "P(leave)", "IR(1)", "IR(2)", "overall", "worst IR"]
        return pd.DataFrame.from_dict(rows, orient="index", columns=columns)

    def _content(self) -> dict[str, Any]:
        check = self.verify()
        return {
            "theta": self.theta,
            "blocks": len(self._blocks),
            "units": len(self._released),
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
        self, kind: Literal["risk", "design"] = "risk", ax: Any = None, *, round_to: int = ROUND_TO
    ) -> Any:
        """Draw the risk by released count and goal ("risk"), or the share of units that change in
        each block ("design"; from counts rounded to a multiple of `round_to`, 1 draws exact ones).
        Returns matplotlib axes.
        """
        from ..plots.ifpr import plot_ifpr_design, plot_ifpr_risk

        if check_choice("kind", kind, ("risk", "design")) == "risk":
            return plot_ifpr_risk(self, ax)
        return plot_ifpr_design(self, ax, round_to=round_to)


def sampling_sd(counts: Integers) -> Floats:
    """Standard deviation of each count in a multinomial sample with these frequencies.

    >>> sampling_sd(np.array([50, 50])).tolist()
    [5.0, 5.0]
    """
    p = counts / counts.sum()
    sd: Floats = np.sqrt(counts * (1 - p))
    return sd


def _sub_tables(variables: Any, order: Any, columns: list[Hashable]) -> list[tuple[Hashable, ...]]:
    """The sub-tables asked for, each as the names of its variables."""
    items = [variables] if is_column(variables, columns) else listed(variables)
    # a tuple may be the name of one column
    if any(isinstance(item, (list, tuple)) and not is_column(item, columns) for item in items):
        return [tuple(chosen_columns("variables", item, columns)) for item in items]
    names = chosen_columns("variables", items, columns)
    orders = [len(names)] if order is None else listed(order)
    for number in orders:
        if not 1 <= check_whole("order", number, 1) <= len(names):
            raise InputError(f"order: {number} variables in a table, but {len(names)} given")
    return [table for number in orders for table in combinations(names, number)]


def _distance(variables: list[Variable]) -> tuple[float, int]:
    """Total variation distance, and cells that are occupied in either table."""
    (first, second), size = joint_codes(variables)
    records = len(first)
    if size > ROOM * records:
        distinct, both = np.unique(np.concatenate((first, second)), return_inverse=True)
        first, second = np.split(both, 2)
        size = len(distinct)
    before = np.bincount(first, minlength=size)
    after = np.bincount(second, minlength=size)
    moved = np.abs(before - after).sum() / 2
    return float(moved / records), int(np.count_nonzero(before + after))
