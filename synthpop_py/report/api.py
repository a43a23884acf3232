"""`report()`: one file for the person who decides."""

from __future__ import annotations

import os
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from os import PathLike
from typing import Any

from .. import __version__
from ..arguments import check_flag, listed
from ..disclosure.result import Disclosure
from ..errors import InputError
from ..key_search.result import KeyRisk
from ..show import Block, Document, Figure, Note, markdown
from ..show.plain import SECRET
from ..show.small_cells import MIN_CELL, check_min_cell
from ..spellings import r_names_too
from ..summary.result import MultiDisclosure
from ..tables.opening import refuse_released
from ..utility import PropensityUtility, TableUtility
from . import page, pdf, plain
from .contents import Contents, Wanted, compose
from .evidence import Asked, Evidence, from_data, from_result
from .figures import Labels
from .result import Report
from .writing import DEFAULT_PATH, check_free, format_and_path, write

TITLE = "Disclosure risk of synthetic data"
# what `multi_disclosure` takes besides
OPTIONS = (
    "cont_na",
    "counts",
    "denom_lim",
    "exclude_ov_denom_lim",
    "not_targetslev",
    "usetargetsNA",
    "usekeysNA",
    "exclude_keys",
    "exclude_keylevs",
    "exclude_targetlevs",
    "ngroups_targets",
    "ngroups_keys",
    "thresh_1way",
    "thresh_2way",
    "compare_synorig",
    "collation",
    "max_cells",
    "certainty",
)


@r_names_too(*OPTIONS)
def report(
    synthetic: Any,
    original: Any = None,
    *,
    keys: Any = None,
    targets: Any = None,
    holdout: Any = None,
    candidates: Any = None,
    path: str | PathLike[str] | None = DEFAULT_PATH,
    format: str | None = None,
    min_cell: int = MIN_CELL,
    force: bool = False,
    title: str | None = None,
    labels: Mapping[Hashable, str] | None = None,
    key_search: KeyRisk | None = None,
    utility: TableUtility | PropensityUtility | Sequence[Any] | None = None,
    date: str | date | None = None,
    original_fingerprint: bool = False,
    **options: Any,
) -> Report:
    """Write a report on the disclosure risk of a release: one file, in sentences, tables and
    pictures, with numerators and denominators.

    Figures follow the published definitions; R's, where they differ, are in an appendix. Counts of
    fewer than `min_cell` people, and all that would reveal them, are hidden in every format.

    Parameters
    ----------
    synthetic : SynDS, DataFrame, table, path, or a list of these
        The synthetic data. Or a result of `disclosure` or `multi_disclosure`, which is then
        reported as it is, without `original`, `keys`, `targets`.
    original : DataFrame, table or path
        The original data.
    keys : names of the columns that an intruder may know about a person. None if you do not know:
        every small set of columns is tried, and the riskiest is reported in full.
    targets : names of the columns that the intruder would like to learn; by default all others.
    holdout : records of the same population that the synthesiser never saw, as for
        `multi_disclosure`.
    candidates : columns that the search for dangerous keys tries; by default the keys or, without
        keys, all columns that are not targets.
    path : name of the file, ``.html``, ``.md``, ``.json`` or ``.pdf`` (which Chromium prints, where
        it is installed); None writes none.
    format : "html", "md", "json" or "pdf", where the name does not say it.
    min_cell : how many people a shown count needs; 0 shows all.
    force : overwrite an existing file.
    title : of the page.
    labels : what columns are called in sentences and captions, as in
        ``{"depress": "depression score"}``.
    key_search, utility : with a result as first argument: what `key_risk`, and `table_utility` and
        `propensity_utility`, returned.
    date : the date that it shows (today; or that of SOURCE_DATE_EPOCH, where that is set).
    original_fingerprint : also show that of the original; only with ``min_cell=0``.
    **options : exclusions, grouping and so on, as for `multi_disclosure`.

    Returns
    -------
    Report
        ``.path``, ``.text``, ``.audit``.

    Examples
    --------
    >>> from synthpop_py import datasets, report
    >>> original, synthetic = datasets.load("SD2011"), datasets.load_synthesis("SD2011_s1")
    >>> made = report(
    ...     synthetic,
    ...     original,
    ...     keys=["sex", "age", "region", "placesize"],
    ...     targets=["depress", "ls"],
    ...     labels={"depress": "depression score"},
    ...     path=None,
    ...     format="md",
    ... )
    >>> made.audit.passed
    True
    >>> "have a depression score that the synthetic data reveal correctly" in made.text
    True
    """
    chosen, file = format_and_path(path, format)
    check_free(file, force=check_flag("force", force))
    _check_programs(chosen)
    given = {"keys": keys, "targets": targets, "candidates": candidates, "holdout": holdout}
    wanted = Wanted(
        title=TITLE if title is None else str(title),
        labels=Labels(dict(labels or {})),
        min_cell=check_min_cell(min_cell),
        call=_call(given, {"min_cell": min_cell, "labels": labels}, options),
        day=_day(date),
        original_fingerprint=_check_fingerprint(original_fingerprint, min_cell),
    )
    evidence = _evidence(synthetic, original, given, key_search, utility, options)
    contents = compose(evidence, wanted)
    content = _rendered(contents, chosen, wanted)
    if file is not None:
        write(file, content)
    return Report(
        content=content,
        format=chosen,
        path=file,
        audit=contents.audit,
        document=contents.document,
        evidence=evidence,
    )


def _check_programs(chosen: str) -> None:
    """Check that the programs for the format are installed, before anything is computed."""
    if chosen in ("html", "pdf"):
        page.check_installed()
    if chosen == "pdf":
        pdf.browser()


def _rendered(contents: Contents, chosen: str, wanted: Wanted) -> bytes:
    footer = f"Made by synthpop_py {__version__}, {wanted.day.isoformat()}."
    if chosen == "md":
        return markdown.render(_pictures_told(contents.document), footer=footer).encode()
    if chosen == "json":
        return plain.render(contents, version=__version__, day=wanted.day.isoformat()).encode()
    html = page.render(contents, footer=footer)
    return pdf.printed(html) if chosen == "pdf" else html.encode()


def _pictures_told(document: Document) -> Document:
    """What pictures show in words, where there are none."""
    sections = []
    for section in document.sections:
        blocks: list[Block] = []
        for block in section.blocks:
            if isinstance(block, Figure):
                block = Note(("A picture in the HTML report: ", *block.caption))
            blocks.append(block)
        sections.append(replace(section, blocks=tuple(blocks)))
    return replace(document, sections=tuple(sections))


# ---- arguments -----------------------------------------------------------------------


def _evidence(
    synthetic: Any,
    original: Any,
    given: Mapping[str, Any],
    key_search: KeyRisk | None,
    utility: Any,
    options: Mapping[str, Any],
) -> Evidence:
    if isinstance(synthetic, (Disclosure, MultiDisclosure)):
        for name, value in {"original": original, **given, **options}.items():
            if value is not None:
                raise InputError(
                    f"{name}: cannot be given with a result, which has its own; leave it out, "
                    "or give the data instead of the result"
                )
        results = _utility_results(utility)
        return from_result(synthetic, key_search=_check_search(key_search), utility=results)
    if original is None:
        raise InputError(
            "original: is not given; it is the second argument of report(), by name original= or"
            " data=; in order: synthetic, original"
        )
    refuse_released(original, "original")
    for name, value in {"key_search": key_search, "utility": utility}.items():
        if value is not None:
            raise InputError(
                f"{name}: can only be given with a result as first argument; data are searched"
            )
    return from_data(Asked(synthetic=synthetic, original=original, options=options, **given))


def _check_search(key_search: Any) -> KeyRisk | None:
    if key_search is None or isinstance(key_search, KeyRisk):
        return key_search
    raise InputError(
        f"key_search: {type(key_search).__name__} is not what key_risk() returns; give that"
    )


def _utility_results(utility: Any) -> list[Any]:
    if utility is None:
        return []
    kinds = (TableUtility, PropensityUtility)
    results = [utility] if isinstance(utility, kinds) else listed(utility)
    for result in results:
        if not isinstance(result, kinds):
            raise InputError(
                f"utility: {type(result).__name__} is not what table_utility() or"
                " propensity_utility() returns; give one of these, or both in a list"
            )
    return results


def _check_fingerprint(wanted: object, min_cell: int) -> bool:
    asked = check_flag("original_fingerprint", wanted)
    if asked and check_min_cell(min_cell) > 1:
        raise InputError(
            f"original_fingerprint: cannot be used with min_cell={min_cell}; it would confirm "
            "a guess at the hidden counts; give min_cell=0, or leave it out"
        )
    return asked


def _call(*parts: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments given; a holdout is data, so only its presence is shown."""
    call: dict[str, Any] = {}
    for part in parts:
        for name, value in part.items():
            if value is not None and not any(secret in name for secret in SECRET):
                # a path could reveal as much as the records
                call[name] = ... if name == "holdout" else value
    return call


def _day(given: Any) -> Any:
    if given is None:
        epoch = os.environ.get("SOURCE_DATE_EPOCH")
        if epoch is not None and epoch.isdigit():
            return datetime.fromtimestamp(int(epoch), UTC).date()
        return date.today()
    if isinstance(given, date):
        return given
    try:
        return date.fromisoformat(str(given))
    except ValueError:
        raise InputError(f"date: {given!r} is not a date; write it as 2026-11-17") from None
