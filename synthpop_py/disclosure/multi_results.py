"""What `multi_disclosure()` returns."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, fields, replace
from html import escape
from typing import Any

import pandas as pd

from ..arguments import check_choice, check_digits, listed
from ..r.layouts import IDENT
from ..r.reading import VERSIONS, Mode
from ..tables import html_table, table_text
from .render import WHERE_IT_IS, defect_lines, two_figures
from .results import DefectFinding, Disclosure

DEFAULT_IDENT, DEFAULT_ATTRIB = "repU", "DiSCO"
TO_PRINT = ("ident", "attrib")
MOST_TARGETS = 3  # whose defects are spelt out in a warning
MOST_FIGURES = 6
ORIGINAL_MEASURE = {"DiSCO": "Dorig", "DiSDiO": "Dorig", "DCAP": "CAPd"}


@dataclass(frozen=True, slots=True)
class TargetRow:
    """The summary of one target: percentages averaged over syntheses, and what was flagged."""

    target: Hashable
    ident_orig: float
    ident_syn: float
    attrib_orig: float
    attrib_syn: float
    check1: str | None
    npairs: int
    check2: int | None


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class MultiDisclosure:
    """Disclosure risk of several targets from one set of keys.

    Attributes
    ----------
    attrib_table : DataFrame
        One row per target, least risky first (missing figures last), R's row labels. Columns:
        attrib.orig and attrib.syn (%), check1 (flagged level or ""), Npairs, check2 (what is
        flagged, or "").
    ident_orig, ident_syn : list of float
        Identity risk (%) of original and synthetic data, one per target in the order asked.
    output_list : dict of target to `Disclosure` keys, targets, m, Norig, ident_meas, attrib_meas,
        digits, denom_lim, exclude_ov_denom_lim, usekeysNA, usetargetsNA, compat
    notes : what else there is to know: where no targets were given, which columns only one side
        has, so that they could not be targets.
    defects : defects of R in the summary itself; those of single targets are in `output_list`.
    corrected : the right summary, where R's differs.
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

    @property
    def targets(self) -> tuple[Hashable, ...]:
        return tuple(row.target for row in self.rows)

    @property
    def touched(self) -> bool:
        """Whether a defect of R moved a figure of the summary or of one of its targets."""
        return bool(self.defects) or any(result.defects for result in self.output_list.values())

    @property
    def ident_orig(self) -> list[float]:
        return [row.ident_orig for row in self.rows]

    @property
    def ident_syn(self) -> list[float]:
        return [row.ident_syn for row in self.rows]

    @property
    def ordered_rows(self) -> list[TargetRow]:
        """The rows in the order of `attrib_table`: least risky first, missing figures last."""
        return sorted(
            self.rows, key=lambda row: math.inf if math.isnan(row.attrib_syn) else row.attrib_syn
        )

    @property
    def attrib_table(self) -> pd.DataFrame:
        ordered = self.ordered_rows
        width = len(str(len(ordered)))
        return pd.DataFrame(
            {
                "attrib.orig": [row.attrib_orig for row in ordered],
                "attrib.syn": [row.attrib_syn for row in ordered],
                "check1": [row.check1 or "" for row in ordered],
                "Npairs": [row.npairs for row in ordered],
                "check2": [
                    (
                        ""
                        if row.check2 is None
                        else f"{row.check2} pair{'' if row.check2 == 1 else 's'}"
                    )
                    for row in ordered
                ],
            },
            index=[
                f"{rank:0{width}d} {row.target}{_flags(row)}"
                for rank, row in enumerate(ordered, start=1)
            ],
        )

    # ---- other shapes ----------------------------------------------------------------

    def tidy(self) -> pd.DataFrame:
        """Every measure of every target and synthesis, as `Disclosure.tidy`, with the target in
        front.
        """
        frames = [result.tidy() for result in self.output_list.values()]
        return pd.concat(
            [f.assign(target=t)[["target", *f.columns]] for t, f in zip(self.output_list, frames)],
            ignore_index=True,
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain Python values."""
        from .exchange import _name as column_text
        from .exchange import plain

        rows = [
            {name: plain(getattr(row, name)) for name in (f.name for f in fields(TargetRow))}
            | {"target": column_text(row.target)}
            for row in self.rows
        ]
        return {
            "what": "synthpop_py.MultiDisclosure",
            "compat": self.compat,
            "r_version": VERSIONS[self.compat],
            "keys": [column_text(k) for k in self.keys],
            "Norig": self.Norig,
            "m": self.m,
            "ident_meas": self.ident_meas,
            "attrib_meas": self.attrib_meas,
            "digits": self.digits,
            "rows": rows,
            "notes": list(self.notes),
            "output_list": {str(t): r.to_dict() for t, r in self.output_list.items()},
            "defects": [
                {"id": d.id, "changes": [[plain(v) for v in c] for c in d.changes]}
                for d in self.defects
            ],
            "corrected": None if self.corrected is None else self.corrected.to_dict(),
        }

    def plot(self, ax: Any = None) -> Any:
        """Compare original and synthetic attribute risk of every target (needs matplotlib). Returns
        the axes.
        """
        from ..plots import plot_targets

        return plot_targets(self, ax=ax)

    # ---- views -----------------------------------------------------------------------

    def defect_text(self, to_print: Sequence[str] = TO_PRINT) -> str:
        """What is wrong in R's figures for this call, the summary's own defects first; only where
        it touches what is printed.
        """
        moved = [change for change in self._moved_otherwise() if _is_shown(change[0], to_print)]
        own = _concerning(self.defects, to_print)
        lines = (
            [
                f"R's figures (synthpop {VERSIONS[self.compat]}) in this summary are not those of"
                " the published definitions:"
            ]
            if own or moved
            else []
        )
        lines += [f"  {name}: {two_figures(r, right)}" for name, r, right in moved[:MOST_FIGURES]]
        for finding in own:
            lines.append(
                f"  {finding.id}, {finding.summary}: R {finding.r_does}; right: {finding.right}."
            )
            lines += [
                f"    {name}" + (f": {two_figures(r, right)}" if (r, right) != (None, None) else "")
                for _, name, r, right in finding.changes[:MOST_FIGURES]
            ]
        wrong = [
            replace(result, defects=found)
            for result in self.output_list.values()
            if (found := _concerning(result.defects, to_print))
        ]
        for result in wrong[:MOST_TARGETS]:
            lines += [line for line in defect_lines(result) if line != WHERE_IT_IS]
        if len(wrong) > MOST_TARGETS:
            lines.append(
                f"  and {len(wrong) - MOST_TARGETS} more targets"
                f" ({', '.join(str(r.target) for r in wrong[MOST_TARGETS:])}); see"
                " .output_list[target].defects"
            )
        return "\n".join([*lines, WHERE_IT_IS] if lines and self.corrected is not None else lines)

    def _moved_otherwise(self) -> list[tuple[str, float, float]]:
        """Figures of the summary that differ from the right ones because of defects of single
        targets: name, R's, the right one.
        """
        if self.corrected is None:
            return []
        told = {change[1] for finding in self.defects for change in finding.changes}
        other = {row.target: row for row in self.corrected.rows}
        pairs = [
            (f"{name} of {row.target}", getattr(row, name), getattr(other[row.target], name))
            for row in self.rows
            for name in ("ident_orig", "ident_syn", "attrib_orig", "attrib_syn")
        ]
        return [
            (name, r, right)
            for name, r, right in pairs
            if name not in told
            and not math.isclose(r, right, rel_tol=1e-12)
            and not (math.isnan(r) and math.isnan(right))
        ]

    def identity_text(self, digits: int) -> str:
        first = self.rows[0]
        one_figure = (
            len({(_shown(row.ident_orig, 12), _shown(row.ident_syn, 12)) for row in self.rows}) == 1
        )
        whose = (
            ""
            if one_figure
            else (
                f"\n  for target {first.target}; other targets have other figures, see .ident_orig"
                " and .ident_syn"
            )
        )
        over = f", averaged over {self.m} syntheses" if self.m > 1 else ""
        return (
            f"Identity risk from keys {', '.join(map(str, self.keys))}, in % of {self.Norig}"
            f" original records{over} (higher is riskier):\n  original  (UiO) "
            f" {_shown(first.ident_orig, digits)}\n  synthetic ({self.ident_meas})"
            f" {_shown(first.ident_syn, digits)}{whose}"
        )

    def __repr__(self) -> str:
        return self.text(self.digits)

    def text(self, digits: int, to_print: Sequence[str] = TO_PRINT) -> str:
        """The printed summary, or the parts of it that are asked for."""
        original = ORIGINAL_MEASURE[self.attrib_meas]
        heading = (
            "Attribute risk of each target, in % of original records, least risky first"
            f" (attrib.orig: {original}, attrib.syn: {self.attrib_meas}):\n"
        )
        wanted = [name for name in TO_PRINT if name in to_print]
        tables = self._tables(digits)
        parts = [heading * (name == "attrib") + tables[name] for name in wanted]
        flagged = [
            str(row.target) for row in self.rows if row.check1 is not None or row.check2 is not None
        ]
        if flagged and "attrib" in wanted:
            whose = "its" if len(flagged) == 1 else "their"
            parts.append(
                f"Check {', '.join(flagged)}: part of {whose} risk may be common knowledge."
                " .output_list[target].print(['check_1way', 'check_2way']) shows it."
            )
        if self.notes and "attrib" in wanted:
            parts.append("\n".join(self.notes))
        if self.corrected is not None:
            right = self.corrected._tables(digits)
            if len(wanted) == len(TO_PRINT) or any(right[n] != tables[n] for n in wanted):
                same = "The same with R's defects corrected:"
                parts.append("\n".join([same, *(right[name] for name in wanted)]))
        if self.touched and (defects := self.defect_text(wanted)):
            parts.append("WARNING\n" + defects)
        return "\n\n".join(parts)

    def _tables(self, digits: int) -> dict[str, str]:
        """The parts of the printed summary, without headings."""
        return {
            "ident": self.identity_text(digits),
            "attrib": table_text(self._rounded(digits)),
        }

    def _rounded(self, digits: int) -> pd.DataFrame:
        table = self.attrib_table
        return table.assign(
            **{name: table[name].round(digits) for name in ("attrib.orig", "attrib.syn")}
        )

    def print(
        self,
        digits: int | None = None,
        plot: bool | None = None,
        to_print: str | Sequence[str] = TO_PRINT,
    ) -> Any:
        """Show the summary, or only "ident" or "attrib" of it; with `plot`, draw it as well and
        return the axes.
        """
        wanted = [check_choice("to_print", name, TO_PRINT) for name in listed(to_print)]
        print(self.text(self.digits if digits is None else check_digits(digits), wanted))
        return self.plot() if (self.show_plot if plot is None else plot) else None

    def _identity_caption(self) -> str:
        first = self.rows[0]
        return (
            f"identity risk: UiO {_shown(first.ident_orig, self.digits)}, {self.ident_meas}"
            f" {_shown(first.ident_syn, self.digits)}"
        )

    def _repr_html_(self) -> str:
        parts = [
            html_table(
                self.attrib_table,
                self.digits,
                f"Attribute risk, % of {self.Norig} original records (higher is riskier);"
                f" {self._identity_caption()}",
            )
        ]
        parts += [f"<p>{escape(note)}</p>" for note in self.notes]
        if self.corrected is not None:
            parts.append(
                html_table(
                    self.corrected.attrib_table,
                    self.digits,
                    f"The same with R's defects corrected; {self.corrected._identity_caption()}",
                )
            )
        if self.touched:
            parts.append(f"<pre>{escape(self.defect_text())}</pre>")
        return "<div>" + "".join(parts) + "</div>"


def _is_shown(figure: str, to_print: Sequence[str]) -> bool:
    """Whether a figure, by its name, belongs to these parts of the printed summary."""
    if figure == "m":
        return True
    of_identity = figure.startswith("ident_") or figure in (*IDENT, "baseCAPd")
    return ("ident" if of_identity else "attrib") in to_print


def _concerning(
    defects: Sequence[DefectFinding], to_print: Sequence[str]
) -> tuple[DefectFinding, ...]:
    """The defects that moved a figure of these parts, with those figures; and those that have no
    figure, because the right reading of the call is refused.
    """
    found = [
        replace(
            finding,
            changes=tuple(
                change
                for change in finding.changes
                if _is_shown(change[1], to_print) or change[2:] == (None, None)
            ),
        )
        for finding in defects
    ]
    return tuple(finding for finding in found if finding.changes)


def _flags(row: TargetRow) -> str:
    if row.check1 is not None:
        return " 1&2way checks" if row.check2 is not None else " 1way checks"
    return " 2way checks" if row.check2 is not None else ""


def _shown(value: float, digits: int) -> str:
    return "not available" if math.isnan(value) else f"{value:.{digits}f}"
