"""Pictures (matplotlib, imported when one is asked for).

Each function draws the result it is given and returns the axes: those given as `ax`, otherwise of a
new figure, sized by its contents. Counts of people are rounded to a multiple of `round_to` (10); 1
draws exact ones. ``plt.show()`` and notebooks show the figure where the caller has imported pyplot;
otherwise pyplot is not touched, and nothing stays open. ``result.save_plot("risk.png")`` saves it.

Reading order: `frame` (what all share) · of people: `disclosure` (funnel, identity, targets),
`key_risk` · `matching` (and membership), `study`, `ifpr`, `risk_utility` (the map, the curve).
"""

from .disclosure import plot_funnel, plot_identity, plot_targets

__all__ = ["plot_funnel", "plot_identity", "plot_targets"]
