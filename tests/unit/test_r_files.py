"""R's files read and written without R: the same values, whoever reads them.

The files in fixtures/r_files were made by base R (r_reference/make_r_files.R); what they must give
is written down here by hand.
"""

from __future__ import annotations

import doctest
import os
import subprocess
import sys
import warnings
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from synthpop_py import (
    InputError,
    SynDS,
    SynthpopError,
    datasets,
    disclosure,
    read_rdata,
    read_rds,
    read_synds,
    write_synds,
)
from synthpop_py.r_files.objects import NoCounterpart, array_of

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "r_files"

RDATA = pytest.param("rdata", marks=pytest.mark.needs("rdata"))
PYREADR = pytest.param("pyreadr", marks=pytest.mark.needs("pyreadr"))
every_reader = pytest.mark.parametrize("reader", [RDATA, PYREADR])
needs_rdata = pytest.mark.needs("rdata")


def in_r(code: str, folder: Path) -> None:
    """Run code in R, in a folder; an error in R is one here."""
    program = ["Rscript", "--vanilla", "-e", code]
    done = subprocess.run(program, cwd=folder, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def texts(*values: str) -> pd.Index:
    return pd.Index(values, dtype=object)


def objects(*values: Any) -> pd.Series:
    return pd.Series(list(values), dtype=object)


def moments(*values: Any) -> pd.Series:
    return pd.Series(np.array(values, dtype="datetime64[ns]"))


ODS = pd.DataFrame(
    {
        "region": pd.Categorical.from_codes(
            [0, -1, 2, 0, 3, 0], texts("south", "unused", "NA", 'é "q"')
        ),
        "grade": pd.Categorical.from_codes(
            [0, 2, 2, -1, 0, 0], texts("lo", "mid", "hi"), ordered=True
        ),
        "answer": pd.Categorical.from_codes([0, -1, 1, 0, 1, -1], texts("yes", "no")),
        "name": objects("NA", None, "a\tb\n", "中", "", "é"),
        "children": pd.array([-2147483647, None, 0, 2147483647, 3, 2], dtype="Int64"),
        "number": np.arange(1, 7, dtype="int64"),
        "income": [1 / 3, np.nan, np.nan, -np.inf, np.inf, -8.0],
        "code": [0.1 + 0.2, 1e22, 5e-324, 0.0, -1.0, 2.0],
        "works": pd.array([True, None, False, True, True, False], dtype="boolean"),
        "sure": [True, False, True, True, False, False],
        "born": moments(
            "2020-02-29", "NaT", "1900-01-01", "1969-12-31", "1970-01-01", "2000-01-01"
        ),
        "seen": moments(
            "1970-01-01",
            "1970-01-02",
            "NaT",
            "2020-09-13T12:26:40.25",
            "1969-12-31T23:59:58.5",
            "2001-09-09T01:46:40",
        ).dt.tz_localize("UTC"),
        'a name, with "marks"': [1.0, 2.0, 3.0, np.nan, 5.0, 6.0],
    }
)
SMALL = pd.DataFrame({"x": [1.5, np.nan], "y": pd.Categorical(["b", "a"], texts("a", "b"))})
ORIGINAL = pd.DataFrame(
    {
        "sex": pd.Categorical(["F", "M", "F", "M", "F", "F"], texts("F", "M")),
        "age": np.array([31, 62, 18, 45, 31, 77], dtype="int64"),
        "income": [800, -8, np.nan, 1250.5, -8, 300],
        "grade": ODS["grade"],
    }
)


def shifted(by: int) -> pd.DataFrame:
    return ORIGINAL.iloc[[(i + by) % 6 for i in range(6)]].reset_index(drop=True)


def expected_frame(reader: str, frame: pd.DataFrame = ODS) -> pd.DataFrame:
    """What pyreadr cannot know: that a factor is ordered."""
    if reader != "pyreadr":
        return frame
    return frame.assign(grade=frame["grade"].cat.as_unordered())


def assert_same(one: Any, other: Any) -> None:
    """Alike in type and value, all the way down."""
    assert type(one) is type(other)
    if isinstance(one, SynDS):
        assert (one.cont_na, one.meta) == (other.cont_na, other.meta)
        assert_same(one.syn, other.syn)
    elif isinstance(one, pd.DataFrame):
        pd.testing.assert_frame_equal(one, other)
    elif isinstance(one, pd.Series):
        pd.testing.assert_series_equal(one, other)
    elif isinstance(one, dict):
        assert list(one) == list(other)
        assert_same(list(one.values()), list(other.values()))
    elif isinstance(one, list):
        assert len(one) == len(other)
        for left, right in zip(one, other):
            assert_same(left, right)
    elif isinstance(one, pd.api.extensions.ExtensionArray):
        pd.testing.assert_series_equal(pd.Series(one), pd.Series(other))
    elif isinstance(one, np.ndarray):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)
    else:
        assert one == other


@pytest.mark.needs("base R")
def test_the_files_are_what_the_script_makes(tmp_path):
    script = FOLDER.parents[1] / "r_reference" / "make_r_files.R"
    subprocess.run(["Rscript", "--vanilla", script, tmp_path], check=True, capture_output=True)
    names = sorted(file.name for file in FOLDER.iterdir())
    assert sorted(file.name for file in tmp_path.iterdir()) == names
    code = f"""
    held <- function(file) if (grepl('rds$', file)) readRDS(file) else mget(load(file))
    for (name in setdiff(list.files(), c('function.rds', 'odd.RData', 'promise.RData')))
      if (!identical(held(name), held(file.path('{FOLDER.as_posix()}', name)))) stop(name)
    """
    in_r(code, tmp_path)


# ---- a data frame --------------------------------------------------------------------


@every_reader
@pytest.mark.parametrize("name", ["ods", "ods_xz", "ods_bzip2", "ods_plain", "ods_version2"])
def test_a_data_frame_with_every_type(name, reader):
    found = read_rds(FOLDER / f"{name}.rds", reader=reader, trusted=True)
    assert_same(found, expected_frame(reader))


@needs_rdata
def test_a_data_frame_in_the_format_of_text():
    assert_same(read_rds(FOLDER / "ods_ascii.rds"), ODS)


@every_reader
def test_workspaces_and_syntheses_of_data_frames(reader):
    how = {"reader": reader, "trusted": True}
    file = FOLDER / "frames.RData"
    assert_same(read_rdata(file, **how), {"ods": expected_frame(reader), "small": SMALL})
    assert_same(read_synds(FOLDER / "ods.rds", **how).syn, [expected_frame(reader)])
    assert_same(read_synds(file, name="small", **how).syn, [SMALL])
    with pytest.raises(InputError, match=r"name: frames.RData holds several .*choices: ods, small"):
        read_synds(file, **how)
    with pytest.raises(InputError, match="name: 'smal' is unknown; choices: 'ods', 'small'; did"):
        read_synds(file, name="smal", **how)


# ---- syntheses -----------------------------------------------------------------------


@needs_rdata
@pytest.mark.parametrize("m", [1, 5])
def test_a_synthesis(m):
    file = FOLDER / f"synds_m{m}.rds"
    synthesis = read_synds(file)
    expected = SynDS([shifted(by) for by in range(m)], {"income": -8}, {"n": 6, "k": 6})
    assert_same(synthesis, expected)
    assert_same(read_rds(file), expected)


@needs_rdata
def test_a_stratified_synthesis_has_the_special_values_of_its_first_stratum():
    synthesis = read_synds(FOLDER / "synds_strata.rds")
    assert synthesis.cont_na == {"income": (-8,)}
    pd.testing.assert_frame_equal(synthesis.syn[0], shifted(1))


@pytest.mark.needs("pyreadr")
@pytest.mark.parametrize("name", ["synds_m1.rds", "synds_m5.rds", "workspace.RData"])
def test_pyreadr_says_what_it_cannot_do(name):
    with pytest.raises(InputError, match="pyreadr reads only data frames; for anything else"):
        read_synds(FOLDER / name, reader="pyreadr", trusted=True)


# ---- workspaces ----------------------------------------------------------------------


@needs_rdata
@pytest.mark.parametrize("name", ["workspace.RData", "workspace_xz.rda"])
def test_a_workspace(name):
    found = read_rdata(FOLDER / name)
    settings = {
        "keys": objects("sex", "age").to_numpy(),
        "weights": pd.Series([0.5, np.nan], texts("sex", "age")),
        "empty": None,
        "levels": ODS["grade"].array,
        "dates": ODS["born"].to_numpy(),
        "counts": pd.Series([4, 2], texts("F", "M")),
        "grid": np.array([[1.0, 3.0, 5.0], [np.nan, 4.0, 6.0]]),
        "nested": [np.array([1.0]), [objects("a").to_numpy(), np.array([True])]],
        "frame": SMALL,
    }
    expected = {
        "s1": SynDS(shifted(0), {"income": -8}, {"n": 6, "k": 6}),
        "ods": ODS,
        "small": SMALL,
        "seeds": pd.array([2011, None, 7], dtype="Int64"),
        "settings": settings,
    }
    assert_same(found, expected)


@needs_rdata
def test_a_synthesis_in_a_workspace_is_chosen_by_name():
    file = FOLDER / "workspace.RData"
    assert_same(read_synds(file, name="s1").syn, [shifted(0)])
    with pytest.raises(InputError, match=r"choices: s1, ods, small$"):
        read_synds(file)
    with pytest.raises(InputError, match="holds no synds object, data frame or list of data"):
        read_synds(file, name="seeds")


@needs_rdata
def test_each_function_names_the_one_for_the_other_kind_of_file():
    with pytest.raises(InputError, match=r"by save\(\) and holds ods, small; read_rdata\(\)"):
        read_rds(FOLDER / "frames.RData")
    with pytest.raises(InputError, match=r"by saveRDS\(\); read_rds\(\) reads it"):
        read_rdata(FOLDER / "ods.rds")


LEFT_OUT = (
    "path: left out of odd.RData: objects without a counterpart here: a_function"
    " (function), a_formula (formula), an_environment (environment), lists (column 'parts': list;"
    " convert it in R), took (column 'time': difftime; convert it in R), parts[[1]] (call),"
    " parts[[3]][[2]] (function)"
)


@needs_rdata
def test_what_has_no_counterpart_is_left_out_with_a_warning_at_the_callers_line():
    with pytest.warns(UserWarning, match=r"left out of odd\.RData") as caught:
        found = read_rdata(FOLDER / "odd.RData")
    assert [str(w.message) for w in caught] == [LEFT_OUT]
    assert caught[0].filename == __file__
    whole = np.array([1, 2, 3], dtype="int64")
    assert_same(found, {"parts": [None, whole, [np.array([2.0]), None]], "small": SMALL})


@every_reader
@pytest.mark.parametrize("read", [read_rds, read_synds])
def test_a_file_that_holds_nothing_usable(read, reader):
    with pytest.raises(InputError, match=r"function\.rds"):
        read(FOLDER / "function.rds", reader=reader, trusted=True)


# ---- the readers agree, on files made on the spot ------------------------------------

WHOLE = np.array([1, 2, 3], dtype="int64")
EMPTY = pd.DataFrame({"x": np.zeros(0), "f": pd.Categorical([], texts("a", "b"))})
GONE = pd.Series(np.array(["NaT", "NaT"], dtype="datetime64[ns]"))
MISSING = pd.DataFrame({"l": pd.array([None, None], dtype="boolean"), "c": objects(None, None)})
MISSING = MISSING.assign(i=pd.array([None, None], dtype="Int64"))
MISSING = MISSING.assign(f=pd.Categorical([None, None], texts()), d=GONE)
WHOLE_DATES = pd.DataFrame({"d": moments("1969-12-31", "NaT", "2024-10-04")})
WHOLE_DATES["p"] = moments("1970-01-01", "1970-01-01T00:00:01", "NaT").dt.tz_localize("UTC")
# code in R, and what it must give
IN_R = {
    "missing": (
        """data.frame(l = c(NA, NA), c = c(NA_character_, NA), i = c(NA_integer_, NA),
        f = factor(c(NA, NA)), d = as.Date(c(NA, NA)), p = as.POSIXct(c(NA, NA)))""",
        MISSING.assign(p=GONE.dt.tz_localize("UTC")),
    ),
    "empty": (
        """data.frame(x = numeric(), f = factor(character(), c("a", "b")), c = character(),
        i = integer(), d = as.Date(character()))""",
        EMPTY.assign(c=objects(), i=WHOLE[:0], d=moments()),
    ),
    "rowless": (
        "data.frame(x = numeric(), f = factor(character(), c('a', 'b')), i = integer())",
        EMPTY.assign(i=WHOLE[:0]),
    ),
    "columnless": ("data.frame(x = 1:3)[0]", pd.DataFrame(index=pd.RangeIndex(3))),
    "far": (
        """data.frame(d = as.Date(c("0001-01-01", "3000-12-31", NA)))""",
        pd.DataFrame({"d": objects(date(1, 1, 1), date(3000, 12, 31), None)}),
    ),
    "whole_dates": (
        """data.frame(d = structure(c(-1L, NA, 20000L), class = "Date"),
        p = structure(c(0L, 1L, NA), class = c("POSIXct", "POSIXt")))""",
        WHOLE_DATES,
    ),
    "part_days": (
        "data.frame(d = structure(c(-0.5, 0.5, Inf, NaN), class = 'Date'))",
        pd.DataFrame({"d": moments("1969-12-31", "1970-01-01", "NaT", "NaT")}),
    ),
    "tibble": (
        """structure(data.frame(x = 1:3), class = c("tbl_df", "tbl", "data.frame"))""",
        pd.DataFrame({"x": WHOLE}),
    ),
    "sorted": (
        "data.frame(i = sort(c(3L, 1L, 2L)), n = as.character(1:3), s = 3:1)",
        pd.DataFrame({"i": WHOLE, "n": objects("1", "2", "3"), "s": WHOLE[::-1]}),
    ),
    "latin": (
        """data.frame(t = { t <- "\\xe9\\x80"; Encoding(t) <- "latin1"; t })""",
        pd.DataFrame({"t": objects("é€")}),
    ),
    "frames": (
        "list(a = data.frame(x = 1), b = data.frame(x = 2))",
        {"a": pd.DataFrame({"x": [1.0]}), "b": pd.DataFrame({"x": [2.0]})},
    ),
    "class": ("structure(list(a = 1, b = quote(f(x))), class = 'mine')", {"a": np.array([1.0])}),
    "twice": ("list(a = 1, a = 2)", [np.array([1.0]), np.array([2.0])]),
    "array": (
        "array(c(TRUE, NA, FALSE, TRUE), c(1, 2, 2))",
        np.array([[[True, False], [None, True]]], dtype=object),
    ),
    "words": (
        "matrix(c('a', NA, 'c', 'd'), 2, dimnames = list(NULL, c('x', 'y')))",
        np.array([["a", "c"], [None, "d"]], dtype=object),
    ),
    "times": (
        "c(start = as.POSIXct(0, origin = '1970-01-01'))",
        pd.Series(moments("1970-01-01").dt.tz_localize("UTC").array, texts("start")),
    ),
    "none": ("NULL", None),
    "nothing": ("list()", {}),
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The objects above as files of R."""
    folder = tmp_path_factory.mktemp("made")
    in_r("; ".join(f"saveRDS({code}, '{name}.rds')" for name, (code, _) in IN_R.items()), folder)
    return folder


@pytest.mark.needs("base R", "rdata")
@pytest.mark.filterwarnings("ignore:path. left out")
@pytest.mark.parametrize("name", IN_R)
def test_objects_made_in_r(name, made):
    assert_same(read_rds(made / f"{name}.rds"), IN_R[name][1])


@pytest.mark.needs("base R", "pyreadr")
@pytest.mark.parametrize("name", ["rowless", "far", "tibble", "sorted"])
def test_pyreadr_gives_what_rdata_gives(name, made):
    file = made / f"{name}.rds"
    assert_same(read_rds(file, reader="pyreadr", trusted=True), read_rds(file))


@pytest.mark.needs("base R", "pyreadr")
def test_what_pyreadr_would_get_wrong_is_refused(made):
    cases = {
        "whole_dates": "column 'd': dates kept as whole numbers, which pyreadr misreads",
        "array": "pyreadr reads only data frames",
        "words": "pyreadr reads only data frames",
        "frames": r"frames\.rds holds nothing to read; pyreadr reads only data frames",
    }
    for name, says in cases.items():
        with pytest.raises(InputError, match=says):
            read_rds(made / f"{name}.rds", reader="pyreadr", trusted=True)


@pytest.mark.needs("base R", "rdata", "pyreadr")
def test_two_columns_of_one_name_are_refused_by_all(tmp_path):
    code = "x <- data.frame(a = 1:2, b = 3:4); names(x) <- c('a', 'a'); saveRDS(x, 'x.rds')"
    in_r(code, tmp_path)
    for reader in ("rdata", "pyreadr"):
        with pytest.raises(InputError, match="two columns are called 'a'; rename one in R"):
            read_rds(tmp_path / "x.rds", reader=reader, trusted=True)


@pytest.mark.needs("base R", "rdata")
def test_a_synthesis_without_sets(tmp_path):
    in_r("saveRDS(structure(list(syn = list(), m = 0), class = 'synds'), 'x.rds')", tmp_path)
    for read in (read_rds, read_synds):
        with pytest.raises(InputError, match=r"without synthetic data \(m = 0\)"):
            read(tmp_path / "x.rds")


@pytest.mark.needs("base R", "rdata")
def test_a_workspace_with_the_ending_of_a_single_object_and_the_reverse(tmp_path):
    in_r("x <- 1:2; save(x, file = 'a.rds'); saveRDS(x, 'b.RData')", tmp_path)
    assert list(read_rdata(tmp_path / "a.rds")) == ["x"]
    assert read_rds(tmp_path / "b.RData").tolist() == [1, 2]


@pytest.mark.needs("base R", "rdata")
def test_files_that_hold_no_synthesis(tmp_path):
    cases = {
        "x <- 3": "x.rda holds no synds object, data frame or list of data frames: x",
        "x <- list(1, y = 2)": "x.rda holds no synds object",
        "x <- function() 1": r"x \(function\)",
        "x <- y <- data.frame(a = 1)": "several.*choices: x, y",
        "x <- data.frame(a = 1); x$b <- list(1)": "column 'b': list; convert it in R",
        "x <- data.frame(a = as.difftime(1, units = 'secs'))": "column 'a': difftime",
        "x <- data.frame(a = 1); x$a <- structure(1, class = 'integer64')": "column 'a': integer64",
        "x <- data.frame(a = 1); x$m <- matrix(1, 1)": "column 'm': matrix",
        "x <- data.frame(a = 1); x$m <- x": "column 'm': matrix",
        "x <- list(data.frame(a = 1), data.frame(b = 1))": "element 2 has the columns",
        "x <- list(data.frame(a = 1), quote(f(x)))": r"x\[\[2\]\] \(call\)",
        "x <- structure(list(syn = list(1), m = 1), class = 'synds')": "sets are not data frames",
    }
    saved = [
        f"local({{{code}; save(list = ls(), file = '{n}.rda')}})" for n, code in enumerate(cases)
    ]
    in_r("; ".join(saved), tmp_path)
    for number, says in enumerate(cases.values()):
        file = tmp_path / f"{number}.rda"
        with pytest.raises(InputError, match=says.replace("x.rda", file.name)):
            read_synds(file)


# ---- damaged files -------------------------------------------------------------------


def reads_or_refuses(file: Path, reader: str) -> bool:
    """Whether the file is refused; anything but an InputError is a failure of the test."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            read_rds(file, reader=reader, trusted=True)
        except InputError:
            return True
    return False


@pytest.mark.parametrize("reader", [RDATA, PYREADR])
@pytest.mark.parametrize("name", ["ods.rds", "ods_plain.rds", "ods_ascii.rds", "synds_m5.rds"])
def test_a_file_that_ends_too_early_is_refused(name, reader, tmp_path):
    content = (FOLDER / name).read_bytes()
    file = tmp_path / name
    # not the last bytes: they may be no more than a checksum
    for length in {0, 1, 2, 5, 14, 30, *range(40, len(content) - 16, 37)}:
        file.write_bytes(content[:length])
        assert reads_or_refuses(file, reader), length


@pytest.mark.needs("rdata")
@pytest.mark.parametrize("name", ["ods_plain.rds", "ods_ascii.rds"])
def test_damaged_bytes_never_raise_anything_else(name, tmp_path):
    content = (FOLDER / name).read_bytes()
    rng = np.random.default_rng(2011)
    file = tmp_path / name
    refused = 0
    for _ in range(300):
        damaged = bytearray(content)
        for place in rng.integers(14, len(content), rng.integers(1, 4)):
            damaged[place] = rng.integers(0, 256)
        file.write_bytes(damaged)
        refused += reads_or_refuses(file, "rdata")
    assert refused > 50


@pytest.mark.needs("base R", "rdata")
def test_a_plain_vector_cut_short_is_not_taken_for_a_shorter_one(tmp_path):
    """The parser of rdata would not notice."""
    in_r("saveRDS(c(1, 2, 3), 'x.rds', compress = FALSE)", tmp_path)
    file = tmp_path / "x.rds"
    assert read_rds(file).tolist() == [1, 2, 3]
    file.write_bytes(file.read_bytes()[:-8])
    with pytest.raises(InputError, match=r"rdata cannot read x.rds: it ends too early"):
        read_rds(file)


@every_reader
@pytest.mark.parametrize(
    "content", [b"", b"nothing of R", b"\x1f\x8b", b"RDX3\n", b"X\n\0\0\0\3", b"PK\3\4" * 9]
)
def test_what_is_no_file_of_r(content, reader, tmp_path):
    file = tmp_path / "x.rds"
    file.write_bytes(content)
    with pytest.raises(InputError, match=r"cannot read x\.rds"):
        read_rds(file, reader=reader, trusted=True)


def test_columns_that_make_no_sense():
    cases = {
        "values beyond its levels": [("factor", [1, 3], ["a", "b"]), ("factor", [0, 1], ["a"])],
        "the same level twice": [("factor", [1, 2], ["a", "a"])],
        "outside the years 1 to 9999": [("Date", [0, 1e7], [])],
        "outside the years 1678 to 2261": [("POSIXct", [0, 1e12], [])],
    }
    for says, columns in cases.items():
        for kind, numbers, levels in columns:
            with pytest.raises(NoCounterpart, match=says):
                array_of(kind, np.array(numbers, dtype=float), levels)


@pytest.mark.needs("base R", "rdata")
def test_a_column_of_another_length_is_refused(tmp_path):
    code = "x <- list(x = 1:3); attributes(x) <- list(names = 'x', row.names = 1:2,"
    in_r(f"{code} class = 'data.frame'); saveRDS(x, 'x.rds')", tmp_path)
    with pytest.raises(InputError, match="column 'x' has 3 values for 2 rows"):
        read_rds(tmp_path / "x.rds")


# ---- which reader --------------------------------------------------------------------


def test_without_anything_installed_the_error_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setattr("synthpop_py.tables.protocol.is_installed", lambda package: False)
    for package in ("rdata", "pyreadr"):
        for read in (read_rds, read_synds):
            says = rf"need {package}, .*pip install 'synthpop-disclosure\[{package}\]'"
            with pytest.raises(SynthpopError, match=says):
                read(FOLDER / "ods.rds", reader=package, trusted=True)
    with pytest.raises(SynthpopError, match=r"pip install 'synthpop-disclosure\[rdata\]'"):
        write_synds(SMALL, tmp_path / "b.rds")


def test_arguments_that_cannot_be_used():
    with pytest.raises(InputError, match=r"path: 'nowhere.rds' is not a file"):
        read_rds("nowhere.rds")
    for read in (read_rds, read_rdata, read_synds):
        with pytest.raises(InputError, match="reader: 'excel' is unknown; choices: 'rdata', 'py"):
            read(FOLDER / "ods.rds", reader="excel", trusted=True)


@needs_rdata
def test_what_cannot_be_written(tmp_path):
    durations = pd.DataFrame({"d": pd.to_timedelta([1, 2], unit="s")})
    (tmp_path / "folder.rds").mkdir()
    cases = [
        (pd.DataFrame([[1, 2]], columns=[7, "7"]), "a.rds", "two columns would both be called '7'"),
        (SMALL, "a.csv", "path: .* ends in '.csv'; choices: .rds, .rda, .RData"),
        (SMALL, "no/a.rds", "path: the folder of .* does not exist"),
        (SMALL, "folder.rds", r"path: .*folder\.rds' cannot be written"),
        (SynDS(SMALL, {"x": "none"}), "a.rds", "value 'none' of column 'x' .* not a number"),
        (durations, "a.rds", "column 'd': durations have no counterpart"),
    ]
    for synds, name, says in cases:
        with pytest.raises(InputError, match=says):
            write_synds(synds, tmp_path / name)


def test_importing_the_readers_imports_none_of_their_packages():
    code = "import sys, synthpop_py.r_files; assert not {'rdata', 'pyreadr'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], cwd=FOLDER.parents[1], check=True)


# ---- writing -------------------------------------------------------------------------


@pytest.mark.needs("rdata")
@pytest.mark.parametrize("ending", [".rds", ".rda", ".RData"])
def test_what_is_written_comes_back(ending, tmp_path):
    frame, file = ODS, tmp_path / f"x{ending}"
    write_synds(SynDS([frame, frame.iloc[::-1]], {"income": (-8, 0.5)}), file)
    back = read_synds(file)
    pd.testing.assert_frame_equal(back.syn[0], frame)
    pd.testing.assert_frame_equal(back.syn[1], frame.iloc[::-1].reset_index(drop=True))
    assert back.cont_na == {"income": (-8, 0.5)}
    assert back.meta == {"n": 6, "k": 6}


@pytest.mark.needs("rdata", "base R")
@pytest.mark.parametrize("m", [1, 2])
def test_r_finds_a_synthesis_identical_to_its_own(m, tmp_path):
    """R's own judgement, which allows no tolerance and tells NA from NaN."""
    frame = SMALL.assign(large=[2**31, 1])
    synthesis = SynDS([frame, frame[::-1]][:m], {"x": -8}, {"n": 9, "k": 6})
    write_synds(synthesis, tmp_path / "x.rds")
    code = """
    one <- data.frame(x = c(1.5, NA), y = factor(c('b', 'a')), large = c(2^31, 1))
    other <- data.frame(x = c(NA, 1.5), y = factor(c('a', 'b')), large = c(1, 2^31))
    found <- readRDS('x.rds')
    own <- list(syn = if (found$m == 1) one else list(one, other), m = found$m,
      cont.na = list(x = -8, y = NA, large = NA), n = 9L, k = 6L)
    stopifnot(identical(found, structure(own, class = 'synds')), is.double(found$m))
    """
    in_r(code, tmp_path)


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


@pytest.mark.needs("rdata", "base R")
def test_r_finds_its_own_frames_identical_after_the_round_trip(tmp_path):
    in_r(f"{ODD_FRAME}saveRDS(list(odd, odd[4:1, ]), 'x.rds')", tmp_path)
    write_synds(read_synds(tmp_path / "x.rds"), tmp_path / "back.rds")
    code = """
    back <- readRDS('back.rds')$syn; odd <- readRDS('x.rds')
    row.names(odd[[2]]) <- NULL
    stopifnot(identical(back, odd))
    """
    in_r(code, tmp_path)


@pytest.mark.needs("rdata", "base R")
def test_r_finds_levels_order_gaps_and_dates_in_what_rdata_wrote(tmp_path):
    write_synds(ODS, tmp_path / "x.rds")
    (tmp_path / "ods.rds").write_bytes((FOLDER / "ods.rds").read_bytes())
    code = """
    x <- readRDS('x.rds')$syn; ods <- readRDS('ods.rds')
    ods$answer <- factor(ods$answer, exclude = NA)  # pandas has no NA level
    ods$income[is.nan(ods$income)] <- NA            # nor NaN beside NA
    same <- mapply(identical, x, ods)
    if (!all(same)) stop(paste(names(x)[!same], collapse = ', '))
    stopifnot(identical(x, ods), is.ordered(x$grade), inherits(x$born, 'Date'))
    """
    in_r(code, tmp_path)


@pytest.mark.needs("rdata", "base R")
def test_a_workspace_written_by_rdata_is_loaded_by_r(tmp_path):
    write_synds(SMALL, tmp_path / "x.RData")
    in_r("stopifnot(load('x.RData') == 'synds', synds$syn$x[1] == 1.5, synds$m == 1)", tmp_path)


@needs_rdata
def test_frames_without_rows_or_values(tmp_path):
    empty = EMPTY.assign(c=objects())
    write_synds(empty, tmp_path / "x.rds")
    pd.testing.assert_frame_equal(read_synds(tmp_path / "x.rds").syn[0], empty)


@pytest.mark.needs("rdata")
def test_a_recorded_synthesis_goes_through_rdata_unchanged(tmp_path):
    for name in ("SD2011_s1", "SD2011_s5"):
        recorded = datasets.load_synthesis(name)
        write_synds(recorded, tmp_path / "x.rds")
        back = read_synds(tmp_path / "x.rds")
        assert back.cont_na == recorded.cont_na
        assert_same(back.syn, recorded.syn)


# ---- examples ------------------------------------------------------------------------


@pytest.mark.needs("rdata")
@pytest.mark.parametrize("function", [read_rds, read_rdata, read_synds, write_synds])
def test_the_examples_do_what_they_say_on_the_fixtures(function, tmp_path, monkeypatch):
    """They are skipped elsewhere, because not every machine has a reader."""
    for file in FOLDER.iterdir():
        os.symlink(file, tmp_path / file.name)
    monkeypatch.chdir(tmp_path)
    text = function.__doc__.replace("# doctest: +SKIP", "")
    example = doctest.DocTestParser().get_doctest(text, {}, function.__name__, None, None)
    assert doctest.DocTestRunner().run(example).failed == 0


@pytest.mark.needs("rdata")
def test_a_synthesis_in_the_place_of_a_data_frame_names_its_reader(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    people = pd.DataFrame({"sex": ["f", "m"], "job": ["x", "y"]})
    write_synds(SynDS([people]), "s1.rds")
    with pytest.raises(InputError, match=r"it holds a synthesis: read_synds\('s1.rds'\)"):
        disclosure("s1.rds", people, "sex", "job")
