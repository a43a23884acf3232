"""Every entry on the five papers: what the print gives, what the paper's table or data show, what
we compute. The literals are the figures of the page `explanation/errata.md`.

Exact: no entry depends on a random draw of ours. Figures are rounded as the papers round them.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tests.published import drechsler_reiter_figures as drechsler_reiter
from tests.published import paper_figures as paper
from tests.published.errata import all_errata, as_frame, raab_formulas
from tests.published.errata import drechsler_reiter as figures_of_drechsler_reiter
from tests.published.errata.counts import counts
from tests.published.errata.data import original, synthesis
from tests.rooms import BY_NAME

# name: which the print gives, what table or data show, what we compute
EXPECTED = {
    # raab, formulas
    "UiS": (
        "33.86",
        "37.34",
        "37.34",
    ),
    "UiOiS": (
        "28.42 (sum of d.q) or 14.86 (count, which is repU)",
        "22.68",
        "22.68",
    ),
    "iS": (
        "25.76",
        "64.90",
        "64.90",
    ),
    "max_denom, mean_denom": (
        "6, 1.28",
        "3, 1.16",
        "3, 1.16",
    ),
    "baseCAPd": (
        "0.002 %",
        "9.81",
        "9.81",
    ),
    "CAPd, CAPs, DCAP": (
        "0.7415, 0.6978, 0.1639",
        "74.15, 69.78, 16.39",
        "74.15, 69.78, 16.39",
    ),
    "k-anonymity": (
        "76.10 % of original records are not",
        "48.38 % identify just one (UiO, the same paragraph)",
        "48.38",
    ),
    "repU, in words": (
        "30.72",
        "14.86",
        "14.86",
    ),
    "UiOiS, in words": (
        "46.88",
        "22.68",
        "22.68",
    ),
    "DiSCO, in words": (
        "6.14, which is DiSDiO",
        "9.54",
        "9.54",
    ),
    "diversity": (
        "53.30 % of original records",
        "46.70 % (two or more levels, as one sentence earlier)",
        "46.70 % (100 - Dorig)",
    ),
    # raab, words
    "categories of depress": (
        "21",
        "22 values in SD2011, and missing ones",
        "22",
    ),
    "workab": (
        "92.92 % NO (SD2011's `wkabint`)",
        "88.64 % NO (section 4)",
        "88.64 % NO (`workab`)",
    ),
    "singling out": (
        "an attribute measure of the original: Dorig, 53.30 for depress",
        "UiO, 48.38, under identity disclosure measures (the output above the sentence, section"
        " 3.2)",
        "48.38, the same for every target",
    ),
    "identity under denom_lim": (
        "48.38, 14.86 by (1) and (4)",
        "50.26, 16.36",
        "50.26, 16.36 as R; 48.38, 14.86 corrected",
    ),
    "DiSCO of marital and workab": (
        "37, 53",
        "35.18, 52.10 (R)",
        "35.18, 52.10",
    ),
    "pairs of workab": (
        "2",
        "26 (R)",
        '26, of which 26 with "NO"',
    ),
    "one set, four rows": (
        "4 syntheses",
        "4 rows of 1 synthesis",
        "4 rows of 1 synthesis",
    ),
    "at least 50": (
        "flagged from 50 on",
        "more than 50 (R)",
        "50: not flagged; 51: flagged",
    ),
    "share of a pair": (
        "98.21, 82.61, 100.00, 93.44",
        "98.91, 80.82, 98.91, 93.41",
        "98.91, 80.82, 98.91, 93.41",
    ),
    "capital.gain twice": (
        "one variable",
        "two numbers",
        "123 (capital.gain) and 99 (capital.loss)",
    ),
    "shares of the flagged levels": (
        "95, 92, 89",
        "91.74, 95.33, 89.74 in Adult",
        "91.74, 95.33, 89.74",
    ),
    "third column of Table 1": (
        "0 of 10 targets change",
        "workclass falls (section 5, text); 9.14 (R)",
        "9.14",
    ),
    "last columns of Table 1": (
        "the three flagged ones are the highest",
        "native.country 0.87, flagged, is below workclass 0.96, not flagged",
        "native.country 0.92, workclass 0.99 (our CART)",
    ),
    "names of arguments": (
        "0 of 3 are arguments",
        "`not.targetlev`, `exclude.targetlevs`, `exclude_ov_denom_lim` (R)",
        "3 of 3 are arguments",
    ),
    "first synthetic record": (
        "1 record or more",
        "0 records of s1",
        "s1 begins with FEMALE | 39 | Wielkopolskie | RURAL AREAS",
    ),
    # reiter-mitra
    "facility, race, and sex": (
        "38 (sex)",
        "64 (text)",
        "64 (ethnicity)",
    ),
    "N_t below n_t": (
        "-1 where N_t = 1 and 2 synthetic records match",
        "a probability",
        "0",
    ),
    # drechsler-reiter
    "overlap of disjoint intervals": (
        "-1 for (0, 1) and (2, 3)",
        "0 (text)",
        "0",
    ),
    "variation of the overlap": (
        "four falling figures",
        "standard deviations 0.0161, 0.0066, 0.0026, 0.0033 for m = 3, 10, 50, 100 (Table 5)",
        "confidential data",
    ),
    "true matches, rounded": (
        "83, 82, 67",
        "82.5, 82.5, 67.6 (Tables 6 and 7)",
        "confidential data",
    ),
    # ifpr
    "40 % of data": (
        "40 %",
        "23,216 of 59,033",
        "39.3 %",
    ),
    "labels of blocks": (
        "10,224 rare people of other races",
        "6,593 people of other races in all (race table)",
        "only the 5,356 units labelled Black can be other races",
    ),
    "goals of the theta table": (
        "at most 0.789000, 0.408000, 0.365000",
        "IR(a) ≤ xi for all a (goal)",
        "0.789474, 0.408163, 0.365449",
    ),
    "guarantee": (
        "at most 0.395",
        "1/2 by hand: both in one cell, one of two records",
        "0.5000 in a block of two singles",
    ),
    "variance inflation": (
        "near 0 %",
        "n Σ π(1 - π) < n = 59,033, summed over all cells",
        "19,230 added, 32.6 % of n",
    ),
    "SD of marital status": (
        "119.85, 54.67, 66.03, 31.95, 120.30 from shares of four digits",
        "119.84, 54.67, 66.03, 31.95, 120.30",
        "119.85, 54.66, 66.04, 31.96, 120.30",
    ),
    "Asians": (
        "58,933 people after the release",
        "59,033 before; nobody leaves a block",
        "3,445 Asians make the sums agree",
    ),
    "shares of races": (
        ".0015, .0004, .0228, .0227",
        "the counts, of 59,033",
        ".0016, .0003, .0229, .0226",
    ),
    "TVD of race and puma": (
        "race alone at most 0.0013",
        "race alone 0.0014 (race table as printed: half of all differences, of 59,033), 0.0021"
        " (each column by its own total) or 0.0023 (people lost only, of 59,033)",
        "race alone 0.0006 with the Asians above",
    ),
    # duncan-keller-mcnulty
    "error of one synthetic record": (
        "1.20 for σ² = 1, α² = 0.2, m = 2, k = 3",
        "2.20, all outcomes listed",
        "2.20",
    ),
    "record or mean": (
        "the record is better up to α² = 0.33, so for α² = 0.2",
        "errors 2.20, 1.27 (record, mean), all outcomes listed",
        "2.20, 1.27",
    ),
    "noise, two snoopers": (
        "1.05, 2.00 for n = 10, σ² = 1, λ² = 0.5",
        "2.86 by a weighted mean of both, a = σ² / (σ² + λ²)",
        "2.86",
    ),
    "swapping, linked value": (
        "1.33 for π = 1/4, σ² = 1, μ₁ - μ₂ = 1, areas of 3 and 2",
        "1.45 by half the linked value and half the mean of the two others, all outcomes listed",
        "1.65 by a weighted mean of both",
    ),
    "swapping as M = WX": (
        "0 of 5 records change",
        "incomes of two 37-year-olds are exchanged (text)",
        "2 of 5 records change",
    ),
}


@pytest.fixture(scope="module")
def errata():
    return {erratum.name: erratum for erratum in all_errata()}


def test_every_erratum_is_pinned_and_no_other(errata):
    assert list(errata) == list(EXPECTED)
    assert len(all_errata()) == len(errata)  # no name twice


@pytest.mark.parametrize("name", EXPECTED)
def test_erratum(errata, name):
    erratum = errata[name]
    assert (erratum.gives, erratum.shows, erratum.ours) == EXPECTED[name]


@pytest.mark.parametrize("name", [n for n in EXPECTED if n != "SD of marital status"])
def test_print_and_table_differ(errata, name):
    """Otherwise it is none. (The SDs follow from rounded shares, and differ from the counts'.)"""
    assert errata[name].gives != errata[name].shows


# all others contradict the paper's own tables, its data or R
NO_CONTRADICTIONS = {
    "rounding": [
        "true matches, rounded",
        "40 % of data",
        "goals of the theta table",
        "SD of marital status",
        "shares of races",
    ],
    "extension": [
        "N_t below n_t",
        "overlap of disjoint intervals",
        "noise, two snoopers",
        "swapping, linked value",
    ],
}


def test_kinds(errata):
    for kind, names in NO_CONTRADICTIONS.items():
        assert [e.name for e in errata.values() if e.kind == kind] == names
    assert sum(e.kind == "contradiction" for e in errata.values()) == 36


def test_for_most_parameters_is_true_of_drechsler_and_reiters_tables():
    """Steps from m = 3 to 10, 50, 100; last, from 3 to 100. No erratum, but once listed as one."""
    assert figures_of_drechsler_reiter.nearer() == [23, 19, 11, 22]
    assert figures_of_drechsler_reiter.more_overlap() == [25, 19, 15, 22]


FORMULAS = ("UiS", "UiOiS", "iS", "baseCAPd", "max_denom, mean_denom", "CAPd, CAPs, DCAP")


@pytest.mark.parametrize("name", FORMULAS)
def test_where_a_formula_and_its_table_differ_the_table_is_ours(errata, name):
    assert errata[name].ours == errata[name].shows != errata[name].gives


def test_the_table_of_a_page_has_a_row_per_erratum(errata):
    whole = as_frame(all_errata())
    assert whole["about"].tolist() == list(EXPECTED)
    assert not whole.isna().any(axis=None) and (whole != "").all(axis=None)
    assert as_frame(all_errata(), ["iS", "UiS"])["about"].tolist() == ["UiS", "iS"]


# ---- the printed formulas on a table that can be counted by hand -----------------------

ORIGINAL = pd.DataFrame({"k": list("aabcd"), "t": list("xyxyx")})
SYNTHETIC = pd.DataFrame({"k": list("abbce"), "t": list("xxxxy")})


@pytest.fixture(scope="module")
def few():
    return counts(ORIGINAL, SYNTHETIC, ["k"], "t")


def test_counts_by_hand(few):
    assert (few.Nd, few.Ns) == (5, 5)
    q = few.combinations.set_index("k")
    assert q["d"].to_dict() == {"a": 2, "b": 1, "c": 1, "d": 1, "e": 0}
    assert q["s"].to_dict() == {"a": 1, "b": 2, "c": 1, "d": 0, "e": 1}
    tq = few.cells.set_index(["k", "t"])
    assert tq.loc[("a", "y"), ["d", "s", "pd", "ps"]].tolist() == [1, 0, 0.5, 0]
    assert tq.loc[("d", "x"), ["d", "s", "pd", "ps"]].tolist() == [1, 0, 1, 0]


def test_printed_formulas_by_hand(few):
    # unique in the original: b, c, d, with 2 + 1 + 0 synthetic records
    assert raab_formulas.uis_as_printed(few) == pytest.approx(100 * 3 / 5)
    # unique in the synthetic and in the original at all: a (2 records) and c (1)
    assert raab_formulas.uiois_as_printed(few) == pytest.approx((100 * 3 / 5, 100 * 1 / 5))
    # keys and target in the synthetic data: (a, x) and (b, x)
    assert raab_formulas.is_as_printed(few) == pytest.approx(100 * 2 / 5)
    # x 3/5, y 2/5
    assert raab_formulas.base_cap_as_printed(few, "t") == pytest.approx(100 * (9 + 4) / 25 / 5)
    # original: 1/2 + 1/2 of a, then b, c, d; synthetic: all certain; both: (a, x) and (b, x)
    assert raab_formulas.caps_as_printed(few) == pytest.approx((4 / 5, 1, 2 / 5))
    # behind DiSCO: (a, x) with 1 synthetic record and (b, x) with 2
    assert raab_formulas.synthetic_denominators(few) == (2, 1.5)
    # nobody has two others
    assert raab_formulas.with_fewer_than_two_others(few) == pytest.approx(100)
    # a has two levels: 2 of 5 records
    assert raab_formulas.one_level(few) == pytest.approx(60)
    assert raab_formulas.two_levels(few) == pytest.approx(40)


def as_printed(found):
    """Equations 1, 4, 5, 6, 8 and 9."""
    q, tq, Nd, Ns = found.combinations, found.cells, found.Nd, found.Ns
    return {
        "UiO": 100 * q.loc[q["d"] == 1, "d"].sum() / Nd,
        "repU": 100 * q.loc[(q["d"] == 1) & (q["s"] == 1), "s"].sum() / Nd,
        "Dorig": 100 * tq.loc[tq["pd"] == 1, "d"].sum() / Nd,
        "Dsyn": 100 * tq.loc[tq["ps"] == 1, "s"].sum() / Ns,
        "DiSCO": 100 * tq.loc[tq["ps"] == 1, "d"].sum() / Nd,
        "DiSDiO": 100 * tq.loc[(tq["ps"] == 1) & (tq["pd"] == 1), "d"].sum() / Nd,
    }


@pytest.mark.parametrize("place", range(5))
def test_the_other_equations_give_the_tables(place):
    synthetic = synthesis("SD2011_s5").syn[place]
    found = as_printed(counts(original("SD2011"), synthetic, paper.KEYS, "depress"))
    tables = {**paper.IDENT, **paper.ATTRIB}
    rounded = {name: round(value, 2) for name, value in found.items()}
    assert rounded == {name: tables[name][place] for name in found}


# ---- what is printed was copied correctly ----------------------------------------------


@pytest.mark.parametrize(
    "rows, averages",
    [
        (drechsler_reiter.OVERLAP_OF_MEANS, (0.754, 0.815, 0.816, 0.812)),
        (drechsler_reiter.OVERLAP_OF_COEFFICIENTS, (0.907, 0.922, 0.928, 0.931)),
        (drechsler_reiter.OVERLAP_OF_SIMULATIONS, (0.854, 0.865, 0.871, 0.871)),
    ],
    ids=["Table 3", "Table 4", "Table 5"],
)
def test_averages_of_drechsler_and_reiters_tables(rows, averages):
    """Their printed bottom rows; entries are rounded, so a mean may be off by half a digit."""
    assert np.mean(rows, axis=0) == pytest.approx(averages, abs=1e-3)


def test_the_first_simulation_is_the_average_of_tables_3_and_4():
    together = [*drechsler_reiter.OVERLAP_OF_MEANS, *drechsler_reiter.OVERLAP_OF_COEFFICIENTS]
    assert len(together) == len(drechsler_reiter.MEANS) + len(drechsler_reiter.COEFFICIENTS) == 31
    first = drechsler_reiter.OVERLAP_OF_SIMULATIONS[0]
    assert np.mean(together, axis=0) == pytest.approx(first, abs=1e-3)


def test_the_last_column_of_table_1_has_every_target():
    assert list(paper.ADULT_DISCO_DENOM_LIM_1) == list(paper.ADULT_DORIG)


# ---- the registry says what is used ----------------------------------------------------


@pytest.mark.parametrize(
    "measure, condition",
    [("UiS", "s.q = 1"), ("UiOiS", "s.q > 0"), ("iS", "s.q > 0")],
)
def test_the_registry_has_the_formula_that_gives_the_table(measure, condition):
    entry = BY_NAME[measure]
    assert condition in entry.formula
