"""Risk and utility by number of sets: figures against direct calls and hand-made answers, bad
input, views.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from synthpop_py.errors import InputError
from synthpop_py.estimation import (
    Means,
    Proportions,
    Regression,
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


def people():
    return pd.DataFrame(
        {
            "sex": list("ffmmffmm"),
            "town": list("ABABABAB"),
            "age": [30.0, 41, 35, 52, 29, 47, 38, 60],
        }
    )


def towns(*letters):
    """Synthetic sets: the people with other towns."""
    return [people().assign(town=list(row)) for row in letters]


SETS = towns("ABABABBA", "AABBABAB", "BBABAAAB")
MODELS = [Multinomial("town", ["sex", "age"])]
AGE = Means("age", by="town")


# ---- the figures ---------------------------------------------------------------------


def test_figures_are_those_of_direct_calls():
    study = risk_utility_by_m(SETS, people(), AGE, known="sex", synthesised="town", designs=(2, 3))
    for m in (2, 3):
        row = study.runs[study.runs["m"] == m].iloc[0]
        direct = identification_risk(SETS[:m], people(), known="sex", synthesised="town")
        assert (
            row["perceived"],
            row["expected"],
            row["true"],
            row["false"],
            row["unique_matches"],
        ) == (direct.perceived, direct.expected, direct.true, direct.false, direct.unique_matches)
        q = np.stack([AGE(s)[0] for s in SETS[:m]])
        v = np.stack([AGE(s)[1] for s in SETS[:m]])
        own, variance = AGE(people())
        half = Z * np.sqrt(variance.to_numpy())
        overlap = ci_overlap(combine(q, v), np.stack([own - half, own + half], axis=1))
        assert row["overlap"] == pytest.approx(overlap.mean, rel=1e-12)
        each = study.estimands[study.estimands["m"] == m]
        assert each["overlap"].tolist() == pytest.approx(overlap.each.tolist(), rel=1e-12)
        assert (
            each["synthetic"].tolist() == pytest.approx(q.mean(axis=0).tolist())
            and each["original"].tolist() == own.tolist()
        )


def test_releases_in_two_stages_are_combined_nest_by_nest():
    made = {}

    def synthesis(m, r, rng):
        made[m, r] = [SETS[i % 3] for i in range(m * r)]
        return made[m, r]

    study = risk_utility_by_m(
        synthesis, people(), AGE, known="sex", synthesised="town", designs=[(2, 3)]
    )
    q = np.stack([AGE(s)[0] for s in made[2, 3]]).reshape(2, 3, 2)
    v = np.stack([AGE(s)[1] for s in made[2, 3]]).reshape(2, 3, 2)
    own, variance = AGE(people())
    half = Z * np.sqrt(variance.to_numpy())
    assert study.runs["overlap"].iloc[0] == pytest.approx(
        ci_overlap(combine_two_stage(q, v), np.stack([own - half, own + half], axis=1)).mean,
        rel=1e-12,
    )
    assert study.runs["sets"].iloc[0] == 6


def test_sets_equal_to_the_original_are_perfectly_useful_and_fully_at_risk():
    study = risk_utility_by_m(
        [people()] * 3, people(), AGE, known=["sex", "age"], synthesised="town", designs=(3,)
    )
    assert study.table.loc["m = 3", "overlap"] == 1 and study.table.loc["m = 3", "true"] == 8


def test_one_stage_designs_of_a_replicate_share_their_sets():
    asked = []

    def synthesis(m, r, rng):
        asked.append((m, r))
        return [people()] * (m * r)

    risk_utility_by_m(
        synthesis, people(), AGE, synthesised="town", designs=(2, 5, (2, 2), 3), replicates=2
    )
    assert asked == [(5, 1), (2, 2)] * 2


def test_models_are_fitted_once_and_synthesise():
    posterior = fit_models(people(), MODELS)
    by_models = risk_utility_by_m(
        MODELS, people(), AGE, known="sex", designs=(2, 4), replicates=2, seed=3
    )
    by_posterior = risk_utility_by_m(
        posterior, people(), AGE, known="sex", designs=(2, 4), replicates=2, seed=3
    )
    pd.testing.assert_frame_equal(by_models.runs, by_posterior.runs)
    assert not by_models.runs.equals(
        risk_utility_by_m(
            posterior, people(), AGE, known="sex", designs=(2, 4), replicates=2, seed=4
        ).runs
    )
    assert by_models.synthesised == ("town",) and by_models.replicates == 2


def test_two_stage_models():
    frame = people().assign(pay=np.arange(8.0))
    models = [Multinomial("town", ["sex"]), NormalRegression("pay", ["town"])]
    study = risk_utility_by_m(
        models,
        frame,
        Means("pay"),
        known="sex",
        designs=(4, (2, 2)),
        first_stage="town",
        seed=1,
        intervals={"pay": 1.0},
    )
    assert study.table["sets"].tolist() == [4, 4] and study.table.index.tolist() == [
        "m = 4",
        "m = 2, r = 2",
    ]


def test_a_synthesis_that_exists():
    synthesis = partial_synthesis(people(), MODELS, m=4, seed=1, reproducible=True)
    assert isinstance(synthesis, SynDS)
    study = risk_utility_by_m(
        synthesis, people(), AGE, known="sex", synthesised="town", designs=range(2, 5)
    )
    assert study.table["sets"].tolist() == [2, 3, 4]


def test_groups_by_flags_and_positions():
    old = (people()["age"] > 40).to_numpy()
    study = risk_utility_by_m(
        SETS,
        people(),
        AGE,
        known="sex",
        synthesised="town",
        designs=(2,),
        groups={"old": old, "first": [0, 1]},
    )
    records = identification_risk(SETS[:2], people(), known="sex", synthesised="town").records()
    assert (records["c"] > 1).any()
    assert study.table.columns.tolist() == [
        "sets",
        "overlap",
        "estimands",
        "perceived",
        "expected",
        "true",
        "expected [old]",
        "true [old]",
        "expected [first]",
        "true [first]",
    ]
    for name, part in (("old", records[old]), ("first", records.iloc[:2])):
        assert study.table[f"expected [{name}]"].iloc[0] == pytest.approx(
            (part["I"] / part["c"]).sum()
        )
        assert study.table[f"true [{name}]"].iloc[0] == part["K"].sum()
        row = study.runs[study.runs["group"] == name].iloc[0]
        assert (row["records"], row["perceived"], row["false"]) == (
            len(part),
            part["perceived"].sum(),
            part["F"].sum(),
        )


def test_one_set_has_a_risk_but_no_overlap():
    study = risk_utility_by_m(SETS, people(), AGE, known="sex", synthesised="town", designs=(1, 2))
    assert (
        np.isnan(study.table.loc["m = 1", "overlap"])
        and study.table.loc["m = 1", "expected"] > 0
        and study.table.loc["m = 2", "overlap"] > 0
    )


def test_designs_are_compared_on_the_same_estimands():
    # town B is missing from the third set: its mean has an overlap with m = 2 and none with m = 3,
    # so that it counts in neither
    sets = [*towns("ABABABBA", "AABBABAB"), people().assign(town="A")]
    study = risk_utility_by_m(
        sets, people(), AGE, known="sex", synthesised="town", designs=(1, 2, 3)
    )
    each = study.estimands.set_index(["m", "estimand"])
    assert each["overlap"].notna().tolist() == [False, False, True, True, True, False]
    assert each["counted"].tolist() == [False, False, True, False, True, False]
    assert study.table["estimands"].tolist() == [0, 1, 1]
    assert (
        study.table["overlap"].tolist()[1:]
        == each["overlap"].loc[[(2, "mean age, town=A"), (3, "mean age, town=A")]].tolist()
    )
    assert "mean of 1 of 2 estimands, those that have one in every design" in flat(study)
    alone = risk_utility_by_m(sets, people(), AGE, known="sex", synthesised="town", designs=(2,))
    assert alone.table["estimands"].tolist() == [2] and alone.table["overlap"].iloc[
        0
    ] == pytest.approx(each.loc[2, "overlap"].mean())


def test_the_number_of_estimands_may_differ_between_replicates():
    replicates = iter([towns("ABABABBA", "AABBABAB"), [people().assign(town="A")] * 2])
    study = risk_utility_by_m(
        lambda m, r, rng: next(replicates),
        people(),
        AGE,
        known="sex",
        synthesised="town",
        designs=(2,),
        replicates=2,
    )
    assert study.table["estimands"].tolist() == [1.5] and "mean of 1 to 2 of 2 estimands" in flat(
        study
    )
    tidy = study.tidy().set_index("measure")
    assert (tidy["numerator"] / tidy["denominator"]).tolist() == pytest.approx(
        tidy["value"].tolist()
    )


def test_the_share_of_a_value_that_a_set_lacks_is_0():
    # shares of B: 1/2, and 0 and 3/8 in the sets, with variances 0 and 15/512: q = 3/16, b = 9/128,
    # vbar = 15/1024
    sets = [people().assign(town="A"), *towns("AAAABABB")]
    study = risk_utility_by_m(
        sets, people(), Proportions("town"), known="sex", synthesised="town", designs=(2,)
    )
    half = Z * np.sqrt(1 / 32)
    overlap = ci_overlap(combine([0, 3 / 8], [0, 15 / 512]), (0.5 - half, 0.5 + half))
    assert study.estimands.set_index("estimand").loc[
        "share town=B", ["synthetic", "overlap"]
    ].tolist() == pytest.approx([3 / 16, overlap.mean])
    assert study.table["estimands"].tolist() == [2]


def test_existing_sets_in_two_stages():
    frame = people().assign(shop=list("xyxyyxyx"))
    made = partial_synthesis(
        frame,
        [Multinomial("town", ["age"]), Multinomial("shop", ["age"])],
        m=3,
        r=2,
        first_stage="town",
        seed=1,
        reproducible=True,
    )
    study = risk_utility_by_m(
        made, frame, AGE, known="sex", synthesised=["town", "shop"], designs=((3, 2), (2, 2), 3)
    )
    nested = identification_risk(made, frame, known="sex", synthesised=["town", "shop"])
    one_each = identification_risk(made.syn[::2], frame, known="sex", synthesised=["town", "shop"])
    assert study.table["expected"].tolist() == [
        nested.expected,
        nested.path([2])["expected"].iloc[0],
        one_each.expected,
    ]
    with pytest.raises(
        InputError,
        match="designs: 4 nests of 2 sets are asked for, 3 nests of 2, 2, 2 sets are given",
    ):
        risk_utility_by_m(
            made, frame, AGE, known="sex", synthesised=["town", "shop"], designs=((4, 2),)
        )
    with pytest.raises(InputError, match="designs: 2 nests of 3 sets are asked for"):
        risk_utility_by_m(
            made, frame, AGE, known="sex", synthesised=["town", "shop"], designs=((2, 3),)
        )


def test_options_reach_the_risk():
    study = risk_utility_by_m(
        SETS,
        people(),
        AGE,
        known="sex",
        synthesised="town",
        designs=(3,),
        attack="mode",
        threshold=0.4,
        seed=2,
    )
    direct = identification_risk(
        SETS, people(), known="sex", synthesised="town", attack="mode", threshold=0.4, seed=2
    )
    assert study.runs["perceived"].iloc[0] == direct.perceived


# ---- estimands -----------------------------------------------------------------------


def test_estimands_of_ones_own():
    def median(frame):
        return frame["age"].median(), 4.0

    def two(frame):
        return [frame["age"].min(), frame["age"].max()], [1.0, 1.0]

    study = risk_utility_by_m(
        SETS, people(), [median, two, AGE], known="sex", synthesised="town", designs=(2,)
    )
    assert study.estimands["estimand"].tolist() == [
        "median 1",
        "two 2 1",
        "two 2 2",
        "mean age, town=A",
        "mean age, town=B",
    ]
    named = risk_utility_by_m(
        SETS,
        people(),
        {"middle": median, "by town": AGE},
        known="sex",
        synthesised="town",
        designs=(2,),
    )
    assert named.estimands["estimand"].tolist() == [
        "middle",
        "by town: mean age, town=A",
        "by town: mean age, town=B",
    ]


# ---- bad input -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "change, says",
    [
        ({"designs": ()}, "designs: is empty"),
        ({"designs": (0,)}, "designs: 0 is not a whole number of 1 or more"),
        ({"designs": ((2, 2, 2),)}, "designs: (2, 2, 2) cannot be used"),
        ({"designs": (2, (2, 1))}, "is given more than once"),
        ({"designs": (4,)}, "designs: 4 sets are asked for, but 3 are given"),
        ({"designs": ((2, 2),)}, "has two stages, which these sets do not have"),
        ({"replicates": 2}, "replicates: 2 cannot be made from existing sets"),
        ({"replicates": 0, "synthetic": MODELS}, "replicates: 0 is not"),
        ({"synthetic": 3}, "synthetic: int cannot be used"),
        (
            {"synthetic": lambda m, r, rng: SETS},
            "synthetic: the function gave 3 sets for m = 2 and r = 1; 2 are needed",
        ),
        (
            {"synthetic": MODELS, "designs": ((2, 2),)},
            "first_stage: is needed when r is more than 1",
        ),
        ({"synthesised": None}, "synthesised: is needed unless models make the synthesis"),
        ({"estimands": []}, "estimands: [] cannot be used; give functions"),
        ({"estimands": ["age"]}, "estimands: 'age' cannot be used; give functions"),
        ({"estimands": lambda f: 3}, "gave a int for the original data; (q, v)"),
        ({"estimands": lambda f: ([1, 2], 1)}, "one variance for each estimate is needed"),
        ({"estimands": lambda f: (1, -1)}, "gave the negative variance -1"),
        ({"estimands": [AGE, AGE]}, "'mean age, town=A' is estimated twice"),
        ({"estimands": Means("sex")}, "column: 'sex' is not numeric"),
        (
            {"estimands": Means("agee")},
            "column: 'agee' is not a column of the data; did you mean 'age'?",
        ),
        (
            {"estimands": Regression("town", ["age"])},
            "response: 'town' is not numeric; use family='logit'",
        ),
        (
            {"estimands": Regression("age", ["sex"], "logit")},
            "response: 'age' has 8 values; 'logit' needs two",
        ),
        (
            {"estimands": Regression("age", ["sx"])},
            "estimands: 'sx' is not a column of the original data",
        ),
        ({"level": 95}, "level: 95 is not a number above 0 and below 1"),
        ({"groups": {"x": [9]}}, "groups: 'x' is neither True or False for each of 8 records"),
        ({"groups": {"x": [True]}}, "groups: 'x' is neither"),
        ({"groups": {"all": [1]}}, "groups: 'all' stands for all records"),
        ({"known": "sx"}, "'sx' is not a column"),
        ({"original": people().iloc[:0]}, "original: has no rows"),
    ],
)
def test_bad_input(change, says):
    arguments = {
        "original": people(),
        "synthetic": SETS,
        "estimands": AGE,
        "known": "sex",
        "synthesised": "town",
        "designs": (2,),
    } | change
    with pytest.raises(InputError) as raised:
        risk_utility_by_m(**arguments)
    assert says in str(raised.value)


# ---- generated establishments --------------------------------------------------------


def test_generated_establishments():
    frame = generated_establishments(3000, seed=4)
    assert frame.equals(generated_establishments(3000, seed=4)) and not frame.equals(
        generated_establishments(3000, seed=5)
    )
    counts = frame["industry"].value_counts()
    assert (
        len(counts) == 16
        and counts.loc[["13", "14", "15", "16"]].max() < counts.drop(["13", "14", "15", "16"]).min()
    )
    assert (
        frame["employees"].skew() > 3
        and frame["employees"].min() >= 1
        and not frame.isna().any(axis=None)
    )


@pytest.mark.parametrize("n", [0, -1, 2.5, "many"])
def test_bad_numbers_of_establishments(n):
    with pytest.raises(InputError, match=r"^n: "):
        generated_establishments(n)


# ---- views ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def study() -> RiskUtilityByM:
    return risk_utility_by_m(
        MODELS,
        people(),
        AGE,
        known="sex",
        designs=(2, 4),
        replicates=3,
        groups={"old": [1, 3, 7]},
        seed=1,
    )


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


def test_text():
    study = risk_utility_by_m(
        [people(), people()],
        people(),
        AGE,
        known=["sex", "age"],
        synthesised="town",
        designs=(1, 2),
    )
    assert repr(study) == SHOWN


def test_html(study):
    html = study._repr_html_()
    assert (
        "<p>Risk and utility by number of released sets; 8 original records" in html
        and '<th scope="row">m = 4</th>' in html
        and "true [old]" in html
    )


def test_tidy_has_numerators_and_denominators(study):
    tidy = study.tidy()
    assert tidy.columns.tolist() == [
        "m",
        "r",
        "sets",
        "group",
        "measure",
        "value",
        "sd",
        "min",
        "max",
        "replicates",
        "numerator",
        "denominator",
        "unit",
    ]
    assert len(tidy) == 2 * (7 + 5)
    known = tidy.dropna(subset=["value"])
    assert (known["numerator"] / known["denominator"]).tolist() == pytest.approx(
        known["value"].tolist()
    )
    assert set(tidy.loc[tidy["measure"] == "overlap", "unit"]) == {"0 to 1, higher is more useful"}


def test_the_picture_shows_what_tidy_says(study):
    axes = study.plot(round_to=1)
    line = axes.get_lines()[-1]
    points = study_points(study, "expected")
    assert (
        line.get_xdata().tolist() == points["x"].tolist()
        and line.get_ydata().tolist() == points["y"].tolist()
    )
    tidy = study.tidy().query("group == 'all' and measure == 'expected'")
    assert points["y"].tolist() == tidy["value"].tolist()
    assert {text.get_text() for text in axes.texts} >= {"m = 2", "m = 4"}


def test_a_picture_of_few_people_says_why_there_are_no_figures(study):
    assert (study_points(study, "expected")["y"] < 10).all()
    axes = study.plot()
    assert not axes.get_lines()
    assert any("fewer than 20 people" in text.get_text() for text in axes.texts)


def test_two_stages_are_marked_in_the_picture():
    study = risk_utility_by_m(
        lambda m, r, rng: [SETS[i % 3] for i in range(m * r)],
        people(),
        AGE,
        known="sex",
        synthesised="town",
        designs=(2, 3, (2, 2)),
    )
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
    alone = risk_utility_by_m(SETS, people(), AGE, known="sex", synthesised="town", designs=(1,))
    with pytest.raises(InputError, match="no release has an overlap"):
        alone.plot()
