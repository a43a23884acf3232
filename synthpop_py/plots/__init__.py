"""Figures (matplotlib, imported when one is asked for).

Every function returns the axes, draws into `ax` if given and otherwise into a new figure, sized by
its contents. ``plt.show()`` and notebooks show that figure where the caller has imported pyplot;
otherwise pyplot is not touched, and nothing stays open.
``plot_targets(result).figure.savefig("risk.png")`` saves it, and so does
``result.save_plot("risk.png")``, which closes it too.

Reading order: `frame` (axes in matplotlib's constrained layout, words around them, names beside
points) · of people, with rounded counts: `funnel`, `identity`, `targets`, `key_risk` · `matching`,
`membership`, `study`, `ifpr`, `risk_utility` (the map, and the curve of a closed form).
"""

from .funnel import plot_funnel
from .identity import plot_identity
from .targets import plot_targets

__all__ = ["plot_funnel", "plot_identity", "plot_targets"]
