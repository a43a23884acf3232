"""What is worth saying about a result that no table shows: what was grouped, and how."""

from __future__ import annotations

from collections.abc import Hashable

from ..core.grouping import Grouping
from .options import Request
from .result import Disclosure


def notes(result: Disclosure, request: Request) -> list[str]:
    """One line for each thing to know."""
    lines = []
    groupings = result.groupings
    for name, grouping in groupings.items():
        lines.append(_grouped(name, grouping, request))
    classes = dict(zip(request.asked_keys, request.groups_keys))
    for name, wanted in {request.target: request.groups_target, **classes}.items():
        if wanted and name not in groupings:
            lines.append(f"{name!r} is not numeric: not grouped")
    return lines


def _grouped(name: Hashable, grouping: Grouping, request: Request) -> str:
    what = "target" if name == request.target else "key"
    fallback = ""
    if grouping.changed:
        style = request.style.get("style", "quantile")
        fallback = f" (equal widths, because {style} gave too few)"
    return (
        f"{what} {name!r}: numbers grouped into {len(grouping.labels)} classes{fallback}:"
        f" {' '.join(grouping.labels)}"
    )
