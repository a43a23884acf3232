"""The tables a person sees are R's: same columns, row labels, rounding and trailing zeros. The
sentences around them are ours.
"""

from __future__ import annotations

import re

import pytest

from r_reference.case_maker.files import read_all
from tests.judged import judged
from tests.parity.port_side import run_port

CASES = [
    c for group in read_all().values() for c in group if c["call"] == "disclosure" and "print" in c
]
NUMBER = re.compile(r"-?[0-9.]+(e[-+][0-9]+)?|NaN|NA|Inf")


def table_lines(lines: list[str]) -> list[str]:
    """Lines with two or more numbers, and the heading above them: the rule by which R's tables were
    recorded.
    """
    rows = [sum(bool(NUMBER.fullmatch(word)) for word in line.split()) >= 2 for line in lines]
    return [
        line.rstrip() for line, row, below in zip(lines, rows, [*rows[1:], False]) if row or below
    ]


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
def test_tables_are_printed_as_r_prints_them(case, records, tally, capsys):
    expected = [line.rstrip() for line in records[f"{case['id']} [icu]"]["result"]["printed"]]
    result = run_port(case)
    digits = case["print"].get("digits", result.digits)
    result.print(case["print"]["to.print"], digits=digits)
    _, *lines = capsys.readouterr().out.splitlines()  # the first line is ours: two numbers
    assert table_lines(lines) == expected
    tally["printed tables equal to R's"] += 1
    judged("printed", "disclosure", {"lines": expected}, "1.9-3", "icu")


def test_there_are_printed_cases():
    assert {tuple(c["print"]["to.print"]) for c in CASES} >= {
        ("short",),
        ("ident",),
        ("attrib",),
        ("allCAPs",),
        ("all",),
        ("exclusions",),
        ("check_1way",),
        ("check_2way",),
    }
