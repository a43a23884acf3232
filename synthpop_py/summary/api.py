"""`multi_disclosure()`: identity risk once, attribute risk for many targets."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from ..arguments import check_choice, check_flag, listed
from ..disclosure.findings import changes_between, same_figure
from ..disclosure.judgement import disclose
from ..disclosure.notes import notes
from ..disclosure.options import Request, check_arguments, for_target
from ..disclosure.result import Disclosure
from ..disclosure.source import Source, read_source
from ..errors import InputError, RDefectWarning, warn
from ..progress import Progress
from ..r.both import (
    Change,
    Changes,
    Computation,
    DefectFinding,
    by_number,
    figure_of,
    run_both,
)
from ..r.reading import CORRECTED, MODES, NEWEST, Mode, Reading, as_r, correctly
from ..spellings import plain_names_too
from ..synds import SynDS
from .options import Settings, check_settings
from .result import DEFAULT_ATTRIB, DEFAULT_IDENT, MultiDisclosure, TargetRow

# defects in how R hands arguments on, which touch the results of single targets; the others are in
# the table made of them
OF_THE_CALL = frozenset({"D2", "D3", "D32"})
FIGURES = ("ident_syn", "ident_orig", "attrib_orig", "attrib_syn", "npairs")

Exclusions: TypeAlias = tuple[Any, Any, Any]  # keys, their levels, levels of the target


@plain_names_too()
def multi_disclosure(
    object: SynDS | pd.DataFrame | Sequence[pd.DataFrame],
    data: pd.DataFrame,
    keys: Any,
    targets: Any = None,
    *,
    cont_na: Mapping[Any, Any] | None = None,
    counts: Any = None,
    print_flag: bool = True,
    denom_lim: int | None = 5,
    exclude_ov_denom_lim: bool = False,
    not_targetslev: Sequence[str] | Mapping[Any, str] | None = None,
    usetargetsNA: bool | Sequence[bool] = True,
    usekeysNA: bool | Sequence[bool] | None = True,
    exclude_keys: Sequence[Any] | None = None,
    exclude_keylevs: Sequence[Any] | None = None,
    exclude_targetlevs: Sequence[Any] | None = None,
    ngroups_targets: Any = None,
    ngroups_keys: Any = None,
    ident_meas: str = DEFAULT_IDENT,
    attrib_meas: str = DEFAULT_ATTRIB,
    thresh_1way: Sequence[float] = (50, 90),
    thresh_2way: Sequence[float] = (4, 80),
    digits: int = 2,
    plot: bool = False,
    compare_synorig: bool = True,
    compat: str = "r",
    collation: str = "icu",
) -> MultiDisclosure:
    """Disclosure risk of synthetic data for several targets (R's ``multi.disclosure()``, earlier
    ``disclosure.summary()``).

    Parameters are those of `disclosure`, given once, except:

    Parameters
    ----------
    targets : names or positions of columns; by default every column that both the synthetic and the
        original data have and that is not a key. What only one of them has is left out, and named.
    not_targetslev : one level to leave out for each target, "" for none; or a mapping of targets to
        levels, as in ``{"workab": "NO"}``.
    usetargetsNA, ngroups_targets : one value, or one for each target.
    exclude_keys, exclude_keylevs, exclude_targetlevs : one list of pairs for each target (None or
        an empty list for none).
    ident_meas : "repU", "UiSiO" (R's spelling of UiOiS) or "baseCAPd": the identity measure of the
        synthetic data.
    attrib_meas : "DiSCO", "DiSDiO" or "DCAP": the attribute measure; the original's is Dorig, Dorig
        or CAPd.
    plot : draw the comparison when printing (needs matplotlib); R's default is True, here it is
        False so that printing never opens a window.
    compat : as for `disclosure`.

    Returns
    -------
    MultiDisclosure

    Examples
    --------
    >>> from synthpop_py import datasets, multi_disclosure
    >>> original, synthetic = datasets.load("SD2011"), datasets.load_synthesis("SD2011_s1")
    >>> result = multi_disclosure(
    ...     synthetic,
    ...     original,
    ...     keys=["sex", "age", "region", "placesize"],
    ...     targets=["ls", "marital"],
    ...     print_flag=False,
    ...     compat="corrected",
    ... )
    >>> list(result.attrib_table.index)
    ['1 ls', '2 marital 2way checks']
    """
    mode = check_choice("compat", compat, MODES)
    source = read_source(object, data, cont_na, counts)
    common = {
        "denom_lim": denom_lim,
        "exclude_ov_denom_lim": exclude_ov_denom_lim,
        "thresh_1way": thresh_1way,
        "thresh_2way": thresh_2way,
        "digits": digits,
        "compare_synorig": compare_synorig,
        "collation": collation,
        "to_print": ("short",),
        "print_flag": False,
    }
    settings = check_settings(
        source,
        keys=keys,
        targets=targets,
        not_targetslev=not_targetslev,
        usetargetsNA=usetargetsNA,
        ngroups_targets=ngroups_targets,
        usekeysNA=usekeysNA,
        ngroups_keys=ngroups_keys,
        exclude_keys=exclude_keys,
        exclude_keylevs=exclude_keylevs,
        exclude_targetlevs=exclude_targetlevs,
        ident_meas=ident_meas,
        attrib_meas=attrib_meas,
        common=common,
    )
    summary = Summary(
        source,
        settings,
        plot=check_flag("plot", plot),
        print_flag=check_flag("print_flag", print_flag),
    )
    result = with_correct_figures(summary, mode)
    if result.touched:
        warn(result.defect_text(), RDefectWarning)
    return result


# The name that `multi_disclosure` had in R before synthpop 1.9-0, and in the paper.
disclosure_summary = multi_disclosure


# ---- run -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Summary(Computation[MultiDisclosure]):
    """One call of `multi_disclosure()`: its data and checked arguments, and how it is shown."""

    source: Source
    settings: Settings
    plot: bool
    print_flag: bool

    def first(self, reading: Reading) -> MultiDisclosure:
        return self._of_every_target(reading, self.print_flag)

    def result(self, reading: Reading) -> MultiDisclosure:
        return self._of_every_target(reading, print_flag=False)

    def changes(self, r: MultiDisclosure, correct: MultiDisclosure) -> Changes:
        return tuple(rows_that_differ(r, correct))

    def in_doubt(self, asked: MultiDisclosure, reading: Reading) -> bool:
        return bool(reading.touched) or asked.touched

    def correct(self, asked: MultiDisclosure, reading: Reading) -> MultiDisclosure:
        """The summary with nothing of R's defects. Results of targets that are correct already, or
        have the correct one beside them, are not made again.
        """
        known = correct_results(asked)
        # an earlier version has other tables, in which a figure may have moved unseen
        seen_whole = reading.version == NEWEST
        if known is None or not seen_whole or OF_THE_CALL & reading.touched:
            return self.result(correctly())
        return self._summarised(known, correctly())

    def findings(
        self, moved: Changes, asked: MultiDisclosure, reading: Reading
    ) -> tuple[DefectFinding, ...]:
        """The moved figures that each defect is about: the others were moved by defects of single
        targets, which their own results name.
        """
        findings = []
        for defect in by_number(reading.touched):
            subjects = figures_about(defect, asked)
            changes = [change for change in moved if change[1].partition(" of ")[0] in subjects]
            if changes:
                findings.append(DefectFinding(defect, tuple(changes)))
        return tuple(findings)

    def _of_every_target(self, reading: Reading, print_flag: bool) -> MultiDisclosure:
        results = every_target(self.source, self.settings, reading, print_flag)
        return self._summarised(results, reading)

    def _summarised(self, results: dict[Hashable, Disclosure], reading: Reading) -> MultiDisclosure:
        return summarise(self.settings, results, reading, self.plot)


def with_correct_figures(summary: Summary, mode: Mode) -> MultiDisclosure:
    """The summary under the mode asked for and, where a defect of R moved a figure, the correct one
    beside it.
    """
    reading = as_r(mode, "multi_disclosure")
    both = run_both(summary, reading)
    if both.corrected is None:
        return replace(both.asked, defects=_of_the_call_alone(both.findings))
    of_the_call = by_number(reading.touched & OF_THE_CALL)
    marked = _marked(both.asked, both.corrected, of_the_call)
    result = replace(both.asked, output_list=marked, defects=both.findings)
    return replace(result, corrected=both.corrected) if result.touched else result


def _of_the_call_alone(refused: Sequence[DefectFinding]) -> tuple[DefectFinding, ...]:
    """Why the corrected reading refuses the call: defects in handing arguments on, where there are
    some.
    """
    of_the_call = tuple(finding for finding in refused if finding.id in OF_THE_CALL)
    return of_the_call or tuple(refused)


def correct_results(summary: MultiDisclosure) -> dict[Hashable, Disclosure] | None:
    """The correct result of every target, where it is at hand for all of them."""
    results = {}
    for target, result in summary.output_list.items():
        correct = result.corrected if result.defects else replace(result, compat=CORRECTED)
        if correct is None:
            return None
        results[target] = correct
    return results


def every_target(
    source: Source, settings: Settings, compat: Reading, print_flag: bool
) -> dict[Hashable, Disclosure]:
    """The result of each target in turn."""
    results: dict[Hashable, Disclosure] = {}
    to_say: dict[str, None] = {}  # in order, each once: notes on keys come with every target
    m = len(source.sets)
    shared = _shared_request(source, settings, compat)
    with Progress(len(settings.targets) * m, print_flag) as progress:
        for i, target in enumerate(settings.targets):
            begin = partial(_reach, progress, m, i, target)
            results[target], request = _one_target(source, shared, settings, i, compat, begin)
            to_say |= dict.fromkeys(notes(results[target], request))
    if print_flag and (said := [*settings.left_out, *to_say]):
        print("\n".join(said))
    return results


def _reach(progress: Progress, m: int, i: int, target: Hashable, j: int) -> None:
    """Progress at synthesis j (from 1) of target i (from 0)."""
    of_several = f", synthesis {j} of {m}" if m > 1 else ""
    progress.reach(i * m + j - 1, f"target {target}{of_several}")


def summarise(
    settings: Settings, results: dict[Hashable, Disclosure], compat: Reading, plot: bool
) -> MultiDisclosure:
    """The table of results."""
    rows = [_row(r, settings, compat) for r in results.values()]
    first = next(iter(results.values()))
    return MultiDisclosure(
        rows=tuple(rows),
        keys=settings.keys,
        Norig=first.Norig,
        m=first.m,
        ident_meas=settings.ident_meas,
        attrib_meas=settings.attrib_meas,
        digits=first.digits,
        denom_lim=settings.common["denom_lim"],
        exclude_ov_denom_lim=settings.common["exclude_ov_denom_lim"],
        usekeysNA=settings.usekeysNA,
        usetargetsNA=settings.usetargetsNA,
        output_list=results,
        show_plot=plot,
        compat=compat.mode,
        notes=settings.left_out,
    )


def _marked(
    result: MultiDisclosure, correct: MultiDisclosure, defects: Sequence[str]
) -> dict[Hashable, Disclosure]:
    """The results of the targets, each with what the defects of the call moved in it."""
    if not defects:
        return result.output_list
    marked = {}
    for target, single in result.output_list.items():
        marked[target] = _marked_target(single, correct.output_list[target], defects)
    return marked


def _marked_target(single: Disclosure, correct: Disclosure, defects: Sequence[str]) -> Disclosure:
    """A result of one target with the figures that its own defects do not explain, under those of
    the call.
    """
    explained = set()
    for finding in single.defects:
        explained |= set(map(figure_of, finding.changes))
    changes = changes_between(single, correct)
    moved = tuple(change for change in changes if figure_of(change) not in explained)
    if not moved:
        return single
    of_the_call = [DefectFinding(defect, moved) for defect in defects]
    return replace(single, defects=(*single.defects, *of_the_call), corrected=correct)


def _one_target(
    source: Source,
    shared: Request,
    settings: Settings,
    i: int,
    compat: Reading,
    begin: Callable[[int], None],
) -> tuple[Disclosure, Request]:
    """The call of `disclosure()` for one target, with what R makes of the per-key and exclusion
    arguments (D2, D3, D32).
    """
    call = f"disclosure(keys={list(settings.keys)!r}, target={settings.targets[i]!r})"
    asked = (settings.exclude_keys[i], settings.exclude_keylevs[i], settings.exclude_targetlevs[i])
    taken = _exclusions_as_r_takes_them(asked, source.plain)
    if taken != asked and compat.reproduces("D32"):
        try:
            request = _request(shared, settings, i, taken)
            result = disclose(source, request, call, begin)
        except InputError:
            pass  # R stops here although the user's exclusion is a good one: do as asked
        else:
            compat.follow_r("D32")
            return result, request
    request = _request(shared, settings, i, asked)
    return disclose(source, request, call, begin), request


def _exclusions_as_r_takes_them(asked: Exclusions, plain: bool) -> Exclusions:
    """R drops exclusions of plain frames and writes the target's levels over those of the key
    (D32).
    """
    keys, _, targetlevs = asked
    if keys is None:
        return asked
    if plain:
        return None, None, None
    return keys, targetlevs, targetlevs


def _shared_request(source: Source, settings: Settings, compat: Reading) -> Request:
    """What is asked of every target alike, checked once."""
    right_use = [settings.usekeysNA[settings.asked_keys.index(k)] for k in settings.keys]
    r_use = list(settings.usekeysNA)
    groups = settings.ngroups_keys
    if groups is not None and len(listed(groups)) == len(settings.asked_keys):
        right = [listed(groups)[settings.asked_keys.index(k)] for k in settings.keys]
        groups = listed(groups) if compat.follow_r("D3", listed(groups) != right) else right
    return check_arguments(
        source.data,
        source.sets,
        keys=settings.keys,
        target=settings.targets[0],
        style={},
        usekeysNA=r_use if compat.follow_r("D2", r_use != right_use) else right_use,
        ngroups_keys=groups,
        compat=compat.mode,
        **settings.common,
        **dict.fromkeys(
            (
                "not_targetlev",
                "exclude_keys",
                "exclude_keylevs",
                "exclude_targetlevs",
                "ngroups_target",
            )
        ),
        usetargetNA=True,
    )


def _request(shared: Request, settings: Settings, i: int, exclusions: Exclusions) -> Request:
    keys, keylevs, targetlevs = exclusions
    return for_target(
        shared,
        settings.targets[i],
        usetargetNA=settings.usetargetsNA[i],
        not_targetlev=settings.not_targetslev[i] or None,
        exclude_keys=keys,
        exclude_keylevs=keylevs,
        exclude_targetlevs=targetlevs,
        ngroups_target=settings.ngroups_targets[i],
    )


def _mean(values: Any) -> float:
    """R's mean: the long-double sum over the number, so that one value stays itself."""
    if len(values) == 1:
        return float(values[0])
    array = np.asarray(values, dtype=np.longdouble)
    return float(array.sum() / len(array)) if len(array) else math.nan


def _row(result: Disclosure, settings: Settings, compat: Reading) -> TargetRow:
    """The summary figures of one target."""
    shares = result.shares

    def share(name: str) -> list[float]:
        return [s[name].percent for s in shares]

    ident_orig = _mean(share("UiO"))
    if settings.ident_meas == "repU":
        by_set = share("repU")
        first_only = compat.follow_r("D29", len(set(by_set)) > 1)
        ident_syn = by_set[0] if first_only else _mean(by_set)
    else:
        right = share("UiOiS") if settings.ident_meas == "UiSiO" else share("baseCAPd")
        ident_syn = math.nan if compat.follow_r("D31") else _mean(right)
    attrib_orig, attrib_syn = _attribute(share, settings.attrib_meas, compat)
    pairs = result.check2 or 0
    npairs = 1 if compat.follow_r("D30", pairs > 1) else pairs
    return TargetRow(
        result.target,
        ident_orig,
        ident_syn,
        attrib_orig,
        attrib_syn,
        result.check1,
        npairs,
        result.check2,
    )


def _attribute(
    share: Callable[[str], list[float]], measure: str, compat: Reading
) -> tuple[float, float]:
    if measure == "DCAP":
        return _mean(share("CAPd")), math.nan if compat.follow_r("D42") else _mean(share("DCAPd"))
    if measure == "DiSDiO":
        return math.nan if compat.follow_r("D31") else _mean(share("Dorig")), _mean(share("DiSDiO"))
    return _mean(share("Dorig")), _mean(share("DiSCO"))


def rows_that_differ(r: MultiDisclosure, correct: MultiDisclosure) -> Iterator[Change]:
    """Figures of the summary that differ, target by target."""
    others = {row.target: row for row in correct.rows}
    for row in r.rows:
        for name in FIGURES:
            theirs, ours = _figure(row, name), _figure(others[row.target], name)
            if not same_figure(theirs, ours):
                yield 0, f"{name} of {row.target}", theirs, ours


def _figure(row: TargetRow, name: str) -> float | None:
    value: float = getattr(row, name)
    return None if math.isnan(value) else value


def figures_about(defect: str, r: MultiDisclosure) -> tuple[str, ...]:
    """The figures of the summary that a defect can move."""
    if defect == "D29":
        return ("ident_syn",)
    if defect == "D30":
        return ("npairs",)
    if defect == "D42":
        return ("attrib_syn",)
    if defect != "D31":
        return FIGURES
    identity = () if r.ident_meas == DEFAULT_IDENT else ("ident_syn",)
    attribute = ("attrib_orig",) if r.attrib_meas == "DiSDiO" else ()
    return (*identity, *attribute)
