"""``synthpop-disclosure synthesise``: synthetic data from a file, by `syn()`."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any

from ..files.locations import FRAME_FILES, located
from .command import DONE, Command
from .files import WRITABLE, check_free, set_paths, write_sets
from .inputs import add_cont_na
from .options import listed_words, one_or_by_name, special_numbers
from .outputs import add_file, show

__all__ = ["COMMAND"]


def add_options(parser: ArgumentParser) -> None:
    parser.add_argument(
        "data",
        help=f"the original: a file that ends in {', '.join(FRAME_FILES)}, or a folder of .parquet"
        " files",
    )
    add_file(
        parser,
        f"where to write the synthetic data: {', '.join(WRITABLE)}, or an existing folder; "
        "several sets are numbered, R's format holds all",
        required=True,
    )
    parser.add_argument(
        "--seed",
        type=int,
        help="R's seed, to make the same data again. Anyone who has the seed and the original can "
        "do this too: leave it out for data that you release. It is not written anywhere",
    )
    parser.add_argument(
        "--reproducible",
        action="store_true",
        help="for teaching and tests: no note that a seed can be guessed",
    )
    parser.add_argument("--m", type=int, default=1, help="number of synthetic sets (1)")
    parser.add_argument("--k", type=int, help="number of records of each (as the original)")
    parser.add_argument(
        "--method",
        action="append",
        default=[],
        help="cart or sample for all columns, or COLUMN=METHOD; repeat for each column (cart)",
    )
    parser.add_argument(
        "--visit-sequence", help="columns in the order of synthesis, between commas"
    )
    add_cont_na(parser)
    parser.add_argument(
        "--smoothing",
        action="append",
        default=[],
        help="density, rmean or spline for all numbers, or COLUMN=WAY",
    )
    parser.add_argument("--proper", action="store_true", help="grow trees on resampled records")
    parser.add_argument("--print-flag", action="store_true", help="show progress")


def run(chosen: Namespace) -> int:
    asked = _asked(chosen)
    original = located(chosen.data, "data", FRAME_FILES)
    paths = set_paths(chosen.output, max(1, chosen.m), original)
    from ..files.opening import in_memory

    data = in_memory(original)
    check_free(paths, original.files, force=chosen.force)
    from ..errors import InputError
    from ..synthesis import syn

    if chosen.m < 1:
        raise InputError(f"--m: {chosen.m} sets means nothing to write; give 1 or more")
    made = syn(data, **asked)
    write_sets(made, paths)
    for path in paths:
        show(f"{path}: {len(made.syn[0])} records, {len(made.syn[0].columns)} columns\n")
    return DONE


def _asked(chosen: Namespace) -> dict[str, Any]:
    """The options as arguments of `syn()`."""
    return {
        "method": one_or_by_name("--method", chosen.method, "cart"),
        "visit_sequence": listed_words(chosen.visit_sequence),
        "m": chosen.m,
        "k": chosen.k,
        "proper": chosen.proper,
        "cont_na": special_numbers("--cont-na", chosen.cont_na) or None,
        "smoothing": one_or_by_name("--smoothing", chosen.smoothing, "") or None,
        "seed": chosen.seed,
        "reproducible": chosen.reproducible,
        "print_flag": chosen.print_flag,
    }


COMMAND = Command(
    name="synthesise",
    says="Make synthetic data from a file, as R's syn() does.",
    example="synthesise people.csv -o synthetic.csv",
    add_options=add_options,
    run=run,
)
