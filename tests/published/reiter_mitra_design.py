"""How may Table 1 of Reiter and Mitra have been made? The plan of an experiment over five choices
that the paper leaves open, and its record; `reiter_mitra_runs` makes the runs.

Choices (today's level, the other one):

a  predictors: all 21; or without those that repeat others, `REPEATED`
b  codes: categories, an indicator for each level but the first; or numbers, 1, 2, 3, ...
c  ridge: 0.1; or 1. None at all is no level: without a ridge the predictors tell facilities apart
   perfectly (34 of 46 hold boys only), so that coefficients are not determined; with codes as
   numbers and ridge 0 a fit did not end in nine minutes. `BESIDE` has ridges that are almost none,
   `NO_RIDGE` one run with none
d  synthesis: coefficients drawn from their posterior for each set; or the estimate for all sets
e  counts (arrests, probations, stays in institutions): as they are; or log1p of them

Stage one: eight of the 32 combinations, the fraction with the generators d = -ab and e = -ac
(today's level is -1, so that today's configuration is one of the eight), five seeds each, m = 2, 3.
Each main effect is confounded with interactions of two choices: a with bd and ce, b with ad, c with
ae, d with ab, e with ac.

Stage two: today's configuration and the two nearest to print among the other seven, 20 seeds that
stage one did not use, m = 2, 3, 10: all 14 rows.

The distance to print was written down before the first run of this plan; two runs for timing came
before it was committed. What was known by then: five configurations (`CONFIGURATIONS` of the
figures), about 13 exploratory ones, and six ridges (0, 0.001, 0.01, 0.1, 1, 10; one seed, plug-in
and draws, today's otherwise, `youths()`), after which the levels of c were chosen.

Every figure is a number of youths, so that its square root has about the same sampling error, 1/2,
whatever its size: the distance is the root mean square of 2 (sqrt(mean over seeds) - sqrt(printed))
over the three measures of all rows at hand (10 rows in stage one, 14 in stage two).

Beside the design, after stage one was known and for no choice: its nearest configuration with a
smaller ridge, and with another reading of "collinear", five seeds, m = 2, 3. And today's without
any ridge: one seed, two rows. A ridge of 0.01 came nearer than any of the eight, so it got runs of
stage two as well (`FOLLOWED`), with five seeds: twenty were planned, time was up.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tests.published import reiter_mitra_figures as paper

MODELS = Path(__file__).resolve().parents[2] / "fixtures" / "expected_models"
RECORD = MODELS / "reiter_mitra_design.jsonl"

# One or two other predictors give these for at least 99 in 100 youths: whether there was ever
# violence by the present offence and earlier violence, time in an institution by the number of
# stays. No other predictor comes above 95.
REPEATED = ("everviol", "evertime")
COUNTS = ("numarr", "probtn", "corrinst")
# Another reading of "collinear": without these the condition number of the design (today's, columns
# of length 1) falls below 30, the limit of Belsley, Kuh and Welsch. Each time the predictor is
# dropped that lowers it most.
AGES = ("age", "agefirst", "educ")

FACTORS = ("predictors", "codes", "ridge", "synthesis", "counts")
LEVELS = {
    "predictors": {-1: "all 21 predictors", 1: "19 predictors"},
    "codes": {-1: "categories", 1: "codes as numbers"},
    "ridge": {-1: "ridge 0.1", 1: "ridge 1"},
    "synthesis": {-1: "posterior draws", 1: "plug-in"},
    "counts": {-1: "counts as they are", 1: "log1p of counts"},
}
RIDGES = {-1: 0.1, 1: 1.0}

SCREENING_SEEDS = tuple(range(1, 6))
SCREENING_SETS = (2, 3)
FINAL_SEEDS = tuple(range(101, 121))
FINALISTS = 2


class Row(NamedTuple):
    """A row of Table 1: what is released about the models, what the intruder does, how many sets
    (0 where m does not matter).
    """

    released: str
    attack: str
    m: int


class Point(NamedTuple):
    """What one line of the record stands for."""

    configuration: str
    seed: int
    row: Row


Figures = tuple[float, float, float]  # perceived, expected, true


def printed() -> dict[Row, Figures]:
    """The 14 rows as the paper prints them."""
    return {
        **{Row("nothing", *row): figures for row, figures in paper.PUBLISHED.items()},
        **{Row("models", *row): figures for row, figures in paper.PUBLISHED_MODELS.items()},
        **{Row("posterior", how, 0): f for how, f in paper.PUBLISHED_POSTERIOR.items()},
    }


def rows_with(sets: Iterable[int]) -> list[Row]:
    """The rows that can be made with so many sets."""
    wanted = {0, *sets}
    rows = [row for row in printed() if row.m in wanted]
    # the intruders of one m next to each other: they fit the same sets
    return sorted(rows, key=lambda row: row.m)


# ---- the design ----------------------------------------------------------------------


def fraction() -> dict[str, dict[str, int]]:
    """The eight configurations of stage one by name (`-+--+`), each with its levels."""
    runs = [(a, b, c, -a * b, -a * c) for a, b, c in product((-1, 1), repeat=3)]
    return {_name(levels): dict(zip(FACTORS, levels)) for levels in runs}


def _name(levels: Iterable[int]) -> str:
    return "".join("+" if level > 0 else "-" for level in levels)


TODAY = _name([-1] * len(FACTORS))


class Choices(NamedTuple):
    """What a configuration does: levels of the factors, its ridge, predictors it does without."""

    levels: Mapping[str, int]
    ridge: float
    dropped: tuple[str, ...]


NEAREST_OF_EIGHT = "-+-+-"  # of stage one
BESIDE = ("ridge 0.01", "ridge 0.001", "without age, age at first arrest, schooling")
FOLLOWED = BESIDE[0]
FOLLOWED_SEEDS = FINAL_SEEDS[:5]
NO_RIDGE = "no ridge"  # today's otherwise


def choices(configuration: str) -> Choices:
    """The choices of one of the eight, or of one beside them."""
    if configuration == NO_RIDGE:
        return choices(TODAY)._replace(ridge=0.0)
    levels = fraction()[NEAREST_OF_EIGHT if configuration in BESIDE else configuration]
    dropped = REPEATED if levels["predictors"] > 0 else ()
    made = Choices(levels, RIDGES[levels["ridge"]], dropped)
    if configuration == BESIDE[0]:
        return made._replace(ridge=0.01)
    if configuration == BESIDE[1]:
        return made._replace(ridge=0.001)
    if configuration == BESIDE[2]:
        return made._replace(dropped=AGES)
    return made


def described(configuration: str) -> str:
    """A configuration in words."""
    made = choices(configuration)
    words = {factor: LEVELS[factor][level] for factor, level in made.levels.items()}
    words["ridge"] = f"ridge {made.ridge:g}"
    return ", ".join(words.values())


def screening() -> list[Point]:
    """All points of stage one, seed by seed."""
    rows = rows_with(SCREENING_SETS)
    return [
        Point(configuration, seed, row)
        for configuration in fraction()
        for seed in SCREENING_SEEDS
        for row in rows
    ]


def final(record: Mapping[Point, Figures]) -> list[Point]:
    """All points of stage two. Seeds come first, so that a run that is cut short has whole seeds of
    all configurations.
    """
    rows = rows_with(paper.SETS)
    return [
        Point(configuration, seed, row)
        for seed in FINAL_SEEDS
        for configuration in final_configurations(record)
        for row in rows
    ]


def beside() -> list[Point]:
    """All points beside the design, those of stage two last."""
    rows = rows_with(SCREENING_SETS)
    points = [Point(name, seed, row) for name in BESIDE for seed in SCREENING_SEEDS for row in rows]
    few = (Row("posterior", "fixed", 0), Row("nothing", "probability", 2))
    points += [Point(NO_RIDGE, SCREENING_SEEDS[0], row) for row in few]
    all_rows = rows_with(paper.SETS)
    return points + [Point(FOLLOWED, seed, row) for seed in FOLLOWED_SEEDS for row in all_rows]


def tried() -> int:
    """How many configurations were run, if only once."""
    return len({point.configuration for point in (*screening(), *beside())})


# ---- the choice ----------------------------------------------------------------------


def distance(
    means: Mapping[Row, Sequence[float] | np.ndarray],
    goal: Mapping[Row, Sequence[float] | np.ndarray] | None = None,
) -> float:
    """How far means over seeds are from print, or from other figures; see the head of this file."""
    goal = goal or printed()
    differences = [2 * (np.sqrt(means[row]) - np.sqrt(goal[row])) for row in means]
    return float(np.sqrt(np.mean(np.square(differences))))


def means_of(
    record: Mapping[Point, Figures], configuration: str, seeds: Sequence[int], rows: Sequence[Row]
) -> dict[Row, np.ndarray]:
    """Means over the seeds, row by row."""
    runs = runs_of(record, configuration, seeds, rows)
    return {row: figures.mean(axis=0) for row, figures in runs.items()}


def runs_of(
    record: Mapping[Point, Figures], configuration: str, seeds: Sequence[int], rows: Sequence[Row]
) -> dict[Row, np.ndarray]:
    """The figures of each row, shape (seeds, 3)."""
    return {
        row: np.array([record[Point(configuration, seed, row)] for seed in seeds], dtype=float)
        for row in rows
    }


def distances(
    record: Mapping[Point, Figures],
    configurations: Iterable[str],
    seeds: Sequence[int],
    rows: Sequence[Row],
) -> dict[str, tuple[float, float]]:
    """The distance to print of each configuration with its standard error (the jackknife over
    seeds), nearest first.
    """
    found = {}
    for configuration in configurations:
        whole = distance(means_of(record, configuration, seeds, rows))
        without = [
            distance(means_of(record, configuration, [s for s in seeds if s != left_out], rows))
            for left_out in seeds
        ]
        found[configuration] = (whole, float(np.sqrt(len(seeds) - 1) * np.std(without)))
    return dict(sorted(found.items(), key=lambda item: item[1]))


def screened(record: Mapping[Point, Figures]) -> dict[str, tuple[float, float]]:
    """Stage one: the eight configurations, nearest to print first."""
    return distances(record, fraction(), SCREENING_SEEDS, rows_with(SCREENING_SETS))


def final_configurations(record: Mapping[Point, Figures]) -> list[str]:
    """The nearest two and today's."""
    others = [configuration for configuration in screened(record) if configuration != TODAY]
    return [*others[:FINALISTS], TODAY]


def ranked(record: Mapping[Point, Figures]) -> dict[str, tuple[float, float]]:
    """Stage two: the three configurations over all 14 rows, nearest to print first."""
    return distances(record, final_configurations(record), FINAL_SEEDS, rows_with(paper.SETS))


def compared(record: Mapping[Point, Figures]) -> dict[str, tuple[float, float]]:
    """The nearest of stage two and the one that was followed up, over the seeds of the latter."""
    pair = [next(iter(ranked(record))), FOLLOWED]
    return distances(record, pair, FOLLOWED_SEEDS, rows_with(paper.SETS))


def compared_on_ten_rows(record: Mapping[Point, Figures]) -> list[dict[str, tuple[float, float]]]:
    """The same two without the rows of ten sets: seeds of stage one, then those of `compared`."""
    pair, rows = list(compared(record)), rows_with(SCREENING_SETS)
    return [distances(record, pair, seeds, rows) for seeds in (SCREENING_SEEDS, FOLLOWED_SEEDS)]


def own_distances(record: Mapping[Point, Figures], configuration: str) -> list[float]:
    """How far each run of stage two is from the mean of the others: sampling error alone."""
    rows = rows_with(paper.SETS)
    found = []
    for seed in FINAL_SEEDS:
        others = [other for other in FINAL_SEEDS if other != seed]
        means = means_of(record, configuration, others, rows)
        found.append(distance(means, means_of(record, configuration, [seed], rows)))
    return found


# ---- what it shows -------------------------------------------------------------------


class Band(NamedTuple):
    """Three numbers each, one for each measure: the mean of the runs, the lowest, the highest, and
    whether print lies between these.

    If print were one more run, of n + 1, it would lie there with probability (n - 1) / (n + 1) or
    more (runs can be equal): 0.90 for 20.
    """

    mean: np.ndarray
    low: np.ndarray
    high: np.ndarray
    inside: np.ndarray


def bands(record: Mapping[Point, Figures], configuration: str) -> dict[Row, Band]:
    """The runs of stage two of one configuration."""
    goal = printed()
    runs = runs_of(record, configuration, FINAL_SEEDS, list(goal))
    return {row: _band(figures, np.array(goal[row])) for row, figures in runs.items()}


def _band(figures: np.ndarray, goal: np.ndarray) -> Band:
    low, high = figures.min(axis=0), figures.max(axis=0)
    # print is rounded to one decimal
    inside = (low - 0.05 <= goal) & (goal <= high + 0.05)
    return Band(figures.mean(axis=0), low, high, inside)


def effects(record: Mapping[Point, Figures], released: str) -> dict[str, float]:
    """What each choice moves in stage one: expected matches at its other level less those at
    today's, the mean over four configurations each, five seeds and the rows of `released`.
    """
    rows = [row for row in rows_with(SCREENING_SETS) if row.released == released]
    expected = {}
    for configuration in fraction():
        means = means_of(record, configuration, SCREENING_SEEDS, rows)
        expected[configuration] = np.mean([figures[1] for figures in means.values()])
    return {factor: _contrast(expected, factor) for factor in FACTORS}


def _contrast(value: Mapping[str, float], factor: str) -> float:
    """The mean at the other level less the mean at today's."""
    return float(sum(value[name] * levels[factor] for name, levels in fraction().items()) / 4)


# ---- the record ----------------------------------------------------------------------


def read(path: Path = RECORD) -> dict[Point, Figures]:
    """What is recorded. A last line without an end was cut off, and is left out."""
    if not path.exists():
        return {}
    lines = path.read_text(encoding="utf-8").split("\n")[:-1]
    return dict(map(_from_line, lines))


def _from_line(line: str) -> tuple[Point, Figures]:
    fields = json.loads(line)
    row = Row(fields["released"], fields["attack"], fields["m"])
    perceived, expected, true = (fields[name] for name in paper.MEASURES)
    return Point(fields["configuration"], fields["seed"], row), (perceived, expected, true)


def append(point: Point, figures: Figures, path: Path = RECORD) -> None:
    """One more line; an unfinished one before it is removed."""
    line = {
        "configuration": point.configuration,
        "seed": point.seed,
        **point.row._asdict(),
        **dict(zip(paper.MEASURES, figures)),
    }
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    whole = text[: text.rfind("\n") + 1]
    if whole != text:
        path.write_text(whole, encoding="utf-8")
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
