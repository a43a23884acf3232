"""Figures of IFPR: what is drawn where. How they look was reviewed on the pages that show them."""

from __future__ import annotations

import matplotlib
import numpy as np
import pandas as pd
import pytest

from synthpop_py import InputError
from synthpop_py.ifpr import ifpr, ifpr_theta
from synthpop_py.plots.ifpr import plot_ifpr_theta


@pytest.fixture(autouse=True)
def fixed_settings():
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        yield


@pytest.fixture(scope="module")
def release():
    frame = pd.DataFrame(
        [(g, f"{g}{i}") for g in range(3) for i in range(6 + g) for _ in range(1 + i % 2)],
        columns=["g", "x"],
    )
    return ifpr(frame, ["g", "x"], xi=0.395, blocks="g", seed=1, reproducible=True)


def lines(panel) -> dict[str, tuple[list, list]]:
    return {
        line.get_label(): (list(line.get_xdata()), list(line.get_ydata()))
        for line in panel.get_lines()
    }


def test_theta_against_xi():
    drawn = lines(plot_ifpr_theta([0.395, 0.6]))
    assert drawn["goals marked"] == ([0.395, 0.6], [ifpr_theta(0.395), ifpr_theta(0.6)])
    x, y = drawn["one theta for all cells"]
    assert min(x) == pytest.approx(1 / 3) and (x[0], y[0]) == (1, 0)
    assert y[1:] == pytest.approx([ifpr_theta(max(v, 1 / 3)) for v in x[1:]])
    # each curve ends on the axis, where 1 / T meets the goal by itself
    for T, units in ((1, "1 unit"), (2, "2 units"), (3, "3 units")):
        x, y = drawn[f"cells of {units}, theta_{T}"]
        assert (max(x), min(y)) == (1 / T, 0) and max(abs(np.diff(y))) < 0.05
    plain = plot_ifpr_theta()
    assert len(plain.get_lines()) == 5 and "goals marked" not in lines(plain)
    with pytest.raises(InputError, match=r"marked: 0.2 is not a number of at least 0.333333 and"):
        plot_ifpr_theta(0.2)


def test_risk_by_records_found(release):
    panel = release.plot()
    drawn = lines(panel)
    table = release.risk_table(max_a=6)
    for T, units in ((1, "1 unit"), (2, "2 units")):
        chances = table.loc["all blocks", [f"T={T} IR({a})" for a in range(1, 7)]]
        assert drawn[f"T = {T}: {units} before"][1] == pytest.approx(chances.tolist())
    known = drawn["1 / a: for an intruder who knows that the target is among the a records"]
    assert known[1] == pytest.approx([1 / a for a in range(1, 7)])
    assert any(text.get_text() == "xi = 0.395" for text in panel.texts)
    # from the safest to the riskiest block, two sizes, six counts
    assert [len(bars.get_segments()) for bars in panel.collections] == [6, 6]


def test_share_perturbed_by_block(release):
    panel = release.plot("design", round_to=1)
    widths = sorted(bar.get_width() for bar in panel.patches)
    assert widths == pytest.approx(sorted(100 * release.design["share_perturbed"]))
    assert [label.get_text() for label in panel.get_yticklabels()] == [f"g: {g}" for g in (2, 1, 0)]


def test_many_blocks_show_the_largest():  # 23 of them have the 20 units that a share needs
    frame = pd.DataFrame(
        [(g, f"{g}{i}") for g in range(40) for i in range(3 + g)], columns=["g", "x"]
    )
    panel = ifpr(frame, ["g", "x"], theta=0.5, blocks="g", seed=1, reproducible=True).plot("design")
    assert len(panel.patches) == 23 and any(
        "the 23 largest of 40 blocks" in text.get_text().replace("\n", " ") for text in panel.texts
    )


def test_blocks_of_few_units_are_left_out():
    cells = [(0, f"{i}") for i in range(6)] + [(1, f"{i}") for i in range(60)]
    frame = pd.DataFrame(cells, columns=["g", "x"])
    release = ifpr(frame, ["g", "x"], theta=0.5, blocks="g", seed=1, reproducible=True)
    panel = release.plot("design")
    written = [text.get_text() for text in panel.texts]
    assert "60 units" in written and len(panel.patches) == 1
    assert any("the 1 largest of 2 blocks" in text for text in written)
    assert not any("6 units" in text or "10 units" in text for text in written)
    exact = [text.get_text() for text in release.plot("design", round_to=1).texts]
    assert "6 units" in exact


def test_audit_beside_theory(release):
    audit = release.audit(50, seed=1)
    drawn, tidy = lines(audit.plot()), audit.tidy()
    assert drawn["theory"][0] == pytest.approx(tidy["theory"].tolist())
    assert drawn["audit, 50 runs, ± 2 se"][0] == pytest.approx(tidy["risk"].tolist())
    # one run has no spread, but is drawn
    assert len(release.audit(1, seed=1).plot().get_lines()) == 2


def test_into_axes_of_ones_own(release):
    axes = matplotlib.figure.Figure().add_subplot()
    assert release.plot(ax=axes) is axes and release.audit(3, seed=1).plot(axes) is axes


def test_nothing_perturbed_is_drawn_too():
    still = ifpr(pd.DataFrame({"a": [1, 1, 1]}), "a", xi=0.5, seed=1, reproducible=True)
    assert (
        still.plot() is not None
        and still.plot("design") is not None
        and np.isnan(still.audit(2).table.to_numpy()).all()
    )
