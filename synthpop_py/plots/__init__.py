"""Figures (matplotlib, imported when one is asked for).

Every function returns the axes, draws into `ax` if given and otherwise into a new figure, sized by
its contents. ``plt.show()`` and notebooks show that figure where the caller has imported pyplot;
otherwise pyplot is not touched, and nothing stays open.
``plot_targets(result).figure.savefig("risk.png")`` saves it, and so does
``result.save_plot("risk.png")``, which closes it too.

Reading order: `measuring` (how wide words are), `fitting` (words around axes of any size), `canvas`
(what all figures share), `labels` (names beside points), `small_figures` (what may not be drawn) ·
of disclosure: `left_out` (the people a figure is about), `correct_figures` (R's figures with the
correct ones), `targets`, `identity`, `funnel` · of other methods: `key_risk`, `matching`, `study`,
`ifpr`, `curve` (closed forms), `risk_utility` (the map).
"""

from .funnel import plot_funnel
from .identity import plot_identity
from .targets import plot_targets

__all__ = ["plot_funnel", "plot_identity", "plot_targets"]
