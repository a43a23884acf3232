"""The oracle's answer to a case, and where a result in the shape of a record differs from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.parity.case_frames import original_of, special_values_of, syntheses_of
from tests.parity.compare import differences
from tests.parity.oracle import OracleResult, oracle_disclosure

Spec = dict[str, Any]

PRINTING = {"digits", "to.print", "print.flag", "compare.synorig", "cont.na", "type", "fixedBreaks"}
RENAMED_IN_192 = {"DCAP": "DCAPd", "TCAP": "TCAP_192"}


def oracle_arguments(case: Spec) -> Spec:
    """The arguments of the call under Python's names, positions replaced by column names."""
    names = [c["name"] for c in original_of(case)["columns"]]
    args = {
        name.replace(".", "_"): value
        for name, value in case["args"].items()
        if name not in PRINTING
    }
    args["keys"] = [names[int(k) - 1] if isinstance(k, (int, float)) else k for k in args["keys"]]
    if isinstance(args["target"], (int, float)):
        args["target"] = names[int(args["target"]) - 1]
    if any(args.get(name) == {"na": True} for name in args):
        raise NotImplementedError("NA as an argument")
    if "type" in case["args"]:
        raise NotImplementedError("quantiles of another type than 7")
    return args


def oracle_result(case: Spec, convention: str = "corrected") -> OracleResult:
    return oracle_disclosure(
        syntheses_of(case),
        original_of(case),
        cont_na=special_values_of(case) or None,
        convention=convention,
        **oracle_arguments(case),
    )


def _table_differences(field: str, table: Spec, measures: list[dict], version: str) -> list[str]:
    found = []
    for name, values in zip(table["columns"], table["values"]):
        source = RENAMED_IN_192.get(name, name) if version == "1.9-2" else name
        for row, value in enumerate(values):
            found += differences(value, measures[row][source], f"{field}.{name}[{row}]")
    return found


def _exclusion_differences(tables: list[Spec], mine: list[dict]) -> list[str]:
    found = []
    for j, (table, booked) in enumerate(zip(tables, mine)):
        for column, values in zip(table["columns"], table["values"]):
            for row, value in zip(table["index"], values):
                found += differences(value, booked[row][column], f"Nexclusions[{j}].{row}.{column}")
    return found


def _row(table: Spec, i: int = 0) -> Spec:
    return {name: values[i] for name, values in zip(table["columns"], table["values"])}


def _check_1way_differences(recorded: list, mine: list) -> list[str]:
    found = []
    for j, (theirs, ours) in enumerate(zip(recorded, mine)):
        where = f"check_1way[{j}]"
        if (theirs is None) != (ours is None):
            found.append(f"{where}: flagged by {'the oracle' if theirs is None else 'R'} only")
        elif theirs is not None:
            row = _row(theirs)
            if row["Level"] not in ours["Level"]:
                found.append(
                    f"{where}.Level: {row['Level']!r} expected, one of {sorted(ours['Level'])}"
                    " found"
                )
                continue
            expected = {**ours, "PctLevelAll": ours["PctLevelAll_by_level"][row["Level"]]}
            for name in ("All", "PctLevelAll", "totalDisclosive", "nLevelDis", "PctLevelDis"):
                found += differences(row[name], expected[name], f"{where}.{name}")
    return found


PAIR_NUMBERS = ("npairs", "key_target_total", "key_total", "PctTargetKeyLevel")


def _by_pair(rows: list, name_of: Callable[[Any], tuple]) -> dict[tuple, Any]:
    """Rows by the pair's text and a number: a gap and the genuine text "Missing" are two pairs of
    one name, told apart by their counts.
    """
    named: dict[tuple, Any] = {}
    for row in sorted(rows, key=lambda r: [r[name] for name in PAIR_NUMBERS]):
        name = name_of(row)
        named[(*name, sum(other[:-1] == name for other in named))] = row
    return named


def _check_2way_differences(recorded: list, mine: list) -> list[str]:
    found = []
    for j, (theirs, ours) in enumerate(zip(recorded, mine)):
        rows = [_row(theirs, i) for i in range(len(theirs["index"]))] if theirs else []
        expected = _by_pair(rows, lambda r: (r["target_key_levs"], r["key"]))
        actual = _by_pair(ours, lambda r: (f"{r['target_lev']}|{r['key_lev']}", r["key"]))
        if set(expected) != set(actual):
            found.append(
                f"check_2way[{j}]: pairs {sorted(map(str, set(expected) ^ set(actual)))} on one"
                " side only"
            )
            continue
        for pair, row in expected.items():
            for name in PAIR_NUMBERS:
                found += differences(
                    row[name], actual[pair][name], f"check_2way[{j}].{pair}.{name}"
                )
    return found


def disagreements(result: Spec, mine: OracleResult, version: str) -> list[str]:
    """Every field in which a record and the oracle differ."""
    found = differences(result["keys"], mine.keys, "keys") + differences(
        result["target"], mine.target, "target"
    )
    if len(result["ident"]["index"]) != len(mine.measures):
        return [*found, f"m: {len(result['ident']['index'])} expected, {len(mine.measures)} found"]
    for field in ("ident", "attrib", "allCAPs", "attrib_denoms"):
        if field in result:
            found += _table_differences(field, result[field], mine.measures, version)
    found += _exclusion_differences(result["Nexclusions"], mine.exclusions)
    found += _check_1way_differences(result["check_1way"], mine.check_1way)
    return found + _check_2way_differences(result["check_2way"], mine.check_2way)
