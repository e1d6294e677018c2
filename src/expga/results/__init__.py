"""What an audit came to, and files that hold it."""

from expga.results.audit import FILES, KIND, Audit, files_of, summarise
from expga.results.columns import nan_columns, numbered

__all__ = ["FILES", "KIND", "Audit", "files_of", "nan_columns", "numbered", "summarise"]
