"""The measures, as sums over tables (notation of the paper's appendices: d, s counts; Nd, Ns
records; q key, t target).
"""

from __future__ import annotations

import math
from fractions import Fraction

from .tables import Table, by_key, by_target, certain_cells, proportions


def percent(part, whole) -> float:
    """100 part / whole, rounded once; 0/0 is NaN and x/0 infinite, as in R."""
    if whole == 0:
        return math.nan if part == 0 else math.inf
    return float(100 * Fraction(part) / whole)


def identity_measures(d: Table, s: Table, keys_in_syn: set, Nd: int, Ns: int) -> dict[str, float]:
    """UiO, UiS, UiOiS, repU: key combinations held by exactly one record.

    ``keys_in_syn`` are the q with s.q > 0 before any exclusion.
    """
    unique_d = {q for q, n in by_key(d).items() if n == 1}
    unique_s = {q for q, n in by_key(s).items() if n == 1}
    return {
        "UiO": percent(len(unique_d), Nd),
        "UiS": percent(len(unique_s), Ns),
        "UiOiS": percent(len(unique_d & keys_in_syn), Nd),
        "repU": percent(len(unique_d & unique_s), Nd),
    }


def attribute_measures(kept: dict[str, Table], Nd: int, Ns: int) -> dict[str, float]:
    """Dorig to DiSDiO as shares of all records, and the size of the cells behind DiSCO (original
    counts).
    """
    shares = {
        name: percent(sum(kept[name].values()), Nd)
        for name in ("Dorig", "iS", "DiS", "DiSCO", "DiSDiO")
    }
    cells = list(kept["DiSCO"].values())
    return shares | {
        "Dsyn": percent(sum(kept["Dsyn"].values()), Ns),
        "max_denom": float(max(cells, default=0)),
        "mean_denom": float(Fraction(sum(cells), len(cells))) if cells else math.nan,
    }


def cap_measures(
    d_all: Table,
    kept: dict[str, Table],
    Nd: int,
    Ns: int,
    convention: str,
    least: Fraction = Fraction(1),
) -> dict[str, float | None]:
    """Correct attribution probabilities: those of R 1.9-3, and 1.9-2's TCAP as ``TCAP_192``.

    baseCAPd = 100 sum (d.t / Nd)^2, before exclusions; the others from the kept d and s.
    """
    d, s = kept["original"], kept["synthetic"]
    d_q, s_q = by_key(d), by_key(s)
    pd, ps = proportions(d), proportions(s)
    correct = sum((ps.get(cell, 0) * n for cell, n in d.items()), Fraction(0))
    Nsboth = sum(n for q, n in s_q.items() if d_q[q] > 0)
    certain = certain_cells(s, least)
    certain_correct = sum(n for cell, n in d.items() if cell in certain)
    certain_total = sum(d_q[q] for q in {q for _, q in certain})
    tcap, tcap_total = certain_correct, certain_total
    if (
        convention == "corrected"
    ):  # D45: certain is what was certain before exclusions, as in DiS and DiSCO
        tcap, tcap_total = sum(kept["DiSCO"].values()), sum(kept["DiS"].values())
    return {
        "baseCAPd": percent(sum(Fraction(n) ** 2 for n in by_target(d_all).values()), Nd**2),
        "CAPd": percent(sum(pd[cell] * n for cell, n in d.items()), Nd),
        "CAPs": percent(sum(ps[cell] * n for cell, n in s.items()), Ns),
        "DCAPd": percent(correct, Nd),
        "DCAPs": percent(correct, Ns),
        "DCAPb": percent(correct, Nsboth),
        "TCAPb": percent(certain_correct, Nsboth),
        "TCAPs": percent(certain_correct, Ns),
        "TCAP": percent(tcap, tcap_total) if tcap_total else None,
        "TCAP_192": percent(sum(kept["DiSCO"].values()), _matched_records(kept, convention)),
        **_denominators(Nd, Ns, Nsboth, tcap_total),
    }


def _matched_records(kept: dict[str, Table], convention: str) -> int:
    """1.9-2's denominator of TCAP: kept original records whose keys the kept synthetic data has, or
    (D16) the kept iS.
    """
    if convention == "corrected":
        return sum(kept["iS"].values())
    s_q = by_key(kept["synthetic"])
    return sum(n for (_, q), n in kept["original"].items() if s_q[q] > 0)


def _denominators(Nd: int, Ns: int, Nsboth: int, certain_total: int) -> dict[str, float]:
    # R labels the two in the middle the other way round: TCAPb is divided by Nsboth and TCAPs by
    # Ns.
    values = (Nd, Ns, Nsboth, certain_total)
    return dict(
        zip(("denom_DiSCO", "denom_TCAPb", "denom_TCAPs", "denom_TCAP"), map(float, values))
    )
