"""`disclosure()` and `multi_disclosure()`: arguments, cells, exclusions, measures, checks, result."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from .cells import Cells, count_cells
from .checks import LevelCheck, PairCheck, check_level, check_pairs
from .core.arrays import Integers
from .data import Data, open_data
from .errors import DataWarning, InputError, found_so_far, warn, warning_once
from .exclusions import Pair as LevelPair
from .exclusions import check_pair_levels, has_pair, known, no_effect, unknown_level, why_out
from .grouping import Grouping
from .holdout import Baseline, baseline_of, read_holdout, warn_of_holdout
from .levels import Factor, Side
from .measures import Counts, Share
from .options import Call, read_call
from .progress import Begin, progress_shown
from .r.as_r import AsR
from .r.reading import CORRECTED, Mode
from .results import Disclosure, build, warn_of_defects
from .steps import Factors, Pair, Steps
from .synds import SynDS


@dataclass(frozen=True, slots=True)
class Figures:
    """Every figure about one synthesis; all tables of a result are made from these.

    Attributes
    ----------
    shares : measure to numerator and denominator.
    counts : the cells behind them, before and after exclusions.
    level, pairs : what is flagged as possibly common knowledge.
    place : codes of the original's levels, by which its records are found again.
    """

    shares: dict[str, Share]
    counts: Counts
    level: LevelCheck | None
    pairs: list[PairCheck]
    pair: Pair


@dataclass(frozen=True, slots=True)
class Run:
    """All syntheses under one reading.

    Attributes
    ----------
    figures : of each synthesis.
    groupings : classes of the variables that were grouped.
    met : defects of R that may have moved a figure.
    not_found : levels of `not_targetlev` that the target does not have, where R continues.
    as_read : levels of the original's columns, by name.
    baseline : members beside people the synthesiser never saw.
    """

    figures: list[Figures]
    groupings: dict[Hashable, Grouping]
    met: frozenset[str]
    not_found: tuple[Any, ...]
    as_read: dict[Hashable, Factor]
    baseline: Baseline | None = None


def run(asked: Call, data: Data, mode: Mode, begin: Begin | None = None) -> Run:
    """All syntheses against the original."""
    correct = mode == CORRECTED
    steps = (Steps if correct else AsR).of(asked, data.shared)
    call, names = steps.call, asked.names
    read, n = data.factors(names)
    factors = {name: columns[: len(data.sets) + 1] for name, columns in read.items()}
    if isinstance(steps, AsR) and data.plain and call.compare_synorig:
        factors = steps.adjust(factors, data.unused(names))
    tables = len(factors[call.target])
    made, groupings = in_classes(steps, factors, data, every=correct)
    if correct and data.holdout is not None:
        made = with_holdout(made, read, groupings, data)
        tables += 1
    target, combinations = steps.encode(made, n[:tables], (data.identity, tables))
    figures: list[Figures] = []
    idle = set(asked.pairs)
    for number in range(1, len(factors[call.target])):
        if begin is not None:
            begin(number, len(data.sets), f"synthesis {number} of {len(data.sets)}")
        pair = steps.pair(target, combinations, number)
        if number == 1:
            not_found = check_levels(asked, pair, steps)
        cells = count_cells(pair.combinations, pair.target)
        idle -= {one for one in idle if somebody_has(cells, pair, one, steps)}
        figures.append(measure(cells, pair, steps, data.records[0], data.records[number]))
    for exclusion in idle:
        no_effect(
            call.strict,
            f"exclude_keys: no record has {exclusion.key_level!r} for {str(exclusion.key)!r} and"
            f" {exclusion.target_level!r} for {str(call.target)!r}",
            "leave the pair out",
        )
    baseline = None
    if correct and data.holdout is not None:
        baseline = baseline_of(figures, target, combinations, steps)
    return Run(
        figures=figures,
        groupings=groupings,
        met=frozenset(steps.met) if isinstance(steps, AsR) else frozenset(),
        not_found=not_found,
        as_read={name: columns[0] for name, columns in read.items()},
        baseline=baseline,
    )


def measure(cells: Cells, pair: Pair, steps: Steps, n_d: int, n_s: int) -> Figures:
    """The figures of one synthesis: exclusions, measures, checks."""
    call, target, keys = steps.call, pair.target, pair.combinations.keys
    why = why_out(cells, target, keys, call.keys, call.left_out)
    named = None if pair.named is None else pair.named[cells.keys[0]]
    counts = Counts(
        cells=cells,
        why=why,
        n=(n_d, n_s),
        d_t=target.sides[0].records(target.size),
        no_identity=None if why is None else steps.no_identity(why),
        named=named,
        least=call.certainty,
    )
    level = check_level(counts, target, call.thresh_1way, steps.above)
    pairs = check_pairs(
        counts, target, keys, call.keys, call.thresh_2way, steps.order, pair.pair_totals
    )
    return Figures(steps.shares(counts), counts, level, pairs, pair)


def in_classes(
    steps: Steps, factors: Factors, data: Data, *, every: bool
) -> tuple[Factors, dict[Hashable, Grouping]]:
    """The columns, numeric ones in classes where the call asks for them."""
    call, made, groupings = steps.call, dict(factors), {}
    wanted = dict(zip(call.names, (call.groups_target, *call.groups)))
    for name, n in wanted.items():
        special = data.special_of(name, every=every)
        if n and factors[name][0].is_number:
            made[name], groupings[name] = steps.classes(factors[name], n, special, name)
    return made, groupings


def check_levels(asked: Call, pair: Pair, steps: Steps) -> tuple[Any, ...]:
    """Refuse levels that are not there; returns those of `not_targetlev` where R continues."""
    keys, not_found = pair.combinations.keys, []
    for level in asked.levels:
        is_none = level == "" and not asked.strict
        if not is_none and not any(known(pair.target, one) for one in steps.names(level)):
            if asked.strict:
                raise unknown_level("not_targetlev", level, pair.target, asked.target, True)
            not_found.append(level)
    for exclusion in asked.pairs:
        key = keys[asked.keys.index(exclusion.key)]
        check_pair_levels(exclusion, pair.target, key, asked.target, asked.strict, steps.names)
    return tuple(not_found)


def somebody_has(cells: Cells, pair: Pair, exclusion: LevelPair, steps: Steps) -> bool:
    """Whether some record, original or synthetic, has both levels."""
    for one in steps.alternatives(exclusion):
        for table, n in enumerate((cells.d, cells.s)):
            target = pair.target.sides[table]
            keys = [key.sides[table] for key in pair.combinations.keys]
            found = has_pair(cells, target, keys, steps.call.keys, one, pair.target.size)
            if (found & (n > 0)).any():
                return True
    return False


# ---- R's figures and the correct ones ------------------------------------------------


def disclose(call: Call, data: Data, mode: Mode, text: str, begin: Begin | None = None) -> Disclosure:
    """The result as asked for and, where a defect of R moved a figure, the correct one beside it."""
    factors, _ = data.factors(call.names)
    in_order = {key: n for key, n in zip(call.asked, call.groups)}
    groups = {call.target: call.groups_target, **{key: in_order[key] for key in call.keys}}
    # a release that cannot be compared has no figure; R gives one
    must_match = call.keys if call.strict else ()
    data.check_values(factors, groups, must_match)
    first = run(call, data, mode, begin)
    data.check_classes(first.groupings, must_match)
    for level in first.not_found:
        warn(
            f"not_targetlev: {level!r} is not a level of {str(call.target)!r}, so it leaves"
            " nothing out; compat='corrected' refuses it",
            DataWarning,
            short=f"{level!r} of {str(call.target)!r}",
        )
    result = build(first, call, data, mode, text)
    for number, ledger in enumerate(result.ledgers, start=1):
        if not ledger[:2, -1].all():
            warn_of_nobody_left(result, number, ledger[:2, -1])
    if not first.met and (data.holdout is None or mode == CORRECTED):
        return result
    try:
        correct = build(run(call, data, CORRECTED), call, data, CORRECTED, text)
    except InputError as error:
        # an argument that is valid only because R gave another one to the wrong key
        if data.holdout is not None:
            raise InputError(
                "holdout: a baseline is made under the corrected reading, which refuses this call:"
                f" {error}"
            ) from error
        return replace(result, defects=findings(first.met, str(error)))
    result = replace(result, _baseline=correct._baseline)
    if not first.met or result.same_figures(correct):
        return result
    return replace(result, defects=findings(first.met), corrected=correct)


def warn_of_nobody_left(result: Disclosure, number: int, left: Integers) -> None:
    """Where no record is left the figures are 0, whatever the risk of those left out."""
    sides = [f"every {side}" for side, n in zip(("original", "synthetic"), left) if not n]
    of_several = f" (synthesis {number})" if result.m > 1 else ""
    finding = f"target {str(result.target)!r}: {' and '.join(sides)} record is left out{of_several}"
    warn(
        f"{finding}, so a risk of 0 says nothing; Nexclusions has the reasons",
        DataWarning,
        short=finding,
    )
