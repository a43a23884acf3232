"""The results behind a report, each from a public call of the package."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import comb, isclose
from typing import Any, TypeVar

import pandas as pd

from ..arguments import chosen_columns, listed
from ..errors import InputError, SynthpopError, untold
from ..progress import Progress
from ..redaction import redacted
from ..results import Disclosure
from ..rounding import means, over, too_few
from .checks import Finding, findings
from .data import Tables

T = TypeVar("T")
CLASSES = 10  # of a numeric target
CLASSES_OF_KEY = 5  # that are tried as a remedy
MOST_SETS = 8000  # sets of keys that are tried
MOST_KEYS = 4  # keys that an intruder is assumed to know if none are named
MOST_RECORDS = 2_000_000  # beyond, remedies are named but not tried
COMMON = ("over 80 %", "over 90 %")
NEEDS_DATA = "It needs the data: report(synthetic, original, ...), or the result itself in {}."
PAIRS = ("exclude_keys", "exclude_keylevs", "exclude_targetlevs")
# options with a value for each key or target, and what stands for none
PER_KEY = {"ngroups_keys": 0, "usekeysNA": True}
PER_TARGET = {
    "ngroups_targets": 0,
    "usetargetsNA": True,
    "not_targetslev": "",
    **dict.fromkeys(PAIRS),
}
# what `key_risk` calls them, and the other options that it has
OF_ONE = {
    "ngroups_targets": "ngroups_target",
    "usetargetsNA": "usetargetNA",
    "not_targetslev": "not_targetlev",
}
OF_SEARCH = (*PER_KEY, "cont_na", "counts", "denom_lim", "exclude_ov_denom_lim")


@dataclass(slots=True)
class Evidence:
    """What a report is made from.

    Attributes
    ----------
    summary : the corrected result of the call; `results` : of each target, numbers in classes;
        `exact` : of these numbers without classes.
    keys : in the order asked; where nobody named them, the riskiest set of `everywhere`.
    searched : sets of these keys, or of the candidates.
    classes : into how many classes a target was put.
    findings : of the data, None where they were not given; `remedies` as in `_remedies`.
    reasons : why a part is missing.
    """

    summary: Any
    results: dict[Hashable, Disclosure]
    keys: list[Hashable]
    baseline: pd.DataFrame | None = None
    exact: dict[Hashable, Disclosure] = field(default_factory=dict)
    classes: dict[Hashable, int] = field(default_factory=dict)
    findings: list[Finding] | None = None
    searched: Any = None
    everywhere: Any = None
    remedies: list[dict[str, Any]] = field(default_factory=list)
    utility: list[Any] = field(default_factory=list)
    reasons: dict[str, str] = field(default_factory=dict)

    @property
    def first(self) -> Disclosure:
        return next(iter(self.results.values()))

    def worst_first(self, to: int) -> list[Hashable]:
        """Targets by the shown number of people whose value is revealed, most first."""
        return sorted(self.results, key=lambda name: -means(self.results[name], to)["DiSCO"])

    def headline(self, to: int) -> Hashable:
        """The riskiest target that is not common knowledge; otherwise the riskiest."""
        order = self.worst_first(to)
        return next((name for name in order if common_level(self.results[name]) is None), order[0])


def common_level(result: Disclosure) -> pd.Series | None:
    """The level that makes a figure common knowledge, a row of `check_1way`: nearly all who are
    revealed have it, and so have over 80 % of all people.
    """
    for flagged in result.check_1way:
        if flagged is not None and over(flagged.iloc[0]["PctLevelAll"]) in COMMON:
            row: pd.Series = flagged.iloc[0]
            return row
    return None


def from_result(result: Any, key_search: Any, utility: list[Any]) -> Evidence:
    """The evidence in results that somebody has already."""
    correct = result if result.corrected is None else result.corrected
    several = hasattr(correct, "output_list")
    results = dict(correct.output_list) if several else {correct.target: correct}
    if key_search is not None:
        _check_agrees(key_search, results)
    return Evidence(
        summary=correct,
        results=results,
        keys=list(correct.keys),
        baseline=correct.baseline,
        searched=key_search,
        utility=utility,
        reasons={
            "keys": NEEDS_DATA.format("key_search="),
            "utility": NEEDS_DATA.format("utility="),
        },
    )


def _check_agrees(searched: Any, results: Mapping[Hashable, Disclosure]) -> None:
    """A search with other classes or exclusions would contradict the answer."""
    first = next(iter(results.values()))
    if not set(first.keys) <= set(searched.candidates) or len(first.keys) > searched.max_keys:
        return
    row = searched.of(list(first.keys))
    figures = {"UiO": first.UiO, "repU": first.repU}
    figures |= {f"DiSCO {target}": result.DiSCO for target, result in results.items()}
    for name, figure in figures.items():
        if name in row and not isclose(row[name], figure, abs_tol=1e-9):
            raise InputError(
                f"key_search: has another {name} for the keys of the result than the result; give"
                " key_risk() the same data, classes and exclusions"
            )


# ---- from data -----------------------------------------------------------------------


class Call:
    """A call of `report()` on data, and the calls of the package that it needs."""

    def __init__(
        self,
        synthetic: Any,
        original: Any,
        given: Mapping[str, Any],
        options: Mapping[str, Any],
        to: int,
    ) -> None:
        self.synthetic, self.original, self.to = synthetic, original, to
        self.holdout = given["holdout"]
        self.options = {name: value for name, value in options.items() if value is not None}
        self.reading = {n: self.options[n] for n in ("cont_na", "counts") if n in self.options}
        self.tables = Tables(synthetic, original, **{"cont_na": None, **self.reading})
        self.candidates = self._columns("candidates", given)
        self.targets = self._columns("targets", given)
        self.keys = self._columns("keys", given)
        self.identifiers: list[Hashable] = []  # columns that were not tried as keys

    def _columns(self, argument: str, given: Mapping[str, Any]) -> list[Hashable]:
        columns = list(self.tables.tables[0].columns)
        names = chosen_columns(argument, given[argument], columns)
        is_set = isinstance(given[argument], (set, frozenset))
        return sorted(names, key=columns.index) if is_set else names

    def evidence(self) -> Evidence:
        """Everything that a report shows, computed."""
        with Progress(6, show=True) as progress:
            progress.step("keys")
            if self.targets:
                self._choose_classes()
            everywhere = None if self.keys else self._search_everything()
            if everywhere is not None:
                self.keys = list(everywhere.table["keys"].iloc[0])
            if not self.targets:
                self.targets = [name for name in self.tables.common if name not in self.keys]
                self._choose_classes()
            progress.step("risk of each target")
            found = self._answers()
            found.everywhere = everywhere
            if too_few(found.first.Norig, self.to):
                return found
            # the calls above have given the warnings about the data
            with untold():
                progress.step("whether the files can be compared")
                columns = self.keys, self.targets, self.identifiers
                found.findings = findings(self.tables, *columns, list(found.classes), self.to)
                target = found.headline(self.to)
                progress.step("sets of keys")
                found.searched = self._tried(found, "keys", lambda: self._search(target))
                progress.step("remedies")
                found.remedies = self._remedies(found, target)
                progress.step("utility")
                found.utility = self._utility(found)
            return found

    def _tried(self, found: Evidence, part: str, compute: Callable[[], T]) -> T | None:
        """A part of the report; where it cannot be computed, the reason."""
        try:
            return compute()
        except SynthpopError as error:
            found.reasons[part] = redacted(f"Not computed: {error}.")
            return None

    def _choose_classes(self) -> None:
        """About ten for targets with many numbers, unless classes were asked for."""
        many = map(self.tables.has_many_numbers, self.targets)
        self.options.setdefault("ngroups_targets", [CLASSES if one else 0 for one in many])

    def _answers(self) -> Evidence:
        """Every target, numbers in classes; and these numbers without."""
        asked = dict(zip(self.targets, self._options(self.keys, self.targets)["ngroups_targets"]))
        classes = {name: n for name, n in asked.items() if n and self.tables.is_number(name)}
        holdout = {} if self.holdout is None else {"holdout": self.holdout}
        summary = self._risk(self.keys, self.targets, **holdout)
        results = dict(summary.output_list)
        found = Evidence(summary, results, self.keys, summary.baseline, classes=classes)
        if classes:
            with untold():
                exact = self._risk(self.keys, list(classes), ngroups_targets=None)
                found.exact = dict(exact.output_list)
        return found

    def _risk(
        self,
        keys: Sequence[Hashable],
        targets: Sequence[Hashable],
        *,
        synthetic: Any = None,
        **others: Any,
    ) -> Any:
        from .. import multi_disclosure

        return multi_disclosure(
            self.synthetic if synthetic is None else synthetic,
            self.original,
            list(keys),
            list(targets),
            compat="corrected",
            print_flag=False,
            **{**self._options(keys, targets), **others},
        )

    def _options(self, keys: Sequence[Hashable], targets: Sequence[Hashable]) -> dict[str, Any]:
        """The options of the report for other keys or targets."""
        options = dict(self.options)
        for columns, asked, names in (
            (keys, self.keys, PER_KEY),
            (targets, self.targets, PER_TARGET),
        ):
            for name in names:
                value = options.get(name)
                values = listed(value)
                if isinstance(value, Mapping) and list(columns) != asked:
                    options[name] = {one: value[one] for one in columns if one in value}
                elif len(values) == 1 and name in ("ngroups_keys", "ngroups_targets"):
                    # one number for all is about the numeric ones
                    options[name] = [values[0] * self.tables.is_number(one) for one in columns]
                elif len(values) == len(asked) > 0 and not isinstance(value, Mapping):
                    by_column = dict(zip(asked, values))
                    options[name] = [by_column.get(one, names[name]) for one in columns]
        return options

    # ---- sets of keys ----------------------------------------------------------------

    def _search(self, target: Hashable) -> Any:
        """All sets of the keys, or of the candidates, with the classes and exclusions of the
        report.
        """
        names = self.candidates or self.keys
        return self._key_risk(names, target if target not in names else None, len(names))

    def _search_everything(self) -> Any:
        """No keys are given: every small set of columns that are not targets."""
        for name in PER_KEY:
            if len(listed(self.options.get(name))) > 1:
                raise InputError(
                    f"{name}: has a value for each key, but no keys are given; give one value for"
                    " all, or name the keys"
                )
        names = self.candidates
        if not names:
            common = [name for name in self.tables.common if name not in self.targets]
            self.identifiers = [name for name in common if self.tables.is_identifier(name)]
            names = [name for name in common if name not in self.identifiers]
        if not names:
            raise InputError(
                "keys: is not given, and no column that both tables have could be one; name the"
                " keys"
            )
        spare = 0 if self.targets else 1  # a column must be left to be learnt
        target = self.targets[0] if self.targets else None
        return self._key_risk(names, target, min(MOST_KEYS, max(1, len(names) - spare)))

    def _key_risk(self, names: list[Hashable], target: Hashable | None, largest: int) -> Any:
        from .. import key_risk

        while largest > 1 and sum(comb(len(names), k + 1) for k in range(largest)) > MOST_SETS:
            largest -= 1
        learnt = [] if target is None or self.options.get("certainty", 1) < 1 else [target]
        options = self._options(names, learnt)
        same = {name: options[name] for name in OF_SEARCH if name in options}
        for name in PER_TARGET if learnt else ():
            values = options.get(name)
            if isinstance(values, Mapping):
                values = [values.get(target)]
            value = listed(values)[0] if listed(values) else None
            if value not in (None, ""):
                same[OF_ONE.get(name, name)] = value
        if "exclude_keys" in same:
            # pairs of other keys do not apply
            pairs = zip(*(listed(same[name]) for name in PAIRS))
            kept = [pair for pair in pairs if pair[0] in names]
            same |= {name: [pair[at] for pair in kept] for at, name in enumerate(PAIRS)}
        return key_risk(
            self.synthetic, self.original, names, learnt or None, max_keys=largest, **same
        )

    # ---- remedies and utility --------------------------------------------------------

    def _remedies(self, found: Evidence, target: Hashable) -> list[dict[str, Any]]:
        """Classes for a key, one key less, no replicated uniques: `what` in words, the `key` that
        it is about, how to try it in Python (`option`) and on the command line (`command`), and the
        result `after` it, None where it was not tried.
        """
        keys = self.keys
        most = keys_by_effect(found.searched, keys)
        groups = dict.fromkeys(keys, 0)
        groups |= zip(keys, self._options(keys, []).get("ngroups_keys", ()))
        remedies = []

        def remedy(what: str, key: Any, option: str, command: str, *call: Any) -> None:
            told = {"what": what, "key": key, "option": option, "command": command}
            remedies.append(told | {"after": self._after(found, target, *call)})

        for key in most:
            is_amount = self.tables.has_many_numbers(key) and not self.tables.is_identifier(key)
            if is_amount and not groups[key]:
                classes = [CLASSES_OF_KEY if name == key else groups[name] for name in keys]
                what = f"Release {{}} in about {CLASSES_OF_KEY} classes"
                command = f"--ngroups-keys {key}={CLASSES_OF_KEY}"
                given = {"ngroups_keys": classes}
                remedy(what, key, f"ngroups_keys={classes}", command, keys, given)
                break
        for key in most[: 2 - len(remedies)] if len(keys) > 1 else ():
            rest = [name for name in keys if name != key]
            option = f"keys={list(map(str, rest))}"
            remedy("Leave {} out of the release", key, option, f"--drop {key}", rest, {})
        option = f"sdc(synthetic, original, {list(map(str, keys))}, rm_replicated_uniques=True)"
        remedy("Remove the replicated uniques", None, option, "", keys, None)
        return remedies

    def _after(
        self, found: Evidence, target: Hashable, keys: list[Hashable], others: Any
    ) -> Disclosure | None:
        """The result with a remedy, other keys or options; None stands for the removal of
        replicated uniques.
        """
        from .. import sdc

        if found.first.Norig > MOST_RECORDS:
            return None
        try:
            if others is None:
                safer = sdc(
                    self.synthetic,
                    self.original,
                    keys,
                    rm_replicated_uniques=True,
                    compat="corrected",
                    print_flag=False,
                )
                others = {"synthetic": safer}
            after: Disclosure = self._risk(keys, [target], **others)[target]
        except SynthpopError:
            return None  # such as records in a database, which sdc() does not take
        return after

    def _utility(self, found: Evidence) -> list[Any]:
        from .. import propensity_utility, table_utility

        data = self.synthetic, self.original
        made: list[Any] = [
            self._tried(found, "tables", lambda: table_utility(*data, **self.reading))
        ]
        if "counts" in self.reading:
            found.reasons["propensity"] = "Not computed: propensity scores need single records."
        else:
            call = partial(propensity_utility, *data, **self.reading)
            made.append(self._tried(found, "propensity", call))
        return [one for one in made if one is not None]


def keys_by_effect(searched: Any, keys: Sequence[Hashable]) -> list[Hashable]:
    """The keys, the one first without which fewest people are at risk."""
    if searched is None or not 1 < len(keys) <= searched.max_keys:
        return list(keys)
    if not set(keys) <= set(searched.candidates):
        return list(keys)
    measure = searched.table.columns[-1]  # DiSCO of the target, otherwise repU
    without = {key: searched.of([name for name in keys if name != key]) for key in keys}
    return sorted(keys, key=lambda key: (without[key][measure], without[key]["UiO"]))
