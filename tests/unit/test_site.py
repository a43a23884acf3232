"""The documentation site: what it is made of, and that no link on it leads nowhere."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import synthpop_py
from docs import site
from docs.notebook_pages import notebook_page

ROOT = Path(__file__).resolve().parents[2]


def test_every_public_name_has_a_page_that_says_something():
    pages = {name: site.api_page(name, thing) for name, thing in site.public_names()}
    modules = {"closed_forms", "datasets", "estimation", "masks", "matching"}
    modules |= {"study", "synthesis", "utility"}
    assert set(synthpop_py.__all__) - modules <= set(pages)
    said = {name: page.split("\n", 1)[1].strip() for name, page in pages.items()}
    assert [name for name, text in said.items() if len(text) < 20] == []


@pytest.mark.parametrize(
    "name", ["sdc", "numtocat_syn", "mergelevels_syn", "multi_disclosure", "replicated_uniques"]
)
def test_a_function_has_its_call_parameters_and_an_example(name):
    page = site.api_page(name, getattr(synthpop_py, name))
    assert f"{name}(" in page and "| parameter | meaning |" in page and ">>> " in page


def test_the_order_on_the_left_is_that_of_the_contents():
    order = site.sections()
    assert list(order) == [
        "Tutorials",
        "Notebooks",
        "How to",
        "Explanation",
        "Reference",
        "Decisions",
    ]
    settings = site.settings()
    places = [settings.index(f'"{page.path}"') for pages in order.values() for page in pages]
    assert places == sorted(places)


def test_links_between_files_become_links_between_pages():
    known = site.places()
    text = "[measures](docs/pages/explanation/measures.md#eight-people), [code](Makefile)"
    on_site = site.relinked(text, ROOT / "README.md", "index.md", known)
    assert on_site == "[measures](explanation/measures.md#eight-people), code"
    back = site.relinked(
        "[d](../../decisions/0018-command-line.md)",
        ROOT / "docs/pages/how-to/x.md",
        "how-to/x.md",
        known,
    )
    assert back == "[d](../decisions/0018-command-line.md)"


def test_the_reports_and_the_way_to_the_notebooks_are_on_the_site():
    readme = ROOT / "README.md"
    on_site = site.relinked(readme.read_text("utf-8"), readme, "index.md", site.places())
    assert (
        "](examples/report_SD2011.html)" in on_site and f"]({site.NOTEBOOKS}/index.md)" in on_site
    )
    teaching = ROOT / "notebooks/README.md"
    on_site = site.relinked(
        teaching.read_text("utf-8"), teaching, f"{site.NOTEBOOKS}/index.md", site.places()
    )
    assert f"[1. Eight people by hand](../{site.NOTEBOOKS}/1-eight-people.md)" in on_site


NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "metadata": {}, "source": ["# Two\n", "\n", "See [page](a.md)."]},
        {
            "cell_type": "code",
            "metadata": {},
            "source": ["print(1 + 1)\n", "draw['all'](1)"],
            "outputs": [
                {"output_type": "stream", "name": "stdout", "text": ["2\n"]},
                {"output_type": "display_data", "data": {"image/png": "AAEC", "text/plain": "F"}},
                {
                    "output_type": "execute_result",
                    "data": {"text/html": "<b>3</b>", "text/plain": ["3"]},
                },
            ],
        },
        {
            "cell_type": "code",
            "metadata": {"tags": ["solution"]},
            "source": ["two = 2"],
            "outputs": [],
        },
        {
            "cell_type": "markdown",
            "metadata": {},
            "source": ["<details><summary>Open</summary>\n\n*Yes*</details>"],
        },
    ]
}


def test_a_notebook_becomes_a_page(tmp_path):
    file = tmp_path / "two.ipynb"
    file.write_text(json.dumps(NOTEBOOK), encoding="utf-8")
    page = notebook_page(file, lambda text: text.replace("a.md", "x.md"))
    assert page.pictures == {"two-1.png": b"\x00\x01\x02"}
    assert page.text.split("\n\n") == [
        "# Two",
        "[Download this notebook](two.ipynb) to run it and to change it.",
        "See [page](x.md).",
        "````python\nprint(1 + 1)\ndraw['all'](1)\n````",
        "````text\n2\n````",
        "![Drawn by the code above](two-1.png)",
        "````text\n3\n````",
        '<details markdown="1"><summary>Code of the solution</summary>',
        "````python\ntwo = 2\n````",
        "</details>",
        '<details markdown="1"><summary>Open</summary>',
        "*Yes*</details>\n",
    ]


def test_every_cell_of_the_notebooks_is_on_the_site(tmp_path):
    site.assemble(tmp_path)
    files = sorted((ROOT / "notebooks").glob("*.ipynb"))
    assert len(files) == 6
    for file in files:
        folder = tmp_path / "docs" / "notebooks"
        page = (folder / f"{file.stem}.md").read_text("utf-8")
        assert (folder / file.name).read_bytes() == file.read_bytes()
        for cell in json.loads(file.read_text("utf-8"))["cells"]:
            first_line = cell["source"][0].rstrip()
            assert re.sub(r"\]\(.*?\)|<.*?>", "", first_line) in re.sub(
                r"\]\(.*?\)|<.*?>", "", page
            )
        assert page.count("![") == len(list(folder.glob(f"{file.stem}-*.png"))) > 0


def test_the_start_page_of_decisions_names_each_by_its_title():
    start = (ROOT / "docs/decisions/README.md").read_text("utf-8")
    for path in (ROOT / "docs/decisions").glob("0*.md"):
        title = path.read_text("utf-8").partition("\n")[0].removeprefix("# ")
        assert f"* [{title}]({path.name})" in start


def test_public_names_lead_to_their_entries():
    table = "| name | x |\n|---|---|\n| `swap`, `nobody` | `syn` |\n| `matching` | module |"
    assert site.with_entries(table).split("\n")[2:] == [
        f"| [`swap`]({site.ENTRIES}/swap.md), `nobody` | `syn` |",
        f"| [`matching`]({site.ENTRIES}/index.md#matching) | module |",
    ]
    reference = site.with_entries((ROOT / "docs/pages/reference/index.md").read_text("utf-8"))
    linked = re.findall(r"\[`(\w+)`\]\(api/", reference)
    assert set(linked) == set(synthpop_py.__all__)


def test_missing_says_what_it_stands_for():
    page = site.api_page("MISSING", synthpop_py.MISSING)
    assert "Stands for missing values in `not_targetlev`" in page and ">>> " in page
    assert "[`MISSING`](" in site.api_index() and " | Stands for missing values" in site.api_index()


def test_types_alone_on_their_line_end_with_a_full_stop():
    pages = [site.api_page(name, thing) for name, thing in site.public_names()]
    run_together = [re.findall(r".*\bof (?:these|lists) [A-Z].*", page) for page in pages]
    assert [lines for lines in run_together if lines] == []
    # names without a colon were taken for words of the entry before
    assert "| `keys`, `target`, `Norig`" in site.api_page("Disclosure", synthpop_py.Disclosure)


class Links(HTMLParser):
    """The links and the anchors of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if given.get("id"):
            self.anchors.add(given["id"])
        for name in ("href", "src"):
            if given.get(name):
                self.links.append(given[name])


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> dict[Path, Links]:
    """The pages of the site."""
    folder = tmp_path_factory.mktemp("site") / "site"
    command = [sys.executable, "docs/site.py", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    pages = {}
    for path in folder.rglob("*.html"):
        pages[path] = Links()
        pages[path].feed(path.read_text(encoding="utf-8"))
    return pages


@pytest.mark.needs("zensical")
def test_every_link_on_the_site_leads_somewhere(built):
    assert len(built) > 100
    broken = []
    for path, page in built.items():
        if path.name == "404.html":
            continue  # it is shown at any address, so its links start at the root
        broken += [f"{path}: {link}" for link in page.links if leads_nowhere(link, path, built)]
    assert broken == []


def leads_nowhere(link: str, path: Path, pages: dict[Path, Links]) -> bool:
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return False  # another site
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if target.is_dir():
        target = target / "index.html"
    if not target.exists():
        return True
    anchors = pages[target].anchors if target in pages else {parts.fragment}
    return bool(parts.fragment) and parts.fragment not in anchors


@pytest.mark.needs("zensical")
def test_the_site_asks_no_other_server_for_anything(built):
    start = next(page for path, page in built.items() if path.parent.name == "site")
    kinds = (".js", ".css", ".woff2")
    files = [link for link in start.links if link.split("?")[0].endswith(kinds)]
    assert files and [link for link in files if "//" in link] == []
    assert any(
        link.endswith("site.css") for link in files
    )  # tables of many columns fit because of it


def test_an_option_is_not_taken_for_a_folder(tmp_path):
    command = [sys.executable, ROOT / "docs/site.py", "--help"]
    told = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True)
    assert "folder" in told.stdout and list(tmp_path.iterdir()) == []
