"""`report()`: one file for the person who decides."""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime
from os import PathLike
from pathlib import Path
from typing import Any

from .. import __version__
from ..arguments import check_flag, listed
from ..errors import InputError
from ..key_risk import KeyRisk
from ..multi import MultiDisclosure
from ..results import Disclosure
from ..rounding import ROUND_TO, check_round_to
from ..tables.opening import refuse_released
from ..utility import PropensityUtility, TableUtility
from .checks import as_list
from .evidence import Call, Evidence, from_result
from .facts import Labels, check_limits, facts
from .render import browser
from .result import DEFAULT_PATH, Report, check_free, format_and_path

TITLE = "Disclosure risk of synthetic data"
PACKAGES = ("numpy", "pandas", "scipy")
# data, and arguments that name levels: one that few people have must not be shown
NOT_SHOWN = ("holdout", "not_targetslev", "exclude_keylevs", "exclude_targetlevs")
# what `multi_disclosure` takes besides
OPTIONS = (
    *("cont_na", "counts", "collation", "certainty", "compare_synorig", "denom_lim"),
    *("exclude_ov_denom_lim", "exclude_keys", "exclude_keylevs", "exclude_targetlevs"),
    *("ngroups_keys", "ngroups_targets", "not_targetslev", "usekeysNA", "usetargetsNA"),
    *("thresh_1way", "thresh_2way"),
)


def report(
    synthetic: Any = None,
    original: Any = None,
    keys: Any = None,
    targets: Any = None,
    *,
    holdout: Any = None,
    candidates: Any = None,
    limits: Mapping[str, float] | None = None,
    path: str | PathLike[str] | None = DEFAULT_PATH,
    format: str | None = None,
    round_to: int = ROUND_TO,
    force: bool = False,
    title: str | None = None,
    labels: Mapping[Hashable, str] | None = None,
    key_search: KeyRisk | None = None,
    utility: TableUtility | PropensityUtility | Sequence[Any] | None = None,
    date: str | date | None = None,
    files: Mapping[str, Any] | None = None,
    **options: Any,
) -> Report:
    """Write a report on the disclosure risk of a release: one file, whose first page says what the
    release reveals, whether limits are met and what to do next.

    Figures follow the published definitions. Every count of people is rounded to `round_to`, in
    every format. Numbers as targets are put into about ten classes, with the exact match beside it,
    unless `ngroups_targets` is given.

    Parameters
    ----------
    synthetic : SynDS, DataFrame, table, path, or a list of these: the synthetic data. Or a result
        of `disclosure` or `multi_disclosure`, which is reported as it is, without `original`,
        `keys`, `targets`.
    original : DataFrame, table or path: the original data.
    keys : names of the columns that an intruder may know about a person. None if you do not know:
        every small set of columns is tried, and the riskiest is reported in full.
    targets : names of the columns that they would like to learn; by default all others, but no text
        that differs for everybody.
    holdout : records of the same population that the synthesiser never saw.
    candidates : columns that the search for dangerous keys tries; by default the keys or, without
        keys, all columns that are not targets.
    limits : the highest risk that you accept, in per cent of all people, by measure (UiO, repU, iS,
        Dorig, DiS, DiSCO), as in ``{"DiSCO": 5, "repU": 10}``.
    path : name of the file, ``.html``, ``.md``, ``.json`` or ``.pdf`` (which Chromium prints, where
        it is installed); None writes none. `force` overwrites an existing one.
    format : "html", "md", "json" or "pdf", where the name does not say it.
    round_to : counts are rounded to a multiple of this, 10 or more; 1 shows exact figures, which
        are not for release.
    title : of the page; `date` that it shows (today, or that of SOURCE_DATE_EPOCH).
    labels : what columns are called in sentences, tables and pictures, as in
        ``{"depress": "depression score"}``.
    key_search, utility : with a result as first argument: what `key_risk`, and `table_utility` and
        `propensity_utility`, returned.
    files : the files that the data were read from, as in ``{"synthetic": "s.csv"}``; paths given as
        data are named anyway.
    **options : exclusions, grouping and so on, as for `multi_disclosure`; what that takes as a list
        with a value for each column may be a mapping, as in ``{"age": 5}``.

    Returns
    -------
    Report

    Examples
    --------
    >>> from synthpop_py import datasets, report
    >>> original, synthetic = datasets.load("SD2011"), datasets.load_synthesis("SD2011_s1")
    >>> keys, limits = ["sex", "age", "region", "placesize"], {"DiSCO": 5, "repU": 20}
    >>> asked = dict(labels={"ls": "satisfaction"}, limits=limits, path=None, format="md")
    >>> made = report(synthetic, original, keys, targets=["depress", "ls"], **asked)
    >>> made
    Report: md, 2 targets, counts rounded to 10; limits: not met
    >>> [(one["measure"], one["figure"]["text"], one["met"]) for one in made.limits]
    [('DiSCO', '690 (13.8 %)', False), ('repU', '740 (14.8 %)', True)]
    """
    for name in options:
        if name not in OPTIONS:
            raise TypeError(f"report() got an unexpected keyword argument {name!r}")
    form, file = format_and_path(path, format)
    check_free(file, force=check_flag("force", force))
    if form == "pdf":
        browser()
    to, day, highest = check_round_to(round_to), _day(date), check_limits(limits)
    given = {"keys": keys, "targets": targets, "candidates": candidates, "holdout": holdout}
    if isinstance(synthetic, (Disclosure, MultiDisclosure)):
        others = {"original": original, **given, **options}
        evidence = _of_result(synthetic, others, key_search, utility)
    else:
        _check_data(synthetic, original, {"key_search": key_search, "utility": utility})
        evidence = Call((synthetic, original), given, options, to).evidence()
    call = {**given, "limits": highest or None, "round_to": to, "labels": labels, **options}
    data = {"synthetic": synthetic, "original": original, "holdout": holdout, **(files or {})}
    made = {"versions": _versions(), "call": _call(call), "files": list(_files(data))}
    about = {"title": TITLE if title is None else str(title), "date": day.isoformat(), "made": made}
    result = of_evidence(evidence, highest, to, labels, about, form, file)
    if file is not None:
        result._write(form, file)
    return result


def of_evidence(
    evidence: Evidence,
    limits: Mapping[str, float],
    to: int,
    labels: Any = None,
    about: Mapping[str, Any] | None = None,
    form: str = "json",
    file: Path | None = None,
) -> Report:
    """The report that evidence makes; nothing is written."""
    head = {"what": "synthpop_py.report", "version": __version__, **(about or {})}
    head |= {"round_to": to, "exact": to == 1}
    return Report(form, file, evidence.summary, head | facts(evidence, Labels(labels), limits, to))


def _of_result(result: Any, others: Mapping[str, Any], key_search: Any, utility: Any) -> Evidence:
    for name, value in others.items():
        if value is not None:
            raise InputError(
                f"{name}: cannot be given with a result, which has its own; leave it out, or give"
                " the data instead of the result"
            )
    if not isinstance(key_search, (KeyRisk, type(None))):
        raise InputError(f"key_search: {type(key_search).__name__} is not what key_risk() returns")
    kinds = (TableUtility, PropensityUtility)
    utilities = [utility] if isinstance(utility, kinds) else listed(utility)
    for one in utilities:
        if not isinstance(one, kinds):
            makers = "table_utility() or propensity_utility() returns"
            raise InputError(f"utility: {type(one).__name__} is not what {makers}")
    return from_result(result, key_search, utilities)


def _check_data(synthetic: Any, original: Any, of_results: Mapping[str, Any]) -> None:
    for name, value in {"synthetic": synthetic, "original": original}.items():
        if value is None:
            raise InputError(
                f"{name}: is not given; report() takes, in this order: synthetic, original, keys,"
                " targets"
            )
    refuse_released(original, "original")
    for name, value in of_results.items():
        if value is not None:
            raise InputError(
                f"{name}: can only be given with a result as first argument; data are searched"
            )


def _day(given: Any) -> Any:
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    if given is None:
        return datetime.fromtimestamp(int(epoch), UTC).date() if epoch.isdigit() else date.today()
    try:
        return given if isinstance(given, date) else date.fromisoformat(str(given))
    except ValueError:
        raise InputError(f"date: {given!r} is not a date; write it as 2026-11-17") from None


def _versions() -> str:
    from importlib.metadata import PackageNotFoundError, version

    parts = [f"synthpop_py {__version__}", f"Python {platform.python_version()}"]
    for package in PACKAGES:
        with suppress(PackageNotFoundError):
            parts.append(f"{package} {version(package)}")
    return ", ".join(parts)


def _call(arguments: Mapping[str, Any]) -> str:
    """As it would be typed, without data, paths, seeds and levels."""
    parts = ["synthetic", "original"]
    for name, value in arguments.items():
        if value is not None:
            parts.append(f"{name}={'...' if name in NOT_SHOWN else _shown(value)}")
    return f"report({', '.join(parts)})"


def _shown(value: Any) -> str:
    """Names and plain values; data of any other kind are not written out."""
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_shown, value))}]"
    if isinstance(value, Mapping):
        inside = [f"{str(key)!r}: {_shown(part)}" for key, part in value.items()]
        return f"{{{', '.join(inside)}}}"
    return repr(value) if isinstance(value, (bool, int, float, str)) else "..."


def _files(data: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    """The files of a call by their names, without folders, each with its SHA-256."""
    for what, given in data.items():
        for one in as_list(given):
            if isinstance(one, (str, PathLike)) and Path(one).is_file():
                with Path(one).open("rb") as opened:
                    digest = hashlib.file_digest(opened, "sha256").hexdigest()
                yield {"what": what, "name": Path(one).name, "sha256": digest}
