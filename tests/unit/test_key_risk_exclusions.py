"""`key_risk()` with classes and exclusions, alone, in a report and on the command line."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from synthpop_py import MISSING, disclosure, key_risk

NAMES = ["town", "age", "job"]
LEVELS = ["x", "y", MISSING]


def random_people(rng: np.random.Generator, n: int) -> pd.DataFrame:
    """Few values, so that combinations meet, and gaps everywhere; the first rows have them all."""
    columns = {}
    for name, values in {
        "town": ["A", "B", "C", None],
        "age": [20.0, 21.5, 30, 41, np.nan],
        "job": ["x", "y", None],
        "ill": ["x", "y", None],
        "income": [-8.0, 1, 2, 3, 40, 50, np.nan],
    }.items():
        odds = rng.dirichlet(np.full(len(values), 2))
        drawn = [*range(len(values)), *rng.choice(len(values), n - len(values), p=odds)]
        columns[name] = [values[place] for place in drawn]
    return pd.DataFrame(columns)


def random_options(rng: np.random.Generator) -> dict:
    """Arguments that are the same for every target."""
    return {
        "ngroups_keys": [0, int(rng.choice([0, 3])), 0],
        "usekeysNA": [bool(use) for use in rng.integers(0, 2, 3)],
        "cont_na": {"income": -8},
        "denom_lim": int(rng.integers(1, 4)),
        "exclude_ov_denom_lim": bool(rng.integers(0, 2)),
    }


def random_exclusions(rng: np.random.Generator, levels: list) -> dict:
    """Arguments about one target, as `disclosure()` takes them."""
    pairs = rng.integers(0, 3)
    return {
        "not_targetlev": [None, levels[0], levels][rng.integers(0, 3)],
        "usetargetNA": bool(rng.integers(0, 2)),
        "exclude_keys": ["town", "job"][:pairs] or None,
        "exclude_keylevs": ["A", [*LEVELS][rng.integers(0, 3)]][:pairs] or None,
        "exclude_targetlevs": [levels[rng.integers(0, len(levels))] for _ in range(pairs)] or None,
    }


def for_keys(options: dict, exclusions: dict, keys: tuple[str, ...]) -> dict:
    """What `disclosure()` is asked for some of the keys: pairs of other keys do not apply."""
    asked = options | exclusions
    for name in ("ngroups_keys", "usekeysNA"):
        asked[name] = [asked[name][NAMES.index(key)] for key in keys]
    of_keys = [key in keys for key in exclusions["exclude_keys"] or ()]
    for name in ("exclude_keys", "exclude_keylevs", "exclude_targetlevs"):
        asked[name] = [one for one, kept in zip(exclusions[name] or (), of_keys) if kept] or None
    return asked


def assert_agrees(risk, synthetic, original, options, of_targets, **reading):
    """Every set has the figures of `disclosure()` for it."""
    for size in (1, 2, 3):
        for keys in combinations(NAMES, size):
            for target, (groups, exclusions) in of_targets.items():
                single = disclosure(
                    synthetic,
                    original,
                    list(keys),
                    target,
                    compat="corrected",
                    print_flag=False,
                    ngroups_target=groups,
                    **for_keys(options, exclusions, keys),
                    **reading,
                )
                row, told = risk.of(keys), (keys, target, options, of_targets)
                assert row["UiO"] == pytest.approx(single.ident.UiO.mean(), abs=1e-12), told
                assert row["repU"] == pytest.approx(single.ident.repU.mean(), abs=1e-12), told
                expected = single.attrib.DiSCO.mean()
                assert row[f"DiSCO {target}"] == pytest.approx(expected, abs=1e-12), told


@pytest.mark.parametrize("seed", range(20))
def test_every_set_agrees_with_disclosure(seed):
    """Two targets with exclusions of their own, by records, in parts, and as frequency tables."""
    rng = np.random.default_rng(seed)
    original = random_people(rng, int(rng.integers(8, 60)))
    synthetic = [random_people(rng, int(rng.integers(8, 60))) for _ in range(1 + seed % 3)]
    options = random_options(rng)
    of_targets = {
        "ill": (0, random_exclusions(rng, ["x", "y", MISSING])),
        "income": (2, random_exclusions(rng, [-8.0, MISSING])),
    }
    asked = {"ngroups_target": [groups for groups, _ in of_targets.values()]}
    for name in of_targets["ill"][1]:
        asked[name] = [exclusions[name] for _, exclusions in of_targets.values()]
    asked |= options
    risk = key_risk(synthetic, original, NAMES, list(of_targets), **asked)
    assert_agrees(risk, synthetic, original, options, of_targets)
    in_parts = key_risk(synthetic, original, NAMES, list(of_targets), max_cells=40, **asked)
    pd.testing.assert_frame_equal(in_parts.table, risk.table)
    counted = [
        frame.groupby(list(frame), dropna=False).size().reset_index(name="n")
        for frame in (original, *synthetic)
    ]
    of_counts = key_risk(counted[1:], counted[0], NAMES, list(of_targets), counts="n", **asked)
    pd.testing.assert_frame_equal(of_counts.table, risk.table)
