"""What an audit came to, and files that hold it."""

from expga.results.audit import FILES, KIND, Audit, files_of, summarise

__all__ = ["FILES", "KIND", "Audit", "files_of", "summarise"]
