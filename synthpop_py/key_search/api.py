"""`key_risk()`: which of the columns an intruder might know are dangerous together."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import pandas as pd

from ..arguments import (
    check_digits,
    check_flag,
    check_groups,
    check_in_every_set,
    column_named,
    is_column,
    is_number,
    listed,
    per_key,
)
from ..core.coding import encode
from ..core.columns import Column
from ..core.fingerprint import Fingerprints, fingerprints_of
from ..core.levels import Variable
from ..disclosure.bins import grouped, warn_of_classes
from ..disclosure.options import PASSED_ON, check_style
from ..disclosure.rows import Rows
from ..disclosure.source import Source, read_source
from ..errors import InputError
from ..progress import Progress
from ..r.reading import correctly
from ..spellings import plain_names_too
from ..synds import SynDS
from ..tables.splitting import Margin, Margins
from .parts import PartSearch
from .result import KeyRisk, check_share, key_risk_of
from .search import number_of_subsets, search

MOST_SUBSETS = 100_000
PROGRESS_STEPS = 200  # updating a line faster than anyone can read only costs time


@plain_names_too(*PASSED_ON)
def key_risk(
    object: SynDS | pd.DataFrame | Sequence[pd.DataFrame],
    data: pd.DataFrame,
    candidates: Any,
    target: Any = None,
    *,
    max_keys: int | None = None,
    share: float = 0.5,
    cont_na: Mapping[Any, Any] | None = None,
    counts: Any = None,
    ngroups_keys: Any = None,
    ngroups_target: Any = None,
    most_subsets: int = MOST_SUBSETS,
    print_flag: bool = False,
    digits: int = 2,
    max_cells: int | None = None,
    **grouping_style: Any,
) -> KeyRisk:
    """Disclosure risk of every subset of candidate keys.

    For each non-empty subset of the candidates, up to `max_keys` of them:

    - UiO: original records whose combination of these keys no other original record has;
    - repU: those of them whose combination exactly one synthetic record has too (replicated
      uniques);
    - DiSCO, for each target: original records whose combination has only one target value in the
      synthetic data, and it is their own.

    All are percentages of the original records, averaged over the syntheses; higher is riskier. UiO
    never falls when a key is added. repU and DiSCO may fall, because longer combinations occur less
    often in the synthetic data.

    Figures follow the published definitions, as ``disclosure(compat="corrected")`` does: R has no
    such function, so there are no R figures to compare with. Missing values are a level like any
    other.

    Parameters
    ----------
    object : SynDS, DataFrame or list of DataFrame
        The synthetic data: one or more syntheses of `data`. By name also ``synthetic=``.
    data : DataFrame
        The original data. By name also ``original=``.
    candidates : names or positions (from 1) of the columns an intruder may know. Their order is
        kept.
    target : name or position of a column an intruder wants to learn, several of them, or None.
    max_keys : largest number of keys that an intruder may know; None for all candidates.
    share : between 0 and 1; the default of `KeyRisk.smallest` for a dangerous share of records.
    cont_na : special values of numeric columns, such as ``{"income": -8}``, kept apart when
        grouping; a SynDS brings its own.
    ngroups_keys, ngroups_target : group numeric candidates, or targets: approximate number of
        classes, one number, or one for each; 0 or None: no grouping.
    most_subsets : refuse to look at more subsets than this.
    print_flag : say how many subsets were looked at, and how long it took.
    digits : decimals shown.
    max_cells : the most distinct rows (candidates and targets, all tables together) to count at
        once. If there are more, the work is done in parts by values of a candidate, with the same
        figures. The default, for records in a database or file, is as many as fit in memory; data
        in memory are counted at once.
    **grouping_style : `style`, `type`, `fixedBreaks`, as for `disclosure()`.

    Returns
    -------
    KeyRisk

    Examples
    --------
    Five people. By sex alone nobody is unique, by town only the person in C; by sex and town three
    are unique: f in A, m in A, m in C. The synthetic data have f in A once, m in A once and nobody
    in C, so two of the three are replicated.

    >>> import pandas as pd
    >>> from synthpop_py.key_search.api import key_risk
    >>> people = pd.DataFrame({"sex": list("fmffm"), "town": list("AABBC"), "job": list("xyxyy")})
    >>> fake = pd.DataFrame({"sex": list("fmffm"), "town": list("AABBB"), "job": list("xxyxy")})
    >>> risk = key_risk(fake, people, ["sex", "town"], target="job")
    >>> print(risk.table.drop(columns="keys").to_string(index=False))
         text  size  UiO  repU  DiSCO job
    sex, town     2 60.0  40.0       20.0
         town     1 20.0   0.0       20.0
          sex     1  0.0   0.0        0.0
    >>> risk.smallest(share=0.5).text.tolist()
    ['sex, town']
    """
    started = perf_counter()
    source = read_source(object, data, cont_na, counts, max_cells)
    names = _columns("candidates", candidates, source)
    targets = _columns("target", target, source) if target is not None else ()
    _check_targets(names, targets)
    largest = _largest_subset(max_keys, names)
    _check_number_of_subsets(len(names), largest, most_subsets)
    share = check_share(share)
    digits = check_digits(digits)
    columns = (*names, *targets)
    groups_keys = per_key("ngroups_keys", ngroups_keys, names, check_groups)
    groups_targets = per_key("ngroups_target", ngroups_target, targets, check_groups)
    classes = dict(zip(columns, (*groups_keys, *groups_targets)))
    source.check_common_values(classes, names)
    coding = _Coding(
        source=source,
        rows=source.few_rows(columns),
        classes=classes,
        style=check_style(grouping_style),
        special=source.special_values(columns, every=True),
    )
    keys = {name: coding.variable(name) for name in names}
    learnt = {name: coding.variable(name) for name in targets}
    total = number_of_subsets(len(names), largest)
    with Progress(total, check_flag("print_flag", print_flag)) as progress:
        if coding.rows is None:
            parts = PartSearch(source, keys, learnt, coding.margins(), largest)
            counted = parts.run(progress.reach_of)
        else:
            variables = list(keys.values()), list(learnt.values())
            counted = search(*variables, coding.rows.n, largest, _telling(progress))
    result = key_risk_of(
        counted,
        candidates=names,
        targets=targets,
        records=tuple(table.records for table in source.tables),
        max_keys=largest,
        share=share,
        digits=digits,
        fingerprints=coding.fingerprints({**keys, **learnt}),
    )
    if print_flag:
        seconds = perf_counter() - started
        print(f"{len(result.table)} subsets of {len(names)} candidate keys in {seconds:.1f} s")
    return result


def _telling(progress: Progress) -> Callable[[int], None]:
    """A function that updates the progress line with the number of subsets done."""
    every = max(1, progress.total // PROGRESS_STEPS)

    def done(count: int) -> None:
        if count % every == 0 and count < progress.total:
            progress.reach(count, "subsets of candidate keys")

    return done


# ---- arguments -----------------------------------------------------------------------


def _columns(argument: str, given: Any, source: Source) -> tuple[Hashable, ...]:
    """The columns named, each once, in the order given (a set has none, so in the data's)."""
    columns = list(source.data.columns)
    if is_column(given, columns):
        names = [given]
    else:
        names = [column_named(argument, item, columns) for item in listed(given)]
    if not names:
        raise InputError(f"{argument}: none given; choices: {', '.join(map(str, columns))}")
    twice = sorted({str(name) for name in names if names.count(name) > 1})
    if twice:
        raise InputError(f"{argument}: {', '.join(twice)} given more than once")
    for name in names:
        check_in_every_set(argument, name, source.sets)
    if isinstance(given, (set, frozenset)):
        names.sort(key=columns.index)
    return tuple(names)


def _check_targets(names: Sequence[Hashable], targets: Sequence[Hashable]) -> None:
    """Check that no target is also a candidate key."""
    for name in targets:
        if name in names:
            raise InputError(
                f"target: {name!r} is also one of the candidates; a target cannot be a key"
            )


def _largest_subset(max_keys: Any, names: Sequence[Hashable]) -> int:
    if max_keys is None:
        return len(names)
    if _is_whole(max_keys) and max_keys <= len(names):
        return int(max_keys)
    raise InputError(
        f"max_keys: {max_keys!r} cannot be used; give a whole number from 1 to {len(names)}, the"
        " number of candidates"
    )


def _is_whole(value: Any) -> bool:
    return is_number(value) and float(value).is_integer() and value >= 1


def _check_number_of_subsets(candidates: int, largest: int, most_subsets: Any) -> None:
    if not _is_whole(most_subsets):
        raise InputError(
            f"most_subsets: {most_subsets!r} cannot be used; give a whole number of 1 or more"
        )
    limit = int(most_subsets)
    number = number_of_subsets(candidates, largest)
    if number <= limit:
        return
    hint = f"give at most {limit:,} candidates"
    for size in range(1, largest):
        fewer = number_of_subsets(candidates, size)
        if fewer <= limit:
            hint = f"max_keys={size} gives {fewer:,}"
    raise InputError(
        f"candidates: {candidates} candidates have {number:,} subsets of up to {largest} keys,"
        f" more than most_subsets={limit:,}; {hint}, or raise most_subsets"
    )


# ---- codes ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Coding:
    """How columns are coded: no exclusions, the corrected reading, keys and targets alike. If there
    are too many rows (then None), each column is coded separately.
    """

    source: Source
    rows: Rows | None
    classes: dict[Hashable, int]
    style: dict[str, Any]
    special: dict[Hashable, tuple[Any, ...]]

    def variable(self, name: Hashable) -> Variable:
        rows = self.source.margin(name) if self.rows is None else self.rows
        columns = rows.columns[name]
        if self.classes[name] and columns[0].is_number:
            return self._in_classes(name, columns, rows)
        return encode(str(name), columns)

    def margins(self) -> Margins:
        margins = {}
        for name in self.classes:
            rows = self.source.margin(name)
            margins[name] = Margin(rows.columns[name], rows.n)
        return margins

    def fingerprints(self, variables: Mapping[Hashable, Variable]) -> Fingerprints | None:
        """Fingerprints of the values, which classes do not show; None if there are too many
        rows.
        """
        rows = self.rows
        if rows is None:
            return None
        ungrouped = {name: v for name, v in variables.items() if not self.classes[name]}
        return fingerprints_of(rows.columns, rows.n, rows.records, ungrouped)

    def _in_classes(self, name: Hashable, columns: list[Column], rows: Rows) -> Variable:
        variable, grouping = grouped(
            name,
            columns,
            rows.n,
            classes=self.classes[name],
            style=self.style,
            special=self.special.get(name, ()),
            compat=correctly(),
        )
        warn_of_classes(name, grouping, rows.records)
        return variable
