"""Build the wheel and the sdist, use each as a stranger would, then put them into dist/.

    make dist                    with uv where it is installed, with pip otherwise
    python scripts/dist.py --pip with pip in any case

Each is installed into an empty environment and used from a folder outside the checkout. Needs a
package index: hatchling to build, and what the package depends on. Nothing is published.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from email.parser import HeaderParser
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
USER = ROOT / "scripts" / "dist_user"  # what a user runs, copied out of the checkout
EXTRAS = "plot,report,rdata,pyreadr"
# the wheel carries the package and its data, nothing that only developers need
NOT_IN_WHEEL = re.compile(r"(^|/)(tests|fixtures|docs|benchmarks|r_reference|scripts)/|\.pyc$")


class DistError(Exception):
    """A check failed; the message says which."""


def say(text: str) -> None:
    print(f"dist: {text}", flush=True)


def check(holds: bool, text: str) -> None:
    if not holds:
        raise DistError(text)


# ---- tools ---------------------------------------------------------------------------


def clean_environment() -> dict[str, str]:
    """The caller's variables without those by which Python would find the checkout."""
    unwanted = {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "MYPYPATH"}
    return {name: value for name, value in os.environ.items() if name not in unwanted}


def run(*command: str | Path, cwd: Path, may_fail: bool = False) -> str:
    """Run a command; what it printed, both streams."""
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=clean_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode and not may_fail:
        shown = " ".join(str(part) for part in command)
        raise DistError(f"{shown} failed:\n{done.stdout[-3000:]}")
    return done.stdout


class Pip:
    """Environments and builds with what every Python has."""

    name = "pip"

    def __init__(self, work: Path) -> None:
        self.work = work

    def environment(self, name: str) -> Path:
        """Make an empty environment; its Python."""
        folder = self.work / name
        run(sys.executable, "-m", "venv", folder, cwd=self.work)
        return folder / ("Scripts" if os.name == "nt" else "bin") / "python"

    def install(self, python: Path, *what: str | Path) -> str:
        pip = [python, "-m", "pip", "--disable-pip-version-check", "install"]
        return run(*pip, *what, cwd=self.work)

    def build(self, source: Path, kind: str, out: Path) -> None:
        """Build `kind` ("sdist" or "wheel") of a source folder."""
        python = self.work / "tools" / ("Scripts" if os.name == "nt" else "bin") / "python"
        if not python.exists():
            self.install(self.environment("tools"), "-q", "build>=1.2")
        run(python, "-m", "build", f"--{kind}", "--outdir", out, source, cwd=self.work)


class Uv(Pip):
    """The same with uv, which is faster."""

    name = "uv"

    def environment(self, name: str) -> Path:
        folder = self.work / name
        run("uv", "venv", "-q", "--no-project", "--python", sys.executable, folder, cwd=self.work)
        return folder / ("Scripts" if os.name == "nt" else "bin") / "python"

    def install(self, python: Path, *what: str | Path) -> str:
        return run("uv", "pip", "install", "--python", python, *what, cwd=self.work)

    def build(self, source: Path, kind: str, out: Path) -> None:
        python = ["--python", sys.executable]
        run("uv", "build", "-q", *python, f"--{kind}", "-o", out, source, cwd=self.work)


# ---- what is inside ------------------------------------------------------------------


def built(folder: Path, pattern: str) -> Path:
    (found,) = folder.glob(pattern)
    return found


def build_all(tools: Pip, work: Path) -> tuple[Path, Path, Path]:
    """The sdist, the wheel made from the checkout, the wheel made from the sdist."""
    tools.build(ROOT, "sdist", work / "sdist")
    tools.build(ROOT, "wheel", work / "wheel")
    sdist = built(work / "sdist", "*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(work / "unpacked", filter="data")
    tools.build(built(work / "unpacked", "*"), "wheel", work / "wheel_of_sdist")
    return sdist, built(work / "wheel", "*.whl"), built(work / "wheel_of_sdist", "*.whl")


def digests(wheel: Path) -> dict[str, str]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: hashlib.sha256(archive.read(name)).hexdigest() for name in archive.namelist()}


def check_same_content(wheel: Path, of_sdist: Path) -> None:
    one, other = digests(wheel), digests(of_sdist)
    differ = sorted(name for name in {*one, *other} if one.get(name) != other.get(name))
    check(not differ, f"the wheel made from the sdist differs in {differ[:10]}")
    say(f"checkout and sdist give the same wheel, {len(one)} files")


def check_wheel(wheel: Path) -> None:
    names = sorted(digests(wheel))
    junk = [name for name in names if NOT_IN_WHEEL.search(name)]
    check(not junk, f"does not belong into the wheel: {junk[:10]}")
    tops = {name.split("/")[0] for name in names}
    info = f"{PROJECT['name'].replace('-', '_')}-{version()}.dist-info"
    check(tops == {"synthpop_py", info}, f"the wheel has the folders {sorted(tops)}")
    check("synthpop_py/py.typed" in names, "the wheel has no py.typed")
    files = (ROOT / "synthpop_py" / "report" / "templates").iterdir()
    templates = [file.relative_to(ROOT).as_posix() for file in files]
    check({*templates} <= {*names}, "the wheel lacks a template of the report")
    with zipfile.ZipFile(wheel) as archive:
        metadata = archive.read(f"{info}/METADATA").decode("utf-8")
    check_metadata(metadata, [f"{info}/licenses/{path}" for path in licence_files()], names)
    say(f"{wheel.name}: {size(wheel)}; the package, its data, the licences, no tests")


def check_sdist(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = [name.split("/", 1)[1] for name in archive.getnames() if "/" in name]
        top = sdist.name.removesuffix(".tar.gz")
        information = archive.extractfile(f"{top}/PKG-INFO")
        metadata = information.read().decode("utf-8") if information else ""
    check_metadata(metadata, licence_files(), names)
    if (ROOT / ".git").exists():
        tracked = set(run("git", "ls-files", cwd=ROOT).splitlines())
        junk = sorted({*names} - tracked - {"PKG-INFO"})
        check(not junk, f"in the sdist although git does not know it: {junk[:10]}")
    for needed in ("tests", "fixtures/data", "fixtures/expected", "docs/src", "scripts"):
        there = any(name.startswith(f"{needed}/") for name in names)
        check(there, f"the sdist has no {needed}: its tests could not be run")
    say(f"{sdist.name}: {size(sdist)}; what git knows, with tests and R's recorded answers")


def check_metadata(text: str, licences: list[str], members: list[str]) -> None:
    metadata = HeaderParser().parsestr(text)
    found = metadata["License-Expression"]
    check(found == PROJECT["license"], f"License-Expression is {found!r}")
    named = metadata.get_all("License-File") or []
    check(named == licence_files(), f"License-File entries are {named}")
    lost = [path for path in licences if path not in members]
    check(not lost, f"licence files that are named but not there: {lost}")
    extras = set(metadata.get_all("Provides-Extra") or [])
    check(extras == {*PROJECT["optional-dependencies"]}, f"extras are {sorted(extras)}")
    check(metadata["Version"] == version(), f"the version is {metadata['Version']}")


def licence_files() -> list[str]:
    paths = (path for pattern in PROJECT["license-files"] for path in ROOT.glob(pattern))
    return sorted(path.relative_to(ROOT).as_posix() for path in paths)


def version() -> str:
    text = (ROOT / "synthpop_py" / "__init__.py").read_text(encoding="utf-8")
    return re.findall(r'^__version__ = "(.+)"$', text, flags=re.MULTILINE)[0]


def size(path: Path) -> str:
    return f"{path.stat().st_size / 1e6:.1f} MB"


# ---- use -----------------------------------------------------------------------------


def check_use(python: Path, outside: Path, name: str) -> None:
    """The demo: figures, data, messages, seen from outside the checkout."""
    said = run(python, outside / "demo.py", version(), cwd=outside)
    say(f"{name}, installed into an empty environment: {said.strip().splitlines()[-1]}")


def check_types(python: Path, outside: Path) -> None:
    """A type checker finds in a user's file what its comments announce, and nothing else."""
    file = outside / "typed.py"
    said = run(python, "-m", "mypy", "--strict", file.name, cwd=outside, may_fail=True)
    expected, found = announced(file.read_text(encoding="utf-8")), reported(said, file.name)
    for line in sorted({*expected, *found}):
        want, got = expected.get(line), found.get(line, "nothing")
        holds = want is not None and re.search(want, got) is not None
        check(holds, f"{file.name}, line {line}: mypy says {got!r}, not {want!r}\n{said}")
    say(f"mypy sees the types of the installed package: {len(expected)} lines as announced")


def announced(text: str) -> dict[int, str]:
    """By line: the pattern after `# says:`."""
    lines = enumerate(text.splitlines(), 1)
    return {at: line.split("  # says: ")[1] for at, line in lines if "  # says: " in line}


def reported(text: str, file_name: str) -> dict[int, str]:
    """By line: what mypy reports, without the notes that follow an error."""
    found = re.findall(rf"^{re.escape(file_name)}:(\d+): (.+)$", text, flags=re.MULTILINE)
    return {int(line): message for line, message in reversed(found)}


def check_extras(tools: Pip, python: Path, wheel: Path) -> None:
    """The extras can be had: of the wheel, and as the messages of the installed package say."""
    for what in (f"{wheel}[{EXTRAS}]", f"{PROJECT['name']}[{EXTRAS}]"):
        said = tools.install(python, "--dry-run", what).lower()
        for package in ("matplotlib", "jinja2", "rdata", "pyreadr"):
            check(package in said, f"{what} does not bring {package}:\n{said}")
    say(f"extras resolve: {EXTRAS}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pip", action="store_true", help="pip also where uv is installed")
    with_pip = parser.parse_args().pip or shutil.which("uv") is None
    with tempfile.TemporaryDirectory(prefix="synthpop_dist_") as temporary:
        work = Path(temporary)
        tools = Pip(work) if with_pip else Uv(work)
        outside = work / "outside"
        shutil.copytree(USER, outside)
        try:
            say(f"building, with {tools.name}")
            sdist, wheel, of_sdist = build_all(tools, work)
            check_same_content(wheel, of_sdist)
            check_wheel(wheel)
            check_sdist(sdist)
            for kind, artefact in {"wheel": wheel, "sdist": sdist}.items():
                python = tools.environment(f"with_{kind}")
                tools.install(python, artefact)
                check_use(python, outside, kind)
                if kind == "wheel":
                    check_extras(tools, python, wheel)
                    tools.install(python, mypy())
                    check_types(python, outside)
        except DistError as error:
            say(f"FAILED. {error}")
            return 1
        (ROOT / "dist").mkdir(exist_ok=True)
        for artefact in (sdist, wheel):
            shutil.copy(artefact, ROOT / "dist")
    say(f"all checks passed; both are in dist/: {wheel.name}, {sdist.name}")
    return 0


def mypy() -> str:
    """The type checker that the project is checked with."""
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = [need for need in groups["dependency-groups"]["check"] if str(need).startswith("mypy")]
    return str(wanted[0])


if __name__ == "__main__":
    sys.exit(main())
