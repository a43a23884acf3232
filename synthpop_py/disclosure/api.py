"""`disclosure()`: the whole of it in named steps."""

from __future__ import annotations

import numbers
import warnings
from dataclasses import replace
from typing import Any, Hashable, Mapping, Sequence

import pandas as pd

from ..core.columns import Column
from ..errors import InputError, RDefectWarning
from ..frames import check_frame, read_column, unknown_name
from ..synds import SynDS
from .engine import Outcome, run
from .findings import changes_between, findings
from .harmonise import anything_changes, harmonise
from .options import Request, check_arguments, listed
from .rcompat import VERSIONS, Compat, switched
from .results import DefectFinding, Disclosure, build

Tables = dict[Hashable, list[Column]]


def disclosure(
    object: SynDS | pd.DataFrame | Sequence[pd.DataFrame],
    data: pd.DataFrame,
    keys: Any,
    target: Any,
    *,
    cont_na: Mapping[Any, Any] | None = None,
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
    digits: int = 2,
    to_print: str | Sequence[str] = ("short",),
    compare_synorig: bool = True,
    compat: str = "r",
    collation: str = "icu",
    **grouping_style: Any,
) -> Disclosure:
    """Disclosure risk of synthetic data for one target, from what an intruder may know (R's ``disclosure()``).

    Parameters
    ----------
    object : SynDS, DataFrame or list of DataFrame
        The synthetic data: one or more syntheses of `data`.
    data : DataFrame
        The original data.
    keys : names or positions (from 1, as in R) of the columns an intruder may know.
    target : name or position of the column to be learnt. Numbers are taken as categories unless grouped.
    cont_na : mapping of column to special values of a numeric column, such as ``{"income": -8}``; a SynDS brings its own.
    print_flag : show notes on grouping.
    denom_lim, exclude_ov_denom_lim : with the latter, cells of more than `denom_lim` original records do not count.
    not_targetlev : target level or levels to leave out.
    usetargetNA, usekeysNA : False leaves out records whose target, or key, is missing; for keys one value or one for each key.
    exclude_keys, exclude_keylevs, exclude_targetlevs : pairs of key level and target level to leave out, three lists of one length.
    ngroups_target, ngroups_keys : group a numeric target, or keys, into about so many classes; 0 or None for none.
    thresh_1way : a target level is flagged when more than this many disclosive records, and more than this per cent of them, have it.
    thresh_2way : a pair is flagged when disclosive cells of more than this many records hold it, and more than this per cent of all
        original records with the key level have the target level.
    digits, to_print : how `print` shows the result: "short" (alone), "ident", "attrib", "allCAPs", "check_1way", "check_2way",
        "exclusions", "all".
    compare_synorig : for plain data frames, let R's comparison of columns have its effect (matters for compat="r" only).
    compat : "r" for R's numbers (synthpop 1.9-3), "r-1.9-2" for those of the earlier version, "corrected" for those of the published
        definitions. Where R's number is wrong, a `RDefectWarning` gives both, and so does every view of the result.
    collation : how R sorts texts: "icu" (any UTF-8 locale) or "C". It decides the order of ties, and what D1 does.
    **grouping_style : `style` ("quantile", "equal", "sd", "pretty", "fixed"), `type` of quantile, `fixedBreaks`.

    Returns
    -------
    Disclosure

    Examples
    --------
    Four people, keys sex and town. The synthetic data name sex and town of the first two uniquely, and get one of the two jobs right.

    >>> import pandas as pd
    >>> from synthpop_py import disclosure
    >>> people = pd.DataFrame({"sex": ["f", "m", "f", "f"], "town": ["A", "A", "B", "B"], "job": ["x", "y", "x", "y"]})
    >>> fake = pd.DataFrame({"sex": ["f", "m", "f", "f"], "town": ["A", "A", "B", "B"], "job": ["x", "x", "y", "x"]})
    >>> result = disclosure(fake, people, keys=["sex", "town"], target="job")
    >>> float(result.ident.repU[1]), float(result.attrib.DiSCO[1])
    (50.0, 25.0)
    """
    call = f"disclosure(keys={keys!r}, target={target!r})"
    sets, special_values = read_object(object, cont_na)
    check_frame(data, "data")
    request = check_arguments(
        data, sets, keys=keys, target=target, style=grouping_style, denom_lim=denom_lim, exclude_ov_denom_lim=exclude_ov_denom_lim,
        not_targetlev=not_targetlev, usetargetNA=usetargetNA, usekeysNA=usekeysNA, exclude_keys=exclude_keys, exclude_keylevs=exclude_keylevs,
        exclude_targetlevs=exclude_targetlevs, ngroups_target=ngroups_target, ngroups_keys=ngroups_keys, thresh_1way=thresh_1way,
        thresh_2way=thresh_2way, print_flag=print_flag, digits=digits, to_print=to_print, compare_synorig=compare_synorig, compat=compat, collation=collation,
    )  # fmt: skip
    tables = read_tables(data, sets, request)
    special = check_special_values(special_values, data, tables, request)
    plain = not isinstance(object, SynDS)
    outcome = run_as(request, data, sets, tables, special, plain, switched(request.mode))
    result = build(outcome, mode=request.mode, digits=request.digits, to_print=request.to_print, call=call)
    result = with_right_figures(result, outcome, request, data, sets, tables, special, plain)
    if request.show_notes:
        show_notes(outcome, request)
    warn_of_defects(result)
    return result


# ---- read -------------------------------------------------------------------------------------------------------------------------


def read_object(object: Any, cont_na: Mapping[Any, Any] | None) -> tuple[list[pd.DataFrame], dict[Any, tuple]]:
    """The synthetic data frames and the special values of their columns."""
    if isinstance(object, SynDS):
        sets, own = list(object.syn), dict(object.cont_na)
    elif isinstance(object, pd.DataFrame):
        sets, own = [object], {}
    elif isinstance(object, (list, tuple)) and object:
        sets, own = list(object), {}
    else:
        raise InputError(f"object: {type(object).__name__} cannot be used; give a SynDS, a pandas DataFrame or a non-empty list of DataFrames")
    for number, frame in enumerate(sets, start=1):
        check_frame(frame, "object" if len(sets) == 1 else f"object, element {number}")
    if cont_na is not None:
        if not isinstance(cont_na, Mapping):
            raise InputError(f"cont_na: {cont_na!r} is not a mapping; give column names with values, as in {{'income': -8}}")
        own |= {name: special_values(name, values) for name, values in cont_na.items()}
    return sets, own


def special_values(name: Any, values: Any) -> tuple:
    """The special values given for one column, each once; missing values need no mention."""
    for value in listed(values):
        if not pd.api.types.is_scalar(value):
            raise InputError(f"cont_na: {value!r} for {name!r} is not a single value; give a number or a list of numbers")
    return tuple(dict.fromkeys(v for v in listed(values) if not pd.isna(v)))


def read_tables(data: pd.DataFrame, sets: Sequence[pd.DataFrame], request: Request) -> Tables:
    """Target and keys of the original and of every synthesis as arrays."""
    names = [request.target, *request.keys]
    places = ["data"] + (["object"] if len(sets) == 1 else [f"object, element {i}" for i in range(1, len(sets) + 1)])
    tables = {name: [read_column(frame[name], f"{place}, column {name!r}") for frame, place in zip([data, *sets], places)] for name in names}
    for name, columns in tables.items():
        for column, place in zip(columns[1:], places[1:]):
            check_comparable(name, columns[0], column, place)
    return tables


NATURES = {"logical": "True and False", "integer": "numbers", "double": "numbers", "date": "dates", "time": "dates", "duration": "durations"}


def check_comparable(name: Hashable, original: Column, synthetic: Column, place: str) -> None:
    """Two columns that can never have a value in common are a slip; text may stand for anything, and so may a column of gaps."""
    natures = [NATURES.get(c.kind) if len(c.present()) else None for c in (original, synthetic)]
    if None not in natures and natures[0] != natures[1]:
        raise InputError(f"{place}, column {name!r}: holds {natures[1]}, the original data hold {natures[0]}; they cannot be compared, convert one of them")


def check_special_values(special: dict[Any, tuple], data: pd.DataFrame, tables: Tables, request: Request) -> dict[Any, tuple]:
    """Special values of the columns in use; each must occur in the original (R looks only at the last one of a column, D25)."""
    for name in special:
        if name not in data.columns:
            raise unknown_name("cont_na", name, list(data.columns), "the original data")
    used = {name: values for name, values in special.items() if name in tables and values}
    for name, values in used.items():
        original = tables[name][0]
        for value in values if request.mode == "corrected" else values[-1:]:
            if original.is_number and not isinstance(value, numbers.Real):
                raise InputError(f"cont_na: {value!r} is not a number, but column {name!r} holds numbers")
            if original.is_number and not (original.present() == value).any():
                raise InputError(f"cont_na: {value!r} does not occur in column {name!r} of the original data; a special value that never occurs is probably a slip")
    return used


# ---- run --------------------------------------------------------------------------------------------------------------------------


def run_as(request: Request, data: pd.DataFrame, sets: Sequence[pd.DataFrame], tables: Tables, special: dict[Any, tuple], plain: bool, active: frozenset[str]) -> Outcome:
    """One run that reproduces the `active` defects of R."""
    compat = Compat(active, VERSIONS[request.mode])
    return run(request, as_r_takes_them(request, data, sets, tables, plain, compat), special, compat)


def as_r_takes_them(request: Request, data: pd.DataFrame, sets: Sequence[pd.DataFrame], tables: Tables, plain: bool, compat: Compat) -> Tables:
    """For plain data frames, what R's comparison of columns makes of them (D6, D28); otherwise the tables as they are."""
    if not (plain and request.compare_synorig and compat.active):
        return tables
    if len(sets) > 1:
        adjusted = anything_changes(data, sets[0], lambda frame, name: read_column(frame[name], f"column {name!r}"))
        if not compat.shows("D28", adjusted):
            return tables
        tables = {name: columns[:2] for name, columns in tables.items()}
    taken = {}
    for name, (original, synthetic) in tables.items():
        both = harmonise(original, synthetic, request.collation)
        taken[name] = [both.original, both.synthetic]
    return taken


def with_right_figures(result: Disclosure, outcome: Outcome, request: Request, data: pd.DataFrame, sets: Sequence[pd.DataFrame], tables: Tables, special: dict[Any, tuple], plain: bool) -> Disclosure:
    """R's result with the right one beside it, and which defect moved which figure. Nothing is run twice unless a defect mattered."""
    seen = outcome.compat.seen
    if not seen:
        return result

    def again(active: frozenset[str]) -> Disclosure:
        other = run_as(request, data, sets, tables, special, plain, active)
        return build(other, mode=request.mode if active else "corrected", digits=request.digits, to_print=request.to_print, call=result.call)

    try:
        right = again(frozenset())
    except InputError as error:  # an argument that fits only because R gave another one to the wrong key
        found = tuple(DefectFinding(d, ((0, f"rightly read, the call is refused: {error}", None, None),)) for d in sorted(seen))
        return replace(result, defects=found)
    moved = changes_between(result, right)
    if not moved:
        return result
    found = findings(seen, moved, lambda defect: changes_between(again(switched(request.mode) - {defect}), result))
    return replace(result, defects=found, corrected=right)


# ---- show -------------------------------------------------------------------------------------------------------------------------


def show_notes(outcome: Outcome, request: Request) -> None:
    """What was grouped, and how."""
    for name, made in outcome.encoded.groupings.items():
        what = "target" if name == request.target else "key"
        fallback = f" (equal widths, because {request.style.get('style', 'quantile')} gave too few)" if made.changed else ""
        print(f"{what} {name!r}: numbers grouped into {len(made.labels)} classes{fallback}: {' '.join(made.labels)}")
    for name, wanted in {request.target: request.groups_target, **dict(zip(request.asked_keys, request.groups_keys))}.items():
        if wanted and name not in outcome.encoded.groupings:
            print(f"{name!r} is not numeric: not grouped")


def warn_of_defects(result: Disclosure) -> None:
    if result.defects:
        from .render import defect_lines

        warnings.warn("\n".join(defect_lines(result)), RDefectWarning, stacklevel=3)
