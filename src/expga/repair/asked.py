"""What a user asks of a repair, checked."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np

from expga.errors import InputError
from expga.repair.pairs import RELABELS, Relabel

Share = float | Literal["auto"] | None
MOST = 2_000_000_000
"""Numbers beyond are more than a random state can be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The choices of `expga.retrain`, by the same names."""

    repair: str
    repairs: tuple[str, ...]
    """All that are measured: the repair, and those compared with it."""
    share: Share
    relabel: Relabel
    weight: float | None
    rounds: int
    test_share: float
    repeats: int
    max_loss: float
    max_queries: int
    seed: int

    def __post_init__(self) -> None:
        if self.relabel not in RELABELS:
            raise InputError(f"There is no way {self.relabel!r} to label pairs; choose one of {', '.join(RELABELS)}.")
        if self.share != "auto" and self.share is not None:
            _above_zero(self.share, "The share of pairs to add")
        if self.weight is not None:
            _above_zero(self.weight, "The weight of added rows")
        if not (_number(self.max_loss) and 0 <= self.max_loss < np.inf):
            raise InputError(f"The loss of accuracy to accept must be 0 or more, not {self.max_loss!r}.")
        if not (_number(self.test_share) and 0 < self.test_share < 1):
            raise InputError(f"The share of rows to set aside must lie between 0 and 1, not {self.test_share!r}.")
        _whole(self.rounds, 1, "The number of rounds")
        _whole(self.repeats, 1, "The number of repeats")
        _whole(self.max_queries, 1, "The number of queries")
        _whole(self.seed, 0, "The seed")


def _number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _above_zero(value: Any, what: str) -> None:
    if not (_number(value) and 0 < value < np.inf):
        raise InputError(f"{what} must be a number above 0, not {value!r}.")


def _whole(value: Any, least: int, what: str) -> None:
    if not (_number(value) and isinstance(value, Integral) and least <= int(value) <= MOST):
        raise InputError(f"{what} must be a whole number from {least} to {MOST:,}, not {value!r}.")
