"""What a model would say of samples that it was not asked about, learned from all that it said."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from expga.contracts import TIE, BoolArray, Context, FloatArray, Heard, IntArray
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
        self._scores: list[FloatArray] = []
        self._away: list[FloatArray] = []
        """How far from the boundary each answer is said to be, on the side of its label."""
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
            scores = answers.scores if self._class is None else answers.scores[:, [self._class]]
            if self._scores and scores.shape[1] != self._scores[-1].shape[1]:  # a class that was not known before
                self._genomes, self._scores, self._away, self._count, self._at_last_lesson = [], [], [], 0, 0
            self._genomes.append(genomes)
            self._scores.append(scores)
            self._away.append(np.where(answers.labels == self._class, answers.margins, -answers.margins))
            self._count += len(genomes)

    def _take_measure(self, scores: FloatArray, away: FloatArray) -> None:
        """Learns where labels change, and how far from there scores (n, q) usually are."""
        if self._class is None or not self._labels_decide:
            if not self._unit:
                self._unit = max(float(scores.std()), 1e-9)
                self._boundary = float(np.median(scores))
            return
        boundaries = scores[:, 0] - away
        scores_decide = bool(np.ptp(boundaries) <= TIE)
        if self._unit and scores_decide:
            return
        self._boundary = float(np.median(boundaries)) if scores_decide else _cut(scores[:, 0], away > 0)
        self._unit = max(float(np.median(np.abs(scores - self._boundary))), 1e-9)

    @property
    def due(self) -> bool:
        """Whether enough was heard since it learned last."""
        grown = GROWN if self._at_last_lesson < VERY_MANY else GROWN_MANY
        return self._count >= max(FEWEST, grown * self._at_last_lesson)

    def learn(self, trees: int) -> None:
        """Learns anew from what was heard, with trees from no more than so many answers."""
        self._at_last_lesson = self._count
        held: tuple[Sequence[Any], ...] = self._genomes, self._scores, self._away
        genomes, scores, away = (np.concatenate(all_of_it)[-MOST:] for all_of_it in held)
        self._genomes, self._scores, self._away, self._trees = [genomes], [scores], [away], []
        self._take_measure(scores, away)
        known = self.scaled(scores)
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


def _cut(scores: FloatArray, above: BoolArray) -> float:
    """Where scores (n,) part best those that should lie above (n,) from the others."""
    order = np.argsort(scores, kind="stable")
    scores, above = scores[order], above[order]
    wrong = np.concatenate([[0], np.cumsum(above)]) + np.concatenate([np.cumsum(~above[::-1])[::-1], [0]])
    between = np.concatenate([[True], scores[1:] > scores[:-1], [True]])
    place = int(np.where(between, wrong, len(scores) + 1).argmin())
    return float(scores[max(0, place - 1)] + scores[min(len(scores) - 1, place)]) / 2


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
