"""Synthesis models: the distributions of partially synthetic values, for the agency that draws them
and for the intruder who knows how they were made.

A model names its response and its predictors. It is fitted to data, which gives an `Estimate` of
its parameters (a normal distribution: mean and covariance), and simulates values of the response
for given parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
import pandas as pd

from ..arguments import check_number, listed, random_generator
from ..core.arrays import Floats, Integers
from ..errors import DataWarning, InputError, warn
from ..estimation.design import (
    CHUNK,
    design_matrix,
    design_names,
    fit_linear,
    fit_multinomial,
    information,
    probabilities,
    standardised,
    symmetric_inverse,
)

__all__ = ["Estimate", "Multinomial", "NormalRegression", "SynthesisModel"]

RIDGE = 0.1
# a draw of coefficients that moves log-odds by more than this decides what the data left open
NOISE = 100.0
MOST_COEFFICIENTS = 12_000  # their covariance then takes 1.2 GB
# what is added to the diagonal of a correlation matrix until it has a root
JITTERS = (0.0, 1e-14, 1e-12, 1e-10)

Transform = Literal["identity", "log", "cube root"]
Pair = tuple[Callable[[Floats], Floats], Callable[[Floats], Floats]]
TRANSFORMS: dict[str, Pair] = {
    "identity": (np.asarray, np.asarray),
    "log": (np.log, np.exp),
    "cube root": (np.cbrt, lambda z: z**3),
}


@runtime_checkable
class SynthesisModel(Protocol):
    """Anything that can be fitted and simulated from; bring your own.

    The frames that `fit` and `simulate` get hold the response and the predictors. Categorical
    columns are pandas Categoricals with the same categories in every synthetic set (missing is a
    separate category), numeric columns are float64 without missing values.

    A model may have two more attributes: ``categorical = True``, for a response that holds numbers
    but is read by its levels; and, for a categorical response, ``probabilities(parameters, data)``,
    an array with a row for each record and a column for each category of the response. Restrictions
    then act on the probabilities; otherwise values are drawn again until they are allowed.

    Attributes
    ----------
    response : the column that is synthesised.
    predictors : columns released unchanged, or responses of models that come earlier.
    """

    response: Hashable
    predictors: Sequence[Hashable]

    def fit(self, data: pd.DataFrame, covariance: bool) -> Estimate:
        """Estimate the parameters. The covariance may be left out if it is not needed."""
        ...

    def simulate(self, parameters: Floats, data: pd.DataFrame, rng: np.random.Generator) -> Any:
        """One value of the response for each row."""
        ...


class Estimate:
    """A normal distribution of parameters: what a fit says, or what an agency releases.

    Parameters
    ----------
    mean : the parameters' estimate, q numbers.
    covariance : (q, q), symmetric and positive semidefinite; None for parameters that are taken as
        known.
    labels : names of the parameters, for reading only.

    Examples
    --------
    >>> Estimate([0.5, -1.0], [[0.04, 0], [0, 0.01]], ["intercept", "age"])
    Estimate of 2 parameters with covariance
    """

    def __init__(self, mean: Any, covariance: Any = None, labels: Sequence[str] = ()) -> None:
        self.mean = _finite_array("mean", mean)
        self.labels = tuple(map(str, labels))
        if self.mean.ndim != 1 or len(self.labels) not in (0, len(self.mean)):
            raise InputError(
                f"mean: has the shape {self.mean.shape}; give a vector, and a label for each number"
                " or none"
            )
        self.spread: Spread | None = covariance
        if covariance is not None and not isinstance(covariance, Spread):
            matrix = _finite_array("covariance", covariance)
            self.spread = Spread(_checked_root(matrix, len(self.mean)))

    def draw(self, rng: np.random.Generator) -> Floats:
        """Parameters drawn from the distribution; its mean where no covariance is known."""
        return self.mean if self.spread is None else self.mean + self.spread.draw(rng)

    def covariance(self) -> Floats | None:
        """The covariance matrix; None where parameters are taken as known."""
        return None if self.spread is None else self.spread.covariance()

    def fixed(self) -> Estimate:
        """The same mean, taken as known."""
        return Estimate(self.mean, None, self.labels)

    def __repr__(self) -> str:
        known = "taken as known" if self.spread is None else "with covariance"
        return f"Estimate of {len(self.mean)} parameters {known}"


def _finite_array(argument: str, values: Any) -> Floats:
    try:
        numbers = np.array(values, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"{argument}: cannot be read as numbers") from None
    if not np.isfinite(numbers).all():
        raise InputError(f"{argument}: holds missing or infinite values")
    return numbers


def _checked_root(covariance: Floats, count: int) -> Floats:
    """A root of the covariance matrix of so many parameters."""
    import scipy

    if covariance.shape != (count, count):
        raise InputError(
            f"covariance: has the shape {covariance.shape}; {count} parameters need"
            f" ({count}, {count})"
        )
    tolerance = 1e-12 * max(np.abs(covariance).max(initial=0), 1e-300)
    is_symmetric = np.allclose(covariance, covariance.T, rtol=1e-8, atol=tolerance)
    try:
        if is_symmetric:
            return root_of_covariance((covariance + covariance.T) / 2)
    except scipy.linalg.LinAlgError:
        pass
    raise InputError(
        "covariance: is not symmetric and positive semidefinite, so it is not a covariance matrix"
    )


@dataclass(frozen=True, slots=True)
class Multinomial:
    """Multinomial regression of a categorical response, main effects only.

    The first level is the reference; the others have one coefficient for each column of the design
    (intercept, numbers, an indicator for each level of a categorical predictor except the first).
    The fit maximises the log-likelihood minus ridge/2 times the sum of squared coefficients, with
    numeric predictors standardised; coefficients are reported for the predictors as given. The
    covariance is the inverse of minus the second derivatives: the posterior under independent
    normal priors with variance 1/ridge, approximated by a normal distribution at its mode.

    Parameters
    ----------
    response : column to synthesise, of any type; its distinct values are the levels.
    predictors : columns released unchanged or synthesised by an earlier model.
    ridge : keeps estimates finite where a level is predicted perfectly, never occurs in a set, or
        predictors repeat each other. 0 gives maximum likelihood: directions about which the data
        say nothing stay at 0 and do not vary. If predictors separate levels perfectly, a
        `DataWarning` says that draws are noise.

    Examples
    --------
    >>> Multinomial("race", ["age", "sex"])
    Multinomial(response='race', predictors=('age', 'sex'), ridge=0.1)
    """

    response: Hashable
    predictors: Any = ()
    ridge: float = RIDGE

    def __post_init__(self) -> None:
        object.__setattr__(self, "predictors", tuple(listed(self.predictors)))
        object.__setattr__(self, "ridge", check_number("ridge", self.ridge, 0))

    @property
    def categorical(self) -> bool:
        return True

    def labels(self, data: pd.DataFrame) -> tuple[str, ...]:
        """Names of the coefficients, level by level."""
        names = design_names(data, self.predictors)
        levels = data[self.response].cat.categories[1:]
        return tuple(f"{level}: {name}" for level in levels for name in names)

    def fit(self, data: pd.DataFrame, covariance: bool = True) -> Estimate:
        """The estimate from a frame whose categorical columns are Categoricals; `fit_models` takes
        frames as they are.
        """
        design, back = standardised(data, self.predictors)
        response = data[self.response].cat
        levels, width = len(response.categories), design.shape[1]
        coefficients = max(levels - 1, 0) * width
        if covariance and coefficients > MOST_COEFFICIENTS:
            raise InputError(
                f"models: the model of {self.response!r} has {coefficients:,} coefficients"
                f" ({levels} levels, {width} columns of predictors), more than"
                f" {MOST_COEFFICIENTS:,}; join levels or give fewer predictors"
            )
        codes = response.codes.to_numpy().astype(np.int64)
        fitted, converged = fit_multinomial(design, codes, levels, self.ridge)
        spread = None
        if covariance and coefficients:
            spread = spread_of_precision(information(design, fitted, self.ridge), back)
        what = "" if converged else "the fit did not converge"
        if converged and spread is not None:
            # Where predictors separate levels perfectly, the likelihood rises for ever, information
            # about the coefficients vanishes, and a draw of them may reverse any prediction. One
            # draw shows it, the same each time: its standard deviation is about a million.
            draw = spread.draw(random_generator(0)).reshape(-1, width)
            moved = design_matrix(data, self.predictors) @ draw.T
            if np.abs(moved).max(initial=0) > NOISE:
                what = "its coefficients are not determined (predictors separate levels perfectly),"
                what += " so draws of them are noise"
        if what:
            warn(
                f"models: the model of {self.response!r}, ridge={self.ridge:g}: {what}; give a"
                f" larger ridge, such as {RIDGE}",
                DataWarning,
                short=f"the model of {self.response!r}",
            )
        mean = (fitted @ back.T).reshape(-1)
        return Estimate(mean, spread, self.labels(data))

    def probabilities(self, parameters: Floats, data: pd.DataFrame) -> Floats:
        """Shape (n, K): the probability of each category of the response for each record."""
        design = design_matrix(data, self.predictors)
        coefficients = np.asarray(parameters, dtype=float).reshape(-1, design.shape[1])
        return probabilities(design, coefficients)

    def simulate(
        self, parameters: Floats, data: pd.DataFrame, rng: np.random.Generator
    ) -> pd.Categorical:
        categories = data[self.response].cat.categories
        uniform = rng.random(len(data))
        codes = np.empty(len(data), dtype=np.int64)
        size = max(1, CHUNK // max(len(categories), 1))
        for start in range(0, len(data), size):
            rows = slice(start, start + size)
            chances = self.probabilities(parameters, data.iloc[rows])
            codes[rows] = drawn_codes(chances, uniform[rows])
        return pd.Categorical.from_codes(codes, categories=categories)


def drawn_codes(chances: Floats, uniform: Floats) -> Integers:
    """One column for each row, with the probabilities (up to a factor) in that row; never one with
    probability 0.
    """
    columns = chances.shape[1]
    cumulative = np.cumsum(chances, axis=1)
    drawn = uniform * cumulative[:, -1]
    codes: Integers = (cumulative <= drawn[:, None]).sum(axis=1)
    over = np.flatnonzero(codes >= columns)  # a product rounded up to the total
    if len(over):
        possible = chances[over] > 0
        codes[over] = columns - 1 - np.argmax(possible[:, ::-1], axis=1)  # the last possible one
    return codes


@dataclass(frozen=True, slots=True)
class NormalRegression:
    """Normal linear regression of a numeric response, main effects only, on a transformed scale if
    asked.

    Parameters are the coefficients and the logarithm of the residual variance. Coefficients have
    the covariance s^2 (X'X + ridge)^-1, numeric predictors standardised for the ridge and the
    intercept free of it; log s^2 has the variance 2 / df, the normal approximation to its
    chi-squared distribution.

    Parameters
    ----------
    response : numeric column to synthesise. Values of a column of whole numbers are rounded to
        whole numbers.
    predictors : columns released unchanged or synthesised by an earlier model.
    transform : "identity", "log" (the response must be positive), "cube root", or a pair of
        functions, to the new scale and back.
    ridge : keeps estimates unique where predictors repeat each other; in units of the residual
        variance.

    Examples
    --------
    >>> NormalRegression("employees", ["industry"], transform="cube root")
    NormalRegression(response='employees', predictors=('industry',), transform='cube root',
    ridge=0.1)
    """

    response: Hashable
    predictors: Any = ()
    transform: Transform | Pair = "identity"
    ridge: float = RIDGE

    def __post_init__(self) -> None:
        object.__setattr__(self, "predictors", tuple(listed(self.predictors)))
        object.__setattr__(self, "ridge", check_number("ridge", self.ridge, 0))
        self._pair()

    @property
    def categorical(self) -> bool:
        return False

    def labels(self, data: pd.DataFrame) -> tuple[str, ...]:
        """Names of the parameters."""
        return (*design_names(data, self.predictors), "log residual variance")

    def fit(self, data: pd.DataFrame, covariance: bool = True) -> Estimate:
        """The estimate from a frame whose categorical columns are Categoricals; `fit_models` takes
        frames as they are.
        """
        column = data[self.response]
        if isinstance(column.dtype, pd.CategoricalDtype):
            raise InputError(f"models: {self.response!r} is not numeric; give a Multinomial for it")
        there, _ = self._pair()
        with np.errstate(all="ignore"):
            response = self._checked(there(column.to_numpy(dtype=float)), len(data))
        design, back = standardised(data, self.predictors)
        fit = fit_linear(design, response, self.ridge)
        mean = np.append(back @ fit.coefficients, np.log(fit.variance))
        if not covariance:
            return Estimate(mean, None, self.labels(data))
        whole = np.zeros((len(mean), len(mean)))
        whole[:-1, :-1] = fit.variance * back @ fit.inverse @ back.T
        whole[-1, -1] = 2 / fit.df
        return Estimate(mean, Spread(root_of_covariance(whole)), self.labels(data))

    def simulate(self, parameters: Floats, data: pd.DataFrame, rng: np.random.Generator) -> Floats:
        centre = design_matrix(data, self.predictors) @ parameters[:-1]
        residual_sd = np.exp(parameters[-1] / 2)
        drawn = centre + residual_sd * rng.standard_normal(len(data))
        _, back = self._pair()
        return self._checked(back(drawn), len(data))

    def _checked(self, transformed: Any, count: int) -> Floats:
        values = np.asarray(transformed, dtype=float)
        if values.shape != (count,) or not np.isfinite(values).all():
            raise InputError(
                f"transform: {self.transform!r} does not give one finite number for each value of"
                f" {self.response!r}; 'log' needs positive values, 'cube root' takes all"
            )
        return values

    def _pair(self) -> Pair:
        """The functions there and back."""
        transform = self.transform
        if isinstance(transform, str) and transform in TRANSFORMS:
            return TRANSFORMS[transform]
        if isinstance(transform, tuple) and len(transform) == 2 and all(map(callable, transform)):
            return transform
        choices = ", ".join(map(repr, TRANSFORMS))
        raise InputError(
            f"transform: {transform!r} is unknown; choices: {choices}, or a pair of functions"
            " (there, back)"
        )


class Spread:
    """A normal distribution around 0 with the covariance A A', where A = back R, R the inverse
    transpose of `factor` if it is of a precision, otherwise `factor` itself.

    factor : lower triangular, shape (q, q).
    back : shape (p, p), applied to each group of p of the q coordinates; None for none.
    """

    def __init__(
        self, factor: Floats, of_precision: bool = False, back: Floats | None = None
    ) -> None:
        self.factor, self.of_precision, self.back = factor, of_precision, back

    def draw(self, rng: np.random.Generator) -> Floats:
        """One draw, shape (q,)."""
        import scipy

        values = rng.standard_normal(len(self.factor))
        if self.of_precision:
            values = scipy.linalg.solve_triangular(
                self.factor, values, lower=True, trans="T", check_finite=False
            )
        else:
            values = self.factor @ values
        if self.back is None:
            return values
        return (values.reshape(-1, len(self.back)) @ self.back.T).reshape(-1)

    def covariance(self) -> Floats:
        """The covariance matrix, shape (q, q)."""
        import scipy

        plain = self.factor @ self.factor.T
        if self.of_precision:
            identity = np.eye(len(self.factor))
            plain = scipy.linalg.cho_solve((self.factor, True), identity, check_finite=False)
        if self.back is None:
            return plain
        whole = np.kron(np.eye(len(plain) // len(self.back)), self.back)
        return whole @ plain @ whole.T


def spread_of_precision(precision: Floats, back: Floats | None = None) -> Spread:
    """The normal distribution with this inverse covariance; directions without information do not
    vary.

    >>> spread_of_precision(np.array([[4.0]])).covariance().tolist()
    [[0.25]]
    """
    import scipy

    try:
        factor = scipy.linalg.cholesky(precision, lower=True, check_finite=False)
    except scipy.linalg.LinAlgError:
        return Spread(root_of_covariance(symmetric_inverse(precision)), False, back)
    return Spread(factor, True, back)


def root_of_covariance(covariance: Floats) -> Floats:
    """A lower triangular root of a positive semidefinite matrix; LinAlgError where an eigenvalue is
    clearly negative.

    Unlike a root from eigenvectors it does not depend on signs that differ from machine to machine,
    so neither do draws made with it.

    >>> root_of_covariance(np.array([[4.0, 2.0], [2.0, 10.0]])).round(9).tolist()
    [[2.0, 0.0], [1.0, 3.0]]
    """
    import scipy

    scale = np.sqrt(np.maximum(np.diag(covariance), 0))
    scale[scale == 0] = 1
    correlation = covariance / np.outer(scale, scale)
    # as little as possible: it blurs the directions that do not vary
    for jitter in JITTERS:
        try:
            blurred = correlation + jitter * np.eye(len(correlation))
            root: Floats = scipy.linalg.cholesky(blurred, lower=True, check_finite=False)
        except scipy.linalg.LinAlgError:
            continue
        return scale[:, None] * root
    raise scipy.linalg.LinAlgError("the matrix is not positive semidefinite")
