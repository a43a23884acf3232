"""``synthpop-disclosure synthesise``: synthetic data from a file, by `syn()`."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from ..names import unknown_name
from ..tables.paths import FRAME_FILES, located
from .command import DONE, Command
from .files import WRITABLE, check_free, set_paths, write_sets
from .inputs import add_cont_na, add_text, text_columns
from .messages import tell
from .options import listed_words, one_or_by_name, special_numbers
from .outputs import add_file, show

if TYPE_CHECKING:
    import pandas as pd

    from ..synds import SynDS

__all__ = ["COMMAND"]

NOT_PREDICTOR = "--not-predictor"


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
    parser.add_argument(
        "--keep-unsynthesised",
        action="store_true",
        help="write columns with their original values, too, if they are not synthesised",
    )
    parser.add_argument(
        NOT_PREDICTOR,
        metavar="COLUMNS",
        help="columns that predict no other, between commas; for factors with so many levels that"
        " trees take too long",
    )
    parser.add_argument(
        "--maxfaclevels", type=int, default=60, help="most levels of a column for trees (60)"
    )
    add_text(parser)
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
    original = located(chosen.data, "data", FRAME_FILES)
    asked = _asked(chosen)
    paths = set_paths(chosen.output, max(1, chosen.m), original)
    from ..tables.files import origin_of

    data = origin_of(original, as_text=text_columns(chosen, [original]), scan=False).native
    check_free(paths, original.files, force=chosen.force)
    from ..errors import InputError, UnchangedWarning, untold
    from ..synthesis import syn

    if chosen.m < 1:
        raise InputError(f"--m: {chosen.m} sets means nothing to write; give 1 or more")
    not_kept = () if chosen.keep_unsynthesised else (UnchangedWarning,)
    with untold(*not_kept):
        made = syn(data, predictor_matrix=_predictors(chosen, data), **asked)
    if not_kept:
        made = _without_original_values(made)
    write_sets(made, paths)
    for path in paths:
        show(f"{path}: {len(made.syn[0])} records, {len(made.syn[0].columns)} columns\n")
    return DONE


def _without_original_values(made: SynDS) -> SynDS:
    """The synthesis without columns that hold original values, record by record."""
    left_out = made.meta["as_observed"]
    if not left_out:
        return made
    from ..errors import InputError
    from ..synds import SynDS

    names = ", ".join(map(repr, left_out))
    if len(left_out) == len(made.syn[0].columns):
        raise InputError(f"visit_sequence: no column is synthesised; {names} would be left out")
    tell(
        f"left out, because their values are the original ones, record by record: {names};"
        " name such a column in --visit-sequence to synthesise it, or give --keep-unsynthesised"
    )
    special = {name: values for name, values in made.cont_na.items() if name not in left_out}
    return SynDS([one.drop(columns=left_out) for one in made.syn], special, made.meta)


def _asked(chosen: Namespace) -> dict[str, Any]:
    """The options as arguments of `syn()`."""
    return {
        "method": one_or_by_name("--method", chosen.method, "cart"),
        "visit_sequence": listed_words(chosen.visit_sequence),
        "maxfaclevels": chosen.maxfaclevels,
        "m": chosen.m,
        "k": chosen.k,
        "proper": chosen.proper,
        "cont_na": special_numbers("--cont-na", chosen.cont_na) or None,
        "smoothing": one_or_by_name("--smoothing", chosen.smoothing, "") or None,
        "seed": chosen.seed,
        "reproducible": chosen.reproducible,
        "print_flag": chosen.print_flag,
    }


def _predictors(chosen: Namespace, data: pd.DataFrame) -> pd.DataFrame | None:
    """Which column predicts which; None for every one visited earlier, as R does."""
    left_out = listed_words(chosen.not_predictor)
    if not left_out:
        return None
    import pandas as pd

    names = list(data.columns)
    for name in left_out:
        if name not in names:
            raise unknown_name(NOT_PREDICTOR, name, names, "the data")
    matrix = pd.DataFrame(1, index=names, columns=names)
    matrix[left_out] = 0
    return matrix


COMMAND = Command(
    name="synthesise",
    says="Make synthetic data from a file, as R's syn() does.",
    example="synthesise people.csv -o synthetic.csv",
    add_options=add_options,
    run=run,
)
