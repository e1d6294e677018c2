"""Findings about a model that does not always answer alike: twins that differ are asked about again."""

from __future__ import annotations

import numpy as np

from expga.comparison import Comparison
from expga.contracts import BoolArray, IndexArray, IntArray
from expga.inquiry import Inquiry

TIMES = 3
"""How often twins must differ once more, in the same way each time, to be a finding."""


class Confirmation:
    """Asks again, in another order and together with others."""

    def __init__(self, inquiry: Inquiry, rng: np.random.Generator) -> None:
        self._inquiry = inquiry
        self._rng = rng

    def cost(self, genomes: IntArray) -> IndexArray:
        """(m,) how many inputs it takes, at most, to ask again about each of these genomes (m, d)."""
        return self._inquiry.cost(genomes, np.full(len(genomes), 2 * TIMES))

    def holds(self, genomes: IntArray, first: Comparison) -> tuple[BoolArray, int]:
        """(m,) which of the genomes (m, d) that were unfair at first are so each time, and the inputs that it took."""
        holds, inputs = first.unfair.copy(), 0
        for _ in range(TIMES):
            some = np.flatnonzero(holds)
            if not len(some):
                break
            again = self._inquiry.again(genomes.take(some, axis=0), first.pair[some], self._rng)
            holds[some] = again.unfair & self._same_way(first, some, again)
            inputs += int(self._inquiry.cost(genomes.take(some, axis=0), np.full(len(some), 2)).sum())
        return holds, inputs

    def _same_way(self, first: Comparison, some: IndexArray, again: Comparison) -> BoolArray:
        """(s,) whether twins do not only differ again, but the same one of them fares better."""
        if self._inquiry.yardstick.criterion.labels_decide:
            return np.asarray((again.labels == first.labels[some]).all(axis=1))
        ways = (np.sign(scores[:, 0] - scores[:, 1]) for scores in (again.scores, first.scores[some]))
        return np.asarray(next(ways) == next(ways))


def left_by_noise(dropped: int, labels_decide: bool) -> float:
    """How many findings are to be expected, at most, of twins that differ by noise alone, where so many were dropped.

    Where the model treats both alike, labels differ in the same way again with odds of a quarter at most: one twin must
    get the one label and the other the other. A gap that is as often there as not comes out the same way with a half.
    """
    passes = (0.25 if labels_decide else 0.5) ** TIMES
    return dropped * passes / (1 - passes)
