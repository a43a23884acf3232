"""Figures (matplotlib, imported when one is asked for).

Every function returns the axes, draws into `ax` if given and otherwise into a new figure, sized by
its contents. ``plt.show()`` and notebooks show that figure where the caller has imported pyplot;
otherwise pyplot is not touched, and nothing stays open.
``plot_targets(result).figure.savefig("risk.png")`` saves it, and so does
``result.save_plot("risk.png")``, which closes it too.

Reading order: `frame` (axes in matplotlib's constrained layout) · of people, with rounded counts:
`funnel`, `identity`, `targets`, `key_risk` · `measuring` (how wide words are), `fitting` (words
around axes of any size), `canvas` (what the other figures share), `labels` (names beside points) ·
`matching`, `study`, `ifpr`, `curve` (closed forms), `risk_utility` (the map).
"""

from .funnel import plot_funnel
from .identity import plot_identity
from .targets import plot_targets

__all__ = ["plot_funnel", "plot_identity", "plot_targets"]
