"""What a model would say of samples that it was not asked about, learned from all that it said."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from expga.contracts import Answers, Context, FloatArray, Heard, IntArray
from expga.search.additive import Additive

LARGEST = 5.0
"""Scores that lie this many times as far from the boundary as is usual, or further, are all alike."""
FEWEST = 30
"""Answers from which something can be learned."""
GROWN, GROWN_MANY = 1.15, 1.4
"""Times as many answers as at the last lesson from which there is a new one: at first, and where they are very many."""
MOST = 60_000
"""Answers that a lesson takes in, the latest."""
ENOUGH = 8_000
"""Of them, how many are enough to learn what values add up to."""
FEWEST_FOR_TREES = 100
MANY = 1_000
"""Answers from which boosted trees are better than randomised ones, ..."""
VERY_MANY = 2_000
"""... and from which they may be large."""
MOST_SCORES = 4
"""Of so many classes each score gets trees of its own; of more, what values add up to must do."""


class Surrogate:
    """Learns the scores that decide, on a scale on which the labels of two classes change at 0.

    One part adds up what each value contributes, for which few answers are enough; trees learn what that leaves.
    """

    def __init__(self, context: Context) -> None:
        self._domain, self._class = context.domain, context.compared
        self._genomes: list[IntArray] = []
        self._known: list[FloatArray] = []
        self._count = self._at_last_lesson = 0
        self._boundary, self._unit = 0.0, 0.0
        self._labels_decide = context.labels_decide
        self._additive: Additive | None = None
        self._trees: list[Any] = []
        self.spread = 1.0
        """By how much it missed answers that it had not learned from, typically."""

    def scaled(self, scores: FloatArray) -> FloatArray:
        """Scores of the class that is compared, on the scale of `expect`."""
        return np.asarray(np.clip((scores - self._boundary) / self._unit, -LARGEST, LARGEST))

    def hear(self, parts: Sequence[Heard]) -> None:
        """Takes in what the model was heard to say."""
        for genomes, answers in parts:
            if not self._unit:
                self._take_measure(answers)
            scores = answers.scores if self._class is None else answers.scores[:, [self._class]]
            if self._known and scores.shape[1] != self._known[-1].shape[1]:  # a class that was not known before
                self._genomes, self._known, self._count, self._at_last_lesson = [], [], 0, 0
            self._genomes.append(genomes)
            self._known.append(self.scaled(scores))
            self._count += len(genomes)

    def _take_measure(self, answers: Answers) -> None:
        """Learns where labels change, and how far from there scores usually are."""
        if self._class is None or not self._labels_decide:
            self._unit = max(float(answers.scores.std()), 1e-9)
            self._boundary = 0.0 if self._labels_decide else float(np.median(answers.scores))
            return
        away = np.where(answers.labels == self._class, answers.margins, -answers.margins)
        self._boundary = float(np.median(answers.scores[:, self._class] - away))
        self._unit = max(float(np.median(answers.margins)), 1e-9)

    @property
    def due(self) -> bool:
        """Whether enough was heard since it learned last."""
        grown = GROWN if self._at_last_lesson < VERY_MANY else GROWN_MANY
        return self._count >= max(FEWEST, grown * self._at_last_lesson)

    def learn(self, trees: int) -> None:
        """Learns anew from what was heard, with trees from no more than so many answers."""
        self._at_last_lesson = self._count
        genomes, known = np.concatenate(self._genomes)[-MOST:], np.concatenate(self._known)[-MOST:]
        self._genomes, self._known, self._trees = [genomes], [known], []
        self._additive = Additive(self._domain, genomes[-ENOUGH:], known[-ENOUGH:])
        self.spread = self._additive.off
        genomes, known = genomes[-trees:], known[-trees:]
        if trees and len(genomes) >= FEWEST_FOR_TREES and known.shape[1] <= MOST_SCORES:
            left = known - self._additive(genomes)
            with _one_thread().limit(limits=1):
                self._trees = [_trees(genomes, column) for column in left.T]

    def expect(self, genomes: IntArray) -> FloatArray:
        """(n, q) what the model should say of genomes (n, d), once something was learned."""
        expected = self._additive(genomes) if self._additive else np.zeros((len(genomes), 1))
        if self._trees and len(genomes):
            with _one_thread().limit(limits=1):
                expected += np.column_stack([trees.predict(genomes) for trees in self._trees])
        return expected


@cache
def _one_thread() -> Any:
    """What limits trees to one thread each: beside other work they wait for each other, which takes several times as
    long."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def _trees(genomes: IntArray, left: FloatArray) -> Any:
    """Trees on what is left (n,) to be said of genomes (n, d)."""
    from sklearn.ensemble import ExtraTreesRegressor, HistGradientBoostingRegressor

    count = len(genomes)
    if count < MANY:
        return ExtraTreesRegressor(60, min_samples_leaf=2, max_features=0.6, random_state=0).fit(genomes, left)
    return HistGradientBoostingRegressor(
        max_iter=60 if count < VERY_MANY else 200,
        learning_rate=0.15,
        max_leaf_nodes=15 if count < VERY_MANY else 63,
        min_samples_leaf=5 if count < VERY_MANY else 10,
        early_stopping=False,
        random_state=0,
    ).fit(genomes, left)
