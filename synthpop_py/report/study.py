"""A release beside its original: which columns are asked about, and the calls of the package that
a report needs, all with the same classes and exclusions.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from math import comb
from typing import Any

from ..arguments import SEVERAL, chosen_columns
from ..errors import InputError, unknown_choice, untold
from ..results import Disclosure
from ..rounding import means, over, too_few
from .checks import Tables

CLASSES = 10  # of a numeric target
MOST_SETS = 8000  # sets of keys that are tried
MOST_KEYS = 4  # keys that an intruder is assumed to know if none are named
# options that may be mappings by key or target, and what stands for none
PER_KEY = {"ngroups_keys": 0, "usekeysNA": True}
PER_TARGET = {"ngroups_targets": 0, "usetargetsNA": True, "not_targetslev": ""}
PER_TARGET |= dict.fromkeys(("exclude_keys", "exclude_keylevs", "exclude_targetlevs"))
BY_COLUMN = {**PER_KEY, **PER_TARGET}
OF_SEARCH = ("cont_na", "counts", "denom_lim", "exclude_ov_denom_lim", *PER_KEY)  # of `key_risk`


class Study:
    """What is asked about a release, and the risk of each target.

    `identifiers` are columns that nobody named; `everywhere` is the search that found the keys if
    nobody named them. `summary` is the result of all targets; `results` has each, numbers in
    `classes`, and `exact` has these numbers without classes. `order` begins with the riskiest
    target; `headline` is the riskiest that is not common knowledge, if there is one.
    """

    def __init__(
        self,
        synthetic: Any,
        original: Any,
        columns: Mapping[str, Any],
        options: Mapping[str, Any],
        to: int,
        labels: Mapping[Any, str] | None = None,
    ) -> None:
        self.synthetic, self.original, self.to = synthetic, original, to
        self.holdout = columns["holdout"]
        self.options = {name: value for name, value in options.items() if value is not None}
        self.reading = {n: self.options[n] for n in ("cont_na", "counts") if n in self.options}
        self.tables = Tables(synthetic, original, **self.reading)
        known = self.tables.tables[0].columns
        called = {str(name): str(label) for name, label in (labels or {}).items()}
        self.labels = {name: called.get(str(name), str(name)) for name in known}
        self.keys, self.targets, self.candidates = (
            chosen_columns(name, columns[name], known, "the original data")
            for name in ("keys", "targets", "candidates")
        )
        named = [*self.keys, *self.targets, *self.candidates]
        unnamed = [name for name in self.tables.common if name not in named]
        # also where nobody asks about them: a release should have none
        self.identifiers = [name for name in unnamed if self.tables.is_identifier(name)]
        self._check_options(named if self.keys and self.targets else [*named, *unnamed])
        self.everywhere: Any = None

    def _check_options(self, columns: Sequence[Hashable]) -> None:
        """Of options by column, their form and the columns that they name."""
        for name in BY_COLUMN:
            given = self.options.get(name)
            if isinstance(given, SEVERAL):
                says = "is a list; give one value for all, or a mapping of columns to values"
                raise InputError(f"{name}: {says}")
            choices, place = columns, "the keys and targets"
            if name == "ngroups_keys":
                choices, place = self.keys or columns, "the keys"
            elif name in PER_TARGET and name != "usetargetsNA":
                choices, place = self.targets or columns, "the targets"
            for column in given if isinstance(given, Mapping) else ():
                if column not in choices:
                    raise unknown_choice(name, column, choices, place)

    def choose_columns(self) -> None:
        """Keys and targets that nobody named."""
        self.choose_classes()
        if not self.keys:
            names = self.possible_keys()
            most = len(names) if self.targets else max(1, len(names) - 1)  # one is to be learnt
            largest = min(MOST_KEYS, most)
            self.everywhere = self._search_some(names, self.targets[:1], largest)
            self.keys = list(self.everywhere.table["keys"].iloc[0])
        if not self.targets:
            # an identifier of digits may be an amount, which is judged in classes
            texts = [name for name in self.identifiers if not self.tables.is_number(name)]
            used = [*self.keys, *texts]
            self.targets = [name for name in self.tables.common if name not in used]
            if not self.targets:
                raise InputError("targets: no column besides the keys is in every table")
            self.choose_classes()

    def possible_keys(self) -> list[Hashable]:
        used = [*self.targets, *self.identifiers]
        names = self.candidates or [name for name in self.tables.common if name not in used]
        if not names:
            says = "is not given, and no column that both tables have could be one; name the keys"
            raise InputError(f"keys: {says}")
        return names

    def choose_classes(self) -> None:
        """About ten for targets with many numbers, unless classes were asked for."""
        many = [name for name in self.targets if self.tables.has_many_numbers(name)]
        if self.targets:
            self.options.setdefault("ngroups_targets", dict.fromkeys(many, CLASSES))

    def values(self, name: str, columns: Sequence[Hashable]) -> Any:
        """An option for some keys or targets, a value for each."""
        given: Any = self.options.get(name, {})
        if isinstance(given, Mapping):
            return [given.get(one, BY_COLUMN[name]) for one in columns]
        if not name.startswith("ngroups"):
            return [given] * len(columns)
        # one number for all is about the numeric ones; without such it is refused by who takes it
        asked = self.keys if name in PER_KEY else self.targets
        if given and not any(map(self.tables.is_number, [*asked, *columns])):
            return given
        return [given if self.tables.is_number(one) else 0 for one in columns]

    def _options(self, keys: Sequence[Hashable], targets: Sequence[Hashable]) -> dict[str, Any]:
        """The options for these keys and targets, in lists."""
        found = dict(self.options)
        for name in BY_COLUMN.keys() & found.keys():
            found[name] = self.values(name, keys if name in PER_KEY else targets)
        return found

    def answer(self) -> None:
        """The risk of each target."""
        self.summary = self.risk(self.keys, self.targets, holdout=self.holdout)
        self.results: dict[Hashable, Disclosure] = dict(self.summary.output_list)
        asked = zip(self.targets, self.values("ngroups_targets", self.targets))
        self.classes = {name: n for name, n in asked if n and self.tables.is_number(name)}
        self.exact: dict[Hashable, Disclosure] = {}
        if self.classes:
            with untold():  # of what was told above
                exact = self.risk(self.keys, list(self.classes), ngroups_targets=None)
            self.exact = dict(exact.output_list)
        if too_few(self.first.Norig, self.to):
            return
        people = {name: means(one, self.to)["DiSCO"] for name, one in self.results.items()}
        self.order = sorted(people, key=lambda name: -people[name])
        unknown = [name for name in self.order if common_level(self.results[name]) is None]
        self.headline = [*unknown, *self.order][0]

    def risk(self, keys: Any, targets: Any, data: Any = None, **others: Any) -> Any:
        from .. import multi_disclosure

        synthetic, original = data or (self.synthetic, self.original)
        asked: Any = {"compat": "corrected", "print_flag": False}
        asked |= {**self._options(keys, targets), **others}
        return multi_disclosure(synthetic, original, list(keys), list(targets), **asked)

    def search_around(self) -> Any:
        """Sets of the keys, or of the candidates."""
        names = self.candidates or self.keys
        return self._search_some(names, [self.headline], len(names))

    def _search_some(self, names: list[Hashable], targets: list[Hashable], largest: int) -> Any:
        """As many sets of keys as can be tried in seconds."""
        sizes = [comb(len(names), size + 1) for size in range(largest)]
        while largest > 1 and sum(sizes[:largest]) > MOST_SETS:
            largest -= 1
        # it counts what is certain
        certain = self.options.get("certainty", 1) == 1
        learnt = [target for target in targets if certain and target not in names]
        return self.search(names, learnt, max_keys=largest)

    def search(self, names: list[Hashable], targets: list[Hashable], **how: Any) -> Any:
        from .. import key_risk

        options = self._options(names, targets)
        how |= {name: options[name] for name in OF_SEARCH if name in options}
        for name in options.keys() & PER_TARGET.keys() if targets else ():
            values = options[name]
            if name not in ("ngroups_targets", "usetargetsNA"):
                values = {one: value for one, value in zip(targets, values) if value}
            how[name.replace("targets", "target")] = values
        return key_risk(self.synthetic, self.original, names, targets or None, **how)

    @property
    def first(self) -> Disclosure:
        return next(iter(self.results.values()))

    def notes_on(self, name: Hashable) -> list[str]:
        """Notes of the results that are about a column."""
        notes = [*self.results[name].notes] if name in self.results else []
        return [*notes, *(note for note in self.summary.notes if repr(name) in note)]


def common_level(result: Disclosure) -> Any:
    """The row of `check_1way` for common knowledge: over 80 % of all people have this level."""
    for flagged in result.check_1way:
        row = None if flagged is None else flagged.iloc[0]
        if row is not None and over(row["PctLevelAll"]) in ("over 80 %", "over 90 %"):
            return row
    return None
