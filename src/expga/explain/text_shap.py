"""SHAP for texts, through the library of its authors, with the model's answers fetched in bulk."""

from __future__ import annotations

import numpy as np

from expga.contracts import Answers, FloatArray
from expga.explain.shap import Answer, evaluations, shapley_values
from expga.explain.wordwise import Questions, WordExplainer
from expga.importing import require

MOST = 500
"""Queries a text, at most."""
ENOUGH = 100
"""A text so short that its words can be gone through more than once in so many queries is."""


class TextShap(WordExplainer):
    """Lundberg and Lee, "A unified approach to interpreting model predictions", NeurIPS 2017.

    Shapley values by the library's permutation explainer: out of a text without words, its distinct words
    come back in random order and go again in that order. Deliberate deviations from what the library does
    with texts by default:

    - Its partition explainer splits a text where the answers so far lead it, one text at a time. Here the
      questions are known beforehand, so that many texts are asked about at once; and for as many queries
      the ranks of words come nearer to those of many permutations.
    - Its masker puts "..." for words, takes the punctuation behind a word away with it, and rewrites the
      blanks. Here the model sees the text with words taken out, and all else as it was. To the library
      a text is a row of switches, all on, against a background where all are off.
    - A text with more distinct words than the queries allow for is explained by runs of neighbours, whose
      words share the run's value, as those of a split never made do in the partition explainer.
    """

    def __init__(self, most: int = MOST) -> None:
        require("shap")
        self._most = most

    @property
    def most(self) -> int:
        """The queries allowed."""
        return self._most

    def questions(self, words: int, rng: np.random.Generator) -> Questions:
        """No word, then one more at a time, then one less at a time.

        What the library asks depends on its random numbers alone. So it runs twice with the same ones:
        first to learn its questions, then, with their answers, for the values.
        """
        runs = min(words, (self._most - 1) // 2)
        run = np.arange(words) * runs // words
        present = np.ones((1, runs), dtype=np.int32)
        asked = max(evaluations(runs), min(ENOUGH, self._most))
        seed = int(rng.integers(2**32))

        def values(answer: Answer) -> FloatArray:
            found = shapley_values(answer, np.zeros_like(present), present, asked, seed)
            return np.asarray(found[0, :, 0])

        rounds: list[FloatArray] = []

        def note(masked: FloatArray) -> FloatArray:
            rounds.append(masked)
            return np.zeros((len(masked), 1))

        values(note)
        kept = np.concatenate(rounds) > 0

        def weights(answers: Answers) -> FloatArray:
            label = answers.labels[kept.all(axis=1).argmax()]
            told = iter(np.split(answers.scores[:, [label]], len(rounds)))
            return (values(lambda _: next(told)) / np.bincount(run))[run]

        return Questions(kept[:, run], weights)
