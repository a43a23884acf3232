"""The documentation site: what it is made of, and that no link on it leads nowhere."""

from __future__ import annotations

import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import synthpop_py
from docs import site

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
    assert list(order) == ["Tutorials", "How to", "Explanation", "Reference", "Decisions"]
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
    assert "](examples/report_SD2011.html)" in on_site and "](notebooks.md)" in on_site


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
