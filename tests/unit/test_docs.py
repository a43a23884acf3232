"""The documentation says what the package does: pages are up to date, links lead somewhere, every
public name is described.
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from textwrap import indent
from types import SimpleNamespace

import pytest

import synthpop_py
from docs import build
from synthpop_py import disclosure, measures
from synthpop_py.r.as_r import AsR
from tests.rooms import BY_NAME

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
FILE = re.compile(
    r"`((?:synthpop_py|tests|docs|r_reference|scripts|fixtures|benchmarks)/[\w./-]*)`"
)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def page(name: str) -> str:
    return (build.PAGES / name).read_text(encoding="utf-8")


def first_cells(text: str) -> list[str]:
    """What is in code style in the first column of the tables."""
    rows = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    return [name for row in rows for name in re.findall(r"`([^`]+)`", row)]


# ---- pages ---------------------------------------------------------------------------


# pages whose code asks an engine, and those that take long: `make engines` has the time
NEEDS_OF_PAGES = {
    "explanation/adult-and-its-exclusions.md": ("engines",),
    "explanation/does-it-match-r.md": ("engines",),
    "explanation/nearly-sure.md": ("engines",),
    "tutorials/one-map-seven-releases.md": ("engines",),
    "how-to/from-spark.md": ("pyarrow",),
    "how-to/from-a-database.md": ("duckdb", "ibis", "pyarrow"),
    "explanation/untrusted-files.md": ("rdata",),
    "how-to/read-and-write-r-objects.md": ("rdata",),
    "how-to/data-that-do-not-fit-in-memory.md": ("duckdb", "polars", "pyarrow"),
}
TEMPLATES = [
    pytest.param(name, marks=pytest.mark.needs(*NEEDS_OF_PAGES.get(name, ())))
    for name in build.templates()
]


@pytest.mark.parametrize("name", TEMPLATES)
def test_page_is_what_its_template_makes(name):
    assert not build.difference(name), (
        f"docs/pages/{name} is out of date; run: python docs/build.py"
        f" {name}\n{build.difference(name)[:2000]}"
    )


def built(*blocks: str) -> str:
    """A page of blocks, each with its first line after the fence."""
    return build.Page("x.md").build("\n".join(f"```{block}\n```" for block in blocks))


def test_shown_code_runs_as_a_reader_would_run_it():
    """A name that only hidden code makes must not be needed by code that is shown."""
    with pytest.raises(build.BuildError, match="'helper' is not defined"):
        built("python run hidden\nhelper = 1", "python run\nprint(helper)")


def test_hidden_code_sees_what_is_shown_and_changes_none_of_it():
    page = built(
        "python run\nx = 1",
        "python run hidden\ny = x + 1\nx = 5",
        "python run\nprint(x)",
        "python run printed\nprint(x, y)",
    )
    assert page.count("```text\n1\n```") == 1 and "```text\n5 2\n```" in page
    assert "y = x" not in page and "print(x, y)" not in page


def test_a_page_is_built_in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.setattr(build, "SOURCE", tmp_path)
    (tmp_path / "x.md").write_text(
        '```python run\nfrom pathlib import Path\n\nPath("a").touch()\n```\n', encoding="utf-8"
    )
    here = sorted(path.name for path in Path().iterdir())
    build.build_page("x.md")
    assert sorted(path.name for path in Path().iterdir()) == here


def test_shown_code_finds_only_files_that_shown_code_made():
    """A reader begins in an empty folder: a file that hidden code makes is not there."""
    made = "python run hidden\nfrom pathlib import Path\n\nPath('a.csv').touch()"
    with pytest.raises(build.BuildError, match="FileNotFoundError"):
        built(made, "python run\nprint(open('a.csv').read())")


def test_hidden_code_finds_the_files_of_both():
    page = built(
        "python run hidden\nfrom pathlib import Path\n\nPath('ours').touch()",
        "python run\nfrom pathlib import Path\n\nPath('theirs').touch()",
        "python run printed\nprint(sorted(path.name for path in Path().iterdir()))",
        "python run\nprint([path.name for path in Path().iterdir()])",
    )
    assert "['ours', 'theirs']" in page and "\n['theirs']\n" in page


def test_code_that_is_pasted_runs_where_the_reader_is():
    page = build.Page("x.md").build(
        "{{ pasted('def two():\\n    return 2\\n') }}\n```python run\nprint(two())\n```"
    )
    assert "```python\ndef two():\n    return 2\n```" in page and "```text\n2\n```" in page


# pages whose skeletons another test runs, with what the page itself says of them
SKELETONS = {
    "how-to/where-new-code-goes.md": "**skeletons**, which do not run on their own",
    "how-to/from-spark.md": "talks to Spark runs in the tests (`make engines`)",
    "how-to/from-a-database.md": "A skeleton: put in your own server",
}


@pytest.mark.parametrize("name", build.templates())
def test_python_that_is_not_run_is_called_a_skeleton(name):
    text = (build.SOURCE / name).read_text(encoding="utf-8")
    kinds = [kind for _, kind, _ in build.blocks(text, name) if kind]
    idle = {kind for kind in kinds if kind.startswith("py") and kind not in build.KINDS}
    assert idle == ({build.SKELETON} if name in SKELETONS else set())
    assert SKELETONS.get(name, "") in text
    # in a list, the builder takes a block for prose
    assert not re.search(r"^ {1,3}```", text, flags=re.M)


def test_the_skeletons_for_contributors_are_right():
    name = "how-to/where-new-code-goes.md"
    text = (build.SOURCE / name).read_text(encoding="utf-8")
    parts = build.blocks(text, name)
    measure, step = [code for _, kind, code in parts if kind == build.SKELETON]
    known = list(measures.MEASURES)
    try:
        exec(measure, dict(vars(measures)))
        (made,) = measures.MEASURES[len(known) :]
    finally:
        measures.MEASURES[:] = known
    counts = SimpleNamespace(left={"DiSCO": 3}, Ns=6)
    assert (made.name, made.quotient(counts)) == ("DiSCOs", (3, 6))
    assert {"left", "Ns"} <= set(measures.Counts.__init__.__code__.co_names)
    exec("def take(self, as_r, correct):\n" + indent(step, "    "), names := {})
    met = set()
    steps = SimpleNamespace(meets=lambda defect, where: AsR.meets(steps, defect, where), met=met)
    assert names["take"](steps, 1, 1) == 1 and not met
    assert names["take"](steps, 1, 2) == 1 and met == {"D99"}


def test_every_page_has_a_template():
    assert build.templates() and build.strays() == []


# ---- links ---------------------------------------------------------------------------


def anchors(text: str) -> set[str]:
    """The names under which a heading can be linked to."""
    headings = re.findall(r"^#+ (.+)$", text, flags=re.M)
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings}


@pytest.mark.parametrize(
    "path",
    [
        *(ROOT / name for name in ("CONTRIBUTING.md", "README.md", "SECURITY.md")),
        DOCS / "README.md",
        *sorted((DOCS / "decisions").glob("*.md")),
        *sorted(build.PAGES.rglob("*.md")),
    ],
    ids=lambda p: p.relative_to(ROOT).as_posix(),
)
def test_links_lead_somewhere(path):
    dead = []
    for link in LINK.findall(path.read_text(encoding="utf-8")):
        if "://" in link:
            continue
        file, _, anchor = link.partition("#")
        goal = (path.parent / file).resolve() if file else path
        if not goal.is_file() or (
            anchor and anchor not in anchors(goal.read_text(encoding="utf-8"))
        ):
            dead.append(link)
    assert not dead


def test_the_index_names_every_page_and_decision():
    linked = {
        (DOCS / link).resolve()
        for link in LINK.findall((DOCS / "README.md").read_text(encoding="utf-8"))
    }
    missing = [
        p.relative_to(DOCS).as_posix()
        for folder in ("pages", "decisions")
        for p in DOCS.joinpath(folder).rglob("*.md")
        if p.resolve() not in linked
    ]
    assert missing == [], f"add to docs/README.md: {missing}"


# ---- reference -----------------------------------------------------------------------


def test_every_parameter_is_described_and_no_other():
    section = page("reference/disclosure.md").split("## Parameters")[1].split("## The result")[0]
    parameters = inspect.signature(disclosure).parameters.values()
    expected = [f"**{p.name}" if p.kind is p.VAR_KEYWORD else p.name for p in parameters]
    assert sorted(first_cells(section)) == sorted(expected)


def test_every_attribute_and_method_of_a_result_is_described_and_no_other():
    section = page("reference/disclosure.md").split("## The result")[1].split("### `tidy()`")[0]
    result = disclosure(FEW_PEOPLE, FEW_PEOPLE, ["sex", "age"], "marital", print_flag=False)
    named = {name for name in dir(result) if not name.startswith("_")} - set(BY_NAME)
    expected = {f"{name}()" if callable(getattr(result, name)) else name for name in named}
    assert set(first_cells(section)) - set(BY_NAME) == expected


FEW_PEOPLE = synthpop_py.datasets.load("SD2011").head(50)


@pytest.mark.parametrize(
    "method, arguments", [("tidy", ()), ("records", (FEW_PEOPLE,))], ids=["tidy", "records"]
)
def test_every_column_is_described_and_no_other(method, arguments):
    section = page("reference/disclosure.md").split(f"### `{method}()`")[1].split("\n##")[0]
    result = disclosure(FEW_PEOPLE, FEW_PEOPLE, ["sex", "age"], "marital")
    assert first_cells(section) == list(getattr(result, method)(*arguments).columns)


def test_the_index_lists_exactly_the_public_names():
    section = page("reference/index.md").split("## Data")[0]
    assert sorted(first_cells(section)) == sorted(synthpop_py.__all__)


FOR_CONTRIBUTORS = [
    "CONTRIBUTING.md",
    "docs/pages/how-to/where-new-code-goes.md",
    "docs/pages/explanation/architecture.md",
]


@pytest.mark.parametrize("text", FOR_CONTRIBUTORS)
def test_every_file_named_for_contributors_is_there(text):
    named = set(FILE.findall((ROOT / text).read_text(encoding="utf-8")))
    assert named and [name for name in sorted(named) if not (ROOT / name).exists()] == []


def test_the_ledger_page_has_every_defect():
    rows = re.findall(r"^\| (D\d+) \|", page("explanation/defects.md"), flags=re.M)
    assert sorted(rows) == sorted(synthpop_py.r_defects().index)


# ---- the builder itself --------------------------------------------------------------


def test_a_block_shows_its_output_and_a_defect_warning():
    made = build.Page("x.md").build(
        "```python run\nimport warnings, synthpop_py\nwarnings.warn('both',"
        " synthpop_py.RDefectWarning)\nprint(1 + 1)\n```"
    )
    assert made.endswith("\n```text\nRDefectWarning: both\n2\n```\n")


def test_values_are_put_into_prose_but_not_into_code():
    made = build.Page("x.md").build(
        "```python run hidden\nn = 3\n```\n{{ n }} people\n```python skeleton\nf'{{ n }}'\n```"
    )
    assert "\n3 people\n```python\nf'{{ n }}'\n```\n" in made and "n = 3" not in made


@pytest.mark.parametrize(
    "template, says",
    [
        ("```python run\n1 / 0\n```", "line 1: ZeroDivisionError"),
        ("{{ nothing }}", "line 1: NameError"),
        (
            "```python run\nimport warnings\nwarnings.warn('old', FutureWarning)\n```",
            "FutureWarning: old",
        ),
        ("```python run hidden\nprint(1)\n```", "hidden block printed"),
        ("```python run raises\nprint(1)\n```", "none was raised"),
        ("```python run loud\n```", "is unknown"),
        ("```python\nx = ...\n```", "line 1: 'python' is unknown"),
        ("```python run\n", "no end"),
    ],
)
def test_a_template_that_cannot_be_built_is_an_error(template, says):
    with pytest.raises(build.BuildError, match=re.escape(says)):
        build.Page("x.md").build(template)


def test_a_changed_number_is_noticed(monkeypatch, tmp_path):
    monkeypatch.setattr(build, "PAGES", tmp_path)
    name = "reference/index.md"  # quick to build
    target = tmp_path / name
    target.parent.mkdir()
    target.write_text(page_now := build.build_page(name))
    assert not build.difference(name)
    target.write_text(page_now.replace("48842", "48843", 1))
    assert "-| `Adult` | 48843" in build.difference(name)


def test_a_picture_is_saved_when_pages_are_written_and_wanted_when_they_are_checked(
    monkeypatch, tmp_path
):
    monkeypatch.setattr(build, "FIGURES", tmp_path / "figures")
    template = (
        "```python run hidden\nfrom matplotlib.figure import Figure\naxes ="
        " Figure().add_subplot()\n```\n{{ figure(axes, 'dots', 'some dots') }}"
    )
    with pytest.raises(build.BuildError, match="never drawn"):
        build.Page("how-to/x.md").build(template)
    made = build.Page("how-to/x.md", save_figures=True).build(template)
    assert (
        "![some dots](../figures/dots.png)" in made
        and (tmp_path / "figures" / "dots.png").is_file()
    )
    assert build.Page("how-to/x.md").build(template) == made
