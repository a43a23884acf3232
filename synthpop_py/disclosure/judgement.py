"""R's result with the correct one beside it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from ..core.arrays import Integers
from ..core.columns import texts_meet_others
from ..core.fingerprint import fingerprints_of
from ..errors import InputError, NothingInCommonWarning, warn
from ..progress import Begin
from ..r.both import Both, Changes, Computation, as_r, run_both
from ..r.reading import CORRECTED, Reading, correctly
from .asked import asked_of
from .baseline import Baseline
from .findings import changes_between
from .fingerprints import Known, value_rows
from .level_names import warn_of_unknown_level
from .notes import notes_on_order
from .options import Request
from .parts import run_in_parts
from .result import Disclosure, build
from .run import run
from .source import Source


@dataclass(frozen=True, slots=True)
class DisclosureCall(Computation[Disclosure]):
    """One call of `disclosure()`: its data, its checked arguments, and how it was written."""

    source: Source
    request: Request
    text: str
    begin: Begin | None = None

    def first(self, reading: Reading) -> Disclosure:
        return self._run(reading, self.begin)

    def result(self, reading: Reading) -> Disclosure:
        return self._run(reading, None)

    def changes(self, r: Disclosure, correct: Disclosure) -> Changes:
        return changes_between(r, correct)

    def _run(self, reading: Reading, begin: Begin | None) -> Disclosure:
        rows = self.source.few_rows((self.request.target, *self.request.keys))
        if rows is None:
            outcome = run_in_parts(self.request, self.source, reading, begin)
        else:
            outcome = run(self.request, self.source, rows, reading, begin)
        return build(
            outcome,
            mode=reading.mode,
            digits=self.request.digits,
            to_print=self.request.to_print,
            call=self.text,
            asked=partial(asked_of, self.request, self.source.special, self.source.counts),
        )


def disclose(source: Source, request: Request, call: str, begin: Begin | None = None) -> Disclosure:
    """The result under the mode asked for. Where a defect of R moved a figure, also that defect and
    the correct result. `begin` receives the number of each synthesis.
    """
    groups_of_keys = dict(zip(request.asked_keys, request.groups_keys))
    groups = {request.target: request.groups_target}
    groups |= {key: groups_of_keys[key] for key in request.keys}
    # a release that cannot be compared has no figure; R gives one
    must_match = request.keys if request.asked_mode == CORRECTED else ()
    source.check_common_values(groups, must_match)
    rows = source.few_rows(list(groups))
    columns = [] if rows is None else list(rows.columns.values())
    cells_tell_values = not any(groups.values()) and not any(map(texts_meet_others, columns))
    reading = as_r(request.mode)
    computation = DisclosureCall(source, request, text=call, begin=begin)
    both = run_both(computation, reading)
    result, corrected = both.asked, both.corrected
    if source.holdout is not None:
        result = replace(result, _baseline=_baseline(computation, both))
    if any(groups.values()):
        source.check_classes(result.groupings, must_match)
    if request.not_targetlev:
        for level in result._levels_not_found():
            warn_of_unknown_level(level, request.target)
    for number, figures in enumerate(result._sets, start=1):
        left = figures.ledger[:2, -1]
        if not left.all():
            _warn_of_nobody_left(result, number, left)
    if rows is None:
        result, corrected = _without_fingerprints(result, corrected)
    elif not cells_tell_values:
        result, corrected = _with_values(result, corrected, source)
    elif corrected is not None:
        # cells in R's reading may not be what the data hold
        result = replace(result, _correct_rows=corrected._counted_rows())
    if both.findings:
        result = replace(result, defects=both.findings, corrected=corrected)
    remarks = []
    for name in (*request.keys, request.target):
        remarks += source.remarks.get(name, [])
    on_order: tuple[str, ...] = ()
    # in frames, categories can declare the order of levels
    if not source.keeps_rows:
        on_order = notes_on_order(result, source.texts_without_levels(list(groups)))
    if not remarks and not on_order:
        return result
    return replace(
        result,
        notes=(*remarks, *on_order),
        _on_order=on_order,
        _uncompared=not source.uncompared.isdisjoint(groups),
    )


def _baseline(computation: DisclosureCall, both: Both[Disclosure]) -> Baseline | None:
    """Members beside non-members, under the corrected reading: from one of the two results, or from
    a run made for this.
    """
    for result in (both.asked, both.corrected):
        if result is not None and result._baseline is not None:
            return result._baseline
    if both.findings:
        reason = both.findings[0].changes[0][1]
        raise InputError(f"holdout: a baseline is made under the corrected reading; {reason}")
    return computation.result(correctly())._baseline


def _with_values(
    result: Disclosure, corrected: Disclosure | None, source: Source
) -> tuple[Disclosure, Disclosure | None]:
    """Both results with the values needed for fingerprints, where cells do not show them."""
    rows = source.rows([result.target, *result.keys])
    mixed = any(map(texts_meet_others, rows.columns.values()))
    if not mixed and corrected is None and result._outcome is not None:
        by_value = value_rows(result._outcome, source)
        if by_value is not None:
            return replace(result, _correct_rows=by_value), None
    tables = Known(fingerprints_of(rows.columns, rows.n, rows.records))
    result = replace(result, _known_fingerprints=tables)
    if corrected is not None:
        corrected = replace(corrected, _known_fingerprints=tables)
    return result, corrected


def _without_fingerprints(
    result: Disclosure, corrected: Disclosure | None
) -> tuple[Disclosure, Disclosure | None]:
    """Both results of work in parts, where no part knows the order of all rows."""
    none = Known(None)
    result = replace(result, _known_fingerprints=none)
    if corrected is not None:
        corrected = replace(corrected, _known_fingerprints=none)
    return result, corrected


def _warn_of_nobody_left(result: Disclosure, number: int, left: Integers) -> None:
    """Warn where no record is left: the figures are then 0, whatever the risk of those left out."""
    sides = [f"every {side}" for side, n in zip(("original", "synthetic"), left) if not n]
    of_several = f" (synthesis {number})" if result.m > 1 else ""
    finding = f"target {str(result.target)!r}: {' and '.join(sides)} record is left out{of_several}"
    warn(
        f"{finding}, so a risk of 0 says nothing; Nexclusions has the reasons",
        NothingInCommonWarning,
        short=finding,
    )
