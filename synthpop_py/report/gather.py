"""The results behind a report, each from a public call of the package."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from math import comb
from typing import Any, TypeVar

import pandas as pd

from ..arguments import chosen_columns, listed
from ..disclosure.result import Disclosure
from ..errors import InputError, SynthpopError, untold
from ..progress import Progress
from ..redaction import redacted
from ..rounding import means, over, too_few
from .checks import Finding, findings
from .data import Tables

T = TypeVar("T")
CLASSES = 10  # of a numeric target
CLASSES_OF_KEY = 5  # that are tried as a remedy
MOST_SETS = 8000  # sets of keys that are tried
MOST_KEYS = 4  # keys that an intruder is assumed to know if none are named
MOST_RECORDS = 2_000_000  # beyond, remedies are named but not tried
PER_KEY = ("ngroups_keys", "usekeysNA")
PAIRS = ("exclude_keys", "exclude_keylevs", "exclude_targetlevs")
PER_TARGET = {
    "ngroups_targets": "ngroups_target",
    "usetargetsNA": "usetargetNA",
    "not_targetslev": "not_targetlev",
    **{name: name for name in PAIRS},
}
OF_SEARCH = (*PER_KEY, "cont_na", "counts", "denom_lim", "exclude_ov_denom_lim")


@dataclass(frozen=True, slots=True)
class Asked:
    """A call of `report()` on data; `options` as for `multi_disclosure`."""

    synthetic: Any
    original: Any
    tables: Tables
    keys: list[Hashable] | None
    targets: list[Hashable]
    candidates: list[Hashable] | None
    holdout: Any
    options: dict[str, Any]
    to: int


@dataclass(frozen=True, slots=True)
class Remedy:
    """Something that lowers the risk.

    Attributes
    ----------
    what : in words; `python` and `command` : how to try it, "" where there is no such way.
    after : results of the headline's target with it; None where it was not tried.
    """

    what: str
    python: str
    command: str
    after: Disclosure | None


@dataclass(slots=True)
class Evidence:
    """What a report is made from.

    Attributes
    ----------
    results : of each target, numbers in classes; `exact` : of the same targets without classes.
    classes : how many classes a target was put into.
    keys : in the order asked; `keys_searched` where nobody named them.
    headline : the riskiest target that is not common knowledge, otherwise the riskiest.
    """

    results: dict[Hashable, Disclosure]
    keys: list[Hashable]
    baseline: pd.DataFrame | None = None
    exact: dict[Hashable, Disclosure] = field(default_factory=dict)
    classes: dict[Hashable, int] = field(default_factory=dict)
    tables: Tables | None = None
    findings: list[Finding] | None = None
    searched: Any = None
    keys_searched: bool = False
    remedies: list[Remedy] = field(default_factory=list)
    utility: list[Any] = field(default_factory=list)
    reasons: dict[str, str] = field(default_factory=dict)

    @property
    def first(self) -> Disclosure:
        return next(iter(self.results.values()))

    def worst_first(self, to: int) -> list[Hashable]:
        """Targets by the shown number of people whose value is revealed, most first."""
        return sorted(self.results, key=lambda name: -means(self.results[name], to)["DiSCO"])

    def headline(self, to: int) -> Hashable:
        order = self.worst_first(to)
        telling = [name for name in order if common_level(self.results[name]) is None]
        return (telling or order)[0]


def common_level(result: Disclosure) -> pd.Series | None:
    """The level that makes a figure common knowledge: nearly all who are revealed have it, and most
    other people too. A row of `check_1way`.
    """
    for flagged in result.check_1way:
        if flagged is not None and len(flagged) and over(flagged.iloc[0]["PctLevelAll"]) in (
            "over 80 %",
            "over 90 %",
        ):
            row: pd.Series = flagged.iloc[0]
            return row
    return None


# ---- from results --------------------------------------------------------------------


def from_result(result: Any, key_search: Any = None, utility: Sequence[Any] = ()) -> Evidence:
    """The evidence in results that somebody has already."""
    correct = result if result.corrected is None else result.corrected
    one = isinstance(correct, Disclosure)
    results = {correct.target: correct} if one else dict(correct.output_list)
    missing = "It needs the data: report(synthetic, original, ...), or the result itself in {}."
    return Evidence(
        results=results,
        keys=list(correct.keys),
        baseline=correct.baseline,
        searched=key_search,
        utility=list(utility),
        reasons={"keys": missing.format("key_search="), "utility": missing.format("utility=")},
    )


# ---- from data -----------------------------------------------------------------------


def from_data(asked: Asked) -> Evidence:
    """Everything that a report shows, computed."""
    with Progress(6, show=True) as progress:
        reasons: dict[str, str] = {}
        searched = None
        keys, keys_searched = asked.keys, asked.keys is None
        if keys is None:
            progress.step("the riskiest keys")
            searched = _search_everything(asked)
            keys = list(searched.table["keys"].iloc[0])
        progress.step("risk of each target")
        evidence = _answers(asked, keys)
        evidence.searched, evidence.keys_searched = searched, keys_searched
        if too_few(evidence.first.Norig, asked.to):
            return evidence
        # the calls above have already given the warnings about the data
        with untold(Warning):
            progress.step("whether the files can be compared")
            evidence.findings = findings(
                asked.tables, keys, list(evidence.results), list(evidence.classes), asked.to
            )
            target = evidence.headline(asked.to)
            if searched is None:
                progress.step("sets of keys")
                evidence.searched = _tried(reasons, "keys", lambda: _search(asked, keys, target))
            progress.step("remedies")
            evidence.remedies = _remedies(asked, evidence, target)
            progress.step("utility")
            evidence.utility = _utility(asked, reasons)
        evidence.reasons = reasons
        return evidence


def _tried(reasons: dict[str, str], part: str, compute: Callable[[], T]) -> T | None:
    """A part of the report; where it cannot be computed, the reason."""
    try:
        return compute()
    except SynthpopError as error:
        reasons[part] = redacted(f"Not computed: {error}.")
        return None


def _answers(asked: Asked, keys: Sequence[Hashable]) -> Evidence:
    """Every target, numbers in classes; and those numbers without."""
    targets = asked.targets or [name for name in asked.tables.common if name not in keys]
    classes = _classes(asked, targets)
    options = {**asked.options, "ngroups_targets": [classes.get(name, 0) for name in targets]}
    holdout = {} if asked.holdout is None else {"holdout": asked.holdout}
    summary = _risk(asked, keys, targets, {**options, **holdout})
    evidence = Evidence(
        results=dict(summary.output_list),
        keys=list(keys),
        baseline=summary.baseline,
        classes=classes,
        tables=asked.tables,
    )
    if classes:
        with untold(Warning):
            exact = _of_targets(asked.options, targets, list(classes)) | {"ngroups_targets": None}
            evidence.exact = dict(_risk(asked, keys, list(classes), exact).output_list)
    return evidence


def _classes(asked: Asked, targets: Sequence[Hashable]) -> dict[Hashable, int]:
    """How many classes each numeric target is put into: as asked, or about ten."""
    given = asked.options.get("ngroups_targets")
    if given is not None:
        wanted = listed(given) * (len(targets) if len(listed(given)) == 1 else 1)
        pairs = zip(targets, wanted)
        return {name: int(n) for name, n in pairs if n and asked.tables.levels(name).kind != "text"}
    return {name: CLASSES for name in targets if asked.tables.is_many_numbers(name)}


def _risk(
    asked: Asked,
    keys: Sequence[Hashable],
    targets: Sequence[Hashable],
    options: Mapping[str, Any],
    synthetic: Any = None,
) -> Any:
    from .. import multi_disclosure

    data = asked.synthetic if synthetic is None else synthetic
    return multi_disclosure(
        data,
        asked.original,
        list(keys),
        list(targets),
        compat="corrected",
        print_flag=False,
        **options,
    )


def _of_targets(
    options: Mapping[str, Any], targets: Sequence[Hashable], chosen: Sequence[Hashable]
) -> dict[str, Any]:
    """The options of a call on `targets`, for some of them."""
    kept = dict(options)
    for name in PER_TARGET:
        value = options.get(name)
        if isinstance(value, Mapping):
            kept[name] = {target: value[target] for target in chosen if target in value}
        elif len(listed(value)) == len(targets):
            by_target = dict(zip(targets, listed(value)))
            kept[name] = [by_target[target] for target in chosen]
    return kept


# ---- sets of keys --------------------------------------------------------------------


def _search(asked: Asked, keys: Sequence[Hashable], target: Hashable) -> Any:
    """All sets of the keys, or of the candidates, with the classes and exclusions of the report."""
    from .. import key_risk

    candidates = asked.candidates or list(keys)
    targets = asked.targets or [name for name in asked.tables.common if name not in keys]
    same = {name: asked.options[name] for name in OF_SEARCH if name in asked.options}
    for name, default in (("ngroups_keys", 0), ("usekeysNA", True)):
        values = listed(same.get(name))
        if len(values) == len(keys) > 1:
            by_key = dict(zip(keys, values))
            same[name] = [by_key.get(candidate, default) for candidate in candidates]
        elif values and name == "ngroups_keys":
            numeric = [asked.tables.levels(name).kind == "numbers" for name in candidates]
            same[name] = [values[0] if is_number else 0 for is_number in numeric]
    learnt = target not in candidates and asked.options.get("certainty", 1) == 1
    if learnt:
        same |= _as_one_target(asked, targets, target, candidates)
    return key_risk(
        asked.synthetic,
        asked.original,
        candidates,
        [target] if learnt else None,
        max_keys=_largest(len(candidates), len(candidates)),
        **same,
    )


def _as_one_target(
    asked: Asked, targets: Sequence[Hashable], target: Hashable, candidates: Sequence[Hashable]
) -> dict[str, Any]:
    """The options of one target, by the names that they have for one; pairs of keys that are not
    candidates do not apply.
    """
    options = _of_targets(asked.options, targets, [target])
    options["ngroups_targets"] = _classes(asked, targets).get(target, 0)
    single = {}
    for several, one in PER_TARGET.items():
        value = options.get(several)
        if isinstance(value, Mapping):
            value = value.get(target)
        elif isinstance(value, (list, tuple)):
            value = value[0] if len(value) else None
        if value is not None and value != "":
            single[one] = value
    if "exclude_keys" in single:
        pairs = list(zip(*(listed(single[name]) for name in PAIRS)))
        kept = [pair for pair in pairs if pair[0] in candidates]
        single |= {name: [pair[at] for pair in kept] for at, name in enumerate(PAIRS)}
    return single


def _search_everything(asked: Asked) -> Any:
    """No keys are given: every small set of columns that are not targets."""
    from .. import key_risk

    for name in PER_KEY:
        if len(listed(asked.options.get(name))) > 1:
            raise InputError(
                f"{name}: has a value for each key, but no keys are given; give one value for all,"
                " or name the keys"
            )
    common = [name for name in asked.tables.common if name not in asked.targets]
    named = asked.candidates
    candidates = named or [name for name in common if not asked.tables.is_identifier(name)]
    if not candidates:
        raise InputError(
            "keys: is not given, and no column that both tables have could be one; name the keys"
        )
    same = {name: asked.options[name] for name in OF_SEARCH if name in asked.options}
    if listed(same.get("ngroups_keys")):
        kinds = [asked.tables.levels(name).kind for name in candidates]
        same["ngroups_keys"] = [
            listed(same["ngroups_keys"])[0] if kind == "numbers" else 0 for kind in kinds
        ]
    classes = _classes(asked, asked.targets[:1])
    learnt = asked.targets[:1] if asked.options.get("certainty", 1) == 1 else []
    spare = 0 if asked.targets else 1  # a column must be left to be learnt
    wanted = min(MOST_KEYS, max(1, len(candidates) - spare))
    return key_risk(
        asked.synthetic,
        asked.original,
        candidates,
        learnt or None,
        max_keys=_largest(len(candidates), wanted),
        ngroups_target=[classes.get(name, 0) for name in learnt] or None,
        **same,
    )


def _largest(candidates: int, wanted: int) -> int:
    """The largest size of sets that can be tried without asking."""
    largest = wanted
    while largest > 1 and sum(comb(candidates, k + 1) for k in range(largest)) > MOST_SETS:
        largest -= 1
    return largest


# ---- remedies ------------------------------------------------------------------------


def _remedies(asked: Asked, evidence: Evidence, target: Hashable) -> list[Remedy]:
    """Classes for a key, one key less, no replicated uniques; each tried where it is quick."""
    from .. import sdc

    keys = evidence.keys
    targets = list(evidence.results)
    options = _of_targets(asked.options, targets, [target])
    options["ngroups_targets"] = [evidence.classes.get(target, 0)]
    quick = evidence.first.Norig <= MOST_RECORDS

    def tried(keys: Sequence[Hashable], given: dict[str, Any], data: Any = None) -> Any:
        if not quick:
            return None
        try:
            return _risk(asked, keys, [target], given, data)[target]
        except SynthpopError:
            return None

    def without_uniques() -> Any:
        if not quick:
            return None
        try:
            safer = sdc(
                asked.synthetic,
                asked.original,
                keys,
                rm_replicated_uniques=True,
                compat="corrected",
                print_flag=False,
            )
        except SynthpopError:
            return None
        return tried(keys, options, safer)

    found = []
    most = keys_by_effect(evidence.searched, keys)
    groups = _per_key(options, "ngroups_keys", keys, 0)
    numeric = [key for key in most if asked.tables.is_many_numbers(key) and not groups[key]]
    for key in numeric[:1]:
        classes = [CLASSES_OF_KEY if name == key else groups[name] for name in keys]
        found.append(
            Remedy(
                f"Release {{{key}}} in about {CLASSES_OF_KEY} classes",
                f"ngroups_keys={classes}",
                f"--ngroups-keys {key}={CLASSES_OF_KEY}",
                tried(keys, {**options, "ngroups_keys": classes}),
            )
        )
    for key in most[: max(1, 2 - len(found))] if len(keys) > 1 else []:
        rest = [name for name in keys if name != key]
        given = dict(options)
        for name, default in (("ngroups_keys", 0), ("usekeysNA", True)):
            if len(listed(given.get(name))) == len(keys):
                by_key = _per_key(options, name, keys, default)
                given[name] = [by_key[one] for one in rest]
        found.append(
            Remedy(
                f"Leave {{{key}}} out of the release",
                f"keys={[str(name) for name in rest]}",
                f"--drop {key}",
                tried(rest, given),
            )
        )
    found.append(
        Remedy(
            "Remove the replicated uniques",
            f"sdc(synthetic, original, {[str(key) for key in keys]}, rm_replicated_uniques=True)",
            "",
            without_uniques(),
        )
    )
    return found


def _per_key(
    options: Mapping[str, Any], name: str, keys: Sequence[Hashable], default: Any
) -> dict[Hashable, Any]:
    values = listed(options.get(name)) or [default]
    return dict(zip(keys, values * len(keys) if len(values) == 1 else values))


def keys_by_effect(searched: Any, keys: Sequence[Hashable]) -> list[Hashable]:
    """The keys, the one first without which fewest people are at risk."""
    if searched is None or len(keys) < 2 or len(keys) > searched.max_keys:
        return list(keys)
    if not set(keys) <= set(searched.candidates):
        return list(keys)
    measure = searched.table.columns[-1]  # DiSCO of the target, otherwise repU

    def left(key: Hashable) -> tuple[float, float]:
        row = searched.of([name for name in keys if name != key])
        return float(row[measure]), float(row["UiO"])

    return sorted(keys, key=left)


def _utility(asked: Asked, reasons: dict[str, str]) -> list[Any]:
    from .. import propensity_utility, table_utility

    data = asked.synthetic, asked.original
    special = {name: asked.options[name] for name in ("cont_na",) if name in asked.options}
    reading = special | {name: asked.options[name] for name in ("counts",) if name in asked.options}
    made = (
        _tried(reasons, "tables", lambda: table_utility(*data, **reading)),
        _tried(reasons, "propensity", lambda: propensity_utility(*data, **special)),
    )
    return [one for one in made if one is not None]


def columns_asked(argument: str, given: Any, tables: Tables) -> list[Hashable]:
    """Columns of the original by name or by position from 1."""
    names = chosen_columns(argument, given, list(tables.original.columns))
    if isinstance(given, (set, frozenset)):
        names.sort(key=list(tables.original.columns).index)
    return names
