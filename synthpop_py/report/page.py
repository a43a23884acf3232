"""The parts of a page, in sentences and tables, from the facts: first what decides, then what is
behind it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..rounding import EXACT, PROMISE
from .facts import Facts, Labels

Block = dict[str, Any]
CHECKS, ANSWER, LIMITS, NEXT = (
    "Can these files be compared?",
    "What the release reveals",
    "Limits",
    "What to do next",
)
DEFINITIONS = (
    ("UiO", "people who are the only ones with their combination of keys in the original"),
    (
        "repU, replicated uniques",
        "those of them whose combination exactly one synthetic record has too",
    ),
    (
        "Dorig, the original itself",
        "people whose combination of keys leaves one value of the target in the original: what the"
        " original would reveal if it were released",
    ),
    (
        "DiS, certain",
        "people whose combination of keys is in the synthetic data with one value of the target",
    ),
    ("DiSCO, revealed correctly", "those of DiS whose own value it is"),
    ("precision (TCAP)", "DiSCO in per cent of DiS: how often such a certain guess is correct"),
    (
        "TVD",
        "total variation distance of two tables, from 0 (the same) to 1 (nothing in common)",
    ),
    (
        "S_pMSE",
        "how well a model tells synthetic from original records, in units of what a correct"
        " synthesis would have: about 1 is as good as that",
    ),
)


def text(*words: str, look: str = "") -> Block:
    return {"kind": "text", "text": " ".join(words), "look": look}


def table(
    caption: str, columns: Sequence[str], rows: Sequence[Sequence[str]], prose: Sequence[int] = ()
) -> Block:
    """Columns of words are `prose`, all others figures; the first one names the row."""
    kinds = ["prose" if at in prose or not at else "number" for at in range(len(columns))]
    return {"kind": "table", "caption": caption, "columns": columns, "rows": rows, "kinds": kinds}


def section(heading: str, *blocks: Block, folded: bool = False, first: bool = False) -> Facts:
    return {"heading": heading, "blocks": list(blocks), "folded": folded, "first": first}


def sections(known: Facts, made: Facts) -> list[Facts]:
    """The whole page; `made` says how it was made."""
    page = [section(CHECKS, *_checks(known), first=True)]
    if known["why_no_figures"]:
        page.append(section(ANSWER, text(known["why_no_figures"]), first=True))
        return [*page, _again(made)]
    page += [
        section(ANSWER, *_answer(known), first=True),
        section(LIMITS, *_limits(known), first=True),
        section(NEXT, *_next(known), first=True),
    ]
    page.append(section("From everybody to those revealed", *_pictures(known)))
    page.append(section("People who were not in the data", *_non_members(known)))
    page.append(section("Which keys are dangerous", *_keys(known)))
    page.append(section("What may be common knowledge", *_common(known)))
    page.append(section("Several syntheses", *_syntheses(known)))
    page.append(section("Utility beside risk", *_utility(known)))
    page.append(section("What the rounding means", *_rounding(made["round_to"])))
    page.append(section("Definitions", table("", ["measure", "meaning"], DEFINITIONS, [1]), folded=True))
    page.append(_again(made))
    return page


# ---- the first page ------------------------------------------------------------------


def headline(known: Facts) -> list[str]:
    """The sentences at the top."""
    if known["why_no_figures"]:
        return [known["why_no_figures"]]
    worst = next(one for one in known["targets"] if one["name"] == known["headline"])
    if not worst["compared"]:
        return [f"{_capital(worst['label'])} cannot be compared: the figures below say nothing."]
    sure = "" if known["certainty"] == 1 else " nearly"
    said = [
        f"Somebody who knows {known['keys_text']} learns the {worst['label']} of"
        f" {_of_people(worst['DiSCO'], known)} correctly from the release{sure and ', or nearly so'}."
    ]
    for one in known["targets"]:
        common = one["common"]
        if common is not None and one["DiSCO"]["people"] > 0:
            value = f"the value {common['level']}" if common["level"] else "one class"
            said.append(
                f"{_capital(one['label'])}: {one['DiSCO']['text']}, but {common['revealed']} of"
                f" these have {value}, and so have {common['everybody']} of all people."
            )
    return said


def subtitle(known: Facts) -> str:
    """Whose data they are."""
    records = sorted({f"{n:,}" for n in known["synthetic_records"]})
    syntheses = "1 synthesis" if known["syntheses"] == 1 else f"{known['syntheses']} syntheses"
    everybody = "few people" if known["people"] is None else f"{known['people']:,} people"
    return f"{everybody} in the original; {syntheses} of {' or '.join(records)} records"


def verdict(known: Facts) -> tuple[str, str]:
    """One line on the limits, and how it looks."""
    decision = known["decision"]
    if decision is None:
        return "No limit was given: the report shows the risk, people decide.", "open"
    if decision == "cannot be judged":
        return "The limits cannot be judged: the files cannot be compared, or hold too few people.", "bad"
    missed = [one for one in known["limits"] if not one["met"]]
    if not missed:
        return f"All limits are met: {'; '.join(map(_limit, known['limits']))}.", "good"
    return f"Not within the limits: {'; '.join(map(_limit, missed))}.", "bad"


def _limit(one: Facts) -> str:
    of = f" of {one['target']}" if one["target"] else ""
    return f"{one['measure']}{of} {one['figure']['share']}, at most {one['limit']:g} % allowed"


def _of_people(figure: Facts, known: Facts) -> str:
    share = f" ({figure['share']})" if figure["share"] not in ("", figure["number"]) else ""
    return f"{figure['number']} of {known['people']:,} people{share}"


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _checks(known: Facts) -> Iterator[Block]:
    found = known["checks"]
    if found is None:
        yield text("Not looked at: the report was made from results, without the data.", look="open")
    elif not found:
        yield text(
            "Yes: keys and targets have the same kinds of values in all files, and no missing code"
            " or identifier stands out.",
            look="good",
        )
    else:
        fatal = any(one["fatal"] for one in found)
        rows = [[one["label"], one["text"], _ways(one)] for one in found]
        told = "No, not in every column." if fatal else "Yes, but look at these columns first."
        yield text(told, look="bad" if fatal else "warn")
        yield table("", ["column", "what is seen", "what repairs it"], rows, prose=[1, 2])


def _ways(one: Facts) -> str:
    ways = [one["option"], one["command"]]
    return "; or ".join(way for way in ways if way) or "–"


def _answer(known: Facts) -> Iterator[Block]:
    targets = known["targets"]
    certain = "certain" if known["certainty"] == 1 else "nearly sure"
    columns = [
        "target",
        "revealed correctly (DiSCO)",
        f"{certain} about (DiS)",
        "of these correct",
        "the original itself (Dorig)",
        "common knowledge",
    ]
    exact = any(one["exact"] for one in targets)
    if exact:
        columns.insert(2, "exact value revealed")
    rows = []
    for one in targets:
        name = _capital(one["label"])
        if one["classes"]:
            name += f" (about {one['classes']} classes)"
        row = [
            name,
            one["DiSCO"]["text"],
            one["DiS"]["text"],
            one["precision"] or "too few",
            one["Dorig"]["share"],
            _is_common(one["common"]),
        ]
        if exact:
            row.insert(2, one["exact"]["text"] if one["exact"] else "the same")
        rows.append(row)
    yield table(
        f"People, and % of all {known['people']:,}; riskiest target first", columns, rows
    )
    if exact:
        yield text(
            "Numbers are judged in classes of about equally many people: exact numbers rarely match,"
            " and would look safe where the release tells them nearly.",
            look="quiet",
        )
    if known["certainty"] < 1:
        yield text(
            f"Nearly sure: at least {100 * known['certainty']:g} % of the synthetic records with the"
            " same keys have one value.",
            look="quiet",
        )
    unique, replicated = known["identity"]["UiO"], known["identity"]["repU"]
    yield text(
        f"Identity: {_of_people(unique, known)} are alone with their {known['keys_text']}. For"
        f" {replicated['text']} the release has exactly one such record too (replicated uniques),"
        " so that somebody may believe to have found the person."
    )


def _is_common(common: Facts | None) -> str:
    if common is None:
        return "no"
    return f"yes: {common['level'] or 'one class'}, {common['everybody']} of all people"


def _limits(known: Facts) -> Iterator[Block]:
    if not known["limits"]:
        yield text("No limit was given. limits={\"DiSCO\": 5} or --limit DiSCO=5 sets one.")
        return
    rows = []
    for one in known["limits"]:
        told = "met" if one["met"] else "not met"
        if one["rounding_decides"]:
            told += ": the rounded figure is within it, the exact one may not be"
        figure = one["figure"]["text"] + (f", {one['target']}" if one["target"] else "")
        rows.append([f"{one['measure']} at most {one['limit']:g} %", figure, told])
    yield table("", ["limit", "highest figure", "verdict"], rows, prose=[1, 2])


def _next(known: Facts) -> Iterator[Block]:
    search = known["key_search"]
    without = search["without"] if search else []
    if without and "DiSCO" in without[0]:
        first = without[0]
        yield text(
            f"{_capital(first['key'])} adds most to the risk: somebody who does not know it learns"
            f" the {search['target']} of {first['DiSCO']['text']}."
        )
    remedies = known["remedies"]
    if not remedies:
        yield text("From the data, the report also tries remedies: report(synthetic, original, ...).")
        return
    worst = next(one for one in known["targets"] if one["name"] == known["headline"])
    rows = []
    for one in remedies:
        before, after = one["before"], one["after"]
        figures = [
            f"{before[m]['number']} → {after[m]['number']}" if after else "not tried"
            for m in ("DiSCO", "repU")
        ]
        rows.append([one["what"], *figures, _ways(one)])
    columns = ["remedy", f"people whose {worst['label']} is revealed", "replicated uniques", "how"]
    yield table("Remedies, each by itself: before → after", columns, rows, prose=[3])
    yield text(
        "Then make the report again. Utility falls too: compare it below.", look="quiet"
    )


# ---- behind it -----------------------------------------------------------------------


def _pictures(known: Facts) -> Iterator[Block]:
    yield text(
        "How many people are left at each step: somebody looks for a person's keys in the synthetic"
        " data, finds one value of the target, and believes it."
        + (" Of the first synthesis." if known["syntheses"] > 1 else "")
    )
    yield {"kind": "pictures"}


def _non_members(known: Facts) -> Iterator[Block]:
    rows = known["non_members"]
    if rows is None:
        yield text(
            "Not known: no holdout was given. Part of what the release says about a person is true"
            " of all similar people, whether they were in the data or not. To know how much, keep"
            " records of the same population away from the synthesis: holdout=, or --holdout."
        )
        return
    if not rows:
        yield text("The holdout has too few people for figures.")
        return
    yield text(
        "Non-members are of the same population, and the synthesiser never saw them. What the"
        " release reveals about them, anyone could have inferred; the difference comes from being"
        " in the data."
    )
    figures = []
    for one in rows:
        told = "may be chance" if one["chance"] else "more than chance"
        difference = f"{one['difference']:+.1f} ({one['from']:.1f} to {one['to']:.1f})"
        members, others = one["members"]["share"], one["non_members"]["share"]
        figures.append([_capital(one["label"]), members, others, difference, told])
    yield table(
        f"Revealed correctly (DiSCO), % of {known['people']:,} members and of {rows[0]['of']:,}"
        " non-members; 95 % intervals for all targets together",
        ["target", "members", "non-members", "difference, % points", "so it"],
        figures,
    )


def _keys(known: Facts) -> Iterator[Block]:
    search = known["key_search"]
    if search is None:
        yield text(f"No sets of keys were tried. {known['reasons'].get('keys', '')}".strip())
        return
    limit = ""
    if search["largest"] < len(search["candidates"]):
        limit = f", up to {search['largest']} at a time"
    named = " Nobody named the keys, so the riskiest set is reported." if known["keys_searched"] else ""
    yield text(
        f"Nobody knows for sure what others know, so {search['sets']:,} sets of these columns were"
        f" tried{limit}: {', '.join(search['candidates'])}.{named}"
    )
    of_target = search["target"] is not None
    columns = ["alone in the original (UiO)"]
    if of_target:
        columns.append(f"{search['target']} revealed (DiSCO)")

    def figures(row: Facts) -> list[str]:
        return [row["UiO"]["text"], *([row["DiSCO"]["text"]] if of_target else [])]

    if search["without"]:
        rows = [[f"without {one['key']}", *figures(one)] for one in search["without"]]
        yield table("If one key is not known", ["keys", *columns], rows)
    rows = [[one["keys"], *figures(one)] for one in search["riskiest"]]
    yield table("The riskiest sets", ["keys", *columns], rows)


def _common(known: Facts) -> Iterator[Block]:
    yield text(
        "People count as revealed even where everyone knows the value, because nearly all have it."
        " The first table names such targets; the pairs below are values of a key that tell the"
        " target much better than a guess does."
    )
    flagged = [one for one in known["targets"] if one["common"]]
    if not flagged and not known["pairs"]:
        yield text("Nothing of the kind stands out.")
    for one in known["pairs"][:1]:
        rows = [[pair["who"], pair["value"], pair["share"], pair["everybody"]] for pair in known["pairs"]]
        columns = ["people with", "have", "of them", "of all people"]
        yield table("Pairs", columns, rows, prose=[1])


def _syntheses(known: Facts) -> Iterator[Block]:
    if known["syntheses"] == 1:
        yield text(
            "There is one synthesis, so nothing can be said about how far the figures depend on the"
            " draw; two or three from the same model would show it."
        )
        return
    yield text(
        f"All figures are means of {known['syntheses']} syntheses. Anyone who gets all of them knows"
        " at least what the worst of them reveals, and together they may reveal more."
    )
    rows = [
        [_capital(one["label"]), *(one[name]["text"] for name in ("DiSCO", "lowest", "highest"))]
        for one in known["targets"]
    ]
    yield table("Revealed correctly (DiSCO)", ["target", "mean", "lowest", "highest"], rows)


def _utility(known: Facts) -> Iterator[Block]:
    rows = [[one["measure"], f"{one['value']:g}", f"{one['chance']:g}"] for one in known["utility"]]
    if rows:
        yield text(
            "Risk and utility are not combined into one score: people weigh them. Lower is more"
            " useful."
        )
        columns = ["measure", "this release", "a release as good as a new sample"]
        yield table("Distance of the release from the original", columns, rows)
    for part in ("tables", "propensity", "utility"):
        if part in known["reasons"] and not (part == "utility" and rows):
            yield text(f"Utility: {known['reasons'][part]}")


def _rounding(to: int) -> Iterator[Block]:
    if to == 1:
        yield text(f"Nothing is rounded: {EXACT}.", look="bad")
        return
    half = (to + 1) // 2
    yield text(
        f"Every count of people is rounded to a multiple of {to}; percentages, means and differences"
        f" are computed from rounded counts. Fewer than {half} may be none. {PROMISE} Two reports on"
        " data that differ by a person could be compared, so publish one. Not protected: readers who"
        " already know some of the records."
    )


def _again(made: Mapping[str, Any]) -> Facts:
    """How to make the report again."""
    rows = [[one["what"], one["name"], one["sha256"]] for one in made["files"]]
    blocks = [text(f"Made on {made['date']} with {made['versions']}."), text(f"Call: {made['call']}")]
    if rows:
        blocks.append(table("Files", ["data", "file", "SHA-256"], rows, prose=[1, 2]))
    else:
        blocks.append(text("The data came from memory, not from files."))
    return section("How to make this report again", *blocks, folded=True)
