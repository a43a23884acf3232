"""What R's synthpop has and this package does not, each with the way out."""

from __future__ import annotations

__all__ = [
    "FUNCTIONS",
    "METHODS",
    "way_without_function",
    "way_without_method",
]

# of syn()
METHODS = (
    *("bag", "ca", "cartbboot", "catall", "cforest", "ctree", "cubertnorm", "ipf", "lognorm"),
    *("logreg", "nested", "norm", "normrank", "parametric", "passive", "pmm", "polr", "polyreg"),
    *("ranger", "rf", "satcat", "sqrtnorm", "survctree"),
)
METHODS_HERE = ("cart", "collinear", "constant", "sample")

_SMOOTHED = "'cart' predicts numbers, and smoothing='density' gives values that nobody had"
_NORMAL = "partial_synthesis() draws numbers from a linear model (synthesis.NormalRegression)"
_CLASSES = "'cart' predicts classes; partial_synthesis() draws them from synthesis.Multinomial"
_TREES = "'cart' grows one tree for each column, with proper=True on resampled records"
_JOINT = "'cart' makes columns one after the other, each from all those before it"
_COMPUTED = "synthesise the other columns and compute this one in each data set of `.syn`"
_ANY = "'cart' serves numbers and classes alike"
# methods with one way out between them
_WAYS = {
    _SMOOTHED: ("normrank", "pmm", "sqrtnorm"),
    _NORMAL: ("cubertnorm", "lognorm", "norm"),
    _CLASSES: ("logreg", "polr", "polyreg"),
    _TREES: ("bag", "cartbboot", "cforest", "ctree", "ranger", "rf"),
    _JOINT: ("ca", "catall", "ipf", "satcat"),
    _COMPUTED: ("nested", "passive"),
    _ANY: ("parametric",),
    "nothing here draws times until an event": ("survctree",),
}
_ALIKE = (
    "table_utility() and propensity_utility() measure how similar original and synthetic data are"
)
_FITS = "fit the model to each data set in `.syn`"
_STRATA = "call syn() for the records of each stratum and put the sets together"
FUNCTIONS = {
    "SD2011": 'datasets.load("SD2011")',
    "codebook_syn": "pandas has data.describe() and data.dtypes",
    "compare": _ALIKE,
    "glm_synds": _FITS,
    "lm_synds": _FITS,
    "multi_compare": _ALIKE,
    "multinom_synds": _FITS,
    "polr_synds": _FITS,
    "read_obs": "pandas.read_csv() reads texts, read_r() R's files",
    "syn_strata": _STRATA,
    "utility_gen": "propensity_utility() is the measure of utility.gen()",
    "utility_tab": "table_utility() compares tables",
    "utility_tables": "table_utility() compares tables",
    "write_syn": "`.syn[0].to_csv()` writes a data set, write_synds() a file for R",
}


def way_without_function(name: str) -> str | None:
    """What to do instead of calling a function that only R has.

    Examples
    --------
    >>> way_without_function("write_syn")
    '`.syn[0].to_csv()` writes a data set, write_synds() a file for R'
    """
    plain = name.replace(".", "_")
    method = plain.removeprefix("syn_")
    if method != plain and method in METHODS_HERE:
        return f"syn(data, method={method!r})"
    if method != plain and method in METHODS:
        return way_without_method(method)
    return FUNCTIONS.get(plain)


def way_without_method(name: str) -> str:
    """What to do instead of giving `syn()` a method that only R's has; a formula counts as
    "passive".

    Examples
    --------
    >>> way_without_method("pmm")
    "'cart' predicts numbers, and smoothing='density' gives values that nobody had"
    """
    method = "passive" if name.startswith("~") else name
    return next(way for way, methods in _WAYS.items() if method in methods)
