"""How useful a release is: distances between tables, and the propensity score.

`variables` (what is compared, coded alike) · `tables` (table_utility) · `propensity`
(propensity_utility: pMSE, design matrix, fit).
"""

from .propensity import PropensityUtility, propensity_utility
from .tables import TableUtility, table_utility

__all__ = [
    "PropensityUtility",
    "TableUtility",
    "propensity_utility",
    "table_utility",
]
