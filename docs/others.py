"""What other tools compute, in plain pandas and NumPy; the page "what others call it" shows it.

Missing values are a level of their own, and every value of the target is one: what `disclosure()`
does unless told otherwise.
"""

from __future__ import annotations

import numpy as np
import pandas as pd


def as_text(frame: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    values = frame[columns].astype(object)
    return values.where(frame[columns].notna(), "Missing").astype(str)


def count_cells(
    original: pd.DataFrame, synthetic: pd.DataFrame, keys: list[str], target: str
) -> pd.DataFrame:
    """One row per combination of keys and target that either table has."""
    d = as_text(original, [*keys, target]).value_counts().rename("d")
    s = as_text(synthetic, [*keys, target]).value_counts().rename("s")
    cells = pd.concat([d, s], axis=1).fillna(0)
    by_key = cells.groupby(level=keys)
    cells["d_q"] = by_key["d"].transform("sum")
    cells["s_q"] = by_key["s"].transform("sum")
    cells["pd"] = cells["d"] / cells["d_q"].where(cells["d_q"] > 0)
    cells["ps"] = cells["s"] / cells["s_q"].where(cells["s_q"] > 0)
    return cells


def of_riskutility(
    original: pd.DataFrame, synthetic: pd.DataFrame, keys: list[str], target: str
) -> dict[str, float]:
    c = count_cells(original, synthetic, keys, target)
    n_d, n_s = c.d.sum(), c.s.sum()
    found = c.d[c.s_q > 0].sum()
    one_answer = c.groupby(level=keys)["ps"].transform("max") == 1
    most_frequent = c.groupby(level=target)["s"].sum().max() / n_s
    cap = (c.ps * c.d).sum() / found
    return {
        "dcap()$cap": cap,
        "dcap()$baseline": most_frequent,
        "dcap()$dcap": cap - most_frequent,
        "tcap()$tcap_certain": 100 * c.d[(c.ps == 1) & (c.pd == 1)].sum() / found,
        "tcap()$tcap_matched": 100 * c.d[c.ps == 1].sum() / found,
        "tcap()$tcap_conditional": 100 * c.d[c.ps == 1].sum() / c.d[one_answer].sum(),
        "weap()$weap_mean": (c.ps * c.s).sum() / n_s,
        "weap()$pct_disclosive": 100 * c.s[c.ps == 1].sum() / n_s,
        "disco()$pct_disco_potential": 100 * c.s[c.d > 0].sum() / n_s,
        "disco()$pct_disco_certain": 100 * c.s[c.pd == 1].sum() / n_s,
        "disco()$pct_original_disclosed": 100 * c.d[(c.pd == 1) & (c.s > 0)].sum() / n_d,
    }


def of_riskutility_by_default(
    original: pd.DataFrame, synthetic: pd.DataFrame, keys: list[str], target: str
) -> dict[str, float]:
    """Records with a missing value are dropped; dcap() and tcap() put a numeric target into ten
    classes, at the deciles of both tables together.
    """
    original = original[[*keys, target]].dropna()
    synthetic = synthetic[[*keys, target]].dropna()
    figures = of_riskutility(original, synthetic, keys, target)
    if not pd.api.types.is_numeric_dtype(original[target]):
        return figures
    both = np.concatenate([original[target], synthetic[target]])
    breaks = np.unique(np.quantile(both, np.linspace(0, 1, 11)))
    original, synthetic = (
        table.assign(**{target: pd.cut(table[target], breaks, include_lowest=True)})
        for table in (original, synthetic)
    )
    grouped = of_riskutility(original, synthetic, keys, target)
    return figures | {name: x for name, x in grouped.items() if name.startswith(("dcap", "tcap"))}


def of_sdmetrics(
    original: pd.DataFrame, synthetic: pd.DataFrame, keys: list[str], target: str
) -> dict[str, float]:
    c = count_cells(original, synthetic, keys, target)
    n_d, found = c.d.sum(), c.d[c.s_q > 0].sum()
    levels = as_text(original, [target])[target].nunique()
    cap_protection = 1 - (c.ps * c.d).sum() / found
    baseline_protection = 1 - 1 / levels
    return {
        "CategoricalCAP": cap_protection,
        "CategoricalZeroCAP": 1 - (c.ps * c.d).sum() / n_d,
        "CategoricalGeneralizedCAP": 1 - _share_among_nearest(c, keys),
        "baseline_protection": baseline_protection,
        "DisclosureProtection": min(1.0, cap_protection / baseline_protection),
    }


def _share_among_nearest(cells: pd.DataFrame, keys: list[str]) -> float:
    """The mean share of the correct target among the synthetic records that differ from an
    original record in the fewest keys.
    """
    synthetic = cells[cells.s > 0]
    asked = cells[cells.d > 0]
    theirs = synthetic.index.droplevel(list(range(len(keys)))).to_numpy()
    their_keys = synthetic.index.droplevel(-1).to_frame().to_numpy()
    n = synthetic.s.to_numpy()
    correct = 0.0
    for (*own_keys, own), d in asked.d.items():
        differ = (their_keys != np.array(own_keys, dtype=object)).sum(axis=1)
        nearest = differ == differ.min()
        correct += d * n[nearest & (theirs == own)].sum() / n[nearest].sum()
    return correct / asked.d.sum()


def of_synthgauge(
    original: pd.DataFrame, synthetic: pd.DataFrame, keys: list[str], target: str
) -> dict[str, float]:
    """`sample_overlap_score` with `sample_size=1`: all records instead of a random fifth."""
    c = count_cells(original, synthetic, keys, target)
    combinations = c.groupby(level=keys)[["d", "s"]].sum()
    in_both = (combinations.d > 0) & (combinations.s > 0)
    return {
        "tcap_score": c.d[c.ps == 1].sum() / c.d.sum(),
        "sample_overlap_score, unique": in_both.sum() / (combinations.d > 0).sum(),
        "sample_overlap_score, sample": combinations.d[in_both].sum() / c.d.sum(),
    }


def of_sdnist(
    original: pd.DataFrame, synthetic: pd.DataFrame, keys: list[str], target: str
) -> dict[str, float]:
    c = count_cells(original, synthetic, keys, target)
    combinations = c.groupby(level=keys)[["d", "s"]].sum()
    unique = combinations.d == 1
    return {
        "compute_disco": c.d[c.ps == 1].sum() / c.d.sum(),
        "compute_dio": c.d[c.pd == 1].sum() / c.d.sum(),
        "unique_exact_matches": 100 * (unique & (combinations.s > 0)).sum() / unique.sum(),
        "apparent matches": float((unique & (combinations.s == 1)).sum()),
    }
