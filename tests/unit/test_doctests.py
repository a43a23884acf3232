"""The examples in docstrings do what they say."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil

import pytest

import synthpop_py

MODULES = sorted(
    module.name for module in pkgutil.walk_packages(synthpop_py.__path__, "synthpop_py.")
)


class Finder(doctest.DocTestFinder):
    """Finds the examples of decorated functions too, which Python's own takes for another
    module's.
    """

    def _from_module(self, module, object):
        return super()._from_module(module, inspect.unwrap(object))


def examples(module) -> list[doctest.DocTest]:
    return [test for test in Finder(exclude_empty=True).find(module) if test.examples]


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_a_module(name):
    module = importlib.import_module(name)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    for test in examples(module):
        runner.run(test)
    failed, _ = runner.summarize()
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
