"""Matrix masks M = A X B + C of numeric data: frames in, frames out (Duncan and Pearson; Duncan and
Keller-McNulty, section 2.2).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from ..arguments import chosen_columns
from ..core.arrays import Integers, Values
from ..errors import InputError
from ..names import named_arguments
from ..spellings import plain_names_too
from ..tables.opening import check_frame

LARGEST = 2.0**62  # half of what 64 bits hold, to be safe from rounding


@plain_names_too()
def matrix_mask(
    data: pd.DataFrame, A: Any = None, B: Any = None, C: Any = None, *, columns: Any = None
) -> pd.DataFrame:
    """M = A X B + C, where X are numeric columns of the data.

    A works on the records (averages of groups, swaps, a selection), B on the variables (rotation,
    dropping), C is added (noise, a shift).

    Parameters
    ----------
    data : DataFrame
        Not changed. By name also ``original=``.
    A : array, shape (records out, records), or a scipy sparse matrix; None for no change of
        records.
    B : array or DataFrame, shape (variables, variables out); None for no change of variables. The
        columns of a DataFrame name the new variables.
    C : array, shape of M, or anything that numpy stretches to it, such as one number; None for 0.
    columns : names or positions (from 1) of the columns that make X; all of them unless given. The
        others stay as they are. To protect anybody by swapping rows, X must be the protected
        columns only: with all columns in X a swap merely changes the order of whole records, and no
        record changes.

    Returns
    -------
    DataFrame
        With the index of `data`, unless A changes the number of records. Columns keep their names,
        unless B changes their number; then they are called m1, m2, ... or as the columns of B.
        Whole numbers all through give whole numbers as long as 64 bits hold them and all sums on
        the way, everything else float64.

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
    check_frame(data, "data")
    names = (
        list(data.columns)
        if columns is None
        else chosen_columns("columns", columns, list(data.columns))
    )
    X = _matrix(data, names, spreads=A is not None or B is not None)
    left, right = _checked("A", A, (None, len(X))), _checked("B", B, (X.shape[1], None))
    if X.dtype.kind == "i" and _may_leave_64_bits(left, X, right, C):
        X = X.astype(np.float64)
    made = X if left is None else left @ X
    made = np.asarray(made if right is None else made @ right)
    if C is not None:
        made = made + _shift(C, made.shape)
    if made.dtype.kind not in "iu":
        made = made.astype(np.float64)
    return _framed(data, names, made, _names_out(B, names, made.shape[1]))


@named_arguments()
def swap_matrix(n: int, pairs: Sequence[tuple[int, int]]) -> sparse.csr_matrix:
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
    source = np.arange(n)
    for i, j in reversed(list(pairs)):
        if not (0 <= i < n and 0 <= j < n):
            raise InputError(
                f"pairs: ({i}, {j}) is outside the {n} records; give positions from 0 to {n - 1}"
            )
        source[[i, j]] = source[[j, i]]
    return sparse.csr_matrix((np.ones(n, dtype=np.int64), (np.arange(n), source)), shape=(n, n))


def _matrix(data: pd.DataFrame, names: Sequence[Hashable], spreads: bool) -> Values:
    if not names:
        raise InputError(f"columns: none given; choices: {', '.join(map(str, data.columns))}")
    for name in names:
        dtype = data[name].dtype
        if (
            not pd.api.types.is_numeric_dtype(dtype)
            or pd.api.types.is_bool_dtype(dtype)
            or pd.api.types.is_complex_dtype(dtype)
        ):
            raise InputError(
                f"columns: {name!r} is of type {dtype}, not numeric; give the numeric columns in"
                " columns, the others stay as they are"
            )
    missing = [name for name in names if data[name].isna().any()]
    if missing and spreads:
        raise InputError(
            f"data: {missing[0]!r} has missing values, which A or B would spread to other records"
            " or variables; fill them in or leave their records out first"
        )
    whole = not missing and all(pd.api.types.is_integer_dtype(data[name].dtype) for name in names)
    return np.column_stack(
        [
            (
                data[name].to_numpy(dtype=np.int64)
                if whole
                else data[name].to_numpy(dtype=np.float64, na_value=np.nan)
            )
            for name in names
        ]
    )


def _checked(argument: str, given: Any, shape: tuple[int | None, int | None]) -> Any:
    """A matrix of finite numbers with the right number of rows, or of columns."""
    if given is None:
        return None
    matrix = given.tocsr() if sparse.issparse(given) else _array(argument, given)
    if matrix.ndim != 2 or any(
        wanted is not None and wanted != got for wanted, got in zip(shape, matrix.shape)
    ):
        wanted = (
            f"{shape[1]} columns, one for each record"
            if shape[0] is None
            else f"{shape[0]} rows, one for each variable"
        )
        raise InputError(f"{argument}: has the shape {tuple(matrix.shape)}; it needs {wanted}")
    if not np.isfinite(matrix.data if sparse.issparse(matrix) else matrix).all():
        raise InputError(f"{argument}: holds missing or infinite values")
    return matrix


def _array(argument: str, given: Any) -> Values:
    try:
        array = np.asarray(given)
        return array if array.dtype.kind in "iuf" else array.astype(np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{argument}: {type(given).__name__} is not a matrix of numbers") from None


def _may_leave_64_bits(left: Any, X: Integers, right: Any, C: Any) -> bool:
    """Whether some sum of the product may be beyond 64-bit integers, which would wrap silently: its
    parts all taken as positive, in doubles.
    """
    size = np.abs(X.astype(np.float64))
    size = size if left is None else abs(left).astype(np.float64) @ size
    size = size if right is None else size @ abs(right).astype(np.float64)
    added = (
        0.0
        if C is None
        else float(
            np.abs(
                np.asarray(
                    _shift(C, X.shape if left is None and right is None else size.shape),
                    dtype=np.float64,
                )
            ).max(initial=0.0)
        )
    )
    return bool(np.max(size, initial=0.0) + added >= LARGEST)


def _shift(C: Any, shape: tuple[int, ...]) -> Values:
    matrix = _array("C", C.toarray() if sparse.issparse(C) else C)
    if not np.isfinite(matrix).all():
        raise InputError("C: holds missing or infinite values")
    try:
        return np.broadcast_to(matrix, shape)
    except ValueError:
        raise InputError(
            f"C: has the shape {matrix.shape}; it needs {shape}, records by variables, or one"
            " number"
        ) from None


def _names_out(B: Any, names: Sequence[Hashable], number: int) -> list[Hashable]:
    if isinstance(B, pd.DataFrame):
        return list(B.columns)
    return list(names) if number == len(names) else [f"m{j}" for j in range(1, number + 1)]


def _framed(
    data: pd.DataFrame, names: Sequence[Hashable], made: Values, new: Sequence[Hashable]
) -> pd.DataFrame:
    """The masked variables in place of the old ones, the other columns as they were."""
    others = [name for name in data.columns if name not in names]
    if len(made) != len(data):
        if others:
            raise InputError(
                f"A: makes {len(made)} records of {len(data)}, so {others[0]!r} and other columns"
                " outside X cannot be kept; leave them out first"
            )
        return pd.DataFrame(made, columns=list(new))
    masked = pd.DataFrame(made, columns=list(new), index=data.index)
    if list(new) == list(names):
        return pd.concat(
            [masked[[name]] if name in names else data[[name]] for name in data.columns], axis=1
        )
    clash = [name for name in new if name in others]
    if clash:
        raise InputError(
            f"B: names a new variable {clash[0]!r}, which is also a column outside X; rename it"
        )
    return pd.concat([data[others], masked], axis=1)
