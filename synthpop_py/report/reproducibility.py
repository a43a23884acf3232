"""How to make the report again: versions, call, fingerprints, date."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Mapping
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from .. import __version__
from ..core.fingerprint import Fingerprints
from ..errors import InputError
from ..show import Block, Cell, Column, Section, Table, fill
from ..show.plain import SECRET, column_name
from .evidence import Evidence

HEADING = "Appendix C: reproducibility"
PACKAGES = ("numpy", "pandas", "scipy", "matplotlib", "Jinja2")
# arguments that name levels; a level that few people have must not be shown
LEVELS = ("not_targetlev", "not_targetslev", "exclude_keylevs", "exclude_targetlevs")
QUIET = ("digits", "to_print", "plot", "print_flag", "compat", "ident_meas", "attrib_meas")
NOT_SHOWN = "..."


def section(
    evidence: Evidence,
    *,
    call: Mapping[str, Any],
    day: date,
    original_fingerprint: bool,
) -> Section:
    blocks = _blocks(evidence, call, day, original_fingerprint)
    return Section(tuple(blocks), heading=HEADING)


def _blocks(
    evidence: Evidence, call: Mapping[str, Any], day: date, original: bool
) -> Iterator[Block]:
    yield fill.note(f"Date: {day.isoformat()}.", indent=1)
    yield fill.note(f"Versions: {_versions()}.", indent=1)
    yield fill.note(f"Call: {_call(call)}", indent=1)
    if any(name in LEVELS for name in call):
        yield fill.note(
            "Levels in the call are not shown: few people may have some of them.", indent=1
        )
    yield fill.note("Neither paths nor seeds are part of a report.", indent=1)
    yield from _fingerprints(evidence, original)


def _versions() -> str:
    parts = [f"synthpop_py {__version__}", f"Python {platform.python_version()}"]
    for package in PACKAGES:
        try:
            parts.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            continue
    return ", ".join(parts)


def _call(call: Mapping[str, Any]) -> str:
    """As it would be typed, without data, paths, seeds and levels."""
    parts = ["synthetic", "original"]
    for name, value in call.items():
        if any(secret in name.lower() for secret in SECRET):
            continue
        shown = NOT_SHOWN if name in LEVELS else _shown(value)
        parts.append(f"{name}={shown}")
    return f"report({', '.join(parts)})"


def _shown(value: Any) -> str:
    """Names and plain values; data of any other kind are not written out."""
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_shown, value))}]"
    if isinstance(value, dict):
        inside = [f"{column_name(key)!r}: {_shown(part)}" for key, part in value.items()]
        return f"{{{', '.join(inside)}}}"
    if value is None or isinstance(value, (bool, int, float, str)):
        return repr(value)
    return NOT_SHOWN


# ---- fingerprints --------------------------------------------------------------------


def _fingerprints(evidence: Evidence, original: bool) -> Iterator[Block]:
    made_from = evidence.summary or evidence.first
    fingerprints = made_from._fingerprints(original=original)
    if original and (fingerprints is None or fingerprints.original is None):
        raise InputError("original_fingerprint: these results keep nothing to make it from")
    if fingerprints is None:
        yield fill.note("No fingerprint: a column has too many values to make one.", indent=1)
        return
    yield fill.note(
        "Fingerprints are SHA-256 digests over the sorted distinct rows with their counts, of the"
        f" columns {', '.join(fingerprints.columns)}; anyone who makes the same call with the"
        ' same data finds them in to_dict()["fingerprint"]. That of the original is there only on'
        " request: it would confirm a guess at a small table.",
        indent=1,
    )
    yield _table(fingerprints, original)


def _table(fingerprints: Fingerprints, original: bool) -> Table:
    names = [f"synthesis {number + 1}" for number in range(len(fingerprints.synthetic))]
    digests = list(fingerprints.synthetic)
    if original and fingerprints.original is not None:
        names.append("original")
        digests.append(fingerprints.original)
    return Table(
        caption=("Fingerprints of the data",),
        columns=(
            Column("table", tuple(map(Cell, names))),
            Column("SHA-256", tuple(map(Cell, digests)), prose=True),
        ),
    )
