"""`multi_disclosure()`: identity risk once, attribute risk for many targets. A loop over
`disclosure()` that shares the keys' codes.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

import pandas as pd

from .arguments import (
    Call,
    check_choice,
    check_digits,
    check_flag,
    check_groups,
    check_in_every_set,
    column_named,
    is_column,
    listed,
    read_call,
)
from .data import Data, open_data
from .disclosure import disclose, grouping_notes, notes_on_order
from .errors import InputError, found_so_far, unknown_choice, warning_once
from .holdout import (
    blocks,
    frame_of_several,
    level_of_several,
    of_measure,
    read_holdout,
    sentence,
    warn_of_holdout,
)
from .measures import BY_NAME
from .missing import MISSING
from .progress import Progress
from .r.ledger import DEFECTS, DefectFinding, findings, warn_of_defects
from .r.reading import CORRECTED, MODES, VERSIONS, Mode
from .results import (
    CORRECT_IS,
    ByName,
    Disclosure,
    both_texts,
    change,
    defect_lines,
    left_out_words,
    nearly_sure,
    reports,
    same,
)
from .rounding import ROUND_TO
from .show import people_pages
from .show.printing import Sections, Table, print_notes
from .show.values import column_name
from .show.views import Drawn
from .synds import SynDS

ATTRIB_MEASURES = ("DiSCO", "DiSDiO", "DCAP")
IDENT_MEASURES = ("repU", "UiSiO", "baseCAPd")
ORIGINAL_MEASURE = {"DiSCO": "Dorig", "DiSDiO": "Dorig", "DCAP": "CAPd"}
# the measures behind the names that R gives them
MEASURE = {"UiSiO": "UiOiS", "DCAP": "DCAPd"}
TO_PRINT = ("ident", "attrib")
SHOWN_OF_BASELINES = ("DiSCO", "TCAP_DiS")


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
    plot : draw the comparison when printing (needs matplotlib); R's default is True; here it is
        False, so printing never opens a window.
    holdout, compat : as for `disclosure`. Intervals and p-values of `baseline` are
        adjusted for the number of targets.

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
    mode = check_choice("compat", compat, MODES)
    ident = check_choice("ident_meas", ident_meas, IDENT_MEASURES)
    attrib = check_choice("attrib_meas", attrib_meas, ATTRIB_MEASURES)
    show, draw = check_flag("print_flag", print_flag), check_flag("plot", plot)
    source = open_data(object, data, cont_na, counts, holdout=holdout)
    asked_keys = _keys(keys, source)
    chosen = _targets(targets, asked_keys, source)
    by_column = [name for name in source.original.columns if name in asked_keys]
    use_keys = _each("usekeysNA", True if usekeysNA is None else usekeysNA, asked_keys, "keys")
    flags = _each("usetargetsNA", usetargetsNA, chosen, "targets", check_flag)
    of_targets = {
        "not_targetlev": _levels_left_out(not_targetslev, chosen),
        "usetargetNA": flags,
        "ngroups_target": _each(
            "ngroups_targets", ngroups_targets, chosen, "targets", check_groups
        ),
        "exclude_keys": _exclusions("exclude_keys", exclude_keys, chosen),
        "exclude_keylevs": _exclusions("exclude_keylevs", exclude_keylevs, chosen),
        "exclude_targetlevs": _exclusions("exclude_targetlevs", exclude_targetlevs, chosen),
    }
    common = {
        "denom_lim": denom_lim,
        "exclude_ov_denom_lim": exclude_ov_denom_lim,
        "thresh_1way": thresh_1way,
        "thresh_2way": thresh_2way,
        "certainty": certainty,
        "digits": digits,
        "compare_synorig": compare_synorig,
        "collation": collation,
        "compat": mode,
    }
    classes = [
        ("ngroups_targets", ngroups_targets, chosen),
        ("ngroups_keys", ngroups_keys, asked_keys),
    ]
    source.check_effects(mode == CORRECTED, classes)
    names = [*chosen, *by_column]
    source.holdout = read_holdout(source, names, exclude_ov_denom_lim)
    left_out = _only_on_one_side(source) if targets is None else []
    results: dict[Hashable, Disclosure] = {}
    to_say = dict.fromkeys(left_out)  # each once: notes on keys come every time
    m = len(source.sets)
    with Progress(len(chosen) * m, show) as progress:
        for i, target in enumerate(chosen):
            begin = partial(_reach, progress, i * m, target, m > 1)
            own = {name: values[i] for name, values in of_targets.items()}
            own["not_targetlev"] = own["not_targetlev"] or None
            read = partial(
                read_call,
                source.original,
                source.sets,
                keys=by_column,
                target=[target],
                **common,
            )
            per_key_of = {"usekeysNA": list(use_keys), "ngroups_keys": ngroups_keys}
            one, call = one_target(source, mode, read, own, per_key_of, asked_keys, begin)
            on_order = tuple(notes_on_order(one, source))
            results[target] = replace(one, notes=(*one.notes, *on_order), _on_order=on_order)
            to_say |= dict.fromkeys([*grouping_notes(one, call), *results[target].notes])
    if show:
        print_notes(to_say)
    as_given = {
        "keys": [column_name(key) for key in asked_keys],
        "targets": [column_name(target) for target in chosen],
        "cont_na": {str(name): values for name, values in source.special.items()},
        "counts": None if counts is None else column_name(counts),
        "not_targetslev": of_targets["not_targetlev"],
        **{name: of_targets[name] for name in of_targets if name.startswith("exclude_")},
        "ngroups_targets": of_targets["ngroups_target"],
        "ngroups_keys": ngroups_keys,
        "thresh_1way": thresh_1way,
        "thresh_2way": thresh_2way,
        "compare_synorig": compare_synorig,
        "collation": collation,
        "certainty": float(certainty),
        "plot": draw,
    }
    result = with_rows(
        MultiDisclosure(
            rows=(),
            keys=tuple(by_column),
            Norig=source.records[0],
            m=next(iter(results.values())).m,
            ident_meas=ident,
            attrib_meas=attrib,
            digits=check_digits(digits),
            denom_lim=denom_lim,
            exclude_ov_denom_lim=exclude_ov_denom_lim,
            usekeysNA=use_keys,
            usetargetsNA=flags,
            output_list=results,
            show_plot=draw,
            compat=mode,
            _asked=as_given,
        )
    )
    if result.touched:
        every = [*result.defects, *(d for one in results.values() for d in one.defects)]
        warn_of_defects(every, summary_change(result))
    if holdout is not None:
        grouped = [name for one in results.values() for name in one.groupings]
        warn_of_holdout(source, result._baselines(), names, grouped)
    source.forget_rows()
    return replace(result, notes=tuple(dict.fromkeys([*left_out, *found_so_far()])))


# The name that `multi_disclosure` had in R before synthpop 1.9-0, and in the paper.
disclosure_summary = multi_disclosure


# ---- arguments -----------------------------------------------------------------------


def _named(argument: str, given: Any, source: Data) -> list[Hashable]:
    """Columns by name or position; a tuple may be the name of one."""
    columns = list(source.original.columns)
    values = [given] if isinstance(given, tuple) and is_column(given, columns) else listed(given)
    names = [column_named(argument, value, columns) for value in values]
    for name in names:
        check_in_every_set(argument, name, source.sets)
    return names


def _keys(keys: Any, source: Data) -> tuple[Hashable, ...]:
    """The keys in the order asked for; R merges duplicates."""
    names = tuple(dict.fromkeys(_named("keys", keys, source)))
    if not names:
        raise InputError("keys: none given; name at least one column")
    return names


def _targets(targets: Any, keys: Sequence[Hashable], source: Data) -> tuple[Hashable, ...]:
    """The targets asked for; by default all columns that every table has, apart from the keys."""
    if targets is None:
        columns = source.original.columns
        names = [name for name in _in_all(source) if name in columns and name not in keys]
    else:
        names = _named("targets", targets, source)
    if not names:
        raise InputError(
            "targets: none left; name at least one column that both data have and that is not a key"
        )
    twice = {str(name) for name in names if names.count(name) > 1}
    if twice:
        raise InputError(f"targets: {', '.join(sorted(twice))} given more than once")
    keys_too = [str(name) for name in names if name in keys]
    if keys_too:
        raise InputError(
            f"targets: {', '.join(sorted(keys_too))} also among the keys; a target cannot be a key"
        )
    return tuple(names)


def _in_all(source: Data) -> list[Hashable]:
    """The columns that every synthesis has, in the order of the first."""
    first, *others = source.sets
    return [name for name in first.columns if all(name in table.columns for table in others)]


def _only_on_one_side(source: Data) -> list[str]:
    """One line for each side that has columns the other lacks."""
    original, in_all = source.original.columns, _in_all(source)
    synthetic = dict.fromkeys(name for table in source.sets for name in table.columns)
    on_both_sides = [name for name in synthetic if name in original]
    only_in = {
        "the synthetic data": [name for name in synthetic if name not in original],
        "the original data": [name for name in original if name not in synthetic],
        "some of the synthetic data sets": [n for n in on_both_sides if n not in in_all],
    }
    return [
        f"Only in {side}, so no target: {_joined(names)}."
        for side, names in only_in.items()
        if names
    ]


def _levels_left_out(levels: Any, targets: Sequence[Hashable]) -> tuple[Any, ...]:
    """The level to leave out of each target, "" for none: given in the order of the targets, or by
    their names.
    """
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
            f" ({_joined(targets)}), '' for none, or a mapping of targets to texts"
        )
    return tuple(by_position)


def _each(
    argument: str, value: Any, names: Sequence[Hashable], what: str, check: Any = None
) -> tuple[Any, ...]:
    """One value for each name; a single value serves all."""
    values = [None] if value is None else listed(value)
    if len(values) == 1:
        values = values * len(names)
    if len(values) != len(names):
        raise InputError(
            f"{argument}: {len(values)} values given; give one, or one for each of the {len(names)}"
            f" {what} ({_joined(names)})"
        )
    return tuple(values if check is None else (check(argument, one) for one in values))


def _exclusions(argument: str, value: Any, targets: Sequence[Hashable]) -> tuple[Any, ...]:
    """The list of each target, None where it has none."""
    values = [None] * len(targets) if value is None else listed(value)
    if len(values) != len(targets):
        raise InputError(
            f"{argument}: {len(values)} entries given; give a list with one entry for each of the"
            f" {len(targets)} targets ({_joined(targets)})"
        )
    return tuple(listed(one) or None for one in values)


def _joined(names: Iterable[Hashable]) -> str:
    return ", ".join(map(str, names))


# ---- one target after the other ------------------------------------------------------


def _reach(
    progress: Progress, before: int, target: Hashable, several: bool, done: int, what: str
) -> None:
    """Progress at a synthesis of a target, before which others are done."""
    progress.reach(before + done, f"target {target}, {what}" if several else f"target {target}")


def one_target(
    data: Data,
    mode: Mode,
    read: partial[Call],
    own: dict[str, Any],
    by_key: dict[str, Any],
    asked_keys: Sequence[Hashable],
    begin: Any,
) -> tuple[Disclosure, Call]:
    """The call of `disclosure()` for one target: `own` has its arguments, `by_key` those that may
    be given for each key. R gives the second to the keys in the order of the data (D2, D3), drops
    exclusions of plain frames, and writes the target's levels over those of the key (D32).
    """
    names = read.keywords["keys"]
    correct = {**own, **by_key}
    for argument, given in by_key.items():
        if given is not None and len(listed(given)) == len(asked_keys):
            correct[argument] = [listed(given)[asked_keys.index(key)] for key in names]
    target = read.keywords["target"][0]
    text = f"disclosure(keys={names!r}, target={target!r})"
    if mode == CORRECTED:
        call = read(**correct)
        return disclose(call, data, mode, text, begin), call
    correctly = partial(read, **correct)
    as_r = own | by_key
    met = {"D2"} if as_r["usekeysNA"] != correct["usekeysNA"] else set()
    if listed(as_r["ngroups_keys"]) != listed(correct["ngroups_keys"]):
        met.add("D3")
    if own["exclude_keys"] is not None:
        taken = {"exclude_keylevs": own["exclude_targetlevs"]}
        if data.plain:
            taken = dict.fromkeys(("exclude_keys", "exclude_keylevs", "exclude_targetlevs"))
        try:
            call = read(**as_r | taken)
            if data.plain or taken["exclude_keylevs"] != own["exclude_keylevs"]:
                return disclose(call, data, mode, text, begin, correctly, {*met, "D32"}), call
        except InputError:
            pass  # R stops here although the user's exclusion is valid: do as asked
    call = read(**as_r)
    return disclose(call, data, mode, text, begin, correctly, met), call


# ---- the result ----------------------------------------------------------------------


class TargetRow(NamedTuple):
    """The summary of one target: percentages averaged over syntheses, what was flagged, and how
    many people exclusions left out.
    """

    target: Hashable
    ident_orig: float
    ident_syn: float
    attrib_orig: float
    attrib_syn: float
    check1: str | None
    npairs: int
    check2: int | None
    left_out: int


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class MultiDisclosure(Drawn, ByName):
    """Disclosure risk of several targets from one set of keys.

    Attributes
    ----------
    attrib_table : DataFrame
        One row per target, least risky first (missing figures last), indexed by target
        (``.loc["marital"]``). Columns: attrib.orig and attrib.syn (%), check1 (flagged level or
        ""), Npairs, check2 (what is flagged, or ""), left_out (people that exclusions left out, 0
        for none; attrib.orig and attrib.syn are still in % of all). Printed as in R: with R's row
        labels, and the number left out in a separate sentence.
    DiSCO, repU, ... : Series
        Every measure by its name, one value per target: the mean over syntheses, in per cent.
        ``result["marital"]`` is the `Disclosure` of one target.
    ident_orig, ident_syn : list of float
        Identity risk (%) of original and synthetic data, one per target in the order asked.
    output_list : dict of target to `Disclosure` keys, targets, m, Norig, ident_meas, attrib_meas,
        digits, denom_lim, exclude_ov_denom_lim, usekeysNA, usetargetsNA, compat
    notes : further notes: if no targets were given, the columns that only one side has, which could
        not be targets.
    defects : defects of R in the summary itself; those of single targets are in `output_list`.
    corrected : the correct summary, where R's differs.
    touched : whether a defect moved a figure of the summary or of a target.
    """

    rows: tuple[TargetRow, ...]
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

    @property
    def targets(self) -> tuple[Hashable, ...]:
        return tuple(row.target for row in self.rows)

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

    def _baselines(self) -> dict[Hashable, Any]:
        every = {target: one._baseline for target, one in self.output_list.items()}
        return {target: baseline for target, baseline in every.items() if baseline is not None}

    @property
    def ident_orig(self) -> list[float]:
        return [row.ident_orig for row in self.rows]

    @property
    def ident_syn(self) -> list[float]:
        return [row.ident_syn for row in self.rows]

    @property
    def ordered_rows(self) -> list[TargetRow]:
        """The rows in the order of `attrib_table`: least risky first, missing figures last."""
        return sorted(self.rows, key=lambda row: (math.isnan(row.attrib_syn), row.attrib_syn))

    @property
    def attrib_table(self) -> pd.DataFrame:
        ordered = self.ordered_rows
        targets = pd.Index([row.target for row in ordered], name="target", tupleize_cols=False)
        return pd.DataFrame(list(map(_table_row, ordered)), index=targets)

    def r_labels(self) -> list[str]:
        """R's labels for the rows of `attrib_table`: rank, target and what was flagged."""
        width = len(str(len(self.rows)))
        labels = []
        for rank, row in enumerate(self.ordered_rows, start=1):
            ways = ["1"] * (row.check1 is not None) + ["2"] * (row.check2 is not None)
            flags = f" {'&'.join(ways)}way checks" if ways else ""
            labels.append(f"{rank:0{width}d} {row.target}{flags}")
        return labels

    # ---- one target, one measure -----------------------------------------------------

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
        rounded to a multiple of `round_to`; 1 shows them as they are. Returns the axes; their
        ``.figure`` is the picture.
        """
        from .plots import plot_targets

        return plot_targets(self, ax=ax, ceiling=ceiling, round_to=round_to)

    # ---- views -----------------------------------------------------------------------

    def _title(self) -> str:
        return "Disclosure risk of several targets"

    def _everybody(self) -> int:
        return self.Norig

    def _notes(self) -> list[str]:
        return list(self.notes)

    def _headline(self, to: int = 1) -> list[str]:
        if to > 1:
            return people_pages.multi_headline(self, to)
        lines = [f"Identity risk ({self.ident_meas}) is {self._both(self.rows[0], 'ident_syn')}."]
        attribute = f"Attribute risk ({self.attrib_meas})"
        ranked = [row for row in self.ordered_rows if not math.isnan(row.attrib_syn)]
        if not ranked and self.corrected is not None:
            ranked = [row for row in self.corrected.ordered_rows if not math.isnan(row.attrib_syn)]
        if ranked:
            riskiest = next(row for row in self.rows if row.target == ranked[-1].target)
            figure = self._both(riskiest, "attrib_syn")
            lines.append(f"{attribute} is highest for {riskiest.target}: {figure}.")
        else:
            lines.append(f"{attribute} has no figure for any target{_why_none(self, 'D42')}.")
        baselines = self._baselines()
        if baselines:
            most = max(baselines, key=lambda name: of_measure(baselines[name], "DiSCO")["members"])
            level, name = level_of_several(len(baselines)), f"DiSCO for {most}"
            lines.append(sentence(baselines[most], "DiSCO", self.digits, name, level))
        return [*lines, *self._left_out()]

    def _both(self, row: TargetRow, figure: str) -> str:
        """A figure of a target, with the correct one beside it where R's is wrong, or instead of it
        where R gives none.
        """
        shown, correct = getattr(row, figure), _correct(self, row, figure)
        of_all = " % of the original records"
        if math.isnan(shown) and not math.isnan(correct):
            defect = "D31" if figure.startswith("ident") else "D42"
            return f"{_shown(correct, self.digits)}{of_all}{_why_none(self, defect)}"
        told = _beside(shown, correct, self.digits)
        return told if math.isnan(shown) else f"{told}{of_all}"

    def _left_out(self) -> list[str]:
        """The people whom the figures of a target leave out, and why."""
        excluded = {name: one for name, one in self.output_list.items() if one._excluded()}
        lines = [f"  {name}: {left_out_words(one)}" for name, one in excluded.items()]
        return [f"Left out (percentages are still of all {self.Norig}):", *lines] if lines else []

    def _sections(self) -> Sections:
        return self._parts(TO_PRINT, self.digits)

    def _rounded(self, to: int) -> Sections:
        return people_pages.multi_sections(self, to)

    def _parts(self, to_print: Sequence[str], digits: int) -> Sections:
        return list(_parts(self, to_print, digits))

    def _content(self) -> dict[str, Any]:
        rows = []
        for row in self.rows:
            own = {"target": str(row.target), "remaining": self.Norig - row.left_out}
            rows.append(row._asdict() | own)
        return {
            "compat": self.compat,
            "r_version": VERSIONS[self.compat],
            "keys": list(map(column_name, self.keys)),
            "targets": list(map(column_name, self.targets)),
            "Norig": self.Norig,
            "m": self.m,
            "ident_meas": self.ident_meas,
            "attrib_meas": self.attrib_meas,
            "ident_orig": self.ident_orig,
            "ident_syn": self.ident_syn,
            "rows": rows,
            "baseline": self.baseline,
            "output_list": {str(name): one.to_dict() for name, one in self.output_list.items()},
            "defects": [finding.content() for finding in self.defects],
            "corrected": None if self.corrected is None else self.corrected.to_dict(),
            "notes": list(self.notes),
        }

    def _arguments(self) -> dict[str, Any]:
        names = ("ident_meas", "attrib_meas", "digits", "denom_lim", "exclude_ov_denom_lim")
        return {
            **self._asked,
            "compat": self.compat,
            **{name: getattr(self, name) for name in names},
            "usekeysNA": self.usekeysNA,
            "usetargetsNA": self.usetargetsNA,
        }

    def _records(self) -> dict[str, Any]:
        return next(iter(self.output_list.values()))._records()

    def print(
        self,
        to_print: str | Sequence[str] | None = None,
        digits: int | None = None,
        plot: bool | None = None,
    ) -> Any:
        """Show the summary, or parts of it; with `plot`, draw it as well and return the axes.

        Parameters
        ----------
        to_print : one or more of "ident", "attrib"; or what every result has, "summary", "notes",
            "tables", "short", "all".
        digits : decimals.
        """
        decimals = self.digits if digits is None else check_digits(digits)
        self._print_parts(
            self._parts(TO_PRINT, decimals),
            to_print,
            own=TO_PRINT,
            of_own=lambda names: self._parts(names, decimals),
        )
        draw = self.show_plot if plot is None else plot
        return self.plot() if draw else None


# ---- rows ----------------------------------------------------------------------------


def with_rows(result: MultiDisclosure) -> MultiDisclosure:
    """The summary with its rows and, where R's differ, the correct summary beside it."""
    own: set[str] = set()
    rows = [target_row(result, one, own) for one in result.output_list.values()]
    result = replace(result, rows=tuple(rows))
    if result.compat == CORRECTED:
        return result
    correct = {name: one.corrected or one for name, one in result.output_list.items()}
    refused = any(one.defects and one.corrected is None for one in result.output_list.values())
    if not (own or any(one.defects for one in result.output_list.values())) or refused:
        return replace(result, defects=findings(own))
    right = replace(
        result,
        m=next(iter(correct.values())).m,
        output_list={name: _as_corrected(one) for name, one in correct.items()},
        compat=CORRECTED,
    )
    right = replace(right, rows=tuple(target_row(right, one, set()) for one in correct.values()))
    return replace(result, defects=findings(own), corrected=right)


def _as_corrected(one: Disclosure) -> Disclosure:
    """A result that no defect moved is the correct one."""
    return one if one.compat == CORRECTED else replace(one, compat=CORRECTED)


def target_row(result: MultiDisclosure, one: Disclosure, met: set[str]) -> TargetRow:
    """The figures of one target, averaged over the syntheses; R's where R is reproduced. D29: repU
    of the first synthesis. D30: pairs are 0 or 1. D31, D42: measures that are not found.
    """
    ident, attrib = result.ident_meas, result.attrib_meas
    as_r = result.compat != CORRECTED
    figures = [getattr(one, MEASURE.get(name, name)) for name in (ident, attrib)]
    original = getattr(one, ORIGINAL_MEASURE[attrib])
    pairs = one.check2 or 0
    by_set = [shares["repU"].percent for shares in one.shares]
    if as_r and ident == "repU" and len(set(by_set)) > 1:
        met.add("D29")
        figures[0] = by_set[0]
    if as_r and ident != "repU":
        met.add("D31")
        figures[0] = math.nan
    if as_r and attrib == "DCAP" and DEFECTS["D42"].is_in(VERSIONS[result.compat]):
        met.add("D42")
        figures[1] = math.nan
    if as_r and attrib == "DiSDiO":
        met.add("D31")
        original = math.nan
    if as_r and pairs > 1:
        met.add("D30")
        pairs = 1
    ledgers = [figures_of.ledger[0, :-1].sum() for figures_of in one._sets]
    left_out = next((int(n) for n in ledgers if n), 0)
    return TargetRow(
        one.target, one.UiO, figures[0], original, figures[1], one.check1, pairs, one.check2,
        left_out,
    )  # fmt: skip


def _table_row(row: TargetRow) -> dict[str, Any]:
    pairs = "1 pair" if row.check2 == 1 else f"{row.check2} pairs"
    return {
        "attrib.orig": row.attrib_orig,
        "attrib.syn": row.attrib_syn,
        "check1": row.check1 or "",
        "Npairs": row.npairs,
        "check2": "" if row.check2 is None else pairs,
        "left_out": row.left_out,
    }


# ---- printing ------------------------------------------------------------------------


def _parts(result: MultiDisclosure, to_print: Sequence[str], digits: int) -> Iterator[Any]:
    if "ident" in to_print:
        yield identity_lines(result, digits)
    if "attrib" in to_print:
        yield [attribute_table(result, digits)]
        certainty = next(iter(result.output_list.values())).certainty
        if certainty < 1:
            yield [nearly_sure(certainty)]
        if result._baselines():
            yield baseline_blocks(result, digits)
        if result._left_out():
            yield result._left_out()
        flagged = [str(r.target) for r in result.rows if (r.check1, r.check2) != (None, None)]
        if flagged:
            whose = "its" if len(flagged) == 1 else "their"
            yield [
                f"Check {', '.join(flagged)}: part of {whose} risk may be common knowledge."
                " .output_list[target].print(['check_1way', 'check_2way']) shows it."
            ]
    wrong = summary_defect_lines(result, to_print)
    if wrong:
        yield wrong


def identity_lines(result: MultiDisclosure, digits: int) -> list[str]:
    first = result.rows[0]
    over = f", averaged over {result.m} syntheses" if result.m > 1 else ""
    synthetic = _beside(first.ident_syn, _correct(result, first, "ident_syn"), digits)
    original = _beside(first.ident_orig, _correct(result, first, "ident_orig"), digits)
    lines = [
        f"Identity risk from keys {', '.join(map(str, result.keys))}, in % of {result.Norig}"
        f" original records{over} (higher is riskier):",
        f"  original  (UiO)  {original}",
        f"  synthetic ({result.ident_meas}) {synthetic}",
    ]
    left_out = result.Norig - result.output_list[first.target]._sets[0].of_identity[0]
    if left_out:
        reason = ", because a key is missing" if result.compat == CORRECTED else ""
        lines.append(f"  left out{reason}: {left_out}")
    if not all(same(a, b) for r in result.rows for a, b in zip(r[1:3], first[1:3])):
        lines.append(
            f"  for target {first.target}; other targets have other figures, see .ident_orig and"
            " .ident_syn"
        )
    return lines


def _correct(result: MultiDisclosure, row: TargetRow, figure: str) -> Any:
    """The correct figure of a target beside R's; the same figure where R's is correct."""
    rows = result.rows if result.corrected is None else result.corrected.rows
    return next(getattr(one, figure) for one in rows if one.target == row.target)


def _beside(r: float, correct: float, digits: int) -> str:
    """A figure and, where R's is wrong, the correct one."""
    shown, right = _shown(r, digits), _shown(correct, digits)
    return shown if shown == right else f"{shown} (R; correct: {right})"


def _shown(value: float, digits: int) -> str:
    return "not available" if math.isnan(value) else f"{value:.{digits}f}"


def attribute_table(result: MultiDisclosure, digits: int) -> Table:
    """R's table and, where some of its figures are wrong, a column of correct ones beside them."""
    ordered, missing = "least risky first", ""
    if all(math.isnan(row.attrib_syn) for row in result.rows):
        ordered, missing = "in the order asked for", _why_none(result, "D42")
    frame = result.attrib_table.drop(columns="left_out")
    beside = ""
    if result.corrected is not None:
        correct = result.corrected.attrib_table.loc[frame.index]
        for name in ("attrib.syn", "attrib.orig"):
            if not all(map(same, frame[name], correct[name])):
                at = list(frame.columns).index(name) + 1
                frame.insert(at, name.replace("attrib", "correct"), correct[name])
                beside = "; correct: without R's defects"
    caption = (
        f"Attribute risk of each target, in % of original records, {ordered} (attrib.orig:"
        f" {ORIGINAL_MEASURE[result.attrib_meas]}, attrib.syn: {result.attrib_meas}"
        f"{missing}{beside})"
    )
    return Table(frame.set_axis(result.r_labels()), caption, digits)


def _why_none(result: MultiDisclosure, defect: str) -> str:
    """Why R has no figure of a summary where there is one: D31 for identity, D42 for DCAP."""
    met = any(finding.id == defect for finding in result.defects)
    return f"; R gives none: {defect}" if met else ""


def baseline_blocks(result: MultiDisclosure, digits: int) -> list[Any]:
    """Recall and precision of every target, least risky first."""
    frame, baselines = result.baseline, result._baselines()
    assert frame is not None, "there is a holdout"
    place = [row.target for row in result.ordered_rows]
    frame = frame[frame["measure"].isin(SHOWN_OF_BASELINES)]
    frame = frame.sort_values("target", key=lambda column: column.map(place.index), kind="stable")
    labels = [f"{target} {name}" for target, name in zip(frame["target"], frame["measure"])]
    adjusted = "" if len(baselines) == 1 else f", adjusted for {len(baselines)} targets"
    where = "Other measures: .baseline, or .output_list[target]."
    return [*blocks(frame, labels, digits, result.m, adjusted), where]


# ---- R's figures beside the correct ones ---------------------------------------------


class Difference(NamedTuple):
    """A figure of the summary that R has otherwise than is correct, and the defects behind it."""

    figure: str
    told: str
    target: Hashable
    r: float
    correct: float
    ids: str


def differences(result: MultiDisclosure, to_print: Sequence[str] = TO_PRINT) -> list[Difference]:
    """Those of the parts that are printed: figure by figure, the target where it moved most
    first; one entry where all targets have the same identity figure.
    """
    measures = {
        "ident_syn": result.ident_meas,
        "attrib_syn": result.attrib_meas,
        "ident_orig": "UiO",
        "attrib_orig": ORIGINAL_MEASURE[result.attrib_meas],
        "npairs": "Npairs",
    }
    found = []
    for figure, measure in measures.items():
        part = "ident" if figure.startswith("ident") else "attrib"
        own = {"D30"} if figure == "npairs" else {"D31", "D42" if part == "attrib" else "D29"}
        of_summary = ", ".join(finding.id for finding in result.defects if finding.id in own)
        wrong = []
        for row in result.rows if part in to_print else ():
            r, correct = getattr(row, figure), _correct(result, row, figure)
            ids = of_summary or ", ".join(one.id for one in result[row.target].defects)
            if not same(r, correct):
                told = f"{measure} of {row.target}"
                wrong.append(Difference(figure, told, row.target, r, correct, ids))
        # where R has no figure first
        wrong.sort(key=lambda one: -math.inf if one.r != one.r else -abs(one.r - one.correct))
        alike = len({both_texts(one.r, one.correct) for one in wrong}) == 1
        if part == "ident" and alike and len(wrong) == len(result.rows):
            wrong = [wrong[0]._replace(told=measure)]
        found += wrong
    return found


def summary_defect_lines(result: MultiDisclosure, to_print: Sequence[str]) -> list[str]:
    """What is wrong in R's figures, of those that are printed: the first, how many more, and where
    the reasons are. A wrong figure behind the summary is told if none in it is wrong.
    """
    version, wrong = VERSIONS[result.compat], differences(result, to_print)
    if wrong:
        first, more = wrong[0], len(wrong) - 1
        line = reports(version, first.told, first.r, first.correct, first.ids)
        if more:
            line += f" {more} more {'figure differs' if more == 1 else 'figures differ'}."
    else:
        moved = [one for one in result.output_list.values() if one.defects]
        if "attrib" not in to_print or not moved:
            return []
        one = next((one for one in moved if one.corrected is None), moved[0])
        line = f"{one.target}: {defect_lines(one)[0]}"
        others = _joined(other.target for other in moved if other is not one)
        if others:
            line += f" Other targets in which R has wrong figures: {others}."
    where = ".defects" if result.defects else ".output_list[target].defects"
    return [line, f"Why: {where}.{'' if result.corrected is None else CORRECT_IS}"]


def summary_change(result: MultiDisclosure) -> str:
    """The figure that matters most, for a warning."""
    wrong = [one for one in differences(result) if one.figure != "npairs"]
    if wrong:
        first = wrong[0]
        r, correct = (text.removesuffix(" %") for text in both_texts(first.r, first.correct))
        of = first.target if " of " in first.told or len(result.rows) == 1 else "every target"
        return f"{first.figure} of {of}: R {r}, correct {correct}"
    of_targets = [one for one in result.output_list.values() if one.defects]
    if not of_targets:
        return "numbers of flagged pairs"
    return f"{change(of_targets[0])}, of {of_targets[0].target}"
