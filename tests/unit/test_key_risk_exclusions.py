"""`key_risk()` with classes and exclusions, alone, in a report and on the command line."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from itertools import combinations, compress

import numpy as np
import pandas as pd
import pytest

from synthpop_py import MISSING, InputError, Report, datasets, disclosure, key_risk, report
from synthpop_py.cli import main

NAMES = ["town", "age", "job"]
PAIRS = ("exclude_keys", "exclude_keylevs", "exclude_targetlevs")
LEVELS = ["x", "y", MISSING]


def random_people(rng: np.random.Generator, n: int) -> pd.DataFrame:
    """Few values, so that combinations meet, and gaps everywhere; the first rows have them all."""
    columns = {}
    for name, values in {
        "town": ["A", "B", "C", None],
        "age": [20.0, 21.5, 30, 41, np.nan],
        "job": ["x", "y", None],
        "ill": ["x", "y", None],
        "income": [-8.0, 1, 2, 3, 40, 50, np.nan],
    }.items():
        odds = rng.dirichlet(np.full(len(values), 2))
        drawn = [*range(len(values)), *rng.choice(len(values), n - len(values), p=odds)]
        columns[name] = [values[place] for place in drawn]
    return pd.DataFrame(columns)


def random_options(rng: np.random.Generator) -> dict:
    """Arguments that are the same for every target."""
    return {
        "ngroups_keys": [0, int(rng.choice([0, 3])), 0],
        "usekeysNA": [bool(use) for use in rng.integers(0, 2, 3)],
        "cont_na": {"income": -8},
        "denom_lim": int(rng.integers(1, 4)),
        "exclude_ov_denom_lim": bool(rng.integers(0, 2)),
    }


def random_exclusions(rng: np.random.Generator, levels: list) -> dict:
    """Arguments about one target, as `disclosure()` takes them."""
    pairs = rng.integers(0, 3)
    return {
        "not_targetlev": [None, levels[0], levels][rng.integers(0, 3)],
        "usetargetNA": bool(rng.integers(0, 2)),
        "exclude_keys": ["town", "job"][:pairs] or None,
        "exclude_keylevs": ["A", [*LEVELS][rng.integers(0, 3)]][:pairs] or None,
        "exclude_targetlevs": [levels[rng.integers(0, len(levels))] for _ in range(pairs)] or None,
    }


def without_idle_pairs(exclusions: dict, people: pd.DataFrame, target: str) -> dict:
    """Pairs that nobody has are refused."""

    def has(name, level):
        return people[name].isna() if level is MISSING else people[name] == level

    pairs = list(zip(*(exclusions[name] or () for name in PAIRS)))
    kept = [(has(key, level) & has(target, other)).any() for key, level, other in pairs]
    return exclusions | {
        name: list(compress(exclusions[name] or (), kept)) or None for name in PAIRS
    }


def pairs_of(exclusions: dict, keys: Collection[str]) -> dict:
    """Pairs of other keys do not apply."""
    kept = [key in keys for key in exclusions["exclude_keys"] or ()]
    return {name: list(compress(exclusions[name] or (), kept)) or None for name in PAIRS}


def assert_agrees(risk, synthetic, original, options, of_targets):
    """Every set has the figures of `disclosure()` for it."""
    tidy = risk.tidy()
    unique_in_synthetic = tidy[tidy["measure"] == "UiS"].set_index("rank")["numerator"]
    for size in (1, 2, 3):
        for keys in combinations(NAMES, size):
            positions = [NAMES.index(key) for key in keys]
            for target, (groups, exclusions) in of_targets.items():
                asked = options | exclusions | pairs_of(exclusions, keys)
                for name in ("ngroups_keys", "usekeysNA"):
                    asked[name] = [options[name][position] for position in positions]
                single = disclosure(
                    synthetic,
                    original,
                    list(keys),
                    target,
                    compat="corrected",
                    print_flag=False,
                    ngroups_target=groups,
                    **asked,
                )
                row, told = risk.of(keys), (keys, target, options, of_targets)
                unique = np.mean([shares["UiS"].numerator for shares in single.shares])
                assert unique_in_synthetic[row.name] == pytest.approx(unique, abs=1e-12), told
                assert row["UiO"] == pytest.approx(single.ident.UiO.mean(), abs=1e-12), told
                assert row["repU"] == pytest.approx(single.ident.repU.mean(), abs=1e-12), told
                expected = single.attrib.DiSCO.mean()
                assert row[f"DiSCO {target}"] == pytest.approx(expected, abs=1e-12), told


@pytest.mark.parametrize("seed", range(20))
def test_every_set_agrees_with_disclosure(seed):
    """Two targets with exclusions of their own, by records and as frequency tables."""
    rng = np.random.default_rng(seed)
    original = random_people(rng, int(rng.integers(8, 60)))
    synthetic = [random_people(rng, int(rng.integers(8, 60))) for _ in range(1 + seed % 3)]
    options = random_options(rng)
    of_targets = {
        "ill": (0, random_exclusions(rng, ["x", "y", MISSING])),
        "income": (2, random_exclusions(rng, [-8.0, MISSING])),
    }
    people = pd.concat([original, *synthetic])
    for target, (groups, exclusions) in of_targets.items():
        of_targets[target] = groups, without_idle_pairs(exclusions, people, target)
    asked = {"ngroups_target": [groups for groups, _ in of_targets.values()]}
    for name in of_targets["ill"][1]:
        asked[name] = {target: given[name] for target, (_, given) in of_targets.items()}
    asked["usetargetNA"] = list(asked["usetargetNA"].values())
    asked |= options
    risk = key_risk(synthetic, original, NAMES, list(of_targets), **asked)
    assert_agrees(risk, synthetic, original, options, of_targets)
    counted = [
        frame.groupby(list(frame), dropna=False).size().reset_index(name="n")
        for frame in (original, *synthetic)
    ]
    of_counts = key_risk(counted[1:], counted[0], NAMES, list(of_targets), counts="n", **asked)
    pd.testing.assert_frame_equal(of_counts.table, risk.table)


# ---- in a report ---------------------------------------------------------------------

KEYS, TARGETS = ["sex", "age", "region", "placesize"], ["ill", "income"]
LEFT_OUT = [{"ill": "y"}, {"ill": "x", "income": "-8"}, {"income": "-8"}, None]


def assert_one_truth(made: Report) -> None:
    """The search of a report has the figures of its answer; so has every remedy before it."""
    content = made.content
    riskiest = content["targets"][content["headline"]]
    of_all, *_ = content["key_search"]["without"]
    assert content["key_search"]["target"] == riskiest["label"]
    assert of_all["UiO"]["number"] == content["identity"]["UiO"]["number"]
    assert of_all["DiSCO"]["number"] == riskiest["DiSCO"]["number"]
    for remedy in content["remedies"]:
        assert remedy["before"]["DiSCO"] == riskiest["DiSCO"]
        assert remedy["before"]["repU"] == content["identity"]["repU"]


def test_classes_of_the_target_are_those_of_the_search():
    """It said 7.7 % in the answer and 4.90 % for the same keys in the search."""
    original, synthetic = datasets.load("SD2011"), datasets.load_synthesis("SD2011_s1")
    asked = {"targets": ["income"], "ngroups_targets": 10, "round_to": 1}
    made = report(synthetic, original, keys=KEYS, path=None, format="json", **asked)
    assert_one_truth(made)
    assert made.content["key_search"]["without"][0]["DiSCO"]["text"] == "384 (7.68 %)"


def by_column(rng: np.random.Generator, keys: list[str] | None) -> dict:
    """Random classes and exclusions of a report."""
    of_targets = {"ill": random_exclusions(rng, ["x", "y"])}
    of_targets["income"] = random_exclusions(rng, ["-8"])
    options = {"denom_lim": int(rng.integers(1, 4)), "cont_na": {"income": -8}}
    options["exclude_ov_denom_lim"] = bool(rng.integers(0, 2))
    options["usetargetsNA"] = {name: one["usetargetNA"] for name, one in of_targets.items()}
    options["ngroups_targets"] = [2, {"income": 2}][rng.integers(0, 2)]
    options["not_targetslev"] = LEFT_OUT[rng.integers(0, 4)]
    if keys is None:
        return options | {"ngroups_keys": 3, "usekeysNA": bool(rng.integers(0, 2))}
    options["ngroups_keys"] = {"age": 3} if "age" in keys else None
    options["usekeysNA"] = dict(zip(keys, map(bool, rng.integers(0, 2, len(keys)))))
    for name in PAIRS:
        options[name] = {of: pairs_of(one, keys)[name] for of, one in of_targets.items()}
    return options


@pytest.mark.parametrize("seed", range(20))
def test_every_figure_that_stands_twice_in_a_report_is_the_same(seed):
    rng = np.random.default_rng(1000 + seed)
    original, *synthetic = (random_people(rng, 30) for _ in range(2 + seed % 2))
    keys = None if seed % 5 == 4 else rng.permutation(NAMES)[: 2 + seed % 2].tolist()
    asked = {"keys": keys, "targets": TARGETS, "round_to": 1, **by_column(rng, keys)}
    if seed % 4 == 0:
        asked["candidates"] = NAMES
    made = report(synthetic, original, path=None, format="json", **asked)
    assert_one_truth(made)


@pytest.mark.parametrize("name, value", [("usekeysNA", [True, False]), ("ngroups_targets", [0, 2])])
def test_values_by_column_are_a_mapping(name, value):
    people = random_people(np.random.default_rng(1), 20)
    with pytest.raises(
        InputError, match=f"{name}: is a list; give one value for all, or a mapping"
    ):
        report(people, people, targets=TARGETS, path=None, format="md", **{name: value})


# ---- bad arguments -------------------------------------------------------------------


@pytest.mark.parametrize(
    "given, says",
    [
        ({"not_targetlev": "q"}, "not_targetlev: 'q' is not a level of 'ill'"),
        ({"not_targetlev": []}, "not_targetlev: is empty"),
        ({"not_targetlev": {"il": "x"}}, "not_targetlev: 'il' is not one of the targets; did you"),
        (
            {"not_targetlev": "x", "target": None},
            "not_targetlev: 'x'; give a mapping of the 0 targets",
        ),
        ({"exclude_keylevs": "A"}, "exclude_keys: is not given, but levels to exclude are"),
        (
            {"exclude_keys": "ill", "exclude_keylevs": "x", "exclude_targetlevs": "x"},
            "exclude_keys: 'ill' is not one of the keys; choices: town, age, job",
        ),
        (
            {"exclude_keys": "town", "exclude_keylevs": "Z", "exclude_targetlevs": "x"},
            "exclude_keylevs: 'Z' is not a level of 'town'",
        ),
        (
            {"target": TARGETS, "exclude_keys": ["town"]},
            "exclude_keys: ['town']; give a mapping of the 2 targets",
        ),
        ({"usetargetNA": "no"}, "usetargetNA: 'no' is neither True nor False"),
        ({"usekeysNA": [True, False]}, "usekeysNA: 2 values given; give one, or one for each"),
        ({"denom_lim": 0}, "denom_lim: 0 is not a whole number above 0"),
        ({"exclude_ov_denom_lim": 1}, "exclude_ov_denom_lim: 1 is neither True nor False"),
    ],
)
def test_bad_exclusions_are_named(given, says):
    people = random_people(np.random.default_rng(1), 20)
    with pytest.raises(InputError, match=re.escape(says)):
        key_risk(people, people, NAMES, **{"target": "ill", **given})


# ---- the command ---------------------------------------------------------------------

OPTIONS = {
    "--ngroups-targets=income=2": {"ngroups_target": [0, 2]},
    "--ngroups-targets=3": {"ngroups_target": 3},
    "--not-targetslev=ill=x": {"not_targetlev": {"ill": "x"}},
    "--leave-out-missing=town,income": {
        "usekeysNA": [False, True, True],
        "usetargetNA": [True, False],
    },
}


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(5)
    for name in ("original.csv", "synthetic.csv"):
        random_people(rng, 40).to_csv(name, index=False)
    words = ["--synthetic", "synthetic.csv", "--original", "original.csv"]
    return [*words, "--round-to", "1", "--json"]


@pytest.mark.parametrize("typed, given", OPTIONS.items(), ids=OPTIONS)
def test_options_of_keys_are_arguments_of_key_risk(files, capsys, typed, given):
    original, synthetic = pd.read_csv("original.csv"), pd.read_csv("synthetic.csv")
    plain = key_risk(synthetic, original, NAMES, TARGETS)
    wanted = key_risk(synthetic, original, NAMES, TARGETS, **given)
    asked = ["--candidates", ",".join(NAMES), "--targets", ",".join(TARGETS)]
    assert main(["keys", *files, *asked, *typed.split()]) == 0
    found = {}
    for row in json.loads(capsys.readouterr().out)["figures"]:
        column = f"{row['measure']} {row['target']}".strip()
        found[row["keys"], column] = 100 * row["people"] / row["of"]
    assert found == pytest.approx(by_set(wanted.table))
    assert by_set(wanted.table) != by_set(plain.table)


def by_set(table):
    """Every figure of a table of `key_risk()`, by its keys and its measure."""
    measures = [name for name in table.columns if name not in ("keys", "text", "size")]
    rows = table.to_dict("records")
    return {(", ".join(row["keys"]), name): row[name] for row in rows for name in measures}


def test_risk_leaves_out_the_same(files, capsys):
    asked = ["--keys", "town,age", "--targets", "ill"]
    assert main(["risk", *files, *asked, "--leave-out-missing", "town"]) == 0
    figures = json.loads(capsys.readouterr().out)["figures"]
    single = disclosure(
        pd.read_csv("synthetic.csv"),
        pd.read_csv("original.csv"),
        ["town", "age"],
        "ill",
        usekeysNA=[False, True],
        compat="corrected",
        print_flag=False,
    )
    found = {row["measure"]: row["people"] for row in figures}
    for measure in ("UiO", "DiSCO"):
        assert found[measure] == single.shares[0][measure].numerator


@pytest.mark.parametrize(
    "words, says",
    [
        ("--ngroups-targets 3", "--targets: none is given, but options for them are; name some"),
        ("--not-targetslev ill=x", "--targets: none is given"),
        ("--targets ill --ngroups-targets 1", "--ngroups-targets: 1 group would hide everything"),
        ("--targets ill --not-targetslev ill=q", "--not-targetslev: 'q' is not a level of 'ill'"),
        ("--leave-out-missing il", "--leave-out-missing: 'il' is not one of the keys and targets"),
    ],
)
def test_bad_options_of_keys_are_named(files, capsys, words, says):
    assert main(["keys", *files, *words.split()]) == 2
    assert says in capsys.readouterr().err
