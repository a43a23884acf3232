"""Records what R answers: ``python -m r_reference.record [case file ...] [--check | --syn]``.

Each case file is run under every version of synthpop named in ``versions.json``; the results go to
``fixtures/expected/<version>/``. The folder of the reference version is complete, that of an
earlier version holds only what differs. Nothing is written by hand and nothing depends on the time
of day: recording twice gives the same bytes. ``--check`` records to a temporary folder and
compares. ``--syn`` records calls of `syn()`, one version only, to ``fixtures/syn/answers``.
"""

from __future__ import annotations

import argparse
import filecmp
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from .case_maker.files import CASES, SLOW, SYN_CASES, read_all
from .records import EXPECTED, SYN_ANSWERS, render_difference, render_full, versions

HERE = Path(__file__).resolve().parent
FIXTURES = HERE.parent / "fixtures" / "data"


def run_batch(case_file: Path, version: str, output: Path) -> list[str]:
    """The lines R writes for a file of cases: first the stamp, then one record for each case and
    collation.
    """
    library = HERE / "library" / version
    if not (library / "synthpop").is_dir():
        raise SystemExit(
            f"synthpop {version} is not installed in {library.name}: run `make r` first"
        )
    environment = {**os.environ, "R_LIBS": str(library), "LC_ALL": "C.UTF-8", "TZ": "UTC"}
    command = [
        "Rscript",
        "--vanilla",
        str(HERE / "batch.R"),
        str(HERE),
        str(FIXTURES),
        str(case_file),
        str(output),
    ]
    subprocess.run(command, check=True, env=environment)
    lines = output.read_text(encoding="utf-8").splitlines()
    answered_by = json.loads(lines[0])["packages"]["synthpop"]
    if answered_by != version:
        raise SystemExit(
            f"asked synthpop {version}, but {answered_by} answered: R found it outside"
            f" {library.name}; run `make r`"
        )
    return lines


def record(names: list[str], folder: Path) -> None:
    reference, *earlier = versions()
    with tempfile.TemporaryDirectory() as scratch:
        for name in names:
            case_file = CASES / f"{name}.jsonl"
            print(f"{name}: synthpop {reference}", flush=True)
            full = run_batch(case_file, reference, Path(scratch) / "out.jsonl")
            _write(folder / reference / f"{name}.json", render_full(full))
            for version in earlier:
                print(f"{name}: synthpop {version}", flush=True)
                other = run_batch(case_file, version, Path(scratch) / "out.jsonl")
                _write(folder / version / f"{name}.json", render_difference(other, full))


def record_syn() -> None:
    """What the reference version of R's `syn()` answers to ``syn_cases``."""
    with tempfile.TemporaryDirectory() as scratch:
        for case_file in sorted(SYN_CASES.glob("*.jsonl")):
            lines = run_batch(case_file, versions()[0], Path(scratch) / "out.jsonl")
            _write(SYN_ANSWERS / f"{case_file.stem}.json", render_full(lines))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def changed_files(names: list[str], fresh: Path) -> list[str]:
    pairs = [f"{version}/{name}.json" for version in versions() for name in names]
    return [
        p
        for p in pairs
        if not (EXPECTED / p).exists() or not filecmp.cmp(EXPECTED / p, fresh / p, shallow=False)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "names", nargs="*", help=f"case files without ending; all but {SLOW!r} when none is named"
    )
    parser.add_argument(
        "--check", action="store_true", help="record to a temporary folder and compare bytes"
    )
    parser.add_argument(
        "--syn", action="store_true", help="record the answers of syn() to r_reference/syn_cases"
    )
    options = parser.parse_args()
    if options.syn:
        return record_syn()
    names = options.names or [name for name in read_all() if name != SLOW]
    if not options.check:
        return record(names, EXPECTED)
    with tempfile.TemporaryDirectory() as fresh:
        record(names, Path(fresh))
        changed = changed_files(names, Path(fresh))
    print(f"{len(names) * len(versions())} files recorded again, {len(changed)} changed", *changed)
    sys.exit(bool(changed))


if __name__ == "__main__":
    main()
