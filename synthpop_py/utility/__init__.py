"""How useful a release is: distances between tables, and the propensity score.

Reading order: `release` (the arguments of both functions) · `variables` (columns of several data
sets coded alike) · `tables`, `table_distances`, `table_parts` (table_utility; the last if there are
too many rows) · `propensity`, `design`, `logistic` (propensity_utility: pMSE, design matrix, fit).
"""

from .propensity import PropensityUtility, propensity_utility
from .tables import TableUtility, table_utility

__all__ = [
    "PropensityUtility",
    "TableUtility",
    "propensity_utility",
    "table_utility",
]
