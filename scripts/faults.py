"""Strikes every public function with an interrupt or a lack of memory at random lines.

python scripts/faults.py                  100 strikes per function, seed 13 (make faults)
python scripts/faults.py --strikes 20 --seed 4

After every strike the error must have come through, the same call on the same inputs must give the
same result, and inputs, files and the state of Python and of the libraries must be as before. The
counts go to docs/faults.json, which docs/src/explanation/untrusted-files.md shows; another seed
than 13 writes nothing.
"""

from __future__ import annotations

import argparse
import datetime
import json
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[0] = str(ROOT)  # not scripts, where coverage.py hides the package of that name

from tests.faults.calls import CALLS  # noqa: E402
from tests.faults.trials import Tally, struck  # noqa: E402

RECORD = ROOT / "docs" / "faults.json"
SEED = 13


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--strikes", type=int, default=100)
    parser.add_argument("--seed", type=int, default=SEED)
    asked = parser.parse_args()
    tallies = {}
    for name in CALLS:
        with tempfile.TemporaryDirectory() as folder:
            tallies[name] = struck(name, asked.strikes, asked.seed, Path(folder))
        print(f"{name}: {dict(tallies[name].strikes)}, faults {len(tallies[name].faults)}")
        for fault in tallies[name].faults[:5]:
            print(f"  {fault}", flush=True)
    if asked.seed == SEED:
        write(tallies)
    return 1 if any(tally.faults for tally in tallies.values()) else 0


def write(tallies: dict[str, Tally]) -> None:
    record = {
        "date": datetime.date.today().isoformat(),
        "seed": SEED,
        "calls": len(tallies),
        "MemoryError": sum(tally.strikes["MemoryError"] for tally in tallies.values()),
        "KeyboardInterrupt": sum(tally.strikes["KeyboardInterrupt"] for tally in tallies.values()),
        "not as before": sum(len(tally.faults) for tally in tallies.values()),
    }
    RECORD.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    raise SystemExit(main())
