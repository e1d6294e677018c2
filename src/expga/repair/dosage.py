"""How many found pairs a repair takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from expga.api import replay
from expga.contracts import TIE, IndexArray
from expga.measuring import measure
from expga.repair.evidence import asked
from expga.repair.pairs import HELD_OUT, Pairs
from expga.repair.parts import Material
from expga.repair.repairs import Repair, Repaired

PAIRS_WEIGH = 0.05
"""Of many pairs each counts so little that together they weigh no more than this beside all real rows: their number is
what makes a model fairer, their weight what makes it worse at its task."""
ENOUGH = 0.03
"""The share of findings that may still flip before more pairs are added."""
TIMES = 4
"""How many times as many are added then."""
JUDGING = 0.1
"""Of the rows behind findings that may repair, those that only tell whether there are enough."""
SHARES = (0.1, 0.5, 2.0, 10.0)
"""What `share="auto"` tries."""
VALIDATION = 0.25
"""Of the training rows, what the shares are judged on."""

Tell = Callable[[str], None]


def as_many_as_it_takes(
    repair: Repair, material: Material, count: int, rng: np.random.Generator, tell: Tell
) -> tuple[Repaired, int]:
    """The model repaired with found pairs among others, and how many of these that took.

    Models differ: to some of them the twins say nearly all, others need thousands of pairs. Some findings are kept
    to see whether there are enough; they are none of those that test the repair.

    Args:
        repair: one that takes pairs.
        material: rows, findings, the recipe.
        count: of pairs to begin with.
        rng: decides which.
        tell: called with a sentence before each step.
    """
    kept, judging = _parted(material.pairs, rng)
    part = replace(material, pairs=kept)
    while True:
        made = repair.repaired(part, count, rng)
        still, asked = replay(judging.audit, made.model, criterion=material.reader.criterion)
        if count >= len(kept) or still <= ENOUGH * asked:
            return made, min(count, len(kept))
        count *= TIMES
        tell(f"{still / asked:.0%} of some findings still flip; adding {min(count, len(kept)):,} pairs")


def _parted(pairs: Pairs, rng: np.random.Generator) -> tuple[Pairs, Pairs]:
    """Most of the findings, and up to 1,000 near other rows."""
    rows = rng.permutation(np.unique(pairs.anchor))
    aside = np.isin(pairs.anchor, rows[: round(JUDGING * len(rows))])
    judging = rng.permutation(np.flatnonzero(aside))[:HELD_OUT]
    return pairs.some(np.flatnonzero(~aside)), pairs.some(judging)


def best_count(
    repair: Repair,
    material: Material,
    truth: IndexArray,
    classes: Sequence[Any],
    max_loss: float,
    rng: np.random.Generator,
    tell: Tell,
) -> int:
    """The number of pairs with the fairest model within a loss of accuracy, judged on training rows only.

    Args:
        repair: one that takes pairs.
        material: m rows, findings, the recipe.
        truth: (m,) the class numbers of the rows.
        classes: the labels by these numbers.
        max_loss: of accuracy.
        rng: decides which rows judge.
        tell: called with a sentence before each step.
    """
    reader, subject = material.reader, material.reader.subject
    order = rng.permutation(len(truth))
    aside, kept = np.split(order, [round(VALIDATION * len(order))])
    near = np.isin(material.pairs.anchor, material.numbers[kept])
    part = replace(
        material,
        rows=subject.take(material.rows, kept),
        labels=material.labels[kept],
        numbers=material.numbers[kept],
        pairs=material.pairs.some(np.flatnonzero(near)),
    )
    judged = subject.take(material.rows, aside)

    def figures(model: Any) -> tuple[float, float]:
        wrapped, positive = reader.wrapped(model, judged)
        answers, _ = asked(wrapped, subject.inputs(judged), classes)
        right = float((answers.labels == truth[aside]).mean())
        return right, measure(reader.inquiry(wrapped, positive, judged)).overall.rate or 0.0

    right, _ = figures(part.recipe.fit(subject.inputs(part.rows), part.labels, None, part.seed))
    best: tuple[float, float] | None = None
    last = 0
    for share in SHARES:
        count = max(1, round(share * len(kept)))
        if min(count, len(part.pairs)) == last:  # there are no more pairs than the last share had
            break
        last = min(count, len(part.pairs))
        tell(f"Trying a share of {share:g}")
        accuracy, flips = figures(repair.repaired(part, count, rng).model)
        if right - accuracy <= max_loss + TIE and (best is None or flips < best[0]):
            best = flips, share
    return max(1, round((SHARES[0] if best is None else best[1]) * len(truth)))
