"""The packages that read R's files, imported when they are needed, and how to get them."""

from __future__ import annotations

import importlib
from importlib.util import find_spec
from typing import Any

from synthpop_py.errors import SynthpopError

GET_RDATA = "`pip install 'synthpop-disclosure[rdata]'`"
GET_PYREADR = "`pip install 'synthpop-disclosure[pyreadr]'`"
GET_R = (
    "install R with its package jsonlite (and, to save the start of R at every call, `pip install"
    " 'synthpop-disclosure[r]'`; for R before 4.5 also `pip install 'rpy2<3.6'`)"
)


def is_installed(package: str) -> bool:
    """Whether the package could be imported."""
    return find_spec(package) is not None


def imported(package: str, argument: str) -> Any:
    """The package; `argument` is the one that asked for it."""
    if not is_installed(package):
        how = GET_RDATA if package == "rdata" else GET_PYREADR
        raise SynthpopError(f"{argument}: the package {package} is not installed: {how}")
    try:
        return importlib.import_module(package)
    except ImportError as error:
        raise SynthpopError(
            f"{argument}: the package {package} cannot be imported: {error}"
        ) from None
