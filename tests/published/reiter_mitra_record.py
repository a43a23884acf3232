"""Records the rows of Reiter and Mitra's Table 1 in which the intruder knows the models, one run
with the data of the bands (62 unique youths). Many runs, with the paper's 64: `reiter_mitra_runs`.

    python -m tests.published.reiter_mitra_record

writes fixtures/expected_models/reiter_mitra.json.

The tests make the rows with a released posterior again and compare, with SYNTHPOP_PY_LONG=1 the
others too.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from synthpop_py.matching import identification_risk
from synthpop_py.synthesis import Posterior, fit_models, partial_synthesis
from tests.published import reiter_mitra_figures as paper

RECORD = Path(__file__).resolve().parents[2] / "fixtures" / "expected_models" / "reiter_mitra.json"
SEED, DRAWS = 8, 100


def row(
    youths: Any, posterior: Posterior, information: str, parameters: str, m: int | None
) -> dict[str, Any]:
    """One row. `information` is "models" (the intruder fits them to m sets) or "posterior"
    (released, so that m does not matter).
    """
    sets = partial_synthesis(
        youths, posterior, m=m or 2, seed=np.random.default_rng([SEED, m or 2])
    )
    known = (
        parameters
        if information == "models"
        else posterior.fixed()
        if parameters == "fixed"
        else posterior
    )
    risk = identification_risk(
        sets,
        youths,
        attack="model",
        models=posterior.models,
        parameters=known,
        draws=DRAWS,
        seed=SEED,
        **paper.KEYS,
    )
    return {
        "information": information,
        "parameters": parameters,
        "m": m,
        **{name: getattr(risk, name) for name in paper.MEASURES},
    }


def read() -> dict[tuple[str, str, int | None], tuple[int, float, int]]:
    rows = json.loads(RECORD.read_text(encoding="utf-8"))["rows"]
    return {
        (r["information"], r["parameters"], r["m"]): tuple(r[name] for name in paper.MEASURES)
        for r in rows
    }


def main() -> None:
    youths = paper.youths()
    posterior = fit_models(youths, paper.models(youths))
    wanted = [("posterior", how, None) for how in ("fixed", "simulated")] + [
        ("models", how, m) for how in ("fixed", "simulated") for m in paper.SETS
    ]
    rows = [row(youths, posterior, *one) for one in wanted]
    about = {
        "made_by": "python -m tests.published.reiter_mitra_record",
        "seed": SEED,
        "draws": DRAWS,
        "hot_deck_seed": paper.HOT_DECK_SEED,
    }
    lines = ",\n  ".join(map(json.dumps, rows))
    RECORD.write_text(
        f'{{"about": {json.dumps(about)},\n "rows": [\n  {lines}\n ]}}\n', encoding="utf-8"
    )


if __name__ == "__main__":
    main()
