"""The one place that decides what is asked: it drops what was seen, and has the rest compared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from expga.comparison import Comparison
from expga.confirmation import Confirmation
from expga.contracts import Asking, Batch, BoolArray, IndexArray, IntArray, KeyArray, Verdict
from expga.domain.hashing import hashed, multipliers_of
from expga.inquiry import Inquiry
from expga.keyset import KeySet
from expga.pairs import possible_pairs


class Oracle:
    """Judges batches: drops what was seen, reads the rest, calls the model as seldom as it can, compares."""

    def __init__(self, inquiry: Inquiry) -> None:
        self._inquiry = inquiry
        self.confirmation: Confirmation | None = None
        """Of a model that does not always answer alike: what is unfair must then hold when it is asked about again."""
        self.dropped = 0
        """Samples that were unfair at first, and did not hold."""
        self._domain = inquiry.domain
        self.seen = KeySet()
        self._memory = Memory()
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
        genomes = batch.genomes.take(fresh, axis=0)
        pair = None if asking == "all" else self._pairs(batch, fresh, valid)
        place = self._memory.places(genomes)
        known = place >= 0
        complete = known | (valid.sum(axis=1) == asked)

        def compared(part: slice) -> Comparison:
            some = np.arange(len(genomes))[part]
            remembered, new = some[known[part]], some[~known[part]]
            found = Comparison.nothing(len(some))
            if len(remembered):
                found.put(known[part], self._memory.shown.those(place[remembered]))
            if len(new) and pair is None:
                found.put(~known[part], self._inquiry.loudest(genomes[new], valid[new]))
            if len(new) and pair is not None:
                found.put(~known[part], self._inquiry.pairs(genomes[new], pair[new]))
            return found

        best, done = self._within(genomes, np.where(known, 0, asked), most_queries, compared)
        return _verdict(novel, fresh[:done], complete[:done], best.those(slice(done)), done < len(genomes))

    def remember(self, genomes: IntArray, shown: Comparison) -> None:
        """Told what all readings of these samples (m, d) came to: nobody is asked about them again."""
        self._memory.add(genomes, shown)

    def _pairs(self, batch: Batch, fresh: IndexArray, valid: BoolArray) -> IndexArray:
        """(m, 2) the two readings that each of these samples (m,) is asked about."""
        own = self._domain.readings.own(batch.genomes.take(fresh, axis=0))
        return possible_pairs(valid, None if batch.pair is None else batch.pair[fresh], own)

    def _within(
        self,
        genomes: IntArray,
        asked: IndexArray,
        most: int | None,
        compared: Callable[[slice], Comparison],
    ) -> tuple[Comparison, int]:
        """What is known of the genomes (m, d), and of how many: the first that so many queries are enough for.

        Where some may have to be asked about again, it is those that are surely covered that are asked about, then as
        many as what is left then covers, and so on.
        """
        best, done = Comparison.nothing(len(genomes)), 0
        cost = self._inquiry.cost(genomes, asked)
        dearest = cost if self.confirmation is None else cost + self.confirmation.cost(genomes)
        while done < len(genomes):
            covered = len(genomes) if most is None else np.searchsorted(np.cumsum(dearest[done:]), most, side="right")
            part = slice(done, min(len(genomes), done + int(covered)))
            if part.start == part.stop:
                break
            found = compared(part)
            holds, inputs = self._confirmed(genomes[part], found)
            self.dropped += int((found.unfair & ~holds).sum())
            best.put(part, replace(found, unfair=holds))
            most = None if most is None else most - inputs - int(cost[part].sum())
            done = part.stop
        return best, done

    def _confirmed(self, genomes: IntArray, found: Comparison) -> tuple[BoolArray, int]:
        """(m,) what is unfair, whenever it is asked, and the inputs that it took to know."""
        return (found.unfair, 0) if self.confirmation is None else self.confirmation.holds(genomes, found)

    def _novel(self, batch: Batch) -> BoolArray:
        """(n,) the first time that a sample is seen, of those that the domain admits."""
        admitted = self._domain.admits(batch.genomes, batch.anchor)
        if admitted.all():
            return self.seen.add(self._domain.keys(batch.genomes))
        self.refused += int((~admitted).sum())
        novel = np.zeros(len(batch), dtype=bool)
        novel[admitted] = self.seen.add(self._domain.keys(batch.genomes[admitted]))
        return novel


class Memory:
    """What is known of samples that were asked about before anybody proposed them.

    They are known again by all of their genes, since a reading may leave protected ones as they are.
    """

    def __init__(self) -> None:
        self.shown = Comparison.nothing(0)
        self._keys = np.zeros(0, dtype=np.uint64)
        self._waiting: list[tuple[KeyArray, Comparison]] = []

    def add(self, genomes: IntArray, shown: Comparison) -> None:
        """Takes in what is known (m,) of samples (m, d)."""
        self._waiting.append((_whole(genomes), shown))

    def places(self, genomes: IntArray) -> IndexArray:
        """(n,) where in `shown` each of the genomes (n, d) stands, -1 where nothing is known."""
        if self._waiting:
            together = np.concatenate([self._keys, *(keys for keys, _ in self._waiting)])
            self._keys, first = np.unique(together, return_index=True)
            self.shown = Comparison.joined([self.shown, *(shown for _, shown in self._waiting)]).those(first)
            self._waiting = []
        if not len(self._keys):
            return np.full(len(genomes), -1)
        keys = _whole(genomes)
        place = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        return np.where(self._keys[place] == keys, place, -1)


def _whole(genomes: IntArray) -> KeyArray:
    """(n,) a hash of all genes of genomes (n, d)."""
    return hashed(genomes, multipliers_of(np.zeros(genomes.shape[1], dtype=bool)))


def _verdict(novel: BoolArray, fresh: IndexArray, complete: BoolArray, best: Comparison, cut: bool) -> Verdict:
    return Verdict(novel, fresh, best.unfair, complete, best.gap, best.pair, best.labels, best.scores, cut)
