"""What an audit came to, and files that hold it."""

from expga.results.audit import Audit, summarise
from expga.results.columns import nan_columns, numbered

__all__ = ["Audit", "nan_columns", "numbered", "summarise"]
