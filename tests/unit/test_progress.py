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


@pytest.fixture(autouse=True)
def wide_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")


def lines(stream: io.StringIO) -> list[str]:
    """What was written over and over, first to last."""
    return [part.rstrip() for part in stream.getvalue().split("\r")[1:]]


@pytest.mark.parametrize(
    "stream, show, total",
    [(io.StringIO(), True, 2), (Terminal(), False, 2), (Terminal(), True, 0), (object(), True, 2)],
)
def test_nothing_where_nobody_looks(stream, show, total):
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


def test_written_to_the_error_stream_of_the_moment(monkeypatch):
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    with Progress(1, True) as progress:
        progress.step("a")
    assert lines(stream)[0] == f"[{' ' * 20}] 1 of 1: a"


def test_no_error_stream_at_all(monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    with Progress(1, True) as progress:
        progress.step("a")


def test_bar_counts_and_text(clock):
    stream = Terminal()
    with Progress(4, True, stream) as progress:
        for what in ("first", "second", "third", "fourth"):
            progress.step(what)
    # the bar has 20 places and shows what is done, not what has begun
    assert lines(stream)[:4] == [
        "[                    ] 1 of 4: first",
        "[#####               ] 2 of 4: second",
        "[##########          ] 3 of 4: third",
        "[###############     ] 4 of 4: fourth",
    ]


def test_time_left(clock):
    stream = Terminal()
    with Progress(4, True, stream) as progress:
        progress.step("a")
        clock[0] += 1.9  # too early for a guess
        progress.step("b")
        clock[0] += 18.1  # 20 s for two pieces: two more take 20 s
        progress.step("c")
        clock[0] += 580  # 600 s for three: one more takes 200 s
        progress.step("d")
    first, second, third, fourth = lines(stream)[:4]
    assert "left" not in first + second
    assert third.endswith("3 of 4: c, about 20 s left")
    assert fourth.endswith("4 of 4: d, about 3 min left")


def test_a_shorter_text_hides_a_longer_one():
    stream = Terminal()
    with Progress(2, True, stream) as progress:
        progress.step("a long name")
        progress.step("b")
    first, second = stream.getvalue().split("\r")[1:3]
    assert len(first) == len(second)


def test_wiped_in_the_end():
    stream = Terminal()
    with Progress(1, True, stream) as progress:
        progress.step("a")
    written = len("[                    ] 1 of 1: a")
    assert stream.getvalue().endswith("\r" + " " * written + "\r")


def test_wiped_after_an_exception():
    stream = Terminal()

    def begin_and_fail() -> None:
        with Progress(2, True, stream) as progress:
            progress.step("a")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        begin_and_fail()
    assert stream.getvalue().endswith(" \r") and lines(stream)[-2:] == ["", ""]


def test_nothing_to_wipe_when_nothing_began():
    stream = Terminal()
    with Progress(2, True, stream):
        pass
    assert stream.getvalue() == ""


def test_a_line_never_wraps(monkeypatch):
    # a line as wide as the terminal would move to the next one and could not be written over
    monkeypatch.setenv("COLUMNS", "30")
    stream = Terminal()
    with Progress(1, True, stream) as progress:
        progress.step("a name that does not fit")
    assert max(map(len, lines(stream))) == 29


FRAME = pd.DataFrame({"k": list("aab"), "t": list("xxy"), "s": list("pqq")})


@pytest.mark.parametrize("print_flag", [True, False])
def test_a_line_for_each_target_and_synthesis(monkeypatch, print_flag):
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    multi_disclosure([FRAME, FRAME], FRAME, "k", print_flag=print_flag, compat="corrected")
    said = [
        "[                    ] 1 of 4: target t, synthesis 1 of 2",
        "[#####               ] 2 of 4: target t, synthesis 2 of 2",
        "[##########          ] 3 of 4: target s, synthesis 1 of 2",
        "[###############     ] 4 of 4: target s, synthesis 2 of 2",
        "",
        "",
    ]
    assert lines(stream) == (said if print_flag else [])


def test_a_line_for_each_synthesis_of_one_target(monkeypatch):
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    disclosure([FRAME, FRAME], FRAME, "k", "t", compat="corrected")
    assert lines(stream)[:2] == [
        "[                    ] 1 of 2: synthesis 1 of 2",
        "[##########          ] 2 of 2: synthesis 2 of 2",
    ]


def test_pieces_left_out_or_done_again_do_not_shift_the_count(clock):
    stream = Terminal()
    with Progress(4, True, stream) as progress:
        for done, what in ((0, "a"), (0, "a again"), (2, "c")):
            progress.reach(done, what)
    assert [line[22:] for line in lines(stream)[:3]] == [
        " 1 of 4: a",
        " 1 of 4: a again",
        " 3 of 4: c",
    ]


def test_nothing_in_a_pipe(capsys):
    multi_disclosure(FRAME, FRAME, "k", compat="corrected")
    assert capsys.readouterr() == ("", "")


def test_a_search_for_keys_moves_a_line(monkeypatch):
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    key_risk(FRAME, FRAME, ["k", "t", "s"], print_flag=True)
    assert lines(stream)[0] == "[                    ] 1 of 7: sets of keys"
    assert len(lines(stream)) == 7 + 2


def test_table_utility_shows_how_many_tables_are_done(monkeypatch):
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    frame = pd.DataFrame({"a": [1, 2], "b": [1, 1]})
    table_utility(frame, frame)
    assert [line.split("] ")[1] for line in lines(stream) if line] == [
        "1 of 3: tables",
        "2 of 3: tables",
        "3 of 3: tables",
    ]


@pytest.mark.parametrize("print_flag", [True, False])
def test_a_line_for_each_variable_of_each_synthetic_set(monkeypatch, print_flag):
    """A number with missing values is made in two steps, called as R calls them."""
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    income = [float(value) if value % 5 else None for value in range(20)]
    data = pd.DataFrame({"sex": list("fm") * 10, "income": income})
    syn(data, m=2, seed=1, print_flag=print_flag)
    shown = [line for line in lines(stream) if line]
    wanted = [
        "[                    ] 1 of 6: sex",
        "[###                 ] 2 of 6: income.NA",
        "[#######             ] 3 of 6: income.0",
        "[##########          ] 4 of 6: sex",
        "[#############       ] 5 of 6: income.NA",
        "[#################   ] 6 of 6: income.0",
    ]
    assert shown == (wanted if print_flag else [])
