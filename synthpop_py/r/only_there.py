"""What R's synthpop has and this package does not, each with the way out."""

from __future__ import annotations

METHODS_HERE = ("cart", "collinear", "constant", "sample")  # of syn()
NUMBERS = "'cart' predicts numbers, and smoothing='density' gives values that nobody had"
NORMAL = "partial_synthesis() draws numbers from a linear model (synthesis.NormalRegression)"
CLASSES = "'cart' predicts classes; partial_synthesis() draws them from synthesis.Multinomial"
TREES = "'cart' grows one tree for each column, with proper=True on resampled records"
AT_ONCE = "'cart' makes columns one after the other, each from all those before it"
COMPUTED = "synthesise the other columns and compute this one in each data set of `.syn`"
# the methods that are not here, and what to do instead
WAY_OF = {
    **dict.fromkeys(("normrank", "pmm", "sqrtnorm"), NUMBERS),
    **dict.fromkeys(("cubertnorm", "lognorm", "norm"), NORMAL),
    **dict.fromkeys(("logreg", "polr", "polyreg"), CLASSES),
    **dict.fromkeys(("bag", "cartbboot", "cforest", "ctree", "ranger", "rf"), TREES),
    **dict.fromkeys(("ca", "catall", "ipf", "satcat"), AT_ONCE),
    **dict.fromkeys(("nested", "passive"), COMPUTED),
    "parametric": "'cart' serves numbers and classes alike",
    "survctree": "nothing here draws times until an event",
}
METHODS = tuple(sorted(WAY_OF))

ALIKE = (
    "table_utility() and propensity_utility() measure how similar original and synthetic data are"
)
FITS = "fit the model to each data set in `.syn`"
FUNCTIONS = {
    "SD2011": 'datasets.load("SD2011")',
    "codebook_syn": "pandas has data.describe() and data.dtypes",
    **dict.fromkeys(("compare", "multi_compare"), ALIKE),
    **dict.fromkeys(("glm_synds", "lm_synds", "multinom_synds", "polr_synds"), FITS),
    "read_obs": "pandas.read_csv() reads texts, read_rds() R's files",
    "syn_strata": "call syn() for the records of each stratum and put the sets together",
    "utility_gen": "propensity_utility() is the measure of utility.gen()",
    **dict.fromkeys(("utility_tab", "utility_tables"), "table_utility() compares tables"),
    "write_syn": "`.syn[0].to_csv()` writes a data set, write_synds() a file for R",
}


def way_without_function(name: str) -> str | None:
    """What to do instead of calling a function that only R has.

    >>> way_without_function("write.syn")
    '`.syn[0].to_csv()` writes a data set, write_synds() a file for R'
    """
    plain = name.replace(".", "_")
    method = plain.removeprefix("syn_")
    if method != plain and method in METHODS_HERE:
        return f"syn(data, method={method!r})"
    if method != plain and method in METHODS:
        return WAY_OF[method]
    return FUNCTIONS.get(plain)


def is_method(name: object) -> bool:
    """Whether R's ``syn()`` has this method and `syn()` here has not.

    >>> is_method("pmm"), is_method("nested.region"), is_method("~a + b"), is_method("cart")
    (True, True, True, False)
    """
    text = str(name)
    return text in METHODS or text.startswith(("~", "nested."))


def way_without_method(name: str) -> str:
    """What to do instead of giving `syn()` a method that only R's has; a formula counts as
    "passive", and R writes the column within which another one is nested behind a point.
    """
    return WAY_OF["passive" if name.startswith("~") else name.split(".")[0]]
