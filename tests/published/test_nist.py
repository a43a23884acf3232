"""DiSCO as the National Institute of Standards and Technology published it: the sample reports of
SDNist 2.5 on four releases of its Collaborative Research Cycle. The data stand beside the
repository (`tests/needs.py` says where); `docs/pages/explanation/does-it-match-r.md` tells how to
fetch them.

SDNist compares texts ("1.0" is "1", an empty cell "NA") after it has put ages and incomes into
classes: percentiles of the original, and its maximum, closed on the right.
"""

from __future__ import annotations

import ast
import os

import numpy as np
import pandas as pd
import pytest

from synthpop_py import disclosure
from tests.needs import PUBLISHED_DATA

pytestmark = pytest.mark.needs("nist")

CLASSES = {"AGEP": 20, "PINCP": 19, "POVPIP": 19}
RELEASES = {
    "mst_e_1_demographic": 168,
    "dphist_e_10_cf9": 105,
    "k_anonymity_k_6_demographic_focused": 168,
    "cart_cf21": 2907,
}
EVERY = 1 if os.environ.get("SYNTHPOP_PY_LONG") else 20  # of the 2,907 figures of one release


def texts(name: str) -> pd.DataFrame:
    path = PUBLISHED_DATA / "nist" / name
    frame = pd.read_csv(path, dtype=str, keep_default_na=False).replace("", "NA")
    return frame.apply(lambda column: column.str.removesuffix(".0"))


def in_classes(original: pd.DataFrame, release: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    both = original.copy(), release.copy()
    for name, number in CLASSES.items():
        if name not in release:
            continue
        numbers = [pd.to_numeric(frame[name], errors="coerce") for frame in both]
        known = numbers[0].dropna()
        shares = np.linspace(0, 100, number, endpoint=False)
        edges = np.unique(np.append(np.percentile(known, shares, method="higher"), known.max()))
        for frame, values in zip(both, numbers):
            classes = pd.cut(values, edges, include_lowest=True).astype(object)
            frame[name] = classes.where(values.notna(), frame[name]).astype(str)
    return both


@pytest.mark.parametrize("name", RELEASES)
def test_disco_is_what_nist_published(name):
    original, release = in_classes(texts("na.csv.xz"), texts(f"d_{name}_na2019.csv.xz"))
    report = pd.read_csv(PUBLISHED_DATA / "nist" / f"r_{name}_na2019.barplot.csv.xz", index_col=0)
    assert len(report) == RELEASES[name]
    judged = report.iloc[::EVERY] if len(report) > 1000 else report
    ours = []
    for target, keys in zip(judged["Target"], judged["QID Combination"]):
        result = disclosure(
            release,
            original,
            list(ast.literal_eval(keys)),
            target,
            compat="corrected",
            print_flag=False,
        )
        ours.append(round(result.DiSCO / 100, 4))
    assert ours == judged["DiSCO Score"].tolist()
