"""A closed form over a range of its parameter: the curve of the risk-utility map."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd

from ..arguments import check_choice, check_number
from ..errors import InputError
from ..names import argument_names, named_arguments
from ..show import Document, Shown, fill
from .forms import UNIT, RiskUtility, noise_ru, swapping_ru, synthetic_ru

Form = Literal["noise", "synthetic", "swapping"]

FORMS: dict[str, tuple[Callable[..., RiskUtility], str]] = {
    "noise": (noise_ru, "noise_variance"),
    "synthetic": (synthetic_ru, "samples"),
    "swapping": (swapping_ru, "rate"),
}
DIGITS = 4
MOST_ROWS = 10


@named_arguments(*(name for form, _ in FORMS.values() for name in argument_names(form)))
def ru_curve(
    form: Form, values: Iterable[float], *, over: str | None = None, **fixed: Any
) -> RUCurve:
    """Utility and risk of a closed form for several values of one parameter.

    Parameters
    ----------
    form : "noise" (`noise_ru`), "synthetic" (`synthetic_ru`) or "swapping" (`swapping_ru`).
    values : values of the parameter, in the order in which they shall be drawn.
    over : the parameter; unless given "noise_variance", "samples" or "rate".
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
    names = list(inspect.signature(function).parameters)
    over = usual if over is None else check_choice("over", over, names)
    for name in fixed:
        if name not in names or name == over:
            fault = (
                "is what values are given for" if name == over else f"is no argument of {form!r}"
            )
            raise InputError(
                f"{name}: {fault}; choices: {', '.join(n for n in names if n != over)}"
            )
    needed = [
        n
        for n, p in inspect.signature(function).parameters.items()
        if p.default is p.empty and n != over and n not in fixed
    ]
    if needed:
        raise InputError(f"{needed[0]}: is missing; the form {form!r} needs {', '.join(needed)}")
    if over != "snooper":
        fixed.setdefault(
            "snooper", inspect.signature(function).parameters["snooper"].default
        )  # a risk says nothing without its snooper
    points = [(value, function(**{over: value}, **fixed)) for value in values]
    if not points:
        raise InputError("values: none given; give at least one value of the parameter")
    rows = [
        (value, p.utility, p.risk, p.user_mse, p.snooper_mse, p.identity_risk)
        for value, p in points
    ]
    table = pd.DataFrame(
        rows, columns=[over, "utility", "risk", "user_mse", "snooper_mse", "identity_risk"]
    )
    return RUCurve(table, form, over, dict(fixed))


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class RUCurve(Shown):
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
        parts = []
        for quantity, mse, direction in (
            ("utility", "user_mse", "higher is more useful"),
            ("risk", "snooper_mse", "higher is riskier"),
        ):
            columns = {
                "form": self.form,
                "parameter": self.over,
                "at": self.table[self.over],
                "quantity": quantity,
                "value": self.table[quantity],
            }
            parts.append(
                pd.DataFrame(
                    columns | {"mse": self.table[mse], "unit": UNIT, "direction": direction}
                )
            )
        return pd.concat(parts, ignore_index=True)

    def plot(self, ceiling: float | None = None, ax: Any = None) -> Any:
        """Draw risk against utility, the parameter along the curve; with a ceiling, what lies above
        it is shaded. Returns matplotlib axes.
        """
        from ..plots.curve import plot_curve

        return plot_curve(self, ceiling, ax)

    def _document(self) -> Document:
        table = fill.table_of(
            self._shown(),
            f"risk and utility by {self.over}",
            digits=DIGITS,
            titled=False,
            labelled=False,
        )
        notes = [fill.note(line) for line in self._head()]
        rest = [fill.note(line) for line in self._rest()]
        best = self.table.loc[self.table["utility"].idxmax()]
        return Document(
            title=f"Risk and utility by {self.over}",
            sections=(fill.section(*notes, table, *rest),),
            headline=(
                fill.note(
                    f"Of {len(self.table)} values of {self.over} {best[self.over]:g} is the most"
                    f" useful: utility {best['utility']:.4g}, risk {best['risk']:.4g}."
                ),
            ),
        )

    def _content(self) -> dict[str, Any]:
        return {"form": self.form, "over": self.over, "unit": UNIT, "table": self.table}

    def _arguments(self) -> dict[str, Any]:
        return {"form": self.form, "over": self.over, **self.fixed}

    def _shown(self) -> pd.DataFrame:
        columns = [
            self.over,
            "utility",
            "risk",
            *(["identity_risk"] if self.table["identity_risk"].notna().any() else []),
        ]
        return self.table[columns].head(MOST_ROWS)

    def _rest(self) -> list[str]:
        return (
            [f"and {len(self.table) - MOST_ROWS} more in .table"]
            if len(self.table) > MOST_ROWS
            else []
        )

    def _head(self) -> list[str]:
        fixed = ", ".join(f"{name}={value!r}" for name, value in self.fixed.items())
        return [
            f"Risk and utility of {self.form} for {len(self.table)} values of {self.over}; {fixed}",
            (
                "utility: 1 / mean squared error of the user, higher is more useful; risk: 1 /"
                f" mean squared error of the snooper, higher is riskier; both in {UNIT}"
            ),
        ]
