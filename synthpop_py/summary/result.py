"""What `multi_disclosure()` returns."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pandas as pd

from ..arguments import check_digits
from ..core.fingerprint import Fingerprints, of_several
from ..disclosure.baseline import Baseline, frame_of_several
from ..disclosure.measure_names import EachByName
from ..disclosure.measures import BY_NAME
from ..disclosure.result import Disclosure
from ..errors import InputError
from ..names import unknown_choice
from ..r.both import DefectFinding
from ..r.reading import Mode
from ..show import Document, Drawn, Relation
from ..show.plain import column_name

DEFAULT_IDENT, DEFAULT_ATTRIB = "repU", "DiSCO"
TO_PRINT = ("ident", "attrib")
ORIGINAL_MEASURE = {"DiSCO": "Dorig", "DiSDiO": "Dorig", "DCAP": "CAPd"}


@dataclass(frozen=True, slots=True)
class TargetRow:
    """The summary of one target: percentages averaged over syntheses, what was flagged, and how
    many people exclusions left out.
    """

    target: Hashable
    ident_orig: float
    ident_syn: float
    attrib_orig: float
    attrib_syn: float
    check1: str | None
    npairs: int
    check2: int | None
    left_out: int


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class MultiDisclosure(Drawn, EachByName):
    """Disclosure risk of several targets from one set of keys.

    Attributes
    ----------
    attrib_table : DataFrame
        One row per target, least risky first (missing figures last), indexed by target
        (``.loc["marital"]``). Columns: attrib.orig and attrib.syn (%), check1 (flagged level or
        ""), Npairs, check2 (what is flagged, or ""), left_out (people that exclusions left out, 0
        for none; attrib.orig and attrib.syn are still in % of all). Printed as in R: with R's row
        labels, and the number left out in a separate sentence.
    DiSCO, repU, ... : Series
        Every measure by its name, one value per target: the mean over syntheses, in per cent.
        ``result["marital"]`` is the `Disclosure` of one target.
    ident_orig, ident_syn : list of float
        Identity risk (%) of original and synthetic data, one per target in the order asked.
    output_list : dict of target to `Disclosure` keys, targets, m, Norig, ident_meas, attrib_meas,
        digits, denom_lim, exclude_ov_denom_lim, usekeysNA, usetargetsNA, compat
    notes : further notes: if no targets were given, the columns that only one side has, which could
        not be targets.
    defects : defects of R in the summary itself; those of single targets are in `output_list`.
    corrected : the correct summary, where R's differs.
    touched : whether a defect moved a figure of the summary or of a target.
    """

    rows: tuple[TargetRow, ...]
    keys: tuple[Hashable, ...]
    Norig: int
    m: int
    ident_meas: str
    attrib_meas: str
    digits: int
    denom_lim: Any
    exclude_ov_denom_lim: bool
    usekeysNA: tuple[Any, ...]
    usetargetsNA: tuple[Any, ...]
    output_list: dict[Hashable, Disclosure]
    show_plot: bool
    compat: Mode
    notes: tuple[str, ...] = ()
    defects: tuple[DefectFinding, ...] = ()
    corrected: MultiDisclosure | None = field(default=None)
    _asked: Mapping[str, Any] = field(default_factory=dict)

    @property
    def targets(self) -> tuple[Hashable, ...]:
        return tuple(row.target for row in self.rows)

    @property
    def touched(self) -> bool:
        """Whether a defect of R moved a figure of the summary or of one of its targets."""
        return bool(self.defects) or any(result.defects for result in self.output_list.values())

    @property
    def baseline(self) -> pd.DataFrame | None:
        """Members beside non-members, of every target: as `Disclosure.baseline`, with intervals and
        p-values adjusted for the number of targets. None without a holdout.
        """
        baselines = self._compared()
        return frame_of_several(baselines) if baselines else None

    def _compared(self) -> dict[Hashable, Baseline]:
        correct = self if self.corrected is None else self.corrected
        baselines = {}
        for target, result in correct.output_list.items():
            baseline = result._compared()
            if baseline is not None:
                baselines[target] = baseline
        return baselines

    @property
    def ident_orig(self) -> list[float]:
        return [row.ident_orig for row in self.rows]

    @property
    def ident_syn(self) -> list[float]:
        return [row.ident_syn for row in self.rows]

    @property
    def ordered_rows(self) -> list[TargetRow]:
        """The rows in the order of `attrib_table`: least risky first, missing figures last."""
        return sorted(self.rows, key=_risk)

    @property
    def attrib_table(self) -> pd.DataFrame:
        ordered = self.ordered_rows
        targets = pd.Index([row.target for row in ordered], name="target", tupleize_cols=False)
        return pd.DataFrame(list(map(_table_row, ordered)), index=targets)

    def r_labels(self) -> list[str]:
        """R's labels for the rows of `attrib_table`: rank, target and what was flagged."""
        width = len(str(len(self.rows)))
        labels = []
        for rank, row in enumerate(self.ordered_rows, start=1):
            labels.append(f"{rank:0{width}d} {row.target}{_flags(row)}")
        return labels

    # ---- one target, one measure -----------------------------------------------------

    def __getitem__(self, target: Hashable) -> Disclosure:
        """The result of one target."""
        if isinstance(target, Hashable) and target in self.output_list:
            return self.output_list[target]
        if isinstance(target, str) and target in BY_NAME:
            raise InputError(
                f"target: {target!r} is a measure, not a target; .{target} has it for every"
                f" target, [target][{target!r}] for every synthesis of one"
            )
        raise unknown_choice("target", target, list(self.output_list), "the targets")

    # hidden from type checkers, which would accept any name as a measure; `EachByName` lists them
    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> pd.Series:
            """A measure by its name, for every target: the mean over syntheses, in per cent."""
            # copying and pickling ask results for names that they do not have
            if name.startswith("_") or name not in BY_NAME:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            values = {target: getattr(one, name) for target, one in self.output_list.items()}
            return pd.Series(values, name=name)

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *BY_NAME})

    # ---- other shapes ----------------------------------------------------------------

    def tidy(self) -> pd.DataFrame:
        """Every measure of every target and synthesis, as `Disclosure.tidy`, with the target in
        front.
        """
        frames = []
        for target, result in self.output_list.items():
            frame = result.tidy()
            frame.insert(0, "target", [target] * len(frame))
            frames.append(frame)
        return pd.concat(frames, ignore_index=True)

    def plot(self, ax: Any = None, *, ceiling: float | None = None, round_to: int = 10) -> Any:
        """Compare original and synthetic attribute risk of every target (needs matplotlib), with a
        line at the highest risk you accept, `ceiling` (in %), if given. Figures of fewer than
        `min_cell` people are not drawn; 0 draws all. Returns the axes; their ``.figure`` is the
        picture.
        """
        from ..plots import plot_targets

        return plot_targets(self, ax=ax, ceiling=ceiling, round_to=round_to)

    # ---- views -----------------------------------------------------------------------

    def _document(self) -> Document:
        from .show import document

        return document(self, TO_PRINT, self.digits)

    def _content(self) -> dict[str, Any]:
        from ..disclosure.json import multi_content

        return multi_content(self)

    def _arguments(self) -> dict[str, Any]:
        names = ("ident_meas", "attrib_meas", "digits", "denom_lim", "exclude_ov_denom_lim")
        return {
            "keys": [column_name(key) for key in self.keys],
            "targets": [column_name(target) for target in self.targets],
            "compat": self.compat,
            **{name: getattr(self, name) for name in names},
            "usekeysNA": self.usekeysNA,
            "usetargetsNA": self.usetargetsNA,
            **self._asked,
        }

    def _records(self) -> dict[str, Any]:
        first = next(iter(self.output_list.values()))
        return first._records()

    def _fingerprints(self, *, original: bool) -> Fingerprints | None:
        """Fingerprints made from those of the targets, each of which covers its own columns."""
        by_target: dict[str, Fingerprints] = {}
        for target, result in self.output_list.items():
            fingerprints = result._fingerprints(original=original)
            if fingerprints is None:
                return None
            by_target[str(target)] = fingerprints
        return of_several(by_target)

    def _relations(self) -> tuple[Relation, ...]:
        from .show import relations as relations_of_means

        relations = list(relations_of_means(self))
        for result in self.output_list.values():
            relations += result._relations()
        if self.corrected is not None:
            relations += self.corrected._relations()
        return tuple(relations)

    def print(
        self,
        to_print: str | Sequence[str] | None = None,
        digits: int | None = None,
        plot: bool | None = None,
    ) -> Any:
        """Show the summary, or parts of it; with `plot`, draw it as well and return the axes.

        Parameters
        ----------
        to_print : one or more of "ident", "attrib"; or what every result has, "summary", "notes",
            "tables", "short", "all".
        digits : decimals.
        """
        from .show import document

        decimals = self.digits if digits is None else check_digits(digits)
        self._print_parts(
            document(self, TO_PRINT, decimals),
            to_print,
            own=TO_PRINT,
            of_own=lambda names: document(self, names, decimals),
        )
        draw = self.show_plot if plot is None else plot
        return self.plot() if draw else None


def _risk(row: TargetRow) -> float:
    """What rows are ordered by; a missing figure comes last."""
    return math.inf if math.isnan(row.attrib_syn) else row.attrib_syn


def _table_row(row: TargetRow) -> dict[str, Any]:
    return {
        "attrib.orig": row.attrib_orig,
        "attrib.syn": row.attrib_syn,
        "check1": row.check1 or "",
        "Npairs": row.npairs,
        "check2": _pairs(row.check2),
        "left_out": row.left_out,
    }


def _pairs(number: int | None) -> str:
    if number is None:
        return ""
    return "1 pair" if number == 1 else f"{number} pairs"


def _flags(row: TargetRow) -> str:
    if row.check1 is not None:
        return " 1&2way checks" if row.check2 is not None else " 1way checks"
    return " 2way checks" if row.check2 is not None else ""
