"""`disclosure()`: the whole call in named steps."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import cache
from typing import Any

import pandas as pd

from ..progress import progress_shown
from ..show.text import print_notes
from ..spellings import plain_names_too
from ..synds import SynDS
from .defect_text import warn_in_short
from .holdout import read_holdout, warn_of_holdout
from .judgement import disclose
from .notes import notes
from .options import PASSED_ON, check_arguments
from .result import Disclosure
from .source import read_source


@plain_names_too(*PASSED_ON)
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
    max_cells: int | None = None,
    holdout: Any = None,
    **grouping_style: Any,
) -> Disclosure:
    """Disclosure risk of synthetic data for one target, from what an intruder may know (R's
    ``disclosure()``).

    Parameters
    ----------
    object : SynDS, DataFrame, table of an engine, path of a file, or a list of these
        The synthetic data: one or more syntheses of `data`. By name also ``synthetic=``. See
        `open_table` for tables and paths.
    data : DataFrame, table of an engine, or path of a file
        The original data. By name also ``original=``.
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
    max_cells : the most distinct rows (keys and target, all tables together) to count at once.
        If there are more, the work is done in parts by values of a key, with the same figures; the
        result then has no `records()`. The default, for records in a database or file, is as many
        as fit in memory; data in memory are counted at once.
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
    call = call_text(locals(), disclosure)
    source = read_source(object, data, cont_na, counts, max_cells)
    request = check_arguments(
        source.data,
        source.sets,
        keys=keys,
        target=target,
        style=grouping_style,
        denom_lim=denom_lim,
        exclude_ov_denom_lim=exclude_ov_denom_lim,
        not_targetlev=not_targetlev,
        usetargetNA=usetargetNA,
        usekeysNA=usekeysNA,
        exclude_keys=exclude_keys,
        exclude_keylevs=exclude_keylevs,
        exclude_targetlevs=exclude_targetlevs,
        ngroups_target=ngroups_target,
        ngroups_keys=ngroups_keys,
        thresh_1way=thresh_1way,
        thresh_2way=thresh_2way,
        certainty=certainty,
        print_flag=print_flag,
        digits=digits,
        to_print=to_print,
        compare_synorig=compare_synorig,
        compat=compat,
        collation=collation,
    )
    if any(given is not None for given in (ngroups_target, ngroups_keys, cont_na)):
        source.check_effects(
            request.mode,
            [
                ("ngroups_target", ngroups_target, [request.target]),
                ("ngroups_keys", ngroups_keys, request.asked_keys),
            ],
        )
    if holdout is not None:
        names = [request.target, *request.keys]
        limited = exclude_ov_denom_lim
        source.holdout = read_holdout(holdout, source, names, exclude_ov_denom_lim=limited)
    begin = None
    with ExitStack() as stack:
        if request.show_notes:
            begin = stack.enter_context(progress_shown())
        result = disclose(source, request, call, begin)
    if request.show_notes:
        print_notes(notes(result, request))
    if result.defects:
        warn_in_short(result.defects, several=result.m > 1)
    if holdout is not None:
        warn_of_holdout(source, [result])
    return result


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
        elif value is default or (type(value) is type(default) and value == default):
            continue
        else:
            shown.append(f"{name}={value!r}")
    return f"{function.__name__}({', '.join(shown)})"
