"""What the model has said so far, for a strategy that learns from every answer."""

from __future__ import annotations

from collections import deque

from expga.contracts import Answers, Heard, IntArray

MOST_CELLS = 1 << 22
"""Answers that nobody takes are forgotten, the oldest first, so that no more genes than these are held."""


class Hearing:
    """Answers that wait until a strategy takes them in."""

    def __init__(self) -> None:
        self._parts: deque[Heard] = deque()
        self._cells = 0

    def hear(self, genomes: IntArray, answers: Answers) -> None:
        """Told what the model said of genomes (n, d)."""
        self._parts.append((genomes, answers))
        self._cells += genomes.size
        while self._cells > MOST_CELLS and len(self._parts) > 1:
            self._cells -= self._parts.popleft()[0].size

    def taken(self) -> list[Heard]:
        """All that waits, oldest first; it is forgotten here."""
        parts, self._parts, self._cells = list(self._parts), deque(), 0
        return parts
