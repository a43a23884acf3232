"""The arguments of a call, as `to_dict()` has them: by name, those per key in the order in which
the keys were given.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from ..show.plain import column_name
from .encoding import Special
from .options import Request


def asked_of(request: Request, special: Special, counts: Hashable | None) -> dict[str, Any]:
    """Every argument of `disclosure()` except the data and `print_flag`, at its default or not."""
    excluded = request.exclusions
    return {
        "keys": [column_name(key) for key in request.asked_keys],
        "target": column_name(request.target),
        **asked_of_data(special, counts),
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
        "certainty": float(request.certainty),
        "compare_synorig": request.compare_synorig,
        "collation": request.collation,
        **_style(request),
    }


def asked_of_data(special: Special, counts: Hashable | None) -> dict[str, Any]:
    """How the data are read: special values, including those of a SynDS, and the column of
    counts.
    """
    return {
        "cont_na": {str(name): values for name, values in special.items()},
        "counts": None if counts is None else column_name(counts),
    }


def _style(request: Request) -> dict[str, Any]:
    """How classes are made, if given, under the names of the arguments."""
    style = dict(request.style)
    if "fixed_breaks" in style:
        style["fixedBreaks"] = style.pop("fixed_breaks")
    return style
