"""R's saved syntheses, read and written by the package, judged by R itself: `identical()` after the
round trip, and the same figures.
"""

from __future__ import annotations

import json

import pandas as pd
import pytest

from synthpop_py import InputError, datasets, read_synds, write_synds
from tests.parity.compare import differences
from tests.parity.live import FIXTURES

SYNTHESES = datasets.names("synthesis")


@pytest.fixture
def in_r(live_r, tmp_path):
    """Evaluate R code in which `folder` is a place for files."""
    live_r.r.assign("folder", str(tmp_path))
    return lambda code: live_r.r(code)


@pytest.mark.requires_r
@pytest.mark.parametrize(
    "name, ending",
    [*((name, "rds") for name in SYNTHESES), ("SD2011_s1", "rda"), ("SD2011_s5", "rda")],
)
def test_a_synthesis_of_r_comes_back_identical(name, ending, in_r, tmp_path, tally):
    in_r(f'synds <- read_synthesis("{name}", "{FIXTURES}")')
    save = "saveRDS(synds, %s)" if ending == "rds" else "save(synds, file = %s)"
    in_r(save % f'file.path(folder, "r.{ending}")')
    synthesis = read_synds(tmp_path / f"r.{ending}")
    recorded = datasets.load_synthesis(name)
    for mine, own in zip(synthesis.syn, recorded.syn, strict=True):
        pd.testing.assert_frame_equal(mine, own)
    assert synthesis.cont_na == recorded.cont_na
    write_synds(synthesis, tmp_path / f"back.{ending}")
    back = (
        'readRDS(file.path(folder, "back.rds"))'
        if ending == "rds"
        else 'local({ load(file.path(folder, "back.rda")); synds })'
    )
    assert in_r(f"back <- {back}; identical(back$syn, synds$syn)")[0]
    assert in_r(
        "identical(back$m, synds$m) && identical(class(back), class(synds)) && all(back$n =="
        " synds$n, back$k == synds$k)"
    )[0]
    assert in_r("identical(back$cont.na[names(synds$cont.na)], synds$cont.na)")[0]
    tally["syntheses of R read, written and found identical by R"] += 1


@pytest.mark.requires_r
@pytest.mark.parametrize("name, target", [("SD2011_s1", "income"), ("SD2011_s5", "depress")])
def test_r_gets_the_same_figures_from_what_we_wrote(name, target, live_r, in_r, tmp_path, tally):
    write_synds(datasets.load_synthesis(name), tmp_path / "ours.rds")
    call = (
        f'disclosure(%s, read_data_file("SD2011", "{FIXTURES}"), keys = c("sex", "age", "region",'
        f' "placesize"), target = "{target}", ngroups_target = 5, print.flag = FALSE)'
    )
    figures = "to_json(describe_disclosure(suppressWarnings(%s)))"
    quiet = "local({ sink(nullfile()); on.exit(sink()); %s })"
    theirs, ours = (
        json.loads(in_r(quiet % (figures % (call % source)))[0])
        for source in (
            f'read_synthesis("{name}", "{FIXTURES}")',
            'readRDS(file.path(folder, "ours.rds"))',
        )
    )
    assert theirs["ident"]["values"] and not differences(theirs, ours)
    tally["calls of R's disclosure() on a synthesis written by the package, same figures"] += 1


STRATIFIED = """
suppressMessages(library(synthpop))
ods <- SD2011[1:300, c("sex", "age", "income")]
invisible(capture.output(s <- syn.strata(ods, strata = "sex", seed = 1, minstratumsize = 10,
  cont.na = list(income = -8), print.flag = FALSE)))
saveRDS(s, "%s"); s$m <- 0; s$syn <- list(); saveRDS(s, "%s")
"""


def test_a_stratified_synthesis_and_one_without_sets(live_r, tmp_path):
    good, empty = tmp_path / "strata.rds", tmp_path / "empty.rds"
    live_r.r(STRATIFIED % (good, empty))
    synthesis = read_synds(good)
    assert repr(
        synthesis
    ) == "SynDS(m=1, 300 rows, 3 columns, cont_na: income)" and synthesis.cont_na == {
        "income": (-8,)
    }
    with pytest.raises(InputError, match=r"without synthetic data \(m = 0\)"):
        read_synds(empty)


@pytest.mark.requires_r
@pytest.mark.needs("pyreadr")
def test_pyreadr_where_it_is_installed(in_r, tmp_path):
    in_r(
        f'synds <- read_synthesis("SD2011_s1", "{FIXTURES}");'
        ' saveRDS(synds$syn, file.path(folder, "r.rds"))'
    )
    pd.testing.assert_frame_equal(
        read_synds(tmp_path / "r.rds", reader="pyreadr", trusted=True).syn[0],
        datasets.load_synthesis("SD2011_s1").syn[0],
    )
