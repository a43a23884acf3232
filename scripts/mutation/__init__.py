"""Mutants: small changes of the code, one at a time, of which the tests should notice every one.

Reading order: `operators` (which changes there are) · `sampling` (all places, and a sample of
them) · `coverage_map` (which tests reach a line, and how long each takes) · `trial` (one mutant
against its tests) · `record` (what came of it, and the table). `scripts/mutants.py` is the command.
"""
