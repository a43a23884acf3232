"""`multi_disclosure()`: its table, its measures, R's defects beside the correct figures, its views
and its refusals, on tables small enough to check by hand.
"""

from __future__ import annotations

import html
import json
import math
import re
import warnings

import pandas as pd
import pytest

from synthpop_py import (
    DataWarning,
    InputError,
    MultiDisclosure,
    RDefectWarning,
    SynDS,
    disclosure,
    disclosure_summary,
    multi_disclosure,
)

# Keys of the original (a,u) three times, (b,u), (b,v), (c,u), (d,u) twice: 8 records; of the
# synthetic data (a,u) twice, (b,v), (c,u) twice, (e,u).
# Unique in the original are (b,u), (b,v), (c,u): UiO 3/8. Of these (b,v) and (c,u) are found, UiOiS
# 2/8, and only (b,v) is unique there too, repU 1/8.
# Five original records have keys that the synthetic data have: (a,u) three times, (b,v), (c,u).
ORIGINAL = pd.DataFrame(
    {
        "k1": list("aaabbcdd"),
        "k2": list("uuuuvuuu"),
        "t": list("xxyxyyxy"),
        "s": list("ppppqqqq"),
        "w": ["o"] * 8,
        "z": ["g"] * 8,
    }
)
SYNTHETIC = pd.DataFrame(
    {
        "k2": list("uuvuuu"),
        "s": list("ppqqqp"),
        "k1": list("aabcce"),
        "w": ["o"] * 6,
        "t": list("xxyxyx"),
        "z": ["h"] * 6,
    }
)
KEYS = ["k1", "k2"]

# target: Dorig, DiSCO, DiSDiO, CAPd, DCAPd, all of 8 original records
# t: (a,u) x x y, (b,u) x, (b,v) y, (c,u) y, (d,u) x y; synthetic (a,u) x x, (b,v) y, (c,u) x y,
# (e,u) x certain in the original (b,u), (b,v), (c,u); correct are the two x of (a,u) and (b,v), of
# which only (b,v) was certain
# CAPd 5/3 for (a,u), 1 for each of (b,u), (b,v), (c,u), 1 for (d,u); DCAPd 2 for (a,u), 1 for
# (b,v), a half for (c,u)
#   s: one level a key combination on both sides, and the same one: everything found is correct
#   w: one level everywhere, likewise
#   z: one level everywhere, but another one: everything is certain and nothing correct
MEASURES = {
    "t": (3, 3, 1, 5 / 3 + 4, 3.5),
    "s": (8, 5, 5, 8, 5),
    "w": (8, 5, 5, 8, 5),
    "z": (8, 0, 0, 8, 0),
}
COLUMNS = ["attrib.orig", "attrib.syn", "check1", "Npairs", "check2", "left_out"]


def percent(records: float, of: int = 8) -> float:
    return pytest.approx(100 * records / of)


def multi(
    synthetic=SYNTHETIC, original=ORIGINAL, keys=KEYS, targets=None, **arguments
) -> MultiDisclosure:
    return multi_disclosure(
        synthetic,
        original,
        keys,
        targets,
        **{"compat": "corrected", "print_flag": False, **arguments},
    )


def refused(message: str, *args, **arguments) -> None:
    with pytest.raises(InputError, match=message):
        multi(*args, **arguments)


# ---- the table -----------------------------------------------------------------------


@pytest.mark.parametrize("compat", ["r", "r-1.9-2", "corrected"])
def test_least_risky_first_and_ties_in_the_order_asked(compat):
    # DiSCO: z 0, t 3/8, s and w 5/8
    result = multi(compat=compat)
    table = result.attrib_table
    assert list(table.index) == list("ztsw") and list(table) == COLUMNS
    assert result.r_labels() == ["1 z", "2 t", "3 s", "4 w"]
    assert table["attrib.syn"].tolist() == [percent(n) for n in (0, 3, 5, 5)]
    assert table["attrib.orig"].tolist() == [percent(n) for n in (8, 3, 8, 8)]
    assert (
        table["check1"].tolist() == table["check2"].tolist() == [""] * 4
        and table["Npairs"].tolist() == [0] * 4
    )
    assert multi(targets=["w", "s"]).r_labels() == ["1 w", "2 s"]


@pytest.mark.parametrize("n, first, last", [(9, "1 v0", "9 v8"), (10, "01 v0", "10 v9")])
def test_ranks_are_as_wide_as_the_number_of_targets(n, first, last):
    copies = {f"v{i}": ORIGINAL["t"] for i in range(n)}
    frame = ORIGINAL[KEYS].assign(**copies)
    labels = multi(frame, frame).r_labels()
    assert (labels[0], labels[-1], len(labels)) == (first, last, n)


# three records (a,z) x and one (b,z) y, synthesised as they are: 4 disclosive records, 3 of them x,
# in the pairs x|a and x|z
FOUR = pd.DataFrame({"k1": list("aaab"), "k2": ["z"] * 4, "t": list("xxxy")})
ONE_WAY, TWO_WAY = {"thresh_1way": (2, 74)}, {"thresh_2way": (2, 70)}
NO_ONE_WAY, NO_TWO_WAY = {"thresh_1way": (9, 99)}, {"thresh_2way": (9, 99)}


@pytest.mark.parametrize(
    "thresholds, row",
    [
        (NO_ONE_WAY | NO_TWO_WAY, ["1 t", "", 0, ""]),
        (ONE_WAY | NO_TWO_WAY, ["1 t 1way checks", "x", 0, ""]),
        (NO_ONE_WAY | TWO_WAY, ["1 t 2way checks", "", 2, "2 pairs"]),
        (
            NO_ONE_WAY | {"thresh_2way": (2, 90)},
            ["1 t 2way checks", "", 1, "1 pair"],
        ),  # x|z is 3 of 4 records with z
        (ONE_WAY | TWO_WAY, ["1 t 1&2way checks", "x", 2, "2 pairs"]),
    ],
)
def test_flags(thresholds, row):
    result = multi(FOUR, FOUR, **thresholds)
    flags = result.attrib_table.loc["t", ["check1", "Npairs", "check2"]]
    assert [*result.r_labels(), *flags] == row


# ---- measures ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "measure, columns", [("DiSCO", (0, 1)), ("DiSDiO", (0, 2)), ("DCAP", (3, 4))]
)
def test_attribute_measures(measure, columns):
    result = multi(attrib_meas=measure)
    for target, figures in result.attrib_table[["attrib.orig", "attrib.syn"]].iterrows():
        assert tuple(figures) == tuple(percent(MEASURES[target][c]) for c in columns)
    assert result.attrib_meas == measure


# baseCAPd: x and y have 4 records each, (4² + 4²)/8 of 8; w has one level
@pytest.mark.parametrize("measure, t, w", [("repU", 1, 1), ("UiSiO", 2, 2), ("baseCAPd", 4, 8)])
def test_identity_measures(measure, t, w):
    result = multi(targets=["w", "t"], ident_meas=measure)
    assert result.ident_orig == [percent(3)] * 2 and result.ident_syn == [percent(w), percent(t)]
    assert result.ident_meas == measure


def test_averages_over_syntheses():
    # the second synthesis is the original: repU 3/8 as UiO, s correct for all 8 records, t for the
    # three certain ones
    result = multi([SYNTHETIC, ORIGINAL], targets=["t", "s"])
    assert result.m == 2
    assert result.ident_syn == [percent((1 + 3) / 2)] * 2
    assert [attrib_syn(result, i) for i in range(2)] == [percent((3 + 3) / 2), percent((5 + 8) / 2)]


def test_syntheses_of_unequal_length():
    few = SYNTHETIC.iloc[
        :2
    ]  # (a,u) x x only: correct for two of t, for three of s; nobody unique is found
    result = multi(SynDS([SYNTHETIC, few]), targets=["t", "s"])
    assert [attrib_syn(result, i) for i in range(2)] == [percent((3 + 2) / 2), percent((5 + 3) / 2)]
    assert result.ident_syn == [percent(1 / 2)] * 2
    assert [r.Nsyn for r in result.output_list.values()] == [(6, 2)] * 2


@pytest.mark.parametrize(
    "synthetic",
    [SYNTHETIC, [SYNTHETIC], SynDS(SYNTHETIC), SynDS([SYNTHETIC])],
    ids=["frame", "list", "SynDS", "SynDS of a list"],
)
def test_one_synthesis_in_any_form(synthetic):
    assert multi(synthetic).attrib_table.equals(multi().attrib_table)


# ---- which targets, which keys -------------------------------------------------------


def test_targets_are_all_other_columns_of_both_in_the_order_of_the_synthetic():
    assert multi().targets == ("s", "w", "t", "z") == tuple(multi().output_list)
    assert multi(SYNTHETIC.drop(columns="w")).targets == ("s", "t", "z")


def test_names_and_positions_count_in_the_original():
    assert multi(targets=[4, 3]).targets == multi(targets=["s", "t"]).targets == ("s", "t")
    assert multi(targets="t").targets == multi(targets=3).targets == ("t",)
    assert multi(keys=[1, 2], targets="t").keys == ("k1", "k2")


def test_keys_in_the_order_of_the_data_and_once():
    assert multi(keys=["k2", "k1", "k2"], targets="t").keys == ("k1", "k2")


def test_names_that_are_numbers():
    frame = pd.DataFrame({0: list("aab"), 7: list("xxy")})
    assert multi(frame, frame, [0]).targets == (7,)
    refused(
        "targets: none left; name at least one column that both data have",
        frame.rename(columns={7: 2}),
        frame,
        [0],
    )  # not the second column


def test_levels_to_leave_out_by_target_or_by_position():
    by_position = multi(targets=["s", "t", "w"], not_targetslev=["", "y", "o"])
    by_target = multi(targets=["s", "t", "w"], not_targetslev={"w": "o", "t": "y"})
    assert by_target.to_dict() == by_position.to_dict()
    assert by_target.to_dict() != multi(targets=["s", "t", "w"]).to_dict()
    assert multi(not_targetslev={}).to_dict() == multi().to_dict()


def test_without_targets_a_column_of_one_side_is_left_out_and_named(capsys):
    result = multi_disclosure(
        SYNTHETIC.assign(id=range(len(SYNTHETIC))),
        ORIGINAL.drop(columns="w"),
        KEYS,
        compat="corrected",
    )
    said = ("Only in the synthetic data, so no target: w, id.",)
    assert result.targets == ("s", "t", "z") and result.notes[:1] == said
    (of_z,) = result.notes[1:]
    assert of_z.startswith("object, column 'z': no value in common with the original data")
    assert capsys.readouterr().out.splitlines()[0] == said[0]
    assert said[0] in repr(result) and said[0] in result._repr_html_()
    assert result.to_dict()["notes"] == [*said, of_z]
    # a figure is not shown without what makes it misleading
    assert printed(result, capsys, to_print="ident").startswith(said[0])


def test_columns_of_the_original_alone_and_of_some_sets_are_named_too(capsys):
    sets = [SYNTHETIC.drop(columns="w"), SYNTHETIC.drop(columns=["w", "z"])]
    result = multi(sets)
    assert result.targets == ("s", "t")
    assert result.notes == (
        "Only in the original data, so no target: w.",
        "Only in some of the synthetic data sets, so no target: z.",
    )


def test_special_values_of_a_column_that_the_original_lacks_do_no_harm():
    """A SynDS brings them for all its columns; those that the user gives must be there."""
    brought = SynDS(SYNTHETIC.assign(income=-8.0), cont_na={"income": -8})
    assert multi(brought).targets == ("s", "w", "t", "z")
    refused(
        "cont_na: 'income' is not a column of the original data", brought, cont_na={"income": -8}
    )


def test_targets_that_are_named_need_no_word_about_other_columns(capsys):
    extra = SYNTHETIC.assign(id=1)
    alike = {"synthetic": SYNTHETIC.drop(columns="z"), "original": ORIGINAL.drop(columns="z")}
    assert multi(extra, targets="t").notes == () == multi(**alike).notes
    refused("targets: 'id' is not a column of the original data", extra, targets=["id"])


def test_facts_of_the_call():
    result = multi(
        targets=["t", "s"],
        digits=3,
        denom_lim=7,
        exclude_ov_denom_lim=True,
        usekeysNA=[True, False],
        usetargetsNA=[False, True],
    )
    assert (
        result.keys,
        result.Norig,
        result.m,
        result.digits,
        result.denom_lim,
        result.exclude_ov_denom_lim,
    ) == (("k1", "k2"), 8, 1, 3, 7, True)
    assert (result.usekeysNA, result.usetargetsNA, result.compat) == (
        (True, False),
        (False, True),
        "corrected",
    )
    assert (result.defects, result.corrected, result.touched) == ((), None, False)


# ---- the results of single targets ---------------------------------------------------

WITH_GAPS = ORIGINAL.assign(
    k1=["a", "a", "a", "b", None, "c", "d", "d"],
    t=["x", "x", "y", "x", "y", None, "x", "y"],
    n=[1.0, 2, 3, 4, 5, 6, 7, 8],
)
SYN_WITH_GAPS = SYNTHETIC[list(ORIGINAL)].assign(
    k1=["a", "a", None, "c", "c", "e"], t=["x", "x", "y", "x", None, "x"], n=[1.0, 2, 5, 6, 6, 8]
)
PER_TARGET = {
    "not_targetslev": ["x", "", ""],
    "usetargetsNA": [False, True, True],
    "ngroups_targets": [0, 0, 4],
    "exclude_keys": [None, ["k2"], []],
    "exclude_keylevs": [None, ["v"], []],
    "exclude_targetlevs": [None, ["q"], []],
}
ALONE = {
    "t": {"not_targetlev": "x", "usetargetNA": False},
    "s": {"exclude_keys": ["k2"], "exclude_keylevs": ["v"], "exclude_targetlevs": ["q"]},
    "n": {"ngroups_target": 4},
}
FRAMES = ("ident", "attrib", "allCAPs", "attrib_denoms")


def assert_same_figures(one, other) -> None:
    assert one.tidy().equals(other.tidy())
    for name in FRAMES:
        if getattr(one, name) is not None:
            pd.testing.assert_frame_equal(getattr(one, name), getattr(other, name))
    for name in ("check_1way", "check_2way", "Nexclusions"):
        for a, b in zip(getattr(one, name), getattr(other, name), strict=True):
            assert (a is None) == (b is None) and (a is None or a.equals(b))
    assert (one.check1, one.check2, one.Norig, one.Nsyn, one.keys, one.target) == (
        other.check1,
        other.check2,
        other.Norig,
        other.Nsyn,
        other.keys,
        other.target,
    )


def test_each_target_as_if_asked_alone():
    synthetic, common = (
        SynDS([SYN_WITH_GAPS, WITH_GAPS]),
        {"thresh_1way": (0, 40), "thresh_2way": (0, 40), "usekeysNA": [False, True]},
    )
    result = multi(synthetic, WITH_GAPS, targets=list(ALONE), **PER_TARGET, **common)
    for target, arguments in ALONE.items():
        alone = disclosure(
            synthetic,
            WITH_GAPS,
            KEYS,
            target,
            print_flag=False,
            compat="corrected",
            **arguments,
            **common,
        )
        assert_same_figures(result.output_list[target], alone)


@pytest.mark.parametrize("compat", ["r", "r-1.9-2"])
@pytest.mark.filterwarnings("ignore::synthpop_py.RDefectWarning")
def test_each_target_as_if_asked_alone_of_r(compat):
    # without the exclusions, which R's summary garbles (D32)
    arguments = {n: v for n, v in PER_TARGET.items() if not n.startswith("exclude")}
    result = multi(SynDS(SYN_WITH_GAPS), WITH_GAPS, targets=list(ALONE), compat=compat, **arguments)
    for target in ALONE:
        own = {n: v for n, v in ALONE[target].items() if not n.startswith("exclude")}
        assert_same_figures(
            result.output_list[target],
            disclosure(
                SynDS(SYN_WITH_GAPS),
                WITH_GAPS,
                KEYS,
                target,
                print_flag=False,
                compat=compat,
                **own,
            ),
        )


def test_special_values():
    # the special value 8 stands apart from the four classes of the others
    result = multi(SYN_WITH_GAPS, WITH_GAPS, targets="n", ngroups_targets=4, cont_na={"n": 8})
    alone = disclosure(
        SYN_WITH_GAPS,
        WITH_GAPS,
        KEYS,
        "n",
        ngroups_target=4,
        cont_na={"n": 8},
        print_flag=False,
        compat="corrected",
    )
    assert_same_figures(result.output_list["n"], alone)
    assert "8" in result.output_list["n"].groupings["n"].labels


# targets 1, 2, 10; the synthesis lacks the 2. R sorts the synthetic table as text (1, 10, 2) and
# the original by value (1, 2, 10), so its 10 meets the original 2: DiSCO 1 of 3 instead of 2 of 3
# (D1)
NUMBERS = pd.DataFrame(
    {"k1": list("abc"), "k2": ["z"] * 3, "t": [1, 2, 10], "s": ["x"] * 3, "w": ["x"] * 3}
)
LACKS_TWO = NUMBERS.iloc[[0, 2]]


# ---- R's defects beside the correct figures --------------------------------------------


def row(result: MultiDisclosure, number: int = 0) -> tuple:
    """The row of a target; NaN as None, so that rows compare."""
    table = result.attrib_table.loc[result.targets[number]]
    figures = (result.ident_orig[number], result.ident_syn[number])
    figures += (table["attrib.orig"], table["attrib.syn"], table["Npairs"])
    return tuple(None if isinstance(v, float) and math.isnan(v) else v for v in figures)


def attrib_syn(result: MultiDisclosure, number: int = 0) -> float:
    return result.attrib_table.at[result.targets[number], "attrib.syn"]


# D2: the key p is missing for one of two records, q never. Asked in the order q, p with False for q
# nothing is left out; R gives the False to p.
GAP = pd.DataFrame({"p": [None, "b"], "q": list("uv"), "t": list("xy")})
D2 = dict(synthetic=SynDS(GAP), original=GAP, keys=["q", "p"], usekeysNA=[False, True])
# D3: in the synthesis neighbours swapped their p. With p in four classes of two every record is
# found and correct; R makes classes of q, and every record finds its neighbour's target.
PQ = pd.DataFrame(
    {"p": [1, 2, 3, 4, 5, 6, 7, 8], "q": [1, 2, 3, 4, 5, 6, 7, 8], "t": list("ABABABAB")}
)
D3 = dict(
    synthetic=SynDS(PQ.assign(p=[2, 1, 4, 3, 6, 5, 8, 7])),
    original=PQ,
    keys=["q", "p"],
    ngroups_keys=[0, 4],
)
# D29: repU 1/8 in the first synthesis, 3/8 in the second
D29 = dict(synthetic=SynDS([SYNTHETIC, ORIGINAL[SYNTHETIC.columns]]), targets=["t"])
# D32: k1=N with Y is to be left out: one record of (N,z), which holds both levels. DiSCO is the two
# of (Y,z) all the same. R leaves out k1=Y with Y.
YN = pd.DataFrame({"k1": list("YYNN"), "k2": ["z"] * 4, "t": list("YYYN")})
PAIR = {"exclude_keys": [["k1"]], "exclude_keylevs": [["N"]], "exclude_targetlevs": [["Y"]]}
D32 = dict(synthetic=SynDS(YN), original=YN, **PAIR)
# the same for a plain frame: R leaves out nothing. With k1=Y and Y to be left out, no disclosive
# record remains.
D32_PLAIN = dict(synthetic=YN, original=YN, **{**PAIR, "exclude_keylevs": [["Y"]]})

BOTH_R, ONLY_R = ("r", "r-1.9-2"), ("r",)
# defect: arguments, modes that show it, name of the figure, R's, the correct one
DEFECTS = {
    "D1": (
        dict(synthetic=LACKS_TWO, original=NUMBERS, targets=["t"]),
        BOTH_R,
        "attrib_syn",
        percent(1, 3),
        percent(2, 3),
    ),
    "D2": (D2, BOTH_R, "attrib_syn", 50, 100),
    "D3": (D3, BOTH_R, "attrib_syn", 0, 100),
    "D29": (D29, BOTH_R, "ident_syn", 12.5, 25),
    "D30": (dict(synthetic=FOUR, original=FOUR, **TWO_WAY), BOTH_R, "npairs", 1, 2),
    "D31 UiSiO": (dict(targets=["t"], ident_meas="UiSiO"), BOTH_R, "ident_syn", None, 25),
    "D31 baseCAPd": (dict(targets=["t"], ident_meas="baseCAPd"), BOTH_R, "ident_syn", None, 50),
    "D31 DiSDiO": (dict(targets=["t"], attrib_meas="DiSDiO"), BOTH_R, "attrib_orig", None, 37.5),
    "D32": (D32, BOTH_R, "attrib_syn", 0, 50),
    "D32 plain frame": (D32_PLAIN, BOTH_R, "attrib_syn", 50, 0),
    "D42": (dict(targets=["t"], attrib_meas="DCAP"), ONLY_R, "attrib_syn", None, 43.75),
}
FIGURES = ("ident_orig", "ident_syn", "attrib_orig", "attrib_syn", "npairs")
SHOWN = [(name, mode) for name, case in DEFECTS.items() for mode in case[1]]


@pytest.mark.parametrize("name, mode", SHOWN)
def test_r_s_figure_with_the_correct_one(name, mode):
    arguments, _, figure, r, correct = DEFECTS[name]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = multi(compat=mode, **arguments)
    if name == "D30":  # cosmetic: listed, shown, and no reason to warn
        assert not caught
    else:
        (told,) = caught
        assert told.category is RDefectWarning
        assert re.search(rf"{name.split()[0]}, .*\.corrected", str(told.message))
    place = FIGURES.index(figure)
    assert (row(result)[place], row(result.corrected)[place]) == (r, correct)
    assert (result.compat, result.corrected.compat, result.touched) == (mode, "corrected", True)
    assert set(result.corrected.output_list) == set(result.targets)
    found = {d.id for d in result.defects} | {
        d.id for one in result.output_list.values() for d in one.defects
    }
    assert name.split()[0] in found
    for text in (repr(result), result._repr_html_()):
        assert name.split()[0] in text and "corrected" in text


@pytest.mark.parametrize("name", DEFECTS)
def test_the_correct_figure_without_a_warning(name):
    arguments, modes, figure, _, correct = DEFECTS[name]
    for mode in ("corrected", *({"r", "r-1.9-2"} - set(modes))):  # D42 is new in 1.9-3
        result = multi(compat=mode, **arguments)
        assert row(result)[FIGURES.index(figure)] == correct
        assert (result.defects, result.corrected, result.touched) == ((), None, False)


@pytest.mark.parametrize("name, mode", SHOWN)
@pytest.mark.filterwarnings("ignore::synthpop_py.RDefectWarning")
def test_the_correct_summary_is_that_of_corrected(name, mode):
    arguments = DEFECTS[name][0]
    beside, alone = multi(compat=mode, **arguments).corrected, multi(**arguments)
    assert [row(beside, i) for i in range(len(beside.targets))] == [
        row(alone, i) for i in range(len(alone.targets))
    ]
    assert beside.attrib_table.equals(alone.attrib_table) and beside.to_dict() == alone.to_dict()
    for target in alone.targets:
        assert_same_figures(beside.output_list[target], alone.output_list[target])


def test_several_defects_at_once():
    with pytest.warns(RDefectWarning):
        result = multi(FOUR, FOUR, compat="r", ident_meas="UiSiO", attrib_meas="DCAP", **TWO_WAY)
    assert [d.id for d in result.defects] == ["D30", "D31", "D42"]
    _, ident_syn, _, disclosed, pairs = row(result)
    assert (pairs, ident_syn, disclosed) == (1, None, None)
    _, ident_syn, _, disclosed, pairs = row(result.corrected)
    assert (pairs, ident_syn, disclosed) == (2, 25, 100)


@pytest.mark.parametrize("mode", BOTH_R)
def test_figures_behind_the_summary_are_not_forgotten(mode):
    # (N,z) holds Y and N, so leaving out its Y moves neither Dorig nor DiSCO; but iS falls from 4/4
    # to 3/4
    with pytest.warns(RDefectWarning, match="D32"):
        result = multi(YN, YN, compat=mode, **PAIR)
    assert row(result) == row(result.corrected) and result.defects == ()
    one = result.output_list["t"]
    tidy = one.tidy().set_index("measure")
    assert [d.id for d in one.defects] == ["D32"] and one.corrected is result.corrected.output_list[
        "t"
    ]
    assert tuple(tidy.loc["iS", ["value", "corrected"]]) == (100, 75)


@pytest.mark.parametrize("mode", BOTH_R)
def test_a_target_s_defect_is_told_also_where_the_correct_call_is_refused(mode):
    # cont_na: 77 never occurs, which only compat="corrected" minds (D25)
    with (
        pytest.warns(RDefectWarning, match="D1, tables compared by position"),
        pytest.warns(DataWarning, match="cont_na: 77 does not occur"),
    ):
        result = multi(LACKS_TWO, NUMBERS, targets=["t"], cont_na={"t": [77, 1]}, compat=mode)
    assert result.touched and result.corrected is None
    assert [d.id for d in result["t"].defects] == ["D1"]
    for view in (repr(result), result._repr_html_()):
        said = " ".join(html.unescape(view).split())
        assert "t: under the corrected reading this call is invalid: cont_na: 77" in said
        assert "mistake (D1)" in said
    refused("cont_na: 77 does not occur", LACKS_TWO, NUMBERS, targets=["t"], cont_na={"t": [77, 1]})


def test_a_call_that_fits_only_as_r_misreads_it():
    # R ignores exclusions for a plain frame, and so does not mind that the levels are lacking
    with pytest.warns(
        RDefectWarning, match="under the corrected reading this call is invalid: exclude_keys"
    ) as caught:
        result = multi(YN, YN, exclude_keys=[["k1"]], compat="r")
    assert [d.id for d in result["t"].defects] == ["D32"] and result.corrected is None
    assert "none" not in str(caught[0].message)
    for view in (repr(result), result._repr_html_()):
        assert "under the corrected reading this call is invalid" in " ".join(view.split())
        assert "(D32)" in view


def test_where_r_refuses_a_good_exclusion_it_is_done_as_asked():
    """R takes the target's level x for a level of k1 (D32) and stops."""
    exclusions = {
        "exclude_keys": [["k1"]],
        "exclude_keylevs": [["a"]],
        "exclude_targetlevs": [["x"]],
    }
    with pytest.warns(RDefectWarning) as caught:
        r, correct = (
            multi(SynDS(SYNTHETIC), targets=["t"], compat=mode, **exclusions)
            for mode in ("r", "corrected")
        )
    assert "D32" not in str(caught[0].message)
    assert r.output_list["t"].Nexclusions[0].equals(correct.output_list["t"].Nexclusions[0])


def test_without_defects_nothing_is_said():
    result = multi(SynDS(SYNTHETIC), compat="r")
    assert (result.defects, result.corrected, result.touched) == (
        (),
        None,
        False,
    ) and "correct" not in repr(result)


# ---- other shapes --------------------------------------------------------------------


def test_tidy():
    tidy = multi([SYNTHETIC, ORIGINAL], targets=["t", "s"]).tidy()
    assert list(tidy) == [
        "target",
        "synthesis",
        "measure",
        "value",
        "numerator",
        "denominator",
        "base",
        "left_out",
        "corrected",
        "defect",
        "unit",
        "direction",
    ]
    assert list(dict.fromkeys(tidy["target"])) == ["t", "s"] and tidy.index.tolist() == list(
        range(len(tidy))
    )
    found = tidy[tidy["measure"] == "DiSCO"]
    assert found[["target", "synthesis", "numerator", "denominator"]].values.tolist() == [
        ["t", 1, 3, 8],
        ["t", 2, 3, 8],
        ["s", 1, 5, 8],
        ["s", 2, 8, 8],
    ]


@pytest.mark.filterwarnings("ignore::synthpop_py.RDefectWarning")
def test_to_dict_holds_what_json_can():
    result = multi(targets=["t", "s"], attrib_meas="DCAP", compat="r")
    content = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert content == result.to_dict()
    assert (
        content["what"],
        content["compat"],
        content["r_version"],
        content["keys"],
        content["m"],
    ) == ("synthpop_py.MultiDisclosure", "r", "1.9-3", KEYS, 1)
    assert [r["target"] for r in content["rows"]] == ["t", "s"] == list(content["output_list"])
    assert content["rows"][1] == {
        "target": "s",
        "ident_orig": 37.5,
        "ident_syn": 12.5,
        "attrib_orig": 100.0,
        "attrib_syn": "NaN",
        "check1": None,
        "npairs": 0,
        "check2": None,
        "left_out": 0,
        "remaining": 8,
    }
    assert (
        content["corrected"]["rows"][1]["attrib_syn"] == 62.5
        and content["corrected"]["corrected"] is None
    )
    assert "D42" in json.dumps(content["defects"])
    assert content["output_list"]["t"]["what"] == "synthpop_py.Disclosure"


def test_to_dict_with_names_that_are_no_texts():
    names = {"t": pd.Timestamp("2020-01-01"), "k1": ("k", 1)}
    content = multi(
        SYNTHETIC.rename(columns=names), ORIGINAL.rename(columns=names), [("k", 1), "k2"]
    ).to_dict()
    json.dumps(content, allow_nan=False)
    assert content["keys"] == ["('k', 1)", "k2"] and "2020-01-01 00:00:00" in [
        r["target"] for r in content["rows"]
    ]


def test_a_tuple_may_be_a_name():
    names = {"t": ("t", 1), "k1": ("k", 1)}
    result = multi(
        SYNTHETIC.rename(columns=names), ORIGINAL.rename(columns=names), ("k", 1), ("t", 1)
    )
    assert (result.keys, result.targets) == ((("k", 1),), (("t", 1),))


# ---- literal views -------------------------------------------------------------------

TEXT = """\
Identity risk from keys k1, k2, in % of 8 original records (higher is riskier):
  original  (UiO)  37.50
  synthetic (repU) 12.50

Attribute risk of each target, in % of original records, least risky first (attrib.orig: Dorig,
attrib.syn: DiSCO):
    attrib.orig attrib.syn check1 Npairs check2
1 t        37.5       37.5             0
2 s       100.0       62.5             0"""

HEADINGS = (
    '<thead><tr><td></td><th scope="col" class="number">attrib.orig</th><th scope="col"'
    ' class="number">attrib.syn</th><th scope="col">check1</th><th scope="col"'
    ' class="number">Npairs</th><th scope="col">check2</th></tr></thead>'
)


def html_row(label: str, original: str, synthetic: str) -> str:
    return (
        f'<tr><th scope="row">{label}</th><td class="number">{original}</td>'
        f'<td class="number">{synthetic}</td><td></td><td class="number">0</td><td></td></tr>'
    )


IDENTITY_HTML = (
    "<p>Identity risk from keys k1, k2, in % of 8 original records (higher is riskier):</p><ul><li>"
    "original  (UiO)  37.50</li><li>synthetic (repU) 12.50</li></ul>"
)
HTML = (
    f'<div class="synthpop-py"><section>{IDENTITY_HTML}</section>\n<section><div class="wide">'
    "<table><caption>Attribute risk of each target, in % of original records, least risky first"
    f" (attrib.orig: Dorig, attrib.syn: DiSCO)</caption>{HEADINGS}<tbody>"
    f"{html_row('1 t', '37.5', '37.5')}{html_row('2 s', '100.0', '62.5')}</tbody></table></div>"
    "</section></div>"
)

FLAGGED = """\
Identity risk from keys k1, k2, in % of 4 original records, averaged over 2 syntheses (higher is
riskier):
  original  (UiO)  25.00
  synthetic (repU) 25.00

Attribute risk of each target, in % of original records, least risky first (attrib.orig: Dorig,
attrib.syn: DiSCO):
                  attrib.orig attrib.syn check1 Npairs  check2
1 t 1&2way checks         100        100      x      2 2 pairs

Check t: part of its risk may be common knowledge. .output_list[target].print(['check_1way',
'check_2way']) shows it."""

BOTH = """\
Identity risk from keys k1, k2, in % of 8 original records (higher is riskier):
  original  (UiO)  37.50
  synthetic (repU) 12.50

Attribute risk of each target, in % of original records, in the order asked for (attrib.orig: CAPd,
attrib.syn: DCAP; R gives none: D42; correct: without R's defects):
    attrib.orig attrib.syn correct.syn check1 Npairs check2
1 t       70.83        NaN       43.75             0

R's synthpop 1.9-3 reports DCAP of t none; 43.75 % is correct (D42).
Why: .defects. The correct result: .corrected, or compat='corrected'."""

DCAP_OF_R = (
    "<caption>Attribute risk of each target, in % of original records, in the order asked for"
    " (attrib.orig: CAPd, attrib.syn: DCAP; R gives none: D42; correct: without R&#x27;s defects)"
    "</caption>"
)
PLAIN = '<th scope="col">check1</th>'
WITH_CORRECT = HEADINGS.replace(PLAIN, f'<th scope="col" class="number">correct.syn</th>{PLAIN}')
BOTH_HTML = (
    f'<div class="synthpop-py"><section>{IDENTITY_HTML}</section>\n<section><div class="wide">'
    f"<table>{DCAP_OF_R}{WITH_CORRECT}<tbody>"
    '<tr><th scope="row">1 t</th><td class="number">70.83</td><td class="number">NaN</td>'
    '<td class="number">43.75</td><td></td><td class="number">0</td><td></td></tr></tbody></table>'
    "</div></section>\n<section><p>R&#x27;s synthpop 1.9-3 reports DCAP of t none; 43.75 % is"
    " correct (D42).</p><p>Why: .defects. The correct result: .corrected, or"
    " compat=&#x27;corrected&#x27;.</p></section></div>"
)


def trimmed(text: str) -> str:
    """Without the blanks at the end of lines, where R's last column is empty."""
    return "\n".join(line.rstrip() for line in text.split("\n"))


def test_repr_and_html():
    result = multi(targets=["t", "s"])
    assert trimmed(repr(result)) == trimmed(str(result)) == TEXT and result._repr_html_() == HTML


def test_print(capsys):
    assert multi(targets=["t", "s"]).print() is None
    assert trimmed(capsys.readouterr().out) == TEXT + "\n"


def test_print_flagged():
    assert trimmed(repr(multi([FOUR, FOUR], FOUR, **ONE_WAY, **TWO_WAY))) == FLAGGED


def test_print_both_figures():
    with pytest.warns(RDefectWarning):
        result = multi(targets=["t"], attrib_meas="DCAP", compat="r")
    assert trimmed(repr(result)) == BOTH and result._repr_html_() == BOTH_HTML


def test_html_shows_both_identity_figures():
    with pytest.warns(RDefectWarning):
        shown = multi(compat="r", **D29)._repr_html_()
    assert "<li>synthetic (repU) 12.50 (R; correct: 25.00)</li>" in shown
    assert "reports repU 12.50 %; 25.00 % is correct (D29)." in shown


def test_decimals(capsys):
    # 5/3 + 4 of 8 is 70.8333...
    multi(targets=["t"], attrib_meas="DCAP").print(digits=1)
    assert "70.8 " in capsys.readouterr().out
    assert "70.8333 " in repr(multi(targets=["t"], attrib_meas="DCAP", digits=4))
    with pytest.raises(InputError, match="digits: -1"):
        multi(targets=["t"]).print(digits=-1)


def test_html_escapes_names():
    frame = FOUR.rename(columns={"t": "<t>"})
    assert "&lt;t&gt;" in multi(frame, frame)._repr_html_()


# ---- the older name ------------------------------------------------------------------


def test_disclosure_summary_is_the_same():
    old = disclosure_summary(
        SYNTHETIC, ORIGINAL, KEYS, ["t", "s"], compat="corrected", print_flag=False
    )
    assert isinstance(old, MultiDisclosure) and old.to_dict() == multi(targets=["t", "s"]).to_dict()
    with pytest.raises(TypeError, match="unexpected keyword argument 'target'"):
        disclosure_summary(SYNTHETIC, ORIGINAL, KEYS, target=["t"])


@pytest.mark.parametrize(
    "name", ["not_target", "not_targetlev", "ngroups_target", "usetargetNA", "target", "foo"]
)
def test_older_names_of_arguments_and_names_that_never_were(name):
    with pytest.raises((TypeError, InputError), match=name):
        multi(**{name: "t"})


# ---- bad input -----------------------------------------------------------------------

TWO = {"targets": ["t", "s"]}
BAD = {
    "usetargetsNA too long": (
        TWO | {"usetargetsNA": [True] * 3},
        r"usetargetsNA: 3 values given; give one, or one for each of the 2 targets \(t, s\)",
    ),
    "usetargetsNA no flag": (
        TWO | {"usetargetsNA": "yes"},
        "usetargetsNA: 'yes' is neither True nor False",
    ),
    "ngroups_targets too long": (
        TWO | {"ngroups_targets": [0, 0, 4]},
        "ngroups_targets: 3 values given",
    ),
    "ngroups_targets no number": (
        TWO | {"ngroups_targets": "four"},
        "ngroups_targets: 'four' is not a number of groups",
    ),
    "ngroups_targets of one": (
        TWO | {"ngroups_targets": [0, 1]},
        "ngroups_targets: 1 group would hide everything",
    ),
    "not_targetslev too short": (
        TWO | {"not_targetslev": ["x"]},
        r"not_targetslev: \['x'\]; give one text for each of the 2 targets \(t, s\), '' for none",
    ),
    "not_targetslev too long": (
        TWO | {"not_targetslev": ["x", "", ""]},
        "not_targetslev.*one text for each",
    ),
    "not_targetslev empty": (TWO | {"not_targetslev": []}, "not_targetslev.*one text for each"),
    "not_targetslev numbers": (
        TWO | {"not_targetslev": [1, 2]},
        "not_targetslev.*one text for each",
    ),
    "not_targetslev None inside": (
        TWO | {"not_targetslev": ["x", None]},
        "not_targetslev.*one text for each",
    ),
    "not_targetslev of another target": (
        TWO | {"not_targetslev": {"T": "x"}},
        "not_targetslev: 'T' is not one of the targets; did you mean 't'",
    ),
    "not_targetslev of several levels": (
        TWO | {"not_targetslev": {"t": ["x", "y"]}},
        "not_targetslev: .*one text for each .*or a mapping of targets to texts",
    ),
    "exclude_keys too short": (
        TWO | {"exclude_keys": [["k1"]]},
        (r"exclude_keys: 1 values given; give a list for each of the 2 targets \(t, s\)"),
    ),
    "exclude_keylevs too long": (
        TWO | {"exclude_keylevs": [None] * 3},
        "exclude_keylevs: 3 values given",
    ),
    "exclude_targetlevs too short": (
        TWO | {"exclude_targetlevs": "x"},
        "exclude_targetlevs: 1 values given",
    ),
    "exclude_keys without levels": (
        TWO | {"exclude_keys": [["k1"], None]},
        "exclude_keys, exclude_keylevs, exclude_targetlevs: 1, 0 and 0 values given",
    ),
    "exclude_keys no key": (
        TWO
        | {
            "exclude_keys": [["w"], None],
            "exclude_keylevs": [["o"], None],
            "exclude_targetlevs": [["x"], None],
        },
        "exclude_keys: 'w' is not one of the keys",
    ),
    "exclude_keylevs no level": (
        TWO
        | {
            "exclude_keys": [["k1"], None],
            "exclude_keylevs": [["aa"], None],
            "exclude_targetlevs": [["x"], None],
        },
        "exclude_keylevs: 'aa' is not a level of 'k1'",
    ),
    "usekeysNA too long": (
        {"usekeysNA": [True] * 3},
        r"usekeysNA: 3 values given; give one, or one for each of the 2 keys \(k1, k2\)",
    ),
    "usekeysNA no flag": ({"usekeysNA": "no"}, "usekeysNA: 'no' is neither True nor False"),
    "ngroups_keys too long": ({"ngroups_keys": [0, 0, 0]}, "ngroups_keys: 3 values given"),
    "targets twice": ({"targets": ["t", "s", "t"]}, "targets: 't' is given more than once"),
    "target twice, once by position": (
        {"targets": ["t", 3]},
        "targets: 't' is given more than once",
    ),
    "target among the keys": ({"targets": ["t", "k1"]}, "targets: k1 also among the keys"),
    "target unknown": (
        {"targets": ["tt"]},
        "targets: 'tt' is not a column of the original data; did you mean 't'",
    ),
    "target only in the original": (
        {"synthetic": SYNTHETIC.drop(columns="t"), "targets": ["t"]},
        "targets: 't' is not a column of the synthetic data",
    ),
    "target only in one synthesis": (
        {"synthetic": [SYNTHETIC, SYNTHETIC.drop(columns="t")], "targets": ["t"]},
        "targets: 't' is not a column of synthetic data set 2",
    ),
    "target only in the synthetic data": (
        {"synthetic": SYNTHETIC.assign(v=1), "targets": ["v"]},
        "targets: 'v' is not a column of the original data",
    ),
    "position outside": ({"targets": [7]}, "targets: 7 is not the position of a column"),
    "position 0": ({"targets": [0]}, "targets: 0 is not the position of a column"),
    "targets a frame": ({"targets": ORIGINAL}, "targets: a DataFrame is not a name"),
    "targets nested": ({"targets": [["t", "s"]]}, "targets: .* is not a name"),
    "no target given": ({"targets": []}, "targets: none left"),
    "no target left": ({"keys": list(ORIGINAL)}, "targets: none left"),
    "no key": ({"keys": []}, "keys: none given"),
    "keys None": ({"keys": None}, "keys: none given"),
    "key unknown": (
        {"keys": ["k3"]},
        "keys: 'k3' is not a column of the original data; choices: k1, k2",
    ),
    "ident_meas as disclosure() calls it": (
        {"ident_meas": "UiOiS"},
        "ident_meas: 'UiOiS' is unknown; choices: 'repU', 'UiSiO', 'baseCAPd'",
    ),
    "attrib_meas unknown": (
        {"attrib_meas": "TCAP"},
        "attrib_meas: 'TCAP' is unknown; choices: 'DiSCO', 'DiSDiO', 'DCAP'",
    ),
    "attrib_meas no text": ({"attrib_meas": ["DiSCO"]}, "attrib_meas: .* is unknown"),
    "compat unknown": ({"compat": "R"}, "compat: 'R' is unknown"),
    "plot no flag": ({"plot": "yes"}, "plot: 'yes' is neither True nor False"),
    "print_flag no flag": ({"print_flag": 1}, "print_flag: 1 is neither True nor False"),
    "denom_lim negative": ({"denom_lim": -1}, "denom_lim: -1"),
    "digits negative": ({"digits": -1}, "digits: -1"),
    "threshold alone": ({"thresh_1way": 50}, "thresh_1way: 50"),
    "object no frame": ({"synthetic": 3}, "object: int cannot be used"),
    "object empty": ({"synthetic": []}, "object: list cannot be used"),
    "data no frame": (
        {"original": None},
        "data: NoneType is not a DataFrame of pandas, polars or Arrow",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input(name):
    arguments, message = BAD[name]
    refused(message, **arguments)


@pytest.mark.parametrize("value", [None, ["", ""], ("", "")])
def test_no_level_left_out(value):
    assert multi(**TWO, not_targetslev=value).attrib_table.equals(multi(**TWO).attrib_table)


def test_one_level_for_one_target():
    # without y, t has correct the two x of (a,u)
    assert (
        attrib_syn(multi(targets="t", not_targetslev="y"))
        == percent(2)
        == attrib_syn(multi(targets="t", not_targetslev=["y"]))
        == attrib_syn(multi(targets=["s", "t"], not_targetslev={"t": "y"}), 1)
    )


def test_exclusions_of_one_target_without_inner_lists():
    # (b,v) y leaves the two x of (a,u)
    pair = {"exclude_keys": "k2", "exclude_keylevs": "v", "exclude_targetlevs": "y"}
    assert attrib_syn(multi(targets="t", **pair)) == percent(2)


@pytest.mark.parametrize("compat", ["r", "corrected"])
@pytest.mark.filterwarnings("ignore::synthpop_py.RDefectWarning")
def test_frames_and_arguments_are_left_alone(compat):
    frames = [SYN_WITH_GAPS.copy(), WITH_GAPS.copy()]
    original, arguments = WITH_GAPS.copy(), json.loads(json.dumps(PER_TARGET))
    multi(frames, original, targets=list(ALONE), compat=compat, **arguments)
    multi(SynDS(frames), original, targets=list(ALONE), **arguments)
    pd.testing.assert_frame_equal(original, WITH_GAPS)
    for frame, before in zip(frames, (SYN_WITH_GAPS, WITH_GAPS)):
        pd.testing.assert_frame_equal(frame, before)
    assert arguments == PER_TARGET


# ---- what a review found -------------------------------------------------------------

AMOUNTS = pd.DataFrame(
    {"k": list("aabbccdd"), "x": [1.0, 2, 3, 4, 5, 6, 7, 8], "f": list("ppppqqqq")}
)


def test_notes_on_grouping(capsys):
    multi_disclosure(
        AMOUNTS,
        AMOUNTS,
        "k",
        ["x", "f"],
        ngroups_targets=4,
        compat="corrected",
    )
    grouped, other = capsys.readouterr().out.splitlines()
    assert (
        grouped.startswith("target 'x': numbers grouped into 4 classes: [1,")
        and other == "'f' is not numeric: not grouped"
    )
    multi_disclosure(
        AMOUNTS, AMOUNTS, "k", ["x", "f"], ngroups_targets=4, print_flag=False, compat="corrected"
    )
    assert capsys.readouterr().out == ""


PAIRS = pd.DataFrame({"k": list("ab") * 20, "t": list("xy") * 20})


def printed(result, capsys, **options):
    result.print(**options)
    return capsys.readouterr().out


def test_a_part_printed_alone_brings_only_its_own_corrections(capsys):
    """R shows the number of flagged pairs as 0 or 1 (D30): that is no matter of identity."""
    result = multi_disclosure(PAIRS, PAIRS, "k", "t", print_flag=False)
    assert [finding.id for finding in result.defects] == ["D30"]
    identity = printed(result, capsys, to_print="ident")
    assert identity == (
        "Identity risk from keys k, in % of 40 original records (higher is riskier):\n"
        "  original  (UiO)  0.00\n"
        "  synthetic (repU) 0.00\n"
    )
    attribute = printed(result, capsys, to_print="attrib")
    assert attribute.count("1 t") == 1 and "Identity risk" not in attribute
    assert "reports Npairs of t 1; 2 is correct (D30)." in attribute
    both = printed(result, capsys)
    assert both.count("Identity risk") == 1 and both.count("2way checks") == 1
    assert both.count("Npairs of t 1; 2 is correct (D30)") == 1


def test_an_identity_figure_that_r_has_wrong_is_corrected_when_printed_alone(capsys):
    """R shows repU of the first synthesis for the mean of all (D29)."""
    one = pd.DataFrame({"k": list("abcdd"), "t": list("xyxyx")})
    with pytest.warns(RDefectWarning, match="D29"):
        result = multi_disclosure(
            SynDS([one, one.assign(k=list("aaddd"))]), one, "k", "t", print_flag=False
        )
    identity = printed(result, capsys, to_print="ident")
    assert "(repU) 60.00 (R; correct: 30.00)" in identity
    assert "D29" in identity and "1 t" not in identity
    assert "Attribute risk" not in identity and "attrib" not in identity
    attribute = printed(result, capsys, to_print="attrib")
    assert "D29" not in attribute and "corrected" not in attribute


def test_parts_of_the_summary_are_printed_alone(capsys):
    result = multi_disclosure(AMOUNTS, AMOUNTS, "k", "f", compat="corrected")
    result.print(to_print="ident")
    identity = capsys.readouterr().out
    result.print(to_print=["attrib"])
    attribute = capsys.readouterr().out
    assert (
        "Identity risk" in identity
        and "Attribute risk" not in identity
        and "Identity risk" not in attribute
        and "1 f" in attribute
    )
    with pytest.raises(
        InputError, match="to_print: 'check' is unknown; choices: 'ident', 'attrib'"
    ):
        result.print(to_print="check")


def test_identity_figures_that_differ_between_targets_are_not_shown_as_one():
    same = multi_disclosure(AMOUNTS, AMOUNTS, "k", ["x", "f"], compat="corrected", print_flag=False)
    other = multi_disclosure(
        AMOUNTS,
        AMOUNTS,
        "k",
        ["x", "f"],
        ident_meas="baseCAPd",
        compat="corrected",
        print_flag=False,
    )
    assert "other targets" not in str(
        same
    ) and "for target x; other targets have other figures" in str(other)


def test_the_warning_gives_the_figures_of_the_summary_itself():
    text = AMOUNTS.assign(f=AMOUNTS["f"].astype("category"))
    with pytest.warns(RDefectWarning) as caught:
        result = multi_disclosure(
            [AMOUNTS, AMOUNTS.head(3)], text, "k", ["f"], print_flag=False
        )  # D28: R takes the first only
    assert result.m == 1 and result.corrected.m == 2
    assert (
        f"DiSCO of f: R {attrib_syn(result):.2f}, correct"
        f" {attrib_syn(result.corrected):.2f}" in str(caught[0].message)
    )
