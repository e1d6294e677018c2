"""Readings that speak in several voices: each is asked about in all of them, and the majority speaks for it."""

from __future__ import annotations

import numpy as np

from expga.contracts import Answers, FloatArray, IndexArray, IntArray, Readings


def in_voices(readings: Readings, genomes: IntArray) -> tuple[IntArray, IndexArray | None]:
    """Genomes (n, d) in all of their voices, those of one beside each other, and how many (n,) each has.

    Where all speak in one voice they come back as they are, with None.
    """
    voices = readings.voices(genomes)
    if voices is None:
        return genomes, None
    voice = np.arange(int(voices.sum())) - np.repeat(np.cumsum(voices) - voices, voices)
    return readings.speak(np.repeat(genomes, voices, axis=0), voice), voices


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
