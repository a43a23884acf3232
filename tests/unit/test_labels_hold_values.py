"""Under "corrected" a value is counted in the class whose label holds it (D50 of R's ledger)."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from synthpop_py import RDefectWarning, numtocat_syn

KINDS = {
    "whole numbers": lambda rng, n: rng.integers(-5, 25, n),
    "large whole numbers": lambda rng, n: 100_000_000 + rng.integers(0, 30, n),
    "one decimal": lambda rng, n: rng.integers(-300, 300, n) / 10,
    "thirds": lambda rng, n: rng.integers(-40, 40, n) / 3,
    "any fraction": lambda rng, n: rng.normal(size=n),
    "far apart": lambda rng, n: 10.0 ** rng.integers(-12, 12, n),
}


def held(values: pd.Series, label: str) -> bool:
    """Whether a label holds values: as they are, or written with as many digits as bounds have."""
    low, high = map(float, label[1:-1].split(","))
    for digits in (17, 12, 11, 10, 9, 8):
        written = values.map(lambda value: float(f"{value:.{digits}g}"))  # noqa: B023
        if written.between(low, high, inclusive="both" if label[-1] == "]" else "left").all():
            return digits == 17 or not (values.round(6) == values).all()
    return False


@pytest.mark.parametrize("style", ["quantile", "equal", "sd", "pretty"])
@pytest.mark.parametrize("kind", KINDS)
def test_the_label_of_its_class_holds_every_value(kind, style):
    for seed in range(60):
        rng = np.random.default_rng(seed)
        values = pd.Series(KINDS[kind](rng, int(rng.integers(4, 200))))
        call = {"catgroups": int(rng.integers(2, 12)), "style_groups": style}
        made = numtocat_syn(values.to_frame("x"), compat="corrected", print_flag=False, **call)
        classes = made.data["x"]
        assert classes.notna().all()
        for label in classes.cat.categories:
            assert label[0] == "[" and held(values[classes == label], label), (seed, label)


def test_r_counts_a_bound_in_the_class_below_and_the_warning_says_so():
    data = pd.DataFrame({"x": [0, *range(10)]})
    with pytest.warns(RDefectWarning, match="x: R has other classes than the correct ones"):
        as_r = numtocat_syn(data, catgroups=5, print_flag=False)
    assert as_r.defects == ("D50",)
    assert (as_r.data["x"][6], as_r.corrected.data["x"][6]) == ("[3,5)", "[5,7)")


@pytest.mark.parametrize("groups", [5, 10, 25])
def test_rounding_that_grows_with_the_number_of_records_is_none_either(groups):
    """Ranks of so many records are off by more than twelve digits of a small number."""
    data = pd.DataFrame({"x": np.append(np.repeat(np.arange(50), 100_000), 0)})
    made = numtocat_syn(data, catgroups=groups, compat="corrected", print_flag=False).data["x"]
    for label, values in data["x"].groupby(made, observed=True):
        assert held(values.drop_duplicates(), label), label
