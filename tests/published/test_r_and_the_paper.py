"""What R printed in the paper is what R says today: asserted against the records and, where R is at
hand, against R itself.

Figures are printed with two decimals, so that is the tolerance: the recorded value rounds to the
printed one.
"""

from __future__ import annotations

import pytest

from r_reference.records import load_records
from tests.published import paper_figures as paper


class Answers:
    """Results of cases by id, from records or from live R."""

    def __init__(self, get):
        self._get = get

    def table(self, case_id, field):
        return as_columns(self._get(case_id)[field])

    def field(self, case_id, name):
        return self._get(case_id)[name]


def as_columns(table):
    return dict(zip(table["columns"], table["values"]))


def printed(values):
    return [round(v, 2) for v in values]


@pytest.fixture(scope="module", params=["recorded 1.9-3", "recorded 1.9-2", "live"])
def answers(request):
    if request.param == "live":
        live, cases, seen = request.getfixturevalue("live_r"), request.getfixturevalue("cases"), {}

        def get(case_id):
            if case_id not in seen:
                seen[case_id] = live.run(cases[case_id])["result"]
            return seen[case_id]

        return Answers(get)
    records = load_records(request.param.split()[1])
    return Answers(lambda case_id: records[f"{case_id} [icu]"]["result"])


def test_section_2_identity(answers):
    assert printed(answers.field("paper/summary", "ident_orig")) == [paper.SUMMARY_IDENT["UiO"]] * 5
    assert printed(answers.field("paper/summary", "ident_syn")) == [paper.SUMMARY_IDENT["repU"]] * 5


@pytest.mark.parametrize("field, figures", [("ident", paper.IDENT), ("attrib", paper.ATTRIB)])
def test_section_3_tables(answers, field, figures):
    table = answers.table("paper/s5/depress", field)
    assert {name: printed(table[name]) for name in figures} == figures


def test_appendix_2_caps(answers):
    caps, attrib = (
        answers.table("paper/s5/depress", "allCAPs"),
        answers.table("paper/s5/depress", "attrib"),
    )
    if "DCAPb" in caps:
        # since 1.9-3: DCAP moved and was renamed; the old TCAP is DiSCO over iS
        caps = {
            **caps,
            "DCAP": attrib["DCAPd"],
            "TCAP": [100 * a / b for a, b in zip(attrib["DiSCO"], attrib["iS"])],
        }
    assert {name: printed(caps[name]) for name in paper.CAPS} == paper.CAPS


def test_section_3_denominator_limit(answers):
    case = "paper/summary_denom_lim_1"
    assert printed(answers.field(case, "ident_orig"))[0] == paper.DENOM_LIM_IDENT["UiO"]
    assert printed(answers.field(case, "ident_syn"))[0] == paper.DENOM_LIM_IDENT["repU"]
    table = answers.table(case, "attrib_table")
    assert answers.field(case, "attrib_table")["index"] == paper.DENOM_LIM_ORDER
    assert printed(table["attrib.orig"]) == paper.DENOM_LIM_DORIG
    assert printed(table["attrib.syn"]) == paper.DENOM_LIM_DISCO


def test_section_4_one_way_check(answers):
    (table,) = answers.field("paper/s1/workab", "check_1way")
    row = {name: values[0] for name, values in as_columns(table).items()}
    assert {
        k: v if isinstance(v, str) else round(v, 2) for k, v in row.items()
    } == paper.CHECK_1WAY_WORKAB


def test_section_4_two_way_check(answers):
    (table,) = answers.field("paper/s1/marital", "check_2way")
    rows = zip(table["index"], *table["values"])
    assert [(*row[:-1], round(row[-1], 2)) for row in rows] == paper.CHECK_2WAY_MARITAL


@pytest.mark.parametrize("target", [t for t in paper.ADULT_DORIG if t != "fnlwgt"])
def test_table_1_original_column(answers, target):
    table = answers.table(f"adult/table1/none/{target}", "attrib")
    assert printed(table["Dorig"]) == [paper.ADULT_DORIG[target]]


def test_table_1_fnlwgt_as_recorded(records):
    """R needs minutes and 17 GB for this target; the record is checked here, live R by `make
    live-slow`.
    """
    result = records["adult/table1/none/fnlwgt [icu]"]["result"]
    assert printed(as_columns(result["attrib"])["Dorig"]) == [paper.ADULT_DORIG["fnlwgt"]]
