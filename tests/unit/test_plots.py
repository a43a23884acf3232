"""The figures: what is drawn where (structure), and how it looks (reviewed pictures).

The pictures under ``pictures/`` were looked at, in colour and in grey, before they were committed.
After a wanted change: ``python -m tests.unit.test_plots`` writes them again; look at them before
committing.
"""

from __future__ import annotations

import subprocess
import sys
import warnings
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
    DataWarning,
    Disclosure,
    InputError,
    MultiDisclosure,
    RDefectWarning,
    SynthpopError,
    datasets,
    disclosure,
    multi_disclosure,
)
from synthpop_py.plots import plot_funnel, plot_identity, plot_targets
from synthpop_py.rounding import counts, means, percent, shown

PICTURES = Path(__file__).parent / "pictures"
# matplotlib and FreeType of the reviewed pictures; others draw letters differently, so that only
# structure is compared there
MADE_WITH = ("3.11", "2.14.3")
DPI = 60
# pictures are compared by the mean grey of 4 x 4 pixels (0 to 1): antialiasing does not count
BLOCK, NOTICEABLE = 4, 0.1
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
        warnings.simplefilter("ignore", DataWarning)  # classes of a text, as R allows
        return call(*args, print_flag=False, **kwargs)


@cache
def sd5() -> MultiDisclosure:
    made, people = datasets.load_synthesis("SD2011_s5"), datasets.load("SD2011")
    return _quiet(multi_disclosure, made, people, SD_KEYS, SD_TARGETS)


@cache
def adult() -> MultiDisclosure:
    """D1: R's DiSCO of hours.per.week and capital.gain is wrong, that of workclass is correct."""
    made, people = datasets.load_synthesis("Adult_boot"), datasets.load("Adult")
    targets = ["hours.per.week", "capital.gain", "workclass"]
    return _quiet(multi_disclosure, made, people, ADULT_KEYS, targets)


@cache
def swapped_groups() -> Disclosure:
    """D3: R groups another key than was asked for, so identity measures are wrong as well."""
    made, people = datasets.load_synthesis("SD2011_s5"), datasets.load("SD2011")
    return _quiet(disclosure, made, people, ["region", "age"], "depress", ngroups_keys=[5, 0])


@cache
def wide() -> MultiDisclosure:
    """25 targets, some with long names or dollar signs, all made from one small table."""
    rng = np.random.default_rng(25)
    frame = pd.DataFrame({"k1": rng.choice(list("abcd"), 60), "k2": rng.choice(list("uvwxyz"), 60)})
    long = "_a_name_that_goes_on_and_on_as_names_in_surveys_do"
    for i in range(25):
        end = {0: long, 1: " $x$ a_b"}.get(i % 6, "")
        frame[f"t{i:02d}{end}"] = rng.choice(list("pqrst")[: 2 + i % 4], 60)
    synthetic = frame.sample(60, replace=True, random_state=1).reset_index(drop=True)
    return _quiet(multi_disclosure, synthetic, frame, ["k1", "k2"])


# ---- reading a figure ----------------------------------------------------------------


def row_labels(ax) -> list[str]:
    """Labels of rows, the first on top."""
    places = [label.get_position()[1] for label in ax.get_yticklabels()]
    assert places == sorted(places) and ax.yaxis_inverted()
    return [label.get_text().replace("\n", " ") for label in ax.get_yticklabels()]


def words(ax) -> list[str]:
    return [t.get_text() for t in ax.texts if t.get_text()]


def said(ax) -> str:
    return " ".join(" ".join(words(ax)).split())


def drawn(ax) -> np.ndarray:
    """The picture, RGB from 0 to 1."""
    buffer = BytesIO()
    ax.figure.savefig(buffer, format="png", dpi=DPI)
    buffer.seek(0)
    return matplotlib.image.imread(buffer)[..., :3]


# ---- what is drawn -------------------------------------------------------------------


def test_the_funnel_falls_from_all_to_those_whose_target_is_revealed():
    result = sd5()["depress"]
    ax = plot_funnel(result, synthesis=3)
    row = counts(result, 10).loc[3]
    steps = ["N", "iS", "DiS", "DiSCO"]
    assert [bar.get_width() for bar in ax.patches] == [100 * row[s] / row["N"] for s in steps]
    assert words(ax)[:2] == ["5,000", f"{row['iS']:,}\n({percent(row['iS'], 5000)})"]
    assert [label.split()[0] for label in row_labels(ax)] == ["all", "iS", "DiS", "DiSCO"]
    assert "synthesis 3 of 5" in said(ax) and "rounded to 10" in said(ax)


def test_the_figures_are_the_correct_ones_where_r_is_wrong():
    result = adult()["hours.per.week"]
    assert result.corrected is not None and result.DiSCO != result.corrected.DiSCO
    ax = plot_funnel(result, round_to=1)
    assert ax.patches[3].get_width() == pytest.approx(result.corrected["DiSCO"][1])
    assert words(ax) == words(plot_funnel(result.corrected, round_to=1))
    assert "Exact figures, not for release" in said(ax)
    identity = plot_identity(swapped_groups(), round_to=1)
    assert words(identity) == words(plot_identity(swapped_groups().corrected, round_to=1))


def test_non_members_have_a_line_at_their_share():
    people, others = datasets.load("SD2011").iloc[:3000], datasets.load("SD2011").iloc[3000:]
    made = datasets.load_synthesis("SD2011_s1")
    result = _quiet(disclosure, made, people, SD_KEYS, "depress", holdout=others)
    rows = result.baseline.set_index("measure")
    ax = plot_funnel(result)
    lines = [line.get_xdata()[0] for line in ax.lines]
    for at, measure in enumerate(["iS", "DiS", "DiSCO"]):
        n = rows.loc[measure, "numerator_non_members"]
        assert lines[at] == 100 * shown(n, 2000) / 2000
    assert ax.get_legend().get_texts()[0].get_text().startswith("non-members")


@pytest.mark.parametrize("synthesis", [0, 6, -1, 1.5, "1", True, None])
def test_funnel_of_an_unknown_synthesis(synthesis):
    with pytest.raises(InputError, match=r"^synthesis: .*; choices: 1 to 5$"):
        plot_funnel(sd5().output_list["depress"], synthesis=synthesis)


def test_identity_has_a_point_per_synthesis_and_the_mean():
    result = sd5()["depress"]
    ax = plot_identity(result)
    table = counts(result, 10)
    points = {len(line.get_xdata()): line for line in ax.lines if line.get_linestyle() == "None"}
    repU = [line for line in ax.lines if list(line.get_xdata()) == list(table["repU"] / 50)]
    mean = means(result, 10)["repU"] / 50
    assert len(repU) == 1 and any(list(line.get_xdata()) == [mean] * 2 for line in ax.lines)
    assert len(points) == 2  # UiO is the same in all syntheses: one point
    assert f"mean {50 * mean:,.0f}" in said(ax) and "axis ends at 80 %" in ax.get_xlabel()


def test_identity_of_one_synthesis_has_no_mean():
    ax = plot_identity(adult()["workclass"])
    assert "mean" not in said(ax)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["the synthesis"]


def test_targets_have_two_points_and_an_arrow_highest_on_top():
    ax = plot_targets(sd5(), ceiling=20)
    figures = {name: means(one, 10) for name, one in sd5().output_list.items()}
    ranked = sorted(figures, key=lambda name: -figures[name]["DiSCO"])
    assert [label.removesuffix(" *") for label in row_labels(ax)] == ranked
    original, synthetic, ceiling = ax.lines
    for line, measure in ((original, "Dorig"), (synthetic, "DiSCO")):
        assert list(line.get_xdata()) == [figures[name][measure] / 50 for name in ranked]
    assert ceiling.get_xdata() == [20, 20]
    arrows = [t for t in ax.texts if t.arrow_patch is not None]
    assert [(t.xyann[0], t.xy[0]) for t in arrows] == [
        (figures[name]["Dorig"] / 50, figures[name]["DiSCO"] / 50) for name in ranked
    ]
    assert "marital *" in row_labels(ax) and "may be common knowledge" in said(ax)
    with pytest.raises(InputError, match="ceiling"):
        plot_targets(sd5(), ceiling=101)


def test_names_are_shown_as_they_are():
    ax = plot_targets(wide())
    drawn(ax)
    names = {label.replace(" ", "").removesuffix("*") for label in row_labels(ax)}
    assert names == {str(name).replace(" ", "") for name in wide().output_list}
    assert not any(label.get_parse_math() for label in ax.get_yticklabels())


def test_few_people_have_a_sentence_instead_of_a_picture():
    people = pd.DataFrame({"k": range(19), "t": range(19)})
    result = _quiet(disclosure, people, people, ["k"], "t", compat="corrected")
    for ax in (plot_funnel(result), plot_identity(result)):
        assert "fewer than 20 people" in said(ax) and not ax.patches and not ax.lines
    assert plot_funnel(result, round_to=1).patches


def test_plot_method():
    result = sd5()["depress"]
    assert "synthesis 3 of 5" in said(result.plot(synthesis=3))
    assert result.plot("identity").get_title(loc="left") == "Identity risk from the keys"
    with pytest.raises(InputError, match="kind: 'pie' is unknown; choices: 'funnel', 'identity'"):
        result.plot("pie")
    with pytest.raises(InputError, match="round_to: 5 would leave"):
        result.plot(round_to=5)


# ---- matplotlib at the edge ----------------------------------------------------------


DRAWN_INTO = [
    lambda ax=None: plot_targets(sd5(), ax=ax),
    lambda ax=None: plot_identity(swapped_groups(), ax=ax),
    lambda ax=None: swapped_groups().plot(ax=ax),
]


@pytest.mark.parametrize("draw", DRAWN_INTO)
def test_draws_into_given_axes(draw):
    figure = matplotlib.figure.Figure(figsize=(7, 4))
    ax = figure.add_subplot()
    assert draw(ax) is ax and figure.axes == [ax] and tuple(figure.get_size_inches()) == (7, 4)
    drawn(ax)
    part = matplotlib.figure.Figure(figsize=(12, 4)).subfigures(1, 2)[1].add_subplot()
    assert draw(part) is part


@pytest.mark.parametrize("draw", DRAWN_INTO)
def test_without_matplotlib_the_error_says_what_to_install(draw, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(SynthpopError, match=r"matplotlib.*pip install 'synthpop-disclosure\[plot"):
        draw()


def test_importing_the_package_imports_no_matplotlib_and_drawing_no_pyplot():
    code = """
import sys
import synthpop_py, synthpop_py.plots
assert not any(name.split(".")[0] == "matplotlib" for name in sys.modules)
import pandas as pd
frame = pd.DataFrame({"k": list("aabc") * 9, "t": list("xyxy") * 9})
result = synthpop_py.disclosure(frame, frame, ["k"], "t", print_flag=False)
result.plot(); result.plot("identity")
assert "matplotlib.figure" in sys.modules and "matplotlib.pyplot" not in sys.modules
"""
    subprocess.run(
        [sys.executable, "-W", "error::UserWarning", "-c", code],
        check=True,
        cwd=Path(__file__).parents[2],
    )


# ---- pictures ------------------------------------------------------------------------

DRAWINGS = {
    "targets": lambda: plot_targets(sd5(), ceiling=20),
    "targets_long": lambda: plot_targets(wide()),
    "identity": lambda: plot_identity(sd5()["depress"]),
    "funnel": lambda: plot_funnel(sd5()["depress"], synthesis=2),
}


def share_of_difference(a: np.ndarray, b: np.ndarray) -> float:
    """Share of blocks whose mean differs noticeably in some colour, among blocks that are not blank
    in both; 1 for pictures of another size.
    """
    if a.shape != b.shape:
        return 1.0
    height, width = (n // BLOCK for n in a.shape[:2])
    both = np.array([a, b])[:, : height * BLOCK, : width * BLOCK]
    blocks = both.reshape(2, height, BLOCK, width, BLOCK, 3).mean(axis=(2, 4))
    inked = (blocks < 0.99).any(axis=(0, 3))
    differing = np.abs(blocks[0] - blocks[1]).max(axis=2) > NOTICEABLE
    return float(differing.sum() / max(inked.sum(), 1))


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


def test_the_comparison_sees_a_small_change():
    """Twice the tolerance that the pictures are held to: a filled marker, an arrow less."""
    before, marker, arrow = drawn(plot_targets(sd5())), plot_targets(sd5()), plot_targets(sd5())
    marker.lines[1].set_markerfacecolor("none")
    next(t for t in arrow.texts if t.arrow_patch is not None).remove()
    for ax in (marker, arrow):
        assert share_of_difference(before, drawn(ax)) > 2 * TOLERANCE


if __name__ == "__main__":
    for title, draw in DRAWINGS.items():
        with matplotlib.rc_context():
            matplotlib.rcdefaults()
            matplotlib.rcParams.update({"font.family": "DejaVu Sans", "text.hinting": "none"})
            draw().figure.savefig(PICTURES / f"{title}.png", dpi=DPI, metadata={"Software": None})
