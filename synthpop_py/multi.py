"""`multi_disclosure()`: identity risk once, attribute risk for many targets. A loop over
`disclosure()` that shares the keys' codes.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import pandas as pd

from .arguments import (
    Call,
    check_choice,
    check_digits,
    check_flag,
    check_groups,
    check_in_every_set,
    chosen_columns,
    listed,
    read_call,
    resolve_keys,
)
from .data import Data, open_data
from .disclosure import disclose, grouping_notes
from .errors import InputError, found_so_far, unknown_choice, warning_once
from .holdout import frame_of_several, read_holdout, warn_of_holdout
from .measures import BY_NAME
from .missing import MISSING
from .progress import Begin, Progress
from .r.differences import ORIGINAL_MEASURE, calls_as_r, change_of_summary, row_as_r
from .r.ledger import DefectFinding, findings, warn_of_defects
from .r.reading import CORRECTED, MODES, VERSIONS, Mode
from .results import ByName, Disclosure, content_of_defects
from .rounding import ROUND_TO
from .show import people_pages, risk
from .show.printing import Sections, print_notes
from .show.values import column_name
from .synds import SynDS

ATTRIB_MEASURES = ("DiSCO", "DiSDiO", "DCAP")
IDENT_MEASURES = ("repU", "UiSiO", "baseCAPd")
# the measures behind the names that R gives them
MEASURE = {"UiSiO": "UiOiS", "DCAP": "DCAPd"}
TO_PRINT = ("ident", "attrib")
EXCLUSIONS = ("exclude_keys", "exclude_keylevs", "exclude_targetlevs")
# arguments of `disclosure` that are the same for all targets
FOR_ALL = (
    *("denom_lim", "exclude_ov_denom_lim", "thresh_1way", "thresh_2way", "certainty", "digits"),
    *("compare_synorig", "compat", "collation"),
)
PER_TARGET = {
    "not_targetslev": "not_targetlev",
    "usetargetsNA": "usetargetNA",
    "ngroups_targets": "ngroups_target",
    **{name: name for name in EXCLUSIONS},
}


@warning_once
def multi_disclosure(
    object: SynDS | pd.DataFrame | Sequence[pd.DataFrame],
    data: pd.DataFrame,
    keys: Any,
    targets: Any = None,
    *,
    cont_na: Mapping[Any, Any] | None = None,
    counts: Any = None,
    print_flag: bool = True,
    denom_lim: int | None = 5,
    exclude_ov_denom_lim: bool = False,
    not_targetslev: Sequence[str] | Mapping[Any, str] | None = None,
    usetargetsNA: bool | Sequence[bool] = True,
    usekeysNA: bool | Sequence[bool] | None = True,
    exclude_keys: Sequence[Any] | None = None,
    exclude_keylevs: Sequence[Any] | None = None,
    exclude_targetlevs: Sequence[Any] | None = None,
    ngroups_targets: Any = None,
    ngroups_keys: Any = None,
    ident_meas: str = "repU",
    attrib_meas: str = "DiSCO",
    thresh_1way: Sequence[float] = (50, 90),
    thresh_2way: Sequence[float] = (4, 80),
    certainty: Any = 1,
    digits: int = 2,
    plot: bool = False,
    compare_synorig: bool = True,
    compat: str = "r",
    collation: str = "icu",
    holdout: Any = None,
) -> MultiDisclosure:
    """Disclosure risk of synthetic data for several targets (R's ``multi.disclosure()``, earlier
    ``disclosure.summary()``).

    Parameters are those of `disclosure`, given once, except:

    Parameters
    ----------
    targets : names or positions of columns; by default every column that both the synthetic and the
        original data have and that is not a key. Columns that only one of them has are left out,
        and named in a note.
    not_targetslev : one level to leave out for each target, "" for none; or a mapping of targets to
        levels, as in ``{"workab": "NO"}``.
    usetargetsNA, ngroups_targets : one value, or one for each target.
    exclude_keys, exclude_keylevs, exclude_targetlevs : one list of pairs for each target (None or
        an empty list for none).
    ident_meas : "repU", "UiSiO" (R's spelling of UiOiS) or "baseCAPd": the identity measure of the
        synthetic data.
    attrib_meas : "DiSCO", "DiSDiO" or "DCAP": the attribute measure; the original's is Dorig, Dorig
        or CAPd.
    plot : draw the comparison when printing (needs matplotlib); R's default is True.
    holdout : as for `disclosure`. Intervals and p-values of `baseline` are adjusted for the number
        of targets.

    Returns
    -------
    MultiDisclosure

    Examples
    --------
    >>> from synthpop_py import datasets, multi_disclosure
    >>> original, synthetic = datasets.load("SD2011"), datasets.load_synthesis("SD2011_s1")
    >>> result = multi_disclosure(
    ...     synthetic,
    ...     original,
    ...     keys=["sex", "age", "region", "placesize"],
    ...     targets=["ls", "marital"],
    ...     print_flag=False,
    ...     compat="corrected",
    ... )
    >>> result.r_labels()
    ['1 ls', '2 marital 2way checks']
    """
    given = locals()
    given = {name: given[name] for name in given if name not in ("object", "data", "holdout")}
    mode = check_choice("compat", compat, MODES)
    check_choice("ident_meas", ident_meas, IDENT_MEASURES)
    check_choice("attrib_meas", attrib_meas, ATTRIB_MEASURES)
    show = check_flag("print_flag", print_flag)
    check_flag("plot", plot)
    source = open_data(object, data, cont_na, counts, holdout=holdout)
    if isinstance(keys, (list, tuple)):
        once = [key for at, key in enumerate(keys) if key not in keys[:at]]  # as in R
        keys = once if isinstance(keys, list) else tuple(once)
    asked_keys = resolve_keys(keys, source.original, source.sets)
    chosen, left_out = _targets(targets, asked_keys, source)
    asked = _one_for_each(given, chosen, asked_keys, source)
    classes = [
        ("ngroups_targets", ngroups_targets, chosen),
        ("ngroups_keys", ngroups_keys, asked_keys),
    ]
    source.check_effects(mode == CORRECTED, classes)
    by_column = [name for name in source.original.columns if name in asked_keys]
    names = [*chosen, *by_column]
    source.holdout = read_holdout(source, names, exclude_ov_denom_lim)
    results: dict[Hashable, Disclosure] = {}
    to_say = dict.fromkeys(left_out)  # each once: notes on keys come every time
    m = len(source.sets)
    with Progress(len(chosen) * m, show) as progress:
        for i, target in enumerate(chosen):

            def begin(
                done: int, what: str, before: int = i * m, about: str = f"target {target}"
            ) -> None:
                progress.reach(before + done, f"{about}, {what}" if m > 1 else about)

            own = {of_one: asked[name][i] for name, of_one in PER_TARGET.items()}
            own |= {"target": [target], "not_targetlev": own["not_targetlev"] or None}
            one, call = _of_target(source, asked, own, asked_keys, by_column, begin)
            results[target] = one
            to_say |= dict.fromkeys([*grouping_notes(one, call), *one.notes])
    if show:
        print_notes(to_say)
    result = MultiDisclosure(
        keys=tuple(by_column),
        Norig=source.records[0],
        m=next(iter(results.values())).m,
        output_list=results,
        show_plot=plot,
        ident_meas=ident_meas,
        attrib_meas=attrib_meas,
        digits=asked["digits"],
        denom_lim=denom_lim,
        exclude_ov_denom_lim=exclude_ov_denom_lim,
        usekeysNA=asked["usekeysNA"],
        usetargetsNA=asked["usetargetsNA"],
        compat=mode,
        _asked={**asked, "certainty": float(certainty)},
    )
    result = with_rows(result)
    every = [*result.defects, *(d for one in results.values() for d in one.defects)]
    if result.touched:
        warn_of_defects(every, change_of_summary(result))
    if holdout is not None:
        compared = {name: results[name] for name in result._baselines()}
        in_classes = [name for one in results.values() for name in one.groupings]
        warn_of_holdout(source, compared, names, in_classes)
    source.forget_rows()
    return replace(result, notes=tuple(dict.fromkeys([*left_out, *found_so_far()])))


# The name that `multi_disclosure` had in R before synthpop 1.9-0, and in the paper.
disclosure_summary = multi_disclosure


def _of_target(
    data: Data,
    asked: dict[str, Any],
    own: dict[str, Any],
    keys: Sequence[Hashable],
    by_column: list[Hashable],
    begin: Begin,
) -> tuple[Disclosure, Call]:
    """The result of one target, whose `own` arguments are given, and its call. Keys have an order
    in which they were given, and that of the data's columns.
    """
    mode = asked["compat"]
    by_key = {"usekeysNA": list(asked["usekeysNA"]), "ngroups_keys": asked["ngroups_keys"]}
    in_order = dict(by_key)
    for name, of_keys in by_key.items():
        if of_keys is not None and len(listed(of_keys)) == len(keys):
            in_order[name] = [listed(of_keys)[keys.index(key)] for key in by_column]
    common = {name: asked[name] for name in FOR_ALL}
    read = partial(read_call, data.original, data.sets, keys=by_column, **common)
    text = f"disclosure(keys={by_column!r}, target={own['target'][0]!r})"
    correct = own | in_order
    calls: list[tuple[dict[str, Any], set[str]]] = [(correct, set())]
    if mode != CORRECTED:
        calls = calls_as_r(own, by_key, correct, data.plain)
    correctly = partial(read, **correct)
    *others, last = calls
    for arguments, met in others:
        with suppress(InputError):
            call = read(**arguments)
            return disclose(call, data, mode, text, begin, correctly, met), call
    call = read(**last[0])
    return disclose(call, data, mode, text, begin, correctly, last[1]), call


def _targets(
    targets: Any, keys: Sequence[Hashable], source: Data
) -> tuple[Sequence[Hashable], list[str]]:
    """The targets asked for; by default all columns that every table has, apart from the keys, and
    one line for each side that has columns the other lacks.
    """
    original, left_out = list(source.original.columns), []
    if targets is None:
        synthetic = dict.fromkeys(name for table in source.sets for name in table.columns)
        in_all = [name for name in synthetic if all(name in one.columns for one in source.sets)]
        names = [name for name in in_all if name in original and name not in keys]
        only_in = {
            "the synthetic data": [name for name in synthetic if name not in original],
            "the original data": [name for name in original if name not in synthetic],
            "some of the synthetic data sets": [
                name for name in synthetic if name in original and name not in in_all
            ],
        }
        for side, only in only_in.items():
            if only:
                left_out.append(f"Only in {side}, so no target: {risk.names_of(only)}.")
    else:
        names = chosen_columns("targets", targets, original, "the original data")
    for name in names:
        check_in_every_set("targets", name, source.sets)
        if name in keys:
            raise InputError(f"targets: {name} also among the keys; a target cannot be a key")
    if not names:
        raise InputError(
            "targets: none left; name at least one column that both data have and that is not a key"
        )
    return names, left_out


def _levels_left_out(levels: Any, targets: Sequence[Hashable]) -> tuple[Any, ...]:
    """The level to leave out of each target, "" for none: in their order, or by their names."""
    if levels is None:
        return ("",) * len(targets)
    by_position = listed(levels)
    if isinstance(levels, Mapping):
        for name in levels:
            if name not in targets:
                raise unknown_choice("not_targetslev", name, targets, "the targets")
        by_position = [levels.get(target, "") for target in targets]
    all_texts = all(isinstance(level, str) or level is MISSING for level in by_position)
    if len(by_position) != len(targets) or not all_texts:
        raise InputError(
            f"not_targetslev: {levels!r}; give one text for each of the {len(targets)} targets"
            f" ({risk.names_of(targets)}), '' for none, or a mapping of targets to texts"
        )
    return tuple(by_position)


def _one_for_each(
    given: dict[str, Any], targets: Sequence[Hashable], keys: Sequence[Hashable], source: Data
) -> dict[str, Any]:
    """The arguments, with one value for each target, or key, where these have their own."""
    asked = dict(given)
    asked["keys"] = list(map(column_name, keys))
    asked["targets"] = list(map(column_name, targets))
    asked["cont_na"] = source.special
    if given["counts"] is not None:
        asked["counts"] = column_name(given["counts"])
    asked["digits"] = check_digits(given["digits"])
    use_keys = True if given["usekeysNA"] is None else given["usekeysNA"]
    asked["usekeysNA"] = _each("usekeysNA", use_keys, keys, "keys")
    asked["not_targetslev"] = _levels_left_out(given["not_targetslev"], targets)
    for name, check in (("usetargetsNA", check_flag), ("ngroups_targets", check_groups)):
        asked[name] = tuple(check(name, one) for one in _each(name, given[name], targets))
    for name in EXCLUSIONS:
        asked[name] = (None,) * len(targets)
        if given[name] is not None:
            lists = _each(name, given[name], targets, single=False)
            asked[name] = tuple(listed(of_one) or None for of_one in lists)
    return asked


def _each(
    argument: str,
    value: Any,
    names: Sequence[Hashable],
    what: str = "targets",
    single: bool = True,
) -> tuple[Any, ...]:
    """One value for each name; a single value serves all, but not a list of exclusions."""
    values = [None] if value is None else listed(value)
    if single and len(values) == 1:
        values = values * len(names)
    if len(values) != len(names):
        wanted = "one, or one" if single else "a list"
        raise InputError(
            f"{argument}: {len(values)} values given; give {wanted} for each of the {len(names)}"
            f" {what} ({risk.names_of(names)})"
        )
    return tuple(values)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class MultiDisclosure(ByName):
    """Disclosure risk of several targets from one set of keys.

    Attributes
    ----------
    attrib_table : DataFrame
        One row per target, least risky first (missing figures last), indexed by target
        (``.loc["marital"]``). Columns: attrib.orig and attrib.syn (%), check1 (flagged level or
        ""), Npairs, check2 (what is flagged, or ""), left_out (people that exclusions left out;
        attrib.orig and attrib.syn are still in % of all).
    DiSCO, repU, ... : Series
        Every measure by its name, one value per target: the mean over syntheses, in per cent.
        ``result["marital"]`` is the `Disclosure` of one target.
    ident_orig, ident_syn : list of float
        Identity risk (%) of original and synthetic data, one per target in the order asked.
    output_list : dict of target to `Disclosure`
    notes : if no targets were given, the columns that only one side has, which could not be
        targets; and notes on the data.
    defects : defects of R in the summary itself; those of single targets are in `output_list`.
    corrected : the correct summary, where R's differs.
    """

    keys: tuple[Hashable, ...]
    Norig: int
    m: int
    ident_meas: str
    attrib_meas: str
    digits: int
    denom_lim: Any
    exclude_ov_denom_lim: bool
    usekeysNA: tuple[Any, ...]
    usetargetsNA: tuple[Any, ...]
    output_list: dict[Hashable, Disclosure]
    show_plot: bool
    compat: Mode
    notes: tuple[str, ...] = ()
    defects: tuple[DefectFinding, ...] = ()
    corrected: MultiDisclosure | None = None
    _asked: Mapping[str, Any] = field(default_factory=dict)
    _rows: Mapping[Hashable, dict[str, Any]] = field(default_factory=dict)

    @property
    def targets(self) -> tuple[Hashable, ...]:
        return tuple(self.output_list)

    @property
    def touched(self) -> bool:
        """Whether a defect of R moved a figure of the summary or of one of its targets."""
        return bool(self.defects) or any(result.defects for result in self.output_list.values())

    @property
    def baseline(self) -> pd.DataFrame | None:
        """Members beside non-members, of every target: as `Disclosure.baseline`, with intervals and
        p-values adjusted for the number of targets. None without a holdout.
        """
        baselines = self._baselines()
        return frame_of_several(baselines) if baselines else None

    def _baselines(self) -> dict[Hashable, pd.DataFrame]:
        every = self.output_list.items()
        return {name: one._baseline for name, one in every if one._baseline is not None}

    @property
    def ident_orig(self) -> list[float]:
        return [row["ident_orig"] for row in self._rows.values()]

    @property
    def ident_syn(self) -> list[float]:
        return [row["ident_syn"] for row in self._rows.values()]

    def _ordered(self) -> list[Hashable]:
        """The targets in the order of `attrib_table`: least risky first, missing figures last."""
        risks = {target: row["attrib_syn"] for target, row in self._rows.items()}
        return sorted(risks, key=lambda target: (math.isnan(risks[target]), risks[target]))

    @property
    def attrib_table(self) -> pd.DataFrame:
        """Printed as in R: with R's row labels, and those left out in a separate sentence."""
        ordered = self._ordered()
        pairs = {None: "", 1: "1 pair"}
        rows = []
        for target in ordered:
            row = self._rows[target]
            flagged = pairs.get(row["check2"], f"{row['check2']} pairs")
            risks = row["attrib_orig"], row["attrib_syn"]
            rows.append((*risks, row["check1"] or "", row["npairs"], flagged, row["left_out"]))
        columns = ["attrib.orig", "attrib.syn", "check1", "Npairs", "check2", "left_out"]
        index = pd.Index(ordered, name="target", tupleize_cols=False)
        return pd.DataFrame(rows, index, columns)

    def r_labels(self) -> list[str]:
        """R's labels for the rows of `attrib_table`: rank, target and what was flagged."""
        width = len(str(len(self._rows)))
        labels = []
        for rank, target in enumerate(self._ordered(), start=1):
            row = self._rows[target]
            ways = [way for way in "12" if row[f"check{way}"] is not None]
            flags = f" {'&'.join(ways)}way checks" if ways else ""
            labels.append(f"{rank:0{width}d} {target}{flags}")
        return labels

    def __getitem__(self, target: Hashable) -> Disclosure:
        """The result of one target."""
        if isinstance(target, Hashable) and target in self.output_list:
            return self.output_list[target]
        if isinstance(target, str) and target in BY_NAME:
            raise InputError(
                f"target: {target!r} is a measure, not a target; .{target} has it for every"
                f" target, [target][{target!r}] for every synthesis of one"
            )
        raise unknown_choice("target", target, list(self.output_list), "the targets")

    def _measure(self, name: str) -> pd.Series:
        values = {target: getattr(one, name) for target, one in self.output_list.items()}
        return pd.Series(values, name=name)

    def tidy(self) -> pd.DataFrame:
        """Every measure of every target and synthesis, as `Disclosure.tidy`, with the target in
        front.
        """
        frames = []
        for target, result in self.output_list.items():
            frame = result.tidy()
            frame.insert(0, "target", [target] * len(frame))
            frames.append(frame)
        return pd.concat(frames, ignore_index=True)

    def plot(
        self, ax: Any = None, *, ceiling: float | None = None, round_to: int = ROUND_TO
    ) -> Any:
        """Compare original and synthetic attribute risk of every target (needs matplotlib), with a
        line at the highest risk you accept, `ceiling` (in %), if given. Counts of people are
        rounded to a multiple of `round_to`; 1 shows them as they are. Returns the axes.
        """
        from .plots import plot_targets

        return plot_targets(self, ax=ax, ceiling=ceiling, round_to=round_to)

    def _title(self) -> str:
        return "Disclosure risk of several targets"

    def _results(self) -> list[Disclosure]:
        return list(self.output_list.values())

    def _headline(self, to: int = 1) -> list[str]:
        if to > 1:
            return people_pages.headline(self._results(), to)
        return risk.headline_of_summary(self)

    def _sections(self) -> Sections:
        return risk.sections_of_summary(self, TO_PRINT, self.digits)

    def _content(self) -> dict[str, Any]:
        rows = []
        for target, row in self._rows.items():
            rows.append({"target": str(target), **row, "remaining": self.Norig - row["left_out"]})
        return {
            "compat": self.compat,
            "r_version": VERSIONS[self.compat],
            "Norig": self.Norig,
            "m": self.m,
            "keys": list(map(column_name, self.keys)),
            "targets": list(map(column_name, self.targets)),
            "ident_meas": self.ident_meas,
            "attrib_meas": self.attrib_meas,
            "ident_orig": self.ident_orig,
            "ident_syn": self.ident_syn,
            "rows": rows,
            "baseline": self.baseline,
            "notes": list(self.notes),
            "output_list": {str(name): one.to_dict() for name, one in self.output_list.items()},
            **content_of_defects(self),
        }

    def _arguments(self) -> dict[str, Any]:
        return {**self._asked, "compat": self.compat}

    def _records(self) -> dict[str, Any]:
        return self._results()[0]._records()

    def print(
        self,
        to_print: str | Sequence[str] | None = None,
        digits: int | None = None,
        plot: bool | None = None,
    ) -> Any:
        """Show the summary, or parts of it; with `plot`, draw it as well and return the axes.

        Parameters
        ----------
        to_print : one or more of "ident", "attrib"; "all" for both.
        digits : decimals.
        """
        wanted = [check_choice("to_print", name, (*TO_PRINT, "all")) for name in listed(to_print)]
        if not wanted or "all" in wanted:
            wanted = list(TO_PRINT)
        decimals = self.digits if digits is None else check_digits(digits)
        self._print(risk.sections_of_summary(self, wanted, decimals))
        draw = self.show_plot if plot is None else plot
        return self.plot() if draw else None


def with_rows(result: MultiDisclosure) -> MultiDisclosure:
    """The summary with a row for each target, averaged over the syntheses and, where R's differ,
    the correct summary beside it.
    """
    results = result.output_list
    rows = {name: row_of(result, one) for name, one in results.items()}
    if result.compat == CORRECTED:
        return replace(result, _rows=rows)
    measures = result.ident_meas, result.attrib_meas
    right_rows, met = dict(rows), set()
    for name, one in results.items():
        repU = [shares["repU"].percent for shares in one.shares]
        rows[name], of_row = row_as_r(rows[name], repU, measures, result.compat)
        met |= of_row
    result = replace(result, _rows=rows, defects=findings(met))
    refused = any(one.defects and one.corrected is None for one in results.values())
    if refused or not result.touched:
        return result
    # a result that no defect moved is the correct one
    correct = {}
    for name, one in results.items():
        correct[name] = one.corrected or replace(one, compat=CORRECTED)
        if one.corrected is not None:
            right_rows[name] = row_of(result, one.corrected)
    right = replace(
        result,
        m=next(iter(correct.values())).m,
        output_list=correct,
        defects=(),
        compat=CORRECTED,
        _rows=right_rows,
    )
    return replace(result, corrected=right)


def row_of(result: MultiDisclosure, one: Disclosure) -> dict[str, Any]:
    ident = MEASURE.get(result.ident_meas, result.ident_meas)
    attrib = MEASURE.get(result.attrib_meas, result.attrib_meas)
    left_out = [of.left_out for of in one._sets if of.left_out]
    return {
        "ident_orig": one.UiO,
        "ident_syn": getattr(one, ident),
        "attrib_orig": getattr(one, ORIGINAL_MEASURE[result.attrib_meas]),
        "attrib_syn": getattr(one, attrib),
        "check1": one.check1,
        "npairs": one.check2 or 0,
        "check2": one.check2,
        "left_out": left_out[0] if left_out else 0,
    }
