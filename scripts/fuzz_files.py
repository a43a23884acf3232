"""Damages files by the thousand and has them read: refused in one way, or read; nothing else.

python scripts/fuzz_files.py                   20,000 trials, seed 13 (make fuzz-files)
python scripts/fuzz_files.py --trials 500 --seed 4
python scripts/fuzz_files.py --subject "files that R wrote" --trial 17   one of them again

The counts go to docs/fuzz_files.json, which docs/src/explanation/untrusted-files.md shows; another
seed than 13 writes nothing. A reader that wants 2 GiB more than Python has at the start fails.
"""

from __future__ import annotations

import argparse
import datetime
import json
import resource
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[0] = str(ROOT)  # not scripts, where coverage.py hides the package of that name

from tests.damage.runs import Tally, one, run  # noqa: E402
from tests.damage.subjects import SUBJECTS  # noqa: E402

RECORD = ROOT / "docs" / "fuzz_files.json"
SEED = 13
ROOM = 1 << 31


def main() -> int:
    asked = parse()
    limit_memory()
    with tempfile.TemporaryDirectory() as folder:
        if asked.trial is not None:
            print(*one(asked.subject, asked.trial, asked.seed, Path(folder)), sep="\n")
            return 0
        each = asked.trials // len(SUBJECTS)
        tallies = {}
        for number, subject in enumerate(SUBJECTS):
            place = Path(folder, str(number))
            place.mkdir()
            tallies[subject] = run(subject, range(each), asked.seed, place)
            print(f"{subject}: {dict(tallies[subject].outcomes)}", flush=True)
    if asked.seed == SEED:
        write(tallies)
    return report(tallies)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--trials", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--subject", choices=SUBJECTS, default=next(iter(SUBJECTS)))
    parser.add_argument("--trial", type=int)
    return parser.parse_args()


def limit_memory() -> None:
    """A size that is believed becomes a MemoryError, which counts as a fault."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + ROOM
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def write(tallies: dict[str, Tally]) -> None:
    rows = [row(subject, tally) for subject, tally in tallies.items()]
    record = {"date": datetime.date.today().isoformat(), "seed": SEED, "subjects": rows}
    RECORD.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def row(subject: str, tally: Tally) -> dict[str, object]:
    return {
        "subject": subject,
        "trials": sum(tally.outcomes.values()),
        "refused": tally.outcomes["refused"],
        "read": tally.outcomes["read"],
        "other errors": len(tally.faults),
        "slowest, seconds": round(tally.slowest, 1),
    }


def report(tallies: dict[str, Tally]) -> int:
    faults = [(subject, fault) for subject, tally in tallies.items() for fault in tally.faults]
    for subject, fault in faults[:10]:
        print(f"\n{subject}, trial {fault['trial']}\n{fault['traceback']}")
    return 1 if faults else 0


if __name__ == "__main__":
    raise SystemExit(main())
