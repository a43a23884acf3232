"""Which of R's defects moved which figure."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from ..r.reading import VERSIONS
from .cells import VECTORS
from .exclusions import COLUMNS
from .result import DefectFinding, Disclosure
from .result_frames import LEVEL_FIELDS, PAIR_FIELDS, set_figures

Change = tuple[int, str, "float | str | None", "float | str | None"]


def _number(value: Any) -> float | None:
    return (
        None if value is None or (isinstance(value, float) and math.isnan(value)) else float(value)
    )


def _same(a: float | None, b: float | None) -> bool:
    if a is None or b is None:
        return a is b
    return a == b or math.isclose(a, b, rel_tol=1e-12, abs_tol=0)


def figures(result: Disclosure) -> dict[tuple[int, str], float | None]:
    """Every figure of a result by (synthesis, name)."""
    version = VERSIONS[result.compat]
    by_set = [(j, s, set_figures(s, version)) for j, s in enumerate(result._sets, start=1)]
    out = {
        (j, name): _number(tables[table][name])
        for table in by_set[0][2]
        for name in by_set[0][2][table]
        for j, _, tables in by_set
    }
    for j, s, _ in by_set:
        out |= {
            (j, f"Nexclusions[{row}, {column}]"): _number(n)
            for row, removed in zip(VECTORS, s.ledger.tolist())
            for column, n in zip(COLUMNS, removed)
        }
    for j, s, _ in by_set:
        levels = [] if s.level is None else [s.level]
        out[j, "check_1way rows"] = float(len(levels))
        out |= {
            (j, f"check_1way {level.Level}  {field}"): _number(getattr(level, field))
            for level in levels
            for field in LEVEL_FIELDS[1:]
        }
        out[j, "check_2way rows"] = float(len(s.pairs))
        out |= {
            (j, f"check_2way {pair.target_key_levs} {pair.key} {field}"): _number(v)
            for pair in s.pairs
            for field in PAIR_FIELDS
            if not isinstance(v := getattr(pair, field), str)
        }
    return out


def changes_between(r: Disclosure, right: Disclosure) -> tuple[Change, ...]:
    """Figures that differ: (synthesis, name, R's figure, the right one). Figures that only one side
    has count as None on the other.
    """
    a, b = figures(r), figures(right)
    names = list(dict.fromkeys([*a, *b]))
    if r.compat != "r" and right.compat == "corrected":
        # the earlier version has other tables: compare what both have, under the names of the
        # earlier one
        b |= {(j, "DCAP"): v for (j, name), v in b.items() if name == "DCAPd"}
        b |= {
            (j, "TCAP"): _number(right.shares[j - 1]["TCAP_iS"].percent)
            for j in range(1, right.m + 1)
        }
        names = list(a)
    if r.m != right.m:
        names += [(0, "m")]
        a, b = {**a, (0, "m"): float(r.m)}, {**b, (0, "m"): float(right.m)}
    moved = [
        (j, name, a.get((j, name)), b.get((j, name)))
        for j, name in names
        if not _same(a.get((j, name)), b.get((j, name)))
    ]
    for name in ("check1", "check2"):
        if getattr(r, name) != getattr(right, name) and not any("check" in c[1] for c in moved):
            moved.append((0, name, getattr(r, name), getattr(right, name)))
    return tuple(moved)


def findings(
    seen: Iterable[str], moved: tuple[Change, ...], without: Callable[[str], tuple[Change, ...]]
) -> tuple[DefectFinding, ...]:
    """Give each moved figure to the defects that move it: those without which R's figure would be
    another one.
    """
    ids = sorted(seen, key=lambda d: int(d[1:]))
    if len(ids) == 1:
        return (DefectFinding(ids[0], moved),)
    touched = {d: {c[:2] for c in without(d)} for d in ids}
    found = [DefectFinding(d, tuple(c for c in moved if c[:2] in touched[d])) for d in ids]
    orphans = tuple(c for c in moved if not any(c[:2] in t for t in touched.values()))
    if orphans:  # only together do they move these
        found = [DefectFinding(f.id, f.changes + orphans) for f in found]
    return tuple(f for f in found if f.changes)
