"""placeholder until the keys branch is merged"""


class KeyRisk: ...


def key_risk(*a, **k):
    raise NotImplementedError
