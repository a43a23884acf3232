"""Membership attacks as the authors of Synth-MIA (2025) printed them in their notebooks. Their data
stand beside the repository (`tests/needs.py` says where).
"""

from __future__ import annotations

import pandas as pd
import pytest

from synthpop_py import membership
from tests.needs import PUBLISHED_DATA

pytestmark = pytest.mark.needs("synth-mia")

# as printed: the area under the curve, and members found where no non-member is accused
MIXED = {"distance": 0.74136}
FOUND = 0.132
NUMBERS = {
    "distance": 0.527,
    "distance_difference": 0.562,
    "density_ratio": 0.684,
    "density": 0.643,
}


def table(name: str) -> pd.DataFrame:
    return pd.read_csv(PUBLISHED_DATA / "synth-mia" / f"{name}.csv.xz")


def test_the_closest_record_of_mixed_columns():
    others = table("holdout_set").sample(frac=1, random_state=42)
    synthetic, members = table("bayesian_network_synth_250"), table("train_set").head(250)
    result = membership(synthetic, members, others[:250], reference=others[250:500])
    assert result.table["auc"].round(5)[list(MIXED)].to_dict() == MIXED
    curve = result.roc("distance")
    assert round(curve.loc[curve["fpr"] == 0, "tpr"].max(), 3) == FOUND


def test_four_attacks_on_numbers():
    result = membership(
        table("synth"), table("mem"), table("non_mem"), reference=table("ref"), scale=False
    )
    assert result.table["auc"].round(3)[list(NUMBERS)].to_dict() == NUMBERS
