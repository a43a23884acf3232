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
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from synthpop_py import disclosure  # noqa: E402

SCORES = ("iS", "DiS", "DiSCO", "DCAPd")
RATIOS = {"TCAP_iS": ("DiSCO", "iS"), "TCAP_DiS": ("DiSCO", "DiS")}
COMPARED = (*SCORES, *RATIOS)
Z = 1.959963984540054  # of a 95 % interval
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
    for measure, (part, whole) in RATIOS.items():
        figures[measure] = figures[part] / figures[whole]
    return figures


def counted(n: np.ndarray) -> pd.DataFrame:
    """A table of how many records each cell has."""
    cells = np.flatnonzero(n.ravel())
    return pd.DataFrame({"k": cells // TARGETS, "t": cells % TARGETS, "n": n.ravel()[cells]})


def wilson(share: float, n: float) -> tuple[float, float]:
    middle, half = (
        share + Z * Z / (2 * n),
        Z * math.sqrt(share * (1 - share) / n + (Z / (2 * n)) ** 2),
    )
    return (middle - half) / (1 + Z * Z / n), (middle + half) / (1 + Z * Z / n)


def newcombe(mine: tuple[float, float], theirs: tuple[float, float]) -> tuple[float, float]:
    """Newcombe's interval of a difference of two samples, which members are not."""
    (x, n), (y, k) = mine, theirs
    low_a, high_a = wilson(x / n, n)
    low_b, high_b = wilson(y / k, k)
    a, b = x / n, y / k
    return (
        a - b - math.hypot(a - low_a, high_b - b),
        a - b + math.hypot(high_a - a, b - low_b),
    )


def compared(sets: list[np.ndarray], original: np.ndarray, holdout: np.ndarray) -> pd.DataFrame:
    """The baseline, by measure."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = disclosure(
            [counted(one) for one in sets],
            counted(original),
            "k",
            "t",
            counts="n",
            holdout=counted(holdout),
            compat="corrected",
            print_flag=False,
        )
    return result.baseline.set_index("measure")


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
        sets = [drawn(rng, source, ORIGINAL) for _ in range(m)]
        values = cell_scores(sets)
        truth = true_figures(chances, values)
        for _ in range(draws):
            # under the null hypothesis of the tests members are drawn anew as well
            if kind == "independent":
                original = drawn(rng, chances, ORIGINAL)
            found = compared(sets, original, drawn(rng, chances, n))
            for measure, one in found.iterrows():
                difference = one["members"] - 100 * truth[str(measure)]
                held[str(measure)] += one["lower"] <= difference <= one["upper"]
                rejected[str(measure)] += one["p_value"] <= 0.05
            disco = found.loc["DiSCO"]
            low, high = wilson(disco["non_members"] / 100, n * m)
            held["pooled n m"] += low <= truth["DiSCO"] <= high
            difference = disco["members"] / 100 - truth["DiSCO"]
            members = (disco["numerator_members"], disco["n_members"])
            low, high = newcombe(members, (disco["numerator_non_members"], n))
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
