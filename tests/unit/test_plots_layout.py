"""Every picture in its hard cases: all words lie inside it, and no two of them on one another; it
says whom it speaks of; and it appears where users of matplotlib look for it.
"""

from __future__ import annotations

import math
import subprocess
import sys
from dataclasses import replace
from functools import cache
from itertools import combinations
from pathlib import Path

import matplotlib
import matplotlib.figure
import matplotlib.style
import matplotlib.text
import numpy as np
import pandas as pd
import pytest

from synthpop_py import (
    InputError,
    closed_forms,
    datasets,
    disclosure,
    identification_risk,
    ifpr,
    key_risk,
    multi_disclosure,
    ru_map,
)
from synthpop_py.plots import plot_funnel, plot_identity, plot_targets
from synthpop_py.plots.ifpr import plot_ifpr_theta
from synthpop_py.study import risk_utility_by_m
from tests.unit.test_plots import _quiet, adult, sd5, wide, words
from tests.unit.test_ru_map import map_of
from tests.unit.test_study_by_m import AGE

LETTERS_TOUCH = 1.5  # pixels that boxes of letters may share: letters are smaller than their boxes
SIDE_BY_SIDE = (11, 4.5)  # inches of a figure with two given axes


@pytest.fixture(autouse=True)
def fixed_settings():
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        yield


# ---- results to draw -----------------------------------------------------------------


def releases(n: int, name: str = "release {}"):
    rng = np.random.default_rng(n)
    places = {}
    for i in range(n):
        places[name.format(i)] = (5 + float(rng.integers(0, 900)) / 100, float(3 * rng.random()))
    return map_of(places)


@cache
def matches():
    rng = np.random.default_rng(3)
    original = pd.DataFrame(
        {"sex": rng.choice(list("fm"), 2000), "town": rng.integers(0, 300, 2000)}
    )
    sets = []
    for _ in range(6):
        keeps = rng.random(2000) < 0.3
        sets.append(original.assign(town=original["town"].where(keeps, rng.integers(0, 300, 2000))))
    return identification_risk(sets, original, known="sex", synthesised="town")


@cache
def one_target():
    made, people = datasets.load_synthesis("SD2011_s1"), datasets.load("SD2011")
    return _quiet(multi_disclosure, made, people, ["sex", "age"], ["depress"], compat="corrected")


@cache
def by_m():
    rng = np.random.default_rng(3)
    original = pd.DataFrame(
        {
            "sex": rng.choice(list("fm"), 400),
            "town": rng.choice(list("ABCDEFGHIJ"), 400),
            "age": rng.integers(18, 80, 400).astype(float),
        }
    )

    def make(m, r, generator):
        sets = []
        for _ in range(m * r):
            noise = generator.normal(0, 5, 400)
            towns = generator.permutation(original["town"])
            sets.append(original.assign(town=towns, age=original["age"] + noise))
        return sets

    return risk_utility_by_m(
        make,
        original,
        AGE,
        known="sex",
        synthesised="town",
        designs=(2, 3, (2, 2)),
        replicates=2,
        seed=1,
    )


@cache
def exchanged():
    cells = [(g, f"{g}{i}") for g in range(3) for i in range(16 + g) for _ in range(1 + i % 2)]
    frame = pd.DataFrame(cells, columns=["g", "x"])
    return ifpr(frame, ["g", "x"], xi=0.395, blocks="g", seed=1, reproducible=True)


@cache
def keys():
    return key_risk(
        datasets.load_synthesis("SD2011_s1"),
        datasets.load("SD2011"),
        ["sex", "age", "region", "placesize", "marital"],
        target="depress",
    )


@cache
def one_key():
    return key_risk(
        datasets.load_synthesis("SD2011_s1"), datasets.load("SD2011"), ["age"], target="depress"
    )


@cache
def thirty():
    """Thirty syntheses of 300 people."""
    rng = np.random.default_rng(30)
    people = pd.DataFrame({"k": rng.integers(0, 200, 300), "t": rng.integers(0, 3, 300)})
    sets = [people.sample(300, replace=True, random_state=i) for i in range(30)]
    return _quiet(disclosure, sets, people, ["k"], "t", compat="corrected")


def curve():
    rates = np.linspace(0, 1, 21)
    return closed_forms.ru_curve("swapping", rates, n1=3, n2=2, variance=1.0, delta=1.0)


LONG = "release {} with a rather long name of the mask that made it"
HARD = {
    "one release": lambda ax: releases(1).plot(ax=ax, round_to=1),
    "five releases": lambda ax: releases(5).plot(ax=ax, round_to=1, ceiling=8),
    "twelve releases": lambda ax: releases(12).plot(ax=ax, round_to=1),
    "releases with long names": lambda ax: releases(12, LONG).plot(ax=ax, round_to=1),
    "path": lambda ax: matches().plot(ax),
    "study": lambda ax: by_m().plot(ax=ax, round_to=1),
    "study, rounded": lambda ax: by_m().plot(ax=ax),
    "ifpr theta": lambda ax: plot_ifpr_theta([0.395, 0.6], ax),
    "ifpr risk": lambda ax: exchanged().plot(ax=ax),
    "ifpr design": lambda ax: exchanged().plot("design", ax=ax, round_to=1),
    "ifpr audit": lambda ax: exchanged().audit(20, seed=1).plot(ax),
    "curve": lambda ax: curve().plot(1, ax),
    "one target": lambda ax: plot_targets(one_target(), ax),
    "five targets": lambda ax: plot_targets(sd5(), ax, ceiling=10),
    "25 targets": lambda ax: plot_targets(wide(), ax, ceiling=50),
    "funnel": lambda ax: plot_funnel(sd5()["depress"], ax=ax),
    "funnel, exact": lambda ax: plot_funnel(adult()["hours.per.week"], ax=ax, round_to=1),
    "identity": lambda ax: plot_identity(sd5()["depress"], ax),
    "identity, one": lambda ax: plot_identity(adult()["workclass"], ax),
    "identity, thirty": lambda ax: plot_identity(thirty(), ax),
    "pairs of keys": lambda ax: keys().plot("pairs", ax=ax),
    "pairs, exact": lambda ax: keys().plot("pairs", "DiSCO", ax=ax, round_to=1),
    "sets of keys": lambda ax: keys().plot("sets", ax=ax),
    "one key": lambda ax: one_key().plot(ax=ax),
    "thirty releases": lambda ax: releases(30).plot(ax=ax, round_to=1),
}
# of each kind of picture one with much to say
FULLEST = ["five releases", "path", "study", "ifpr risk", "ifpr audit", "curve", "five targets"]


# ---- reading a picture ---------------------------------------------------------------


def texts_and_boxes(figure) -> list[tuple[str, object]]:
    """All words that are seen, with what they cover in pixels."""
    figure.draw_without_rendering()
    unseen = set()
    for ax in [*figure.axes, *(right for left in figure.axes for right in left.child_axes)]:
        for axis in (ax.xaxis, ax.yaxis):
            low, high = sorted(axis.get_view_interval())
            for tick in [*axis.get_major_ticks(), *axis.get_minor_ticks()]:
                if not low - 1e-9 <= tick.get_loc() <= high + 1e-9:
                    unseen |= {tick.label1, tick.label2}
    seen = [text for text in figure.findobj(matplotlib.text.Text) if text not in unseen]
    # of the words alone: an annotation's own box has its arrow too
    extent = matplotlib.text.Text.get_window_extent
    words = [text for text in seen if text.get_text().strip() and text.get_visible()]
    return [(text.get_text(), extent(text)) for text in words]


def outside(page, boxes) -> list[str]:
    edges = [(text, box.min - page.min, page.max - box.max) for text, box in boxes]
    return [text for text, low, high in edges if min(*low, *high) < -1]


def overlapping(boxes) -> list[tuple[str, str]]:
    pairs = []
    for (other, covered), (text, box) in combinations(boxes, 2):
        common = np.minimum(box.max, covered.max) - np.maximum(box.min, covered.min)
        if common.min() > LETTERS_TOUCH:
            pairs.append((text, other))
    return pairs


def is_readable(figure) -> None:
    boxes = texts_and_boxes(figure)
    assert outside(figure.bbox, boxes) == []
    assert overlapping(boxes) == []


# ---- inside, and apart ---------------------------------------------------------------


@pytest.mark.parametrize("name", HARD)
def test_words_are_inside_and_apart(name):
    is_readable(HARD[name](None).figure)


@pytest.mark.parametrize("name", FULLEST)
def test_words_are_inside_and_apart_in_given_axes(name):
    figure = matplotlib.figure.Figure(figsize=SIDE_BY_SIDE)
    for ax in figure.subplots(1, 2):
        assert HARD[name](ax) is ax
    is_readable(figure)
    assert tuple(figure.get_size_inches()) == SIDE_BY_SIDE


@pytest.mark.parametrize("dpi", [50, 200])
@pytest.mark.parametrize("name", ["path", "study"])
def test_words_are_inside_whatever_the_resolution(name, dpi):
    figure = HARD[name](None).figure
    figure.set_dpi(dpi)  # as savefig(dpi=...) does for as long as it writes
    is_readable(figure)


def test_two_kinds_of_pictures_side_by_side():
    figure = matplotlib.figure.Figure(figsize=SIDE_BY_SIDE)
    left, right = figure.subplots(1, 2)
    plot_targets(sd5(), left)
    plot_funnel(sd5().output_list["depress"], ax=right)
    is_readable(figure)


def test_a_layout_that_the_user_chose_stays():
    figure = matplotlib.figure.Figure(figsize=(7, 5), layout="tight")
    engine = figure.get_layout_engine()
    plot_targets(sd5(), figure.add_subplot())
    assert figure.get_layout_engine() is engine


def test_the_checks_see_a_cut_and_an_overlap():
    ax = plot_targets(sd5())
    ax.figure.draw_without_rendering()
    ax.figure.text(0.99, 0.5, "cut off")
    ax.figure.text(0.5, 0.5, "one")
    ax.figure.text(0.5, 0.5, "other")
    boxes = texts_and_boxes(ax.figure)
    assert outside(ax.figure.bbox, boxes) == ["cut off"]
    assert ("other", "one") in overlapping(boxes)


# ---- dark ----------------------------------------------------------------------------


def brightness(colour) -> float:
    return sum(matplotlib.colors.to_rgb(colour)) / 3


@pytest.mark.parametrize("name", ["twelve releases", "path", "ifpr audit", "curve", "funnel"])
def test_words_are_light_on_a_dark_theme(name):
    with matplotlib.style.context("dark_background"):
        ax = HARD[name](None)
        texts = [t for t in ax.figure.findobj(matplotlib.text.Text) if t.get_text().strip()]
        assert min(brightness(text.get_color()) for text in texts) > 0.8
        lines = [line for line in ax.get_xgridlines() + ax.get_ygridlines() if line.get_visible()]
        # seen, but no brighter than what is drawn
        for line in lines:
            assert 0.05 < brightness(line.get_color()) * (line.get_alpha() or 1) < 0.5


# ---- whom a picture speaks of --------------------------------------------------------


def said(ax) -> str:
    return " ".join(" ".join(words(ax)).split())


def test_pictures_say_whom_they_speak_of():
    assert said(by_m().plot(round_to=1)).startswith("400 people; means of 2 simulated releases")
    assert "rounded to 10" in said(by_m().plot())
    assert "80 units in 3 blocks; theory." in said(exchanged().plot())
    assert "80 units that may change" in said(exchanged().plot("design"))
    assert "80 units, 20 releases simulated." in said(exchanged().audit(20, seed=1).plot())
    assert said(ru_map({"a": left_out()}, left_out(), keys=["k"], target="t",
                       disclosure_options={"not_targetlev": "x"}).plot(round_to=1)).startswith(
        "60 people; disclosure_options leave out 30 of 60 people")  # fmt: skip


def left_out():
    return pd.DataFrame({"k": list("abcde") * 12, "t": list("xy") * 30})


# ---- axes and arrows -----------------------------------------------------------------


def test_an_axis_of_the_study_that_does_not_start_at_zero_says_so():
    ax = by_m().plot(round_to=1)
    low, _ = ax.get_ylim()
    assert low > 0 and f"axis starts at {low:.3g}, not at 0" in ax.get_ylabel().replace("\n", " ")
    left, _ = ax.get_xlim()
    assert left > 0 and f"axis starts at {left:.3g}, not at 0" in ax.get_xlabel().replace("\n", " ")


def test_perceived_matches_do_not_flatten_the_others():
    ax = matches().plot(round_to=1)
    lines = {line.get_label().split(":")[0]: line.get_ydata() for line in ax.get_lines()}
    path = 100 * matches().path() / 2000
    assert lines["expected"].tolist() == path["expected"].tolist()
    times = path["perceived"].max() / path["expected"].max()
    assert times > 2
    assert lines["perceived"].tolist() == pytest.approx((path["perceived"] / times).tolist())
    assert "perceived: highest probability above 0.2 (right axis)" in ax.get_lines()[0].get_label()


def test_points_of_a_single_set_share_one_axis():
    ax = matches().plot(steps=[1], round_to=1)
    path = 100 * matches().path([1]) / 2000
    assert path["perceived"].max() > 2 * path["expected"].max()
    for line in ax.get_lines():
        assert line.get_ydata().tolist() == path[line.get_label().split(":")[0]].tolist()


# ---- ceilings and ends ---------------------------------------------------------------


def test_a_ceiling_is_a_line_with_a_name():
    ax = sd5().plot(ceiling=10)
    (line,) = [line for line in ax.lines if "ceiling" in line.get_label()]
    assert line.get_xdata() == [10, 10] and line.get_label() == "ceiling 10 %"
    risk = releases(5).plot(ceiling=8, round_to=1)
    (line,) = [line for line in risk.lines if "ceiling" in line.get_label()]
    assert list(line.get_ydata()) == [8, 8]
    with pytest.raises(InputError, match="ceiling: 101 is not a number of at least 0 and of at"):
        sd5().plot(ceiling=101)


def test_releases_under_a_ceiling():
    result = map_of({"a": (1, 1), "b": (3, 4), "c": (2, 2), "d": (math.nan, 9)})
    under = result.under(2)
    # the most useful first; what has no figure is not accepted
    assert under.index.tolist() == ["c", "a"]
    assert under.iloc[:, :2].to_numpy().tolist() == [[2, 2], [1, 1]]
    assert result.under(0.5).empty
    # of a measure that is better when higher, those above
    assert map_of({"a": (1, 1), "b": (3, 4)}, ("higher", "higher")).under(2).index.tolist() == ["b"]
    with pytest.raises(InputError, match="ceiling: 'low' is not a number"):
        result.under("low")


def test_a_whole_interval_under_the_ceiling():
    result = map_of({"a": (1, 5), "b": (3, 1)}, spread=0.01)
    assert result.under(3.05).whole_interval.to_dict() == {"a": True, "b": False}


def test_the_ends_of_a_map():
    people = pd.DataFrame({"sex": list("fffmmm") * 5, "town": list("AABABB") * 5})
    people = people.assign(job=list("xyzxyz") * 5)
    anew = {
        f"r{i}": people.assign(
            town=people["town"].sample(frac=1, random_state=i).to_numpy(),
            sex=people["sex"].sample(frac=1, random_state=9 - i).to_numpy(),
        )
        for i in range(3)
    }
    result = ru_map({"original": anew["r0"], **anew}, people, keys=["sex", "town"], anchors=True)
    ends = {(figure.candidate, figure.measure): figure.value for figure in result.anchors}
    # a release that is called so does not get in the way of the original itself
    assert ends["original", "tvd"] == 0 and result.table.loc["original", "tvd"] > 0
    assert ends["no data", "repU"] == 0 and ends["no data", "tvd"] == 1
    assert not map_of({"a": (1, 1)}).anchors
    near = map_of({"a": (1, 1), "b": (3, 4)})
    first, second = near.figures[0], near.figures[1]
    ends = (
        first._replace(candidate="original", value=4.0),
        second._replace(candidate="original", value=5.0),
    )
    ax = replace(near, anchors=ends).plot(round_to=1)
    assert "original" in words(ax)
    far = (ends[0]._replace(value=400.0), ends[1])
    drawn = replace(near, anchors=far).plot(round_to=1)
    assert "far beyond the axes: original (risk 400" in said(drawn)


# ---- key_risk ------------------------------------------------------------------------


def test_pairs_of_keys_on_a_chessboard():
    result = keys()
    ax = result.plot("pairs", round_to=1)
    by_place = {tuple(map(int, t.get_position())): t.get_text() for t in ax.texts[:-1]}
    assert len(by_place) == 15  # five keys alone and ten pairs
    for (first, second), shown in by_place.items():
        names = {result.candidates[first], result.candidates[second]}
        assert shown == f"{result.of(list(names))['UiO']:.1f}"


def test_sets_of_keys_by_rank():
    result = keys()
    ax = result.plot("sets", "repU", most=4, round_to=1)
    highest = result.table["repU"].nlargest(4)
    assert [bar.get_width() for bar in ax.patches] == pytest.approx(highest.tolist())
    labels = [label.get_text().replace("\n", " ") for label in ax.get_yticklabels()]
    assert labels == result.table.loc[highest.index, "text"].tolist()
    with pytest.raises(InputError, match="kind: 'pie' is unknown; choices: 'pairs', 'sets'"):
        result.plot("pie")


def test_pairs_need_sets_of_two():
    frame = pd.DataFrame({"a": [1, 2], "b": [1, 1]})
    result = key_risk(frame, frame, ["a", "b"], max_keys=1)
    with pytest.raises(InputError, match="'pairs' needs sets of two keys, but max_keys was 1"):
        result.plot("pairs")
    assert len(result.plot(round_to=1).patches) == 2  # the sets


def test_one_key_is_drawn():
    ax = one_key().plot(round_to=1)
    assert ax.get_title(loc="left") == "Risk of one key"
    assert [bar.get_width() for bar in ax.patches] == one_key().table["UiO"].tolist()


def test_pairs_are_rounded_for_others():
    result = keys()
    ax = result.plot("pairs", most=3)
    shown = {tuple(map(int, t.get_position())): t.get_text() for t in ax.texts[:-1]}
    names = [label.get_text() for label in ax.get_xticklabels()]
    assert len(names) == 3 and "rounded to 10" in said(ax) and "<0.1" in shown.values()
    for (first, second), text in shown.items():
        n = result.of(list({names[first], names[second]}))["UiO"] * 50
        rounded = 10 * int(n / 10 + 0.5)
        assert text == (f"{rounded / 50:.1f}" if rounded else "<0.1")


# ---- where pictures appear -----------------------------------------------------------

RESULT = """
import matplotlib
matplotlib.use("Agg")
import pandas as pd, synthpop_py
frame = pd.DataFrame({"k": list("aabc") * 5, "t": list("xyxy") * 5})
result = synthpop_py.disclosure(frame, frame, ["k"], "t", print_flag=False, compat="corrected")
"""


def run(code: str) -> None:
    subprocess.run(
        [sys.executable, "-W", "error", "-c", RESULT + code],
        check=True,
        cwd=Path(__file__).parents[2],
    )


def test_pyplot_shows_and_saves_what_was_drawn(tmp_path):
    run(f"""
import matplotlib.pyplot as plt
ax = result.plot()
assert plt.get_fignums() == [1] and plt.gcf() is ax.figure
plt.savefig({str(tmp_path / "picture.png")!r})
other = plt.figure().add_subplot()
result.plot(ax=other)
assert plt.get_fignums() == [1, 2]
""")
    assert (tmp_path / "picture.png").stat().st_size > 5000


def test_a_saved_plot_is_closed_and_threads_leave_pyplot_alone(tmp_path):
    run(f"""
import matplotlib.pyplot as plt
from concurrent.futures import ThreadPoolExecutor
result.save_plot({str(tmp_path / "funnel.png")!r})
result.save_plot({str(tmp_path / "identity.svg")!r}, kind="identity", round_to=1)
with ThreadPoolExecutor(1) as pool:
    pool.submit(result.plot).result()
assert plt.get_fignums() == []
""")
    assert (tmp_path / "funnel.png").read_bytes().startswith(b"\x89PNG")
    assert b"<svg" in (tmp_path / "identity.svg").read_bytes()
