"""The one place that decides: it asks the model about the readings of each sample and compares."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace

import numpy as np

from expga.contracts import (
    TIE,
    Answers,
    Ask,
    Asking,
    Batch,
    BoolArray,
    Domain,
    FloatArray,
    IndexArray,
    IntArray,
    Readings,
    Verdict,
)
from expga.criterion import Criterion, pair_scores
from expga.keyset import KeySet
from expga.pairs import possible_pairs

ROWS_A_CALL = 16_384
"""A call to the model is about no more rows than this, unless one sample has more."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """The pair of readings that speaks loudest for each of m samples."""

    pair: IndexArray
    """(m, 2)"""
    labels: IndexArray
    """(m, 2)"""
    scores: FloatArray
    """(m, 2)"""
    margins: FloatArray
    """(m, 2)"""
    gap: FloatArray
    """(m,)"""
    flips: BoolArray
    """(m,) by the labels that the model gives (or the gap asked for), ties and all, over all pairs."""
    unfair: BoolArray
    """(m,) flips that do not hang on rounding."""

    def put(self, rows: slice | IndexArray, part: Comparison) -> None:
        """Writes what is known of some of the samples (r,)."""
        for field in fields(self):
            getattr(self, field.name)[rows] = getattr(part, field.name)


class Oracle:
    """Judges batches: drops what was seen, reads the rest, calls the model as seldom as it can, compares."""

    def __init__(self, ask: Ask, domain: Domain, criterion: Criterion, positive: int | None) -> None:
        self._ask = ask
        self._domain = domain
        self._criterion = criterion
        self._positive = positive
        self.seen = KeySet()

    def judge(self, batch: Batch, asking: Asking, most_queries: int | None = None) -> Verdict:
        """The verdicts on a batch (n,).

        Args:
            batch: what to judge.
            asking: two readings a sample, or all.
            most_queries: leave the rest of the batch untested where it would take more.
        """
        novel = self.seen.add(self._domain.keys(batch.genomes))
        fresh = np.flatnonzero(novel)
        valid = self._domain.readings.valid(batch.genomes.take(fresh, axis=0))
        two = valid.sum(axis=1) >= 2
        fresh, valid = fresh[two], valid[two]
        if asking == "all":
            return self._all(batch, novel, fresh, valid, most_queries)
        pair = possible_pairs(valid, None if batch.pair is None else batch.pair[fresh])
        affordable = self._affordable(batch.genomes.take(fresh, axis=0), np.full(len(fresh), 2), most_queries)
        cut = affordable < len(fresh)
        fresh, valid, pair = fresh[:affordable], valid[:affordable], pair[:affordable]
        best = self._compare_pairs(batch.genomes.take(fresh, axis=0), pair)
        return _verdict(novel, fresh, valid.sum(axis=1) == 2, best, cut)

    def _compare_pairs(self, genomes: IntArray, pair: IndexArray) -> Comparison:
        best, readings = nothing(len(genomes)), self._domain.readings
        for part in parts(readings, genomes, np.full(len(genomes), 2)):
            answers = self._ask(readings.read(np.repeat(genomes[part], 2, axis=0), pair[part].ravel()))
            best.put(part, compare_pairs(pair[part], answers, self._criterion, self._positive))
        return best

    def _all(
        self, batch: Batch, novel: BoolArray, fresh: IndexArray, valid: BoolArray, most_queries: int | None
    ) -> Verdict:
        affordable = self._affordable(batch.genomes[fresh], valid.sum(axis=1), most_queries)
        cut = affordable < len(fresh)
        fresh, valid = fresh[:affordable], valid[:affordable]
        genomes = batch.genomes[fresh]
        best = compare(self._ask, self._domain.readings, genomes, valid, self._criterion, self._positive)
        return _verdict(novel, fresh, np.ones(len(fresh), dtype=bool), best, cut)

    def _affordable(self, genomes: IntArray, readings: IndexArray, most_queries: int | None) -> int:
        """How many of the first genomes (m, d) can be asked about under so many readings (m,) each."""
        if most_queries is None:
            return len(genomes)
        voices = self._domain.readings.voices(genomes)
        cost = np.cumsum(readings if voices is None else readings * voices)
        return int(np.searchsorted(cost, most_queries, side="right"))


def _verdict(novel: BoolArray, fresh: IndexArray, complete: BoolArray, best: Comparison, cut: bool) -> Verdict:
    return Verdict(novel, fresh, best.unfair, complete, best.gap, best.pair, best.labels, best.scores, cut)


def compare(
    ask: Ask,
    readings: Readings,
    genomes: IntArray,
    chosen: BoolArray,
    criterion: Criterion,
    positive: int | None,
) -> Comparison:
    """Asks the model about the chosen readings (m, R) of genomes (m, d) and compares all pairs.

    An unfair pair beats any that is not, then the larger gap counts. Of samples with fewer than two nothing is asked.
    """
    best = nothing(len(genomes))
    several = np.flatnonzero(chosen.sum(axis=1) >= 2)
    genomes, chosen = genomes.take(several, axis=0), chosen.take(several, axis=0)
    for part in parts(readings, genomes, chosen.sum(axis=1)):
        sample, reading = np.nonzero(chosen[part])
        answers = ask(readings.read(genomes[part].take(sample, axis=0), reading))
        place = _places(chosen[part], sample)
        two = np.take_along_axis(place, _loudest(place, answers, criterion, positive), axis=1)
        both = Answers(answers.labels[two.ravel()], answers.scores[two.ravel()], answers.margins[two.ravel()])
        loudest = compare_pairs(reading[two], both, criterion, positive)
        if criterion.min_gap is None:
            first = answers.labels[place[:, :1]]
            loudest = replace(loudest, flips=((answers.labels[place] != first) & (place >= 0)).any(axis=1))
        best.put(several[part], loudest)
    return best


def parts(readings: Readings, genomes: IntArray, asked: IndexArray) -> Iterator[slice]:
    """Samples (m, d) of which so many readings (m,) are asked, cut so that the model is asked about few at once."""
    voices = readings.voices(genomes)
    rows = np.cumsum(asked if voices is None else asked * voices)
    start = 0
    while start < len(rows):
        before = rows[start - 1] if start else 0
        end = max(start + 1, int(np.searchsorted(rows, before + ROWS_A_CALL, side="right")))
        yield slice(start, end)
        start = end


def _places(chosen: BoolArray, sample: IndexArray) -> IndexArray:
    """(m, most readings of a sample) where the answers about each sample stand, -1 behind its last."""
    asked = chosen.sum(axis=1)
    slot = np.arange(len(sample)) - np.repeat(np.cumsum(asked) - asked, asked)
    place = np.full((len(chosen), int(asked.max())), -1)
    place[sample, slot] = np.arange(len(sample))
    return place


def _loudest(place: IndexArray, answers: Answers, criterion: Criterion, positive: int | None) -> IndexArray:
    """(m, 2) which two of the places (m, W) speak loudest: the widest unfair pair, else the widest of all.

    Of equals it is the first. Where no class is positive, the score compared is that of the first one's label.
    """
    there = place >= 0
    labels, clear = answers.labels[place], there & (answers.margins[place] > TIE)
    gaps = np.full((2, *place.shape), -np.inf)
    for label in np.unique(answers.labels).tolist():
        scores = answers.scores[place, label if positive is None else positive]
        own = labels == label
        gaps[0] = np.where(there & own, _farthest(scores, there), gaps[0])
        if criterion.min_gap is None:
            gaps[1] = np.where(clear & own, _farthest(scores, clear & ~own), gaps[1])
    unfair = gaps[1].max(axis=1) >= 0
    first = np.where(unfair[:, None], gaps[1], gaps[0]).argmax(axis=1)[:, None]
    its = np.take_along_axis(labels, first, axis=1)
    scores = answers.scores[place, its if positive is None else positive]
    others = np.where(unfair[:, None], clear & (labels != its), there) & (np.arange(place.shape[1]) > first)
    gap = np.where(others, np.abs(scores - np.take_along_axis(scores, first, axis=1)), -np.inf)
    return np.hstack([first, gap.argmax(axis=1)[:, None]])


def _farthest(scores: FloatArray, others: BoolArray) -> FloatArray:
    """(m, W) how far each score is from the farthest of the others that come after it; -inf where none does."""
    highest, lowest = np.full((2, *scores.shape), -np.inf)
    highest[:, :-1] = np.maximum.accumulate(np.where(others, scores, -np.inf)[:, :0:-1], axis=1)[:, ::-1]
    lowest[:, :-1] = np.maximum.accumulate(np.where(others, -scores, -np.inf)[:, :0:-1], axis=1)[:, ::-1]
    return np.asarray(np.maximum(highest - scores, lowest + scores))


def compare_pairs(pair: IndexArray, answers: Answers, criterion: Criterion, positive: int | None) -> Comparison:
    """Compares the answers (2m,) about one pair of readings (m, 2) for each of m samples."""
    labels, margins = answers.labels.reshape(-1, 2), answers.margins.reshape(-1, 2)
    scores = pair_scores(answers.scores[0::2], answers.scores[1::2], labels[:, 0], positive)
    gap = np.abs(scores[:, 0] - scores[:, 1])
    unfair = criterion.unfair(labels, gap, margins)
    return Comparison(pair, labels, scores, margins, gap, criterion.flips(labels, gap), unfair)


def nothing(count: int) -> Comparison:
    """Of samples about which nothing was asked yet."""
    return Comparison(
        pair=np.zeros((count, 2), dtype=np.intp),
        labels=np.zeros((count, 2), dtype=np.intp),
        scores=np.zeros((count, 2)),
        margins=np.zeros((count, 2)),
        gap=np.full(count, -1.0),
        flips=np.zeros(count, dtype=bool),
        unfair=np.zeros(count, dtype=bool),
    )
