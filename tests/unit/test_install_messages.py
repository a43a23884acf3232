"""What people are told to install is what the distribution has, in messages and in the README."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from synthpop_py.errors import install

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CODE = {
    path: path.read_text(encoding="utf-8")
    for path in sorted((ROOT / "synthpop_py").rglob("*.py"))
    if path.name != "errors.py"
}


def test_messages_name_the_distribution_and_its_extras():
    written = [str(path) for path, text in CODE.items() if "pip install" in text]
    assert not written, "install() of synthpop_py.errors writes such commands"
    asked = {
        extra for text in CODE.values() for extra in re.findall(r"install\(['\"](\w+)['\"]\)", text)
    }
    assert asked and asked <= set(PROJECT["optional-dependencies"])
    assert install("plot") == f"pip install '{PROJECT['name']}[plot]'"


def test_the_readme_installs_the_same():
    assert install("plot") in README and f"pip install {PROJECT['name']}`" in README
    section = README.partition("## Install")[2]
    named = set(
        re.findall(r"^`(\w+)` \(|`(\w+)`(?: \(|, )", section.split("The distribution")[0], re.M)
    )
    extras = {name for pair in named for name in pair if name}
    assert extras == set(PROJECT["optional-dependencies"])
    assert f"Python {PROJECT['requires-python'].removeprefix('>=')} or later" in section
