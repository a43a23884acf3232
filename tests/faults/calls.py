"""Every public function, called on a small table, and what results can do."""

from __future__ import annotations

import io
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import synthpop_py as sp
from synthpop_py import estimation, synthesis

R_FILES = Path(__file__).resolve().parents[2] / "fixtures" / "r_files"


@dataclass(frozen=True)
class Tables:
    """What the calls are given, made anew for each, and a folder of their own."""

    original: pd.DataFrame
    released: pd.DataFrame
    folder: Path

    def inputs(self) -> list[pd.DataFrame]:
        return [self.original, self.released]


def tables(folder: Path) -> Tables:
    rng = np.random.default_rng(11)
    original = pd.DataFrame(
        {
            "sex": pd.Categorical(rng.choice(["F", "M"], 40)),
            "region": rng.choice(["n", "s", "w"], 40),
            "age": rng.integers(18, 80, 40),
            "income": np.where(rng.random(40) < 0.1, np.nan, rng.integers(5, 30, 40) * 100.0),
        }
    )
    released = original.copy()
    chosen = rng.choice(40, 12, replace=False)
    released.loc[chosen, "region"] = released.loc[np.roll(chosen, 1), "region"].to_numpy()
    return Tables(original, released, folder)


KEYS = ["sex", "region"]
Call = Callable[[Tables], Any]


def _partial(t: Tables) -> Any:
    models = [synthesis.Multinomial("region", ["sex"], ridge=1.0)]
    return sp.partial_synthesis(t.original, models, m=2, seed=3)


def _by_m(t: Tables) -> Any:
    sets = [t.released, t.original]
    wanted = [estimation.Means("age", by="sex")]
    given = dict(known=["sex"], synthesised=["region"], designs=(1, 2))
    return sp.risk_utility_by_m(sets, t.original, wanted, **given)


def _written(t: Tables) -> Any:
    """What is in the file afterwards."""
    file = t.folder / "mine.rds"
    sp.write_synds(sp.SynDS([t.released, t.original], {"income": -8}), file)
    return sp.read_synds(file)


def _printed(t: Tables) -> str:
    out = io.StringIO()
    with redirect_stdout(out):
        sp.disclosure(t.released, t.original, KEYS, "age", ngroups_target=3).print()
    return out.getvalue()


def _views(t: Tables) -> list[str]:
    result = sp.disclosure(t.released, t.original, KEYS, "age", print_flag=False)
    return [result.to_html(), result.to_markdown(), result.to_json(), result.summary()]


def _plot(t: Tables) -> list[str]:
    result = sp.disclosure(t.released, t.original, KEYS, "income", print_flag=False)
    return [text.get_text() for text in result.plot().texts]


def _sdc(t: Tables) -> Any:
    with redirect_stdout(io.StringIO()):
        return sp.sdc(sp.SynDS(t.released), t.original, rm_replicated_uniques=True)


def _two_stage(t: Tables) -> Any:
    estimates = np.array([[1.0, 1.2], [0.9, 1.1]])
    return sp.combine_two_stage(estimates, estimates / 10)


CALLS: dict[str, Call] = {
    "add_noise": lambda t: sp.add_noise(t.original, "age", sd=2.0, seed=1),
    "ci_overlap": lambda t: sp.ci_overlap([(0, 2), (1, 1)], [(-1, 3), (0, 2)]),
    "combine": lambda t: sp.combine(t.original[["age"]], t.original[["age"]] / 9),
    "combine_two_stage": _two_stage,
    "disclosure": lambda t: sp.disclosure(
        t.released, t.original, KEYS, "age", ngroups_target=4, print_flag=False
    ),
    "disclosure_summary": lambda t: sp.disclosure_summary(
        t.released, t.original, KEYS, ["age"], print_flag=False
    ),
    "estimand_overlap": lambda t: sp.estimand_overlap(
        t.released, t.original, [estimation.Means("age", by="sex")]
    ),
    "identification_risk": lambda t: sp.identification_risk(
        [t.released], t.original, known=["sex", "age"], synthesised=["region"]
    ),
    "ifpr": lambda t: sp.ifpr(t.original, KEYS, xi=0.5, seed=1).data,
    "ifpr_found": lambda t: sp.ifpr_found(0.4, [2, 3], 0),
    "ifpr_matrix": lambda t: sp.ifpr_matrix(0.4, {1: 3, 2: 2}),
    "ifpr_risk": lambda t: sp.ifpr_risk(0.4, [2, 3], 1),
    "ifpr_theta": lambda t: sp.ifpr_theta(0.5),
    "ifpr_variance": lambda t: sp.ifpr_variance(0.4, [2, 3]),
    "ifpr_xi": lambda t: sp.ifpr_xi(0.4),
    "report": lambda t: sp.report(t.released, t.original, keys=KEYS, path=None, format="md"),
    "key_risk": lambda t: sp.key_risk(t.released, t.original, KEYS, ["age"], print_flag=False),
    "matrix_mask": lambda t: sp.matrix_mask(t.original, B=np.array([[2.0]]), columns="age"),
    "mergelevels_syn": lambda t: sp.mergelevels_syn(t.original, ["sex"], print_flag=False),
    "membership": lambda t: sp.membership(t.released, t.original, t.original.head(20), seed=1),
    "multi_disclosure": lambda t: sp.multi_disclosure(
        [t.released, t.released], t.original, KEYS, ["age", "income"], print_flag=False
    ),
    "numtocat_syn": lambda t: sp.numtocat_syn(t.original, ["age"], print_flag=False),
    "partial_synthesis": _partial,
    "propensity_utility": lambda t: sp.propensity_utility(t.released, t.original, ["sex", "age"]),
    "open_table": lambda t: sp.open_table(t.original, levels={}),
    "r_defects": lambda t: sp.r_defects(),
    "read_rdata": lambda t: sp.read_rdata(R_FILES / "workspace.RData"),
    "read_rds": lambda t: sp.read_rds(R_FILES / "ods.rds"),
    "read_synds": lambda t: sp.read_synds(R_FILES / "synds_m5.rds"),
    "replicated_uniques": lambda t: sp.replicated_uniques(t.released, t.original, KEYS),
    "risk_utility_by_m": _by_m,
    "ru_map": lambda t: sp.ru_map(
        {"as it is": t.original, "released": t.released}, t.original, keys=KEYS, target="age"
    ),
    "sdc": _sdc,
    "swap": lambda t: sp.swap(t.original, ["sex"], "region", rate=0.3, seed=1),
    "syn": lambda t: sp.syn(t.original, seed=1, print_flag=False),
    "synorig_compare": lambda t: sp.synorig_compare(t.released, t.original, print_flag=False),
    "table_utility": lambda t: sp.table_utility(t.released, t.original),
    "write_synds": _written,
    # what results can do
    "Disclosure.print": _printed,
    "Disclosure.to_html and others": _views,
    "Disclosure.plot": _plot,
    "datasets.load": lambda t: sp.datasets.load("syc"),
    "datasets.load_synthesis": lambda t: sp.datasets.load_synthesis("SD2011_s1"),
}
