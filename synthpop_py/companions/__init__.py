"""R's functions around `disclosure()`.

Reading order: `uniques` with `uniques_keys`, `uniques_show` (replicated_uniques) · `sdc` ·
`numtocat` · `mergelevels` · `synorig` (synorig_compare) · `stacking` (several sets as one frame).
"""
