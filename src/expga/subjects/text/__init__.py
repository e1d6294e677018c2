"""Texts."""

from expga.subjects.text.kind import Text

__all__ = ["Text"]
