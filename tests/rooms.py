"""What tests ask of the package beside its public names: the functions on breaks and classes of
numbers, and the registry of measures. Only this file says in which module they are.
"""

from __future__ import annotations

from synthpop_py.grouping import (
    assign_classes,
    class_breaks,
    class_labels,
    covering,
    group,
)
from synthpop_py.measures import MEASURES

BY_NAME = {measure.name: measure for measure in MEASURES}

__all__ = [
    "BY_NAME",
    "MEASURES",
    "assign_classes",
    "class_breaks",
    "class_labels",
    "covering",
    "group",
]
