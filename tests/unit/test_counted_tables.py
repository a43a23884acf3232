"""The seam: a result depends on distinct rows and their counts, not on where records live.

Frequency tables equal their records written out; records in SQLite equal those in a frame; totals
may be as large as 64 bits hold.
"""

from __future__ import annotations

import math
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synthpop_py import (
    InputError,
    RDefectWarning,
    SynDS,
    disclosure,
    key_risk,
    multi_disclosure,
    replicated_uniques,
    table_utility,
)
from tests.backends.sqlite import in_sqlite
from tests.rooms import class_breaks

MODES = ["r", "r-1.9-2", "corrected"]
COUNTED = {"counts": "n", "print_flag": False, "compat": "corrected"}
SUMMATION = 1e-12  # relative; a sum of a few hundred doubles in another order


def tables(max_rows: int = 12) -> st.SearchStrategy[pd.DataFrame]:
    """Frequency tables with a text, a number with gaps, a category and a flag."""
    row = st.tuples(
        st.sampled_from(["a", "b", "Missing", "x | y"]),
        st.sampled_from([1.0, 2.0, 2.5, -8.0, 100_000.0, None]),
        st.sampled_from(["u", "v", "w"]),
        st.booleans(),
        st.integers(0, 4),
    )
    # keys without a value in common are refused
    common = st.tuples(
        st.just("a"),
        st.just(1.0),
        st.sampled_from(["u", "v", "w"]),
        st.just(True),
        st.integers(1, 4),
    )
    return st.tuples(st.lists(row, max_size=max_rows - 1), common).map(
        lambda drawn: _frame([*drawn[0], drawn[1]])
    )


def _frame(rows: list[tuple]) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=["k", "x", "t", "f", "n"])
    levels = ["w", "v", "u", "never"]
    return frame.assign(x=frame.x.astype(float), t=pd.Categorical(frame.t, categories=levels))


def written_out(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.loc[frame.index.repeat(frame.n)].drop(columns="n").reset_index(drop=True)


ARGUMENTS = st.fixed_dictionaries(
    {},
    optional={
        "not_targetlev": st.sampled_from(["u", "v"]),
        "usekeysNA": st.booleans(),
        "usetargetNA": st.booleans(),
        "exclude_ov_denom_lim": st.just(True),
        "denom_lim": st.sampled_from([1, 2, 5]),
        "thresh_1way": st.sampled_from([(0, 40), (1, 60)]),
        "thresh_2way": st.sampled_from([(0, 40), (1, 60)]),
    },
)
GROUPING = st.sampled_from(
    [
        {},
        {"ngroups_keys": [0, 3]},
        {"ngroups_keys": [0, 2]},
        {"ngroups_keys": [0, 3], "style": "equal"},
        {"ngroups_keys": [0, 4], "style": "pretty"},
        {"ngroups_keys": [0, 3], "type": 1},
        {"ngroups_keys": [0, 3], "cont_na": {"x": -8}},
        {"ngroups_keys": [0, 3], "style": "sd"},
        {"ngroups_keys": [0, 3], "style": "fixed", "fixedBreaks": [-9, 1.5, 2.5, 200_000]},
        {"ngroups_keys": [0, 3], "style": "fixed", "fixedBreaks": [0, 2, 3]},
    ]
)
EXCLUSIONS = st.sampled_from(
    [
        {},
        {"exclude_keys": "k", "exclude_keylevs": "a", "exclude_targetlevs": "u"},
        {
            "exclude_keys": ["k", "k"],
            "exclude_keylevs": ["b", "Missing"],
            "exclude_targetlevs": ["v", "u"],
        },
    ]
)
TARGET_GROUPING = st.sampled_from(
    [
        {"ngroups_target": 2},
        {"ngroups_target": 3, "cont_na": {"x": -8}},
        {"ngroups_target": 3, "type": 2},
        {"ngroups_target": 3, "style": "sd"},
        {"ngroups_target": 3, "style": "equal"},
        {"ngroups_target": 3, "style": "fixed", "fixedBreaks": [-9, 1.5, 2.5, 200_000]},
    ]
)


def figures(call) -> object:
    """Everything a result says, or the error it ends in."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            content = call().to_dict()
        except InputError as error:
            return str(error)
    return _without_call(content)


def _without_call(content: object) -> object:
    """The same without what differs by itself: how a call was written, and its `counts`."""
    if isinstance(content, list):
        return [_without_call(part) for part in content]
    if not isinstance(content, dict):
        return content
    own = {name: part for name, part in content.items() if name not in ("call", "counts")}
    return {name: _without_call(part) for name, part in own.items()}


@settings(max_examples=150, deadline=None)
@given(tables(), st.lists(tables(), min_size=1, max_size=2), ARGUMENTS, GROUPING, st.data())
def test_a_frequency_table_is_its_records(original, syntheses, arguments, grouping, data):
    compat = data.draw(st.sampled_from(MODES))
    wrap = data.draw(st.sampled_from([SynDS, list]))
    exclusions = data.draw(EXCLUSIONS)
    call = {"print_flag": False, "compat": compat, **arguments, **grouping, **exclusions}
    assert_like_records(wrap, syntheses, original, ["k", "x"], "t", **call)


@settings(max_examples=100, deadline=None)
@given(tables(), st.lists(tables(), min_size=1, max_size=2), TARGET_GROUPING, st.data())
def test_a_frequency_table_with_a_target_in_classes_is_its_records(
    original, syntheses, grouping, data
):
    compat = data.draw(st.sampled_from(MODES))
    wrap = data.draw(st.sampled_from([SynDS, list]))
    call = {"print_flag": False, "compat": compat, **grouping}
    assert_like_records(wrap, syntheses, original, ["k", "t"], "x", **call)


def assert_like_records(wrap, syntheses, original, keys, target, **call) -> None:
    """A call on frequency tables says what it says on their records."""
    counted = figures(
        lambda: disclosure(wrap(syntheses), original, keys, target, counts="n", **call)
    )
    records = [written_out(frame) for frame in syntheses]
    expanded = figures(
        lambda: disclosure(wrap(records), written_out(original), keys, target, **call)
    )
    assert counted == expanded


@settings(max_examples=60, deadline=None)
@given(tables(), tables(), ARGUMENTS, GROUPING, st.sampled_from(MODES))
def test_records_in_a_database_are_records(original, synthetic, arguments, grouping, compat):
    call = {"print_flag": False, "compat": compat, **arguments, **grouping}
    frames = SynDS(written_out(synthetic)), written_out(original)
    stored = in_sqlite(frames[0]), in_sqlite(frames[1], "data")
    here = figures(lambda: disclosure(*frames, ["k", "x"], "t", **call))
    there = figures(lambda: disclosure(*stored, ["k", "x"], "t", **call))
    assert same(here, there)


def same(a: object, b: object) -> bool:
    """Whole numbers and texts equal; sums of fractions but for the order in which they were added.

    That order follows the codes of texts, which a database numbers in another way.
    """
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[name], b[name]) for name in a)
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, float) and isinstance(b, float):
        return a == b or abs(a - b) <= SUMMATION * abs(b)
    return a == b


@settings(max_examples=60, deadline=None)
@given(tables(), tables(), st.sampled_from(MODES))
def test_summaries_searches_and_uniques_too(original, synthetic, compat):
    tall = written_out(synthetic), written_out(original)
    options = {"print_flag": False, "compat": compat}
    keys, targets = ["k", "x"], ["t", "f"]
    assert figures(
        lambda: multi_disclosure(synthetic, original, keys, targets, counts="n", **options)
    ) == figures(lambda: multi_disclosure(*tall, keys, targets, **options))
    for stored in ((synthetic, original, {"counts": "n"}), (*map(in_sqlite, tall), {})):
        *given_tables, how = stored
        searched = [
            key_risk(*given_tables, ["k", "x", "f"], "t", **how),
            key_risk(*tall, ["k", "x", "f"], "t"),
        ]
        pd.testing.assert_frame_equal(searched[0].table, searched[1].table)
    for names in (["k", "x"], ["x"], ["k"]):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RDefectWarning)
            counted = replicated_uniques(synthetic, original, names, counts="n", compat=compat)
            expanded = replicated_uniques(*tall, names, compat=compat)
        pd.testing.assert_frame_equal(counted.res_tab[0], expanded.res_tab[0])


def uniques_of(synthetic, original, names, **options) -> dict:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RDefectWarning)
        return _without_call(replicated_uniques(synthetic, original, names, **options).to_dict())


def marks_of_records(content: dict, syntheses: list[pd.DataFrame]) -> dict:
    """The dictionary of uniques with marks on records instead of rows. A row that is marked stands
    for one record.
    """
    marks = {}
    for name in ("repU_rm", "synU_rm"):
        marks[name] = []
        for rows, frame in zip(content[name], syntheses):
            assert all(frame.n[row] == 1 for row in rows)
            marks[name].append([int(frame.n[:row].sum()) for row in rows])
    inner = content["corrected"]
    corrected = None if inner is None else marks_of_records(inner, syntheses)
    return {**content, **marks, "corrected": corrected}


@settings(max_examples=100, deadline=None)
@given(
    tables(),
    st.lists(tables(6), min_size=1, max_size=2),
    st.sampled_from([["k", "x"], ["x"], ["k"]]),
    st.sampled_from(MODES),
)
def test_uniques_of_frequency_tables_are_those_of_their_records(original, sets, names, compat):
    tall = [written_out(frame) for frame in sets]
    expanded = uniques_of(tall, written_out(original), names, compat=compat)
    heights = [len(frame) for frame in tall]
    # with one key R cuts a synthesis to the length of the first, in the order of its records
    if compat != "corrected" and len(names) == 1 and max(heights) > heights[0]:
        with pytest.raises(InputError, match="counts do not say"):
            uniques_of(sets, original, names, counts="n", compat=compat)
        return
    counted = uniques_of(sets, original, names, counts="n", compat=compat)
    if len(set(heights)) > 1 and compat != "corrected":
        # R repeats the records of a short synthesis, and marks them as often
        assert counted["res_tab"] == expanded["res_tab"]
    else:
        assert marks_of_records(counted, sets) == expanded


def test_uniques_of_frequency_tables_mark_rows_and_count_records():
    frame = pd.DataFrame({"k": ["a", "z", "b", "c"], "n": [1, 0, 2, 3]})
    for compat in MODES:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RDefectWarning)
            result = replicated_uniques([frame, frame], frame, ["k"], counts="n", compat=compat)
        assert result.to_dict()["records"] == {"original": 6, "synthetic": [6, 6]}
        assert result.repU_rm[0].tolist() == [True, False, False, False]


@pytest.mark.parametrize("compat", MODES)
def test_uniques_of_one_key_in_very_many_records(compat):
    frame = pd.DataFrame({"k": ["a", "b", "c", None], "n": [2**40, 1, 2**61, 2]})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RDefectWarning)
        result = replicated_uniques(frame, frame, ["k"], counts="n", compat=compat)
    small = frame.assign(n=[3, 1, 4, 2])
    expected = uniques_of(small, small, ["k"], counts="n", compat=compat)
    numbers = result.res_tab[0]["Number"].tolist()
    assert numbers == expected["res_tab"][0]["values"][0]
    assert result.n == 2**40 + 2**61 + 3


@pytest.mark.parametrize("names", [["k"], ["k", "t"]])
@pytest.mark.parametrize("remembered", [{"n": 9, "k": 12}, {"n": 6, "k": 12}, {"n": 6, "k": 6}])
@pytest.mark.parametrize("m", [1, 2])
def test_uniques_of_frequency_tables_where_r_remembers_numbers_of_records(names, remembered, m):
    frame = pd.DataFrame({"k": ["a", "b", "c"], "t": ["x", "y", "y"], "n": [1, 2, 3]})
    counted = SynDS([frame] * m, meta=remembered)
    tall = SynDS([written_out(frame)] * m, meta=remembered)
    found = uniques_of(counted, frame, names, counts="n")
    expanded = uniques_of(tall, written_out(frame), names)
    assert found["res_tab"] == expanded["res_tab"]
    assert found["records"] == expanded["records"]


def test_uniques_that_depend_on_the_order_of_records_are_refused():
    short = pd.DataFrame({"k": ["a", "b"], "n": [1, 1]})
    long = pd.DataFrame({"k": ["a", "b"], "n": [2**40, 1]})
    with pytest.raises(InputError, match="counts: R takes the first 2 of 1099511627777 records"):
        replicated_uniques([short, long], short, ["k"], counts="n")
    result = replicated_uniques([short, long], short, ["k"], counts="n", compat="corrected")
    assert result.res_tab[1]["Number"].tolist() == [2, 1, 1, 1]


@settings(max_examples=60, deadline=None)
@given(tables(), tables(), st.integers(2, 4))
def test_distances_of_tables_too(original, synthetic, classes):
    tall = written_out(synthetic), written_out(original)
    expanded = table_utility(*tall, classes=classes).table
    counted = table_utility(synthetic, original, classes=classes, counts="n").table
    stored = table_utility(*map(in_sqlite, tall), classes=classes).table
    for table in (counted, stored):
        both = [t.sort_values("text", ignore_index=True) for t in (table, expanded)]
        pd.testing.assert_frame_equal(*both, rtol=SUMMATION)


def test_counts_up_to_64_bits_are_exact():
    """Two target values of 2^32 records each are no certainty, though their squares overflow."""
    half = pd.DataFrame({"k": ["a", "a", "b"], "t": ["x", "y", "x"], "n": [2**32, 2**32, 1]})
    result = disclosure(half, half, ["k"], "t", **COUNTED)
    shares = result.shares[0]
    assert shares["Dorig"] == (1, 2**33 + 1) and shares["DiSCO"] == (1, 2**33 + 1)
    assert shares["UiO"] == (1, 2**33 + 1) and result.ident.at[1, "repU"] == pytest.approx(
        1.2e-8, rel=0.1
    )

    huge = half.assign(n=[2**61, 2**61 - 7, 3])
    result = disclosure(huge, huge, ["k"], "t", **COUNTED)
    assert result.Norig == 2**62 - 4
    assert result.shares[0]["iS"] == (2**62 - 4, 2**62 - 4)
    assert result.shares[0]["Dorig"] == (3, 2**62 - 4)
    assert result.shares[0]["CAPd"].percent == pytest.approx(50, rel=1e-12)
    assert result.Nexclusions[0].at["original", "remaining"] == 2**62 - 4


@pytest.mark.parametrize("many", [94_906_264, 10**8 + 1, 2**60 - 1])
def test_a_single_level_leaves_nothing_to_learn_however_many_have_it(many):
    people = pd.DataFrame({"k": ["a", "b"], "t": "x", "n": [many, 3]})
    fake = pd.DataFrame({"k": ["a", "c"], "t": "x", "n": [5, 4]})
    result = disclosure(fake, people, ["k"], "t", **COUNTED)
    (shares,) = result.shares
    assert shares["baseCAPd"].percent == 100
    for name in ("DCAPd_scaled", "TCAP_iS_scaled"):
        assert math.isnan(shares[name].percent)


@pytest.mark.parametrize("more, flagged", [(0, 0), (1, 1)])
def test_a_pair_above_the_limit_by_one_of_a_quintillion(more, flagged):
    """Of the people with key a exactly 90 per cent have x, or one more has it."""
    others = 10**17
    people = pd.DataFrame({"k": list("aab"), "t": list("xyz"), "n": [9 * others + more, others, 1]})
    fake = pd.DataFrame({"k": ["a"], "t": ["x"], "n": [7]})
    result = disclosure(fake, people, ["k"], "t", thresh_2way=(4, 90), **COUNTED)
    (table,) = result.check_2way
    assert (0 if table is None else len(table)) == flagged


def test_the_largest_total_that_64_bits_hold():
    frame = pd.DataFrame({"k": ["a", "a", "b"], "t": ["x", "y", "x"], "n": [2**62, 2**62 - 3, 2]})
    result = disclosure(frame, frame, ["k"], "t", **COUNTED)
    assert result.Norig == 2**63 - 1
    assert result.shares[0]["iS"] == (2**63 - 1, 2**63 - 1)
    assert result.shares[0]["Dorig"] == (2, 2**63 - 1)
    assert result.records(frame).orig_key.tolist() == [2**63 - 3, 2**63 - 3, 2]


@pytest.mark.parametrize(
    "counts, message",
    [
        ([1.5, 1], "whole numbers"),
        ([-1, 1], "whole numbers"),
        ([None, 1], "none missing"),
        (["1", "2"], "whole numbers"),
        ([2**62, 2**62], "64 bits"),
        ([2**63 - 1, 1], "64 bits"),
    ],
)
def test_counts_that_cannot_be_counts(counts, message):
    frame = pd.DataFrame({"k": ["a", "b"], "t": ["x", "y"], "n": counts})
    with pytest.raises(InputError, match=message):
        disclosure(frame, frame, ["k"], "t", counts="n")


def test_a_column_of_counts_is_on_both_sides_and_neither_key_nor_target():
    frame = pd.DataFrame({"k": ["a", "b"], "t": ["x", "y"], "n": [1, 2]})
    with pytest.raises(InputError, match="counts: 'm' is not a column of"):
        disclosure(frame, frame, ["k"], "t", counts="m")
    with pytest.raises(InputError, match="counts: 'n' is not a column of object"):
        disclosure(frame[["k", "t"]], frame, ["k"], "t", counts="n")
    with pytest.raises(InputError, match="keys: 'n' is not a column"):
        disclosure(frame, frame, ["n"], "t", counts="n")
    result = multi_disclosure(frame, frame, ["k"], counts="n", print_flag=False)
    assert list(result.output_list) == ["t"]


def test_no_result_holds_anything_as_long_as_the_data():
    rng = np.random.default_rng(1)
    n = 20_000
    frame = pd.DataFrame({"k": rng.integers(0, 9, n), "t": rng.integers(0, 3, n)})
    result = disclosure(frame, frame, ["k"], "t", print_flag=False)
    assert not [size for size in _array_sizes(result) if size >= n]


def _array_sizes(thing: object) -> list[int]:
    """Lengths of all arrays that can be reached from an object, closures included."""
    seen: set[int] = set()
    waiting, sizes = [thing], []
    while waiting:
        one = waiting.pop()
        if id(one) in seen or isinstance(one, (str, int, float, type, type(np))):
            continue
        seen.add(id(one))
        if isinstance(one, (np.ndarray, pd.DataFrame, pd.Series)):
            sizes.append(len(one))
        elif isinstance(one, dict):
            waiting += [*one.keys(), *one.values()]
        elif isinstance(one, (list, tuple, set, frozenset)):
            waiting += list(one)
        elif callable(one) and getattr(one, "__closure__", None):
            waiting += [cell.cell_contents for cell in one.__closure__]
        else:
            slots = [s for c in type(one).__mro__ for s in getattr(c, "__slots__", ())]
            waiting += [getattr(one, s) for s in slots if hasattr(one, s)]
            waiting += list(getattr(one, "__dict__", {}).values())
    return sizes


# ---- classes of very many records ----------------------------------------------------


def in_two_classes(records: int, **style) -> tuple[np.ndarray, float]:
    """A key of four values, each of so many records on either side, in two classes."""
    frame = pd.DataFrame({"k": [1, 2, 3, 4], "u": 0, "t": list("xxyy"), "n": records})
    keys = {"keys": ["k", "u"], "ngroups_keys": [2, 0]}
    result = disclosure(frame, frame, target="t", **keys, **COUNTED, **style)
    return result.groupings["k"].breaks, result.shares[0]["DiSCO"].percent


STYLES = [{"style": "quantile", "type": type} for type in range(1, 10)]
STYLES += [{"style": "sd"}, {"style": "equal"}, {"style": "pretty"}]
STYLES += [{"style": "fixed", "fixedBreaks": [1, 2.5, 4]}]


# from the second on both sides together exceed doubles, in the last two 64 bits as well
@pytest.mark.parametrize("records", [2**40, 2**50, 2**52 + 1, 2**60, 2**61 - 300])
@pytest.mark.parametrize("style", STYLES, ids=lambda style: "-".join(map(str, style.values())))
def test_classes_do_not_depend_on_how_many_records_there_are(records, style):
    found, share = in_two_classes(records, **style)
    expected, expected_share = in_two_classes(2**30, **style)
    assert share == expected_share
    # type 8: R's thirds are rounded, and the more so the higher the rank
    np.testing.assert_allclose(found, expected, rtol=1e-3)


@given(
    st.lists(st.tuples(st.sampled_from([1.0, 2, 2.5, 7, 9]), st.integers(1, 9)), min_size=3),
    st.sampled_from([2, 4, 8]),
    st.integers(1, 9),
)
def test_ranks_in_whole_numbers_are_those_in_doubles(rows, classes, type):
    """Doubles hold halves, quarters and eighths, so both ways must agree."""
    values, often = (np.array(column) for column in zip(*rows))
    in_doubles = class_breaks(values, classes, often=often, type=type)
    in_whole_numbers = class_breaks(values, classes, often=often, type=type, exact=True)
    if type == 8:  # doubles do not hold its thirds, and R's rank may fall just short of a whole one
        in_doubles, in_whole_numbers = apart(in_doubles), apart(in_whole_numbers)
    np.testing.assert_allclose(in_whole_numbers, in_doubles, rtol=SUMMATION)


def apart(found):
    """Breaks without those that rounding alone tells from the one before."""
    return found[np.append(True, np.diff(found) > 1e-12)]


def test_a_break_of_type_8_just_below_another_in_doubles():
    """Of 35 records the rank is 1/3 + (35 + 1/3) / 2 = 18, the first with a 7; doubles miss it."""
    values, often = np.array([1, 2.5, 7]), np.array([9, 8, 18])
    found = class_breaks(values, 2, often=often, type=8)
    assert len(found) == 3 and found[0] == 1 and found[2] == 7
    assert 0 < 7 - found[1] < 1e-12
