"""`report()`: one file for the person who decides, and what it returns. A file is checked before
anything is computed, and written completely or not at all.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import tempfile
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from os import PathLike
from pathlib import Path
from typing import Any

from .. import __version__
from ..arguments import check_choice, check_flag
from ..errors import InputError
from ..r_files.replacing import replacement
from ..rounding import EXACT, ROUND_TO, check_round_to
from ..tables.opening import refuse_released
from .checks import Facts, as_list
from .facts import check_limits, facts
from .render import browser, printed, rendered
from .study import BY_COLUMN, Study

TITLE = "Disclosure risk of synthetic data"
DEFAULT_PATH = "report.html"
FORMATS = ("html", "md", "json", "pdf")
EXIT_CODES = {None: 0, "met": 0, "not met": 1, "cannot be judged": 2}
# data, and arguments that name levels: one that few people have must not be shown
NOT_SHOWN = ("holdout", "not_targetslev", "exclude_keylevs", "exclude_targetlevs")
# what `multi_disclosure` takes besides
OPTIONS = (
    *("cont_na", "counts", "collation", "certainty", "compare_synorig", "denom_lim"),
    *("exclude_ov_denom_lim", "thresh_1way", "thresh_2way"),
    *BY_COLUMN,
)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Report:
    """A report. Every count of people in it, in every format, is rounded to `round_to`.

    Attributes
    ----------
    format, path : "html", "md", "json" or "pdf", and where it was written (None: nowhere).
    result, content : the corrected result behind it, exact, and what the JSON holds.
    """

    format: str
    path: Path | None
    result: Any
    content: Facts

    @property
    def limits(self) -> list[Facts]:
        """The limits given, each with its figure and whether it is met."""
        return list(self.content["limits"])

    @property
    def decision(self) -> Any:
        """ "met", "not met", "cannot be judged"; None where no limit was given."""
        return self.content["decision"]

    @property
    def exit_code(self) -> int:
        """For pipelines: 1 where a limit is not met, 2 where it cannot be judged, otherwise 0."""
        return EXIT_CODES[self.decision]

    def to_html(self) -> str:
        return rendered("html", self.content)

    def to_markdown(self) -> str:
        return rendered("md", self.content)

    def to_json(self) -> str:
        """The figures of the page, the same at every run."""
        return json.dumps(self.content, ensure_ascii=False, allow_nan=False, indent=1) + "\n"

    def to_pdf(self) -> bytes:
        """The page on A4, printed by Chromium."""
        return printed(self.to_html())

    @property
    def text(self) -> str:
        """The report in its format; of a PDF the Markdown."""
        made = {"html": self.to_html, "json": self.to_json}
        return made.get(self.format, self.to_markdown)()

    def _repr_html_(self) -> str:
        """For notebooks, in a frame that keeps its styles to itself."""
        page = escape(self.to_html(), quote=True)
        return f'<iframe srcdoc="{page}" style="width: 100%; height: 40rem; border: 0"></iframe>'

    def __repr__(self) -> str:
        where = "" if self.path is None else f" in {self.path.name}"
        to, n = self.content["round_to"], len(self.content.get("targets", ()))
        rounded = f"counts rounded to {to}" if to > 1 else EXACT
        decision = "no limit given" if self.decision is None else f"limits: {self.decision}"
        size = "1 target" if n == 1 else f"{n} targets"
        return f"Report: {self.format}{where}, {size}, {rounded}; {decision}"


def report(
    synthetic: Any,
    original: Any,
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
    title: str = TITLE,
    labels: Mapping[Hashable, str] | None = None,
    files: Mapping[str, Any] | None = None,
    dropped: Sequence[str] = (),
    **options: Any,
) -> Report:
    """Write a report on the disclosure risk of a release: one file, whose first page says what the
    release reveals, whether limits are met and what to do next. Figures follow the published
    definitions, counts of people are rounded.

    Parameters
    ----------
    synthetic, original : the data: SynDS, DataFrame, table or path; `synthetic` may be a list.
    keys : columns that an intruder may know about a person. None if you do not know: every small
        set of columns is tried, and the riskiest is reported in full.
    targets : columns that they would like to learn; by default all others, but no text that differs
        for everybody. Numbers are put into about ten classes, with the exact match beside it,
        unless `ngroups_targets` is given.
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
    title : of the page. Its date is that of SOURCE_DATE_EPOCH, otherwise today.
    labels : what columns are called, as in ``{"depress": "depression score"}``.
    files : the files that the data were read from, as in ``{"synthetic": "s.csv"}``; paths given as
        data are named anyway.
    dropped : columns of these files that are not in the data, so that nothing is said about them;
        the first page names them.
    **options : exclusions, grouping and so on, as for `multi_disclosure`; instead of a list with a
        value for each column one value for all, or a mapping, as in ``{"age": 5}``.

    Examples
    --------
    >>> from synthpop_py import datasets, report
    >>> original, synthetic = datasets.load("SD2011"), datasets.load_synthesis("SD2011_s1")
    >>> keys, limits = ["sex", "age", "region", "placesize"], {"DiSCO": 5, "repU": 20}
    >>> made = report(synthetic, original, keys, ["depress", "ls"], limits=limits, path=None)
    >>> made
    Report: html, 2 targets, counts rounded to 10; limits: not met
    >>> [(one["measure"], one["figure"]["text"], one["met"]) for one in made.limits]
    [('DiSCO', '690 (13.8 %)', False), ('repU', '740 (14.8 %)', True)]
    """
    for name in options:
        if name not in OPTIONS:
            raise TypeError(f"report() got an unexpected keyword argument {name!r}")
    form, file = _format_and_path(path, format)
    check_free(file, force=check_flag("force", force))
    if form == "pdf":
        browser()
    to, highest = check_round_to(round_to), check_limits(limits)
    refuse_released(original, "original")
    given = {"keys": keys, "targets": targets, "candidates": candidates, "holdout": holdout}
    study = Study(synthetic, original, given, options, to=to, labels=labels)
    found = facts(study, highest)
    call = {**given, "limits": highest or None, "round_to": to, "labels": labels, **options}
    data = {"synthetic": synthetic, "original": original, "holdout": holdout, **(files or {})}
    made = {"versions": _versions(), "call": _call(call), "files": _files(data)}
    content: Facts = {"what": "synthpop_py.report", "version": __version__, "title": str(title)}
    content |= {
        "dropped": list(map(str, dropped)),
        "date": _day(),
        "made": made,
        "round_to": to,
        "exact": to == 1,
    }
    result = Report(form, file, study.summary, content | found)
    if file is not None:
        page = result.to_pdf() if form == "pdf" else result.text.encode()
        with replacement(file) as part:
            part.write_bytes(page)
    return result


def _day() -> str:
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    day = datetime.fromtimestamp(int(epoch), UTC) if epoch.isdigit() else datetime.now()
    return day.date().isoformat()


def _versions() -> str:
    from importlib.metadata import version

    names = ("numpy", "pandas", "scipy")
    packages = [f"{name} {version(name)}" for name in names]
    python = f"Python {platform.python_version()}"
    return ", ".join([f"synthpop_py {__version__}", python, *packages])


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


def _files(data: Mapping[str, Any]) -> list[dict[str, str]]:
    """The files of a call by their names, without folders, each with its SHA-256."""
    found = []
    for what, given in data.items():
        for one in as_list(given):
            if isinstance(one, (str, PathLike)) and Path(one).is_file():
                with Path(one).open("rb") as opened:
                    digest = hashlib.file_digest(opened, "sha256").hexdigest()
                found.append({"what": what, "name": Path(one).name, "sha256": digest})
    return found


def _format_and_path(path: str | PathLike[str] | None, wanted: object) -> tuple[str, Path | None]:
    """The format, and the file. A name says its format by its ending."""
    chosen = None if wanted is None else check_choice("format", wanted, FORMATS)
    if path is None:
        return chosen or "html", None
    file = Path(path)
    if chosen is not None and str(path) == DEFAULT_PATH:
        return chosen, file.with_suffix(f".{chosen}")
    ending = file.suffix.lower().removeprefix(".")
    by_name = {"htm": "html"}.get(ending, ending)
    form = chosen or by_name
    if form not in FORMATS or (by_name in FORMATS and by_name != form):
        endings = ", ".join(f".{name}" for name in FORMATS)
        raise InputError(f"path: {str(path)!r} does not say what to write; end it in {endings}")
    return form, file


def check_free(path: Path | None, *, force: bool, argument: str = "path") -> None:
    """Raise an error if a file would be overwritten, or could not be written."""
    if path is None:
        return
    folder = path.absolute().parent
    if not folder.is_dir():
        raise InputError(f"{argument}: the folder of {path} does not exist")
    if path.is_dir():
        raise InputError(f"{argument}: {path} is a folder; give the name of a file")
    if path.exists() and not force:
        raise InputError(f"{argument}: {path} exists; give another name, or force=True")
    try:  # permissions say little (for root, on some file systems), so a file is made and removed
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        why = error.strerror or type(error).__name__
        says = f"cannot be written: its folder refuses new files ({why})"
        raise InputError(f"{argument}: {path} {says}") from None
