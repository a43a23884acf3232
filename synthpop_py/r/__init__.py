"""Everything that is R's and nobody else's.

Reading order: `layouts` (which measures each version of synthpop shows, and where), `formulas`
(figures that R computes in another way than the published definition).
"""
