"""What is said about the distribution in different places agrees: metadata, README, messages,
licences, citation.

What needs a build is checked by `make dist`.
"""

from __future__ import annotations

import ast
import json
import re
import sys
import tomllib
from pathlib import Path

import synthpop_py
from synthpop_py.errors import DISTRIBUTION, SynthpopError, install_command, missing_package

ROOT = Path(__file__).resolve().parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]
EXTRAS = PROJECT["optional-dependencies"]
# not part of `all`: one is under the AGPL, one needs R
APART = {"pyreadr", "r"}
# named in pyproject.toml, but what they are for is not built yet: no text may offer them
RESERVED = {"all"}
INSTALL_PAGE = "docs/pages/how-to/install.md"
MODULES = sorted((ROOT / "synthpop_py").rglob("*.py"))
TEXTS = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs" / "src").rglob("*.md")),
    *MODULES,
]


def source(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def text(name: str) -> str:
    return source(ROOT / name)


def package_of(requirement: str) -> str:
    return re.match(r"[\w-]+", requirement)[0]


def path_name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


# ---- extras and messages -------------------------------------------------------------


def offered(path: Path) -> set[str]:
    """The extras that a text tells its reader to install."""
    # a message broken over two lines of code is one text
    joined = re.sub(r'"\s*f?"', "", source(path))
    lists = re.findall(rf"'(?:{DISTRIBUTION}|\.)\[([\w,-]+)\]'", joined)
    return {name for names in lists for name in names.split(",")}


def test_every_extra_that_a_text_offers_exists():
    wrong = {path_name(path): offered(path) - ({*EXTRAS} - RESERVED) for path in TEXTS}
    assert {name: extras for name, extras in wrong.items() if extras} == {}
    assert "report" in offered(ROOT / "README.md")


def test_every_extra_that_code_asks_for_exists():
    asked = {
        call.args[-1].value
        for path in MODULES
        for call in ast.walk(ast.parse(source(path)))
        if isinstance(call, ast.Call)
        and getattr(call.func, "id", "") in ("install_command", "missing_package")
        and isinstance(call.args[-1], ast.Constant)
    }
    assert asked and asked <= {*EXTRAS} - RESERVED


def test_the_message_for_a_missing_package():
    error = missing_package("plots", "matplotlib", "plot")
    assert isinstance(error, SynthpopError)
    assert str(error) == (
        "plots need matplotlib, which is not installed; install the 'plot' extra:"
        " pip install 'synthpop-disclosure[plot]'"
    )
    assert DISTRIBUTION == PROJECT["name"]
    assert install_command("plot") in text(INSTALL_PAGE)


def test_the_page_lists_the_extras_that_work_and_what_they_bring():
    rows = re.findall(r"^\| `(\w+)` \| ([\w-]+) \|", text(INSTALL_PAGE), flags=re.MULTILINE)
    working = {*EXTRAS} - RESERVED
    assert dict(rows) == {extra: first_package(extra) for extra in working}


def first_package(extra: str) -> str:
    """What an extra brings, apart from other extras."""
    names = map(package_of, EXTRAS[extra])
    return next(name for name in names if name != DISTRIBUTION)


def test_an_extra_refers_to_extras_that_exist():
    inside = [need for needs in EXTRAS.values() for need in needs if need.startswith(DISTRIBUTION)]
    named = {name for need in inside for name in re.findall(r"\[(.+)\]", need)[0].split(",")}
    assert named <= {*EXTRAS}


def test_all_means_all_but_what_is_apart():
    (everything,) = EXTRAS["all"]
    named = set(re.findall(r"\[(.+)\]", everything)[0].split(","))
    assert named == {*EXTRAS} - APART - {"all"}


IMPORTED_AS = {"ibis-framework": "ibis"}  # packages under another name than their module


def test_every_foreign_package_that_code_imports_is_declared():
    imported = set()
    for path in MODULES:
        for node in ast.walk(ast.parse(source(path))):
            if isinstance(node, ast.Import):
                imported |= {name.name.split(".")[0] for name in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                imported.add(node.module.split(".")[0])
    foreign = imported - sys.stdlib_module_names - {"synthpop_py"}
    needs = [*PROJECT["dependencies"], *(need for needs in EXTRAS.values() for need in needs)]
    declared = {package_of(need) for need in needs}
    assert foreign <= {IMPORTED_AS.get(package, package) for package in declared}


# ---- versions ------------------------------------------------------------------------


def test_the_citation_is_of_this_version():
    citation = text("CITATION.cff")
    assert re.findall(r"^version: (.+)$", citation, flags=re.MULTILINE) == [synthpop_py.__version__]
    authors = {author["name"] for author in PROJECT["authors"]}
    assert set(re.findall(r'^  - name: "(.+)"$', citation, flags=re.MULTILINE)) == authors


def test_the_version_is_the_one_that_is_built():
    assert PROJECT["dynamic"] == ["version"]
    assert PYPROJECT["tool"]["hatch"]["version"]["path"] == "synthpop_py/__init__.py"
    assert re.fullmatch(r"\d+\.\d+\.\d+", synthpop_py.__version__)


def test_python_versions_agree():
    lowest = PROJECT["requires-python"].removeprefix(">=")
    classified = [
        name.split(" :: ")[-1]
        for name in PROJECT["classifiers"]
        if re.fullmatch(r"Programming Language :: Python :: 3\.\d+", name)
    ]
    minors = [int(version.split(".")[1]) for version in classified]
    assert classified[0] == lowest
    assert minors == list(range(minors[0], minors[-1] + 1))
    for name in ("README.md", INSTALL_PAGE):
        assert f"Python {lowest} or later" in text(name)
    assert PYPROJECT["tool"]["ruff"]["target-version"] == f"py{lowest.replace('.', '')}"


# ---- licences ------------------------------------------------------------------------


def licences() -> set[str]:
    """The identifiers of the licence expression."""
    return set(re.findall(r"[\w.-]+", PROJECT["license"])) - {"AND", "OR", "WITH"}


def test_each_licence_has_its_text_and_no_other_is_there():
    assert {path.stem for path in (ROOT / "LICENSES").iterdir()} == licences()
    listed = {path for pattern in PROJECT["license-files"] for path in ROOT.glob(pattern)}
    assert listed == {ROOT / "LICENSE", *(ROOT / "LICENSES").iterdir()}
    assert all(path.stat().st_size > 500 for path in listed)


def test_the_licence_file_explains_the_expression():
    assert f'"{PROJECT["license"]}"' in text("LICENSE")
    assert all(f"LICENSES/{name}.txt" in text("LICENSE") for name in licences())


def test_files_that_the_licence_file_names_are_there():
    named = re.findall(r"[\w./-]+\.(?:py|md|txt)\b", text("LICENSE"))
    assert len(named) >= 4
    assert [name for name in named if not (ROOT / name).is_file()] == []


def test_modules_name_no_licence_that_is_not_listed():
    named = set(re.findall(r"SPDX-License-Identifier: ([\w.-]+)", "".join(map(source, MODULES))))
    assert named <= licences()


def test_data_under_one_licence_only_are_named():
    manifest = json.loads(text("fixtures/data/manifest.json"))
    strict = {name for name, entry in manifest.items() if "GPL-2" not in entry["licence"]}
    originals = {name for name in strict if manifest[name]["kind"] == "data"}
    assert originals == {"Adult", "syc"}
    assert all(re.search(rf"\b{name}\b", text("LICENSE")) for name in originals)


def test_no_classifier_repeats_the_licence():
    # PEP 639: an index refuses both
    assert not [name for name in PROJECT["classifiers"] if name.startswith("License")]


def test_the_citation_names_a_licence_of_the_expression():
    section = re.search(r"^license:\n((?:  - .+\n)+)", text("CITATION.cff"), flags=re.MULTILINE)
    named = set(re.findall(r"- (.+)", section[1]))
    assert named == {"GPL-2.0-only", "GPL-3.0-only"} and named <= set(licences())


# ---- what goes in --------------------------------------------------------------------


def test_the_wheel_has_the_package_with_types_and_data():
    wheel = PYPROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert wheel["packages"] == ["synthpop_py"]
    assert wheel["force-include"] == {"fixtures/data": "synthpop_py/_data"}
    assert (ROOT / "synthpop_py" / "py.typed").is_file()
    assert "Typing :: Typed" in PROJECT["classifiers"]


def test_no_host_is_named_that_packages_come_from():
    locks = ["uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock", "pylock.toml", "pip.conf"]
    assert [name for name in locks if (ROOT / name).exists()] == []
    assert "://" not in text("pyproject.toml")
    places = [ROOT / "Makefile", ROOT / ".ci" / "run", *(ROOT / "scripts").glob("*.*")]
    options = re.compile(r"(index-url|find-links|trusted-host)[= ]\S*(://|/)")
    assert [path_name(path) for path in places if options.search(source(path))] == []
