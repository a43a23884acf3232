"""replicated_uniques() on tables small enough to count by hand, and on bad input."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from synthpop_py import InputError, RDefectWarning, SynDS, replicated_uniques
from synthpop_py.r.rounding import rounded

# unique in the original: f A, m A; in the synthetic data: f A, f B
PEOPLE = pd.DataFrame({"sex": ["f", "m", "f", "f"], "town": ["A", "A", "B", "B"]})
FAKE = pd.DataFrame({"sex": ["f", "f", "m", "m"], "town": ["A", "B", "B", "B"]})
KEYS = ["sex", "town"]


def numbers(result, synthesis=1):
    return result.res_tab[synthesis - 1]["Number"].tolist()


def test_the_table_by_hand():
    result = replicated_uniques(FAKE, PEOPLE)
    table = result.res_tab[0]
    assert list(table.index) == [
        "Original",
        "Synthetic",
        "Synthetic uniques in original",
        "Replicated uniques",
    ]
    assert list(table.columns) == ["Number", "from total", "%"]
    assert numbers(result) == [2, 2, 2, 1]
    assert table["%"].tolist() == [50, 50, 50, 25]
    assert result.repU_rm[0].tolist() == [True, False, False, False]
    assert result.synU_rm[0].tolist() == [True, True, False, False]
    assert (result.m, result.n, result.k, result.keys) == (1, 4, 4, ("sex", "town"))
    assert result.defects == () and result.corrected is None


def test_totals_of_the_versions():
    small = FAKE.iloc[:2]
    assert replicated_uniques(small, PEOPLE).res_tab[0]["from total"].tolist() == [4, 2, 4, 4]
    assert replicated_uniques(small, PEOPLE, compat="corrected").res_tab[0][
        "from total"
    ].tolist() == [4, 2, 4, 4]
    earlier = replicated_uniques(small, PEOPLE, compat="r-1.9-2").res_tab[0]
    assert earlier["from total"].tolist() == [4, 2, 2, 2] and earlier["%"].tolist() == [
        50,
        100,
        100,
        50,
    ]


def test_all_forms_of_the_object_give_the_same():
    forms = [FAKE, [FAKE], SynDS(FAKE), SynDS([FAKE])]
    assert {tuple(numbers(replicated_uniques(form, PEOPLE, KEYS))) for form in forms} == {
        (2, 2, 2, 1)
    }
    two = replicated_uniques([FAKE, PEOPLE], PEOPLE, [1, 2])
    assert two.m == 2 and numbers(two, 2) == [2, 2, 2, 2] and len(two.repU_rm) == 2


def test_missing_is_a_value():
    original = pd.DataFrame({"a": ["p", None, "q", "q"], "b": ["x"] * 4})
    synthetic = pd.DataFrame({"a": [None, "q", "q", "q"], "b": ["x"] * 4})
    assert numbers(replicated_uniques(synthetic, original)) == [2, 1, 1, 1]


def test_nothing_is_changed():
    before = PEOPLE.copy(), FAKE.copy()
    replicated_uniques(FAKE, PEOPLE)
    pd.testing.assert_frame_equal(PEOPLE, before[0])
    pd.testing.assert_frame_equal(FAKE, before[1])


# ---- R's defects ---------------------------------------------------------------------


def both(synthetic, original, keys=None):
    """R's result with its warning, and the defects named."""
    with pytest.warns(RDefectWarning, match="correct") as caught:
        result = replicated_uniques(synthetic, original, keys)
    text = str(caught[0].message)
    assert all(d.id in text for d in result.defects)
    correct = replicated_uniques(synthetic, original, keys, compat="corrected")
    assert numbers(result.corrected) == numbers(correct) and correct.defects == ()
    return numbers(result), numbers(correct), [d.id for d in result.defects]


def test_padded_numbers_do_not_match():
    original = pd.DataFrame({"a": ["p", "q", "p"], "n": [1.0, 2.0, 100.0]})
    assert both(original.assign(n=[1.0, 2.0, 3.0]), original) == (
        [3, 3, 0, 0],
        [3, 3, 2, 2],
        ["D36"],
    )


def test_numbers_cut_to_seven_digits_merge():
    original = pd.DataFrame({"a": ["p", "p"], "n": [1234567.1, 1234567.2]})
    assert both(original, original) == ([0, 0, 0, 0], [2, 2, 2, 2], ["D36"])


def test_one_number_with_two_texts():
    original = pd.DataFrame({"a": [1, 2], "n": [100000, 7]})
    assert both(original.astype(float), original) == ([2, 2, 1, 1], [2, 2, 2, 2], ["D15"])


def test_a_single_key():
    original, synthetic = pd.DataFrame({"a": list("pqrr")}), pd.DataFrame({"a": list("pqqr")})
    assert both(synthetic, original) == ([2, 2, 0, 1], [2, 2, 2, 1], ["D37"])
    with pytest.warns(RDefectWarning):
        result = replicated_uniques(synthetic, original)
    assert not result.repU_rm[0].any() and result.corrected.repU_rm[0].tolist() == [
        True,
        False,
        False,
        False,
    ]


def test_labels_with_the_glue_merge():
    original = pd.DataFrame({"a": ["x|y", "x"], "b": ["z", "y|z"]})
    assert both(original, original) == ([0, 0, 0, 0], [2, 2, 2, 2], ["D38"])


def test_missing_merges_with_the_text_na():
    original = pd.DataFrame({"a": ["NA", None], "b": ["x", "x"]})
    assert both(original, original) == ([0, 0, 0, 0], [2, 2, 2, 2], ["D38"])


def test_remembered_numbers_of_records():
    removed = SynDS(FAKE.iloc[:2], meta={"n": 4, "k": 4})
    with pytest.warns(RDefectWarning, match="D38"):
        result = replicated_uniques(removed, PEOPLE)
    assert result.res_tab[0]["from total"].tolist() == [4, 4, 4, 4]
    assert len(result.repU_rm[0]) == 4 and len(result.corrected.repU_rm[0]) == 2
    assert result.corrected.res_tab[0]["from total"].tolist() == [4, 2, 4, 4]


def test_syntheses_of_unequal_length():
    sets = [FAKE, FAKE.iloc[:2]]
    with pytest.warns(RDefectWarning, match="D38"):
        result = replicated_uniques(sets, PEOPLE)
    assert numbers(result, 2) == [
        2,
        0,
        0,
        0,
    ], "R repeats the short synthesis, so nothing in it is unique"
    assert numbers(result.corrected, 2) == [2, 2, 2, 1]
    crashing = [
        FAKE,
        FAKE.iloc[:3],
    ]  # 3 does not go into 4: R crashes, every mode gives the correct answer
    assert numbers(replicated_uniques(crashing, PEOPLE), 2) == numbers(
        replicated_uniques(crashing, PEOPLE, compat="corrected"), 2
    )


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


SHOWN = """\
Unique combinations of sex, town: 4 original records, 1 synthesis

                              Number from total  %
Original                           2          4 50
Synthetic                          2          4 50
Synthetic uniques in original      2          4 50
Replicated uniques                 1          4 25

repU_rm marks the synthetic records that are replicated uniques, synU_rm all unique ones that occur
in the original; sdc() removes either."""


def test_text():
    assert repr(replicated_uniques(FAKE, PEOPLE)) == SHOWN


def test_text_and_html_show_both_figures(capsys):
    original = pd.DataFrame({"a": list("pqrr")})
    with pytest.warns(RDefectWarning):
        result = replicated_uniques([original, original], original)
    result.print()
    text = capsys.readouterr().out
    wrong = "R's synthpop 1.9-3 reports Synthetic uniques in original 0; 2 is correct (D37)."
    assert text.count(wrong) == 2 and "See .defects; the correct result is .corrected." in text
    html = result._repr_html_()
    assert html.count("<table>") == 2 and "D37" in html and '<td class="number">50</td>' in html


def test_pages_for_others_show_rounded_counts_of_people_only():
    people = pd.DataFrame({"a": [*range(33), *[50] * 14], "b": ["x"] * 47})
    page = replicated_uniques(people.head(30), people, ["a", "b"]).to_markdown()
    assert page.count("| 30 | 75 % |") == 2 and "40 original" in page
    assert "33" not in page and "47" not in page
    few = replicated_uniques(people.head(5), people.head(9), ["a", "b"]).to_markdown()
    assert "No figures are shown" in few and "9" not in few


def test_dictionary_is_json():
    original = pd.DataFrame({"a": list("pqrr")})
    with pytest.warns(RDefectWarning):
        content = json.loads(json.dumps(replicated_uniques(original, original).to_dict()))
    assert content["corrected"]["repU_rm"] == [[0, 1]] and content["defects"][0]["id"] == "D37"


def test_rounding_as_r_does():
    # round(c(0.285, 1.005, 2.675, 5.015, 0.125, 50), 2) in R 4.2
    halves = np.array([0.285, 1.005, 2.675, 5.015, 0.125, 50.0])
    assert rounded(halves, 2).tolist() == [0.28, 1.0, 2.67, 5.02, 0.12, 50.0]


# ---- bad input -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments, words",
    [
        ({"keys": ["sex", "twon"]}, "keys: 'twon' .* did you mean 'town'"),
        ({"keys": []}, "keys: none given"),
        ({"keys": ["sex", "sex"]}, "keys: 'sex' is given more than once"),
        ({"keys": [3]}, "keys: 3 is not the position"),
        ({"compat": "R"}, "compat: 'R' is unknown; choices: 'r'"),
        ({"object": None}, "object: NoneType"),
        ({"object": []}, "object: list"),
        ({"object": FAKE[["sex"]]}, "the synthetic data lack town; name the keys"),
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


def test_keys_that_the_synthetic_data_lack_are_named_together():
    people = pd.DataFrame({"sex": list("fmfm"), "job": list("xxyy")})
    says = "as in R, but the synthetic data lack town, zip; name the keys"
    with pytest.raises(InputError, match=says):
        replicated_uniques(people, people.assign(town="A", zip=1))
