"""Tables."""

from expga.subjects.table.kind import Table

__all__ = ["Table"]
