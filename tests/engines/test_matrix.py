"""The matrix of engines is written of a full run only, and says what was counted."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from tests.engines import matrix


@pytest.fixture
def empty(monkeypatch):
    monkeypatch.setattr(matrix, "TALLY", Counter())
    monkeypatch.setattr(matrix, "VERSIONS", {})


def count_everything() -> None:
    for engine in matrix.ENGINES:
        matrix.VERSIONS[engine] = "1.0"
        for call in matrix.CALLS:
            matrix.equal(engine, call)
            matrix.unanswered(engine, call, refused=True)


@pytest.mark.usefixtures("empty")
def test_every_engine_must_have_run_every_call():
    assert not matrix.is_full()
    count_everything()
    assert matrix.is_full()
    del matrix.TALLY["Spark", "disclosure", "equal"]
    assert matrix.is_full()
    del matrix.TALLY["Spark", "disclosure", "refused, as with pandas"]
    assert not matrix.is_full()


@pytest.mark.usefixtures("empty")
def test_what_two_workers_counted_is_added_up(tmp_path):
    count_everything()
    sent = json.loads(json.dumps(matrix.to_send()))
    matrix.receive(sent)
    matrix.write(tmp_path / "engines.json")
    first, *_ = json.loads((tmp_path / "engines.json").read_text(encoding="utf-8"))
    assert first["engine"] == "polars" and first["version"] == "1.0"
    assert first["disclosure"] == {"calls": 4, "equal": 2, "refused, as with pandas": 2}
