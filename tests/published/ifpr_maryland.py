"""The Maryland file of Zhang, Nayak and You (2017), rebuilt: the 2013 microdata are not here.

Exact, as printed: records, combinations of keys (cells), singles, doubles, units of the 42 blocks,
the tables of race and of marital status, the share of married Asians. Made up: everything else. The
assumptions, in the order in which they are used:

1. Doubles: the overall share of the rare units in every block.
2. Cells of three and more: of each race as many as its records need, spread over sex and years of
   age evenly; how many records each holds is drawn with a long tail.
3. Below 18 everybody is never married. From 18 on marital status does not depend on age and sex.
4. Within a block people are spread over ages and areas at random. So statuses and races with few
   people have few people per cell, and more of them are rare.
5. Education (8 levels) and work (9) are unrelated to everything, all levels alike.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from . import ifpr_slides as slides

NEVER = slides.MARITAL.index("Never married")
MARRIED = slides.MARITAL.index("Married")
RACES = list(slides.RACE_TABLE)
ASIAN = RACES.index("Asian")
PEOPLE_OF_RACE = np.array([row[0] for row in slides.RACE_TABLE.values()])
PEOPLE_OF_STATUS = np.array([row[0] for row in slides.MARITAL_TABLE.values()])
# the randomisation keeps expected counts, so the printed share of the perturbed records is the best
# guess of the original one
MARRIED_ASIANS = round(slides.MARRIED_ASIANS * slides.RECORDS)
CROWDED = slides.CELLS - slides.SINGLES - slides.DOUBLES
PUMAS = slides.LEVELS["puma"]
LEAST = 3  # units of a crowded cell
STATUSES = len(slides.MARITAL)
RAKINGS = 100


@dataclass
class Cells:
    """Cells that are being made, arrays of one length: the number of the block, the size, race and
    marital status as places in `RACES` and `slides.MARITAL`.
    """

    block: np.ndarray
    size: np.ndarray
    race: np.ndarray
    mar: np.ndarray


def rounded(exact: np.ndarray, total: int) -> np.ndarray:
    """Whole numbers near to these that sum to `total`."""
    whole = np.floor(exact).astype(int)
    most_lost = np.argsort(whole - exact, kind="stable")
    whole[most_lost[: total - whole.sum()]] += 1
    return whole


def pairs_of_blocks(reading: str = "relabelled") -> list[int]:
    """Doubles in each block (assumption 1)."""
    units = np.array([row[3] for row in slides.units_of_blocks(reading)])
    return rounded(units * slides.DOUBLES / units.sum(), slides.DOUBLES).tolist()


def maryland(reading: str = "relabelled", seed: int = 2013) -> pd.DataFrame:
    """The rebuilt file. With the labels of the blocks "as printed" the table of race cannot be met:
    then there are as many people of other races as rare ones and half as many again.
    """
    rng = np.random.default_rng(seed)
    blocks = slides.units_of_blocks(reading)
    size_by_block, people_of_race = _sizes(blocks, reading, rng)
    cells = _statuses(blocks, size_by_block, people_of_race, rng)
    _meet_margins(blocks, cells, people_of_race, rng)
    frame = _placed(blocks, cells, rng)
    rows = np.repeat(np.arange(len(frame)), cells.size)
    people = frame.iloc[rng.permutation(rows)].reset_index(drop=True)
    return people.assign(
        edu=rng.integers(1, 9, len(people)),
        work=rng.integers(1, 10, len(people)),
        income=rng.lognormal(10, 1, len(people)).round(),
    )


# ---- sizes of cells ------------------------------------------------------------------


def _sizes(blocks, reading, rng):
    """Sizes of the cells of each block, and people of each race."""
    people = PEOPLE_OF_RACE if reading == "relabelled" else _people_as_printed(blocks)
    groups = np.array([slides.group_of(race) for race in RACES])
    group_of_block = np.array([group for _, _, group, _ in blocks])
    units = np.array([row[3] for row in blocks])
    names = ("White", "Black", "Others")
    spare = np.array([people[groups == g].sum() - units[group_of_block == g].sum() for g in names])
    crowded_of_group = rounded(spare * CROWDED / spare.sum(), CROWDED)
    sizes = []
    for (*_, number), pairs in zip(blocks, pairs_of_blocks(reading)):
        sizes.append([1] * (number - 2 * pairs) + [2] * pairs)
    for group, records, number in zip(names, spare.tolist(), crowded_of_group.tolist()):
        of_group = np.flatnonzero(group_of_block == group)
        years = np.array([len(slides.BANDS[blocks[b][1]]) for b in of_group])
        in_block = rounded(number * years / years.sum(), number)
        weight = rng.pareto(1.5, number) + 1
        size = LEAST + rng.multinomial(records - LEAST * number, weight / weight.sum())
        for b, part in zip(of_group, np.split(size, np.cumsum(in_block)[:-1])):
            sizes[b] += part.tolist()
    return sizes, people


def _people_as_printed(blocks) -> np.ndarray:
    """People of each race that the printed labels need: other races half as many again as rare,
    the more white ones less.
    """
    rare = sum(units for _, _, group, units in blocks if group == "Others")
    others = PEOPLE_OF_RACE[2:]
    scaled = rounded(others * 1.5 * rare / others.sum(), round(1.5 * rare))
    black = PEOPLE_OF_RACE[1]
    white = slides.RECORDS - black - scaled.sum()
    return np.array([white, black, *scaled])


# ---- race and marital status ---------------------------------------------------------


def _statuses(blocks, size_by_block, people_of_race, rng) -> Cells:
    """Race and marital status of every cell, drawn (assumptions 3 and 4)."""
    chances = _chances(blocks, size_by_block, people_of_race)
    kinds = [np.minimum(sizes, LEAST) - 1 for sizes in size_by_block]
    people = np.array(
        [np.bincount(kind, sizes, LEAST) for kind, sizes in zip(kinds, size_by_block)]
    )
    factor = _raked(chances, people, people_of_race)
    parts = []
    for b, sizes in enumerate(size_by_block):
        places = len(slides.BANDS[blocks[b][1]]) * PUMAS
        drawn = _compartments(kinds[b], (chances[b] * factor).reshape(LEAST, -1), places, rng)
        block = np.full(len(sizes), b)
        parts.append(np.array([block, sizes, drawn // STATUSES, drawn % STATUSES]))
    return Cells(*np.concatenate(parts, axis=1))


def _is_young(band: str) -> bool:
    return max(slides.BANDS[band]) < 18


def _chances(blocks, size_by_block, people_of_race) -> np.ndarray:
    """Weights of races and statuses for cells of one, two and more units, of each block, when
    people are spread over ages and areas at random; shape (blocks, 3, races, statuses).
    """
    children = sum(
        sum(sizes) for (_, band, _, _), sizes in zip(blocks, size_by_block) if _is_young(band)
    )
    adults = PEOPLE_OF_STATUS - children * (np.arange(STATUSES) == NEVER)
    chances = np.zeros((len(blocks), LEAST, len(RACES), STATUSES))
    for b, ((_, band, group, _), sizes) in enumerate(zip(blocks, size_by_block)):
        of_group = np.array([slides.group_of(race) == group for race in RACES])
        share = people_of_race * of_group / people_of_race[of_group].sum()
        status = np.eye(STATUSES)[NEVER] if _is_young(band) else adults / adults.sum()
        density = sum(sizes) * np.outer(share, status) / (len(slides.BANDS[band]) * PUMAS)
        none = np.exp(-density)
        chances[b, 0] = none * density
        chances[b, 1] = none * density**2 / 2
        chances[b, 2] = 1 - none * (1 + density + density**2 / 2)
    return np.maximum(chances, 0)


def _raked(chances, people, people_of_race) -> np.ndarray:
    """Factors of the weights, by race and status, with which the printed tables are expected;
    `people` are those of each block in cells of one, two and more units.
    """
    factor = np.ones(chances.shape[2:])
    for _ in range(RAKINGS):
        for margin in ("race", "mar", "married Asians"):
            weight = chances * factor
            expected = people[:, :, None, None] * weight / weight.sum(axis=(2, 3), keepdims=True)
            table = expected.sum(axis=(0, 1))
            if margin == "race":
                factor *= (people_of_race / table.sum(axis=1))[:, None]
            elif margin == "mar":
                factor *= PEOPLE_OF_STATUS / table.sum(axis=0)
            else:
                factor[ASIAN, MARRIED] *= MARRIED_ASIANS / table[ASIAN, MARRIED]
    return factor


def _compartments(kind, weights, places, rng) -> np.ndarray:
    """Race and status of each cell, larger cells first; no more cells of one race and status than
    there are places.
    """
    drawn = np.empty(len(kind), dtype=int)
    left = np.full(weights.shape[1], places)
    for number in range(LEAST - 1, -1, -1):
        for cell in np.flatnonzero(kind == number):
            cumulated = np.cumsum(weights[number] * (left > 0))
            drawn[cell] = np.searchsorted(cumulated, rng.random() * cumulated[-1], side="right")
            left[drawn[cell]] -= 1
    return drawn


# ---- margins -------------------------------------------------------------------------


def _meet_margins(blocks, cells: Cells, people_of_race, rng) -> None:
    """Singles change race or marital status until the printed tables are met."""
    room = _Room(blocks, cells)
    _meet(room, "race", people_of_race, np.full(len(cells.size), True), rng)
    young = np.array([_is_young(band) for _, band, _, _ in blocks])[cells.block]
    if (people_of_race == PEOPLE_OF_RACE).all():
        asians = np.bincount(cells.mar[cells.race == ASIAN], cells.size[cells.race == ASIAN], 5)
        wanted = _with_married(asians, MARRIED_ASIANS)
        _meet(room, "mar", wanted, (cells.race == ASIAN) & ~young, rng, of=cells.race == ASIAN)
    _meet(room, "mar", PEOPLE_OF_STATUS, (cells.race != ASIAN) & ~young, rng)


def _with_married(people: np.ndarray, married: int) -> np.ndarray:
    """So many married, and the others in proportion."""
    others = np.where(np.arange(5) == MARRIED, 0, people)
    number = int(people.sum()) - married
    wanted = rounded(others * number / others.sum(), number)
    wanted[MARRIED] = married
    return wanted


class _Room:
    """How many of the combinations of age and area of a block, race and status are taken."""

    def __init__(self, blocks, cells: Cells) -> None:
        self.cells = cells
        self.places = [len(slides.BANDS[band]) * PUMAS for _, band, _, _ in blocks]
        self.groups = [group for _, _, group, _ in blocks]
        self.taken = np.zeros((len(blocks), len(RACES), 5), dtype=int)
        np.add.at(self.taken, (cells.block, cells.race, cells.mar), 1)

    def change(self, cell: int, name: str, level: int) -> bool:
        """Whether the cell could be given another race or status."""
        block, race, mar = self.cells.block[cell], self.cells.race[cell], self.cells.mar[cell]
        new_race, new_mar = (level, mar) if name == "race" else (race, level)
        if slides.group_of(RACES[new_race]) != self.groups[block]:
            return False
        if self.taken[block, new_race, new_mar] >= self.places[block]:
            return False
        self.taken[block, race, mar] -= 1
        self.taken[block, new_race, new_mar] += 1
        self.cells.race[cell], self.cells.mar[cell] = new_race, new_mar
        return True


def _meet(room: _Room, name: str, wanted: np.ndarray, movable, rng, of=None) -> None:
    """Singles among `movable` change until the people in `of` (all) have the wanted levels."""
    cells = room.cells
    level = getattr(cells, name)
    counted = np.full(len(level), True) if of is None else of
    lack = wanted - np.bincount(level[counted], cells.size[counted], len(wanted)).astype(int)
    for cell in rng.permutation(np.flatnonzero(movable & (cells.size == 1))):
        if lack[level[cell]] >= 0:
            continue
        old = level[cell]
        for goal in np.argsort(-lack):
            if lack[goal] > 0 and room.change(cell, name, int(goal)):
                lack[old] += 1
                lack[goal] -= 1
                break
    if lack.any():
        raise ValueError(f"{name}: {lack.tolist()} remain; the tables cannot be met")


# ---- age and area --------------------------------------------------------------------


def _placed(blocks, cells: Cells, rng) -> pd.DataFrame:
    """One row per cell: its keys; age and area drawn, no combination twice."""
    age, puma = np.empty(len(cells.size), dtype=int), np.empty(len(cells.size), dtype=int)
    compartment = (cells.block * len(RACES) + cells.race) * 5 + cells.mar
    for number in np.unique(compartment):
        rows = np.flatnonzero(compartment == number)
        ages = np.array(slides.BANDS[blocks[cells.block[rows[0]]][1]])
        place = rng.choice(len(ages) * PUMAS, len(rows), replace=False)
        age[rows], puma[rows] = ages[place // PUMAS], place % PUMAS + 1
    return pd.DataFrame(
        {
            "sex": np.array([sex for sex, _, _, _ in blocks])[cells.block],
            "age": age,
            "race": np.array(RACES)[cells.race],
            "mar": np.array(slides.MARITAL)[cells.mar],
            "puma": puma,
        }
    )
