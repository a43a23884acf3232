"""Faults on purpose: an interrupt or a lack of memory at any line of the package.

Reading order: `strikes` (an error at the n-th line) · `state` (what must be as before) · `calls`
(every public function on a small table) · `trials` (many strikes, counted). ``make faults`` runs
thousands.
"""
