"""`syn()`: R's synthesiser with classification and regression trees; its arguments checked."""

from __future__ import annotations

import inspect
from collections.abc import Hashable, Mapping
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
from ..r.only_there import is_method, way_without_method
from ..release_seed import warn_of_guessable_seed
from ..synds import SynDS
from ..tables.frames import AnyFrame, give_back
from ..tables.opening import check_frame, plain_if_frame
from .draw import Drawing, synthetic_frame
from .plan import Call, Method, Names, Place, Plan, Smoothing, make_plan, place_name
from .rpart import Tree, TreeRules
from .stream import RStream

__all__ = ["syn"]

METHODS = ("cart", "sample", "constant", "collinear", "")
SMOOTHINGS = ("density", "rmean", "spline")
LARGEST_SEED = 2**31 - 1


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
    frame = check_frame(data, "data")
    asked = {
        "method": method,
        "visit_sequence": visit_sequence,
        "predictor_matrix": predictor_matrix,
        "m": m,
        "k": k,
        "proper": proper,
        "minnumlevels": minnumlevels,
        "maxfaclevels": maxfaclevels,
        "cont_na": cont_na,
        "semicont": semicont,
        "cart_minbucket": cart_minbucket,
        "cart_cp": cart_cp,
        "smoothing": smoothing,
    }
    plan = make_plan(frame, _check_call(frame, seed, asked))
    call = plan.call
    _check_seed(plan, check_flag("reproducible", reproducible))
    not_used = check_flag("drop_not_used", drop_not_used)
    pred_only = check_flag("drop_pred_only", drop_pred_only)
    names = _columns_to_keep(plan, not_used, pred_only)
    sets, trees = _draw(plan, names, check_flag("print_flag", print_flag))
    notes = list(dict.fromkeys([*plan.notes, *_notes_on_dropping(plan, names)]))
    told, that = notes, "R would give other data at this seed"
    if call.seed is None:  # nobody expects R's data: only what is not done as asked matters
        told, that = plan.not_as_asked, "R would do otherwise"
    for note in told:
        warn(f"{that}: {note}", DataWarning, short=note)
    observed = _as_observed(plan, names) if call.m else []
    _warn_of_columns_not_synthesised([name for name in observed if not plan.methods[name]])
    # columns that only predicted are dropped from the data, not from `meta`
    meta = _account(plan, _columns_to_keep(plan, not_used, False))
    dropping = {"drop_not_used": not_used, "drop_pred_only": pred_only}
    as_it_was = [f"original values, record by record: {_quoted(observed)}"] if observed else []
    meta |= {
        "call": _call_text({**asked, **dropping}),
        "notes": [*as_it_was, *notes],
        "as_observed": observed,
    }
    if check_flag("models", models):
        meta["models"] = {place_name(place): tree for place, tree in trees.items()}
    special = {name: values for name, values in call.cont_na.items() if name in names}
    return SynDS([give_back(one, data) for one in sets], cont_na=special, meta=meta)


def _draw(plan: Plan, names: Names, show: bool) -> tuple[list[pd.DataFrame], dict[Place, Tree]]:
    call = plan.call
    stream = RStream(call.seed)
    rows = len(next(iter(plan.sources.values())).series)
    copied = np.arange(rows) if call.records == rows else stream.below(rows, call.records)
    with Progress(call.m * len(plan.steps), show) as progress:
        drawing = Drawing(plan, stream, begin=lambda step: progress.step(place_name(step.place)))
        sets = [
            synthetic_frame(plan, drawing.one_set(copied), copied, names) for _ in range(call.m)
        ]
    return sets, drawing.trees


def _as_observed(plan: Plan, names: Names) -> Names:
    """Those of the columns whose original values are given back. A single value tells nothing."""
    constant = {name for name in names if plan.methods[name] == "constant"}
    varies = {name for name in constant if not plan.sources[name].has_one_value}
    return [name for name in names if name in varies or not plan.methods[name]]


def _warn_of_columns_not_synthesised(names: Names) -> None:
    """(Of constants `make_plan` has warned.)"""
    if names:
        warn(
            f"visit_sequence: {_quoted(names)}: not synthesised, so the synthetic data hold the"
            " original values record by record; drop such a column before syn(), or add it to"
            " visit_sequence (with a method other than '')",
            DataWarning,
        )


def _quoted(names: Names) -> str:
    return ", ".join(map(repr, names))


def _account(plan: Plan, names: Names) -> dict[str, Any]:
    """What was done with these columns."""
    labels = pd.Index(names, tupleize_cols=False)
    matrix = pd.DataFrame(0, index=labels, columns=labels)
    for place, name in enumerate(names):
        predictors = {*plan.predictors.get(name, ()), plan.partners.get(name, name)} - {name}
        matrix.iloc[place] = [int(other in predictors) for other in names]
    return {
        "method": {name: plan.methods[name] for name in names},
        "visit_sequence": [name for name in plan.call.sequence if name in names],
        "predictor_matrix": matrix,
    }


def _check_seed(plan: Plan, reproducible: bool) -> None:
    """Warn if the seed alone joins columns to original records (decision 0013): the rows that
    `sample` drew depend only on the number of records.
    """
    sampled = [name for name, method in plan.methods.items() if method == "sample"]
    if plan.call.seed is not None and len(sampled) > 1 and not reproducible:
        warn_of_guessable_seed(
            f"R's seeds have 32 bits, and {len(sampled)} columns are sampled with it",
            "leave seed out; reproducible=True is for teaching and tests",
        )


def _columns_to_keep(plan: Plan, drop_not_used: bool, drop_pred_only: bool) -> Names:
    """All columns except those that the user wants dropped."""
    names: Names = []
    for name in plan.sources:
        predicts = any(name in others for others in plan.predictors.values())
        unwanted = drop_pred_only if predicts else drop_not_used
        if plan.methods[name] or not unwanted:
            names.append(name)
    if not names:
        dropping = "drop_not_used" if drop_not_used else "drop_pred_only"
        raise InputError(
            f"{dropping}: no column is left, because none is synthesised; change method or"
            " visit_sequence"
        )
    return names


def _notes_on_dropping(plan: Plan, names: Names) -> list[str]:
    notes = []
    if len(names) < len(plan.sources):
        # R turns columns back into texts and numbers by their former positions
        sources = plan.sources.values()
        if any(one.column.kind == "character" or one.distinct is not None for one in sources):
            notes.append(
                "R mixes up the types of columns after some were dropped; here each keeps its own"
            )
        if len(names) == 1:
            notes.append(f"R stops where dropping columns leaves one, as here {names[0]!r}")
    return notes


def _call_text(given: Mapping[str, Any]) -> str:
    """A call as a user would write it again, without what it left out."""
    defaults = inspect.signature(syn).parameters
    parts = ["data"]
    for name, value in given.items():
        default = defaults[name].default
        if type(value) is not type(default) or value != default:
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


def _check_call(data: pd.DataFrame, seed: Any, asked: Mapping[str, Any]) -> Call:
    """The call with every argument resolved to columns and numbers."""
    if not len(data) or not len(data.columns):
        raise InputError("data: has no rows or no columns, so there is nothing to synthesise")
    if any(pd.api.types.is_scalar(name) and pd.isna(name) for name in data.columns):
        raise InputError("data: the name of a column is missing; rename it")
    names = list(data.columns)
    visits = names
    if asked["visit_sequence"] is not None:
        visits = chosen_columns("visit_sequence", asked["visit_sequence"], names)
        if not visits:
            raise InputError("visit_sequence: is empty; name at least one column")
    methods = _methods(asked["method"], names, visits)
    rules = TreeRules(
        max(1, check_whole("cart_minbucket", asked["cart_minbucket"])),  # R takes 0 for 1
        check_number("cart_cp", asked["cart_cp"], low=0.0),
    )
    return Call(
        methods=methods,
        sequence=visits,
        predictors=_predictors(asked["predictor_matrix"], names, visits, methods),
        keeps_some=_keeps_some(asked["method"]),
        m=check_whole("m", asked["m"]),
        records=len(data) if asked["k"] is None else check_whole("k", asked["k"], low=1),
        seed=_seed(seed),
        proper=check_flag("proper", asked["proper"]),
        cont_na=_special("cont_na", asked["cont_na"], data),
        semicont=_special("semicont", asked["semicont"], data),
        minnumlevels=check_whole("minnumlevels", asked["minnumlevels"]),
        maxfaclevels=check_whole("maxfaclevels", asked["maxfaclevels"], low=1),
        smoothing=_smoothing(asked["smoothing"], data),
        rules=rules,
    )


def _methods(given: Any, names: Names, visits: Names) -> dict[Hashable, Method]:
    """A method for every column: "" where it is not synthesised."""
    given = _by_name(given)
    if not isinstance(given, (str, Mapping)) and len(listed(given)) == 1 < len(names):
        given = listed(given)[0]  # for R a text is a vector of one
    if isinstance(given, (str, Mapping)):
        rest = _method(given) if isinstance(given, str) else "cart"
        methods = dict.fromkeys(visits, rest)
        methods[visits[0]] = "sample"  # nothing was synthesised before it that could predict it
        by_name = {} if isinstance(given, str) else given
        _check_names("method", by_name, names)
    else:
        given = listed(given)
        if len(given) != len(names):
            raise InputError(
                f"method: {len(given)} methods for {len(names)} columns; give one for all, one per"
                " column in the order of the data, or a mapping of columns to methods"
            )
        methods, by_name = {}, dict(zip(names, given, strict=True))
    methods |= {name: _method(value, name) for name, value in by_name.items()}
    return {name: methods.get(name, "") if name in visits else "" for name in names}


def _by_name(given: Any) -> Any:
    """R's named vector: a Series, whose labels are names unless they are pandas' default
    numbers.
    """
    if isinstance(given, pd.Series) and not isinstance(given.index, pd.RangeIndex):
        return given.to_dict()
    return given


def _check_names(argument: str, given: Mapping[Hashable, Any], names: Names) -> None:
    for name in given:
        if name not in names:
            raise unknown_name(argument, name, names, "the data")


def _keeps_some(method: Any) -> bool:
    """Whether the methods that the user gave have "" among them."""
    given = _by_name(method)
    values = given.values() if isinstance(given, Mapping) else listed(given)
    return any(isinstance(value, str) and not value.strip() for value in values)


def _method(value: Any, name: Hashable | None = None) -> Method:
    argument = "method" if name is None else f"method of {name!r}"
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


def _predictors(
    given: Any, names: Names, visits: Names, methods: dict[Hashable, Method]
) -> dict[Hashable, Names]:
    """The predictors of each column: all columns visited earlier, as far as a matrix allows."""
    matrix = None if given is None else _matrix(given, names)
    observed = {name for name in names if not methods[name]}
    predictors: dict[Hashable, Names] = {}
    for turn, name in enumerate(visits):
        if not methods[name]:
            continue
        usable = set(visits[:turn])
        if matrix is not None:
            # a column that is not synthesised has its values from the start
            allowed = [names[place] for place in np.flatnonzero(matrix[names.index(name)])]
            usable = (usable | observed).intersection(allowed) - {name}
        if methods[name] == "sample":
            usable = set()
        predictors[name] = [other for other in names if other in usable]
    return predictors


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
            "predictor_matrix: holds values other than 0 and 1; give 1 where the column predicts "
            "the row"
        )
    return matrix.astype(bool)


def _special(argument: str, given: Any, data: pd.DataFrame) -> dict[Hashable, tuple[float, ...]]:
    """Special values by column; missing values need not be listed."""
    given = {} if given is None else _by_name(given)
    if not isinstance(given, Mapping):
        raise InputError(
            f"{argument}: {given!r} is not a mapping; give column names with values, as in"
            " {'income': -8}"
        )
    _check_names(argument, given, list(data.columns))
    special = {}
    for name, values in given.items():
        if not _is_number(data[name]):
            raise InputError(f"{argument}: column {name!r} is not a number")
        wrong = [v for v in listed(values) if not (is_number(v) or v is None or v is pd.NA)]
        if wrong:
            raise InputError(f"{argument}: {wrong[0]!r} for {name!r} is not a number")
        numbers = [float(value) for value in listed(values) if is_number(value)]
        special[name] = tuple(number for number in numbers if not np.isnan(number))
    return special


def _smoothing(given: Any, data: pd.DataFrame) -> dict[Hashable, Smoothing]:
    """How numbers are smoothed: one way for all of them, or by column."""
    given = _by_name(given)
    if given is None or (isinstance(given, str) and not given):
        return {}
    numbers = [name for name in data.columns if _is_number(data[name])]
    if not isinstance(given, Mapping):
        return dict.fromkeys(numbers, check_choice("smoothing", given, SMOOTHINGS))
    _check_names("smoothing", given, list(data.columns))
    smoothing: dict[Hashable, Smoothing] = {}
    for name, how in given.items():
        if how is None or (isinstance(how, str) and not how):
            continue
        if name not in numbers:
            raise InputError(f"smoothing: column {name!r} is not a number; leave it out")
        smoothing[name] = check_choice("smoothing", how, SMOOTHINGS)
    return smoothing


def _is_number(column: pd.Series) -> bool:
    dtype = column.dtype
    return pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_bool_dtype(dtype)


def _seed(given: Any) -> int | None:
    """R's seeds are whole numbers of 32 bits; without one the operating system draws."""
    drawn_in_r = isinstance(given, str) and given == "sample"
    if given is None or drawn_in_r:
        return None
    if is_number(given) and abs(given) <= LARGEST_SEED:
        return int(given)  # R also cuts off decimals
    raise InputError(
        f"seed: is not a whole number from -{LARGEST_SEED} to {LARGEST_SEED}, as R's "
        "set.seed() needs; leave it out for a release"
    )
