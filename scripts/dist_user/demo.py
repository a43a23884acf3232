"""What a user does with the installed package; `make dist` runs it outside the checkout."""

from __future__ import annotations

import sys
from importlib.metadata import version
from pathlib import Path

import synthpop_py
from synthpop_py import SynthpopError, datasets, disclosure

# Raab, Nowok and Dibben, sections 3.2 and 3.3
KEYS, TARGET = ["sex", "age", "region", "placesize"], "depress"
PAPER = {"UiO": 48.38, "repU": 14.86, "DiSCO": 9.54}


def check_place(wanted: str) -> None:
    """It is the installed package, not a checkout."""
    assert Path(synthpop_py.__file__).is_relative_to(sys.prefix), synthpop_py.__file__
    assert Path(synthpop_py.__file__).with_name("py.typed").is_file()
    assert version("synthpop-disclosure") == synthpop_py.__version__ == wanted


def check_figures() -> None:
    result = disclosure(
        datasets.load_synthesis("SD2011_s1"), datasets.load("SD2011"), keys=KEYS, target=TARGET
    )
    found = {**result.ident.iloc[0], **result.attrib.iloc[0]}
    assert {name: round(found[name], 2) for name in PAPER} == PAPER, found
    try:
        result.plot()
    except SynthpopError as error:
        assert "pip install 'synthpop-disclosure[plot]'" in str(error), error  # noqa: PT017
    else:
        raise AssertionError("the environment is not empty: it has matplotlib")


def check_data() -> int:
    """Every data set and synthesis can be loaded; how many there are."""
    for name in datasets.names("data"):
        assert len(datasets.load(name)) == datasets.info(name)["rows"], name
    for name in datasets.names("synthesis"):
        synthesis = datasets.load_synthesis(name)
        sizes = {len(frame) for frame in synthesis.syn}
        assert sizes == {datasets.info(name)["rows"]}, name
    return len(datasets.names())


check_place(*sys.argv[1:])
check_figures()
print(f"the paper's figures {PAPER}; {check_data()} data sets and syntheses load")
