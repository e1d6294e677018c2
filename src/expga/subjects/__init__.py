"""What is audited: a table or texts, and the model behind one contract."""

from expga.subjects.subject import Subject, tried
from expga.subjects.table import table_subject
from expga.subjects.text import looks_like_texts, text_subject

__all__ = ["Subject", "looks_like_texts", "table_subject", "text_subject", "tried"]
