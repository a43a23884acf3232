"""The public person file of the 2013 American Community Survey for Maryland (PUMS, one year), as
data with the keys of the slides. The file is not here; `SYNTHPOP_PY_MARYLAND_PUMS` is the path of
one (CSV, as published: ss13pmd.csv).
"""

from __future__ import annotations

import os
from pathlib import Path

import pandas as pd

from . import ifpr_slides as slides

VARIABLE = "SYNTHPOP_PY_MARYLAND_PUMS"
COLUMNS = {"sex": "SEX", "age": "AGEP", "race": "RAC1P", "mar": "MAR", "puma": "PUMA"}
# codes from 1 on, in the order of the slides' tables: "race = 6, mar = 1" are married Asians
LABELS = {"sex": list(slides.SEXES), "race": list(slides.RACE_TABLE), "mar": list(slides.MARITAL)}


def public_file() -> Path:
    return Path(os.environ[VARIABLE])


def read_pums(path: Path) -> pd.DataFrame:
    """The five keys, with the labels of the slides. A column or code that is not there is an
    error.
    """
    coded = pd.read_csv(path, usecols=list(COLUMNS.values()))
    keys = {}
    for key, column in COLUMNS.items():
        codes = coded[column]
        if key not in LABELS:
            keys[key] = codes
            continue
        labels = dict(enumerate(LABELS[key], start=1))
        unknown = sorted(set(codes) - set(labels))
        if unknown:
            raise ValueError(f"{column}: codes {unknown} are not among {sorted(labels)}")
        keys[key] = codes.map(labels)
    return pd.DataFrame(keys)


def write_pums(data: pd.DataFrame, path: Path) -> None:
    """Data with the keys of the slides as a file of that kind, with a column that is not used."""
    coded = pd.DataFrame({"SERIALNO": range(len(data))})
    for key, column in COLUMNS.items():
        codes = {label: code for code, label in enumerate(LABELS.get(key, []), start=1)}
        coded[column] = data[key].map(codes) if codes else data[key]
    coded.to_csv(path, index=False)
