"""Everything that is specific to R.

Reading order:

- `ledger`: what R does wrong, since and until when (its text is `ledger.toml`);
- `reading`: which measures each version of synthpop shows, and where; whether a call follows R;
- `as_r`: the steps of `disclosure()` that R takes otherwise; `companions`: those of the functions
  beside it;
- `differences`: R's figures beside the correct ones;
- `only_there`: what R has and this package does not, with the way out;
- `text`, `collation`: R's texts of numbers, its order of texts;
- `spline` with `banded`: its smoothing; `bandwidth`: the width of its
  kernel densities; `pretty`: its round breaks; `rounding`: its decimals.

A new version of synthpop is a layout, and an entry in the registry for each defect that it brings
(those that it fixes get an `until`). `compat="r-<version>"` follows from the layout.
"""
