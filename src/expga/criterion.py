"""What counts as treating two readings differently."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from expga.contracts import TIE, BoolArray, Criterion, FloatArray, IndexArray
from expga.errors import InputError
from expga.inputs import in_short
from expga.registry import Registry, lacking, made

ROUNDING = 2.0**-28
"""By how much of its size a gap may be too small for rounding alone: a few units of what scores are counted in."""


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

    min_gap: Any = 0.1
    """A number above 0."""

    name = "gap"
    labels_decide = False
    what = "score"

    def __post_init__(self) -> None:
        if not (isinstance(self.min_gap, int | float) and self.min_gap > 0):
            raise InputError(f"The smallest gap that counts must be a number above 0, not {in_short(self.min_gap)}.")

    def flips(self, labels: IndexArray, scores: FloatArray) -> BoolArray:  # noqa: ARG002 - scores alone decide
        """(n,) what the model's own answers say."""
        rounding = np.maximum(ROUNDING * np.abs(scores).max(axis=1), min(TIE, self.min_gap / 1_000))
        return np.asarray(np.abs(scores[:, 0] - scores[:, 1]) >= self.min_gap - rounding)

    def unfair(self, labels: IndexArray, scores: FloatArray, margins: FloatArray) -> BoolArray:  # noqa: ARG002
        """(n,) the same: what is as large as the smallest gap counts, however it was rounded."""
        return self.flips(labels, scores)

    def settings(self) -> dict[str, Any]:
        """What makes the same criterion again."""
        return asdict(self)


CRITERIA = Registry("criteria", {"flip": ["expga.criterion:Flip"], "gap": ["expga.criterion:Gap"]})
_OWED = ("name", "labels_decide", "what", "flips", "unfair", "settings")


def criterion_of(given: Any = None, min_gap: float | None = None) -> Criterion:
    """The criterion that a user means: by name, class or object, or by the smallest gap; by default flips."""
    if given is None:
        return Flip() if min_gap is None else Gap(min_gap)
    if min_gap is not None:
        raise InputError("Give either a criterion or a smallest gap that counts, not both.")
    criterion = made(CRITERIA.given(given)[0], "criterion")
    if name := lacking(criterion, _OWED):
        raise InputError(f"The criterion {type(criterion).__name__} has no {name}; see expga.contracts.Criterion.")
    found: Criterion = criterion
    return found


def as_saved(criterion: Criterion) -> dict[str, Any]:
    """A criterion as a summary has it."""
    return {"name": criterion.name, "what": criterion.what, "arguments": criterion.settings()}


def saved_criterion(told: Mapping[str, Any]) -> Criterion:
    """The criterion that a summary names."""
    name, arguments = told.get("name"), told.get("arguments")
    if not isinstance(name, str) or not isinstance(arguments, dict) or name not in CRITERIA.names():
        raise InputError(
            f"The criterion of the audit, {in_short(name)}, is not known here; "
            "give it as an object, or with --criterion."
        )
    try:
        found: Criterion = CRITERIA.named(name)[0](**arguments)
    except TypeError as error:
        raise InputError(f"The criterion {name} of the audit cannot be made again: {error}.") from error
    return found
