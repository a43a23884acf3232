"""What an intruder believes about a target, and how they decide."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from ..core.arrays import Integers
from .membership import LogLinear

__all__ = ["Belief", "Fallback"]

Fallback = Literal["known", "categories"]


@dataclass(frozen=True, slots=True)
class Belief:
    """What the intruder believes and how they decide.

    Attributes
    ----------
    threshold : the probability above which a match is perceived.
    fallback : what still has to agree where nothing matches: the known keys, or first the
        categories; None for no fallback.
    weights : int64, shape (n,), or None: survey weights of the records times `scale`.
    population : int64, or None: counts of the population's rows times `scale`.
    units : int64, or None: N_t of each target times `scale`.
    model : how N_t is estimated, or None.
    abstain : no record is named when the target is at least as likely to be outside the file as to
        be any one record.
    """

    threshold: Fraction
    fallback: Fallback | None
    weights: Integers | None = None
    population: Integers | None = None
    units: Integers | None = None
    model: LogLinear | None = None
    scale: int = 1
    abstain: bool = False

    @property
    def in_file(self) -> bool:
        """The intruder knows that the target is in the file."""
        sources = (self.weights, self.population, self.units, self.model)
        return all(source is None for source in sources)

    def about(self, targets: Integers) -> Belief:
        """The same about some of the targets."""
        if self.units is None:
            return self
        return replace(self, units=self.units[targets])
