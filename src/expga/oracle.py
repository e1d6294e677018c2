"""The one place that decides what is asked: it drops what was seen, and has the rest compared."""

from __future__ import annotations

import numpy as np

from expga.comparison import Comparison
from expga.contracts import Asking, Batch, BoolArray, IndexArray, IntArray, Verdict
from expga.inquiry import Inquiry
from expga.keyset import KeySet
from expga.pairs import possible_pairs


class Oracle:
    """Judges batches: drops what was seen, reads the rest, calls the model as seldom as it can, compares."""

    def __init__(self, inquiry: Inquiry) -> None:
        self._inquiry = inquiry
        self._domain = inquiry.domain
        self.seen = KeySet()
        self.refused = 0
        """Samples that were not asked about, since their domain does not admit them."""

    def judge(self, batch: Batch, asking: Asking, most_queries: int | None = None) -> Verdict:
        """The verdicts on a batch (n,).

        Args:
            batch: what to judge.
            asking: two readings a sample, or all.
            most_queries: leave the rest of the batch untested where it would take more.
        """
        novel = self._novel(batch)
        fresh = np.flatnonzero(novel)
        valid = self._domain.readings.valid(batch.genomes.take(fresh, axis=0))
        two = valid.sum(axis=1) >= 2
        fresh, valid = fresh[two], valid[two]
        asked = valid.sum(axis=1) if asking == "all" else np.full(len(fresh), 2)
        affordable = self._affordable(batch.genomes.take(fresh, axis=0), asked, most_queries)
        cut = affordable < len(fresh)
        fresh, valid = fresh[:affordable], valid[:affordable]
        genomes = batch.genomes.take(fresh, axis=0)
        if asking == "all":
            return _verdict(novel, fresh, np.ones(len(fresh), dtype=bool), self._inquiry.loudest(genomes, valid), cut)
        pair = possible_pairs(valid, None if batch.pair is None else batch.pair[fresh])
        return _verdict(novel, fresh, valid.sum(axis=1) == 2, self._inquiry.pairs(genomes, pair), cut)

    def _novel(self, batch: Batch) -> BoolArray:
        """(n,) the first time that a sample is seen, of those that the domain admits."""
        admitted = self._domain.admits(batch.genomes, batch.anchor)
        if admitted.all():
            return self.seen.add(self._domain.keys(batch.genomes))
        self.refused += int((~admitted).sum())
        novel = np.zeros(len(batch), dtype=bool)
        novel[admitted] = self.seen.add(self._domain.keys(batch.genomes[admitted]))
        return novel

    def _affordable(self, genomes: IntArray, asked: IndexArray, most_queries: int | None) -> int:
        """How many of the first genomes (m, d) can be asked about under so many readings (m,) each."""
        if most_queries is None:
            return len(genomes)
        return int(np.searchsorted(np.cumsum(self._inquiry.cost(genomes, asked)), most_queries, side="right"))


def _verdict(novel: BoolArray, fresh: IndexArray, complete: BoolArray, best: Comparison, cut: bool) -> Verdict:
    return Verdict(novel, fresh, best.unfair, complete, best.gap, best.pair, best.labels, best.scores, cut)
