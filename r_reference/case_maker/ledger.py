"""One or more small cases for every defect of R's package: the input on which R's answer and the
correct one part.
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

K = ["k1", "k2"]


def same(name: str, value: str, n: int) -> Spec:
    return factor(name, [value] * n)


def _disclosure(
    id: str,
    defect: str,
    data: Spec,
    obj: Spec,
    keys: list[str] = K,
    target: str = "t",
    collation: list[str] | None = None,
    **args: object,
) -> Spec:
    extra = {"collation": collation} if collation else {}
    return case(
        f"ledger/{id}",
        "disclosure",
        data=data,
        object=obj,
        args={"keys": keys, "target": target, **{k.replace("__", "."): v for k, v in args.items()}},
        defects=[defect],
        **extra,
    )


def alignment() -> list[Spec]:
    """D1: tables compared by position although their rows or columns are in different orders."""
    twelve = "abcdefghijkl"
    d = frame(
        factor("k1", ["a"] * 12 + ["b"] * 12),
        factor("k2", list(twelve) * 2),
        column("x", "double", list(range(1, 13)) * 2),
    )
    s = rows_of(d, [i for i in range(24) if i % 12 != 4])
    lmh = ["low", "mid", "high"]
    d_levels = frame(factor("k1", ["a", "b", "c"]), same("k2", "z", 3), factor("t", lmh, lmh))
    s_dropped = rows_of(with_column(d_levels, factor("t", lmh, lmh)), [0, 2])
    s_dropped = with_column(s_dropped, factor("t", ["low", "high"], ["low", "high"]))
    s_reordered = with_column(d_levels, factor("t", lmh, ["high", "low", "mid"]))
    numeric_key = frame(column("k", "double", [1, 2, 10, 11, 20]), factor("t", list("xyxyx")))
    upper = frame(
        factor("k1", ["a", "b", "c"]),
        same("k2", "z", 3),
        factor("t", ["A", "B", "a"], ["A", "B", "a"]),
    )
    upper_dropped = with_column(rows_of(upper, [0, 2]), factor("t", ["A", "a"], ["A", "a"]))
    return [
        _disclosure("D1/syn_lacks_a_value", "D1", d, synds(s), target="x", collation=["icu", "C"]),
        _disclosure("D1/orig_lacks_a_value", "D1", s, synds(d), target="x", collation=["icu", "C"]),
        _disclosure("D1/frame_method", "D1", d, plain(s), target="x"),
        _disclosure(
            "D1/each_lacks_one",
            "D1",
            rows_of(d, [i for i in range(24) if i % 12 != 1]),
            synds(s),
            target="x",
        ),
        _disclosure(
            "D1/factor_level_dropped", "D1", d_levels, synds(s_dropped), collation=["icu", "C"]
        ),
        _disclosure(
            "D1/same_levels_other_order", "D1", d_levels, synds(s_reordered), collation=["icu", "C"]
        ),
        _disclosure(
            "D1/single_numeric_key",
            "D1",
            numeric_key,
            synds(rows_of(numeric_key, [0, 2, 3, 4])),
            keys=["k"],
            collation=["icu", "C"],
        ),
        _disclosure("D1/one_of_two_syntheses", "D1", d, synds(d, s), target="x"),
        _disclosure(
            "D1/right_under_C_only", "D1", upper, synds(upper_dropped), collation=["icu", "C"]
        ),
        _disclosure("D1/grouped_is_safe", "D1", d, synds(s), target="x", ngroups_target=3),
    ]


def argument_order() -> list[Spec]:
    """D2, D3: arguments given per key land on other keys."""
    d = frame(
        factor("A", [None, None, "a", "a", "a", "a"]),
        factor("B", ["b", "b", None, None, None, "b"]),
        same("C", "c", 6),
        factor("t", list("123456")),
    )
    numbers = frame(
        column("p", "integer", range(1, 9)),
        column("q", "double", [1, 1, 2, 2, 3, 3, 4, 4]),
        factor("t", list("12345678")),
    )
    orders = [
        ["A", "B", "C"],
        ["A", "C", "B"],
        ["B", "A", "C"],
        ["B", "C", "A"],
        ["C", "A", "B"],
        ["C", "B", "A"],
    ]
    cases = [
        _disclosure(f"D2/{''.join(o)}", "D2", d, synds(d), keys=o, usekeysNA=[k != "A" for k in o])
        for o in orders
    ]
    cases.append(
        case(
            "ledger/D2/multi",
            "multi.disclosure",
            data=d,
            object=synds(d),
            args={"keys": ["B", "A"], "targets": ["t"], "usekeysNA": [False, True]},
            defects=["D2"],
        )
    )
    cases.append(
        _disclosure(
            "D3/disclosure", "D3", numbers, synds(numbers), keys=["q", "p"], ngroups_keys=[0, 4]
        )
    )
    cases.append(
        case(
            "ledger/D3/multi",
            "multi.disclosure",
            data=numbers,
            object=synds(numbers),
            args={"keys": ["q", "p"], "targets": ["t"], "ngroups_keys": [0, 4]},
            defects=["D3"],
        )
    )
    return cases


def missing_values() -> list[Spec]:
    """D4 to D9: NA on one side, NA in columns that are not factors, NA beside a genuine level
    "Missing".
    """
    d4 = frame(factor("k1", list("abab")), same("k2", "z", 4), factor("t", ["x", "y", None, "y"]))
    d4_full = with_column(d4, factor("t", ["x", "y", "x", "y"]))
    d5 = frame(factor("k1", list("abab")), same("k2", "z", 4), column("x", "double", [1, 2, 3, 2]))
    d6 = frame(factor("k1", ["a", "b", None, "b"]), same("k2", "z", 4), factor("t", list("xyxy")))
    s6 = with_column(d6, factor("k1", ["a", "b", "a", "b"]))
    genuine = frame(
        factor("k1", ["NA", "q", None, "q", "A", "NA", None, "q"], ["q", "A", "NA"]),
        same("k2", "z", 8),
        factor("t", list("xyxyxyxy")),
    )
    s_genuine = with_column(
        genuine, factor("k1", ["NA", "q", "q", "q", "z", "NA", "q", "q"], ["q", "z", "NA"])
    )
    often = frame(
        factor("k1", ["NA"] * 6 + [None] * 3 + ["b"] * 3),
        same("k2", "z", 12),
        factor("t", ["x"] * 9 + ["y"] * 3),
    )
    pair = frame(factor("k1", ["a", "b"]), same("k2", "z", 2))
    d7 = [
        with_column(pair, column("t", "character", ["x", None])),
        with_column(pair, column("t", "logical", [True, None])),
        with_column(pair, column("t", "Date", ["2020-01-01", None])),
    ]
    d8 = frame(factor("k1", list("aabb")), same("k2", "z", 4), factor("t", list("xxyy")))
    s8 = with_column(d8, factor("t", [None, None, "y", "y"], ["x", "y"]))
    dates = with_column(
        d8, column("t", "Date", ["2020-01-01", "2020-01-02", "2020-01-03", "2020-01-04"])
    )
    d9 = frame(
        factor("k1", list("1234")), same("k2", "z", 4), factor("t", ["Missing", None, "x", "x"])
    )
    explicit = frame(
        factor("k1", list("ab")), same("k2", "z", 2), factor("t", ["x", None], ["x", None])
    )
    return [
        _disclosure("D4/na_only_in_orig", "D4", d4, plain(d4_full)),
        _disclosure("D4/na_only_in_syn", "D4", d4_full, plain(d4)),
        _disclosure("D4/without_comparison", "D4", d4, plain(d4_full), compare__synorig=False),
        _disclosure("D4/explicit_na_level", "D4", explicit, synds(explicit)),
        case(
            "ledger/D4/multi",
            "multi.disclosure",
            data=d4,
            object=plain(d4_full),
            args={"keys": K, "targets": ["t"]},
            defects=["D4"],
        ),
        _disclosure(
            "D5/double",
            "D5",
            d5,
            plain(with_column(d5, column("x", "double", [None, 2, 3, 2]))),
            target="x",
        ),
        _disclosure("D6/two_keys", "D6", d6, plain(s6), usekeysNA=False),
        _disclosure("D6/one_key", "D6", d6, plain(s6), keys=["k1"], usekeysNA=False),
        _disclosure("D6/genuine_na_two_keys", "D6", genuine, plain(s_genuine), usekeysNA=False),
        _disclosure("D6/genuine_na_one_key", "D6", genuine, plain(s_genuine), keys=["k1"]),
        _disclosure(
            "D6/genuine_na_pairs",
            "D6",
            often,
            plain(with_column(often, factor("k1", ["NA"] * 9 + ["b"] * 3))),
            thresh_2way=[2, 50],
        ),
        *(_disclosure(f"D7/{d['columns'][2]['type']}", "D7", d, synds(d)) for d in d7),
        _disclosure("D8/na_only_in_syn", "D8", d8, synds(s8), usetargetNA=False),
        _disclosure("D8/date_target", "D8", dates, synds(dates), usetargetNA=False),
        _disclosure("D9/genuine_missing_level", "D9", d9, synds(d9), usetargetNA=False),
        _disclosure(
            "D9/no_na_at_all",
            "D9",
            with_column(d9, factor("t", ["Missing", "y", "x", "x"])),
            synds(with_column(d9, factor("t", ["Missing", "y", "x", "x"]))),
            usetargetNA=False,
        ),
    ]


def glued_text() -> list[Spec]:
    """D10 to D12: labels that contain the separators R glues keys with, and a key called `keys`."""
    d10 = frame(factor("k1", ["a", "a | b"]), factor("k2", ["b | c", "c"]), factor("t", ["x", "y"]))
    shifted = frame(
        factor("k1", ["a | b", "c"]), factor("k2", [None, "d"]), factor("t", ["x", "y"])
    )
    single = frame(factor("k1", ["a | b", "c"]), factor("t", ["x", "y"]))
    d11 = frame(
        factor("k1", ["a"] * 6 + ["b"] * 6),
        same("k2", "z", 12),
        factor("t", ["x|1"] * 6 + ["y"] * 6),
    )
    d11_key = frame(
        factor("k1", ["a|1"] * 6 + ["b"] * 6),
        same("k2", "z", 12),
        factor("t", ["x"] * 6 + ["y"] * 6),
    )
    d11_piece = frame(
        factor("k1", ["a|1"] * 6 + ["a"] * 6),
        same("k2", "z", 12),
        factor("t", ["x"] * 6 + ["y"] * 6),
    )
    d12 = frame(factor("keys", list("abab")), factor("k2", list("uuvv")), factor("t", list("xyxy")))
    return [
        _disclosure("D10/merged_keys", "D10", d10, synds(d10)),
        _disclosure(
            "D10/shifted_component", "D10", shifted, synds(shifted), usekeysNA=[True, False]
        ),
        _disclosure(
            "D10/single_key_exclusion",
            "D10",
            single,
            synds(single),
            keys=["k1"],
            exclude__keys=["k1"],
            exclude__keylevs=["a | b"],
            exclude__targetlevs=["x"],
        ),
        _disclosure("D11/target_level", "D11", d11, synds(d11)),
        _disclosure("D11/key_level", "D11", d11_key, synds(d11_key)),
        _disclosure("D11/piece_is_another_level", "D11", d11_piece, synds(d11_piece)),
        _disclosure("D12/second_synthesis", "D12", d12, synds(d12, d12), keys=["keys", "k2"]),
        _disclosure(
            "D12/exclusion_refused",
            "D12",
            d12,
            synds(d12),
            keys=["keys", "k2"],
            exclude__keys=["keys"],
            exclude__keylevs=["a"],
            exclude__targetlevs=["x"],
        ),
    ]


def values_and_levels() -> list[Spec]:
    """D13 to D15: one combination only, unused levels of a single key, one value with two texts."""
    d13 = frame(same("k1", "a", 3), same("k2", "z", 3), factor("t", ["x", "x", "y"]))
    s13 = frame(same("k1", "a", 3), same("k2", "z", 3), factor("t", ["x", "y", "w"]))
    d14 = frame(factor("k", list("abcc")), factor("t", list("xyxy")))
    pair = frame(factor("k1", ["a", "b"]), same("k2", "z", 2))
    whole = with_column(pair, column("x", "integer", [100000, 200000]))
    double = with_column(pair, column("x", "double", [100000, 200000]))
    d_factor = frame(
        factor("k1", ["5", "10"], ["5", "10"]), same("k2", "z", 2), factor("t", ["x", "y"])
    )
    s_number = with_column(d_factor, column("k1", "double", [5, 10]))
    times = frame(
        column("k1", "POSIXct", [1577836800, 1578054600]),
        same("k2", "z", 2),
        factor("t", ["x", "y"]),
    )
    clock = frame(
        factor("k", list("aabb")),
        column("w", "POSIXct", [0, 3600, 0, 3600]),
        factor("t", list("xyzw")),
    )
    return [
        _disclosure("D13/new_target_level", "D13", d13, synds(s13)),
        _disclosure("D14/unused_level", "D14", d14, synds(rows_of(d14, [1, 2, 3])), keys=["k"]),
        _disclosure("D15/integer_and_double", "D15", whole, synds(double), target="x"),
        _disclosure("D15/integer_and_double_frame", "D15", whole, plain(double), target="x"),
        _disclosure("D15/factor_and_number", "D15", d_factor, synds(s_number)),
        _disclosure("D15/times", "D15", times, synds(rows_of(times, [0]))),
        _disclosure(
            "D15/times_to_the_second",
            "D15",
            clock,
            synds(with_column(clock, column("w", "POSIXct", [0, 3661, 0, 3600]))),
            keys=["k", "w"],
        ),
    ]


def exclusions() -> list[Spec]:
    """D16 to D21: what exclusions do to measures, denominators and their own arguments."""
    d16 = frame(
        factor("k1", ["a"] * 6 + ["b", "c", "c"]),
        same("k2", "z", 9),
        factor("t", ["x"] * 5 + ["y", "y", "x", "y"]),
    )
    s16 = frame(
        factor("k1", ["a"] * 3 + ["b", "c", "c"]),
        same("k2", "z", 6),
        factor("t", ["x", "x", "x", "y", "x", "x"]),
    )
    d17 = frame(factor("k1", list("aaabb")), same("k2", "z", 5), factor("t", list("xxyxy")))
    d19 = frame(same("k1", "a", 2), same("k2", "z", 2), same("t", "x", 2))
    nine_one = frame(factor("k1", ["a"] * 9 + ["b"]), same("k2", "z", 10), same("t", "x", 10))
    d20 = frame(factor("k1", list("abab")), same("k2", "z", 4), factor("t", list("xyxy")))
    text20 = with_column(d20, column("k1", "character", list("abab")))
    d21 = frame(factor("k1", ["a", "b"]), same("k2", "z", 2), factor("t", ["x", "y"]))
    cut = {"denom_lim": 1, "exclude_ov_denom_lim": True}
    lengths = {
        "211": (["k1", "k2"], ["a", "z"], ["x"]),
        "112": (["k1"], ["a"], ["x", "y"]),
        "121": (["k1"], ["a", "b"], ["x"]),
        "122": (["k1"], ["a", "b"], ["x", "y"]),
    }
    return [
        _disclosure("D16/tcap", "D16", d16, synds(s16), **cut),
        _disclosure(
            "D16/tcap_and_excluded_level", "D16", d16, synds(s16), not__targetlev="y", **cut
        ),
        _disclosure("D17/before", "D17", d17, synds(d17)),
        _disclosure("D17/after", "D17", d17, synds(d17), not__targetlev="y"),
        _disclosure("D19/synthetic_count_is_7", "D19", d19, synds(rows_of(d19, [0] * 7))),
        _disclosure("D19/mean_over_cells", "D19", nine_one, synds(nine_one)),
        *(
            _disclosure(
                f"D20/lengths_{name}",
                "D20",
                d20,
                synds(d20),
                exclude__keys=k,
                exclude__keylevs=kl,
                exclude__targetlevs=tl,
            )
            for name, (k, kl, tl) in lengths.items()
        ),
        _disclosure(
            "D20/unknown_level",
            "D20",
            d20,
            synds(d20),
            exclude__keys=["k2"],
            exclude__keylevs=["q"],
            exclude__targetlevs=["x"],
        ),
        _disclosure(
            "D20/character_key",
            "D20",
            text20,
            synds(text20),
            exclude__keys=["k1"],
            exclude__keylevs=["a"],
            exclude__targetlevs=["x"],
        ),
        _disclosure("D21/two_levels", "D21", d21, synds(d21), not__targetlev=["x", "y"]),
        _disclosure("D21/empty_first", "D21", d21, synds(d21), not__targetlev=["", "x"]),
        _disclosure("D21/na", "D21", d21, synds(d21), not__targetlev=NA),
    ]


def grouping() -> list[Spec]:
    """D22 to D25, D39, D47: grouping of numbers, special values and levels."""
    d22 = frame(
        same("k1", "a", 10), same("k2", "z", 10), column("x", "double", [*range(1, 10), 1000])
    )
    d23 = frame(same("aa", "a", 10), same("bb", "z", 10), column("x", "double", [0, 1] * 5))
    d24 = frame(same("k1", "a", 20), same("k2", "z", 20), column("x", "integer", range(1, 21)))
    binary = frame(column("x", "double", [90, 95, 100, 105, 1000]))
    counts = frame(factor("a", ["p"] * 4 + ["q"] * 6 + ["r"]))
    return [
        _disclosure("D22/two_groups", "D22", d22, synds(d22), target="x", ngroups_target=2),
        case(
            "ledger/D22/numtocat",
            "numtocat.syn",
            data=d22,
            args={"numtocat": ["x"], "catgroups": 2},
            defects=["D22"],
        ),
        _disclosure(
            "D23/binary",
            "D23",
            d23,
            synds(d23, d23),
            keys=["aa", "bb"],
            target="x",
            ngroups_target=5,
        ),
        _disclosure(
            "D24/unequal_lengths",
            "D24",
            d24,
            synds(d24, rows_of(d24, range(10))),
            target="x",
            ngroups_target=4,
        ),
        _disclosure(
            "D25/absent_special_value",
            "D25",
            d24,
            synds(d24, cont_na={"x": [-8, 5]}),
            target="x",
            ngroups_target=4,
        ),
        _disclosure(
            "D25/last_value_absent",
            "D25",
            d24,
            synds(d24, cont_na={"x": [5, -8]}),
            target="x",
            ngroups_target=4,
        ),
        case(
            "ledger/D47/newlabel",
            "mergelevels.syn",
            data=counts,
            args={"minsize": 4, "newlabel": True},
            defects=["D47"],
        ),
        case(
            "ledger/D39/level_order",
            "numtocat.syn",
            data=binary,
            args={"catgroups": 3},
            defects=["D39"],
        ),
    ]


def containers() -> list[Spec]:
    """D26 to D28: tibbles, column names, lists."""
    d26 = frame(
        factor("k1", ["a", "b"] * 6),
        factor("k2", list("123") * 4),
        column("x", "integer", list(range(1, 7)) * 2),
    )
    d26_t = with_column(d26, factor("t", [str(v > 3).upper() for v in list(range(1, 7)) * 2]))
    tibble, tibble_t = {**d26, "tibble": True}, {**d26_t, "tibble": True}
    d27 = frame(factor("k-1", ["a", "b"]), same("k2", "z", 2), factor("t", ["x", "y"]))
    d28 = frame(factor("k1", ["a", "b"]), factor("k2", ["u", "z"]), factor("t", ["x", "y"]))
    multi = {"keys": K, "targets": ["t"]}
    return [
        _disclosure("D26/numeric_target", "D26", d26, plain(tibble), target="x"),
        _disclosure("D26/factor_target", "D26", d26_t, plain(tibble_t)),
        _disclosure("D26/original_only", "D26", tibble_t, plain(d26_t)),
        _disclosure("D27/hyphen", "D27", d27, synds(d27), keys=["k-1", "k2"]),
        _disclosure("D27/by_position", "D27", d27, synds(d27), keys=[1, 2]),
        case(
            "ledger/D28/multi_list",
            "multi.disclosure",
            data=d28,
            object=plain(d28, d28),
            args=multi,
            defects=["D28"],
        ),
        _disclosure("D28/named_list_of_one", "D28", d28, plain(d28, names=["a"])),
        _disclosure("D28/list_of_two", "D28", d28, plain(d28, d28)),
        _disclosure(
            "D28/second_never_checked",
            "D28",
            d28,
            plain(d28, with_column(d28, factor("t", ["y", "w"]))),
        ),
        _disclosure(
            "D28/second_dropped", "D28", d28, plain(with_column(d28, factor("t", ["x", "w"])), d28)
        ),
    ]


def summaries() -> list[Spec]:
    """D29 to D32, D35: what `multi.disclosure` makes of several syntheses, pairs and exclusions."""
    d29 = frame(
        factor("k1", [str(i) for i in range(1, 41)]),
        same("k2", "z", 40),
        factor("t", ["x"] * 20 + ["y"] * 20),
    )
    d30 = frame(
        factor("k1", ["1"] * 6 + ["2"] * 6 + ["3"] * 6),
        same("k2", "z", 18),
        factor("t", ["1"] * 6 + ["2"] * 6 + ["3"] * 6),
    )
    d32 = frame(
        factor("k1", ["Y"] * 6 + ["N"] * 4), same("k2", "z", 10), factor("t", ["Y"] * 5 + ["N"] * 5)
    )
    d35 = frame(
        factor("k1", ["a"] * 60 + ["b"] * 60),
        same("k2", "z", 120),
        factor("t", ["a"] * 60 + ["b"] * 60),
    )
    only_a, only_b, none = (
        rows_of(d35, range(60)),
        rows_of(d35, range(60, 120)),
        with_column(d35, factor("t", ["a", "b"] * 60)),
    )

    def multi(id: str, defect: str, data: Spec, obj: Spec, **args: object) -> Spec:
        return case(
            f"ledger/{id}",
            "multi.disclosure",
            data=data,
            object=obj,
            args={
                "keys": K,
                "targets": ["t"],
                **{k.replace("__", "."): v for k, v in args.items()},
            },
            defects=[defect],
        )

    exclude = {"exclude__keys": r_list(["k1"]), "exclude__targetlevs": r_list(["Y"])}
    return [
        multi("D29/repU_of_the_first", "D29", d29, synds(d29, rows_of(d29, range(4)))),
        multi("D30/three_pairs", "D30", d30, synds(d30)),
        multi("D31/DiSDiO", "D31", d30, synds(d30), attrib__meas="DiSDiO"),
        multi("D31/UiSiO", "D31", d30, synds(d30), ident__meas="UiSiO"),
        multi("D31/baseCAPd", "D31", d30, synds(d30), ident__meas="baseCAPd"),
        multi("D42/DCAP", "D42", d30, synds(d30), attrib__meas="DCAP"),
        multi("D32/overwritten", "D32", d32, synds(d32), exclude__keylevs=r_list(["N"]), **exclude),
        multi("D32/dropped", "D32", d32, plain(d32), exclude__keylevs=r_list(["Y"]), **exclude),
        _disclosure("D35/three_syntheses", "D35", d35, synds(only_b, only_a, none)),
    ]


def uniques() -> list[Spec]:
    """D36 to D38: replicated uniques and what `sdc` removes."""
    d36 = frame(factor("a", list("pqp")), column("n", "double", [1, 2, 100]))
    d37 = frame(factor("a", list("pqrr")), column("b", "double", [1, 1, 1, 1]))
    s37 = frame(factor("a", list("pqqr")), column("b", "double", [1, 1, 1, 1]))
    d38 = frame(factor("a", ["x|y", "x"]), factor("b", ["z", "y|z"]))

    def run(id: str, defect: str, call: str, data: Spec, obj: Spec, **args: object) -> Spec:
        return case(
            f"ledger/{id}",
            call,
            data=data,
            object=obj,
            args={k.replace("__", "."): v for k, v in args.items()},
            defects=[defect],
        )

    return [
        run(
            "D36/padding",
            "D36",
            "replicated.uniques",
            d36,
            synds(with_column(d36, column("n", "double", [1, 2, 3]))),
        ),
        run("D37/one_key", "D37", "replicated.uniques", d37, synds(s37), keys=["a"]),
        run(
            "D37/one_key_two_syntheses",
            "D37",
            "replicated.uniques",
            d37,
            synds(s37, s37),
            keys=["a"],
        ),
        run("D37/sdc", "D37", "sdc", d37, synds(s37), keys=["a"], rm__replicated__uniques=True),
        run("D38/collision", "D38", "replicated.uniques", d38, synds(d38)),
        run("D38/unequal_m", "D38", "replicated.uniques", d37, synds(s37, rows_of(s37, [0, 1]))),
    ]


def collation() -> list[Spec]:
    """D40: ties are reported in the order of the collation R runs under."""
    d = frame(
        factor("k1", ["u"] * 6 + ["v"] * 6),
        same("k2", "z", 12),
        column("t", "character", ["a"] * 6 + ["B"] * 6),
    )
    return [
        _disclosure(
            "D40/tied_level", "D40", d, synds(d), thresh_1way=[1, 10], collation=["icu", "C"]
        ),
        _disclosure(
            "D40/tied_pairs", "D40", d, synds(d), thresh_2way=[1, 10], collation=["icu", "C"]
        ),
    ]


def denominators() -> list[Spec]:
    """D43 and D44 (new in 1.9-3): labels of attrib_denoms, and original counts divided by synthetic
    ones.
    """
    d = frame(factor("k1", list("aabbcd")), same("k2", "z", 6), factor("t", list("xxyyxy")))
    smaller, larger = rows_of(d, [0, 2]), rows_of(d, [0, 0, 0, 2, 2, 4, 5, 5])
    apart = with_column(d, factor("k1", list("eeeffg")))
    partly = with_column(d, factor("k1", list("aabgge")))
    return [
        _disclosure("D43/labels", "D43", d, synds(partly)),
        _disclosure("D44/larger_synthesis", "D44", d, synds(larger)),
        _disclosure("D44/smaller_synthesis", "D44", d, synds(smaller)),
        _disclosure("D44/nothing_in_common", "D44", d, synds(apart)),
    ]


def after_exclusions() -> list[Spec]:
    """D45: what is certain, decided again after exclusions. D46: a share that is exactly the
    threshold of check_1way.
    """
    d45 = frame(factor("k1", list("aabb")), same("k2", "z", 4), factor("t", list("xyxx")))
    d46 = frame(
        factor("k1", ["a"] * 11 + ["b"] * 9),
        same("k2", "z", 20),
        factor("t", ["x"] * 11 + ["y"] * 9),
    )
    return [
        _disclosure("D45/certain_again", "D45", d45, synds(d45), not__targetlev="y"),
        _disclosure("D46/eleven_of_twenty", "D46", d46, synds(d46), thresh_1way=[10, 55]),
    ]


def cases() -> list[Spec]:
    small = [
        c
        for part in (
            alignment,
            argument_order,
            missing_values,
            glued_text,
            values_and_levels,
            exclusions,
            grouping,
            containers,
            summaries,
            uniques,
            collation,
            denominators,
            after_exclusions,
        )
        for c in part()
    ]
    full_size = [
        case(
            "ledger/D16/paper_example",
            "disclosure",
            data=sd2011(),
            object=recorded("SD2011_s1"),
            args={
                "keys": PAPER_KEYS,
                "target": "workab",
                "denom_lim": 1,
                "exclude_ov_denom_lim": True,
            },
            defects=["D16"],
        ),
        case(
            "ledger/D29/paper_example",
            "multi.disclosure",
            data=sd2011(),
            object=recorded("SD2011_s5"),
            args={"keys": PAPER_KEYS, "targets": ["depress", "workab"]},
            defects=["D29"],
        ),
        case(
            "ledger/D39/income",
            "numtocat.syn",
            data=sd2011(["income"]),
            args={"numtocat": ["income"], "cont.na": named(income=[-8]), "catgroups": 5},
            defects=["D39"],
        ),
    ]
    return small + full_size
