"""Figures (matplotlib, imported when one is asked for): what they share in `canvas`, one module for
each family of methods.
"""

from .disclosure import plot_funnel, plot_identity, plot_targets

__all__ = ["plot_funnel", "plot_identity", "plot_targets"]
