"""How much the judging tests compare, and the record of it (``tests/judges.json``).

A judge counts every value that it compares: by family, call, version of synthpop, collation and
figure. When pytest ends, each family that ran as a whole is held against the record, and a smaller
count fails the run: a case that is dropped, or a figure that is no longer compared, is seen.
``python scripts/count_judges.py`` writes the record.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.needs import is_met

ROOT = Path(__file__).resolve().parents[1]
RECORD = ROOT / "tests" / "judges.json"
LIVE_R = "live R"

PUBLISHED = tuple(
    f"tests/published/{name}.py"
    for name in (
        "test_adult",
        "test_drechsler_reiter",
        "test_duncan_keller_mcnulty",
        "test_errata",
        "test_ifpr_slides",
        "test_practical_privacy_metrics",
        "test_r_and_the_paper",
        "test_reiter_mitra",
        "test_reiter_mitra_design",
    )
)
# modules of figures as they are printed in the papers: every value of every table
FIGURES = ("drechsler_reiter_figures", "ifpr_slides", "paper_figures", "reiter_mitra_figures")

# family -> the files that judge, and what they need beside the package
FAMILIES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "recorded disclosure, frame": (("tests/parity/test_recorded.py",), ()),
    "recorded disclosure, sqlite": (("tests/parity/test_recorded.py",), ()),
    "recorded multi, frame": (("tests/parity/test_recorded_multi.py",), ()),
    "recorded multi, sqlite": (("tests/parity/test_recorded_multi.py",), ()),
    "recorded companions": (("tests/parity/test_recorded_companions.py",), ()),
    "recorded uniques and sdc": (("tests/parity/test_recorded_uniques_sdc.py",), ()),
    "syn": (
        (
            "tests/parity/test_syn.py",
            "tests/parity/test_syn_cases.py",
            "tests/parity/test_smoothed_columns.py",
        ),
        (),
    ),
    "oracle": (
        ("tests/parity/test_recorded.py", "tests/parity/test_recorded_uniques_sdc.py"),
        (),
    ),
    "oracle, certainty": (("tests/unit/test_nearly_sure.py",), ()),
    "oracle, holdout": (("tests/unit/test_holdout.py",), ()),
    "defects": (
        ("tests/parity/test_recorded.py", "tests/parity/test_recorded_uniques_sdc.py"),
        (),
    ),
    "ledger": (("tests/parity/test_ledger.py",), ()),
    "printed": (("tests/parity/test_printed.py",), ()),
    "fuzz": (("tests/parity/test_fuzz.py", "tests/parity/test_fuzz_uniques_sdc.py"), ()),
    "fuzz, live R": (
        (
            "tests/parity/test_fuzz.py",
            "tests/parity/test_fuzz_multi.py",
            "tests/parity/test_fuzz_companions.py",
            "tests/parity/test_fuzz_uniques_sdc.py",
        ),
        (LIVE_R,),
    ),
    "published": (PUBLISHED, ()),
    "published figures": (PUBLISHED, ()),
    "engines": (
        ("tests/engines/test_recorded_engines.py",),
        ("engines", "polars", "pyarrow", "duckdb", "ibis", "pyspark", "postgres"),
    ),
}
# families of which each test that passes counts for one
BY_TEST = ("ledger", "published")

JUDGED: Counter[tuple[str, ...]] = Counter()  # (family, call, version, collation, figure)


def judged(
    family: str, call: str, figures: dict[str, Any], version: str = "", collation: str = ""
) -> None:
    """Count the values that a test has compared."""
    for figure, content in figures.items():
        JUDGED[family, call, version, collation, figure] += values_in(content)


def values_in(content: Any) -> int:
    """The number of single values; an empty table or list is one, being compared as such."""
    if isinstance(content, dict):
        content = list(content.values())
    if isinstance(content, (list, tuple)):
        return max(1, sum(map(values_in, content)))
    return 1


def count_published_figures() -> None:
    for name in FIGURES:
        module = vars(import_module(f"tests.published.{name}"))
        tables = {table: content for table, content in module.items() if table.isupper()}
        for table, content in tables.items():
            JUDGED["published figures", name, "", "", table] = values_in(content)


def judged_by_test(nodeid: str) -> None:
    file, *_, name = nodeid.split("::")
    for family in BY_TEST:
        if file in FAMILIES[family][0]:
            JUDGED[family, Path(file).stem, "", "", name.split("[")[0]] += 1


# ---- workers of pytest-xdist -------------------------------------------------------------


def to_send() -> list[list[Any]]:
    return [[*key, number] for key, number in JUDGED.items()]


def receive(sent: list[list[Any]]) -> None:
    for *key, number in sent:
        JUDGED[tuple(key)] += number


# ---- the record --------------------------------------------------------------------------

Counts = dict[str, dict[str, dict[str, int]]]  # family -> "call, version, collation" -> figure


def counted() -> Counts:
    count_published_figures()
    found: Counts = {}
    for (family, call, version, collation, figure), number in sorted(JUDGED.items()):
        asked = ", ".join(filter(None, (call, version, collation)))
        found.setdefault(family, {}).setdefault(asked, {})[figure] = number
    return found


def recorded(record: Path = RECORD) -> Counts:
    return json.loads(record.read_text(encoding="utf-8")) if record.exists() else {}


def fewer(before: Counts, now: Counts, families: list[str]) -> list[str]:
    """Every count of these families that is smaller than the recorded one."""
    return [
        f"{family}; {asked}; {figure}: {number} compared before,"
        f" {now.get(family, {}).get(asked, {}).get(figure, 0)} now"
        for family in families
        for asked, figures in before.get(family, {}).items()
        for figure, number in figures.items()
        if now.get(family, {}).get(asked, {}).get(figure, 0) < number
    ]


def ran_whole(config: Any) -> list[str]:
    """The families whose files ran from beginning to end, with all that they need."""
    option = config.option
    by_name = any("::" in argument for argument in config.args)
    choosing = ("keyword", "markexpr", "lf", "deselect", "ignore_glob", "collectonly")
    if by_name or any(getattr(option, name, None) for name in choosing):
        return []
    other_calls = (
        int(os.environ.get("SYNTHPOP_PY_FUZZ", "300")) < 300
        or "SYNTHPOP_PY_FUZZ_SEED" in os.environ
    )
    asked_for = [Path(argument).resolve() for argument in config.args]
    left_out = [Path(path).resolve() for path in option.ignore or ()]
    return [
        family
        for family, (files, needs) in FAMILIES.items()
        if not (other_calls and "fuzz" in family)
        and all(map(_is_here, needs))
        and all(_is_under(ROOT / file, asked_for) for file in files)
        and not any(_is_under(ROOT / file, left_out) for file in files)
    ]


def _is_here(need: str) -> bool:
    if need != LIVE_R:
        return is_met(need)
    from tests.parity.live import reason_for_no_r

    return reason_for_no_r() is None


def _is_under(file: Path, places: list[Path]) -> bool:
    return any(file == place or place in file.parents for place in places)


def write(families: list[str], record: Path = RECORD) -> None:
    """Write the families that ran, and keep the others as they were."""
    content = recorded(record) | {family: counted()[family] for family in families}
    ordered = {family: content[family] for family in FAMILIES if family in content}
    record.write_text(json.dumps(ordered, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
