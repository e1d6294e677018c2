"""What is audited, a table or texts, each an object that knows its own ways; and the model behind one contract."""

from expga.subjects.columns import nan_columns
from expga.subjects.kind import KINDS, Kind, ListOfRows, Rows, Saved, Values, kind_named, kind_of, saved
from expga.subjects.subject import Subject, Trying

__all__ = [
    "KINDS",
    "Kind",
    "ListOfRows",
    "Rows",
    "Saved",
    "Subject",
    "Trying",
    "Values",
    "kind_named",
    "kind_of",
    "nan_columns",
    "saved",
]
