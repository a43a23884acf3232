"""Seeds of releases are secrets: what is drawn from, who is warned, and that no seed is kept."""

from __future__ import annotations

import os
import pickle
import secrets
import warnings
from functools import cache

import numpy as np
import pandas as pd
import pytest

from synthpop_py import (
    DataWarning,
    InputError,
    SeedWarning,
    SynDS,
    add_noise,
    identification_risk,
    ifpr,
    partial_synthesis,
    risk_utility_by_m,
    ru_map,
    swap,
    syn,
)
from synthpop_py.estimation import Means
from synthpop_py.release_seed import SystemGenerator, release_generator
from synthpop_py.study import generated_establishments
from synthpop_py.synthesis import Multinomial, NormalRegression
from synthpop_py.synthesis.stream import RStream

MODELS = [Multinomial("town", ["age"]), NormalRegression("income", ["sex"])]
DISTINCTIVE = 0xC0FFEE_5EED_0123456789ABCDEF_7777  # 120 bits
OF_R = 1_987_654_321  # R's seeds have no more than 31 bits


@cache
def people() -> pd.DataFrame:
    """40 people; sex and town say little about a person, age says who it is."""
    income = np.random.default_rng(5).integers(500, 900, 40) * 1.0
    frame = pd.DataFrame({"sex": list("fm") * 20, "town": list("AABB") * 10})
    return frame.assign(age=np.arange(20.0, 60.0), income=income)


# every function that makes data for others, and how to see what it drew
RELEASES = {
    "add_noise": lambda **seed: add_noise(people(), "income", sd=50, **seed),
    "swap": lambda **seed: swap(people(), "sex", "age", rate=0.5, **seed),
    "ifpr": lambda **seed: ifpr(people(), ["sex", "age"], xi=0.4, **seed).data,
    "partial_synthesis": lambda **seed: partial_synthesis(people(), MODELS, m=1, **seed).syn[0],
}


def caught(call, **seed) -> list[warnings.WarningMessage]:
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        call(**seed)
    return given


# ---- who is warned -------------------------------------------------------------------


@pytest.mark.parametrize("name", RELEASES)
@pytest.mark.parametrize("seed", [0, 4711, np.int64(4711), 2**99 - 1])
def test_a_seed_that_can_be_guessed_warns_once_per_call(name, seed):
    given = caught(RELEASES[name], seed=seed)
    assert [warning.category for warning in given] == [SeedWarning]
    text = str(given[0].message)
    assert text.startswith("seed: ") and "can be undone" in text
    assert "secrets.randbits(128)" in text and "reproducible=True" in text
    assert str(int(seed)) not in text.replace("100 bits", "").replace("randbits(128)", "")


HARMLESS = {
    "no": {},
    "None": {"seed": None},
    "100 bits": {"seed": 2**99},
    "128 bits": {"seed": secrets.randbits(128) | 2**127},
    "generator": {"seed": np.random.default_rng(1)},
    "reproducible": {"seed": 1, "reproducible": True},
    "both": {"seed": np.random.default_rng(1), "reproducible": True},
}


@pytest.mark.parametrize("name", RELEASES)
@pytest.mark.parametrize("seed", HARMLESS.values(), ids=HARMLESS)
def test_other_seeds_do_not_warn(name, seed):
    assert caught(RELEASES[name], **seed) == []


def attacked(attack: str, **more):
    files = [people(), people()]
    return identification_risk(
        files, people(), known="sex", synthesised="town", attack=attack, **more
    )


def studied(**seed):
    income = Means("income", by="town")
    return risk_utility_by_m(MODELS[:1], people(), income, known="sex", designs=(2,), **seed)


ANALYSES = {
    "audit": lambda **seed: ifpr(people(), ["sex", "age"], xi=0.4).audit(2, **seed),
    "ties": lambda **seed: attacked("mode", **seed),
    "model attack": lambda **seed: attacked("model", models=MODELS[:1], draws=2, **seed),
    "bootstrap": lambda **seed: ru_map(
        {"a": people()}, people(), keys=["sex"], bootstrap=2, **seed
    ),
    "study": studied,
    "generated data": lambda **seed: generated_establishments(20, **seed),
}


@pytest.mark.parametrize("name", ANALYSES)
def test_seeds_of_analyses_do_not_warn(name):
    given = caught(ANALYSES[name], seed=1)
    assert [w for w in given if w.category is SeedWarning] == []


@pytest.mark.parametrize("name", RELEASES)
def test_a_release_that_cannot_be_repeated_is_not_called_reproducible(name):
    with pytest.raises(InputError, match="reproducible: True, but seed is not given"):
        RELEASES[name](reproducible=True)
    with pytest.raises(InputError, match="reproducible: 'yes'"):
        RELEASES[name](seed=1, reproducible="yes")


# ---- what is drawn from --------------------------------------------------------------


@pytest.mark.parametrize("name", RELEASES)
def test_a_seed_gives_the_same_release_and_none_never_does(name):
    release = RELEASES[name]
    again = [release(seed=7, reproducible=True) for _ in range(2)]
    assert again[0].equals(again[1])
    assert not release().equals(release())


@pytest.mark.parametrize("name", [*RELEASES, "syn"])
def test_without_a_seed_every_draw_comes_from_the_operating_system(name, monkeypatch):
    """An operating system that repeats itself makes the same release again: nothing else draws."""
    release = RELEASES.get(name, lambda: syn(people(), print_flag=False).syn[0])

    def made() -> pd.DataFrame:
        source = np.random.default_rng(3)
        monkeypatch.setattr(os, "urandom", source.bytes)
        return release()

    first = made()
    assert first.equals(made()) and not first.equals(people())
    monkeypatch.undo()
    assert not first.equals(release())


def drawn_from(words: list[int], monkeypatch) -> SystemGenerator:
    """A generator whose operating system has only these words left."""
    left = np.array(words, dtype=np.uint64).tobytes()

    def urandom(size: int) -> bytes:
        nonlocal left
        assert size <= len(left)
        taken, left = left[:size], left[size:]
        return taken

    generator = SystemGenerator()
    monkeypatch.setattr(os, "urandom", urandom)
    return generator


HALF, MOST = 2**63, 2**64 - 1


def test_uniforms_are_the_first_53_bits_of_a_word(monkeypatch):
    generator = drawn_from([0, HALF, MOST, HALF], monkeypatch)
    assert generator.random((3,)).tolist() == [0.0, 0.5, 1 - 2.0**-53]
    assert generator.random() == 0.5


def test_normals_are_quantiles_with_a_sign(monkeypatch):
    """The last bit of a word is the sign; a quarter, the lower half's median, is at -0.6745."""
    generator = drawn_from([0, 1, HALF, HALF + 1, MOST, MOST - 1, HALF], monkeypatch)
    highest, lowest, plus, minus, nearly, nothing = generator.standard_normal(6).tolist()
    assert lowest == -highest and 8 < highest < 9
    assert (plus, minus) == pytest.approx((0.67448975, -0.67448975))
    assert abs(nearly) < 1e-15 and abs(nothing) < 1e-15
    assert generator.standard_normal() == pytest.approx(0.67448975)


def test_whole_numbers_are_equally_likely(monkeypatch):
    """2 ** 64 is 1 more than a multiple of 3: the last word would favour 0 and is drawn again."""
    generator = drawn_from([5, MOST, MOST, 7], monkeypatch)
    assert generator.integers(0, [3, 3]).tolist() == [2, 1]
    generator = drawn_from([MOST, 9, 6, 6], monkeypatch)
    assert generator.integers(4) == 3  # every word will do where the bound is a power of 2
    assert generator.integers(10, 15) == 14
    assert generator.integers(5, size=(1, 2)).tolist() == [[1, 1]]
    with pytest.raises(ValueError, match="low >= high"):
        generator.integers(0, [2, 0])


def test_draws_look_as_they_should():
    """Within 6 standard deviations, so that 1 run in 10 ** 8 fails."""
    generator = SystemGenerator()
    n = 100_000
    normal = generator.standard_normal(n)
    assert abs(normal.mean()) < 6 / n**0.5 and abs(normal.var() - 1) < 6 * (2 / n) ** 0.5
    uniform = generator.random(n)
    assert abs(uniform.mean() - 0.5) < 6 * (1 / 12 / n) ** 0.5
    die = np.bincount(generator.integers(0, np.full(n, 6)), minlength=6) / n
    assert np.abs(die - 1 / 6).max() < 6 * (5 / 36 / n) ** 0.5
    assert abs(np.corrcoef(normal[1:], normal[:-1])[0, 1]) < 6 / n**0.5


def test_nothing_is_drawn_for_nobody():
    generator = SystemGenerator()
    assert generator.random(0).shape == (0,) and generator.standard_normal((0, 2)).shape == (0, 2)
    assert generator.integers(0, np.zeros(0, dtype=int)).shape == (0,)


def test_other_distributions_and_types_are_numpys():
    generator = SystemGenerator()
    assert generator.gamma(2.0, size=3).shape == (3,)
    assert generator.random(2, dtype=np.float32).dtype == np.float32
    assert generator.standard_normal(2, dtype=np.float32).dtype == np.float32
    assert generator.integers(9, size=2, dtype=np.uint8).dtype == np.uint8
    assert generator.integers(5, endpoint=True) in range(6)
    given = np.full(2, 9.0)
    assert generator.random(out=given) is given and (given < 1).all()


def test_a_generator_is_passed_on():
    given = np.random.default_rng(1)
    assert release_generator(given) is given


# ---- syn() ---------------------------------------------------------------------------


def sampled(number: int, **more) -> list[warnings.WarningMessage]:
    """The warnings of a synthesis in which so many columns are sampled, the others copied."""
    methods = ["sample"] * number + [""] * (4 - number)
    given = caught(lambda: syn(people(), methods, print_flag=False, **more))
    copied = [warning for warning in given if warning.category is DataWarning]
    assert len(copied) == (number < 4)
    return [warning for warning in given if warning not in copied]


@pytest.mark.parametrize("number", [2, 4])
def test_syn_warns_where_a_seed_joins_sampled_columns(number):
    given = sampled(number, seed=OF_R)
    assert [warning.category for warning in given] == [SeedWarning]
    text = str(given[0].message)
    assert f"{number} columns are sampled" in text and "leave seed out" in text
    assert str(OF_R) not in text


def test_syn_does_not_warn_otherwise():
    assert sampled(1, seed=1) == sampled(4) == sampled(4, seed=1, reproducible=True) == []
    assert caught(lambda: syn(people(), print_flag=False, seed=1)) == []


def test_the_seed_joins_sampled_columns():
    """Why `syn` warns: the rows drawn follow from the seed and the number of records."""
    columns = people()[["town", "age"]]
    made = syn(columns, "sample", seed=4711, reproducible=True, print_flag=False).syn[0]
    stream = RStream(4711)
    rows = {name: stream.below(40, 40) for name in columns}
    found = pd.DataFrame({name: pd.Series(dict(zip(rows[name], made[name]))) for name in columns})
    found = found.dropna()
    assert len(found) > 10 and found.equals(columns.loc[found.index])


# ---- no seed is kept -----------------------------------------------------------------

KEPT = {
    "ifpr": lambda **seed: ifpr(people(), ["sex", "age"], xi=0.4, **seed),
    "partial_synthesis": lambda **seed: partial_synthesis(people(), MODELS, m=2, **seed),
    "syn": lambda **seed: syn(people(), print_flag=False, **seed),
    **{name: ANALYSES[name] for name in ("audit", "ties", "bootstrap", "study")},
}
SEEDS = {name: OF_R if name == "syn" else DISTINCTIVE for name in KEPT}
RELEASED = ("ifpr", "partial_synthesis", "syn")


@pytest.mark.parametrize("name", KEPT)
def test_no_view_of_a_result_has_the_seed(name):
    seed = SEEDS[name]
    result = KEPT[name](seed=seed)
    views = [repr(result), result.summary(), result.to_html(), result.to_markdown()]
    views += [result.to_json(), str(result.to_dict()), str(getattr(result, "meta", ""))]
    for view in map(str, views):
        assert str(seed) not in view and f"{seed:x}" not in view.lower()


@pytest.mark.parametrize("name", RELEASED)
def test_no_part_of_a_release_has_the_seed(name):
    assert not in_bytes(SEEDS[name], pickle.dumps(KEPT[name](seed=SEEDS[name])))


def in_bytes(seed: int, pickled: bytes) -> bool:
    length = (seed.bit_length() + 7) // 8
    return seed.to_bytes(length, "little") in pickled or str(seed).encode() in pickled


@pytest.mark.parametrize("seed", [DISTINCTIVE, OF_R])
def test_a_seed_that_was_kept_would_be_found(seed):
    assert in_bytes(seed, pickle.dumps(SynDS(people(), meta={"call": {"s": seed}})))
    assert in_bytes(seed, pickle.dumps(SynDS(people(), meta={"call": f"syn(d, {seed})"})))


def test_meta_of_a_partial_synthesis_has_no_place_for_a_seed():
    assert "seed" not in partial_synthesis(people(), MODELS, m=1).meta
