"""Every public function that takes data gives with polars and Arrow what it gives with pandas, and
gives data back of the kind it got. A new function needs an entry here.
"""

from __future__ import annotations

import gzip
import inspect
import warnings
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import pytest

import synthpop_py as sp
from synthpop_py import InputError, Runs, SynDS
from synthpop_py.estimation import Means
from synthpop_py.show.views import Shown
from synthpop_py.synthesis import Multinomial
from synthpop_py.tables.engine import EngineTable
from synthpop_py.tables.frames import give_back, in_arrow_types, in_pandas
from synthpop_py.tables.opening import check_frame

pytestmark = pytest.mark.needs("polars", "pyarrow", "narwhals")

N = 60
RNG = np.random.default_rng(14)
TOWNS = ["C", "A", "B", "none lives here"]  # in no order of words, and one that does not occur
PEOPLE = pd.DataFrame(
    {
        "sex": pd.Categorical(RNG.choice(["m", "f"], N), ["m", "f"]),
        "town": pd.Categorical(RNG.choice(TOWNS[:3], N), TOWNS),
        "age": RNG.integers(20, 70, N),
        "income": np.where(RNG.random(N) < 0.1, np.nan, RNG.integers(8, 40, N) * 100.0),
        "children": pd.array(RNG.integers(0, 4, N), dtype="Int64"),
        "member": RNG.random(N) < 0.5,
        "job": RNG.choice(["x", "y", "z"], N),
        "since": pd.Timestamp("2020-01-01") + pd.to_timedelta(RNG.integers(0, 9, N), "D"),
    }
)
PEOPLE.loc[3, "children"] = pd.NA
ORDER = RNG.permutation(N)
FAKE = PEOPLE.assign(
    town=PEOPLE["town"].iloc[ORDER].array,
    income=PEOPLE["income"].iloc[ORDER].array,
    age=PEOPLE["age"] + 1,
)

Make = Callable[[pd.DataFrame], Any]


def in_pandas_already(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.copy()


def in_polars(frame: pd.DataFrame) -> Any:
    import polars

    columns = {}
    for name, column in frame.items():
        values = [None if pd.isna(value) else value for value in column]
        kind = None
        if isinstance(column.dtype, pd.CategoricalDtype):
            kind = polars.Enum(list(column.cat.categories))
        if pd.api.types.is_datetime64_any_dtype(column.dtype):
            values, kind = [value.date() for value in values], polars.Date
        columns[name] = polars.Series(name, values, dtype=kind)
    return polars.DataFrame(columns)


def in_arrow(frame: pd.DataFrame) -> Any:
    import pyarrow as pa

    table = pa.Table.from_pandas(frame, preserve_index=False)
    if "since" not in frame:
        return table
    at = table.column_names.index("since")
    return table.set_column(at, "since", table.column(at).cast(pa.date32()))


def in_narwhals(frame: pd.DataFrame) -> Any:
    import narwhals.stable.v2 as nw

    return nw.from_native(frame.copy())


KINDS: dict[str, Make] = {"polars": in_polars, "arrow": in_arrow, "narwhals": in_narwhals}


# ---- the calls -----------------------------------------------------------------------


SEED = {"seed": 1, "reproducible": True}
QUIET = {"print_flag": False}
COLUMNS = ["sex", "town", "age", "income", "job"]
NUMBERS = ["age", "income"]
MODEL = [Multinomial("town", ["sex"])]
KEYS = ["sex", "town"]
MAP = {
    "risk": ["DiSCO", "repU", "DiSCO_any", "expected_match_rate"],
    "utility": ["tvd", "S_pMSE", "ci_overlap"],
    "variables": ["sex", "town", "age", "income"],
    "estimands": Means("age"),
}
ATTACK = {"known": ["sex", "since"], "synthesised": ["town", "age"], "intervals": {"age": 2}}
RELEASE = {"prefix": "syn.", "label": "not people", "rm_replicated_uniques": True}
RECODED = {"recode_vars": "age", "bottom_top_coding": (None, 60), "compat": "corrected"}
ENDS = pd.DataFrame({"low": [1.0, 2], "high": [2.0, 3]})
CENSUS = PEOPLE[["sex", "since", "town", "age"]]
DESIGN = {"known": "sex", "synthesised": "town", "designs": (2, 3)}

# with what makes a frame of some kind, and the released and original data of that kind
CALLS: dict[str, Callable[[Make, Any, Any], Any]] = {
    "SynDS": lambda of, s, o: SynDS([s, o], cont_na={"income": -8}),
    "Runs": lambda of, s, o: sp.ru_map({"a": Runs([s, o])}, o, keys=KEYS),
    "disclosure": lambda of, s, o: sp.disclosure(s, o, KEYS, "job", **QUIET),
    "multi_disclosure": lambda of, s, o: sp.multi_disclosure(
        SynDS(s), o, KEYS, ["job", "since"], **QUIET
    ),
    "disclosure_summary": lambda of, s, o: sp.disclosure_summary(s, o, KEYS, ["job"], **QUIET),
    "membership": lambda of, s, o: sp.membership(s, o, of(PEOPLE.head(6)), seed=1),
    "key_risk": lambda of, s, o: sp.key_risk(s, o, KEYS, "job", **QUIET),
    "replicated_uniques": lambda of, s, o: sp.replicated_uniques([s, o], o, KEYS),
    "table_utility": lambda of, s, o: sp.table_utility(s, o),
    "propensity_utility": lambda of, s, o: sp.propensity_utility(s, o),
    "estimand_overlap": lambda of, s, o: sp.estimand_overlap(
        SynDS([s, o]), o, Means("age", by="sex")
    ),
    "ru_map": lambda of, s, o: sp.ru_map(
        {"swapped": s, "twice": [s, o]}, o, keys=KEYS, target="job", **MAP
    ),
    "identification_risk": lambda of, s, o: sp.identification_risk(
        [s, o], o, by="job", population=of(CENSUS), **ATTACK
    ),
    "risk_utility_by_m": lambda of, s, o: (
        sp.risk_utility_by_m([s, o, of(FAKE)], o, Means("age"), **DESIGN).table
    ),
    "combine": lambda of, s, o: sp.combine(of(PEOPLE[["age"]]), of(FAKE[["age"]])),
    "ci_overlap": lambda of, s, o: sp.ci_overlap(of(ENDS), [(0, 4), (0, 1)]).each.tolist(),
    "ifpr": lambda of, s, o: sp.ifpr(o, ["sex", "age", "since"], theta=0.5, **SEED),
    "add_noise": lambda of, s, o: sp.add_noise(o, [*NUMBERS, "children"], sd=3, **SEED),
    "swap": lambda of, s, o: sp.swap(o, ["sex", "age"], "town", rate=1, **SEED),
    "swap_candidates": lambda of, s, o: sp.masks.swap_candidates(o, ["sex", "age"], "town"),
    "matrix_mask": lambda of, s, o: sp.matrix_mask(o, C=1, columns=NUMBERS),
    "syn": lambda of, s, o: sp.syn(of(PEOPLE[COLUMNS]), m=2, **SEED, **QUIET),
    "partial_synthesis": lambda of, s, o: sp.partial_synthesis(o, MODEL, m=2, **SEED),
    "fit_models": lambda of, s, o: sp.synthesis.fit_models(o, MODEL),
    "sdc": lambda of, s, o: sp.sdc([s, o], o, ["sex", "age"], **RELEASE, **RECODED, **QUIET),
    "numtocat_syn": lambda of, s, o: sp.numtocat_syn(o, compat="corrected", **QUIET),
    "mergelevels_syn": lambda of, s, o: sp.mergelevels_syn(o, minsize=22, compat="corrected"),
    "synorig_compare": lambda of, s, o: sp.synorig_compare(of(FAKE.assign(age=1)), o, **QUIET),
}
# the data in an answer: the answer itself, or what it holds
ITSELF = ("add_noise", "swap", "swap_candidates", "matrix_mask", "mergelevels_syn")
HELD: dict[str, Callable[[Any], list[Any]]] = {
    **dict.fromkeys(ITSELF, lambda answer: [answer]),
    **dict.fromkeys(("SynDS", "syn", "partial_synthesis", "sdc"), lambda answer: answer.syn),
    "ifpr": lambda release: [release.data, release.original],
    "numtocat_syn": lambda grouped: [grouped.data, grouped.orig],
    "synorig_compare": lambda compared: [compared.syn, compared.orig],
}
OWN_TEST = {"write_synds", "report"}  # below
# functions that take no data, but files, parameters, or what other functions gave
WITHOUT_DATA = {
    *("ifpr_found", "ifpr_matrix", "ifpr_risk", "ifpr_theta", "ifpr_variance", "ifpr_xi"),
    *("r_defects", "read_rdata", "read_rds", "read_synds"),
    *("combine_two_stage", "swap_matrix", "generated_establishments"),
    *("info", "load", "load_synthesis", "names", "open_table"),
    *("noise_ru", "optimal_noise", "optimal_samples", "optimal_swap_rate", "original_ru"),
    *("printed_threshold", "ru_curve", "swapping_ru", "synthetic_ru"),
}


def public_functions() -> set[str]:
    """Functions of the package and of its public modules, and the classes that hold data."""
    found = {"SynDS", "Runs"}
    for name in sp.__all__:
        thing = getattr(sp, name)
        if isinstance(thing, ModuleType):
            members = [(inner, getattr(thing, inner)) for inner in thing.__all__]
        else:
            members = [(name, thing)]
        found |= {inner for inner, value in members if inspect.isfunction(value)}
    return found


def test_every_public_function_has_an_entry():
    known = {*CALLS, *OWN_TEST, *WITHOUT_DATA}
    assert public_functions() - known == set()
    assert known - public_functions() <= {"open_table"}


# ---- the same answer, and data of the same kind --------------------------------------


def values_of(frame: Any) -> dict[str, list[Any]]:
    """A frame of any kind as Python's values; missing ones are None."""
    plain = check_frame(frame, "frame")
    columns = {}
    for name, column in plain.items():
        columns[name] = [None if pd.isna(value) else value for value in column]
    return columns


def told(answer: Any) -> Any:
    """What a result says, or holds."""
    if isinstance(answer, Shown):
        return answer.to_dict(), repr(answer), answer.summary()
    if isinstance(answer, pd.DataFrame):
        return answer.to_dict()
    return answer


def answer_of(name: str, make: Make) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.RDefectWarning)
        return CALLS[name](make, make(FAKE), make(PEOPLE))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", CALLS)
def test_other_frames_give_what_pandas_gives(name, kind):
    expected = answer_of(name, in_pandas_already)
    given: list[tuple[Any, pd.DataFrame]] = []

    def remembered(frame: pd.DataFrame) -> Any:
        given.append((KINDS[kind](frame), frame))
        return given[-1][0]

    answer = answer_of(name, remembered)
    found, wanted = (HELD[name](one) if name in HELD else [] for one in (answer, expected))
    assert {type(frame) for frame in found} <= {type(given[0][0])}
    assert list(map(values_of, found)) == list(map(values_of, wanted))
    if name not in ITSELF:
        assert told(answer) == told(expected)
    for made, frame in given:  # nothing was changed
        assert values_of(made) == values_of(frame)


@pytest.mark.needs("rdata")
@pytest.mark.parametrize("kind", KINDS)
def test_a_synthesis_of_another_kind_can_be_written_for_r(kind, tmp_path):
    files = tmp_path / "pandas.rds", tmp_path / "other.rds"
    frame = FAKE[["sex", "town", "age", "income", "job"]]
    sp.write_synds(SynDS(frame), files[0])
    sp.write_synds(SynDS(KINDS[kind](frame)), files[1])
    # compressed with the names of the files
    contents = [gzip.decompress(file.read_bytes()) for file in files]
    assert contents[0] == contents[1]


def test_columns_keep_their_types_where_values_fit():
    import polars as pl

    people = in_polars(PEOPLE).with_columns(
        pl.col("age").cast(pl.Int16), pl.col("income").cast(pl.Float32)
    )
    noisy = sp.add_noise(people, ["age", "income"], sd=3, **SEED)
    assert noisy.schema == people.schema
    made = sp.syn(people.select(COLUMNS), **SEED, **QUIET).syn[0]
    assert made.schema["age"] == pl.Int16  # whole numbers, although they come from a tree
    assert made.schema["town"] == pl.Enum(TOWNS)
    merged = sp.mergelevels_syn(people, "town", minsize=22, compat="corrected")
    assert merged.schema["town"].categories[-1] == "Other"
    grouped = sp.numtocat_syn(people, ["age"], compat="corrected", **QUIET)
    assert grouped.data.schema["age"].categories.to_list() == list(grouped.levels["age"])
    assert grouped.orig.schema == {"orig.age": pl.Int16}


def test_numbers_that_were_made_real_to_be_compared_stay_real():
    import polars as pl

    fake, people = pl.DataFrame({"age": [20, 31]}), pl.DataFrame({"age": [20.0, 30.5]})
    compared = sp.synorig_compare(fake, people, **QUIET)
    assert compared.notes == ["age: integers converted to floats in syn"]
    assert compared.syn.schema == {"age": pl.Float64}
    compared = sp.synorig_compare(fake.to_arrow(), people, **QUIET)
    assert str(compared.syn.schema.types) == "[DataType(double)]"


@pytest.mark.parametrize(
    "call",
    [
        lambda frame: sp.add_noise(frame, "age", sd=1),
        lambda frame: sp.identification_risk(PEOPLE, frame, known="sex", synthesised="town"),
        lambda frame: sp.sdc([frame], PEOPLE),
        lambda frame: sp.sdc(SynDS([frame]), PEOPLE),
        lambda frame: sp.syn(frame),
        lambda frame: sp.propensity_utility(frame, PEOPLE),
    ],
)
def test_a_lazy_frame_must_be_collected_where_records_are_looked_at(call):
    lazy = in_polars(PEOPLE).lazy()
    for given in (lazy, EngineTable(lazy, "people")):
        with pytest.raises(InputError, match=r"LazyFrame.*single records.*with \.collect\(\)"):
            call(given)


# ---- conversion ----------------------------------------------------------------------


def hard_columns() -> Any:
    import polars as pl

    return pl.DataFrame(
        {
            "long": [2**53 + 1, None],
            "truth": [True, None],
            "gap": [float("nan"), None],
            "day": [date(1500, 1, 1), None],
            "time": [datetime(2020, 1, 1, 3), None],
            "amount": [Decimal("1.10"), None],
            "list": [[1, 2], None],
            "level": pl.Series(["b", None], dtype=pl.Enum(["b", "a"])),
            "nothing": pl.Series([None, None]),
        }
    )


def test_no_value_is_lost_on_the_way():
    frame = hard_columns()
    plain = in_pandas(frame, "data")
    assert plain["long"].iloc[0] == 2**53 + 1 and plain["truth"].iloc[0]
    assert plain["amount"].iloc[0] == Decimal("1.10")
    assert plain["level"].cat.categories.tolist() == ["b", "a"]
    assert plain.iloc[1].isna().all()
    back = give_back(plain, frame)
    # NaN and null too: what did not change is the column that was given
    assert back.schema == frame.schema and back.equals(frame)
    # one NaN is not equal to another for Arrow
    table = frame.drop("gap").to_arrow()
    assert give_back(in_pandas(table, "data"), table).equals(table)


def test_rows_in_another_order_keep_their_types():
    frame = hard_columns().drop("gap", "list")
    turned = give_back(in_pandas(frame, "data").iloc[::-1], frame)
    assert turned.schema == frame.schema and turned.equals(frame.reverse())


def test_a_type_that_pandas_has_nothing_for_is_named():
    import polars as pl

    frame = pl.DataFrame({"age": [1], "number": pl.Series([2], dtype=pl.Int128)})
    with pytest.raises(InputError, match=r"^original: column 'number' has a type that pandas"):
        sp.add_noise(frame, "age", sd=1)


def test_times_are_not_cut_to_dates():
    frame = hard_columns().select("day")
    plain = in_pandas(frame, "data")
    plain["day"] = plain["day"] + pd.Timedelta(hours=5)
    assert give_back(plain, frame)["day"][0] == datetime(1500, 1, 1, 5)


def test_what_pandas_wrote_beside_a_table_of_arrow_makes_no_row_labels():
    import pyarrow as pa

    table = pa.Table.from_pandas(PEOPLE.set_index(pd.Index(PEOPLE["job"], name="person")))
    for plain in (in_pandas(table, "data"), in_arrow_types(table)):
        assert list(plain.columns) == [*PEOPLE.columns, "person"]


def test_columns_that_occur_twice_are_refused():
    import pyarrow as pa

    table = pa.table([pa.array([1]), pa.array([2])], names=["age", "age"])
    with pytest.raises(InputError, match="column names of a pyarrow Table occur more than once"):
        sp.add_noise(table, "age", sd=1)


# ---- series, SynDS, engines ----------------------------------------------------------


def test_one_value_for_each_record_may_be_a_series_of_polars():
    people, fake = in_polars(PEOPLE), in_polars(FAKE)
    keys = {"known": "sex", "synthesised": "town"}
    plain = sp.identification_risk(FAKE, PEOPLE, weights=PEOPLE["age"], **keys)
    risk = sp.identification_risk(fake, people, weights=people["age"], **keys)
    assert risk.to_dict() == plain.to_dict()
    expected = plain.by("job").reset_index(drop=True)
    pd.testing.assert_frame_equal(risk.by(people["job"]).reset_index(drop=True), expected)


def test_marks_of_uniques_are_on_records():
    expected = sp.replicated_uniques(FAKE, PEOPLE, KEYS, compat="corrected")
    found = sp.replicated_uniques(in_polars(FAKE), in_polars(PEOPLE), KEYS, compat="corrected")
    assert found.repU_rm[0].tolist() == expected.repU_rm[0].tolist()
    assert len(found.repU_rm[0]) == N


def test_a_synthesis_keeps_its_frames_as_they_were():
    frame = in_polars(FAKE)
    synthesis = SynDS([frame, FAKE])
    frame[0, "age"] = 99
    assert synthesis.syn[0]["age"][0] == FAKE["age"][0]
    assert repr(synthesis) == "SynDS(m=2, 60 rows, 8 columns)"


def test_a_synthesis_in_an_engine_says_what_it_does_not_show():
    lazy = in_polars(FAKE).lazy()
    synthesis = SynDS([lazy, EngineTable(lazy, "fake")])
    assert repr(synthesis) == "SynDS(m=2, rows in polars, not counted, 8 columns)"
    assert "not counted" in synthesis.summary()
    content = synthesis.to_dict()
    assert content["records"] == {"synthetic": [N, N]}
    result = sp.disclosure(synthesis, PEOPLE, KEYS, "job", **QUIET)
    expected = sp.disclosure(SynDS([FAKE, FAKE]), PEOPLE, KEYS, "job", **QUIET)
    assert result.attrib.equals(expected.attrib)


@pytest.mark.needs("duckdb")
def test_tables_of_engines_are_compared_and_mapped_like_frames():
    import duckdb

    relation = duckdb.from_arrow(in_arrow(FAKE))
    columns = ["sex", "town", "age", "income"]
    utility = sp.table_utility(relation, in_polars(PEOPLE).lazy(), columns)
    assert utility.to_dict() == sp.table_utility(FAKE, PEOPLE, columns).to_dict()

    def mapped(original: Any, *releases: Any) -> Any:
        return sp.ru_map(
            dict(zip("ab", releases)),
            original,
            keys=["sex", "town", "age"],
            target="job",
            risk=["DiSCO", "repU", "DiSCO_any"],
            utility=["tvd", "tvd1"],
            variables=columns,
            disclosure_options={"ngroups_keys": [0, 0, 4]},
        )

    expected = mapped(PEOPLE, FAKE, [FAKE, PEOPLE])
    with_engines = mapped(
        EngineTable(in_polars(PEOPLE).lazy(), "people"), relation, [relation, in_arrow(PEOPLE)]
    )
    assert with_engines.to_dict() == expected.to_dict()
    assert repr(with_engines) == repr(expected)


def test_measures_of_single_records_say_that_they_need_them():
    lazy, seen = in_polars(FAKE).lazy(), in_polars(PEOPLE)
    result = sp.ru_map({"lazy": lazy, "seen": seen}, PEOPLE, keys=KEYS, utility=["tvd", "S_pMSE"])
    assert result.table["S_pMSE"].isna().tolist() == [True, False]
    assert result.table["tvd"].notna().all()
    assert "collect them first, with .collect()" in " ".join(repr(result).split())
    with pytest.raises(
        InputError, match=r"utility: 'S_pMSE' needs single records.*\.collect\(\), or use tvd"
    ):
        sp.ru_map({"seen": seen}, lazy, keys=KEYS, utility="S_pMSE")
    with pytest.raises(InputError, match=r"aligned: records of 'lazy'.*are in an engine"):
        sp.ru_map({"lazy": lazy}, PEOPLE, keys=KEYS, aligned=True)


@pytest.mark.needs("jinja2", "polars")
def test_a_report_of_any_frame():
    import polars as pl

    plain = sp.report(FAKE, PEOPLE, keys=KEYS[:1], path=None, round_to=1)
    foreign = sp.report(
        pl.from_pandas(FAKE), pl.from_pandas(PEOPLE), keys=KEYS[:1], path=None, round_to=1
    )
    assert foreign.result.attrib_table.equals(plain.result.attrib_table)
    assert foreign.to_json() == plain.to_json()
