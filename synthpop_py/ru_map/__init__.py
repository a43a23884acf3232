"""The risk-utility map: any releases, one risk, one utility, and what is dominated.

Reading order: `api` (the call) · `request` (its arguments, checked) · `candidates` (the releases) ·
`measures` (what a measure is) · `disclosure_measures`, `match_measure`, `carried_risk` (risks) ·
`utility_measures` (utilities) · `key_classes`, `alignment` (what they need) · `repeats`,
`intervals` (how sure a figure is) · `pareto` · `result`.
"""

from .api import ru_map
from .candidates import Runs
from .measures import Measure
from .result import RUMap

__all__ = [
    "Measure",
    "RUMap",
    "Runs",
    "ru_map",
]
