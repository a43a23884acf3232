"""R's saved syntheses, read and written by the package, judged by R itself: `identical()` after the
round trip, and the same figures.
"""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import synthpop_py.rdata
from synthpop_py import InputError, SynDS, SynthpopError, datasets
from synthpop_py.rdata import read_synds, write_synds
from tests.parity.compare import differences
from tests.parity.live import FIXTURES

SYNTHESES = datasets.names("synthesis")

# Everything a data frame of ours can hold, with what is easily lost on the way: the text "NA",
# control characters, tiny and huge numbers, unused levels, gaps in every type.
ODD_FRAME = """
odd <- data.frame(
  f = factor(c("b", NA, "NA", "b"), levels = c("b", "unused", "NA", "\\u00e9 \\"q\\"")),
  o = factor(c("lo", "hi", "hi", NA), levels = c("lo", "mid", "hi"), ordered = TRUE),
  c = c("NA", NA, "a\\tb\\n\\001", "\\u4e2d"),
  i = c(-2147483647L, NA, 0L, 2147483647L),
  d = c(1/3, NA, 5e-324, -Inf),
  e = c(0.1 + 0.2, 1e22, 123456789.123456789, Inf),
  l = c(TRUE, NA, FALSE, TRUE),
  day = as.Date(c("2020-02-29", NA, "1900-01-01", "1969-12-31")),
  time = as.POSIXct(c(0, 86400, NA, 1600000000.25), origin = "1970-01-01", tz = "UTC"),
  "a name, with \\"marks\\"" = c(1, 2, 3, NA), check.names = FALSE, stringsAsFactors = FALSE)
"""


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
    in_r(
        f"""synds <- read_synthesis("{name}", "{FIXTURES}")
             {'saveRDS(synds, file.path(folder, "r.rds"))' if ending == "rds" else 'save(synds, file = file.path(folder, "r.rda"))'}"""
    )
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


@pytest.mark.requires_r
@pytest.mark.parametrize("through", ["rpy2", "Rscript"])
def test_odd_values_survive(through, in_r, tmp_path, monkeypatch):
    if through == "Rscript":
        monkeypatch.setattr(synthpop_py.rdata, "_r_in_process", lambda: None)
    in_r(ODD_FRAME + 'saveRDS(list(odd, odd[4:1, ]), file.path(folder, "odd.rds"))')
    synthesis = read_synds(tmp_path / "odd.rds")
    first = synthesis.syn[0]
    assert first["f"].cat.categories.tolist() == ["b", "unused", "NA", 'é "q"'] and first[
        "f"
    ].cat.codes.tolist() == [0, -1, 2, 0]
    assert first["o"].cat.ordered and first["c"].tolist() == ["NA", None, "a\tb\n\x01", "中"]
    assert (
        first["i"].dtype == "Int64"
        and first["l"].dtype == "boolean"
        and first["e"].tolist() == [0.1 + 0.2, 1e22, 123456789.123456789, np.inf]
    )
    assert str(first["day"][0]) == "2020-02-29 00:00:00" and first["time"].dt.tz is not None
    write_synds(synthesis, tmp_path / "back.rds")
    in_r('back <- readRDS(file.path(folder, "back.rds"))')
    assert in_r("identical(back$syn[[1]], odd)")[0]
    assert in_r("identical(back$syn[[2]], structure(odd[4:1, ], row.names = 1:4))")[0]


@pytest.mark.requires_r
def test_data_frames_and_lists_are_syntheses_too(in_r, tmp_path):
    in_r(
        'd <- data.frame(x = c(1, 2), y = factor(c("a", "b"))); saveRDS(d, file.path(folder,'
        ' "d.rds")); a <- list(d, d); b <- 3; save(a, b, file = file.path(folder, "a.rda"))'
    )
    one, two = read_synds(tmp_path / "d.rds"), read_synds(tmp_path / "a.rda")
    assert (one.m, two.m) == (1, 2)
    pd.testing.assert_frame_equal(
        one.syn[0],
        pd.DataFrame(
            {"x": [1.0, 2.0], "y": pd.Categorical(["a", "b"], pd.Index(["a", "b"], dtype=object))}
        ),
    )


@pytest.mark.requires_r
def test_a_frame_without_rows(in_r, tmp_path):
    empty = pd.DataFrame(
        {
            "x": pd.Series([], dtype="float64"),
            "f": pd.Categorical([], categories=["a", "b"]),
            "c": pd.Series([], dtype=object),
        }
    )
    write_synds(empty, tmp_path / "empty.rds")
    assert in_r(
        'e <- readRDS(file.path(folder, "empty.rds"))$syn; identical(levels(e$f), c("a", "b")) &&'
        " nrow(e) == 0 && is.character(e$c) && is.double(e$x)"
    )[0]
    assert read_synds(tmp_path / "empty.rds").syn[0].shape == (0, 3)


@pytest.mark.requires_r
def test_what_r_has_and_pandas_has_not(in_r, tmp_path):
    """An explicit NA level and NaN are read as missing; times without a zone in R come as UTC."""
    in_r(
        'x <- data.frame(f = addNA(factor(c("a", NA))), d = c(NaN, 1)); saveRDS(x,'
        ' file.path(folder, "x.rds"))'
    )
    frame = read_synds(tmp_path / "x.rds").syn[0]
    assert (
        frame["f"].cat.categories.tolist() == ["a"]
        and frame["f"].isna().tolist() == [False, True]
        and frame["d"].isna().tolist() == [True, False]
    )


@pytest.mark.requires_r
@pytest.mark.parametrize(
    "code, name, message",
    [
        (
            'x <- 3; save(x, file = file.path(folder, "x.rda"))',
            None,
            "holds numeric; a synds object",
        ),
        (
            'x <- y <- data.frame(a = 1); save(x, y, file = file.path(folder, "x.rda"))',
            None,
            "several.*choices: x, y",
        ),
        (
            'x <- data.frame(a = 1); save(x, file = file.path(folder, "x.rda"))',
            "z",
            "'z' is not in x.rda; choices: x",
        ),
        (
            'x <- data.frame(a = 1); x$b <- list(1); save(x, file = file.path(folder, "x.rda"))',
            None,
            "column 'b' in x.rda is of type list",
        ),
        (
            (
                'x <- data.frame(a = as.difftime(1, units = "secs")); save(x, file ='
                ' file.path(folder, "x.rda"))'
            ),
            None,
            "'a' in x.rda is of type difftime",
        ),
        ('writeLines("nothing of R", file.path(folder, "x.rda"))', None, "R cannot read x.rda"),
    ],
)
def test_files_that_hold_no_synthesis(code, name, message, in_r, tmp_path):
    in_r(code)
    with pytest.raises(InputError, match=message):
        read_synds(tmp_path / "x.rda", name=name)


@pytest.mark.requires_r
def test_one_of_several_objects_by_name(in_r, tmp_path):
    in_r(
        "x <- data.frame(a = 1); y <- data.frame(b = 2); save(x, y, file = file.path(folder,"
        ' "xy.RData"))'
    )
    assert read_synds(tmp_path / "xy.RData", name="y").syn[0].columns.tolist() == ["b"]


@pytest.mark.requires_r
def test_integers_too_large_for_r_become_real_numbers(in_r, tmp_path):
    write_synds(pd.DataFrame({"x": [2**31, 1]}), tmp_path / "big.rds")
    assert in_r('identical(readRDS(file.path(folder, "big.rds"))$syn$x, c(2147483648, 1))')[0]


# ---- no R needed ---------------------------------------------------------------------

FRAME = pd.DataFrame({"x": [1.0, -8.0], "f": pd.Categorical(["a", "b"])})


STRATIFIED = """
suppressMessages(library(synthpop))
ods <- SD2011[1:300, c("sex", "age", "income")]
invisible(capture.output(s <- syn.strata(ods, strata = "sex", seed = 1, minstratumsize = 10, cont.na = list(income = -8), print.flag = FALSE)))
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
    with pytest.raises(InputError, match=r"empty.rds holds no synthetic data \(m = 0\)"):
        read_synds(empty)


def test_arguments_that_cannot_be_used(tmp_path):
    with pytest.raises(InputError, match="two columns would both be called '7' in R; rename one"):
        write_synds(pd.DataFrame([[1, 2]], columns=[7, "7"]), tmp_path / "a.rds")
    with pytest.raises(InputError, match="'nowhere.rds' is not a file"):
        read_synds("nowhere.rds")
    (tmp_path / "a.rds").write_bytes(b"")
    with pytest.raises(
        InputError, match="reader: 'excel' is unknown; choices: 'auto', 'r', 'rdata', 'pyreadr'"
    ):
        read_synds(tmp_path / "a.rds", reader="excel")
    with pytest.raises(InputError, match="ends in '.csv'; choices: .rds, .rda, .RData"):
        write_synds(SynDS(FRAME), tmp_path / "a.csv")
    column = FRAME.columns[0]
    with pytest.raises(
        InputError, match=f"special value 'none' of column {column!r} .* is not a number"
    ):
        write_synds(SynDS(FRAME, cont_na={column: "none"}), tmp_path / "a.rds")
    with pytest.raises(InputError, match="folder of .* does not exist"):
        write_synds(SynDS(FRAME), tmp_path / "no" / "a.rds")
    with pytest.raises(InputError, match="column 'd': durations have no counterpart"):
        write_synds(pd.DataFrame({"d": pd.to_timedelta([1, 2], unit="s")}), tmp_path / "a.rds")


def test_without_anything_installed_the_error_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setattr(synthpop_py.rdata, "find_spec", lambda name: None)
    monkeypatch.setattr(synthpop_py.rdata.shutil, "which", lambda name: None)
    (tmp_path / "a.rds").write_bytes(b"")
    with pytest.raises(SynthpopError, match=r"pip install 'synthpop-disclosure\[rdata\]'"):
        read_synds(tmp_path / "a.rds")
    with pytest.raises(SynthpopError, match="R is not at hand: install R"):
        write_synds(SynDS(FRAME), tmp_path / "b.rds")
    with pytest.raises(SynthpopError, match="package pyreadr is not installed"):
        read_synds(tmp_path / "a.rds", reader="pyreadr")


def test_importing_the_module_starts_no_r():
    import subprocess
    import sys

    root = Path(synthpop_py.rdata.__file__).resolve().parent.parent
    code = (
        "import sys, synthpop_py.rdata; print([m for m in ('rpy2', 'rdata', 'pyreadr') if m in"
        " sys.modules])"
    )
    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, cwd=root, check=True
        ).stdout.strip()
        == "[]"
    )


def test_what_other_readers_give_is_put_into_our_types(tmp_path):
    """The shape in which the packages rdata and pyreadr hand over an object, made by hand: neither
    need be installed.
    """
    frame = pd.DataFrame(
        {
            "i": pd.array([1, None], dtype="Int32"),
            "s": pd.array(["a", None], dtype="string"),
            "l": pd.array([True, False], dtype="boolean"),
            "x": np.array([1, -8], dtype=np.float64),
        },
        index=pd.RangeIndex(1, 3),
    )
    value = {
        "syn": [frame, frame],
        "m": np.array([2.0]),
        "n": np.array([9]),
        "k": np.array([2]),
        "cont.na": {"i": np.array([False]), "x": np.array([np.nan, -8.0])},
    }
    synthesis = synthpop_py.rdata._synthesis_of(
        synthpop_py.rdata._chosen_object({None: value}, None), tmp_path
    )
    assert (synthesis.m, synthesis.cont_na, synthesis.meta) == (2, {"x": (-8.0,)}, {"n": 9, "k": 2})
    types = {name: str(dtype) for name, dtype in synthesis.syn[0].dtypes.items()}
    assert types == {"i": "Int64", "s": "object", "l": "bool", "x": "float64"} and synthesis.syn[0][
        "s"
    ].tolist() == ["a", None]
    with pytest.raises(InputError, match="several syntheses or data frames; choices: a, b"):
        synthpop_py.rdata._chosen_object({"a": frame, "b": frame, "c": 3}, None)
    with pytest.raises(InputError, match="holds no synds object"):
        synthpop_py.rdata._chosen_object({"c": 3}, None)


def _if_installed(package: str):
    return pytest.param(
        package,
        marks=pytest.mark.skipif(
            find_spec(package) is None, reason=f"the package {package} is not installed"
        ),
    )


@pytest.mark.requires_r
@pytest.mark.parametrize("package", [_if_installed("rdata"), _if_installed("pyreadr")])
def test_other_readers_where_they_are_installed(package, in_r, tmp_path):
    in_r(
        f'synds <- read_synthesis("SD2011_s1", "{FIXTURES}");'
        f' saveRDS(synds{"" if package == "rdata" else "$syn"}, file.path(folder, "r.rds"))'
    )
    pd.testing.assert_frame_equal(
        read_synds(tmp_path / "r.rds", reader=package).syn[0],
        datasets.load_synthesis("SD2011_s1").syn[0],
    )
