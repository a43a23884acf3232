"""What came of every mutant: kept as JSON with one line per mutant, and counted."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from .sampling import Site

Row = dict[str, Any]
LONGEST = 160  # characters of a changed text that the record keeps
NEW_TEST = "killed by new test"
COLUMNS = ("mutants", "killed", "time-out", "survived", "not covered", "equivalent")


def new_row(site: Site) -> Row:
    """A mutant that was not tried yet."""
    return {
        "room": site.room,
        "file": site.file,
        "line": site.mutant.line,
        "kind": site.mutant.kind,
        "code": _short(site.mutant.code),
        "before": _short(site.mutant.before),
        "after": _short(site.mutant.after),
        "outcome": "",
    }


def _short(text: str) -> str:
    one_line = " ".join(text.split())
    return one_line if len(one_line) <= LONGEST else one_line[: LONGEST - 1] + "…"


def write(path: Path, record: dict[str, Any]) -> None:
    """Head as it is, then a line per mutant, so that a change of one is a change of one line."""
    head = json.dumps({k: v for k, v in record.items() if k != "mutants"}, indent=1)
    rows = ",\n".join("  " + json.dumps(row, ensure_ascii=False) for row in record["mutants"])
    text = f'{head[:-2]},\n "mutants": [\n{rows}\n ]\n}}\n'
    unfinished = path.with_suffix(".unfinished")
    unfinished.write_text(text, encoding="utf-8")
    unfinished.replace(path)


def read(path: Path) -> dict[str, Any] | None:
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None


# ---- counting ------------------------------------------------------------------------


def final(row: Row) -> str:
    """The outcome, as the verdict of somebody who looked at a survivor changes it."""
    verdict = row.get("verdict", "")
    if verdict.startswith("equivalent"):
        return "equivalent"
    return "killed" if verdict.startswith(NEW_TEST) else row["outcome"]


def count(rows: Sequence[Row]) -> dict[str, int]:
    outcomes = [final(row) for row in rows]
    return {"mutants": len(rows)} | {name: outcomes.count(name) for name in COLUMNS[1:]}


def wilson_lower(hits: int, n: int, z: float = 1.959964) -> float:
    """The lower end of Wilson's 95 % interval for a share.

    >>> round(wilson_lower(270, 300), 3)
    0.861
    """
    if not n:
        return 0.0
    share = hits / n
    centre = share + z * z / (2 * n)
    spread = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return (centre - spread) / (1 + z * z / n)


def summary(rows: Sequence[Row]) -> dict[str, Any]:
    """Counts over all, by room and by kind, of what was tried; and the share killed of those that
    are not equivalent.
    """
    tried = [row for row in rows if row["outcome"]]
    counts = count(tried)
    killed = counts["killed"] + counts["time-out"]
    real = counts["mutants"] - counts["equivalent"]
    return {
        "all": counts,
        "share_killed": round(killed / real, 4) if real else 0.0,
        "wilson_lower_95": round(wilson_lower(killed, real), 4),
        "seconds_per_mutant": round(_mean([row.get("seconds", 0.0) for row in tried]), 2),
        "by_room": _counted_by(tried, lambda row: row["room"]),
        "by_kind": _counted_by(tried, lambda row: row["kind"]),
    }


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _counted_by(rows: Sequence[Row], key: Callable[[Row], str]) -> dict[str, dict[str, int]]:
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return {name: count(groups[name]) for name in sorted(groups)}


# ---- what is printed -----------------------------------------------------------------


def report(record: dict[str, Any]) -> str:
    """The tables and the survivors as Markdown."""
    figures = summary(record["mutants"])
    lines = [
        f"{figures['all']['mutants']} of {record['size']} mutants tried (seed {record['seed']},"
        f" commit {record['commit']}, {record['sites']} places)",
        f"killed: {100 * figures['share_killed']:.1f} % of those that are not equivalent,"
        f" Wilson 95 % lower bound {100 * figures['wilson_lower_95']:.1f} %",
    ]
    for heading, name in (("room", "by_room"), ("kind", "by_kind")):
        lines += ["", *_table(heading, figures[name] | {"all": figures["all"]})]
    lines += ["", *_survivors(record["mutants"])]
    return "\n".join(lines)


def _table(heading: str, counts: dict[str, dict[str, int]]) -> list[str]:
    lines = ["| " + " | ".join([heading, *COLUMNS]) + " |", "|---" + "|---:" * len(COLUMNS) + "|"]
    for name, row in counts.items():
        lines.append("| " + " | ".join([name, *(str(row[c]) for c in COLUMNS)]) + " |")
    return lines


def _survivors(rows: Sequence[Row]) -> list[str]:
    lines = []
    for row in rows:
        if final(row) in ("survived", "not covered"):
            place = f"{row['file']}:{row['line']}"
            change = f"{row['kind']}: {row['before']} → {row['after']}"
            lines.append(f"{final(row)}: {place} {change}  in  {row.get('code', '')}")
    return lines
