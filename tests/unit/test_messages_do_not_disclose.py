"""No message has a value of the original that the user did not type. Logs keep messages, and a rare
value is a person.
"""

from __future__ import annotations

import csv
import io
import pickle
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import synthpop_py as sp
from synthpop_py import InputError, add_noise, identification_risk, ifpr, syn
from synthpop_py.cli.commands import csv_text
from synthpop_py.redaction import redacted
from tests.backends.sqlite import in_sqlite

SECRET = "AB123456C"  # the level of one person, and the highest income
INCOME = 987654321.125
N = 40


def people() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "a": rng.choice(list("uvw"), N).astype(object),
            "b": rng.choice(list("xyz"), N).astype(object),
            "t": rng.choice(["baker", "miner"], N).astype(object),
            "x": rng.normal(size=N).round(2),
        }
    )
    frame.loc[7, ["a", "b", "t", "x"]] = [SECRET, f"{SECRET}2", f"{SECRET}3", INCOME]
    return frame


ORIGINAL = people()
FAKE = ORIGINAL.drop(index=7).reset_index(drop=True)
ALIEN = FAKE.assign(a="~", b="~~", t="~~~", x=-1.0)
ROWS = ORIGINAL.assign(a="u")  # partially synthetic: one row per person
PLAIN = {"print_flag": False}
CASES: dict[str, Callable[[], Any]] = {}


def add(name: str, function: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
    CASES[f"{name}, {len(CASES)}"] = lambda: function(*args, **kwargs)


KEYS = ["a", "b"]
CATEGORICAL = ORIGINAL.astype({"a": "category", "b": "category", "t": "category"})
TWO_TEXTS = ORIGINAL.assign(
    a=pd.Categorical.from_codes([0, 1] * (N // 2), categories=[987654321, "987654321"])
)
MIXED_TIMES = ORIGINAL.assign(
    x=[pd.Timestamp("1987-06-05 04:03:02"), pd.Timestamp("1987-06-05 04:03:02", tz="UTC")] * 20
)
UNREADABLE = ORIGINAL.assign(a=[[SECRET]] * N)
HUGE = ORIGINAL.assign(x=[INCOME * 1e300, *([-INCOME * 1e299] * (N - 1))])

for mode in ("r", "corrected"):
    how = {"compat": mode, **PLAIN}
    for data in (ORIGINAL, UNREADABLE, TWO_TEXTS, MIXED_TIMES, HUGE):
        for other in (FAKE, ALIEN, FAKE.iloc[:0]):
            add("disclosure", sp.disclosure, other, data, KEYS, "t", **how)
            add("grouped", sp.disclosure, other, data, KEYS, "x", ngroups_target=4, **how)
            add("multi", sp.multi_disclosure, other, data, KEYS, ["t", "x"], **how)
            add("uniques", sp.replicated_uniques, other, data, KEYS, compat=mode)
            add("sdc", sp.sdc, other, data, rm_replicated_uniques=True, keys=KEYS, **how)
    for style in ("quantile", "sd", "pretty", "equal"):
        add("style", sp.disclosure, FAKE, HUGE, KEYS, "x", ngroups_target=3, style=style, **how)
    for level in ("AB123456", "AB12345C", "bakr", 3, sp.MISSING, "Missing"):
        add("level", sp.disclosure, FAKE, ORIGINAL, KEYS, "t", not_targetlev=level, **how)
        pair = {"exclude_keys": "a", "exclude_keylevs": level, "exclude_targetlevs": "baker"}
        add("pair", sp.disclosure, FAKE, ORIGINAL, KEYS, "t", **pair, **how)
    flags = {"thresh_1way": (0, 0), "thresh_2way": (0, 0)}
    add("flags", sp.disclosure, FAKE, ORIGINAL, ["a"], "b", **flags, **how)
    add("flags", sp.disclosure, FAKE, ORIGINAL, ["b"], "a", not_targetlev="u", **flags, **how)
    add("flags", sp.multi_disclosure, ROWS, ORIGINAL, ["b"], ["a", "t"], **flags, **how)
    add("numtocat", sp.numtocat_syn, ORIGINAL, "x", catgroups=2, **how)
    add("numtocat", sp.numtocat_syn, HUGE, "x", style_groups="sd", **how)
    add("mergelevels", sp.mergelevels_syn, CATEGORICAL, minsize=3, **how)
by_hand = {"merge_byhand": True, "merge_details": {"a": ["new", "AB12345"]}}
add("mergelevels", sp.mergelevels_syn, CATEGORICAL, **by_hand, **PLAIN)
add("mergelevels", sp.mergelevels_syn, ORIGINAL, **by_hand, **PLAIN)
for data in (ORIGINAL, UNREADABLE, TWO_TEXTS, MIXED_TIMES):
    add("key_risk", sp.key_risk, ALIEN, data, KEYS, target="t", **PLAIN)
    add("table_utility", sp.table_utility, ALIEN, data, KEYS)
    add("propensity_utility", sp.propensity_utility, ALIEN, data, KEYS)
    add("ru_map", sp.ru_map, {"a": ALIEN}, data, keys=KEYS, target="t")
    add("synorig", sp.synorig_compare, ALIEN, data, **PLAIN)
    add("match", sp.identification_risk, ROWS, data, known=["b"], synthesised=["a"])
    add("match", sp.identification_risk, ALIEN, data, known=["b"], synthesised=["a"])
    add("syn", sp.syn, data, seed=1)
add("ru_map", sp.ru_map, {"a": FAKE}, ORIGINAL, keys=KEYS, disclosure_options={"not_targetlev": 1})
models = [sp.synthesis.NormalRegression("x", ["b"], transform="log")]
add("partial", sp.partial_synthesis, ORIGINAL.assign(x=-INCOME), models, seed=1)
multinomial = [sp.synthesis.Multinomial("a", ["t"])]
for rule in ({"a": ["AB12345"]}, {"a": pd.DataFrame({"u": [True]})}):
    how = {"known": ["b"], "synthesised": ["a"], "attack": "model", "models": multinomial}
    add("rules", sp.identification_risk, ROWS, ORIGINAL, restrictions=rule, seed=1, **how)
add("overlap", sp.estimand_overlap, FAKE, ORIGINAL, lambda f: ([f["x"].max()], [np.nan]))


@pytest.mark.parametrize("name", CASES)
def test_no_message_has_a_value_of_the_original(name):
    told = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            CASES[name]()
        except sp.SynthpopError as error:
            told.append(str(error))
    told += [str(warning.message) for warning in caught]
    for text in told:
        for secret in (SECRET, "987654321", "9.87654", "1987-06-05", "04:03:02"):
            assert secret not in text, text


def test_the_cases_have_something_to_say():
    """Else the test above could not fail."""
    silent = 0
    for run in CASES.values():
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                run()
                silent += 1
            except (sp.SynthpopError, Warning):
                pass
    assert silent < len(CASES) / 3


# ---- details -------------------------------------------------------------------------


def test_details_have_what_messages_leave_out():
    with pytest.raises(sp.InputError) as caught:
        sp.disclosure(FAKE, ORIGINAL, KEYS, "t", not_targetlev="AB1", compat="corrected")
    error = caught.value
    assert sorted(error.details["levels"]) == [f"{SECRET}3", "baker", "miner"]
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.details) == (str(error), error.details)


def test_an_error_without_details_has_none():
    with pytest.raises(sp.InputError) as caught:
        sp.disclosure(FAKE, ORIGINAL, ["zz"], "t")
    assert caught.value.details == {}


# ---- dollar signs --------------------------------------------------------------------


@pytest.mark.needs("matplotlib")
def test_a_dollar_sign_in_a_legend_is_a_dollar_sign():
    from matplotlib.figure import Figure

    from synthpop_py.plots.frame import dress, label_points

    ax = Figure().add_subplot()
    ax.plot([1], [1], label="$x^2$")
    dress(ax, "$x^2$", "$x^2$", "$x^2$", "$x^2$")
    label_points(ax, [(0, 0, "$x^2$")])
    texts = [*ax.get_legend().get_texts(), *ax.texts, ax.xaxis.label, ax.yaxis.label]
    assert [text.get_text() for text in texts] == ["$x^2$"] * 5
    assert not any(text.get_parse_math() for text in texts)


# ---- CSV -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ["=1+1", "+1", "-1", "@x", "\t=1", "\r=1", "\n=1", " =1", "\u00a0=1", "\uff1d1", "\ufeff=1"],
)
def test_a_text_that_could_run_gets_an_apostrophe(text):
    rows = list(csv.reader(io.StringIO(csv_text([{text: text}]), newline="")))
    assert rows == [[f"'{text}"], [f"'{text}"]]


@pytest.mark.parametrize("value", ["a=b", "x", "1", "'=1", -8, -8.5, 0])
def test_other_values_stay(value):
    assert list(csv.reader(io.StringIO(csv_text([{"n": value}])))) == [["n"], [str(value)]]


# ---- sources -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text, shown",
    [
        ("postgresql://me:pw@db/census", "postgresql://***@db/census"),
        ("postgresql+psycopg2://me:p%40w@db:5432/c", "postgresql+psycopg2://***@db:5432/c"),
        ("mysql://me:p@ss@db/c?ssl=1", "mysql://***@db/c?ssl=1"),
        ("https://host/x?token=abc&y=1", "https://host/x?token=***&y=1"),
        ("host=db user=me password=pw dbname=c", "host=db user=*** password=*** dbname=c"),
        ("Server=db;UID=me;PWD={p;w};Database=c", "Server=db;UID=***;PWD=***;Database=c"),
        ("AccountKey=abc==;Endpoint=x", "AccountKey=***;Endpoint=x"),
        ("/home/me/census.db", ".../census.db"),
        (r"C:\Users\me\census.db", ".../census.db"),
        (r"\\server\share\census.db", ".../census.db"),
        ("sqlite:////home/me/census.db", "sqlite:.../census.db"),
        ("/home/me/my data/a b.db: no table", ".../a b.db: no table"),
        (r"C:\Users\Me Myself\census.db", ".../census.db"),
        (r"\\server\my share\census.db", ".../census.db"),
        ("sqlite:////home/me/my data/census.db", "sqlite:.../census.db"),
        ("/home/me/a.csv and /home/you/b.csv", ".../a.csv and .../b.csv"),
        ("/home/me/a.csv: is read and/or written", ".../a.csv: is read and/or written"),
        ("object, element 2: a/b of 1/2", "object, element 2: a/b of 1/2"),
        ("https://host/folder/page", "https://host/folder/page"),
    ],
)
def test_sources_are_named_without_credentials_and_folders(text, shown):
    assert redacted(text) == shown


@pytest.mark.filterwarnings("ignore::synthpop_py.RDefectWarning")
def test_a_table_that_goes_by_its_address_is_named_without_the_password():
    fake = in_sqlite(ALIEN, "postgresql://me:pw@db/fake")
    asked = {"keys": ["a"], "target": "x", "ngroups_target": 3, **PLAIN}
    with pytest.warns(sp.DataWarning, match=r"postgresql://\*\*\*@db/fake, column"):
        sp.disclosure(fake, ORIGINAL, compat="r", **asked)
    with pytest.raises(sp.InputError, match=r"^postgresql://\*\*\*@db/fake, column"):
        sp.disclosure(fake, ORIGINAL, compat="corrected", **asked)
    with pytest.raises(sp.InputError, match=r"^postgresql://\*\*\*@db/fake: has no rows"):
        sp.disclosure(in_sqlite(FAKE.iloc[:0], fake.place), ORIGINAL, ["a"], "t")


def few_of(place):
    """40 people, one of whom has a town of their own."""
    return pd.DataFrame(
        {"a": ["SECRETVILLE"] + ["v"] * 9 + ["w"] * 30, "b": list("xy") * 20}, place
    )


IFPR_CALLS = {
    "a block that cuts across keys": lambda p: ifpr(p, ["b"], xi=0.4, blocks=["a"]),
    "a mapping without a group": lambda p: ifpr(
        p, ["a", "b"], xi=0.4, blocks=[{"a": {"v": 1, "w": 2}}]
    ),
    "a block that is too small": lambda p: ifpr(p, ["a", "b"], xi=0.05, blocks=["a"]),
    "a record by its label": lambda p: identification_risk(
        p, p, known="a", synthesised="b"
    ).probabilities("nobody"),
}


@pytest.mark.parametrize("call", IFPR_CALLS)
def test_errors_of_ifpr_and_of_records_keep_values_in_details(call):
    people = few_of([f"SECRET{i}" for i in range(40)])
    with pytest.raises(InputError) as error:
        IFPR_CALLS[call](people)
    assert "SECRET" not in str(error.value)
    assert "SECRET" in str(error.value.details)


@pytest.mark.parametrize("seed", ["340282366920938463463374607431768211455", -7, 2.5])
def test_a_seed_that_cannot_be_used_is_not_repeated(seed):
    people = few_of(range(40)).assign(income=1.0)
    with pytest.raises(InputError, match="seed: ") as error:
        add_noise(people, "income", sd=1.0, seed=seed)
    assert str(seed) not in str(error.value)
    with pytest.raises(InputError, match="seed: ") as error:
        syn(people, seed=2**127 + 1, print_flag=False)
    assert str(2**127 + 1) not in str(error.value)


@pytest.mark.parametrize(
    "text",
    [
        "postgresql://me:hun/ter2@db/census",
        '{"password": "hunter2"}',
        "password: hunter2",
        "Authorization: Bearer hunter2",
        "oracle://me/hunter2@host",
        "Pwd=hunter2 with blanks;Database=census",
    ],
)
def test_secrets_are_taken_out_however_they_are_written(text):
    assert "hunter2" not in redacted(text) and "ter2" not in redacted(text)


def test_relative_folders_are_taken_out_too():
    assert redacted("../me/private/x.db") == ".../x.db"
