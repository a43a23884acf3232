"""The progress line: one line on a terminal and in a notebook, nothing elsewhere."""

from __future__ import annotations

import io
import sys
import time

import pandas as pd
import pytest

from synthpop_py import disclosure, key_risk, multi_disclosure, syn, table_utility
from synthpop_py.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock(monkeypatch):
    """Seconds that pass only when told."""
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    return now


def on_terminal(monkeypatch) -> Terminal:
    """The error stream of the moment."""
    monkeypatch.setenv("COLUMNS", "200")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    return terminal


def lines(stream: io.StringIO) -> list[str]:
    """What was written over and over, first to last."""
    return [part.rstrip() for part in stream.getvalue().split("\r")[1:]]


@pytest.mark.parametrize(
    "stream, show, total",
    [
        (io.StringIO(), True, 2),
        (Terminal(), False, 2),
        (Terminal(), True, 0),
        (object(), True, 2),
        (None, True, 2),
    ],
)
def test_nothing_where_nobody_looks(monkeypatch, stream, show, total):
    monkeypatch.setattr(sys, "stderr", None)
    with Progress(total, show, stream) as progress:
        progress.step("a")
    assert not isinstance(stream, io.StringIO) or stream.getvalue() == ""


def test_a_notebook_shows_it_of_long_work_only(clock):
    """A notebook keeps what is written: a line for each quick call would stay in it."""
    stream = type("OutStream", (io.StringIO,), {"__module__": "ipykernel.iostream"})()
    with Progress(3, True, stream) as progress:
        progress.step("a")
        clock[0] += 1
        progress.step("b")
        assert stream.getvalue() == ""
        clock[0] += 2
        progress.step("c")
    assert lines(stream)[0].startswith("[#############       ] 3 of 3: c")
    assert lines(stream)[-1] == ""


def test_bar_counts_and_text(monkeypatch):
    stream = on_terminal(monkeypatch)
    with Progress(4, True) as progress:
        for what in ("first", "second", "third", "fourth"):
            progress.step(what)
    # the bar has 20 places and shows what is done, not what has begun
    assert lines(stream)[:4] == [
        "[                    ] 1 of 4: first",
        "[#####               ] 2 of 4: second",
        "[##########          ] 3 of 4: third",
        "[###############     ] 4 of 4: fourth",
    ]


def test_time_left(clock, monkeypatch):
    stream = on_terminal(monkeypatch)
    with Progress(4, True) as progress:
        # 1.9 s are too early for a guess; 20 s for two pieces: two more take 20 s; 600 s for three:
        # one more takes 200 s
        for what, seconds in (("a", 1.9), ("b", 18.1), ("c", 580), ("d", 0)):
            progress.step(what)
            clock[0] += seconds
    first, second, third, fourth = lines(stream)[:4]
    assert "left" not in first + second
    assert third.endswith("3 of 4: c, about 20 s left")
    assert fourth.endswith("4 of 4: d, about 3 min left")


def test_one_line_is_overwritten_and_wiped_also_after_an_error(monkeypatch):
    stream = on_terminal(monkeypatch)

    def begin_and_fail() -> None:
        with Progress(2, True) as progress:
            progress.step("a long name")
            progress.step("b")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        begin_and_fail()
    first, second, wiped, rest = stream.getvalue().split("\r")[1:]
    assert len(first) == len(second) == len(wiped) and wiped.strip() == rest == ""
    # a line as wide as the terminal would move to the next one and could not be written over
    monkeypatch.setenv("COLUMNS", "30")
    with Progress(1, True) as progress:
        progress.step("a name that does not fit")
    assert max(map(len, lines(stream)[4:])) == 29


def test_nothing_to_wipe_when_nothing_began(monkeypatch):
    stream = on_terminal(monkeypatch)
    with Progress(2, True):
        pass
    assert stream.getvalue() == ""


def test_pieces_left_out_or_done_again_do_not_shift_the_count(monkeypatch):
    stream = on_terminal(monkeypatch)
    with Progress(4, True) as progress:
        for done, what in ((0, "a"), (0, "a again"), (2, "c")):
            progress.reach(done, what)
    texts = [line.split("] ")[1] for line in lines(stream)[:3]]
    assert texts == ["1 of 4: a", "1 of 4: a again", "3 of 4: c"]


# ---- what functions say --------------------------------------------------------------

FRAME = pd.DataFrame({"k": list("aab"), "t": list("xxy"), "s": list("pqq")})
NUMBERS = pd.DataFrame({"a": [1, 2], "b": [1, 1]})
# a number with missing values is made in two steps, called as R calls them
GAPS = pd.DataFrame({"sex": list("fm") * 10, "income": [None, 1.0, 2.0, 3.0, 4.0] * 4})
TARGETS = [f"target {name}, synthesis {j} of 2" for name in "ts" for j in (1, 2)]
CORRECTED = {"compat": "corrected"}


@pytest.mark.parametrize(
    "call, said",
    [
        (lambda **how: multi_disclosure([FRAME, FRAME], FRAME, "k", **CORRECTED, **how), TARGETS),
        (
            lambda **how: disclosure([FRAME, FRAME], FRAME, "k", "t", **CORRECTED, **how),
            ["synthesis 1 of 2", "synthesis 2 of 2"],
        ),
        (lambda **how: key_risk(FRAME, FRAME, ["k", "t", "s"], **how), ["sets of keys"] * 7),
        (lambda **how: syn(GAPS, m=2, seed=1, **how), ["sex", "income.NA", "income.0"] * 2),
    ],
)
def test_a_line_for_each_piece_of_work(monkeypatch, call, said):
    stream = on_terminal(monkeypatch)
    call(print_flag=False)
    assert stream.getvalue() == ""
    call(print_flag=True)
    shown = [line.split("] ")[1] for line in lines(stream) if line]
    n = len(said)
    assert shown == [f"{i} of {n}: {what}" for i, what in enumerate(said, start=1)]


def test_table_utility_shows_how_many_tables_are_done(monkeypatch):
    stream = on_terminal(monkeypatch)
    table_utility(NUMBERS, NUMBERS)
    assert [line.split("] ")[1] for line in lines(stream) if line][2] == "3 of 3: tables"


def test_nothing_in_a_pipe(capsys):
    multi_disclosure(FRAME, FRAME, "k", compat="corrected")
    assert capsys.readouterr() == ("", "")
