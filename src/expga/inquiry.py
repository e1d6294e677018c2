"""The one way in which anybody asks a model about genomes: voices, majorities, pairs, all readings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from expga.comparison import Comparison, Yardstick
from expga.contracts import Answers, Ask, BoolArray, Domain, IndexArray, IntArray, Model, Readings
from expga.errors import failed_on, is_theirs
from expga.majority import in_voices, majority
from expga.models.answers import some_of

ROWS_A_CALL = 16_384
"""Rows that a model is asked about together, where nobody knows how many are worth while."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inquiry:
    """Whom one asks, about what, and how answers are compared."""

    model: Model
    domain: Domain
    yardstick: Yardstick
    rows_a_call: int = ROWS_A_CALL
    """A question is about no more rows than this, unless one sample has more."""
    hear: Callable[[IntArray, Answers], None] | None = None
    """Told what was said of which genomes, each by the majority of its voices."""

    def about(self, genomes: IntArray) -> Answers:
        """Answers for genomes (n, d), each by the majority of its voices."""
        spoken, voices = in_voices(self.domain.readings, genomes)
        answers = self.alone(spoken)
        if voices is not None:
            answers = majority(answers, voices)
        if self.hear is not None:
            self.hear(genomes, answers)
        return answers

    def alone(self, genomes: IntArray) -> Answers:
        """Answers for genomes (n, d) as they are, in the voice that they have."""
        return answers_of(self.model, self.domain.decode(genomes))

    def pairs(self, genomes: IntArray, pair: IndexArray) -> Comparison:
        """Asks about one pair of readings (m, 2) of each genome (m, d)."""
        return self._pairs(genomes, pair, self.about)

    def again(self, genomes: IntArray, pair: IndexArray, rng: np.random.Generator) -> Comparison:
        """The same, with the twins of all pairs in random order: none has the same neighbours as before."""

        def shuffled(twins: IntArray) -> Answers:
            order = rng.permutation(len(twins))
            return some_of(self.about(twins[order]), np.argsort(order))

        return self._pairs(genomes, pair, shuffled)

    def _pairs(self, genomes: IntArray, pair: IndexArray, ask: Ask) -> Comparison:
        best, readings = Comparison.nothing(len(genomes)), self.domain.readings
        for part in self._parts(readings, genomes, np.full(len(genomes), 2)):
            answers = ask(readings.read(np.repeat(genomes[part], 2, axis=0), pair[part].ravel()))
            best.put(part, self.yardstick.pairs(pair[part], answers))
        return best

    def loudest(self, genomes: IntArray, chosen: BoolArray, readings: Readings | None = None) -> Comparison:
        """Asks about the chosen readings (m, R) of genomes (m, d), and compares all of one's with each other.

        Of samples with fewer than two nothing is asked.

        Args:
            genomes: m samples.
            chosen: which readings.
            readings: of one attribute alone; by default those of the domain.
        """
        readings = readings or self.domain.readings
        best = Comparison.nothing(len(genomes))
        several = np.flatnonzero(chosen.sum(axis=1) >= 2)
        genomes, chosen = genomes.take(several, axis=0), chosen.take(several, axis=0)
        for part in self._parts(readings, genomes, chosen.sum(axis=1)):
            sample, reading = np.nonzero(chosen[part])
            answers = self.about(readings.read(genomes[part].take(sample, axis=0), reading))
            place, own = _places(chosen[part], sample), readings.own(genomes[part])
            at = None if own is None else _place_of(own, reading, place)
            best.put(several[part], self.yardstick.loudest(reading, place, answers, at))
        return best

    def cost(self, genomes: IntArray, asked: IndexArray) -> IndexArray:
        """(m,) how many inputs it takes to ask about so many readings (m,) of each genome (m, d)."""
        voices = self.domain.readings.voices(genomes)
        return asked if voices is None else asked * voices

    def _parts(self, readings: Readings, genomes: IntArray, asked: IndexArray) -> Iterator[slice]:
        """Samples (m, d) of which so many readings (m,) are asked, cut so that the model is asked about few at once."""
        voices = readings.voices(genomes)
        rows = np.cumsum(asked if voices is None else asked * voices)
        start = 0
        while start < len(rows):
            before = rows[start - 1] if start else 0
            end = max(start + 1, int(np.searchsorted(rows, before + self.rows_a_call, side="right")))
            yield slice(start, end)
            start = end


def _places(chosen: BoolArray, sample: IndexArray) -> IndexArray:
    """(m, most readings of a sample) where the answers about each sample stand, -1 behind its last."""
    asked = chosen.sum(axis=1)
    slot = np.arange(len(sample)) - np.repeat(np.cumsum(asked) - asked, asked)
    place = np.full((len(chosen), int(asked.max())), -1)
    place[sample, slot] = np.arange(len(sample))
    return place


def _place_of(own: IndexArray, reading: IndexArray, place: IndexArray) -> IndexArray:
    """(m,) the slot of the answer about each sample's own reading (m,), -1 where it was not asked; see `loudest`."""
    its = (place >= 0) & (reading[place] == own[:, None])
    return np.where(its.any(axis=1), its.argmax(axis=1), -1)


def answers_of(model: Model, inputs: Any) -> Answers:
    """The model's answers; what it returned may still fail when it is read, which becomes one sentence too."""
    try:
        return model.ask(inputs)
    except BaseException as error:
        if not is_theirs(error):
            raise
        raise failed_on(f"{len(inputs):,} rows", error) from error
