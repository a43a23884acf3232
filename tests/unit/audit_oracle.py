"""An attacker who tries every value: what the audit of small cells is judged by.

Plain Python and exact fractions, nothing of the package. A count that is hidden keeps a value if
some whole numbers for the other hidden ones fit everything that is printed. Random systems to try
it on are made here as well, of the kinds that results have.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product
from random import Random
from types import MappingProxyType
from typing import Any, NamedTuple


class Sum(NamedTuple):
    """low <= sum of factor x count <= high; None where there is no such end."""

    terms: tuple[tuple[Fraction, str], ...]
    low: Fraction | None = Fraction(0)
    high: Fraction | None = Fraction(0)


class System(NamedTuple):
    """True numbers of people, and what ties them together.

    kind : which of `KINDS` made it.
    parts : for means over m syntheses m, of which they are multiples of 1/m; 1 for whole numbers.
    complements : those for whom a statement is not true, which are never printed.
    worth : of counts that are not worth 1.
    """

    kind: str
    numbers: dict[str, Fraction]
    sums: tuple[Sum, ...]
    parts: Mapping[str, int] = MappingProxyType({})
    complements: frozenset[str] = frozenset()
    worth: Mapping[str, int] = MappingProxyType({})


# ---- the attacker --------------------------------------------------------------------

Room = dict[str, tuple[int, int]]  # lowest and highest, in units of 1 / parts


class _Row(NamedTuple):
    """A sum over unknowns in whole numbers."""

    terms: tuple[tuple[int, str], ...]
    low: int | None
    high: int | None


def values_left(system: System, name: str, hidden: frozenset[str], enough: int) -> int:
    """How many values a hidden count could have, as far as `enough`."""
    rows = list(_rows(system, hidden))
    unknown = sorted({other for row in rows for _, other in row.terms})
    if name not in unknown:
        return enough
    room = dict.fromkeys(unknown, (0, _ceiling(system)))
    room = _narrowed(room, rows) or {}
    if not room:
        return 0
    low, high = room[name]
    values = 0
    for value in range(low, high + 1):
        values += _fits({**room, name: (value, value)}, rows)
        if values == enough:
            break
    return values


def _ceiling(system: System) -> int:
    """Far enough: more room could only leave more values."""
    most = max(system.parts.values(), default=1)
    return most * (2 * math.ceil(sum(system.numbers.values())) + 50)


def _rows(system: System, hidden: frozenset[str]) -> Iterator[_Row]:
    """The sums with what is printed filled in, multiplied until all factors are whole."""
    for terms, low, high in system.sums:
        printed = Fraction(0)
        left: list[tuple[Fraction, str]] = []
        for factor, name in terms:
            if name in hidden or name in system.complements:
                left.append((factor / system.parts.get(name, 1), name))
            else:
                printed += factor * system.numbers[name]
        if not left:
            continue
        common = math.lcm(*(factor.denominator for factor, _ in left))
        yield _Row(
            terms=tuple((int(factor * common), name) for factor, name in left),
            low=None if low is None else math.ceil((low - printed) * common),
            high=None if high is None else math.floor((high - printed) * common),
        )


def _fits(room: Room, rows: list[_Row]) -> bool:
    """Whether any whole numbers in this room fit: the tightest count is tried value by value."""
    narrowed = _narrowed(room, rows)
    if narrowed is None:
        return False
    open_ones = [name for name, (low, high) in narrowed.items() if low < high]
    if not open_ones:
        return True
    tightest = min(open_ones, key=lambda name: narrowed[name][1] - narrowed[name][0])
    low, high = narrowed[tightest]
    for value in range(low, high + 1):
        if _fits({**narrowed, tightest: (value, value)}, rows):
            return True
    return False


def _narrowed(room: Room, rows: list[_Row]) -> Room | None:
    """The room without values that one sum alone rules out; None where nothing is left."""
    room = dict(room)
    changed = True
    while changed:
        changed = False
        for row in rows:
            for _, name in row.terms:
                ends = _left_by(row, name, room)
                if ends is None:
                    return None
                changed = changed or ends != room[name]
                room[name] = ends
    return room


def _left_by(row: _Row, name: str, room: Room) -> tuple[int, int] | None:
    """What a sum leaves to one of its counts."""
    factor = sum(f for f, other in row.terms if other == name)
    least = most = 0
    for f, other in row.terms:
        if other != name:
            ends = f * room[other][0], f * room[other][1]
            least, most = least + min(ends), most + max(ends)
    low, high = room[name]
    if factor == 0:
        return low, high
    above = None if row.low is None else Fraction(row.low - most, factor)
    below = None if row.high is None else Fraction(row.high - least, factor)
    if factor < 0:
        above, below = below, above
    low = low if above is None else max(low, math.ceil(above))
    high = high if below is None else min(high, math.floor(below))
    return (low, high) if low <= high else None


# ---- random systems ------------------------------------------------------------------


def random_system(seed: int) -> System:
    """One of the kinds in turn."""
    random = Random(seed)
    kind = list(KINDS)[seed % len(KINDS)]
    return KINDS[kind](random)._replace(kind=kind)


def _number(random: Random) -> int:
    return random.choice([random.randint(0, 4), random.randint(0, 12), random.randint(0, 30)])


def _total(whole: str, parts: list[str]) -> Sum:
    return Sum(((Fraction(1), whole), *((Fraction(-1), part) for part in parts)))


def _at_most(part: str, whole: str) -> Sum:
    return Sum(((Fraction(1), whole), (Fraction(-1), part)), high=None)


def _filled(numbers: dict[str, int], sums: list[Sum], **more: Any) -> System:
    exact = {name: Fraction(n) for name, n in numbers.items()}
    return System(kind="", numbers=exact, sums=tuple(sums), **more)


def _two_way(random: Random) -> System:
    """A table with margins; which are printed is random, and so is whether the total is."""
    rows, columns = random.randint(1, 3), random.randint(2, 3)
    numbers = {f"{i}{j}": _number(random) for i in range(rows) for j in range(columns)}
    inside = dict(numbers)
    sums = []
    margins = [("row", 0, rows), ("column", 1, columns)]
    for margin, place, size in margins:
        if random.random() < 0.8:
            names = [f"{margin} {i}" for i in range(size)]
            for i, name in enumerate(names):
                cells = [cell for cell in inside if cell[place] == str(i)]
                numbers[name] = sum(inside[cell] for cell in cells)
                sums.append(_total(name, cells))
            if random.random() < 0.6:
                numbers["all"] = sum(inside.values())
                sums.append(_total("all", names))
    return _filled(numbers, sums, worth={"all": random.choice([1, 9])})


def _three_way(random: Random) -> System:
    """A cube with its three faces, whose sums are not those of a network."""
    inside = {}
    for i, j, k in product(range(2), repeat=3):
        inside[f"{i}{j}{k}"] = random.choice([random.randint(0, 3), random.randint(0, 9)])
    numbers, sums = dict(inside), []
    for face in ((0, 1), (0, 2), (1, 2)):
        groups: dict[str, list[str]] = {}
        for cell in inside:
            name = f"{face} {cell[face[0]]}{cell[face[1]]}"
            groups.setdefault(name, []).append(cell)
        for name, cells in groups.items():
            numbers[name] = sum(inside[cell] for cell in cells)
            sums.append(_total(name, cells))
    return _filled(numbers, sums)


def _levels(random: Random) -> System:
    """A whole of parts, and these of parts; another division of the same whole beside it."""
    numbers, sums, parts = {}, [], []
    for i in range(random.randint(2, 3)):
        small = {f"{i}.{j}": _number(random) for j in range(random.randint(1, 3))}
        numbers |= small | {f"{i}": sum(small.values())}
        sums.append(_total(f"{i}", list(small)))
        parts.append(f"{i}")
    numbers["all"] = sum(numbers[part] for part in parts)
    sums.append(_total("all", parts))
    if random.random() < 0.6:
        other = random.randint(0, numbers["all"])
        numbers |= {"left": other, "remained": numbers["all"] - other}
        sums += [_total("all", ["left", "remained"]), _at_most("0", "remained")]
        if numbers["0"] > numbers["remained"]:
            sums.pop()
    return _filled(numbers, sums, worth={"all": 9})


def _chain(random: Random) -> System:
    """DiSCO within DiS within iS within all, what is not of each, a listed pair of a known share,
    and an expectation between two of them.
    """
    everyone = random.randint(5, 60)
    found = random.randint(0, everyone)
    certain = random.randint(0, found)
    correct = random.randint(0, certain)
    numbers = {"all": everyone, "iS": found, "DiS": certain, "DiSCO": correct}
    numbers |= {"wrong": certain - correct, "found, not": found - correct}
    sums = [
        _at_most("DiSCO", "DiS"),
        _at_most("DiS", "iS"),
        _at_most("iS", "all"),
        _total("DiS", ["DiSCO", "wrong"]),
        _total("iS", ["DiSCO", "found, not"]),
    ]
    filled = {name: Fraction(n) for name, n in numbers.items()}
    filled["DCAPd"] = correct + Fraction(random.randint(0, 4 * (found - certain)), 4)
    guesses = {"iS": 1, "DiS": -1, "DiSCO": 1, "DCAPd": -1}
    sums.append(_at_most("DiSCO", "DCAPd"))
    sums.append(Sum(tuple((Fraction(f), n) for n, f in guesses.items()), high=None))
    if correct:
        share = Fraction(random.choice([50, 80, 90]), 100)
        part = random.randint(math.ceil(share * correct), correct)
        filled |= {"part": Fraction(part), "rest": Fraction(correct - part)}
        sums.append(_total("DiSCO", ["part", "rest"]))
        sums.append(Sum(((Fraction(1), "part"), (-share, "DiSCO")), high=None))
    return System(
        kind="",
        numbers=filled,
        sums=tuple(sums),
        parts={"DCAPd": 4},
        complements=frozenset({"wrong", "found, not", "rest"} & set(filled)),
        worth={"all": 9, "DiSCO": 5, "iS": 3},
    )


def _means(random: Random) -> System:
    """Means over m syntheses of two nested measures, and those of each synthesis."""
    m = random.randint(2, 4)
    numbers: dict[str, Fraction] = {}
    sums = []
    for j in range(m):
        outer = _number(random)
        numbers |= {f"DiS {j}": Fraction(outer), f"DiSCO {j}": Fraction(random.randint(0, outer))}
        sums.append(_at_most(f"DiSCO {j}", f"DiS {j}"))
    for measure in ("DiS", "DiSCO"):
        single = [f"{measure} {j}" for j in range(m)]
        numbers[measure] = sum((numbers[name] for name in single), Fraction(0)) / m
        of_m = _total(measure, single)
        sums.append(of_m._replace(terms=((Fraction(m), measure), *of_m.terms[1:])))
    return System("", numbers, tuple(sums), parts={"DiS": m, "DiSCO": m}, worth={"DiSCO": 5})


def _anything(random: Random) -> System:
    """Sums and differences of a few numbers, some counted twice or three times."""
    names = [f"n{i}" for i in range(random.randint(2, 4))]
    numbers = {name: random.randint(0, random.choice([4, 15])) for name in names}
    sums = []
    for i in range(random.randint(1, 4)):
        factors = {name: random.choice([-1, 1, 1, 1, 2, 3]) for name in names}
        used = random.sample(names, random.randint(2, len(names)))
        outcome = sum(factors[name] * numbers[name] for name in used)
        if outcome < 0:
            outcome, factors = -outcome, {name: -f for name, f in factors.items()}
        numbers[f"sum {i}"] = outcome
        terms = [(Fraction(-factors[name]), name) for name in used]
        sums.append(Sum(((Fraction(1), f"sum {i}"), *terms)))
    return _filled(numbers, sums)


KINDS = {
    "two-way": _two_way,
    "levels": _levels,
    "chain": _chain,
    "means": _means,
    "three-way": _three_way,
    "anything": _anything,
}
