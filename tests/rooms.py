"""What tests ask of the package beside its public names: the functions on breaks and classes of
numbers, and the registry of measures. Only this file says in which module they are.
"""

from __future__ import annotations

try:
    from synthpop_py.grouping import (
        assign_classes,
        class_breaks,
        class_labels,
        covering,
        group,
        same_classes,
        stretched,
        told_apart,
    )
    from synthpop_py.measures import MEASURES
except ImportError:  # before the house was rebuilt
    from synthpop_py.core.breaks import class_breaks
    from synthpop_py.core.grouping import (
        assign_classes,
        class_labels,
        covering,
        group,
        same_classes,
        stretched,
        told_apart,
    )
    from synthpop_py.disclosure.measures import MEASURES

BY_NAME = {measure.name: measure for measure in MEASURES}

__all__ = [
    "BY_NAME",
    "MEASURES",
    "assign_classes",
    "class_breaks",
    "class_labels",
    "covering",
    "group",
    "same_classes",
    "stretched",
    "told_apart",
]
