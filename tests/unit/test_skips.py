"""In CI a test that is skipped without an explanation fails: tried on small test files of their
own.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TESTS = """
import pytest

@pytest.mark.needs("a slow run")
def test_marked():
    {body}
"""


def run(tmp_path: Path, body: str, **environment: str) -> str:
    for name in ("tests", "r_reference"):
        (tmp_path / name).symlink_to(ROOT / name)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    (tmp_path / "conftest.py").write_text("from tests.conftest import *\n")
    file = tmp_path / "test_small.py"
    file.write_text(TESTS.format(body=body))
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("SYNTHPOP_PY_", "PYTEST_"))}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    done = subprocess.run(
        [*command, str(file)],
        cwd=tmp_path,
        env={**kept, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
    )
    return done.stdout.splitlines()[-1] if done.stdout else done.stderr


@pytest.mark.parametrize(
    "body, environment, outcome",
    [
        ("pass", {}, "1 skipped"),
        ("pass", {"SYNTHPOP_PY_SLOW": "1"}, "1 passed"),
        ("pass", {"SYNTHPOP_PY_MUST_RUN": "rdata"}, "1 skipped"),
        (
            "pytest.skip('no mood')",
            {"SYNTHPOP_PY_SLOW": "1", "SYNTHPOP_PY_MUST_RUN": "a slow run"},
            "1 failed",
        ),
        (
            "pytest.skip('no comparison with live R: none')",
            {"SYNTHPOP_PY_SLOW": "1", "SYNTHPOP_PY_MUST_RUN": "a slow run"},
            "1 skipped",
        ),
    ],
)
def test_a_skip_is_explained_or_a_failure(tmp_path, body, environment, outcome):
    assert outcome in run(tmp_path, body, **environment)


@pytest.mark.parametrize(
    "must_run, outcome", [("rdata", "1 skipped"), ("rdata,no_such_package", "1 error")]
)
def test_a_whole_file_may_be_skipped_for_want_of_what_need_not_be_here(tmp_path, must_run, outcome):
    body = "pass\n\npytest.importorskip('no_such_package')"
    assert outcome in run(tmp_path, body, SYNTHPOP_PY_MUST_RUN=must_run)
