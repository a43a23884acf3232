"""A small result that uses every part of a document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from synthpop_py.show import Cell, Column, Document, Figure, Relation, Section, Shown, Table, fill

WIDE = "a sentence that goes on and on, "


class Example(Shown):
    """Three towns, one of them with four people."""

    def _document(self) -> Document:
        towns = {"Adorf": 40, "<b>B|dorf</b>": 4, "C_dorf": 16}
        everybody = fill.count("all", 60)
        counts = [fill.count(name, n) for name, n in towns.items()]
        numbers = Column("people", tuple(Cell(int(c.n), (c,)) for c in counts))
        shares = Column("%", tuple(Cell(c.n / 0.6, (c, everybody)) for c in counts), digits=2)
        prose = Column("meaning", (Cell("large"), Cell(WIDE * 4), Cell("")), prose=True)
        table = Table(fill.words("People by town"), (numbers, shares, prose), tuple(towns))
        bare = Table(
            fill.words("Untitled"),
            (Column("at", (Cell(0.5), Cell(1.0))), Column("say", (Cell("x"), Cell("y")))),
            titled=False,
        )
        warning = Section(
            (
                fill.note("WARNING", strong=True),
                fill.note(f"it is so: {WIDE * 4}", indent=2),
                fill.note("and so", indent=4),
            )
        )
        last = Section(
            (fill.note("In all ", fill.people("all", 60), " people."), bare), heading="A heading"
        )
        pictures = Section(
            (
                Figure(fill.words("towns & people"), source="towns.png"),
                Figure(fill.words("more"), drawn_by="result.plot()"),
            )
        )
        smallest = fill.people("<b>B|dorf</b>", 4)
        return Document(
            title="People <by> town",
            sections=(Section((table,)), warning, last, pictures),
            headline=(fill.note("The smallest town has ", smallest, " people."),),
        )

    def _content(self) -> Mapping[str, Any]:
        return {"people": {"A": fill.people("Adorf", 40), "B": fill.people("<b>B|dorf</b>", 4)}}

    def _arguments(self) -> Mapping[str, Any]:
        return {"town": "all", "seed": 7, "path": "/secret"}

    def _records(self) -> Mapping[str, Any]:
        return {"original": fill.people("all", 60)}

    def _relations(self) -> tuple[Relation, ...]:
        return (fill.total("all", ["Adorf", "<b>B|dorf</b>", "C_dorf"]),)
