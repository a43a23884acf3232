"""The public names: each is importable, documented and listed, and importing them costs little."""

from __future__ import annotations

import inspect
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import synthpop_py

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = sorted((ROOT / "docs" / "pages" / "reference").glob("*.md"))
WHERE_USED = ["scipy", "matplotlib", "narwhals", "polars", "duckdb", "jinja2", "rdata"]
FUNCTIONS = ["disclosure", "ifpr", "report", "ru_map"]  # modules have the same names


def fresh(code: str) -> str:
    """What the code prints in a new process."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("name", synthpop_py.__all__)
def test_every_public_name_is_there_and_says_what_it_is(name):
    public = getattr(synthpop_py, name)
    if name != "MISSING":
        assert inspect.getdoc(public)


@pytest.mark.parametrize("name", synthpop_py.__all__)
def test_every_public_name_is_on_a_page_of_the_reference(name):
    assert any(f"`{name}" in page.read_text(encoding="utf-8") for page in REFERENCE)


def test_every_public_name_is_listed():
    assert set(synthpop_py.__all__) <= set(dir(synthpop_py))
    assert sorted(synthpop_py.__all__) == list(dict.fromkeys(sorted(synthpop_py.__all__)))


def test_no_other_name_is_listed():
    listed = fresh("import synthpop_py; print(*dir(synthpop_py))").split()
    assert {name for name in listed if not name.startswith("__")} == set(synthpop_py.__all__)


@pytest.mark.parametrize(
    "code",
    [
        "import synthpop_py",
        "from synthpop_py import disclosure, multi_disclosure, InputError, __version__",
        "import synthpop_py; dir(synthpop_py); hasattr(synthpop_py, 'nothing')",
        # pandas input needs pandas and NumPy alone
        "import synthpop_py as s; f = s.datasets.load('SD2011').head(20);"
        " s.disclosure(f, f, ['sex'], 'marital', print_flag=False)",
    ],
)
def test_other_packages_are_imported_where_they_are_used(code):
    loaded = f"import sys; print([name for name in {WHERE_USED} if name in sys.modules])"
    assert fresh(f"{code}; {loaded}") == "[]"


IMPORTS = [
    "",
    "import synthpop_py.disclosure",
    "import synthpop_py.ifpr.risk",
    "import synthpop_py.report",
    "from synthpop_py.ifpr import risk, ifpr",
    "from synthpop_py import ru_map",
    "from synthpop_py import plots",
    "from synthpop_py import *",
    "import importlib; importlib.import_module('synthpop_py.ifpr')",
]


@pytest.mark.parametrize("first", IMPORTS)
def test_functions_stay_functions_whatever_is_imported_first(first):
    check = f"[inspect.isfunction(getattr(synthpop_py, name)) for name in {FUNCTIONS}]"
    assert fresh(f"{first}\nimport inspect, synthpop_py\nprint(all({check}))") == "True"


def test_a_data_set_is_pickled_into_a_process_that_has_imported_nothing():
    pickled = pickle.dumps(synthpop_py.SynDS([synthpop_py.datasets.load("SD2011").head(3)]))
    assert fresh(f"import pickle; print(pickle.loads({pickled!r}).m)") == "1"


def test_a_name_that_does_not_exist_is_no_attribute():
    assert not hasattr(synthpop_py, "disclosre")
    with pytest.raises(ImportError, match="disclosre"):
        from synthpop_py import disclosre  # noqa: F401
