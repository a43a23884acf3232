"""Matrix masks M = A X B + C of numeric data: frames in, frames out (Duncan and Pearson; Duncan and
Keller-McNulty, section 2.2).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..arguments import chosen_columns
from ..core.arrays import Integers, Values
from ..errors import InputError, warning_once
from ..tables.frames import FrameT, give_back
from ..tables.opening import check_frame, plain_if_frame
from .columns import is_numeric

if TYPE_CHECKING:
    import scipy

LARGEST = 2.0**62  # half of what 64 bits hold, to be safe from rounding


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
    names = list(frame.columns)
    if columns is not None:
        names = chosen_columns("columns", columns, names)
    X = _matrix(frame, names, spreads=A is not None or B is not None)
    left = _checked_left(A, len(X))
    right = _checked_right(B, X.shape[1])
    if X.dtype.kind == "i" and _may_leave_64_bits(left, X, right, C):
        X = X.astype(np.float64)
    masked = _product(left, X, right)
    if C is not None:
        masked = masked + _shift(C, masked.shape)
    if masked.dtype.kind not in "iu":
        masked = masked.astype(np.float64)
    new_names = _new_names(B, names, masked.shape[1])
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


def _matrix(data: pd.DataFrame, names: Sequence[Hashable], spreads: bool) -> Values:
    """X: integers if all columns hold only integers, doubles otherwise. `spreads`: A or B is given,
    so a missing value would not stay where it is.
    """
    if not names:
        choices = ", ".join(map(str, data.columns))
        raise InputError(f"columns: is empty; choices: {choices}")
    for name in names:
        dtype = data[name].dtype
        if not is_numeric(dtype):
            raise InputError(
                f"columns: {name!r} is of type {dtype}, not numeric; give the numeric columns in"
                " columns, the others stay as they are"
            )
    missing = [name for name in names if data[name].isna().any()]
    if missing and spreads:
        raise InputError(
            f"original: {missing[0]!r} has missing values, which A or B would spread to other"
            " records or variables; fill them in or leave their records out first"
        )
    columns = [data[name] for name in names]
    whole = all(pd.api.types.is_integer_dtype(column.dtype) for column in columns)
    if whole and not missing:
        return np.column_stack([column.to_numpy(dtype=np.int64) for column in columns])
    doubles = [column.to_numpy(dtype=np.float64, na_value=np.nan) for column in columns]
    return np.column_stack(doubles)


def _checked_left(A: Any, records: int) -> Any:
    if A is None:
        return None
    matrix = _any_matrix("A", A)
    if matrix.ndim != 2 or matrix.shape[1] != records:
        raise _wrong_shape("A", matrix, f"{records} columns, one for each record")
    return _check_finite("A", matrix)


def _checked_right(B: Any, variables: int) -> Any:
    if B is None:
        return None
    matrix = _any_matrix("B", B)
    if matrix.ndim != 2 or matrix.shape[0] != variables:
        raise _wrong_shape("B", matrix, f"{variables} rows, one for each variable")
    return _check_finite("B", matrix)


def _any_matrix(argument: str, value: Any) -> Any:
    """An array, or a sparse matrix."""
    import scipy

    return value.tocsr() if scipy.sparse.issparse(value) else _array(argument, value)


def _wrong_shape(argument: str, matrix: Any, wanted: str) -> InputError:
    shape = tuple(matrix.shape)
    return InputError(f"{argument}: has the shape {shape}; it needs {wanted}")


def _check_finite(argument: str, matrix: Any) -> Any:
    import scipy

    numbers = matrix.data if scipy.sparse.issparse(matrix) else matrix
    if not np.isfinite(numbers).all():
        raise InputError(f"{argument}: holds missing or infinite values")
    return matrix


def _array(argument: str, value: Any) -> Values:
    try:
        array = np.asarray(value)
        return array if array.dtype.kind in "iuf" else array.astype(np.float64)
    except (TypeError, ValueError):
        kind = type(value).__name__
        raise InputError(f"{argument}: {kind} is not a matrix of numbers") from None


def _shift(C: Any, shape: tuple[int, ...]) -> Values:
    """C, stretched to the shape of M."""
    import scipy

    dense = C.toarray() if scipy.sparse.issparse(C) else C
    matrix: Values = _check_finite("C", _array("C", dense))
    try:
        return np.broadcast_to(matrix, shape)
    except ValueError:
        raise InputError(
            f"C: has the shape {matrix.shape}; it needs {shape}, records by variables, or one"
            " number"
        ) from None


def _product(left: Any, X: Values, right: Any) -> Values:
    """A X B; None for no change."""
    product = X if left is None else left @ X
    if right is not None:
        product = product @ right
    return np.asarray(product)


def _may_leave_64_bits(left: Any, X: Integers, right: Any, C: Any) -> bool:
    """Whether some sum of the product may exceed 64-bit integers, which would wrap silently:
    computed in doubles, with all terms positive.
    """
    sizes = _product(_magnitudes(left), np.abs(X.astype(np.float64)), _magnitudes(right))
    largest = np.max(sizes, initial=0.0)
    if C is not None:
        shift = np.asarray(_shift(C, sizes.shape), dtype=np.float64)
        largest += float(np.abs(shift).max(initial=0.0))
    return bool(largest >= LARGEST)


def _magnitudes(matrix: Any) -> Any:
    return None if matrix is None else abs(matrix).astype(np.float64)


def _new_names(B: Any, names: Sequence[Hashable], number: int) -> list[Hashable]:
    """Names of the columns of M."""
    if isinstance(B, pd.DataFrame):
        return list(B.columns)
    if number == len(names):
        return list(names)
    return [f"m{j}" for j in range(1, number + 1)]


def _framed(
    data: pd.DataFrame, names: Sequence[Hashable], values: Values, new_names: list[Hashable]
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
    if new_names == list(names):
        in_order = [masked[[name]] if name in names else data[[name]] for name in data.columns]
        return pd.concat(in_order, axis=1)
    for name in new_names:
        if name in others:
            raise InputError(
                f"B: names a new variable {name!r}, which is also a column outside X; rename it"
            )
    return pd.concat([data[others], masked], axis=1)
