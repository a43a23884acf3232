"""The audit of small cells against an attacker who tries every value (`audit_oracle`).

1,500 random systems with SYNTHPOP_PY_LONG=1, the first 90 of them always.
"""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random

import pytest

from synthpop_py.show import Count, Relation, fill
from synthpop_py.show.audit import exposed, hide_more
from synthpop_py.show.gaps import steps
from synthpop_py.show.small_cells import is_small
from synthpop_py.show.sums import Group

from .audit_oracle import KINDS, Sum, System, random_system, values_left

ALWAYS, LONG = range(90), range(90, 1_500)
SEEDS = pytest.mark.parametrize(
    "seeds",
    [ALWAYS, pytest.param(LONG, marks=pytest.mark.needs("a long run"))],
    ids=["90", "1410 more"],
)
LEASTS = (3, 5, 8, 10)


def counts_of(system: System) -> dict[str, Count]:
    counts = {}
    for name, n in system.numbers.items():
        counts[name] = Count(
            name=name,
            n=float(n),
            complement=name in system.complements,
            worth=system.worth.get(name, 1),
        )
    return counts


def relations_of(system: System) -> list[Relation]:
    relations = []
    for terms, low, high in system.sums:
        relations.append(
            Relation(
                tuple((float(factor), name) for factor, name in terms),
                low=-math.inf if low is None else float(low),
                high=math.inf if high is None else float(high),
            )
        )
    return relations


def hidden_in(system: System, min_cell: int) -> frozenset[str]:
    counts = counts_of(system)
    small = frozenset(name for name, count in counts.items() if is_small(count, min_cell))
    return hide_more(counts, small, relations_of(system), min_cell)


# ---- the attacker, by hand -----------------------------------------------------------


def test_the_attacker_tries_every_value():
    """x + y = 7: 8 values. x + 2 y = 7: y is 0 to 3, and x is 1, 3, 5 or 7."""
    numbers = {name: Fraction(n) for name, n in {"x": 3, "y": 2, "all": 7}.items()}
    for factor, of_x in ((1, 8), (2, 4)):
        terms = ((Fraction(1), "all"), (Fraction(-1), "x"), (Fraction(-factor), "y"))
        system = System(kind="", numbers=numbers, sums=(Sum(terms),))
        assert values_left(system, "x", frozenset("xy"), 99) == of_x
        assert values_left(system, "x", frozenset("x"), 99) == 1


def test_random_systems_are_true():
    for seed in range(60):
        system = random_system(seed)
        for terms, low, high in system.sums:
            total = sum(factor * system.numbers[name] for factor, name in terms)
            assert (low is None or low <= total) and (high is None or total <= high)
        assert min(system.numbers.values()) >= 0


# ---- the audit -----------------------------------------------------------------------


@SEEDS
def test_every_hidden_count_keeps_enough_values(seeds):
    hiding = dict.fromkeys(KINDS, 0)
    for seed in seeds:
        system = random_system(seed)
        min_cell = Random(seed).choice(LEASTS)
        hidden = hidden_in(system, min_cell)
        hiding[system.kind] += len(hidden) < len(system.numbers)
        for name in hidden:
            assert values_left(system, name, hidden, min_cell) == min_cell, (seed, name)
    # something is printed in most of them: an audit that hides all would pass for nothing
    assert min(hiding.values()) > len(seeds) / len(KINDS) / 4, hiding


def test_gaps_are_no_values():
    """n + 2 other = 29, and no cell shows the other: n is one of 1, 3, ... 29. Of 29 numbers these
    are 15, enough for 15 and too few for 16.
    """
    counts = {name: Count(name, n) for name, n in {"n": 21, "all": 29}.items()}
    relation = Relation(((1.0, "all"), (-1.0, "n"), (-2.0, "other")))
    (system,) = Group([relation], counts).systems({"n"})
    assert steps(system) == {"n": 2, "other": 1}
    small = frozenset({"n"})
    assert hide_more(counts, small, (relation,), 15) == {"n"}
    assert hide_more(counts, small, (relation,), 16) == {"n", "all"}
    assert not exposed(counts, small, (relation,), 15)
    assert set(exposed(counts, small, (relation,), 16)) == {"n"}


def test_three_overlapping_groups_leave_every_other_number():
    """a + b = 14 and b + c = 15 are printed, a + c is not: it is 29 - 2 b, so odd, 15 values."""
    counts = {pair: Count(pair, n) for pair, n in {"ab": 14, "bc": 15, "ac": 13}.items()}
    relations = [fill.total(pair, list(pair)) for pair in counts]
    small = frozenset({"ac"})
    assert hide_more(counts, small, relations, 15) == small
    assert len(hide_more(counts, small, relations, 16)) > 1
