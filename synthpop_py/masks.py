"""Masks: numbers with noise, values swapped between records, numeric data multiplied by a matrix.
Frames in, frames out: of the kind given, with the same columns, types and row labels.

Swapping and matrix masks are those of Duncan and Keller-McNulty (the latter also of Duncan and
Pearson).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from .arguments import check_flag, check_number, chosen_columns, column_named
from .core.arrays import LARGEST_EXACT, Flags, Floats, Integers, Values, numbered_by_table
from .core.coding import encode, joint_codes
from .errors import DataWarning, InputError, some, warn, warning_once
from .release_seed import release_generator
from .tables.frames import FrameT, give_back
from .tables.opening import check_frame, plain_if_frame
from .tables.reading import read_column
from .utility.variables import special_numbers

if TYPE_CHECKING:
    import scipy

__all__ = ["add_noise", "matrix_mask", "swap", "swap_candidates", "swap_matrix"]


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
    """Add normal noise with mean 0 to numeric columns. Missing values stay missing. Columns of
    whole numbers are rounded, which adds about 1/12 to the variance of the noise.

    Parameters
    ----------
    original : DataFrame of pandas, polars or Arrow; not changed.
    columns : names or positions (from 1) of the columns to mask.
    sd, ratio : standard deviation of the noise, or a multiple of the column's own (n - 1, missing
        values left out): one number, or one for each column by name.
    correlated : draw noise with the columns' own correlations, those of records without a missing
        value. With one `ratio` for all, the masked data keep these correlations on average.
    cont_na : special values, as in ``{"income": -8}``: codes that stay as they are and take no part
        in standard deviations and correlations.
    seed, reproducible : leave both out for a release, see `synthpop_py.release_seed`.

    Examples
    --------
    >>> answers = pd.DataFrame({"income": [900, -8, 1500]})
    >>> codes = {"income": -8}
    >>> noisy = add_noise(answers, "income", sd=9, cont_na=codes, seed=1, reproducible=True)
    >>> noisy["income"].tolist()
    [903, -8, 1503]
    """
    frame = check_frame(original, "original")
    names = _numeric_columns(columns, frame)
    special = special_numbers(cont_na, list(frame.columns))
    amounts = [_amounts(frame[name], special.get(name, ())) for name in names]
    values = np.column_stack(amounts)
    spread = _spread(names, values, sd, ratio)
    generator = release_generator(seed, reproducible)
    noise = generator.standard_normal(values.shape)
    together = check_flag("correlated", correlated)
    if together and len(names) > 1:
        noise = noise @ _root_of_correlations(names, values)
    masked = frame.copy()
    noisy = values + spread * noise
    for j, name in enumerate(names):
        if spread[j] > 0:  # doubles would lose digits of very large whole numbers
            column = noisy[:, j]
            masked[name] = _as_column(frame[name], column)
    return give_back(masked, original)


def _numeric_columns(given: Any, frame: pd.DataFrame) -> list[Hashable]:
    """Names of columns of real numbers: neither truth values nor complex numbers."""
    names = chosen_columns("columns", given, list(frame.columns))
    if not names:
        raise InputError(f"columns: is empty; choices: {some(list(frame.columns))}")
    types = pd.api.types
    for name in names:
        dtype = frame[name].dtype
        other = types.is_bool_dtype(dtype) or types.is_complex_dtype(dtype)
        if other or not types.is_numeric_dtype(dtype):
            raise InputError(
                f"columns: {name!r} is of type {dtype}, not numeric; give numeric columns, the"
                " others stay as they are (swap() is for categories)"
            )
    return names


def _amounts(column: pd.Series, codes: Sequence[float]) -> Floats:
    """A column as doubles; NaN for missing and special values."""
    values: Floats = column.to_numpy(dtype=np.float64, na_value=np.nan)
    if np.isinf(values).any():
        raise InputError(f"columns: {column.name!r} holds infinite values; replace them")
    return np.where(np.isin(values, codes), np.nan, values)


def _spread(names: Sequence[Hashable], values: Floats, sd: Any, ratio: Any) -> Floats:
    """Standard deviation of the noise of each column, shape (columns,)."""
    if (sd is None) == (ratio is None):
        number = "neither" if sd is None else "both"
        raise InputError(f"sd: give either sd or ratio, not {number}")
    if ratio is None:
        return _one_each("sd", sd, names)
    known = (~np.isnan(values)).sum(axis=0)
    if known.min() < 2:
        name = names[int(known.argmin())]
        raise InputError(
            f"ratio: {name!r} has fewer than two values, so it has no standard deviation; give sd"
            " instead"
        )
    own: Floats = np.nanstd(values, axis=0, ddof=1)
    return _one_each("ratio", ratio, names) * own


def _one_each(argument: str, value: Any, names: Sequence[Hashable]) -> Floats:
    """One number for all columns, or a mapping that has one for each; shape (columns,)."""
    if not isinstance(value, Mapping):
        return np.full(len(names), check_number(argument, value, 0))
    if set(value) != set(names):
        given = ", ".join(map(repr, value))
        raise InputError(
            f"{argument}: has values for {given}; give one number, or one for each of the columns"
            f" to mask: {', '.join(map(repr, names))}"
        )
    return np.array([check_number(f"{argument}[{name!r}]", value[name], 0) for name in names])


def _root_of_correlations(names: Sequence[Hashable], values: Floats) -> Floats:
    """A symmetric matrix L with L L = the correlations in records without a missing value; columns
    may depend on one another.
    """
    lacking = np.isnan(values).any(axis=1)
    complete = values[~lacking]
    varies = np.zeros(len(names), dtype=bool)
    if len(complete):
        varies = np.ptp(complete, axis=0) > 0
    if not varies.all():
        name = names[int(varies.argmin())]
        raise InputError(
            f"correlated: {name!r} does not vary among the {len(complete)} records without missing"
            " values, so it has no correlations; mask it in a separate call"
        )
    squares, vectors = np.linalg.eigh(np.corrcoef(complete, rowvar=False))
    roots = np.sqrt(np.clip(squares, 0, None))
    root: Floats = vectors * roots @ vectors.T
    return root.T


def _as_column(original: pd.Series, values: Floats) -> pd.Series:
    """The masked values in the type of the original column; where they are NaN, the original."""
    dtype, kept = original.dtype, np.isnan(values)
    numbers: Values = values
    if pd.api.types.is_integer_dtype(dtype):
        kind = np.dtype(getattr(dtype, "numpy_dtype", dtype))
        limits = np.iinfo(kind)
        whole = np.where(kept, 0, np.rint(values))
        end = float(limits.max) + 1
        inside = (whole >= limits.min) & (whole < end)
        if not inside.all():
            raise InputError(
                f"columns: with noise, {original.name!r} would exceed the range of {dtype}; "
                "convert it to a wider type, for instance with .astype(float)"
            )
        numbers = whole.astype(kind)
    masked = pd.Series(numbers, index=original.index).astype(dtype)
    return original.where(kept, masked) if kept.any() else masked


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
    that have the same keys. Keys and attribute stay as they are.

    Each candidate gets a partner drawn evenly from the records with the same keys, candidates or
    not, and each pair is swapped with probability `rate`, independently. If an odd number of
    records share their keys, one that is not a candidate stays out; if all are candidates, three
    form a ring. So every candidate with a partner gets the values of a record in another area with
    probability exactly `rate`, and a snooper who links it has the correct person's values with
    probability 1 - rate, as in `swapping_ru`. The values may still be equal by chance.

    **A candidate without a partner is never swapped** and stays as exposed as in the original:
    `swap_candidates` lists them. If nobody at all can be swapped, a `DataWarning` says so.

    Parameters
    ----------
    original : DataFrame of pandas, polars or Arrow; not changed.
    keys : names or positions (from 1) of the swapping keys, what a snooper may know.
    attribute : name or position of the swapping attribute, such as an area. Missing values of keys
        and attribute are a value like any other.
    rate : probability that a candidate with a partner is swapped, from 0 to 1.
    protected : names or positions of the columns that are swapped; by default all except keys and
        attribute.
    seed, reproducible : leave both out for a release, see `synthpop_py.release_seed`.

    Examples
    --------
    The paper's five people. The 37-year-old in area 11 is a candidate and exchanges incomes with
    one of the two in area 12.

    >>> people = pd.DataFrame({"age": [37, 43, 43, 37, 37], "area": [11, 11, 11, 12, 12]})
    >>> people["income"] = [89, 46, 32, 55, 40]
    >>> swap(people, "age", "area", rate=1, seed=1, reproducible=True)["income"].tolist()
    [40, 46, 32, 55, 89]
    """
    frame = check_frame(original, "original")
    fixed, group, candidate, _ = find_groups(frame, keys, attribute)
    columns = [name for name in frame.columns if name not in fixed]
    if protected is not None:
        columns = chosen_columns("protected", protected, list(frame.columns))
    wrong = set(columns) & set(fixed)
    if wrong or not columns:
        raise InputError(
            "protected: give at least one column besides keys and attribute, which stay in place:"
            f" {', '.join(map(repr, fixed))}"
        )
    rate = check_number("rate", rate, 0, 1)
    generator = release_generator(seed, reproducible)
    to, source, unit = plan_moves(group, candidate, generator)
    units = 1 + int(unit.max(initial=-1))
    if rate > 0 and not units:
        warn(
            "swap() gives the data back as they were: nobody is alone with their keys"
            f" ({some(fixed[:-1])}) in their {fixed[-1]} and has a partner elsewhere; other keys"
            " give other candidates",
            DataWarning,
        )
    swapped = (generator.random(units) < rate)[unit]
    taken = np.arange(len(frame))
    taken[to[swapped]] = source[swapped]
    masked = frame.copy()
    for name in columns:
        values = frame[name].iloc[taken]
        masked[name] = values.set_axis(frame.index)
    return give_back(masked, original)


@warning_once
def swap_candidates(original: FrameT, keys: Any, attribute: Any) -> FrameT:
    """Which records `swap` would consider; the arguments are the same.

    One row per record, with the columns candidate (alone with its keys in its area), partners
    (records elsewhere with the same keys), exposed (a candidate without a partner: `swap` never
    moves it, so mask it in another way).

    Examples
    --------
    Three of the paper's five people, and an 80-year-old without a partner:

    >>> people = pd.DataFrame({"age": [37, 37, 37, 80], "area": [11, 12, 12, 12]})
    >>> swap_candidates(people, "age", "area")
       candidate  partners  exposed
    0       True         2    False
    1      False         1    False
    2      False         1    False
    3       True         0     True
    """
    frame = check_frame(original, "original")
    _, _, candidate, partners = find_groups(frame, keys, attribute)
    exposed = candidate & (partners == 0)
    columns = {"candidate": candidate, "partners": partners, "exposed": exposed}
    return give_back(pd.DataFrame(columns, index=frame.index), original)


def find_groups(
    data: pd.DataFrame, keys: Any, attribute: Any
) -> tuple[list[Hashable], Integers, Flags, Integers]:
    """Names of the keys and the attribute; for each record the number of its group, those with its
    keys; whether it is a candidate, alone with its keys in its area; and how many partners it has,
    records of its group elsewhere.
    """
    if not len(data):
        raise InputError("original: has no rows, so there is nobody to swap")
    columns = list(data.columns)
    names = chosen_columns("keys", keys, columns)
    area = column_named("attribute", attribute, columns, "the data")
    if not names or area in names:
        raise InputError(
            f"keys: {keys!r} cannot be used with the attribute {area!r}; name at least one key,"
            " and none that is the attribute"
        )
    group, in_group = _groups(data, names)
    _, in_area = _groups(data, [*names, area])
    return [*names, area], group, in_area == 1, in_group - in_area


def _groups(data: pd.DataFrame, names: list[Hashable]) -> tuple[Integers, Integers]:
    """The number of each record's group, those alike in these columns, and how many they are."""
    columns = [read_column(data[name], f"original, column {name!r}") for name in names]
    (codes,), _ = joint_codes([encode("", [column]) for column in columns])
    _, group = numbered_by_table(codes) or np.unique(codes, return_inverse=True)
    size = np.bincount(group)
    return group, size[group]


def plan_moves(
    group: Integers, candidate: Flags, generator: np.random.Generator
) -> tuple[Integers, Integers, Integers]:
    """Which record takes the values of which, and the number of the pair or ring that moves
    together; each of shape (moves,). Every one holds a candidate, no record is in two, every
    candidate with a partner is in one.

    All records of a group can be partners of a candidate in it, so a shuffled group cut into pairs
    gives every candidate a partner drawn evenly from the others.
    """
    size = np.bincount(group)
    candidates = np.bincount(group, weights=candidate)
    can_swap = (size > 1) & (candidates > 0)
    moving = can_swap[group]
    members = np.flatnonzero(moving)
    # of an odd group that holds others than candidates one of these, drawn evenly, stays out: they
    # come last in their group, in random order
    drawn = generator.random(len(members))
    order = np.lexsort((drawn, ~candidate[members], group[members]))
    members = members[order]
    ends = np.diff(group[members], append=-1)
    last = members[ends != 0]
    odd = size[group[last]] % 2
    stays = ~candidate[last] & (odd == 1)
    moving[last[stays]] = False
    paired = np.flatnonzero(moving)
    drawn = generator.random(len(paired))
    order = np.lexsort((drawn, group[paired]))
    records = paired[order]
    unit = _units(group[records])
    candidates = np.bincount(unit, weights=candidate[records])
    needed = candidates[unit] > 0
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
    pairs = sizes // 2
    pairs_before = np.cumsum(pairs) - pairs
    nth = np.arange(len(group)) - np.repeat(starts, sizes)
    odd = np.repeat(sizes % 2, sizes)
    within = np.maximum(nth - odd, 0) // 2
    unit: Integers = within + np.repeat(pairs_before, sizes)
    return unit


@warning_once
def matrix_mask(
    original: FrameT, A: Any = None, B: Any = None, C: Any = None, *, columns: Any = None
) -> FrameT:
    """M = A X B + C, where X are numeric columns of the data.

    A works on the records (averages of groups, swaps, a selection), B on the variables (rotation,
    dropping), C is added (noise, a shift). Whoever knows them can undo what can be inverted. The
    result has the row labels of `original`, unless A changes the number of records. Where
    everything is whole numbers, none of them above 2^53 on the way, so is the result.

    Parameters
    ----------
    original : DataFrame of pandas, polars or Arrow; not changed.
    A : array, shape (records out, records), or a scipy sparse matrix; None for no change.
    B : array or DataFrame, shape (variables, variables out); None for no change. New variables are
        called m1, m2, ... or as the columns of B.
    C : array of the shape of M, or anything that numpy broadcasts to it; None for 0.
    columns : names or positions (from 1) of the columns that make X, by default all; others stay as
        they are. To protect people by swapping rows, X must hold only the protected columns: with
        all columns in X a swap only reorders whole records.

    Examples
    --------
    Three records, the first two replaced by their mean:

    >>> X = pd.DataFrame({"x": [1.0, 3.0, 5.0], "y": [0.0, 2.0, 9.0]})
    >>> matrix_mask(X, A=[[0.5, 0.5, 0], [0.5, 0.5, 0], [0, 0, 1]]).to_numpy().tolist()
    [[2.0, 1.0], [2.0, 1.0], [5.0, 9.0]]
    """
    frame = check_frame(original, "original")
    B = plain_if_frame(B, "B")
    chosen = list(frame.columns) if columns is None else columns
    names = _numeric_columns(chosen, frame)
    X = frame[names].to_numpy(dtype=np.float64, na_value=np.nan)
    missing = np.isnan(X).any(axis=0)
    spreads = A is not None or B is not None
    if spreads and missing.any():
        name = names[int(missing.argmax())]
        raise InputError(
            f"original: {name!r} has missing values, which A or B would spread to other records or"
            " variables; fill them in or leave their records out first"
        )
    left = _numbers_of("A", A, (None, len(X)))
    right = _numbers_of("B", B, (len(names), None))
    shift = _numbers_of("C", C)
    masked = _masked(X, left, right, shift)
    dtypes = [*frame[names].dtypes, *(m.dtype for m in (left, right, shift) if m is not None)]
    if all(map(pd.api.types.is_integer_dtype, dtypes)):
        sizes = [None if one is None else abs(one) for one in (left, right, shift)]
        largest = _masked(abs(X), *sizes).max(initial=0.0)
        if largest <= LARGEST_EXACT:
            masked = masked.astype(np.int64)
    new_names = names
    if isinstance(B, pd.DataFrame):
        new_names = list(B.columns)
    elif masked.shape[1] != len(names):
        new_names = [f"m{j}" for j in range(1, masked.shape[1] + 1)]
    return give_back(_framed(frame, names, masked, new_names), original)


@warning_once
def swap_matrix(n: int, pairs: Sequence[tuple[int, int]]) -> scipy.sparse.csr_matrix:
    """The matrix W = product of W_ij that exchanges the rows i and j (from 0) of each pair, the
    last pair first; sparse, shape (n, n). As A of `matrix_mask`, with the protected columns as X,
    it swaps their values.

    Examples
    --------
    >>> people = pd.DataFrame({"age": [37, 43, 37], "income": [89, 46, 55]})
    >>> matrix_mask(people, A=swap_matrix(3, [(0, 2)]), columns="income")["income"].tolist()
    [55, 46, 89]
    """
    import scipy

    source = np.arange(n)
    for i, j in reversed(list(pairs)):
        if min(i, j) < 0 or max(i, j) >= n:
            raise InputError(
                f"pairs: ({i}, {j}) is outside the {n} records; give positions from 0 to {n - 1}"
            )
        source[[i, j]] = source[[j, i]]
    ones = np.ones(n, dtype=np.int64)
    return scipy.sparse.csr_matrix((ones, (np.arange(n), source)), shape=(n, n))


def _numbers_of(argument: str, value: Any, shape: tuple[Any, ...] = ()) -> Any:
    """None, an array, or a sparse matrix, of finite numbers and with these lengths."""
    if value is None:
        return None
    matrix = value.tocsr() if hasattr(value, "tocsr") else np.asarray(value)
    if matrix.dtype.kind not in "iuf":
        try:
            matrix = matrix.astype(np.float64)
        except (TypeError, ValueError):
            kind = type(value).__name__
            raise InputError(f"{argument}: {kind} is not a matrix of numbers") from None
    numbers = matrix.data if hasattr(value, "tocsr") else matrix
    if not np.isfinite(numbers).all():
        raise InputError(f"{argument}: holds missing or infinite values")
    wrong = [n for n, known in zip(matrix.shape, shape) if known not in (None, n)]
    if shape and (wrong or len(matrix.shape) != 2):
        what = "(any, {1})" if shape[0] is None else "({0}, any)"
        raise InputError(
            f"{argument}: has the shape {matrix.shape}; it needs {what.format(*shape)}, X has"
            " records by variables"
        )
    return matrix


def _masked(X: Floats, A: Any, B: Any, C: Any) -> Floats:
    """A X B + C in doubles; None for no change."""
    product = X if A is None else A.astype(np.float64) @ X
    if B is not None:
        product = product @ B.astype(np.float64)
    if C is None:
        return np.asarray(product)
    dense = C.toarray() if hasattr(C, "toarray") else C
    try:
        shift = np.broadcast_to(dense, product.shape)
    except ValueError:
        raise InputError(
            f"C: has the shape {dense.shape}; it needs {product.shape}, records by variables, or"
            " one number"
        ) from None
    return np.asarray(product + shift)


def _framed(
    data: pd.DataFrame, names: list[Hashable], values: Values, new_names: list[Hashable]
) -> pd.DataFrame:
    """The masked variables in place of the old ones, the other columns as they were."""
    others = [name for name in data.columns if name not in names]
    same_records = len(values) == len(data)
    if others and not same_records:
        raise InputError(
            f"A: makes {len(values)} records of {len(data)}, so {others[0]!r} and other columns"
            " outside X cannot be kept; leave them out first"
        )
    taken = [name for name in new_names if name in others]
    if taken:
        raise InputError(
            f"B: names a new variable {taken[0]!r}, which is also a column outside X; rename it"
        )
    masked = pd.DataFrame(values, columns=new_names, index=data.index if same_records else None)
    if others:
        masked = pd.concat([data[others], masked], axis=1)
    return masked[list(data.columns)] if new_names == names else masked
