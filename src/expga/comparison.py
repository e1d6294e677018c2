"""What is different, and by how much: pairs of answers under a criterion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from expga.contracts import TIE, Answers, BoolArray, Criterion, FloatArray, IndexArray


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

    def put(self, rows: slice | BoolArray | IndexArray, part: Comparison) -> None:
        """Writes what is known of some of the samples (r,)."""
        for field in fields(self):
            getattr(self, field.name)[rows] = getattr(part, field.name)

    def those(self, rows: BoolArray | IndexArray | slice) -> Comparison:
        """What is known of some of the samples (m,)."""
        return Comparison(**{field.name: getattr(self, field.name)[rows] for field in fields(self)})

    @classmethod
    def joined(cls, parts: Sequence[Comparison]) -> Comparison:
        """What is known of the samples of several, one after the other."""
        return cls(
            **{field.name: np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(cls)}
        )

    @classmethod
    def nothing(cls, count: int) -> Comparison:
        """Of samples about which nothing was asked yet."""
        return cls(
            pair=np.zeros((count, 2), dtype=np.intp),
            labels=np.zeros((count, 2), dtype=np.intp),
            scores=np.zeros((count, 2)),
            margins=np.zeros((count, 2)),
            gap=np.full(count, -1.0),
            flips=np.zeros(count, dtype=bool),
            unfair=np.zeros(count, dtype=bool),
        )


@dataclass(frozen=True, slots=True)
class Yardstick:
    """What answers are compared by: what counts as different, and the class that scores are given for."""

    criterion: Criterion
    positive: int | None
    """Its number; None with more than two classes."""

    @property
    def deciding(self) -> int | None:
        """The class whose score decides between two labels; None where no one score does."""
        return self.positive if self.criterion.labels_decide else None

    def pairs(self, pair: IndexArray, answers: Answers) -> Comparison:
        """Compares the answers (2m,) about one pair of readings (m, 2) for each of m samples."""
        labels, margins = answers.labels.reshape(-1, 2), answers.margins.reshape(-1, 2)
        scores = self.scores(answers.scores[0::2], answers.scores[1::2], labels[:, 0])
        gap = np.abs(scores[:, 0] - scores[:, 1])
        unfair = self.criterion.unfair(labels, scores, margins)
        return Comparison(pair, labels, scores, margins, gap, self.criterion.flips(labels, scores), unfair)

    def sides(self, one: Answers, other: Answers) -> Comparison:
        """Compares the answers (m,) about the first twins with those about the second."""
        both = Answers(
            np.column_stack([one.labels, other.labels]).ravel(),
            np.stack([one.scores, other.scores], axis=1).reshape(-1, one.scores.shape[1]),
            np.column_stack([one.margins, other.margins]).ravel(),
        )
        return self.pairs(np.tile(np.arange(2), (len(one.labels), 1)), both)

    def scores(self, first: FloatArray, second: FloatArray, labels: IndexArray) -> FloatArray:
        """(n, 2) the comparable scores of pairs: of the positive class, or of the first twin's label.

        Args:
            first: (n, k) of the first twins.
            second: (n, k) of the second.
            labels: (n,) of the first.
        """
        if self.positive is not None:
            return np.column_stack([first[:, self.positive], second[:, self.positive]])
        rows = np.arange(len(labels))
        return np.column_stack([first[rows, labels], second[rows, labels]])

    def loudest(
        self, reading: IndexArray, place: IndexArray, answers: Answers, own: IndexArray | None = None
    ) -> Comparison:
        """Compares all readings of m samples.

        An unfair pair beats any that is not, then one with the sample as it is any other, then the larger gap counts.

        Args:
            reading: (a,) the reading that each answer is about.
            place: (m, W) where the answers about each sample stand, -1 behind its last.
            answers: (a,)
            own: (m,) which of these W is about the sample as it is, -1 where none is; None: nobody asks.
        """
        best = self._between(reading, place, answers, self._widest(place, answers))
        if own is not None and len(some := np.flatnonzero(own >= 0)):
            at, first = place[some], own[some, None]
            others = (at >= 0) & (np.arange(at.shape[1]) != first)
            as_it_is = self._between(reading, at, answers, self._with(first, others, at, answers))
            better = as_it_is.unfair | ~best.unfair[some]
            flips = best.flips[some] | as_it_is.flips
            best.put(some[better], as_it_is.those(better))
            best.flips[some] = flips
        if self.criterion.labels_decide:
            first = answers.labels[place[:, :1]]
            best = replace(best, flips=((answers.labels[place] != first) & (place >= 0)).any(axis=1))
        return best

    def _between(self, reading: IndexArray, place: IndexArray, answers: Answers, two: IndexArray) -> Comparison:
        """Compares two (m, 2) of the answers at the places (m, W)."""
        at = np.take_along_axis(place, two, axis=1)
        both = Answers(answers.labels[at.ravel()], answers.scores[at.ravel()], answers.margins[at.ravel()])
        return self.pairs(reading[at], both)

    def _widest(self, place: IndexArray, answers: Answers) -> IndexArray:
        """(m, 2) which two of the places (m, W) speak loudest: the widest unfair pair, else the widest of all.

        Of equals it is the first. Where no class is positive, the score compared is that of the first one's label.
        """
        there, positive = place >= 0, self.positive
        labels, clear = answers.labels[place], there & (answers.margins[place] > TIE)
        gaps = np.full((2, *place.shape), -np.inf)
        for label in np.unique(answers.labels).tolist():
            scores = answers.scores[place, label if positive is None else positive]
            own = labels == label
            gaps[0] = np.where(there & own, _farthest(scores, there), gaps[0])
            if self.criterion.labels_decide:
                gaps[1] = np.where(clear & own, _farthest(scores, clear & ~own), gaps[1])
        unfair = gaps[1].max(axis=1) >= 0
        first = np.where(unfair[:, None], gaps[1], gaps[0]).argmax(axis=1)[:, None]
        return self._with(first, there & (np.arange(place.shape[1]) > first), place, answers)

    def _with(self, first: IndexArray, others: BoolArray, place: IndexArray, answers: Answers) -> IndexArray:
        """(m, 2) the first (m, 1) of two places (m, W), and which of others (m, W) makes the loudest pair with it."""
        labels, clear = answers.labels[place], answers.margins[place] > TIE
        its = np.take_along_axis(labels, first, axis=1)
        if self.criterion.labels_decide:
            unfair = others & clear & np.take_along_axis(clear, first, axis=1) & (labels != its)
            others = np.where(unfair.any(axis=1, keepdims=True), unfair, others)
        scores = answers.scores[place, its if self.positive is None else self.positive]
        gap = np.where(others, np.abs(scores - np.take_along_axis(scores, first, axis=1)), -np.inf)
        return np.hstack([first, gap.argmax(axis=1)[:, None]])


def _farthest(scores: FloatArray, others: BoolArray) -> FloatArray:
    """(m, W) how far each score is from the farthest of the others that come after it; -inf where none does."""
    highest, lowest = np.full((2, *scores.shape), -np.inf)
    highest[:, :-1] = np.maximum.accumulate(np.where(others, scores, -np.inf)[:, :0:-1], axis=1)[:, ::-1]
    lowest[:, :-1] = np.maximum.accumulate(np.where(others, -scores, -np.inf)[:, :0:-1], axis=1)[:, ::-1]
    return np.asarray(np.maximum(highest - scores, lowest + scores))
