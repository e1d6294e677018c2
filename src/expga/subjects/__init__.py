"""What is audited: a table or texts, and the model behind one contract."""

from expga.subjects.fingerprint import fingerprint_of, row_hashes
from expga.subjects.subject import Subject, learnt, tried
from expga.subjects.table import table_of, table_subject, unnamed_columns
from expga.subjects.text import looks_like_texts, text_subject, texts_of

__all__ = [
    "Subject",
    "fingerprint_of",
    "learnt",
    "looks_like_texts",
    "row_hashes",
    "table_of",
    "table_subject",
    "text_subject",
    "texts_of",
    "tried",
    "unnamed_columns",
]
