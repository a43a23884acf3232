"""The steps of a call that R takes otherwise, as they are correct. `r.as_r.AsR` overrides them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .arguments import Call
from .cells import Combinations, combine
from .checks import PairTotals, above
from .core.arrays import Flags, Integers
from .core.levels import MISSING_LABEL
from .exclusions import Pair as LevelPair
from .exclusions import Why
from .grouping import Classes, put_into_classes
from .levels import Factor, Variable, match
from .measures import Counts, Share, shares_of
from .missing import MISSING
from .r.collation import order

if TYPE_CHECKING:
    from .data import Data

Factors = dict[Hashable, list[Factor]]  # by name; first the original, then the syntheses


class Pair(NamedTuple):
    """The original and one synthesis in codes.

    Attributes
    ----------
    target, combinations : codes of the target, and of the keys together.
    named : for a single key which codes count as found for UiOiS; None: those that occur.
    pair_totals : how the records of flagged pairs are counted; None: in the cells.
    """

    target: Variable
    combinations: Combinations
    named: Flags | None = None
    pair_totals: PairTotals | None = None
    read_as: tuple[Variable, ...] = ()

    @property
    def keys(self) -> tuple[Variable, ...]:
        """The keys with the levels that a user may name."""
        return self.read_as or self.combinations.keys


@dataclass(slots=True)
class Steps:
    """Correct steps.

    Attributes
    ----------
    call : the arguments, per key in the order of the data's columns.
    shared : keys in codes, which serve every target of a summary.
    met : where another reading departs from these steps: nowhere here.
    na_rows : for how many pairs of the last synthesis R shows a row of NA (D11).
    """

    call: Call
    shared: dict[Any, Any]
    met: set[str] = field(default_factory=set)
    na_rows: int = 0

    @classmethod
    def of(cls, call: Call, shared: dict[Any, Any]) -> Steps:
        """Arguments for each key belong to the key that they were given for. Beside R's figures an
        empty first level means none, as in R.
        """
        places = [call.asked.index(key) for key in call.keys]
        use = tuple(call.use_keys[place] for place in places)
        groups = tuple(call.groups[place] for place in places)
        steps = cls(replace(call, use_keys=use, groups=groups), shared)
        none_first = call.levels[:1] == ("",) and not call.strict
        steps._take(call.levels[1:] if none_first else call.levels)
        return steps

    def _take(self, levels: Sequence[Any]) -> None:
        """Levels that are left out, under all their names."""
        if not self.call.levels and not self.call.pairs:
            return
        named = tuple(name for level in levels for name in self.names(level))
        pairs = tuple(one for pair in self.call.pairs for one in self.alternatives(pair))
        self.call = replace(self.call, levels=named, pairs=pairs)

    def names(self, level: Any) -> list[Any]:
        """What a level that the user named may be called: in R's modes the text "Missing" names
        missing values too.
        """
        by_text = isinstance(level, str) and level == MISSING_LABEL and not self.call.strict
        return [level, MISSING] if by_text else [level]

    def alternatives(self, pair: LevelPair) -> list[LevelPair]:
        """A pair of levels under all its names."""
        both = product(self.names(pair.key_level), self.names(pair.target_level))
        return [LevelPair(pair.key, *levels) for levels in both]

    def adjust(self, factors: Factors, data: Data) -> Factors:
        """Columns as they are: values meet whatever their types."""
        return factors

    def special(self, name: Hashable, data: Data) -> tuple[Any, ...]:
        """The special values of a column, which must all occur in the original."""
        return data.special_of(name)

    def classes(
        self, factors: Sequence[Factor], n: int, special: Sequence[Any], name: Hashable
    ) -> Classes:
        """Numbers in classes that are made from the values of the original and all syntheses."""
        return put_into_classes(factors, n, special, self.call.style, name)

    def encode(
        self, factors: Factors, n: Sequence[Integers | None]
    ) -> tuple[Variable, Combinations]:
        """The target, and the combinations of keys, in all tables."""
        target = match(factors[self.call.target])
        asked = (len(n), self.call.keys, self.call.groups)
        if asked not in self.shared:
            keys = [match(factors[key]) for key in self.call.keys]
            self.shared[asked] = combine(keys, n)
        return target, self.shared[asked]

    def pair(self, target: Variable, combinations: Combinations, number: int) -> Pair:
        """The original and one synthesis."""
        if len(target.sides) == 2:
            return Pair(target, combinations)
        return Pair(target.pair(number), combinations.pair(number))

    def no_identity(self, why: Why) -> tuple[Flags, Flags] | None:
        """Who is left out of identity measures, which have nothing to do with the target."""
        return (why.no_key_d, why.no_key_s) if not all(self.call.use_keys) else None

    def shares(self, counts: Counts) -> dict[str, Share]:
        return shares_of(counts)

    def flagged(self, levels: list[str], pairs: list[int]) -> tuple[str | None, int | None]:
        """The flagged levels and the largest number of flagged pairs, of all syntheses."""
        told = ", ".join(dict.fromkeys(levels)) if levels else None  # a level may be an empty text
        return told, max(pairs, default=None)

    def above(self, part: int, total: int, per_cent: float) -> bool:
        return above(part, total, per_cent)

    def first(self, codes: Integers, target: Variable) -> int:
        """Of tied levels of the target: the first in the order of the original's levels where they
        are declared, and the synthetic data have no others; else in the order of their texts.
        """
        d, s = target.sides
        lacking = np.setdiff1d(s.occurring(), d.place[:-1])
        if d.factor.kind == "character" or d.factor.has_gaps or len(lacking):
            by_text = self.order(d.texts(codes))
            return int(codes[by_text[0]])
        return int(codes[0])

    def order(self, texts: list[str]) -> Integers:
        return order(texts, self.call.collation)
