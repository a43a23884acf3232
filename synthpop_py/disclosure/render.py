"""A result as text and HTML: R's tables, our sentences, and both figures wherever R's is wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import Any

import pandas as pd

from ..r.reading import VERSIONS
from ..tables import html_table, table_text
from .results import Disclosure

KEY_MEASURES = ("repU", "DiSCO")
MOST_LINES = 6
WHERE_IT_IS = "  The right result is in .corrected; compat='corrected' returns it directly."


# ---- tables as R prints them ---------------------------------------------------------


def short_table(result: Disclosure) -> pd.DataFrame:
    """R's short table: UiO and Dorig of the original, repU and DiSCO of each synthesis."""
    labels = ["Original", *(f"Synthesis {j}" for j in result.ident.index)]
    return pd.DataFrame(
        {
            "Identity (UiO/repU)": [result.ident["UiO"].iloc[0], *result.ident["repU"]],
            "Attrib (Dorig/DiSCO)": [result.attrib["Dorig"].iloc[0], *result.attrib["DiSCO"]],
        },
        index=labels,
    )


# ---- both figures --------------------------------------------------------------------


def two_figures(r: float | str | None, right: float | str | None) -> str:
    """Both figures with as many decimals as it takes to tell them apart, two at least; a flagged
    level is shown as it is.
    """
    decimals = 2
    if isinstance(r, (int, float)) and isinstance(right, (int, float)):
        decimals = next((d for d in range(2, 12) if round(r, d) != round(right, d)), 12)
    shown = [
        "none" if v is None else v if isinstance(v, str) else f"{v:.{decimals}f}"
        for v in (r, right)
    ]
    return f"R {shown[0]}, correct {shown[1]}"


def _headline_first(changes: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """The measures people decide on first, then the others; rows of the exclusion ledger last."""

    def rank(change: tuple[Any, ...]) -> int:
        name = change[1]
        return 0 if name in KEY_MEASURES else 2 if name.startswith(("Nexclusions", "check")) else 1

    return sorted(changes, key=rank)


def defect_lines(result: Disclosure) -> list[str]:
    """What is wrong in R's figures for this call, with the right ones."""
    if not result.defects:
        return []
    name = f"synthpop {VERSIONS[result.compat]}"
    lines = [
        f"R's figures ({name}) for target {result.target!r} are not those of the published"
        " definitions:"
    ]
    for finding in result.defects:
        lines.append(
            f"  {finding.id}, {finding.summary}: R {finding.r_does}; right: {finding.right}."
        )
        shown = _headline_first(finding.changes)
        for synthesis, measure, r, right in shown[:MOST_LINES]:
            where = f" (synthesis {synthesis})" if synthesis and result.m > 1 else ""
            figures = f": {two_figures(r, right)}" if (r, right) != (None, None) else ""
            lines.append(f"    {measure}{where}{figures}")
        if len(shown) > MOST_LINES:
            lines.append(f"    and {len(shown) - MOST_LINES} more figures; see .defects")
    if result.corrected is not None:
        lines.append(WHERE_IT_IS)
    return lines


def _both_tables(result: Disclosure, pick: Callable[..., pd.DataFrame], digits: int) -> str:
    """A table and, where it differs, the right one below it."""
    return _both_texts(result, lambda r: table_text(pick(r), digits))


def _both_texts(result: Disclosure, describe: Callable[..., str]) -> str:
    """What a result shows and, where it differs, what the right one shows."""
    text = describe(result)
    other = text if result.corrected is None else describe(result.corrected)
    return text if other == text else f"{text}\n\nThe same with R's defects corrected:\n{other}"


# ---- sections ------------------------------------------------------------------------


def _keys(result: Disclosure) -> str:
    return ", ".join(map(str, result.keys))


def _head(result: Disclosure) -> str:
    return (
        f"Disclosure risk for {result.Norig} original records, {result.m}"
        f" synthes{'is' if result.m == 1 else 'es'}; keys: {_keys(result)}"
    )


def short_text(result: Disclosure) -> str:
    return full_text(result, ("short",), result.digits)


def full_text(result: Disclosure, to_print: Sequence[str], digits: int) -> str:
    """The whole printed result."""
    everything = "all" in to_print
    parts = [_head(result)]
    if (excluded := _excluded_note(result)) and "exclusions" not in to_print:
        parts.append(excluded)
    if "short" in to_print:
        parts.append(
            f"Identity risk, and attribute risk for {result.target}, in % of original records"
            " (higher is riskier):\n" + _both_tables(result, short_table, digits)
        )
    if everything:
        parts.append(f"Call: {result.call}")
    for name, heading in _TABLES.items():
        if name in to_print or everything:
            parts.append(
                heading.format(target=result.target, keys=_keys(result))
                + "\n"
                + _both_tables(result, lambda r, name=name: getattr(r, name), digits)
            )
    parts += _checks(result, to_print)
    if "exclusions" in to_print:
        parts += [
            f"Records removed from each count, by reason, synthesis {j + 1}:\n"
            + _both_texts(result, lambda r, j=j: table_text(r.Nexclusions[j]))
            for j in range(result.m)
        ]
    if result.defects:
        parts.append("\n".join(["WARNING", *defect_lines(result)]))
    return "\n\n".join(parts)


_TABLES = {
    "ident": "Identity measures from keys {keys}, in % of records:",
    "attrib": (
        "Attribute measures for {target} from keys {keys}, in % of records (max_denom, mean_denom:"
        " original records per cell):"
    ),
    "allCAPs": "Correct attribution probabilities for {target} from keys {keys}, in %:",
}


def _excluded_note(result: Disclosure) -> str:
    removed = sum(int(t.iloc[0, :-1].sum()) for t in result.Nexclusions)
    return (
        "Some records were excluded; result.print('exclusions') shows how many and why."
        if removed
        else ""
    )


def _checks(result: Disclosure, to_print: Sequence[str]) -> list[str]:
    parts = []
    if "check_1way" in to_print:
        parts.append(
            _check_section(
                result,
                "check_1way",
                f"Target level behind most disclosive records of {result.target}:",
                "No single level of the target stands out.",
            )
        )
    elif result.check1 is not None:
        parts.append(
            f"Look at level {result.check1} of {result.target}: most disclosive records have it, so"
            " it may be common knowledge.\nresult.print('check_1way') shows it;"
            f" {_leave_out(result.check1)} leaves it out."
        )
    if "check_2way" in to_print:
        parts.append(
            _check_section(
                result,
                "check_2way",
                f"Pairs of {result.target} and a key that nearly always go together:",
                "No pair of target and key stands out.",
            )
        )
    elif result.check2 is not None:
        pairs = "pair" if result.check2 == 1 else "pairs"
        parts.append(
            f"Look at {result.check2} {pairs} of {result.target} and a key that nearly always go"
            " together.\nresult.print('check_2way') shows them; exclude_keys, exclude_keylevs and"
            " exclude_targetlevs leave them out, exclude_ov_denom_lim=True leaves out large cells."
        )
    return parts


def _leave_out(level: str) -> str:
    return "usetargetNA=False" if level == "Missing" else f"adding {level!r} to not_targetlev"


def _check_section(result: Disclosure, name: str, heading: str, nothing: str) -> str:
    return heading + "\n" + _both_texts(result, lambda r: _flagged(getattr(r, name), nothing))


def _flagged(frames: Sequence[pd.DataFrame | None], nothing: str) -> str:
    lines = []
    for j, frame in enumerate(frames, start=1):
        if len(frames) > 1:
            lines.append(f"synthesis {j}")
        lines.append(nothing if frame is None else table_text(frame))
    return "\n".join(lines)


# ---- HTML ----------------------------------------------------------------------------


def short_html(result: Disclosure) -> str:
    """The short table for notebooks; with R's and the right figures where they differ."""
    right: Any = result.corrected
    name = "" if right is None else f" as R's synthpop {VERSIONS[result.compat]} gives it"
    caption = (
        f"Disclosure risk for {result.target}{name}, % of {result.Norig} original records, keys"
        f" {_keys(result)} (higher is riskier)"
    )
    parts = [html_table(short_table(result), result.digits, caption)]
    if right is not None:
        parts.append(
            html_table(short_table(right), result.digits, "The same with R's defects corrected")
        )
    if result.defects:
        parts.append("<pre>" + escape("\n".join(defect_lines(result))) + "</pre>")
    return "<div>" + "".join(parts) + "</div>"
