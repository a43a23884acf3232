"""Was this person in the data? `membership()`: attacks that give each record a score, tried on the
records that the synthesiser saw (members) and on people of the same population that it never saw.

An attack that scores members higher has learnt from the synthetic data who was in the original. A
distance is an attack's score here and never a verdict on the data: data can be far from every
original record and still reveal who was in it.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from .arguments import (
    check_choice,
    check_flag,
    check_in_every_set,
    check_number,
    check_whole,
    chosen_columns,
    listed,
    random_generator,
)
from .cells import combine, occurring
from .core.arrays import Flags, Floats, Integers
from .core.columns import Column
from .data import Data, open_data
from .errors import DataWarning, InputError, SlowWarning, found_so_far, some, warn, warning_once
from .holdout import shared_records
from .levels import count, factorise, match
from .rounding import percent, shown
from .show.printing import Sections, Table
from .show.values import column_name
from .show.views import Drawn
from .tables.comparable import about, check_comparable, warn_of_mismatch
from .tables.opening import open_table, refuse_released

__all__ = ["Membership", "membership"]

ATTACKS = ("distance", "distance_difference", "density", "density_ratio", "cells")
WITH_REFERENCE = ("distance_difference", "density_ratio", "cells")
NUMBERS_ONLY = ("density", "density_ratio")
FALSE_POSITIVES = (0.001, 0.01, 0.1)
CONFIDENCE = 0.95
Z = 1.959963984540054  # of a normal distribution: 95 % lie within
FEWEST = 100  # members, or non-members, below which intervals say little
MOST_LEVELS = 200  # of a variable that is compared by distance
CLASSES = 10  # of a number, where cells are counted
PRIOR = 1.0  # record added to each count of a cell, so that an empty one has a score too
LARGEST = 1e150  # a number whose square is still one
TINY = 1e-20  # added to a density, so that none is divided by 0
MOST_KERNELS = 4e8  # pairs of records whose kernels are computed in about a minute


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Membership(Drawn):
    """What attacks find out about who was in the original data.

    Attributes
    ----------
    table : DataFrame
        One row per attack: auc (the chance that a member scores higher than a non-member, ties
        half; 0.5: no better than guessing), auc_low, auc_high (95 % interval), tpr_at_0.001,
        tpr_at_0.01, tpr_at_0.1 (share of members found where so many of the non-members are
        accused), advantage (largest difference of the two shares).
    scores : dict of attack to the scores of members and of non-members
    variables, members, non_members, reference, m : what was compared; numbers of records.
    notes : what to know before a figure is trusted.
    """

    table: pd.DataFrame
    scores: Mapping[str, tuple[Floats, Floats]]
    variables: tuple[Hashable, ...]
    members: int
    non_members: int
    reference: int
    m: int
    notes: tuple[str, ...] = ()

    @property
    def strongest(self) -> str:
        """The attack with the highest AUC. It was chosen by its result, so its interval is too
        narrow: decide on an attack beforehand to test a claim.
        """
        return str(self.table["auc"].idxmax())

    def tidy(self) -> pd.DataFrame:
        """One row per attack; the columns of `table`, with the attack first."""
        return self.table.rename_axis("attack").reset_index()

    def roc(self, attack: str | None = None) -> pd.DataFrame:
        """False and true positive rates of an attack at every threshold, the strictest first."""
        members, others = self.scores[self._attack(attack)]
        return pd.DataFrame(roc_of(members, others), columns=["fpr", "tpr"])

    def precision(self, base_rate: float, fpr: float = 0.01, attack: str | None = None) -> float:
        """The share of accusations that are correct, if `base_rate` of those whom somebody would
        accuse were in the data, at a false positive rate of at most `fpr`; NaN where nobody is
        accused.
        """
        base = check_number("base_rate", base_rate, 0, 1, open_low=True, open_high=True)
        limit = check_number("fpr", fpr, 0, 1)
        curve = self.roc(attack)
        found = curve[curve["fpr"] <= limit].iloc[-1]
        correct = base * found["tpr"]
        accused = correct + (1 - base) * found["fpr"]
        return float(correct / accused) if accused else float("nan")

    def records(self, attack: str | None = None, most: int = 20) -> pd.DataFrame:
        """The original records that an attack is surest about.

        Columns: record (position in the original, from 0), score, as_high (share of the non-members
        with at least this score: the lower, the more exposed).
        """
        members, others = self.scores[self._attack(attack)]
        first = np.argsort(-members, kind="stable")[: check_whole("most", most, 1)]
        below = np.searchsorted(np.sort(others), members[first], side="left")
        as_high = 1 - below / len(others)
        return pd.DataFrame({"record": first, "score": members[first], "as_high": as_high})

    def plot(self, ax: Any = None) -> Any:
        """Draw the true against the false positive rate of every attack, both on log axes (needs
        matplotlib). Returns the axes.
        """
        from .plots.matching import plot_membership

        return plot_membership(self, ax)

    def _attack(self, attack: str | None) -> str:
        if attack is None:
            return self.strongest
        return str(check_choice("attack", attack, tuple(self.scores)))

    def _title(self) -> str:
        return "Was a person in the data?"

    def _notes(self) -> Sequence[str]:
        return self.notes

    def _headline(self, to: int = 1) -> list[str]:
        row = self.table.loc[self.strongest]
        digits = 3 if to == 1 else 2
        low, high = row["auc_low"], row["auc_high"]
        verdict = "tells members from non-members"
        if low <= 0.5:
            verdict = "does not tell members from non-members (0.5 is guessing)"
        which, caution = f"The attack {self.strongest}", ""
        if len(self.table) > 1:
            which = f"The strongest of {len(self.table)} attacks, {self.strongest},"
            caution = "; chosen as the strongest, so the interval is too narrow"
        return [
            f"{which} {verdict}: AUC {row['auc']:.{digits}f} ({100 * CONFIDENCE:g} % interval"
            f" {low:.{digits}f} to {high:.{digits}f}{caution}).",
            f"Where 1 % of the people who were not in the data are accused,"
            f" {self._percents(to)['tpr_at_0.01'][self.strongest]} of those who were are found.",
        ]

    def _sections(self) -> Sections:
        return [*self._rounded(1), self._headline()]

    def _rounded(self, to: int) -> Sections:
        frame = self.table if to == 1 else self._percents(to)
        names = ", ".join(map(str, self.variables))
        people = f"{self.members:,} members, {self.non_members:,} non-members"
        if to > 1:
            people = "members beside non-members"
        caption = f"Attacks on who was in the data: {people}; variables: {names}"
        return [[Table(frame, caption, None if to > 1 else 3)]]

    def _percents(self, to: int) -> pd.DataFrame:
        frame = shown_attacks(self, to)
        whole = shown(self.members, self.members, to=to)
        for name in frame:
            is_area = name.startswith("auc")
            frame[name] = [f"{x:.2f}" if is_area else percent(x, whole, to) for x in frame[name]]
        return frame

    def _everybody(self) -> int:
        return min(self.members, self.non_members)

    def _content(self) -> dict[str, Any]:
        return {
            "attacks": self.tidy(),
            "strongest": self.strongest,
            "strongest_was_chosen": len(self.table) > 1,
            "members": self.members,
            "non_members": self.non_members,
            "reference": self.reference,
            "notes": list(self.notes),
        }

    def _arguments(self) -> dict[str, Any]:
        return {"variables": [column_name(name) for name in self.variables]}

    def _records(self) -> dict[str, Any]:
        return {"original": self.members, "holdout": self.non_members, "m": self.m}


def shown_attacks(result: Membership, to: int) -> pd.DataFrame:
    """`table` as others see it: areas with two digits, and shown counts of members for shares."""
    frame = result.table.copy()
    for name in frame:
        members = [round(share * result.members) for share in frame[name]]
        counts = [shown(n, result.members, to=to) for n in members]
        frame[name] = frame[name].round(2) if name.startswith("auc") else counts
    return frame


@warning_once
def membership(
    synthetic: Any,
    original: Any,
    holdout: Any,
    *,
    variables: Any = None,
    attacks: Any = None,
    reference: Any = None,
    scale: bool = True,
    seed: Any = None,
) -> Membership:
    """Attacks that ask whether a person was in the original data, each with its success on people
    who were (the original) and who were not (the holdout).

    Parameters
    ----------
    synthetic : SynDS, DataFrame, table of an engine, path of a file, or a list of these
    original : DataFrame, table of an engine, or path of a file
        The members: everybody whom the synthesiser saw.
    holdout : DataFrame, table of an engine, or path of a file
        Non-members: records of the same population that the synthesiser never saw.
    variables : names or positions of columns; by default all that every table has.
    attacks : one or more of "distance", "distance_difference", "density", "density_ratio", "cells";
        by default all that fit (densities: numbers without gaps, at most 400 million pairs).
    reference : DataFrame, table of an engine, or path of a file
        Further records of the population, for the attacks that compare with it; by default one half
        of the holdout, drawn at random, and then only the other half are non-members.
    scale : numbers are divided by their standard deviation in the synthetic data; False takes them
        as they are.
    seed : of the draw of the reference.

    Returns
    -------
    Membership

    Notes
    -----
    Distances are Euclidean: numbers and dates by value, categories as indicators of the synthetic
    levels, a missing value as a level of its own. Densities are Gaussian kernels with Silverman's
    bandwidth. Cells are counted with one record added to each count; numbers are in ten classes of
    the synthetic data there. The interval of an AUC is Wilson's with DeLong's variance, which stays
    honest near 0.5, near 1, and where one side is many times as large as the other.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from synthpop_py import membership
    >>> people = pd.DataFrame({"age": np.random.default_rng(1).normal(50, 15, 400)})
    >>> result = membership(people[:200], people[:200], people[200:], attacks="distance")
    >>> float(result.table.loc["distance", "auc"])
    1.0
    """
    if holdout is None:
        raise InputError(
            "holdout: is None; give records of the same population that the synthesiser never saw:"
            " without them nobody can say whether an attack works"
        )
    check_flag("scale", scale)
    called = ("synthetic", "original")
    data = open_data(synthetic, original, called=called, holdout=holdout, by_record=True)
    outside = [data.given_holdout]
    if reference is not None:
        refuse_released(reference, "reference")
        outside.append(open_table(reference, "reference", by_record=True))
    tables = [*data.sets, data.original, *filter(None, outside)]
    names = _variables(variables, data, tables)
    columns: dict[Hashable, list[Column]] = {name: [] for name in names}
    for table in tables:
        counted = table.count_by(names)
        for name in names:
            columns[name].append(_by_record(counted.columns[name], counted.n))
    m = len(data.sets)
    sizes = [len(column) for column in columns[names[0]]]
    _warn_of_people(columns, sizes, m)
    _check_values(columns, tables, m)
    asked = _attacks(attacks, columns, sum(sizes[:m]) * sum(sizes[m:]))
    groups, notes = _groups(
        sizes, m, reference is None and bool({*asked} & {*WITH_REFERENCE}), seed
    )
    scores, left_out = _scores(asked, columns, groups, m, scale)
    if left_out:
        if attacks is not None:
            raise InputError(f"attacks: {left_out}; leave variables out, or choose other attacks")
        notes.append(f"Densities are left out: {left_out}.")
    rows = {attack: measures(*of_both) for attack, of_both in scores.items()}
    return Membership(
        table=pd.DataFrame.from_dict(rows, orient="index"),
        scores=scores,
        variables=tuple(names),
        members=len(groups["members"]),
        non_members=len(groups["others"]),
        reference=len(groups["reference"]),
        m=m,
        notes=(*notes, *found_so_far()),
    )


def _by_record(column: Column, n: Integers | None) -> Column:
    """One row per record, of a table that counts rows."""
    if n is None:
        return column
    rows = np.repeat(np.arange(len(n)), n)
    missing = None if column.missing is None else column.missing[rows]
    labels, numbers = column.labels, column.number_labels
    return Column(column.kind, column.values[rows], missing, labels, numbers)


def _variables(given: Any, data: Data, tables: Sequence[Any]) -> list[Hashable]:
    if given is None:
        names = [name for name in data.original.columns if all(name in t.columns for t in tables)]
        if not names:
            raise InputError("variables: no column is in all tables; give names that are")
        every = dict.fromkeys(name for table in tables for name in table.columns)
        apart = [name for name in every if name not in names]
        if apart:
            warn(f"variables: not compared, because not in every table: {some(apart)}", DataWarning)
        return names
    names = chosen_columns("variables", given, data.original.columns, "the original data")
    if not names:
        raise InputError("variables: none given; name at least one column, or leave it out")
    for name in names:
        check_in_every_set("variables", name, data.sets)
        for table in tables[len(data.sets) :]:
            if name not in table.columns:
                raise InputError(f"variables: {name!r} is not a column of {table.place}")
    return names


def _warn_of_people(columns: Mapping[Any, list[Column]], sizes: Sequence[int], m: int) -> None:
    """Too few people, and people who are on both sides."""
    for place, size in zip(("original", "holdout", "reference"), sizes[m:]):
        if not size:
            raise InputError(f"{place}: has no rows, so there is nobody to compare with")
        if size < FEWEST and place != "reference":
            warn(f"{place}: has fewer than {FEWEST} records; intervals are wide", DataWarning)
    variables = [match([factorise(c) for c in of_name[m:]]) for of_name in columns.values()]
    codes = combine(variables, [None] * len(sizes[m:])).codes
    seen, places = occurring(codes)
    members, others, *reference = (count(place, None, len(seen)) for place in places)
    _warn_of_shared("holdout", others, "an original", members)
    for of_reference in reference:
        _warn_of_shared("reference", of_reference, "an original", members)
        _warn_of_shared("reference", of_reference, "a holdout", others)


def _warn_of_shared(place: str, own: Integers, which: str, often: Integers) -> None:
    """More records of one table equal those of another than would by chance."""
    shared, by_chance = shared_records(often, own)
    if not shared:
        return
    why = "people whom the synthesiser saw are no non-members"
    if place == "reference":
        why = "a reference is a sample of people who are in neither table"
    records = int(own.sum())
    warn(
        f"{place}: {about(shared, records)} of its {about(records, records)} records equal"
        f" {which} record in all variables, where {about(round(by_chance), records)} would by"
        f" chance; {why}",
        DataWarning,
    )


def _check_values(columns: Mapping[Any, list[Column]], tables: Sequence[Any], m: int) -> None:
    """Refuse columns of two natures, and warn of categories with hardly a value in common: an
    attack would tell the tables apart, and not the people.
    """
    for name, of_tables in columns.items():
        original = of_tables[m]
        for column, table in zip(of_tables, tables):
            check_comparable(name, original, column, table.place)
            if column is not original and not _by_value([original, column]):
                warn_of_mismatch(name, original, column, table.place)


def _by_value(columns: Sequence[Column]) -> bool:
    """Whether values are compared by their difference: numbers, dates, times, durations."""
    kinds = {"double" if column.is_number else column.kind for column in columns}
    return len(kinds) == 1 and kinds <= {"double", "date", "time", "duration"}


def _attacks(given: Any, columns: Mapping[Any, list[Column]], pairs: int) -> list[str]:
    """The attacks asked for, or all that fit the variables."""
    numeric = all(c.is_number and c.missing is None for of in columns.values() for c in of)
    if given is None:
        too_many = pairs > MOST_KERNELS
        no_density = not numeric or too_many
        return [a for a in ATTACKS if not (a in NUMBERS_ONLY and no_density)]
    asked = [check_choice("attacks", attack, ATTACKS) for attack in listed(given)]
    if not asked:
        raise InputError(f"attacks: is empty; choices: {', '.join(ATTACKS)}")
    for attack in asked:
        if attack in NUMBERS_ONLY and not numeric:
            raise InputError(
                f"attacks: {attack!r} needs variables that are numbers without gaps; leave the"
                " others out of variables, or choose 'distance' or 'cells'"
            )
    if pairs > MOST_KERNELS and {*asked} & {*NUMBERS_ONLY}:
        warn(f"attacks: densities need {pairs:,} kernels; this takes minutes", SlowWarning)
    return list(dict.fromkeys(asked))


def _groups(
    sizes: Sequence[int], m: int, splits: bool, seed: Any
) -> tuple[dict[str, Integers], list[str]]:
    """The rows of members, of non-members and of the reference among all rows that come after the
    synthetic ones; and what to say of the reference.
    """
    starts = np.concatenate([[0], np.cumsum(sizes[m:])])
    rows = [np.arange(low, high) for low, high in itertools.pairwise(starts)]
    members, others = rows[:2]
    reference, notes = rows[2] if len(rows) > 2 else others[:0], []
    if splits:
        if len(others) < 2:
            raise InputError("holdout: one record cannot also serve as the reference; give more")
        shuffled = random_generator(seed).permutation(others)
        half = len(others) // 2
        others, reference = np.sort(shuffled[half:]), np.sort(shuffled[:half])
        notes.append(
            "No reference was given: half of the holdout, drawn at random, serves as one; the other"
            " half are the non-members."
        )
    return {"members": members, "others": others, "reference": reference}, notes


def _scores(
    asked: Sequence[str],
    columns: Mapping[Any, list[Column]],
    groups: Mapping[str, Integers],
    m: int,
    scale: bool,
) -> tuple[dict[str, tuple[Floats, Floats]], str]:
    """The scores of members and of non-members under each attack; why there are no densities."""
    people = np.concatenate([groups["members"], groups["others"]])
    n = len(groups["members"])
    found: dict[str, Floats] = {}
    if {*asked} - {"cells"}:
        synthetic, real = features(columns, m, scale)
        own, compared = real[people], real[groups["reference"]]
    if {*asked} & {"distance", "distance_difference"}:
        to_synthetic = closest(own, synthetic)
        found["distance"] = -to_synthetic
        if "distance_difference" in asked:
            found["distance_difference"] = closest(own, compared) - to_synthetic
    left_out = ""
    if {*asked} & {*NUMBERS_ONLY}:
        try:
            found["density"] = density(own, synthetic)
            if "density_ratio" in asked:
                found["density_ratio"] = found["density"] / (density(own, compared) + TINY)
        except InputError as error:
            left_out = str(error)
            asked = [attack for attack in asked if attack not in NUMBERS_ONLY]
    if "cells" in asked:
        found["cells"] = cell_scores(columns, m, people, groups["reference"])
    return {attack: (found[attack][:n], found[attack][n:]) for attack in asked}, left_out


def features(columns: Mapping[Any, list[Column]], m: int, scale: bool) -> tuple[Floats, Floats]:
    """Synthetic and real records as points: numbers, divided by their synthetic standard deviation
    if they are to be scaled, and indicators of the synthetic levels and of missing values.
    """
    parts: tuple[list[Floats], list[Floats]] = ([], [])
    for name, of_tables in columns.items():
        rows = sum(map(len, of_tables[:m]))
        if _by_value(of_tables):
            points = _numbers(name, of_tables, rows, scale)
        else:
            points = _indicators(name, of_tables, rows)
        parts[0].append(points[:rows])
        parts[1].append(points[rows:])
    synthetic, real = (np.concatenate(part, axis=1) for part in parts)
    return synthetic, real


def _numbers(name: Any, of_tables: Sequence[Column], synthetic: int, scale: bool) -> Floats:
    values = np.concatenate([column.values.astype(np.float64) for column in of_tables])
    missing = np.concatenate([_missing(column) for column in of_tables])
    if not (np.abs(values[~missing]) < LARGEST).all():
        raise InputError(
            f"variables: {name!r} has infinite numbers, or some too large to be compared by"
            " distance; leave it out, or choose attacks='cells'"
        )
    known = values[:synthetic][~missing[:synthetic]]
    centre = known.mean() if len(known) else 0.0
    if scale:
        values = values - centre
        centre = 0.0
        if len(known) and np.ptp(known):  # rounding leaves a constant some spread
            values /= known.std()
    if not missing.any():
        return values[:, np.newaxis]
    values[missing] = centre
    return np.column_stack([values, missing])


def _missing(column: Column) -> Flags:
    return np.zeros(len(column), dtype=bool) if column.missing is None else column.missing


def _indicators(name: Any, of_tables: Sequence[Column], synthetic: int) -> Floats:
    variable = match([factorise(column) for column in of_tables])
    codes = np.concatenate([side.codes for side in variable.sides])
    levels = np.unique(codes[:synthetic])
    if len(levels) > MOST_LEVELS:
        raise InputError(
            f"variables: {name!r} has {len(levels):,} levels, more than the {MOST_LEVELS} that can"
            " be compared by distance; leave it out, put it into classes, or choose attacks='cells'"
        )
    indicators: Floats = (codes[:, np.newaxis] == levels).astype(np.float64)
    return indicators


def closest(points: Floats, among: Floats) -> Floats:
    """The distance of each point to the closest of others. Equal points are looked up once."""
    from scipy.spatial import cKDTree

    distinct, place = np.unique(points, axis=0, return_inverse=True)
    distances, _ = cKDTree(np.unique(among, axis=0)).query(distinct, workers=-1)
    found: Floats = distances[place.reshape(-1)]
    return found


def density(points: Floats, of: Floats) -> Floats:
    """Gaussian kernels with Silverman's bandwidth."""
    from scipy.stats import gaussian_kde

    width = np.ptp(of, axis=0)
    try:
        if not width.all() or np.linalg.matrix_rank((of - of.mean(axis=0)) / width) < len(width):
            raise np.linalg.LinAlgError
        kernels = gaussian_kde(of.T, bw_method="silverman")
    except (np.linalg.LinAlgError, ValueError):
        raise InputError(
            "no density can be computed, because a variable is constant or follows from others,"
            " or records are fewer than variables"
        ) from None
    found: Floats = kernels(points.T)
    return found


def cell_scores(
    columns: Mapping[Any, list[Column]], m: int, people: Integers, reference: Integers
) -> Floats:
    """Log of the synthetic over the reference records in the cell of each person, as shares, with
    one record more in each count.
    """
    variables = []
    for of_tables in columns.values():
        if _by_value(of_tables):
            of_tables = _in_classes(of_tables, m)
        variables.append(match([factorise(column) for column in of_tables]))
    tables = len(of_tables)
    seen, places = occurring(combine(variables, [None] * tables).codes)
    synthetic, real = np.concatenate(places[:m]), np.concatenate(places[m:])
    shares = []
    for rows in (synthetic, real[reference]):
        records = count(rows, None, len(seen)) + PRIOR
        shares.append(records / records.sum())
    scores: Floats = np.log(shares[0] / shares[1])[real[people]]
    return scores


def _in_classes(of_tables: Sequence[Column], m: int) -> list[Column]:
    """Numbers of more than ten values in classes of as many synthetic records each."""
    synthetic = np.concatenate([column.present() for column in of_tables[:m]])
    values = np.unique(synthetic)
    if len(values) <= CLASSES:
        return list(of_tables)
    breaks = np.unique(np.quantile(synthetic, np.linspace(0, 1, CLASSES + 1)[1:-1]))
    classes = [np.searchsorted(breaks, column.values, side="left") for column in of_tables]
    return [Column("integer", of, column.missing) for of, column in zip(classes, of_tables)]


def measures(members: Floats, others: Floats) -> dict[str, float]:
    """AUC with its interval, true positive rates at fixed false positive rates, advantage."""
    area = auc(members, others)
    low, high = auc_interval(members, others)
    fpr, tpr = roc_of(members, others).T
    rates = {f"tpr_at_{limit:g}": float(tpr[fpr <= limit].max()) for limit in FALSE_POSITIVES}
    advantage = float((tpr - fpr).max())
    return {"auc": area, "auc_low": low, "auc_high": high, **rates, "advantage": advantage}


def auc(members: Floats, others: Floats) -> float:
    """The chance that a member scores higher than a non-member, ties counted half.

    >>> auc(np.array([2.0, 3.0]), np.array([1.0, 2.0]))
    0.875
    """
    pairs = len(members) * len(others)
    return float(_wins(members, others).sum() / (2 * pairs))


def auc_interval(members: Floats, others: Floats) -> tuple[float, float]:
    """Wilson's interval, for as many trials as have the variance of DeLong, DeLong and
    Clarke-Pearson (Biometrics 44, 1988). Each side counts two records more, one always right and
    one always wrong, so that the variance does not vanish where all are right, or all tie.

    >>> [round(end, 2) for end in auc_interval(np.arange(50.0), np.arange(50.0))]
    [0.39, 0.61]
    """
    area, variance = auc(members, others), 0.0
    for own, against in ((members, others), (-others, -members)):
        won = _wins(own, against) / (2 * len(against))
        n = len(own) + 2
        mean = (won.sum() + 1) / n
        square = ((won**2).sum() + 1) / n
        variance += (square - mean**2) / n
    fewest = min(len(members), len(others))
    inside = (area * fewest + 1) / (fewest + 2)
    trials = inside * (1 - inside) / variance
    more = Z**2 / trials
    half = Z * np.sqrt((area * (1 - area) + more / 4) / trials)
    middle = area + more / 2
    low = (middle - half) / (1 + more)
    high = (middle + half) / (1 + more)
    return float(min(max(low, 0.0), area)), float(max(min(high, 1.0), area))


def _wins(own: Floats, others: Floats) -> Integers:
    """Twice the number of others that each record beats, ties counted half."""
    ordered = np.sort(others)
    below = np.searchsorted(ordered, own, side="left")
    return below + np.searchsorted(ordered, own, side="right")


def roc_of(members: Floats, others: Floats) -> Floats:
    """False and true positive rates, (thresholds + 1, 2), from nobody accused to everybody."""
    thresholds = np.unique(np.concatenate([members, others]))[::-1]
    rates = np.zeros((len(thresholds) + 1, 2))
    for column, scores in enumerate((others, members)):
        ordered = np.sort(scores)
        below = np.searchsorted(ordered, thresholds, side="left")
        rates[1:, column] = (len(scores) - below) / len(scores)
    return rates
