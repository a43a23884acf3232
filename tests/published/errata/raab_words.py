"""Raab, Nowok and Dibben: sentences, labels and columns against the paper's own data and R.

R's answers are the recorded ones; s1 is the synthesis of section 2, Adult the data of section 5.
"""

from __future__ import annotations

import inspect
import warnings
from functools import cache
from typing import Any

import pandas as pd

from synthpop_py import Disclosure, RDefectWarning, disclosure
from tests.published import paper_figures as paper

from .counts import Counts, counts
from .data import original, recorded, recorded_value, synthesis
from .erratum import Erratum, figures

ADULT_KEYS = ["age", "occupation", "race", "sex"]
ONE_WAY = {"capital.gain": "0", "capital.loss": "0", "native.country": "United-States"}


@cache
def of_s1(target: str, **options: Any) -> Disclosure:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RDefectWarning)
        return disclosure(
            synthesis("SD2011_s1"),
            original("SD2011"),
            paper.KEYS,
            target,
            print_flag=False,
            **options,
        )


def counts_of_s1(target: str) -> Counts:
    return counts(original("SD2011"), synthesis("SD2011_s1").syn[0], paper.KEYS, target)


def errata() -> list[Erratum]:
    return [*section_2(), *section_3(), *section_4(), *section_5(), *appendix_1()]


# ---- section 2 -----------------------------------------------------------------------


def section_2() -> list[Erratum]:
    people = original("SD2011")
    levels = people["depress"].nunique()
    no_work, no_plan = ((people[name] == "NO").mean() for name in ("workab", "wkabint"))
    depress = of_s1("depress")
    return [
        Erratum(
            name="categories of depress",
            where="introduction",
            printed="21 categories",
            gives="21",
            shows=f"{levels} values in SD2011, and missing ones",
            ours=str(levels),
            used="what is in the data",
        ),
        Erratum(
            name="workab",
            where="section 2",
            printed="intention to work abroad",
            gives=f"{figures(100 * no_plan)} % NO (SD2011's `wkabint`)",
            shows=f"{figures(paper.CHECK_1WAY_WORKAB['PctLevelAll'])} % NO (section 4)",
            ours=f"{figures(100 * no_work)} % NO (`workab`)",
            used="worked abroad, as section 4 says",
        ),
        Erratum(
            name="singling out",
            where="section 2, on UiO",
            printed='"singling out" is the term for this type of attribute disclosure',
            gives=f"an attribute measure of the original: Dorig, {_first(depress.attrib, 'Dorig')}"
            " for depress",
            shows=f"UiO, {figures(paper.SUMMARY_IDENT['UiO'])}, under identity disclosure measures"
            " (the output above the sentence, section 3.2)",
            ours=f"{_first(depress.ident, 'UiO')}, the same for every target",
            used="identity disclosure",
        ),
    ]


def _first(table: pd.DataFrame, measure: str) -> str:
    return figures(float(table[measure].iloc[0]))


# ---- section 3 -----------------------------------------------------------------------

MARITAL_WORKAB = (37, 53)  # % DiSCO before the denominator limit, in the last paragraph


def section_3() -> list[Erratum]:
    limited = of_s1("depress", denom_lim=1, exclude_ov_denom_lim=True)
    printed = [paper.DENOM_LIM_IDENT[name] for name in ("UiO", "repU")]
    targets = ("marital", "workab")
    return [
        Erratum(
            name="identity under denom_lim",
            where="section 3.3, below the summary",
            printed="UiO and repU increase, which makes sense",
            gives=f"{figures(*by_definition())} by (1) and (4)",
            shows=figures(*printed),
            ours=f"{_identity(limited)} as R; {_identity(limited.corrected)} corrected",
            used='(1) and (4) under `compat="corrected"`: who is unique does not depend on a target'
            " (D17)",
        ),
        Erratum(
            name="DiSCO of marital and workab",
            where="section 3.3, last paragraph",
            printed="37 % for marital and 53 % for workab",
            gives=", ".join(str(value) for value in MARITAL_WORKAB),
            shows=figures(*(recorded_value(f"paper/s1/{t}", "DiSCO") for t in targets)) + " (R)",
            ours=figures(*(of_s1(t).attrib["DiSCO"].iloc[0] for t in targets)),
            used="what R gives for s1",
        ),
    ]


def by_definition() -> tuple[float, float]:
    """UiO and repU of s1 from the printed formulas."""
    found = counts_of_s1("depress")
    unique = found.combinations[found.combinations["d"] == 1]
    return 100 * len(unique) / found.Nd, 100 * (unique["s"] == 1).sum() / found.Nd


def _identity(result: Disclosure | None) -> str:
    assert result is not None
    return figures(*(result.ident[name].iloc[0] for name in ("UiO", "repU")))


# ---- section 4 -----------------------------------------------------------------------


def section_4() -> list[Erratum]:
    pairs = of_s1("workab").check_2way[0]
    of_r = recorded("paper/s1/workab")["check_2way"][0]
    with_no = pairs["target_key_levs"].astype(str).str.startswith("NO|")
    flagged = {n: one_way_flag(n) for n in (50, 51)}
    among = disclosive_shares()
    table = of_s1("marital").check_2way[0]
    return [
        Erratum(
            name="pairs of workab",
            where="section 4",
            printed='both pairs have the level "NO"',
            gives="2",
            shows=f"{len(of_r['index'])} (R)",
            ours=f'{len(pairs)}, of which {int(with_no.sum())} with "NO"',
            used="what R gives for s1",
        ),
        Erratum(
            name="one set, four rows",
            where="section 4, head of the table for marital",
            printed="one for each of 4 syntheses",
            gives="4 syntheses",
            shows=f"{len(paper.CHECK_2WAY_MARITAL)} rows of "
            f"{len(recorded('paper/s1/marital')['check_2way'])} synthesis",
            ours=f"{len(table)} rows of {len(of_s1('marital').check_2way)} synthesis",
            used="the number in R's heading is that of rows (D34)",
        ),
        Erratum(
            name="at least 50",
            where="section 4, thresh_1way",
            printed="at least 50 disclosive records for one level",
            gives="flagged from 50 on",
            shows="more than 50 (R)",
            ours=f"50: {flagged[50]}; 51: {flagged[51]}",
            used="more than, as R: both thresholds are strict",
        ),
        Erratum(
            name="share of a pair",
            where="section 4, thresh_2way",
            printed="over 80 % of the disclosive records with this key",
            gives=figures(*among),
            shows=figures(*(row[-1] for row in paper.CHECK_2WAY_MARITAL)),
            ours=figures(*table["PctTargetKeyLevel"]),
            used="of all original records with this key, as R",
        ),
    ]


def one_way_flag(records: int) -> str:
    """Whether `records` people who all have one level, and are all disclosed, are flagged."""
    people = pd.DataFrame({"k": range(records), "t": ["x"] * records})
    result = disclosure(people, people, ["k"], "t", print_flag=False)
    return "not flagged" if result.check_1way[0] is None else "flagged"


def disclosive_shares() -> list[float]:
    """For the four printed pairs: of the original records with this age whose keys are disclosive
    in s1, those with this level.
    """
    cells = counts_of_s1("marital").cells
    certainty = cells.groupby(paper.KEYS, dropna=False)["ps"].transform("max")
    disclosive = cells[certainty == 1]
    shares = []
    for _, pair, *_ in paper.CHECK_2WAY_MARITAL:
        level, age = pair.split("|")
        of_age = disclosive[disclosive["age"] == int(age)]
        shares.append(100 * of_age.loc[of_age["marital"] == level, "d"].sum() / of_age["d"].sum())
    return shares


# ---- section 5 -----------------------------------------------------------------------

ADULT_SHARES = (95, 92, 89)  # %, capital.gain, capital.loss, native.country
WITHOUT_MISSING = "NAs out, not.tlev"


def section_5() -> list[Erratum]:
    adult = original("Adult")
    shares = [100 * (adult[name].astype(str) == level).mean() for name, level in ONE_WAY.items()]
    repeated = paper.ADULT_TABLE_1[WITHOUT_MISSING]
    last = paper.ADULT_DISCO_DENOM_LIM_1
    distinct = [adult[name].nunique() for name in ("capital.gain", "capital.loss")]
    return [
        Erratum(
            name="capital.gain twice",
            where="section 5",
            printed="capital gain and capital gain, 123 and 99 distinct values",
            gives="one variable",
            shows="two numbers",
            ours=f"{distinct[0]} (capital.gain) and {distinct[1]} (capital.loss)",
            used="the second is capital.loss",
        ),
        Erratum(
            name="shares of the flagged levels",
            where="section 5",
            printed="95 %, 92 % and 89 % of records (capital.gain, capital.loss, native.country)",
            gives=", ".join(str(value) for value in ADULT_SHARES),
            shows=f"{figures(*shares)} in Adult",
            ours=figures(*shares),
            used="the first two are exchanged, the third is cut, not rounded",
        ),
        Erratum(
            name="third column of Table 1",
            where="Table 1, third pair of columns",
            printed="missing values left out: Dorig of workclass 14.27, all ten targets as before",
            gives=f"{targets_changed(repeated)} of 10 targets change",
            shows=f"workclass falls (section 5, text); {figures(_recorded_without_missing())} (R)",
            ours=f"{figures(_workclass_without_missing())}",
            used="the column as printed repeats the one before it",
        ),
        Erratum(
            name="last columns of Table 1",
            where="section 5, below Table 1",
            printed="low for all variables, except those flagged by check_1way",
            gives="the three flagged ones are the highest",
            shows=f"native.country {figures(last['native.country'])}, flagged, is below workclass"
            f" {figures(last['workclass'])}, not flagged",
            ours=_order_of_last_column(),
            used="the table",
        ),
        *names_of_arguments(),
    ]


def targets_changed(column: dict[str, float]) -> int:
    before = paper.ADULT_TABLE_1["not.tlev"]
    return sum(column[target] != before[target] for target in before)


def _recorded_without_missing() -> float:
    return recorded_value("adult/table1/not.targetlev+NA/workclass", "Dorig")


def _adult(target: str, **options: Any) -> Disclosure:
    return disclosure(
        synthesis("Adult_cart"),
        original("Adult"),
        ADULT_KEYS,
        target,
        print_flag=False,
        compat="corrected",
        **options,
    )


@cache
def _workclass_without_missing() -> float:
    result = _adult("workclass", usetargetNA=False, usekeysNA=False)
    return float(result.attrib["Dorig"].iloc[0])


@cache
def _order_of_last_column() -> str:
    found = {
        target: _adult(target, denom_lim=1, exclude_ov_denom_lim=True).attrib["DiSCO"].iloc[0]
        for target in ("native.country", "workclass")
    }
    return ", ".join(f"{target} {value:.2f}" for target, value in found.items()) + " (our CART)"


# Names of arguments in section 5 and 3.3, and what the paper's own calls and R say.
ARGUMENTS = {
    "not.target": "not.targetlev",
    "exclude.targetlev": "exclude.targetlevs",
    "exclude_over_denom_lim": "exclude_ov_denom_lim",
}


def names_of_arguments() -> list[Erratum]:
    known = set(inspect.signature(disclosure).parameters)

    def accepted(names: Any) -> int:
        return sum(name.replace(".", "_") in known for name in names)

    return [
        Erratum(
            name="names of arguments",
            where="sections 3.3 and 5",
            printed=", ".join(f"`{name}`" for name in ARGUMENTS),
            gives=f"{accepted(ARGUMENTS)} of {len(ARGUMENTS)} are arguments",
            shows=", ".join(f"`{name}`" for name in ARGUMENTS.values()) + " (R)",
            ours=f"{accepted(ARGUMENTS.values())} of {len(ARGUMENTS)} are arguments",
            used="R's names",
        )
    ]


# ---- appendix 1 ----------------------------------------------------------------------

FIRST_SYNTHETIC = ("FEMALE", 39, "Zachodnio-pomorskie", "URBAN 100,000-200,000")


def appendix_1() -> list[Erratum]:
    s1 = synthesis("SD2011_s1").syn[0]
    first = s1.iloc[0]
    shown = " | ".join((first["sex"], f"{first['age']:.0f}", first["region"], first["placesize"]))
    return [
        Erratum(
            name="first synthetic record",
            where="appendix 1",
            printed=", ".join(str(value) for value in FIRST_SYNTHETIC),
            gives="1 record or more",
            shows=f"{times_in(s1, FIRST_SYNTHETIC)} records of s1",
            ours=f"s1 begins with {shown}",
            used="s1 as R makes it from the printed seed",
        )
    ]


def times_in(frame: pd.DataFrame, keys: tuple[Any, ...]) -> int:
    alike = pd.Series(True, index=frame.index)
    for name, value in zip(paper.KEYS, keys):
        alike &= frame[name] == value
    return int(alike.sum())
