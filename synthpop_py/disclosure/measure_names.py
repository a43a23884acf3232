"""The names of measures, for type checkers: results have each of them as an attribute."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd


class OneByName:
    """Every measure of one target: the mean over syntheses, in per cent."""

    __slots__ = ()

    if TYPE_CHECKING:

        @property
        def UiO(self) -> float: ...

        @property
        def UiS(self) -> float: ...

        @property
        def UiOiS(self) -> float: ...

        @property
        def repU(self) -> float: ...

        @property
        def Dorig(self) -> float: ...

        @property
        def Dsyn(self) -> float: ...

        @property
        def iS(self) -> float: ...

        @property
        def DiS(self) -> float: ...

        @property
        def DiSCO(self) -> float: ...

        @property
        def DiSDiO(self) -> float: ...

        @property
        def baseCAPd(self) -> float: ...

        @property
        def CAPd(self) -> float: ...

        @property
        def CAPs(self) -> float: ...

        @property
        def DCAPd(self) -> float: ...

        @property
        def DCAPb(self) -> float: ...

        @property
        def DCAPs(self) -> float: ...

        @property
        def TCAPb(self) -> float: ...

        @property
        def TCAPs(self) -> float: ...

        @property
        def TCAP_DiS(self) -> float: ...

        @property
        def TCAP_iS(self) -> float: ...

        @property
        def DCAPd_scaled(self) -> float: ...

        @property
        def TCAP_iS_scaled(self) -> float: ...


class EachByName:
    """Every measure of several targets: one value per target."""

    __slots__ = ()

    if TYPE_CHECKING:

        @property
        def UiO(self) -> pd.Series: ...

        @property
        def UiS(self) -> pd.Series: ...

        @property
        def UiOiS(self) -> pd.Series: ...

        @property
        def repU(self) -> pd.Series: ...

        @property
        def Dorig(self) -> pd.Series: ...

        @property
        def Dsyn(self) -> pd.Series: ...

        @property
        def iS(self) -> pd.Series: ...

        @property
        def DiS(self) -> pd.Series: ...

        @property
        def DiSCO(self) -> pd.Series: ...

        @property
        def DiSDiO(self) -> pd.Series: ...

        @property
        def baseCAPd(self) -> pd.Series: ...

        @property
        def CAPd(self) -> pd.Series: ...

        @property
        def CAPs(self) -> pd.Series: ...

        @property
        def DCAPd(self) -> pd.Series: ...

        @property
        def DCAPb(self) -> pd.Series: ...

        @property
        def DCAPs(self) -> pd.Series: ...

        @property
        def TCAPb(self) -> pd.Series: ...

        @property
        def TCAPs(self) -> pd.Series: ...

        @property
        def TCAP_DiS(self) -> pd.Series: ...

        @property
        def TCAP_iS(self) -> pd.Series: ...

        @property
        def DCAPd_scaled(self) -> pd.Series: ...

        @property
        def TCAP_iS_scaled(self) -> pd.Series: ...
