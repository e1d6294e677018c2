"""Which words tell of gender, country, religion, age or race, and what may stand in their place."""

from __future__ import annotations

from expga.lexicon.lexicon import GraphPath, Lexicon, Sense, load

__all__ = ["GraphPath", "Lexicon", "Sense", "load"]
