"""`key_risk()`: which of the columns an intruder might know are dangerous together.

Reading order: `api` (the call) · `search` (every subset, each counted once) · `result` · `show`.
"""
