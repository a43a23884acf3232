"""The record of what the judging tests compare: what is counted, and that a smaller count fails."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

from tests import judged

RECORD = judged.recorded()


def test_every_family_is_recorded():
    assert list(RECORD) == list(judged.FAMILIES)
    assert all(
        number > 0 for of in RECORD.values() for row in of.values() for number in row.values()
    )


def test_files_that_judge_are_there():
    files = {file for files, _ in judged.FAMILIES.values() for file in files}
    assert [file for file in sorted(files) if not (judged.ROOT / file).exists()] == []


def test_no_published_figure_is_lost():
    family = ["published figures"]
    assert judged.fewer(RECORD, judged.counted(), family) == []


def test_the_page_on_engines_shows_no_fewer_calls():
    rows = json.loads((judged.ROOT / "docs" / "engines.json").read_text(encoding="utf-8"))
    calls = ("disclosure", "multi_disclosure", "replicated_uniques")
    shown = {f"{call}, {row['engine']}": row[call] for row in rows for call in calls}
    assert judged.fewer(RECORD, {"engines": shown}, ["engines"]) == []


def test_a_smaller_count_is_named_and_a_larger_one_is_none():
    before = {"f": {"disclosure, 1.9-3, icu": {"ident": 5, "attrib": 3}}}
    now = {"f": {"disclosure, 1.9-3, icu": {"ident": 4, "attrib": 9}}}
    (told,) = judged.fewer(before, now, ["f"])
    assert told == "f; disclosure, 1.9-3, icu; ident: 5 compared before, 4 now"
    assert judged.fewer(before, {}, []) == []
    assert len(judged.fewer(before, {}, ["f"])) == 2


def test_values_are_counted_one_by_one():
    table = {"index": ["1"], "columns": ["UiO", "repU"], "values": [[1.5], [None]]}
    assert judged.values_in(table) == 5
    assert judged.values_in([]) == judged.values_in(None) == 1


def config(*args: str, **options: object) -> SimpleNamespace:
    given = {"keyword": "", "markexpr": "", "ignore": None, "deselect": None, **options}
    return SimpleNamespace(args=list(args), option=SimpleNamespace(**given))


@pytest.mark.parametrize(
    "given, whole",
    [
        (config("tests/parity/test_ledger.py"), ["ledger"]),
        (config("tests/parity/test_ledger.py", keyword="d1"), []),
        (config("tests/parity/test_ledger.py", collectonly=True), []),
        (config("tests/parity/test_ledger.py::test_d25"), []),
        (config("tests/unit"), ["oracle, certainty", "oracle, holdout"]),
        (config("tests/unit/test_names.py"), []),
        (config("tests/published"), ["published", "published figures"]),
        (config("tests/published", ignore=["tests/published/test_adult.py"]), []),
    ],
)
def test_families_are_held_against_the_record_where_they_ran_as_a_whole(given, whole, monkeypatch):
    monkeypatch.chdir(judged.ROOT)
    assert judged.ran_whole(given) == whole
