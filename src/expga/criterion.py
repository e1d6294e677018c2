"""What counts as treating two readings differently."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from expga.contracts import TIE, Answers, BoolArray, FloatArray, IndexArray


@dataclass(frozen=True, slots=True)
class Criterion:
    """Labels that differ or, with `min_gap`, scores at least that far apart."""

    min_gap: float | None = None

    def flips(self, labels: IndexArray, gap: FloatArray) -> BoolArray:
        """(n,) what the model's own answers say of pairs with labels (n, 2) and a score gap (n,)."""
        if self.min_gap is not None:
            return np.asarray(gap >= self.min_gap)
        return np.asarray(labels[:, 0] != labels[:, 1])

    def unfair(self, labels: IndexArray, gap: FloatArray, margins: FloatArray) -> BoolArray:
        """(n,) flips that do not hang on rounding: no deciding score within a tie of its boundary."""
        if self.min_gap is not None:
            return np.asarray(gap > self.min_gap + TIE)
        return np.asarray(self.flips(labels, gap) & (margins > TIE).all(axis=1))


def pair_scores(scores: FloatArray, twin_scores: FloatArray, labels: IndexArray, positive: int | None) -> FloatArray:
    """(n, 2) the comparable scores of pairs: of the positive class, or of the first twin's label.

    Args:
        scores: (n, k) of the first twins.
        twin_scores: (n, k) of the second.
        labels: (n,) of the first.
        positive: the class number that binary scores are given for; None with more classes.
    """
    if positive is not None:
        return np.column_stack([scores[:, positive], twin_scores[:, positive]])
    rows = np.arange(len(labels))
    return np.column_stack([scores[rows, labels], twin_scores[rows, labels]])


def majority(answers: Answers, voices: IndexArray) -> Answers:
    """One answer for each of n readings from those about its voices.

    The label is that of most voices, the scores are their medians: one odd voice moves neither far. A reading
    without a majority has a margin of 0: no flip that hangs on it counts as a finding.

    Args:
        answers: about all voices, those of one reading beside each other.
        voices: (n,) how many each reading has, at least one.
    """
    reading = np.repeat(np.arange(len(voices)), voices)
    counts = np.zeros((len(voices), answers.scores.shape[1]))
    np.add.at(counts, (reading, answers.labels), 1.0)
    labels = counts.argmax(axis=1)
    scores = np.column_stack([_medians(one, reading, voices) for one in answers.scores.T])
    with_it = answers.labels == labels[reading]
    margins = _margin_of_most(np.where(with_it, answers.margins, 0.0), reading, voices)
    return Answers(labels, scores, margins)


def _medians(scores: FloatArray, reading: IndexArray, voices: IndexArray) -> FloatArray:
    """(n,) the middle of each reading's scores, or half-way between its two middle ones."""
    ordered = scores[np.lexsort((scores, reading))]
    first = np.cumsum(voices) - voices
    return np.asarray((ordered[first + (voices - 1) // 2] + ordered[first + voices // 2]) / 2)


def _margin_of_most(margins: FloatArray, reading: IndexArray, voices: IndexArray) -> FloatArray:
    """(n,) the margin of the last voice that a majority needs; 0 where there are not enough with one."""
    order = np.lexsort((-margins, reading))
    first = np.cumsum(voices) - voices
    return np.asarray(margins[order][first + voices // 2])
