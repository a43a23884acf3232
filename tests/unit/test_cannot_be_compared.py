"""A release that cannot be compared with the original has no figure; least of all 0 %."""

import warnings

import numpy as np
import pandas as pd
import pytest

from synthpop_py import (
    disclosure,
    identification_risk,
    key_risk,
    multi_disclosure,
    replicated_uniques,
    report,
    ru_map,
)
from synthpop_py.cli import main
from synthpop_py.errors import DataWarning, InputError

N = 60


@pytest.fixture
def people():
    rng = np.random.default_rng(4)
    days = pd.Timestamp("1950-01-01") + pd.to_timedelta(300 * rng.integers(0, 40, N), unit="D")
    return pd.DataFrame(
        {
            "sex": rng.choice(["f", "m"], N),
            "born": days.strftime("%Y-%m-%d"),
            "ill": rng.choice(["no", "yes"], N),
            "income": rng.lognormal(8, 1, N).round(),
        }
    )


@pytest.fixture
def copy(people):
    """The original itself, with its dates written in another way (B1)."""
    born = pd.to_datetime(people["born"]).dt.strftime("%d.%m.%Y")
    return people.assign(born=born)


@pytest.fixture
def files(tmp_path, people, copy, monkeypatch):
    people.to_csv(tmp_path / "o.csv", index=False)
    copy.to_csv(tmp_path / "s.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


KEYS = ["sex", "born"]
CALLS = {
    "disclosure": lambda s, o: disclosure(s, o, KEYS, "ill", compat="corrected"),
    "multi_disclosure": lambda s, o: multi_disclosure(s, o, KEYS, ["ill"], compat="corrected"),
    "replicated_uniques": lambda s, o: replicated_uniques(s, o, KEYS, compat="corrected"),
    "key_risk": lambda s, o: key_risk(s, o, KEYS, "ill"),
    "identification_risk": lambda s, o: identification_risk(
        s, o, known=["sex"], synthesised=["born"]
    ),
    "report": lambda s, o: report(s, o, keys=KEYS, targets=["ill"], path=None, format="md"),
    "report without keys": lambda s, o: report(s, o, targets=["ill"], path=None, format="md"),
}


@pytest.mark.parametrize("call", CALLS)
def test_a_key_without_a_common_value_is_refused(call, people, copy):
    with pytest.raises(InputError) as refused:
        CALLS[call](copy, people)
    said = str(refused.value)
    assert "'born'" in said and "9999-99-99" in said and "99.99.9999" in said
    assert "write the dates of both tables in one way" in said
    values = {*people["born"], *copy["born"]}
    assert not any(value in said for value in values)  # the copy's are the original's


@pytest.fixture
def of_one_list(people, copy):
    """Two tables with the same categories, of which each has others."""
    both = pd.CategoricalDtype([*people["born"].unique(), *copy["born"].unique()])
    return copy.astype({"born": both}), people.astype({"born": both})


@pytest.mark.parametrize("call", CALLS)
def test_categories_that_are_declared_are_no_common_values(call, of_one_list):
    with pytest.raises(InputError, match="'born': no value in common"):
        CALLS[call](*of_one_list)


def test_nor_are_those_of_a_target(of_one_list):
    with pytest.warns(DataWarning, match="'born': no value in common"):
        result = disclosure(*of_one_list, ["sex"], "born", compat="corrected")
    assert result.DiSCO == 0 and "no value in common" in result.notes[0]


COMMANDS = {
    "risk": "--keys sex,born --targets ill",
    "report": "--keys sex,born --targets ill -o r.md",
    "report to a limit": "--keys sex,born --targets ill -o r.md --fail-over DiSCO=1",
    "keys": "--candidates sex,born --targets ill",
    "identify": "--known sex --synthesised born",
}


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_refuse_it(command, files, capsys):
    """Where they leave dates as they are written; otherwise both files have the same days."""
    words = f"{command.split()[0]} --synthetic s.csv --original o.csv {COMMANDS[command]}"
    words += " --dates text"
    assert main(words.split()) == 2
    assert "'born': no value in common" in capsys.readouterr().err
    assert not (files / "r.md").exists()


@pytest.mark.parametrize("compat", ["r", "r-1.9-2"])
def test_a_drop_in_keeps_r_s_figure_and_warns(compat, people, copy):
    with pytest.warns(DataWarning, match="'born': no value in common"):
        result = disclosure(copy, people, KEYS, "ill", compat=compat)
    assert result.DiSCO == 0 and "'born': no value in common" in result.notes[0]


def test_one_synthesis_of_several_is_enough_to_refuse(people, copy):
    with pytest.raises(InputError, match="element 2, column 'born'"):
        disclosure([people, copy], people, KEYS, "ill", compat="corrected")


def test_classes_decide_where_there_are_some(people):
    other = people.assign(income=people["income"] + 0.5)
    with pytest.raises(InputError, match="group them"):
        disclosure(other, people, ["income"], "ill", compat="corrected")
    asked = dict(keys=["income"], target="ill", compat="corrected", print_flag=False)
    assert disclosure(other, people, ngroups_keys=5, **asked).iS == 100
    far = people.assign(income=people["income"] + 1e9)
    with pytest.raises(InputError, match="no synthetic record is in a class"):
        disclosure(far, people, ngroups_keys=2, **asked)
    with pytest.raises(InputError, match="no synthetic record is in a class"):
        key_risk(far, people, ["income", "sex"], ngroups_keys=2)


def test_a_key_that_matches_within_an_interval_is_exempt(people):
    other = people.assign(income=people["income"] + 0.5)
    asked = dict(known=["sex"], synthesised=["income"])
    with pytest.raises(InputError, match="'income'"):
        identification_risk(other, people, **asked)
    assert identification_risk(other, people, intervals={"income": 1}, **asked).expected > 1


def test_the_map_gives_the_reason(people, copy):
    asked = dict(keys=KEYS, target="ill", variables=["sex", "ill"], risk="DiSCO", utility="tvd")
    with pytest.warns(DataWarning, match="'born'"):
        chart = ru_map({"dates": copy, "same": people}, people, **asked)
    text = str(chart)
    assert "nothing, or hardly anything, can match" in text and "'born'" in text
    assert "a number or a date" in chart.notes[0]


# ---- a target ------------------------------------------------------------------------


@pytest.fixture
def coded(people):
    return people.assign(ill=people["ill"].map({"no": "0", "yes": "1"}))


def test_a_target_without_a_common_value_has_a_warning_in_every_view(people, coded):
    with pytest.warns(DataWarning, match="'ill'"):
        result = disclosure(coded, people, KEYS, "ill", compat="corrected")
    with pytest.warns(DataWarning, match="'ill'"):
        several = multi_disclosure(coded, people, KEYS, ["income", "ill"], compat="corrected")
    with pytest.warns(DataWarning, match="'ill'"):
        made = report(coded, people, keys=KEYS, targets=["ill"], path=None, format="md")
    said = "'ill': no value in common"
    single = several.output_list["ill"]
    views = [str(result), result.to_html(), result.to_markdown(), result.to_json(), str(several)]
    views += [several.to_json(), str(single)]
    for view in views:
        plain = " ".join(view.replace("&#x27;", "'").replace("&#39;", "'").split())
        assert said in plain
    assert not any(said in note for note in several.output_list["income"].notes)
    assert "| ill | no value in common with the original data" in made.text
    assert "no figure below says how safe the ill is" in made.text


def test_keys_come_first(people):
    other = people.assign(sex=people["sex"].str.upper(), ill=people["ill"].str.upper())
    with pytest.warns(DataWarning, match="'sex': no value in common"):
        result = disclosure(other, people, KEYS, "ill")
    assert "'sex'" in result.notes[0] and "'ill'" in result.notes[1]


@pytest.mark.parametrize(
    "limit, code, told",
    [("DiSCO=1", 1, "above the limit of 1 %"), ("DiSCO=100", 0, "within the limit of 100 %")],
)
def test_a_limit_is_told_with_its_figure(limit, code, told, files, capsys):
    words = "risk --synthetic o.csv --original o.csv --keys born,income --targets ill --fail-over"
    assert main([*words.split(), limit, "--round-to", "1"]) == code
    assert f"60 (100.00 %); {told}" in capsys.readouterr().err
    main([*words.split(), limit])
    assert "DiSCO of ill: nearly all, up to 60" in capsys.readouterr().err


# ---- numbers that nearly match -------------------------------------------------------


def near(synthetic, original):
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        disclosure(synthetic, original, ["k"], "t", print_flag=False)
    return [w for w in given if w.category in (DataWarning, DataWarning)]


@pytest.mark.parametrize(
    "exact, stored",
    [
        (16777217 + 2 * np.arange(50), lambda k: k.astype("float32")),
        (123_456_789 + 3001 * np.arange(50), lambda k: k.astype("float32").astype(str)),
        (np.arange(50) / 7 + 1, lambda k: k.astype("float32")),
        (np.arange(50) / 7e3 + 1, lambda k: k.round(6)),
    ],
    ids=[
        "whole numbers in single precision",
        "by their shortest texts",
        "fractions in single precision",
        "six decimals",
    ],
)
@pytest.mark.parametrize("matching", [0, 500])
def test_numbers_in_less_precision_are_told_however_many_match(exact, stored, matching):
    shared = np.arange(1, matching + 1)
    t = np.where(np.arange(50 + matching) % 3, "a", "b")
    original = pd.DataFrame({"k": np.concatenate([exact, shared]), "t": t})
    rounded = np.concatenate([stored(exact).astype(float), shared])
    found = near(pd.DataFrame({"k": rounded, "t": t}), original)
    assert len(found) == 1 and "the last digits of numbers" in str(found[0].message)
    assert near(original, original) == []


def test_other_numbers_are_not_called_near():
    told = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        one, two = (
            pd.DataFrame({"k": [*rng.lognormal(8, 1, 300), 1.0], "t": "x"}) for _ in range(2)
        )
        told += any("last digits" in str(w.message) for w in near(one, two))
    assert told <= 1


def test_whole_numbers_next_to_each_other_are_two_numbers():
    original = pd.DataFrame({"k": np.arange(20_000_000, 20_000_100.0), "t": "x"})
    assert near(original.assign(k=original["k"] + 50), original) == []


def test_a_csv_that_writes_one_number_in_two_ways_is_told(tmp_path):
    original = tmp_path / "o.csv"
    original.write_text("k,t\n1.1,a\n1.10,b\n2.5,a\n")
    synthetic = tmp_path / "s.csv"
    synthetic.write_text("k,t\n1.1,a\n2.5,a\n")
    with pytest.warns(DataWarning, match=r"'k' of 'o.csv' writes a number in two ways"):
        disclosure(synthetic, original, ["k"], "t", compat="corrected", print_flag=False)
    original.write_text("k,t\n1e5,a\n100000,b\n2.5,a\n")
    with pytest.warns(DataWarning, match="1e5 and 100000"):
        disclosure(synthetic, original, ["k"], "t", compat="corrected", print_flag=False)


# ---- options without effect ----------------------------------------------------------

IDLE = {
    "ngroups_target": dict(ngroups_target=5),
    "ngroups_keys: not numeric: sex, born": dict(ngroups_keys=5),
    "ngroups_keys: not numeric: born": dict(ngroups_keys=[0, 5]),
    "cont_na: not numeric: ill": dict(cont_na={"ill": -9}),
    "exclude_keys: no record has": dict(
        exclude_keys=["sex"], exclude_keylevs=["f"], exclude_targetlevs=["never"]
    ),
}


@pytest.mark.parametrize("finding", IDLE)
def test_an_option_without_effect_is_an_error_and_in_r_s_modes_a_warning(finding, people):
    people.loc[people["sex"] == "m", "ill"] = "never"
    people.loc[0, ["sex", "ill"]] = ["m", "never"]
    asked = (people, people, KEYS, "ill")
    with pytest.raises(InputError, match=finding):
        disclosure(*asked, compat="corrected", print_flag=False, **IDLE[finding])
    with pytest.warns(DataWarning, match="has no effect, as in R"):
        result = disclosure(*asked, print_flag=False, **IDLE[finding])
    assert "has no effect" in result.notes[-1]


def test_a_special_value_that_nobody_has(people):
    asked = (people, people, ["sex"], "income")
    with pytest.raises(InputError, match="cont_na: -9 does not occur"):
        disclosure(*asked, cont_na={"income": -9}, compat="corrected")


def test_one_number_for_several_columns_has_an_effect_if_one_is_numeric(people):
    several = multi_disclosure(
        people, people, "sex", ["ill", "income"], ngroups_targets=5, compat="corrected"
    )
    assert several.output_list["income"].groupings and not several.output_list["ill"].groupings
    with pytest.raises(InputError, match="ngroups_targets: not numeric: ill"):
        multi_disclosure(
            people, people, "sex", ["ill", "income"], ngroups_targets=[5, 5], compat="corrected"
        )


def test_the_command_line_refuses_options_without_effect(files, people, capsys):
    """B2: decimal commas make income text, and classes of it did nothing."""
    income = people["income"].map(lambda number: f"{number:.1f}".replace(".", ","))
    people.assign(income=income).to_csv("c.csv", index=False)
    words = "risk --synthetic c.csv --original c.csv --keys sex --targets income --decimal ."
    for option, value in (("--ngroups-targets", "income=10"), ("--cont-na", "income=-9")):
        assert main([*words.split(), option, value]) == 2
        assert f"{option}: not numeric: income" in capsys.readouterr().err
