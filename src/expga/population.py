"""How unfair the model is: the share of real rows that flip when only the protected attribute changes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any, TypeAlias

import msgspec
import numpy as np

from expga.contracts import BoolArray, FloatArray, IndexArray
from expga.store import pack, unpack

Z95 = 1.959963984540054
"""How many standard deviations to either side hold 95% of a normal distribution."""
_ARRAYS = ("asked", "unfair", "gap", "margin", "pair")
_Head: TypeAlias = tuple[int, int, int, list[tuple[str, int, int]]]
"""Rows in the data, those without a twin, ties; and by name how many rows were asked about and flipped."""


@dataclass(frozen=True, slots=True)
class Noise:
    """What a flip rate would be if nothing but a model's own whims made rows flip, with its 95% interval."""

    rate: float
    low: float
    high: float

    def as_dict(self) -> dict[str, Any]:
        """The numbers as they stand in a summary."""
        return {"rate": self.rate, "ci95": [self.low, self.high]}


@dataclass(frozen=True, slots=True)
class FlipRate:
    """A share of rows, with its 95% Wilson interval."""

    rows: int
    flipped: int
    noise: Noise | None = None
    """Of a model that does not always answer alike: what the rate would be by that alone."""
    placebo: FlipRate | None = None
    """How often a row disagrees with itself, where that was measured beside it."""

    @property
    def rate(self) -> float | None:
        """None where no row was measured."""
        return self.flipped / self.rows if self.rows else None

    @property
    def ci95(self) -> tuple[float, float]:
        """As scipy's `binomtest` has it, without the time that importing scipy takes."""
        n = self.rows
        if not n:
            return 0.0, 1.0
        p, whole = self.flipped / n, 2 * (n + Z95**2)
        centre = (2 * n * p + Z95**2) / whole
        half = Z95 / whole * sqrt(4 * n * p * (1 - p) + Z95**2)
        return (centre - half if self.flipped else 0.0), (centre + half if self.flipped < n else 1.0)

    @property
    def at_least(self) -> float:
        """What surely (95%) flips for the attribute: the lower bound of the rate, or of what it is beyond the noise.

        That of a difference is Newcombe's, made of both intervals.
        """
        low = self.ci95[0]
        if self.noise is None or self.rate is None:
            return low
        beyond, reach = self.rate - self.noise.rate, np.hypot(self.rate - low, self.noise.high - self.noise.rate)
        return max(0.0, float(beyond - reach))

    def as_dict(self) -> dict[str, Any]:
        """The numbers as they stand in a summary."""
        return {"rows": self.rows, "flipped": self.flipped, "rate": self.rate, "ci95": list(self.ci95)}

    def beside(self, noise: Noise | None) -> dict[str, Any]:
        """The same, and what noise alone would make of it."""
        at_least = replace(self, noise=noise).at_least
        return {**self.as_dict(), "by_noise": None if noise is None else noise.as_dict(), "at_least": at_least}


@dataclass(frozen=True, slots=True)
class Population:
    """What the model said about the readings of real rows."""

    total: int
    """Rows in the data."""
    asked: IndexArray
    """(m,) the numbers of the rows asked about: all of them, or a random sample."""
    no_twin: int
    """Rows asked about that have fewer than two possible readings: they leave the denominator."""
    ties: int
    """Flipped rows whose flip hangs on a tie: they count here, and never as a finding."""
    overall: FlipRate
    by_attribute: dict[str, FlipRate]
    unfair: BoolArray
    """(m,) whether a row flips, ties left out."""
    gap: FloatArray
    """(m,) the largest score gap between a row's readings."""
    margin: FloatArray
    """(m,) how far the nearer of these two readings lies from the decision boundary; infinite where scores decide."""
    pair: IndexArray
    """(m, 2) those two readings."""

    @property
    def sampled(self) -> bool:
        """Whether the rate comes from a random sample of the rows."""
        return len(self.asked) < self.total

    @classmethod
    def joined(cls, parts: Sequence[Population]) -> Population:
        """What was measured of the same data in several parts, at least one, each of other rows."""
        first = parts[0]
        arrays = {name: np.concatenate([getattr(part, name) for part in parts]) for name in _ARRAYS}
        return cls(
            total=first.total,
            no_twin=sum(part.no_twin for part in parts),
            ties=sum(part.ties for part in parts),
            overall=_together([part.overall for part in parts]),
            by_attribute={name: _together([part.by_attribute[name] for part in parts]) for name in first.by_attribute},
            **arrays,
        )

    def packed(self) -> bytes:
        """All of it as bytes."""
        rates = {"": self.overall, **self.by_attribute}
        head = json.dumps([self.total, self.no_twin, self.ties, [[n, r.rows, r.flipped] for n, r in rates.items()]])
        arrays = {name: getattr(self, name) for name in _ARRAYS}
        return pack({"head": np.frombuffer(head.encode(), dtype=np.uint8), **arrays})

    @classmethod
    def unpacked(cls, packed: bytes) -> Population:
        """What `packed` gave."""
        arrays = unpack(packed)
        total, no_twin, ties, rates = msgspec.json.decode(arrays["head"].tobytes(), type=_Head)
        (_, *overall), *alone = rates
        if len({len(arrays[name]) for name in _ARRAYS}) != 1:
            raise ValueError("its arrays are not of one length")
        return cls(
            total=total,
            asked=arrays["asked"].astype(np.intp),
            no_twin=no_twin,
            ties=ties,
            overall=FlipRate(*overall),
            by_attribute={name: FlipRate(rows, flipped) for name, rows, flipped in alone},
            unfair=arrays["unfair"],
            gap=arrays["gap"],
            margin=arrays["margin"],
            pair=arrays["pair"].astype(np.intp),
        )

    def as_dict(self) -> dict[str, Any]:
        """The numbers as they stand in a summary."""
        return {
            **self.overall.as_dict(),
            "total_rows": self.total,
            "sampled": self.sampled,
            "rows_without_twin": self.no_twin,
            "ties": self.ties,
        }


def _together(rates: Sequence[FlipRate]) -> FlipRate:
    return FlipRate(sum(rate.rows for rate in rates), sum(rate.flipped for rate in rates))
