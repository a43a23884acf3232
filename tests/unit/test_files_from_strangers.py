"""Files whose maker nobody vouches for: nothing in them is run, what they claim is not believed,
and whatever is wrong with them is an `InputError`.
"""

from __future__ import annotations

import bz2
import gzip
import importlib
import lzma
import struct
import subprocess
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from synthpop_py import InputError, SynthpopError, read_rdata, read_rds, read_synds
from synthpop_py.r_files import objects
from tests.damage.runs import run
from tests.damage.subjects import READ, REFUSED, SUBJECTS

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "fixtures" / "r_files"
PROMISE = FOLDER / "promise.RData"
TRIALS = 150  # of each subject; `make fuzz-files` runs thousands
MEGABYTE = 1 << 20

pytestmark = pytest.mark.needs("rdata")


def read_whole(file: Path, **how: object) -> object:
    """By the function for what the ending says."""
    return (read_rds if file.suffix == ".rds" else read_rdata)(file, **how)


both = pytest.mark.parametrize("read", [read_whole, read_synds])


# ---- nothing is run ------------------------------------------------------------------


@both
def test_a_promise_is_refused_and_its_code_is_not_run(read, tmp_path, monkeypatch):
    """The file was made by R's delayedAssign() and save(eval.promises = FALSE)."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=r"rdata cannot read promise\.RData.*such as a promise"):
        read(PROMISE)
    assert list(tmp_path.iterdir()) == []


@both
def test_pyreadr_is_refused_without_trust(read):
    says = r"reader: 'pyreadr' .* a parser in C, .*give trusted=True if you"
    with pytest.raises(InputError, match=says):
        read(PROMISE, reader="pyreadr")


@both
def test_no_other_reader_is_ever_started(read, monkeypatch):
    """Neither first nor as a way out; trusted or not."""
    monkeypatch.setattr("synthpop_py.r_files.reading.PyreadrFile", None)
    for trusted in (False, True):
        assert read(FOLDER / "ods.rds", trusted=trusted) is not None
        with pytest.raises(InputError, match="rdata cannot read"):
            read(PROMISE, trusted=trusted)


def test_without_rdata_the_message_names_the_extra(monkeypatch):
    monkeypatch.setattr("synthpop_py.tables.protocol.is_installed", lambda package: False)
    with pytest.raises(SynthpopError) as error:
        read_rds(FOLDER / "ods.rds")
    assert "R's files need rdata, which is not installed" in str(error.value)
    assert "pip install 'synthpop-disclosure[rdata]'" in str(error.value)


@pytest.mark.parametrize("trusted", [1, "yes", None])
def test_trust_is_true_or_false(trusted):
    with pytest.raises(InputError, match=r"trusted: .* is neither True nor False"):
        read_rds(FOLDER / "ods.rds", trusted=trusted)


@pytest.mark.needs("base R")
def test_a_promise_that_was_forced_is_left_out_too(tmp_path):
    code = "delayedAssign('x', 1); force(x); y <- 2; save(x, y, file='f.rda', eval.promises=FALSE)"
    subprocess.run(["Rscript", "-e", code], cwd=tmp_path, check=True, capture_output=True)
    with pytest.warns(UserWarning, match=r"left out of f.rda: .*: x \(promise, which is code"):
        assert list(read_rdata(tmp_path / "f.rda")) == ["y"]


# ---- what a file claims --------------------------------------------------------------


def header(encoding: bytes = b"UTF-8") -> bytes:
    """Of R's binary format, version 3."""
    return b"X\n" + struct.pack(">iiii", 3, 0x40000, 0x30500, len(encoding)) + encoding


def whole(*numbers: int) -> bytes:
    return struct.pack(f">{len(numbers)}i", *numbers)


def text(content: bytes) -> bytes:
    return whole(0x40009, len(content)) + content


def rule(name: bytes, *numbers: float) -> bytes:
    """A vector that R keeps as length, first value and step (ALTREP)."""
    first, second = whole(1) + text(name), whole(1) + text(b"base")
    info = whole(2) + first + whole(2) + second + whole(2) + whole(13, 1, 13) + whole(254)
    state = whole(14, len(numbers)) + struct.pack(f">{len(numbers)}d", *numbers)
    return whole(238) + info + state + whole(254)


def nested(times: int) -> bytes:
    return whole(19, 1) * times + whole(254)


LARGE = 2**31 - 1
CLAIMS: dict[str, bytes] = {
    "numbers": whole(14, LARGE),
    "whole numbers": whole(13, LARGE),
    "truth values": whole(10, LARGE),
    "texts": whole(16, LARGE),
    "a text": whole(16, 1, 0x40009, LARGE),
    "a list": whole(19, LARGE),
    "a negative length": whole(14, -5),
    "compiled code": whole(21, LARGE),
}


@pytest.fixture
def made(tmp_path: Path) -> Callable[[bytes], Path]:
    def make(content: bytes) -> Path:
        file = tmp_path / "x.rds"
        file.write_bytes(content)
        return file

    return make


def memory_of(refused: Callable[[], object], says: str) -> int:
    """The most memory that was taken until it was refused."""
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match=says):
            refused()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", CLAIMS)
def test_a_length_that_the_file_does_not_have_is_refused_at_once(name, made):
    file = made(header() + CLAIMS[name])
    says = r"claims a length of -?\d+, which is impossible|it ends too early"
    assert memory_of(lambda: read_rds(file), says) < MEGABYTE


@pytest.mark.parametrize("kind", [b"compact_intseq", b"compact_realseq"])
def test_a_vector_kept_as_a_rule_is_read(kind, made):
    file = made(header() + rule(kind, 4.0, 7.0, 1.0))
    assert read_rds(file).tolist() == [7, 8, 9, 10]


@pytest.mark.parametrize("kind", [b"compact_intseq", b"compact_realseq"])
@pytest.mark.parametrize("length", [1e9, 1e300])
def test_a_vector_kept_as_a_rule_must_fit_too(kind, length, made):
    """1:1000000000 takes 100 bytes in a file."""
    file = made(header() + rule(kind, length, 1.0, 1.0))
    assert memory_of(lambda: read_rds(file), "asks for more than 1,073,741,824 bytes") < MEGABYTE
    file = made(header() + rule(kind, float("nan"), 1.0, 1.0))
    with pytest.raises(InputError, match="claims a length of nan"):
        read_rds(file)


def test_many_small_objects_are_paid_for(made):
    """NULL takes 4 bytes in a file and 250 in memory."""
    file = made(header() + whole(19, 100_000) + whole(254) * 100_000)
    says = "asks for more than 1,048,576 bytes"
    assert memory_of(lambda: read_rds(file, max_bytes=MEGABYTE), says) < 4 * MEGABYTE
    assert len(read_rds(made(header() + whole(19, 100) + whole(254) * 100))) == 100


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_a_file_that_unpacks_to_much_more_is_refused(pack, made):
    packed = pack(header() + whole(14, 2 * MEGABYTE) + bytes(16 * MEGABYTE))
    assert len(packed) < MEGABYTE / 10
    file = made(packed)
    says = "asks for more than 4,194,304 bytes .* give a larger max_bytes"
    # beside the pieces that were unpacked, only what the unpacking itself takes
    assert memory_of(lambda: read_rds(file, max_bytes=4 * MEGABYTE), says) < 24 * MEGABYTE
    assert len(read_rds(file, max_bytes=64 * MEGABYTE)) == 2 * MEGABYTE


def test_a_file_that_is_larger_than_allowed_is_not_even_read(made):
    file = made(header() + whole(14, 8) + bytes(64))
    with pytest.raises(InputError, match="asks for more than 50 bytes"):
        read_rds(file, max_bytes=50)
    with pytest.raises(InputError, match="max_bytes: 0 is not a whole number of 1 or more"):
        read_rds(file, max_bytes=0)


def test_files_packed_one_after_the_other_are_one(made):
    content = header() + whole(13, 2, 7, 8)
    parts = gzip.compress(content[:20]) + gzip.compress(content[20:])
    assert read_rds(made(parts + bytes(512))).tolist() == [7, 8]
    with pytest.raises(InputError, match="continues after its end"):
        read_rds(made(parts + b"more"))
    with pytest.raises(InputError, match="ends too early"):
        read_rds(made(parts[:-9]))


@pytest.mark.parametrize("times", [250, 300, 320, 400, 5_000])
def test_lists_within_lists_end_somewhere(times, made):
    """Python allows about 1000 calls within calls, of which a list takes several: they are read as
    far as that goes, and refused in one way beyond.
    """
    refused = ""
    try:
        read_rds(made(header() + nested(times)))
    except InputError as error:
        refused = str(error)
    assert "nested too deeply" in refused or (times < 400 and not refused)


def test_a_few_lists_within_lists_are_read(made):
    found = read_rds(made(header() + nested(50)))
    for _ in range(49):
        (found,) = found
    assert found == [None]


@pytest.mark.parametrize("encoding", [b"punycode", b"unicode_escape", b"zlib", b"\xff\xfe"])
def test_encodings_that_r_does_not_use(encoding, made):
    content = whole(16, 1) + whole(9, 2) + b"a-"  # a text without a mark of its own
    with pytest.raises(InputError, match=r"rdata cannot read x\.rds"):
        read_rds(made(header(encoding) + content))
    assert read_rds(made(header(b"latin1") + content)).tolist() == ["a-"]


def test_a_lack_of_memory_of_this_machine_is_no_fault_of_the_file(monkeypatch):
    def no_memory(*given: object) -> None:
        raise MemoryError

    monkeypatch.setattr(objects, "parsed", no_memory)
    with pytest.raises(MemoryError):
        read_rds(FOLDER / "ods.rds")


@pytest.mark.parametrize("step", ["_parse_array_values", "parse_string", "_parse_bytecode"])
def test_an_rdata_that_cannot_be_limited_is_not_used(step, monkeypatch):
    """A later version may be built differently."""
    binary = importlib.import_module("rdata.parser._xdr").ParserXDR
    for owner in binary.__mro__:
        if step in vars(owner):
            monkeypatch.delattr(owner, step)
    with pytest.raises(SynthpopError, match=rf"has no {step}; .*pip install 'rdata") as error:
        read_rds(FOLDER / "ods.rds")
    assert not isinstance(error.value, InputError)


# ---- thousands of damaged files, of which a few hundred here ---------------------------


@pytest.mark.parametrize("subject", SUBJECTS)
def test_damaged_files_are_refused_in_one_way_or_read(subject, tmp_path):
    tally = run(subject, range(TRIALS), seed=13, folder=tmp_path)
    assert not tally.faults, tally.faults[0]["traceback"]
    # a reader that refuses everything, or a damage that does none, would prove nothing
    assert tally.outcomes[REFUSED] > TRIALS / 3
    assert tally.outcomes[READ] > 0


def test_the_run_notices_errors_of_another_class_and_what_hangs(tmp_path, monkeypatch):
    def broken(rng: np.random.Generator, folder: Path) -> str:
        raise KeyError("x")

    def endless(rng: np.random.Generator, folder: Path) -> str:
        while True:
            pass

    monkeypatch.setattr("tests.damage.runs.MOST_SECONDS", 0.05)
    for subject, error in ((broken, "KeyError"), (endless, "Hangs")):
        monkeypatch.setitem(SUBJECTS, "made up", subject)
        tally = run("made up", range(2), seed=1, folder=tmp_path)
        assert tally.outcomes == {error: 2}
        assert len(tally.faults) == 2
