"""Table 1 of Reiter and Mitra on the Survey of Youth in Custody.

Reproduced: all 18 figures with nothing released about the models lie in the bands of one run, and
seed means follow the orderings the paper reports; with the models and their posterior released,
expected and true matches exceed every figure with nothing released.

Not reproduced: which four facilities were removed and how missing values were treated is not
printed, so figures cannot agree exactly. The count of 64 unique youths depends on the latter: 62
here, as in the program that the bands come from; 64 in `test_reiter_mitra_design`, which has the
experiment over other ways to make the table. With the models but not the posterior known, figures
have the correct order of magnitude but m = 10 comes out clearly above the published 31.4 (see
`test_models_known`, which runs with SYNTHPOP_PY_LONG=1: ten fits of a model with 1,485 coefficients
take minutes without a fast BLAS). The paper's own figures there do not rise with m.
"""

from __future__ import annotations

import os

import numpy as np
import pytest

from synthpop_py.matching import identification_risk
from synthpop_py.synthesis import fit_models, partial_synthesis
from tests.published import reiter_mitra_figures as paper
from tests.published import reiter_mitra_record as record

LONG = os.environ.get("SYNTHPOP_PY_LONG") == "1"
SEEDS = range(40) if LONG else range(8)
ONE_RUN = 8  # the seed of the run that must lie in the bands


@pytest.fixture(scope="module")
def youths():
    return paper.youths()


@pytest.fixture(scope="module")
def posterior(youths):
    return fit_models(youths, paper.models(youths))


def measures(risk):
    return tuple(getattr(risk, name) for name in paper.MEASURES)


def table_of(youths, posterior, seed):
    """The six rows with M empty, each m with sets of its own as in the paper."""
    rows = {}
    for m in paper.SETS:
        sets = partial_synthesis(youths, posterior, m=m, seed=np.random.default_rng([seed, m]))
        for attack in ("probability", "mode"):
            rows[attack, m] = measures(
                identification_risk(sets, youths, attack=attack, seed=seed, **paper.KEYS)
            )
    return rows


@pytest.fixture(scope="module")
def runs(youths, posterior):
    """Seed means and the single runs: arrays of shape (seeds, 3)."""
    each = [table_of(youths, posterior, 1000 + seed) for seed in SEEDS]
    return {row: np.array([run[row] for run in each], dtype=float) for row in paper.BANDS}


def mean(runs, attack, m, measure):
    return runs[attack, m][:, paper.MEASURES.index(measure)].mean()


# ---- the data ------------------------------------------------------------------------


def test_the_data_are_those_of_the_paper(youths):
    assert (
        youths.shape == (2562, 23)
        and youths["psu"].nunique() == 46
        and youths["race"].nunique() == 5
        and youths["ethnicty"].nunique() == 2
    )
    assert not youths.isna().any(axis=None)
    keys = youths.groupby(["psu", "race", "ethnicty"], observed=True).size()
    assert (keys == 1).sum() == 62 and len(
        keys
    ) == 218  # the paper prints 64; NA and the choice of facilities move it between 61 and 67


def test_the_models_have_33_columns(posterior):
    facility, race = posterior.estimates
    assert len(facility.mean) == 45 * 33 and len(race.mean) == 4 * (33 + 45)


def test_releasing_the_original_itself(youths):
    assert measures(identification_risk(youths, youths, **paper.KEYS)) == (
        203,
        pytest.approx(218),
        62,
    )


# ---- nothing released about the models -----------------------------------------------


def test_one_run_lies_in_all_18_bands(youths, posterior):
    found = table_of(youths, posterior, ONE_RUN)
    outside = [
        f"{attack}, m = {m}: {name} {value:.1f} is not in {low}-{high}"
        for (attack, m), values in found.items()
        for name, value, (low, high) in zip(paper.MEASURES, values, paper.BANDS[attack, m])
        if not low <= value <= high
    ]
    assert not outside


@pytest.mark.parametrize("row", paper.BANDS, ids=lambda row: f"{row[0]}-{row[1]}")
def test_means_agree_with_the_forty_runs_of_another_program(runs, row):
    """Within one standard deviation of a single run plus 15 % for modelling choices: the rule of
    acceptance on the page explanation/where-expected-figures-come-from.md.
    """
    for name, value, (centre, sd) in zip(
        paper.MEASURES, runs[row].mean(axis=0), paper.FORTY_RUNS[row]
    ):
        assert abs(value - centre) <= sd + 0.15 * centre, (
            f"{row}: {name} is {value:.1f}, {centre} ± {sd} is expected"
        )


def test_published_figures_are_plausible_runs_of_ours(runs):
    """Each published figure within 3.5 standard deviations of our runs (18 figures, one run each;
    at least one record of leeway where ours hardly vary).
    """
    for row, printed in paper.PUBLISHED.items():
        sd = np.maximum(runs[row].std(axis=0, ddof=1), 1)
        assert (
            np.abs(runs[row].mean(axis=0) - printed) <= 3.5 * sd * np.sqrt(1 + 1 / len(runs[row]))
        ).all(), row


def test_perceived_risk_falls_with_m_when_probabilities_are_averaged(runs):
    two, three, ten = (mean(runs, "probability", m, "perceived") for m in paper.SETS)
    assert two > three > ten


@pytest.mark.parametrize("measure", ["expected", "true"])
def test_expected_and_true_matches_rise_with_m(runs, measure):
    two, three, ten = (mean(runs, "probability", m, measure) for m in paper.SETS)
    assert two < three < ten


@pytest.mark.parametrize("m", paper.SETS)
@pytest.mark.parametrize("measure", ["expected", "true"])
def test_averaging_finds_more_than_the_mode(runs, m, measure):
    assert mean(runs, "probability", m, measure) > mean(runs, "mode", m, measure)


# ---- the intruder who knows the models -----------------------------------------------


@pytest.fixture(scope="module")
def with_posterior(youths, posterior):
    return {
        how: as_measures(record.row(youths, posterior, "posterior", how, None))
        for how in ("fixed", "simulated")
    }


def as_measures(row):
    return tuple(row[name] for name in paper.MEASURES)


def test_the_recorded_rows_are_ours(with_posterior):
    recorded = record.read()
    assert len(recorded) == 8
    for how, found in with_posterior.items():
        assert found == pytest.approx(recorded["posterior", how, None], abs=1e-9)


@pytest.mark.parametrize("how", ["fixed", "simulated"])
def test_a_released_posterior_exceeds_everything_with_nothing_released(runs, with_posterior, how):
    for at, measure in ((1, "expected"), (2, "true")):
        assert with_posterior[how][at] > max(
            mean(runs, attack, m, measure) for attack, m in paper.BANDS
        )


def test_parameters_at_their_mode_find_more_than_drawn_ones(with_posterior):
    """As the paper has it: 48.2 and 39.0 expected matches."""
    assert with_posterior["fixed"][1] > with_posterior["simulated"][1]


def test_the_posterior_rows_have_the_published_size(with_posterior):
    """Size only: about 65 expected matches at the mode against 48.2 printed (an independent program
    found 55), about 50 against 39.0 with drawn parameters.

    The figures depend on the penalty.
    """
    for how, (_, expected, true) in paper.PUBLISHED_POSTERIOR.items():
        assert (
            0.75 * expected < with_posterior[how][1] < 1.75 * expected
            and 0.75 * true < with_posterior[how][2] < 1.75 * true
        )


@pytest.mark.needs("a long run")  # fits of 1,485 coefficients to many synthetic sets
@pytest.mark.parametrize("m", paper.SETS)
@pytest.mark.parametrize("how", ["fixed", "simulated"])
def test_models_known(youths, posterior, runs, how, m):
    """Refits: as recorded; above the mode attack for the same m, in the order of magnitude of the
    paper (19 to 31).

    At m = 10 ours are higher than the paper's, which is not reproduced.
    """
    perceived, expected, true = found = as_measures(record.row(youths, posterior, "models", how, m))
    assert found == pytest.approx(record.read()["models", how, m], abs=1e-9)
    assert expected > mean(runs, "mode", m, "expected") and true > mean(runs, "mode", m, "true")
    assert 15 <= expected <= 75 and perceived < mean(runs, "probability", 2, "perceived")
