"""How likely samples are to be discriminatory that nobody asked about yet, and which of them to ask about."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from expga.contracts import Context, FloatArray, IndexArray, IntArray, Verdict
from expga.search.children import Children
from expga.search.pool import Pool
from expga.search.surrogate import Surrogate

LARGEST_SHARE = 0.01
"""Of a batch, what may lie near one real row, ..."""
FEWEST = 2
"""... but so many samples at least."""
MEMORY = 0.8
"""What a miss still counts for after another batch."""
NEW = 0.3
"""What the misses of a batch count for against all before."""
BELIEF = 16.0
"""Samples' worth of belief in that half of what a parent was missed by carries over to its child."""
LEAST = 1e-3
NODES = np.array([-2.85697001, -1.35562618, 0.0, 1.35562618, 2.85697001])
WEIGHTS = np.array([0.01125741, 0.22207592, 0.53333333, 0.22207592, 0.01125741])
"""Gauss and Hermite's: a mean over the standard normal distribution as a sum."""


@dataclass(frozen=True, slots=True)
class Expected:
    """What is expected of the twins of n samples: of their middle, and of half of what lies between them."""

    learned: FloatArray
    """(n, 2) by what was learned alone."""
    parent_off: FloatArray
    """(n, 2) by how much what was learned is off about the parent; 0 where nobody knows."""

    def those(self, some: IndexArray) -> Expected:
        """Of some samples."""
        return Expected(self.learned[some], self.parent_off[some])


class Outlook:
    """Odds from what a surrogate expects of both twins, from what is known of the parent, and from earlier misses.

    Both twins of a sample tend to be missed together: by how much their middle is missed, and by how much, which is
    less, half of what lies between them, are two things.
    """

    def __init__(self, context: Context) -> None:
        from scipy.special import ndtr

        self._ndtr = ndtr
        self._context = context
        self._surrogate = Surrogate(context)
        self._spread: FloatArray | None = None
        """(2,) by how much middles and halves are missed, typically."""
        self._carries: FloatArray = np.tile([[0.5 * BELIEF], [BELIEF]], (1, 2))
        """(2, 2) what misses of children and parents have in common, and the parents' own."""

    def learn(self, trees: int) -> bool:
        """Takes in what the model was heard to say, with trees so much of it; whether it led to another view."""
        self._surrogate.hear(self._context.heard())
        if not self._surrogate.due:
            return False
        self._surrogate.learn(trees)
        if self._spread is None:
            self._spread = np.array([self._surrogate.spread, self._surrogate.spread / 4])
        return True

    def promise(self, rows: IndexArray, pair: IndexArray) -> FloatArray:
        """(n,) how near to the boundary these real rows (n,) should lie, against what lies between their twins."""
        middle, half = self._learned(self._context.domain.rows[rows], pair).T
        half = np.abs(half)
        return np.asarray(half / (half + np.abs(middle) + LEAST))

    def best(self, children: Children, pool: Pool, most: int) -> tuple[Children, Expected | None]:
        """The children to ask about, and what is expected of them."""
        # Of equal odds any may come first: they were bred kind by kind.
        order, expected = self._context.rng.permutation(len(children)), None
        if self._spread is not None:
            expected = self._expected(children, pool)
            order = order[np.argsort(-self._odds(expected)[order], kind="stable")]
        place = _place_within(children.anchor[order])
        order = order[place < max(FEWEST, LARGEST_SHARE * most)][:most]
        return children.those(order), None if expected is None else expected.those(order)

    def learn_from(self, expected: Expected | None, verdict: Verdict) -> None:
        """Told what the model said of the samples that this was expected of."""
        if expected is None or self._spread is None or len(verdict.tested) < FEWEST or self._context.compared is None:
            return
        expected = expected.those(verdict.tested)
        known = _turned(self._surrogate.scaled(verdict.scores))
        off, parent = known - expected.learned, expected.parent_off
        self._carries = MEMORY * self._carries + np.stack([(off * parent).sum(axis=0), (parent**2).sum(axis=0)])
        missed = 1.48 * np.median(np.abs(off - self._carried * parent), axis=0)
        self._spread = (1 - NEW) * self._spread + NEW * np.maximum(missed, LEAST)

    @property
    def _carried(self) -> FloatArray:
        """(2,) the share of a parent's miss that is its child's as well."""
        return np.asarray(np.clip(self._carries[0] / np.maximum(self._carries[1], LEAST), 0.0, 1.0))

    def _learned(self, genomes: IntArray, pair: IndexArray) -> FloatArray:
        """(n, 2) what was learned of the twins of genomes (n, d) under a pair of readings (n, 2)."""
        read = self._context.domain.readings.read
        one, other = (self._surrogate.expect(read(genomes, pair[:, side])) for side in (0, 1))
        if one.shape[1] == 1:
            return _turned(np.column_stack([one, other]))
        if not self._context.labels_decide:
            widest = np.abs(one - other).argmax(axis=1)[:, None]
            return _turned(np.column_stack([np.take_along_axis(side, widest, axis=1) for side in (one, other)]))
        # Of several classes it is the one that both together are nearest to, against the best of the others.
        first = (one + other).argmax(axis=1)[:, None]
        return _turned(np.column_stack([_lead(side, first) for side in (one, other)]))

    def _expected(self, children: Children, pool: Pool) -> Expected:
        off = np.zeros((len(children), 2))
        known = np.flatnonzero((children.parent >= 0) & ~np.isnan(pool.scores[children.parent, 0]))
        if len(known) and self._context.compared is not None:
            parents, which = np.unique(children.parent[known], return_inverse=True)
            learned = self._learned(pool.genomes[parents], pool.pair[parents])
            off[known] = (_turned(self._surrogate.scaled(pool.scores[parents])) - learned)[which]
            turned = children.pair[known, 0] == pool.pair[children.parent[known], 1]
            off[known[turned], 1] *= -1.0
        return Expected(self._learned(children.genomes, children.pair), off)

    def _odds(self, expected: Expected) -> FloatArray:
        """(n,) of the twins lying on two sides of the boundary."""
        assert self._spread is not None
        middle, half = (expected.learned + self._carried * expected.parent_off).T
        if not self._context.labels_decide:
            return np.asarray(np.abs(half))
        middle = np.abs(middle)[:, None]
        half = np.abs(half[:, None] + self._spread[1] * NODES)
        across = self._ndtr((half - middle) / self._spread[0]) - self._ndtr((-half - middle) / self._spread[0])
        return np.asarray(across @ WEIGHTS)


def _lead(scores: FloatArray, first: IndexArray) -> FloatArray:
    """(n,) by how much the score of one class (n, 1) is ahead of the best of the others (n, q)."""
    others = scores.copy()
    np.put_along_axis(others, first, -np.inf, axis=1)
    return np.asarray(np.take_along_axis(scores, first, axis=1)[:, 0] - others.max(axis=1))


def _turned(sides: FloatArray) -> FloatArray:
    """(n, 2) middles, and halves of what lies between, of two sides (n, 2)."""
    return np.stack([(sides[:, 0] + sides[:, 1]) / 2, (sides[:, 0] - sides[:, 1]) / 2], axis=1)


def _place_within(anchor: IndexArray) -> IndexArray:
    """(n,) how many of the same anchor (n,) came before each."""
    order = np.argsort(anchor, kind="stable")
    start = np.concatenate([[0], np.flatnonzero(np.diff(anchor[order])) + 1])
    place = np.empty(len(anchor), dtype=np.intp)
    place[order] = np.arange(len(anchor)) - np.repeat(start, np.diff([*start, len(anchor)]))
    return place
