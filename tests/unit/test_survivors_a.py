"""Places of disclosure, its summary, the companions and the key search where a small change of the
code once went unnoticed: each test is a table of a few rows on which that change is seen.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from synthpop_py import (
    Disclosure,
    InputError,
    RDefectWarning,
    SynDS,
    disclosure,
    key_risk,
    multi_disclosure,
    numtocat_syn,
    replicated_uniques,
)
from synthpop_py.core.breaks import _exact_positions, _positions, class_breaks
from synthpop_py.core.coding import encode
from synthpop_py.core.columns import Column
from synthpop_py.core.fingerprint import (
    MOST_VALUES,
    CodedColumn,
    Levels,
    _has_many_values,
    fingerprint,
    written_once,
)
from synthpop_py.core.levels import LevelRules
from synthpop_py.disclosure import fingerprints, judgement
from synthpop_py.disclosure.bins import as_they_are
from synthpop_py.disclosure.checks import _above
from synthpop_py.disclosure.encoding import _r_times
from synthpop_py.disclosure.findings import _flags_that_differ
from synthpop_py.disclosure.json import _change
from synthpop_py.disclosure.people import People
from synthpop_py.disclosure.records import _place_of, flags_by_original_cell
from synthpop_py.disclosure.show import CHECKS
from synthpop_py.r.both import as_r
from synthpop_py.show import fill
from synthpop_py.summary import show as summary_show


def quietly(function: Any, *args: Any, **given: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*args, print_flag=False, compare_synorig=False, **given)


def table(k: Any, t: Any) -> pd.DataFrame:
    """A key and a target, one letter for each record."""
    return pd.DataFrame({"k": list(k), "t": list(t)})


def result_of(original: pd.DataFrame, *released: pd.DataFrame, **given: Any) -> Disclosure:
    result = quietly(disclosure, SynDS(list(released)), original, ["k"], "t", **given)
    assert isinstance(result, Disclosure)
    return result


# ---- measures ------------------------------------------------------------------------


def test_scaled_measures_by_hand():
    """baseCAPd is (9 + 1) / 16, DCAPd is 3 / 4 and TCAP_iS is 2 / 4: a third above and below."""
    data = table("aabb", "xxxy")
    (shares,) = result_of(data, data).shares
    assert shares["DCAPd_scaled"].percent == pytest.approx(100 / 3)
    assert shares["TCAP_iS_scaled"].percent == pytest.approx(-100 / 3)


def test_two_digits_are_shown_unless_others_are_asked_for():
    data = table("ab", "xy")
    assert result_of(data, data).digits == 2


# ---- checks --------------------------------------------------------------------------


def test_exactly_the_threshold_flags_no_level():
    """Nine of ten are 90 per cent, not more."""
    assert not _above(9, 10, 90, as_r("r"))
    assert _above(10, 11, 90, as_r("r"))


def test_exactly_the_threshold_flags_no_pair():
    """Of ten records with a, eight have x, 80 per cent; of ten with b all have."""
    original = table("a" * 10 + "b" * 10, "x" * 8 + "yy" + "x" * 10)
    released = table("ab", "xx")
    (pairs,) = result_of(original, released).check_2way
    assert pairs is not None
    assert pairs["PctTargetKeyLevel"].tolist() == [100]


@pytest.mark.parametrize("check", ["check_1way", "check_2way"])
def test_a_check_that_flags_nothing_says_so(check, capsys):
    data = table("ab", "xy")
    result_of(data, data).print(check)
    assert CHECKS[check].nothing in capsys.readouterr().out


def test_a_flag_that_moved_belongs_to_all_syntheses_together():
    """Synthesis 0 stands for all of them; a flag is told once."""
    theirs: Any = SimpleNamespace(check1="x", check2=1)
    ours: Any = SimpleNamespace(check1=None, check2=None)
    assert list(_flags_that_differ(theirs, ours, [])) == [(0, "check1", "x", None)]


# ---- records -------------------------------------------------------------------------


@pytest.mark.parametrize("code", [0, 2, 7])
def test_a_record_that_the_result_does_not_know_is_refused(code):
    with pytest.raises(InputError, match="does not know"):
        _place_of(np.array([1, code]), np.array([1, 3]))


def test_flags_are_those_of_cells_of_the_original():
    """Cells (a, x) with two records, which are disclosed, and (b, y) with one, which is not; the
    cell (b, z) is of the synthesis alone.
    """
    result = result_of(table("aab", "xxy"), table("abb", "xzz"), table("abb", "zyy"))
    flags, records = flags_by_original_cell(result, "DiSCO")
    assert records.tolist() == [2, 1]
    assert flags.tolist() == [[True, False], [False, True]]


# ---- who is behind a figure ----------------------------------------------------------


def test_a_guess_without_keys_gives_the_smallest_level_away_and_no_other_measure_does():
    """With 19 x and one y, baseCAPd says that one person has y."""
    data = table("a" * 20, "x" * 19 + "y")
    people = People(result_of(data, data), 0)
    with_one_person = [
        measure
        for measure, counts in people.shares.items()
        if any("smallest level" in count.name for count in counts)
    ]
    assert with_one_person == ["baseCAPd", "DCAPd_scaled", "TCAP_iS_scaled"]


def test_as_many_expected_as_disclosed_is_a_relation_to_reckon_with():
    """The one original record is disclosed; the synthetic data are uncertain about b, whom nobody
    has.
    """
    people = People(result_of(table("a", "x"), table("abb", "xyz")), 0)
    expected, disclosed = people.of("DCAPd"), people.of("DiSCO")
    assert (expected.n, disclosed.n) == (1, 1)
    assert fill.at_most(disclosed.name, expected.name) in list(people.relations())


def test_where_all_is_certain_the_expected_are_the_disclosed():
    data = table("ab", "xy")
    people = People(result_of(data, data), 0)
    expected, disclosed = people.of("DCAPd"), people.of("DiSCO")
    assert fill.total(expected.name, [disclosed.name]) in list(people.relations())


# ---- from a dictionary ---------------------------------------------------------------


@pytest.mark.parametrize("entry", [5, "abcd", None])
def test_a_change_that_is_no_list_is_refused(entry):
    with pytest.raises(InputError, match="not four values"):
        _change(entry, frozenset())


def test_a_level_that_only_one_side_flags_is_read():
    assert _change([0, "check1", "x", None], frozenset()) == (0, "check1", "x", None)
    assert _change([0, "check1", None, "7"], frozenset()) == (0, "check1", None, "7")
    with pytest.raises(InputError):
        _change([0, "check1", 7, None], frozenset())


def test_a_number_of_records_that_no_table_can_have_is_refused():
    data = table("ab", "xy")
    content = result_of(data, data).to_dict(min_cell=0)
    with pytest.raises(InputError, match="whole number"):
        Disclosure.from_dict({**content, "Norig": 2**63})


# ---- R's texts -----------------------------------------------------------------------


def test_numbers_beside_texts_are_padded_by_r():
    """R pastes the synthetic 1 and 10 to " 1" and "10", the original's texts are "1" and "10"."""
    original = pd.DataFrame({"k": ["1", "10"], "j": ["a", "b"], "t": ["x", "y"]})
    released = original.assign(k=[1, 10])
    result = quietly(disclosure, SynDS(released), original, ["k", "j"], "t")
    assert result.ident["repU"].tolist() == [50]
    assert result.corrected.ident["repU"].tolist() == [100]


def test_a_number_that_was_padded_is_a_text():
    """R writes the synthetic 0.1 as 1e-01 where 1e-05 stands beside it; as a level it is 0.1."""
    original = pd.DataFrame({"k": pd.Categorical([0.1, 1e-05]), "j": ["a", "b"], "t": ["x", "y"]})
    released = original.assign(k=[0.1, 1e-05])
    result = quietly(disclosure, SynDS(released), original, ["k", "j"], "t")
    assert result.ident["repU"].tolist() == [50]
    assert result.corrected.ident["repU"].tolist() == [100]


def test_days_are_written_as_days_and_times_to_the_second():
    """Beside times, days keep their own text; 18293 days after 1970 is 1 February 2020."""
    days = _r_times(Column("date", np.array([18293, 18294])))
    noon = np.array([18293 * 86_400 + 43_200, 18294 * 86_400]) * 1_000_000_000
    assert days.labels == ("2020-02-01", "2020-02-02")
    assert _r_times(Column("time", noon)).labels == ("2020-02-01 12:00:00", "2020-02-02 00:00:00")


def test_missing_values_taken_for_the_text_na_share_its_level():
    gaps = np.array([False, False, True])
    column = Column("character", np.array([0, 1, 0]), gaps, labels=("NA", "a"))
    joined = encode("k", [column], LevelRules(na_as_text=True))
    apart = encode("k", [column], LevelRules(na_as_text=True, na_apart=True))
    assert joined.own_codes(0).tolist() == [0, 1, 0]
    assert apart.own_codes(0).tolist() == [0, 1, 2]


# ---- classes -------------------------------------------------------------------------


def test_a_quantile_between_equal_values_is_that_value():
    """The first fifth lies at 0.2 of the way between two values of 5.3, where doubles miss 5.3."""
    assert 0.8 * 5.3 + 0.2 * 5.3 != 5.3
    values = np.array([0, 5.3, 5.3, 5.3, 5.3, 5.3, 5.3, 5.3, 10, 11, 12, 13])
    lowest, tied, *others = class_breaks(values, 5).tolist()
    assert (lowest, tied) == (0, 5.3)
    assert others == pytest.approx([10.8, 13])


@pytest.mark.parametrize("type", range(4, 10))
def test_ranks_in_whole_numbers_are_those_in_doubles(type):
    """Ten records at 0, 1/3, 2/3 and 1."""
    probabilities = np.arange(4) / 3
    ranks, weights = _positions(probabilities, 10, type)
    exact_ranks, exact_weights = _exact_positions(3, 10, type)
    assert exact_ranks + exact_weights == pytest.approx(ranks + weights)


def test_a_row_without_a_count_beside_counted_rows_is_one_record():
    """As where a data base counts the rows of one table and the other is a frame."""
    column = Column("double", np.array([0.5, 1.5]))
    first, second = as_they_are([column, column], [np.array([3, 4]), None])
    assert first.often is not None and second.often is not None
    assert (first.often.tolist(), second.often.tolist()) == ([3, 4], [1, 1])


def test_only_replaced_classes_are_told_of(capsys):
    numtocat_syn(pd.DataFrame({"age": np.arange(10.0)}), numtocat="age", catgroups=4)
    printed = capsys.readouterr().out
    assert "grouped: age" in printed
    assert "equal width" not in printed


# ---- uniques -------------------------------------------------------------------------


def test_k_is_the_size_of_the_first_synthesis():
    original = table("ab", "xy")
    sets = SynDS([table("abc", "xyz"), table("abcd", "xyzx")])
    assert replicated_uniques(sets, original).k == 3


def test_one_key_that_is_unique_in_a_synthesis_and_the_only_record_of_the_original():
    """R finds a, which one synthetic record has, in an original of one record (D37)."""
    original = pd.DataFrame({"k": ["a"]})
    with pytest.warns(RDefectWarning, match="D37"):
        result = replicated_uniques(SynDS(pd.DataFrame({"k": ["a", "b", "b"]})), original)
    assert result.res_tab[0]["Number"].tolist() == [1, 1, 1, 1]


# ---- key search ----------------------------------------------------------------------


def test_what_a_candidate_adds_counts_uniques_of_the_original():
    """a and b are unique in the original, and neither in the release."""
    original = pd.DataFrame({"k": ["a", "b"], "j": ["u", "u"]})
    released = pd.DataFrame({"k": ["a", "a"], "j": ["u", "u"]})
    added = key_risk(released, original, ["k", "j"]).marginal()
    assert added["UiO_alone"].to_dict() == {"k": 100, "j": 0}


# ---- fingerprints --------------------------------------------------------------------


def test_whole_numbers_far_apart_are_many_values():
    """The first rows are alike, so that only the rest says so."""
    alike = np.zeros(3 * MOST_VALUES, dtype=np.int64)
    far = np.arange(MOST_VALUES + 1, dtype=np.int64) * 10
    assert _has_many_values(Column("integer", np.concatenate([alike, far])))


def test_more_combinations_than_64_bits_can_number():
    """Seven columns of a thousand values have 10^21 possible rows, in whatever order."""
    places = np.arange(1000)

    def of(order: Any) -> str:
        columns = []
        for name in "abcdefg":
            levels = Levels(name, lambda codes: [str(code) for code in codes], None)
            columns.append(CodedColumn(levels, places[order]))
        return fingerprint(columns)

    assert of(slice(None)) == of(slice(None, None, -1))


def test_a_text_that_ends_like_midnight_is_cut_only_after_a_day():
    assert written_once("2020-02-01 00:00:00") == "2020-02-01"
    assert written_once("from 2020-02-01 00:00:00") == "from 2020-02-01 00:00:00"


@pytest.mark.parametrize("largest, at_hand", [(fingerprints.LARGEST_CODE, True), (3, False)])
def test_rows_are_counted_by_value_only_where_codes_have_room(largest, at_hand, monkeypatch):
    """Two keys and four values make eight codes; the fingerprint is the same either way."""
    data = table("abab", [1, 2, 3, 4])
    plain = result_of(data, data, ngroups_target=2)._fingerprints(original=True)
    seen = []

    def spied(*args: Any) -> Any:
        seen.append(fingerprints.value_rows(*args))
        return seen[-1]

    monkeypatch.setattr(judgement, "value_rows", spied)
    monkeypatch.setattr(fingerprints, "LARGEST_CODE", largest)
    result = result_of(data, data, ngroups_target=2)
    assert [rows is not None for rows in seen] == [at_hand]
    assert result._fingerprints(original=True) == plain


# ---- the summary ---------------------------------------------------------------------


def summary_with_defects(targets: int) -> Any:
    """Targets with levels in an order of their own in the original only: R counts nobody as
    disclosed, and two are (D1).
    """
    names = [f"t{number}" for number in range(targets)]
    original, released = pd.DataFrame({"k": ["a", "b"]}), pd.DataFrame({"k": ["a", "b"]})
    for name in names:
        original[name] = pd.Categorical(["9", "10"], ["9", "10"])
        released[name] = ["9", "10"]
    return quietly(multi_disclosure, SynDS(released), original, ["k"], targets=names)


def test_people_behind_the_correct_figure_are_the_correct_ones():
    result = summary_with_defects(1)
    (change,) = summary_show.moved_otherwise(result)
    theirs, ours = summary_show.behind_change(result, change)
    assert (theirs[0].n, ours[0].n) == (0, 2)


def test_a_figure_that_only_one_side_has_is_told():
    result = summary_with_defects(1)
    (row,) = result.corrected.rows
    without = replace(result.corrected, rows=[replace(row, ident_syn=math.nan)])
    told = [
        change[1] for change in summary_show.moved_otherwise(replace(result, corrected=without))
    ]
    assert "ident_syn of t0" in told


def test_six_figures_that_moved_and_three_targets_are_spelt_out():
    result = summary_with_defects(7)
    correct = result.corrected
    apart = [replace(row, attrib_syn=10.0 + at) for at, row in enumerate(correct.rows)]
    notes = summary_show.defect_notes(replace(result, corrected=replace(correct, rows=apart)))
    texts = ["".join(str(getattr(part, "value", part)) for part in note.words) for note in notes]
    assert sum("attrib_syn of" in text for text in texts) == 6
    (more,) = (note for note, text in zip(notes, texts) if "4 more targets" in text)
    assert more.indent == 2


def test_what_moved_alike_for_every_target_is_told_once():
    notes = summary_show.defect_notes(summary_with_defects(7))
    texts = ["".join(str(getattr(part, "value", part)) for part in note.words) for note in notes]
    assert [text for text in texts if "attrib_syn of" in text] == [
        "attrib_syn of every target: R 0.00, correct 100.00"
    ]


@pytest.mark.parametrize("figure", ["ident_orig", "ident_syn"])
def test_two_targets_with_two_figures_of_identity_differ(figure):
    data = table("ab", "xy").assign(u=["p", "q"])
    result = quietly(multi_disclosure, SynDS(data), data, ["k"], targets=["t", "u"])
    first, second = result.rows
    assert not summary_show._identity_differs([first, second])
    assert summary_show._identity_differs([first, replace(second, **{figure: 50.0})])
