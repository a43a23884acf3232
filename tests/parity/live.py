"""The real synthpop in this process, through rpy2. R starts once; cases go in and results come out
as JSON text.
"""

from __future__ import annotations

import json
import os
import warnings
from pathlib import Path
from typing import Any

from r_reference.records import ROOT, reference_version

R_FOLDER = ROOT / "r_reference"
FIXTURES = ROOT / "fixtures" / "data"


def reason_for_no_r(version: str | None = None) -> str | None:
    """Why the live comparison cannot run here; None when it can."""
    if os.environ.get("SYNTHPOP_PY_NO_R"):
        return "SYNTHPOP_PY_NO_R is set"
    library = R_FOLDER / "library" / (version or reference_version())
    if not (library / "synthpop").is_dir():
        return f"synthpop {library.name} is not installed (run `make r`)"
    _prepare_environment()  # before R starts, which importing rpy2 does
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import rpy2.robjects  # noqa: F401
    except Exception as error:  # rpy2 raises many kinds when R is absent or built differently
        return f"rpy2 cannot start R ({type(error).__name__}: {error})"
    return None


def _prepare_environment() -> None:
    os.environ["R_LIBS"] = str(R_FOLDER / "library" / reference_version())
    os.environ["R_PROFILE_USER"] = os.environ["R_ENVIRON_USER"] = os.devnull
    os.environ["LC_ALL"] = "C.UTF-8"
    os.environ["TZ"] = "UTC"


class LiveR:
    """R with the reference version of synthpop and our runner loaded."""

    def __init__(self) -> None:
        _prepare_environment()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import rpy2.robjects as robjects

            self.r = robjects.r
            self.r("suppressMessages({ library(synthpop); library(jsonlite) })")
            for name in ("json.R", "frames.R", "data_files.R", "run_case.R"):
                self.r["source"](str(R_FOLDER / name))
        loaded = Path(self.r("find.package('synthpop')")[0]).resolve()
        wanted = (R_FOLDER / "library" / reference_version() / "synthpop").resolve()
        if loaded != wanted:
            raise RuntimeError(
                "R loaded another synthpop than the one in"
                f" r_reference/library/{reference_version()}; restart Python and try again"
            )

    def run(self, case: dict[str, Any], collation: str = "icu") -> dict[str, Any]:
        """The record of a case as R makes it now."""
        text = json.dumps(case, ensure_ascii=False)
        return json.loads(self.r["run_case_json"](text, collation, str(FIXTURES))[0])


def run_in_subprocess(case_file: Path, version: str, output: Path) -> list[dict[str, Any]]:
    """The same for another version of synthpop: two versions cannot be loaded into one R."""
    from r_reference.record import run_batch

    return [json.loads(line) for line in run_batch(case_file, version, output)[1:]]
