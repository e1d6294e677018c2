"""SG, symbolic generation: the paths of local decision trees, solved for inputs that leave them."""

from __future__ import annotations

import heapq
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from expga.contracts import (
    Answers,
    Asking,
    Batch,
    Columns,
    Context,
    FloatArray,
    IndexArray,
    IntArray,
    Manner,
    Probe,
    Strategy,
    Verdict,
)
from expga.importing import require
from expga.search.clusters import CLUSTERS, clustered_rounds
from expga.search.paths import BoxSolver, Branch, Choices, Path, Solver, Z3Solver, global_branches, local_branches

SEED, LOCAL, GLOBAL = 5.0, 1.0, 10.0
"""What inputs rank by, lowest first: a local one comes after its confidence, a global one before it."""
LEAST_NEIGHBOURHOODS = 200
"""A budget of queries pays for at least so many neighbourhoods."""
TOGETHER = 16
"""In the batched manner at least so many neighbourhoods share a call of the model."""
SMALL = 32
"""Samples that a neighbourhood may have in the batched manner however small the batches are."""
UNTESTED = -1


@dataclass(frozen=True, slots=True, order=True)
class _Input:
    """An input that waits: to be tested or, once its verdict is known, to be left by its tree's paths."""

    priority: float
    serial: int
    genome: IntArray = field(compare=False)
    """(d,)"""
    anchor: int = field(compare=False)
    unfair: bool = field(compare=False, default=False)


class SG(Strategy):
    """SG (Agarwal, Lohia, Nagar, Dey, Saha: Automated Test Generation to Detect Individual Discrimination, 2019).

    A queue of inputs, lowest priority first. An input is tested, then a decision tree is fitted to the model's labels
    on a neighbourhood as LIME draws it, from the data's columns, with the input among it. Of the path that the input
    follows, each condition is negated by itself if the input is discriminatory (local), and each prefix's next
    condition in any case, up to the first whose confidence is below 0.3 (global). What solves these waits in the
    queue: local ones at 1 + mean confidence, seeds at 5, global ones at 10 - mean confidence. Seeds are real rows,
    round robin from 4 k-means clusters, a thousand at a time; the next thousand come when the queue is empty.
    Conditions on genes that are protected or immutable are not negated. As in the published code, genes without a
    condition keep the input's values, and those with one take whatever the solver says: all of them in global
    branches, only the negated one's in local branches. No path is solved twice.

    Deviations:
        - Every sample of a neighbourhood counts as a query.
        - A neighbourhood has 5,000 samples, but no more than a batch, which is half a per cent of the budget or 8,192,
          and no more than half a per cent of the queries left at the start: small budgets would end at the first
          inputs. The last one takes what is left.
        - An input that was tested before, up to what is protected, gets no neighbourhood again, but for the seeds:
          once all rows have been seeds, they come again as long as that brings anything new.
        - Two paths are equal if they demand the same of the genes; the published code also compares confidences.
        - Under `realism="data"` a solution is put back within the reach of the anchor of the input that it came from,
          and dropped if it then leaves its path.
        - In the batched manner a neighbourhood is no larger than a sixteenth of a batch, or 32, and at least 16 inputs
          share a call of the model: with 300,000 queries on Census, 100 samples found nine times as much as 1,500. A
          round tests as many of the waiting inputs as the round before gave birth to, and 16 more. Paths are solved
          by their boxes instead of with z3: a gene takes the nearest value that meets its conditions, where z3 tends
          to the lowest.
    """

    name = "sg"
    needs_labels = True
    asking: Asking = "all"
    manners: tuple[Manner, ...] = ("batched", "faithful")
    kinds = ("table",)

    def __init__(
        self, samples: int = 5_000, clusters: int = CLUSTERS, seeds: int = 1_000, least_confidence: float = 0.3
    ) -> None:
        self.samples = samples
        self.clusters = clusters
        self.seeds = seeds
        self.least_confidence = least_confidence

    def check(self, manner: Manner) -> None:
        """Only the faithful manner solves paths with z3."""
        if manner == "faithful":
            require("z3")

    def search(self, context: Context) -> Generator[Batch | Probe, Any, None]:
        anchors = context.domain.anchors
        rows = anchors[clustered_rounds(context.domain.rows[anchors], context.rng, self.clusters)]
        growth = _Growth(context, self.samples, self.least_confidence)
        record = np.full(len(context.domain.rows), UNTESTED, dtype=np.int8)
        news = 1
        while news:
            news = 0
            for start in range(0, len(rows), self.seeds):
                news += yield from self._empty_queue(growth, rows[start : start + self.seeds], record)
            rows = rows[record[rows] != UNTESTED]

    def _empty_queue(
        self, growth: _Growth, seeds: IndexArray, record: npt.NDArray[np.int8]
    ) -> Generator[Batch | Probe, Any, int]:
        """Goes on from seeds until nothing waits any more.

        Args:
            growth: where inputs come from.
            seeds: (n,) row numbers.
            record: (N,) whether each row is discriminatory, where it was tested; written to.

        Returns:
            How many samples were tested.
        """
        known = record[seeds] != UNTESTED
        untested = growth.seeds(seeds[~known])
        tested = [replace(one, unfair=record[one.anchor] == 1) for one in growth.seeds(seeds[known])]
        news = born = 0
        while untested or tested:
            if inputs := _cheapest(untested, growth.inputs_a_round(born)):
                verdict = yield _batch(inputs)
                news += len(verdict.tested)
                for one in _with_verdict(inputs, verdict):
                    if one.priority == SEED:
                        record[one.anchor] = one.unfair
                    heapq.heappush(tested, one)
            born = 0
            if parents := _cheapest(tested, growth.neighbourhoods_a_round()):
                answers = yield (probe := growth.neighbourhoods(parents))
                children = growth.children(parents, probe, answers)
                born = len(children)
                for one in children:
                    heapq.heappush(untested, one)
            else:
                tested.clear()
        return news


class _Growth:
    """Neighbourhoods of inputs, and the inputs that their trees lead to."""

    def __init__(self, context: Context, samples: int, least_confidence: float) -> None:
        domain = cast(Columns, context.domain)
        self._domain, self._rng, self._left = domain, context.rng, context.queries_left
        self._least_confidence = least_confidence
        self._one_by_one = context.walks == 1
        most = context.batch_size if self._one_by_one else max(SMALL, context.batch_size // TOGETHER)
        if (left := self._left()) is not None:
            most = min(most, left // LEAST_NEIGHBOURHOODS)
        self._samples = max(2, min(samples, most))
        self._together = 1 if self._one_by_one else max(TOGETHER, context.walks // self._samples)
        self._choices = Choices(domain)
        faithful = context.manner == "faithful"
        self._solver: Solver = Z3Solver(self._choices) if faithful else BoxSolver(self._choices)
        self._explored: set[int] = set()
        self._serial = count()

    def seeds(self, rows: IndexArray) -> list[_Input]:
        """Real rows (n,) as inputs, in the order given."""
        return self._inputs(np.full(len(rows), SEED), self._domain.rows[rows], rows)

    def inputs_a_round(self, born: int) -> int:
        """How many inputs to test next, after a round that so many were born in."""
        return 1 if self._one_by_one else self._together + born

    def neighbourhoods_a_round(self) -> int:
        """How many inputs get a neighbourhood next."""
        if not self._domain.mutable.any():
            return 0
        left = self._left()
        return self._together if left is None else min(self._together, max(1, left // self._samples))

    def neighbourhoods(self, inputs: Sequence[_Input]) -> Probe:
        """For each of n inputs itself and samples drawn gene by gene from the real rows: (n * samples, d)."""
        rows, anchors = self._domain.rows, self._domain.anchors
        width, left = rows.shape[1], self._left()
        samples = self._samples if left is None else max(1, min(self._samples, left // len(inputs)))
        drawn = anchors[self._rng.integers(len(anchors), size=(len(inputs), samples, width))]
        genomes = rows[drawn, np.arange(width)]
        genomes[:, 0] = [one.genome for one in inputs]
        return Probe(genomes.reshape(-1, width))

    def children(self, parents: Sequence[_Input], probe: Probe, answers: Answers) -> list[_Input]:
        """The inputs on the branches off the paths of n parents, by a tree on each one's part of a probe."""
        from sklearn.tree import DecisionTreeClassifier

        samples = len(probe) // len(parents)
        branches: list[Branch] = []
        priority: list[float] = []
        parent: list[_Input] = []
        for place, one in enumerate(parents):
            part = slice(place * samples, (place + 1) * samples)
            tree = DecisionTreeClassifier(random_state=int(self._rng.integers(2**31)))
            path = self._choices.path(tree.fit(probe.genomes[part], answers.labels[part]), one.genome)
            for rank, branch in self._new_branches(path, one.unfair):
                branches.append(branch)
                priority.append(rank)
                parent.append(one)
        if not branches:
            return []
        genomes = np.array([one.genome for one in parent])
        anchor = np.array([one.anchor for one in parent])
        kept, genomes = self._solved(genomes, anchor, [branch.needed for branch in branches])
        return self._inputs(np.array(priority)[kept], genomes, anchor[kept])

    def _inputs(self, priority: FloatArray, genomes: IntArray, anchor: IndexArray) -> list[_Input]:
        """Inputs to be tested, in the order given where priorities (n,) are equal."""
        each = zip(priority.tolist(), genomes, anchor.tolist(), strict=True)
        return [_Input(rank, next(self._serial), genome, row) for rank, genome, row in each]

    def _new_branches(self, path: Path, unfair: bool) -> Iterator[tuple[float, Branch]]:
        """Branches that no path explored before, with their priorities."""
        free = self._domain.mutable
        ranked = [(LOCAL + branch.confidence, branch) for branch in (local_branches(path, free) if unfair else ())]
        ranked += [
            (GLOBAL - branch.confidence, branch) for branch in global_branches(path, free, self._least_confidence)
        ]
        for priority, branch in ranked:
            if (key := hash(branch.path)) not in self._explored:
                self._explored.add(key)
                yield priority, branch

    def _solved(self, genomes: IntArray, anchor: IndexArray, paths: Sequence[Path]) -> tuple[IndexArray, IntArray]:
        """Which of m paths have a solution within reach, starting from genomes (m, d), and the solutions."""
        ranks = self._choices.ranks(genomes)
        solutions, solved = self._solver.solve(ranks, paths)
        moved = np.where(solutions != ranks, self._choices.codes(solutions), genomes)
        moved = self._domain.within_reach(moved, anchor, self._rng)
        kept = np.flatnonzero(solved & self._choices.meets(self._choices.ranks(moved), paths))
        return kept, moved[kept]


def _cheapest(queue: list[_Input], most: int) -> list[_Input]:
    return [heapq.heappop(queue) for _ in range(min(most, len(queue)))]


def _batch(inputs: Sequence[_Input]) -> Batch:
    return Batch(np.array([one.genome for one in inputs]), np.array([one.anchor for one in inputs], dtype=np.intp))


def _with_verdict(inputs: Sequence[_Input], verdict: Verdict) -> list[_Input]:
    """Those that were asked about; one seen before, or without a twin, leads nowhere."""
    places = zip(verdict.tested.tolist(), verdict.unfair.tolist(), strict=True)
    return [replace(inputs[place], unfair=unfair) for place, unfair in places]
