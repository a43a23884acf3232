from __future__ import annotations

import gzip
import hashlib
import json
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from synthpop_py import datasets
from synthpop_py.errors import InputError, SynthpopError
from synthpop_py.synds import SynDS

DATA = Path(__file__).resolve().parents[2] / "fixtures" / "data"
NINE = ["sex", "age", "region", "placesize", "depress", "income", "ls", "marital", "workab"]
ORIGINALS = ["Adult", "SD2011", "SD2011_grouped", "syc"]
RELEASES = ["ctree", "dp_eps1", "dp_eps10", "parametric", "s1", "s5", "sample"]
SYNTHESES = ["Adult_boot", "Adult_cart", *(f"SD2011_{name}" for name in RELEASES)]
loaded = lru_cache(datasets.load)


def levels(column: pd.Series) -> list[str]:
    return list(column.cat.categories)


# ---- files ---------------------------------------------------------------------------


def test_names():
    assert datasets.names("data") == ORIGINALS and datasets.names("synthesis") == SYNTHESES
    assert sorted(datasets.names()) == sorted(ORIGINALS + SYNTHESES)


@pytest.mark.parametrize("name", datasets.names())
def test_files_match_the_manifest(name):
    for file_name, stamp in datasets.info(name)["files"].items():
        content = (DATA / file_name).read_bytes()
        assert hashlib.sha256(content).hexdigest() == stamp["sha256"], file_name
        assert len(content) == stamp["bytes"], file_name
        if file_name.endswith(".gz"):
            assert content[3] == 0 and content[4:8] == bytes(4), "no optional fields, no time"


def test_manifest_lists_every_file():
    listed = {file_name for name in datasets.names() for file_name in datasets.info(name)["files"]}
    assert {path.name for path in DATA.iterdir()} == listed | {"manifest.json", "README.md"}


@pytest.mark.parametrize("name", ORIGINALS)
def test_shape_matches_the_manifest(name):
    entry = datasets.info(name)
    assert loaded(name).shape == (entry["rows"], entry["columns"])
    assert entry["source"] and entry["version"] and entry["licence"]


@pytest.mark.parametrize("name", SYNTHESES)
def test_synthesis_matches_its_original(name):
    entry = datasets.info(name)
    synthesis, original = datasets.load_synthesis(name), loaded(entry["original"])
    assert isinstance(synthesis, SynDS) and synthesis.m == entry["m"] and synthesis.meta == entry
    assert entry["call"] and entry["seed"] == 8564 and {"R", "synthpop"} <= entry["versions"].keys()
    columns = NINE if entry["original"] == "SD2011" else list(original)
    for frame in synthesis.syn:
        assert len(frame) == len(original) and list(frame) == columns
        for column in frame.select_dtypes("category"):
            assert frame[column].dtype == original[column].dtype, column
            assert levels(frame[column]) == levels(original[column]), column


# ---- by hand -------------------------------------------------------------------------


def test_sd2011_by_hand():
    sd2011 = loaded("SD2011")
    assert sd2011.shape == (5000, 35) and levels(sd2011["sex"]) == ["MALE", "FEMALE"]
    assert levels(sd2011["placesize"])[0] == "URBAN 500,000 AND OVER"
    assert levels(sd2011["ls"])[:2] == ["DELIGHTED", "PLEASED"]
    assert not sd2011["edu"].cat.ordered
    assert sd2011["age"].dtype == "float64" and sd2011["wkabdur"].dtype == object
    assert sd2011.loc[0, "bmi"] == 89 / 1.7**2
    assert list(sd2011["income"].head(2)) == [800.0, 350.0] and np.isnan(sd2011.loc[2, "income"])
    assert sd2011["income"].isna().sum() == 683 and (sd2011["income"] == -8).sum() == 603


def test_adult_by_hand():
    adult = loaded("Adult")
    assert adult.shape == (48842, 15)
    assert list(adult.columns[[4, 13]]) == ["education.num", "native.country"]
    assert adult["income"].cat.ordered and levels(adult["income"]) == ["small", "large"]
    assert adult["education"].cat.ordered
    assert levels(adult["education"])[:2] == ["Preschool", "1st-4th"]
    assert not adult["workclass"].cat.ordered
    assert adult["age"].dtype == "int64" and list(adult["age"].head(3)) == [39, 50, 38]
    assert adult["income"].isna().sum() == 16281
    drawn = datasets.load_synthesis("Adult_boot").syn[0]  # rows of Adult
    row_hash = pd.util.hash_pandas_object
    assert set(row_hash(drawn, index=False)) < set(row_hash(adult, index=False))


def test_syc_by_hand():
    syc = loaded("syc")
    assert syc.shape == (2621, 28) and levels(syc["race"]) == ["1", "2", "3", "4", "5"]
    assert levels(syc["crimtype"]) == ["violent", "property", "drug", "publicorder", "juvenile"]
    assert syc["psu"].dtype == "int64"
    assert syc["numarr"].dtype == "Int64" and syc["numarr"].isna().any()


def test_grouped_levels_are_in_numeric_order():
    grouped = loaded("SD2011_grouped")
    classes = "-8 [100,860) [860,1200) [1200,1500) [1500,2000) [2000,16000]"
    assert list(grouped.columns) == NINE and " ".join(levels(grouped["income"])) == classes
    assert (grouped["income"] == "-8").sum() == 603 and grouped["income"].isna().sum() == 683


def test_s1_and_s5():
    s1, s5 = datasets.load_synthesis("SD2011_s1"), datasets.load_synthesis("SD2011_s5")
    assert (s1.m, s1.cont_na) == (1, {"income": (-8,)})
    assert (s5.m, s5.cont_na) == (5, {}) and not s5.syn[0].equals(s5.syn[1])


def test_repeated_loads_are_independent():
    again = datasets.load("syc")
    again.loc[0, "age"] = 99
    assert datasets.load("syc").loc[0, "age"] == 14
    datasets.info("syc")["rows"] = 0
    assert datasets.info("syc")["rows"] == 2621


@pytest.mark.parametrize(
    "call, name, message",
    [
        (datasets.load, "sd2001", "choices: 'Adult', 'SD2011', .*; did you mean 'SD2011'"),
        (datasets.load, "iris", "name: 'iris' is unknown; choices: 'Adult', 'SD2011'"),
        (datasets.load, ["SD2011"], r"name: \['SD2011'\] is unknown; choices: 'Adult'"),
        (
            datasets.load_synthesis,
            "SD2011_S1x",
            "choices: 'Adult_boot', .*did you mean 'SD2011_s1'",
        ),
        (datasets.names, "sets", "kind: 'sets' is unknown; choices: 'all', 'data', 'synthesis'"),
    ],
)
def test_unknown_names(call, name, message):
    with pytest.raises(InputError, match=message):
        call(name)


# ---- every type ----------------------------------------------------------------------

TYPES = {"f": "ordered", "c": "character", "l": "logical", "k": "logical", "i": "integer"}
TYPES |= {"d": "double", "t": "Date"}
TEXT = (
    "f,c,l,k,i,d,t\n"
    'a,"q""\r\n,",TRUE,TRUE,1,Inf,2011-02-28\n'
    "\\N,\\N,\\N,FALSE,\\N,\\N,\\N\n"
    "b,\\\\N,FALSE,TRUE,-2,1e-300,1969-12-31\n"
)


def small_set(folder: Path, rows: int) -> pd.DataFrame:
    columns = [{"name": name, "type": kind, "levels": ["b", "a"]} for name, kind in TYPES.items()]
    sidecar = {"name": "small", "rows": rows, "columns": columns}
    (folder / "manifest.json").write_text('{"small": {"kind": "data"}}', encoding="utf-8")
    (folder / "small.json").write_text(json.dumps(sidecar), encoding="utf-8")
    (folder / "small.csv.gz").write_bytes(gzip.compress(TEXT.encode("utf-8")))
    return datasets.load("small")


def test_every_type_and_missing_value(tmp_path, monkeypatch):
    monkeypatch.setattr(datasets, "_folder", lambda: tmp_path)
    frame = small_set(tmp_path, 3)
    assert levels(frame["f"]) == ["b", "a"] and frame["f"].cat.ordered
    assert list(frame["f"].cat.codes) == [1, -1, 0]
    assert list(frame["c"]) == ['q"\r\n,', None, "\\N"] and frame["c"].dtype == object
    assert [str(frame[name].dtype) for name in "lkid"] == ["boolean", "bool", "Int64", "float64"]
    assert frame["l"].isna().tolist() == frame["i"].isna().tolist() == [False, True, False]
    assert frame["d"].iloc[[0, 2]].tolist() == [np.inf, 1e-300] and np.isnan(frame["d"].iloc[1])
    assert frame["t"].dtype == "datetime64[ns]" and frame["t"].iloc[2] == pd.Timestamp("1969-12-31")
    with pytest.raises(SynthpopError, match=r"small.csv.gz does not match its sidecar small.json"):
        small_set(tmp_path, 2)
