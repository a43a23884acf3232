"""The matrix of engines: how many recorded calls each answered as R did. A full run without a
failure writes it to docs/engines.json, which the page docs/pages/reference/engines.md shows.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from tests.judged import judged

RECORD = Path(__file__).resolve().parents[2] / "docs" / "engines.json"
PANDAS = "pandas"
# as the page shows them; the tests of the last two run chosen cases
ENGINES = (
    "polars",
    "pyarrow",
    "DuckDB",
    "DuckDB, enums",
    "SQLite through Ibis",
    "Spark",
    "PostgreSQL through Ibis",
)
CALLS = ("disclosure", "multi_disclosure", "replicated_uniques")

# by (engine, call, what came of it)
TALLY: Counter[tuple[str, str, str]] = Counter()
VERSIONS: dict[str, str] = {}


def equal(engine: str, call: str, times: int = 1) -> None:
    """Calls that R answered, and that were answered alike."""
    TALLY[engine, call, "equal"] += times
    judged("engines", call, {"equal": [0] * times}, engine)


def unanswered(engine: str, call: str, refused: bool) -> None:
    """A call that R does not answer, or should not; the engine's outcome was that of pandas."""
    came = "refused, as with pandas" if refused else "answered, as with pandas"
    TALLY[engine, call, came] += 1
    judged("engines", call, {came: 0}, engine)


def to_send() -> dict[str, Any]:
    """What a worker of pytest-xdist hands to its controller."""
    return {"tally": [[*key, number] for key, number in TALLY.items()], "versions": VERSIONS}


def receive(sent: dict[str, Any]) -> None:
    for *key, number in sent.get("tally", []):
        engine, call, came = key
        TALLY[engine, call, came] += number
    VERSIONS.update(sent.get("versions", {}))


def is_full() -> bool:
    """Whether every engine ran every kind of call."""
    ran = {(engine, call) for engine, call, _ in TALLY}
    wanted = {(engine, call) for engine in ENGINES for call in CALLS}
    return ran == wanted and set(VERSIONS) == set(ENGINES)


def rows() -> list[dict[str, Any]]:
    found = []
    for engine in ENGINES:
        row: dict[str, Any] = {"engine": engine, "version": VERSIONS[engine]}
        for call in CALLS:
            of_call = {came: n for (e, c, came), n in TALLY.items() if (e, c) == (engine, call)}
            row[call] = {"calls": sum(of_call.values()), **dict(sorted(of_call.items()))}
        found.append(row)
    return found


def write(record: Path = RECORD) -> None:
    record.write_text(json.dumps(rows(), indent=1) + "\n", encoding="utf-8")
