"""Synthesis models: what a partially synthetic value is drawn from, by the agency that makes it and
by the intruder who knows how it was made.

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
from scipy import linalg

from ..arguments import check_number, listed, random_generator
from ..core.arrays import Floats, Integers
from ..errors import InputError, UndeterminedWarning, warn
from ..estimation.design import design_matrix, design_names, standardised
from ..estimation.linear import fit_linear
from ..estimation.multinomial import CHUNK, fit_multinomial, information, probabilities
from ..estimation.normal import Spread, root_of_covariance, spread_of_precision

__all__ = ["Estimate", "Multinomial", "NormalRegression", "SynthesisModel"]

RIDGE = 0.1
# a draw of coefficients that moves log-odds by more than this decides by chance what the data left
# open
NOISE = 100.0
MOST_COEFFICIENTS = 12_000  # their covariance then takes 1.2 GB

Transform = Literal["identity", "log", "cube root"]
Pair = tuple[Callable[[Floats], Floats], Callable[[Floats], Floats]]
TRANSFORMS: dict[str, Pair] = {
    "identity": (np.asarray, np.asarray),
    "log": (np.log, np.exp),
    "cube root": (np.cbrt, lambda z: z**3),
}


# ---- what every model offers ---------------------------------------------------------


@runtime_checkable
class SynthesisModel(Protocol):
    """Anything that can be fitted and simulated from; bring your own.

    The frames that `fit` and `simulate` get hold the response and the predictors. Categorical
    columns are pandas Categoricals with the same categories in every synthetic set (missing values
    are a category of their own), numeric columns are float64 without missing values.

    Two more things a model may have: ``categorical = True``, for a response that holds numbers but
    is to be read by its levels; and, for a categorical response, ``probabilities(parameters,
    data)``, an array with a row for each record and a column for each category of the response.
    Restrictions then act on the probabilities; without it values are drawn again until they are
    allowed.

    Attributes
    ----------
    response : the column that is synthesised.
    predictors : columns released unchanged, or responses of models that come earlier.
    """

    response: Hashable
    predictors: Sequence[Hashable]

    def fit(self, data: pd.DataFrame, covariance: bool) -> Estimate:
        """Estimate the parameters. The covariance may be left out when it is not wanted."""
        ...

    def simulate(self, parameters: Floats, data: pd.DataFrame, rng: np.random.Generator) -> Any:
        """One value of the response for each row."""
        ...


@dataclass(frozen=True, slots=True, eq=False, init=False, repr=False)
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

    mean: Floats
    spread: Spread | None
    labels: tuple[str, ...]

    def __init__(self, mean: Any, covariance: Any = None, labels: Sequence[str] = ()) -> None:
        numbers = _finite_array("mean", mean, 1)
        object.__setattr__(self, "mean", numbers)
        object.__setattr__(
            self,
            "spread",
            (
                covariance
                if covariance is None or isinstance(covariance, Spread)
                else _checked_spread(covariance, len(numbers))
            ),
        )
        object.__setattr__(self, "labels", tuple(map(str, labels)))
        if self.labels and len(self.labels) != len(numbers):
            raise InputError(f"labels: {len(self.labels)} are given for {len(numbers)} parameters")

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
        return (
            f"Estimate of {len(self.mean)} parameters"
            f" {'taken as known' if self.spread is None else 'with covariance'}"
        )


def _finite_array(argument: str, values: Any, dimensions: int) -> Floats:
    try:
        numbers = np.array(values, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"{argument}: cannot be read as numbers") from None
    if numbers.ndim != dimensions:
        raise InputError(
            f"{argument}: has the shape {numbers.shape}; give"
            f" {'a vector' if dimensions == 1 else 'a square matrix'}"
        )
    if not np.isfinite(numbers).all():
        raise InputError(f"{argument}: holds missing or infinite values")
    return numbers


def _checked_spread(covariance: Any, count: int) -> Spread:
    matrix = _finite_array("covariance", covariance, 2)
    if matrix.shape != (count, count):
        raise InputError(
            f"covariance: has the shape {matrix.shape}; {count} parameters need ({count}, {count})"
        )
    if not np.allclose(
        matrix, matrix.T, rtol=1e-8, atol=1e-12 * max(np.abs(matrix).max(initial=0), 1e-300)
    ):
        raise InputError("covariance: is not symmetric")
    try:
        return Spread(root_of_covariance((matrix + matrix.T) / 2), direct=True)
    except linalg.LinAlgError:
        raise InputError(
            "covariance: is not positive semidefinite, so that it is no covariance"
        ) from None


# ---- multinomial regression ----------------------------------------------------------


@dataclass(frozen=True, slots=True, init=False)
class Multinomial:
    """Multinomial regression of a categorical response, main effects only.

    The first level is the reference; the others have one coefficient for each column of the design
    (intercept, numbers, an indicator for each level of a categorical predictor but its first). What
    is maximised is the log-likelihood minus ridge/2 times the sum of squared coefficients, numeric
    predictors standardised for this; coefficients are reported for predictors as they are. The
    covariance is the inverse of minus the second derivatives: the posterior under independent
    normal priors with variance 1/ridge, approximated by a normal distribution at its mode.

    Parameters
    ----------
    response : column to synthesise, of any type; its distinct values are the levels.
    predictors : columns released unchanged or synthesised by an earlier model.
    ridge : keeps estimates finite where a level is predicted perfectly, never occurs in a set, or
        predictors repeat each other. 0 gives maximum likelihood; directions about which the data
        then say nothing are left at 0 and do not vary, and where predictors tell levels apart
        perfectly an `UndeterminedWarning` says that draws are noise.

    Examples
    --------
    >>> Multinomial("race", ["age", "sex"])
    Multinomial(response='race', predictors=('age', 'sex'), ridge=0.1)
    """

    response: Hashable
    predictors: tuple[Hashable, ...] = ()
    ridge: float = RIDGE

    def __init__(self, response: Hashable, predictors: Any = (), ridge: float = RIDGE) -> None:
        object.__setattr__(self, "response", response)
        object.__setattr__(self, "predictors", tuple(listed(predictors)))
        object.__setattr__(self, "ridge", check_number("ridge", ridge, 0))

    @property
    def categorical(self) -> bool:
        return True

    def labels(self, data: pd.DataFrame) -> tuple[str, ...]:
        """Names of the coefficients, level by level."""
        names = design_names(data, self.predictors)
        return tuple(
            f"{level}: {name}"
            for level in self._response(data).cat.categories[1:]
            for name in names
        )

    def fit(self, data: pd.DataFrame, covariance: bool = True) -> Estimate:
        """The estimate from a frame whose categorical columns are Categoricals; `fit_models` takes
        frames as they are.
        """
        response = self._response(data)
        design = standardised(data, self.predictors)
        count = len(response.cat.categories)
        size = max(count - 1, 0) * design.matrix.shape[1]
        if covariance and size > MOST_COEFFICIENTS:
            what = (
                f"{size:,} coefficients ({count} levels, {design.matrix.shape[1]} columns of"
                f" predictors), more than {MOST_COEFFICIENTS:,}"
            )
            raise InputError(
                f"models: the model of {self.response!r} has {what}; join levels or give fewer"
                " predictors"
            )
        fit = fit_multinomial(
            design.matrix, response.cat.codes.to_numpy().astype(np.int64), count, self.ridge
        )
        precision = (
            information(design.matrix, fit.coefficients, self.ridge)
            if covariance and size
            else None
        )
        spread = None if precision is None else spread_of_precision(precision, design.back)
        self._warn_if_undetermined(fit.converged, spread, data)
        return Estimate((fit.coefficients @ design.back.T).reshape(-1), spread, self.labels(data))

    def _warn_if_undetermined(
        self, converged: bool, spread: Spread | None, data: pd.DataFrame
    ) -> None:
        """Perfect separation: likelihood rises for ever, information about the coefficients
        vanishes, and a draw of them may turn any prediction round.
        """
        noise = 0.0
        if spread is not None:
            # one draw shows it, the same each time: where nothing is known the standard deviation
            # is of the order of a million
            design = design_matrix(data, self.predictors)
            noise = float(
                np.abs(
                    design @ spread.draw(random_generator(0)).reshape(-1, design.shape[1]).T
                ).max(initial=0)
            )
        if converged and noise <= NOISE:
            return
        what = (
            "its coefficients are not determined (predictors tell levels apart perfectly), so that"
            " draws of them are noise"
            if converged
            else "the fit did not converge"
        )
        warn(
            f"models: the model of {self.response!r}, ridge={self.ridge:g}: {what}; give a larger"
            f" ridge, such as {RIDGE}",
            UndeterminedWarning,
        )

    def probabilities(self, parameters: Floats, data: pd.DataFrame) -> Floats:
        """Shape (n, K): the probability of each category of the response for each record."""
        design = design_matrix(data, self.predictors)
        return probabilities(design, self._matrix(parameters, data, design.shape[1]))

    def simulate(
        self, parameters: Floats, data: pd.DataFrame, rng: np.random.Generator
    ) -> pd.Categorical:
        categories = self._response(data).cat.categories
        uniform = rng.random(len(data))
        codes = np.empty(len(data), dtype=np.int64)
        size = max(1, CHUNK // max(len(categories), 1))
        for start in range(0, len(data), size):
            rows = slice(start, start + size)
            codes[rows] = drawn_codes(
                self.probabilities(parameters, data.iloc[rows]), uniform[rows]
            )
        return pd.Categorical.from_codes(codes, categories=categories)

    def _matrix(self, parameters: Floats, data: pd.DataFrame, width: int) -> Floats:
        return np.asarray(parameters, dtype=float).reshape(
            len(self._response(data).cat.categories) - 1, width
        )

    def _response(self, data: pd.DataFrame) -> pd.Series:
        if not isinstance(data[self.response].dtype, pd.CategoricalDtype):
            raise InputError(
                f"data: column {self.response!r} is not a pandas Categorical; use fit_models, which"
                " reads frames as they are"
            )
        return data[self.response]


def drawn_codes(chances: Floats, uniform: Floats) -> Integers:
    """One column for each row, with the probabilities (up to a factor) in that row; never one with
    probability 0.
    """
    cumulative = np.cumsum(chances, axis=1)
    codes: Integers = (cumulative <= (uniform * cumulative[:, -1])[:, None]).sum(axis=1)
    over = np.flatnonzero(codes >= chances.shape[1])  # a product rounded up to the total
    if len(over):
        codes[over] = chances.shape[1] - 1 - np.argmax(chances[over, ::-1] > 0, axis=1)
    return codes


# ---- linear regression ---------------------------------------------------------------


@dataclass(frozen=True, slots=True, init=False)
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
        functions, there and back.
    ridge : keeps estimates unique where predictors repeat each other; in units of the residual
        variance.

    Examples
    --------
    >>> NormalRegression("employees", ["industry"], transform="cube root")
    NormalRegression(response='employees', predictors=('industry',), transform='cube root',
    ridge=0.1)
    """

    response: Hashable
    predictors: tuple[Hashable, ...] = ()
    transform: Transform | Pair = "identity"
    ridge: float = RIDGE

    def __init__(
        self,
        response: Hashable,
        predictors: Any = (),
        transform: Transform | Pair = "identity",
        ridge: float = RIDGE,
    ) -> None:
        object.__setattr__(self, "response", response)
        object.__setattr__(self, "predictors", tuple(listed(predictors)))
        object.__setattr__(self, "transform", transform)
        object.__setattr__(self, "ridge", check_number("ridge", ridge, 0))
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
        response = self._there(data[self.response])
        design = standardised(data, self.predictors)
        fit = fit_linear(design.matrix, response, self.ridge)
        mean = np.append(design.back @ fit.coefficients, np.log(fit.variance))
        if not covariance:
            return Estimate(mean, None, self.labels(data))
        whole = np.zeros((len(mean), len(mean)))
        whole[:-1, :-1] = fit.variance * design.back @ fit.inverse @ design.back.T
        whole[-1, -1] = 2 / fit.df
        return Estimate(mean, Spread(root_of_covariance(whole), direct=True), self.labels(data))

    def simulate(self, parameters: Floats, data: pd.DataFrame, rng: np.random.Generator) -> Floats:
        centre = design_matrix(data, self.predictors) @ parameters[:-1]
        drawn = centre + np.exp(parameters[-1] / 2) * rng.standard_normal(len(data))
        values = np.asarray(self._pair()[1](drawn), dtype=float)
        if values.shape != drawn.shape or not np.isfinite(values).all():
            raise InputError(
                f"transform: the way back of {self.response!r} does not give one finite number for"
                " each value"
            )
        return values

    def _there(self, column: pd.Series) -> Floats:
        if isinstance(column.dtype, pd.CategoricalDtype):
            raise InputError(f"models: {self.response!r} is not numeric; give a Multinomial for it")
        plain = column.to_numpy(dtype=float)
        if self.transform == "log" and not (plain > 0).all():
            raise InputError(
                f"transform: 'log' needs positive values, {self.response!r} has {plain.min():g};"
                " use 'cube root' or a pair of functions"
            )
        values = np.asarray(self._pair()[0](plain), dtype=float)
        if values.shape != plain.shape or not np.isfinite(values).all():
            raise InputError(
                f"transform: the way there of {self.response!r} does not give one finite number for"
                " each value"
            )
        return values

    def _pair(self) -> Pair:
        if isinstance(self.transform, str) and self.transform in TRANSFORMS:
            return TRANSFORMS[self.transform]
        if (
            isinstance(self.transform, tuple)
            and len(self.transform) == 2
            and all(map(callable, self.transform))
        ):
            return self.transform
        raise InputError(
            f"transform: {self.transform!r} is unknown; choices:"
            f" {', '.join(map(repr, TRANSFORMS))}, or a pair of functions (there, back)"
        )
