"""The recorded files say what R said: digests, completeness, and proof that one changed digit is
noticed and named.
"""

from __future__ import annotations

import json
import random
import re
import shutil

import pytest

from r_reference.case_maker.files import SLOW, read_all
from r_reference.records import EXPECTED, damaged_fields, load_records, read_file, versions

FILES = sorted(EXPECTED.glob("*/*.json"))


def test_nothing_was_edited():
    damaged = [f"{file}: case {case}, field {field}" for file, case, field in damaged_fields()]
    assert not damaged, "recorded files were changed by hand:\n" + "\n".join(damaged)


@pytest.mark.parametrize("version", versions())
def test_every_case_is_recorded_once_for_each_collation(version):
    wanted = [
        f"{c['id']} [{collation}]"
        for group in read_all().values()
        for c in group
        for collation in c.get("collation", ["icu"])
    ]
    assert sorted(load_records(version)) == sorted(wanted)


@pytest.mark.parametrize("version", versions()[1:])
def test_an_earlier_version_accounts_for_every_case(version):
    for path in sorted((EXPECTED / version).glob("*.json")):
        content, reference = read_file(path), read_file(EXPECTED / versions()[0] / path.name)
        accounted = content["same"] + [f"{r['id']} [{r['collation']}]" for r in content["records"]]
        assert sorted(accounted) == sorted(
            f"{r['id']} [{r['collation']}]" for r in reference["records"]
        )


@pytest.mark.parametrize("version", versions())
def test_stamps_name_the_version(version):
    stamps = [read_file(path)["stamp"] for path in sorted((EXPECTED / version).glob("*.json"))]
    assert {stamp["packages"]["synthpop"] for stamp in stamps} == {version}
    assert all(stamp["R"] and stamp["ICU"] and stamp["ctype"] == "C.UTF-8" for stamp in stamps)


@pytest.mark.parametrize("path", FILES, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_one_changed_digit_is_noticed(path, tmp_path):
    """Twenty random digits of each file changed one at a time: each time the changed case and field
    are named, and no other case.
    """
    text = path.read_text(encoding="utf-8")
    places = [m.start() for m in re.finditer(r"\d", text)]
    target = tmp_path / path.parent.name
    target.mkdir()
    for place in random.Random(f"{path.parent.name}/{path.name}").sample(places, 20):
        other = str((int(text[place]) + 1) % 10)
        changed = text[:place] + other + text[place + 1 :]
        (target / path.name).write_text(changed, encoding="utf-8")
        found = list(damaged_fields(tmp_path))
        assert found, (
            f"a digit changed at {place} of {path.name} went unnoticed:"
            f" {text[place - 40 : place + 20]!r}"
        )
        assert len({case for _, case, _ in found}) == 1
        line = text[text.rfind("\n", 0, place) + 1 : text.find("\n", place)].strip().rstrip(",")
        if line.startswith('{"id"'):
            record = json.loads(line)
            where = place - text.rfind("\n", 0, place) - 1
            if where > text[text.rfind("\n", 0, place) + 1 :].index('"result"'):
                assert found[0][1] == f"{record['id']} [{record['collation']}]"
                assert any(field in record["digest"] for _, _, field in found)
    shutil.rmtree(target)


def test_enough_cases():
    by_file = {name: len(group) for name, group in read_all().items() if name != SLOW}
    assert sum(by_file.values()) >= 500
    assert by_file["random"] >= 250
