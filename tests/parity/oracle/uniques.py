"""Records that are alone with their key combination, in the original and in a synthesis."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from .levels import as_list, read_variable


@dataclass
class UniquesResult:
    """Counts and synthetic row positions (from 0) for one synthesis.

    ``synU_rm``: rows unique in the synthesis whose keys occur in the original (there perhaps more
    than once). ``repU_rm``: those whose keys are unique in the original too.
    """

    original: int
    synthetic: int
    synthetic_in_original: int
    replicated: int
    synU_rm: list[int]
    repU_rm: list[int]


def oracle_replicated_uniques(synthetic: list[dict], original: dict, keys) -> list[UniquesResult]:
    """Uniques and replicated uniques of each synthesis."""
    variables = [read_variable(name, original, synthetic) for name in as_list(keys)]
    d = list(zip(*(v.original for v in variables)))
    return [
        _compare(d, list(zip(*(v.synthetic[j] for v in variables)))) for j in range(len(synthetic))
    ]


def _compare(d: list[tuple], s: list[tuple]) -> UniquesResult:
    d_q, s_q = Counter(d), Counter(s)
    in_original = [i for i, q in enumerate(s) if s_q[q] == 1 and d_q[q] > 0]
    replicated = [i for i in in_original if d_q[s[i]] == 1]
    return UniquesResult(
        original=sum(n == 1 for n in d_q.values()),
        synthetic=sum(n == 1 for n in s_q.values()),
        synthetic_in_original=len(in_original),
        replicated=len(replicated),
        synU_rm=in_original,
        repU_rm=replicated,
    )
