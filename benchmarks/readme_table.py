"""Tables of README.md that benchmarks write, each between two marks."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

README = Path(__file__).resolve().parents[1] / "README.md"


class Marks(NamedTuple):
    """The comments before and after a table."""

    begin: str
    end: str

    def shown(self) -> str:
        """What stands between them now."""
        return README.read_text("utf-8").partition(self.begin)[2].partition(self.end)[0].strip()

    def write(self, table: str) -> None:
        before, _, rest = README.read_text("utf-8").partition(self.begin)
        after = rest.partition(self.end)[2]
        README.write_text(f"{before}{self.begin}\n{table}\n{self.end}{after}", encoding="utf-8")
