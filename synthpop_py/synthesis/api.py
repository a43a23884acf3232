"""`syn()`: R's synthesiser with classification and regression trees; its arguments checked."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Hashable, Mapping, Sequence
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
    read_values,
    settle_declared,
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
    data : the original data, a DataFrame of pandas, polars or Arrow; never changed.
    method : "cart" (default), "sample" (drawn from the observed values), "collinear" (the value
        that goes with that of its first predictor), "constant" (as observed) or "" (not
        synthesised): for all columns, one per column, or a mapping by name. The first column
        visited is always sampled when one method is given for all. Collinear and constant columns
        are found automatically.
    visit_sequence : names or positions from 1 of the columns that are synthesised, in this order;
        the others come back as they are, with a `DataWarning`. Columns with many levels belong
        last.
    predictor_matrix : matrix of 0 and 1, 1 where the column predicts the row. Only columns visited
        before can predict.
    m : number of synthetic sets. With 0 nothing is synthesised: the result holds methods, order and
        predictor matrix, which you can change and give to the next call.
    k : number of records of each; by default as many as the original has.
    proper : grow trees on resampled rows, again for every set.
    minnumlevels, maxfaclevels : numbers with at most `minnumlevels` values become factors; factors
        with more than `maxfaclevels` levels are refused.
    cont_na, semicont : special values of numbers by column, such as ``{"income": -8}``; missing
        values always count as special.
    drop_not_used, drop_pred_only : leave out columns that were not used, or that only predicted.
    smoothing : "density", "rmean", "spline", or a mapping of columns to these. Synthetic numbers
        are moved at random by the width of a kernel density, or replaced by running means or a
        spline of the sorted values, so they need not be observed ones. Special and missing values
        stay.
    seed : R's seed, for the data that R makes. Leave it out for data that you release: then the
        operating system draws (R's "sample" says the same). R's seeds have 32 bits, so an intruder
        can try all of them. Anyone who has the seed can put sampled columns back into the
        original's order; if that joins two or more of them to original records, a warning says so.
    reproducible : True for teaching and tests, where nothing is released: no warning about the
        seed.
    models : keep the trees, in ``meta["models"]``. They hold original values: not for release.
    print_flag : show progress on a terminal.
    cart_minbucket, cart_cp : smallest size of a leaf; smallest gain of a split, relative to the
        risk of the root.

    Returns
    -------
    SynDS
        With the sets in `syn`, of the kind given, and `call` (never the seed), `method`,
        `visit_sequence`, `predictor_matrix` and `notes` (which columns hold original values, and
        where R would do something else). `print()` shows them as R does, `summary()` the columns
        in a few figures.

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
    few, most = check_whole("minnumlevels", minnumlevels), check_whole("maxfaclevels", maxfaclevels)
    not_used = check_flag("drop_not_used", drop_not_used)
    pred_only = check_flag("drop_pred_only", drop_pred_only)
    start = _seed(seed)

    notes = []
    keeps_some = any(one.visited and not one.method for one in columns.values())
    if keeps_some and records != rows:
        notes.append(
            "R (1.9-3) stops where a column has the method '' and k is another number of rows"
        )
    read_values(columns, few)
    not_done = settle_methods(columns, visits, collinear=number > 0, maxfaclevels=most)
    seen = divide_in_parts(columns)
    not_done += settle_declared(columns, seen)
    kept = _columns_to_keep(columns, not_used, pred_only)
    named_twice = special.keys() & more_special.keys()
    notes += not_done
    notes += _where_r_differs(columns, kept, named_twice, records)
    steps: list[Step] = []
    for column in (columns[name] for name in visits):
        if column.predictors is not None:
            predictors = [one for one in seen if one.name in column.predictors]
            steps += [(column, part, predictors) for part in reversed(column.parts)]
    if number:
        trees = [(part, others) for column, part, others in steps if column.method == "cart"]
        check_subsets(trees)
    sampled = [name for name, column in columns.items() if column.method == "sample"]
    harmless = check_flag("reproducible", reproducible)
    if start is not None and len(sampled) > 1 and not harmless:
        # the rows that "sample" draws depend only on the number of records (decision 0013)
        why = f"R's seeds have 32 bits, and {len(sampled)} columns are sampled with it"
        way_out = "leave seed out; reproducible=True is for teaching and tests"
        warn_of_guessable_seed(why, way_out)

    stream = RStream(start)
    copied = np.arange(rows) if records == rows else stream.below(rows, records)
    sets = []
    with Progress(number * len(steps), check_flag("print_flag", print_flag)) as progress:
        drawing = Drawing(seen, steps, stream, proper=anew, rules=rules)
        drawing.begin = lambda part: progress.step(part.label)
        for _ in range(number):
            drawn = drawing.one_set(copied)
            made = {name: synthetic_column(columns[name], drawn, copied) for name in kept}
            synthetic = pd.DataFrame(made)
            synthetic.columns = pd.Index(kept, tupleize_cols=False)
            sets.append(give_back(synthetic, data))

    not_done += drawing.not_done
    notes = list(dict.fromkeys([*notes, *drawing.notes, *drawing.not_done]))
    told, that = notes, "R would give other data at this seed"
    if start is None:  # nobody expects R's data: only what is not done as asked matters
        told, that = not_done, "R would do otherwise"
    for note in told:
        warn(f"{that}: {note}", DataWarning, short=note)
    observed = [name for name in kept if columns[name].is_as_observed] if number else []
    if observed:
        notes.insert(0, f"original values, record by record: {_quoted(observed)}")
    unchanged = [name for name in observed if not columns[name].method]
    if unchanged:  # of constants `settle_methods` has warned
        warn(
            f"visit_sequence: {_quoted(unchanged)}: not synthesised, so the synthetic data hold the"
            " original values record by record; drop such a column before syn(), or add it to"
            " visit_sequence (with a method other than '')",
            DataWarning,
        )
    # columns that only predicted are dropped from the data, not from `meta`
    meta = _account(columns, visits, _columns_to_keep(columns, not_used, False))
    meta |= {"call": call, "notes": notes, "as_observed": observed}
    if check_flag("models", models):
        meta["models"] = {part.label: tree for part, tree in drawing.trees.items()}
    named = {name: values for name, values in special.items() if name in kept}
    return SynDS(sets, cont_na=named, meta=meta)


def _call_text(given: Mapping[str, Any]) -> str:
    """A call as a user would write it again, without what it left out; a matrix by its shape."""
    parts = ["data"]
    for name, parameter in inspect.signature(syn).parameters.items():
        value, default = given[name], parameter.default
        if name in NOT_TOLD or (type(value) is type(default) and value == default):
            continue
        if isinstance(value, (pd.DataFrame, np.ndarray)) and value.ndim == 2:
            parts.append(f"{name}=<{value.shape[0]} x {value.shape[1]}>")
        else:
            plain = value.tolist() if hasattr(value, "tolist") else value
            parts.append(f"{name}={plain!r}")
    return f"syn({', '.join(parts)})"


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
    by_name: Mapping[Hashable, Any] = {}
    values = [] if isinstance(given, Mapping) else listed(given)
    if isinstance(given, (str, Mapping)) or len(values) == 1 < len(columns):
        rest = _method("method", values[0]) if values else "cart"
        methods = dict.fromkeys(visits, rest)
        methods[visits[0]] = "sample"  # nothing was synthesised before it that could predict it
        by_name = {} if values else given
    elif len(values) == len(columns):
        methods, by_name = {}, dict(zip(columns, values, strict=True))
    else:
        count = f"{len(values)} methods for {len(columns)} columns"
        raise InputError(f"method: {count}; give one for all, one per column, or a mapping")
    _check_names("method", by_name, columns)
    for name, value in by_name.items():
        methods[name] = _method(f"method of {name!r}", value)
    for name in visits:
        columns[name].method = methods.get(name, "")


def _check_names(argument: str, given: Mapping[Hashable, Any], columns: Columns) -> None:
    for name in given:
        if name not in columns:
            raise unknown_name(argument, name, list(columns), "the data")


def _method(argument: str, value: Any) -> Method:
    value = value.replace(" ", "") if isinstance(value, str) else value  # as R does
    if value in METHODS:
        chosen: Method = value
        return chosen
    if is_method(value):
        instead = way_without_method(str(value))
        here = "choices here: 'cart' and 'sample'"
        raise InputError(f"{argument}: {value!r} exists only in R; {here}. Instead: {instead}")
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
        column.predictors = []
        if column.method == "sample":
            continue
        usable = set(visits[:turn])
        allowed = [True] * len(names)
        if matrix is not None:
            # a column that is not synthesised has its values from the start
            usable |= observed
            allowed = matrix[names.index(name)]
        for other, is_allowed in zip(names, allowed, strict=True):
            if is_allowed and other in usable and other != name:
                column.predictors.append(other)


def _matrix(given: Any, names: Names) -> np.ndarray:
    given = plain_if_frame(given, "predictor_matrix")
    is_named = True
    if isinstance(given, pd.DataFrame):
        if set(given.index) == set(given.columns) == set(names):
            given = given.loc[names, names]
        else:  # positions are names enough
            places = list(range(len(names)))
            is_named = list(given.index) == places == list(given.columns)
    try:
        matrix = np.asarray(given)
    except ValueError:  # rows of unequal lengths
        matrix = np.empty(0)
    fits = is_named and matrix.shape == (len(names), len(names))
    if not fits or not np.isin(matrix, (0, 1)).all():
        shape = " x ".join(map(str, matrix.shape)) if matrix.ndim > 1 else "no matrix"
        raise InputError(
            f"predictor_matrix: is {shape}; give {len(names)} x {len(names)} values 0 and 1, 1"
            " where the column predicts the row, without names or with those of the data"
        )
    return matrix.astype(bool)


def _special(argument: str, given: Any, columns: Columns) -> dict[Hashable, tuple[float, ...]]:
    """Special values by column; missing values need not be listed."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise InputError(f"{argument}: is not a mapping of columns to values, as {{'income': -8}}")
    _check_names(argument, given, columns)
    special = {}
    for name, values in given.items():
        if not columns[name].is_number:
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
    if given is None or (isinstance(given, str) and not given):
        return
    if not isinstance(given, Mapping):
        check_choice("smoothing", given, SMOOTHINGS)  # even where there are no numbers
        given = {name: given for name, column in columns.items() if column.is_number}
    _check_names("smoothing", given, columns)
    for name, how in given.items():
        if how is None or (isinstance(how, str) and not how):
            continue
        if not columns[name].is_number:
            raise InputError(f"smoothing: column {name!r} is not a number; leave it out")
        columns[name].smoothing = check_choice("smoothing", how, SMOOTHINGS)


def _seed(given: Any) -> int | None:
    """R's seeds are whole numbers of 32 bits; without one the operating system draws."""
    if given is None or (isinstance(given, str) and given == "sample"):
        return None
    if is_number(given) and abs(given) <= LARGEST_SEED:
        return int(given)  # R also cuts off decimals
    raise InputError(
        "seed: is not a whole number of 32 bits, as R's set.seed() needs; leave it out"
    )


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
        raise InputError(f"{dropping}: no column is left, because no column is synthesised")
    return kept


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


def _quoted(names: Sequence[Hashable]) -> str:
    return ", ".join(map(repr, names))


def _where_r_differs(
    columns: Columns, kept: Names, named_twice: Collection[Hashable], records: int
) -> list[str]:
    """Notes on where R gives other data, or stops; `named_twice` are columns that both `cont_na`
    and `semicont` name.
    """
    notes = []
    if all(column.predictors is None for column in columns.values()):
        notes.append("no column is synthesised: R still lists the predictors of each")
    for name, column in columns.items():
        takes_part = column.predictors is not None or name in met_by_trees(columns)
        if name == "y" and takes_part:
            notes.append("R mistakes a column named 'y' for the response of every tree")
        labels = [part.label for part in column.parts]
        taken = " " in labels[0] or not columns.keys().isdisjoint(labels)
        if column.special and taken:
            notes.append(f"R stops at {name!r}, because it calls its parts {_quoted(labels)}")
        drawn = column.smoothing and column.method in ("cart", "sample")
        told = name in named_twice and (column.special or drawn)
        if told and np.isnan(column.values).any():
            notes.append(
                f"{name!r} has missing values, named in neither cont_na nor semicont: R drops them"
            )
        partner = column.partner
        if partner is None:
            continue
        longer = partner.method == "constant" and records > len(partner.values)
        if partner.smoothing or (longer and partner.kind == "double"):
            notes.append(
                f"{name!r} is collinear with {partner.name!r}, which need not have observed values:"
                " R gives missing values there, here the next observed one decides"
            )
    ways = [one.smoothing for one in columns.values()]
    if "density" in ways and not EXTENDED:
        notes.append(
            "last digits of a density differ: no numbers wider than doubles here, as R has"
        )
    # R turns columns back into texts and numbers by their former positions
    for one in columns.values() if len(kept) < len(columns) else []:
        if one.kind == "character" or one.distinct is not None:
            notes.append("R mixes up the types of columns after some were dropped")
    if len(kept) == 1 < len(columns):
        notes.append(f"R stops where dropping columns leaves one, as here {kept[0]!r}")
    return notes
