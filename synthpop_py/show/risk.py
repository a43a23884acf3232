"""What `print` says of results of `disclosure()` and `multi_disclosure()`: tables as R prints them,
sentences, and the correct figures beside those of R.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import pandas as pd

from ..exclusions import REASONS
from ..holdout import blocks, level_of_several, of_measure, sentence, with_intervals
from ..r.differences import (
    IDENTITY,
    MOST_DECIMALS,
    ORIGINAL_MEASURE,
    defects_of_summary,
    defects_of_target,
    same,
)
from ..r.reading import CORRECTED
from .printing import Block, Sections, Table

if TYPE_CHECKING:
    from ..multi import MultiDisclosure
    from ..results import Disclosure

CAPTIONS = {
    "ident": "Identity measures from keys {keys}, in % of records",
    "attrib": (
        "Attribute measures for {target} from keys {keys}, in % of records (max_denom, mean_denom:"
        " original records per cell)"
    ),
    "allCAPs": "Correct attribution probabilities for {target} from keys {keys}, in %",
}
CHECKS = {
    "check_1way": "Target level behind most disclosive records of {target}",
    "check_2way": "Pairs of {target} and a key that nearly always go together",
}
NOTHING = {
    "check_1way": "No single level of the target stands out",
    "check_2way": "No pair of target and key stands out",
}


def names_of(keys: Sequence[Hashable]) -> str:
    return ", ".join(map(str, keys))


def nearly_sure(certainty: float) -> str:
    """What the figures mean if less than certainty was asked for."""
    return (
        f"Nearly sure: a target value counts as revealed if at least {100 * certainty:.10g} % of"
        " the records with the same keys have it, not only if all do."
    )


def left_out(result: Disclosure) -> str:
    """Such as "Left out of attribute risk: 438 of 5000 people (target missing 438)"; empty where
    nobody is. Identity risk leaves out who lacks a key, and in R everyone left out for any reason
    (D17). The original decides.
    """
    removed: dict[Any, int] = {}
    for one in result._sets:
        if not any(removed.values()):
            removed = dict(zip(REASONS, one.ledger[0, :-1].tolist()))
    out = sum(removed.values())
    if not out:
        return ""
    told = [f"{reason.told} {n}" for reason, n in removed.items() if n]
    alike = result.compat != CORRECTED or told == [f"a key missing {out}"]
    return (
        f"Left out{'' if alike else ' of attribute risk'}: {out} of"
        f" {result.Norig} people ({'; '.join(told)})"
    )


def beside(r: float, correct: float, digits: int, unit: str = "") -> str:
    """A figure and, where R's is wrong, the correct one; R gives none of some."""
    shown, right = (f"{figure:.{digits}f}{unit}" for figure in (r, correct))
    if math.isnan(r):
        return "not available" if math.isnan(correct) else f"{right} (R gives none)"
    return shown if shown == right else f"{shown} (R; correct: {right})"


def headline_of_target(result: Disclosure) -> list[str]:
    over = "" if result.m == 1 else f", mean of {result.m} syntheses"
    how = "with certainty" if result.certainty == 1 else "nearly surely"
    correct = result.corrected or result
    repU = beside(result.repU, correct.repU, result.digits, " %")
    DiSCO = beside(result.DiSCO, correct.DiSCO, result.digits, " %")
    lines = [
        f"{repU} of the original records are unique on {names_of(result.keys)} in the original and"
        f" in the synthetic data (repU{over}).",
        f"For {DiSCO} of the original records the synthetic data reveal the value of"
        f" {result.target} {how} and correctly (DiSCO{over}).",
    ]
    if result._baseline is not None:
        lines.append(sentence(result._baseline, "DiSCO", result.digits))
    out = left_out(result)
    return [*lines, f"{out}."] if out else lines


def sections_of_target(result: Disclosure, to_print: Sequence[str], digits: int) -> Sections:
    """The blocks of one section after the other."""
    everything, short = "all" in to_print, "short" in to_print
    keys, target, correct = names_of(result.keys), result.target, result.corrected
    syntheses = "1 synthesis" if result.m == 1 else f"{result.m} syntheses"
    sections: list[list[Block]] = [
        [f"Disclosure risk for {result.Norig} original records, {syntheses}; keys: {keys}"]
    ]
    if result.certainty < 1:
        sections.append([nearly_sure(result.certainty)])
    out = left_out(result)
    if out:
        more = "; result.print('exclusions') has more." if short or everything else "."
        sections.append([f"{out}. Percentages are still of all {result.Norig}{more}"])
    if short:
        sections.append([_short_table(result, digits)])
    if everything:
        sections.append([f"Call: {result.call}"])
    for name, caption in CAPTIONS.items():
        if name in to_print or everything:
            said = caption.format(target=target, keys=keys)
            right = None if correct is None else correct._table(name)
            sections += _both_tables(result._table(name), right, said, digits)
    if result._baseline is not None:
        frame = with_intervals(result._baseline, target)
        table, *about = blocks(frame, frame["measure"], digits, result.m)
        n = result._baseline["left_out"].iloc[0]
        outside = [f"Left out of the non-members: {n}."] if n else []
        sections.append([table, *outside, *about])
    for name, remark in (("check_1way", result.check1), ("check_2way", result.check2)):
        if name not in to_print:
            sections += [] if remark is None else [_remark(result, name)]
            continue
        for j, flagged in enumerate(getattr(result, name), start=1):
            of_several = f", synthesis {j}" if result.m > 1 else ""
            if flagged is None:
                sections.append([f"{NOTHING[name]}{of_several}."])
            else:
                caption = CHECKS[name].format(target=target)
                sections.append([Table(flagged, caption + of_several)])
    if "exclusions" in to_print:
        tables = [] if correct is None else correct.Nexclusions
        for j, (table, right) in enumerate(zip_longest(result.Nexclusions, tables), start=1):
            if table is not None:
                said = f"Records removed from each count, by reason, synthesis {j}"
                sections += _both_tables(table, right, said)
    if result.defects:
        sections.append([*defects_of_target(result, to_print)])
    return sections


def _both_tables(
    frame: pd.DataFrame, correct: pd.DataFrame | None, caption: str, digits: int | None = None
) -> list[list[Block]]:
    """A table and, where it differs, the correct one."""
    tables: list[list[Block]] = [[Table(frame, caption, digits)]]
    if correct is not None and not correct.round(MOST_DECIMALS).equals(frame.round(MOST_DECIMALS)):
        tables.append([Table(correct, "The same with R's defects corrected", digits)])
    return tables


def _short_table(result: Disclosure, digits: int) -> Table:
    """UiO and Dorig of the original, repU and DiSCO of each synthesis."""
    sets, columns = [one.shares for one in result._sets], {}
    for kind, original, synthetic in (("Identity", "UiO", "repU"), ("Attrib", "Dorig", "DiSCO")):
        shown = [sets[0][original], *(shares[synthetic] for shares in sets)]
        columns[f"{kind} ({original}/{synthetic})"] = [share.percent for share in shown]
    labels = ["Original", *(f"Synthesis {j}" for j in range(1, result.m + 1))]
    caption = (
        f"Identity risk, and attribute risk for {result.target}, in % of original records"
        " (higher is riskier)"
    )
    return Table(pd.DataFrame(columns, index=labels), caption, digits)


def _remark(result: Disclosure, name: str) -> list[Block]:
    """Where to find what a check has flagged."""
    if name == "check_1way":
        level = result.check1
        how = "usetargetNA=False" if level == "Missing" else f"adding {level!r} to not_targetlev"
        return [
            f"Look at level {level} of {result.target}: most disclosive records have it, so it may"
            " be common knowledge.",
            f"result.print('check_1way') shows it; {how} leaves it out.",
        ]
    pairs = "pair" if result.check2 == 1 else "pairs"
    return [
        f"Look at {result.check2} {pairs} of {result.target} and a key that nearly always go"
        " together.",
        "result.print('check_2way') shows them; exclude_keys, exclude_keylevs and"
        " exclude_targetlevs leave them out, exclude_ov_denom_lim=True leaves out large cells.",
    ]


def _figure(
    result: MultiDisclosure, target: Hashable, name: str, digits: int, unit: str = ""
) -> str:
    correct = (result.corrected or result)._rows[target][name]
    return beside(result._rows[target][name], correct, digits, unit)


def headline_of_summary(result: MultiDisclosure) -> list[str]:
    unit, digits = " % of the original records", result.digits
    identity = _figure(result, next(iter(result._rows)), "ident_syn", digits, unit)
    lines = [f"Identity risk ({result.ident_meas}) is {identity}."]
    attribute = f"Attribute risk ({result.attrib_meas})"
    # R may give no figure of any target
    known = _with_figures(result) or _with_figures(result.corrected or result)
    if known:
        figure = _figure(result, known[-1], "attrib_syn", digits, unit)
        lines.append(f"{attribute} is highest for {known[-1]}: {figure}.")
    else:
        lines.append(f"{attribute} has no figure for any target.")
    baselines = result._baselines()
    if baselines:
        most = max(baselines, key=lambda name: of_measure(baselines[name], "DiSCO")["members"])
        level, name = level_of_several(len(baselines)), f"DiSCO for {most}"
        lines.append(sentence(baselines[most], "DiSCO", digits, name, level))
    return [*lines, *_left_out_of_targets(result)]


def _with_figures(result: MultiDisclosure) -> list[Hashable]:
    """The targets with a figure, least risky first."""
    rows = result._rows
    return [name for name in result._ordered() if not math.isnan(rows[name]["attrib_syn"])]


def sections_of_summary(result: MultiDisclosure, to_print: Sequence[str], digits: int) -> Sections:
    sections: list[Sequence[Block]] = []
    if "ident" in to_print:
        sections.append(_identity_lines(result, digits))
    if "attrib" in to_print:
        sections.append([_attribute_table(result, digits)])
        certainty = next(iter(result.output_list.values())).certainty
        if certainty < 1:
            sections.append([nearly_sure(certainty)])
        if result._baselines():
            sections.append(_beside_non_members(result, digits))
        sections.append(_left_out_of_targets(result))
        nothing = (None, None)
        checks = {name: (row["check1"], row["check2"]) for name, row in result._rows.items()}
        flagged = [name for name, found in checks.items() if found != nothing]
        if flagged:
            whose = "its" if len(flagged) == 1 else "their"
            said = f"Check {names_of(flagged)}: part of {whose} risk may be common knowledge."
            where = ".output_list[target].print(['check_1way', 'check_2way']) shows it."
            sections.append([f"{said} {where}"])
    sections.append(defects_of_summary(result, to_print))
    return [section for section in sections if section]


def _identity_lines(result: MultiDisclosure, digits: int) -> list[str]:
    target, first = next(iter(result._rows.items()))
    over = f", averaged over {result.m} syntheses" if result.m > 1 else ""
    lines = [
        f"Identity risk from keys {names_of(result.keys)}, in % of {result.Norig} original"
        f" records{over} (higher is riskier):",
        f"  original  (UiO)  {_figure(result, target, 'ident_orig', digits)}",
        f"  synthetic ({result.ident_meas}) {_figure(result, target, 'ident_syn', digits)}",
    ]
    without_key = result.Norig - result.output_list[target]._sets[0].of_identity[0]
    if without_key:
        reason = ", because a key is missing" if result.compat == CORRECTED else ""
        lines.append(f"  left out{reason}: {without_key}")
    rows = result._rows.values()
    if not all(same(row[name], first[name]) for row in rows for name in IDENTITY):
        others = "other targets have other figures, see .ident_orig and .ident_syn"
        lines.append(f"  for target {target}; {others}")
    return lines


def _attribute_table(result: MultiDisclosure, digits: int) -> Table:
    """R's table and, where some of its figures are wrong, a column of correct ones beside them."""
    ordered, missing, corrected = "least risky first", "", ""
    if not _with_figures(result):
        ordered, missing = "in the order asked for", "; R gives none: D42"
    frame = result.attrib_table.drop(columns="left_out")
    if result.corrected is not None:
        correct = result.corrected.attrib_table.loc[frame.index]
        for name in ("attrib.syn", "attrib.orig"):
            if not all(map(same, frame[name], correct[name])):
                at = list(frame.columns).index(name) + 1
                frame.insert(at, name.replace("attrib", "correct"), correct[name])
                corrected = "; correct: without R's defects"
    caption = (
        f"Attribute risk of each target, in % of original records, {ordered} (attrib.orig:"
        f" {ORIGINAL_MEASURE[result.attrib_meas]}, attrib.syn: {result.attrib_meas}"
        f"{missing}{corrected})"
    )
    return Table(frame.set_axis(result.r_labels()), caption, digits)


def _beside_non_members(result: MultiDisclosure, digits: int) -> list[Block]:
    """Recall and precision of every target, least risky first."""
    frame, place = result.baseline, list(result.attrib_table.index)
    assert frame is not None, "there is a holdout"
    frame = frame[frame["measure"].isin(["DiSCO", "TCAP_DiS"])]
    frame = frame.sort_values("target", key=lambda column: column.map(place.index), kind="stable")
    labels = [f"{target} {name}" for target, name in zip(frame["target"], frame["measure"])]
    adjusted = "" if len(place) == 1 else f", adjusted for {len(place)} targets"
    where = "Other measures: .baseline, or .output_list[target]."
    return [*blocks(frame, labels, digits, result.m, adjusted), where]


def _left_out_of_targets(result: MultiDisclosure) -> list[str]:
    """The people whom the figures of a target leave out, and why."""
    out = {name: left_out(one).partition(": ")[2] for name, one in result.output_list.items()}
    lines = [f"  {name}: {told}" for name, told in out.items() if told]
    return [f"Left out (percentages are still of all {result.Norig}):", *lines] if lines else []
