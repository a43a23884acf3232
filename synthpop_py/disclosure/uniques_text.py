"""Replicated uniques as text and HTML: R's table, our sentences, and both figures wherever R's is
wrong.
"""

from __future__ import annotations

from html import escape

import pandas as pd

from ..r.reading import VERSIONS
from ..tables import table_text
from .uniques import ReplicatedUniques

MOST_LINES = 6


def _keys(result: ReplicatedUniques) -> str:
    return ", ".join(map(str, result.keys))


def defect_lines(result: ReplicatedUniques) -> list[str]:
    """What is wrong in R's figures for this call, with the right ones."""
    lines = [
        f"R's figures (synthpop {VERSIONS[result.compat]}) on uniques from {_keys(result)} are not"
        " right:"
    ]
    for finding in result.defects:
        lines.append(
            f"  {finding.id}, {finding.summary}: R {finding.r_does}; right: {finding.right}."
        )
        for synthesis, name, r, right in finding.changes[:MOST_LINES]:
            where = f" (synthesis {synthesis})" if result.m > 1 else ""
            lines.append(f"    {name}{where}: R {r:g}, correct {right:g}")
        if len(finding.changes) > MOST_LINES:
            lines.append(f"    and {len(finding.changes) - MOST_LINES} more figures; see .defects")
    lines.append("  The right result is in .corrected; compat='corrected' returns it directly.")
    return lines


def uniques_text(result: ReplicatedUniques) -> str:
    """The whole printed result."""
    parts = [
        f"Unique combinations of {_keys(result)}: {result.n} original records, {result.m}"
        f" synthes{'is' if result.m == 1 else 'es'}"
    ]
    for j, table in enumerate(result.res_tab, start=1):
        text = (f"synthesis {j}\n" if result.m > 1 else "") + table_text(table)
        if result.corrected is not None:
            right = table_text(result.corrected.res_tab[j - 1])
            if not text.endswith(right):
                text += f"\n\nThe same with R's defects corrected:\n{right}"
        parts.append(text)
    parts.append(
        "repU_rm marks the synthetic records that are replicated uniques, synU_rm all unique ones"
        " that occur in the original; sdc() removes either."
    )
    if result.defects:
        parts.append("\n".join(["WARNING", *defect_lines(result)]))
    return "\n\n".join(parts)


def uniques_html(result: ReplicatedUniques) -> str:
    """R's tables for notebooks, with the right ones where they differ."""
    parts = []
    for j, table in enumerate(result.res_tab, start=1):
        name = f", synthesis {j}" if result.m > 1 else ""
        parts.append(_html_table(table, f"Unique combinations of {_keys(result)}{name}"))
        if result.corrected is not None and not table.equals(result.corrected.res_tab[j - 1]):
            parts.append(
                _html_table(result.corrected.res_tab[j - 1], "The same with R's defects corrected")
            )
    if result.defects:
        parts.append("<pre>" + escape("\n".join(defect_lines(result))) + "</pre>")
    return "<div>" + "".join(parts) + "</div>"


def _html_table(table: pd.DataFrame, caption: str) -> str:
    head = "".join(f"<th>{escape(str(c))}</th>" for c in table.columns)
    body = "".join(
        f"<tr><th>{escape(label)}</th><td>{row[0]}</td><td>{row[1]}</td><td>{row[2]:.2f}</td></tr>"
        for label, row in zip(table.index, table.itertuples(index=False))
    )
    return (
        f"<table><caption>{escape(caption)}</caption><thead><tr><th></th>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table>"
    )
