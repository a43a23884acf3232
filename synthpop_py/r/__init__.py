"""Everything that is specific to R.

Reading order:

- `layouts`: which measures each version of synthpop shows, and where;
- `defects`: the registry of what R does wrong, since and until when; `catalogue` shows it;
- `reading`: whether a call follows R, and in what;
- `both`: run as R, run correctly, report what differs;
- `formulas`: figures that R computes differently from the published definition;
- `only_there`: what R has and this package does not, with the way out;
- `text`, `collation`: R's texts of numbers, its order of texts;
- `spline` with `banded` and `brent`: its smoothing; `bandwidth` with `root`: the width of its
  kernel densities; `pretty`: its round breaks; `rounding`: its decimals.

A new version of synthpop is a layout, and an entry in the registry for each defect that it brings
(those that it fixes get an `until`). `compat="r-<version>"` follows from the layout.
"""
