"""What changes when nothing does: real rows are asked about twice, as they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import msgspec
import numpy as np

from expga.contracts import TIE, Answers, BoolArray, IntArray, Readings
from expga.inquiry import Inquiry
from expga.models.answers import joined, some_of
from expga.models.calls import LARGEST_CALL
from expga.population import FlipRate, Noise

MOST_ROWS = 200
FEWEST_ROWS = 8
"""Of fewer, a table that has more is not asked about: they would say nothing."""
SHARE = 0.02
"""The most of a budget that asking twice may take, ..."""
LARGEST_SHARE = 0.05
"""... and for the fewest rows; where answers vary, as much again shows whether they do so in the same call."""
UNLIKELY = 1e-3
"""Odds below which answers are those of another model."""
DRAWN = 10_000
"""Rows among which those are looked for that have a twin."""

Steadiness: TypeAlias = Literal["alike", "random", "by the batch", "unknown"]


class Placebo(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a model answered when it was asked about the same rows again, in another order and in other calls."""

    rows: int = 0
    """That were asked about twice; 0: the budget was too small."""
    changed: int = 0
    """Those that disagree with themselves, by the criterion of the run."""
    relabelled: int = 0
    """Those with another label."""
    moved: int = 0
    """Those with any other answer, but for rounding."""
    furthest: float = 0.0
    """By how much a score moved, at most."""
    alike_in_batch: bool = True
    """Whether rows that came twice in one and the same call were answered alike."""
    odds: dict[str, float] = {}
    """By attribute, and "" for all together: how many times as often as a row disagrees with itself one of its readings
    disagrees with another by noise alone, at most."""

    @property
    def answers(self) -> Steadiness:
        """What the model was seen to do."""
        if not self.rows:
            return "unknown"
        if not self.moved:
            return "alike"
        return "by the batch" if self.alike_in_batch else "random"

    @property
    def varies(self) -> bool:
        """Whether the same question was answered in two ways, be it only by other scores."""
        return self.moved > 0

    @property
    def rate(self) -> FlipRate:
        """The placebo rate: how often a row disagrees with itself."""
        return FlipRate(self.rows, self.changed)

    def noise(self, attribute: str = "") -> Noise | None:
        """What a flip rate would be by noise alone; None where there was none, or nobody knows."""
        odds = self.odds.get(attribute)
        if not self.varies or odds is None:
            return None
        rate, (low, high) = self.changed / self.rows, self.rate.ci95
        return Noise(*(min(1.0, odds * share) for share in (rate, low, high)))

    def explains(self, relabelled: int, rows: int) -> bool:
        """Whether so many of these rows may have got another label because this model does not always answer alike."""
        from scipy.stats import binom

        return bool(binom.sf(relabelled - 1, rows, FlipRate(self.rows, self.relabelled).ci95[1]) > UNLIKELY)

    def as_dict(self) -> dict[str, Any]:
        """The numbers as they stand in a summary."""
        return {
            **self.rate.as_dict(),
            "answers": self.answers,
            "relabelled": self.relabelled,
            "moved": self.moved,
            "furthest": self.furthest,
        }

    def notes(self, what: str) -> list[str]:
        """What users should know of it; `what` is what changes, in a word."""
        if self.answers == "unknown":
            return [
                "The budget is too small to ask about some rows twice: whether the model always answers alike is not "
                "known, and differences may be noise."
            ]
        if self.answers == "alike":
            return []
        told = f"{self.changed:,} of {self.rows:,} got another {what}"
        if self.moved > self.changed:
            told += f", and the answers about {self.moved:,} moved, scores by up to {self.furthest:.2g}"
        if self.answers == "random":
            return [
                f"The model is random: rows that it was asked about twice were answered differently, even in one and "
                f"the same batch ({told}). So a finding must hold whenever it is asked about again; repeats, such as "
                "5, takes the majority of several answers."
            ]
        return [
            f"The model's answer about a row depends on what else is in the batch: asked twice, the same batch was "
            f"answered alike, and the same rows in another batch differently ({told}). It may standardise by the "
            "batch, or be in training mode; mend it before you trust these figures. A finding must hold in other "
            "batches too."
        ]


def rows_to_ask(inquiry: Inquiry, inputs: float, left: float, rng: np.random.Generator) -> IntArray:
    """(n, d) random rows to ask about twice, each under one of its readings at random; none where it would be too few.

    Args:
        inquiry: whom, and about what.
        inputs: how many inputs the whole budget covers.
        left: how many are left of them.
        rng: draws the rows.
    """
    domain, readings = inquiry.domain, inquiry.domain.readings
    drawn = domain.rows[rng.permutation(len(domain.rows))[:DRAWN]]
    valid = readings.valid(drawn)
    with_twin = np.flatnonzero(valid.sum(axis=1) >= 2)[:MOST_ROWS]
    drawn, valid = drawn[with_twin], valid[with_twin]
    dear = np.cumsum(inquiry.cost(drawn, np.full(len(drawn), 2)))
    fewest = min(FEWEST_ROWS, len(drawn))
    for share, most in ((SHARE, MOST_ROWS), (LARGEST_SHARE, fewest)):
        count = min(most, int(np.searchsorted(dear, min(share * inputs, left / 2), side="right")))
        if count >= fewest:
            reading = (valid * rng.random(valid.shape)).argmax(axis=1)
            return readings.read(drawn[:count], reading[:count])
    return drawn[:0]


def ask_twice(
    inquiry: Inquiry, genomes: IntArray, rng: np.random.Generator, pace: Callable[[], int] = lambda: LARGEST_CALL
) -> Placebo:
    """The placebo of these rows (n, d): asked at once, then in another order and in two parts.

    Args:
        inquiry: whom, and about what.
        genomes: as `rows_to_ask` gives them.
        rng: draws the order.
        pace: how many inputs a single call has by now.
    """
    if not len(genomes):
        return Placebo()
    whole, order = inquiry.about(genomes), rng.permutation(len(genomes))
    parts = [inquiry.about(genomes[part]) for part in np.split(order, [len(order) // 3]) if len(part)]
    first, again = _side_by_side(whole, some_of(joined(parts), np.argsort(order)))
    changed = inquiry.yardstick.sides(first, again).flips
    moves, relabelled = np.abs(first.scores - again.scores).max(axis=1), first.labels != again.labels
    moved = changed | _differ(first, again)
    alike = not moved.any() or _alike_in_batch(inquiry, genomes[np.argsort(~moved, kind="stable")], pace())
    return Placebo(
        rows=len(genomes),
        changed=int(changed.sum()),
        relabelled=int(relabelled.sum()),
        moved=int(moved.sum()),
        furthest=float(moves.max()),
        alike_in_batch=alike,
        odds=_odds(inquiry, genomes),
    )


def _alike_in_batch(inquiry: Inquiry, genomes: IntArray, pace: int) -> bool:
    """Whether the first of these rows (n, d), so many that they surely fit into one call, are answered alike in it."""
    cost = np.cumsum(inquiry.cost(genomes, np.ones(len(genomes), dtype=np.intp)))
    some = genomes[: max(1, int(np.searchsorted(cost, pace // 2, side="right")))]
    return not _differ(*_side_by_side(inquiry.about(some), inquiry.about(some))).any()


def _differ(one: Answers, other: Answers) -> BoolArray:
    """(n,) where two answers are not the same but for rounding."""
    far = np.abs(one.scores - other.scores) > TIE * np.maximum(1.0, np.abs(one.scores))
    return np.asarray(far.any(axis=1) | (one.labels != other.labels))


def _side_by_side(one: Answers, other: Answers) -> tuple[Answers, Answers]:
    """Both with as many classes; a model of labels may know more of them the second time."""
    both = joined([one, other])
    first = np.arange(len(one.labels))
    return some_of(both, first), some_of(both, first + len(first))


def _odds(inquiry: Inquiry, genomes: IntArray) -> dict[str, float]:
    """By attribute, and "" for all together: the mean of `odds_of` over these rows (n, d)."""
    domain = inquiry.domain
    labels_decide = inquiry.yardstick.criterion.labels_decide
    each = {"": domain.readings, **domain.attribute_readings}
    return {name: odds_of(readings, genomes, labels_decide) for name, readings in each.items()}


def odds_of(readings: Readings, genomes: IntArray, labels_decide: bool) -> float:
    """How many times as often as two answers to one question all answers to several, one a reading, are not alike.

    With R readings there are R (R - 1) / 2 pairs, each as likely to differ as two answers to one question, so it is
    that many times at most. Where labels that are not all the same make R - 1 pairs at least differ, it is R / 2 times.
    """
    several = readings.valid(genomes).sum(axis=1)
    several = several[several >= 2]
    return float(np.mean(several / 2 * (1 if labels_decide else several - 1))) if len(several) else 1.0
