"""Models of any make behind one contract."""

from expga.models.wrap import wrap

__all__ = ["wrap"]
