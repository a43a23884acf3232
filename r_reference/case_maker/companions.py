"""Cases for the functions around `disclosure()`: replicated.uniques, sdc, numtocat.syn,
mergelevels.syn, synorig.compare.
"""

from __future__ import annotations

from .specs import (
    NA,
    PAPER_KEYS,
    Spec,
    case,
    column,
    factor,
    frame,
    named,
    plain,
    r_list,
    recorded,
    rows_of,
    sd2011,
    synds,
    with_column,
)

SMALL = frame(
    factor("a", ["p", "q", "p", "r", "q", "p", "s", "s"]),
    factor("b", ["u", "v", "u", None, "v", "w", "u", "v"]),
    column("x", "double", [1, 2, 3, 40, 5, 6, 70, -8]),
    column("n", "integer", [3, 1, 2, 2, 3, 1, 2, 3]),
)
SMALL_SYN = frame(
    factor("a", ["p", "q", "q", "r", "s", "p", "p", "s"]),
    factor("b", ["u", "v", None, None, "v", "w", "w", "u"]),
    column("x", "double", [1, 2, 5, 41, 5, 6, 7, -8]),
    column("n", "integer", [3, 1, 2, 1, 3, 1, 2, 2]),
)


def _run(id: str, call: str, data: Spec, object: Spec | None = None, **args: object) -> Spec:
    return case(
        f"companions/{call}/{id}",
        call,
        data=data,
        object=object,
        args={k.replace("__", "."): v for k, v in args.items()},
    )


def uniques_cases() -> list[Spec]:
    paper, s1, s5 = sd2011(), recorded("SD2011_s1"), recorded("SD2011_s5")
    call = "replicated.uniques"
    return [
        _run("paper_s1", call, paper, s1, keys=PAPER_KEYS),
        _run("paper_s5", call, paper, s5, keys=PAPER_KEYS),
        _run("all_variables", call, paper, s1),
        _run("factors", call, paper, s1, keys=["sex", "region", "placesize", "marital"]),
        _run("small_factors", call, SMALL, synds(SMALL_SYN), keys=["a", "b"]),
        _run("small_two_sets", call, SMALL, synds(SMALL_SYN, SMALL), keys=["a", "b"]),
        _run("small_integers", call, SMALL, synds(SMALL_SYN), keys=["n", "x"]),
        _run(
            "smaller_synthesis", call, SMALL, synds(rows_of(SMALL_SYN, range(5))), keys=["a", "b"]
        ),
        _run("unknown_key", call, SMALL, synds(SMALL_SYN), keys=["a", "zz"]),
        _run("not_a_synds", call, SMALL, plain(SMALL_SYN), keys=["a", "b"]),
    ]


def sdc_cases() -> list[Spec]:
    paper, s1, s5 = sd2011(), recorded("SD2011_s1"), recorded("SD2011_s5")
    one, two = synds(SMALL_SYN, cont_na={"x": [-8]}), synds(SMALL_SYN, SMALL, cont_na={"x": [-8]})
    keys = {"keys": ["a", "b"]}
    cases = [
        _run("paper_replicated", "sdc", paper, s1, keys=PAPER_KEYS, rm__replicated__uniques=True),
        _run("paper_uniques", "sdc", paper, s1, keys=PAPER_KEYS, rm__uniques__in__orig=True),
        _run(
            "paper_replicated_s5", "sdc", paper, s5, keys=PAPER_KEYS, rm__replicated__uniques=True
        ),
        _run(
            "paper_recode",
            "sdc",
            paper,
            s1,
            recode__vars=["age", "income"],
            bottom__top__coding=r_list([20, 80], [None, 2000]),
            recode__exclude=r_list(NA, [None, -8]),
        ),
        _run("paper_smooth", "sdc", paper, s1, smooth__vars=["age", "income"]),
        _run("paper_label", "sdc", paper, s1, label="FAKE", prefix="S_", suffix="_x"),
    ]
    for name, obj in {"one": one, "two": two}.items():
        cases += [
            _run(f"{name}/replicated", "sdc", SMALL, obj, rm__replicated__uniques=True, **keys),
            _run(f"{name}/uniques", "sdc", SMALL, obj, rm__uniques__in__orig=True, **keys),
            _run(
                f"{name}/both",
                "sdc",
                SMALL,
                obj,
                rm__uniques__in__orig=True,
                rm__replicated__uniques=True,
                **keys,
            ),
            _run(
                f"{name}/recode", "sdc", SMALL, obj, recode__vars=["x"], bottom__top__coding=[2, 50]
            ),
            _run(
                f"{name}/recode_exclude",
                "sdc",
                SMALL,
                obj,
                recode__vars=["x", "n"],
                bottom__top__coding=r_list([0, 6], [2, None]),
                recode__exclude=r_list([-8], NA),
            ),
            _run(f"{name}/smooth", "sdc", SMALL, obj, smooth__vars=["x"]),
            _run(f"{name}/label", "sdc", SMALL, obj, label="FAKE", prefix="p.", suffix=".s"),
            _run(
                f"{name}/recode_then_remove",
                "sdc",
                SMALL,
                obj,
                keys=["a", "x"],
                recode__vars=["x"],
                bottom__top__coding=[5, 40],
                rm__replicated__uniques=True,
            ),
        ]
    return [
        *cases,
        _run("refused_keys", "sdc", SMALL, one, keys=["zz"], rm__replicated__uniques=True),
        _run("refused_smooth_absent", "sdc", SMALL, one, smooth__vars=["zz"]),
        _run("refused_smooth_factor", "sdc", SMALL, one, smooth__vars=["a", "x"]),
        _run(
            "refused_coding_length",
            "sdc",
            SMALL,
            one,
            recode__vars=["x", "n"],
            bottom__top__coding=[1, 2],
        ),
        _run(
            "refused_exclude_length",
            "sdc",
            SMALL,
            one,
            recode__vars=["x"],
            bottom__top__coding=[1, 2],
            recode__exclude=r_list([-8], [1]),
        ),
        _run(
            "refused_recode_absent",
            "sdc",
            SMALL,
            one,
            recode__vars=["zz"],
            bottom__top__coding=[1, 2],
        ),
    ]


def numtocat_cases() -> list[Spec]:
    call = "numtocat.syn"
    numbers = sd2011(["age", "income", "depress", "sex"])
    return [
        _run("defaults", call, numbers),
        _run("one", call, numbers, numtocat=["age"]),
        _run("positions", call, numbers, numtocat=[1, 3]),
        _run("special_value", call, numbers, numtocat=["income"], cont__na=named(income=[-8])),
        _run("groups", call, numbers, numtocat=["age", "depress"], catgroups=[3, 7]),
        _run("equal", call, numbers, numtocat=["age", "depress"], style__groups="equal"),
        _run("small", call, SMALL, numtocat=["x", "n"], catgroups=3, cont__na=named(x=[-8])),
        _run("more_groups_than_values", call, SMALL, numtocat=["n"], catgroups=8),
        _run(
            "missing",
            call,
            with_column(SMALL, column("x", "double", [1, None, 3, 40, None, 6, 70, -8])),
            numtocat=["x"],
            catgroups=3,
        ),
        _run("refused_absent", call, SMALL, numtocat=["zz"]),
        _run("refused_position", call, SMALL, numtocat=[9]),
        _run("refused_factor", call, SMALL, numtocat=["a"]),
        _run("refused_groups_length", call, SMALL, numtocat=["x", "n"], catgroups=[2, 3, 4]),
        _run("refused_one_group", call, SMALL, numtocat=["x"], catgroups=1),
        _run("refused_cont.na", call, SMALL, numtocat=["x"], cont__na=[-8]),
        _run("refused_cont.na_name", call, SMALL, numtocat=["x"], cont__na=named(n=[2])),
    ]


def mergelevels_cases() -> list[Spec]:
    call = "mergelevels.syn"
    factors = sd2011(["sex", "region", "marital", "edu", "ls"])
    small = frame(
        factor("a", ["p"] * 6 + ["q"] * 5 + ["r", "r", "s"]), factor("b", ["u"] * 12 + ["v", None])
    )
    return [
        _run("defaults", call, factors),
        _run("minsize", call, factors, minsize=200),
        _run("vars", call, factors, vars=["marital"], minsize=300, newlabel=True),
        _run("small", call, small, minsize=3),
        _run("small_newlabel", call, small, minsize=3, newlabel=True),
        _run("small_addNA", call, small, minsize=3, addNA=True),
        _run(
            "by_hand", call, small, merge__byhand=True, merge__details=named(a=["r_or_s", "r", "s"])
        ),
        _run("refused_absent", call, small, vars=["zz"]),
        _run("refused_not_factor", call, SMALL, vars=["x"]),
        _run("refused_no_details", call, small, merge__byhand=True),
    ]


def compare_cases() -> list[Spec]:
    call = "synorig.compare"
    base = frame(
        factor("f", list("abca")),
        column("x", "double", [1, 2, 3, 4]),
        column("i", "integer", [1, 2, 3, 4]),
        column("c", "character", list("uvwu")),
        column("l", "logical", [True, False, True, True]),
    )
    d = rows_of(base, range(4))

    def versus(id: str, syn: Spec, orig: Spec = d) -> Spec:
        return _run(id, call, orig, plain(syn))

    only_factors = frame(factor("f", list("abca")), factor("g", list("xyxy")))
    return [
        versus("same", only_factors, only_factors),
        versus("characters", d),
        versus(
            "extra_variable", with_column(only_factors, factor("h", list("abab"))), only_factors
        ),
        versus("fewer_variables", frame(factor("f", list("abca"))), only_factors),
        versus("integer_to_double", with_column(d, column("x", "integer", [1, 2, 3, 4]))),
        versus("double_to_integer", with_column(d, column("i", "double", [1, 2, 3, 4]))),
        versus("number_to_factor", with_column(d, factor("x", ["1", "2", "3", "4"]))),
        versus("factor_to_number", with_column(d, column("f", "double", [1, 2, 3, 4]))),
        versus(
            "na_only_in_syn",
            with_column(only_factors, factor("f", ["a", "b", "c", None])),
            only_factors,
        ),
        versus(
            "na_only_in_orig",
            only_factors,
            with_column(only_factors, factor("f", ["a", "b", "c", None])),
        ),
        versus(
            "levels_differ",
            with_column(only_factors, factor("f", ["a", "b", "d", "a"])),
            only_factors,
        ),
        versus(
            "levels_reordered",
            with_column(only_factors, factor("f", list("abca"), ["c", "b", "a"])),
            only_factors,
        ),
        versus(
            "levels_extra",
            with_column(only_factors, factor("f", list("abca"), ["a", "b", "c", "d"])),
            only_factors,
        ),
        versus(
            "ordered_and_factor",
            with_column(only_factors, factor("f", list("abca"), ordered=True)),
            only_factors,
        ),
        versus(
            "logical_and_factor", with_column(d, factor("l", ["TRUE", "FALSE", "TRUE", "TRUE"]))
        ),
        versus("na_number_only_in_syn", with_column(d, column("x", "double", [1, None, 3, 4]))),
        versus(
            "explicit_na_both",
            with_column(only_factors, factor("f", ["a", None, "c", "a"], ["a", "c", None])),
            with_column(only_factors, factor("f", ["a", None, "b", "a"], ["a", "b", None])),
        ),
        _run("paper", call, sd2011(), recorded("SD2011_s1", "frame")),
    ]


def cases() -> list[Spec]:
    return uniques_cases() + sdc_cases() + numtocat_cases() + mergelevels_cases() + compare_cases()
