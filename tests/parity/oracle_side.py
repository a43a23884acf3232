"""The oracle's answer to a case, in the shape of a record, and the differences from R that known defects explain.

The oracle gives the right number; R does not always. ``possible_defects`` looks at the *input* only and says which defects of R may
show, with the fields each may change. A difference anywhere else is a failure of the oracle, of the specification, or news about R.
"""

from __future__ import annotations

from typing import Any, Callable

from tests.parity.case_frames import original_of, special_values_of, syntheses_of
from tests.parity.compare import differences, number, same_number
from tests.parity.oracle import OracleResult, oracle_disclosure

Spec = dict[str, Any]

PRINTING = {"digits", "to.print", "print.flag", "compare.synorig", "cont.na", "type", "fixedBreaks"}
RENAMED_IN_192 = {"DCAP": "DCAPd", "TCAP": "TCAP_192"}


def oracle_arguments(case: Spec) -> Spec:
    """The arguments of the call under Python's names, positions replaced by column names."""
    names = [c["name"] for c in original_of(case)["columns"]]
    args = {name.replace(".", "_"): value for name, value in case["args"].items() if name not in PRINTING}
    args["keys"] = [names[int(k) - 1] if isinstance(k, (int, float)) else k for k in args["keys"]]
    if isinstance(args["target"], (int, float)):
        args["target"] = names[int(args["target"]) - 1]
    if any(args.get(name) == {"na": True} for name in args):
        raise NotImplementedError("NA as an argument")
    if "type" in case["args"]:
        raise NotImplementedError("quantiles of another type than 7")
    return args


def oracle_result(case: Spec) -> OracleResult:
    return oracle_disclosure(syntheses_of(case), original_of(case), cont_na=special_values_of(case) or None, **oracle_arguments(case))


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
                found.append(f"{where}.Level: {row['Level']!r} expected, one of {sorted(ours['Level'])} found")
                continue
            expected = {**ours, "PctLevelAll": ours["PctLevelAll_by_level"][row["Level"]]}
            for name in ("All", "PctLevelAll", "totalDisclosive", "nLevelDis", "PctLevelDis"):
                found += differences(row[name], expected[name], f"{where}.{name}")
    return found


def _check_2way_differences(recorded: list, mine: list) -> list[str]:
    found = []
    for j, (theirs, ours) in enumerate(zip(recorded, mine)):
        rows = [_row(theirs, i) for i in range(len(theirs["index"]))] if theirs else []
        expected = {(r["target_key_levs"], r["key"]): r for r in rows}
        actual = {(f"{r['target_lev']}|{r['key_lev']}", r["key"]): r for r in ours}
        if set(expected) != set(actual):
            found.append(f"check_2way[{j}]: pairs {sorted(map(str, set(expected) ^ set(actual)))} on one side only")
            continue
        for pair, row in expected.items():
            for name in ("npairs", "key_target_total", "key_total", "PctTargetKeyLevel"):
                found += differences(row[name], actual[pair][name], f"check_2way[{j}].{pair}.{name}")
    return found


def disagreements(result: Spec, mine: OracleResult, version: str) -> list[str]:
    """Every field in which R's record and the oracle differ."""
    found = differences(result["keys"], mine.keys, "keys") + differences(result["target"], mine.target, "target")
    if len(result["ident"]["index"]) != len(mine.measures):
        return [*found, f"m: {len(result['ident']['index'])} expected, {len(mine.measures)} found"]
    for field in ("ident", "attrib", "allCAPs", "attrib_denoms"):
        if field in result:
            found += _table_differences(field, result[field], mine.measures, version)
    found += _exclusion_differences(result["Nexclusions"], mine.exclusions)
    found += _check_1way_differences(result["check_1way"], mine.check_1way)
    return found + _check_2way_differences(result["check_2way"], mine.check_2way)


# ---- which defects may show, from the input alone -------------------------------------------------------------------

ROW_FIELDS = ("DiSCO", "DiSDiO", "DCAP", "TCAP", "max_denom", "mean_denom", "denom_TCAP", "check_1way", "check_2way")
COLUMN_FIELDS = (*ROW_FIELDS, "iS", "DiS", "repU", "denom_")
ALL_FIELDS = ("",)


def _columns(frame: Spec) -> dict[str, Spec]:
    return {c["name"]: c for c in frame["columns"]}


def _levels_in_order(column: Spec) -> list:
    if "levels" in column:
        return list(column["levels"])
    return sorted({v for v in column["values"] if v is not None}, key=lambda v: (isinstance(v, str), v))


def _has_na(column: Spec) -> bool:
    return None in column["values"]


def _label_texts(case: Spec) -> list[str]:
    args = oracle_arguments(case)
    frames = [original_of(case), *syntheses_of(case)]
    used = {*args["keys"], args["target"]}
    return [v for f in frames for c in f["columns"] if c["name"] in used for v in (*c.get("levels", ()), *c["values"]) if isinstance(v, str)]


def _levels_may_be_ordered_differently(case: Spec, name: str, groups: Any) -> bool:
    if groups:
        return False
    original = _levels_in_order(_columns(original_of(case))[name])
    return any(_levels_in_order(_columns(s)[name]) != original or _has_na(_columns(s)[name]) for s in syntheses_of(case))


def _one_sided_na(case: Spec, name: str) -> bool:
    original = _has_na(_columns(original_of(case))[name])
    return any(_has_na(_columns(s)[name]) != original for s in syntheses_of(case))


def _reordered(case: Spec) -> bool:
    args = oracle_arguments(case)
    names = [c["name"] for c in original_of(case)["columns"]]
    return args["keys"] != [n for n in names if n in args["keys"]]


def _first_set_only(case: Spec) -> bool:
    return case["object"]["as"] == "list" and len(syntheses_of(case)) > 1 and case["args"].get("compare.synorig", True)


def possible_defects(case: Spec) -> dict[str, tuple[str, ...]]:
    """Defect id -> beginnings of the field names it may change."""
    args = oracle_arguments(case)
    keys, target = args["keys"], args["target"]
    original, sets = original_of(case), syntheses_of(case)
    single = keys[0] if len(keys) == 1 else None
    texts = _label_texts(case)
    plain = case["object"]["as"] != "synds"
    found: dict[str, tuple[str, ...]] = {}

    def add(defect: str, applies: Callable[[], Any], fields: tuple[str, ...]) -> None:
        if applies():
            found[defect] = fields

    add("D1", lambda: _levels_may_be_ordered_differently(case, target, args.get("ngroups_target")), ROW_FIELDS)
    add("D1 (single key)", lambda: single and _levels_may_be_ordered_differently(case, single, args.get("ngroups_keys")), COLUMN_FIELDS)
    add("D2", lambda: isinstance(args.get("usekeysNA"), list) and _reordered(case), ALL_FIELDS)
    add("D3", lambda: isinstance(args.get("ngroups_keys"), list) and _reordered(case), ALL_FIELDS)
    add("D6", lambda: plain and any(_one_sided_na(case, k) for k in keys), ALL_FIELDS)
    add("D8", lambda: args.get("usetargetNA") is False and not _has_na(_columns(original)[target]) and _one_sided_na(case, target), ALL_FIELDS)
    add("D9", lambda: "Missing" in texts, ALL_FIELDS)
    add("D10", lambda: any(" | " in t for t in texts), ALL_FIELDS)
    add("D11", lambda: any("|" in t for t in texts), ("check_2way",))
    add("D12", lambda: "keys" in keys, ALL_FIELDS)
    add("D14", lambda: single and any(set(_columns(s)[single].get("levels", ())) - set(_columns(s)[single]["values"]) for s in sets), ("ident.UiOiS",))
    kinds = [{_columns(f)[k]["type"] for f in (original, *sets)} for k in (*keys, target)]
    add("D15", lambda: any(len(k) > 1 or "POSIXct" in k for k in kinds), ALL_FIELDS)
    add("D20", lambda: len({len(args.get(f"exclude_{x}") or []) for x in ("keys", "keylevs", "targetlevs")}) > 1, ALL_FIELDS)
    add("D21", lambda: isinstance(args.get("not_targetlev"), list), ALL_FIELDS)
    add("D26", lambda: any(f.get("tibble") for f in (original, *sets)), ALL_FIELDS)
    add("D28", lambda: _first_set_only(case), ALL_FIELDS)
    return found


def explained(difference: str, defects: dict[str, tuple[str, ...]]) -> str | None:
    """The defect that may have caused a difference, judged by the field it is in."""
    field = difference.split(":")[0]
    if field.startswith("Nexclusions"):
        field = field.split(".")[1]
    elif "." in field and not field.startswith("check"):
        table, measure = field.split(".", 1)
        for defect, prefixes in defects.items():
            if any(measure.startswith(p) or f"{table}.{measure}".startswith(p) for p in prefixes):
                return defect
        return None
    return next((defect for defect, prefixes in defects.items() if any(field.startswith(p) for p in prefixes)), None)
