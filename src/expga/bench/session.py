"""Who does the runs of a cell, in a process of their own."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from expga.bench.plan import Cell
    from expga.contracts import FloatArray

Train = Callable[[], Any]
Models = Callable[[str, Train], Any]
"""A model by its name: the one that an earlier cell trained, else what the function makes."""


class Session(Protocol):
    """Does the runs of a cell, and keeps what they share."""

    def __init__(self, cell: Cell, models: Models, texts: Path) -> None: ...

    @abstractmethod
    def run(self, repeat: int) -> tuple[dict[str, Any], FloatArray | None]:
        """One run: its figures and what else it tells, and positions for a picture where there are any."""
        ...

    def real(self) -> FloatArray:
        """Positions (n, 2) of real rows, to stand behind those of a run; by default there are no pictures of it."""
        return np.zeros((0, 2))

    @staticmethod
    def outcome(figures: Sequence[dict[str, Any]]) -> str:
        """What the runs of a cell came to, in a few words."""
        return f"{int(np.median([one['found'] for one in figures])):,} findings"
