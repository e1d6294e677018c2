"""ADF: walks along the gradients of both twins to the decision boundary, then around what is found there."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import numpy as np

from expga.contracts import (
    Asking,
    Batch,
    Columns,
    Context,
    FloatArray,
    Gradients,
    IndexArray,
    IntArray,
    Manner,
    Strategy,
    Verdict,
)
from expga.search.clusters import clustered_rounds

TEMPERATURE = 1.0
"""Of the local walk: standing on a finding, it goes on to a sample that is none with the odds exp(-1 / this)."""
GIVE_UP = 100
"""Steps in a row in which no local walk meets anything new before they end."""

Questions = Generator[Batch | Gradients, Any, Any]


@dataclass(frozen=True, slots=True)
class _Places:
    """Where walks stand: samples that the model was asked about."""

    genomes: IntArray
    """(n, d)"""
    anchor: IndexArray
    """(n,)"""
    pair: IndexArray
    """(n, 2) the twins with the largest gap."""
    scores: FloatArray
    """(n, 2) of the positive class."""

    @classmethod
    def judged(cls, batch: Batch, verdict: Verdict) -> _Places:
        """The samples of a batch that were tested, in the order of the verdict."""
        at = verdict.tested
        return cls(batch.genomes[at], batch.anchor[at], verdict.pair, verdict.scores)

    def __len__(self) -> int:
        return len(self.anchor)

    def __getitem__(self, some: Any) -> _Places:
        return _Places(self.genomes[some], self.anchor[some], self.pair[some], self.scores[some])

    @classmethod
    def joined(cls, parts: list[_Places]) -> _Places:
        """All of some parts, of which there is one at least."""
        columns = zip(*((part.genomes, part.anchor, part.pair, part.scores) for part in parts), strict=True)
        return cls(*map(np.concatenate, columns))


class ADF(Strategy):
    """ADF (Zhang, Wang, Sun, Dong, Wang, Wang, Dong, Dai: White-box Fairness Testing through Adversarial Sampling,
    ICSE 2020).

    Global: from a seed, both twins are moved towards the boundary, along the genes on which the gradients of their
    losses agree in sign. Local: from each finding of the global walks, a walk by single steps, most often of genes
    with small gradients, since these are the least likely to undo the finding. The loss is that of the model's own
    label, so its gradient by a gene is (score - label) · slope.

    Deviations: all rows are seeds, not 1,000 of them, and when all had their turn, the local walks begin again until
    they meet nothing new. The twin is the reading that differs most from the sample as it is.
    Bounds are the domain's own, in place of Census's everywhere, and a local step that a bound blocks goes the other
    way. A step is one value of the domain, which is one unit for integers. A global walk that comes to a sample
    tested before ends there; a local one passes over it with the gradients that it had. A gene whose gradients are 0,
    by which the published code would divide, has the odds of the one with the smallest. As in the published code,
    whose walk is scipy's basin hopping, a local step away from findings is taken with the odds 1/e, and any other is
    taken; but gradients are asked for only where a walk has moved.
    """

    name = "adf"
    asking: Asking = "all"
    manners: tuple[Manner, ...] = ("batched", "faithful")
    kinds = ("table",)
    needs_gradients = True

    def __init__(self, global_steps: int = 10, local_steps: int = 1_000) -> None:
        self.global_steps = global_steps
        self.local_steps = local_steps

    def search(self, context: Context) -> Questions:
        anchors = context.domain.anchors
        order = anchors[clustered_rounds(context.domain.rows[anchors], context.rng)]
        met: list[_Places] = []
        for start in range(0, len(order), context.walks):
            found = yield from self._global(context, order[start : start + context.walks])
            yield from self._local(context, found)
            met.append(found)
        starts, anything = _Places.joined(met), True
        while anything:
            anything = False
            for start in range(0, len(starts), context.walks):
                anything |= yield from self._local(context, starts[start : start + context.walks])

    def _global(self, context: Context, seeds: IndexArray) -> Questions:
        """Walks from real rows (n,) until they are discriminatory; returns those that came to be."""
        domain = _columns(context)
        batch = Batch(domain.rows[seeds], seeds)
        found: list[_Places] = []
        for step in range(self.global_steps + 1):
            verdict = yield batch
            places = _Places.judged(batch, verdict)
            found.append(places[verdict.unfair])
            places = places[~verdict.unfair]
            if step == self.global_steps or not len(places):
                break
            gradients = yield from _loss_gradients(domain, places)
            genomes = domain.shifted(places.genomes, agreed(gradients, domain.mutable, context.rng))
            batch = Batch(domain.within_reach(genomes, places.anchor, context.rng), places.anchor)
        return _Places.joined(found)

    def _local(self, context: Context, starts: _Places) -> Questions:
        """Walks around findings (n,); returns whether they met anything new."""
        if not len(starts):
            return False
        domain, rng = _columns(context), context.rng
        genomes, anchor = starts.genomes.copy(), starts.anchor
        impact = np.abs((yield from _loss_gradients(domain, starts))).sum(axis=1)
        on_finding = np.ones(len(starts), dtype=bool)
        met, stale = False, 0
        for _ in range(self.local_steps):
            batch = Batch(domain.within_reach(nudged(domain, genomes, impact, rng), anchor, rng), anchor)
            verdict = yield batch
            tested = verdict.tested
            stale = 0 if len(tested) else stale + 1
            met |= not stale
            if stale == GIVE_UP:
                break
            taken = verdict.unfair | ~on_finding[tested] | (rng.random(len(tested)) < np.exp(-1 / TEMPERATURE))
            moved = tested[taken]
            genomes[~verdict.novel] = batch.genomes[~verdict.novel]
            genomes[moved] = batch.genomes[moved]
            on_finding[moved] = verdict.unfair[taken]
            if len(moved):
                gradients = yield from _loss_gradients(domain, _Places.judged(batch, verdict)[taken])
                impact[moved] = np.abs(gradients).sum(axis=1)
        return met


def _columns(context: Context) -> Columns:
    domain: Columns = context.domain  # type: ignore[assignment]  # this strategy is for tables alone
    return domain


def _loss_gradients(domain: Columns, places: _Places) -> Questions:
    """(n, 2, d) the gradient of the loss of each twin, against the label that its own score speaks for."""
    count = len(places)
    twins = domain.readings.read(np.repeat(places.genomes, 2, axis=0), places.pair.ravel())
    gradients = yield Gradients(twins)
    miss = places.scores - (places.scores > 0.5)
    return gradients.reshape(count, 2, -1) * miss[:, :, None]


def agreed(gradients: FloatArray, mutable: np.ndarray, rng: np.random.Generator) -> IntArray:
    """(n, d) a step for every mutable gene on which the gradients (n, 2, d) of both twins have the same sign.

    Where there is none, one gene is drawn, and a direction.
    """
    sign = np.sign(gradients).astype(np.int32)
    steps = np.where((sign[:, 0] == sign[:, 1]) & mutable, sign[:, 0], 0)
    stuck = np.flatnonzero(~steps.any(axis=1))
    genes = np.flatnonzero(mutable)
    if len(genes):
        steps[stuck, rng.choice(genes, len(stuck))] = rng.choice(np.array([-1, 1]), len(stuck))
    return steps


def nudged(domain: Columns, genomes: IntArray, impact: FloatArray, rng: np.random.Generator) -> IntArray:
    """(n, d) each genome with one gene moved by one step, drawn in proportion to 1 / impact (n, d).

    A gene without any impact counts like the one that has the least.
    """
    steps = domain.mutable.astype(np.int32)
    up, down = domain.shifted(genomes, steps), domain.shifted(genomes, -steps)
    least = np.where(impact > 0, impact, np.inf).min(axis=1, keepdims=True)
    least[np.isinf(least)] = 1.0
    weight = least / np.maximum(impact, least) * ((up != genomes) | (down != genomes))
    wheel = np.cumsum(weight, axis=1)
    gene = np.argmax(wheel > rng.random((len(genomes), 1)) * wheel[:, -1:], axis=1)
    rows = np.arange(len(genomes))
    here, above, below = genomes[rows, gene], up[rows, gene], down[rows, gene]
    upwards = (rng.random(len(genomes)) < 0.5) & (above != here) | (below == here)
    moved = genomes.copy()
    moved[rows, gene] = np.where(upwards, above, below)
    return moved
