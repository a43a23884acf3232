"""Several variables as one: a whole number for each record, in mixed radix over the variables.

Numbers are made block by block when they are asked for, if 32 bits hold them: a block stays in the
processor's cache from the first variable to the last.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import prod

import numpy as np

from .arrays import Integers, distinct_values
from .levels import Variable

# half of what 64 bits hold, so that a code and a shift can be added without a check
LARGEST_CODE = 2**62
SHORT_CODES = 2**31  # codes below this fit into 32 bits
BLOCK = 2**16  # records that are worked on at a time


@dataclass(frozen=True, slots=True)
class Radix:
    """How combined codes are taken apart again.

    ``sizes[i]`` is the number of codes of variable i; ``packed[i]`` holds the distinct codes that
    were renumbered before variable i was added (None where there was no need), because the product
    of sizes would have passed 64 bits. ``occurring`` does the same after the last.
    """

    sizes: tuple[int, ...]
    packed: tuple[Integers | None, ...]
    size: int
    occurring: Integers | None = None

    def components(self, codes: Integers, *, short: bool = False) -> Integers:
        """Codes of the single variables, shape (len(codes), number of variables); in the shortest
        numbers that hold them if these are asked for.
        """
        shape = (len(codes), len(self.sizes))
        kept_in = np.min_scalar_type(max(self.sizes)) if short else np.dtype(np.int64)
        parts = np.empty(shape, dtype=kept_in, order="F")  # read variable by variable
        rest = np.asarray(codes) if self.occurring is None else self.occurring[codes]
        for i, size in reversed(list(enumerate(self.sizes))):
            higher = rest // size
            np.subtract(rest, higher * size, out=parts[:, i], casting="unsafe")
            packed = self.packed[i]
            rest = higher if packed is None else packed[higher]
        return parts

    def component(self, codes: Integers, i: int) -> Integers:
        """Codes of variable i alone, shape (len(codes),)."""
        if any(packed is not None for packed in self.packed):
            return self.components(codes)[:, i]
        rest = codes if self.occurring is None else self.occurring[codes]
        with_higher = rest // prod(self.sizes[i + 1 :])
        if i == 0:
            return with_higher
        higher = with_higher // self.sizes[i]
        higher *= self.sizes[i]
        return np.subtract(with_higher, higher, out=higher)

    def margins(self, codes: Integers, n: np.ndarray) -> list[Integers] | None:
        """The sums of n over the codes of each variable alone; None where a table of all
        combinations would be much larger than the data.
        """
        size = prod(self.sizes)
        if any(packed is not None for packed in self.packed) or size > room_for(len(codes)):
            return None
        table = np.zeros(size, dtype=n.dtype)
        table[codes if self.occurring is None else self.occurring[codes]] = n
        return [margin.astype(np.int64) for margin in _margins(table, self.sizes)]

    def together(self, components: Sequence[np.ndarray]) -> np.ndarray:
        """The reverse: combined codes from those of the single variables. A combination that no
        table had gets the code -1.
        """
        known = np.ones(len(components[0]), dtype=bool)
        codes = np.zeros(len(components[0]), dtype=np.int64)
        for size, packed, component in zip(self.sizes, self.packed, components):
            if packed is not None:
                codes, is_there = _place_among(packed, codes)
                known &= is_there
            codes = codes * size + component
        if self.occurring is not None:
            codes, is_there = _place_among(self.occurring, codes)
            known &= is_there
        return np.where(known, codes, -1)


def _margins(table: np.ndarray, sizes: Sequence[int]) -> list[np.ndarray]:
    """The margins of a flat table: those of its first half of variables, summed over the second,
    and the reverse.
    """
    if len(sizes) == 1:
        return [table]
    half = len(sizes) // 2
    first, second = sizes[:half], sizes[half:]
    square = table.reshape(prod(first), prod(second))
    return [*_margins(square.sum(axis=1), first), *_margins(square.sum(axis=0), second)]


def _place_among(distinct: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The place of each code among sorted codes, and whether it is one of them."""
    places = np.searchsorted(distinct, codes)
    if not len(distinct):
        return places, np.zeros(len(codes), dtype=bool)
    places[places == len(distinct)] = 0
    return places, distinct[places] == codes


def joint_codes(variables: Sequence[Variable]) -> tuple[list[Integers], Radix]:
    """One code per record for each table, from all variables together.

    Examples
    --------
    >>> import numpy as np
    >>> from .columns import Column
    >>> from .coding import encode
    >>> a = encode("a", [Column("integer", np.array([0, 1, 1]))])
    >>> b = encode("b", [Column("integer", np.array([2, 0, 1]))])
    >>> (codes,), radix = joint_codes([a, b])
    >>> codes.tolist(), radix.components(codes).tolist()
    ([2, 3, 4], [[0, 2], [1, 0], [1, 1]])
    """
    codes, radix = codes_in_time(variables)
    return list(codes), radix


def codes_in_time(variables: Sequence[Variable]) -> tuple[Sequence[Integers], Radix]:
    """One code per record for each table; made only when they are asked for where `joined` can make
    them block by block.
    """
    sizes = tuple(variable.size for variable in variables)
    in_blocks = joined(variables)
    if in_blocks is not None:
        return in_blocks, Radix(sizes, (None,) * len(sizes), prod(sizes))
    first, *others = variables
    codes = [np.array(c, dtype=np.int64) for c in first.codes]  # a copy: it is worked on in place
    size, shift = first.size, first.shift  # codes run from shift to shift + size - 1
    packed: list[Integers | None] = [None]
    # shifts are carried along and subtracted once at the end: each subtraction is a pass over the
    # records
    for variable in others:
        distinct = None
        if size * variable.size > LARGEST_CODE:
            codes, distinct = _renumber(_from_zero(codes, shift), size)
            size, shift = len(distinct), 0
        elif not _shifts_fit(size, shift, variable):
            codes, shift = _from_zero(codes, shift), 0
        packed.append(distinct)
        shift = _put_on_top(codes, size, shift, variable)
        size *= variable.size
    if shift:
        for code in codes:
            code -= shift
    return codes, Radix(sizes, tuple(packed), size)


def _put_on_top(codes: list[Integers], size: int, shift: int, variable: Variable) -> int:
    """Make the codes, in place, those of combinations with another variable; their shift."""
    shifted = _shifts_fit(size, shift, variable)
    for table, code in enumerate(codes):
        code *= variable.size
        code += variable.codes[table] if shifted else variable.own_codes(table)
    return shift * variable.size + (variable.shift if shifted else 0)


def _from_zero(codes: list[Integers], shift: int) -> list[Integers]:
    return [code - shift for code in codes]


def _shifts_fit(size: int, shift: int, variable: Variable) -> bool:
    """Whether combined codes that keep their shifts stay far from the ends of 64 bits. Beyond,
    NumPy turns whole numbers into real ones, and different codes into equal ones.
    """
    furthest = abs(shift * variable.size) + abs(variable.shift) + size * variable.size
    return furthest <= LARGEST_CODE


@dataclass(frozen=True, slots=True)
class JoinedCodes(Sequence[Integers]):
    """One code per record for each table, from all variables together, if numbers of 32 bits hold
    them on the way. Those of a table are made when they are asked for.
    """

    variables: tuple[Variable, ...]
    shift: int
    _made: dict[int, Integers] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.variables[0].codes)

    def __getitem__(self, table: int) -> Integers:  # type: ignore[override]
        if not 0 <= table < len(self):
            raise IndexError(table)
        if table not in self._made:
            codes = np.empty(self.rows(table), dtype=np.int64)
            begin = 0
            for block in self.blocks(table):
                codes[begin : begin + len(block)] = block
                begin += len(block)
            self._made[table] = codes
        return self._made[table]

    def rows(self, table: int) -> int:
        return len(self.variables[0].codes[table])

    def with_top(self, variable: Variable) -> JoinedCodes | None:
        """Those of the combinations with another variable; None if 32 bits do not hold them."""
        return joined([*self.variables, variable])

    def blocks(self, table: int) -> Iterator[Integers]:
        """The codes of a table, a block of records at a time; each overwrites the last."""
        rows = self.rows(table)
        first, *others = self.variables
        short = np.empty(min(BLOCK, rows), dtype=np.int32)
        long = np.empty(len(short), dtype=np.int64)
        for begin in range(0, rows, BLOCK):
            block = slice(begin, begin + BLOCK)
            codes = short[: rows - begin]
            codes[:] = first.codes[table][block]
            for variable in others:
                codes *= variable.size
                codes += variable.codes[table][block]
            yield np.subtract(codes, self.shift, out=long[: len(codes)])


def joined(variables: Sequence[Variable]) -> JoinedCodes | None:
    """The codes of several variables together, if numbers of 32 bits hold them on the way."""
    size, shift, furthest = 1, 0, 0
    for variable in variables:
        size *= variable.size
        shift = shift * variable.size + variable.shift
        # on the way a code is its final value apart from a shift, which may be longer
        furthest = max(furthest, size + abs(shift), abs(variable.shift) + variable.size)
    return JoinedCodes(tuple(variables), shift) if furthest < SHORT_CODES else None


def rows_of(codes: Sequence[Integers]) -> int:
    """How many rows all tables have."""
    if isinstance(codes, JoinedCodes):
        return sum(map(codes.rows, range(len(codes))))  # without making them
    return sum(map(len, codes))


def compact(codes: Sequence[Integers], radix: Radix) -> tuple[list[Integers], Radix]:
    """The same records with only occurring combinations numbered, which leaves space for another
    variable.
    """
    renumbered, distinct = _renumber(codes, radix.size)
    occurring = distinct if radix.occurring is None else radix.occurring[distinct]
    return renumbered, replace(radix, size=len(distinct), occurring=occurring)


def room_for(records: int) -> int:
    """How many possible cells may be counted densely: some for each record, so memory grows with
    the data.
    """
    return max(2**16, 4 * records, min(16 * records, 2**20))


def _renumber(codes: Sequence[Integers], size: int) -> tuple[list[Integers], Integers]:
    """The same records numbered by the distinct codes, of `size` possible ones, that occur in any
    table.
    """
    # a table of flags takes a fraction of the time of sorting, where there is room for one
    if size > room_for(sum(map(len, codes))):
        distinct = distinct_values(np.concatenate(codes))
        return [np.searchsorted(distinct, of_table) for of_table in codes], distinct
    number = np.zeros(size, dtype=np.int64)
    for of_table in codes:
        number[of_table] = 1
    distinct = np.flatnonzero(number)
    number[distinct] = np.arange(len(distinct))
    return [number[of_table] for of_table in codes], distinct


def number_of_distinct(codes: Integers, size: int) -> int:
    """How many different codes there are, of those from 0 to size - 1."""
    if size > room_for(len(codes)):
        return len(distinct_values(codes))
    return int(np.count_nonzero(np.bincount(codes)))
