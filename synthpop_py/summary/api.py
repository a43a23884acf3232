"""`multi_disclosure()`: identity risk once, attribute risk for many targets."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import check_choice, check_flag, listed
from ..disclosure.findings import changes_between
from ..disclosure.judgement import disclose
from ..disclosure.notes import notes
from ..disclosure.options import Request, check_arguments, for_target
from ..disclosure.result import DefectFinding, Disclosure
from ..disclosure.source import Source, read_source
from ..errors import InputError, RDefectWarning, warn
from ..progress import Progress
from ..r.reading import MODES, Reading, as_r, correctly
from ..spellings import plain_names_too
from ..synds import SynDS
from .options import Settings, check_settings
from .result import DEFAULT_ATTRIB, DEFAULT_IDENT, MultiDisclosure, TargetRow

# defects in how R hands arguments on, which touch the results of single targets; the others are in
# the table made of them
OF_THE_CALL = frozenset({"D2", "D3", "D32"})


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
    result = with_right_figures(
        source, settings, mode, check_flag("plot", plot), check_flag("print_flag", print_flag)
    )
    if result.touched:
        warn(result.defect_text(), RDefectWarning)
    return result


# The name that `multi_disclosure` had in R before synthpop 1.9-0, and in the paper.
disclosure_summary = multi_disclosure


# ---- run -----------------------------------------------------------------------------


def with_right_figures(
    source: Source, settings: Settings, mode: Any, plot: bool, print_flag: bool
) -> MultiDisclosure:
    """The summary under the mode asked for and, where a defect of R moved a figure, the right one
    beside it.
    """
    compat = as_r(mode, "multi_disclosure")
    result = summarise(
        settings, every_target(source, settings, mode, compat, print_flag), mode, compat, plot
    )
    seen = sorted(compat.touched, key=lambda d: int(d[1:]))
    if mode == "corrected" or not (seen or result.touched):
        return result
    try:
        right = _right_summary(source, settings, result, seen)
    except (
        InputError
    ) as error:  # an argument that fits only because R gave another one to the wrong key
        note = ((0, f"under the corrected reading this call is invalid: {error}", None, None),)
        return replace(
            result,
            defects=tuple(
                DefectFinding(d, note)
                for d in seen
                if d in OF_THE_CALL or not OF_THE_CALL & set(seen)
            ),
        )
    result = replace(
        result, output_list=_marked(result, right, [d for d in seen if d in OF_THE_CALL])
    )
    own = tuple(DefectFinding(d, _moved(d, result, right)) for d in seen)
    own = tuple(f for f in own if f.changes)
    return replace(result, defects=own, corrected=right) if own or result.touched else result


def every_target(
    source: Source, settings: Settings, mode: Any, compat: Reading, print_flag: bool
) -> dict[Hashable, Disclosure]:
    """The result of each target in turn."""
    results: dict[Hashable, Disclosure] = {}
    to_say: dict[str, None] = {}  # in order, each once: notes on keys come with every target
    m = len(source.sets)
    shared = _shared_request(source, settings, mode, compat)
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
    settings: Settings, results: dict[Hashable, Disclosure], mode: Any, compat: Reading, plot: bool
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
        compat=mode,
        notes=settings.left_out,
    )


def _right_summary(
    source: Source, settings: Settings, result: MultiDisclosure, seen: Sequence[str]
) -> MultiDisclosure:
    """The summary with nothing of R's defects. Results of targets that are right already, or have
    the right one beside them, are not made again.
    """
    known = {
        t: r.corrected if r.defects else replace(r, compat="corrected")
        for t, r in result.output_list.items()
    }
    compat = correctly()
    # the earlier version has other tables
    right = {t: r for t, r in known.items() if r is not None}
    again = result.compat != "r" or OF_THE_CALL & set(seen) or len(right) < len(known)
    results = every_target(source, settings, "corrected", compat, False) if again else right
    return summarise(settings, results, "corrected", compat, result.show_plot)


def _marked(
    result: MultiDisclosure, right: MultiDisclosure, defects: Sequence[str]
) -> dict[Hashable, Disclosure]:
    """The results of the targets, each with what the defects of the call moved in it."""
    if not defects:
        return result.output_list
    marked = {}
    for target, own in result.output_list.items():
        known = {c[:2] for finding in own.defects for c in finding.changes}
        moved = tuple(
            c for c in changes_between(own, right.output_list[target]) if c[:2] not in known
        )
        found = tuple(DefectFinding(d, moved) for d in defects) if moved else ()
        marked[target] = (
            replace(own, defects=own.defects + found, corrected=right.output_list[target])
            if found
            else own
        )
    return marked


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
    before = set(compat.touched)
    taken = _exclusions_as_r_takes_them(asked, source.plain, compat)
    try:
        request = _request(shared, settings, i, taken)
        return disclose(source, request, call, begin), request
    except InputError:
        if taken == asked:
            raise
    # R stops here although the user's exclusion is a good one: do as asked, and nothing of R's
    # shows
    compat.touched.difference_update({"D32"} - before)
    request = _request(shared, settings, i, asked)
    return disclose(source, request, call, begin), request


def _exclusions_as_r_takes_them(
    asked: tuple[Any, Any, Any], plain: bool, compat: Reading
) -> tuple[Any, Any, Any]:
    """R drops exclusions of plain frames and writes the target's levels over those of the key
    (D32).
    """
    keys, keylevs, targetlevs = asked
    if keys is not None and plain and compat.follow_r("D32"):
        return None, None, None
    if keys is not None and compat.follow_r("D32", keylevs != targetlevs):
        return keys, targetlevs, targetlevs
    return asked


def _shared_request(source: Source, settings: Settings, mode: Any, compat: Reading) -> Request:
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
        compat=mode,
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


def _request(
    shared: Request, settings: Settings, i: int, exclusions: tuple[Any, Any, Any]
) -> Request:
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


def _moved(
    defect: str, r: MultiDisclosure, right: MultiDisclosure
) -> tuple[tuple[int, str, float | None, float | None], ...]:
    """Figures of the summary that differ and that this defect is about."""
    not_read = tuple(
        name
        for name, read in (
            ("ident_syn", r.ident_meas == DEFAULT_IDENT),
            ("attrib_orig", r.attrib_meas != "DiSDiO"),
        )
        if not read
    )
    about = {
        "D29": ("ident_syn",),
        "D30": ("npairs",),
        "D31": not_read,
        "D42": ("attrib_syn",),
    }.get(defect, ("ident_syn", "ident_orig", "attrib_orig", "attrib_syn", "npairs"))
    other = {row.target: row for row in right.rows}
    found = []
    for row in r.rows:
        for name in about:
            a, b = (
                None if isinstance(v, float) and math.isnan(v) else v
                for v in (getattr(row, name), getattr(other[row.target], name))
            )
            if a != b and not (
                a is not None and b is not None and math.isclose(a, b, rel_tol=1e-12)
            ):
                found.append((0, f"{name} of {row.target}", a, b))
    return tuple(found)
