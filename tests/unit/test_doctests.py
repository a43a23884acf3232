"""The examples in docstrings do what they say."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import synthpop_py

MODULES = sorted(
    module.name for module in pkgutil.walk_packages(synthpop_py.__path__, "synthpop_py.")
)


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_a_module(name):
    module = importlib.import_module(name)
    failed, _ = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert not failed, (
        f"{failed} examples of {name} do not give what they show; run: python -m doctest"
    )


@pytest.mark.parametrize(
    "name", [n for n in synthpop_py.__all__ if callable(getattr(synthpop_py, n)) and n[0].islower()]
)
def test_every_public_function_has_an_example(name):
    assert ">>> " in (getattr(synthpop_py, name).__doc__ or ""), (
        f"{name}() has no example in its docstring"
    )
