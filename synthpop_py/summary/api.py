"""`multi_disclosure()`: identity risk once, attribute risk for many targets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from ..arguments import check_choice, check_flag
from ..disclosure.defect_text import warn_in_short
from ..disclosure.holdout import read_holdout, warn_of_holdout
from ..disclosure.source import read_source
from ..r.reading import MODES
from ..spellings import plain_names_too
from ..synds import SynDS
from .judgement import SummaryCall, with_correct_figures
from .options import check_settings
from .result import DEFAULT_ATTRIB, DEFAULT_IDENT, MultiDisclosure
from .show import findings_to_warn_of, misleading_changes


@plain_names_too()
def multi_disclosure(
    object: SynDS | pd.DataFrame | Sequence[pd.DataFrame],
    data: pd.DataFrame,
    keys: Any,
    targets: Any = None,
    *,
    cont_na: Mapping[Any, Any] | None = None,
    counts: Any = None,
    print_flag: bool = True,
    denom_lim: int | None = 5,
    exclude_ov_denom_lim: bool = False,
    not_targetslev: Sequence[str] | Mapping[Any, str] | None = None,
    usetargetsNA: bool | Sequence[bool] = True,
    usekeysNA: bool | Sequence[bool] | None = True,
    exclude_keys: Sequence[Any] | None = None,
    exclude_keylevs: Sequence[Any] | None = None,
    exclude_targetlevs: Sequence[Any] | None = None,
    ngroups_targets: Any = None,
    ngroups_keys: Any = None,
    ident_meas: str = DEFAULT_IDENT,
    attrib_meas: str = DEFAULT_ATTRIB,
    thresh_1way: Sequence[float] = (50, 90),
    thresh_2way: Sequence[float] = (4, 80),
    certainty: Any = 1,
    digits: int = 2,
    plot: bool = False,
    compare_synorig: bool = True,
    compat: str = "r",
    collation: str = "icu",
    max_cells: int | None = None,
    holdout: Any = None,
) -> MultiDisclosure:
    """Disclosure risk of synthetic data for several targets (R's ``multi.disclosure()``, earlier
    ``disclosure.summary()``).

    Parameters are those of `disclosure`, given once, except:

    Parameters
    ----------
    targets : names or positions of columns; by default every column that both the synthetic and the
        original data have and that is not a key. Columns that only one of them has are left out,
        and named in a note.
    not_targetslev : one level to leave out for each target, "" for none; or a mapping of targets to
        levels, as in ``{"workab": "NO"}``.
    usetargetsNA, ngroups_targets : one value, or one for each target.
    exclude_keys, exclude_keylevs, exclude_targetlevs : one list of pairs for each target (None or
        an empty list for none).
    ident_meas : "repU", "UiSiO" (R's spelling of UiOiS) or "baseCAPd": the identity measure of the
        synthetic data.
    attrib_meas : "DiSCO", "DiSDiO" or "DCAP": the attribute measure; the original's is Dorig, Dorig
        or CAPd.
    plot : draw the comparison when printing (needs matplotlib); R's default is True; here it is
        False, so printing never opens a window.
    holdout, compat, max_cells : as for `disclosure`. Intervals and p-values of `baseline` are
        adjusted for the number of targets.

    Returns
    -------
    MultiDisclosure

    Examples
    --------
    >>> from synthpop_py import datasets, multi_disclosure
    >>> original, synthetic = datasets.load("SD2011"), datasets.load_synthesis("SD2011_s1")
    >>> result = multi_disclosure(
    ...     synthetic,
    ...     original,
    ...     keys=["sex", "age", "region", "placesize"],
    ...     targets=["ls", "marital"],
    ...     print_flag=False,
    ...     compat="corrected",
    ... )
    >>> result.r_labels()
    ['1 ls', '2 marital 2way checks']
    """
    mode = check_choice("compat", compat, MODES)
    source = read_source(object, data, cont_na, counts, max_cells)
    common = {
        "denom_lim": denom_lim,
        "exclude_ov_denom_lim": exclude_ov_denom_lim,
        "thresh_1way": thresh_1way,
        "thresh_2way": thresh_2way,
        "certainty": certainty,
        "digits": digits,
        "compare_synorig": compare_synorig,
        "collation": collation,
        "to_print": ("short",),
        "print_flag": False,
    }
    settings = check_settings(
        source,
        keys=keys,
        targets=targets,
        not_targetslev=not_targetslev,
        usetargetsNA=usetargetsNA,
        ngroups_targets=ngroups_targets,
        usekeysNA=usekeysNA,
        ngroups_keys=ngroups_keys,
        exclude_keys=exclude_keys,
        exclude_keylevs=exclude_keylevs,
        exclude_targetlevs=exclude_targetlevs,
        ident_meas=ident_meas,
        attrib_meas=attrib_meas,
        common=common,
        asked_mode=mode,
    )
    source.check_effects(
        mode,
        [
            ("ngroups_targets", ngroups_targets, settings.targets),
            ("ngroups_keys", ngroups_keys, settings.asked_keys),
        ],
    )
    if holdout is not None:
        names = [*settings.targets, *settings.keys]
        limited = exclude_ov_denom_lim
        source.holdout = read_holdout(holdout, source, names, exclude_ov_denom_lim=limited)
    summary = SummaryCall(
        source,
        settings,
        plot=check_flag("plot", plot),
        print_flag=check_flag("print_flag", print_flag),
    )
    result = with_correct_figures(summary, mode)
    if result.touched:
        warn_in_short(findings_to_warn_of(result), first=misleading_changes(result))
    if holdout is not None:
        warn_of_holdout(source, list(result.output_list.values()))
    return result


# The name that `multi_disclosure` had in R before synthpop 1.9-0, and in the paper.
disclosure_summary = multi_disclosure
