"""Several targets with the same keys: averages over syntheses and the order of the table."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from .disclosure import OracleResult, oracle_disclosure

ORIGINAL_OF = {"DiSCO": "Dorig", "DiSDiO": "Dorig", "DCAP": "CAPd"}
MEASURE_OF = {"DCAP": "DCAPd", "UiSiO": "UiOiS"}


@dataclass
class MultiResult:
    """Values by target, in the order asked; ``order`` is the order of the attribute table."""

    keys: list[str]
    attrib_orig: dict[str, float]
    attrib_syn: dict[str, float]
    ident_orig: dict[str, float]
    ident_syn: dict[str, float]
    npairs: dict[str, list[int]]
    order: list[str]
    results: dict[str, OracleResult]


def oracle_multi(
    synthetic: list[dict],
    original: dict,
    keys,
    targets: list[str],
    attrib_meas: str = "DiSCO",
    ident_meas: str = "repU",
    *,
    per_target: dict[str, dict] | None = None,
    **common,
) -> MultiResult:
    """``oracle_disclosure`` for each target, with ``common`` arguments and those of
    ``per_target[target]``.

    Every value is the mean over syntheses (D29). R's names DCAP and UiSiO mean DCAPd and UiOiS
    (D31). ``npairs`` counts the pairs of check_2way in each synthesis (D30).
    """
    results = {
        target: oracle_disclosure(
            synthetic,
            original,
            keys=keys,
            target=target,
            **(common | (per_target or {}).get(target, {})),
        )
        for target in targets
    }

    def means(measure: str) -> dict[str, float]:
        return {
            target: _mean([m[measure] for m in result.measures])
            for target, result in results.items()
        }

    attrib_syn = means(MEASURE_OF.get(attrib_meas, attrib_meas))
    return MultiResult(
        keys=results[targets[0]].keys,
        attrib_orig=means(ORIGINAL_OF[attrib_meas]),
        attrib_syn=attrib_syn,
        ident_orig=means("UiO"),
        ident_syn=means(MEASURE_OF.get(ident_meas, ident_meas)),
        npairs={
            target: [len(rows) for rows in result.check_2way] for target, result in results.items()
        },
        order=sorted(targets, key=lambda target: _rank(attrib_syn[target])),
        results=results,
    )


def _mean(values: list[float]) -> float:
    """Arithmetic mean, exact for finite values and rounded once."""
    if not all(map(math.isfinite, values)):
        return sum(values) / len(values)
    return float(sum(map(Fraction, values)) / len(values))


def _rank(value: float) -> tuple[bool, float]:
    """Ascending, NaN last. Means that agree to nine decimals tie: the rest is rounding, and tells
    nothing of the targets.
    """
    return (True, 0.0) if math.isnan(value) else (False, round(value, 9))
