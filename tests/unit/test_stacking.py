"""Functions for one frame take a whole synthesis: its sets come out alike."""

from __future__ import annotations

import pandas as pd

from synthpop_py import (
    SynDS,
    datasets,
    mergelevels_syn,
    numtocat_syn,
    synorig_compare,
)


def town(text: str) -> pd.DataFrame:
    return pd.DataFrame(
        {"town": pd.Categorical(list(text)), "x": [float(i) for i in range(len(text))]},
        index=[10 * i for i in range(len(text))],
    )


def test_levels_are_merged_by_the_counts_of_all_sets():
    # b has 2 + 2 records, c 1 + 0: with four asked for only c is small, and a joins nothing
    sets = SynDS([town("aaabbc"), town("aabb")], meta={"seed": 7})
    merged = mergelevels_syn(sets, minsize=4, newlabel=True, compat="corrected")
    assert [frame["town"].cat.categories.tolist() for frame in merged.syn] == [["a", "b c"]] * 2
    assert [frame["town"].tolist() for frame in merged.syn] == [
        ["a"] * 3 + ["b c"] * 3,
        ["a"] * 2 + ["b c"] * 2,
    ]
    assert [frame.index.tolist() for frame in merged.syn] == [
        frame.index.tolist() for frame in sets.syn
    ] and merged.meta == {"seed": 7}


def test_every_set_gets_the_same_classes():
    sets = datasets.load_synthesis("SD2011_s5")
    grouped = numtocat_syn(sets, ["age"], catgroups=4, print_flag=False, compat="corrected")
    together = numtocat_syn(
        pd.concat(sets.syn, ignore_index=True),
        ["age"],
        catgroups=4,
        print_flag=False,
        compat="corrected",
    )
    assert grouped.breaks["age"].tolist() == together.breaks["age"].tolist() and grouped.data.m == 5
    assert pd.concat(grouped.data.syn, ignore_index=True)["age"].equals(together.data["age"])
    assert [list(frame.columns) for frame in grouped.orig] == [["orig.age"]] * 5
    assert repr(grouped).startswith("Grouped(25000 rows in 5 sets, 9 columns, 1 grouped)")


def test_one_set_is_grouped_as_its_frame_and_its_special_values_are_known():
    sets = datasets.load_synthesis("SD2011_s1")
    grouped = numtocat_syn(sets, ["income"], print_flag=False)
    alone = numtocat_syn(sets.syn[0], ["income"], print_flag=False, cont_na={"income": -8})
    assert (
        grouped.data.syn[0].equals(alone.data)
        and grouped.cont_na == {"income": (-8,)}
        and grouped.corrected.data.m == 1
    )
    assert grouped.data.cont_na == {}  # a class is no number any more


def test_a_synthesis_is_compared_as_a_whole():
    original = town("aab")
    compared = synorig_compare(SynDS([town("aac"), town("aad")]), original, print_flag=False)
    assert (
        isinstance(compared.syn, SynDS)
        and compared.syn.syn[0]["town"].cat.categories.tolist()
        == compared.syn.syn[1]["town"].cat.categories.tolist()
    )
    assert compared.notes == ["town: levels combined; syn had a, c, d, orig had a, b"]
