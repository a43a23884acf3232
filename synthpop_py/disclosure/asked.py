"""What a call was asked for, as its dictionary tells it: by the names of the arguments, those per
key in the order in which the keys were given.
"""

from __future__ import annotations

from typing import Any

from ..show.plain import column_name
from .options import Request
from .source import Source


def asked_of(request: Request, source: Source) -> dict[str, Any]:
    """Every argument of `disclosure()` but the data and `print_flag`, at its default or not."""
    excluded = request.exclusions
    return {
        "keys": [column_name(key) for key in request.asked_keys],
        "target": column_name(request.target),
        **asked_of_data(source),
        "denom_lim": request.given_limit,
        "exclude_ov_denom_lim": request.denom_lim is not None,
        "not_targetlev": request.not_targetlev,
        "usetargetNA": request.use_target_missing,
        "usekeysNA": request.use_key_missing,
        "exclude_keys": [column_name(pair.key) for pair in excluded],
        "exclude_keylevs": [pair.key_level for pair in excluded],
        "exclude_targetlevs": [pair.target_level for pair in excluded],
        "ngroups_target": request.groups_target,
        "ngroups_keys": request.groups_keys,
        "thresh_1way": request.thresh_1way,
        "thresh_2way": request.thresh_2way,
        "compare_synorig": request.compare_synorig,
        "collation": request.collation,
        **_style(request),
    }


def asked_of_data(source: Source) -> dict[str, Any]:
    """How the data are to be read: special values, those of a SynDS too, and the counts."""
    special = {str(name): values for name, values in source.special.items()}
    counts = None if source.counts is None else column_name(source.counts)
    return {"cont_na": special, "counts": counts}


def _style(request: Request) -> dict[str, Any]:
    """How classes are made, where it was said, under the names of the arguments."""
    style = dict(request.style)
    if "fixed_breaks" in style:
        style["fixedBreaks"] = style.pop("fixed_breaks")
    return style
