"""Errata of the five papers, computed: each entry says what is printed, what that gives, what the
paper's own table or data show and what we compute; and its kind: contradiction, rounding or
extension.

Reading order: `erratum` (what an entry is) · `counts` (the tables that the formulas count) ·
`raab_formulas`, `raab_words` (Raab, Nowok and Dibben) · `reiter_mitra` · `drechsler_reiter` ·
`ifpr` (Zhang, Nayak and You) · `duncan_keller_mcnulty`. The page `explanation/errata.md` shows all
of them; `tests/published/test_errata.py` pins every figure.
"""

from __future__ import annotations

from functools import cache

from . import (
    drechsler_reiter,
    duncan_keller_mcnulty,
    ifpr,
    raab_formulas,
    raab_words,
    reiter_mitra,
)
from .erratum import Erratum, as_frame

__all__ = ["Erratum", "all_errata", "as_frame", "errata"]

SOURCES = {
    "raab, formulas": raab_formulas.errata,
    "raab, words": raab_words.errata,
    "reiter-mitra": reiter_mitra.errata,
    "drechsler-reiter": drechsler_reiter.errata,
    "ifpr": ifpr.errata,
    "duncan-keller-mcnulty": duncan_keller_mcnulty.errata,
}


@cache
def errata(source: str) -> tuple[Erratum, ...]:
    """The errata of one source, in the order of the paper."""
    return tuple(SOURCES[source]())


def all_errata() -> list[Erratum]:
    return [erratum for source in SOURCES for erratum in errata(source)]
