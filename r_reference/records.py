"""Reading and writing ``fixtures/expected``: records, their digests, and the versions they were
made with.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
EXPECTED = ROOT / "fixtures" / "expected"
SYN_ANSWERS = ROOT / "fixtures" / "syn" / "answers"

Record = dict[str, Any]


def versions() -> list[str]:
    """The reference version first, then the earlier ones that stay selectable."""
    named = json.loads((ROOT / "r_reference" / "versions.json").read_text())
    return [named["reference"], *named["earlier"]]


def reference_version() -> str:
    return versions()[0]


def _exact(text: str) -> Any:
    """JSON with every number kept as it was written, so that a digest sees each digit."""
    return json.loads(text, parse_float=lambda s: f"#{s}", parse_int=lambda s: f"#{s}")


def digest(exact_value: Any) -> str:
    return hashlib.sha256(json.dumps(exact_value).encode()).hexdigest()[:12]


def record_digests(line: str) -> dict[str, str]:
    """Twelve hexadecimal digits for each field of a record, and for its name."""
    record = _exact(line)
    name = {"id": record["id"], "collation": record["collation"]}
    return {
        "name": digest(name),
        **{field: digest(value) for field, value in record["result"].items()},
    }


def _with_digest(line: str) -> str:
    return f'{line[:-1]}, "digest": {json.dumps(record_digests(line))}}}'


def _render(stamp: str, lines: list[str], same: list[str] | None = None) -> str:
    head = [f'{{"stamp": {stamp},', f' "stamp_digest": "{digest(_exact(stamp))}",']
    if same is not None:
        head += [f' "same": {json.dumps(same)},', f' "same_digest": "{digest(same)}",']
    body = ",\n".join("  " + _with_digest(line) for line in lines)
    return "\n".join([*head, ' "records": [', body, " ]}", ""])


def render_full(output: list[str]) -> str:
    """The file of the reference version: every record."""
    return _render(output[0], output[1:])


def render_difference(output: list[str], reference: list[str]) -> str:
    """The file of an earlier version: the records that differ from the reference, and the names of
    those that do not.
    """
    pairs = list(zip(output[1:], reference[1:], strict=True))
    same = [_name(json.loads(new)) for new, old in pairs if new == old]
    return _render(output[0], [new for new, old in pairs if new != old], same)


def _name(record: Record) -> str:
    return f"{record['id']} [{record['collation']}]"


def read_file(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8"))


def load_records(version: str | None = None, folder: Path = EXPECTED) -> dict[str, Record]:
    """All records of a version of synthpop by name (``id [collation]``), in the order in which they
    were recorded.
    """
    reference = reference_version()
    version = version or reference
    records = {
        _name(r): r
        for path in sorted((folder / reference).glob("*.json"))
        for r in read_file(path)["records"]
    }
    if version == reference:
        return records
    for path in sorted((folder / version).glob("*.json")):
        content = read_file(path)
        records.update({_name(r): r for r in content["records"]})
    return records


def damaged_fields(folder: Path = EXPECTED) -> Iterator[tuple[str, str, str]]:
    """Every place where a file no longer says what was recorded: (file, case, field)."""
    for path in sorted(folder.glob("*/*.json")):
        file = f"{path.parent.name}/{path.name}"
        try:
            content = _exact(path.read_text(encoding="utf-8"))
        except ValueError as error:
            yield file, "whole file", f"is not JSON any more ({error})"
            continue
        for field in ("stamp", "same"):
            if field in content and content.get(f"{field}_digest") != digest(content[field]):
                yield file, "whole file", field
        for record in content["records"]:
            yield from ((file, _name(record), field) for field in _damaged_in(record))


def _damaged_in(record: Record) -> list[str]:
    now = {
        "name": digest({"id": record["id"], "collation": record["collation"]}),
        **{f: digest(v) for f, v in record["result"].items()},
    }
    then = record["digest"]
    return [field for field in {**now, **then} if now.get(field) != then.get(field)]
