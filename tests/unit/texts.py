"""Printed results without the line breaks that wrapping puts into their sentences."""

from __future__ import annotations


def flat(result: object) -> str:
    return " ".join(repr(result).split())
