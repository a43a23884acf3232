"""Names for the arrays that functions take and give, by what they hold. Shapes are in the
docstrings.

>>> import numpy as np
>>> def codes_of(flags: Flags) -> Integers:
...     return np.flatnonzero(flags)
>>> codes_of(np.array([False, True, True])).tolist()
[1, 2]
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Integers: TypeAlias = npt.NDArray[np.signedinteger[Any]]  # codes and counts, of any width
Floats: TypeAlias = npt.NDArray[np.float64]
Flags: TypeAlias = npt.NDArray[np.bool_]
Values: TypeAlias = npt.NDArray[Any]  # of a column as it was read; numbers of either kind
