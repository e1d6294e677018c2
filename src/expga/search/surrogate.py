"""What a model would say of samples that it was not asked about, learned from all that it said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from expga.contracts import Answers, Context, FloatArray, Heard, IntArray
from expga.search.additive import Additive

LARGEST = 5.0
"""Log-odds are cut off here: what lies far from the boundary does not matter, however far it is."""
FEWEST = 30
"""Answers from which something can be learned."""
GROWN = 1.4
"""Times as many answers as at the last lesson from which there is a new one."""
MOST = 60_000
"""Answers that a lesson takes in, the latest."""
FEWEST_FOR_TREES = 150
SMALL = 2_000
"""Answers below which trees stay small."""


class Surrogate:
    """Learns the score that decides, on a scale on which labels change at 0; of several, each of them.

    A part that adds up what each value contributes, which needs few answers, and boosted trees on what it leaves.
    """

    def __init__(self, context: Context) -> None:
        self._domain = context.domain
        self._deciding = context.deciding
        self._genomes: list[IntArray] = []
        self._known: list[FloatArray] = []
        self._count = self._at_last_lesson = 0
        self._boundary: float | None = None
        self._unit = 1.0
        self._bounded = True
        self._additive: Additive | None = None
        self._trees: list[Any] = []
        self.spread = 1.0
        """How far it was off, typically, about answers that it had not learned from."""

    @property
    def knows(self) -> bool:
        """Whether it has learned anything."""
        return self._additive is not None

    def scaled(self, scores: FloatArray) -> FloatArray:
        """Scores on the scale of `expect`."""
        boundary = self._boundary or 0.0
        if not self._bounded:
            return np.clip((scores - boundary) / self._unit, -LARGEST, LARGEST)
        return _log_odds(scores) - _log_odds(np.array(boundary))

    def hear(self, parts: Sequence[Heard]) -> None:
        """Takes in what the model was heard to say."""
        for genomes, answers in parts:
            self._genomes.append(genomes)
            self._known.append(self._from(answers))
            self._count += len(genomes)

    def _from(self, answers: Answers) -> FloatArray:
        """(n, q) answers (n,) on the scale of `expect`."""
        if self._deciding is None:
            return answers.scores
        scores = answers.scores[:, self._deciding]
        if self._boundary is None:
            away = np.where(answers.labels == self._deciding, answers.margins, -answers.margins)
            self._boundary = float(np.median(scores - away))
            self._bounded = bool(scores.min() >= 0 and scores.max() <= 1)
            self._unit = max(float(np.median(answers.margins)), 1e-9)
        return self.scaled(scores)[:, None]

    def learn(self) -> bool:
        """Learns anew if enough was heard since it did so last; whether it has."""
        if self._count < max(FEWEST, GROWN * self._at_last_lesson):
            return False
        self._at_last_lesson = self._count
        genomes, known = np.concatenate(self._genomes)[-MOST:], np.concatenate(self._known)[-MOST:]
        self._genomes, self._known = [genomes], [known]
        self._additive = Additive(self._domain, genomes, known)
        left = known - self._additive(genomes)
        self._trees = []
        if len(genomes) >= FEWEST_FOR_TREES:
            self._trees = [_trees(genomes, left[:, column]) for column in range(left.shape[1])]
        self.spread = self._additive.off if not self._trees else 0.7 * self._additive.off
        return True

    def expect(self, genomes: IntArray) -> FloatArray:
        """(n, q) what the model would say of genomes (n, d)."""
        assert self._additive is not None
        expected = self._additive(genomes)
        for column, trees in enumerate(self._trees):
            expected[:, column] += trees.predict(genomes)
        return expected


def _log_odds(scores: FloatArray) -> FloatArray:
    low = 1.0 / (1.0 + np.exp(LARGEST))
    inside = np.clip(scores, low, 1.0 - low)
    return np.log(inside / (1.0 - inside))


def _trees(genomes: IntArray, left: FloatArray) -> Any:
    """Boosted trees on what is left (n,) to be said of genomes (n, d)."""
    from sklearn.ensemble import HistGradientBoostingRegressor

    small = len(genomes) < SMALL
    trees = HistGradientBoostingRegressor(
        max_iter=60 if small else 200,
        learning_rate=0.15,
        max_leaf_nodes=15 if small else 63,
        min_samples_leaf=5 if small else 10,
        early_stopping=False,
        random_state=0,
    )
    return trees.fit(genomes, left)
