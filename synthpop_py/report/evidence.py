"""The results behind a report, each from a public call of the package: the risk of every target,
sets of keys, remedies, utility.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import comb, isclose
from typing import Any, TypeVar

import pandas as pd

from ..arguments import chosen_columns, listed
from ..errors import InputError, SynthpopError, unknown_choice, untold
from ..progress import Progress
from ..redaction import redacted
from ..results import Disclosure
from ..rounding import means, over, too_few
from .checks import TEXT, Finding, Tables, as_list, findings, typed

T = TypeVar("T")
CLASSES = 10  # of a numeric target
CLASSES_OF_KEY = 5  # that are tried as a remedy
MOST_SETS = 8000  # sets of keys that are tried
MOST_KEYS = 4  # keys that an intruder is assumed to know if none are named
MOST_RECORDS = 2_000_000  # beyond, remedies are named but not tried
MOST_WORDS = 100  # levels of a column in the model of utility
COMMON = ("over 80 %", "over 90 %")
DAY = re.compile(r"\d{4}-\d\d-\d\d")
NEEDS_DATA = "It needs the data: report(synthetic, original, ...), or the result itself in {}."
PAIRS = ("exclude_keys", "exclude_keylevs", "exclude_targetlevs")
# options with a value for each key or target, and what stands for none
PER_KEY = {"ngroups_keys": 0, "usekeysNA": True}
PER_TARGET = {"ngroups_targets": 0, "usetargetsNA": True, "not_targetslev": ""}
PER_TARGET |= dict.fromkeys(PAIRS)
BY_COLUMN = {**PER_KEY, **PER_TARGET}
# what `key_risk` calls them, and the other options that it has
OF_ONE = {"ngroups_targets": "ngroups_target", "usetargetsNA": "usetargetNA"}
OF_SEARCH = (*PER_KEY, "cont_na", "counts", "denom_lim", "exclude_ov_denom_lim")


@dataclass(slots=True)
class Evidence:
    """What a report is made from.

    Attributes
    ----------
    summary : the corrected result of the call; `results` : of each target, numbers in classes;
        `exact` : of these numbers without classes.
    keys : in the order asked; where nobody named them, the riskiest set of `everywhere`.
    classes : into how many classes a target was put.
    findings : of the data, None where they were not given.
    searched : sets of these keys, or of the candidates; `remedies` as in `Call._remedies`.
    reasons : why a part is missing.
    """

    summary: Any
    results: dict[Hashable, Disclosure]
    keys: list[Hashable]
    exact: dict[Hashable, Disclosure] = field(default_factory=dict)
    classes: dict[Hashable, int] = field(default_factory=dict)
    findings: list[Finding] | None = None
    everywhere: Any = None
    searched: Any = None
    remedies: list[dict[str, Any]] = field(default_factory=list)
    utility: list[Any] = field(default_factory=list)
    membership: Any = None
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
    found = Evidence(correct, results, list(correct.keys), searched=key_search, utility=utility)
    found.reasons = {part: NEEDS_DATA.format(f"{part}=") for part in ("key_search", "utility")}
    if key_search is not None and is_searched(key_search, found.keys):
        # a search with other classes or exclusions would contradict the answer
        row = key_search.of(found.keys)
        figures = {"UiO": found.first.UiO, "repU": found.first.repU}
        figures |= {f"DiSCO {target}": one.DiSCO for target, one in results.items()}
        for name, figure in figures.items():
            if name in row and not isclose(row[name], figure, abs_tol=1e-9):
                raise InputError(
                    f"key_search: has another {name} for the keys of the result than the result;"
                    " give key_risk() the same data, classes and exclusions"
                )
    return found


def is_searched(searched: Any, keys: Sequence[Hashable]) -> bool:
    return len(keys) <= searched.max_keys and set(keys) <= set(searched.candidates)


def keys_by_effect(searched: Any, keys: Sequence[Hashable]) -> list[Hashable]:
    """The keys, the one first without which fewest people are at risk."""
    if searched is None or len(keys) < 2 or not is_searched(searched, keys):
        return list(keys)
    measure = searched.table.columns[-1]  # DiSCO of the target, otherwise repU
    without = {key: searched.of([name for name in keys if name != key]) for key in keys}
    return sorted(keys, key=lambda key: (without[key][measure], without[key]["UiO"]))


class Call:
    """A call of `report()` on data, and the calls of the package that it needs."""

    def __init__(
        self,
        data: tuple[Any, Any],
        given: Mapping[str, Any],
        options: Mapping[str, Any],
        to: int,
    ) -> None:
        self.data, self.holdout, self.to = data, given["holdout"], to
        self.options = {name: value for name, value in options.items() if value is not None}
        self.reading = {n: self.options[n] for n in ("cont_na", "counts") if n in self.options}
        self.tables = Tables(*data, **self.reading)
        columns = list(self.tables.tables[0].columns)
        self.keys, self.targets, self.candidates = (
            chosen_columns(name, given[name], columns, "the original data")
            for name in ("keys", "targets", "candidates")
        )
        named = [*self.keys, *self.targets, *self.candidates]
        others = [] if self.keys and self.targets else self.tables.common
        unnamed = [name for name in others if name not in named]
        self.identifiers = list(filter(self.tables.is_identifier, unnamed))
        self._check_columns([*named, *unnamed])

    def evidence(self, *, brief: bool = False) -> Evidence:
        """Everything that a report shows, computed; in brief only the risk of each target."""
        with Progress(2 if brief else 6 + (self.holdout is not None), show=True) as progress:
            progress.step("columns")
            everywhere = self._choose_columns()
            progress.step("risk of each target")
            found = self._answers()
            found.everywhere = everywhere
            if too_few(found.first.Norig, self.to):
                return found
            with untold():  # the calls above have given the warnings about the data
                found.findings = findings(self, found)
                if brief:
                    return found
                target = found.headline(self.to)
                progress.step("sets of keys")
                names = self.candidates or self.keys
                search = partial(self._search_some, names, [target], len(names))
                found.searched = self._tried(found, "key_search", search)
                progress.step("remedies")
                found.remedies = self._remedies(found, target)
                progress.step("utility")
                found.utility = self._utility(found)
                if self.holdout is not None:
                    progress.step("membership")
                    found.membership = self._tried(found, "membership", self._membership)
        return found

    def _membership(self) -> Any:
        """Attacks on members and non-members, by the keys and targets."""
        from .. import membership

        if "counts" in self.options:
            raise InputError("counts: attacks need single records")
        names = [*self.keys, *self.targets]
        return membership(*self.data, self.holdout, variables=names, seed=0)

    def _tried(self, found: Evidence, part: str, compute: Callable[[], T]) -> T | None:
        """A part of the report; where it cannot be computed, the reason."""
        try:
            return compute()
        except SynthpopError as error:
            found.reasons[part] = redacted(f"Not computed: {error}.")
            return None

    def _choose_columns(self) -> Any:
        """Keys and targets that nobody named; the search that found the keys."""
        everywhere = None
        if self.targets:
            self.choose_classes()
        if not self.keys:
            everywhere = self._search_everything()
            self.keys = list(everywhere.table["keys"].iloc[0])
        if not self.targets:
            # an identifier of digits may be an amount, which is judged in classes
            texts = [name for name in self.identifiers if not self.tables.is_number(name)]
            used = [*self.keys, *texts]
            self.targets = [name for name in self.tables.common if name not in used]
            if not self.targets:
                raise InputError("targets: no column besides the keys is in every table")
            self.choose_classes()
        return everywhere

    def choose_classes(self) -> None:
        """About ten for targets with many numbers, unless classes were asked for."""
        many = map(self.tables.has_many_numbers, self.targets)
        self.options.setdefault("ngroups_targets", [CLASSES if one else 0 for one in many])

    def _options(self, keys: Sequence[Hashable], targets: Sequence[Hashable]) -> dict[str, Any]:
        """The options of the report for other keys or targets: lists, one value for each."""
        options = dict(self.options)
        of_keys, of_targets = (keys, self.keys, PER_KEY), (targets, self.targets, PER_TARGET)
        for columns, asked, names in (of_keys, of_targets):
            for name, none in names.items():
                value, values = options.get(name), listed(options.get(name))
                if isinstance(value, Mapping):
                    options[name] = [value.get(one, none) for one in columns]
                elif len(values) == 1 and name.startswith("ngroups"):
                    # one number for all is about the numeric ones; without any it is an error
                    if any(map(self.tables.is_number, asked or columns)):
                        options[name] = [values[0] * self.tables.is_number(one) for one in columns]
                elif len(values) == 1 and name.startswith("use"):
                    options[name] = values * len(columns)
                elif len(values) == len(asked) > 0:
                    by_column = dict(zip(asked, values))
                    options[name] = [by_column.get(one, none) for one in columns]
        return options

    def _check_columns(self, columns: Sequence[Hashable]) -> None:
        """Of options that name columns."""
        for name, value in self.options.items():
            choices, place = columns, "the keys and targets"
            if name in PER_TARGET and not name.startswith("use"):
                choices, place = self.targets or columns, "the targets"
            elif name.startswith("ngroups"):
                choices, place = self.keys or columns, "the keys"
            for column in value if isinstance(value, Mapping) and name in BY_COLUMN else ():
                if column not in choices:
                    raise unknown_choice(name, column, choices, place)

    def _answers(self) -> Evidence:
        """Every target, numbers in classes; and these numbers without."""
        asked = dict(zip(self.targets, self._options(self.keys, self.targets)["ngroups_targets"]))
        classes = {name: n for name, n in asked.items() if n and self.tables.is_number(name)}
        holdout = {} if self.holdout is None else {"holdout": self.holdout}
        summary = self._risk(self.keys, self.targets, **holdout)
        found = Evidence(summary, dict(summary.output_list), self.keys, classes=classes)
        if classes:
            with untold():
                exact = self._risk(self.keys, list(classes), ngroups_targets=None)
                found.exact = dict(exact.output_list)
        return found

    def _risk(self, keys: Any, targets: Any, data: Any = None, **others: Any) -> Any:
        from .. import multi_disclosure

        options = {**self._options(keys, targets), **others}
        asked = {"compat": "corrected", "print_flag": False, **options}
        synthetic, original = data or self.data
        return multi_disclosure(synthetic, original, list(keys), list(targets), **asked)

    def _search_everything(self) -> Any:
        """No keys are given: every small set of columns that are not targets."""
        for name in PER_KEY:
            if len(listed(self.options.get(name))) > 1:
                raise InputError(
                    f"{name}: has a value for each key, but no keys are given; give one value for"
                    " all, or name the keys"
                )
        names = self.possible_keys()
        # a column must be left to be learnt
        largest = min(MOST_KEYS, max(1, len(names) - (not self.targets)))
        return self._search_some(names, self.targets[:1], largest)

    def possible_keys(self) -> list[Hashable]:
        used = [*self.targets, *self.identifiers]
        names = self.candidates or [name for name in self.tables.common if name not in used]
        if names:
            return names
        raise InputError(
            "keys: is not given, and no column that both tables have could be one; name the keys"
        )

    def _search_some(self, names: list[Hashable], targets: list[Hashable], largest: int) -> Any:
        while largest > 1 and sum(comb(len(names), k + 1) for k in range(largest)) > MOST_SETS:
            largest -= 1
        # it counts what is certain
        certain = self.options.get("certainty", 1) == 1
        learnt = [target for target in targets if certain and target not in names]
        return self.search(names, learnt, max_keys=largest)

    def search(self, names: list[Hashable], targets: list[Hashable], **how: Any) -> Any:
        """Sets of keys, with the classes and exclusions of the report."""
        from .. import key_risk

        options = self._options(names, targets)
        asked = {name: options[name] for name in OF_SEARCH if name in options}
        of_targets = {n: dict(zip(targets, listed(options.get(n)))) for n in PER_TARGET}
        for name, of_one in OF_ONE.items():
            asked[of_one] = list(of_targets[name].values()) or PER_TARGET[name]
        levels = of_targets["not_targetslev"].items()
        asked["not_targetlev"] = {target: level for target, level in levels if level} or None
        for target in targets:
            pairs = zip(*(listed(of_targets[name].get(target)) for name in PAIRS))
            kept = list(zip(*(pair for pair in pairs if pair[0] in names)))  # others do not apply
            for name, values in zip(PAIRS, kept):
                asked.setdefault(name, {})[target] = list(values)
        synthetic, original = self.data
        return key_risk(synthetic, original, names, targets or None, **asked, **how)

    def _remedies(self, found: Evidence, target: Hashable) -> list[dict[str, Any]]:
        """Classes for a key, one key less, no replicated uniques: `what` in words, the `key` that
        it is about, how to try it in Python (`option`) and on the command line (`command`), and the
        result `after` it, None where it was not tried.
        """
        keys = self.keys
        risk = partial(self._risk, targets=[target])
        most = keys_by_effect(found.searched, keys)
        remedies = []

        def remedy(what: str, key: Any, option: str, command: str, after: Any) -> None:
            tried = found.first.Norig <= MOST_RECORDS
            # not of records in a database, which sdc() does not take
            result = self._tried(found, "remedies", after) if tried else None
            row = {"what": what, "key": key, "option": option, "command": command}
            remedies.append(row | {"after": result and result[target]})

        classes = dict.fromkeys(keys, 0)
        classes |= zip(keys, self._options(keys, []).get("ngroups_keys", ()))
        for key in list(filter(self._is_date, most))[:1]:
            what, option = "Release only the year of {}", "write years, not days, in every table"
            remedy(what, key, option, "", partial(self._in_years, risk, key))
        is_amount, is_identifier = self.tables.has_many_numbers, self.tables.is_identifier
        amounts = [k for k in most if is_amount(k) and not is_identifier(k) and not classes[k]]
        for key in amounts[:1]:
            groups = list((classes | {key: CLASSES_OF_KEY}).values())
            what = f"Release {{}} in about {CLASSES_OF_KEY} classes"
            command = f"--ngroups-keys {typed(f'{key}={CLASSES_OF_KEY}')}"
            after = partial(risk, keys, ngroups_keys=groups)
            remedy(what, key, f"ngroups_keys={groups}", command, after)
        for key in most[: 2 - len(remedies)] if len(keys) > 1 else ():
            rest = [name for name in keys if name != key]
            option = f"keys={list(map(str, rest))}"
            what = "Leave {} out of the release"
            remedy(what, key, option, f"--drop {typed(key, in_list=True)}", partial(risk, rest))
        option = f"sdc(synthetic, original, {list(map(str, keys))}, rm_replicated_uniques=True)"
        without = partial(self._without_uniques, risk)
        remedy("Remove the replicated uniques", None, option, "", without)
        return remedies

    def _without_uniques(self, risk: Callable[..., Any]) -> Any:
        from .. import sdc

        asked: dict[str, Any] = {"compat": "corrected", "print_flag": False}
        safer = sdc(*self.data, self.keys, rm_replicated_uniques=True, **asked)
        return risk(self.keys, data=(safer, self.data[1]))

    def _is_date(self, name: Hashable) -> bool:
        """Whether a column of data frames holds days, or texts such as 2001-05-17."""
        frames = [*as_list(self.data[0]), self.data[1]]
        if not all(isinstance(frame, pd.DataFrame) for frame in frames):
            return False
        texts = self.tables.levels(name).n.index.map(str)
        days = [str(frame[name].dtype).startswith("datetime") for frame in frames]
        return all(days) or (len(texts) > 0 and all(map(DAY.fullmatch, texts)))

    def _in_years(self, risk: Callable[..., Any], name: Hashable) -> Any:
        changed = [frame.copy() for frame in (*as_list(self.data[0]), self.data[1])]
        for frame in changed:
            frame[name] = pd.to_datetime(frame[name]).dt.year
        return risk(self.keys, data=(changed[:-1], changed[-1]))

    def _utility(self, found: Evidence) -> list[Any]:
        """Of all columns but identifiers; a model has no room for words of which there are many."""
        from .. import propensity_utility, table_utility

        tables = self.tables
        columns = [name for name in tables.common if not tables.is_identifier(name)]
        words = {c: tables.levels(c).n for c in columns if tables.levels(c).kind == TEXT}
        few = [c for c in columns if c not in words or len(words[c]) <= MOST_WORDS]
        of_tables = partial(table_utility, *self.data, columns, **self.reading)
        of_scores = partial(propensity_utility, *self.data, few, **self.reading)
        made: list[Any] = [self._tried(found, "tables", of_tables)]
        if "counts" in self.reading:
            found.reasons["propensity"] = "Not computed: propensity scores need single records."
        else:
            made.append(self._tried(found, "propensity", of_scores))
            if len(few) < len(columns) and made[-1] is not None:
                less = f"S_pMSE is measured without text columns of more than {MOST_WORDS} values."
                found.reasons["propensity"] = less
        return [one for one in made if one is not None]
