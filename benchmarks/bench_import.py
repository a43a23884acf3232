"""What importing the package costs, beside `import pandas`; prints ratios.

    python benchmarks/bench_import.py              15 rounds
    python benchmarks/bench_import.py --rounds 5

Every import runs in a fresh process, in turns, so that what else the machine does meets all alike.
The time a bare Python takes to start is measured in the same rounds and taken off. All have their
bytecode, as installed packages do: it is kept in a temporary folder, filled by a round that is not
counted. The goal is at most 1.25 times pandas; the exit status says whether it is met.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
GOAL = 1.25
BARE, PANDAS = "pass", "import pandas"
MEASURED = {  # what is imported: whether the goal is for it
    "import synthpop_py": True,
    "import synthpop_py; synthpop_py.disclosure": True,
    "import synthpop_py; synthpop_py.ifpr": False,
    "import synthpop_py; synthpop_py.ru_map": False,
    "from synthpop_py import *": False,
}


def seconds(code: str, environment: dict[str, str]) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, check=True)
    return time.perf_counter() - start


def rounds_of(codes: list[str], rounds: int) -> list[dict[str, float]]:
    """Seconds of each code in each round."""
    environment = {**os.environ}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryDirectory() as bytecode:
        environment["PYTHONPYCACHEPREFIX"] = bytecode
        times = [{code: seconds(code, environment) for code in codes} for _ in range(rounds + 1)]
    return times[1:]


def ratios(times: list[dict[str, float]], code: str) -> list[float]:
    """To pandas of the same round, both without the start of Python."""
    bare = statistics.median(one[BARE] for one in times)
    return [(one[code] - bare) / (one[PANDAS] - bare) for one in times]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    times = rounds_of([BARE, PANDAS, *MEASURED], parser.parse_args().rounds)
    print(f"{'start of Python':45s} {1000 * statistics.median(t[BARE] for t in times):6.0f} ms")
    met = True
    for code in (PANDAS, *MEASURED):
        bare = statistics.median(t[BARE] for t in times)
        cost = statistics.median(t[code] for t in times) - bare
        ratio = statistics.median(ratios(times, code))
        verdict = ""
        if MEASURED.get(code):
            verdict = f"goal {GOAL}: {'met' if ratio <= GOAL else 'NOT met'}"
            met = met and ratio <= GOAL
        print(f"{code:45s} {1000 * cost:6.0f} ms   {ratio:5.2f} x pandas   {verdict}".rstrip())
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
