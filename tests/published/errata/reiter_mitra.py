"""Reiter and Mitra: a label against the data, and a case that the paper leaves open."""

from __future__ import annotations

from fractions import Fraction

import pandas as pd

from synthpop_py.matching import identification_risk
from tests.published import reiter_mitra_figures as paper

from .data import original
from .erratum import Erratum


def errata() -> list[Erratum]:
    return [uniques(), outside_the_file()]


def uniques() -> Erratum:
    youths = recoded()
    with_sex = held_by_one(youths, "sex")
    with_ethnicity = held_by_one(youths, "ethnicty")
    return Erratum(
        name="facility, race, and sex",
        where="section 3",
        printed="64 youths have unique combinations of facility, race, and sex",
        gives=f"{with_sex} (sex)",
        shows=f"{paper.UNIQUE_YOUTHS} (text)",
        ours=f"{with_ethnicity} (ethnicity)",
        used="ethnicity, the intruder's third key; missing is not Hispanic there, and a level of"
        " race",
    )


def recoded() -> pd.DataFrame:
    """The 2,562 youths, with the gaps in ethnicity taken for "not Hispanic"."""
    survey = original("syc")
    youths = survey[~survey["psu"].isin(paper.REMOVED)]
    return youths.assign(ethnicty=youths["ethnicty"].astype(object).fillna("notHispanic"))


def held_by_one(youths: pd.DataFrame, third: str) -> int:
    """Combinations of facility, race and a third key that one youth has; gaps are a level."""
    groups = youths.groupby(["psu", "race", third], dropna=False, observed=True).size()
    return int((groups == 1).sum())


# A woman of A is alone in the population; synthesis brings a second one into the file.
PEOPLE = pd.DataFrame({"sex": ["f", "f", "m"], "town": ["A", "B", "A"]})
RELEASED = PEOPLE.assign(town=["A", "A", "A"])
CENSUS = {("f", "A"): 1, ("f", "B"): 3, ("m", "A"): 2}


def outside_the_file() -> Erratum:
    in_population = CENSUS["f", "A"]
    matching = int((RELEASED["sex"] == "f").sum())
    printed = Fraction(in_population - matching, in_population)
    risk = identification_risk(RELEASED, PEOPLE, known="sex", synthesised="town", population=CENSUS)
    outside = 1 - risk.records().loc[0, "in_file"]
    return Erratum(
        name="N_t below n_t",
        where="section 2.1",
        printed="Pr(J = n + 1) = (N_t - n_t) / N_t, N_t from a census",
        gives=f"{printed} where N_t = {in_population} and {matching} synthetic records match",
        shows="a probability",
        ours=f"{outside:.0f}",
        used="N_t is never taken below n_t",
        kind="extension",
    )
