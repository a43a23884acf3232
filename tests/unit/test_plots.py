"""The figures: what is drawn where (structure), and how it looks (reviewed pictures).

The pictures under ``pictures/`` were looked at, in colour and in grey, before they were committed.
After a wanted change: ``python -m tests.unit.test_plots`` writes them again; look at them before
committing.
"""

from __future__ import annotations

import builtins
import math
import subprocess
import sys
import warnings
from dataclasses import replace
from functools import cache
from io import BytesIO
from pathlib import Path

import matplotlib
import matplotlib.figure
import matplotlib.ft2font
import matplotlib.image
import numpy as np
import pandas as pd
import pytest

from synthpop_py import (
    Disclosure,
    InputError,
    MultiDisclosure,
    RDefectWarning,
    SynthpopError,
    UnknownLevelWarning,
    datasets,
    disclosure,
    multi_disclosure,
)
from synthpop_py.plots import plot_funnel, plot_identity, plot_targets

PICTURES = Path(__file__).parent / "pictures"
MADE_WITH = (
    "3.11",
    "2.14.3",
    # matplotlib and FreeType of the reviewed pictures; others draw letters differently, so only
    # structure is compared there
)
DPI = 60
BLOCK, NOTICEABLE = (
    4,
    0.1,
    # pictures are compared by the mean grey of 4 x 4 pixels (0 to 1), so that antialiasing does not
    # count
)
# share of inked blocks that may differ noticeably; one arrow less or one point moved is at least
# 0.004 (tested below)
TOLERANCE = 0.002

SD_KEYS = ["sex", "age", "region", "placesize"]
SD_TARGETS = ["depress", "income", "ls", "marital", "workab"]
ADULT_KEYS = ["age", "occupation", "race", "sex"]


@pytest.fixture(autouse=True)
def fixed_settings():
    """matplotlib as it comes, whatever the machine's own settings are."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update({"font.family": "DejaVu Sans", "text.hinting": "none"})
        yield


# ---- results to draw -----------------------------------------------------------------


def _quiet(call, *args, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RDefectWarning)
        warnings.simplefilter("ignore", UnknownLevelWarning)  # classes of a text, as R allows
        return call(*args, print_flag=False, **kwargs)


@cache
def sd5(attrib_meas: str = "DiSCO", compat: str = "r") -> MultiDisclosure:
    return _quiet(
        multi_disclosure,
        datasets.load_synthesis("SD2011_s5"),
        datasets.load("SD2011"),
        SD_KEYS,
        SD_TARGETS,
        attrib_meas=attrib_meas,
        compat=compat,
    )


@cache
def adult() -> MultiDisclosure:
    """D1: R's DiSCO of hours.per.week and capital.gain is wrong, that of workclass is correct."""
    return _quiet(
        multi_disclosure,
        datasets.load_synthesis("Adult_boot"),
        datasets.load("Adult"),
        ADULT_KEYS,
        ["hours.per.week", "capital.gain", "workclass"],
    )


@cache
def swapped_groups() -> Disclosure:
    """D3: R groups another key than was asked for, so identity measures are wrong as well."""
    return _quiet(
        disclosure,
        datasets.load_synthesis("SD2011_s5"),
        datasets.load("SD2011"),
        ["region", "age"],
        "depress",
        ngroups_keys=[5, 0],
    )


@cache
def wide() -> MultiDisclosure:
    """25 targets, some with long names or dollar signs, all made from one small table."""
    rng = np.random.default_rng(25)
    frame = pd.DataFrame({"k1": rng.choice(list("abcd"), 60), "k2": rng.choice(list("uvwxyz"), 60)})
    for i in range(25):
        name = f"t{i:02d}" + (
            "_a_name_that_goes_on_and_on_as_names_in_surveys_do"
            if i % 6 == 0
            else " $x$ a_b"
            if i % 6 == 1
            else ""
        )
        frame[name] = rng.choice(list("pqrst")[: 2 + i % 4], 60)
    synthetic = frame.sample(60, replace=True, random_state=1).reset_index(drop=True)
    return _quiet(multi_disclosure, synthetic, frame, ["k1", "k2"])


# ---- reading a figure ----------------------------------------------------------------


def series(ax) -> dict[str, list[tuple[float, float]]]:
    """Points by legend label."""
    return {line.get_label(): list(zip(line.get_xdata(), line.get_ydata())) for line in ax.lines}


def row_labels(ax) -> list[str]:
    """Labels of rows, bottom first."""
    return [
        label.get_text()
        for _, label in sorted(zip(ax.get_yticks(), ax.get_yticklabels()), key=lambda pair: pair[0])
    ]


def legend(ax) -> list[str]:
    return (
        [] if ax.get_legend() is None else [text.get_text() for text in ax.get_legend().get_texts()]
    )


def arrows(ax) -> list[tuple[float, float, float]]:
    """Start, end and row of each arrow."""
    return [(t.xyann[0], t.xy[0], t.xy[1]) for t in ax.texts if t.arrow_patch is not None]


def words(ax) -> list[str]:
    return [t.get_text() for t in ax.texts if t.get_text()]


def drawn(ax) -> np.ndarray:
    """The picture, RGB from 0 to 1."""
    buffer = BytesIO()
    ax.figure.savefig(buffer, format="png", dpi=DPI)
    buffer.seek(0)
    return matplotlib.image.imread(buffer)[..., :3]


DORIG = "original data: Dorig (keys leave one target value in the original data)"
TRUE_ONE = "(keys leave one in the synthetic data, and it is the true one)"
DISCO = f"synthetic data: DiSCO {TRUE_ONE}"


# ---- targets -------------------------------------------------------------------------


def test_two_points_and_an_arrow_for_every_target():
    result = sd5()
    ax = plot_targets(result)
    table = result.attrib_table
    points = series(ax)
    assert list(points) == [DORIG, DISCO]
    assert points[DORIG] == list(zip(table["attrib.orig"], range(5)))
    assert points[DISCO] == list(zip(table["attrib.syn"], range(5)))
    assert arrows(ax) == [
        (o, s, y) for y, (o, s) in enumerate(zip(table["attrib.orig"], table["attrib.syn"]))
    ]
    assert row_labels(ax) == [
        "1 income",
        "2 depress",
        "3 ls",
        "4 marital 2way checks",
        "5 workab 1&2way checks",
    ]
    assert (
        ax.get_ylim()[0] < ax.get_ylim()[1]
    )  # the last row, of the highest synthetic measure, is on top


def test_axis_title_and_legend():
    ax = sd5().plot()
    assert ax.get_xlim() == (0, 100)
    assert ax.get_xlabel() == "% of original records"
    assert ax.get_title(loc="left") == "Attribute risk of each target"
    *beside, subtitle = words(ax)
    assert beside == [
        "51.38 → 5.32",
        "53.30 → 9.49",
        "58.46 → 11.87",
        "79.24 → 35.32",
        "90.90 → 51.83",
        "Dorig → DiSCO, %",
    ]
    assert subtitle.replace("\n", " ") == (
        "% of 5,000 people; higher is riskier. From the original to the synthetic data (arrow),"
        " mean of 5 syntheses. Keys: sex, age, placesize, region. Checks: 1way: one level of the"
        " target is most of the risk; 2way: a level of the target nearly always goes with"
        " one of a key."
    )
    assert legend(ax) == [DORIG, DISCO]


def test_points_differ_in_marker_fill_and_colour():
    original, synthetic = plot_targets(sd5()).lines
    assert original.get_marker() != synthetic.get_marker()
    assert original.get_markeredgecolor() != synthetic.get_markeredgecolor()
    assert (
        original.get_markerfacecolor() == (1, 1, 1, 1)
        and synthetic.get_markerfacecolor() == synthetic.get_markeredgecolor()
    )


def test_the_arrow_ends_at_the_synthetic_value_even_where_that_is_the_larger():
    start, end, _ = next(a for a in arrows(plot_targets(adult())) if a[2] == 2)
    assert start < end == adult().attrib_table.loc["capital.gain", "attrib.syn"]


def test_where_r_is_wrong_the_correct_figure_is_drawn_and_written():
    ax = plot_targets(adult())
    correct = adult().corrected.attrib_table
    assert series(ax)["correct DiSCO, where R's is wrong"] == [
        (correct.loc["hours.per.week", "attrib.syn"], 0),
        (correct.loc["capital.gain", "attrib.syn"], 2),
    ]
    assert legend(ax) == [
        DORIG,
        f"synthetic data: DiSCO as R gives it {TRUE_ONE}",
        "correct DiSCO, where R's is wrong",
    ]
    assert words(ax)[:3] == [
        "4.36 →\nR 0.10, correct 4.64",
        "14.27 → 16.85",
        "22.55 →\nR 28.35, correct 28.55",
    ]


def test_correct_figures_are_found_by_target_when_the_order_differs():
    first, second = sd5().rows[:2]
    correct = replace(sd5(), rows=(replace(first, attrib_syn=99.0), second), corrected=None)
    ax = plot_targets(replace(sd5(), rows=(first, second), corrected=correct))
    assert row_labels(ax) == ["1 income", "2 depress"] and correct.r_labels() == [
        "1 income",
        "2 depress",
    ]
    assert series(ax)["correct DiSCO, where R's is wrong"] == [(99.0, 1)]
    correct = replace(correct, rows=(replace(first, attrib_syn=1.0), second))
    assert correct.r_labels() == ["1 depress", "2 income"]
    assert series(plot_targets(replace(sd5(), rows=(first, second), corrected=correct)))[
        "correct DiSCO, where R's is wrong"
    ] == [(1.0, 1)]


def test_no_mark_of_a_defect_where_it_moved_no_figure_of_the_plot():
    assert sd5().corrected is not None  # D30: the number of pairs
    assert len(legend(plot_targets(sd5()))) == 2


def test_the_correct_result_itself_has_no_second_figures():
    assert legend(plot_targets(adult().corrected)) == [DORIG, DISCO]


def test_flags_that_are_wrong_in_r_are_named():
    row = sd5().rows[0]
    correct = replace(sd5(), rows=(replace(row, check1="NO"),), corrected=None)
    assert row_labels(plot_targets(replace(sd5(), rows=(row,), corrected=correct))) == [
        "1 depress\n(correct: depress 1way checks)"
    ]


def test_r_without_an_original_figure():
    ax = plot_targets(sd5("DiSDiO"))
    assert [label.split(" (")[0] for label in series(ax)] == [
        "synthetic data: DiSDiO",
        "correct Dorig, where R's is wrong",
    ]
    assert [a[:2] for a in arrows(ax)] == list(
        zip(
            sd5("DiSDiO", "corrected").attrib_table["attrib.orig"],
            sd5("DiSDiO").attrib_table["attrib.syn"],
        )
    )
    syn = sd5("DiSDiO").attrib_table["attrib.syn"].iloc[0]
    assert words(ax)[0] == f"R none, correct 51.38 →\n{syn:.2f}"


def test_r_without_a_synthetic_figure():
    ax = plot_targets(sd5("DCAP"))
    assert [label.split(" (")[0] for label in series(ax)] == [
        "original data: CAPd",
        "correct DCAP, where R's is wrong",
    ]
    assert ax.get_xlabel() == "%, mean over original records"
    assert len(arrows(ax)) == 5


def test_a_target_without_figures_is_listed_without_a_point():
    rows = sd5().rows
    empty = replace(rows[0], attrib_orig=math.nan, attrib_syn=math.nan)
    half = replace(rows[1], attrib_syn=math.nan)
    ax = plot_targets(replace(sd5(), rows=(empty, half, *rows[2:]), corrected=None))
    assert row_labels(ax) == [
        "1 ls",
        "2 marital 2way checks",
        "3 workab 1&2way checks",
        "4 depress",
        "5 income",
    ]
    points = series(ax)
    assert [y for _, y in points[DORIG]] == [0, 1, 2, 4]
    assert [y for _, y in points[DISCO]] == [0, 1, 2]
    assert len(arrows(ax)) == 3
    assert words(ax)[3:5] == ["no figure", "51.38 → none"]


def test_no_figures_at_all():
    rows = tuple(replace(row, attrib_orig=math.nan, attrib_syn=math.nan) for row in sd5().rows)
    ax = plot_targets(replace(sd5(), rows=rows, corrected=None))
    assert series(ax) == {} and legend(ax) == [] and len(row_labels(ax)) == 5
    drawn(ax)


@pytest.mark.parametrize("n", [1, 5, 25])
def test_rows_and_words_do_not_overlap_and_nothing_is_cut_off(n: int):
    result = replace(wide(), rows=wide().rows[:n])
    ax = plot_targets(result)
    drawn(ax)
    renderer = (
        ax.figure.canvas.get_renderer()
        if hasattr(ax.figure.canvas, "get_renderer")
        else ax.figure._get_renderer()
    )
    boxes = [label.get_window_extent(renderer) for label in ax.get_yticklabels()]
    assert len(boxes) == n
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[i + 1 :])
    page = ax.figure.bbox
    for text in [*ax.get_yticklabels(), *ax.texts, *ax.get_legend().get_texts(), ax.xaxis.label]:
        box = text.get_window_extent(renderer)
        assert (
            box.x0 >= page.x0 - 1
            and box.x1 <= page.x1 + 1
            and box.y0 >= page.y0 - 1
            and box.y1 <= page.y1 + 1
        ), text.get_text()


def test_names_are_shown_as_they_are():
    ax = plot_targets(wide())
    drawn(ax)
    assert [label.get_text().replace("\n", "") for label in ax.get_yticklabels()] == [
        label.replace("\n", "") for label in wide().r_labels()
    ]
    assert not any(label.get_parse_math() for label in ax.get_yticklabels())


def test_fonts_are_9_points_or_more():
    for ax in (
        plot_targets(adult()),
        plot_identity(swapped_groups()),
        plot_funnel(swapped_groups()),
    ):
        drawn(ax)
        texts = [
            *ax.get_xticklabels(),
            *ax.get_yticklabels(),
            *ax.texts,
            *ax.get_legend().get_texts(),
            ax.xaxis.label,
        ]
        assert min(text.get_fontsize() for text in texts if text.get_text()) >= 9


# ---- identity ------------------------------------------------------------------------


def test_identity_points_and_means():
    result = sd5().output_list["depress"]
    ax = plot_identity(result)
    (points,) = series(ax).values()
    rows = {"UiO": 3, "UiS": 2, "UiOiS": 1, "repU": 0}
    several = {name: y for name, y in rows.items() if name != "UiO"}
    # five times the same figure is one point
    assert [x for x, y in points if round(y) == 3] == [result.ident["UiO"].iloc[0]]
    for name, y in several.items():
        mine = sorted(((x, py) for x, py in points if round(py) == y), key=lambda p: -p[1])
        assert [x for x, _ in mine] == result.ident[name].tolist()  # the first synthesis on top
    (means,) = ax.collections
    assert [path.vertices[0, 0] for path in means.get_paths()] == pytest.approx(
        [result.ident[n].mean() for n in several]
    )
    assert legend(ax) == ["each synthesis", "mean"]
    assert row_labels(ax) == [
        "repU\nunique in both",
        "UiOiS\nunique in original,\nfound in synthetic",
        "UiS\nunique in synthetic",
        "UiO\nunique in original",
    ]
    percent = "\u00a0%"
    assert words(ax)[:4] == [f"mean {x}{percent}" for x in ("48.38", "35.80", "22.20", "14.17")]
    assert ax.get_xlim() == (0, 50)
    assert ax.get_xlabel() == (
        f"% of original records (UiS: of synthetic records); axis ends at 50{percent}"
    )


def test_identity_of_one_synthesis_has_no_mean():
    ax = plot_identity(adult().output_list["workclass"])
    assert legend(ax) == ["the synthesis"] and len(ax.collections) == 0
    assert words(ax)[:4] == [f"{x}\u00a0%" for x in ("2.68", "1.44", "1.67", "0.94")]


def test_identity_marks_correct_figures():
    result = swapped_groups()
    ax = plot_identity(result)
    points = series(ax)
    in_all = result.corrected.ident["UiO"].iloc[:1]
    each = result.corrected.ident.drop(columns="UiO").to_numpy().ravel()
    drawn_points = points["correct figure, where R's is wrong"]
    assert sorted(x for x, _ in drawn_points) == sorted([*in_all, *each])
    assert {x for x, _ in points["each synthesis as R gives it"]} == {0.0}
    assert legend(ax) == [
        "each synthesis as R gives it",
        "correct figure, where R's is wrong",
        "mean as R gives it",
        "correct mean",
    ]
    assert words(ax)[3] == "mean: R 0.00, correct 1.00"


# ---- funnel --------------------------------------------------------------------------


def bars(ax) -> list[list[float]]:
    return [[patch.get_width() for patch in container] for container in ax.containers]


def test_funnel_bars_counts_and_order():
    result = sd5().output_list["depress"]
    ax = plot_funnel(result, synthesis=2)
    assert bars(ax) == [[100.0], result.attrib.loc[2, ["iS", "DiS", "DiSCO", "DiSDiO"]].tolist()]
    assert [label.split("\n")[0] for label in row_labels(ax)] == [
        "DiSDiO",
        "DiSCO",
        "DiS",
        "iS",
        "all original records",
    ]
    assert [text.replace("\n", " ") for text in words(ax)] == [
        "5,000  (100.00 %)",
        "3,200  (64.00 %)",
        "1,625  (32.50 %)",
        "513  (10.26 %)",
        "339  (6.78 %)",
        (
            "Of 5,000 people. Synthesis 2 of 5; each bar is part of the one above it. Keys: sex,"
            " age, placesize, region."
        ),
    ]
    assert ax.get_xlim() == (0, 100) and legend(ax) == []
    assert ax.get_title(loc="left") == "From all records to those whose depress can be learnt"


def test_funnel_outlines_correct_figures():
    result = adult().output_list["hours.per.week"]
    ax = plot_funnel(result, min_cell=0)
    assert bars(ax)[2] == result.corrected.attrib.loc[1, ["DiSCO", "DiSDiO"]].tolist()
    r_bar, correct_bar = ax.containers[1][2], ax.containers[2][0]
    assert not correct_bar.get_fill() and correct_bar.get_hatch()
    # one below the other: neither hides the other
    assert correct_bar.get_y() + correct_bar.get_height() == pytest.approx(r_bar.get_y())
    assert legend(ax) == ["as R gives it", "correct, where R's is wrong"]
    assert words(ax)[3:5] == [
        "R 50  (0.10 %)\ncorrect 2,267  (4.64 %)",
        "R 5  (0.01 %)\ncorrect 1,544  (3.16 %)",
    ]


@pytest.mark.parametrize("synthesis", [0, 6, -1, 1.5, "1", True, None])
def test_funnel_of_an_unknown_synthesis(synthesis):
    with pytest.raises(InputError, match=r"^synthesis: .*; choices: 1 to 5$"):
        plot_funnel(sd5().output_list["depress"], synthesis=synthesis)


def test_plot_method():
    result = sd5().output_list["depress"]
    assert "Synthesis 3 of 5;" in words(result.plot(synthesis=3))[-1]
    assert result.plot("identity").get_title(loc="left") == "Identity risk from the keys"
    with pytest.raises(InputError, match="kind: 'pie' is unknown; choices: 'funnel', 'identity'"):
        result.plot("pie")


def test_a_result_read_back_can_be_drawn():
    result = adult().output_list["hours.per.week"]
    again = Disclosure.from_json(result.to_json())
    assert words(plot_funnel(again)) == words(plot_funnel(result))


def test_figures_of_a_call_that_is_refused_when_correctly_read():
    result = replace(swapped_groups(), corrected=None)
    for ax in (plot_identity(result), plot_funnel(result)):
        assert "under the corrected reading this call is invalid" in words(ax)[-1].replace(
            "\n", " "
        )


# ---- matplotlib at the edge ----------------------------------------------------------


@pytest.mark.parametrize(
    "draw",
    [
        lambda ax: plot_targets(sd5(), ax=ax),
        lambda ax: plot_identity(swapped_groups(), ax=ax),
        lambda ax: plot_funnel(swapped_groups(), ax=ax),
    ],
)
def test_draws_into_given_axes(draw):
    figure = matplotlib.figure.Figure(figsize=(4, 3))
    ax = figure.add_subplot()
    assert draw(ax) is ax and figure.axes == [ax] and tuple(figure.get_size_inches()) == (4, 3)
    drawn(ax)


def test_draws_into_part_of_a_figure_and_on_a_dark_theme():
    with matplotlib.rc_context({"text.color": "white", "axes.facecolor": "black"}):
        ax = plot_targets(adult(), ax=matplotlib.figure.Figure().subfigures(1, 2)[1].add_subplot())
        assert ax.lines[2].get_markeredgecolor() == "white" and ax.lines[
            0
        ].get_markerfacecolor() == (0, 0, 0, 1)


@pytest.mark.parametrize(
    "draw",
    [
        lambda: plot_targets(sd5()),
        lambda: plot_identity(swapped_groups()),
        lambda: swapped_groups().plot(),
    ],
)
def test_without_matplotlib_the_error_says_what_to_install(draw, monkeypatch: pytest.MonkeyPatch):
    importing = builtins.__import__

    def refuse(name, *args, **kwargs):
        if name.split(".")[0] == "matplotlib":
            raise ImportError(f"No module named {name!r}")
        return importing(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(
        SynthpopError,
        match=r"matplotlib.*not installed.*'plot' extra: pip install 'synthpop-disclosure\[plot\]'",
    ):
        draw()


def test_importing_the_package_imports_no_matplotlib_and_drawing_no_pyplot():
    code = """
import sys
import synthpop_py, synthpop_py.plots
assert not any(name.split(".")[0] == "matplotlib" for name in sys.modules)
import pandas as pd
frame = pd.DataFrame({"k": list("aabc"), "t": list("xyxy")})
result = synthpop_py.disclosure(frame, frame, ["k"], "t", print_flag=False)
result.plot(); result.plot("identity")
assert "matplotlib.figure" in sys.modules and "matplotlib.pyplot" not in sys.modules
"""
    subprocess.run(
        [sys.executable, "-W", "error::UserWarning", "-c", code],
        check=True,
        cwd=Path(__file__).parents[2],
    )


# ---- small cells ---------------------------------------------------------------------

NOT_DRAWN = "Not drawn (hidden): figures of 1 to 9 people"


def test_the_funnel_hides_bars_of_few_people():
    result = _quiet(disclosure, *_four_correct(), ["k"], "t", compat="corrected")
    ax = plot_funnel(result)
    assert words(ax)[1:5] == ["400  (100.00 %)", "400  (100.00 %)", "hidden", "hidden"]
    drawn_bars = bars(ax)[1]
    assert drawn_bars[:2] == [100.0, 100.0] and all(map(math.isnan, drawn_bars[2:]))
    assert NOT_DRAWN in words(ax)[5]
    exact = plot_funnel(result, min_cell=0)
    assert words(exact)[3] == "4  (1.00 %)" and NOT_DRAWN not in words(exact)[5]
    assert words(result.plot(min_cell=0)) == words(exact)


def _four_correct() -> tuple[pd.DataFrame, pd.DataFrame]:
    """A release that is certain of everybody, and correct about four of 400 people."""
    number = np.arange(400)
    people = pd.DataFrame({"k": number % 100, "t": number % 100 % 3})
    correct = people["k"] == 0
    release = people.assign(t=(people["t"] + 1) % 3)
    release.loc[correct, "t"] = people.loc[correct, "t"]
    return release, people


def test_a_funnel_of_r_s_small_figure_shows_the_correct_one_only():
    ax = plot_funnel(adult().output_list["hours.per.week"])
    assert words(ax)[4] == "R hidden\ncorrect 1,544  (3.16 %)"
    assert len(bars(ax)[2]) == 2 and NOT_DRAWN in words(ax)[5]


def test_identity_measures_of_few_people_are_not_drawn_nor_their_mean():
    number = np.arange(1000)
    people = pd.DataFrame({"k": np.minimum(number, 5), "t": number % 4})
    result = _quiet(disclosure, [people, people[3:]], people, ["k"], "t", compat="corrected")
    assert result.ident["UiO"].tolist() == [0.5, 0.5]
    ax = plot_identity(result)
    assert [text for text in words(ax) if text == "mean hidden"] == ["mean hidden"] * 3
    (points_drawn,) = [line for label, line in series(ax).items() if label == "each synthesis"]
    # UiS alone, which is not about people
    assert len(points_drawn) == 2 and any(NOT_DRAWN in text for text in words(ax))
    assert "mean hidden" not in words(plot_identity(result, min_cell=0))


def test_targets_of_few_people_are_named_and_not_drawn():
    release, people = _four_correct()
    release, people = release.assign(v=people["k"] % 2), people.assign(v=people["k"] % 2)
    result = _quiet(multi_disclosure, release, people, ["k"], ["t", "v"], compat="corrected")
    ax = plot_targets(result)
    assert any(text.endswith("→ hidden") for text in words(ax))
    assert any(NOT_DRAWN in text for text in words(ax))
    assert [x for x, _ in series(ax)[DISCO]] == [100.0]
    assert len(series(plot_targets(result, min_cell=0))[DISCO]) == 2


def test_a_picture_of_fewer_than_ten_people_has_no_number():
    people = pd.DataFrame({"k": range(9), "t": range(9)})
    ax = plot_funnel(_quiet(disclosure, people, people, ["k"], "t", compat="corrected"))
    assert words(ax)[:5] == ["hidden"] * 5
    assert "9 people." not in words(ax)[5] and "Of few people (hidden)." in words(ax)[5]


# ---- pictures ------------------------------------------------------------------------

DRAWINGS = {
    "targets": lambda: plot_targets(sd5()),
    "targets_one": lambda: plot_targets(replace(sd5(), rows=sd5().rows[:1])),
    "targets_defect": lambda: plot_targets(adult()),
    "targets_long": lambda: plot_targets(wide(), min_cell=0),
    "identity": lambda: plot_identity(sd5().output_list["depress"]),
    "identity_defect": lambda: plot_identity(swapped_groups()),
    "funnel": lambda: plot_funnel(sd5().output_list["depress"], synthesis=2),
    "funnel_defect": lambda: plot_funnel(adult().output_list["hours.per.week"], min_cell=0),
}


def share_of_difference(a: np.ndarray, b: np.ndarray) -> float:
    """Share of blocks whose mean differs noticeably in some colour, among blocks that are not blank
    in both; 1 for pictures of another size.
    """
    if a.shape != b.shape:
        return 1.0
    a, b = (_blocks(picture) for picture in (a, b))
    inked = ((a < 0.99) | (b < 0.99)).any(axis=2)
    return float((np.abs(a - b).max(axis=2) > NOTICEABLE).sum() / max(inked.sum(), 1))


def _blocks(picture: np.ndarray) -> np.ndarray:
    height, width = (n // BLOCK * BLOCK for n in picture.shape[:2])
    return (
        picture[:height, :width]
        .reshape(height // BLOCK, BLOCK, width // BLOCK, BLOCK, 3)
        .mean(axis=(1, 3))
    )


def reviewed(name: str) -> np.ndarray:
    return matplotlib.image.imread(PICTURES / f"{name}.png")[..., :3]


def drawn_with() -> tuple[str, str]:
    return ".".join(matplotlib.__version__.split(".")[:2]), matplotlib.ft2font.__freetype_version__


@pytest.mark.parametrize("name", DRAWINGS)
def test_picture_is_the_reviewed_one(name: str):
    """Under another matplotlib or FreeType than `MADE_WITH` only size and amount of ink are
    compared here; the tests above compare the rest everywhere.
    """
    now, then = drawn(DRAWINGS[name]()), reviewed(name)
    assert now.shape == then.shape
    if drawn_with() == MADE_WITH:
        assert share_of_difference(now, then) < TOLERANCE
    else:
        assert (1 - now).sum() == pytest.approx((1 - then).sum(), rel=0.25)


def test_every_picture_has_its_drawing():
    assert sorted(path.stem for path in PICTURES.glob("*.png")) == sorted(DRAWINGS)


@pytest.mark.parametrize("change", ["marker", "arrow", "word", "point"])
def test_the_comparison_sees_a_small_change(change: str):
    """Each change is at least twice the tolerance that the pictures are held to."""
    before, ax = drawn(plot_targets(sd5())), plot_targets(sd5())
    if change == "marker":
        ax.lines[1].set_marker("o")
    elif change == "arrow":
        next(t for t in ax.texts if t.arrow_patch is not None).remove()
    elif change == "word":
        ax.set_xlabel("% of synthetic records")
    else:
        x = ax.lines[1].get_xdata()
        ax.lines[1].set_xdata([x[0] + 3, *x[1:]])
    assert share_of_difference(before, drawn(ax)) > 2 * TOLERANCE


if __name__ == "__main__":
    for title, draw in DRAWINGS.items():
        with matplotlib.rc_context():
            matplotlib.rcdefaults()
            matplotlib.rcParams.update({"font.family": "DejaVu Sans", "text.hinting": "none"})
            draw().figure.savefig(PICTURES / f"{title}.png", dpi=DPI, metadata={"Software": None})


def test_results_of_another_kind_are_refused(summary_and_result):
    summary, result = summary_and_result
    for draw in (plot_identity, plot_funnel):
        with pytest.raises(
            InputError,
            match=(
                r"a summary holds several results; give one of them, as in"
                r" summary.output_list\[target\]"
            ),
        ):
            draw(summary)
        with pytest.raises(InputError, match="result: DataFrame cannot be drawn here"):
            draw(pd.DataFrame())
    with pytest.raises(
        InputError, match="multi: Disclosure cannot be drawn here; give what multi_disclosure"
    ):
        plot_targets(result)


def test_a_long_name_of_a_target_stays_inside_the_figure():
    frame = pd.DataFrame({"k": list("aab"), "t" * 90: list("xyx")})
    ax = plot_funnel(disclosure(frame, frame, "k", "t" * 90, compat="corrected"))
    drawn(ax)
    (title,) = [text for text in ax.get_children() if getattr(text, "get_text", str)() == said(ax)]
    assert title.get_window_extent().x1 <= ax.figure.bbox.x1


def said(ax) -> str:
    return ax.get_title(loc="left")


@pytest.fixture
def summary_and_result():
    frame = pd.DataFrame({"k": list("aab"), "t": list("xyx"), "u": list("ppq")})
    return multi_disclosure(frame, frame, "k", compat="corrected"), disclosure(
        frame, frame, "k", "t", compat="corrected"
    )
