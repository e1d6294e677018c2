"""The one place that decides: it asks the model about the readings of each sample and compares."""

from __future__ import annotations

from dataclasses import dataclass

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

FEW = 10
"""Readings up to which all pairs are compared one by one."""


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


class Oracle:
    """Judges batches: drops what was seen, reads the rest, calls the model once, compares."""

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
        best = nothing(0)
        if len(fresh):
            twins = self._domain.readings.read(batch.genomes.take(np.repeat(fresh, 2), axis=0), pair.ravel())
            best = compare_pairs(pair, self._ask(twins), self._criterion, self._positive)
        return _verdict(novel, fresh, valid.sum(axis=1) == 2, best, cut)

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
    """Asks the model once about the chosen readings (m, R) of genomes (m, d) and compares all pairs."""
    sample, reading = np.nonzero(chosen)
    best = nothing(len(genomes))
    if not len(sample):
        return best
    answers = ask(readings.read(genomes[sample], reading))
    place = _places(chosen, sample)
    if positive is not None and answers.scores.shape[1] == 2 and place.shape[1] > FEW:
        place = _telling(place, answers, positive)
    for a in range(place.shape[1]):
        for b in range(a + 1, place.shape[1]):
            both = np.flatnonzero(place[:, b] >= 0)
            _keep_louder(best, both, place[both][:, [a, b]], reading, answers, criterion, positive)
    return best


def _places(chosen: BoolArray, sample: IndexArray) -> IndexArray:
    """(m, most readings of a sample) where the answers about each sample stand, -1 behind its last."""
    asked = chosen.sum(axis=1)
    slot = np.arange(len(sample)) - np.repeat(np.cumsum(asked) - asked, asked)
    place = np.full((len(chosen), int(asked.max())), -1)
    place[sample, slot] = np.arange(len(sample))
    return place


def _telling(place: IndexArray, answers: Answers, positive: int) -> IndexArray:
    """(m, at most 10) those of the places (m, R) whose pairs hold the loudest, the loudest unfair, and any flip.

    With two labels and one score a reading, the widest gap between two groups of readings lies between the
    extremes of the groups.
    """
    there = place >= 0
    scores = answers.scores[place, positive]
    clear, labels = answers.margins[place] > TIE, answers.labels[place]
    kept = np.zeros(place.shape, dtype=bool)
    kept[:, :2] = there[:, :2]
    each = np.arange(len(place))
    for group in (there, there & clear & (labels == positive), there & clear & (labels != positive)):
        for extreme in (
            np.where(group, scores, -np.inf).argmax(axis=1),
            np.where(group, scores, np.inf).argmin(axis=1),
        ):
            kept[each, extreme] |= group[each, extreme]
    for group in (there & (labels == positive), there & (labels != positive)):
        first = group.argmax(axis=1)
        kept[each, first] |= group[each, first]
    order = np.argsort(~kept, axis=1, kind="stable")[:, : int(kept.sum(axis=1).max())]
    return np.where(np.take_along_axis(kept, order, axis=1), np.take_along_axis(place, order, axis=1), -1)


def compare_pairs(pair: IndexArray, answers: Answers, criterion: Criterion, positive: int | None) -> Comparison:
    """Compares the answers (2m,) about one pair of readings (m, 2) for each of m samples."""
    labels, margins = answers.labels.reshape(-1, 2), answers.margins.reshape(-1, 2)
    scores = pair_scores(answers.scores[0::2], answers.scores[1::2], labels[:, 0], positive)
    gap = np.abs(scores[:, 0] - scores[:, 1])
    unfair = criterion.unfair(labels, gap, margins)
    return Comparison(pair, labels, scores, margins, gap, criterion.flips(labels, gap), unfair)


def _keep_louder(
    best: Comparison,
    rows: IndexArray,
    place: IndexArray,
    reading: IndexArray,
    answers: Answers,
    criterion: Criterion,
    positive: int | None,
) -> None:
    """Writes a pair of readings over the best one so far wherever it is unfair and that is not, or louder."""
    labels, margins = answers.labels[place], answers.margins[place]
    scores = pair_scores(answers.scores[place[:, 0]], answers.scores[place[:, 1]], labels[:, 0], positive)
    gap = np.abs(scores[:, 0] - scores[:, 1])
    unfair = criterion.unfair(labels, gap, margins)
    best.flips[rows] |= criterion.flips(labels, gap)
    was = best.unfair[rows]
    better = (unfair & ~was) | ((unfair == was) & (gap > best.gap[rows]))
    to, of = rows[better], np.flatnonzero(better)
    best.pair[to] = reading[place[of]]
    best.labels[to], best.margins[to] = labels[of], margins[of]
    best.scores[to], best.gap[to], best.unfair[to] = scores[of], gap[of], unfair[of]


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
