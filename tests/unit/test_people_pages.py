"""Pages about people say nothing but what follows from shown counts: two results that are rounded
alike have the same page.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from synthpop_py import datasets, disclosure, multi_disclosure
from synthpop_py.rounding import MEASURES, PROMISE, counts, shown
from synthpop_py.show import pages, people_pages, printing

N, UIS = 237, 61
LEVEL = {
    "Level": "NO",
    "All": 150,
    "PctLevelAll": 63.3,
    "totalDisclosive": 110,
    "nLevelDis": 105,
    "PctLevelDis": 95.5,
}
PAIR = {
    "target_key_levs": "NO|18",
    "npairs": 20,
    "key": "age",
    "key_target_total": 19,
    "key_total": 20,
    "PctTargetKeyLevel": 95.0,
}


def result_of(rows: list[dict[str, int]], **fields: Any) -> Any:
    """The public fields of a `Disclosure` that pages read."""
    shares = [
        {name: SimpleNamespace(numerator=n) for name, n in (row | {"UiS": UIS}).items()}
        for row in rows
    ]
    nothing = [None] * len(rows)
    public = {
        "shares": tuple(shares),
        "Norig": N,
        "m": len(rows),
        "corrected": None,
        "keys": ("sex", "age"),
        "target": "job",
        "certainty": 1.0,
        "groupings": {},
        "check_1way": nothing,
        "check_2way": nothing,
        "notes": (),
        "baseline": None,
    }
    return SimpleNamespace(**(public | fields))


def rows_at(rng: np.random.Generator, m: int) -> list[dict[str, int]]:
    rows = []
    for _ in range(m):
        row = {name: int(rng.integers(0, N + 1)) for name in MEASURES}
        rows.append(row | {"repU": min(row["repU"], UIS)})
    return rows


def shown_alike(rng: np.random.Generator, rows: list[dict[str, int]]) -> list[dict[str, int]]:
    """Other counts that are shown as these are."""
    found = []
    for row in rows:
        other = {}
        for name, n in row.items():
            known = (N, UIS) if name == "repU" else (N,)
            alike = [x for x in range(min(known) + 1) if shown(x, *known) == shown(n, *known)]
            other[name] = int(rng.choice(alike))
        found.append(other)
    return found


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("m", [1, 3])
def test_results_that_are_rounded_alike_have_the_same_page(seed: int, m: int) -> None:
    rng = np.random.default_rng(seed)
    rows = rows_at(rng, m)
    one, other = result_of(rows), result_of(shown_alike(rng, rows))
    assert counts(one, 10).equals(counts(other, 10))
    for make in (people_pages.headline, people_pages.sections):
        assert str(_text(make([one], 10))) == str(_text(make([other], 10)))


@pytest.mark.parametrize("seed", range(20))
def test_so_have_results_of_several_targets(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = {name: rows_at(rng, 2) for name in ("job", "town", "income")}
    both = []
    for alike in (False, True):
        of_each = {
            name: result_of(shown_alike(rng, of) if alike else of, target=name)
            for name, of in rows.items()
        }
        both.append(list(of_each.values()))
    for make in (people_pages.headline, people_pages.sections):
        assert _text(make(both[0], 10)) == _text(make(both[1], 10))


def _text(made: Any) -> str:
    return "\n".join(made) if isinstance(made[0], str) else printing.text(made)


def test_everybody_and_nobody_are_never_told() -> None:
    row = dict.fromkeys(MEASURES, N) | {"repU": 0}
    page = printing.text(people_pages.sections([result_of([row])], 10))
    assert "nearly all" in page and "fewer than 5" in page
    assert "100 %" not in page and "237" not in page and " 0 %" not in page
    assert page.replace("\n", " ").endswith(PROMISE)


def test_levels_and_pairs_are_named_if_enough_people_have_them() -> None:
    row = dict.fromkeys(MEASURES, 110) | {"repU": 20}

    def page(level: dict[str, Any], pair: dict[str, Any]) -> str:
        checks = {
            "check_1way": [pd.DataFrame([level])],
            "check_2way": [pd.DataFrame([pair])],
        }
        told = printing.text(people_pages.sections([result_of([row], **checks)], 10))
        return " ".join(told.split())

    told = page(LEVEL, PAIR)
    assert "Over 90 % of those whose job is revealed have the value NO" in told
    assert "so have over 50 % of all people" in told
    assert "NO|18 (job|age): over 90 % of the people with this key" in told
    assert "95" not in told and "150" not in told
    few = page(LEVEL | {"All": 9}, PAIR | {"key_target_total": 9})
    assert "NO" not in few


def test_classes_are_not_named_because_they_end_at_values_of_people() -> None:
    rng = np.random.default_rng(1)
    keys = rng.integers(0, 10, 300)
    incomes = rng.integers(1000, 2000, 300) + np.where(keys < 5, 4000, 0)
    people = pd.DataFrame({"k": keys, "income": incomes.astype(float)})
    fake = people.copy()
    people.loc[7, ["k", "income"]] = 987654321, 987654.25
    result = disclosure(
        *(fake, people, "k", "income"),
        ngroups_keys=2,
        ngroups_target=2,
        thresh_1way=(5, 30),
        thresh_2way=(1, 50),
        certainty=0.6,
        compat="corrected",
        print_flag=False,
    )
    assert any("987654.25]" in text for text in result.check_2way[0]["target_key_levs"])
    for page in (result.to_markdown(), result.to_html()):
        assert "have a value of one class" in page and "|one class (income" in page
        assert "98765" not in page


def test_precision_needs_a_hundred_people() -> None:
    def told(revealed: int) -> str:
        row = dict.fromkeys(MEASURES, revealed) | {"repU": 0, "DiSCO": 50}
        page = printing.text(people_pages.sections([result_of([row])], 10))
        return next(line for line in page.split("\n") if line.startswith("job"))

    assert told(100).endswith(" 50 %") and told(94).endswith(" -")


# ---- real results --------------------------------------------------------------------


def test_a_page_of_real_data_has_no_exact_count() -> None:
    made, people = datasets.load_synthesis("SD2011_s1"), datasets.load("SD2011")
    keys, targets = ["sex", "age", "region", "placesize"], ["depress", "marital"]
    summary = multi_disclosure(made, people, keys, targets, compat="corrected", print_flag=False)
    html = pages.html_fragment(people_pages.sections(list(summary.output_list.values()), 10))
    for target in targets:
        result = disclosure(made, people, keys, target, compat="corrected", print_flag=False)
        html += pages.html_fragment(people_pages.sections([result], 10))
        for measure in MEASURES:
            n = int(result.shares[0][measure].numerator)
            assert f"{shown(n, 5000):,}" in html
            if n % 10:
                assert f">{n:,}<" not in html and f">{n}<" not in html


def test_non_members_stand_beside_people() -> None:
    people, others = datasets.load("SD2011").iloc[:3000], datasets.load("SD2011").iloc[3000:]
    made = datasets.load_synthesis("SD2011_s1")
    keys = ["sex", "age", "region", "placesize"]
    result = disclosure(
        made, people, keys, "depress", holdout=others, compat="corrected", print_flag=False
    )
    assert result.baseline is not None
    n = result.baseline.set_index("measure").loc["DiSCO", "numerator_non_members"]
    told = printing.text(people_pages.sections([result], 10))
    assert "Beside 2,000 non-members (holdout)" in told
    beside = told.partition("Beside")[2].partition("\n\n")[0]
    assert f" {shown(n, 2000) / 20:.1f} % " in beside
