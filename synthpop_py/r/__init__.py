"""Everything that is specific to R.

Reading order:

- `defects`: the registry of what R does wrong, since and until when; `ledger` shows it;
- `reading`: which measures each version of synthpop shows, and where; whether a call follows R;
- `as_r`: the steps of `disclosure()` that R takes otherwise; `uniques`: those of
  `replicated_uniques()`;
- `only_there`: what R has and this package does not, with the way out;
- `text`, `collation`: R's texts of numbers, its order of texts;
- `spline` with `banded`: its smoothing; `bandwidth`: the width of its
  kernel densities; `pretty`: its round breaks; `rounding`: its decimals.

A new version of synthpop is a layout, and an entry in the registry for each defect that it brings
(those that it fixes get an `until`). `compat="r-<version>"` follows from the layout.
"""
