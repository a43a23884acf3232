"""`multi_disclosure()`: identity risk once, attribute risk for many targets.

Reading order: `api` (the call) · `options` (its arguments, checked) · `judgement` (as R and
correctly) · `run` (every target) · `rows` (the figures of one) · `result` · `show`.
"""
