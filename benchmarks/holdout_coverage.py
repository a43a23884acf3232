"""How often the intervals of a baseline hold what they are about, and how often its tests cry wolf.

    python benchmarks/holdout_coverage.py            # minutes; writes docs/holdout_coverage.json
    python benchmarks/holdout_coverage.py --quick    # some seconds; writes nothing

A population is given by the probability of each key combination and target. Original records are
drawn from it, and a release: rows of the original drawn with replacement ("copied"), or other
records of the population ("independent"). Given both, the figure of non-members is known, a sum
over the population. Then holdouts are drawn, and the interval of the difference is made from each.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from synthpop_py.disclosure import baseline_intervals  # noqa: E402
from synthpop_py.disclosure.baseline import COMPARED, LEVEL, RATIOS, compare, parts_of  # noqa: E402
from synthpop_py.disclosure.baseline_intervals import Sample, wilson  # noqa: E402
from synthpop_py.disclosure.scores import SCORES, Scores  # noqa: E402

RECORD = ROOT / "docs" / "holdout_coverage.json"
KEYS, TARGETS, ORIGINAL = 400, 4, 1000
SEED = 20261117


def population(rng: np.random.Generator) -> np.ndarray:
    """Probabilities, (keys, targets): few combinations are common, targets depend on them."""
    of_keys = rng.dirichlet(np.full(KEYS, 0.5))
    of_targets = rng.dirichlet(np.full(TARGETS, 0.4), size=KEYS)
    return of_keys[:, None] * of_targets


def drawn(rng: np.random.Generator, chances: np.ndarray, n: int) -> np.ndarray:
    """Records by cell."""
    return rng.multinomial(n, (chances / chances.sum()).ravel()).reshape(chances.shape)


def cell_scores(releases: list[np.ndarray]) -> np.ndarray:
    """The four scores of a record in each cell, (4, cells), means over the releases."""
    sums = np.zeros((len(SCORES), KEYS * TARGETS))
    for s in releases:
        of_key = s.sum(axis=1, keepdims=True)
        certain = (s > 0).sum(axis=1, keepdims=True) == 1
        scores = [of_key > 0, certain, certain & (s > 0), s / np.maximum(of_key, 1)]
        sums += np.array([np.broadcast_to(score, s.shape).ravel() for score in scores])
    return sums / len(releases)


def true_figures(chances: np.ndarray, values: np.ndarray) -> dict[str, float]:
    """What the figures of endlessly many non-members would be."""
    figures = dict(zip(SCORES, (values @ chances.ravel()).tolist()))
    for measure in RATIOS:
        part, whole = parts_of(measure)
        figures[measure] = figures[part] / figures[whole]
    return figures


def newcombe(mine: tuple[float, float], theirs: tuple[float, float]) -> tuple[float, float]:
    """Newcombe's interval of a difference of two samples, which members are not."""
    (x, n), (y, k) = mine, theirs
    low_a, high_a = wilson(Sample(x / n, n, n), LEVEL)
    low_b, high_b = wilson(Sample(y / k, k, k), LEVEL)
    a, b = x / n, y / k
    return (
        a - b - math.hypot(a - low_a, high_b - b),
        a - b + math.hypot(high_a - a, b - low_b),
    )


def one_setting(
    rng: np.random.Generator, kind: str, m: int, n: int, draws: int, releases: int
) -> list[dict[str, object]]:
    """Shares of draws in which intervals hold, and tests reject, by measure."""
    names = [*COMPARED, "pooled n m", "Newcombe"]
    held, rejected = dict.fromkeys(names, 0), dict.fromkeys(names, 0)
    for _ in range(releases):
        chances = population(rng)
        original = drawn(rng, chances, ORIGINAL)
        source = original if kind == "copied" else chances
        values = cell_scores([drawn(rng, source, ORIGINAL) for _ in range(m)])
        members = Scores(values, original.ravel(), left_out=0).condensed()
        truth = true_figures(chances, values)
        for _ in range(draws):
            # under the null hypothesis of the tests members are drawn anew as well
            if kind == "independent":
                original = drawn(rng, chances, ORIGINAL)
                members = Scores(values, original.ravel(), left_out=0).condensed()
            # so few draws by one key would be off in the same way every time
            baseline_intervals.KEY = int(rng.integers(2**31))
            holdout = drawn(rng, chances, n).ravel()
            found = compare(members, Scores(values, holdout, left_out=0).condensed())
            for one in found.measures:
                difference = one.members.percent - 100 * truth[one.measure]
                lower, upper = one.interval(LEVEL)
                held[one.measure] += lower <= difference <= upper
                rejected[one.measure] += one.p_value <= 0.05
            disco = found.of("DiSCO")
            share, whole = disco.non_members.numerator / n, n * m
            difference = disco.members.percent / 100 - truth["DiSCO"]
            low, high = wilson(Sample(share, whole, whole), LEVEL)
            held["pooled n m"] += low <= truth["DiSCO"] <= high
            low, high = newcombe(disco.members, disco.non_members)
            held["Newcombe"] += low <= difference <= high
    total = draws * releases
    rows = []
    for name in names:
        row = {"release": kind, "m": m, "n": n, "interval": name, "held": held[name] / total}
        if name in COMPARED and kind == "independent":
            row["rejected"] = rejected[name] / total
        rows.append(row)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer draws, nothing is written")
    quick = parser.parse_args().quick
    # exact for any number of draws: fewer are enough to see whether it cries wolf
    baseline_intervals.DRAWS = 99
    draws, releases = (40, 2) if quick else (100, 20)
    rng = np.random.default_rng(SEED)
    rows = []
    for kind in ("copied", "independent"):
        for m in (1, 5):
            for n in (50, 200, 1000):
                of_setting = one_setting(rng, kind, m, n, draws, releases)
                rows += of_setting
                held = {row["interval"]: round(float(str(row["held"])), 3) for row in of_setting}
                print(kind, m, n, held, flush=True)
    if not quick:
        record = {"seed": SEED, "original": ORIGINAL, "draws": draws * releases, "rows": rows}
        RECORD.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
