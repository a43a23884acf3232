"""The package loads what is asked for and nothing else, and gives the same names in whatever order
its parts were imported.

What depends on the order of imports runs in a fresh process.
"""

from __future__ import annotations

import ast
import inspect
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import synthpop_py

ROOT = Path(__file__).resolve().parents[2]
HEAVY = ["numpy", "pandas", "scipy", "matplotlib"]
LOADED = f"import sys; print([name for name in {HEAVY} if name in sys.modules])"
FUNCTIONS = ["disclosure", "ifpr", "report", "ru_map"]  # folders have the same names


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


# ---- what is loaded ------------------------------------------------------------------


@pytest.mark.parametrize(
    "code, loads",
    [
        ("import synthpop_py", []),
        ("import synthpop_py; dir(synthpop_py); hasattr(synthpop_py, 'nothing')", []),
        ("import synthpop_py.errors", []),
        ("from synthpop_py import InputError, __version__", []),
        ("from synthpop_py import disclosure", ["numpy", "pandas"]),
        ("from synthpop_py import datasets, multi_disclosure", ["numpy", "pandas"]),
        ("from synthpop_py import *", ["numpy", "pandas", "scipy"]),
    ],
)
def test_only_what_is_needed_is_loaded(code, loads):
    assert fresh(f"{code}; {LOADED}") == str(loads)


# ---- the three lists of names --------------------------------------------------------


def type_checkers_see() -> dict[str, str]:
    """The names under TYPE_CHECKING and their modules, "" for a module of its own."""
    tree = ast.parse(Path(synthpop_py.__file__).read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    return {
        name.asname or name.name: node.module or ""
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for name in node.names
    }


def test_type_checkers_see_the_names_that_python_has():
    assert type_checkers_see() == synthpop_py._MODULE_OF


def test_public_names_are_those_of_the_table():
    assert sorted(synthpop_py.__all__) == sorted(synthpop_py._MODULE_OF)


def test_every_name_is_there_and_listed():
    assert set(synthpop_py.__all__) <= set(dir(synthpop_py))
    assert [name for name in synthpop_py.__all__ if getattr(synthpop_py, name) is None] == []
    assert len(inspect.getmembers(synthpop_py)) == len(dir(synthpop_py))


# ---- functions and folders of the same name ------------------------------------------

CHECK = f"""
import inspect, synthpop_py
for name in {FUNCTIONS}:
    assert inspect.isfunction(getattr(synthpop_py, name)), name
from synthpop_py import disclosure, ifpr, report, ru_map
assert all(map(inspect.isfunction, (disclosure, ifpr, report, ru_map)))
from synthpop_py.ifpr import risk
from synthpop_py.disclosure import api
assert api.disclosure is disclosure
"""


IMPORTS = [
    "",
    "import synthpop_py.disclosure",
    "import synthpop_py.disclosure.api",
    "import synthpop_py.ifpr.risk",
    "import synthpop_py.report.api",
    "from synthpop_py.report import api, render",
    "from synthpop_py.ifpr import risk, ifpr",
    "from synthpop_py.disclosure.api import disclosure",
    "from synthpop_py import disclosure; import synthpop_py.companions.uniques",
    "from synthpop_py import ifpr; import synthpop_py.ifpr.risk",
    "from synthpop_py import ru_map",  # it imports from both folders
    "from synthpop_py import plots",
    "from synthpop_py import *",
    "import importlib; importlib.import_module('synthpop_py.ifpr')",
    "import importlib, synthpop_py, synthpop_py.ifpr; importlib.reload(synthpop_py)",
    "import importlib, sys, synthpop_py.ifpr; importlib.reload(sys.modules['synthpop_py.ifpr'])",
    "import pickle; pickle.loads(b'csynthpop_py.ifpr.risk\\nifpr_risk\\n.')",
]

# one process for all: what NumPy and pandas take to load is not what is asked about
IN_TURN = f"""
import sys, traceback
wrong = []
for first in {IMPORTS!r}:
    for loaded in [name for name in sys.modules if name.split(".")[0] == "synthpop_py"]:
        del sys.modules[loaded]
    try:
        exec(first + chr(10) + {CHECK!r}, {{"__name__": "__main__"}})
    except Exception:
        wrong.append(first + ": " + traceback.format_exc())
print(*wrong, sep=chr(10))
"""


def test_functions_stay_functions():
    assert fresh(IN_TURN) == ""


def test_a_function_that_becomes_a_folder_is_noticed():
    spoilt = IN_TURN.replace(CHECK.strip().splitlines()[0], "raise RuntimeError", 1)
    assert spoilt != IN_TURN and fresh(spoilt).count("RuntimeError") >= len(IMPORTS)


def test_functions_stay_functions_whichever_part_is_imported_first():
    # one process, in which the package is forgotten before each import
    fresh(f"""
import importlib, inspect, pkgutil, sys
import synthpop_py

modules = [found.name for found in pkgutil.iter_modules(synthpop_py.__path__, "synthpop_py.")]
assert len(modules) > 10
for module in modules:
    for loaded in [name for name in sys.modules if name.split(".")[0] == "synthpop_py"]:
        del sys.modules[loaded]
    importlib.import_module(module)
    package = sys.modules["synthpop_py"]
    for name in {FUNCTIONS}:
        assert inspect.isfunction(getattr(package, name)), (module, name)
""")


@pytest.mark.parametrize("folder", FUNCTIONS)
def test_modules_of_such_a_folder_are_imported_as_the_docstring_says(folder):
    fresh(f"from synthpop_py.{folder} import api; assert type(api).__name__ == 'module'")
    with pytest.raises(AssertionError, match="ImportError"):
        fresh(f"import synthpop_py.{folder}.api as api")


def test_a_function_can_be_replaced(monkeypatch):
    monkeypatch.setattr(synthpop_py, "disclosure", print)
    assert synthpop_py.disclosure is print


def test_other_submodules_become_attributes():
    fresh("import synthpop_py.plots.canvas; assert synthpop_py.plots.canvas.matplotlib")


# ---- use -----------------------------------------------------------------------------


def test_a_call_straight_after_the_import_of_a_folder():
    code = """
import synthpop_py.disclosure.measures
frame = synthpop_py.datasets.load("SD2011").head(20)
print(type(synthpop_py.disclosure(frame, frame, ["sex"], "marital")).__name__)
"""
    assert fresh(code) == "Disclosure"


def test_threads_may_ask_at_the_same_time():
    code = """
from concurrent.futures import ThreadPoolExecutor
import synthpop_py
ask = lambda _: synthpop_py.disclosure
with ThreadPoolExecutor(8) as pool:
    print(len(set(pool.map(ask, range(64)))))
"""
    assert fresh(code) == "1"


@pytest.mark.parametrize("name", ["disclosure", "ifpr", "Disclosure", "RDefectWarning"])
def test_names_are_pickled_by_their_module(name):
    pickled = pickle.dumps(getattr(synthpop_py, name))
    assert fresh(f"import pickle; print(pickle.loads({pickled!r}).__name__)") == name


def test_a_data_set_is_pickled_into_a_process_that_has_imported_nothing():
    pickled = pickle.dumps(synthpop_py.SynDS([synthpop_py.datasets.load("SD2011").head(3)]))
    assert fresh(f"import pickle; print(pickle.loads({pickled!r}).m)") == "1"


@pytest.mark.parametrize(
    "wrong, says",
    [
        ("disclosre", "; did you mean 'disclosure'?"),
        ("SYNDS", "; did you mean 'SynDS'?"),
        ("Multi_disclosure", "; did you mean 'multi_disclosure'?"),
        ("zzz", ""),
    ],
)
def test_an_unknown_name_gets_the_nearest(wrong, says):
    with pytest.raises(AttributeError) as caught:
        getattr(synthpop_py, wrong)
    assert str(caught.value) == f"module 'synthpop_py' has no attribute {wrong!r}{says}"
    assert not hasattr(synthpop_py, wrong)


def test_a_traceback_suggests_once():
    done = subprocess.run(
        [sys.executable, "-c", "import synthpop_py; synthpop_py.disclosre"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr.lower().count("did you mean") == 1


def test_a_name_that_does_not_exist_cannot_be_imported():
    with pytest.raises(ImportError, match="disclosre"):
        from synthpop_py import disclosre  # noqa: F401
