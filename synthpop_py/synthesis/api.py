"""`syn()`: R's synthesiser with classification and regression trees."""

from __future__ import annotations

import inspect
from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import check_flag
from ..errors import DataWarning, InputError, warn, warning_once
from ..progress import Progress
from ..release_seed import warn_of_guessable_seed
from ..synds import SynDS
from ..tables.frames import AnyFrame, give_back
from ..tables.opening import check_frame
from .assemble import synthetic_frame
from .call import Call, call_text, check_call
from .draw import Drawing
from .prepare import Plan, as_observed, make_plan, place_name
from .stream import RStream
from .subsets import check_subsets

__all__ = ["syn"]


@warning_once
def syn(
    data: AnyFrame,
    method: Any = "cart",
    visit_sequence: Any = None,
    predictor_matrix: Any = None,
    *,
    m: int = 1,
    k: int | None = None,
    proper: bool = False,
    minnumlevels: int = 1,
    maxfaclevels: int = 60,
    cont_na: Any = None,
    semicont: Any = None,
    drop_not_used: bool = False,
    drop_pred_only: bool = False,
    smoothing: Any = None,
    seed: int | str | None = None,
    reproducible: bool = False,
    models: bool = False,
    print_flag: bool = True,
    cart_minbucket: int = 5,
    cart_cp: float = 1e-8,
) -> SynDS:
    """Synthetic data that R's ``syn()`` makes, cell for cell at the same seed.

    Each column is predicted by a tree from the columns before it, and each record gets the value of
    a row drawn from its leaf. Compared with synthpop 1.9-3 and rpart 4.1.19 under R 4.2: see "Does
    it match R?" in the documentation.

    Parameters
    ----------
    data : DataFrame of pandas, polars or Arrow
        The original data; never changed.
    method : str, list or mapping
        "cart" (default), "sample" (drawn from the observed values), "collinear" (the value that
        goes with that of its first predictor), "constant" (as observed) or "" (not synthesised):
        for all columns, one per column, or by name. The first column visited is always sampled when
        one method is given for all. Collinear and constant columns are found automatically.
    visit_sequence : list of names or positions from 1, optional
        Which columns are synthesised, and in which order; the others come back as they are, with
        a `DataWarning`. Columns with many levels belong last.
    predictor_matrix : matrix of 0 and 1, optional
        1 where the column predicts the row. Only columns visited before can predict.
    m : int
        Number of synthetic sets. With 0 nothing is synthesised: the result holds methods, order and
        predictor matrix, which you can change and give to the next call.
    k : int, optional
        Number of records of each; by default as many as the original has.
    proper : bool
        Grow trees on resampled rows, again for every set.
    minnumlevels, maxfaclevels : int
        Numbers with at most `minnumlevels` values become factors; factors with more than
        `maxfaclevels` levels are refused.
    cont_na, semicont : mapping of column to value or values, optional
        Special values of a number, such as ``{"income": -8}``; missing values always count as
        special.
    drop_not_used, drop_pred_only : bool
        Leave out columns that were not used, or that only predicted.
    smoothing : {"density", "rmean", "spline"} or mapping of column to one of them, optional
        Smooth synthetic numbers, which then need not be observed values: move them at random by the
        width of a kernel density, or take running means or a spline of the sorted values. Special
        and missing values stay.
    seed : int, optional
        R's seed, for the data that R makes. Leave it out for data that you release: then the
        operating system draws (R's "sample" says the same). R's seeds have 32 bits, so an intruder
        can try all of them. Anyone who has the seed can put sampled columns back into the
        original's order; if that joins two or more of them to original records, a warning says so.
    reproducible : bool
        True for teaching and tests, where nothing is released: no warning about the seed.
    models : bool
        Keep the trees, in ``meta["models"]``. They hold original values: not for release.
    print_flag : bool
        Show progress on a terminal.
    cart_minbucket, cart_cp : int, float
        Smallest size of a leaf; smallest gain of a split, relative to the risk of the root.

    Returns
    -------
    SynDS
        With the sets in `syn`, of the kind given, and `call` (never the seed), `method`,
        `visit_sequence`, `predictor_matrix` and `notes` (which columns hold original values, and
        where R would do something else).
        `print()` shows them as R does, `summary()` the columns in a few figures.

    Examples
    --------
    >>> from synthpop_py import datasets, syn
    >>> ods = datasets.load("SD2011")[["sex", "age", "marital", "ls"]]
    >>> made = syn(ods, seed=8564, print_flag=False)
    >>> made.syn[0][["sex", "age"]].head(3).to_dict("list")
    {'sex': ['FEMALE', 'MALE', 'MALE'], 'age': [39.0, 26.0, 64.0]}
    """
    frame = check_frame(data, "data")
    asked = {
        "method": method,
        "visit_sequence": visit_sequence,
        "predictor_matrix": predictor_matrix,
        "m": m,
        "k": k,
        "proper": proper,
        "minnumlevels": minnumlevels,
        "maxfaclevels": maxfaclevels,
        "cont_na": cont_na,
        "semicont": semicont,
        "cart_minbucket": cart_minbucket,
        "cart_cp": cart_cp,
        "smoothing": smoothing,
    }
    call = check_call(frame, seed=seed, **asked)
    plan = make_plan(frame, call)
    if call.m:
        check_subsets(plan, call)
    _check_seed(call, plan, check_flag("reproducible", reproducible))
    dropping = {
        "drop_not_used": check_flag("drop_not_used", drop_not_used),
        "drop_pred_only": check_flag("drop_pred_only", drop_pred_only),
    }
    names = _columns_to_keep(frame, plan, **dropping)
    # columns that only predicted are dropped from the data, not from `meta`
    told_of = _columns_to_keep(frame, plan, **{**dropping, "drop_pred_only": False})
    sets, drawing = _draw(frame, call, plan, names, check_flag("print_flag", print_flag))
    notes = [*plan.notes, *drawing.notes, *_notes_on_dropping(plan, names)]
    notes += _notes_on_one_left(plan, names)
    notes = list(dict.fromkeys(notes))  # each set may give the same
    if call.seed is None:
        _tell("R would do otherwise", [*plan.not_as_asked, *drawing.not_as_asked])
    else:
        _tell("R would give other data at this seed", notes)
    meta = _account(plan, call, told_of)
    observed = as_observed(plan, names) if call.m else []
    meta |= {
        "call": call_text({**asked, **dropping}, _defaults()),
        "notes": [*_told_as_observed(plan, observed), *notes],
        "as_observed": observed,
    }
    if check_flag("models", models):
        meta["models"] = {place_name(place): tree for place, tree in drawing.trees.items()}
    special = {name: values for name, values in call.cont_na.items() if name in names}
    released = [give_back(one, data) for one in sets]
    return SynDS(released, cont_na=special, meta=meta)


def _tell(that: str, notes: list[str]) -> None:
    """One warning for all notes. Without a seed nobody expects R's data: what is done otherwise
    than asked is all that matters then.
    """
    for note in notes:
        warn(f"{that}: {note}", DataWarning, short=note)


def _told_as_observed(plan: Plan, names: list[Hashable]) -> list[str]:
    """A note on the columns that come back as they are, and a warning of those that were not to be
    synthesised. (Of constants `make_plan` has warned.)
    """
    untouched = [name for name in names if not plan.methods[name]]
    if untouched:
        warn(
            f"visit_sequence: {_quoted(untouched)}: not synthesised, so the synthetic data hold the"
            " original values record by record; drop such a column before syn(), or add it to"
            " visit_sequence (with a method other than '')",
            DataWarning,
        )
    return [f"original values, record by record: {_quoted(names)}"] if names else []


def _quoted(names: list[Hashable]) -> str:
    return ", ".join(map(repr, names))


def _defaults() -> dict[str, Any]:
    parameters = inspect.signature(syn).parameters.values()
    return {parameter.name: parameter.default for parameter in parameters}


def _account(plan: Plan, call: Call, names: list[Hashable]) -> dict[str, Any]:
    """What was done with these columns."""
    labels = pd.Index(names, tupleize_cols=False)
    matrix = pd.DataFrame(0, index=labels, columns=labels)
    for place, name in enumerate(names):
        predictors = {*plan.predictors.get(name, ()), plan.partners.get(name, name)} - {name}
        matrix.iloc[place] = [int(other in predictors) for other in names]
    return {
        "method": {name: plan.methods[name] for name in names},
        "visit_sequence": [name for name in call.sequence if name in names],
        "predictor_matrix": matrix,
    }


def _check_seed(call: Call, plan: Plan, reproducible: bool) -> None:
    """Warn if the seed alone joins columns to original records (decision 0013): the rows that
    `sample` drew depend only on the number of records.
    """
    sampled = [name for name, method in plan.methods.items() if method == "sample"]
    if call.seed is not None and len(sampled) > 1 and not reproducible:
        warn_of_guessable_seed(
            f"R's seeds have 32 bits, and {len(sampled)} columns are sampled with it",
            "leave seed out; reproducible=True is for teaching and tests",
        )


def _columns_to_keep(
    frame: pd.DataFrame, plan: Plan, *, drop_not_used: bool, drop_pred_only: bool
) -> list[Hashable]:
    """All columns except those that the user wants dropped."""
    names: list[Hashable] = []
    for name in frame.columns:
        synthesised = bool(plan.methods[name])
        predicts = any(name in others for others in plan.predictors.values())
        only_predicts = predicts and not synthesised
        not_used = not predicts and not synthesised
        if (not_used and drop_not_used) or (only_predicts and drop_pred_only):
            continue
        names.append(name)
    if not names:
        dropping = "drop_not_used" if drop_not_used else "drop_pred_only"
        raise InputError(
            f"{dropping}: no column is left, because none is synthesised; change method or"
            " visit_sequence"
        )
    return names


def _notes_on_dropping(plan: Plan, names: list[Hashable]) -> list[str]:
    """After dropping, R turns columns back into texts and numbers by their former positions."""
    turned_back = [source.column.kind == "character" for source in plan.sources.values()]
    turned_back += [source.distinct is not None for source in plan.sources.values()]
    if len(names) == len(plan.sources) or not any(turned_back):
        return []
    return ["R mixes up the types of columns after some were dropped; here each keeps its own"]


def _notes_on_one_left(plan: Plan, names: list[Hashable]) -> list[str]:
    if len(names) > 1 or len(plan.sources) == 1:
        return []
    return [f"R stops where dropping columns leaves one, as here {names[0]!r}"]


def _draw(
    frame: pd.DataFrame, call: Call, plan: Plan, names: list[Hashable], show: bool
) -> tuple[list[pd.DataFrame], Drawing]:
    stream = RStream(call.seed)
    copied = np.arange(len(frame))
    if call.records != len(frame):
        copied = stream.below(len(frame), call.records)
    with Progress(call.m * len(plan.steps), show) as progress:
        drawing = Drawing(
            plan=plan,
            stream=stream,
            rules=call.rules,
            records=call.records,
            proper=call.proper,
            begin=lambda step: progress.step(place_name(step.place)),
        )
        sets = []
        for _ in range(call.m):
            records = drawing.one_set(copied)
            sets.append(synthetic_frame(plan, records, copied, names))
    return sets, drawing
