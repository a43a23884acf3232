"""`multi_disclosure()`: identity risk once, attribute risk for many targets.

Reading order: `api` (the call) · `options` (its arguments, checked) · `result` · `show`.
"""
