"""A closed form over a range of its parameter: the curve of the risk-utility map."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd

from ..arguments import check_choice, check_number
from ..errors import InputError
from ..show.printing import Sections, Table
from ..show.views import Drawn
from .forms import UNIT, RiskUtility, noise_ru, swapping_ru, synthetic_ru

Form = Literal["noise", "synthetic", "swapping"]

FORMS: dict[str, tuple[Callable[..., RiskUtility], str]] = {
    "noise": (noise_ru, "noise_variance"),
    "synthetic": (synthetic_ru, "samples"),
    "swapping": (swapping_ru, "rate"),
}
QUANTITIES = ("utility", "risk", "user_mse", "snooper_mse", "identity_risk")
DIGITS = 4
MOST_ROWS = 10


def ru_curve(
    form: Form, values: Iterable[float], *, over: str | None = None, **fixed: Any
) -> RUCurve:
    """Utility and risk of a closed form for several values of one parameter.

    Parameters
    ----------
    form : "noise" (`noise_ru`), "synthetic" (`synthetic_ru`) or "swapping" (`swapping_ru`).
    values : values of the parameter, in the order to draw them.
    over : the parameter; by default "noise_variance", "samples" or "rate".
    **fixed : the other arguments of the closed form; its `snooper` is "optimal", or for synthetic
        data "mean", unless given.

    Examples
    --------
    >>> fixed = dict(n1=3, n2=2, variance=1.0, delta=1.0, snooper="linked")
    >>> curve = ru_curve("swapping", [0, 0.5, 1], **fixed)
    >>> curve
    Risk and utility of swapping for 3 values of rate; n1=3, n2=2, variance=1.0, delta=1.0,
    snooper='linked'
    utility: 1 / mean squared error of the user, higher is more useful; risk: 1 / mean squared
    error of the snooper, higher is riskier; both in 1 / (unit of X)²
    rate utility   risk identity_risk
     0.0  1.2000    Inf           1.0
     0.5  0.8471 0.6667           0.5
     1.0  0.6545 0.3333           0.0
    >>> float(curve.under(0.5)["rate"])
    1.0
    """
    function, usual = FORMS[check_choice("form", form, tuple(FORMS))]
    parameters = inspect.signature(function).parameters
    over = usual if over is None else check_choice("over", over, list(parameters))
    _check_fixed(form, parameters, over, fixed)
    if over != "snooper":  # a risk means nothing without its snooper
        fixed.setdefault("snooper", parameters["snooper"].default)
    rows = []
    for value in values:
        point = function(**{over: value}, **fixed)
        rows.append([value, *(getattr(point, name) for name in QUANTITIES)])
    if not rows:
        raise InputError("values: none given; give at least one value of the parameter")
    table = pd.DataFrame(rows, columns=[over, *QUANTITIES])
    return RUCurve(table=table, form=form, over=over, fixed=dict(fixed))


def _check_fixed(
    form: str, parameters: Mapping[str, inspect.Parameter], over: str, fixed: dict[str, Any]
) -> None:
    """Check for all parameters of the form except the one that varies, and no others."""
    choices = [name for name in parameters if name != over]
    for name in fixed:
        if name in choices:
            continue
        fault = (
            "is the parameter that varies, so its values go in `values`"
            if name == over
            else f"is not an argument of {form!r}"
        )
        raise InputError(f"{name}: {fault}; choices: {', '.join(choices)}")
    needed = [name for name in choices if _is_required(parameters[name]) and name not in fixed]
    if needed:
        raise InputError(f"{needed[0]}: is missing; the form {form!r} needs {', '.join(needed)}")


def _is_required(parameter: inspect.Parameter) -> bool:
    return parameter.default is parameter.empty


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class RUCurve(Drawn):
    """A curve of the risk-utility map.

    Attributes
    ----------
    table : DataFrame
        One row per value: the parameter, utility, risk, user_mse, snooper_mse, identity_risk (NaN
        where no record can be linked).
    form, over : the closed form, and the parameter that varies.
    fixed : the other arguments.
    """

    table: pd.DataFrame
    form: str
    over: str
    fixed: dict[str, Any]

    def under(self, ceiling: float) -> pd.Series:
        """The most useful row whose risk is at most `ceiling`. The exact optimum is given by
        `optimal_noise`, `optimal_samples` and `optimal_swap_rate`.
        """
        ceiling = check_number("ceiling", ceiling, 0)
        safe = self.table[self.table["risk"] <= ceiling]
        if safe.empty:
            raise InputError(
                f"ceiling: {ceiling!r} is below every risk of the curve; the lowest is"
                f" {self.table['risk'].min():.6g}"
            )
        return safe.loc[safe["utility"].idxmax()]

    def tidy(self) -> pd.DataFrame:
        """One row for each value and quantity. Columns: form, parameter, at, quantity ("utility" or
        "risk"), value, mse (its inverse), unit, direction.
        """
        utility = self._long("utility", "user_mse", "higher is more useful")
        risk = self._long("risk", "snooper_mse", "higher is riskier")
        return pd.concat([utility, risk], ignore_index=True)

    def _long(self, quantity: str, mse: str, direction: str) -> pd.DataFrame:
        """One quantity in the form of `tidy`."""
        columns = {
            "form": self.form,
            "parameter": self.over,
            "at": self.table[self.over],
            "quantity": quantity,
            "value": self.table[quantity],
            "mse": self.table[mse],
            "unit": UNIT,
            "direction": direction,
        }
        return pd.DataFrame(columns)

    def plot(self, ceiling: float | None = None, ax: Any = None) -> Any:
        """Draw risk against utility, with the parameter along the curve; the area above a ceiling
        is shaded. Returns matplotlib axes.
        """
        from ..plots.risk_utility import plot_curve

        return plot_curve(self, ceiling, ax)

    def _title(self) -> str:
        return f"Risk and utility by {self.over}"

    def _sections(self) -> Sections:
        caption = f"risk and utility by {self.over}"
        table = Table(self._shown(), caption, digits=DIGITS, titled=False, labelled=False)
        return [[*self._head(), table, *self._rest()]]

    def _headline(self, to: int = 1) -> list[str]:
        best = self.table.loc[self.table["utility"].idxmax()]
        tried = f"{len(self.table)} values of {self.over}"
        if self.over == "snooper":  # the snooper's choice does not affect the user
            lowest, highest = self.table["risk"].min(), self.table["risk"].max()
            utility = f"utility {best['utility']:.4g}"
            return [f"{tried}, all with {utility}; risk {lowest:.4g} to {highest:.4g}."]
        return [
            f"Of {tried} {best[self.over]:g} is the most useful: utility"
            f" {best['utility']:.4g}, risk {best['risk']:.4g}."
        ]

    def _content(self) -> dict[str, Any]:
        return {"form": self.form, "over": self.over, "unit": UNIT, "table": self.table}

    def _arguments(self) -> dict[str, Any]:
        return {"form": self.form, "over": self.over, **self.fixed}

    def _shown(self) -> pd.DataFrame:
        columns = [self.over, "utility", "risk"]
        if self.table["identity_risk"].notna().any():
            columns.append("identity_risk")
        return self.table[columns].head(MOST_ROWS)

    def _rest(self) -> list[str]:
        more = len(self.table) - MOST_ROWS
        return [f"and {more} more in .table"] if more > 0 else []

    def _head(self) -> list[str]:
        fixed = ", ".join(f"{name}={value!r}" for name, value in self.fixed.items())
        what = f"Risk and utility of {self.form} for {len(self.table)} values of {self.over}"
        how_to_read = (
            "utility: 1 / mean squared error of the user, higher is more useful; risk: 1 /"
            f" mean squared error of the snooper, higher is riskier; both in {UNIT}"
        )
        return [f"{what}; {fixed}", how_to_read]
