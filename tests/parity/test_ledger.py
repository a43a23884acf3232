"""Every entry of the defect ledger: R's recorded figure, the correct one, and how the package
treats the two.

The tables below hold both figures as literals. Each is checked twice: against what R answered
(``fixtures/expected``) and against `disclosure()`.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import pandas as pd
import pytest

from r_reference.records import load_records
from synthpop_py import (
    DataWarning,
    Disclosure,
    InputError,
    RDefectWarning,
    disclosure,
    r_defects,
)
from tests.parity import uniques_sdc_side
from tests.parity.case_frames import pandas_frame
from tests.parity.companion_side import run_companion
from tests.parity.port_side import arguments_of, object_of, run_port
from tests.parity.test_recorded_multi import run_multi

EXACT = dict(
    rel=1e-12
)  # both sides compute the same quotients, only the order of operations may differ
MODE_OF = {"1.9-3": "r", "1.9-2": "r-1.9-2"}
MISSING_KEYS = "Nexclusions[original, missing in  keys]"
MISSING_TARGET = "Nexclusions[original, missing target]"
SET_TO_EXCLUDE = "Nexclusions[original, set to exclude]"


class Switch(NamedTuple):
    """R's figure under compat="r", the correct one under "corrected". `synthesis` counts from 1; 0
    stands for the whole result.
    """

    id: str
    case: str
    measure: str
    r: Any
    correct: Any
    synthesis: int = 1
    version: str = "1.9-3"


SWITCHES = [
    Switch("D1", "D1/syn_lacks_a_value", "DiSCO", 100 * 2 / 24, 100 * 22 / 24),
    Switch("D1", "D1/factor_level_dropped", "DiSCO", 0, 100 * 2 / 3),
    Switch("D1", "D1/same_levels_other_order", "DiSCO", 0, 100),
    Switch("D1", "D1/single_numeric_key", "DiSCO", 40, 80),
    Switch("D1", "D1/one_of_two_syntheses", "DiSCO", 100 * 2 / 24, 100 * 22 / 24, synthesis=2),
    Switch("D2", "D2/CAB", MISSING_KEYS, 0, 2),
    Switch("D2", "D2/BCA", MISSING_KEYS, 3, 2),
    Switch("D3", "D3/disclosure", "UiO", 100, 0),
    Switch("D6", "D6/two_keys", MISSING_KEYS, 0, 1),
    Switch("D8", "D8/na_only_in_syn", "Nexclusions[synthetic, missing target]", 0, 2),
    Switch("D8", "D8/na_only_in_syn", "Dsyn", 100, 50),
    Switch("D9", "D9/genuine_missing_level", MISSING_TARGET, 2, 1),
    Switch("D9", "D9/no_na_at_all", MISSING_TARGET, 1, 0),
    Switch("D10", "D10/merged_keys", "UiO", 0, 100),
    Switch("D10", "D10/shifted_component", MISSING_KEYS, 0, 1),
    Switch("D10", "D10/single_key_exclusion", SET_TO_EXCLUDE, 0, 1),
    Switch("D11", "D11/piece_is_another_level", "check_2way rows", 1, 2),
    Switch("D12", "D12/second_synthesis", "DiSCO", 0, 100, synthesis=2),
    Switch("D14", "D14/unused_level", "UiOiS", 50, 25),
    Switch("D15", "D15/integer_and_double", "DiSCO", 0, 100),
    Switch("D15", "D15/factor_and_number", "repU", 50, 100),
    Switch("D15", "D15/times", "repU", 0, 50),
    Switch("D16", "D16/tcap", "TCAP", 200, 50, version="1.9-2"),
    Switch("D16", "D16/tcap_and_excluded_level", "TCAP", math.inf, 100, version="1.9-2"),
    Switch("D17", "D17/after", "UiO", 20, 0),
    Switch("D21", "D21/empty_first", "DiSCO", 100, 50),
    Switch("D22", "D22/two_groups", "CAPd", 82, 50),
    Switch("D28", "D28/second_dropped", "m", 1, 2, synthesis=0),
    Switch("D35", "D35/three_syntheses", "check1", "a", "b, a", synthesis=0),
    Switch("D45", "D16/tcap", "TCAP", 100, 50),
    Switch("D45", "D45/certain_again", "denom_TCAP", 3, 2),
    Switch("D46", "D46/eleven_of_twenty", "check_1way rows", 1, 0),
]


class Works(NamedTuple):
    """R gives no answer, or labels it wrongly; both modes give the correct figure. `r` is R's
    figure where it has one.
    """

    id: str
    case: str
    status: str
    measure: str
    correct: float
    r: Any = None
    synthesis: int = 1


WORKS = [
    # keys a: syn x, x, orig x and missing; keys b: y throughout: 3 of 4 certain and correct
    Works("D4", "D4/na_only_in_orig", "crashed", "DiSCO", 75),
    # keys a: syn missing and 3, not certain; keys b: 2 and 2, correct
    Works("D5", "D5/double", "crashed", "DiSCO", 50),
    Works("D7", "D7/character", "crashed", "DiSCO", 100),
    Works("D7", "D7/logical", "crashed", "DiSCO", 100),
    Works("D7", "D7/Date", "crashed", "DiSCO", 100),
    # x|1 with a and y with b, six records each
    # one combination, syn x, y, w: found, but nothing certain
    Works("D13", "D13/new_target_level", "crashed", "iS", 100),
    Works("D20", "D20/character_key", "refused", SET_TO_EXCLUDE, 2),
    # pooled quartiles 5, 9, 14 put 4, 4, 5 and 7 of the 20 original values into a class: (16 + 16 +
    # 25 + 49) / 400
    Works("D24", "D24/unequal_lengths", "refused", "baseCAPd", 26.5, synthesis=2),
    Works("D26", "D26/numeric_target", "ok", "DiSCO", 100, r=0),
    Works("D26", "D26/factor_target", "crashed", "DiSCO", 100),
    Works("D27", "D27/hyphen", "refused", "DiSCO", 100),
    Works("D27", "D27/by_position", "refused", "DiSCO", 100),
    # R needs 17 GB for this one; 1320 of 48842 records are alone with their keys and target
    Works("D41", "adult/boot/fnlwgt", "ok", "Dorig", 100 * 1320 / 48842, r=100 * 1320 / 48842),
    # three of six synthetic records have keys of the original
    Works("D43", "D43/labels", "ok", "denom_TCAPb", 3, r=6),
    Works("D43", "D43/labels", "ok", "denom_TCAPs", 6, r=3),
]


class Same(NamedTuple):
    """No number differs between the modes, and R's is the same."""

    id: str
    case: str
    measure: str
    figure: Any


SAME = [
    Same("D19", "D19/synthetic_count_is_7", "max_denom", 2),
    Same("D19", "D19/mean_over_cells", "mean_denom", 5),
    Same("D23", "D23/binary", "baseCAPd", 50),
    Same("D34", "D34/flagged_printed", "DiSCO", 35.18),
    Same("D40", "D40/tied_level", "check_2way rows", 2),
    Same("D44", "D44/smaller_synthesis", "TCAPs", 200),
    Same("D44", "D44/nothing_in_common", "TCAPb", math.nan),
]


class Other(NamedTuple):
    """A companion of `disclosure()`: what R's record holds, and what would be correct."""

    id: str
    case: str
    read: Callable[[dict], Any]
    r: Any
    correct: Any


def attrib_column(name: str) -> Callable[[dict], Any]:
    return lambda result: _columns(result["attrib_table"])[name][0]


def uniques(row: str) -> Callable[[dict], Any]:
    return lambda result: dict(
        zip(result["res_tab"][0]["index"], result["res_tab"][0]["values"][0])
    )[row]


def excluded_by_multi(result: dict) -> int:
    return _columns(result["output_list"]["t"]["Nexclusions"][0])["set to exclude"][0]


OTHERS = [
    Other("D29", "D29/repU_of_the_first", lambda r: r["ident_syn"][0], 100, 55),
    Other("D30", "D30/three_pairs", attrib_column("Npairs"), 1, 3),
    Other("D31", "D31/DiSDiO", attrib_column("attrib.orig"), None, 100),
    Other("D31", "D31/UiSiO", lambda r: r["ident_syn"][0], None, 0),
    Other("D31", "D31/baseCAPd", lambda r: r["ident_syn"][0], None, 100 / 3),
    Other("D32", "D32/overwritten", excluded_by_multi, 5, 0),
    Other("D32", "D32/dropped", excluded_by_multi, 0, 5),
    Other("D33", "D33/digits_ignored", lambda r: r["digits"], 2, 5),
    Other("D36", "D36/padding", uniques("Replicated uniques"), 0, 2),
    Other("D37", "D37/one_key", uniques("Synthetic uniques in original"), 0, 2),
    Other("D38", "D38/collision", uniques("Original"), 0, 2),
    Other(
        "D39",
        "D39/level_order",
        lambda r: r["data"]["columns"][0]["levels"][0],
        "[103.33333,1000]",
        "[90,96.666667)",
    ),
    Other("D42", "D42/DCAP", attrib_column("attrib.syn"), None, 100),
    # p 4, q 6, r 1: r is too small, and p joins it because alone it would stay so; R writes q into
    # the label
    Other(
        "D47",
        "D47/newlabel",
        lambda r: r["data"]["columns"][0]["levels"],
        ["q", "q r"],
        ["q", "p r"],
    ),
]

TREATMENT = {
    "switch": SWITCHES,
    "works": WORKS,
    "same": [*SAME, Same("D25", "D25/absent_special_value", "", None)],
    "other function": OTHERS,
}

# found where R's package was not at hand, so that a test by hand stands for its answer
NOT_RECORDED = {"D48", "D49", "D50"}


# ---- reading figures -----------------------------------------------------------------


def _columns(table: dict) -> dict[str, list]:
    return dict(zip(table["columns"], table["values"]))


def recorded_figure(result: dict, measure: str, synthesis: int) -> Any:
    """A figure of R's record, under the names that `Disclosure.defects` uses."""
    if measure == "m":
        return len(result["ident"]["index"])
    if measure == "check1":
        return result["check1"]
    if measure.endswith(" rows"):
        table = result[measure.removesuffix(" rows")][synthesis - 1]
        return 0 if table is None else len(table["index"])
    if measure.startswith("Nexclusions"):
        row, column = measure.removeprefix("Nexclusions[").removesuffix("]").split(", ")
        table = result["Nexclusions"][synthesis - 1]
        return _columns(table)[column][table["index"].index(row)]
    (values,) = [
        _columns(result[t])[measure]
        for t in ("ident", "attrib", "allCAPs", "attrib_denoms")
        if measure in _columns(result.get(t, {"columns": [], "values": []}))
    ]
    value = values[synthesis - 1]
    return float(value.replace("Inf", "inf")) if isinstance(value, str) else value


def figure(result: Disclosure, measure: str, synthesis: int) -> Any:
    if measure in ("m", "check1"):
        return getattr(result, measure)
    if measure.endswith(" rows"):
        table = getattr(result, measure.removesuffix(" rows"))[synthesis - 1]
        return 0 if table is None else len(table)
    if measure.startswith("Nexclusions"):
        row, column = measure.removeprefix("Nexclusions[").removesuffix("]").split(", ")
        return result.Nexclusions[synthesis - 1].at[row, column]
    tables = (result.ident, result.attrib, result.allCAPs, result.attrib_denoms)
    (table,) = [table for table in tables if table is not None and measure in table]
    return table.at[synthesis, measure]


def same(expected: Any) -> Any:
    """Numbers within `EXACT`; texts, alone or in a list, as they are."""
    texts = expected if isinstance(expected, list) else [expected]
    if all(text is None or isinstance(text, str) for text in texts):
        return expected
    return pytest.approx(expected, nan_ok=True, **EXACT)


def full(case: str) -> str:
    return case if case.startswith("adult/") else f"ledger/{case}"


def label(entry: Any) -> str:
    return (
        f"{entry.id}-{entry.case}-{entry.measure}"
        if hasattr(entry, "measure")
        else f"{entry.id}-{entry.case}"
    )


@pytest.fixture(scope="module")
def recorded() -> dict[str, dict[str, dict]]:
    return {version: load_records(version) for version in MODE_OF}


def r_result(recorded: dict, entry: Any, collation: str = "icu") -> dict:
    return recorded[getattr(entry, "version", "1.9-3")][f"{full(entry.case)} [{collation}]"][
        "result"
    ]


# ---- tests ---------------------------------------------------------------------------


def test_the_tables_hold_every_id_of_the_registry():
    registry = r_defects()
    for port, entries in TREATMENT.items():
        of_port = set(registry.index[registry["port"] == port])
        assert {e.id for e in entries} == of_port - NOT_RECORDED, port
    assert set(registry.index) == {f"D{i}" for i in range(1, 51)} - {"D18"}


@pytest.mark.parametrize("entry", SWITCHES, ids=label)
def test_switch_r_gives_its_figure_and_corrected_the_correct_one(entry, cases, recorded):
    assert recorded_figure(r_result(recorded, entry), entry.measure, entry.synthesis) == same(
        entry.r
    )
    case, mode = cases[full(entry.case)], MODE_OF[entry.version]
    result = run_port(case, compat=mode)
    assert figure(result, entry.measure, entry.synthesis) == same(entry.r)
    correct = run_port(case, compat="corrected")
    if entry.id == "D16":  # what 1.9-2 calls TCAP has its own name since
        assert correct.shares[0]["TCAP_iS"].percent == same(entry.correct)
    else:
        assert figure(correct, entry.measure, entry.synthesis) == same(entry.correct)
        assert figure(result.corrected, entry.measure, entry.synthesis) == same(entry.correct)
    assert not correct.defects and correct.corrected is None


@pytest.mark.parametrize("entry", SWITCHES, ids=label)
def test_switch_is_named_with_both_figures(entry, cases):
    result = run_port(cases[full(entry.case)], compat=MODE_OF[entry.version])
    assert entry.id in [finding.id for finding in result.defects]
    assert figure(result, entry.measure, entry.synthesis) == same(entry.r)
    if entry.id != "D16":  # what 1.9-2 calls TCAP has its own name since
        assert figure(result.corrected, entry.measure, entry.synthesis) == same(entry.correct)


def misleads(id: str) -> bool:
    """A defect gives a warning unless figures are only shown differently, or by convention."""
    entry = r_defects().loc[id]
    return entry["severity"] != "D" and entry["kind"] != "convention"


@pytest.mark.filterwarnings("ignore::synthpop_py.DataWarning")
@pytest.mark.parametrize("entry", [s for s in SWITCHES if not misleads(s.id)], ids=label)
def test_switch_that_does_not_mislead_is_listed_without_a_warning_of_it(entry, cases):
    case = cases[full(entry.case)]
    call = {**arguments_of(case), "print_flag": False}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = disclosure(
            object_of(case), pandas_frame(case["data"]), compat=MODE_OF[entry.version], **call
        )
    assert entry.id in {finding.id for finding in result.defects}
    # it is named in a warning only where another defect is the reason for one
    told = [warning for warning in caught if warning.category is RDefectWarning]
    misleading = [finding.id for finding in result.defects if misleads(finding.id)]
    assert bool(told) == bool(misleading)


@pytest.mark.filterwarnings("ignore::synthpop_py.DataWarning")
@pytest.mark.parametrize("entry", [s for s in SWITCHES if misleads(s.id)], ids=label)
def test_switch_warns(entry, cases):
    case = cases[full(entry.case)]
    call = {**arguments_of(case), "print_flag": False}
    with pytest.warns(RDefectWarning, match=rf"\b{entry.id}, ") as caught:
        disclosure(
            object_of(case), pandas_frame(case["data"]), compat=MODE_OF[entry.version], **call
        )
    # exclusions of some cases leave nobody, which is told besides
    (told,) = [warning for warning in caught if warning.category is RDefectWarning]
    assert told.filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", DataWarning)  # one case leaves nobody
        disclosure(object_of(case), pandas_frame(case["data"]), compat="corrected", **call)


def test_d49_the_largest_value_of_49_classes_is_in_none():
    """49 * (1/49) < 1, so that R's last class ends before 60."""
    frame = pd.DataFrame({"k": [*map(float, range(59)), 60.0], "t": ["x"] * 60})
    call = {"keys": ["k"], "target": "t", "ngroups_keys": 49, "usekeysNA": False}
    with pytest.warns(RDefectWarning, match=r"\bD49, "):
        as_r = disclosure(frame.iloc[:-1], frame, print_flag=False, **call)
    (found,) = as_r.defects
    assert found.id == "D49"
    assert (figure(as_r, MISSING_KEYS, 1), figure(as_r.corrected, MISSING_KEYS, 1)) == (1, 0)
    correct = disclosure(frame.iloc[:-1], frame, compat="corrected", print_flag=False, **call)
    assert figure(correct, MISSING_KEYS, 1) == 0 and not correct.defects


def test_d50_a_value_that_is_a_bound_is_counted_below_it():
    """3 * (1/5) > 0.6, so that R's bound of [3,5) is above 5. Of ten people 1, 2, 2, 2 and 3 share
    a class, in R 1, 2, 3, 1 and 3: their squares are 22 and 24 of 100.
    """
    original = pd.DataFrame({"k": ["a"] * 10, "t": range(10)})
    call = {"keys": ["k"], "target": "t", "ngroups_target": 5, "print_flag": False}
    with pytest.warns(RDefectWarning, match=r"\bD50, "):
        as_r = disclosure(original.head(1), original, **call)
    (found,) = as_r.defects
    assert found.id == "D50"
    assert (figure(as_r, "baseCAPd", 1), figure(as_r.corrected, "baseCAPd", 1)) == (
        same(24),
        same(22),
    )
    correct = disclosure(original.head(1), original, compat="corrected", **call)
    assert figure(correct, "baseCAPd", 1) == same(22) and not correct.defects


@pytest.mark.parametrize("mode", ["r", "corrected"])
@pytest.mark.parametrize("entry", WORKS, ids=label)
def test_works_in_both_modes(entry, mode, cases, recorded):
    result = r_result(recorded, entry)
    assert result["status"] == entry.status
    if entry.status == "ok":
        assert recorded_figure(result, entry.measure, entry.synthesis) == same(entry.r)
    assert figure(
        run_port(cases[full(entry.case)], compat=mode), entry.measure, entry.synthesis
    ) == same(entry.correct)


@pytest.mark.parametrize("lengths", ["211", "112", "121"])
@pytest.mark.parametrize("mode", ["r", "corrected"])
def test_d20_unequal_lengths_are_refused_though_r_takes_them(lengths, mode, cases, records):
    assert records[f"ledger/D20/lengths_{lengths} [icu]"]["result"]["status"] == "ok"
    with pytest.raises(
        InputError, match=", ".join(["exclude_keys", "exclude_keylevs", "exclude_targetlevs"])
    ):
        run_port(cases[f"ledger/D20/lengths_{lengths}"], compat=mode)


@pytest.mark.parametrize("entry", SAME, ids=label)
def test_same_in_both_modes(entry, cases, recorded):
    value = recorded_figure(r_result(recorded, entry), entry.measure, 1)
    assert (math.nan if value is None else value) == same(entry.figure)
    for mode in ("r", "corrected"):
        if mode == "corrected" and entry.case == "D44/nothing_in_common":
            with pytest.raises(InputError, match="column 'k1': no value in common"):
                run_port(cases[full(entry.case)], compat=mode)
            continue
        result = run_port(cases[full(entry.case)], compat=mode)
        assert figure(result, entry.measure, 1) == same(entry.figure)
        assert not result.defects


def test_d19_records_give_synthetic_counts_too(cases):
    case = cases["ledger/D19/synthetic_count_is_7"]
    records = run_port(case).records(pandas_frame(case["data"]))
    assert records[["orig_cell", "syn_cell"]].values.tolist() == [[2, 7], [2, 7]]


def test_d23_notes_name_the_variable_and_only_when_asked(cases, capsys):
    case = cases["ledger/D23/binary"]
    for print_flag in (True, False):
        disclosure(
            object_of(case),
            pandas_frame(case["data"]),
            **{**arguments_of(case), "print_flag": print_flag},
        )
        printed = capsys.readouterr().out
        assert ("'x'" in printed) == print_flag and "'aa'" not in printed


def test_d25_r_takes_an_absent_special_value_and_corrected_refuses_it(cases, recorded):
    case = cases["ledger/D25/absent_special_value"]
    assert recorded["1.9-3"]["ledger/D25/absent_special_value [icu]"]["result"]["status"] == "ok"
    assert not run_port(case).defects
    with pytest.raises(InputError, match="cont_na: -8"):
        run_port(case, compat="corrected")


def test_d48_whole_numbers_that_r_writes_alike_are_one_value_to_it():
    """Base R gives factor(c(1e17, 1e17 + 16)) one level, and factor(c(2^60, 2^60 + 256)) two; no
    answer of `disclosure()` is recorded yet.
    """
    for numbers, unique_in_r in (((1e17, 1e17 + 16), 0), ((2.0**60, 2.0**60 + 256), 100)):
        people = pd.DataFrame({"id": numbers, "t": ["a", "b"]})
        corrected = disclosure(people, people, ["id"], "t", compat="corrected", print_flag=False)
        assert corrected.ident["UiO"].tolist() == [100]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RDefectWarning)
            as_r = disclosure(people, people, ["id"], "t", compat="r", print_flag=False)
        assert as_r.ident["UiO"].tolist() == [unique_in_r]
        assert [finding.id for finding in as_r.defects] == (["D48"] if unique_in_r == 0 else [])


@pytest.mark.parametrize("mode", ["r", "corrected"])
@pytest.mark.parametrize("collation, level", [("icu", "a"), ("C", "B")])
def test_d40_ties_follow_the_collation(collation, level, mode, cases, records):
    assert records[f"ledger/D40/tied_level [{collation}]"]["result"]["check1"] == level
    assert run_port(cases["ledger/D40/tied_level"], collation, mode).check1 == level


@pytest.mark.parametrize("entry", OTHERS, ids=label)
def test_other_function_gives_rs_figure_and_corrected_the_correct_one(entry, cases, recorded):
    as_recorded = entry.read(r_result(recorded, entry))
    assert as_recorded == same(entry.r)
    assert as_recorded != same(entry.correct)
    if entry.id != "D33":  # it is about printing: below
        case = cases[full(entry.case)]
        assert entry.read(record_of_port(case, "r")) == same(entry.r)
        if entry.case == "D32/overwritten":
            # nobody has the pair: it is refused, and without it nobody is left out
            with pytest.raises(InputError, match="exclude_keys: no record has 'N' for 'k1'"):
                record_of_port(case, "corrected")
            kept = {name: v for name, v in case["args"].items() if not name.startswith("exclude")}
            case = case | {"args": kept}
        assert entry.read(record_of_port(case, "corrected")) == same(entry.correct)


def test_d33_the_port_prints_as_many_digits_as_asked(cases, capsys):
    run_multi(cases["ledger/D33/digits_ignored"], "r").print(digits=5)
    assert re.search(r"\d\.\d{5}\b", capsys.readouterr().out)


def record_of_port(case: dict, compat: str) -> dict:
    """The port's answer to a case of a companion, in the shape of a record."""
    if case["call"] == "replicated.uniques":
        return uniques_sdc_side.as_record(uniques_sdc_side.run_port(case, compat))
    if case["call"] != "multi.disclosure":
        return run_companion(case, compat=compat)
    result = run_multi(case, compat)
    table = result.attrib_table
    return {
        "ident_syn": [none_if_nan(value) for value in result.ident_syn],
        "digits": result.digits,
        "attrib_table": {
            "columns": list(table.columns),
            "values": [[none_if_nan(v) for v in table[name]] for name in table.columns],
        },
        "output_list": {
            target: {"Nexclusions": [frame_table(frame) for frame in single.Nexclusions]}
            for target, single in result.output_list.items()
        },
    }


def frame_table(frame: Any) -> dict:
    return {"columns": list(frame.columns), "values": [frame[c].tolist() for c in frame.columns]}


def none_if_nan(value: Any) -> Any:
    return None if isinstance(value, float) and math.isnan(value) else value
