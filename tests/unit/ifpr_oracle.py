"""An independent judge of IFPR on tiny blocks: every outcome enumerated, exact fractions, nothing
from the package.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from random import Random


@dataclass(frozen=True)
class Enumerated:
    """For each size T: risk by count a (only counts that can happen), overall chance of a correct
    match; for each cell mean and variance of its count; covariances of cells; totals seen; for each
    cell the chances of its counts, and the chances of one of its units to be in each cell.
    """

    risk: dict[int, dict[int, Fraction]]
    overall: dict[int, Fraction]
    mean: list[Fraction]
    variance: list[Fraction]
    covariance: dict[tuple[int, int], Fraction]
    totals: set[int]
    found: list[dict[int, Fraction]]
    matrix: list[list[Fraction]]


def enumerate_block(
    sizes: list[int], leave: dict[int, Fraction], share: dict[int, Fraction] | None = None
) -> Enumerated:
    """All ways in which the units of a block can move.

    sizes : units in each cell. leave : chance to leave, by size of the cell. share : weight of a
    cell as destination, by its size; None for equal weights.
    """
    k = len(sizes)
    units = [cell for cell, size in enumerate(sizes) for _ in range(size)]
    weight = [Fraction(1) if share is None else share[size] for size in sizes]
    chances = []
    for cell in units:
        rest = sum(weight) - weight[cell]
        chances.append(
            [
                1 - leave[sizes[cell]] if d == cell else leave[sizes[cell]] * weight[d] / rest
                for d in range(k)
            ]
        )

    first_unit = {size: units.index(sizes.index(size)) for size in set(sizes)}
    found: dict[int, dict[int, Fraction]] = {T: defaultdict(Fraction) for T in first_unit}
    found_in_cell: list[dict[int, Fraction]] = [defaultdict(Fraction) for _ in sizes]
    correct: dict[int, dict[int, Fraction]] = {T: defaultdict(Fraction) for T in first_unit}
    moments: dict[tuple[int, int], Fraction] = defaultdict(Fraction)
    mean, totals = [Fraction(0)] * k, set()
    for outcome in product(*([d for d in range(k) if row[d]] for row in chances)):
        probability = Fraction(1)
        for row, d in zip(chances, outcome):
            probability *= row[d]
        counts = [outcome.count(c) for c in range(k)]
        totals.add(sum(counts))
        for c in range(k):
            mean[c] += probability * counts[c]
            found_in_cell[c][counts[c]] += probability
            for d in range(c, k):
                moments[c, d] += probability * counts[c] * counts[d]
        for T, unit in first_unit.items():
            S = counts[units[unit]]
            found[T][S] += probability
            if outcome[unit] == units[unit]:
                correct[T][S] += probability / S
    covariance = {(c, d): moments[c, d] - mean[c] * mean[d] for c, d in moments}
    risk = {
        T: {a: correct[T][a] / found[T][a] for a in found[T] if a and found[T][a]}
        for T in first_unit
    }
    return Enumerated(
        risk,
        {T: sum(correct[T].values(), Fraction(0)) for T in first_unit},
        mean,
        [covariance[c, c] for c in range(k)],
        covariance,
        totals,
        found_in_cell,
        [chances[units.index(cell)] for cell in range(k)],
    )


@dataclass(frozen=True)
class BestGuess:
    """Chance that the best guess is correct: over everything that can happen, and given the most
    telling release.
    """

    overall: Fraction
    worst: Fraction


def best_guess(k: int, theta: Fraction) -> BestGuess:
    """k single units, one of them the target; the intruder sees how many records each cell holds,
    and picks from the cell where one of them is most likely the target, be it the target's own
    or not.
    """
    to = [[1 - theta if cell == own else theta / (k - 1) for cell in range(k)] for own in range(k)]
    places: dict[tuple[int, ...], list[Fraction]] = defaultdict(
        lambda: [Fraction(0)] * k
    )  # by release: chance of it with the target in each cell
    for outcome in product(range(k), repeat=k):
        chance = Fraction(1)
        for unit, cell in enumerate(outcome):
            chance *= to[unit][cell]
        places[tuple(outcome.count(cell) for cell in range(k))][outcome[0]] += chance
    correct = {
        counts: max(chance / count for chance, count in zip(chances, counts) if count)
        for counts, chances in places.items()
    }
    return BestGuess(
        sum(correct.values(), Fraction(0)),
        max(
            correct[counts] / total for counts, chances in places.items() if (total := sum(chances))
        ),
    )


@dataclass(frozen=True)
class RandomBlock:
    """A tiny block whose thetas balance exactly, in fractions: sizes of its cells, ascending, theta
    of each size, and shares of each size as destinations (None where all are alike).
    """

    sizes: list[int]
    theta: dict[int, Fraction]
    share: dict[int, Fraction] | None

    @property
    def cells(self) -> dict[int, int]:
        return {T: self.sizes.count(T) for T in sorted(set(self.sizes))}

    def enumerated(self) -> Enumerated:
        leave = {T: theta / T for T, theta in self.theta.items()}
        return enumerate_block(self.sizes, leave, self.share)


def random_block(random: Random, outcomes: int = 300) -> RandomBlock:
    """One with few enough outcomes to look at each; half of them with a theta for each size.

    There shares x are drawn first, and theta_T = H x_T (1 - x_T) follows, with H such that every
    theta_T is at most T.
    """
    while True:
        k = random.randint(2, 5)
        sizes = sorted(random.choice((1, 1, 1, 2, 2, 3)) for _ in range(k))
        if k ** sum(sizes) <= outcomes:
            break
    present = sorted(set(sizes))
    if random.random() < 0.5:
        theta = Fraction(random.randint(0, 12), 12)
        return RandomBlock(sizes, dict.fromkeys(present, theta), None)
    weight = {T: Fraction(random.randint(1, 9)) for T in present}
    total = sum(weight[T] for T in sizes)
    share = {T: weight[T] / total for T in present}
    highest = min(T / (x * (1 - x)) for T, x in share.items())
    H = highest * Fraction(random.randint(1, 12), 12)
    theta = {T: H * x * (1 - x) for T, x in share.items()}
    return RandomBlock(sizes, theta, share)


def found_by_adding_units(chances: list[Fraction]) -> list[Fraction]:
    """Chances of 0, 1, ... events, each unit with its own chance added after the other."""
    distribution = [Fraction(1)]
    for chance in chances:
        without = [*distribution, Fraction(0)]
        with_it = [Fraction(0), *distribution]
        distribution = [(1 - chance) * a + chance * b for a, b in zip(without, with_it)]
    return distribution
