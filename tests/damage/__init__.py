"""Files damaged on purpose, and readers that must refuse them in one way: with an `InputError`.

Reading order: `damages` (what is done to bytes and to JSON) · `subjects` (the files, and who reads
them) · `runs` (thousands of trials, counted by what came of them). ``make fuzz-files`` runs it.
"""
