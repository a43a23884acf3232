"""What `identification_risk()` returns and shows: records, subgroups, path, tidy, text, HTML,
figure.
"""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from synthpop_py import InputError, SynDS
from synthpop_py.matching import IdentificationRisk, QuantileSD, identification_risk
from synthpop_py.rounding import people as people_text
from synthpop_py.rounding import percent, shown
from synthpop_py.synthesis import Multinomial, partial_synthesis

PEOPLE = pd.DataFrame(
    {
        "sex": ["f", "f", "f", "m", "m"],
        "town": ["A", "B", "C", "A", "B"],
        "size": [1.0, 2, np.nan, 4, 5],
    },
    index=pd.Index(list("vwxyz"), name="who"),
)
COUNTS = ["perceived", "expected", "true", "false", "unique_matches"]
SETS = [PEOPLE.assign(town=list(towns)) for towns in ("BBBAA", "ABBBA")]


@pytest.fixture(scope="module")
def risk() -> IdentificationRisk:
    # worked out in test_matching_by_hand: c = 1, 2, 3, 1, 1, I = 1, 1, 1, 0, 0
    return identification_risk(SETS, PEOPLE, known="sex", synthesised="town")


def test_records(risk):
    records = risk.records()
    assert list(records) == ["highest", "perceived", "c", "I", "K", "F", "fallback"]
    assert records.index.equals(PEOPLE.index) and records["perceived"].dtype == bool
    assert records["c"].tolist() == [1, 2, 3, 1, 1]


def test_groups_by_hand(risk):
    by_sex = risk.by("sex")
    assert list(by_sex) == ["n", *COUNTS, "true_rate", "false_rate"]
    assert by_sex.index.tolist() == ["f", "m"] and by_sex.index.name == "sex"
    women, men = [3, 3, 1 + 1 / 2 + 1 / 3, 1, 0, 1, 1 / 3, 0], [2, 2, 0, 0, 2, 2, 0, 1]
    assert by_sex.to_numpy() == pytest.approx(np.array([women, men]))


SIZES = pd.Categorical(["small", None, "large", None, "small"], ["small", "large", "unused"])
SEXES = pd.Categorical(["f", None, None, None, "f"])


# how groups are given, how many targets each has, and how many labels of groups are missing:
# categories come in their order, what is missing is one group, the last
@pytest.mark.parametrize(
    "groups, n, missing",
    [
        (["sex", "town"], [1] * 5, 0),
        (PEOPLE["size"] >= 4, [3, 2], 0),
        (np.array([1, 1, 2, 2, 2]), [2, 3], 0),
        (list("pqpqp"), [3, 2], 0),
        ({"half": [1, 1, 0, 0, 0], "sex": PEOPLE["sex"]}, [1, 2, 2], 0),
        ("size", [1] * 5, 1),
        (SIZES, [2, 1, 2], 1),
        ({"size": SIZES, "sex": SEXES}, [2, 1, 2], 3),
        (pd.array([2, None, 1, None, 2], dtype="Int64"), [1, 2, 2], 1),
        (np.array([1, "a", None, None, 1], dtype=object), [2, 1, 2], 1),
        # values without an order
        (np.array([(1,), "a", None, None, (1,)], dtype=object), [2, 1, 2], 1),
    ],
)
def test_ways_to_give_groups(risk, groups, n, missing):
    found = risk.by(groups)
    assert found["n"].tolist() == n
    labels = found.index.to_frame().isna().to_numpy()
    assert labels.sum() == missing == labels[-2:].sum()


def test_names_and_order_of_groups(risk):
    assert risk.by(["sex", "town"]).index.names == ["sex", "town"]
    large = risk.by(PEOPLE["size"] >= 4)
    assert large.index.tolist() == [False, True] and large.index.name == "size"
    assert risk.by(np.array([1, 1, 2, 2, 2])).index.name == "group"
    assert risk.by(SIZES).index.tolist()[:2] == ["small", "large"]


def test_groups_add_up(risk):
    for groups in ("sex", "town", "size", ["sex", "town"]):
        found = risk.by(groups)[["n", *COUNTS]].sum()
        assert found.tolist() == pytest.approx([getattr(risk, name) for name in ["n", *COUNTS]])


@pytest.mark.parametrize("record", ["v", "w"])
def test_probabilities_where_the_target_may_be_elsewhere(record):
    weighted = identification_risk(
        SETS, PEOPLE, known="sex", synthesised="town", weights=[2, 2, 2, 2, 2]
    )
    one = weighted.probabilities(record)
    assert (
        one.index.name == "who"
        and set(one.index) <= set(PEOPLE.index)
        and one.is_monotonic_decreasing
    )  # labels of records, and nothing else
    assert one.sum() == pytest.approx(weighted.records().loc[record, "in_file"])
    numbered = identification_risk(
        [s.set_axis([5, 4, 3, 2, 1]) for s in SETS],
        PEOPLE.set_axis([5, 4, 3, 2, 1]),
        known="sex",
        synthesised="town",
        weights=[2, 2, 2, 2, 2],
    )
    other = numbered.probabilities({"v": 5, "w": 4}[record])
    assert (
        other.tolist() == one.tolist() and other.get(0) is None
    )  # 0 is no label; never the first place


def test_a_synthesis_says_itself_that_it_has_two_stages():
    frame = pd.DataFrame({"race": list("aabb"), "town": list("ABAB"), "x": [1.0, 2, 3, 4]})
    made = partial_synthesis(
        frame,
        [Multinomial("race", ["x"]), Multinomial("town", ["x"])],
        m=3,
        r=2,
        first_stage="race",
        seed=1,
        reproducible=True,
    )
    keys = {"known": [], "synthesised": ["race", "town"]}
    straight, listed = (
        identification_risk(made, frame, **keys),
        identification_risk([made.syn[:2], made.syn[2:4], made.syn[4:]], frame, **keys),
    )
    assert (
        (straight.m, straight.sets, straight.r)
        == (listed.m, listed.sets, listed.r)
        == (3, 6, (2, 2, 2))
    )
    pd.testing.assert_frame_equal(straight.path(), listed.path())
    assert straight.path()["sets"].tolist() == [2, 4, 6]  # nests are never split
    one_stage = partial_synthesis(
        frame, [Multinomial("race", ["x"])], m=3, seed=1, reproducible=True
    )
    assert identification_risk(one_stage, frame, known=[], synthesised="race").r is None
    with pytest.raises(
        InputError,
        match="synthetic: its meta gives the nests of 6 sets, it holds 2; give a SynDS without"
        " 'nest' in its meta",
    ):
        identification_risk(SynDS(made.syn[:2], meta=made.meta), frame, **keys)


def test_path_ends_with_the_result(risk):
    path = risk.path()
    assert path.index.tolist() == path["sets"].tolist() == [1, 2] and path.index.name == "m"
    for m in (1, 2):
        alone = identification_risk(SETS[:m], PEOPLE, known="sex", synthesised="town")
        expected = [getattr(alone, name) for name in COUNTS]
        assert path.loc[m, COUNTS].tolist() == pytest.approx(expected)
    assert risk.path([2]).equals(path.loc[[2]])
    with pytest.raises(InputError, match="steps: 3 is more than the 2 sets released"):
        risk.path([3])


def test_path_of_the_mode_attack_uses_the_same_draws():
    for seed in range(5):
        risk = identification_risk(
            SETS, PEOPLE, known="sex", synthesised="town", attack="mode", seed=seed
        )
        again = identification_risk(
            SETS[:1], PEOPLE, known="sex", synthesised="town", attack="mode", seed=seed
        )
        assert (
            risk.path().loc[2, "expected"] == risk.expected
            and risk.path().loc[1, "expected"] == again.expected
        )


def test_probabilities_of_one_target(risk):
    assert risk.probabilities("w").index.tolist() == ["w", "x", "v"]
    with pytest.raises(InputError, match="record: 'q' is not a row label"):
        risk.probabilities("q")
    doubled = identification_risk(
        SETS[0].reset_index(drop=True), PEOPLE.set_axis(["a"] * 5), known="sex", synthesised="town"
    )
    with pytest.raises(InputError, match="or the label of several rows"):
        doubled.probabilities("a")


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"attack": "mode"},
        {"attack": "model", "models": [Multinomial("town", ["sex"])], "draws": 20},
        {"population": {(s, t): 5 for s in "fm" for t in "ABC"}},
    ],
    ids=["probability", "mode", "model", "population"],
)
def test_probabilities_of_one_target_need_no_second_attack(options, monkeypatch):
    """Nothing is read, drawn or attacked again; and what they say is what the attack said."""
    risk = identification_risk(SETS, PEOPLE, known="sex", synthesised="town", seed=1, **options)

    def again(*args, **kwargs):
        raise AssertionError("the attack is repeated")

    for place in ("intruders.draw_keys", "intruders.read_keys", "attack.Sight.outcomes"):
        monkeypatch.setattr(f"synthpop_py.matching.{place}", again)
    for record, row in risk.records().iterrows():
        found = risk.probabilities(record)
        assert (found.max() if len(found) else 0) == pytest.approx(row["highest"], abs=1e-12)
        assert (found > found.max() - 1e-12).sum() == row["c"]


def test_tidy_has_numerators_and_denominators(risk):
    tidy = risk.tidy()
    assert list(tidy) == ["measure", "value", "unit", "numerator", "denominator"]
    assert tidy["measure"].tolist() == [*COUNTS, "true_rate", "false_rate"]
    assert tidy["value"].tolist() == pytest.approx([5, 11 / 6, 1, 2, 3, 1 / 5, 2 / 3])
    assert tidy["numerator"].tolist() == pytest.approx([5, 11 / 6, 1, 2, 3, 1, 2])
    assert tidy["denominator"].tolist() == [5, 5, 5, 5, 5, 5, 3]
    who = "original records"
    assert tidy["unit"].tolist() == [who] * 5 + [f"share of {who}", "share of unique matches"]


def test_a_dictionary_that_json_can_hold(risk):
    content = json.loads(json.dumps(risk.to_dict()))
    assert (content["perceived"], content["true"], content["n"], content["m"], content["r"]) == (
        5,
        1,
        5,
        2,
        None,
    )
    assert (
        content["known"] == ["sex"]
        and content["fallback"] == "known"
        and content["in_file"] is True
    )
    nobody = identification_risk(SETS[0], PEOPLE, known="sex", synthesised="town")
    assert json.loads(json.dumps(nobody.to_dict()))["false_rate"] is None


SHOWN = """\
Identification risk of 5 records in 2 synthetic sets; attack: probability
Keys released unchanged: sex; synthesised: town; targets known to be in the file

Targets, each original record in turn (higher is riskier, except false and false rate):
           value of
perceived      5  5  highest match probability above 0.2
expected    1.83  5  correct guesses among the likeliest records, at random where several tie
true           1  5  the one likeliest record is the correct one
false          2  5  the one likeliest record is a wrong one
true rate  20.00     true, in % of original records
false rate 66.67     false, in % of the 3 unique matches

Fallback (no record agreed on all keys) was used for 3 of 5 targets in some set. See .records() for
every target, .by(...) for subgroups, .path() how risk grows with the released sets."""


def test_what_is_shown(risk, capsys):
    assert repr(risk) == SHOWN
    risk.print()
    assert capsys.readouterr().out == SHOWN + "\n"
    risk.print(digits=4)
    assert "1.8333" in capsys.readouterr().out
    with pytest.raises(InputError, match="digits"):
        risk.print(digits=-1)


SHOWN_WITH_GROUPS = """\
Identification risk of 5 records in 3 synthetic sets in 2 nests; attack: probability
Keys released unchanged: none; synthesised: town, size; targets perhaps not in the file (survey
weights), intruder abstains
Numeric keys match when near: size ± the standard deviation of its quantile group (2 groups);
boundary excluded

Targets, each original record in turn (higher is riskier, except false and false rate):
           value of
perceived      3  5  highest match probability above 0.2
expected    2.00  5  correct guesses among the likeliest records, at random where several tie
true           2  5  the one likeliest record is the correct one
false          0  5  the one likeliest record is a wrong one
true rate  40.00     true, in % of original records
false rate  0.00     false, in % of the 2 unique matches

By town (counts of records; rates are shares):
  n perceived expected true false unique_matches true_rate false_rate
A 2         2        1    1     0              1       0.5          0
B 2         1        1    1     0              1       0.5          0
C 1         0        0    0     0              0       0.0        NaN

See .records() for every target, .by(...) for subgroups, .path() how risk grows with the released
sets."""


def test_what_is_shown_of_everything_else():
    # sizes stay as they are, and 1, 2 and 4, 5 are farther apart (1) than the standard deviation of
    # their group (0.71), so a record can match only itself. v (A) does in the second set, weight
    # 1/4: 1/4 against 3/4 outside. w (B) in all: 1. x (C) and z (B) never. y (A) in the other sets:
    # 3/4 against 1/4.
    risk = identification_risk(
        [[SETS[0], SETS[1]], [SETS[0]]],
        PEOPLE,
        known=[],
        synthesised=["town", "size"],
        intervals={"size": QuantileSD(2)},
        boundary="open",
        weights=[1.0] * 5,
        abstain=True,
        by="town",
    )
    assert repr(risk) == SHOWN_WITH_GROUPS


def test_html_holds_the_same(risk):
    html = risk._repr_html_()
    assert (
        html.count("<table>") == 1
        and "1.83" in html
        and "the one likeliest record is a wrong one" in html
        and "Identification risk of 5 records" in html
    )
    grouped = identification_risk(
        [s.assign(sex="<f>") for s in SETS],
        PEOPLE.assign(sex=["<f>"] * 5),
        known="sex",
        synthesised="town",
        by="sex",
    )
    assert (
        grouped._repr_html_().count("<table>") == 2
        and "&lt;f&gt;" in grouped._repr_html_()
        and "<f>" not in grouped._repr_html_()
    )


@pytest.mark.needs("matplotlib")
def test_figure_shows_the_path(risk):
    from matplotlib import figure

    ax = risk.plot(round_to=1)
    lines = {line.get_label().split(":")[0]: line.get_ydata().tolist() for line in ax.get_lines()}
    path = risk.path()
    percent = 100 * path[["perceived", "expected", "true"]] / risk.n
    # all five are perceived, two at most are expected: perceived has an axis of its own
    percent["perceived"] *= percent["expected"].max() / 100
    assert lines == {name: pytest.approx(values.tolist()) for name, values in percent.items()}
    assert len({(line.get_marker(), line.get_linestyle()) for line in ax.get_lines()}) == 3
    assert (
        ax.get_xlabel() == "released synthetic sets"
        and ax.get_ylabel().split() == f"% of {risk.n} original records: expected, true".split()
        and ax.get_ylim()[0] == 0
    )
    own = figure.Figure().add_subplot()
    assert risk.plot(own, steps=[1], round_to=1) is own and own.get_lines()[
        0
    ].get_xdata().tolist() == [1]


@pytest.mark.needs("matplotlib")
def test_a_figure_of_few_people_says_why_there_is_none(risk):
    ax = risk.plot()
    assert not ax.get_lines()
    assert any("fewer than 20 people" in text.get_text() for text in ax.texts)
    assert "fewer than 20 people" in risk.to_html() and "perceived" not in risk.to_html()


@pytest.mark.needs("matplotlib")
def test_what_others_see_is_computed_from_rounded_counts():
    rng = np.random.default_rng(2)
    people = pd.DataFrame({"a": rng.integers(0, 9, 57), "b": rng.integers(0, 4, 57)})
    found = identification_risk([people], people, known="a", synthesised="b")
    assert 0 < found.true < found.n
    page = found.to_markdown()
    true = shown(found.true, 57)
    assert f"| true | {people_text(true)} | 50 |" in page
    assert f"| true rate | {percent(true, 50)} |" in page
    assert f"{found.expected:.2f}" not in page and "57" not in page
    drawn = {line.get_label().split(":")[0]: line.get_ydata() for line in found.plot().get_lines()}
    assert drawn["true"][0] == 100 * true / 50


def test_results_are_frozen(risk):
    with pytest.raises(AttributeError):
        risk.true = 0
