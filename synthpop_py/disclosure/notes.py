"""What is worth saying about a result that no table shows: what was grouped and how, and exclusions
that leave out nothing.
"""

from __future__ import annotations

from .options import Request
from .result import Disclosure


def notes(result: Disclosure, request: Request) -> list[str]:
    """One line for each thing to know."""
    lines = []
    groupings = result.groupings
    for name, made in groupings.items():
        what = "target" if name == request.target else "key"
        fallback = (
            f" (equal widths, because {request.style.get('style', 'quantile')} gave too few)"
            if made.changed
            else ""
        )
        lines.append(
            f"{what} {name!r}: numbers grouped into {len(made.labels)} classes{fallback}:"
            f" {' '.join(made.labels)}"
        )
    for name, wanted in {
        request.target: request.groups_target,
        **dict(zip(request.asked_keys, request.groups_keys)),
    }.items():
        if wanted and name not in groupings:
            lines.append(f"{name!r} is not numeric: not grouped")
    return lines + [
        f"not_targetlev: {level!r} is not a level of {result.target!r}, so it leaves nothing out"
        for level in result._levels_not_found()
    ]
