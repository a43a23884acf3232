"""One result of every kind, made from few people with names and levels that try to do harm."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from synthpop_py import (
    SynDS,
    ci_overlap,
    closed_forms,
    combine,
    datasets,
    disclosure,
    estimand_overlap,
    identification_risk,
    ifpr,
    key_risk,
    membership,
    multi_disclosure,
    numtocat_syn,
    propensity_utility,
    replicated_uniques,
    risk_utility_by_m,
    ru_map,
    synorig_compare,
    synthesis,
    table_utility,
)
from synthpop_py.estimation import Means

EVIL = "<script>alert('x')</script>"
LONG = "a rather long name for a column that holds nothing but the answer to a question"
SEED = 987654321


@cache
def people() -> pd.DataFrame:
    """120 people; their region has a level that is a script."""
    frame = datasets.load("SD2011").head(120)[["sex", "age", "region", "marital", "income"]]
    region = frame["region"].astype(str)
    frame = frame.assign(region=region.where(region != region.iloc[0], EVIL), income=range(120))
    frame = frame.assign(marital=frame["marital"].astype(str), sex=frame["sex"].astype(str))
    return frame.rename(columns={"region": EVIL, "income": LONG})


@cache
def release(number: int = 0) -> pd.DataFrame:
    """The people with towns exchanged between some of them."""
    generator = np.random.default_rng(SEED + number)
    frame = people().copy()
    chosen = generator.choice(120, 40, replace=False)
    frame.iloc[chosen, 2] = frame.iloc[np.roll(chosen, 1), 2].to_numpy()
    return frame


KEYS = ["sex", "age", EVIL]


def _disclosure() -> Any:
    tables = ["ident", "attrib", "allCAPs", "check_1way", "check_2way", "exclusions"]
    return disclosure(
        [release(), release(1)],
        people(),
        KEYS,
        "marital",
        not_targetlev="SINGLE",
        thresh_1way=(1, 10),
        thresh_2way=(0, 50),
        to_print=tables,
        print_flag=False,
    )


def _with_defect() -> Any:
    """Tables of R that are compared by position (D1)."""
    frame = pd.DataFrame({"k1": list("ab") * 12, "k2": list("uvw") * 8})
    frame["x"] = np.arange(24) % 12 + 1
    return disclosure(
        frame[frame["x"] != 5], frame, ["k1", "k2"], "x", to_print=["attrib"], print_flag=False
    )


def _multi() -> Any:
    return multi_disclosure(
        [release().head(12), release(1).head(12)],
        people().head(12),
        ["sex", "age"],
        ["marital", EVIL, LONG],
        thresh_2way=(0, 50),
        print_flag=False,
    )


def _with_holdout() -> Any:
    """Members beside non-members, few of whom are disclosed."""
    given = {"compat": "corrected", "print_flag": False}
    sets = [release().head(70), release(1).head(70)]
    return disclosure(
        sets, people().head(70), ["sex", EVIL], "marital", holdout=people().tail(50), **given
    )


def _multi_with_holdout() -> Any:
    return multi_disclosure(
        release().head(70),
        people().head(70),
        ["sex", EVIL],
        ["marital", LONG],
        holdout=people().tail(50),
        print_flag=False,
    )


def _uniques() -> Any:
    sets = [release().head(25), release(1).head(25)]
    return replicated_uniques(sets, people().head(25), ["sex", EVIL])


def _key_risk() -> Any:
    return key_risk([release(), release(1)], people(), KEYS, ["marital"], print_flag=False)


def _identification() -> Any:
    sets = [release(), release(1)]
    return identification_risk(
        sets, people(), known=["sex", "age"], synthesised=[EVIL], by="marital"
    )


def _membership() -> Any:
    return membership(release().head(70), people().head(70), people().tail(50), seed=SEED)


def _by_m() -> Any:
    return risk_utility_by_m(
        [release(), release(1), release(2)],
        people(),
        [Means(LONG, by="sex")],
        known=["sex"],
        synthesised=[EVIL],
        designs=(1, 2),
        by="sex",
    )


def _ifpr() -> Any:
    return ifpr(people(), ["sex", EVIL], xi=0.4, blocks="sex", seed=SEED, reproducible=True)


def _map() -> Any:
    few = people().head(25)
    candidates = {"as it is": few, EVIL: release().head(25)}
    return ru_map(candidates, few, keys=["sex", EVIL], target="marital")


def _curve() -> Any:
    values = np.linspace(0, 1, 15)
    fixed = {"n1": 3, "n2": 2, "variance": 1.0, "delta": 1.0}
    return closed_forms.ru_curve("swapping", values, **fixed)


def _posterior() -> Any:
    frame = people().rename(columns={EVIL: "region"})
    return synthesis.fit_models(frame, [synthesis.Multinomial("marital", ["sex"], ridge=1.0)])


RESULTS: dict[str, Callable[[], Any]] = {
    "Disclosure": _disclosure,
    "Disclosure with a defect": _with_defect,
    "Disclosure with a holdout": _with_holdout,
    "MultiDisclosure": _multi,
    "MultiDisclosure with a holdout": _multi_with_holdout,
    "ReplicatedUniques": _uniques,
    "KeyRisk": _key_risk,
    "Grouped": lambda: numtocat_syn(people(), [LONG, "age"], print_flag=False),
    "SynorigComparison": lambda: synorig_compare(release(), people(), print_flag=False),
    "SynDS": lambda: SynDS([release(), release(1)], meta={"seed": SEED}),
    "IdentificationRisk": _identification,
    "Membership": _membership,
    "RiskUtilityByM": _by_m,
    "Posterior": _posterior,
    "IFPRRelease": _ifpr,
    "IFPRCheck": lambda: _ifpr().verify(),
    "IFPRCheck that fails": lambda: _ifpr().verify(xi=0.05),
    "IFPRAudit": lambda: _ifpr().audit(3, seed=SEED),
    "RUMap": _map,
    "TableUtility": lambda: table_utility([release(), release(1)], people()),
    "PropensityUtility": lambda: propensity_utility(release(), people(), ["sex", "age", EVIL]),
    "EstimandOverlap": lambda: estimand_overlap(release(), people(), [Means(LONG, by=EVIL)]),
    "Combined": lambda: combine(pd.DataFrame({EVIL: [1.0, 2.0]}), pd.DataFrame({EVIL: [0.1, 0.1]})),
    "IntervalOverlap": lambda: ci_overlap([(0, 2), (1, 1)], [(-1, 3), (0, 2)]),
    "RiskUtility": lambda: closed_forms.swapping_ru(0.5, 3, 2, 1.0, 1.0, snooper="linked"),
    "RUCurve": _curve,
}


@cache
def made(name: str) -> Any:
    """A result, made once."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return RESULTS[name]()
