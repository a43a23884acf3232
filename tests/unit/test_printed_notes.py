"""What functions say while they work: no printed line is longer than 100 characters."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from synthpop_py import (
    SynDS,
    datasets,
    disclosure,
    mergelevels_syn,
    multi_disclosure,
    numtocat_syn,
    sdc,
    synorig_compare,
)

WIDTH = 100
KEYS = ["age", "income", "sex"]
LONG = "a_name_without_a_single_space_" * 5


@pytest.fixture(scope="module")
def original():
    return datasets.load("SD2011")


@pytest.fixture(scope="module")
def synthetic(original):
    return original.sample(len(original), replace=True, random_state=1, ignore_index=True)


def call_disclosure(synthetic, original):
    disclosure(synthetic, original, KEYS, "edu", ngroups_keys=[8, 10, 0])


def call_multi_disclosure(synthetic, original):
    multi_disclosure(
        synthetic, original, KEYS, targets=["edu", "smoke"], ngroups_keys=[8, 10, 0], plot=False
    )


def call_numtocat(synthetic, original):
    numtocat_syn(original)


def call_synorig(synthetic, original):
    more = {f"{name}_x": 1 for name in original.columns[:12]}
    synorig_compare(synthetic.assign(**more), original)


def call_sdc(synthetic, original):
    numbers = pd.DataFrame({LONG: np.arange(50.0), "sex": ["f", "m"] * 25})
    sdc(SynDS([numbers] * 3), numbers, recode_vars=[LONG], bottom_top_coding=[(10, 40)])


def call_mergelevels(synthetic, original):
    mergelevels_syn(original, "eduspec", minsize=100, print_flag=True)


CALLS = {
    "disclosure": call_disclosure,
    "multi_disclosure": call_multi_disclosure,
    "numtocat_syn": call_numtocat,
    "synorig_compare": call_synorig,
    "sdc": call_sdc,
    "mergelevels_syn": call_mergelevels,
}


@pytest.mark.filterwarnings("ignore")  # defects of R, which are not about printing
@pytest.mark.parametrize("name", CALLS)
def test_no_printed_line_is_too_long(name, synthetic, original, capsys):
    CALLS[name](synthetic, original)
    lines = capsys.readouterr().out.splitlines()
    assert len("".join(lines)) > WIDTH  # there was enough to say to need a second line
    assert max(map(len, lines)) <= WIDTH
