"""R's functions around `disclosure()`.

Reading order, by function:

- `replicated_uniques`: `uniques` (call and result) · `uniques_keys` (combinations, by value and by
  R's texts) · `uniques_counts` · `uniques_parts` (where they are too many) · `uniques_show`;
- `sdc`: `sdc_options` (arguments) · `sdc` (its steps);
- `numtocat_syn`: `numtocat` (call and result) · `numtocat_options` · `numtocat_classes`;
- `mergelevels_syn`: `mergelevels` (call) · `factors` · `mergelevels_rules` (what is merged);
- `synorig_compare`: `synorig`.

`stacking` turns several sets into one frame, and back. What R does differently goes through
`synthpop_py.r.both`: each call is a `Computation` that can be run under any reading.
"""
