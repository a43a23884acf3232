"""Runs tests with branch coverage and writes what they reach to docs/coverage.json.

python scripts/coverage.py                 all tests (make coverage)
python scripts/coverage.py tests/unit      some of them; the record says which
python scripts/coverage.py --kept          what the run for the mutants (all tests) found out
"""

from __future__ import annotations

import datetime
import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RECORD = ROOT / "docs" / "coverage.json"
CACHE = ROOT / ".mutants"
KEPT = "--kept"


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        outcome = report_kept(report) if KEPT in sys.argv else measure(report)
        if not report.is_file():
            return outcome or 1
        files = json.loads(report.read_text(encoding="utf-8"))["files"]
    rows = summary(files)
    record = {
        "tests": " ".join(tests()),
        "date": datetime.date.today().isoformat(),
        "folders": rows,
    }
    RECORD.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    for name, row in rows.items():
        print(f"{name:<28}{row['lines']:7.1f} % of lines {row['branches']:7.1f} % of branches")
    return outcome


def tests() -> list[str]:
    return [name for name in sys.argv[1:] if name != KEPT] or ["tests"]


def report_kept(report: Path) -> int:
    """The report of the run that scripts/mutants.py made in its copy of the repository."""
    found = sorted(CACHE.glob("*/contexts.sqlite"), key=lambda path: path.stat().st_mtime)
    if not found:
        print("coverage: nothing kept; run scripts/mutants.py first")
        return 1
    command = [sys.executable, "-m", "coverage", "json", "-q", "-o", str(report)]
    command += [f"--data-file={found[-1]}"]
    return subprocess.run(command, cwd=found[-1].parent / "tree-0", check=False).returncode


def measure(report: Path) -> int:
    command = [sys.executable, "-m", "pytest", "-q", "-n", "auto", "--cov=synthpop_py"]
    command += ["--cov-branch", f"--cov-report=json:{report}", *tests()]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def summary(files: dict[str, dict]) -> dict[str, dict[str, float]]:
    """Percentages by folder of the package, and over all."""
    folders: dict[str, list[dict]] = {}
    for name, file in files.items():
        folder = "/".join(Path(name).parts[:-1])
        folders.setdefault(folder, []).append(file["summary"])
        folders.setdefault("all", []).append(file["summary"])
    return {folder: shares(parts) for folder, parts in sorted(folders.items())}


def shares(parts: list[dict]) -> dict[str, float]:
    def total(field: str) -> int:
        return sum(part[field] for part in parts)

    lines = 100 * total("covered_lines") / max(total("num_statements"), 1)
    branches = 100 * total("covered_branches") / max(total("num_branches"), 1)
    return {"lines": round(lines, 1), "branches": round(branches, 1)}


if __name__ == "__main__":
    sys.exit(main())
