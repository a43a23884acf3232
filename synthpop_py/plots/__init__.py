"""Figures (matplotlib, imported when one is asked for).

Every function returns the axes, draws into `ax` if one is given and otherwise into a figure of its
own, sized by what it has to hold. No window is opened and pyplot is not touched:
``plot_targets(result).figure.savefig("risk.png")`` saves a figure.

Reading order: `canvas` (what all figures share), `labels` (names beside points), `small_figures`
(what may not be drawn) · of disclosure: `correct_figures` (R's figures with the correct ones),
`targets`, `identity`, `funnel` · of other methods: `matching`, `study`, `ifpr`, `curve` (closed
forms), `risk_utility` (the map).
"""

from .funnel import plot_funnel
from .identity import plot_identity
from .targets import plot_targets

__all__ = ["plot_funnel", "plot_identity", "plot_targets"]
