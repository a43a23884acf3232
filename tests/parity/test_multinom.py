"""Our multinomial regression without penalty against R's nnet::multinom: what was recorded, and
live where R is installed.

multinom stops at a relative change of 1e-15 of the criterion, which is flat at its minimum:
coefficients are good to about the square root of that (6e-8 when recorded); 1e-6 leaves room for
other builds of R. The criterion itself must agree to 1e-9 and ours, which is a maximum, must not be
the lower one.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess

import numpy as np
import pytest

from r_reference.records import ROOT
from synthpop_py import datasets
from synthpop_py.estimation.design import design_matrix, probabilities
from synthpop_py.synthesis import Multinomial, fit_models
from tests.conftest import no_r

RECORD = ROOT / "fixtures" / "expected_models" / "multinom.json"
MODELS = ("race", "facility")
COEFFICIENTS = 1e-6


def recorded():
    return json.loads(RECORD.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def live():
    """The record made again now."""
    if os.environ.get("SYNTHPOP_PY_NO_R"):
        no_r("SYNTHPOP_PY_NO_R is set")
    if shutil.which("Rscript") is None:
        no_r("Rscript is not installed")
    if subprocess.run(
        ["Rscript", "-e", "quit(status = !requireNamespace('nnet', quietly = TRUE))"],
        capture_output=True,
    ).returncode:
        no_r("R's package nnet is not installed")


def our_fit(record):
    """The same model on the same records, numbers standardised as in the script."""
    frame = datasets.load("syc")[[record["response"], *record["predictors"]]]
    if record["facilities"]:
        frame = frame[frame["psu"].isin(record["facilities"])]
    frame = frame.dropna().reset_index(drop=True)
    for name in record["predictors"]:
        if frame[name].dtype != "category":
            values = frame[name].to_numpy(dtype=float)
            frame[name] = (values - values.mean()) / values.std()
    posterior = fit_models(frame, [Multinomial(record["response"], record["predictors"], ridge=0)])
    return frame, posterior


def compare(record):
    frame, posterior = our_fit(record)
    assert len(frame) == record["records"] and record["converged"]
    theirs = np.array(record["coefficients"])
    ours = posterior.estimates[0].mean.reshape(theirs.shape)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=COEFFICIENTS)
    errors = np.sqrt(np.diag(posterior.estimates[0].covariance())).reshape(theirs.shape)
    np.testing.assert_allclose(errors, np.array(record["standard_errors"]), rtol=COEFFICIENTS)
    data = posterior.coding.read(frame, "original")
    fitted = probabilities(design_matrix(data, record["predictors"]), ours)
    loglik = np.log(fitted[np.arange(len(frame)), data[record["response"]].cat.codes]).sum()
    assert loglik == pytest.approx(record["loglik"], rel=1e-9)
    assert loglik >= record["loglik"] - 1e-9
    assert list(map(str, posterior.coding.levels[record["response"]][1:])) == record["levels"]


@pytest.mark.parametrize("name", MODELS)
def test_recorded(name, tally):
    compare(recorded()["models"][name])
    tally["multinomial models compared with nnet::multinom"] += 1


def test_the_record_says_what_made_it():
    stamp = recorded()["stamp"]
    assert stamp["R"].startswith("R version") and stamp["nnet"]
    assert sorted(recorded()["models"]) == sorted(MODELS)


def test_live(live, tmp_path, tally):
    """R says the same today, and so do we."""
    output = tmp_path / "multinom.json"
    subprocess.run(
        ["Rscript", str(ROOT / "r_reference" / "multinom.R"), str(output)],
        check=True,
        capture_output=True,
    )
    fresh = json.loads(output.read_text(encoding="utf-8"))["models"]
    for name in MODELS:
        for field in ("response", "predictors", "facilities", "records", "levels", "columns"):
            assert fresh[name][field] == recorded()["models"][name][field]
        np.testing.assert_allclose(
            fresh[name]["coefficients"],
            recorded()["models"][name]["coefficients"],
            rtol=0,
            atol=COEFFICIENTS,
        )
        compare(fresh[name])
        tally["multinomial models compared with live nnet::multinom"] += 1
