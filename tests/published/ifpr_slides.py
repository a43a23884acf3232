"""Figures printed in Zhang, Nayak and You (2017), and data made to their description: the 2013
Maryland microdata themselves are not here.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

# Table: theta given xi. Both columns are printed with three digits; the third row has theta = 2/3.
THETA_OF_XI = {
    0.789: 0.4,
    0.667: 0.5,
    0.429: 2 / 3,
    0.408: 0.75,
    0.395: 0.8,
    0.365: 0.9,
    0.350: 0.95,
    0.337: 0.99,
}

RECORDS, CELLS, SINGLES, DOUBLES = 59_033, 25_406, 13_662, 4_777
SEXES = ("Male", "Female")
BANDS = {
    "0 to 17": range(18),
    "18 to 24": range(18, 25),
    "25 to 34": range(25, 35),
    "35 to 44": range(35, 45),
    "45 to 54": range(45, 55),
    "55 to 64": range(55, 65),
    "65 and above": range(65, 92),
}
CUTS = [18, 25, 35, 45, 55, 65]
RACES = {"White": "White", "Black": "Black", **{f"Other {i}": "Others" for i in range(1, 8)}}
MARITAL = ("Married", "Widowed", "Divorced", "Separated", "Never married")
PUMAS = 44
BLOCKS = ["sex", {"age": CUTS}, {"race": RACES}]

# Table: block distribution. Units of each block, in the order printed: race outermost, then age,
# male before female.
UNITS = {
    "Others": (295, 314, 189, 231, 656, 691, 664, 726, 711, 792, 739, 885, 1405, 1926),
    "White": (438, 476, 168, 196, 446, 523, 525, 616, 631, 716, 562, 732, 609, 998),
    "Black": (756, 721, 278, 242, 414, 423, 396, 392, 324, 350, 222, 317, 239, 282),
}

# Table: empirical identification risks at theta = .8; rows S = 1, S = 2 and all S, columns T = 1, T
# = 2 and both
RISKS = {
    ("S=1", "T=1"): 0.2315,
    ("S=1", "T=2"): 0.3933,
    ("S=1", "all T"): 0.2849,
    ("S=2", "T=1"): 0.1961,
    ("S=2", "T=2"): 0.3477,
    ("S=2", "all T"): 0.2827,
    ("all S", "T=1"): 0.1348,
    ("all S", "T=2"): 0.3027,
}
# Exact for the blocks, the overall split of singles and doubles applied to each; sd of one run.
# Where both come from: docs/pages/explanation/where-expected-figures-come-from.md
FINITE = {
    ("S=1", "T=1"): 0.2378,
    ("S=1", "T=2"): 0.3946,
    ("S=1", "all T"): 0.2905,
    ("S=2", "T=1"): 0.1924,
    ("S=2", "T=2"): 0.3470,
    ("S=2", "all T"): 0.2808,
    ("all S", "T=1"): 0.1376,
    ("all S", "T=2"): 0.3054,
}
ONE_RUN = {
    ("S=1", "T=1"): 0.0067,
    ("S=1", "T=2"): 0.0058,
    ("S=1", "all T"): 0.0049,
    ("S=2", "T=1"): 0.0052,
    ("S=2", "T=2"): 0.0039,
    ("S=2", "all T"): 0.0033,
    ("all S", "T=1"): 0.0030,
    ("all S", "T=2"): 0.0028,
}

# Table: frequency distributions of marital status: original, perturbed, difference, SD
MARITAL_TABLE = {
    "Married": (24688, 24678, 10, 119.84),
    "Widowed": (3156, 3180, -24, 54.67),
    "Divorced": (4742, 4704, 38, 66.03),
    "Separated": (1040, 1039, 1, 31.95),
    "Never married": (25407, 25432, -25, 120.30),
}

# Table: distribution of race: original, perturbed. Races other than white and black form blocks of
# their own.
RACE_TABLE = {
    "White": (37201, 37201),
    "Black": (15239, 15239),
    "American Indian alone": (97, 92),
    "Alaska Native alone": (1, 0),
    "American Indian & Alaska Native": (42, 46),
    "Asian": (3461, 3345),
    "Native Hawaiian & other Pacific Islander": (20, 21),
    "Some other race alone": (1349, 1337),
    "Two or more races": (1623, 1652),
}

ASIAN_SHARE = ".0567"  # of the perturbed data, as printed

# Table: total variation distance of tables of keys
TVD = {("race", "mar"): 0.0028, ("race", "puma"): 0.0013, ("sex", "race", "mar"): 0.006}


def units_of_blocks() -> list[tuple[str, str, str, int]]:
    """(sex, band, race group, units) of the 42 blocks."""
    return [
        (SEXES[i % 2], list(BANDS)[i // 2], group, units)
        for group, row in UNITS.items()
        for i, units in enumerate(row)
    ]


def pairs_of_blocks() -> list[int]:
    """Doubles in each block: the overall share everywhere, rounded so that they sum to what is
    printed.
    """
    units = np.array([row[3] for row in units_of_blocks()])
    exact = units * DOUBLES / units.sum()
    pairs = np.floor(exact).astype(int)
    pairs[np.argsort(pairs - exact, kind="stable")[: DOUBLES - pairs.sum()]] += 1
    return pairs.tolist()


def maryland(seed: int = 2013) -> pd.DataFrame:
    """Data with the printed numbers of records, cells, singles, doubles and units of each block.
    Which cells of a block are occupied is drawn at random, and so are the sizes of those with
    three and more.
    """
    rng = np.random.default_rng(seed)
    shares = np.array([row[3] for row in units_of_blocks()]) / (SINGLES + 2 * DOUBLES)
    crowded = rng.multinomial(CELLS - SINGLES - DOUBLES - 42, shares) + 1
    parts = []
    for (sex, band, group, units), pairs, more in zip(
        units_of_blocks(), pairs_of_blocks(), crowded.tolist()
    ):
        ages, races = np.array(BANDS[band]), [race for race, g in RACES.items() if g == group]
        shape = (len(ages), len(races), len(MARITAL), PUMAS)
        number = units - pairs + more
        age, race, mar, puma = np.unravel_index(
            rng.choice(int(np.prod(shape)), number, replace=False), shape
        )
        size = np.concatenate(
            (np.ones(units - 2 * pairs, int), np.full(pairs, 2), np.full(more, 3))
        )
        parts.append(
            pd.DataFrame(
                {
                    "sex": sex,
                    "age": ages[age],
                    "race": np.array(races)[race],
                    "mar": np.array(MARITAL)[mar],
                    "puma": puma + 1,
                    "size": size,
                }
            )
        )
    cells = pd.concat(parts, ignore_index=True)
    large = np.flatnonzero(cells["size"] == 3)
    weights = rng.pareto(1.5, len(large)) + 1
    spare = RECORDS - int(cells["size"].sum())
    cells.loc[large, "size"] += rng.multinomial(spare, weights / weights.sum())
    rows = np.repeat(np.arange(len(cells)), cells["size"])
    return (
        cells.drop(columns="size")
        .iloc[rng.permutation(rows)]
        .reset_index(drop=True)
        .assign(income=rng.lognormal(10, 1, RECORDS).round())
    )
