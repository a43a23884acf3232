"""`disclosure()`: arguments, cells, exclusions, measures, checks, result."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import chain
from typing import Any

import pandas as pd

from .arguments import Call, check_flag, read_call
from .cells import Cells, count_cells
from .checks import check_level, check_pairs
from .core.arrays import Integers
from .data import Data, Read, open_data
from .errors import DataWarning, InputError, found_so_far, warn, warning_once
from .exclusions import Pair as LevelPair
from .exclusions import check_pair_levels, has_pair, known, nobody_has, unknown_level, why_out
from .grouping import Grouping
from .holdout import baseline_of, read_holdout, warn_of_holdout, with_holdout
from .levels import Variable
from .measures import Counts
from .missing import MISSING
from .progress import Begin, Progress
from .r.as_r import AsR
from .r.differences import change
from .r.ledger import findings, warn_of_defects
from .r.reading import CORRECTED, Mode
from .records import as_read
from .results import Disclosure, Figures
from .show.printing import print_notes
from .steps import Factors, Pair, Steps
from .synds import SynDS


def run(
    asked: Call, data: Data, read: Read, mode: Mode, text: str, begin: Begin | None = None
) -> tuple[Disclosure, set[str]]:
    """All syntheses against the original under one reading, and the defects of R that may have
    moved a figure.
    """
    correct = mode == CORRECTED
    steps = (Steps if correct else AsR).of(asked, data.shared)
    call, records = steps.call, data.records
    n = read.n[: len(data.sets) + 1]
    factors = {name: columns[: len(n)] for name, columns in read.factors.items()}
    factors = steps.adjust(factors, data)
    made, groupings = in_classes(steps, factors, data)
    if groupings:
        data.check_classes(groupings, call.keys if call.strict else ())
    holdout = data.holdout if correct else None
    if holdout is not None:
        n = read.n
        special = {name: steps.special(name, data) for name in groupings}
        made = with_holdout(made, read.factors, groupings, special, holdout.place)
    target, combinations = steps.encode(made, n)
    sets: list[Figures] = []
    idle = set(asked.pairs)
    for number in range(1, len(factors[call.target])):
        if begin is not None:
            begin(number - 1, f"synthesis {number} of {len(data.sets)}")
        pair = steps.pair(target, combinations, number)
        if number == 1 and (asked.levels or asked.pairs):
            check_levels(asked, pair, steps, target)
        cells = count_cells(pair.combinations, pair.target)
        idle = {one for one in idle if not somebody_has(cells, pair, one, steps)}
        sets.append(measure(cells, pair, steps, records[0], records[number]))
    for exclusion in idle:
        nobody_has(exclusion, call.target, call.strict)
    check1, check2 = steps.flagged(
        [one.level.Level for one in sets if one.level is not None],
        [len(one.pairs) for one in sets if one.pairs],
    )
    met = steps.met
    remarks = [data.remarks.get(name, ()) for name in (*call.keys, call.target)]
    originals = {name: columns[0] for name, columns in read.factors.items()}
    result = Disclosure(
        _sets=tuple(sets),
        check1=check1,
        check2=check2,
        keys=call.keys,
        target=call.target,
        Norig=records[0],
        Nsyn=records[1 : len(sets) + 1],
        m=len(sets),
        digits=call.digits,
        to_print=call.to_print,
        call=text,
        compat=mode,
        certainty=float(call.certainty),
        groupings=groupings,
        notes=tuple(chain(*remarks)),
        _asked=asked,
        _special=data.special,
        _as_read=as_read(originals, bool(met or groupings)),
        _counts=data.counts,
        _pasted=not met.isdisjoint({"D10", "D12"}),
        _baseline=None if holdout is None else baseline_of(sets, target, combinations, steps),
    )
    for number, one in enumerate(sets, start=1):
        left = one.ledger[:2, -1]
        if mode == asked.asked_mode and not left.all():
            warn_of_nobody_left(result, number, left)
    return result, met


def measure(cells: Cells, pair: Pair, steps: Steps, Nd: int, Ns: int) -> Figures:
    """The figures of one synthesis: exclusions, measures, checks."""
    call, target, keys = steps.call, pair.target, pair.combinations.keys
    why = why_out(cells, target, keys, call)
    counts = Counts(
        cells=cells,
        why=why,
        Nd=Nd,
        Ns=Ns,
        d_t=target.sides[0].records(target.size),
        no_identity=None if why is None else steps.no_identity(why),
        named=None if pair.named is None else pair.named[cells.keys[0]],
        least=call.certainty,
    )
    level = check_level(counts, target, call.thresh_1way, steps.above, steps.first)
    pairs = check_pairs(
        counts, target, keys, call.keys, call.thresh_2way, steps.order, pair.pair_totals
    )
    return Figures(
        shares=steps.shares(counts),
        max_denom=counts.max_denom,
        mean_denom=counts.mean_denom,
        ledger=counts.ledger,
        of_identity=counts.of_identity,
        level=level,
        pairs=tuple(pairs),
        na_rows=steps.na_rows,
        counts=counts,
        target=target.sides[0],
    )


def in_classes(
    steps: Steps, factors: Factors, data: Data
) -> tuple[Factors, dict[Hashable, Grouping]]:
    """The columns, numeric ones in classes where the call asks for them."""
    call, made, groupings = steps.call, dict(factors), {}
    for name, n in zip(call.names, (call.groups_target, *call.groups)):
        special = steps.special(name, data) if name in data.special else ()
        if n and factors[name][0].is_number:
            made[name], groupings[name] = steps.classes(factors[name], n, special, name)
    return made, groupings


def check_levels(asked: Call, pair: Pair, steps: Steps, target: Variable) -> None:
    """Refuse levels that are not there; R continues without those of `not_targetlev`. A value may
    be missing in any of the tables.
    """
    keys = pair.keys
    for level in asked.levels:
        names = [(target if one is MISSING else pair.target, one) for one in steps.names(level)]
        if level == "" or any(known(variable, one) for variable, one in names):
            continue
        if asked.strict:
            raise unknown_level("not_targetlev", level, pair.target, asked.target, True)
        warn(
            f"not_targetlev: {level!r} is not a level of {str(asked.target)!r}, so it leaves"
            " nothing out; compat='corrected' refuses it",
            DataWarning,
            short=f"{level!r} of {str(asked.target)!r}",
        )
    for exclusion in asked.pairs:
        key = keys[asked.keys.index(exclusion.key)]
        check_pair_levels(exclusion, pair.target, key, asked.target, asked.strict, steps.names)


def somebody_has(cells: Cells, pair: Pair, exclusion: LevelPair, steps: Steps) -> bool:
    """Whether some record, original or synthetic, has both levels."""
    for one in steps.alternatives(exclusion):
        for table, n in enumerate((cells.d, cells.s)):
            target = pair.target.sides[table]
            keys = [key.sides[table] for key in pair.combinations.keys]
            found = has_pair(cells, target, keys, steps.call.keys, one, pair.target.size)
            if (found & (n > 0)).any():
                return True
    return False


def warn_of_nobody_left(result: Disclosure, number: int, left: Integers) -> None:
    """Where no record is left the figures are 0, whatever the risk of those left out."""
    sides = [f"every {side}" for side, n in zip(("original", "synthetic"), left) if not n]
    of_several = f" (synthesis {number})" if result.m > 1 else ""
    finding = f"target {str(result.target)!r}: {' and '.join(sides)} record is left out{of_several}"
    warn(
        f"{finding}, so a risk of 0 says nothing; Nexclusions has the reasons",
        DataWarning,
        short=finding,
    )


def disclose(
    call: Call,
    data: Data,
    mode: Mode,
    text: str,
    begin: Begin | None = None,
    correctly: Callable[[], Call] | None = None,
    met: Collection[str] = (),
) -> Disclosure:
    """The result as asked for and, where a defect of R moved a figure, the correct one beside it.

    Parameters
    ----------
    correctly, met : makes what should have been called, where R's `multi.disclosure()` passes other
        arguments on, and its defects.
    """
    read = data.factors(call.names)
    groups = {call.target: call.groups_target, **dict(zip(call.asked, call.groups))}
    # a release that cannot be compared has no figure; R gives one
    data.check_values(read.factors, groups, call.keys if call.strict else ())
    result, found = run(call, data, read, mode, text, begin)
    met = found.union(met)
    if mode == CORRECTED or (not met and data.holdout is None):
        return result
    try:
        call = correctly() if correctly else call
        correct, _ = run(call, data, read, CORRECTED, text)
    except InputError as error:
        # an argument that is valid only because R gave another one to the wrong key
        if data.holdout is not None:
            raise InputError(
                "holdout: a baseline is made under the corrected reading, which refuses this call:"
                f" {error}"
            ) from error
        return replace(result, defects=findings(met, str(error)))
    if correct._baseline is not None:
        result = replace(result, _baseline=correct._baseline)
    if not met:
        return result
    if result._same_figures(correct):
        if not result._pasted:
            return result
        # records can be found in the correct cells alone
        both = zip(result._sets, correct._sets)
        sets = tuple(replace(a, counts=b.counts, target=b.target) for a, b in both)
        return replace(result, _sets=sets, _as_read=correct._as_read, _pasted=False)
    return replace(result, defects=findings(met), corrected=correct)


@warning_once
def disclosure(
    object: SynDS | pd.DataFrame | Sequence[pd.DataFrame],
    data: pd.DataFrame,
    keys: Any,
    target: Any,
    *,
    cont_na: Mapping[Any, Any] | None = None,
    counts: Any = None,
    print_flag: bool = True,
    denom_lim: int | None = 5,
    exclude_ov_denom_lim: bool = False,
    not_targetlev: Any = None,
    usetargetNA: bool = True,
    usekeysNA: bool | Sequence[bool] = True,
    exclude_keys: Any = None,
    exclude_keylevs: Any = None,
    exclude_targetlevs: Any = None,
    ngroups_target: int | None = None,
    ngroups_keys: Any = None,
    thresh_1way: Sequence[float] = (50, 90),
    thresh_2way: Sequence[float] = (4, 80),
    certainty: Any = 1,
    digits: int = 2,
    to_print: str | Sequence[str] = ("short",),
    compare_synorig: bool = True,
    compat: str = "r",
    collation: str = "icu",
    holdout: Any = None,
    **grouping_style: Any,
) -> Disclosure:
    """Disclosure risk of synthetic data for one target, from what an intruder may know (R's
    ``disclosure()``).

    Parameters
    ----------
    object : SynDS, DataFrame, table of an engine, path of a file, or a list of these
        The synthetic data: one or more syntheses of `data`. See `open_table` for tables and paths.
    data : DataFrame, table of an engine, or path of a file
        The original data.
    keys : names or positions (from 1, as in R) of the columns an intruder may know.
    target : name or position of the column an intruder wants to learn. Numbers count as categories
        unless grouped.
    cont_na : mapping of column to special values of a numeric column, such as ``{"income": -8}``; a
        SynDS brings its own.
    counts : name of the column that says how many records a row stands for, on both sides, where
        the data are frequency tables. The result is the same as for the single records. (Not survey
        weights.)
    print_flag : show notes on grouping, and progress on a terminal.
    denom_lim, exclude_ov_denom_lim : if the second is True, cells of more than `denom_lim` original
        records do not count.
    not_targetlev : target level or levels to leave out. Name missing values by
        `synthpop_py.MISSING`; in R's modes the text "Missing" works too.
    usetargetNA, usekeysNA : False leaves out records whose target, or key, is missing; for keys one
        value or one for each key.
    exclude_keys, exclude_keylevs, exclude_targetlevs : pairs of key level and target level to leave
        out: three lists of equal length.
    ngroups_target, ngroups_keys : group a numeric target, or keys: approximate number of classes; 0
        or None: no grouping.
    thresh_1way : a target level is flagged when more than this many disclosive records, and more
        than this per cent of them, have it.
    thresh_2way : a pair is flagged when disclosive cells of more than this many records hold it,
        and more than this per cent of all original records with the key level have the target
        level.
    certainty : above 0.5, up to 1: a target value counts as revealed if at least this share of the
        records with the same keys have it. 1, as in R, means all of them; 0.9 means nine of ten
        ("nearly sure"). This holds in the original (Dorig), in the synthetic data (DiS, DiSCO) and
        in both, for the same value (DiSDiO). Only for compat="corrected". Compared exactly: 0.9 is
        nine tenths; a `Fraction` stays as it is.
    digits, to_print : how `print` shows the result: "short" (alone), "ident", "attrib", "allCAPs",
        "check_1way", "check_2way", "exclusions", "all".
    compare_synorig : for plain data frames, apply R's comparison of columns (only matters for
        compat="r").
    compat : "r" for R's numbers (synthpop 1.9-3), "r-1.9-2" for those of the earlier version,
        "corrected" for those of the published definitions. Where R's number is wrong, an
        `RDefectWarning` gives both, and so does every view of the result.
    collation : how R sorts texts: "icu" (any UTF-8 locale) or "C". It decides the order of ties,
        and what D1 does.
    holdout : DataFrame, table of an engine, or path of a file
        Records of the same population that the synthesiser never saw: `baseline` then has the
        figures of members beside those of non-members, under the corrected reading whatever
        `compat` says. Not with `exclude_ov_denom_lim`.
    **grouping_style : `style` ("quantile", "equal", "sd", "pretty", "fixed"), `type` of quantile,
        `fixedBreaks`.

    Returns
    -------
    Disclosure

    Examples
    --------
    Four people, keys sex and town. The first two are unique on sex and town, also in the synthetic
    data, which give one of their two jobs correctly.

    >>> import pandas as pd
    >>> from synthpop_py import disclosure
    >>> keys = {"sex": ["f", "m", "f", "f"], "town": ["A", "A", "B", "B"]}
    >>> people = pd.DataFrame({**keys, "job": ["x", "y", "x", "y"]})
    >>> fake = pd.DataFrame({**keys, "job": ["x", "x", "y", "x"]})
    >>> result = disclosure(fake, people, keys=["sex", "town"], target="job")
    >>> float(result.ident.repU[1]), float(result.attrib.DiSCO[1])
    (50.0, 25.0)
    """
    given = dict(locals())
    text = call_text(given, disclosure)
    source = open_data(object, data, cont_na, counts, holdout=holdout)
    show = check_flag("print_flag", print_flag)
    for name in ("object", "data", "cont_na", "counts", "print_flag", "holdout"):
        del given[name]
    call = read_call(source.original, source.sets, style=given.pop("grouping_style"), **given)
    if any(one is not None for one in (ngroups_target, ngroups_keys, cont_na)):
        classes = [
            ("ngroups_target", ngroups_target, [call.target]),
            ("ngroups_keys", ngroups_keys, call.asked),
        ]
        source.check_effects(call.strict, classes)
    if holdout is not None:
        source.holdout = read_holdout(source, call.names, exclude_ov_denom_lim)
    with Progress(len(source.sets), show) as progress:
        result = disclose(call, source, compat, text, progress.reach)
    if show:
        print_notes(grouping_notes(result, call))
    if result.defects:
        warn_of_defects(result.defects, change(result))
    if holdout is not None and result._baseline is not None:
        warn_of_holdout(source, {result.target: result}, call.names, result.groupings)
    source.forget_rows()
    return replace(result, notes=tuple(dict.fromkeys([*result.notes, *found_so_far()])))


@cache
def _parameters(function: Any) -> Mapping[str, inspect.Parameter]:
    """Looked up once, because this takes a twentieth of the time of a call."""
    return inspect.signature(function).parameters


def call_text(given: Mapping[str, Any], function: Any) -> str:
    """The call as the user could repeat it: every argument that is not at its default; data frames
    by the name of their argument.
    """
    shown = []
    for name, parameter in _parameters(function).items():
        value, default = given[name], parameter.default
        if name in ("object", "data"):
            shown.append(name)
        elif name == "holdout" and value is not None:
            shown.append("holdout=holdout")
        elif parameter.kind is parameter.VAR_KEYWORD:
            shown += [f"{other}={one!r}" for other, one in value.items()]
        elif not (value is default or (type(value) is type(default) and value == default)):
            shown.append(f"{name}={value!r}")
    return f"{function.__name__}({', '.join(shown)})"


def grouping_notes(result: Disclosure, call: Call) -> Iterator[str]:
    """What was grouped, and how."""
    for name, made in result.groupings.items():
        what = "target" if name == call.target else "key"
        fallback = ""
        if made.changed:
            style = call.style.get("style", "quantile")
            fallback = f" (equal widths, because {style} gave too few)"
        yield (
            f"{what} {name!r}: numbers grouped into {len(made.labels)} classes{fallback}:"
            f" {' '.join(made.labels)}"
        )
    wanted = {call.target: call.groups_target, **dict(zip(call.asked, call.groups))}
    for name, n in wanted.items():
        if n and name not in result.groupings:
            yield f"{name!r} is not numeric: not grouped"
