"""Records the rows of Reiter and Mitra's Table 1 in which the intruder fits the models himself: minutes of work, so that the tutorial and the default tests read the result.

    python -m tests.published.reiter_mitra_record        writes fixtures/expected/reiter_mitra.json

`SYNTHPOP_PY_LONG=1 pytest tests/published/test_reiter_mitra.py` makes the rows again and compares.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from synthpop_py.matching import Posterior, fit_models, identification_risk, partial_synthesis
from tests.published import reiter_mitra_figures as paper

RECORD = Path(__file__).resolve().parents[2] / "fixtures" / "expected" / "reiter_mitra.json"
SEED, DRAWS = 8, 100


def refitted(youths: Any, posterior: Posterior, parameters: str, m: int) -> dict[str, Any]:
    """One row: the intruder fits the models to m sets and draws 100 versions of facility and race."""
    sets = partial_synthesis(youths, posterior, m=m, seed=np.random.default_rng([SEED, m]))
    risk = identification_risk(youths, sets, attack="model", models=posterior.models, parameters=parameters, draws=DRAWS, seed=SEED, **paper.KEYS)
    return {"parameters": parameters, "m": m, **{name: getattr(risk, name) for name in paper.MEASURES}}


def read() -> dict[tuple[str, int], tuple[int, float, int]]:
    rows = json.loads(RECORD.read_text(encoding="utf-8"))["rows"]
    return {(row["parameters"], row["m"]): tuple(row[name] for name in paper.MEASURES) for row in rows}


def main() -> None:
    youths = paper.youths()
    posterior = fit_models(youths, paper.models(youths))
    rows = [refitted(youths, posterior, parameters, m) for parameters in ("fixed", "simulated") for m in paper.SETS]
    about = {"made_by": "python -m tests.published.reiter_mitra_record", "seed": SEED, "draws": DRAWS, "hot_deck_seed": paper.HOT_DECK_SEED}
    lines = ",\n  ".join(json.dumps(row) for row in rows)
    RECORD.write_text(f'{{"about": {json.dumps(about)},\n "rows": [\n  {lines}\n ]}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()
