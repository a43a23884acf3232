"""The Maryland study of Zhang, Nayak and You (2017) on a file rebuilt to its printed tables, and on
the public file itself where `SYNTHPOP_PY_MARYLAND_PUMS` names one: the same tests for both.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from synthpop_py.ifpr import IFPRRelease, ifpr_variance

from . import ifpr_slides as slides
from .ifpr_maryland import MARRIED_ASIANS, maryland
from .ifpr_pums import public_file, read_pums, write_pums
from .ifpr_slides import total_variation
from .ifpr_study import (
    Study,
    orders_of_labels,
    released,
    share_of_married_asians,
    study,
    variance_inflation,
)

RELEASES = 20  # seeds 1 to 20, none tried before
# one printed release against the releases of ours: beyond four standard deviations with 6e-5
Z = 4
OF_KEYS = [("race", "mar"), ("race", "puma"), ("sex", "race", "mar")]
LEVELS = {**slides.LEVELS, "edu": 8, "work": 9}
BANDS = {
    "below 18": "0 to 17",
    "18 to below 25": "18 to 24",
    "25 to below 35": "25 to 34",
    "35 to below 45": "35 to 44",
    "45 to below 55": "45 to 54",
    "55 to below 65": "55 to 64",
    "from 65 on": "65 and above",
}
SOURCES = ["rebuilt", pytest.param("public", marks=pytest.mark.needs("Maryland PUMS"))]


@dataclass(frozen=True)
class Maryland:
    data: pd.DataFrame
    release: IFPRRelease
    study: Study  # of the tables that hold keys only


@pytest.fixture(scope="module")
def rebuilt() -> pd.DataFrame:
    return maryland()


@pytest.fixture(scope="module")
def all_tables(rebuilt) -> Study:
    return study(rebuilt, RELEASES)


@pytest.fixture(scope="module", params=SOURCES)
def file(request, tmp_path_factory) -> Maryland:
    """The rebuilt file goes through a file as the census publishes it, so that every line that
    reads the public one runs here.
    """
    if request.param == "public":
        data = read_pums(public_file())
    else:
        path = tmp_path_factory.mktemp("pums") / "ss13pmd.csv"
        write_pums(request.getfixturevalue("rebuilt"), path)
        data = read_pums(path)
    return Maryland(data, released(data, seed=1), study(data, RELEASES, OF_KEYS))


# ---- what a file must be: the rebuilt one and the public one -------------------------


def test_records_keys_and_rare_cells(file):
    data = file.data
    assert len(data) == slides.RECORDS
    assert {key: data[key].nunique() for key in slides.KEYS} == slides.LEVELS
    sizes = data.groupby(slides.KEYS).size()
    assert len(sizes) == slides.CELLS
    assert (sizes == 1).sum() == slides.SINGLES
    assert (sizes == 2).sum() == slides.DOUBLES


@pytest.mark.parametrize(
    "key, printed", [("race", slides.RACE_TABLE), ("mar", slides.MARITAL_TABLE)]
)
def test_tables_of_race_and_marital_status(file, key, printed):
    people = file.data[key].value_counts().to_dict()
    assert people == {level: row[0] for level, row in printed.items()}


def test_the_blocks_are_those_printed_under_other_labels(file):
    blocks = {
        (row.sex, BANDS[row.age], row.race): row.units for row in file.release.design.itertuples()
    }
    assert blocks == _units("relabelled")
    assert blocks != _units("as printed")


def _units(reading: str) -> dict[tuple[str, str, str], int]:
    return {(sex, band, group): n for sex, band, group, n in slides.units_of_blocks(reading)}


def test_married_asians(file):
    """The slides' own interval, and how wide it is: the randomisation adds less."""
    share = share_of_married_asians(file.data)
    assert abs(share - slides.MARRIED_ASIANS) <= slides.TVD_RACE_MAR
    after = file.study.married_asians
    sd = after.std(ddof=1)
    assert sd < slides.TVD_RACE_MAR / 4
    assert abs(slides.MARRIED_ASIANS - share) < Z * sd
    assert abs(after.mean() - share) < Z * sd / RELEASES**0.5
    # no set of cells differs by more than the distance: exact, release by release
    distance = file.study.tvd[:, OF_KEYS.index(("race", "mar"))]
    assert (np.abs(after - share) <= distance).all()


@pytest.mark.parametrize("table", [("race", "mar"), ("sex", "race", "mar")], ids=str)
def test_printed_distances_of_keys_are_those_of_one_release(file, table):
    tvd = file.study.tvd[:, OF_KEYS.index(table)]
    assert abs(slides.TVD[table] - tvd.mean()) < Z * tvd.std(ddof=1)


def test_race_by_area_has_lost_a_digit(file):
    tvd = file.study.tvd[:, OF_KEYS.index(("race", "puma"))]
    printed = slides.TVD["race", "puma"]
    assert printed < tvd.mean() - 10 * tvd.std(ddof=1)
    assert printed < tvd.min() / 5
    assert abs(10 * printed - tvd.mean()) < Z * tvd.std(ddof=1)


def test_variance_inflation_is_not_negligible(file):
    """By `ifpr_variance`: a third of the sampling variance over all cells, nearly as much again for
    singles.
    """
    ratio = variance_inflation(file.release)["ratio"]
    assert ratio["all"] == pytest.approx(0.3254, abs=5e-4)
    assert ratio["1 unit"] == pytest.approx(0.9587, abs=5e-4)
    assert ratio["2 units"] == pytest.approx(0.6394, abs=5e-4)
    assert ratio["3 and more"] == 0
    # the limit of large blocks, by hand: 2 theta - theta^2 / T for each cell
    of_all = 13_662 * (1.6 - 0.64) + 4_777 * (1.6 - 0.32)
    assert of_all / slides.RECORDS == pytest.approx(ratio["all"], abs=1e-3)


def test_a_file_with_other_codes_is_refused(rebuilt, tmp_path):
    path = tmp_path / "ss13pmd.csv"
    write_pums(rebuilt, path)
    damaged = pd.read_csv(path).assign(MAR=lambda frame: frame["MAR"] + 1)
    damaged.to_csv(path, index=False)
    with pytest.raises(ValueError, match=r"MAR: codes \[6\]"):
        read_pums(path)


# ---- labels of the blocks ------------------------------------------------------------


def test_the_labels_of_the_blocks():
    """As printed, 10,224 people of other races have rare keys, of 6,593 in all."""
    orders = orders_of_labels().set_index(["White", "Black", "Others"])
    assert sum(slides.UNITS["Others"]) == 10_224
    assert sum(row[0] for row in list(slides.RACE_TABLE.values())[2:]) == 6_593
    assert not orders.loc[("White", "Black", "Others"), "possible"]
    assert orders.loc[("White", "Black", "Others"), "Others, %"] == pytest.approx(155.1, abs=0.05)
    # in both orders that are possible, other races have the label "Black"
    possible = orders.index[orders["possible"]].tolist()
    assert possible == [("Others", "White", "Black"), ("White", "Others", "Black")]
    # the first is the reading used: a higher share is rare where a group has fewer people
    shares = orders.loc[possible[0], ["White, %", "Black, %", "Others, %"]].tolist()
    assert [round(share) for share in shares] == [27, 50, 81]
    reading = slides.READINGS["relabelled"]
    assert [reading[label] for label in possible[0]] == ["White", "Black", "Others"]


def test_the_second_possible_order_makes_more_old_black_people_rare_than_white_ones():
    """Which is why it is not taken: more than twice as many, of whom there are 2.4 times fewer."""
    oldest = {label: sum(units[-2:]) for label, units in slides.UNITS.items()}
    assert oldest == {"Others": 3331, "White": 1607, "Black": 521}
    assert slides.RACE_TABLE["White"][0] / slides.RACE_TABLE["Black"][0] > 2.4


def test_the_file_with_the_printed_labels():
    """It has everything but the table of race, and the distance of race by area is no nearer."""
    data = maryland("as printed")
    sizes = data.groupby(slides.KEYS).size()
    assert (len(data), len(sizes)) == (slides.RECORDS, slides.CELLS)
    assert ((sizes == 1).sum(), (sizes == 2).sum()) == (slides.SINGLES, slides.DOUBLES)
    others = ~data["race"].isin(["White", "Black"])
    assert others.sum() > sum(slides.UNITS["Others"]) > 6_593
    tvd = study(data, 3, [("race", "puma")]).tvd
    assert tvd.min() > 8 * slides.TVD["race", "puma"]


# ---- the twelve distances ------------------------------------------------------------


@pytest.mark.parametrize("table", slides.TVD_TABLE, ids=str)
def test_numbers_of_cells_fit_together(rebuilt, table):
    cells = np.prod([LEVELS[name] for name in table])
    assert cells == slides.TVD_TABLE[table][1]
    assert np.prod([rebuilt[name].nunique() for name in table]) == cells


@pytest.mark.parametrize("table", slides.TVD, ids=str)
def test_a_printed_table_is_no_nearer_than_its_margins(table):
    """All but (race, puma), whose margin of race is further off unless 3,345 Asians are 3,445."""
    margins = [small for small in slides.TVD if set(small) < set(table)]
    assert all(slides.TVD[margin] <= slides.TVD[table] for margin in margins)
    original, perturbed = np.array(list(slides.MARITAL_TABLE.values()))[:, :2].T
    if "mar" in table:
        assert total_variation(original, perturbed) <= slides.TVD[table]
    original, perturbed = np.array(list(slides.RACE_TABLE.values())).T
    if "race" in table:
        repaired = perturbed + 100 * (np.array(list(slides.RACE_TABLE)) == "Asian")
        assert total_variation(original, repaired) <= slides.TVD[table]


@pytest.mark.parametrize("at", range(12), ids=[", ".join(table) for table in slides.TVD])
def test_a_table_moves_no_more_than_its_keys(all_tables, at):
    """A distance is at most the share of the records whose keys in the table changed, whatever
    education and work are; that holds for the printed figures and, exactly, for each of ours.
    """
    printed = list(slides.TVD.values())[at]
    assert printed < all_tables.changed[:, at].min()
    assert (all_tables.tvd[:, at] <= all_tables.changed[:, at] + 1e-12).all()


def test_tables_with_education_are_further_off_in_print(all_tables):
    """Ours is unrelated to the keys. A relation that the exchange weakens adds to the distance."""
    table = all_tables.table
    with_education = [name for name in table.index if "edu" in name]
    assert len(with_education) == 5
    assert (table["printed"] > table["highest"])[with_education].all()


# ---- variances -----------------------------------------------------------------------


def test_variance_of_margins(rebuilt):
    """The randomisation adds a third of the sampling variance to area, marital status and age, a
    tenth to race, which is kept for nine of ten, and nothing to sex.
    """
    levels = released(rebuilt, seed=1).marginals()
    squares = (levels[["ifpr_sd", "sampling_sd"]] ** 2).groupby(levels["variable"]).sum()
    ratio = squares["ifpr_sd"] / squares["sampling_sd"]
    assert ratio["sex"] == pytest.approx(0, abs=1e-12)
    assert ratio["race"] == pytest.approx(0.094, abs=0.005)
    for name in ("age", "mar", "puma"):
        assert 0.29 < ratio[name] < 0.35


def test_variances_of_all_cells_come_from_the_matrix_too(rebuilt):
    """diag(n) - P' diag(n) P: its diagonal over all rare cells is what `ifpr_variance` sums to."""
    release = released(rebuilt, seed=1)
    total = 0.0
    for label in release.design.index[:6]:
        P = release.matrix(label)
        n = release.cells["T"][release.cells["block"] == label].to_numpy()
        total += (n @ P).sum() - (n @ P.multiply(P)).sum()
    by_formula = 0.0
    for cells_1, cells_2 in release.design[["cells_1", "cells_2"]].to_numpy()[:6].tolist():
        block = {1: cells_1, 2: cells_2}
        by_formula += sum(
            cells * ifpr_variance(slides.THETA, T, block) for T, cells in block.items()
        )
    assert total == pytest.approx(by_formula, rel=1e-10)


def test_married_asians_of_the_rebuilt_file(rebuilt):
    married = (rebuilt["race"] == "Asian") & (rebuilt["mar"] == "Married")
    assert married.sum() == MARRIED_ASIANS == 1_984
    assert round(married.mean(), 4) == slides.MARRIED_ASIANS
