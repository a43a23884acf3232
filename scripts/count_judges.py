"""Count what the judging tests compare, and write it to tests/judges.json: `python
scripts/count_judges.py`. What needs an engine or R that is not here keeps its recorded counts. No
count may fall, so run it when a judge was added.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.judged import FAMILIES  # noqa: E402


def main() -> int:
    files = sorted({file for files, _ in FAMILIES.values() for file in files})
    environment = os.environ | {"SYNTHPOP_PY_COUNT_JUDGES": "1"}
    command = [sys.executable, "-m", "pytest", "-q", *files, *sys.argv[1:]]
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode


if __name__ == "__main__":
    raise SystemExit(main())
