"""The risk-utility map: any releases, one risk, one utility, and what is dominated.

Reading order: `api` (the call) · `request` (its arguments, checked) · `candidates`,
`alignment` (the releases, and whether their rows are those of the original) · `measures`
(what a measure is) · `evaluators` (from names to measures) · `disclosure_measures` with
`key_classes` and `repeats`, `match_measure`, `carried_risk` (risks) · `utility_measures`
(utilities) · `figures`, `intervals` (a measure with its uncertainty) · `anchors` (the ends of
the map) · `remarks` (further notes) · `result`, `pareto` (the map, and what is
dominated) · `show`.
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
