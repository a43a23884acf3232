"""Makes the runs of the experiment on Reiter and Mitra's Table 1 (`reiter_mitra_design` has the
plan and says why).

    python -m tests.published.reiter_mitra_runs

goes on where fixtures/expected_models/reiter_mitra_design.jsonl ends: it computes the rows that are
missing and appends each as it finishes. About an hour from nothing; stop it whenever you like.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from synthpop_py.matching import identification_risk
from synthpop_py.synds import SynDS
from synthpop_py.synthesis import Estimate, Multinomial, Posterior, fit_models, partial_synthesis
from tests.published import reiter_mitra_design as design
from tests.published import reiter_mitra_figures as paper
from tests.published.reiter_mitra_design import Figures, Point, Row

DRAWS = 100  # as in the paper


@dataclass(frozen=True, eq=False)
class FittedOnce:
    """A multinomial regression that remembers its fits: the intruders who take the estimates
    as they are and who draw them fit the same sets.
    """

    model: Multinomial
    fits: dict[bytes, Estimate] = field(default_factory=dict)

    categorical = True

    @property
    def response(self) -> Any:
        return self.model.response

    @property
    def predictors(self) -> Any:
        return self.model.predictors

    def labels(self, data: pd.DataFrame) -> tuple[str, ...]:
        return self.model.labels(data)

    def fit(self, data: pd.DataFrame, covariance: bool = True) -> Estimate:
        # of all columns only facility and race differ between sets
        drawn = [name for name in ("psu", "race") if name in data]
        key = b"".join(data[name].cat.codes.to_numpy().tobytes() for name in drawn)
        if key not in self.fits:
            self.fits[key] = self.model.fit(data, covariance=True)
        return self.fits[key]

    def simulate(self, parameters: Any, data: pd.DataFrame, rng: np.random.Generator) -> Any:
        return self.model.simulate(parameters, data, rng)


@dataclass(frozen=True)
class Configuration:
    """The data as a configuration reads them, its models fitted, and how it makes sets."""

    youths: pd.DataFrame
    posterior: Posterior
    parameters: str


@cache
def configured(name: str) -> Configuration:
    choices = design.choices(name)
    youths = _read(paper.recoded_youths(), choices.levels)
    left_out = {"psu", "race", *choices.dropped}
    others = [column for column in youths.columns if column not in left_out]
    models = [
        FittedOnce(Multinomial("psu", others, ridge=choices.ridge)),
        FittedOnce(Multinomial("race", [*others, "psu"], ridge=choices.ridge)),
    ]
    parameters = "plugin" if choices.levels["synthesis"] > 0 else "posterior"
    return Configuration(youths, fit_models(youths, models), parameters)


def _read(youths: pd.DataFrame, levels: Mapping[str, int]) -> pd.DataFrame:
    """Codes and counts as the configuration has them; keys stay as they are."""
    columns = {}
    for name in youths.columns:
        column = youths[name]
        if levels["codes"] > 0 and name not in ("psu", "race", "ethnicty"):
            column = _as_numbers(column)
        if levels["counts"] > 0 and name in design.COUNTS:
            column = np.log1p(column.astype(float))
        columns[name] = column
    return pd.DataFrame(columns)


def _as_numbers(column: pd.Series) -> pd.Series:
    """Codes 1, 2, 3, ... in the order of the questionnaire."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        return column.cat.codes + 1.0
    return column


def figures(point: Point) -> Figures:
    """One row of the table from one run."""
    configuration = configured(point.configuration)
    # where m does not matter the intruder needs no sets; one is given to hold the known columns
    sets = _sets(point.configuration, point.seed, point.row.m or 2)
    risk = identification_risk(
        sets,
        configuration.youths,
        seed=point.seed,
        **_attack(point.row, configuration.posterior),
        **paper.KEYS,
    )
    return risk.perceived, risk.expected, risk.true


@cache
def _sets(configuration: str, seed: int, m: int) -> SynDS:
    """The same sets for all intruders."""
    configured_as = configured(configuration)
    return partial_synthesis(
        configured_as.youths,
        configured_as.posterior,
        m=m,
        parameters=configured_as.parameters,  # type: ignore[arg-type]
        seed=np.random.default_rng([seed, m]),
    )


def _attack(row: Row, posterior: Posterior) -> dict[str, Any]:
    if row.released == "nothing":
        return {"attack": row.attack}
    parameters: Any = row.attack
    if row.released == "posterior":
        parameters = posterior.fixed() if row.attack == "fixed" else posterior
    return {
        "attack": "model",
        "models": posterior.models,
        "parameters": parameters,
        "draws": DRAWS,
    }


def make(points: Iterable[Point], path: Path = design.RECORD) -> None:
    """Computes and records the points that are missing."""
    record = design.read(path)
    before = None
    for point in points:
        if point in record:
            continue
        run = (point.configuration, point.seed, point.row.m)
        if before is not None and run != before:
            _forget(before[0])
        before = run
        design.append(point, figures(point), path)
        print(*point, flush=True)


def _forget(configuration: str) -> None:
    """Sets and fits of the run that has ended: the covariance of one fit takes 17 MB."""
    _sets.cache_clear()
    for model in configured(configuration).posterior.models:
        model.fits.clear()  # type: ignore[attr-defined]


def main() -> None:
    make(design.screening())
    make(design.final(design.read()))
    make(design.beside())


if __name__ == "__main__":
    main()
