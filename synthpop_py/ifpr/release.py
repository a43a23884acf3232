"""What `ifpr` returns: the released data, how they were made, and what they disclose."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from ..arguments import check_choice, check_whole, chosen_columns
from ..core.arrays import Flags, Integers, Values
from ..core.levels import Variable
from ..rounding import ROUND_TO
from ..show.printing import Sections
from ..show.values import column_name
from ..show.views import Drawn
from ..tables.frames import AnyFrame, give_back, owned
from .goal import Goal
from .key_cells import exact_variable
from .marginals import marginal_frame
from .matrix import sparse_matrix
from .naming import BlockNames, block_labels
from .options import check_xi
from .randomise import Randomisation
from .release_frames import (
    cells_frame,
    design_frame,
    found_table_frame,
    risk_table_frame,
    tidy_risk_frame,
)
from .subtables import chosen_tables, distance_frame

if TYPE_CHECKING:
    import scipy

    from .audit import IFPRAudit
    from .check import IFPRCheck

PLOTS = ("risk", "design")


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
    _randomisation: Randomisation
    _released: Integers
    _names: BlockNames
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
        flows = self._randomisation.flows
        highest = np.where(flows.cells > 0, flows.theta, 0.0).max(axis=0, initial=0.0)
        highest_used = dict(zip(flows.sizes.tolist(), highest.tolist()))
        thetas = dict(zip(self._goal.sizes.tolist(), self._goal.theta.tolist()))
        for T in self._goal.sizes[~self._goal.needs].tolist():
            thetas[T] = highest_used.get(T, 0.0)
        return thetas

    @property
    def max_count(self) -> int:
        """Cells with more units were left as they are."""
        return self._goal.max_count

    @property
    def changed(self) -> pd.Series:
        """For each record, whether it got the keys of another cell."""
        mask = np.zeros(len(self._data), dtype=bool)
        mask[self._randomisation.unit_row] = self._moved
        return pd.Series(mask, index=self._data.index, name="changed")

    @property
    def merged(self) -> pd.DataFrame:
        """Blocks that were too small and became part of another: one row each, with the block's own
        label and the block it is in now.
        """
        joined = self._names.joined
        labels_before = block_labels(self._names.before_merging())
        labels_now = self._labels()[self._names.run[joined]]
        return pd.DataFrame({"was": labels_before[joined], "block": labels_now}, dtype=object)

    @property
    def design(self) -> pd.DataFrame:
        """One row per block, by its label.

        Columns: the groups of the block variables ("units (groups)" for a variable that is called
        like one of the others); units, cells (of those that are perturbed), cells_1, cells_2, ...
        by size; theta (theta_1, ... where sizes differ); expected_changed (units), share_perturbed
        (expected_changed / units), changed (units, in this release); elsewhere (whether a unit is
        likelier to go to one given other cell than to stay, see `IFPRCheck`).
        """
        return design_frame(self)

    def _labels(self) -> Values:
        return block_labels(self._names)

    @property
    def _moved(self) -> Flags:
        """Whether a unit is in another cell now; bool, shape (u,)."""
        moved: Flags = self._released != self._randomisation.unit_cell
        return moved

    @property
    def _untouched_sizes(self) -> Integers:
        """Sizes of the cells that were left as they are, ascending."""
        larger = self._cells_of_size[self.max_count + 1 :]
        return np.flatnonzero(larger) + self.max_count + 1

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
            IR over T and every a that is shown or could pass the goal (1 / a above xi), and, in the
            last row, 1 / T of cells that were left as they are. NaN where a block has no such cell
            or the count cannot occur.
        """
        return risk_table_frame(self, self._last("max_a", max_a))

    def _last(self, argument: str, value: Any) -> int:
        """The highest released count to be shown by itself."""
        if value is not None:
            return check_whole(argument, value, 1)
        return max(2, int(self._randomisation.flows.sizes.max()))

    def found_table(self, max_a: int | None = None) -> pd.DataFrame:
        """Theory: how many records are found under the keys of a target, P(S = a), 0 included.

        Parameters
        ----------
        max_a : show released counts a from 0 to this; None as in `risk_table`.

        Returns
        -------
        DataFrame
            One row per block and a last one, "all blocks", for a target drawn from all perturbed
            units of its size. Columns: for each size T that occurs "T=1 P(0)", "T=1 P(1)", ... .
            NaN where a block has no such cell. One theta, one T, one a: `ifpr_found`.
        """
        return found_table_frame(self, self._last("max_a", max_a))

    @property
    def cells(self) -> pd.DataFrame:
        """The combinations of keys that take part in the exchange, in the order of `matrix`: one
        row each, by its keys.

        Columns: block (its label in `design`), T (units before), S (units in this release), leave
        (the chance of each of its units to leave). T comes from the original: keep it as
        confidential as the original.
        """
        return cells_frame(self)

    def matrix(self, block: Any = None) -> scipy.sparse.csr_array:
        """The post-randomisation matrix: P[c, d] is the chance that a unit of cell c is released in
        cell d.

        Parameters
        ----------
        block : the label of one block, as in the index of `design`; None for all of them.

        Returns
        -------
        scipy.sparse.csr_array, shape (c, c)
            Block diagonal. Rows and columns are those of `cells`, of one block its rows there in
            their order. Rows sum to 1. Combinations of keys that are not perturbed are left out;
            they would have 1 on the diagonal. The chances show which cells held one unit, so the
            matrix must not be published.

        Examples
        --------
        >>> from synthpop_py import ifpr
        >>> people = pd.DataFrame({"sex": list("ffmmm"), "age": [30, 31, 30, 31, 31]})
        >>> kept = {"blocks": "sex", "small_blocks": "keep", "reproducible": True}
        >>> release = ifpr(people, ["sex", "age"], theta=0.5, seed=1, **kept)
        >>> release.cells["T"].tolist()
        [1, 1, 1, 2]
        >>> release.matrix().toarray().tolist()[2:]
        [[0.0, 0.0, 0.5, 0.5], [0.0, 0.0, 0.25, 0.75]]
        >>> release.matrix("sex: m").toarray().tolist()
        [[0.5, 0.5], [0.25, 0.75]]
        """

        in_blocks = np.arange(len(self._randomisation.block))
        if block is not None:
            labels = self._labels().tolist()
            name = check_choice("block", block, labels)
            in_blocks = np.flatnonzero(self._randomisation.block == labels.index(name))
        return sparse_matrix(self._randomisation, in_blocks)

    def tidy(self, max_a: int | None = None) -> pd.DataFrame:
        """The risk table in long form: one row for each block, size T and released count a.

        Columns: block, T, a (None for all counts together), risk, expected_matches and
        expected_units (numerator and denominator: units of T-cells of the block that are expected
        to be matched, and to find a records in their cell), cells, units.
        """
        return tidy_risk_frame(self, self._last("max_a", max_a))

    def verify(self, xi: float | None = None) -> IFPRCheck:
        """Whether every block meets the goal for every size of cells and every released count.

        Parameters
        ----------
        xi : the goal; None for that of the release.

        Returns
        -------
        IFPRCheck
            ``bool()`` is True if all meet the goal. `table` has each block, T and a; `violations`
            those above the goal.
        """
        from .check import check_release

        goal = self.xi if xi is None else check_xi(xi)
        return check_release(self, goal)

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

        Returns
        -------
        IFPRAudit
        """
        from .audit import run_audit

        runs = check_whole("runs", runs, 1)
        last = self._last("max_s", max_s)
        return run_audit(self, runs, last, seed)

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
            the standard deviation of the count in a random sample, sqrt(n p (1 - p))), ifpr_sd
            (records: the standard deviation that the randomisation adds, given the data).
        """
        chosen = list(self.keys)
        if variables is not None:
            chosen = chosen_columns("variables", variables, self.keys, "the keys of the release")
        frames = [marginal_frame(key, self._coded(key), self._randomisation) for key in chosen]
        return pd.concat(frames, ignore_index=True)

    def tvd(self, variables: Any = None, order: Any = None) -> pd.DataFrame:
        """Total variation distance of sub-tables, original against released: no share of any set of
        cells differs by more.

        Parameters
        ----------
        variables : columns of the data, keys or not; None for the keys. A list of lists gives
            several sub-tables.
        order : None for one table of all the variables together; 1, 2, ... or several of these for
            all tables of that many variables.

        Returns
        -------
        DataFrame
            One row per table. Columns: variables (tuple), tvd (0: same distribution, 1: nothing in
            common), cells (levels that occur, multiplied), occupied (cells with records in either
            table).
        """
        tables = chosen_tables(variables, order, list(self._data.columns), self.keys)
        names = dict.fromkeys(chain.from_iterable(tables))
        coded = {name: self._coded(name) for name in names}
        return distance_frame(tables, coded)

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
        from .show import sections

        return sections(self, to)

    def _content(self) -> dict[str, Any]:
        from .show import content

        return content(self)

    def _arguments(self) -> dict[str, Any]:
        return {
            "keys": list(map(column_name, self.keys)),
            "blocks": list(map(column_name, self._names.variables)),
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

        if check_choice("kind", kind, PLOTS) == "risk":
            return plot_ifpr_risk(self, ax)
        return plot_ifpr_design(self, ax, round_to=round_to)
