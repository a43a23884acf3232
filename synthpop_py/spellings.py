"""Functions that take the released and the original data: in this order, by two pairs of names.

R calls the two tables `object` and `data`; plain words for them are `synthetic` and `original`. A
function has one pair in its signature and understands the other by name. The decorators here say
which; what happens in a call is in `names`. They also inform type checkers, which cannot rename a
parameter. In a call by the names of the signature, a type checker checks every argument. In a call
by the other names it checks only that the original is given, and the result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, Protocol, TypeVar, cast, overload

from .names import SAME_MEANING, argument_names, named_arguments

P = ParamSpec("P")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)


class PlainNamesToo(Protocol[P, R_co]):
    """A function that understands `synthetic`, `original` besides its own names."""

    @overload
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co: ...

    @overload
    def __call__(self, *released: Any, original: Any, **others: Any) -> R_co: ...


class RNamesToo(Protocol[P, R_co]):
    """A function that understands `object`, `data` besides its own names."""

    @overload
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co: ...

    @overload
    def __call__(self, *released: Any, data: Any, **others: Any) -> R_co: ...


def plain_names_too(
    *also: str, way_without: Callable[[str], str | None] | None = None
) -> Callable[[Callable[P, R]], PlainNamesToo[P, R]]:
    """For a function whose signature has R's names; `also` and `way_without` as for
    `named_arguments`.

    Examples
    --------
    >>> @plain_names_too()
    ... def sizes(object, data):
    ...     return len(object), len(data)
    >>> sizes([1], [1, 2]), sizes([1], original=[1, 2]), sizes(original=[1, 2], synthetic=[1])
    ((1, 2), (1, 2), (1, 2))
    """

    def decorate(function: Callable[P, R]) -> PlainNamesToo[P, R]:
        named = _understanding(("synthetic", "original"), function, also, way_without)
        return cast(PlainNamesToo[P, R], named)

    return decorate


def r_names_too(*also: str) -> Callable[[Callable[P, R]], RNamesToo[P, R]]:
    """For a function whose signature has `synthetic`, `original`; `also` as for
    `named_arguments`.
    """

    def decorate(function: Callable[P, R]) -> RNamesToo[P, R]:
        named = _understanding(("object", "data"), function, also)
        return cast(RNamesToo[P, R], named)

    return decorate


def _understanding(
    others: tuple[str, str],
    function: Callable[P, R],
    also: tuple[str, ...],
    way_without: Callable[[str], str | None] | None = None,
) -> Callable[P, R]:
    """The function, by these other names of the tables that it takes."""
    parameters = argument_names(function)
    aliases = {}
    for other, same in zip(others, SAME_MEANING):
        for name in parameters:
            if name in same:
                aliases[other] = name
    return named_arguments(*also, aliases=aliases, way_without=way_without)(function)
