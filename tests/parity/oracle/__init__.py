"""An independent judge of the disclosure measures.

Written from the definitions (Raab, Nowok and Dibben, *Practical privacy metrics for synthetic
data*, appendices 1 and 2) with dictionaries and exact fractions, and with nothing imported but the
standard library. It is slow on purpose: every number here should be checkable by reading.

It gives the *correct* answer, not R's: levels are matched by what they are, never by position or by
glued text.

``convention`` says which reading of the exclusions is meant.

``"r"``
    R's documented one. "Disclosive" is decided on all records; each of the eight tables is then
    filtered, not recomputed. Identity and CAP measures are recomputed from the filtered d and s.
    ``baseCAPd`` ignores exclusions. Asking for two groups gives equal widths (D22).
``"corrected"``
    As above, except: identity measures (D17) see only the exclusion of missing keys, since who is
    unique does not depend on the target; ``TCAP_192`` (D16) divides the kept DiSCO records by the
    kept iS records, so it cannot exceed 100, and ``TCAP`` (D45) divides them by the kept DiS
    records; two groups are split at the median (D22).

In both, a missing target is excluded wherever it occurs (D8), and per-key arguments belong to the
key they were given for (D2, D3).
"""

from .disclosure import OracleResult, oracle_disclosure
from .grouping import group_breaks, group_labels
from .levels import number_text
from .multi import MultiResult, oracle_multi
from .uniques import UniquesResult, oracle_replicated_uniques

__all__ = [
    "MultiResult",
    "OracleResult",
    "UniquesResult",
    "group_breaks",
    "group_labels",
    "number_text",
    "oracle_disclosure",
    "oracle_multi",
    "oracle_replicated_uniques",
]
