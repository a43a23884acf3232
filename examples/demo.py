"""The paper's example: how much could be learnt about the people in SD2011 from a synthesis of it?

Prints what R's synthpop answered, as recorded in fixtures/expected. Needs no R.
"""

from __future__ import annotations

import pandas as pd

from r_reference.records import load_records, reference_version
from synthpop_py import datasets


def table(recorded: dict) -> pd.DataFrame:
    return pd.DataFrame(dict(zip(recorded["columns"], recorded["values"])), index=recorded["index"])


def main() -> None:
    original, synthesis = datasets.load("SD2011"), datasets.load_synthesis("SD2011_s5")
    records = load_records()
    result = records["paper/s5/depress [icu]"]["result"]
    summary = records["paper/summary [icu]"]["result"]
    print(f"SD2011: {len(original)} people asked about their life in Poland; {synthesis.m} synthetic versions of nine of their answers.")
    print(f"Known about a person (keys): {', '.join(result['keys'])}. All percentages are of the {result['Norig']} original records.")
    print(f"As answered by R's synthpop {reference_version()}; higher means more risk.\n")
    print("Identity: unique in the original (UiO), and unique in both original and synthetic (repU)")
    print(table(result["ident"]).round(2).to_string(), "\n")
    print("Attribute: for how many is `depress` certain from the original (Dorig), and correctly so from the synthetic data (DiSCO)?")
    print(table(result["attrib"]).round(2).to_string(), "\n")
    print("All five targets of the first synthesis, least risky first (attrib.orig = Dorig, attrib.syn = DiSCO)")
    print(table(summary["attrib_table"])[["attrib.orig", "attrib.syn"]].round(2).to_string())


if __name__ == "__main__":
    main()
