"""The port of R's `disclosure()`.

Reading order, that of a call:

- `api` (the function) · `options` (its arguments, checked) · `level_names` (the levels that they
  name) · `source`, `rows` (the tables, read) ·
  `judgement` (R's result, and the correct one beside it where they differ);
- `run`, eight steps of the eleven: plan · encode (`encoding`, `keys`, `bins`; `harmonise` is what R
  does to plain frames first) · tabulate and pair (`cells`, `pairing`) · classify (`certainty`;
  `nearly`, for a lower share) · exclude (`exclusions`) · measure (`measures`, the registry;
  `measure_names`) · check (`checks`);
- people who were not in the data: `scores` (of them and of members) · `baseline` (both side by
  side) · `baseline_intervals` (how certain that is);
- `parts` (the same if there are too many rows to count at once) · `splitting` (what must stay in
  one part);
- `result` (what users hold) · `result_frames` (R's tables) · `records` (single records) ·
  `diversity` (how many target values keys have) · `holdout` (can it serve?) · `asked` (its
  arguments) · `fingerprints` (which data it is about) · `people`, `baseline_show`, `show` (how it
  prints) · `json` · `notes` · `findings`, `defect_text` (which defect of R moved what).

A step imports what it calls, so a helper may stand later in this order. No two modules import each
other. `core` and `tables` do not import this folder.
"""
