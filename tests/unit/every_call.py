"""A call of every public function on inputs that are made anew, and all that its answer says: for
tests that change the inputs afterwards, or call from several threads.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

import synthpop_py as sp
from synthpop_py import closed_forms, estimation, masks, study, synthesis

SEED = 2**120 + 17  # long, so that no release warns of it
N = 60
KEYS = ["sex", "town"]
REFUSED = "refused: "


@dataclass(frozen=True)
class Inputs:
    """What calls are given: frames with columns of every kind, and arrays.

    `own_memory` is the array behind the column "income" of the frame `wages`.
    """

    original: pd.DataFrame
    sets: list[pd.DataFrame]
    synds: sp.SynDS
    population: pd.DataFrame
    wages: pd.DataFrame
    weights: np.ndarray
    groups: np.ndarray
    replaced: np.ndarray
    means: np.ndarray
    variances: np.ndarray
    matrix: np.ndarray
    estimates: list[np.ndarray]

    def frames(self) -> list[pd.DataFrame]:
        return [self.original, *self.sets, self.population, self.wages]

    def arrays(self) -> list[np.ndarray]:
        lists = [self.weights, self.groups, self.replaced, self.means, self.variances, self.matrix]
        return lists + self.estimates


def inputs() -> Inputs:
    """The same inputs at every call, in memory of their own."""
    original = _people(0)
    sets = [_people(1), _people(2)]
    keys = pd.MultiIndex.from_product([["f", "m"], list("ABC")], names=KEYS)
    population = pd.Series(np.arange(100, 106), index=keys, name="units").reset_index()
    population["sex"] = population["sex"].astype("category")
    return Inputs(
        original=original,
        sets=sets,
        synds=sp.SynDS(sets, cont_na={"income": -8}),
        population=population,
        wages=pd.DataFrame({"wage": np.linspace(1, 2, N), "hours": np.linspace(30, 40, N)}),
        weights=np.linspace(1.5, 7, N),
        groups=np.arange(N) % 3,
        replaced=np.arange(N) % 2 == 0,
        means=np.array([[1.0, 2.0], [1.5, 2.5], [1.2, 2.2]]),
        variances=np.array([[0.1, 0.2], [0.1, 0.3], [0.2, 0.2]]),
        matrix=np.roll(np.eye(N), 1, axis=0),
        estimates=[np.array([0.1, 0.2, 0.0, 0.3]), np.eye(4) / 5],
    )


def _people(number: int) -> pd.DataFrame:
    """60 people; from set to set ages, incomes and the towns of every second one differ."""
    rng = np.random.default_rng(SEED + number)
    at = np.arange(N)
    town = np.where(at % 2 == 0, rng.choice(list("ABC"), N), np.array(list("ABC"))[at % 3])
    sex = pd.Categorical.from_codes(at // 7 % 2, ["f", "m"])
    size = pd.array(at // 5 % 4, dtype="Int64")
    size[3] = pd.NA
    columns = {
        "sex": sex,
        "town": town.astype(object),
        "age": rng.integers(20, 30, N),
        "income": np.where(at % 9 == 0, -8.0, rng.normal(1000, 50, N).round()),
        "size": size,
        "job": pd.Categorical.from_codes(at // 3 % 3, ["baker", "clerk", "nurse"], ordered=True),
        "day": pd.Timestamp("2020-01-01") + pd.to_timedelta(at % 5, unit="D"),
    }
    return pd.DataFrame(columns, index=pd.Index(at + 100))


def _attack(given: Inputs, **options: Any) -> Any:
    known, synthesised = ["sex"], ["town", "age"]
    return sp.identification_risk(
        given.sets, given.original, known=known, synthesised=synthesised, **options
    )


def _model_attack(given: Inputs) -> Any:
    model = synthesis.Multinomial("town", ["sex", "job"], ridge=1.0)
    return sp.identification_risk(
        given.sets,
        given.original,
        known=["sex", "size"],
        intervals={"size": 1},
        synthesised=["town"],
        attack="model",
        models=[model],
        restrictions={"town": synthesis.Restriction(replaced=given.replaced)},
        draws=3,
        seed=SEED,
    )


def _estimated_attack(given: Inputs) -> Any:
    """The agency released the estimates of its model, and the census is known."""
    return sp.identification_risk(
        given.sets,
        given.original,
        known=["sex"],
        synthesised=["town"],
        attack="model",
        models=[synthesis.Multinomial("town", ["sex"])],
        parameters=[tuple(given.estimates)],
        population=given.population,
        draws=3,
        seed=SEED,
    )


def _map(given: Inputs) -> Any:
    candidates = {"two sets": given.sets, "exchanged": _ifpr(given)}
    return sp.ru_map(
        candidates,
        given.original,
        keys=KEYS,
        target="job",
        risk=["repU", "IR"],
        variables=["sex", "town", "income"],
        bootstrap=3,
        seed=SEED,
    )


def _ifpr(given: Inputs) -> Any:
    return sp.ifpr(given.original, ["sex", "age"], xi=0.6, blocks="sex", seed=SEED)


def _by_m(given: Inputs) -> Any:
    return sp.risk_utility_by_m(
        given.sets,
        given.original,
        [estimation.Means("income", by="sex")],
        known=["sex"],
        synthesised=["town"],
        designs=(2,),
        by=given.groups,
        groups={"some": given.replaced},
    )


def _multi(given: Inputs) -> Any:
    return sp.multi_disclosure(
        given.synds, given.original, KEYS, ["job", "income", "size"], print_flag=False
    )


def _disclosure(given: Inputs) -> Any:
    return sp.disclosure(given.synds, given.original, KEYS, "income", print_flag=False)


def _corrected(given: Inputs) -> Any:
    return sp.disclosure(
        given.sets, given.original, ["age", "size"], "job", compat="corrected", print_flag=False
    )


def _sdc(given: Inputs) -> Any:
    return sp.sdc(
        given.synds,
        given.original,
        KEYS,
        rm_replicated_uniques=True,
        recode_vars="age",
        bottom_top_coding=(22, 28),
        print_flag=False,
    )


def _partial(given: Inputs) -> Any:
    model = synthesis.NormalRegression("income", ["sex", "age"])
    return sp.partial_synthesis(given.original, [model], 2, where=given.replaced, seed=SEED)


def _posterior(given: Inputs) -> Any:
    model = synthesis.Multinomial("town", ["sex", "age"], ridge=1.0)
    return synthesis.fit_models(given.original, [model], where=given.replaced)


def _overlap(given: Inputs) -> Any:
    wanted = [estimation.Means("income"), estimation.Proportions("town")]
    return sp.estimand_overlap(given.sets, given.original, wanted)


def _curve(given: Inputs) -> Any:
    return closed_forms.ru_curve(
        "swapping", given.weights / 10, n1=3, n2=2, variance=1.0, delta=1.0
    )


def _nested(array: np.ndarray) -> list[Any]:
    return [array, array + 0.1]


SETS: dict[str, Callable[[Inputs], Any]] = {
    "disclosure": _disclosure,
    "disclosure, corrected": _corrected,
    "multi_disclosure": _multi,
    "disclosure_summary": lambda g: sp.disclosure_summary(
        g.sets, g.original, KEYS, ["job"], print_flag=False
    ),
    "key_risk": lambda g: sp.key_risk(g.synds, g.original, [*KEYS, "age"], ["job"]),
    "replicated_uniques": lambda g: sp.replicated_uniques(g.synds, g.original, ["town", "age"]),
    "sdc": _sdc,
    "synorig_compare": lambda g: sp.synorig_compare(g.sets[0], g.original, print_flag=False),
    "SynDS": lambda g: sp.SynDS(g.sets, cont_na={"income": [-8]}),
    "identification_risk": lambda g: _attack(g, by="job"),
    "membership": lambda g: sp.membership(g.sets, g.original, g.population, seed=SEED),
    "identification_risk, near": lambda g: _attack(g, intervals={"age": 2}, by=g.groups),
    "identification_risk, weights": lambda g: _attack(g, weights=g.weights),
    "identification_risk, mode": lambda g: _attack(g, attack="mode", seed=SEED),
    "identification_risk, population": lambda g: sp.identification_risk(
        g.sets, g.original, known="sex", synthesised="town", population=g.population
    ),
    "identification_risk, model": _model_attack,
    "identification_risk, estimates": _estimated_attack,
    "risk_utility_by_m": _by_m,
    "ru_map": _map,
    "table_utility": lambda g: sp.table_utility(g.sets, g.original),
    "propensity_utility": lambda g: sp.propensity_utility(g.synds, g.original, ["sex", "age"]),
    "estimand_overlap": _overlap,
}

ONE_TABLE: dict[str, Callable[[Inputs], Any]] = {
    "ifpr": _ifpr,
    "ifpr, verify": lambda g: _ifpr(g).verify(),
    "ifpr, audit": lambda g: _ifpr(g).audit(2, seed=SEED),
    "numtocat_syn": lambda g: sp.numtocat_syn(g.original, ["income", "age"], print_flag=False),
    "mergelevels_syn": lambda g: sp.mergelevels_syn(g.original, "job", minsize=30),
    "partial_synthesis": _partial,
    "fit_models": _posterior,
    "syn": lambda g: sp.syn(g.wages, m=1, seed=1, print_flag=False),
    "add_noise": lambda g: sp.add_noise(g.original, "income", sd=3.0, seed=SEED),
    "swap": lambda g: sp.swap(g.original, ["sex"], "age", 0.3, seed=SEED),
    "swap_candidates": lambda g: masks.swap_candidates(g.original, ["sex"], "age"),
    "matrix_mask": lambda g: sp.matrix_mask(g.wages, A=g.matrix),
    "matrix_mask that adds": lambda g: sp.matrix_mask(g.wages, C=g.matrix[:, :2]),
}

NUMBERS: dict[str, Callable[[Inputs], Any]] = {
    "combine": lambda g: sp.combine(g.means, g.variances),
    "combine_two_stage": lambda g: sp.combine_two_stage(_nested(g.means), _nested(g.variances)),
    "ci_overlap": lambda g: sp.ci_overlap(g.means, g.means + g.variances),
    "ifpr_found": lambda g: sp.ifpr_found(0.5, g.groups + 1, 0),
    "ifpr_matrix": lambda g: sp.ifpr_matrix(0.5, {1: 8, 2: 3}),
    "ifpr_risk": lambda g: sp.ifpr_risk(0.5, g.groups + 1, 1),
    "ifpr_theta": lambda g: sp.ifpr_theta(0.4, {1: 8, 2: 3}),
    "ifpr_variance": lambda g: sp.ifpr_variance(0.5, g.groups + 1),
    "ifpr_xi": lambda g: sp.ifpr_xi(0.5),
    "ru_curve": _curve,
    "swapping_ru": lambda g: closed_forms.swapping_ru(0.5, 3, 2, 1.0, 1.0),
    "r_defects": lambda g: sp.r_defects(),
    "datasets.load": lambda g: sp.datasets.load("SD2011").head(5),
    "generated_establishments": lambda g: study.generated_establishments(30, seed=SEED),
}

CALLS = SETS | ONE_TABLE | NUMBERS


def is_result(answer: Any) -> bool:
    """Whether it is a result of the package that can be written as a dictionary."""
    return type(answer).__module__.startswith("synthpop_py") and hasattr(answer, "to_dict")


def told(answer: Any) -> str:
    """All that an answer says: its own text, its dictionary, and what each of its properties and
    methods gives that need no argument.
    """
    if is_result(answer):
        return _written(_said(answer))
    return _written(answer)


def _said(result: Any) -> dict[str, Any]:
    said = {"text": str(result), "dictionary": result.to_dict()}
    for name in dir(type(result)):
        if name.startswith("_") or name in QUIET:
            continue
        try:
            value = getattr(result, name)
            said[name] = value() if callable(value) and _needs_nothing(value) else value
        except sp.SynthpopError as error:
            said[name] = f"{REFUSED}{error}"
    for name, ask in QUESTIONS.get(type(result).__name__, {}).items():
        said[name] = ask(result)
    return said


# figures, what prints, what draws at random; and pages, which are made of the dictionary's document
QUIET = ("plot", "print", "audit", "to_html", "to_markdown", "to_json", "sample_path")

QUESTIONS: dict[str, dict[str, Callable[[Any], Any]]] = {
    "IdentificationRisk": {
        "by size": lambda risk: risk.by("size"),
        "by job": lambda risk: risk.by(["job", "age"]),
        "probabilities of the fifth": lambda risk: risk.probabilities(104),
    },
    "IFPRRelease": {
        "audit": lambda release: release.audit(2, seed=SEED),
        "chances": lambda release: release.matrix().toarray(),
        "distance": lambda release: release.tvd(["sex", "age", "income"], order=(1, 2)),
    },
}


def _needs_nothing(method: Callable[..., Any]) -> bool:
    parameters = inspect.signature(method).parameters.values()
    return all(
        p.default is not p.empty or p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters
    )


def _written(value: Any) -> str:
    """Every value in full."""
    if isinstance(value, pd.DataFrame):
        columns = [_written(value.iloc[:, at]) for at in range(value.shape[1])]
        return f"frame {list(value.columns)!r} {columns!r}"
    if isinstance(value, (pd.Series, pd.Index)):
        index = list(value.index) if isinstance(value, pd.Series) else []
        levels = getattr(value.dtype, "categories", None)
        about = (value.name, str(value.dtype), index, list([] if levels is None else levels))
        return f"{about!r} {value.tolist()!r}"
    if isinstance(value, np.ndarray):
        return f"array {value.tolist()!r}"
    if is_result(value):
        return f"{type(value).__name__} {value.to_dict()!r}"
    if isinstance(value, Mapping):
        return f"{[(name, _written(part)) for name, part in value.items()]!r}"
    if isinstance(value, (list, tuple)):
        return f"{[_written(part) for part in value]!r}"
    if callable(value):
        return "a function"
    return repr(value)
