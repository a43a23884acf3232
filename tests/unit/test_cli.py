"""Commands that show figures: those of the functions, rounded, in three forms; limits."""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
from pathlib import Path

import pandas as pd
import pytest

from synthpop_py import identification_risk, key_risk, multi_disclosure, ru_map
from synthpop_py.cli import COMMANDS, main, parsers
from synthpop_py.matching import Relative
from synthpop_py.rounding import counts, shown

from .cli_files import ASK, TABLES, people, process, write_people

TWO = [*TABLES, "--synthetic", "synthetic-2.csv", "--keys", "sex,age", "--targets", "job,town"]
EXACT = ["--json", "--round-to", "1"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_people()


def correct(files=("synthetic.csv",), **given):
    sets = [pd.read_csv(file) for file in files]
    asked = {"keys": ["sex", "age"], "targets": ["job"], "print_flag": False} | given
    return multi_disclosure(sets, pd.read_csv("original.csv"), **asked, compat="corrected")


def as_json(capsys, *words):
    assert main([*words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def count_of(content, measure, target="job", synthesis=1, matched="values"):
    (found,) = (
        row["people"]
        for row in content["figures"]
        if (row["measure"], row["target"]) == (measure, target)
        and (row["synthesis"], row["matched"]) == (synthesis, matched)
    )
    return found


# ---- risk ----------------------------------------------------------------------------


@pytest.mark.parametrize("to", [1, 10, 25])
def test_the_figures_are_those_of_multi_disclosure(capsys, to):
    content = as_json(capsys, "risk", *TWO, "--round-to", str(to))
    result = correct(("synthetic.csv", "synthetic-2.csv"), targets=["job", "town"])
    for target in ("job", "town"):
        for number, row in counts(result[target], to).iterrows():
            for measure in ("UiO", "repU", "iS", "Dorig", "DiS", "DiSCO"):
                assert count_of(content, measure, target, number) == row[measure]
    assert content["rounded_to"] == to and content["keys"] == ["sex", "age"]
    assert content["synthetic_records"] == [300, 300]
    assert all(row["of"] == shown(300, 300, to=to) for row in content["figures"])


def test_every_form_in_a_process_of_its_own():
    """Results to standard output, notes to standard error, 0 where nothing is wrong."""
    done = process("risk", *ASK)
    assert (done.returncode, done.stderr) == (0, "")
    disco = counts(correct()["job"])["DiSCO"].iloc[0]
    assert "An intruder may know: sex, age" in done.stdout
    assert f"{disco:,} " in done.stdout and "Counts of people are rounded to 10" in done.stdout
    table = process("risk", *TABLES, "--keys", "sex,age", "--csv")
    rows = list(csv.DictReader(io.StringIO(table.stdout)))
    assert {row["target"] for row in rows} == {"town", "job"}
    assert process("risk", *ASK, "--json").stdout == process("risk", *ASK, "--json").stdout


def test_several_syntheses_have_mean_and_range(capsys):
    assert main(["risk", *TWO, "--round-to", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    head = next(line for line in lines if "lowest" in line)
    assert head.split()[:3] == ["DiSCO", "lowest", "highest"]
    job = next(line for line in lines if line.startswith("job"))
    shares = [float(share) for share in re.findall(r"([\d.]+) %", job)]
    values = correct(("synthetic.csv", "synthetic-2.csv"))["job"].attrib.DiSCO
    wanted = [values.mean(), values.min(), values.max()]
    assert shares[:3] == pytest.approx(wanted, abs=0.01)
    assert lines[-1] == "Exact figures, not for release"


def test_no_small_count_is_shown(capsys):
    """Eight people are alone with their town; the synthetic data have their town and job."""
    towns = ["A"] * 100 + [f"t{number}" for number in range(4)]
    pd.DataFrame({"town": towns, "job": ["x", "y"] * 52}).to_csv("few.csv", index=False)
    words = ["--synthetic", "few.csv", "--original", "few.csv", "--keys", "town"]
    assert main(["risk", *words, "--targets", "job"]) == 0
    assert (
        "Unique on these in the original (UiO): fewer than 5 (under 5 %)" in capsys.readouterr().out
    )
    content = as_json(capsys, "risk", *words, "--targets", "job")
    assert {row["people"] for row in content["figures"]} == {0, 100}


def test_too_few_people_have_no_figures(capsys):
    for name in ("original.csv", "synthetic.csv"):
        people(1, records=19).to_csv(name, index=False)
    assert main(["risk", *ASK]) == 2
    assert "No figures are shown: rounded to 10, those of fewer than 20 people" in (
        capsys.readouterr().err
    )
    assert main(["risk", *ASK, "--round-to", "1"]) == 0
    assert main(["risk", *ASK, "--round-to", "5"]) == 2
    assert "--round-to: 5 would leave counts fewer than five" in capsys.readouterr().err


def test_numbers_are_judged_in_classes_with_the_exact_match_beside_them(capsys):
    words = [*TABLES, "--keys", "sex,town", "--targets", "age"]
    content = as_json(capsys, "risk", *words, "--round-to", "1")
    asked = {"keys": ["sex", "town"], "targets": ["age"]}
    classed, exact = correct(**asked, ngroups_targets=10), correct(**asked)
    for result, matched in ((classed, "classes"), (exact, "values")):
        wanted = counts(result["age"], 1)["DiSCO"].iloc[0]
        assert count_of(content, "DiSCO", "age", matched=matched) == wanted
    content = as_json(capsys, "risk", *words, "--ngroups-targets", "0", "--round-to", "1")
    assert {row["matched"] for row in content["figures"]} == {"values"}


def test_options_are_arguments_of_multi_disclosure(capsys):
    words = ["--ngroups-keys", "age=4", "--not-targetslev", "job=x", "--certainty", "0.9"]
    content = as_json(capsys, "risk", *ASK, *words, "--round-to", "1")
    wanted = correct(ngroups_keys=[0, 4], not_targetslev={"job": "x"}, certainty=0.9)
    for measure in ("DiSCO", "repU", "Dorig", "DiS"):
        assert count_of(content, measure) == wanted["job"].shares[0][measure].numerator
    assert content["certainty"] == 0.9


def test_special_values_and_counts(capsys):
    for name, n in (("original.csv", 2), ("synthetic.csv", 1)):
        pd.read_csv(name).assign(n=n).to_csv(name, index=False)
    for option in ("--cont-na", "--missing"):
        content = as_json(capsys, "risk", *ASK, "--counts", "n", option, "age=20")
        assert {row["of"] for row in content["figures"]} == {600}


def test_people_left_out_are_told(capsys):
    assert main(["risk", *ASK, "--not-targetslev", "job=x"]) == 0
    left = int((pd.read_csv("original.csv")["job"] == "x").sum())
    assert f"Left out for job: {300 - shown(300 - left, 300)} people" in capsys.readouterr().out


def test_a_target_without_a_common_value_has_no_figure(capsys):
    pd.read_csv("synthetic.csv").assign(job="d").to_csv("synthetic.csv", index=False)
    words = [*TABLES, "--keys", "sex,age", "--targets", "job,town"]
    assert main(["risk", *words]) == 0
    told = capsys.readouterr()
    (line,) = [line for line in told.out.splitlines() if line.startswith("job")]
    assert line.split() == ["job", "not", "compared"]
    assert "'job': no value in common" in told.err
    content = as_json(capsys, "risk", *words)
    assert {row["target"] for row in content["figures"]} == {"town"}
    (seen,) = content["checks"]
    assert (seen["column"], seen["fatal"]) == ("job", True) and "no value" in seen["text"]


def test_members_stand_beside_non_members(capsys):
    made = people(1)[:250].sample(300, replace=True, random_state=1)
    made.to_csv("synthetic.csv", index=False)
    people(9, records=200).to_csv("holdout.csv", index=False)
    words = ["risk", *ASK, "--holdout", "holdout.csv"]
    baseline = correct(holdout=pd.read_csv("holdout.csv")).baseline
    wanted = baseline.set_index("measure").loc["DiSCO"]
    (row,) = as_json(capsys, *words, "--round-to", "1")["non_members"]
    for who in ("members", "non_members"):
        assert row[who]["people"] == wanted[f"numerator_{who}"]
    assert row["of"] == wanted["n_non_members"]
    assert row["may_be_chance"] is bool(wanted["p_value"] >= 0.05)
    assert main(words) == 0
    assert "non-members: as DiSCO, of the people of --holdout" in capsys.readouterr().out


# ---- limits --------------------------------------------------------------------------


def test_the_largest_value_over_targets_and_syntheses_counts(capsys):
    result = correct(("synthetic.csv", "synthetic-2.csv"), targets=["job", "town"])
    largest = max(result[target].attrib.DiSCO.max() for target in ("job", "town"))
    assert max(result.DiSCO) < largest - 0.02
    words = ["risk", *TWO, "--round-to", "1", "--fail-over"]
    assert main([*words, f"DiSCO={largest + 0.01}"]) == 0
    capsys.readouterr()
    assert main([*words, f"DiSCO={largest - 0.01}"]) == 1
    told = capsys.readouterr()
    assert "note: --limit: DiSCO of job: " in told.err
    assert "riskiest target first" in told.out  # the figures are shown all the same


def test_a_limit_is_met_if_all_that_rounding_hides_is_within_it(capsys):
    """42 of 600 people are 7 %; 42 / 600 * 100 is 7.000000000000001. 40 may be 44 people."""
    frame = pd.DataFrame({"k": ["a"] * 42 + ["b"] * 558, "t": ["x"] * 42 + ["y", "z"] * 279})
    frame.to_csv("seven.csv", index=False)
    words = ["--synthetic", "seven.csv", "--original", "seven.csv", "--keys", "k"]
    for limit, to, code in [("7", "1", 0), ("6.999", "1", 1), ("7.3", "10", 1), ("7.34", "10", 0)]:
        assert main(["risk", *words, "--limit", f"DiSCO={limit}", "--round-to", to]) == code
    assert "40 (7 %), up to 44 before rounding; within the limit" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["risk", "report"])
def test_a_limit_that_nothing_can_be_judged_by_is_no_success(command, capsys):
    frame = pd.read_csv("synthetic.csv")
    frame.assign(sex="d").to_csv("synthetic.csv", index=False)
    words = [command, *ASK, "--limit", "DiSCO=5"]
    assert main(words) == 2
    assert "column 'sex': no value in common" in capsys.readouterr().err
    frame.assign(job="d").to_csv("synthetic.csv", index=False)
    assert main(words) == 2
    assert "column 'job': no value" in capsys.readouterr().err


# ---- where results go ----------------------------------------------------------------


def test_a_file_in_place_of_the_screen(capsys):
    assert main(["risk", *ASK, "-o", "figures.json"]) == 0
    assert capsys.readouterr().out == "figures.json: written\n"
    assert json.loads(Path("figures.json").read_text())["keys"] == ["sex", "age"]
    assert main(["risk", *ASK, "-o", "figures.json"]) == 2
    assert "figures.json exists; give another name, or --force" in capsys.readouterr().err
    assert main(["risk", *ASK, "-o", "figures.json", "--csv", "--force"]) == 0
    assert Path("figures.json").read_text().startswith("target,synthesis,measure,people")


@pytest.mark.parametrize("name", ["=1+1", "+A1", "@SUM(A1)", "-2", " \u00a0=1", "\uff1d1", "\t=1"])
def test_a_spreadsheet_runs_no_cell(capsys, name):
    for file in ("original.csv", "synthetic.csv"):
        pd.read_csv(file).rename(columns={"job": name}).to_csv(file, index=False)
    assert main(["risk", *TABLES, "--keys", "sex,age", "--csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert {row["target"] for row in rows} == {"town", f"'{name}"}


# ---- report --------------------------------------------------------------------------


@pytest.mark.needs("jinja2")
def test_options_are_arguments_of_report(capsys):
    words = [*TABLES, "--targets", "job", "-o", "r.md", "--title", "For the board"]
    words += ["--round-to", "20", "--label", "job=current job", "--limit", "DiSCO=0"]
    Path("r.md").write_text("old")
    assert main(["report", *words]) == 2
    assert main(["report", *words, "--force"]) == 1
    told, page = capsys.readouterr(), Path("r.md").read_text()
    assert told.out == "r.md: written\n" and "above the limit of 0 %" in told.err
    for said in ("# For the board", "current job", "a multiple of 20", "Nobody named the keys"):
        assert said in page
    assert "synthetic.csv" in page and "original.csv" in page


# ---- keys, identify, map -------------------------------------------------------------


def test_keys_are_those_of_key_risk(capsys):
    words = ["--candidates", "sex,age,town", "--targets", "job", "--ngroups-keys", "age=4"]
    content = as_json(capsys, "keys", *TABLES, *words, "--round-to", "1")
    frames = [pd.read_csv(name) for name in ("synthetic.csv", "original.csv")]
    result = key_risk(*frames, ["sex", "age", "town"], "job", ngroups_keys=[0, 4, 0])
    for row in content["figures"]:
        column = f"{row['measure']} {row['target']}".strip()
        wanted = result.of(row["keys"].split(", "))[column]
        assert 100 * row["people"] / row["of"] == pytest.approx(wanted)
    assert len(content["figures"]) == 7 * 3
    assert main(["keys", *TABLES, *words]) == 0
    told = capsys.readouterr()
    assert "Of 7 sets of keys " in told.out and "People out of 300 by set of keys" in told.out
    assert "disclosure(" not in told.out and told.err == ""


@pytest.fixture
def partial():
    """The original with another age for everybody, twice."""
    frame = pd.read_csv("original.csv")
    for number in (1, 2):
        frame.assign(age=people(number + 5).age).to_csv(f"partial-{number}.csv", index=False)
    sets = ["--synthetic", "partial-1.csv", "partial-2.csv", "--original", "original.csv"]
    return ["identify", *sets, "--known", "sex,town", "--synthesised", "age"]


def test_identify_is_identification_risk(partial, capsys):
    words = [*partial, "--interval", "age=10%"]
    content = as_json(capsys, *words, "--round-to", "1")
    wanted = identification_risk(
        [pd.read_csv("partial-1.csv"), pd.read_csv("partial-2.csv")],
        pd.read_csv("original.csv"),
        known=["sex", "town"],
        synthesised=["age"],
        intervals={"age": Relative(0.1)},
    )
    for row in content["figures"]:
        wanted_people = getattr(wanted, row["measure"])
        assert row["people"] == pytest.approx(wanted_people, abs=0.005) and row["of"] == 300
    rounded = as_json(capsys, *words)["figures"]
    assert {row["people"] % 10 for row in rounded} == {0}
    assert main([*partial, "--known", "sex,age"]) == 2


MAP = ["--original", "original.csv", "--keys", "sex,age", "--target", "job"]


def test_map_is_ru_map(capsys):
    """Two sources of one name are two syntheses of one release."""
    releases = ["--synthetic", "a=synthetic.csv", "a=synthetic-2.csv", "same=original.csv"]
    content = as_json(capsys, "map", *releases, *MAP, "--round-to", "1")
    read = [pd.read_csv(f"{name}.csv") for name in ("synthetic", "synthetic-2", "original")]
    wanted = ru_map({"a": read[:2], "same": read[2]}, read[2], keys=["sex", "age"], target="job")
    found = [row["value"] for row in content["figures"]]
    assert found == pytest.approx([figure.value for figure in wanted.figures])
    for row in as_json(capsys, "map", *releases, *MAP)["figures"]:
        if row["role"] == "risk":  # shares of 300 people, rounded to 10
            assert row["value"] * 3 / 10 == pytest.approx(round(row["value"] * 3 / 10), abs=0.02)


@pytest.mark.needs("matplotlib")
def test_a_map_is_drawn(capsys):
    releases = ["--synthetic", "one=synthetic.csv", "synthetic-2.csv"]
    assert main(["map", *releases, *MAP, "-o", "map.svg"]) == 0
    told = capsys.readouterr()
    assert Path("map.svg").read_text().startswith("<?xml") and told.err == ""
    assert main(["map", *releases, *MAP]) == 0
    told = capsys.readouterr()
    assert "Risk-utility map of 2 releases" in told.out and "\nsynthetic-2 " in told.out


# ---- help ----------------------------------------------------------------------------


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_every_command_has_an_example_that_can_be_read(command, capsys):
    assert main([command, "--help"]) == 0
    example = capsys.readouterr().out.partition("example:\n  synthpop-disclosure ")[2]
    assert parsers()[0].parse_args(shlex.split(example)).command == command


def test_the_package_can_be_run():
    done = process("--help")
    assert done.returncode == 0
    for command, parser in parsers()[1].items():
        assert command in done.stdout and parser.description in " ".join(done.stdout.split())
    assert process("--version").stdout.startswith("synthpop-disclosure ")
