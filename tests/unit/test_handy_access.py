"""Measures and targets by their names, and people who were left out, said wherever a result is."""

from __future__ import annotations

import copy
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest

from synthpop_py import (
    InputError,
    RDefectWarning,
    SynDS,
    datasets,
    disclosure,
    key_risk,
    multi_disclosure,
    ru_map,
    table_utility,
)
from tests.rooms import MEASURES

# keys a, b, c: in the first synthesis a|x and b|y are copied, in the second only a|x
PEOPLE = pd.DataFrame({"k": list("aabbcc"), "t": list("xxyyxy"), "u": list("ppqqpq")})
FIRST = pd.DataFrame({"k": list("aabb"), "t": list("xxyy"), "u": list("ppqq")})
SECOND = FIRST.assign(t=list("xxxx"))
# two lack a key, and of the other four two have the level x
GAPS = PEOPLE.assign(k=["a", None, "b", "b", "c", None])
QUIET = {"print_flag": False, "compat": "corrected"}


def one_target(**arguments):
    return disclosure(SynDS([FIRST, SECOND]), PEOPLE, "k", "t", **{**QUIET, **arguments})


def two_targets(**arguments):
    return multi_disclosure(
        SynDS([FIRST, SECOND]), PEOPLE, "k", ["t", "u"], **{**QUIET, **arguments}
    )


def test_a_measure_is_an_attribute_the_mean_over_syntheses():
    result = one_target()
    # DiSCO: four of six people, then the two with a
    assert result["DiSCO"].tolist() == pytest.approx([400 / 6, 200 / 6])
    assert result["DiSCO"].index.tolist() == [1, 2] and result["DiSCO"].name == "DiSCO"
    assert isinstance(result.DiSCO, float) and result.DiSCO == pytest.approx(50)
    assert {measure.name for measure in MEASURES} <= set(dir(result)) & set(dir(two_targets()))


def test_every_measure_of_tidy_has_its_name():
    result = one_target()
    for measure, rows in result.tidy().groupby("measure"):
        if measure in ("max_denom", "mean_denom"):
            continue
        assert result[measure].tolist() == pytest.approx(rows["value"].tolist(), nan_ok=True)


def test_r_figures_under_r_and_correct_ones_beside_them():
    people = PEOPLE.assign(k=list("aabbbc"))
    with pytest.warns(RDefectWarning, match="D14"):
        result = disclosure(FIRST, people, "k", "t", not_targetlev="x", print_flag=False)
    assert "D14" in [found.id for found in result.defects]
    correct = disclosure(FIRST, people, "k", "t", not_targetlev="x", **QUIET)
    assert result.UiOiS != result.corrected.UiOiS == correct.UiOiS


@pytest.mark.parametrize("name", ["Disco", "", 3, None])
def test_an_unknown_measure_is_refused_with_the_nearest(name):
    with pytest.raises(InputError, match=r"measure: .* is not one of the measures"):
        one_target()[name]
    with pytest.raises(InputError, match="did you mean 'DiSCO'"):
        one_target()["DISCO"]


def test_other_attributes_are_as_unknown_as_ever():
    for result in (one_target(), two_targets()):
        with pytest.raises(AttributeError, match="no attribute 'Disco'"):
            getattr(result, "Disco")  # noqa: B009
        assert not hasattr(result, "_nothing")


def test_copies_and_pickles_have_them_too():
    result = one_target()
    for again in (copy.copy(result), copy.deepcopy(result), pickle.loads(pickle.dumps(result))):
        assert again.DiSCO == result.DiSCO


def test_a_summary_by_target():
    result = two_targets()
    assert result["u"].target == "u" and result["u"].DiSCO == pytest.approx(400 / 6)
    assert result.DiSCO.to_dict() == pytest.approx({"t": 50, "u": 400 / 6})
    assert result.attrib_table.loc["u", "attrib.syn"] == pytest.approx(400 / 6)
    assert result.attrib_table.index.name == "target"
    for unknown in ("v", ["t", "u"]):
        with pytest.raises(InputError, match=r"target: .* is not one of the targets"):
            result[unknown]
    with pytest.raises(
        InputError, match=r"'DiSCO' is a measure, .* \.DiSCO has it for every target"
    ):
        result["DiSCO"]


def test_a_target_may_have_the_name_of_a_measure():
    people, fake = (frame.rename(columns={"u": "DiSCO"}) for frame in (PEOPLE, FIRST))
    result = multi_disclosure(fake, people, "k", ["t", "DiSCO"], **QUIET)
    assert result["DiSCO"].target == "DiSCO" and list(result.DiSCO.index) == ["t", "DiSCO"]


# ---- people left out -----------------------------------------------------------------

LEFT_OUT = (
    "Left out of attribute risk: 3 of 6 people (target level in not_targetlev 3). Percentages are"
    " still of all 6"
)


def test_every_view_says_how_many_people_were_left_out_and_why():
    result = one_target(not_targetlev="x")
    for view in (repr(result), str(result)):
        assert LEFT_OUT in " ".join(view.split())
    told = " ".join(result.summary().split())
    assert "Left out of attribute risk: 3 of 6 people (target level" in told
    assert LEFT_OUT in result._repr_html_()
    assert result.Nexclusions[0].loc["original", "excluded target"] == 3
    whole = one_target()
    assert "Left out" not in str(whole) + whole._repr_html_() + whole.summary()


def test_every_reason_is_named():
    missing = PEOPLE.assign(k=["a", None, "b", "b", "c", "c"], t=["x", "x", None, "y", "x", "y"])
    result = disclosure(
        FIRST,
        missing,
        "k",
        "t",
        usetargetNA=False,
        usekeysNA=False,
        not_targetlev="y",
        **QUIET,
    )
    told = " ".join(str(result).split())
    assert (
        "Left out of attribute risk: 4 of 6 people (target level in not_targetlev 2; target missing"
        " 1; a key missing 1)." in told
    )


def test_a_summary_says_it_of_each_target():
    result = two_targets(not_targetslev={"t": "x"})
    told = " ".join(str(result).split())
    assert "Left out (percentages are still of all 6): t: 3 of 6 people" in told
    assert "u: " not in told.partition("Left out")[2].partition("Check")[0]


def test_nor_are_a_few_people_who_remain():
    many = pd.DataFrame({"k": list("ab") * 30, "t": ["x"] * 57 + ["y"] * 3})  # 57 left out
    result = disclosure(many, many, "k", "t", not_targetlev="x", **QUIET)
    assert "Left out of attribute risk: 57 of 60" in " ".join(str(result).split())
    for view in (result.to_html(), result.to_markdown()):
        assert "whom exclusions leave out" in view and "57" not in view
    options = {"not_targetlev": "x"}
    told = ru_map({"one": many}, many, keys=["k"], target="t", disclosure_options=options)
    assert "leave out 57 of 60 people" in " ".join(str(told).split())
    assert "leave out some people" in told.to_html() and "57" not in told.to_html()


def test_who_lacks_a_key_is_counted_whatever_else_leaves_them_out(capsys):
    # of the two without a key one has the level x, and is counted under that reason
    result = multi_disclosure(
        SynDS(FIRST), GAPS, "k", ["t"], usekeysNA=False, not_targetslev={"t": "x"}, **QUIET
    )
    assert result["t"].Nexclusions[0].loc["original", "missing in  keys"] == 1
    result.print(to_print="ident")
    assert "left out, because a key is missing: 2" in capsys.readouterr().out


def test_summary_sentences_and_identity_say_it_too(capsys):
    result = two_targets(not_targetslev={"t": "x"})
    assert "t: 3 of 6 people" in result.summary()
    assert "Left out (percentages are still of all 6):" in result.summary()
    missing = PEOPLE.assign(k=["a", None, None, "b", "c", "c"])
    of_keys = multi_disclosure(FIRST, missing, "k", ["t"], usekeysNA=False, **QUIET)
    of_keys.print(to_print="ident")
    assert "left out, because a key is missing: 2" in capsys.readouterr().out


def test_a_map_says_whom_its_risk_does_not_speak_of():
    many = pd.concat([PEOPLE] * 10, ignore_index=True)
    options = {"not_targetlev": "x"}
    result = ru_map({"one": many}, many, keys=["k"], target="t", disclosure_options=options)
    told = "disclosure_options leave out 30 of 60 people; repU and DiSCO are still in % of all"
    for view in (str(result), result._repr_html_(), result.to_json()):
        assert told in " ".join(view.split())
    assert "disclosure_options leave out some people; repU and" in result.to_markdown()


def test_the_warning_has_the_figure_that_people_look_at():
    sd2011, s1 = datasets.load("SD2011"), datasets.load_synthesis("SD2011_s1")
    keys = ["sex", "age", "region", "placesize"]
    # D45 warns, because of TCAP; what D17 did to repU is what everybody looks at
    with pytest.warns(RDefectWarning, match=r"\(repU: R 0.18, correct 14.86; .* D17, .*; D45, "):
        disclosure(
            s1, sd2011, keys, "workab", not_targetlev="NO", usetargetNA=False, print_flag=False
        )


EXCLUDING = {"usekeysNA": False, "not_targetlev": "x"}


@pytest.mark.parametrize(
    "compat, unique, disclosed", [("corrected", (4, 2), (2, 4)), ("r", (2, 4), (2, 4))]
)
def test_tidy_has_the_base_of_every_figure(compat, unique, disclosed):
    options = {**EXCLUDING, "print_flag": False, "compat": compat}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RDefectWarning)
        result = disclosure(SynDS(FIRST), GAPS, "k", "t", **options)
    tidy = result.tidy().set_index("measure")[["base", "left_out"]]
    # who is unique does not depend on the target; R leaves the others out as well (D17)
    assert tuple(tidy.loc["repU"]) == tuple(tidy.loc["UiO"]) == unique
    assert tuple(tidy.loc["DiSCO"]) == tuple(tidy.loc["TCAP_DiS"]) == disclosed
    # of four synthetic records two have the level x; baseCAPd leaves exclusions aside
    assert tuple(tidy.loc["Dsyn"]) == (2, 2) and tuple(tidy.loc["baseCAPd"]) == (6, 0)


def test_tidy_without_exclusions_speaks_of_everybody():
    for result in (one_target(), two_targets()):
        tidy = result.tidy()
        assert not tidy["left_out"].any()
        of_people = tidy[~tidy["measure"].isin(["UiS", "Dsyn", "CAPs"])]
        assert set(of_people["base"]) == {6}


def test_a_dictionary_has_the_people_left_out_and_those_who_remain():
    content = one_target(not_targetlev="x").to_dict()
    assert (content["left_out"], content["remaining"]) == ([3, 3], [3, 3])
    whole = one_target().to_dict()
    assert (whole["left_out"], whole["remaining"]) == ([0, 0], [6, 6])


def test_a_summary_has_a_column_of_people_left_out_which_is_not_printed():
    result = two_targets(not_targetslev={"t": "x"})
    assert result.attrib_table["left_out"].to_dict() == {"t": 3, "u": 0}
    rows = {row["target"]: row for row in result.to_dict()["rows"]}
    assert (rows["t"]["left_out"], rows["t"]["remaining"]) == (3, 3)
    assert (rows["u"]["left_out"], rows["u"]["remaining"]) == (0, 6)
    # R's printed table has no such column
    assert "left_out" not in str(result) + result.to_html()
    assert two_targets().attrib_table["left_out"].tolist() == [0, 0]


def test_a_map_has_all_its_arguments():
    options = {"not_targetlev": ["x"], "denom_lim": 3}
    result = ru_map(
        {"one": PEOPLE},
        PEOPLE,
        keys=["k"],
        target="t",
        disclosure_options=options,
        matching_options={"seed": 7, "intervals": {"v": 2}, "weights": np.arange(6.0)},
        classes=4,
    )
    arguments = result.to_dict()["arguments"]
    assert arguments["disclosure_options"] == options
    assert arguments["classes"] == 4 and arguments["bootstrap"] == 0
    # no seed, and of data only what they are
    assert arguments["matching_options"] == {"intervals": {"v": 2}, "weights": "ndarray"}
    assert (
        ru_map({"one": PEOPLE}, PEOPLE, keys=["k"]).to_dict()["arguments"]["disclosure_options"]
        == {}
    )


# ---- parts of a result ---------------------------------------------------------------


def test_every_result_prints_itself(capsys):
    for result in (one_target(), two_targets(), table_utility(FIRST, PEOPLE), SynDS(FIRST)):
        result.print()
        assert capsys.readouterr().out == f"{result}\n"


@pytest.mark.parametrize("wrong", ["nothing", 3, "tables"])
def test_other_parts_are_refused_with_the_choices(wrong):
    for result in (one_target(), two_targets()):
        with pytest.raises(InputError, match=r"to_print: .*choices: .*'attrib'"):
            result.print(wrong)


def test_a_summary_prints_parts_as_one_target_does(capsys):
    result = two_targets()
    shown = {}
    for part in ("ident", "attrib", "all"):
        result.print(part, digits=1)
        shown[part] = capsys.readouterr().out
    assert shown["all"] == shown["ident"] + "\n" + shown["attrib"]
    assert "Identity risk" in shown["ident"] and "50.0 " in shown["attrib"]
    result.print(["ident", "attrib"], digits=1)
    assert capsys.readouterr().out == shown["all"]


WORKAB = {"not_targetlev": "NO", "usetargetNA": False, "print_flag": False}


def workab(capsys, part):
    """A part of the result for people who worked abroad, as R gives it (D17, D45)."""
    sd2011, s1 = datasets.load("SD2011"), datasets.load_synthesis("SD2011_s1")
    keys = ["sex", "age", "region", "placesize"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RDefectWarning)
        disclosure(s1, sd2011, keys, "workab", **WORKAB).print(part)
    return " ".join(capsys.readouterr().out.split())


def test_a_table_is_printed_with_what_is_wrong_in_it_alone(capsys):
    # D17 moved identity measures, D45 TCAP: neither is in this table
    attrib = workab(capsys, "attrib")
    assert "has other figures of this result wrong (D17, D45)." in attrib
    assert "is correct (" not in attrib
    identity = workab(capsys, "ident")
    assert "reports repU 0.18 %; 14.86 % is correct" in identity and "TCAP" not in identity
    caps = workab(capsys, "allCAPs")
    assert "reports TCAP" in caps and "repU" not in caps
    assert "The same with R's defects corrected" in identity and "corrected" not in attrib[:-80]


def test_a_table_says_who_was_left_out_and_no_more(capsys):
    hint = "result.print('exclusions')"
    for part in ("attrib", "exclusions"):
        printed = workab(capsys, part)
        assert "Left out: 4870 of 5000 people" in printed and hint not in printed
    assert hint in workab(capsys, "short") and hint in workab(capsys, "all")


# ---- figures that R does not give ----------------------------------------------------


def test_a_summary_ranks_by_the_correct_figure_where_r_gives_none(capsys):
    with pytest.warns(RDefectWarning, match="D42"):
        result = two_targets(attrib_meas="DCAP", compat="r")
    # R's table keeps R's order, and says so
    assert result.r_labels() == ["1 t", "2 u"] and result.attrib_table["attrib.syn"].isna().all()
    told = " ".join(str(result).split())
    assert "in the order asked for (attrib.orig: CAPd, attrib.syn: DCAP; R gives none: D42" in told
    # DCAP of u: the four people with a and b are guessed correctly; of t half as many in the second
    summary = " ".join(result.summary().split())
    assert "(DCAP) is highest for u: 66.67 % of the original records (R gives none)" in summary


def test_an_identity_risk_that_r_does_not_give():
    with pytest.warns(RDefectWarning, match="D31"):
        result = two_targets(ident_meas="UiSiO", compat="r")
    summary = " ".join(result.summary().split())
    assert "(UiSiO) is 0.00 % of the original records (R gives none)" in summary


def test_what_moves_alike_for_every_target_is_said_once():
    people = PEOPLE.assign(k=list("abcdef"))
    first, second = people.iloc[:2], people.iloc[:4]
    with pytest.warns(RDefectWarning, match=r"\(repU: R 33.33, correct 50.00\)"):
        result = multi_disclosure(SynDS([first, second]), people, "k", ["t", "u"], print_flag=False)
    told = str(result)
    assert told.count("reports repU 33.33 %; 50.00 % is correct (D29).") == 1
    assert "(repU) 33.33 (R; correct: 50.00)" in told
    assert "D29" in [found.id for found in result.defects]


@pytest.mark.needs("matplotlib")
def test_a_single_candidate_has_no_pairs_to_draw():
    with pytest.raises(
        InputError, match="needs two candidate keys, but there is only one"
    ) as refused:
        key_risk(FIRST, PEOPLE, ["k"]).plot("pairs")
    assert "max_keys" not in str(refused.value) and "more candidates" in str(refused.value)
    assert key_risk(FIRST, PEOPLE, ["k"]).plot() is not None  # the key by itself
