"""Prints, joined by commas, the needs of tests that this machine meets; CI fails where one is
skipped.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.needs import NEEDS, is_met

print(",".join(need for need in NEEDS if is_met(need)))
