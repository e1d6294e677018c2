"""What counts as treating two readings differently."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from expga.contracts import TIE, BoolArray, Criterion, FloatArray, IndexArray
from expga.errors import InputError


@dataclass(frozen=True, slots=True)
class Flip:
    """Labels that differ."""

    name = "flip"
    labels_decide = True
    what = "label"

    def flips(self, labels: IndexArray, scores: FloatArray) -> BoolArray:  # noqa: ARG002 - labels alone decide
        """(n,) what the model's own answers say."""
        return np.asarray(labels[:, 0] != labels[:, 1])

    def unfair(self, labels: IndexArray, scores: FloatArray, margins: FloatArray) -> BoolArray:
        """(n,) flips with no deciding score within a tie of its boundary."""
        return np.asarray(self.flips(labels, scores) & (margins > TIE).all(axis=1))

    def settings(self) -> dict[str, Any]:
        """Nothing can be set."""
        return {}


@dataclass(frozen=True, slots=True)
class Gap:
    """Scores at least that far apart, whatever the labels."""

    min_gap: float = 0.1

    name = "gap"
    labels_decide = False
    what = "score"

    def __post_init__(self) -> None:
        if not self.min_gap > 0:
            raise InputError(f"The smallest gap that counts must be above 0, not {self.min_gap:g}.")

    def flips(self, labels: IndexArray, scores: FloatArray) -> BoolArray:  # noqa: ARG002 - scores alone decide
        """(n,) what the model's own answers say."""
        return np.asarray(_gap(scores) >= self.min_gap)

    def unfair(self, labels: IndexArray, scores: FloatArray, margins: FloatArray) -> BoolArray:  # noqa: ARG002
        """(n,) gaps that are not just a tie above the smallest that counts."""
        return np.asarray(_gap(scores) > self.min_gap + TIE)

    def settings(self) -> dict[str, Any]:
        """What makes the same criterion again."""
        return asdict(self)


def criterion_of(min_gap: float | None) -> Criterion:
    """Gaps of at least that much or, without one, flips."""
    return Flip() if min_gap is None else Gap(min_gap)


def _gap(scores: FloatArray) -> FloatArray:
    return np.abs(scores[:, 0] - scores[:, 1])
