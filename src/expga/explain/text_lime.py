"""LIME for texts: one small regression a text, and the answers fetched in bulk."""

from __future__ import annotations

import numpy as np

from expga.contracts import Answers, BoolArray, FloatArray
from expga.explain.wordwise import Questions, WordExplainer

SAMPLES = 1_000
KERNEL_WIDTH = 0.25
"""In units of the largest cosine distance, 1; the published package counts in hundredths of it."""
ALPHA = 1.0


class TextLime(WordExplainer):
    """Ribeiro, Singh and Guestrin, "Why should I trust you?", KDD 2016: the explainer of texts.

    As the package `lime` does by default: a sample of the text lacks a random number of its distinct words,
    samples weigh more the nearer they are by the cosine of what they keep, and a weighted ridge regression
    of the score on the words kept gives the weight of each. Deliberate deviations:

    - All words are fitted at once; the package first picks the heaviest, with a weaker ridge, to show a few.
    - 1,000 samples a text, the text itself among them, where the package takes 5,000.
    - A word goes with the blanks before it, where the package leaves them.
    """

    def __init__(self, samples: int = SAMPLES) -> None:
        self._samples = samples

    @property
    def most(self) -> int:
        """The samples."""
        return self._samples

    def questions(self, words: int, rng: np.random.Generator) -> Questions:
        """The text itself, and samples without a random number of its words, from one to all."""
        drawn = self._samples - 1
        # One word goes for sure, the others with a chance that is itself drawn: then each number of words
        # is equally likely, and so is each choice of that many.
        gone = rng.random((drawn, words), dtype=np.float32) < rng.random((drawn, 1), dtype=np.float32)
        gone[np.arange(drawn), rng.integers(words, size=drawn)] = True
        kept = np.concatenate([np.ones((1, words), dtype=bool), ~gone])
        return Questions(kept, lambda answers: _coefficients(kept, answers))


def _coefficients(kept: BoolArray, answers: Answers) -> FloatArray:
    """(u,) the weighted ridge regression, with an intercept, of the first sample's score on the words kept (m, u)."""
    words = kept.shape[1]
    scores = answers.scores[:, answers.labels[0]]
    distance = 1 - np.sqrt(np.arange(words + 1) / words)
    weight = np.exp(-(distance**2) / (2 * KERNEL_WIDTH**2))[kept.sum(axis=1)]
    share = weight / weight.sum()
    root = np.sqrt(weight)[:, np.newaxis]
    design = (kept - share @ kept) * root
    target = (scores - share @ scores) * root[:, 0]
    return np.asarray(np.linalg.solve(design.T @ design + ALPHA * np.eye(words), design.T @ target))
