"""An independent judge of IFPR on tiny blocks: every outcome enumerated, exact fractions, nothing
from the package.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from itertools import product


@dataclass(frozen=True)
class Enumerated:
    """For each size T: risk by count a (only counts that can happen), overall chance of a correct
    match; for each cell mean and variance of its count; covariances of cells; totals seen.
    """

    risk: dict[int, dict[int, Fraction]]
    overall: dict[int, Fraction]
    mean: list[Fraction]
    variance: list[Fraction]
    covariance: dict[tuple[int, int], Fraction]
    totals: set[int]


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
