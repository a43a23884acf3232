"""Figures printed in Zhang, Nayak and You (2017). Data made to them: `ifpr_maryland`."""

from __future__ import annotations

from typing import Any

import numpy as np


def total_variation(before: Any, after: Any) -> float:
    """The distance between two tables of counts, each by its own total."""
    p, q = np.asarray(before, dtype=float), np.asarray(after, dtype=float)
    return float(np.abs(p / p.sum() - q / q.sum()).sum() / 2)


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
MARITAL = ("Married", "Widowed", "Divorced", "Separated", "Never married")
LEVELS = {"sex": 2, "age": 92, "race": 9, "mar": 5, "puma": 44}
THETA, XI = 0.8, 0.395

# Table: block distribution. Units of each block, in the order printed: race outermost, then age,
# male before female. The labels of race are those printed.
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
MARRIED_ASIANS = 0.0336  # share of the perturbed records; the original one within TVD_RACE_MAR
TVD_RACE_MAR = 0.0028

# Table: total variation distance, and number of cells
TVD_TABLE = {
    ("race", "mar"): (0.0028, 45),
    ("race", "puma"): (0.0013, 396),
    ("race", "edu"): (0.0088, 72),
    ("puma", "edu"): (0.0324, 352),
    ("mar", "edu"): (0.0127, 40),
    ("mar", "work"): (0.007, 45),
    ("race", "work"): (0.0035, 81),
    ("puma", "work"): (0.0198, 396),
    ("sex", "race", "mar"): (0.006, 90),
    ("sex", "race", "edu"): (0.0093, 144),
    ("mar", "race", "edu"): (0.0218, 360),
    ("sex", "race", "work"): (0.0039, 162),
}
TVD = {table: distance for table, (distance, _) in TVD_TABLE.items()}

# Which race the blocks with a printed label are of. As printed, more people of other races have
# rare keys than there are people of other races; `test_the_labels_of_the_blocks` looks at all six
# orders of the three labels.
READINGS = {
    "as printed": {"White": "White", "Black": "Black", "Others": "Others"},
    "relabelled": {"Others": "White", "White": "Black", "Black": "Others"},
}


def group_of(race: str) -> str:
    """White and black stay what they are, the seven other races may change among themselves."""
    return race if race in ("White", "Black") else "Others"


RACES = {race: group_of(race) for race in RACE_TABLE}
BLOCKS = ["sex", {"age": CUTS}, {"race": RACES}]
KEYS = list(LEVELS)


def units_of_blocks(reading: str = "relabelled") -> list[tuple[str, str, str, int]]:
    """(sex, band, race group, units) of the 42 blocks."""
    bands = list(BANDS)
    blocks = []
    for label, row in UNITS.items():
        group = READINGS[reading][label]
        for i, units in enumerate(row):
            blocks.append((SEXES[i % 2], bands[i // 2], group, units))
    return blocks
