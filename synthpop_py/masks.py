"""Masks: numbers with noise, values swapped between records, numeric data multiplied by a matrix.
Frames in, frames out.

Swapping and matrix masks are those of Duncan and Keller-McNulty (the latter also of Duncan and
Pearson).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from .arguments import check_flag, check_number, chosen_columns, column_named
from .core.arrays import Flags, Floats, Integers, Values
from .core.coding import encode, joint_codes
from .errors import DataWarning, InputError, unknown_name, warn, warning_once
from .release_seed import release_generator
from .tables.frames import FrameT, give_back
from .tables.opening import check_frame, plain_if_frame
from .tables.reading import read_column
from .utility.variables import special_numbers

if TYPE_CHECKING:
    import scipy

__all__ = ["add_noise", "matrix_mask", "swap", "swap_candidates", "swap_matrix"]

LARGEST = 2.0**62  # half of what 64 bits hold, to be safe from rounding


# ---- noise ---------------------------------------------------------------------------


@warning_once
def add_noise(
    original: FrameT,
    columns: Any,
    *,
    sd: float | Mapping[Hashable, float] | None = None,
    ratio: float | Mapping[Hashable, float] | None = None,
    correlated: bool = False,
    cont_na: Mapping[Any, Any] | None = None,
    seed: Any = None,
    reproducible: bool = False,
) -> FrameT:
    """Add normal noise with mean 0 to numeric columns.

    Parameters
    ----------
    original : DataFrame of pandas, polars or Arrow
        Not changed.
    columns : names or positions (from 1) of the columns to mask.
    sd : standard deviation of the noise, in the unit of the column: one number, or one for each
        column by name.
    ratio : the same as a multiple of the column's own standard deviation (n - 1, missing values
        left out). Give either `sd` or `ratio`.
    correlated : draw the noise of the columns together, with the columns' own correlations. If
        `ratio` is the same for all, the masked data then have, on average, the correlations of the
        original. These come from the records without a missing value in these columns.
    cont_na : special values of the columns, as in ``{"income": -8}``: codes, not amounts. They stay
        as they are and take no part in standard deviations and correlations. Columns that are not
        masked may be named too.
    seed : leave it out for a release; the operating system draws. Anyone who has the seed, a whole
        number or a numpy.random.Generator, can make the same data again and undo the release. A
        seed of fewer than 100 bits can be guessed and gives a warning; `secrets.randbits(128)`,
        kept secret, cannot be guessed.
    reproducible : True for teaching and tests, where nothing is released: a short seed then gives
        no warning.

    Returns
    -------
    DataFrame
        Of the kind given, with the same columns, types and row labels. Missing values stay missing.
        Columns of whole numbers are rounded to whole numbers, which adds about 1/12 to the variance
        of the noise.

    Examples
    --------
    >>> people = pd.DataFrame({"age": [30, 40, 50], "income": [900.0, 1500.0, None]})
    >>> masked = add_noise(people, ["age", "income"], ratio=0.1, seed=1, reproducible=True)
    >>> masked["age"].tolist(), masked["income"].isna().tolist(), str(masked["age"].dtype)
    ([30, 40, 51], [False, False, True], 'int64')

    A code for "no answer" stays a code:

    >>> answers = pd.DataFrame({"income": [900, -8, 1500]})
    >>> codes = {"income": -8}
    >>> noisy = add_noise(answers, "income", sd=9, cont_na=codes, seed=1, reproducible=True)
    >>> noisy["income"].tolist()
    [903, -8, 1503]

    With noise of variance 0 nothing changes:

    >>> add_noise(people, "income", sd=0.0).equals(people)
    True
    """
    frame = check_frame(original, "original")
    names = _numeric_columns("columns", columns, frame)
    special = special_numbers(cont_na, list(frame.columns))
    values = np.column_stack([_amounts(frame[name], special.get(name, ())) for name in names])
    spread = _spread(names, values, sd, ratio)
    generator = release_generator(seed, reproducible)
    noise = generator.standard_normal(values.shape)
    if check_flag("correlated", correlated) and len(names) > 1:
        noise = noise @ _root_of_correlations(names, values)
    masked = frame.copy()
    for j, name in enumerate(names):
        if spread[j] > 0:  # doubles would lose digits of very large whole numbers
            noisy = values[:, j] + spread[j] * noise[:, j]
            masked[name] = _as_column(frame[name], noisy, np.isnan(values[:, j]))
    return give_back(masked, original)


def _numeric_columns(argument: str, given: Any, frame: pd.DataFrame) -> list[Hashable]:
    """Names of columns of real numbers: neither truth values nor complex numbers."""
    names = chosen_columns(argument, given, list(frame.columns))
    if not names:
        choices = ", ".join(map(str, frame.columns))
        raise InputError(f"{argument}: is empty; choices: {choices}")
    types = pd.api.types
    for name in names:
        dtype = frame[name].dtype
        other = types.is_bool_dtype(dtype) or types.is_complex_dtype(dtype)
        if other or not types.is_numeric_dtype(dtype):
            raise InputError(
                f"{argument}: {name!r} is of type {dtype}, not numeric; give numeric columns, the"
                " others stay as they are (swap() is for categories)"
            )
    return names


def _amounts(column: pd.Series, codes: Sequence[float]) -> Floats:
    """A column as doubles; NaN for missing and special values."""
    values: Floats = column.to_numpy(dtype=np.float64, na_value=np.nan)
    if np.isinf(values).any():
        raise InputError(
            f"columns: {column.name!r} holds infinite values; replace them, for instance by missing"
            " values"
        )
    return np.where(np.isin(values, codes), np.nan, values) if codes else values


def _spread(names: Sequence[Hashable], values: Floats, sd: Any, ratio: Any) -> Floats:
    """Standard deviation of the noise of each column, shape (columns,)."""
    if (sd is None) == (ratio is None):
        number = "neither" if sd is None else "both"
        raise InputError(f"sd: give either sd or ratio, not {number}")
    if sd is not None:
        return _one_each("sd", sd, names)
    for name, known in zip(names, (~np.isnan(values)).sum(axis=0)):
        if known < 2:
            raise InputError(
                f"ratio: {name!r} has fewer than two values, so it has no standard deviation; give"
                " sd instead"
            )
    spread: Floats = np.nanstd(values, axis=0, ddof=1)
    return _one_each("ratio", ratio, names) * spread


def _one_each(argument: str, value: Any, names: Sequence[Hashable]) -> Floats:
    """One number for all columns, or a mapping that has one for each; shape (columns,)."""
    if not isinstance(value, Mapping):
        return np.full(len(names), check_number(argument, value, 0))
    for name in value:
        if name not in names:
            raise unknown_name(argument, name, names, "the columns to mask")
    for name in names:
        if name not in value:
            all_names = ", ".join(map(str, names))
            raise InputError(
                f"{argument}: has no value for {name!r}; give one number, or one for each of"
                f" {all_names}"
            )
    return np.array([check_number(f"{argument}[{name!r}]", value[name], 0) for name in names])


def _root_of_correlations(names: Sequence[Hashable], values: Floats) -> Floats:
    """A symmetric matrix L with L L = the correlations in records without a missing value; columns
    may depend on one another.
    """
    complete = values[~np.isnan(values).any(axis=1)]
    spread = complete.std(axis=0) if len(complete) > 1 else np.zeros(len(names))
    for name, of_column in zip(names, spread):
        if of_column == 0:
            raise InputError(
                f"correlated: {name!r} does not vary among the {len(complete)} records without"
                " missing values, so it has no correlations; mask it in a separate call"
            )
    squares, vectors = np.linalg.eigh(np.corrcoef(complete, rowvar=False))
    roots = np.sqrt(np.clip(squares, 0, None))
    root: Floats = vectors * roots @ vectors.T
    return root.T


def _as_column(original: pd.Series, values: Values, kept: Flags) -> pd.Series:
    """The masked values in the type of the original column, except for those that are kept: missing
    and special ones.
    """
    dtype = original.dtype
    if pd.api.types.is_integer_dtype(dtype):
        kind = np.dtype(getattr(dtype, "numpy_dtype", dtype))
        limits = np.iinfo(kind)
        whole = np.rint(values)
        beyond = (whole < limits.min) | (whole >= float(limits.max) + 1)
        if (beyond & ~kept).any():
            raise InputError(
                f"columns: with noise, {original.name!r} would exceed the range of {dtype}; "
                "convert it to a wider type, for instance with .astype(float)"
            )
        values = np.where(kept, 0, whole).astype(kind)
    masked = pd.Series(values, index=original.index).astype(dtype)
    return original.where(kept, masked) if kept.any() else masked


# ---- swapping ------------------------------------------------------------------------


@warning_once
def swap(
    original: FrameT,
    keys: Any,
    attribute: Any,
    rate: float,
    *,
    protected: Any = None,
    seed: Any = None,
    reproducible: bool = False,
) -> FrameT:
    """Swap the protected variables of records that are unique in their area with records elsewhere
    that have the same keys.

    Pairs are made first, each record in at most one pair. Every candidate gets a partner drawn
    evenly from the records with the same keys; the partner may be a candidate or not. A record that
    is not a candidate moves only as the partner of a candidate. Then each pair is swapped with
    probability `rate`, independently. If an odd number of records share their keys, one that is not
    a candidate stays out. If all of them are candidates, three form a ring: each takes the values
    of the next, together or not at all. So every candidate with a partner gets the values of a
    record in another area with probability exactly `rate`, and no swap undoes another. A snooper
    who links such a candidate has the correct person's values with probability 1 - rate, as in
    `swapping_ru`. The values may still be equal by chance.

    **A candidate without a partner is never swapped**, whatever the rate, and stays as exposed as
    in the original: `swap_candidates` lists them. If nobody at all can be swapped, the original
    comes back, and a `DataWarning` says so.

    Keys and attribute stay as they are, and so do all counts of keys by attribute. In the paper's
    notation the mask is M = W X with a product of transpositions W that works on the protected
    columns (see `swap_matrix`; a ring is the product of two).

    Parameters
    ----------
    original : DataFrame of pandas, polars or Arrow
        Not changed.
    keys : names or positions (from 1) of the swapping keys, what a snooper may know.
    attribute : name or position of the swapping attribute, such as a geographical area.
    rate : probability that a candidate with a partner is swapped, from 0 to 1.
    protected : names or positions of the columns that are swapped; by default all except keys and
        attribute.
    seed : leave it out for a release; the operating system draws. Anyone who has the seed, a whole
        number or a numpy.random.Generator, can make the same data again and undo the release. A
        seed of fewer than 100 bits can be guessed and gives a warning; `secrets.randbits(128)`,
        kept secret, cannot be guessed.
    reproducible : True for teaching and tests, where nothing is released: a short seed then gives
        no warning.

    Returns
    -------
    DataFrame
        Of the kind given, with the same columns, types and row labels. Missing values of keys and
        attribute are a value like any other; those of protected variables move with their record.

    Examples
    --------
    The paper's five people. The 37-year-old in area 11 is a candidate and exchanges incomes with
    one of the two in area 12.

    >>> people = pd.DataFrame({"age": [37, 43, 43, 37, 37], "area": [11, 11, 11, 12, 12]})
    >>> people["income"] = [89, 46, 32, 55, 40]
    >>> swap(people, "age", "area", rate=1, seed=1, reproducible=True)["income"].tolist()
    [40, 46, 32, 55, 89]
    >>> swap(people, "age", "area", rate=0)["income"].tolist()
    [89, 46, 32, 55, 40]
    """
    frame = check_frame(original, "original")
    names, attribute = _keys_and_attribute(frame, keys, attribute)
    columns = _protected(list(frame.columns), protected, [*names, attribute])
    rate = check_number("rate", rate, 0, 1)
    generator = release_generator(seed, reproducible)
    group, candidate, _ = find_groups(frame, names, attribute)
    to, source, unit = plan_moves(group, candidate, generator)
    units = int(unit.max(initial=-1)) + 1
    if rate > 0 and not units:
        named = ", ".join(map(str, names))
        warn(
            "swap() gives the data back as they were: nobody is alone with their keys"
            f" ({named}) in their {attribute} and has a partner elsewhere. masks.swap_candidates()"
            " says who could be swapped; other keys give other candidates.",
            DataWarning,
        )
    swapped = (generator.random(units) < rate)[unit]
    taken = np.arange(len(frame))
    taken[to[swapped]] = source[swapped]
    masked = frame.copy()
    for name in columns:
        masked[name] = frame[name].iloc[taken].set_axis(frame.index)
    return give_back(masked, original)


@warning_once
def swap_candidates(original: FrameT, keys: Any, attribute: Any) -> FrameT:
    """Which records `swap` would consider; the arguments are the same.

    Returns
    -------
    DataFrame
        Of the kind given; one row per record, with the row labels of `original`. Columns: candidate
        (alone with its keys in its area), partners (records elsewhere with the same keys; those of
        a candidate may be drawn as its partner), exposed (a candidate without a partner: `swap`
        never moves it, at any rate, so mask it in another way).

    Examples
    --------
    The paper's five people, and an 80-year-old without a partner:

    >>> people = pd.DataFrame({"age": [37, 43, 43, 37, 37, 80], "area": [11, 11, 11, 12, 12, 12]})
    >>> swap_candidates(people, "age", "area")
       candidate  partners  exposed
    0       True         2    False
    1      False         0    False
    2      False         0    False
    3      False         1    False
    4      False         1    False
    5       True         0     True
    """
    frame = check_frame(original, "original")
    names, attribute = _keys_and_attribute(frame, keys, attribute)
    _, candidate, partners = find_groups(frame, names, attribute)
    exposed = candidate & (partners == 0)
    columns = {"candidate": candidate, "partners": partners, "exposed": exposed}
    return give_back(pd.DataFrame(columns, index=frame.index), original)


def _keys_and_attribute(
    data: pd.DataFrame, keys: Any, attribute: Any
) -> tuple[list[Hashable], Hashable]:
    if not len(data):
        raise InputError("original: has no rows, so there is nobody to swap")
    columns = list(data.columns)
    names = chosen_columns("keys", keys, columns)
    if not names:
        choices = ", ".join(map(str, columns))
        raise InputError(f"keys: none given; choices: {choices}")
    name = column_named("attribute", attribute, columns, "the data")
    if name in names:
        raise InputError(
            f"attribute: {name!r} is also one of the keys; a candidate and its partner share the"
            " keys, so nothing could be swapped"
        )
    return names, name


def _protected(
    columns: list[Hashable], protected: Any, fixed: Sequence[Hashable]
) -> list[Hashable]:
    moved = [name for name in columns if name not in fixed]
    if protected is not None:
        moved = chosen_columns("protected", protected, columns)
    for name in moved:
        if name in fixed:
            raise InputError(
                f"protected: {name!r} is a key or the attribute; those stay in place, "
                "protected columns move"
            )
    if not moved:
        raise InputError(
            "protected: no column is left to be swapped; give at least one column besides keys and"
            " attribute"
        )
    return moved


def find_groups(
    data: pd.DataFrame, keys: Sequence[Hashable], attribute: Hashable
) -> tuple[Integers, Flags, Integers]:
    """For each record the number of its group, those with its keys; whether it is a candidate,
    alone with its keys in its area; and how many partners it has, records of its group elsewhere.
    """
    group = _numbers(data, keys)
    area = _numbers(data, [*keys, attribute])
    in_area = np.bincount(area)[area]
    return group, in_area == 1, np.bincount(group)[group] - in_area


def _numbers(data: pd.DataFrame, names: Sequence[Hashable]) -> Integers:
    """One number for each record, the same where all these columns are the same; without gaps."""
    variables = []
    for name in names:
        column = read_column(data[name], f"original, column {name!r}")
        variables.append(encode(str(name), [column]))
    (codes,), _ = joint_codes(variables)
    return np.unique(codes, return_inverse=True)[1].reshape(-1)


def plan_moves(
    group: Integers, candidate: Flags, generator: np.random.Generator
) -> tuple[Integers, Integers, Integers]:
    """Which record takes the values of which, and the number of the unit that makes both moves or
    neither; each of shape (moves,). Units are pairs, and rings of three, drawn at random; every one
    holds a candidate, no record is in two, every candidate with a partner is in one.

    All records of a group can be partners of a candidate in it, so a shuffled group cut into pairs
    gives every candidate a partner drawn evenly from the others. Of an odd group of candidates the
    first three make a ring.
    """
    size = np.bincount(group)
    candidates = np.bincount(group, weights=candidate)
    moving = ((size > 1) & (candidates > 0))[group]
    members = np.flatnonzero(moving)
    # of an odd group that holds others than candidates one of these, drawn evenly, stays out: they
    # come last in their group, in random order
    by_group = (generator.random(len(members)), ~candidate[members], group[members])
    members = members[np.lexsort(by_group)]
    last = members[np.diff(group[members], append=-1) != 0]
    odd = size[group[last]] % 2 == 1
    left_over = last[odd & ~candidate[last]]
    moving[left_over] = False
    paired = np.flatnonzero(moving)
    records = paired[np.lexsort((generator.random(len(paired)), group[paired]))]
    unit = _units(group[records])
    needed = np.bincount(unit, weights=candidate[records])[unit] > 0
    records, unit = records[needed], unit[needed]
    # each record takes from the next of its unit, the last from the first
    first = np.diff(unit, prepend=-1) != 0
    last_of_unit = np.diff(unit, append=-1) != 0
    source = np.roll(records, -1)
    source[last_of_unit] = records[first]
    return records, source, np.cumsum(first) - 1


def _units(group: Integers) -> Integers:
    """Numbers of pairs along groups that lie together; the first three of an odd group have one
    number.

    >>> _units(np.array([5, 5, 5, 5, 5, 8, 8])).tolist()
    [0, 0, 0, 1, 1, 2, 2]
    """
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    sizes = np.diff(starts, append=len(group))
    nth = np.arange(len(group)) - np.repeat(starts, sizes)
    odd = np.repeat(sizes % 2 == 1, sizes)
    within = np.where(odd, np.maximum(nth - 1, 0), nth) // 2
    pairs = sizes // 2
    unit: Integers = within + np.repeat(np.cumsum(pairs) - pairs, sizes)
    return unit


# ---- matrices ------------------------------------------------------------------------


@warning_once
def matrix_mask(
    original: FrameT, A: Any = None, B: Any = None, C: Any = None, *, columns: Any = None
) -> FrameT:
    """M = A X B + C, where X are numeric columns of the data.

    A works on the records (averages of groups, swaps, a selection), B on the variables (rotation,
    dropping), C is added (noise, a shift).

    Nothing is drawn here, so there is no seed: the mask is as secret as A, B and C. Anyone who
    knows them can undo whatever can be inverted. Draw secret values with
    ``numpy.random.default_rng()``, without a seed.

    Parameters
    ----------
    original : DataFrame of pandas, polars or Arrow
        Not changed.
    A : array, shape (records out, records), or a scipy sparse matrix; None for no change of
        records.
    B : array or DataFrame, shape (variables, variables out); None for no change of variables. The
        columns of a DataFrame name the new variables.
    C : array of the shape of M, or anything that numpy broadcasts to it, such as one number; None
        for 0.
    columns : names or positions (from 1) of the columns that make X; all of them by default. The
        others stay as they are. To protect people by swapping rows, X must hold only the protected
        columns: with all columns in X a swap only reorders whole records.

    Returns
    -------
    DataFrame
        Of the kind given, with the row labels of `original`, unless A changes the number of
        records. Columns keep their names, unless B changes their number; then they are called m1,
        m2, ... or as the columns of B. If everything is whole numbers, so is the result, as long as
        64 bits hold them and all intermediate sums; otherwise it is float64.

    Examples
    --------
    Three records, the first two replaced by their mean:

    >>> X = pd.DataFrame({"x": [1.0, 3.0, 5.0], "y": [0.0, 2.0, 9.0]})
    >>> matrix_mask(X, A=[[0.5, 0.5, 0], [0.5, 0.5, 0], [0, 0, 1]]).to_numpy().tolist()
    [[2.0, 1.0], [2.0, 1.0], [5.0, 9.0]]

    The sum of the two variables, with 10 added:

    >>> matrix_mask(X, B=pd.DataFrame({"sum": [1, 1]}), C=10)["sum"].tolist()
    [11.0, 15.0, 24.0]
    """
    frame = check_frame(original, "original")
    B = plain_if_frame(B, "B")
    names = _numeric_columns("columns", list(frame.columns) if columns is None else columns, frame)
    X = _matrix(frame[names], spreads=A is not None or B is not None)
    left = None if A is None else _checked("A", A, 1, len(X), "columns, one for each record")
    right = None if B is None else _checked("B", B, 0, len(names), "rows, one for each variable")
    if X.dtype.kind == "i" and _may_leave_64_bits(left, X, right, C):
        X = X.astype(np.float64)
    masked = _product(left, X, right)
    if C is not None:
        masked = masked + _shift(C, masked.shape)
    if masked.dtype.kind not in "iu":
        masked = masked.astype(np.float64)
    if isinstance(B, pd.DataFrame):
        new_names = list(B.columns)
    elif masked.shape[1] == len(names):
        new_names = names
    else:
        new_names = [f"m{j}" for j in range(1, masked.shape[1] + 1)]
    return give_back(_framed(frame, names, masked, new_names), original)


@warning_once
def swap_matrix(n: int, pairs: Sequence[tuple[int, int]]) -> scipy.sparse.csr_matrix:
    """The matrix W = product of W_ij that exchanges the rows i and j of each pair, one pair after
    the other; sparse, shape (n, n).

    As A of `matrix_mask`, with the protected columns as X, it swaps their values.

    Parameters
    ----------
    n : number of records.
    pairs : positions (from 0) of records to be exchanged. The last pair is exchanged first, as in
        the matrix product; this matters only where a record is in several.

    Examples
    --------
    >>> people = pd.DataFrame({"age": [37, 43, 43, 37, 37], "income": [89, 46, 32, 55, 40]})
    >>> matrix_mask(people, A=swap_matrix(5, [(0, 3)]), columns="income")
       age  income
    0   37      55
    1   43      46
    2   43      32
    3   37      89
    4   37      40
    """
    import scipy

    source = np.arange(n)
    for i, j in reversed(list(pairs)):
        if not (0 <= i < n and 0 <= j < n):
            raise InputError(
                f"pairs: ({i}, {j}) is outside the {n} records; give positions from 0 to {n - 1}"
            )
        source[[i, j]] = source[[j, i]]
    ones = np.ones(n, dtype=np.int64)
    return scipy.sparse.csr_matrix((ones, (np.arange(n), source)), shape=(n, n))


def _matrix(X: pd.DataFrame, spreads: bool) -> Values:
    """Integers if all columns hold only integers, doubles otherwise. `spreads`: A or B is given, so
    a missing value would not stay where it is.
    """
    missing = [name for name in X.columns if X[name].isna().any()]
    if missing and spreads:
        raise InputError(
            f"original: {missing[0]!r} has missing values, which A or B would spread to other"
            " records or variables; fill them in or leave their records out first"
        )
    whole = all(pd.api.types.is_integer_dtype(dtype) for dtype in X.dtypes)
    if whole and not missing:
        integers: Values = X.to_numpy(dtype=np.int64)
        return integers
    doubles: Values = X.to_numpy(dtype=np.float64, na_value=np.nan)
    return doubles


def _checked(argument: str, value: Any, axis: int, length: int, what: str) -> Any:
    """A matrix with the length that X asks for."""
    matrix = _numbers_of(argument, value)
    if matrix.ndim != 2 or matrix.shape[axis] != length:
        shape = tuple(matrix.shape)
        raise InputError(f"{argument}: has the shape {shape}; it needs {length} {what}")
    return matrix


def _numbers_of(argument: str, value: Any) -> Any:
    """An array, or a sparse matrix, of finite numbers."""
    import scipy

    if scipy.sparse.issparse(value):
        matrix = value.tocsr()
        numbers = matrix.data
    else:
        try:
            array = np.asarray(value)
            numbers = matrix = array if array.dtype.kind in "iuf" else array.astype(np.float64)
        except (TypeError, ValueError):
            kind = type(value).__name__
            raise InputError(f"{argument}: {kind} is not a matrix of numbers") from None
    if not np.isfinite(numbers).all():
        raise InputError(f"{argument}: holds missing or infinite values")
    return matrix


def _shift(C: Any, shape: tuple[int, ...]) -> Values:
    """C, stretched to the shape of M."""
    matrix = _numbers_of("C", C)
    dense: Values = matrix if isinstance(matrix, np.ndarray) else matrix.toarray()
    try:
        return np.broadcast_to(dense, shape)
    except ValueError:
        raise InputError(
            f"C: has the shape {dense.shape}; it needs {shape}, records by variables, or one number"
        ) from None


def _product(left: Any, X: Values, right: Any) -> Values:
    """A X B; None for no change."""
    product = X if left is None else left @ X
    return np.asarray(product if right is None else product @ right)


def _may_leave_64_bits(left: Any, X: Integers, right: Any, C: Any) -> bool:
    """Whether some sum of the product may exceed 64-bit integers, which would wrap silently:
    computed in doubles, with all terms positive.
    """
    left, right = (None if side is None else abs(side).astype(np.float64) for side in (left, right))
    sizes = _product(left, np.abs(X.astype(np.float64)), right)
    largest = sizes.max(initial=0.0)
    if C is not None:
        largest += np.abs(_shift(C, sizes.shape).astype(np.float64)).max(initial=0.0)
    return bool(largest >= LARGEST)


def _framed(
    data: pd.DataFrame, names: list[Hashable], values: Values, new_names: list[Hashable]
) -> pd.DataFrame:
    """The masked variables in place of the old ones, the other columns as they were."""
    others = [name for name in data.columns if name not in names]
    if len(values) != len(data):
        if others:
            raise InputError(
                f"A: makes {len(values)} records of {len(data)}, so {others[0]!r} and other columns"
                " outside X cannot be kept; leave them out first"
            )
        return pd.DataFrame(values, columns=new_names)
    masked = pd.DataFrame(values, columns=new_names, index=data.index)
    if new_names == names:
        in_order = [masked[[name]] if name in names else data[[name]] for name in data.columns]
        return pd.concat(in_order, axis=1)
    for name in new_names:
        if name in others:
            raise InputError(
                f"B: names a new variable {name!r}, which is also a column outside X; rename it"
            )
    return pd.concat([data[others], masked], axis=1)
