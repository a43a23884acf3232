"""The Maryland study over many releases: distances of tables, married Asians, variances."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations

import numpy as np
import pandas as pd

from synthpop_py.ifpr import IFPRRelease, ifpr, ifpr_variance

from . import ifpr_slides as slides

RELEASES = 30  # of the seeds 1 to 30, none tried before: a mean is known to a fifth of an sd
TABLES = list(slides.TVD)
KINDS = {1: "1 unit", 2: "2 units", 3: "3 and more"}


def released(data: pd.DataFrame, seed: int) -> IFPRRelease:
    return ifpr(
        data,
        slides.KEYS,
        theta=slides.THETA,
        blocks=slides.BLOCKS,
        seed=seed,
        reproducible=True,
    )


@dataclass(frozen=True)
class Study:
    """Figures of each release, arrays with one row each.

    tvd : distances of the tables of the slides, in their order. changed : share of the records in
    which a key of the table has changed. married_asians : share of the records.
    """

    tvd: np.ndarray
    changed: np.ndarray
    married_asians: np.ndarray

    @property
    def table(self) -> pd.DataFrame:
        """One row per table of the slides, beside what is printed."""
        columns = {
            "printed": list(slides.TVD.values()),
            "mean": self.tvd.mean(axis=0),
            "sd": self.tvd.std(axis=0, ddof=1),
            "lowest": self.tvd.min(axis=0),
            "highest": self.tvd.max(axis=0),
            "changed": self.changed.mean(axis=0),
        }
        return pd.DataFrame(columns, index=[", ".join(table) for table in TABLES])


def study(data: pd.DataFrame, releases: int = RELEASES, tables: list | None = None) -> Study:
    """`tables` are those of the slides unless given, for data that lack education and work."""
    chosen = TABLES if tables is None else tables
    tvd, changed, married_asians = [], [], []
    for seed in range(1, releases + 1):
        release = released(data, seed)
        after = release.data
        tvd.append(release.tvd(chosen)["tvd"].tolist())
        differs = {key: (data[key] != after[key]).to_numpy() for key in slides.KEYS}
        changed.append([_share_changed(differs, table) for table in chosen])
        married_asians.append(share_of_married_asians(after))
    return Study(np.array(tvd), np.array(changed), np.array(married_asians))


def _share_changed(differs: dict[str, np.ndarray], table: tuple[str, ...]) -> float:
    of_keys = [differs[name] for name in table if name in differs]
    return float(np.any(of_keys, axis=0).mean())


def share_of_married_asians(data: pd.DataFrame) -> float:
    return float(((data["race"] == "Asian") & (data["mar"] == "Married")).mean())


def variance_inflation(release: IFPRRelease) -> pd.DataFrame:
    """Variances of the counts of cells, summed: of a multinomial sample with these counts, n p (1 -
    p), and added by the randomisation, `ifpr_variance` block by block.
    """
    units = release.original.groupby(list(release.keys), observed=True).size().to_numpy()
    sampling = units * (1 - units / units.sum())
    kind = np.minimum(units, 3)
    added = dict.fromkeys(KINDS, 0.0)
    for cells_1, cells_2 in release.design[["cells_1", "cells_2"]].itertuples(index=False):
        block = {1: cells_1, 2: cells_2}
        for T, cells in block.items():
            added[T] += cells * ifpr_variance(slides.THETA, T, block)
    columns = {
        "cells": [int((kind == T).sum()) for T in KINDS],
        "sampling variance": [sampling[kind == T].sum() for T in KINDS],
        "IFPR adds": list(added.values()),
    }
    frame = pd.DataFrame(columns, index=list(KINDS.values()))
    frame.loc["all"] = frame.sum()
    frame["ratio"] = frame["IFPR adds"] / frame["sampling variance"]
    return frame.astype({"cells": int})


def orders_of_labels() -> pd.DataFrame:
    """All six ways to give the three printed labels to the three race groups: people of the group
    with rare keys, in per cent of all its people in the table of race.
    """
    rare = {label: sum(units) for label, units in slides.UNITS.items()}
    people = dict.fromkeys(("White", "Black", "Others"), 0)
    for race, (before, _) in slides.RACE_TABLE.items():
        people[slides.group_of(race)] += before
    rows = []
    for labels in permutations(rare):
        reading = dict(zip(people, labels))
        percent = {group: 100 * rare[label] / people[group] for group, label in reading.items()}
        rows.append([*reading.values(), *percent.values(), max(percent.values()) <= 100])
    columns = ["White", "Black", "Others", "White, %", "Black, %", "Others, %", "possible"]
    return pd.DataFrame(rows, columns=columns)
