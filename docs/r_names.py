"""Every function of R's synthpop and every argument of those that are here, beside ours; the page
"move a call from R" shows it, and a test holds it against the signatures.
"""

from __future__ import annotations

from typing import NamedTuple

from synthpop_py.r.only_there import METHODS


class Function(NamedTuple):
    """A function of R and what takes its place; `here` is empty where nothing does."""

    r: str
    here: str
    differs: str


class Argument(NamedTuple):
    """An argument of R's function and ours; one of the two may be missing."""

    r: str
    here: str
    differs: str = ""


FUNCTIONS = (
    Function("syn", "syn", "methods cart and sample; data cell for cell at the same seed"),
    Function("disclosure", "disclosure", "same figures; wrong ones with a warning"),
    Function("multi.disclosure", "multi_disclosure", "same figures, for several targets"),
    Function("disclosure.summary", "disclosure_summary", "the paper's name of it, no longer in R"),
    Function("replicated.uniques", "replicated_uniques", "also takes frames; positions as keys"),
    Function("sdc", "sdc", "returns a `SynDS`"),
    Function("numtocat.syn", "numtocat_syn", "returns a `Grouped`"),
    Function("mergelevels.syn", "mergelevels_syn", "returns a frame of the kind given"),
    Function("synorig.compare", "synorig_compare", "changes nothing in place"),
    Function("print, summary", ".print(), .summary()", "methods of results and of `SynDS`"),
    Function("plot of a result", ".plot()", "draws when asked; R's `plot = TRUE` is the default"),
    Function("SD2011", "datasets.load", '`datasets.load("SD2011")`'),
)

# what is not here, with the nearest thing there is and what that does not do
NOT_HERE = (
    Function(
        "compare(synds)",
        "table_utility",
        "distances of one-way and two-way tables in numbers. No histograms side by side: draw"
        " `original[column]` and `s.syn[0][column]` with pandas",
    ),
    Function(
        "compare(fit.synds)",
        "estimand_overlap",
        "overlap of confidence intervals, for estimands that you name. No tests of lack of fit",
    ),
    Function("multi.compare", "", "a table of two columns: `pandas.crosstab` of each data set"),
    Function(
        "utility.gen",
        "propensity_utility",
        'its `method = "logit"` (pMSE and S_pMSE, `maxorder` 0 and 1), the same figures. No CART'
        " model, no SPECKS, no permutations",
    ),
    Function(
        "utility.tab",
        "table_utility",
        "total variation distance only: no pMSE, Freeman–Tukey, G² or Jensen–Shannon of a table",
    ),
    Function("utility.tables", "table_utility", "the same for all tables at once; no picture"),
    Function(
        "lm.synds, glm.synds, multinom.synds, polr.synds",
        "combine",
        "fit the model to each data set of `.syn`, then `combine()` the estimates; no formula",
    ),
    Function(
        "syn.strata",
        "",
        "`syn()` for the records of each stratum, then put the sets together; other draws than R's",
    ),
    Function(
        "codebook.syn",
        "",
        "`data.describe()` and `data.dtypes` of pandas",
    ),
    Function("read.obs", "read_rds", "R's files; `pandas.read_csv` and others for the rest"),
    Function("write.syn", "write_synds", "for R; `s.syn[0].to_csv(...)` for the rest"),
    Function("syn.cart, syn.sample, syn.smooth", "syn", "not callable on their own"),
)

# the methods of `syn()` that are not here are functions in R, except three that are names only
METHOD_FUNCTIONS = tuple(
    f"syn.{name}" for name in METHODS if name not in ("ca", "cforest", "parametric")
)

_DATA = (
    Argument("object", "object", "frames, lists of them, `SynDS`, paths, tables"),
    Argument("data", "data"),
    Argument("keys", "keys", "always the third argument; R's third is `cont.na` for data frames"),
)
_SHARED = (
    Argument("cont.na", "cont_na", '`{"income": -8}`; travels with a `SynDS`'),
    Argument("print.flag", "print_flag"),
    Argument("denom_lim", "denom_lim"),
    Argument("exclude_ov_denom_lim", "exclude_ov_denom_lim"),
    Argument("exclude.keys", "exclude_keys"),
    Argument("exclude.keylevs", "exclude_keylevs"),
    Argument("exclude.targetlevs", "exclude_targetlevs", "`MISSING` names missing values"),
    Argument("usekeysNA", "usekeysNA", "one value, or one per key"),
    Argument("ngroups_keys", "ngroups_keys", "one number, or one per key"),
    Argument("thresh_1way", "thresh_1way", "`(50, 90)`"),
    Argument("thresh_2way", "thresh_2way", "`(4, 80)`"),
    Argument("digits", "digits"),
    Argument("compare.synorig", "compare_synorig"),
)
_ONLY_HERE = (
    Argument("", "counts", "a column that says how many records a row stands for"),
    Argument("", "certainty", 'nearly sure: `0.9` in place of 1; with `compat="corrected"`'),
    Argument("", "holdout", "people who were not in the data"),
    Argument("", "compat", "whose figures: R's, or the correct ones"),
    Argument("", "collation", '`"C"` if your R ran under `LC_ALL=C`'),
)
_COMPAT = Argument("", "compat", "whose figures: R's, or the correct ones")

ARGUMENTS: dict[str, tuple[Argument, ...]] = {
    "disclosure": (
        *_DATA,
        Argument("target", "target", "a name or a position"),
        *_SHARED,
        Argument("not.targetlev", "not_targetlev"),
        Argument("usetargetNA", "usetargetNA"),
        Argument("ngroups_target", "ngroups_target"),
        Argument("to.print", "to_print"),
        Argument("...", "**grouping_style", "`style`, `type`, `fixedBreaks`; others are refused"),
        *_ONLY_HERE,
    ),
    "multi_disclosure": (
        *_DATA,
        Argument("targets", "targets", "none: every column that is no key"),
        *_SHARED,
        Argument("not.targetslev", "not_targetslev", "in order, or a dict by target"),
        Argument("usetargetsNA", "usetargetsNA"),
        Argument("ngroups_targets", "ngroups_targets"),
        Argument("ident.meas", "ident_meas"),
        Argument("attrib.meas", "attrib_meas"),
        Argument("plot", "plot", "`False` unless asked for; R draws"),
        *_ONLY_HERE,
    ),
    "syn": (
        Argument("data", "data"),
        Argument("method", "method", '`"cart"`, `"sample"`, `""`; a list, or a dict by column'),
        Argument("visit.sequence", "visit_sequence", "names, or positions from 1"),
        Argument("predictor.matrix", "predictor_matrix", "a frame with names on both sides"),
        Argument("m", "m"),
        Argument("k", "k"),
        Argument("proper", "proper"),
        Argument("minnumlevels", "minnumlevels"),
        Argument("maxfaclevels", "maxfaclevels"),
        Argument("cont.na", "cont_na"),
        Argument("semicont", "semicont"),
        Argument("smoothing", "smoothing", '`{"income": "density"}`'),
        Argument("drop.not.used", "drop_not_used"),
        Argument("drop.pred.only", "drop_pred_only"),
        Argument("models", "models"),
        Argument("print.flag", "print_flag"),
        Argument("seed", "seed", "left out, the operating system draws; kept nowhere"),
        Argument("cart.minbucket", "cart_minbucket", "in R through `...`"),
        Argument("cart.cp", "cart_cp", "in R through `...`"),
        Argument("", "reproducible", "says that the seed is no secret: no warning"),
        Argument("rules", "", "set the values afterwards, in each data set"),
        Argument("rvalues", "", "the same"),
        Argument("event", "", "belongs to survctree"),
        Argument("denom", "", "belongs to logreg"),
        Argument("default.method", "", "belongs to parametric"),
        Argument("numtocat", "", "`numtocat_syn()` before, then synthesise the groups"),
        Argument("catgroups", "", "the same"),
    ),
    "replicated_uniques": (
        *_DATA[:2],
        Argument("keys", "keys", "names or positions; none: all columns"),
        Argument("", "counts", "a column that says how many records a row stands for"),
        _COMPAT,
    ),
    "sdc": (
        *_DATA[:2],
        Argument("keys", "keys"),
        Argument("prefix", "prefix"),
        Argument("suffix", "suffix"),
        Argument("label", "label"),
        Argument("rm.uniques.in.orig", "rm_uniques_in_orig"),
        Argument("rm.replicated.uniques", "rm_replicated_uniques"),
        Argument("recode.vars", "recode_vars"),
        Argument("bottom.top.coding", "bottom_top_coding"),
        Argument("recode.exclude", "recode_exclude"),
        Argument("smooth.vars", "smooth_vars"),
        _COMPAT,
        Argument("", "print_flag", "says how much was recoded and removed"),
    ),
    "numtocat_syn": (
        Argument("data", "data"),
        Argument("numtocat", "numtocat"),
        Argument("print.flag", "print_flag"),
        Argument("cont.na", "cont_na"),
        Argument("catgroups", "catgroups"),
        Argument("style.groups", "style_groups"),
        _COMPAT,
        Argument("", "collation", '`"C"` if your R ran under `LC_ALL=C`'),
    ),
    "mergelevels_syn": (
        Argument("data", "data"),
        Argument("vars", "vars"),
        Argument("newlabel", "newlabel"),
        Argument("addNA", "addNA"),
        Argument("print.flag", "print_flag"),
        Argument("minsize", "minsize"),
        Argument("merge.byhand", "merge_byhand"),
        Argument("merge.details", "merge_details"),
        _COMPAT,
    ),
    "synorig_compare": (
        Argument("syn", "syn"),
        Argument("orig", "orig"),
        Argument("print.flag", "print_flag"),
        Argument("", "collation", '`"C"` if your R ran under `LC_ALL=C`'),
    ),
}


def markdown(rows: tuple[Argument, ...]) -> str:
    """The arguments of one function as a table."""
    lines = ["| R | Python | note |", "|---|---|---|"]
    for row in rows:
        differs = row.differs or ("the same" if row.r == row.here else "")
        lines.append(f"| {_code(row.r)} | {_code(row.here)} | {differs} |")
    return "\n".join(lines)


def functions(rows: tuple[Function, ...]) -> str:
    """Functions as a table."""
    lines = ["| R | Python | what differs |", "|---|---|---|"]
    for row in rows:
        here = _code(row.here)
        lines.append(f"| {_code(row.r)} | {here} | {row.differs} |")
    return "\n".join(lines)


def _code(names: str) -> str:
    return ", ".join(f"`{name}`" for name in names.split(", ")) if names else "–"
