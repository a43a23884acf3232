"""Facts about a result that no table shows: what was grouped, and how; which levels are in an order
that nobody declared.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from ..grouping import Grouping
from .options import Request
from .result import Disclosure

# what R does here depends on the order of levels, or on levels without records
DEFECTS_OF_ORDER = ("D1", "D14")


def notes(result: Disclosure, request: Request) -> list[str]:
    """One line per note."""
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


def notes_on_order(result: Disclosure, texts: Sequence[Hashable]) -> tuple[str, ...]:
    """Notes for figures that depend on the order of levels, where columns are texts of an engine,
    which have no order.
    """
    defects = [finding.id for finding in result.defects if finding.id in DEFECTS_OF_ORDER]
    reasons = [f"R's {defect}" for defect in defects]
    ordered = {result.target} if defects else set()
    # several keys are one text in R, so only a single key has an order of levels
    if defects and len(result.keys) == 1:
        ordered |= set(result.keys)
    if _may_be_tied(result):
        reasons.append("which of tied levels is flagged")
        ordered.add(result.target)
    concerned = [name for name in texts if name in ordered]
    if not concerned:
        return ()
    columns = ", ".join(repr(name) for name in concerned)
    return (
        f"{columns}: texts from an engine; their levels are in R's order of texts;"
        f" {' and '.join(reasons)} may depend on it. Declare another order with levels=",
    )


def _may_be_tied(result: Disclosure) -> bool:
    """Whether a flagged level may be tied with others: no level then has more than half of the
    records.
    """
    checks = [figures.level for figures in result._sets]
    return any(
        check is not None and 2 * check.nLevelDis <= check.totalDisclosive for check in checks
    )
