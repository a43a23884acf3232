"""The notebooks are what their sources make, and every one of them can be worked through."""

from __future__ import annotations

import ast
import base64
import copy
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("matplotlib")

from notebooks import build

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"\]\(([^)\s]+)\)")
pytestmark = pytest.mark.needs("matplotlib")


def prose(name: str) -> str:
    cells = build.committed(name)["cells"]
    texts = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]
    return "\n\n".join(texts)


def solutions(name: str) -> list[dict]:
    cells = build.committed(name)["cells"]
    return [cell for cell in cells if "solution" in cell["metadata"].get("tags", [])]


# ---- what is committed ---------------------------------------------------------------


@pytest.mark.parametrize("name", build.names())
def test_a_notebook_is_what_its_source_makes(name):
    """Every cell runs, in this process; text is compared, of pictures only their number."""
    assert build.difference(build.committed(name), build.run(name)) == ""


@pytest.mark.needs("nbclient")
def test_a_fresh_kernel_gives_the_same():
    name = build.names()[0]
    code = f"import json; from notebooks import build; print(json.dumps(build.executed({name!r})))"
    command = [sys.executable, "-c", code]
    # a process of its own: the kernel's sockets are not for pytest to judge
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    fresh, committed = json.loads(done.stdout), build.committed(name)
    assert all(without_pixels(a) == without_pixels(b) for a, b in both(fresh, committed))
    assert len(fresh["cells"]) == len(committed["cells"])
    assert fresh["metadata"] == committed["metadata"] == build.METADATA


def both(one: dict, other: dict) -> list[tuple[dict, dict]]:
    return list(zip(one["cells"], other["cells"]))


def without_pixels(cell: dict) -> tuple:
    """A cell as far as two machines agree on it: pandas' HTML and pixels depend on versions."""
    return cell["id"], cell.get("execution_count"), build.output_of(cell)


def test_every_source_has_a_notebook_and_every_notebook_a_source():
    assert sorted(path.stem for path in build.HERE.glob("*.ipynb")) == build.names()
    assert len(build.names()) == 6


@pytest.mark.parametrize("name", build.names())
def test_nothing_in_a_notebook_depends_on_time_or_machine(name):
    path = build.HERE / f"{name}.ipynb"
    text = re.sub(r'"image/png": ".*?"', "", path.read_text(encoding="utf-8"))
    assert path.stat().st_size < 400_000
    assert re.search(r"iopub|site-packages|/(tmp|home|usr|root|work)/", text) is None
    cells = build.committed(name)["cells"]
    assert [cell["id"] for cell in cells] == [f"cell-{i + 1:02d}" for i in range(len(cells))]
    counts = [cell["execution_count"] for cell in cells if cell["cell_type"] == "code"]
    assert counts == list(range(1, len(counts) + 1))
    assert all(b"Software" not in picture for picture in pictures(name))


def pictures(name: str) -> list[bytes]:
    outputs = [o for c in build.committed(name)["cells"] for o in c.get("outputs", [])]
    encoded = [o["data"]["image/png"] for o in outputs if "image/png" in o.get("data", {})]
    return [base64.b64decode("".join(text)) for text in encoded]


# ---- what a teacher needs ------------------------------------------------------------


@pytest.mark.parametrize("name", build.names())
def test_a_notebook_says_what_it_is_for_and_has_exercises_with_solutions(name):
    text = prose(name)
    start = text.split("\n## ")[0]
    for row in ("You will learn", "Time", "You need", "Reading order"):
        assert f"| **{row}** |" in start
    assert re.search(r"\*\*Time\*\* \| \d+ minutes", start)
    exercises, answers = text.split("\n## Exercises\n")[1].split("\n## Solutions\n")
    asked = re.findall(r"^(\d+)\. ", exercises, flags=re.M)
    answered = re.findall(r"(?:^\*\*|<b>)(\d+)\.", answers, flags=re.M)
    assert asked == answered == list("12345")
    assert pictures(name)


@pytest.mark.parametrize("name", build.names())
def test_solutions_are_closed_and_check_themselves(name):
    found = solutions(name)
    assert len(found) >= 4
    assert all(cell["metadata"]["jupyter"] == {"source_hidden": True} for cell in found)
    shows = [bool(cell["outputs"]) or "assert" in "".join(cell["source"]) for cell in found]
    assert all(shows)


def calls(name: str, functions: set[str]) -> list[dict[str | None, ast.expr]]:
    """The keywords of each call of these functions in a source; `None` stands for `**`."""
    parts = build.cells((build.SOURCE / f"{name}.md").read_text(encoding="utf-8"))
    trees = [ast.parse(cell.text) for cell in parts if cell.kind != "markdown"]
    nodes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call)]
    named = [node for node in nodes if getattr(node.func, "id", "") in functions]
    return [{keyword.arg: keyword.value for keyword in node.keywords} for node in named]


@pytest.mark.parametrize("name", build.names())
def test_decisions_rest_on_correct_figures(name):
    given = [call.get("compat") for call in calls(name, {"disclosure", "multi_disclosure"})]
    assert [ast.unparse(value) for value in given] == ["'corrected'"] * len(given)


@pytest.mark.parametrize("name", ["4-ifpr", "5-risk-and-utility"])
def test_releases_can_be_drawn_again(name):
    drawn = calls(name, {"ifpr", "swap", "add_noise"})
    assert len(drawn) >= 4
    assert all({"seed", "reproducible"} <= set(call) or None in call for call in drawn)


@pytest.mark.parametrize("file", ["README.md", *[f"{name}.ipynb" for name in build.names()]])
def test_links_lead_somewhere(file):
    path = build.HERE / file
    text = path.read_text(encoding="utf-8") if path.suffix == ".md" else prose(path.stem)
    targets = [link.split("#")[0] for link in LINK.findall(text) if "://" not in link]
    assert targets
    assert [link for link in targets if link and not (build.HERE / link).exists()] == []


def test_the_reading_order_names_every_notebook_with_its_minutes():
    rows = re.findall(r"^\| \[\d\. [^\]]+\]\((.+?)\.ipynb\) \| (\d+) min", readme(), flags=re.M)
    minutes = [
        re.search(r"\*\*Time\*\* \| (\d+) minutes", prose(name))[1] for name in build.names()
    ]
    assert rows == list(zip(build.names(), minutes))


def readme() -> str:
    return (build.HERE / "README.md").read_text(encoding="utf-8")


# ---- the builder itself --------------------------------------------------------------


def made(tmp_path, monkeypatch, text: str) -> list[build.Ran]:
    monkeypatch.setattr(build, "SOURCE", tmp_path)
    (tmp_path / "x.md").write_text(text, encoding="utf-8")
    return build.run("x")


def test_a_cell_gives_what_it_prints_its_last_value_and_its_pictures(tmp_path, monkeypatch):
    ran = made(
        tmp_path,
        monkeypatch,
        "# T\n```python\nprint(1)\nx = 2\nx + 1\n```\nx is {{ x }}\n## S\n"
        "```python solution\nimport matplotlib.pyplot as plt\naxes = plt.figure()\n```\n",
    )
    assert [part.cell.kind for part in ran] == [
        "markdown",
        "python",
        "markdown",
        "markdown",
        "python solution",
    ]
    assert ran[1].output == build.Output(printed="1\n", value="3", pictures=0)
    assert ran[2].cell.text == "x is 2" and ran[3].cell.text == "## S"
    assert ran[4].output == build.Output(printed="", value="", pictures=1)


@pytest.mark.parametrize(
    "text, says",
    [
        ("```python\n1 / 0\n```\n", "cell 1, '1 / 0': ZeroDivisionError"),
        ("```python\nassert 1 == 2\n```\n", "AssertionError"),
        ("{{ nothing }}\n", "NameError"),
        ("```python\nimport warnings\n\nwarnings.warn('old')\n```\n", "UserWarning: old"),
    ],
)
def test_a_source_that_does_not_run_is_an_error(tmp_path, monkeypatch, text, says):
    with pytest.raises(build.BuildError, match=re.escape(says)):
        made(tmp_path, monkeypatch, text)


@pytest.mark.parametrize("part", ["source", "text"])
def test_a_changed_number_is_noticed(tmp_path, monkeypatch, part):
    ran = made(tmp_path, monkeypatch, "# T\n```python\nprint(12)\n```\n")
    notebook = build.unexecuted(ran)
    notebook["cells"][1]["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "12\n"}]
    assert build.difference(notebook, ran) == ""
    changed = copy.deepcopy(notebook)
    cell = changed["cells"][1]
    place = cell if part == "source" else cell["outputs"][0]
    place[part] = place[part].replace("12", "13")
    assert build.difference(changed, ran).startswith("cell-02")


def test_a_lost_picture_or_cell_is_noticed(tmp_path, monkeypatch):
    text = "```python\nimport matplotlib.pyplot as plt\n\nfigure = plt.figure()\n```\n"
    ran = made(tmp_path, monkeypatch, text)
    assert "pictures=1" in build.difference(build.unexecuted(ran), ran)
    assert build.difference(build.unexecuted([]), ran) == "0 cells, its source makes 1"


def test_what_a_kernel_writes_to_standard_error_stops_the_build():
    output = {"output_type": "stream", "name": "stderr", "text": "UserWarning: old"}
    cell = {"cell_type": "code", "id": "cell-01", "outputs": [output]}
    with pytest.raises(build.BuildError, match="cell-01 wrote to standard error: UserWarning"):
        build.cleaned({"cells": [cell], "metadata": {}})
