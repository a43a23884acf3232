"""Risk and utility by number of sets: figures against direct calls and hand-made answers, bad
input, views.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from synthpop_py.errors import InputError
from synthpop_py.estimation import (
    Means,
    Proportions,
    ci_overlap,
    combine,
    combine_two_stage,
)
from synthpop_py.matching import identification_risk
from synthpop_py.plots.study import study_points
from synthpop_py.study import RiskUtilityByM, generated_establishments, risk_utility_by_m
from synthpop_py.synds import SynDS
from synthpop_py.synthesis import Multinomial, NormalRegression, fit_models, partial_synthesis
from tests.unit.texts import flat

Z = 1.959963984540054
AGES = [30.0, 41, 35, 52, 29, 47, 38, 60]
PEOPLE = pd.DataFrame({"sex": list("ffmmffmm"), "town": list("ABABABAB"), "age": AGES})
MEASURES = ["perceived", "expected", "true", "false", "unique_matches"]


def towns(*letters: str) -> list[pd.DataFrame]:
    """Synthetic sets: the people with other towns."""
    return [PEOPLE.assign(town=list(row)) for row in letters]


SETS = towns("ABABABBA", "AABBABAB", "BBABAAAB")
MODELS = [Multinomial("town", ["sex", "age"])]
AGE = Means("age", by="town")
MADE = {"seed": 1, "reproducible": True}


def by_m(synthetic: Any = SETS, estimands: Any = AGE, **asked: Any) -> RiskUtilityByM:
    asked = {"known": "sex", "synthesised": "town", "designs": (2,)} | asked
    return risk_utility_by_m(synthetic, PEOPLE, estimands, **asked)


def overlap_by_hand(combined: Any, estimand: Any = AGE) -> Any:
    own, variance = estimand(PEOPLE)
    half = Z * np.sqrt(variance.to_numpy())
    return ci_overlap(combined, np.stack([own - half, own + half], axis=1))


# ---- the figures ---------------------------------------------------------------------


def test_figures_are_those_of_direct_calls():
    study = by_m(designs=(2, 3))
    own, _ = AGE(PEOPLE)
    for m in (2, 3):
        row = study.runs[study.runs["m"] == m].iloc[0]
        direct = identification_risk(SETS[:m], PEOPLE, known="sex", synthesised="town")
        assert [row[name] for name in MEASURES] == [getattr(direct, name) for name in MEASURES]
        q, v = (np.stack([AGE(one)[at] for one in SETS[:m]]) for at in (0, 1))
        overlap = overlap_by_hand(combine(q, v))
        assert row["overlap"] == pytest.approx(overlap.mean, rel=1e-12)
        each = study.estimands[study.estimands["m"] == m]
        assert each["overlap"].tolist() == pytest.approx(overlap.each.tolist(), rel=1e-12)
        assert each["synthetic"].tolist() == pytest.approx(q.mean(axis=0).tolist())
        assert each["original"].tolist() == own.tolist()


def test_releases_in_two_stages_are_combined_nest_by_nest():
    six = [SETS[i % 3] for i in range(6)]
    study = by_m(lambda m, r, rng: six, designs=[(2, 3)])
    q, v = (np.stack([AGE(one)[at] for one in six]).reshape(2, 3, 2) for at in (0, 1))
    mean = overlap_by_hand(combine_two_stage(q, v)).mean
    assert study.runs["overlap"].iloc[0] == pytest.approx(mean, rel=1e-12)
    assert study.runs["sets"].iloc[0] == 6


def test_sets_equal_to_the_original_are_perfectly_useful_and_fully_at_risk():
    table = by_m([PEOPLE] * 3, known=["sex", "age"], designs=(3,)).table
    assert table.loc["m = 3", "overlap"] == 1 and table.loc["m = 3", "true"] == 8


def test_one_stage_designs_of_a_replicate_share_their_sets():
    asked = []

    def synthesis(m, r, rng):
        asked.append((m, r))
        return [PEOPLE] * (m * r)

    by_m(synthesis, known=(), designs=(2, 5, (2, 2), 3), replicates=2)
    assert asked == [(5, 1), (2, 2)] * 2


def test_models_are_fitted_once_and_synthesise():
    posterior = fit_models(PEOPLE, MODELS)
    asked = {"synthesised": None, "designs": (2, 4), "replicates": 2}
    by_models = by_m(MODELS, seed=3, **asked)
    pd.testing.assert_frame_equal(by_models.runs, by_m(posterior, seed=3, **asked).runs)
    assert not by_models.runs.equals(by_m(posterior, seed=4, **asked).runs)
    assert by_models.synthesised == ("town",) and by_models.replicates == 2


def test_two_stage_models():
    frame = PEOPLE.assign(pay=np.arange(8.0))
    models = [Multinomial("town", ["sex"]), NormalRegression("pay", ["town"])]
    asked = {"known": "sex", "designs": (4, (2, 2)), "first_stage": "town", "seed": 1}
    study = risk_utility_by_m(models, frame, Means("pay"), intervals={"pay": 1.0}, **asked)
    assert study.table["sets"].tolist() == [4, 4]
    assert study.table.index.tolist() == ["m = 4", "m = 2, r = 2"]


def test_existing_sets_in_one_stage_and_in_two():
    synthesis = partial_synthesis(PEOPLE, MODELS, m=4, **MADE)
    assert isinstance(synthesis, SynDS)
    assert by_m(synthesis, designs=range(2, 5)).table["sets"].tolist() == [2, 3, 4]
    frame = PEOPLE.assign(shop=list("xyxyyxyx"))
    models = [Multinomial("town", ["age"]), Multinomial("shop", ["age"])]
    made = partial_synthesis(frame, models, m=3, r=2, first_stage="town", **MADE)
    keys = {"known": "sex", "synthesised": ["town", "shop"]}
    study = risk_utility_by_m(made, frame, AGE, designs=((3, 2), (2, 2), 3), **keys)
    nested = identification_risk(made, frame, **keys)
    one_each = identification_risk(made.syn[::2], frame, **keys)
    two_nests = nested.path([2])["expected"].iloc[0]
    assert study.table["expected"].tolist() == [nested.expected, two_nests, one_each.expected]
    for m, r in ((4, 2), (2, 3)):
        says = f"designs: {m} nests of {r} sets are asked for, 3 nests of 2, 2, 2 sets are given"
        with pytest.raises(InputError, match=says):
            risk_utility_by_m(made, frame, AGE, designs=((m, r),), **keys)


def test_groups_by_flags_and_positions():
    old = (PEOPLE["age"] > 40).to_numpy()
    study = by_m(groups={"old": old, "first": [0, 1]})
    records = identification_risk(SETS[:2], PEOPLE, known="sex", synthesised="town").records()
    assert (records["c"] > 1).any()
    whole = ["sets", "overlap", "estimands", "perceived", "expected", "true"]
    of_groups = ["expected [old]", "true [old]", "expected [first]", "true [first]"]
    assert study.table.columns.tolist() == whole + of_groups
    for name, part in (("old", records[old]), ("first", records.iloc[:2])):
        expected = (part["I"] / part["c"]).sum()
        assert study.table[f"expected [{name}]"].iloc[0] == pytest.approx(expected)
        assert study.table[f"true [{name}]"].iloc[0] == part["K"].sum()
        row = study.runs[study.runs["group"] == name].iloc[0]
        counts = [len(part), part["perceived"].sum(), part["F"].sum()]
        assert row[["records", "perceived", "false"]].tolist() == counts


def test_one_set_has_a_risk_but_no_overlap():
    table = by_m(designs=(1, 2)).table
    assert np.isnan(table.loc["m = 1", "overlap"]) and table.loc["m = 1", "expected"] > 0
    assert table.loc["m = 2", "overlap"] > 0


def test_designs_are_compared_on_the_same_estimands():
    # town B is missing from the third set: its mean has an overlap with m = 2 and none with m = 3,
    # so that it counts in neither
    sets = [*towns("ABABABBA", "AABBABAB"), PEOPLE.assign(town="A")]
    study = by_m(sets, designs=(1, 2, 3))
    each = study.estimands.set_index(["m", "estimand"])
    assert each["overlap"].notna().tolist() == [False, False, True, True, True, False]
    assert each["counted"].tolist() == [False, False, True, False, True, False]
    assert study.table["estimands"].tolist() == [0, 1, 1]
    of_a = each["overlap"].loc[[(2, "mean age, town=A"), (3, "mean age, town=A")]]
    assert study.table["overlap"].tolist()[1:] == of_a.tolist()
    assert "mean of 1 of 2 estimands, those that have one in every design" in flat(study)
    alone = by_m(sets).table
    assert alone["estimands"].tolist() == [2]
    assert alone["overlap"].iloc[0] == pytest.approx(each.loc[2, "overlap"].mean())


def test_the_number_of_estimands_may_differ_between_replicates():
    replicates = iter([towns("ABABABBA", "AABBABAB"), [PEOPLE.assign(town="A")] * 2])
    study = by_m(lambda m, r, rng: next(replicates), replicates=2)
    assert study.table["estimands"].tolist() == [1.5]
    assert "mean of 1 to 2 of 2 estimands" in flat(study)


def test_the_share_of_a_value_that_a_set_lacks_is_0():
    # shares of B: 1/2, and 0 and 3/8 in the sets, with variances 0 and 15/512: q = 3/16, b = 9/128,
    # vbar = 15/1024
    study = by_m([PEOPLE.assign(town="A"), *towns("AAAABABB")], Proportions("town"))
    half = Z * np.sqrt(1 / 32)
    overlap = ci_overlap(combine([0, 3 / 8], [0, 15 / 512]), (0.5 - half, 0.5 + half))
    of_b = study.estimands.set_index("estimand").loc["share town=B"]
    assert of_b[["synthetic", "overlap"]].tolist() == pytest.approx([3 / 16, overlap.mean])
    assert study.table["estimands"].tolist() == [2]


def test_options_reach_the_risk():
    options = {"attack": "mode", "threshold": 0.4, "seed": 2}
    direct = identification_risk(SETS, PEOPLE, known="sex", synthesised="town", **options)
    assert by_m(designs=(3,), **options).runs["perceived"].iloc[0] == direct.perceived


def test_estimands_of_ones_own():
    def median(frame):
        return frame["age"].median(), 4.0

    def two(frame):
        return [frame["age"].min(), frame["age"].max()], [1.0, 1.0]

    of_towns = ["mean age, town=A", "mean age, town=B"]
    listed = by_m(SETS, [median, two, AGE]).estimands["estimand"]
    assert listed.tolist() == ["median 1", "two 2 1", "two 2 2", *of_towns]
    named = by_m(SETS, {"middle": median, "by": AGE}).estimands["estimand"]
    assert named.tolist() == ["middle", *(f"by: {name}" for name in of_towns)]


# ---- bad input -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "change, says",
    [
        ({"designs": ()}, "designs: is empty"),
        ({"designs": (0,)}, "designs: 0 is not a whole number of 1 or more"),
        ({"designs": ((2, 2, 2),)}, "designs: (2, 2, 2) cannot be used"),
        ({"designs": (2, (2, 1))}, "is given more than once"),
        ({"designs": (4,)}, "designs: 4 nests of 1 sets are asked for, 3 nests of 1, 1, 1 sets"),
        ({"designs": ((2, 2),)}, "designs: 2 nests of 2 sets are asked for"),
        ({"replicates": 2}, "replicates: 2 cannot be made from existing sets"),
        ({"replicates": 0, "synthetic": MODELS}, "replicates: 0 is not"),
        ({"synthetic": 3}, "synthetic: int cannot be used"),
        (
            {"synthetic": lambda m, r, rng: SETS},
            "synthetic: the function gave 3 sets for m = 2 and r = 1; 2 are needed",
        ),
        ({"synthetic": MODELS, "designs": ((2, 2),)}, "first_stage: is needed when r is more"),
        ({"synthesised": None}, "synthesised: is needed unless models make the synthesis"),
        ({"estimands": []}, "estimands: [] cannot be used; give functions"),
        ({"level": 95}, "level: 95 is not a number above 0 and below 1"),
        ({"groups": {"x": [9]}}, "groups: 'x' is neither True or False for each of 8 records"),
        ({"groups": {"x": [True]}}, "groups: 'x' is neither"),
        ({"groups": {"all": [1]}}, "groups: 'all' stands for all records"),
        ({"known": "sx"}, "'sx' is not a column"),
        ({"original": PEOPLE.iloc[:0]}, "original: has no rows"),
    ],
)
def test_bad_input(change, says):
    keys = {"known": "sex", "synthesised": "town", "designs": (2,)}
    arguments = {"original": PEOPLE, "synthetic": SETS, "estimands": AGE, **keys} | change
    with pytest.raises(InputError) as raised:
        risk_utility_by_m(**arguments)
    assert says in str(raised.value)


# ---- generated establishments --------------------------------------------------------


def test_generated_establishments():
    frame = generated_establishments(3000, seed=4)
    assert frame.equals(generated_establishments(3000, seed=4))
    assert not frame.equals(generated_establishments(3000, seed=5))
    counts = frame["industry"].value_counts()
    small = ["13", "14", "15", "16"]
    assert len(counts) == 16 and counts.loc[small].max() < counts.drop(small).min()
    assert frame["employees"].skew() > 3 and frame["employees"].min() >= 1
    assert not frame.isna().any(axis=None)
    for n in (0, -1, 2.5, "many"):
        with pytest.raises(InputError, match=r"^n: "):
            generated_establishments(n)


# ---- views ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def study() -> RiskUtilityByM:
    asked = {"synthesised": None, "designs": (2, 4), "replicates": 3, "seed": 1}
    return by_m(MODELS, groups={"old": [1, 3, 7]}, **asked)


SHOWN = """\
Risk and utility by number of released sets; 8 original records, keys sex, age, town; one simulated
release each
      sets overlap estimands perceived expected true
m = 1    1     NaN         0         8        8    8
m = 2    2       1         2         8        8    8
overlap: of 95 % intervals with those from the original data, mean of 2 of 2 estimands, those that
have one in every design (1: the same; higher is more useful)
perceived: records an intruder believes they have found; expected: records they are expected to
guess correctly; true: records whose one likeliest match is correct, which the intruder cannot know
(higher is riskier)\
"""


def test_shown(study):
    assert repr(by_m([PEOPLE, PEOPLE], known=["sex", "age"], designs=(1, 2))) == SHOWN
    html = study._repr_html_()
    assert "<p>Risk and utility by number of released sets; 8 original records" in html
    assert '<th scope="row">m = 4</th>' in html and "true [old]" in html


def test_tidy_has_numerators_and_denominators(study):
    tidy = study.tidy()
    assert " ".join(tidy.columns) == (
        "m r sets group measure value sd min max replicates numerator denominator unit"
    )
    assert len(tidy) == 2 * (7 + 5)
    known = tidy.dropna(subset=["value"])
    values = known["numerator"] / known["denominator"]
    assert values.tolist() == pytest.approx(known["value"].tolist())
    assert set(tidy["unit"][tidy["measure"] == "overlap"]) == {"0 to 1, higher is more useful"}


def test_the_picture_shows_what_tidy_says(study):
    axes, points = study.plot(round_to=1), study_points(study, "expected")
    x, y = axes.get_lines()[-1].get_data()
    assert x.tolist() == points["x"].tolist() and y.tolist() == points["y"].tolist()
    tidy = study.tidy().query("group == 'all' and measure == 'expected'")
    assert points["y"].tolist() == tidy["value"].tolist()
    assert {text.get_text() for text in axes.texts} >= {"m = 2", "m = 4"}
    # of few people it says why there are no figures
    assert (points["y"] < 10).all()
    few = study.plot()
    assert not few.get_lines()
    assert any("fewer than 20 people" in text.get_text() for text in few.texts)


def test_two_stages_are_marked_in_the_picture():
    study = by_m(lambda m, r, rng: [SETS[i % 3] for i in range(m * r)], designs=(2, 3, (2, 2)))
    axes = study.plot("true", round_to=1)
    assert [text.get_text() for text in axes.get_legend().get_texts()] == [
        "in one stage: m sets",
        "in two stages: m nests of r sets",
    ]
    assert "2 × 2" in {text.get_text() for text in axes.texts}
    # the intruder knows none of them for certain
    assert axes.get_ylabel().startswith("records whose one likeliest match is correct")


def test_pictures_that_cannot_be_drawn(study):
    with pytest.raises(InputError, match="measure: 'false' is unknown"):
        study.plot("false")
    with pytest.raises(InputError, match="no release has an overlap"):
        by_m(designs=(1,)).plot()
