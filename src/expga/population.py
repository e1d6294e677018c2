"""How unfair the model is: the share of real rows that flip when only the protected attribute changes."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any, TypeAlias

import msgspec
import numpy as np

from expga.comparison import Comparison
from expga.contracts import BoolArray, Domain, FloatArray, IndexArray, IntArray
from expga.inquiry import Inquiry
from expga.meter import OutOfTimeError
from expga.models.calls import LARGEST_CALL
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
    """(m,) how far the nearer of these two readings lies from the decision boundary; where scores decide, half of what
    the gap lacks to the widest."""
    pair: IndexArray
    """(m, 2) those two readings."""

    @property
    def sampled(self) -> bool:
        """Whether the rate comes from a random sample of the rows."""
        return len(self.asked) < self.total

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


def measure(
    inquiry: Inquiry,
    order: IndexArray | None = None,
    enough: Callable[[], bool] = lambda: False,
    pace: Callable[[], int] = lambda: LARGEST_CALL,
    show: Callable[[IndexArray, Comparison], None] = lambda _rows, _shown: None,
) -> Population:
    """Asks about all readings of the rows in this order until there are no more or it is enough.

    Args:
        inquiry: whom, and about what.
        order: (m,) the numbers of the rows to ask about, in random order so that any part is a sample; all by default.
        enough: asked after each part; the rows done by then are the sample.
        pace: how many queries a part should take by now.
        show: told after each part which rows (n,) it was, and what became of them (n,).
    """
    domain = inquiry.domain
    rows, readings, by_attribute = domain.rows, domain.readings, domain.attribute_readings
    order = np.arange(len(rows)) if order is None else order
    several = len(by_attribute) > 1
    width = readings.count + (sum(alone.count for alone in by_attribute.values()) if several else 0)
    parts: list[tuple[Comparison, BoolArray]] = []
    alone_flips: dict[str, list[BoolArray]] = {name: [] for name in by_attribute}
    alone_valid: dict[str, list[BoolArray]] = {name: [] for name in by_attribute}
    done = 0
    while done < len(order):
        chunk = order[done : done + max(1, pace() // width)]
        genomes = rows[chunk]
        valid = _with_twin(readings.valid(genomes))
        alone_twin = {name: _with_twin(alone.valid(genomes)) for name, alone in by_attribute.items() if several}
        try:
            together = inquiry.loudest(genomes, valid)
            flips_alone = {
                name: inquiry.loudest(genomes, twin, by_attribute[name]).flips for name, twin in alone_twin.items()
            }
        except OutOfTimeError:
            break
        parts.append((together, np.asarray(valid.any(axis=1))))
        for name in by_attribute:
            alone_flips[name].append(flips_alone.get(name, together.flips))
            alone_valid[name].append(np.asarray(alone_twin.get(name, valid).any(axis=1)))
        done += len(chunk)
        show(chunk, together)
        if enough():
            break
    if not parts:
        parts.append((Comparison.nothing(0), np.zeros(0, dtype=bool)))
    flips = np.concatenate([part.flips for part, _ in parts])
    unfair = np.concatenate([part.unfair for part, _ in parts])
    has_twin = np.concatenate([twin for _, twin in parts])
    gap = np.maximum(0.0, np.concatenate([part.gap for part, _ in parts]))
    margin = np.concatenate([part.margins.min(axis=1) for part, _ in parts])
    if not inquiry.yardstick.criterion.labels_decide:
        margin = (gap.max(initial=0.0) - gap) / 2
    return Population(
        total=len(rows),
        asked=order[:done],
        no_twin=int((~has_twin).sum()),
        ties=int((flips & ~unfair).sum()),
        overall=FlipRate(int(has_twin.sum()), int(flips.sum())),
        by_attribute={
            name: FlipRate(sum(int(v.sum()) for v in alone_valid[name]), sum(int(f.sum()) for f in alone_flips[name]))
            for name in by_attribute
        },
        unfair=unfair,
        gap=gap,
        margin=margin,
        pair=np.concatenate([part.pair for part, _ in parts]),
    )


def queries_of(domain: Domain, rows: IntArray) -> IndexArray:
    """(n,) how many queries it takes to measure each of these rows (n, d)."""
    alone = domain.attribute_readings.values()
    asked = [domain.readings, *(alone if len(alone) > 1 else ())]
    count = np.sum([_with_twin(some.valid(rows)).sum(axis=1) for some in asked], axis=0)
    voices = domain.readings.voices(rows)
    return np.asarray(count if voices is None else count * voices)


def _with_twin(valid: BoolArray) -> BoolArray:
    """(n, R) the valid readings of rows that have at least two; a single one proves nothing."""
    return np.asarray(valid & (valid.sum(axis=1, keepdims=True) >= 2))
