"""Every parameter of `disclosure()` and `multi.disclosure()`: alone on each data set, and in pairs
on the paper's example.
"""

from __future__ import annotations

from itertools import combinations

from .specs import (
    ADULT_KEYS,
    NA,
    PAPER_KEYS,
    PAPER_TARGETS,
    Spec,
    case,
    named,
    r_list,
    recorded,
    sd2011,
)

Settings = dict[str, Spec]

# Settings that make sense for the numeric target depress (0 to 21, with missing values).
DISCLOSURE: Settings = {
    "denom_lim": {"denom_lim": 2, "exclude_ov_denom_lim": True},
    "not.targetlev": {"not.targetlev": "0"},
    "usetargetNA": {"usetargetNA": False},
    "usekeysNA": {"usekeysNA": [False, True, False, True]},
    "exclude": {
        "exclude.keys": ["sex", "region"],
        "exclude.keylevs": ["FEMALE", "Mazowieckie"],
        "exclude.targetlevs": ["0", "4"],
    },
    "ngroups_target": {"ngroups_target": 6},
    "ngroups_keys": {"ngroups_keys": [0, 8, 0, 0]},
    "thresh_1way": {"thresh_1way": [10, 20]},
    "thresh_2way": {"thresh_2way": [1, 30]},
    "digits": {"digits": 4},
    "to.print": {"to.print": ["ident", "attrib"]},
    "print.flag": {"print.flag": False},
    "style": {"ngroups_target": 4, "style": "equal"},
}

SINGLE_VALUES: Settings = {
    "denom_lim=1": {"denom_lim": 1, "exclude_ov_denom_lim": True},
    "denom_lim=10": {"denom_lim": 10, "exclude_ov_denom_lim": True},
    "denom_lim_alone": {"denom_lim": 1},
    "denom_lim=NULL": {"denom_lim": None, "exclude_ov_denom_lim": False},
    "not.targetlev=none": {"not.targetlev": ""},
    "not.targetlev=absent": {"not.targetlev": "no such level"},
    "not.targetlev=number": {"not.targetlev": 3},
    "usekeysNA=FALSE": {"usekeysNA": False},
    "exclude=one": {
        "exclude.keys": ["sex"],
        "exclude.keylevs": ["MALE"],
        "exclude.targetlevs": ["1"],
    },
    "exclude=missing": {
        "exclude.keys": ["sex"],
        "exclude.keylevs": ["MALE"],
        "exclude.targetlevs": ["Missing"],
    },
    "ngroups_target=2": {"ngroups_target": 2},
    "ngroups_target=20": {"ngroups_target": 20},
    "ngroups_target=100": {"ngroups_target": 100},
    "ngroups_target=0": {"ngroups_target": 0},
    "ngroups_keys=5": {"ngroups_keys": 5},
    "style=sd": {"ngroups_target": 5, "style": "sd"},
    "style=pretty": {"ngroups_target": 5, "style": "pretty"},
    "style=fixed": {"ngroups_target": 3, "style": "fixed", "fixedBreaks": [0, 3, 6, 30]},
    "quantile_type=6": {"ngroups_target": 5, "style": "quantile", "type": 6},
    "keys=positions": {"keys": [1, 2, 3, 4]},
    "keys=reordered": {"keys": ["placesize", "region", "age", "sex"]},
    "keys=one": {"keys": ["age"]},
    "keys=one_factor": {"keys": ["region"]},
    "keys=two": {"keys": ["age", "region"]},
    "keys=five": {"keys": [*PAPER_KEYS, "marital"]},
    "keys_with_missing": {"keys": ["sex", "ls", "marital"], "usekeysNA": [True, False, False]},
    "target=position": {"target": 5},
    "thresh_1way=low": {"thresh_1way": [0, 0]},
    "thresh_2way=low": {"thresh_2way": [0, 0]},
}

ADULT: Settings = {
    "base": {},
    "denom_lim": {"denom_lim": 1, "exclude_ov_denom_lim": True},
    "usetargetNA": {"usetargetNA": False},
    "usekeysNA": {"usekeysNA": False},
    "not.targetlev": {"not.targetlev": "Private"},
    "exclude": {
        "exclude.keys": ["occupation"],
        "exclude.keylevs": ["Missing"],
        "exclude.targetlevs": ["Missing"],
    },
    "ngroups_keys": {"ngroups_keys": [10, 0, 0, 0]},
    "thresh_1way": {"thresh_1way": [50, 40]},
    "thresh_2way": {"thresh_2way": [2, 60]},
}

ADULT_TABLE_TARGETS = [
    "capital.gain",
    "capital.loss",
    "education",
    "fnlwgt",
    "hours.per.week",
    "income",
    "marital.status",
    "native.country",
    "relationship",
    "workclass",
]
ADULT_TABLE_LEVELS = {"capital.gain": "0", "capital.loss": "0", "native.country": "United-States"}


def _paper(
    id: str, synthesis: str, target: str, args: Spec, kind: str = "synds", **more: object
) -> Spec:
    return case(
        f"paper/{id}",
        "disclosure",
        data=sd2011(),
        object=recorded(synthesis, kind),
        args={"keys": PAPER_KEYS, "target": target, **args},
        **more,
    )


def paper_cases() -> list[Spec]:
    cases = [_paper(f"{s}/{t}", f"SD2011_{s}", t, {}) for s in ("s1", "s5") for t in PAPER_TARGETS]
    cases += [
        _paper(
            f"s1_denom_lim_1/{t}", "SD2011_s1", t, {"denom_lim": 1, "exclude_ov_denom_lim": True}
        )
        for t in PAPER_TARGETS
    ]
    cases += [
        _paper(f"printed/{p}", "SD2011_s5", "depress", {}, print={"to.print": [p]})
        for p in ("short", "ident", "attrib", "allCAPs", "all", "exclusions")
    ]
    cases += [
        _paper("printed/check_1way", "SD2011_s1", "workab", {}, print={"to.print": ["check_1way"]}),
        _paper(
            "printed/check_2way", "SD2011_s1", "marital", {}, print={"to.print": ["check_2way"]}
        ),
        _paper(
            "printed/digits",
            "SD2011_s1",
            "marital",
            {"digits": 3},
            print={"to.print": ["ident", "attrib", "allCAPs"], "digits": 1},
        ),
        _paper("frame/s1", "SD2011_s1", "depress", {}, kind="frame"),
        _paper(
            "frame/s1_cont.na",
            "SD2011_s1",
            "income",
            {"cont.na": named(income=[-8]), "ngroups_target": 20},
            kind="frame",
        ),
        _paper(
            "frame/s1_unchecked", "SD2011_s1", "marital", {"compare.synorig": False}, kind="frame"
        ),
        _paper("list/s5", "SD2011_s5", "marital", {}, kind="list"),
        _paper("list/s5_unchecked", "SD2011_s5", "ls", {"compare.synorig": False}, kind="list"),
    ]
    multi = {"keys": PAPER_KEYS}
    cases += [
        case(
            "paper/summary",
            "multi.disclosure",
            data=sd2011(),
            object=recorded("SD2011_s1"),
            args={**multi, "ngroups_targets": [0, 20, 0, 0, 0]},
            print={"plot": False},
        ),
        case(
            "paper/summary_denom_lim_1",
            "multi.disclosure",
            data=sd2011(),
            object=recorded("SD2011_s1"),
            args={**multi, "denom_lim": 1, "exclude_ov_denom_lim": True},
            print={"plot": False},
        ),
        case(
            "ledger/D33/digits_ignored",
            "multi.disclosure",
            data=sd2011(),
            object=recorded("SD2011_s1"),
            args={**multi, "targets": ["marital", "workab"]},
            print={"plot": False, "digits": 5},
            defects=["D33"],
        ),
        case(
            "ledger/D34/flagged_printed",
            "disclosure",
            data=sd2011(),
            object=recorded("SD2011_s1"),
            args={"keys": PAPER_KEYS, "target": "marital"},
            print={"to.print": ["check_1way", "check_2way", "exclusions"]},
            defects=["D34"],
        ),
    ]
    return cases


def single_cases() -> list[Spec]:
    settings = {**DISCLOSURE, **SINGLE_VALUES}
    cases = [
        _paper(f"alone/s1/{name}", "SD2011_s1", "depress", args) for name, args in settings.items()
    ]
    cases += [
        _paper(f"alone/s5/{name}", "SD2011_s5", "depress", args)
        for name, args in DISCLOSURE.items()
    ]
    cases += [
        _paper(f"alone/{t}/{name}", "SD2011_s1", t, args)
        for t, args_by_name in OTHER_TARGETS.items()
        for name, args in args_by_name.items()
    ]
    for synthesis in ("SD2011_sample", "SD2011_parametric", "SD2011_ctree"):
        cases += [_paper(f"{synthesis}/{t}", synthesis, t, {}) for t in ("depress", "marital")]
    return cases


OTHER_TARGETS: dict[str, Settings] = {
    "workab": {
        "not.targetlev": {"not.targetlev": "NO"},
        "exclude": {
            "exclude.keys": ["age"],
            "exclude.keylevs": ["57"],
            "exclude.targetlevs": ["NO"],
        },
    },
    "marital": {
        "not.targetlev": {"not.targetlev": "SINGLE"},
        "usetargetNA": {"usetargetNA": False},
        "thresh_2way": {"thresh_2way": [2, 70]},
    },
    "income": {
        "ngroups_target": {"ngroups_target": 20},
        "special_value": {"not.targetlev": "-8", "ngroups_target": 10},
    },
    "ls": {"usetargetNA": {"usetargetNA": False}, "thresh_1way": {"thresh_1way": [20, 30]}},
}


def pair_cases() -> list[Spec]:
    cases = [
        _paper(f"pairs/{a}+{b}", "SD2011_s1", "depress", {**DISCLOSURE[a], **DISCLOSURE[b]})
        for a, b in combinations(DISCLOSURE, 2)
    ]
    cases += [
        _paper(
            f"frame_pairs/{a}+{b}",
            "SD2011_s1",
            "depress",
            {**FRAME_ONLY[a], **DISCLOSURE[b]},
            kind="frame",
        )
        for a in FRAME_ONLY
        for b in DISCLOSURE
    ]
    return [
        *cases,
        _paper(
            "frame_pairs/compare.synorig+cont.na",
            "SD2011_s1",
            "depress",
            {**FRAME_ONLY["compare.synorig"], **FRAME_ONLY["cont.na"]},
            kind="frame",
        ),
    ]


MULTI_KEYS = ["sex", "age", "region", "marital"]
MULTI_TARGETS = ["depress", "ls"]

# Both targets and one key have missing values. R overwrites exclude.keylevs by exclude.targetlevs
# (D32), so it answers only where the target's level, "Missing", is a level of the key as well.
MULTI: Settings = {
    "denom_lim": {"denom_lim": 2, "exclude_ov_denom_lim": True},
    "not.targetslev": {"not.targetslev": ["0", "PLEASED"]},
    "usetargetsNA": {"usetargetsNA": [False, True]},
    "usekeysNA": {"usekeysNA": [False, True, True, False]},
    "exclude": {
        "exclude.keys": r_list(["marital"], ["marital"]),
        "exclude.keylevs": r_list(["SINGLE"], ["MARRIED"]),
        "exclude.targetlevs": r_list(["Missing"], ["Missing"]),
    },
    "ngroups_targets": {"ngroups_targets": [5, 0]},
    "ngroups_keys": {"ngroups_keys": [0, 6, 0, 0]},
    "ident.meas": {"ident.meas": "UiSiO"},
    "attrib.meas": {"attrib.meas": "DiSDiO"},
    "thresh_1way": {"thresh_1way": [10, 20]},
    "thresh_2way": {"thresh_2way": [1, 30]},
    "digits": {"digits": 4},
}

MULTI_SINGLE_VALUES: Settings = {
    "targets=positions": {"targets": [5, 9]},
    "targets=reordered": {"targets": ["workab", "ls", "depress"]},
    "attrib.meas=DCAP": {"attrib.meas": "DCAP"},
    "ident.meas=baseCAPd": {"ident.meas": "baseCAPd"},
    "usekeysNA=NULL": {"usekeysNA": None},
    "keys=reordered": {"keys": ["marital", "sex", "age", "region"]},
    "keys=one": {"keys": ["age"]},
    "keys=duplicated": {"keys": ["age", "age", "sex"]},
    "usetargetsNA=FALSE": {"usetargetsNA": False},
    "exclude=vectors": {
        "exclude.keys": ["marital", "marital"],
        "exclude.keylevs": ["SINGLE", "MARRIED"],
        "exclude.targetlevs": ["Missing", "Missing"],
    },
    "exclude=refused": {
        "exclude.keys": r_list(["sex"], ["sex"]),
        "exclude.keylevs": r_list(["FEMALE"], ["MALE"]),
        "exclude.targetlevs": r_list(["0"], ["PLEASED"]),
    },
    "plot=FALSE": {"plot": False},
}


# What only plain data frames have: without the comparison, and with special values given in the
# call.
FRAME_ONLY: Settings = {
    "compare.synorig": {"compare.synorig": False},
    "cont.na": {"cont.na": named(depress=[0])},
}


def multi_cases() -> list[Spec]:
    base: Spec = {"keys": MULTI_KEYS, "targets": MULTI_TARGETS}

    def build(id: str, synthesis: str, args: Spec, kind: str = "synds") -> Spec:
        return case(
            f"multi/{id}",
            "multi.disclosure",
            data=sd2011(),
            object=recorded(synthesis, kind),
            args={**base, **args},
        )

    cases = [
        build("base", "SD2011_s1", {}),
        build("base_s5", "SD2011_s5", {}),
        build("frame", "SD2011_s1", {}, "frame"),
    ]
    cases += [
        build(
            "frame_unchecked", "SD2011_s1", {"compare.synorig": False, "print.flag": False}, "frame"
        ),
        build(
            "frame_cont.na",
            "SD2011_s1",
            {"targets": ["income"], "cont.na": named(income=[-8]), "ngroups_targets": 10},
            "frame",
        ),
        build("paper_keys", "SD2011_s1", {"keys": PAPER_KEYS, "targets": ["depress", "workab"]}),
    ]
    cases += [
        build(f"s5/{name}", "SD2011_s5", MULTI[name])
        for name in ("denom_lim", "usekeysNA", "thresh_2way")
    ]
    cases += [
        build(f"alone/{name}", "SD2011_s1", args)
        for name, args in {**MULTI, **MULTI_SINGLE_VALUES}.items()
    ]
    cases += [
        build(f"pairs/{a}+{b}", "SD2011_s1", {**MULTI[a], **MULTI[b]})
        for a, b in combinations(MULTI, 2)
    ]
    cases += [
        build(f"frame_pairs/{a}+{b}", "SD2011_s1", {**FRAME_ONLY[a], **MULTI[b]}, "frame")
        for a in FRAME_ONLY
        for b in MULTI
    ]
    cases.append(
        build(
            "frame_pairs/compare.synorig+cont.na",
            "SD2011_s1",
            {**FRAME_ONLY["compare.synorig"], **FRAME_ONLY["cont.na"]},
            "frame",
        )
    )
    return cases


def adult_cases() -> list[Spec]:
    def build(id: str, synthesis: str, target: str, args: Spec, **more: object) -> Spec:
        return case(
            f"adult/{id}",
            "disclosure",
            data={"dataset": "Adult"},
            object=recorded(synthesis),
            args={"keys": ADULT_KEYS, "target": target, **args},
            **more,
        )

    cases = [
        build(f"alone/{name}", "Adult_cart", "workclass", args) for name, args in ADULT.items()
    ]
    exclusion_settings: Settings = {
        "none": {},
        "not.targetlev": {},
        "denom": {"denom_lim": 1, "exclude_ov_denom_lim": True},
        "not.targetlev+NA": {"usetargetNA": False, "usekeysNA": False},
        "not.targetlev+NA+denom": {
            "usetargetNA": False,
            "usekeysNA": False,
            "denom_lim": 1,
            "exclude_ov_denom_lim": True,
        },
    }
    for setting, args in exclusion_settings.items():
        for target in ADULT_TABLE_TARGETS:
            level = ADULT_TABLE_LEVELS.get(target)
            if setting == "not.targetlev" and not level:
                continue  # the same call as with no exclusion at all
            more = {"not.targetlev": level} if level and "not.targetlev" in setting else {}
            extra = {"slow": True, "defects": ["D41"]} if target == "fnlwgt" else {}
            if target != "fnlwgt" or setting == "none":
                cases.append(
                    build(
                        f"table1/{setting}/{target}",
                        "Adult_cart",
                        target,
                        {**args, **more},
                        **extra,
                    )
                )
    cases += [
        build(f"boot/{t}", "Adult_boot", t, {}, defects=["D1"])
        for t in ("hours.per.week", "capital.gain", "capital.loss", "workclass")
    ]
    for synthesis in ("Adult_cart", "Adult_boot"):
        cases.append(
            case(
                f"adult/multi/{synthesis}",
                "multi.disclosure",
                data={"dataset": "Adult"},
                object=recorded(synthesis),
                args={"keys": ADULT_KEYS, "targets": ["workclass", "hours.per.week"]},
                defects=["D1"],
            )
        )
    cases.append(build("boot/fnlwgt", "Adult_boot", "fnlwgt", {}, defects=["D1", "D41"], slow=True))
    return cases


def refusal_cases() -> list[Spec]:
    """Calls that R refuses on purpose, or that it should refuse."""
    good: Spec = {"keys": ["sex", "age"], "target": "marital"}
    data = {"dataset": "SD2011", "columns": ["sex", "age", "marital", "ls"], "rows": [1, 60]}
    bad: Settings = {
        "unknown_key": {"keys": ["sex", "agee"]},
        "duplicated_keys": {"keys": ["sex", "sex"]},
        "empty_keys": {"keys": []},
        "key_position_out_of_range": {"keys": [1, 9]},
        "key_position_fraction": {"keys": [1, 1.5]},
        "unknown_target": {"target": "mar"},
        "target_in_keys": {"target": "age"},
        "two_targets": {"target": ["marital", "ls"]},
        "target_position": {"target": 7},
        "denom_lim=0": {"denom_lim": 0},
        "denom_lim=1.5": {"denom_lim": 1.5},
        "denom_lim=-1": {"denom_lim": -1},
        "usetargetNA_two": {"usetargetNA": [True, False]},
        "usekeysNA_three": {"usekeysNA": [True, False, True]},
        "usekeysNA=NA": {"usekeysNA": NA},
        "ngroups_target_two": {"ngroups_target": [2, 3]},
        "ngroups_target=1": {"ngroups_target": 1},
        "ngroups_keys_three": {"ngroups_keys": [2, 3, 4]},
        "ngroups_keys=1": {"ngroups_keys": 1},
        "not_a_factor_grouped": {"ngroups_target": 3},
        "exclude_unknown_key": {
            "exclude.keys": ["ls"],
            "exclude.keylevs": ["PLEASED"],
            "exclude.targetlevs": ["SINGLE"],
        },
        "exclude_unknown_targetlev": {
            "exclude.keys": ["sex"],
            "exclude.keylevs": ["MALE"],
            "exclude.targetlevs": ["NONE"],
        },
        "exclude_keylevs_only": {"exclude.keylevs": ["MALE"], "exclude.targetlevs": ["SINGLE"]},
        "thresh_1way_one_number": {"thresh_1way": [50]},
        "not.targetlev=character(0)": {"not.targetlev": []},
    }
    cases = [
        case(
            f"refused/{name}",
            "disclosure",
            data=data,
            object={"as": "synds", "frames": [data]},
            args={**good, **args},
        )
        for name, args in bad.items()
    ]
    multi_bad: Settings = {
        "multi_unknown_target": {"targets": ["nothing"]},
        "multi_target_in_keys": {"targets": ["age"]},
        "multi_duplicated_targets": {"targets": ["marital", "marital"]},
        "multi_not.targetslev_length": {"not.targetslev": ["SINGLE"]},
        "multi_not.targetslev_type": {"not.targetslev": [1, 2]},
        "multi_usetargetsNA_length": {"usetargetsNA": [True, True, False]},
        "multi_usekeysNA_length": {"usekeysNA": [True, True, False]},
        "multi_ngroups_length": {"ngroups_targets": [1, 2, 3]},
        "multi_ident.meas": {"ident.meas": "UiO"},
        "multi_attrib.meas=TCAP": {"attrib.meas": "TCAP"},
        "multi_exclude_length": {
            "exclude.keys": ["sex"],
            "exclude.keylevs": ["MALE"],
            "exclude.targetlevs": ["SINGLE"],
        },
        "multi_no_target_left": {"keys": ["sex", "age", "marital", "ls"]},
    }
    for name, args in multi_bad.items():
        cases.append(
            case(
                f"refused/{name}",
                "multi.disclosure",
                data=data,
                object={"as": "synds", "frames": [data]},
                args={"keys": ["sex", "age"], **args},
            )
        )
    return cases


def cases_by_file() -> dict[str, list[Spec]]:
    return {
        "paper": paper_cases(),
        "parameters": single_cases() + pair_cases(),
        "multi": multi_cases(),
        "adult": adult_cases(),
        "refusals": refusal_cases(),
    }
