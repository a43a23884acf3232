"""replicated_uniques() on tables small enough to count by hand, and on bad input."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from synthpop_py import InputError, RDefectWarning, SynDS, replicated_uniques
from synthpop_py.r.rounding import rounded

# unique in the original: f A, m A; in the synthetic data: f A, f B
PEOPLE = pd.DataFrame({"sex": list("fmff"), "town": list("AABB")})
FAKE = pd.DataFrame({"sex": list("ffmm"), "town": list("ABBB")})
KEYS = ["sex", "town"]


def numbers(result, synthesis=1):
    return result.res_tab[synthesis - 1]["Number"].tolist()


SHOWN = """\
Unique combinations of sex, town: 4 original records, 1 synthesis

                              Number from total  %
Original                           2          4 50
Synthetic                          2          4 50
Synthetic uniques in original      2          4 50
Replicated uniques                 1          4 25

repU_rm marks the synthetic records that are replicated uniques, synU_rm all unique ones that occur
in the original; sdc() removes either."""


def test_the_table_by_hand():
    before = PEOPLE.copy(), FAKE.copy()
    result = replicated_uniques(FAKE, PEOPLE)
    assert repr(result) == SHOWN
    assert result.repU_rm[0].tolist() == [True, False, False, False]
    assert result.synU_rm[0].tolist() == [True, True, False, False]
    assert (result.m, result.n, result.k, result.keys) == (1, 4, 4, ("sex", "town"))
    assert result.defects == () and result.corrected is None
    pd.testing.assert_frame_equal(PEOPLE, before[0])
    pd.testing.assert_frame_equal(FAKE, before[1])


@pytest.mark.parametrize(
    "compat, totals, percent",
    [
        ("r", [4, 2, 4, 4], [50, 100, 50, 25]),
        ("corrected", [4, 2, 4, 4], [50, 100, 50, 25]),
        ("r-1.9-2", [4, 2, 2, 2], [50, 100, 100, 50]),
    ],
)
def test_totals_of_the_versions(compat, totals, percent):
    table = replicated_uniques(FAKE.iloc[:2], PEOPLE, compat=compat).res_tab[0]
    assert table["from total"].tolist() == totals and table["%"].tolist() == percent


def test_all_forms_of_the_object_give_the_same():
    for form in (FAKE, [FAKE], SynDS(FAKE), SynDS([FAKE])):
        assert numbers(replicated_uniques(form, PEOPLE, KEYS)) == [2, 2, 2, 1]
    two = replicated_uniques([FAKE, PEOPLE], PEOPLE, [1, 2])
    assert two.m == 2 and numbers(two, 2) == [2, 2, 2, 2] and len(two.repU_rm) == 2


def test_missing_is_a_value():
    original = pd.DataFrame({"a": ["p", None, "q", "q"], "b": ["x"] * 4})
    synthetic = pd.DataFrame({"a": [None, "q", "q", "q"], "b": ["x"] * 4})
    assert numbers(replicated_uniques(synthetic, original)) == [2, 1, 1, 1]


def test_rounding_as_r_does():
    # round(c(0.285, 1.005, 2.675, 5.015, 0.125, 50), 2) in R 4.2
    halves = np.array([0.285, 1.005, 2.675, 5.015, 0.125, 50.0])
    assert rounded(halves, 2).tolist() == [0.28, 1.0, 2.67, 5.02, 0.12, 50.0]


# ---- R's defects ---------------------------------------------------------------------

PADDED = {"a": ["p", "q", "p"], "n": [1.0, 2.0, 100.0]}
CLOSE = {"a": ["p", "p"], "n": [1234567.1, 1234567.2]}
GLUED = {"a": ["x|y", "x"], "b": ["z", "y|z"]}
ROUND = {"a": [1, 2], "n": [100000, 7]}
REAL = {"a": [1.0, 2.0], "n": [100000.0, 7.0]}
GAPS = {"a": ["NA", None], "b": ["x", "x"]}


@pytest.mark.parametrize(
    "synthetic, original, as_r, correct, defect",
    [
        (PADDED | {"n": [1.0, 2.0, 3.0]}, PADDED, [3, 3, 0, 0], [3, 3, 2, 2], "D36"),
        (CLOSE, CLOSE, [0, 0, 0, 0], [2, 2, 2, 2], "D36"),
        (REAL, ROUND, [2, 2, 1, 1], [2, 2, 2, 2], "D15"),
        ({"a": list("pqqr")}, {"a": list("pqrr")}, [2, 2, 0, 1], [2, 2, 2, 1], "D37"),
        (GLUED, GLUED, [0, 0, 0, 0], [2, 2, 2, 2], "D38"),
        (GAPS, GAPS, [0, 0, 0, 0], [2, 2, 2, 2], "D38"),
    ],
)
def test_where_r_is_wrong_both_are_given(synthetic, original, as_r, correct, defect):
    frames = pd.DataFrame(synthetic), pd.DataFrame(original)
    with pytest.warns(RDefectWarning, match=f"correct(.|\n)*{defect}"):
        result = replicated_uniques(*frames)
    assert numbers(result) == as_r and numbers(result.corrected) == correct
    assert [one.id for one in result.defects] == [defect]
    alone = replicated_uniques(*frames, compat="corrected")
    assert numbers(alone) == correct and alone.defects == ()
    if defect == "D37":
        assert not result.repU_rm[0].any() and result.corrected.repU_rm[0].tolist()[0]


def test_remembered_numbers_of_records():
    removed = SynDS(FAKE.iloc[:2], meta={"n": 4, "k": 4})
    with pytest.warns(RDefectWarning, match="D38"):
        result = replicated_uniques(removed, PEOPLE)
    assert result.res_tab[0]["from total"].tolist() == [4, 4, 4, 4]
    assert len(result.repU_rm[0]) == 4 and len(result.corrected.repU_rm[0]) == 2
    assert result.corrected.res_tab[0]["from total"].tolist() == [4, 2, 4, 4]


def test_syntheses_of_unequal_length():
    with pytest.warns(RDefectWarning, match="D38"):
        result = replicated_uniques([FAKE, FAKE.iloc[:2]], PEOPLE)
    # R repeats the short synthesis, so nothing in it is unique
    assert numbers(result, 2) == [2, 0, 0, 0] and numbers(result.corrected, 2) == [2, 2, 2, 1]
    # 3 does not go into 4: R crashes, every mode gives the correct answer
    crashing = [FAKE, FAKE.iloc[:3]]
    correct = replicated_uniques(crashing, PEOPLE, compat="corrected")
    assert numbers(replicated_uniques(crashing, PEOPLE), 2) == numbers(correct, 2)


def test_one_key_of_times_is_written_after_it_was_cut():
    def at(*seconds):
        return pd.DataFrame({"a": pd.to_datetime(list(seconds), unit="s")})

    # R cuts the second synthesis to the length of the first; what is left is a midnight, written as
    # a date, as those of the original are
    with pytest.warns(RDefectWarning, match="D38"):
        result = replicated_uniques([at(3600), at(-86400, 3600)], at(-86400, 86400))
    assert numbers(result, 2) == [2, 1, 0, 1], "what R 4.2 with synthpop 1.9-3 answers"
    assert numbers(result.corrected, 2) == [2, 2, 1, 1]


# ---- views ---------------------------------------------------------------------------


def test_text_html_and_json_show_both_figures(capsys):
    original = pd.DataFrame({"a": list("pqrr")})
    with pytest.warns(RDefectWarning):
        result = replicated_uniques([original, original], original)
    result.print()
    text = capsys.readouterr().out
    assert text.count("Synthetic uniques in original: R 0, correct 2 (D37)") == 2
    assert "See .defects; the correct result is .corrected." in text
    html = result._repr_html_()
    assert html.count("<table>") == 2 and "D37" in html and '<td class="number">50</td>' in html
    content = json.loads(json.dumps(result.to_dict()))
    assert content["corrected"]["repU_rm"] == [[0, 1]] * 2
    assert content["defects"][0]["id"] == "D37"


def test_pages_for_others_show_rounded_counts_of_people_only():
    people = pd.DataFrame({"a": [*range(33), *[50] * 14], "b": ["x"] * 47})
    page = replicated_uniques(people.head(30), people, ["a", "b"]).to_markdown()
    assert page.count("| 30 | 75 % |") == 2 and "40 original" in page
    assert "33" not in page and "47" not in page
    few = replicated_uniques(people.head(5), people.head(9), ["a", "b"]).to_markdown()
    assert "No figures are shown" in few and "9" not in few


@pytest.mark.parametrize(
    "arguments, words",
    [
        ({"keys": ["sex", "twon"]}, "keys: 'twon' .* did you mean 'town'"),
        ({"keys": []}, "keys: none given"),
        ({"keys": [3]}, "keys: 3 is not the position"),
        ({"compat": "R"}, "compat: 'R' is unknown; choices: 'r'"),
        ({"object": None}, "object: NoneType"),
        ({"object": FAKE[["sex"]]}, "keys: 'town' is not a column of the synthetic data"),
        ({"data": {"sex": ["f"]}}, "data: dict cannot be the original data"),
        (
            {"object": FAKE.assign(town=pd.Timestamp("2020-01-01")), "data": PEOPLE.assign(town=1)},
            "cannot be compared",
        ),
    ],
)
def test_bad_input_is_named(arguments, words):
    with pytest.raises(InputError, match=words):
        replicated_uniques(**{"object": FAKE, "data": PEOPLE, **arguments})
