"""What is special about Spark: names of columns that its functions misread."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from ..errors import InputError
from ..redaction import redacted

PLAIN = re.compile(r"[A-Za-z_]\w*", re.ASCII)


def is_spark(given: Any) -> bool:
    """Whether it is a data frame of Spark, local or through Spark Connect; decided without
    importing Spark.
    """
    return type(given).__module__.startswith("pyspark.sql.")


def with_safe_names(given: Any, place: str) -> Any:
    """A frame of Spark under names that mean nothing to Spark; everything else as it is.

    Spark reads `i.x` as the field x of a column i, and treats "a" and "A" as one name.
    """
    if not is_spark(given):
        return given
    names = list(given.columns)
    repeated = sorted(name for name, times in Counter(names).items() if times > 1)
    if repeated:
        raise InputError(
            f"{redacted(place)}: the column names {', '.join(repeated)} occur more than once;"
            " rename them"
        )
    safe = safe_names(names)
    return given if safe == names else given.toDF(*safe)


def safe_names(names: Sequence[str]) -> list[str]:
    """A name for each column: its own if that is plain and unique.

    Examples
    --------
    >>> safe_names(["age", "i.x", "Age", "sex"])
    ['synthpop_column_0', 'synthpop_column_1', 'synthpop_column_2', 'sex']
    """
    times = Counter(name.casefold() for name in names)
    safe = []
    for position, name in enumerate(names):
        is_safe = PLAIN.fullmatch(name) is not None and times[name.casefold()] == 1
        safe.append(name if is_safe else f"synthpop_column_{position}")
    return safe
