"""`key_risk()`: which of the columns an intruder might know are dangerous together."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import (
    check_choice,
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
from ..core.levels import Variable, encode
from ..disclosure.bins import grouped
from ..disclosure.options import PASSED_ON, check_style
from ..disclosure.rows import Rows
from ..disclosure.source import Source, read_source
from ..errors import InputError
from ..progress import Progress
from ..r.reading import correctly
from ..show import Cell, Document, Relation, Shown
from ..show.plain import column_name
from ..show.text import render
from ..spellings import plain_names_too
from ..synds import SynDS
from .search import Found, number_of_subsets, search

MOST_SUBSETS = 100_000
UNIT = "% of original records"
ROUNDING = 1e-12  # a share such as 5/6 of six records must count as five in spite of its last bit


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
    **grouping_style: Any,
) -> KeyRisk:
    """Disclosure risk of every subset of candidate keys.

    For each non-empty subset of the candidates, up to `max_keys` of them:

    - UiO: original records whose combination of these keys no other original record has;
    - repU: those of them whose combination exactly one synthetic record has too (replicated
      uniques);
    - DiSCO, for each target: original records whose combination has one target value only in the
      synthetic data, and it is theirs.

    All are percentages of the original records, averaged over the syntheses; higher is riskier. UiO
    never falls when a key is added. repU and DiSCO may fall, because longer combinations are less
    often met in the synthetic data.

    Figures follow the published definitions, as ``disclosure(compat="corrected")`` does: R has no
    such function, so there are no figures of R to agree with. Missing values are a level like any
    other.

    Parameters
    ----------
    object : SynDS, DataFrame or list of DataFrame
        The synthetic data: one or more syntheses of `data`. By name also ``synthetic=``.
    data : DataFrame
        The original data. By name also ``original=``.
    candidates : names or positions (from 1) of the columns an intruder may know. Their order is
        kept.
    target : name or position of a column to be learnt, several of them, or None.
    max_keys : largest number of keys an intruder is thought to know; None for all candidates.
    share : between 0 and 1; what `KeyRisk.smallest` takes as a dangerous share of records unless
        told otherwise.
    cont_na : special values of numeric columns, such as ``{"income": -8}``, kept apart when
        grouping; a SynDS brings its own.
    ngroups_keys, ngroups_target : group numeric candidates, or targets: approximate number of
        classes, one number, or one for each; 0 or None: no grouping.
    most_subsets : refuse to look at more subsets than this.
    print_flag : say how many subsets were looked at, and how long it took.
    digits : decimals shown.
    **grouping_style : `style`, `type`, `fixedBreaks`, as for `disclosure()`.

    Returns
    -------
    KeyRisk

    Examples
    --------
    Five people. By sex alone nobody stands out, by town only the one in C; sex and town together
    single out three: f in A, m in A, m in C. The synthetic data have f in A once, m in A once and
    nobody in C, so two of the three are replicated.

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
    source = read_source(object, data, cont_na, counts)
    names = _columns("candidates", candidates, source)
    targets = _columns("target", target, source) if target is not None else ()
    largest = _check_arguments(source, names, targets, max_keys, most_subsets)
    usual = _check_share(share)
    digits = check_digits(digits)
    groups = (
        *per_key("ngroups_keys", ngroups_keys, names, check_groups),
        *per_key("ngroups_target", ngroups_target, targets, check_groups),
    )
    source.warn_of_strangers(dict(zip((*names, *targets), groups)))
    rows = source.rows((*names, *targets))
    special = source.special_values((*names, *targets), every=True)
    variables = _coded(rows, groups, check_style(grouping_style), special)
    walk = _searched(variables, len(names), rows.n, largest, check_flag("print_flag", print_flag))
    found = _by_risk(walk)
    result = KeyRisk(
        table=_table(found, names, targets, rows.records[0]),
        candidates=names,
        targets=targets,
        max_keys=largest,
        share=usual,
        Norig=rows.records[0],
        Nsyn=rows.records[1:],
        digits=digits,
        _found=found,
    )
    if print_flag:
        print(
            f"{len(result.table)} subsets of {len(names)} candidate keys in"
            f" {perf_counter() - started:.1f} s"
        )
    return result


# ---- arguments -----------------------------------------------------------------------


def _searched(
    variables: Sequence[Variable],
    candidates: int,
    n: Sequence[np.ndarray | None],
    largest: int,
    show: bool,
) -> Found:
    """All subsets, with progress; a line that is written over more often than anybody can read
    would only slow things down.
    """
    total = number_of_subsets(candidates, largest)
    every = max(1, total // 200)
    with Progress(total, show) as progress:

        def done(count: int) -> None:
            if count % every == 0 and count < total:
                progress.reach(count, "subsets of candidate keys")

        keys, targets = variables[:candidates], variables[candidates:]
        return search(keys, targets, n, largest, done)


def _columns(argument: str, given: Any, source: Source) -> tuple[Hashable, ...]:
    """The columns named, each once, in the order given (a set has none, so in the data's)."""
    columns = list(source.data.columns)
    names = (
        [given]
        if is_column(given, columns)
        else [column_named(argument, item, columns) for item in listed(given)]
    )
    if not names:
        raise InputError(f"{argument}: none given; choices: {', '.join(map(str, columns))}")
    twice = sorted({str(n) for n in names if names.count(n) > 1})
    if twice:
        raise InputError(f"{argument}: {', '.join(twice)} given more than once")
    for name in names:
        check_in_every_set(argument, name, source.sets)
    return (
        tuple(sorted(names, key=columns.index))
        if isinstance(given, (set, frozenset))
        else tuple(names)
    )


def _check_arguments(
    source: Source,
    names: Sequence[Hashable],
    targets: Sequence[Hashable],
    max_keys: Any,
    most_subsets: Any,
) -> int:
    """The largest size of a subset, when all fits together."""
    for name in targets:
        if name in names:
            raise InputError(
                f"target: {name!r} is also one of the candidates; a target cannot be a key"
            )
    if not source.data.records:
        raise InputError("data: has no rows; there is nobody to be found")
    largest = len(names) if max_keys is None else _whole("max_keys", max_keys, len(names))
    limit = _whole("most_subsets", most_subsets, None)
    number = number_of_subsets(len(names), largest)
    if number > limit:
        fits = [size for size in range(1, largest) if number_of_subsets(len(names), size) <= limit]
        hint = (
            f"max_keys={fits[-1]} gives {number_of_subsets(len(names), fits[-1]):,}"
            if fits
            else f"give at most {limit:,} candidates"
        )
        raise InputError(
            f"candidates: {len(names)} candidates have {number:,} subsets of up to {largest} keys,"
            f" more than most_subsets={limit:,}; {hint}, or raise most_subsets"
        )
    return largest


def _whole(argument: str, value: Any, highest: int | None) -> int:
    whole = is_number(value) and float(value).is_integer()
    if whole and value >= 1 and (highest is None or value <= highest):
        return int(value)
    choices = (
        "a whole number from 1 on"
        if highest is None
        else f"a whole number from 1 to {highest}, the number of candidates"
    )
    raise InputError(f"{argument}: {value!r} cannot be used; give {choices}")


def _check_share(value: Any) -> float:
    if is_number(value) and 0 < value <= 1:
        return float(value)
    hint = (
        f"; for {value:g} % write {value / 100:g}" if is_number(value) and 1 < value <= 100 else ""
    )
    raise InputError(
        f"share: {value!r} is not a share of records; give a number above 0 and up to 1{hint}"
    )


# ---- codes and counts ----------------------------------------------------------------


def _coded(
    rows: Rows,
    groups: Sequence[int],
    style: dict[str, Any],
    special: dict[Hashable, tuple[Any, ...]],
) -> list[Variable]:
    """Codes of all columns: nothing excluded, nothing as R does it. Each column is coded alike as
    key and as target.
    """
    nothing_of_r = correctly()
    variables = []
    for (name, columns), classes in zip(rows.columns.items(), groups):
        if classes and columns[0].is_number:
            variable, _ = grouped(
                name,
                columns,
                rows.n,
                classes=classes,
                style=style,
                special=special.get(name, ()),
                compat=nothing_of_r,
            )
        else:
            variable = encode(str(name), columns)
        variables.append(variable)
    return variables


def _by_risk(found: Found) -> Found:
    """Ordered by repU, then DiSCO (the highest of the targets'), then UiO; ties stay as they are,
    the smaller subset first.
    """
    total = found.records.sum(axis=2)
    disco = total[:, 2:].max(axis=1) if total.shape[1] > 2 else np.zeros(len(total), dtype=np.int64)
    order = np.lexsort((-total[:, 0], -disco, -total[:, 1]))
    return Found(tuple(found.subsets[i] for i in order), found.records[order])


def _table(
    found: Found, names: Sequence[Hashable], targets: Sequence[Hashable], n: int
) -> pd.DataFrame:
    keys = [tuple(names[i] for i in subset) for subset in found.subsets]
    mean = found.records.mean(axis=2) / n * 100
    columns = {
        "keys": pd.Series(keys, dtype=object),
        "text": [", ".join(map(str, k)) for k in keys],
        "size": [len(k) for k in keys],
    }
    frame = pd.DataFrame(
        columns | {measure: mean[:, j] for j, measure in enumerate(measures_of(targets))}
    )
    return frame.set_axis(pd.RangeIndex(1, len(keys) + 1, name="rank"))


def measures_of(targets: Sequence[Hashable]) -> list[str]:
    return ["UiO", "repU", *(f"DiSCO {t}" for t in targets)]


# ---- the result ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class KeyRisk(Shown):
    """Risk of every subset of candidate keys. Measures are percentages of original records; higher
    is riskier.

    Attributes
    ----------
    table : DataFrame
        One row per subset, the riskiest first (by repU, then the highest DiSCO, then UiO; smaller
        subsets first among equals). Columns: keys (tuple of names), text, size, and the measures
        UiO, repU and "DiSCO <target>" for each target, averaged over the syntheses.
    candidates, targets : names, in the order given.
    max_keys : size of the largest subset looked at.
    share : what `smallest` takes unless told otherwise.
    Norig, Nsyn : records of the original and of each synthesis.
    digits : decimals shown.
    """

    table: pd.DataFrame
    candidates: tuple[Hashable, ...]
    targets: tuple[Hashable, ...]
    max_keys: int
    share: float
    Norig: int
    Nsyn: tuple[int, ...]
    digits: int
    _found: Found

    @property
    def m(self) -> int:
        """Number of syntheses."""
        return len(self.Nsyn)

    # ---- questions -------------------------------------------------------------------

    def of(self, keys: Any) -> pd.Series:
        """The row of `table` for these keys, in whatever order they are given.

        >>> frame = pd.DataFrame({"a": [1, 1, 2], "b": [5, 6, 6]})
        >>> float(key_risk(frame, frame, ["a", "b"]).of(["b", "a"]).UiO)
        100.0
        """
        names = [keys] if is_column(keys, self.candidates) else listed(keys)
        for name in names:
            if not is_column(name, self.candidates):
                raise InputError(
                    f"keys: {name!r} is not one of the candidates; choices:"
                    f" {', '.join(map(str, self.candidates))}"
                )
        subset = tuple(sorted({self.candidates.index(name) for name in names}))
        if not 1 <= len(subset) <= self.max_keys:
            raise InputError(
                f"keys: {len(subset)} keys given; subsets of 1 to {self.max_keys} keys were looked"
                " at (max_keys)"
            )
        return self.table.iloc[self._found.subsets.index(subset)]

    def smallest(self, share: float | None = None, measure: str = "UiO") -> pd.DataFrame:
        """The minimal sets of keys for which `measure` reaches a share of the original records: no
        smaller set within them does.

        Parameters
        ----------
        share : above 0 and up to 1; that of the call to `key_risk` unless given.
        measure : "UiO", "repU", or "DiSCO <target>" ("DiSCO" alone where there is one target).

        Returns
        -------
        DataFrame
            Rows of `table`, sets of fewer keys first, then by the measure; empty when no set
            reaches the share.
        """
        column = self._measure(measure)
        needed = (
            _check_share(self.share if share is None else share)
            * self.Norig
            * self.m
            * (1 - ROUNDING)
        )
        reached = self._found.records[:, column].sum(axis=1) >= needed
        above: set[tuple[int, ...]] = set()  # sets that reach it, or hold one that does
        minimal = []
        for i in sorted(range(len(reached)), key=lambda i: len(self._found.subsets[i])):
            subset = self._found.subsets[i]
            if any(smaller in above for smaller in _without_one(subset)):
                above.add(subset)
            elif reached[i]:
                above.add(subset)
                minimal.append(i)
        rows = self.table.iloc[minimal]
        return rows.sort_values(
            ["size", rows.columns[3 + column]], ascending=[True, False], kind="stable"
        )

    def marginal(self) -> pd.DataFrame:
        """What each candidate adds: by how many percentage points UiO rises when it joins a set of
        other candidates.

        One row per candidate, the one that adds most first. Columns: UiO_alone (% of original
        records), mean_increase, min_increase and max_increase (percentage points, over all the sets
        it can join, the empty one included), sets (how many).
        """
        unique = dict(zip(self._found.subsets, self._found.records[:, 0, 0].tolist()))
        unique[()] = int(self.Norig == 1)
        gains: list[list[int]] = [[] for _ in self.candidates]
        for subset in self._found.subsets:
            for i, rest in zip(subset, _without_one(subset)):
                gains[i].append(unique[subset] - unique[rest])
        points = 100 / self.Norig
        rows = [
            (unique[(i,)] * points, np.mean(g) * points, min(g) * points, max(g) * points, len(g))
            for i, g in enumerate(gains)
        ]
        index = pd.Index(
            np.fromiter(self.candidates, dtype=object), name="candidate", tupleize_cols=False
        )
        frame = pd.DataFrame(
            rows,
            columns=["UiO_alone", "mean_increase", "min_increase", "max_increase", "sets"],
            index=index,
        )
        return frame.sort_values("mean_increase", ascending=False, kind="stable")

    def _measure(self, measure: Any) -> int:
        choices = measures_of(self.targets)
        if measure == "DiSCO" and len(self.targets) == 1:
            return 2
        return choices.index(check_choice("measure", measure, choices))

    # ---- other shapes ----------------------------------------------------------------

    def tidy(self) -> pd.DataFrame:
        """One row for each subset and measure, in the order of `table`.

        Columns: rank, keys, size, measure, target (None for UiO and repU), value (mean over
        syntheses), min, max, unit, numerator (records, mean over syntheses), denominator (original
        records).
        """
        number, kinds = len(self.table), 2 + len(self.targets)
        records = self._found.records
        flat = {name: getattr(records, name)(axis=2).reshape(-1) for name in ("mean", "min", "max")}
        columns: dict[str, Any] = {
            name: np.repeat(self.table[name].to_numpy(), kinds) for name in ("keys", "size")
        }
        columns["measure"] = ["UiO", "repU", *["DiSCO"] * len(self.targets)] * number
        columns["target"] = pd.Series([None, None, *self.targets] * number, dtype=object)
        columns |= {
            new: flat[name] / self.Norig * 100
            for new, name in (("value", "mean"), ("min", "min"), ("max", "max"))
        }
        columns |= {"unit": UNIT, "numerator": flat["mean"], "denominator": self.Norig}
        return pd.DataFrame({"rank": np.repeat(self.table.index.to_numpy(), kinds), **columns})

    # ---- views -----------------------------------------------------------------------

    def _document(self) -> Document:
        from .show import document

        return document(self, self.digits)

    def _content(self) -> dict[str, Any]:
        from .show import content

        return content(self)

    def _arguments(self) -> dict[str, Any]:
        return {
            "candidates": [column_name(name) for name in self.candidates],
            "targets": [column_name(name) for name in self.targets],
            "max_keys": self.max_keys,
            "share": self.share,
        }

    def _records(self) -> dict[str, Any]:
        from .show import everybody

        return {"original": Cell(self.Norig, (everybody(self),)), "synthetic": self.Nsyn}

    def _relations(self) -> tuple[Relation, ...]:
        from .show import relations

        return tuple(relations(self))

    def print(self, digits: int | None = None) -> None:
        """Show the ten riskiest sets of keys, the smallest dangerous ones, and what each candidate
        adds.
        """
        from .show import document

        decimals = self.digits if digits is None else check_digits(digits)
        print(render(document(self, decimals)))


def _without_one(subset: tuple[int, ...]) -> list[tuple[int, ...]]:
    """The subsets with one key less; entry i lacks key i."""
    return [subset[:i] + subset[i + 1 :] for i in range(len(subset))]
