"""The results that a report is made from: computed from data, or given."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isclose
from statistics import fmean
from typing import Any, TypeVar

import pandas as pd

from ..arguments import check_groups, chosen_columns, listed, per_key
from ..disclosure.result import Disclosure
from ..disclosure.source import Source, read_source
from ..errors import InputError, untold
from ..key_search.api import key_risk
from ..key_search.result import KeyRisk
from ..key_search.search import number_of_subsets
from ..r.reading import CORRECTED
from ..redaction import redacted
from ..summary.api import multi_disclosure
from ..summary.result import MultiDisclosure
from ..utility import PropensityUtility, TableUtility, propensity_utility, table_utility

Results = dict[Hashable, Disclosure]
T = TypeVar("T")

MOST_SETS = 8000  # number of keys tried if it is not given
MOST_KEYS = 4  # number of keys that an intruder is assumed to know if none are named
MOST_TARGETS_OF_SEARCH = 3
READING = ("cont_na", "counts", "max_cells")
OF_KEYS = {"ngroups_keys": 0, "usekeysNA": True}  # for a candidate that is not a key
OF_TARGETS = {"ngroups_targets": "ngroups_target", "usetargetsNA": "usetargetNA"}
PAIRS = ("exclude_keys", "exclude_keylevs", "exclude_targetlevs")


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known about a release.

    Attributes
    ----------
    results : the correct result of each target, in the order asked.
    summary : of these, where there are several.
    as_r : R's results, where they were computed.
    no_r : a sentence on why there are none; empty where there are.
    searched, tables, propensity : sets of keys; utility of tables and by propensity scores.
    baseline : members beside non-members; None without a holdout.
    reasons : why a part is missing, by its name.
    keys_searched : no keys were given, and the riskiest set found took their place.
    identifiers : columns that differ for everyone, and were not tried.
    """

    results: Results
    summary: MultiDisclosure | None = None
    as_r: Results = field(default_factory=dict)
    no_r: str = ""
    searched: KeyRisk | None = None
    tables: TableUtility | None = None
    propensity: PropensityUtility | None = None
    baseline: pd.DataFrame | None = None
    reasons: Mapping[str, str] = field(default_factory=dict)
    keys_searched: bool = False
    identifiers: tuple[Hashable, ...] = ()

    @property
    def first(self) -> Disclosure:
        return next(iter(self.results.values()))

    @property
    def keys(self) -> tuple[Hashable, ...]:
        """The keys in the order given; R uses the order of the data."""
        result = self.first if self.summary is None else self.summary
        asked = [str(key) for key in result._arguments()["keys"]]
        if sorted(asked) != sorted(map(str, result.keys)):
            return result.keys
        return tuple(sorted(result.keys, key=lambda key: asked.index(str(key))))

    @property
    def worst_first(self) -> list[Disclosure]:
        """Results by DiSCO, the highest first; those without a figure last."""
        return sorted(self.results.values(), key=_risk)


def _risk(result: Disclosure) -> float:
    highest = result.DiSCO
    return 1.0 if highest != highest else -highest  # NaN is not equal to itself


# ---- from results --------------------------------------------------------------------


def from_result(
    result: Disclosure | MultiDisclosure,
    *,
    key_search: KeyRisk | None = None,
    utility: Sequence[TableUtility | PropensityUtility] = (),
) -> Evidence:
    """The evidence from an existing result."""
    correct = result if result.corrected is None else result.corrected
    is_r = result.compat != CORRECTED
    missing = "It needs the data: report(synthetic, original, ...), or the result itself in {}."
    results = _by_target(correct)
    if key_search is not None:
        _check_agrees(key_search, results)
    return Evidence(
        results=results,
        summary=correct if isinstance(correct, MultiDisclosure) else None,
        as_r=_by_target(result) if is_r else {},
        no_r=""
        if is_r
        else "R's figures were not computed: the result is that of the corrected reading alone.",
        searched=key_search,
        tables=_one_of(utility, TableUtility),
        propensity=_one_of(utility, PropensityUtility),
        baseline=correct.baseline,
        reasons={
            "keys": missing.format("key_search="),
            "tables": missing.format("utility="),
            "propensity": missing.format("utility="),
        },
    )


def _check_agrees(searched: KeyRisk, results: Results) -> None:
    """A search with other classes or exclusions would contradict the answer."""
    keys = next(iter(results.values())).keys
    if len(keys) > searched.max_keys or not set(keys) <= set(searched.candidates):
        return
    row = searched.of(list(keys))
    for target, result in results.items():
        figures = {"UiO": "UiO", "repU": "repU"}
        if target in searched.targets:
            figures[f"DiSCO {target}"] = "DiSCO"
        for name, measure in figures.items():
            mean = fmean(shares[measure].percent for shares in result.shares)
            if not isclose(row[name], mean, abs_tol=1e-9):
                raise InputError(
                    f"key_search: has another {name} for the keys of the result than the result;"
                    " give key_risk() the same data, classes and exclusions"
                )


def _by_target(result: Disclosure | MultiDisclosure) -> Results:
    if isinstance(result, MultiDisclosure):
        return dict(result.output_list)
    return {result.target: result}


def _first(result: MultiDisclosure) -> Disclosure:
    return next(iter(result.output_list.values()))


def _one_of(given: Sequence[Any], kind: type[T]) -> T | None:
    return next((result for result in given if isinstance(result, kind)), None)


# ---- from data -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Asked:
    """The data of a report and what is asked of them; `options` as for `multi_disclosure`."""

    synthetic: Any
    original: Any
    keys: Any
    targets: Any
    candidates: Any
    holdout: Any
    options: Mapping[str, Any]

    @property
    def reading(self) -> dict[str, Any]:
        """How the tables are to be read."""
        return {name: self.options[name] for name in READING if name in self.options}

    def source(self) -> Source:
        reading = {"cont_na": None, "counts": None, "max_cells": None} | self.reading
        return read_source(self.synthetic, self.original, **reading)


def from_data(asked: Asked) -> Evidence:
    """A report on data: everything is computed."""
    search = _Search()
    if asked.keys is None:
        search = _search_for_keys(asked)
        asked = replace(asked, keys=list(search.keys))
    correct = _summary(asked, "corrected")
    # the first call has already given the warnings about the data
    with untold(Warning):
        as_r, no_r = _as_r(asked, _first(correct).certainty)
        evidence = Evidence(
            results=_by_target(correct),
            summary=correct,
            as_r=as_r,
            no_r=no_r,
            searched=search.found,
            baseline=correct.baseline,
            keys_searched=search.found is not None,
            identifiers=search.identifiers,
        )
        return _with_the_rest(asked, evidence)


def _summary(asked: Asked, compat: str) -> MultiDisclosure:
    holdout = {}
    if asked.holdout is not None and compat == CORRECTED:
        holdout["holdout"] = asked.holdout
    summary: MultiDisclosure = multi_disclosure(
        asked.synthetic,
        asked.original,
        asked.keys,
        asked.targets,
        print_flag=False,
        compat=compat,
        **holdout,
        **asked.options,
    )
    return summary


def _as_r(asked: Asked, certainty: float) -> tuple[Results, str]:
    if certainty < 1:
        return {}, "R counts what is certain and nothing else, so there are no figures of R."
    try:
        return _by_target(_summary(asked, "r")), ""
    except InputError:
        return {}, "R's function refuses this call, so there are no figures of R."


def _with_the_rest(asked: Asked, evidence: Evidence) -> Evidence:
    """With the search over keys and the utility; where one cannot be computed, the reason."""
    reasons: dict[str, str] = {}

    def tried(part: str, compute: Callable[[], T]) -> T | None:
        try:
            return compute()
        except InputError as error:
            reasons[part] = redacted(f"Not computed: {error}.")
            return None

    searched = evidence.searched
    if searched is None:
        searched = tried("keys", lambda: _search_among(asked, evidence))
    special = {name: value for name, value in asked.reading.items() if name == "cont_na"}
    data = asked.synthetic, asked.original
    return replace(
        evidence,
        searched=searched,
        tables=tried("tables", lambda: table_utility(*data, **asked.reading)),
        propensity=tried("propensity", lambda: propensity_utility(*data, **special)),
        reasons=reasons,
    )


# ---- which keys ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Search:
    """A search over keys, the riskiest set of it, and what was left out of it."""

    found: KeyRisk | None = None
    keys: tuple[Hashable, ...] = ()
    identifiers: tuple[Hashable, ...] = ()


def _search_among(asked: Asked, evidence: Evidence) -> KeyRisk:
    """All sets of the keys given, or of the candidates."""
    names = list(evidence.keys)
    if asked.candidates is not None:
        names = _named(asked, "candidates", asked.source())
    worst = [result.target for result in evidence.worst_first if result.target not in names]
    learnt = worst[:MOST_TARGETS_OF_SEARCH]
    if evidence.first.certainty < 1:
        learnt = []  # the search counts what is certain only
    found: KeyRisk = key_risk(
        asked.synthetic,
        asked.original,
        names,
        target=learnt or None,
        max_keys=_largest_set(len(names), len(names)),
        **asked.reading,
        **_as_reported(asked, (evidence.keys, names), (list(evidence.results), learnt)),
    )
    return found


def _named(asked: Asked, argument: str, source: Source) -> list[Hashable]:
    return chosen_columns(argument, getattr(asked, argument), source.data.columns)


def _as_reported(
    given: Asked,
    keys: tuple[Sequence[Hashable], Sequence[Hashable]],
    targets: tuple[Sequence[Hashable], Sequence[Hashable]],
) -> dict[str, Any]:
    """The classes and exclusions of the report as arguments of `key_risk()`: keys and targets of
    the report, and those that are searched.
    """
    options = given.options
    limits = ("denom_lim", "exclude_ov_denom_lim")
    same = {name: options[name] for name in limits if name in options}
    (of_report, candidates), (asked, learnt) = keys, targets
    for name, default in OF_KEYS.items():
        values = listed(options.get(name))
        if len(values) > 1:
            by_key = dict(zip(of_report, values))
            values = [by_key.get(candidate, default) for candidate in candidates]
        if values:
            same[name] = values
    _keep_classes_of_numbers(same, "ngroups_keys", candidates, given)
    if not learnt:
        return same
    for name, argument in OF_TARGETS.items():
        values = listed(options.get(name))
        if values:
            by_target = dict(zip(asked, values))
            same[argument] = [by_target.get(target, values[0]) for target in learnt]
    _keep_classes_of_numbers(same, "ngroups_target", learnt, given)
    levels = options.get("not_targetslev")
    levels = levels if isinstance(levels, Mapping) else dict(zip(asked, listed(levels)))
    same["not_targetlev"] = {target: levels.get(target) for target in learnt}
    # pairs of other keys do not apply
    of_pairs = [dict(zip(asked, listed(options.get(name)))) for name in PAIRS]
    pairs = {}
    for target in learnt:
        of_target = zip(*(listed(of_pair.get(target)) for of_pair in of_pairs))
        pairs[target] = [pair for pair in of_target if pair[0] in candidates]
    for place, name in enumerate(PAIRS):
        same[name] = {target: [pair[place] for pair in pairs[target]] for target in learnt}
    return same


def _keep_classes_of_numbers(
    same: dict[str, Any], argument: str, names: Sequence[Hashable], given: Asked
) -> None:
    """One number of classes for all columns is about the numeric ones; the search has others."""
    if argument in same:
        source = given.source()
        wanted = per_key(argument, same[argument], names, check_groups)
        same[argument] = [n if source.is_numeric(name) else 0 for name, n in zip(names, wanted)]


def _search_for_keys(asked: Asked) -> _Search:
    """No keys are given: try every small set of columns that are not targets."""
    for name in OF_KEYS:
        if len(listed(asked.options.get(name))) > 1:
            raise InputError(
                f"{name}: has a value for each key, but no keys are given; give one value for all,"
                " or name the keys"
            )
    source = asked.source()
    targets = [] if asked.targets is None else _named(asked, "targets", source)
    candidates, identifiers = _candidates(asked, source, targets)
    learnt = targets[:MOST_TARGETS_OF_SEARCH]
    if asked.options.get("certainty", 1) < 1:
        learnt = []
    spare = 0 if targets else 1  # a column must be left to be learnt
    found: KeyRisk = key_risk(
        asked.synthetic,
        asked.original,
        candidates,
        target=learnt or None,
        max_keys=_largest_set(len(candidates), min(MOST_KEYS, max(1, len(candidates) - spare))),
        **asked.reading,
        **_as_reported(asked, ((), candidates), (targets, learnt)),
    )
    keys: tuple[Hashable, ...] = found.table["keys"].iloc[0]
    return _Search(found=found, keys=keys, identifiers=identifiers)


def _candidates(
    asked: Asked, source: Source, targets: Sequence[Hashable]
) -> tuple[list[Hashable], tuple[Hashable, ...]]:
    """The columns that an intruder may know, and those among them that identify everyone."""
    if asked.candidates is not None:
        return _named(asked, "candidates", source), ()
    common = []
    for name in source.data.columns:
        everywhere = all(name in table.columns for table in source.sets)
        if everywhere and name not in targets and name != source.counts:
            common.append(name)
    if not common:
        raise InputError(
            "keys: is not given, and no column that both tables have could be one; name the keys"
        )
    # only the original decides who is unique
    alone = key_risk(asked.original, asked.original, common, max_keys=1, **asked.reading)
    identifiers = tuple(name for name in common if alone.of([name])["UiO"] == 100)
    kept = [name for name in common if name not in identifiers]
    return (kept, identifiers) if len(kept) > 1 else (common, ())


def _largest_set(candidates: int, wanted: int) -> int:
    """The largest size of sets that can be tried without asking."""
    largest = wanted
    while largest > 1 and number_of_subsets(candidates, largest) > MOST_SETS:
        largest -= 1
    return largest
