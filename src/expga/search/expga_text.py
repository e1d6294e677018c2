"""Our default search over texts: each text learns what its words do to the score, and breeds where twins part."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import numpy as np

from expga.contracts import (
    Answers,
    Batch,
    BoolArray,
    Context,
    FloatArray,
    IndexArray,
    IntArray,
    Probe,
    Strategy,
    Texts,
    Verdict,
)
from expga.keyset import KeySet, first_of_equals
from expga.pairs import possible_pairs
from expga.search.operators import roulette, runs
from expga.search.word_effects import WordEffects

TEXT, SLOTS = 0, 3
"""Genes of a text: its number, then reading and voice, then its words."""
PARENTS = 8
"""Findings that each text keeps to breed from."""
MOST_TEXTS = 4_096
"""Texts that are searched around at once, the most promising first; then come the next."""
MOVED = 3
"""A mutated child has up to this many other words than its parent."""
CANDIDATES = 8
"""Children bred for each one that is asked about."""
UNSCREENED = 0.5
"""Against the mean chance, how often a child is taken as it comes: what was learned wrongly can be unlearned."""
LITTER, LARGEST_LITTER = 32, 128
"""Random versions of a text that are looked at first, for each word that can be replaced, and in all."""
WORTH = 0.2
"""The chance from which a child is worth asking about."""
WORTH_AT_FIRST, PATIENCE = 0.02, 128
"""The same for a text without a finding, until so many of its children were asked about."""
NEARER = 0.8
"""How much a child with one changed word more must be more promising to come first."""
SHOTS = 16
"""Versions in a generation that go straight for the boundary, of each text without a finding."""
MOST_AIMED = 8
"""Words that such a version changes at most: long texts should stay readable too."""
PROBES = 2
"""In batches, how many versions of texts are asked about at a time, at most, to learn what words do."""
TOGETHER = 16
"""Texts that come up together."""
FEWEST = 0.15
"""The share of a batch below which the next texts come up."""
BELIEF = 4.0
"""How many tests a text's promise is worth against what it has shown."""
LARGEST_SHARE = 0.01
"""No text should supply more of the findings than this."""
MEMORY = 0.9
"""From one generation to the next, how much a text's latest share of new children still counts."""
LIVELY = 0.008
"""The share of new children worth asking about from which a generation counts as lively."""
GIVE_UP = 1
"""Generations in a row that are not before the neighbourhood counts as exhausted."""
AGAIN = 1
"""How often texts without a finding are then tried again, with what was learned meanwhile."""


class TextExpGA(Strategy):
    """ExpGA's parts put together by measurement, for texts.

    Deviations from the paper: parents come from the findings of each text instead of the last generation; a
    text's record (found of tested) replaces the gap as fitness, and texts that supplied their share wait; what
    each substitute does to the score is asked once for the texts whose turn it is, without twins, and of
    several children those are asked about whose twins should then fall on either side of the decision; a child
    is asked under its parent's readings only.
    """

    name = "expga"
    kinds = ("text",)
    published_seeds = True

    def search(self, context: Context) -> Generator[Batch | Probe, Any, None]:
        for start in range(0, len(context.seeds.rows), MOST_TEXTS):
            yield from self._around(_Herd(context, slice(start, start + MOST_TEXTS)))

    def _around(self, herd: _Herd) -> Generator[Batch | Probe, Any, None]:
        """Searches around some texts until nothing new is worth asking about."""
        for batch in herd.known():
            herd.learn(batch, (yield batch))
        barren = again = 0
        while barren < GIVE_UP or again < AGAIN:
            if barren == GIVE_UP:
                herd.try_again()
                barren, again = 0, again + 1
            while len(probe := herd.next_probe()):
                herd.explain(probe, (yield probe))
            batch = herd.next_batch()
            herd.learn(batch, (yield batch))
            barren = barren + 1 if herd.spent else 0


@dataclass(slots=True)
class _Parents:
    """Up to eight findings of each text: t texts, d genes."""

    genomes: IntArray
    """(t, 8, d)"""
    count: IndexArray
    """(t,)"""

    def add(self, text: IndexArray, genomes: IntArray, rng: np.random.Generator) -> None:
        """Takes in findings (n, d) of texts (n,), in the place of random ones where there is no room."""
        place = np.where(self.count[text] < PARENTS, self.count[text], rng.integers(0, PARENTS, len(text)))
        self.genomes[text, place] = genomes
        self.count[text] = np.minimum(PARENTS, self.count[text] + 1)

    def draw(self, text: IndexArray, rng: np.random.Generator) -> IntArray:
        """(n, d) a finding of each text (n,); the text as it is where there is none."""
        place = (rng.random(len(text)) * np.maximum(1, self.count[text])).astype(np.intp)
        return np.asarray(self.genomes[text, place])


class _Herd:
    """The texts searched around, with their findings, records and words; t of them."""

    def __init__(self, context: Context, some: slice) -> None:
        self._context = context
        seeds, rows = context.seeds, context.domain.rows
        self._row: IndexArray = seeds.rows[some]
        self._promise: FloatArray = seeds.promise[some]
        self._pair: IndexArray = possible_pairs(context.domain.readings.valid(rows[self._row]), seeds.pair[some])
        self._text: IndexArray = np.zeros(len(rows), dtype=np.intp)
        self._text[self._row] = np.arange(len(self._row))
        texts = len(self._row)
        self._found: FloatArray = np.zeros(texts)
        self._tested: FloatArray = np.zeros(texts)
        self._tested_then: FloatArray = np.zeros(texts)
        self._bred: FloatArray = np.ones(texts)
        self._new: FloatArray = np.ones(texts)
        genomes = np.repeat(rows[self._row][:, None], PARENTS, axis=1)
        self._parents = _Parents(genomes, np.zeros(texts, dtype=np.intp))
        self._effects = WordEffects(texts, rows.shape[1])
        self._seen = KeySet()
        # Without one score that decides there is nothing to learn of words: all texts are up at once.
        self._probed = 0 if context.deciding is not None else texts
        self._least = max(1, int(FEWEST * context.batch_size))
        self._wanted = self._least
        self._waiting: list[tuple[IntArray, FloatArray]] = [(rows[:0], np.zeros(0))]
        self.waiting = 0
        """Children worth asking about that were not asked about yet."""
        self.lively = False
        """Whether the last generation had many such children."""

    @property
    def spent(self) -> bool:
        """Whether nobody waits, few were born of late, and no further texts can come up."""
        return not self.lively and not self.waiting and self._probed >= len(self._row)

    def known(self) -> Generator[Batch, None, None]:
        """Real texts that are known to be discriminatory, to be asked about as they are."""
        rows = self._row[self._promise >= 1.0]
        self._seen.add(self._context.domain.keys(self._context.domain.rows[rows]))
        for start in range(0, len(rows), self._context.batch_size):
            yield self._batch(self._context.domain.rows[rows[start : start + self._context.batch_size]])

    def _batch(self, genomes: IntArray) -> Batch:
        anchor = genomes[:, TEXT].astype(np.intp)
        return Batch(genomes, anchor, self._pair[self._text[anchor]])

    def next_probe(self) -> Probe:
        """The next texts as they are, under their second reading, and with each substitute; none while it goes well."""
        domain: Texts = self._context.domain  # type: ignore[assignment]  # this strategy is for texts alone
        content = self.waiting >= self._least or (self.lively and self._room().any())
        if content or self._probed >= len(self._row):
            return Probe(domain.rows[:0])
        genomes, most = domain.rows[:0], PROBES * self._context.batch_size
        reading = domain.readings.read
        while self._probed < len(self._row) and len(genomes) < most:
            rows = self._row[self._probed : self._probed + TOGETHER]
            versions = domain.neighbours(rows)
            place = self._text[versions[:, TEXT]] - self._probed
            asked = np.cumsum(2 + np.bincount(place, minlength=len(rows)))
            fit = max(1, int(np.searchsorted(asked, most - len(genomes), side="right")))
            rows, versions, place = rows[:fit], versions[place < fit], place[place < fit]
            plain, pair = domain.rows[rows], self._pair[self._probed : self._probed + fit]
            first_reading = pair[place, 0]
            genomes = np.concatenate(
                [genomes, reading(plain, pair[:, 0]), reading(plain, pair[:, 1]), reading(versions, first_reading)]
            )
            self._probed += len(rows)
        return Probe(genomes)

    def explain(self, probe: Probe, answers: Answers) -> None:
        """Learns what each word does to the score."""
        text = self._text[probe.genomes[:, TEXT]]
        domain = self._context.domain
        second = (probe.genomes == domain.readings.read(probe.genomes, self._pair[text, 1])).all(axis=1)
        scores = answers.scores[:, self._context.deciding]
        self._effects.learn_alone(probe.genomes, text, second, scores)
        self._litters(np.unique(text))

    def try_again(self) -> None:
        """Breeds once more from scratch where nothing was found yet."""
        if self._context.deciding is not None:
            self._litters(np.flatnonzero((self._found == 0) & (self._tested < PATIENCE)))

    def _litters(self, text: IndexArray) -> None:
        """Versions of texts (n,) at random, more of those with more words to replace; kept if they are worth it."""
        domain, rng = self._context.domain, self._context.rng
        within = text[self._effects.within_reach(text)]
        words = self._effects.words(within)
        litter = np.repeat(within, np.minimum(LITTER * words, LARGEST_LITTER))
        anchor = self._row[litter]
        versions = domain.within_reach(domain.mates(domain.rows[anchor], anchor, rng)[0], anchor, rng)
        # Every other one goes straight for the boundary.
        versions[1::2] = self._aimed(litter[1::2])
        self._keep_worthy(versions, litter)

    def _aimed(self, text: IndexArray) -> IntArray:
        """(n, d) versions of texts (n,) that should come to rest on the boundary."""
        domain: Texts = self._context.domain  # type: ignore[assignment]  # this strategy is for texts alone
        row = self._row[text]
        aimed = self._effects.aimed(text, np.minimum(domain.may_change(row), MOST_AIMED), self._context.rng)
        return np.where(domain.mutable, aimed, domain.rows[row])

    def _keep_worthy(self, genomes: IntArray, text: IndexArray) -> int:
        """Lets new genomes (n, d) of texts (n,) wait that are worth asking about; how many there were."""
        keys = self._context.domain.keys(genomes)
        new = ~self._seen.has(keys)
        new[new] = first_of_equals(keys[new])
        self._bred += np.bincount(text, minlength=len(self._row))
        self._new += np.bincount(text[new], minlength=len(self._row))
        genomes, text = genomes[new], text[new]
        chance = self._effects.chance(genomes, text)
        luck = self._context.rng.random(len(chance)) < UNSCREENED * chance.mean() if len(chance) else chance > 1
        worth = np.where((self._found[text] > 0) | (self._tested[text] > PATIENCE), WORTH, WORTH_AT_FIRST)
        worthy = np.flatnonzero((chance >= worth) | luck)
        fewer = NEARER ** (genomes[worthy][:, SLOTS:] > 0).sum(axis=1)
        self._waiting.append((genomes[worthy], chance[worthy] * fewer))
        self._seen.add(keys[new][worthy])
        self.waiting += len(worthy)
        return len(worthy)

    def next_batch(self) -> Batch:
        """Those who wait, the most promising first; a new generation where too few do."""
        size = self._context.batch_size
        if self.waiting < self._least:
            self._breed()
        genomes = np.concatenate([part for part, _ in self._waiting])
        chance = np.concatenate([part for _, part in self._waiting])
        order = np.argsort(-chance, kind="stable")
        self._waiting = [(genomes[order[size:]], chance[order[size:]])]
        self.waiting = len(order[size:])
        return self._batch(genomes[order[:size]])

    def _breed(self) -> None:
        """A generation: findings of a text exchange words with each other, or mutate."""
        context = self._context
        domain, rng = context.domain, context.rng
        self._bred *= MEMORY
        self._new *= MEMORY
        text = roulette(self._fitness(), CANDIDATES * self._wanted, rng)
        parents, anchor = self._parents.draw(text, rng), self._row[text]
        half = rng.random(len(text)) < 0.5
        mates = np.where(half[:, None], self._parents.draw(text, rng), domain.mates(parents, anchor, rng)[0])
        longest = np.where(half, parents.shape[1], MOVED)
        mask = runs((parents != mates) & domain.mutable, longest, rng)
        children = domain.within_reach(np.where(mask, mates, parents), anchor, rng)
        aimed_at = self._to_aim_at()
        children, text = np.concatenate([children, self._aimed(aimed_at)]), np.concatenate([text, aimed_at])
        self.lively = self._keep_worthy(children, text) >= LIVELY * len(text)
        self._wanted = min(context.batch_size, 2 * self._wanted) if self.lively else self._least

    def _to_aim_at(self) -> IndexArray:
        """(m,) texts without a finding of which something was learned since they were aimed at, several times each."""
        open_ = (self._found == 0) & (self._tested > self._tested_then) & (self._tested < PATIENCE)
        self._tested_then[:] = self._tested
        text = np.flatnonzero(open_) if self._context.deciding is not None else np.zeros(0, dtype=np.intp)
        return np.repeat(text[self._effects.within_reach(text)], SHOTS)

    def _room(self) -> FloatArray:
        """(t,) how far each text whose words were asked about is from having supplied its share."""
        room: FloatArray = np.maximum(0.0, 1.0 - self._found / max(1.0, LARGEST_SHARE * self._found.sum()))
        room[self._probed :] = 0.0
        return room

    def _fitness(self) -> FloatArray:
        """(t,) a text's record, the room left to it, and whether it still has new children."""
        record = (self._found + BELIEF * self._promise) / (self._tested + BELIEF)
        fresh = (self._new + 1.0) / (self._bred + 1.0)
        room = self._room()
        # Where fewer texts are left than could all keep to their share: better uneven than none.
        return np.asarray(np.sqrt(record) * fresh * (room if room.any() else 1.0))

    def learn(self, batch: Batch, verdict: Verdict) -> None:
        """Enters a batch into the records, its findings among the parents, its scores into what words do."""
        text = self._text[batch.anchor]
        tested = text[verdict.tested]
        self._tested += np.bincount(tested, minlength=len(self._row))
        found: BoolArray = verdict.unfair
        self._found += np.bincount(tested[found], minlength=len(self._row))
        genomes = batch.genomes[verdict.tested]
        self._parents.add(tested[found], genomes[found], self._context.rng)
        self._pair[tested[found]] = verdict.pair[found]
        if self._context.deciding is not None:
            self._effects.learn(genomes, tested, verdict.labels, verdict.scores)
