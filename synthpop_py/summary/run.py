"""The results of all targets under one reading, and the summary made of them."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from ..arguments import listed
from ..disclosure.judgement import disclose
from ..disclosure.notes import notes
from ..disclosure.options import Request, check_arguments, for_target
from ..disclosure.result import Disclosure
from ..disclosure.source import Source
from ..errors import InputError
from ..progress import Begin, Progress
from ..r.reading import Reading
from ..show.text import print_notes
from .options import Settings
from .result import MultiDisclosure
from .rows import row_as_r, target_row

Exclusions: TypeAlias = tuple[Any, Any, Any]  # keys, their levels, levels of the target
Results: TypeAlias = dict[Hashable, Disclosure]


@dataclass(frozen=True, slots=True)
class Targets:
    """Every target of a call, computed in turn under one reading."""

    source: Source
    settings: Settings
    reading: Reading

    def results(self, print_flag: bool) -> Results:
        """The result of each target."""
        results = {}
        to_say = dict.fromkeys(self.settings.left_out)  # each once: notes on keys come every time
        m = len(self.source.sets)
        shared = self._shared_request()
        self.source.read_ahead([*self.settings.keys, *self.settings.targets])
        with Progress(len(self.settings.targets) * m, print_flag) as progress:
            for i, target in enumerate(self.settings.targets):
                begin = None
                if progress.show:
                    begin = partial(_reach, progress, len(self.settings.targets), i, target)
                results[target], request = self._one_target(shared, i, begin)
                self.reading.touched_in_part |= bool(results[target].defects)
                to_say |= dict.fromkeys(notes(results[target], request))
                to_say |= dict.fromkeys(results[target].notes)
        if print_flag:
            print_notes(to_say)
        return results

    def _one_target(
        self, shared: Request, i: int, begin: Begin | None
    ) -> tuple[Disclosure, Request]:
        """The call of `disclosure()` for one target, with what R makes of its exclusions (D32)."""
        settings = self.settings
        call = f"disclosure(keys={list(settings.keys)!r}, target={settings.targets[i]!r})"
        asked = (
            settings.exclude_keys[i],
            settings.exclude_keylevs[i],
            settings.exclude_targetlevs[i],
        )
        as_r = _exclusions_as_r_takes_them(asked, self.source.plain)
        if as_r != asked and self.reading.reproduces("D32"):
            try:
                request = _request(shared, settings, i, as_r)
                result = disclose(self.source, request, call, begin)
            except InputError:
                pass  # R stops here although the user's exclusion is valid: do as asked
            else:
                self.reading.follow_r("D32")
                return result, request
        request = _request(shared, settings, i, asked)
        return disclose(self.source, request, call, begin), request

    def _shared_request(self) -> Request:
        """The arguments shared by all targets, checked once."""
        settings = self.settings
        of_targets = (
            "not_targetlev",
            "exclude_keys",
            "exclude_keylevs",
            "exclude_targetlevs",
            "ngroups_target",
        )
        return check_arguments(
            self.source.data,
            self.source.sets,
            keys=settings.keys,
            target=settings.targets[0],
            style={},
            usekeysNA=self._use_of_missing_keys(),
            ngroups_keys=self._groups_of_keys(),
            compat=self.reading.mode,
            asked_mode=settings.asked_mode,
            **settings.common,
            **dict.fromkeys(of_targets),
            usetargetNA=True,
        )

    def _use_of_missing_keys(self) -> list[Any]:
        """usekeysNA in the order of the data's columns; R gives some to another key (D2)."""
        as_r = list(self.settings.usekeysNA)
        correct = self._in_order_of_columns(as_r)
        return as_r if self.reading.follow_r("D2", as_r != correct) else correct

    def _groups_of_keys(self) -> Any:
        """ngroups_keys in the order of the data's columns; R gives some to another key (D3)."""
        groups = self.settings.ngroups_keys
        if groups is None or len(listed(groups)) != len(self.settings.asked_keys):
            return groups
        as_r = listed(groups)
        correct = self._in_order_of_columns(as_r)
        return as_r if self.reading.follow_r("D3", as_r != correct) else correct

    def _in_order_of_columns(self, by_key: list[Any]) -> list[Any]:
        asked = self.settings.asked_keys
        return [by_key[asked.index(key)] for key in self.settings.keys]


def _reach(
    progress: Progress,
    targets: int,
    i: int,
    target: Hashable,
    number: int,
    pieces: int,
    what: str,
) -> None:
    """Progress at a piece (from 1) of target i (from 0)."""
    of_several = f", {what}" if pieces > 1 else ""
    progress.total = targets * pieces
    progress.reach(i * pieces + number - 1, f"target {target}{of_several}")


def _exclusions_as_r_takes_them(asked: Exclusions, plain: bool) -> Exclusions:
    """R drops exclusions of plain frames and writes the target's levels over those of the key
    (D32).
    """
    keys, _, targetlevs = asked
    if keys is None:
        return asked
    if plain:
        return None, None, None
    return keys, targetlevs, targetlevs


def _request(shared: Request, settings: Settings, i: int, exclusions: Exclusions) -> Request:
    keys, keylevs, targetlevs = exclusions
    return for_target(
        shared,
        settings.targets[i],
        usetargetNA=settings.usetargetsNA[i],
        not_targetlev=settings.not_targetslev[i] or None,
        exclude_keys=keys,
        exclude_keylevs=keylevs,
        exclude_targetlevs=targetlevs,
        ngroups_target=settings.ngroups_targets[i],
    )


def summarise(
    settings: Settings, results: Results, reading: Reading, plot: bool
) -> MultiDisclosure:
    """The table of results."""
    rows = []
    for result in results.values():
        row = target_row(result, settings)
        rows.append(row_as_r(row, result, settings, reading))
    first = next(iter(results.values()))
    return MultiDisclosure(
        rows=tuple(rows),
        keys=settings.keys,
        Norig=first.Norig,
        m=first.m,
        ident_meas=settings.ident_meas,
        attrib_meas=settings.attrib_meas,
        digits=first.digits,
        denom_lim=settings.common["denom_lim"],
        exclude_ov_denom_lim=settings.common["exclude_ov_denom_lim"],
        usekeysNA=settings.usekeysNA,
        usetargetsNA=settings.usetargetsNA,
        output_list=results,
        show_plot=plot,
        compat=reading.mode,
        notes=settings.left_out,
    )
