"""The paper's example: how much could be learnt about the people in SD2011 from syntheses of it?
And how do other releases compare? Needs no R.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

sys.path.insert(
    0, str(Path(__file__).resolve().parent.parent)
)  # the recorded answers of R live in the checkout, not in the package

from r_reference.records import load_records, reference_version
from synthpop_py import RDefectWarning, datasets, disclosure, ifpr, ru_map, swap
from tests.parity.port_side import port_differences

KEYS = ["sex", "age", "region", "placesize"]


def heading(text: str) -> None:
    print(f"\n{text}\n{'-' * len(text)}")


def main() -> None:
    original, synthesis = datasets.load("SD2011"), datasets.load_synthesis("SD2011_s5")
    original = original[synthesis.syn[0].columns]
    heading("1. One target, five syntheses (Raab, Nowok and Dibben, sections 3.2 and 3.3)")
    result = disclosure(synthesis, original, KEYS, "depress", print_flag=False)
    result.print(["ident", "attrib", "allCAPs"])
    found = port_differences(load_records()["paper/s5/depress [icu]"]["result"], result)
    print(
        f"\nCompared with what R's synthpop {reference_version()} answered (recorded):"
        f" {found or 'equal in every figure'}"
    )

    heading("2. What may be common knowledge (section 4)")
    disclosure(
        datasets.load_synthesis("SD2011_s1"), original, KEYS, "marital", print_flag=False
    ).print("check_2way")

    heading("3. Who is at risk: the first records whose depression score is revealed")
    records = result.records(original)
    print(records[(records.synthesis == 1) & records.DiSCO].head(3).to_string(index=False))

    heading("4. A call on which R is wrong: hours worked a week, Adult and a bootstrap copy of it")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RDefectWarning)  # the printed result says the same
        adult = disclosure(
            datasets.load_synthesis("Adult_boot"),
            datasets.load("Adult"),
            ["age", "occupation", "race", "sex"],
            "hours.per.week",
            print_flag=False,
        )
    print(adult)

    heading("5. Three ways to release the same people, on one map of risk and utility")
    one = datasets.load_synthesis("SD2011_s1")
    release = ifpr(
        original, KEYS, xi=0.4, blocks=["sex", {"age": [30, 45, 60]}], seed=1, reproducible=True
    )
    releases = {
        "synthesis": one,
        "IFPR": release,
        "swapping": swap(original, KEYS[:2], "region", 0.3, seed=1, reproducible=True),
    }
    print(
        ru_map(
            releases,
            original,
            keys=KEYS,
            target="depress",
            risk=["repU", "DiSCO"],
            utility="tvd",
            cont_na={"income": -8},
        )
    )


if __name__ == "__main__":
    main()
