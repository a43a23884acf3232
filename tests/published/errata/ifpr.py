"""Zhang, Nayak and You (2017): the slides against their own tables, their formula and arithmetic.

The Maryland file itself is not here; what can be said without it is said here.
"""

from __future__ import annotations

import numpy as np

from synthpop_py.ifpr import ifpr_risk, ifpr_theta, ifpr_variance, ifpr_xi
from synthpop_py.ifpr.release import sampling_sd
from tests.published import ifpr_slides as slides
from tests.published.ifpr_slides import total_variation

from .erratum import Erratum, figures

THETA, XI = 0.8, 0.395
# Shares as printed beside the counts of the race table, original and perturbed.
RACE_SHARES = {
    "White": (".6302", ".6302"),
    "Black": (".2581", ".2581"),
    "American Indian alone": (".0016", ".0015"),
    "American Indian & Alaska Native": (".0007", ".0008"),
    "Asian": (".0586", ".0567"),
    "Native Hawaiian & other Pacific Islander": (".0004", ".0004"),
    "Some other race alone": (".0228", ".0227"),
    "Two or more races": (".0275", ".0280"),
}


def errata() -> list[Erratum]:
    return [
        share_of_the_data(),
        labels_of_blocks(),
        rounded_goals(),
        two_singles(),
        inflation(),
        sd_column(),
        lost_people(),
        shares_of_races(),
        margin_of_race(),
    ]


# ---- method --------------------------------------------------------------------------


def share_of_the_data() -> Erratum:
    rare = slides.SINGLES + 2 * slides.DOUBLES
    return Erratum(
        name="40 % of data",
        where="step 0",
        printed="13,662 singles and 9,554 units of doubles are 40 % of the data",
        gives="40 %",
        shows=f"{rare:,} of {slides.RECORDS:,}",
        ours=f"{100 * rare / slides.RECORDS:.1f} %",
        used="the counts",
        kind="rounding",
    )


def labels_of_blocks() -> Erratum:
    units = {group: sum(row) for group, row in slides.UNITS.items()}
    people = people_by_group()
    fitting = [label for label, number in units.items() if number <= people["Others"]]
    told = ", ".join(f"{label} {number:,}" for label, number in units.items())
    return Erratum(
        name="labels of blocks",
        where="step 1, block distribution",
        printed=f"rare units by race: {told}",
        gives=f"{units['Others']:,} rare people of other races",
        shows=f"{people['Others']:,} people of other races in all (race table)",
        ours=f"only the {units[fitting[0]]:,} units labelled {', '.join(fitting)} can be other"
        " races",
        used="as printed, and relabelled White, Black, Others from the top",
    )


def people_by_group() -> dict[str, int]:
    """White, black and all other people of the race table, before the release."""
    before = {race: row[0] for race, row in slides.RACE_TABLE.items()}
    white, black = before.pop("White"), before.pop("Black")
    return {"White": white, "Black": black, "Others": sum(before.values())}


def rounded_goals() -> Erratum:
    missed = {
        xi: ifpr_xi(theta)
        for xi, theta in slides.THETA_OF_XI.items()
        if ifpr_xi(theta) > xi + 1e-12
    }
    return Erratum(
        name="goals of the theta table",
        where="step 2, theta given xi",
        printed="theta meets the goal xi, for " + ", ".join(f"{xi:.3f}" for xi in missed),
        gives="at most " + figures(*missed, digits=6),
        shows="IR(a) ≤ xi for all a (goal)",
        ours=figures(*missed.values(), digits=6),
        used="theta of the exact xi: " + figures(*map(_theta, missed), digits=5),
        kind="rounding",
    )


def _theta(xi: float) -> float:
    theta = ifpr_theta(xi)
    assert isinstance(theta, float)
    return theta


def two_singles() -> Erratum:
    return Erratum(
        name="guarantee",
        where="step 0",
        printed="guarantees the goal for xi > 1/3",
        gives=f"at most {XI}",
        shows="1/2 by hand: both in one cell, one of two records",
        ours=f"{ifpr_risk(THETA, T=1, a=2, block={1: 2}):.4f} in a block of two singles",
        used="every block is checked, and joined to a neighbour where it misses the goal",
    )


# ---- utility -------------------------------------------------------------------------


def inflation() -> Erratum:
    """Summed over cells, in the limit of large blocks; the sampling variance of all cells together
    is a little less than n.
    """
    added = slides.SINGLES * ifpr_variance(THETA, T=1) + slides.DOUBLES * ifpr_variance(THETA, T=2)
    return Erratum(
        name="variance inflation",
        where="part III",
        printed="negligible in comparison to the sampling variance, for estimating Π",
        gives="near 0 %",
        shows=f"n Σ π(1 - π) < n = {slides.RECORDS:,}, summed over all cells",
        ours=f"{added:,.0f} added, {100 * added / slides.RECORDS:.1f} % of n",
        used="small for margins, not for single cells",
    )


def sd_column() -> Erratum:
    counts = np.array([row[0] for row in slides.MARITAL_TABLE.values()])
    printed = [row[3] for row in slides.MARITAL_TABLE.values()]
    shares = (counts / slides.RECORDS).round(4)
    rounded = np.sqrt(slides.RECORDS * shares * (1 - shares))
    return Erratum(
        name="SD of marital status",
        where="part III, first table",
        printed="SD " + figures(*printed),
        gives=figures(*rounded) + " from shares of four digits",
        shows=figures(*printed),
        ours=figures(*sampling_sd(counts)),
        used="sqrt(n p (1 - p)) of the counts: sampling, not randomisation",
        kind="rounding",
    )


def lost_people() -> Erratum:
    before, after = np.array(list(slides.RACE_TABLE.values())).T
    asians = slides.RACE_TABLE["Asian"][1]
    return Erratum(
        name="Asians",
        where="part III, race table",
        printed=f"{asians:,} Asians after the release",
        gives=f"{after.sum():,} people after the release",
        shows=f"{before.sum():,} before; nobody leaves a block",
        ours=f"{asians + before.sum() - after.sum():,} Asians make the sums agree",
        used=f"{asians + before.sum() - after.sum():,}; the share {RACE_SHARES['Asian'][1]} goes"
        f" with {asians:,}, so that the slip came first",
    )


def shares_of_races() -> Erratum:
    wrong = {}
    for race, shares in RACE_SHARES.items():
        for count, printed in zip(slides.RACE_TABLE[race], shares):
            correct = f"{count / slides.RECORDS:.4f}"[1:]
            if correct != printed:
                wrong[count] = (printed, correct)
    return Erratum(
        name="shares of races",
        where="part III, race table",
        printed=", ".join(f"{count:,} ({printed})" for count, (printed, _) in wrong.items()),
        gives=", ".join(printed for printed, _ in wrong.values()),
        shows=f"the counts, of {slides.RECORDS:,}",
        ours=", ".join(correct for _, correct in wrong.values()),
        used="the counts",
        kind="rounding",
    )


def margin_of_race() -> Erratum:
    before, after = np.array(list(slides.RACE_TABLE.values())).T
    # as printed 100 people are missing after the release, so that ways to count it differ
    half = np.abs(before - after).sum() / 2 / slides.RECORDS
    lost = np.maximum(before - after, 0).sum() / slides.RECORDS
    repaired = after.copy()
    repaired[list(slides.RACE_TABLE).index("Asian")] += before.sum() - after.sum()
    return Erratum(
        name="TVD of race and puma",
        where="part III, TVD",
        printed=f"{slides.TVD['race', 'puma']:.4f} for (race, puma)",
        gives=f"race alone at most {slides.TVD['race', 'puma']:.4f}",
        shows=f"race alone {half:.4f} (race table as printed: half of all differences, of"
        f" {slides.RECORDS:,}), {total_variation(before, after):.4f} (each column by its own total)"
        f" or {lost:.4f} (people lost only, of {slides.RECORDS:,})",
        ours=f"race alone {total_variation(before, repaired):.4f} with the Asians above",
        used="read as 0.013, a digit lost: near that are all releases of the rebuilt file",
    )
