"""IFPR, inverse-frequency post-randomisation: rare combinations of keys are exchanged at random, so
a record with a person's keys need not be theirs.

Reading order: `api` (the call) · `options` (theta, xi and a block, checked) · `goal` (which sizes
are perturbed, how strongly) · `key_cells` (who shares their keys) · `blocks` (who may be
exchanged with whom) · `flows` (who goes where, so that counts are kept) · `safe_blocks`, `merging`
(blocks that are too small) · `naming` · `randomise` (the draw) · `release` (what comes out).

Its risk: `risk` (the formulas) · `found` (how many records are found) · `questions` (arrays of
them) · `limit` (large blocks) · `one_block` (a given one) · `chances`, `totals` (sums of binomials)
· `profile` (all blocks at once) · `theta` (the smallest that meets a goal).

About a release: `matrix` (who is released where, as a matrix) · `release_frames` · `check` (is the
goal met?) · `audit` (repeated draws) · `marginals`, `subtables` (utility) · `show`.
"""

from .api import ifpr
from .audit import IFPRAudit
from .check import IFPRCheck
from .found import ifpr_found
from .matrix import ifpr_matrix
from .release import IFPRRelease
from .risk import ifpr_risk, ifpr_variance, ifpr_xi
from .theta import ifpr_theta

__all__ = [
    "IFPRAudit",
    "IFPRCheck",
    "IFPRRelease",
    "ifpr",
    "ifpr_found",
    "ifpr_matrix",
    "ifpr_risk",
    "ifpr_theta",
    "ifpr_variance",
    "ifpr_xi",
]
