"""A small result that uses every part of a page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from synthpop_py.rounding import part, percent, shown
from synthpop_py.show.printing import Sections, Table
from synthpop_py.show.views import Shown

WIDE = "a sentence that goes on and on, "
TOWNS = {"Adorf": 40, "<b>B|dorf</b>": 4, "C_dorf": 16}


class Example(Shown):
    """Three towns, one of them with four people."""

    def _title(self) -> str:
        return "People <by> town"

    def _everybody(self) -> int:
        return 60

    def _headline(self, to: int = 1) -> list[str]:
        return [f"The smallest town has {part(4, 60, to)} people."]

    def _sections(self) -> Sections:
        frame = pd.DataFrame(
            {
                "people": list(TOWNS.values()),
                "%": [n / 0.6 for n in TOWNS.values()],
                "meaning": ["large", WIDE * 4, ""],
            },
            index=list(TOWNS),
        )
        towns = Table(frame, "People by town", digits=2, prose=("meaning",))
        bare = Table(
            pd.DataFrame({"at": [0.5, 1.0], "say": ["x", "y"]}),
            "Untitled",
            labelled=False,
            titled=False,
        )
        return [
            [towns],
            ["WARNING", f"  it is so: {WIDE * 4}", "    and so"],
            ["In all 60 people.", bare],
        ]

    def _rounded(self, to: int) -> Sections:
        frame = pd.DataFrame(
            {
                "people": [part(n, 60, to) for n in TOWNS.values()],
                "of all": [percent(shown(n, 60, to=to), 60, to) for n in TOWNS.values()],
            },
            index=list(TOWNS),
        )
        return [[Table(frame, "People by town")]]

    def _content(self) -> Mapping[str, Any]:
        return {"people": TOWNS}

    def _arguments(self) -> Mapping[str, Any]:
        return {"town": "all", "seed": 7, "path": "/secret"}

    def _records(self) -> Mapping[str, Any]:
        return {"original": 60}
