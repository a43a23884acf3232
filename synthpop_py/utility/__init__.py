"""How useful a release is: distances between tables, and the propensity score.

Reading order: `variables` (columns of two data sets coded alike) · `tables` (table_utility) ·
`design`, `logistic`, `propensity` (propensity_utility: design matrix, fit, pMSE).
"""

from .propensity import PropensityUtility, propensity_utility
from .tables import TableUtility, table_utility

__all__ = [
    "PropensityUtility",
    "TableUtility",
    "propensity_utility",
    "table_utility",
]
