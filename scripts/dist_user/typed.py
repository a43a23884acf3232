"""A user's file, as a type checker sees it; `make dist` compares what follows `# says:`."""

from __future__ import annotations

from typing import reveal_type

import synthpop_py
import synthpop_py.ifpr.risk
from synthpop_py import (
    InputError,
    SynDS,
    datasets,
    disclosure,
    identification_risk,
    ifpr,
    key_risk,
    multi_disclosure,
    ru_map,
)

original = datasets.load("SD2011")
synthetic = datasets.load_synthesis("SD2011_s1")
result = disclosure(synthetic, original, keys=["sex", "age"], target="depress")

reveal_type(synthetic)  # says: "synthpop_py.synds.SynDS"
reveal_type(result)  # says: "synthpop_py.results.Disclosure"
reveal_type(synthpop_py.disclosure(synthetic, original, ["sex"], "ls"))  # says: results.Disclosure"
reveal_type(multi_disclosure(synthetic, original, ["sex"]))  # says: MultiDisclosure"
reveal_type(key_risk(synthetic, original, ["sex"], "ls"))  # says: KeyRisk"
reveal_type(ifpr(original, ["sex"], xi=0.4))  # says: IFPRRelease"
reveal_type(ru_map)  # says: RUMap"

# the tables by name, by position and name
by_r = disclosure(object=synthetic, data=original, keys=["sex"], target="ls")
by_both = disclosure(synthetic, data=original, keys=["sex"], target="ls")
matched = identification_risk(synthetic, original=original, known=["sex"], synthesised=["ls"])
reveal_type((by_r, by_both))  # says: tuple.*Disclosure, .*Disclosure\]"
reveal_type(matched)  # says: IdentificationRisk"
reveal_type(InputError("x"))  # says: InputError"

print(result.no_such_thing)  # says: error: "Disclosure" has no attribute
disclosure(synthetic, original, ["sex"], "ls", digits="two")  # says: error: Argument "digits" to
disclosure(synthetic, original, ["sex"])  # says: error: Missing positional argument
SynDS()  # says: error: Missing positional argument
print(synthpop_py.disclosre)  # says: error: Module has no attribute "disclosre"
