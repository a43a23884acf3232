"""Raab, Nowok and Dibben: printed definitions that do not give the paper's own tables.

Everything is computed for the first of the five syntheses of section 3, target depress.
"""

from __future__ import annotations

from functools import cache

import pandas as pd

from synthpop_py import Disclosure, disclosure
from tests.published import paper_figures as paper

from .counts import Counts, counts
from .data import original, synthesis
from .erratum import Erratum, figures

TARGET = "depress"


@cache
def first_synthesis() -> Counts:
    return counts(original("SD2011"), synthesis("SD2011_s5").syn[0], paper.KEYS, TARGET)


@cache
def ours() -> Disclosure:
    """The paper's t5, by the version whose tables the paper prints."""
    return disclosure(
        synthesis("SD2011_s5"),
        original("SD2011"),
        paper.KEYS,
        TARGET,
        print_flag=False,
        compat="r-1.9-2",
    )


def errata() -> list[Erratum]:
    return [*identity(), *attribute(), *attribution(), *in_words()]


# ---- what the printed formulas give --------------------------------------------------


def uis_as_printed(found: Counts) -> float:
    """(2): synthetic records of combinations that are unique in the original, over N_d."""
    q = found.combinations
    return 100 * q.loc[q["d"] == 1, "s"].sum() / found.Nd


def uiois_as_printed(found: Counts) -> tuple[float, float]:
    """(3), read as a sum of d.q and as a count of d.q = 1."""
    q = found.combinations
    kept = q.loc[(q["s"] == 1) & (q["d"] > 0), "d"]
    return 100 * kept.sum() / found.Nd, 100 * (kept == 1).sum() / found.Nd


def is_as_printed(found: Counts) -> float:
    """(7): asks for the keys *and* the target among the synthetic records."""
    tq = found.cells
    return 100 * tq.loc[tq["s"] > 0, "d"].sum() / found.Nd


def base_cap_as_printed(found: Counts, target: str) -> float:
    """Squares of shares, over N_d once more; as a percentage."""
    shares = found.cells.groupby(target, dropna=False, observed=True)["d"].sum() / found.Nd
    return 100 * (shares**2).sum() / found.Nd


def caps_as_printed(found: Counts) -> tuple[float, float, float]:
    """CAPd, CAPs and DCAP: no factor of 100 is printed."""
    tq = found.cells
    return (
        (tq["pd"] * tq["d"]).sum() / found.Nd,
        (tq["ps"] * tq["s"]).sum() / found.Ns,
        (tq["ps"] * tq["d"]).sum() / found.Nd,
    )


def synthetic_denominators(found: Counts) -> tuple[int, float]:
    """Largest and mean number of *synthetic* records of the cells behind DiSCO."""
    correct = disco_cells(found)["s"]
    return int(correct.max()), float(correct.mean())


def disco_cells(found: Counts) -> pd.DataFrame:
    tq = found.cells
    return tq[(tq["ps"] == 1) & (tq["d"] > 0)]


def one_level(found: Counts) -> float:
    """Original records whose combination of keys has one level of the target."""
    tq = found.cells
    return 100 * tq.loc[tq["pd"] == 1, "d"].sum() / found.Nd


def two_levels(found: Counts) -> float:
    """Original records whose combination of keys has two levels of the target or more."""
    tq = found.cells
    return 100 * tq.loc[tq["pd"] < 1, "d"].sum() / found.Nd


def with_fewer_than_two_others(found: Counts) -> float:
    """Original records whose keys one other record has at most."""
    q = found.combinations
    return 100 * q.loc[q["d"] <= 2, "d"].sum() / found.Nd


# ---- beside the tables ---------------------------------------------------------------


def _value(table: str, measure: str) -> str:
    return figures(float(getattr(ours(), table)[measure].iloc[0]))


def identity() -> list[Erratum]:
    summed, counted = uiois_as_printed(first_synthesis())
    return [
        Erratum(
            name="UiS",
            where="appendix 1, (2)",
            printed="100 Σ(s.q | d.q = 1) / N_d",
            gives=figures(uis_as_printed(first_synthesis())),
            shows=figures(paper.IDENT["UiS"][0]),
            ours=_value("ident", "UiS"),
            used="100 Σ(s.q | s.q = 1) / N_s",
        ),
        Erratum(
            name="UiOiS",
            where="appendix 1, (3)",
            printed="100 Σ(d.q = 1 | s.q = 1 ∧ d.q > 0) / N_d",
            gives=f"{figures(summed)} (sum of d.q) or {figures(counted)} (count, which is repU)",
            shows=figures(paper.IDENT["UiOiS"][0]),
            ours=_value("ident", "UiOiS"),
            used="100 Σ(d.q | d.q = 1 ∧ s.q > 0) / N_d",
        ),
    ]


def attribute() -> list[Erratum]:
    largest, mean = synthetic_denominators(first_synthesis())
    table = ours().attrib
    return [
        Erratum(
            name="iS",
            where="appendix 1, (7), there called iSO",
            printed="100 ΣΣ(d_tq | s_tq > 0) / N_d",
            gives=figures(is_as_printed(first_synthesis())),
            shows=figures(paper.ATTRIB["iS"][0]),
            ours=_value("attrib", "iS"),
            used="100 ΣΣ(d_tq | s.q > 0) / N_d: the keys must be there, not the target",
        ),
        Erratum(
            name="max_denom, mean_denom",
            where="section 3.3",
            printed="a denominator is the number of records of the cell in the synthetic table",
            gives=f"{largest}, {mean:.2f}",
            shows=f"{paper.ATTRIB['max_denom'][0]}, {paper.ATTRIB['mean_denom'][0]:.2f}",
            ours=f"{table['max_denom'].iloc[0]:.0f}, {table['mean_denom'].iloc[0]:.2f}",
            used="original records of the cells behind DiSCO, the mean over cells, as R (D19)",
        ),
    ]


def attribution() -> list[Erratum]:
    printed = [paper.CAPS[name][0] for name in ("CAPd", "CAPs", "DCAP")]
    computed = [ours().allCAPs[name].iloc[0] for name in ("CAPd", "CAPs", "DCAP")]
    return [
        Erratum(
            name="baseCAPd",
            where="appendix 2",
            printed="Σ(pd_t.)² / N_d",
            gives=f"{base_cap_as_printed(first_synthesis(), TARGET):.3f} %",
            shows=figures(paper.CAPS["baseCAPd"][0]),
            ours=_value("allCAPs", "baseCAPd"),
            used="100 Σ(pd_t.)²: shares are averaged already",
        ),
        Erratum(
            name="CAPd, CAPs, DCAP",
            where="appendix 2",
            printed="Σ pd·d / N_d, Σ ps·s / N_s, Σ ps·d / N_d",
            gives=figures(*caps_as_printed(first_synthesis()), digits=4),
            shows=figures(*printed),
            ours=figures(*computed),
            used="100 times that",
        ),
    ]


def in_words() -> list[Erratum]:
    """Sentences that describe another measure than the table below them."""
    q = first_synthesis().combinations
    unique = q[q["d"] == 1]
    certain = disco_cells(first_synthesis())
    in_both = 100 * certain.loc[certain["pd"] == 1, "d"].sum() / first_synthesis().Nd
    certain_in_original = float(ours().attrib["Dorig"].iloc[0])
    alone = 100 * len(unique) / first_synthesis().Nd
    return [
        Erratum(
            name="k-anonymity",
            where="section 3.2",
            printed="2-anonymous: not to be distinguished from at least 2 others",
            gives=f"{figures(with_fewer_than_two_others(first_synthesis()))} % of original records"
            " are not",
            shows=f"{figures(alone)} % identify just one (UiO, the same paragraph)",
            ours=_value("ident", "UiO"),
            used="from at least k - 1 others",
        ),
        Erratum(
            name="repU, in words",
            where="section 3.2",
            printed="the percentage of unique original records that are unique in the synthetic",
            gives=figures(100 * (unique["s"] == 1).mean()),
            shows=figures(paper.IDENT["repU"][0]),
            ours=_value("ident", "repU"),
            used="the percentage of all original records",
        ),
        Erratum(
            name="UiOiS, in words",
            where="section 3.2",
            printed="the % of UiO with q in the synthetic data",
            gives=figures(100 * (unique["s"] > 0).mean()),
            shows=figures(paper.IDENT["UiOiS"][0]),
            ours=_value("ident", "UiOiS"),
            used="the percentage of all original records",
        ),
        Erratum(
            name="DiSCO, in words",
            where="section 2",
            printed="disclosive in the original and also in the synthetic, correctly",
            gives=f"{figures(in_both)}, which is DiSDiO",
            shows=figures(paper.ATTRIB["DiSCO"][0]),
            ours=_value("attrib", "DiSCO"),
            used="disclosive in the synthetic and correct, as (8) and section 3.3 say",
        ),
        Erratum(
            name="diversity",
            where="appendix 1, before (5)",
            printed="2-diverse if all records of every q have the same level of t",
            gives=f"{figures(one_level(first_synthesis()))} % of original records",
            shows=f"{figures(two_levels(first_synthesis()))} % (two or more levels, as one sentence"
            " earlier)",
            ours=f"{figures(100 - certain_in_original)} % (100 - Dorig)",
            used="Dorig counts the records that are *not* 2-diverse",
        ),
    ]
