"""Breaks, labels and classes of random vectors against classInt and ``cut`` in live R."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.rooms import assign_classes, class_breaks, class_labels, group

pytestmark = pytest.mark.requires_r

VECTORS = 2000
BATCH = 400

R_SIDE = """
function(text) {
  # numbers as JSON arrays with 17 digits, which identify a double
  numbers <- function(x) paste0("[", paste(sprintf("%.17g", x), collapse = ","), "]")
  one <- function(case) {
    x <- if (case$integer) as.integer(case$x) else as.double(case$x)
    settings <- Filter(Negate(is.null), case[c("type", "fixedBreaks")])
    breaks <- suppressWarnings(do.call(classInt::classIntervals,
      c(list(x, n = case$n, style = case$style), lapply(settings, unlist))))$brks
    breaks <- unique(breaks)
    classes <- cut(x, breaks = breaks, dig.lab = 8, right = FALSE, include.lowest = TRUE)
    codes <- as.integer(classes) - 1L
    codes[is.na(codes)] <- -1L
    sprintf('{"breaks":%s,"labels":%s,"codes":%s}', numbers(sort(breaks)),
      paste0('["', paste(levels(classes), collapse = '","'), '"]'), numbers(codes))
  }
  cases <- jsonlite::fromJSON(text, simplifyDataFrame = FALSE, simplifyMatrix = FALSE)
  paste0("[", paste(vapply(cases, one, ""), collapse = ","), "]")
}
"""

R_GROUPED = """
function(text) {
  one <- function(case) {
    special <- if (length(case$special)) as.double(case$special) else NA
    original <- as.double(case$original)
    synthetic <- as.double(case$synthetic)
    grouped <- function(...) {
      synthpop:::group_num(original, synthetic, synthetic, case$n, cont.na = special, ...)
    }
    found <- if (is.null(case$type)) grouped() else grouped(type = case$type)
    changed <- nlevels(found[[1]]) < 3
    if (changed) found <- grouped(style = "equal")
    codes <- c(as.integer(found[[1]]), as.integer(found[[2]])) - 1L
    list(levels = levels(found[[1]]), changed = changed, codes = ifelse(is.na(codes), -1L, codes))
  }
  cases <- jsonlite::fromJSON(text, simplifyDataFrame = FALSE, simplifyMatrix = FALSE)
  as.character(jsonlite::toJSON(lapply(cases, one), auto_unbox = FALSE))
}
"""


def random_vector(rng: np.random.Generator, size: int) -> np.ndarray:
    """Ties, whole numbers, decimals, large, small and negative numbers, skewed and clumped ones."""
    kind = rng.integers(9)
    if kind == 0:
        return rng.integers(-5, 12, size)
    if kind == 1:
        return rng.integers(-(10**6), 10**9, size)
    if kind == 2:
        return rng.integers(0, 40, size) / 10
    if kind == 3:
        return rng.normal(rng.choice([0, 50, -1e4]), 10.0 ** rng.integers(-6, 7), size)
    if kind == 4:
        return np.exp(rng.normal(0, 3, size))
    if kind == 5:
        return 10.0 ** rng.integers(9, 16) + rng.integers(0, 30, size) / 8
    if kind == 6:
        return np.where(rng.random(size) < 0.6, 0.0, rng.gamma(2, 800, size).round(2))
    if kind == 7:
        return -rng.random(size) * 10.0 ** rng.integers(-300, 301)
    return rng.choice([1 / 3, 1, 1 + 1e-13, 2.5, -7, 1e5, 123456.789], size)


def random_cases(seed: int, count: int) -> list[dict]:
    rng = np.random.default_rng(seed)
    cases = []
    for i in range(count):
        while len(np.unique(x := random_vector(rng, int(rng.integers(3, 60))))) < 2:
            pass
        if x.dtype == np.int64 and rng.random() < 0.5:
            x = x.astype(float)
        integer = x.dtype == np.int64
        base = {
            "x": [float(v) for v in x],
            "integer": bool(integer),
            "n": float(rng.integers(2, 21)) + rng.choice([0, 0, 0.7]),
        }
        if base["n"] >= len(np.unique(x)):  # one class per value, whatever the style
            cases.append({**base, "style": ["quantile", "equal", "sd", "pretty"][i % 4]})
            continue
        cases += [{**base, "style": style} for style in ("equal", "pretty")]
        if (
            1e-140 < np.abs(x).max() < 1e140
        ):  # beyond, R's variance overflows or vanishes and no break is finite
            cases.append({**base, "style": "sd"})
        cases += [{**base, "style": "quantile", "type": 1 + (i + k) % 9} for k in (0, 4)]
        if i % 4 == 0:
            given = rng.permutation(np.append(rng.choice(x, 2), [x.min() - 1, rng.normal()]))
            cases.append({**base, "style": "fixed", "fixedBreaks": [float(v) for v in given]})
    return cases


def json_text(value) -> str:
    """JSON with 17 significant digits."""
    if isinstance(value, float):
        return f"{value:.17g}"
    if isinstance(value, list):
        return f"[{','.join(map(json_text, value))}]"
    if isinstance(value, dict):
        return "{" + ",".join(f'"{k}":{json_text(v)}' for k, v in value.items()) + "}"
    return json.dumps(value)


def r_answers(live_r, source: str, cases: list[dict]) -> list[dict]:
    function = live_r.r(source)
    return [
        a
        for i in range(0, len(cases), BATCH)
        for a in json.loads(function(json_text(cases[i : i + BATCH]))[0])
    ]


def differences(case: dict, answer: dict) -> list[str]:
    x = np.array(case["x"])
    breaks = class_breaks(
        x, case["n"], case["style"], type=case.get("type", 7), fixed_breaks=case.get("fixedBreaks")
    )
    found = {
        "breaks": [float(b) for b in breaks],
        "labels": class_labels(breaks),
        "codes": assign_classes(x, breaks).tolist(),
    }
    return [
        f"{name} of {case}: ours {found[name]}, R's {answer[name]}"
        for name in found
        if found[name] != answer[name]
    ]


def compare(live_r, tally, cases: list[dict], name: str) -> None:
    answers = r_answers(live_r, R_SIDE, cases)
    assert len(answers) == len(cases)
    wrong = [d for case, answer in zip(cases, answers) for d in differences(case, answer)]
    tally[name] += len(cases)
    assert not wrong, f"{len(wrong)} differences\n" + "\n".join(wrong[:10])


def test_breaks_labels_and_classes_are_those_of_r(live_r, tally):
    """Bit for bit, all styles and types."""
    compare(
        live_r,
        tally,
        random_cases(20240611, VECTORS),
        "groupings compared with classInt and cut, bit for bit",
    )


def test_many_classes_where_multiples_of_one_over_n_miss_one(live_r, tally):
    """49 * (1/49) < 1: the largest value may be in no class, as in R."""
    rng = np.random.default_rng(7)
    cases = [
        {
            "x": [float(v) for v in rng.normal(size=int(size))],
            "integer": False,
            "n": float(n),
            "style": "quantile",
            "type": type_,
        }
        for n in (49, 98, 103, 107)
        for type_ in range(1, 10)
        for size in rng.integers(120, 400, 4)
    ]
    compare(live_r, tally, cases, "groupings into 49 and more classes compared with R")


def random_groupings(seed: int, count: int) -> list[dict]:
    """Original and synthetic values with missing and special ones, few classes, and sometimes a
    type of quantile.
    """
    rng = np.random.default_rng(seed)
    cases = []
    while len(cases) < count:
        x = random_vector(rng, int(rng.integers(8, 60))).astype(float)
        special = [[], [], [-8.0], [-8.0, 100000.0], [0.1]][rng.integers(5)]
        for value in [*special, None]:
            x[rng.random(x.size) < 0.1] = np.nan if value is None else value
        middle = x.size // 2
        ordinary = ~np.isnan(x) & ~np.isin(x, special)
        if len(np.unique(x[ordinary])) < 2 or not ordinary[middle:].any():
            continue  # R refuses these
        original, synthetic = (
            [None if np.isnan(v) else float(v) for v in part] for part in (x[:middle], x[middle:])
        )
        case = {
            "original": original,
            "synthetic": synthetic,
            "n": float(rng.integers(2, 6)),
            "special": special,
        }
        cases.append({**case, "type": int(rng.integers(1, 10))} if rng.random() < 0.5 else case)
    return cases


def test_levels_and_fallback_are_those_of_synthpop(live_r, tally):
    cases = random_groupings(11, 600)
    wrong, changes = [], 0
    for case, answer in zip(cases, r_answers(live_r, R_GROUPED, cases)):
        x = np.array([np.nan if v is None else v for v in case["original"] + case["synthetic"]])
        ours = group(
            x,
            case["n"],
            special=case["special"],
            **({"type": case["type"]} if "type" in case else {}),
        )
        codes = assign_classes(x, ours.breaks)
        for position, value in enumerate(case["special"], start=len(ours.breaks) - 1):
            codes[x == value] = position
        changes += ours.changed
        if {
            "levels": list(ours.labels),
            "changed": [ours.changed],
            "codes": codes.tolist(),
        } != answer:
            wrong.append(f"{case}: {ours}, R {answer}")
    tally["groupings with special values and fallback compared with group_num"] += len(cases)
    assert not wrong, f"{len(wrong)} differences\n" + "\n".join(wrong[:5])
    assert changes >= 20, "the fallback was hardly tested"
