"""`key_risk()`: which of the columns an intruder might know are dangerous together."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
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
from ..core.arrays import Integers
from ..core.coding import encode
from ..core.columns import Column
from ..core.fingerprint import Fingerprints, fingerprints_of
from ..core.levels import Variable
from ..disclosure.bins import grouped, warn_of_classes
from ..disclosure.exclusions import check_pairs_occur, nobody_has
from ..disclosure.level_names import codes_named
from ..disclosure.options import PASSED_ON, check_arguments, check_style
from ..disclosure.rows import Rows
from ..disclosure.run import check_levels, make_plan
from ..disclosure.source import Source, read_source
from ..errors import InputError
from ..names import unknown_choice
from ..old_parts.splitting import Margin, Margins
from ..progress import Progress
from ..r.reading import CORRECTED, correctly
from ..spellings import plain_names_too
from ..synds import SynDS
from .parts import PartSearch
from .result import KeyRisk, check_share, key_risk_of
from .search import LeftOut, number_of_subsets, search

MOST_SUBSETS = 100_000
# arguments of `disclosure()` that do not matter here
OF_DISCLOSURE: dict[str, Any] = {
    "style": {},
    "compat": CORRECTED,
    "collation": "icu",
    "compare_synorig": False,
    "certainty": 1,
    "digits": 2,
    "print_flag": False,
    "thresh_1way": (50, 90),
    "thresh_2way": (4, 80),
    "to_print": "short",
}
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
    not_targetlev: Any = None,
    usetargetNA: bool | Sequence[bool] = True,
    usekeysNA: bool | Sequence[bool] = True,
    exclude_keys: Any = None,
    exclude_keylevs: Any = None,
    exclude_targetlevs: Any = None,
    denom_lim: int | None = 5,
    exclude_ov_denom_lim: bool = False,
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
    never falls when a key is added, unless people who lack the key are left out (`usekeysNA`). repU
    and DiSCO may fall, because longer combinations occur less often in the synthetic data.

    Figures are those of ``disclosure(compat="corrected")`` with the same classes and exclusions: R
    has no such function, so there are no R figures to compare with. Missing values are a level like
    any other unless they are left out.

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
    not_targetlev, exclude_keys, exclude_keylevs, exclude_targetlevs : what DiSCO leaves out, as for
        `disclosure`: levels of the target, and pairs of a key level and a target level, which count
        where the key is in the subset. With several targets a list of these, one for each target
        (None for nothing), or a mapping of targets to them, as in ``{"workab": "NO"}``.
    usetargetNA, usekeysNA : False leaves out records whose target is missing (of DiSCO), or whose
        key in the subset is missing (of every measure); one value, or one for each target or
        candidate.
    denom_lim, exclude_ov_denom_lim : if the second is True, cells of more than `denom_lim` original
        records do not count for DiSCO.
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
    source.check_effects(
        CORRECTED,
        [("ngroups_keys", ngroups_keys, names), ("ngroups_target", ngroups_target, targets)],
    )
    source.check_common_values(dict(reversed(classes.items())), must_match=names)
    coding = _Coding(
        source=source,
        rows=source.few_rows(columns),
        classes=classes,
        style=check_style(grouping_style),
        special=source.special_values(columns, every=True),
        candidates=names,
    )
    keys = {name: coding.variable(name) for name in names}
    learnt = {name: coding.variable(name) for name in targets}
    left_out = _left_out(
        source,
        keys,
        learnt,
        of_targets={
            "usetargetNA": per_key("usetargetNA", usetargetNA, targets, check_flag),
            "not_targetlev": _by_target("not_targetlev", not_targetlev, targets),
            "exclude_keys": _by_target("exclude_keys", exclude_keys, targets),
            "exclude_keylevs": _by_target("exclude_keylevs", exclude_keylevs, targets),
            "exclude_targetlevs": _by_target("exclude_targetlevs", exclude_targetlevs, targets),
            "ngroups_target": groups_targets,
        },
        ngroups_keys=groups_keys,
        usekeysNA=per_key("usekeysNA", usekeysNA, names, check_flag),
        denom_lim=denom_lim,
        exclude_ov_denom_lim=exclude_ov_denom_lim,
        together=coding.rows is not None,
    )
    total = number_of_subsets(len(names), largest)
    with Progress(total, check_flag("print_flag", print_flag)) as progress:
        if coding.rows is None:
            parts = PartSearch(source, keys, learnt, coding.margins(), largest, left_out)
            counted = parts.run(progress.reach_of)
        else:
            variables = list(keys.values()), list(learnt.values())
            counted = search(*variables, coding.rows.n, largest, left_out, _telling(progress))
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


# ---- exclusions ----------------------------------------------------------------------


def _by_target(argument: str, given: Any, targets: Sequence[Hashable]) -> list[Any]:
    """What is left out for each target: as for `disclosure()` if there is one target; for several a
    list, or a mapping by name.
    """
    if given is None:
        return [None] * len(targets)
    if not targets:
        raise InputError(f"{argument}: is given, but no target; name the target, or leave it out")
    if isinstance(given, Mapping):
        for name in given:
            if name not in targets:
                raise unknown_choice(argument, name, targets, "the targets")
        entries = [given.get(name) for name in targets]
    else:
        entries = [given] if len(targets) == 1 else listed(given)
    if len(entries) != len(targets):
        raise InputError(
            f"{argument}: {len(entries)} entries given; give a list with one for each of the"
            f" {len(targets)} targets ({', '.join(map(str, targets))}), or a mapping of targets"
        )
    # "" means none, as for multi_disclosure()
    return [None if isinstance(entry, str) and not entry else entry for entry in entries]


def _left_out(
    source: Source,
    keys: Mapping[Hashable, Variable],
    learnt: Mapping[Hashable, Variable],
    *,
    of_targets: Mapping[str, Sequence[Any]],
    usekeysNA: tuple[bool, ...],
    together: bool,
    **shared: Any,
) -> LeftOut:
    """The exclusions in codes, checked as `disclosure()` checks them for each target; whether
    somebody has a pair is known only where columns were read `together`.
    """
    compat, names = correctly(), list(keys)
    levels, limit = [], None
    pairs: list[list[tuple[int, Integers, Integers]]] = [[] for _ in names]
    for place, (name, target) in enumerate(learnt.items()):
        request = check_arguments(
            source.data,
            source.sets,
            keys=names,
            target=name,
            usekeysNA=usekeysNA,
            **{argument: values[place] for argument, values in of_targets.items()},
            **shared,
            **OF_DISCLOSURE,
        )
        plan = make_plan(request, compat)
        of_keys = tuple(keys[key] for key in plan.keys)
        check_levels(target, of_keys, plan, compat)
        if together:
            idle = [p for p in plan.exclusions if nobody_has(p, target, of_keys, plan, compat)]
            check_pairs_occur(idle, plan)
        codes = [codes_named(target, level, plan, compat) for level in plan.not_targetlev]
        if not plan.use_target_missing and target.missing_code is not None:
            codes.append(np.array([target.missing_code]))
        levels.append(np.concatenate([np.zeros(0, dtype=np.int64), *codes]))
        for pair in plan.exclusions:
            of_target_level = codes_named(target, pair.target_level, plan, compat)
            of_key_level = codes_named(keys[pair.key], pair.key_level, plan, compat)
            pairs[names.index(pair.key)].append((place, of_target_level, of_key_level))
        limit = plan.denom_lim
    return LeftOut(
        missing=tuple(not use for use in usekeysNA),
        levels=tuple(levels),
        pairs=tuple(map(tuple, pairs)),
        limit=limit,
    )


# ---- codes ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Coding:
    """How columns are coded: the corrected reading, keys and targets alike. If there
    are too many rows (then None), each column is coded separately.
    """

    source: Source
    rows: Rows | None
    classes: dict[Hashable, int]
    style: dict[str, Any]
    special: dict[Hashable, tuple[Any, ...]]
    candidates: tuple[Hashable, ...]

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
        warn_of_classes(name, grouping, rows.records, must_match=name in self.candidates)
        return variable
