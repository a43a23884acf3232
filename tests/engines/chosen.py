"""Recorded cases that Spark and PostgreSQL run too: one at least for each thing that an engine
could get wrong.
"""

from __future__ import annotations

CHOSEN = (
    # 5,000 records: missing values, an integer key, special values (-8), one synthesis and five
    "paper/s1/depress",
    "paper/s1/income",
    "paper/s5/marital",
    "paper/alone/income/special_value",
    "paper/alone/s1/keys_with_missing",
    "paper/alone/s1/exclude=missing",
    "paper/alone/s5/exclude",
    # classes of numbers
    "paper/alone/s1/ngroups_keys=5",
    "paper/alone/s1/ngroups_target=20",
    "paper/alone/s1/style=pretty",
    "paper/frame_pairs/cont.na+ngroups_target",
    "paper/frame_pairs/compare.synorig+usekeysNA",
    # the order of levels, under two collations
    "ledger/D1/syn_lacks_a_value",
    "ledger/D1/same_levels_other_order",
    "ledger/D1/factor_level_dropped",
    "ledger/D1/right_under_C_only",
    "ledger/D1/one_of_two_syntheses",
    # missing on one side, levels that nobody has
    "ledger/D6/genuine_na_two_keys",
    "ledger/D8/na_only_in_syn",
    "ledger/D8/date_target",
    "ledger/D14/unused_level",
    # dates, times, two types of one column
    "ledger/D7/Date",
    "ledger/D15/times",
    "ledger/D15/integer_and_double",
    "ledger/D15/factor_and_number",
    # text, with ties that a collation breaks
    "ledger/D40/tied_level",
    "ledger/D40/tied_pairs",
    "ledger/D20/character_key",
    # text, logical, double and integer keys, two syntheses
    "random/2",
    "random/5",
    "random/12",
    # 48,842 records, names with dots
    "adult/table1/not.targetlev+NA/workclass",
)
CHOSEN_SUMMARIES = ("ledger/D2/multi", "ledger/D28/multi_list", "ledger/D29/paper_example")
CHOSEN_UNIQUES = (
    "companions/replicated.uniques/paper_s1",
    "companions/replicated.uniques/small_two_sets",
    "companions/replicated.uniques/small_integers",
)
