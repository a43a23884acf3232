"""`syn()`: R's synthesiser with classification and regression trees; its arguments checked."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Hashable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import (
    check_choice,
    check_flag,
    check_number,
    check_whole,
    chosen_columns,
    is_number,
    listed,
)
from ..errors import DataWarning, InputError, unknown_choice, unknown_name, warn, warning_once
from ..progress import Progress
from ..r.bandwidth import EXTENDED
from ..r.only_there import is_method, way_without_method
from ..release_seed import warn_of_guessable_seed
from ..synds import SynDS
from ..tables.frames import AnyFrame, give_back
from ..tables.opening import check_frame, plain_if_frame
from .columns import (
    Column,
    Columns,
    Method,
    check_subsets,
    divide_in_parts,
    met_by_trees,
    on_missing_codes,
    read_values,
    settle_methods,
)
from .draw import Drawing, Step, synthetic_column
from .stream import RStream

__all__ = ["syn"]

Names = list[Hashable]

METHODS: tuple[Method, ...] = ("cart", "sample", "constant", "collinear", "")
SMOOTHINGS = ("density", "rmean", "spline")
LARGEST_SEED = 2**31 - 1
NOT_TOLD = ("data", "seed", "reproducible", "models", "print_flag")  # in the text of the call


@warning_once
def syn(
    data: AnyFrame,
    method: Any = "cart",
    visit_sequence: Any = None,
    predictor_matrix: Any = None,
    *,
    m: int = 1,
    k: int | None = None,
    proper: bool = False,
    minnumlevels: int = 1,
    maxfaclevels: int = 60,
    cont_na: Any = None,
    semicont: Any = None,
    drop_not_used: bool = False,
    drop_pred_only: bool = False,
    smoothing: Any = None,
    seed: int | str | None = None,
    reproducible: bool = False,
    models: bool = False,
    print_flag: bool = True,
    cart_minbucket: int = 5,
    cart_cp: float = 1e-8,
) -> SynDS:
    """Synthetic data that R's ``syn()`` makes, cell for cell at the same seed.

    Each column is predicted by a tree from the columns before it, and each record gets the value of
    a row drawn from its leaf. Compared with synthpop 1.9-3 and rpart 4.1.19 under R 4.2: see "Does
    it match R?" in the documentation.

    Parameters
    ----------
    data : DataFrame of pandas, polars or Arrow
        The original data; never changed.
    method : str, list or mapping
        "cart" (default), "sample" (drawn from the observed values), "collinear" (the value that
        goes with that of its first predictor), "constant" (as observed) or "" (not synthesised):
        for all columns, one per column, or by name. The first column visited is always sampled when
        one method is given for all. Collinear and constant columns are found automatically.
    visit_sequence : list of names or positions from 1, optional
        Which columns are synthesised, and in which order; the others come back as they are, with
        a `DataWarning`. Columns with many levels belong last.
    predictor_matrix : matrix of 0 and 1, optional
        1 where the column predicts the row. Only columns visited before can predict.
    m : int
        Number of synthetic sets. With 0 nothing is synthesised: the result holds methods, order and
        predictor matrix, which you can change and give to the next call.
    k : int, optional
        Number of records of each; by default as many as the original has.
    proper : bool
        Grow trees on resampled rows, again for every set.
    minnumlevels, maxfaclevels : int
        Numbers with at most `minnumlevels` values become factors; factors with more than
        `maxfaclevels` levels are refused.
    cont_na, semicont : mapping of column to value or values, optional
        Special values of a number, such as ``{"income": -8}``; missing values always count as
        special.
    drop_not_used, drop_pred_only : bool
        Leave out columns that were not used, or that only predicted.
    smoothing : {"density", "rmean", "spline"} or mapping of column to one of them, optional
        Smooth synthetic numbers, which then need not be observed values: move them at random by the
        width of a kernel density, or take running means or a spline of the sorted values. Special
        and missing values stay.
    seed : int, optional
        R's seed, for the data that R makes. Leave it out for data that you release: then the
        operating system draws (R's "sample" says the same). R's seeds have 32 bits, so an intruder
        can try all of them. Anyone who has the seed can put sampled columns back into the
        original's order; if that joins two or more of them to original records, a warning says so.
    reproducible : bool
        True for teaching and tests, where nothing is released: no warning about the seed.
    models : bool
        Keep the trees, in ``meta["models"]``. They hold original values: not for release.
    print_flag : bool
        Show progress on a terminal.
    cart_minbucket, cart_cp : int, float
        Smallest size of a leaf; smallest gain of a split, relative to the risk of the root.

    Returns
    -------
    SynDS
        With the sets in `syn`, of the kind given, and `call` (never the seed), `method`,
        `visit_sequence`, `predictor_matrix` and `notes` (which columns hold original values, and
        where R would do something else).
        `print()` shows them as R does, `summary()` the columns in a few figures.

    Examples
    --------
    >>> from synthpop_py import datasets, syn
    >>> ods = datasets.load("SD2011")[["sex", "age", "marital", "ls"]]
    >>> made = syn(ods, seed=8564, print_flag=False)
    >>> made.syn[0][["sex", "age"]].head(3).to_dict("list")
    {'sex': ['FEMALE', 'MALE', 'MALE'], 'age': [39.0, 26.0, 64.0]}
    """
    call = _call_text(locals())
    frame = check_frame(data, "data")
    columns, visits = _columns_of(frame, visit_sequence)
    _set_methods(columns, method, visits)
    _set_predictors(columns, predictor_matrix, visits)
    special = _special("cont_na", cont_na, columns)
    more_special = _special("semicont", semicont, columns)
    for name, column in columns.items():
        column.named = (*special.get(name, ()), *more_special.get(name, ()))
    _set_smoothing(columns, smoothing)
    number, rows = check_whole("m", m), len(frame)
    records = rows if k is None else check_whole("k", k, low=1)
    anew = check_flag("proper", proper)
    minbucket = max(1, check_whole("cart_minbucket", cart_minbucket))  # R takes 0 for 1
    rules = {"minbucket": minbucket, "cp": check_number("cart_cp", cart_cp, low=0.0)}
    few, most = (
        check_whole("minnumlevels", minnumlevels),
        check_whole("maxfaclevels", maxfaclevels, 1),
    )
    not_used = check_flag("drop_not_used", drop_not_used)
    pred_only = check_flag("drop_pred_only", drop_pred_only)
    start = _seed(seed)

    read_values(columns, few)
    notes = _notes_on_call(columns, keeps_some=records != rows and _keeps_some(method))
    notes += settle_methods(columns, visits, collinear=number > 0, maxfaclevels=most)
    seen = divide_in_parts(columns)
    not_done = _settle_what_was_declared(columns, seen)
    notes += not_done + _notes_on_columns(columns, special.keys() & more_special.keys())
    notes += _notes_on_copies(columns, longer=records > rows)
    steps = _steps(columns, visits, seen)
    if number:
        trees = [(part, others) for column, part, others in steps if column.method == "cart"]
        check_subsets(trees, number if anew else 1)
    _check_seed(columns, start, check_flag("reproducible", reproducible))
    kept = _columns_to_keep(columns, not_used, pred_only)

    stream = RStream(start)
    copied = np.arange(rows) if records == rows else stream.below(rows, records)
    sets = []
    with Progress(number * len(steps), check_flag("print_flag", print_flag)) as progress:
        drawing = Drawing(
            seen,
            steps,
            stream,
            proper=anew,
            rules=rules,
            begin=lambda part: progress.step(part.label),
        )
        for _ in range(number):
            drawn = drawing.one_set(copied)
            made = {name: synthetic_column(columns[name], drawn, copied) for name in kept}
            synthetic = pd.DataFrame(made)
            synthetic.columns = pd.Index(kept, tupleize_cols=False)
            sets.append(give_back(synthetic, data))

    not_done += drawing.not_done
    notes += [*drawing.notes, *drawing.not_done, *_notes_on_dropping(columns, kept)]
    notes = list(dict.fromkeys(notes))
    if start is None:  # nobody expects R's data: only what is not done as asked matters
        _warn_of_notes("R would do otherwise", not_done)
    else:
        _warn_of_notes("R would give other data at this seed", notes)
    observed = _as_observed(columns, kept) if number else []
    if observed:
        notes.insert(0, f"original values, record by record: {_quoted(observed)}")
    _warn_of_columns_not_synthesised([name for name in observed if not columns[name].method])
    # columns that only predicted are dropped from the data, not from `meta`
    meta = _account(columns, visits, _columns_to_keep(columns, not_used, False))
    meta |= {"call": call, "notes": notes, "as_observed": observed}
    if check_flag("models", models):
        meta["models"] = {part.label: tree for part, tree in drawing.trees.items()}
    told = {name: values for name, values in special.items() if name in kept}
    return SynDS(sets, cont_na=told, meta=meta)


def _call_text(given: Mapping[str, Any]) -> str:
    """A call as a user would write it again, without what it left out."""
    parts = ["data"]
    for name, parameter in inspect.signature(syn).parameters.items():
        value, default = given[name], parameter.default
        is_default = type(value) is type(default) and value == default
        if name not in NOT_TOLD and not is_default:
            parts.append(f"{name}={_value_text(value)}")
    return f"syn({', '.join(parts)})"


def _value_text(value: Any) -> str:
    """Short values as they are, a matrix by its shape."""
    if isinstance(value, (pd.DataFrame, np.ndarray)) and value.ndim == 2:
        return f"<{value.shape[0]} x {value.shape[1]}>"
    value = _by_name(value)
    if isinstance(value, (np.ndarray, np.generic, pd.Index, pd.Series)):
        value = value.tolist()
    return repr(value)


# ---- arguments -------------------------------------------------------------------------------


def _columns_of(frame: pd.DataFrame, visit_sequence: Any) -> tuple[Columns, Names]:
    names = list(frame.columns)
    if not len(frame) or not names:
        raise InputError("data: has no rows or no columns, so there is nothing to synthesise")
    if any(pd.api.types.is_scalar(name) and pd.isna(name) for name in names):
        raise InputError("data: the name of a column is missing; rename it")
    visits = names
    if visit_sequence is not None:
        visits = chosen_columns("visit_sequence", visit_sequence, names)
        if not visits:
            raise InputError("visit_sequence: is empty; name at least one column")
    columns = {name: Column(name, series=frame[name], visited=name in visits) for name in names}
    return columns, visits


def _set_methods(columns: Columns, given: Any, visits: Names) -> None:
    """A method for every column: "" where it is not synthesised."""
    given = _by_name(given)
    if not isinstance(given, (str, Mapping)) and len(listed(given)) == 1 < len(columns):
        given = listed(given)[0]  # for R a text is a vector of one
    if isinstance(given, (str, Mapping)):
        rest = _method("method", given) if isinstance(given, str) else "cart"
        methods = dict.fromkeys(visits, rest)
        methods[visits[0]] = "sample"  # nothing was synthesised before it that could predict it
        by_name = {} if isinstance(given, str) else given
        _check_names("method", by_name, columns)
    else:
        given = listed(given)
        if len(given) != len(columns):
            raise InputError(
                f"method: {len(given)} methods for {len(columns)} columns; give one for all, one"
                " per column in the order of the data, or a mapping of columns to methods"
            )
        methods, by_name = {}, dict(zip(columns, given, strict=True))
    for name, value in by_name.items():
        methods[name] = _method(f"method of {name!r}", value)
    for name in visits:
        columns[name].method = methods.get(name, "")


def _by_name(given: Any) -> Any:
    """R's named vector: a Series, whose labels are names unless they are pandas' default
    numbers.
    """
    if isinstance(given, pd.Series) and not isinstance(given.index, pd.RangeIndex):
        return given.to_dict()
    return given


def _check_names(argument: str, given: Mapping[Hashable, Any], columns: Columns) -> None:
    for name in given:
        if name not in columns:
            raise unknown_name(argument, name, list(columns), "the data")


def _keeps_some(method: Any) -> bool:
    """Whether the methods that the user gave have "" among them."""
    given = _by_name(method)
    values = given.values() if isinstance(given, Mapping) else listed(given)
    return any(isinstance(value, str) and not value.strip() for value in values)


def _method(argument: str, value: Any) -> Method:
    value = value.replace(" ", "") if isinstance(value, str) else value  # as R does
    if value in METHODS:
        chosen: Method = value
        return chosen
    if is_method(value):
        raise InputError(
            f"{argument}: {value!r} exists only in R; choices here: 'cart' and 'sample'."
            f" Instead: {way_without_method(str(value))}"
        )
    raise unknown_choice(argument, value, [*METHODS[:4]], "the methods")


def _set_predictors(columns: Columns, given: Any, visits: Names) -> None:
    """The predictors of each column: all columns visited earlier, as far as a matrix allows."""
    names = list(columns)
    matrix = None if given is None else _matrix(given, names)
    observed = {name for name, column in columns.items() if not column.method}
    for turn, name in enumerate(visits):
        column = columns[name]
        if not column.method:
            continue
        usable = set() if column.method == "sample" else set(visits[:turn])
        if matrix is not None and column.method != "sample":
            # a column that is not synthesised has its values from the start
            allowed = [names[place] for place in np.flatnonzero(matrix[names.index(name)])]
            usable = (usable | observed).intersection(allowed) - {name}
        column.predictors = [other for other in names if other in usable]


def _matrix(given: Any, names: Names) -> np.ndarray:
    given = plain_if_frame(given, "predictor_matrix")
    if isinstance(given, pd.DataFrame):
        axes = (given.index, given.columns)
        for axis in axes:
            if set(axis) != set(names) and list(axis) != list(range(len(names))):
                raise InputError(
                    "predictor_matrix: its row and column names are not those of the data"
                )
        if all(set(axis) == set(names) for axis in axes):
            given = given.loc[names, names]
    try:
        matrix = np.asarray(given)
    except ValueError:
        raise InputError("predictor_matrix: its rows have unequal lengths") from None
    if matrix.shape != (len(names), len(names)):
        shape = " x ".join(map(str, matrix.shape)) if matrix.ndim > 1 else "no matrix"
        raise InputError(
            f"predictor_matrix: is {shape}; give one row and one column per column of the data,"
            f" {len(names)} x {len(names)}, with 1 where the column predicts the row"
        )
    if not np.isin(matrix, (0, 1)).all():
        raise InputError(
            "predictor_matrix: holds values other than 0 and 1; give 1 where the column predicts"
            " the row"
        )
    return matrix.astype(bool)


def _special(argument: str, given: Any, columns: Columns) -> dict[Hashable, tuple[float, ...]]:
    """Special values by column; missing values need not be listed."""
    given = {} if given is None else _by_name(given)
    if not isinstance(given, Mapping):
        raise InputError(
            f"{argument}: {given!r} is not a mapping; give column names with values, as in"
            " {'income': -8}"
        )
    _check_names(argument, given, columns)
    special = {}
    for name, values in given.items():
        if not _is_number(columns[name]):
            raise InputError(f"{argument}: column {name!r} is not a number")
        numbers = []
        for value in listed(values):
            if is_number(value) and not np.isnan(value):
                numbers.append(float(value))
            elif not (is_number(value) or value is None or value is pd.NA):
                raise InputError(f"{argument}: {value!r} for {name!r} is not a number")
        special[name] = tuple(numbers)
    return special


def _set_smoothing(columns: Columns, given: Any) -> None:
    """How numbers are smoothed: one way for all of them, or by column."""
    given = _by_name(given)
    numbers = [name for name, column in columns.items() if _is_number(column)]
    if given is None or (isinstance(given, str) and not given):
        return
    if not isinstance(given, Mapping):
        check_choice("smoothing", given, SMOOTHINGS)  # even where there are no numbers
        given = dict.fromkeys(numbers, given)
    _check_names("smoothing", given, columns)
    for name, how in given.items():
        if how is None or (isinstance(how, str) and not how):
            continue
        if name not in numbers:
            raise InputError(f"smoothing: column {name!r} is not a number; leave it out")
        columns[name].smoothing = check_choice("smoothing", how, SMOOTHINGS)


def _is_number(column: Column) -> bool:
    dtype = column.series.dtype
    return pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_bool_dtype(dtype)


def _seed(given: Any) -> int | None:
    """R's seeds are whole numbers of 32 bits; without one the operating system draws."""
    drawn_in_r = isinstance(given, str) and given == "sample"
    if given is None or drawn_in_r:
        return None
    if is_number(given) and abs(given) <= LARGEST_SEED:
        return int(given)  # R also cuts off decimals
    raise InputError(
        f"seed: is not a whole number from -{LARGEST_SEED} to {LARGEST_SEED}, as R's set.seed()"
        " needs; leave it out for a release"
    )


def _check_seed(columns: Columns, seed: int | None, reproducible: bool) -> None:
    """Warn if the seed alone joins columns to original records (decision 0013): the rows that
    `sample` drew depend only on the number of records.
    """
    sampled = [name for name, column in columns.items() if column.method == "sample"]
    if seed is not None and len(sampled) > 1 and not reproducible:
        warn_of_guessable_seed(
            f"R's seeds have 32 bits, and {len(sampled)} columns are sampled with it",
            "leave seed out; reproducible=True is for teaching and tests",
        )


# ---- what is made, and from what ---------------------------------------------------------------


def _settle_what_was_declared(columns: Columns, seen: list[Column]) -> list[str]:
    """Columns that the user declared collinear, each with its first predictor, as in R; with
    special values they are predicted by a tree. The answer says what is not done as asked.
    """
    not_done = []
    for name, column in columns.items():
        if column.method == "constant" and column.special and column.predictors is not None:
            not_done.append(
                f"{name!r} is declared constant and has missing or special values: R predicts"
                " these by a regression or stops, here the column stays as observed"
            )
        if column.method != "collinear" or column.partner is not None:
            continue
        if column.special:
            not_done.append(on_missing_codes(column, "declared collinear"))
            column.method = "cart"
        elif not column.predictors:
            not_done.append(
                f"{name!r} is declared collinear, and its predictor is collinear with it: here it"
                " is sampled"
            )
            column.method = "sample"
        else:
            first = next(one.name for one in seen if one.name in column.predictors)
            column.partner = columns[first]
    return not_done


def _steps(columns: Columns, visits: Names, seen: list[Column]) -> list[Step]:
    steps = []
    for name in visits:
        column = columns[name]
        if column.predictors is not None:
            predictors = [one for one in seen if one.name in column.predictors]
            steps += [(column, part, predictors) for part in reversed(column.parts)]
    return steps


def _columns_to_keep(columns: Columns, drop_not_used: bool, drop_pred_only: bool) -> Names:
    """All columns except those that the user wants dropped."""
    met = met_by_trees(columns)
    kept: Names = []
    for name, column in columns.items():
        unwanted = drop_pred_only if name in met else drop_not_used
        if column.method or not unwanted:
            kept.append(name)
    if not kept:
        dropping = "drop_not_used" if drop_not_used else "drop_pred_only"
        raise InputError(
            f"{dropping}: no column is left, because none is synthesised; change method or"
            " visit_sequence"
        )
    return kept


def _as_observed(columns: Columns, kept: Names) -> Names:
    """Those of the columns whose original values are given back. A single value tells nothing."""
    observed = []
    for name in kept:
        column = columns[name]
        if not column.method or (column.method == "constant" and not column.has_one_value):
            observed.append(name)
    return observed


def _account(columns: Columns, visits: Names, names: Names) -> dict[str, Any]:
    """What was done with these columns."""
    labels = pd.Index(names, tupleize_cols=False)
    matrix = pd.DataFrame(0, index=labels, columns=labels)
    for place, name in enumerate(names):
        predictors = list(columns[name].predictors or [])
        partner = columns[name].partner
        if partner is not None:
            predictors.append(partner.name)
        matrix.iloc[place] = [int(other in predictors) for other in names]
    return {
        "method": {name: columns[name].method for name in names},
        "visit_sequence": [name for name in visits if name in names],
        "predictor_matrix": matrix,
    }


# ---- warnings and notes --------------------------------------------------------------------------


def _warn_of_columns_not_synthesised(names: Names) -> None:
    """(Of constants `settle_methods` has warned.)"""
    if names:
        warn(
            f"visit_sequence: {_quoted(names)}: not synthesised, so the synthetic data hold the"
            " original values record by record; drop such a column before syn(), or add it to"
            " visit_sequence (with a method other than '')",
            DataWarning,
        )


def _quoted(names: Names) -> str:
    return ", ".join(map(repr, names))


def _warn_of_notes(that: str, notes: list[str]) -> None:
    for note in notes:
        warn(f"{that}: {note}", DataWarning, short=note)


def _notes_on_call(columns: Columns, keeps_some: bool) -> list[str]:
    notes = []
    y = columns.get("y")
    if y is not None and (y.predictors is not None or "y" in met_by_trees(columns)):
        notes.append(
            "R mistakes a column named 'y' for the response of every tree; here it is a column"
        )
    if keeps_some:
        notes.append(
            "R (1.9-3) stops where a column has the method '' and k is not the number of records;"
            " here such a column is filled from rows drawn at random"
        )
    if all(column.predictors is None for column in columns.values()):
        notes.append(
            "no column is synthesised: R still lists the predictors of each, and takes them for"
            " columns that only predict"
        )
    return notes


def _notes_on_columns(columns: Columns, named_twice: Collection[Hashable]) -> list[str]:
    """Notes on special values and smoothing; `named_twice` are columns that both `cont_na` and
    `semicont` name.
    """
    notes = []
    for name, column in columns.items():
        if column.special:
            # R calls the parts of a split number by names that may be taken
            for taken in (part.label for part in column.parts if part.label in columns):
                notes.append(f"R stops, because it calls a part of {name!r} {taken!r} as well")
            if " " in str(name):
                notes.append(
                    f"R stops at {name!r}, a number with missing values and a blank in its name"
                )
        drawn = column.smoothing and column.method in ("cart", "sample")
        if name in named_twice and (column.special or drawn) and np.isnan(column.values).any():
            notes.append(
                f"{name!r} has missing values, which neither cont_na nor semicont names: R drops"
                " these rows or stops, here they are synthesised as missing"
            )
    smoothed = any(column.smoothing == "density" for column in columns.values())
    if smoothed and not EXTENDED:
        notes.append(
            "this machine has no numbers wider than doubles, in which R adds up where it can: last"
            " digits of numbers smoothed by a density may differ"
        )
    return notes


def _notes_on_copies(columns: Columns, longer: bool) -> list[str]:
    """Notes on columns whose partner has values that were not observed."""
    notes = []
    for name, column in columns.items():
        partner = column.partner
        if partner is None:
            continue
        if partner.smoothing is not None:
            notes.append(
                f"{name!r} is collinear with {partner.name!r}, which is smoothed: R gives missing"
                " values where the smoothed one was not observed, here the next observed one"
                " decides"
            )
        elif longer and partner.method == "constant" and partner.kind == "double":
            notes.append(
                f"{name!r} is collinear with {partner.name!r}, a constant that is made longer: R"
                " writes its numbers with 15 digits and gives missing values where they have more"
            )
    return notes


def _notes_on_dropping(columns: Columns, kept: Names) -> list[str]:
    if len(kept) == len(columns):
        return []
    notes = []
    # R turns columns back into texts and numbers by their former positions
    if any(one.kind == "character" or one.distinct is not None for one in columns.values()):
        notes.append(
            "R mixes up the types of columns after some were dropped; here each keeps its own"
        )
    if len(kept) == 1:
        notes.append(f"R stops where dropping columns leaves one, as here {kept[0]!r}")
    return notes
