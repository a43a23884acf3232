"""What tests ask of the package beside its public names: the functions on breaks and classes of
numbers, the registry of measures, and what the commands write as CSV. Only this file says in which
module they are.
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

try:
    from synthpop_py.cli import csv_cell, csv_text
except ImportError:
    from synthpop_py.show.csv import csv_cell, csv_text

BY_NAME = {measure.name: measure for measure in MEASURES}

__all__ = [
    "BY_NAME",
    "MEASURES",
    "assign_classes",
    "class_breaks",
    "class_labels",
    "covering",
    "csv_cell",
    "csv_text",
    "group",
    "same_classes",
    "stretched",
    "told_apart",
]
