"""AEQUITAS: try inputs until some are discriminatory, then walk from each of them in small steps."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Literal, TypeAlias, cast

import numpy as np

from expga.contracts import (
    Asking,
    Batch,
    BoolArray,
    Columns,
    Context,
    FloatArray,
    IndexArray,
    Manner,
    Strategy,
    Verdict,
)

Scheme: TypeAlias = Literal["random", "semi-directed", "fully-directed"]

GLOBAL_BATCHES = 4
"""Where walks advance together, a round tries at least this many batches of inputs, to find enough to walk from."""
GIVE_UP = 50
"""Steps in a row without a new sample before walks end."""
BARREN = 2
"""Rounds in a row without a new sample before the domain counts as exhausted."""


class Aequitas(Strategy):
    """AEQUITAS (Udeshi, Arora, Chattopadhyay: Automated Directed Fairness Testing, ASE 2018).

    A round has two phases. Global: inputs are drawn and checked. Local: from each that is discriminatory a walk
    takes steps of one value up or down in one feature. A step to a discriminatory sample raises the odds of its
    feature and of its direction, any other lowers them. Rounds follow each other until nothing new comes up.

    Deviations: a sample seen before is not asked about again and teaches nothing, the walk just goes on, and ends
    after 50 of them in a row; a step out of bounds is not taken. Under `realism="data"` inputs are the real rows in
    random order, and a step out of reach is not taken either. In the batched manner a round tries more inputs, all
    walks step together and share what they learn from step to step, and where there are fewer inputs to walk from
    than walks, several start from the same one.
    """

    name = "aequitas"
    asking: Asking = "all"
    manners: tuple[Manner, ...] = ("batched", "faithful")
    kinds = ("table",)
    judges_repairs = True

    def __init__(
        self,
        scheme: Scheme = "fully-directed",
        global_inputs: int = 1_000,
        local_steps: int = 1_000,
        change: float = 0.001,
    ) -> None:
        """Sets the parameters; those of the paper are the defaults.

        Args:
            scheme: what walks learn: nothing, directions, or features and directions.
            global_inputs: inputs tried in a round.
            local_steps: steps of a walk.
            change: by how much the verdict on a step changes a probability.
        """
        self.scheme = scheme
        self.global_inputs = global_inputs
        self.local_steps = local_steps
        self.change = change

    def search(self, context: Context) -> Generator[Batch, Verdict, None]:
        together, seeds = context.walks, context.seeds
        wanted = self.global_inputs if together == 1 else max(self.global_inputs, GLOBAL_BATCHES * together)
        steps = Steps(context.domain.mutable, self.scheme, self.change)
        known = np.zeros(len(context.domain.rows), dtype=bool)
        known[seeds.rows[seeds.promise >= 1.0]] = True
        barren = 0
        for inputs in _rounds(context, wanted):
            tested, hit = 0, np.zeros(len(inputs), dtype=bool)
            for start in range(0, len(inputs), together):
                batch = Batch(inputs.genomes[start : start + together], inputs.anchor[start : start + together])
                verdict = yield batch
                hit[start + verdict.found] = True
                tested += len(verdict.tested)
            if context.domain.realism == "data":  # inputs are rows, and come again: then nothing is said of them
                known[inputs.anchor[hit]] = True
                hit = known[inputs.anchor]
            tested += yield from self._local(context, steps, inputs, hit)
            barren = 0 if tested else barren + 1
            if barren == BARREN:
                return

    def _local(self, context: Context, steps: Steps, inputs: Batch, hit: BoolArray) -> Generator[Batch, Verdict, int]:
        """Walks from the inputs (n,) that are hits (n,), as many together as fit; how many samples were tested."""
        hits, tested = np.flatnonzero(hit), 0
        for start in range(0, len(hits), context.walks):
            begun = np.resize(hits[start : start + context.walks], context.walks)
            tested += yield from self._walk(context, steps, Batch(inputs.genomes[begun], inputs.anchor[begun]))
        return tested

    def _walk(self, context: Context, steps: Steps, start: Batch) -> Generator[Batch, Verdict, int]:
        """Walks from every genome of a batch (w,), step by step; how many samples were tested."""
        domain, rng = cast(Columns, context.domain), context.rng
        genomes, tested, stale = start.genomes, 0, 0
        patience = GIVE_UP if domain.mutable.any() else 0
        for _ in range(self.local_steps):
            if stale >= patience:
                break
            gene, step = steps.draw(len(start), rng)
            moved = domain.shifted(genomes, step[:, None] * (np.arange(genomes.shape[1]) == gene[:, None]))
            reached = (domain.within_reach(moved, start.anchor, rng) == moved).all(axis=1)
            genomes = np.where(reached[:, None], moved, genomes)
            verdict = yield Batch(genomes, start.anchor)
            steps.learn(gene[verdict.tested], step[verdict.tested], verdict.unfair)
            tested += len(verdict.tested)
            stale = 0 if len(verdict.tested) else stale + 1
        return tested


class SemiDirectedAequitas(Aequitas):
    """AEQUITAS, semi-directed: features are drawn evenly, directions by what was learned."""

    name = "aequitas-semi-directed"
    judges_repairs = False

    def __init__(self) -> None:
        super().__init__("semi-directed")


class RandomAequitas(Aequitas):
    """AEQUITAS, random: features and directions are drawn evenly."""

    name = "aequitas-random"
    judges_repairs = False

    def __init__(self) -> None:
        super().__init__("random")


class Steps:
    """The odds of each step: which feature, and up or down."""

    def __init__(self, mutable: BoolArray, scheme: Scheme, change: float) -> None:
        self.feature: FloatArray = mutable / max(1, int(mutable.sum()))
        """(d,) the probability of each feature."""
        self.up: FloatArray = np.full(len(mutable), 0.5)
        """(d,) the probability that a step in it goes up."""
        self._start = self.feature
        self._scheme = scheme
        self._change = change

    def draw(self, count: int, rng: np.random.Generator) -> tuple[IndexArray, IndexArray]:
        """(count,) features and (count,) steps, 1 up or -1 down."""
        wheel = np.cumsum(self.feature)
        spin, direction = rng.random((2, count))
        gene = np.searchsorted(wheel, spin * wheel[-1], side="right")
        return gene, np.where(direction < self.up[gene], 1, -1)

    def learn(self, gene: IndexArray, step: IndexArray, hit: BoolArray) -> None:
        """Takes in whether steps (m,) in features (m,) led to discriminatory samples (m,)."""
        if self._scheme == "random" or not len(gene):
            return
        change = np.where(hit, self._change, -self._change)
        self.up = np.clip(self.up + np.bincount(gene, change * step, len(self.up)), 0.0, 1.0)
        if self._scheme == "fully-directed":
            gained = np.bincount(gene, change, len(self.feature))
            # To first order what adding and normalising one after the other comes to, for any number of steps.
            feature = np.maximum(self.feature * (1.0 - gained.sum()) + gained, 0.0)
            self.feature = feature / feature.sum() if feature.any() else self._start


def _rounds(context: Context, wanted: int) -> Iterator[Batch]:
    """The inputs of each round, as many as wanted: real rows in turn, or random ones within the bounds."""
    domain, rng = context.domain, context.rng
    order = rng.permutation(domain.anchors)
    while True:
        if domain.realism == "data":
            anchor, order = order[:wanted], np.roll(order, -wanted)
            yield Batch(domain.rows[anchor], anchor)
        else:
            anchor = domain.anchors[rng.integers(0, len(domain.anchors), wanted)]
            yield Batch(domain.donors(domain.rows[anchor], rng), anchor)
