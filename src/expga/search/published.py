"""ExpGA as its paper has it: explanation-guided seeds, then one generation after the other."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from expga.contracts import Asking, Batch, Context, FloatArray, IndexArray, IntArray, Manner, Verdict
from expga.errors import InputError
from expga.search.operators import crossover, each_gene, fragments, roulette

POPULATION = 100
STALE_SHARE = 0.1
"""Below this share of novel children a population is refreshed."""
GIVE_UP = 50
"""Generations in a row without a testable child before the domain counts as exhausted."""


@dataclass(slots=True)
class _Archive:
    """Findings to refresh a stale population from: the latest `POPULATION` of them."""

    genomes: IntArray
    anchor: IndexArray

    def add(self, batch: Batch, verdict: Verdict) -> None:
        self.genomes = np.concatenate([self.genomes, batch.genomes[verdict.found]])[-POPULATION:]
        self.anchor = np.concatenate([self.anchor, batch.anchor[verdict.found]])[-POPULATION:]


class PublishedExpGA:
    """ExpGA (Fan, Wei, Jin, Yang, Liu: Explanation-Guided Fairness Testing through Genetic Algorithm, ICSE 2022).

    Deviations: a stale population is refreshed, half from the findings and half from new seeds, where the
    paper would breed clones; the traps of the published code (empty fragments, bounds never reached,
    protected genes that mutate, seeds counted unchecked) are not repeated.
    """

    name = "expga-published"
    asking: Asking = "all"
    manners: tuple[Manner, ...] = ("batched",)
    needs_slopes = False

    def __init__(
        self,
        crossover_rate: float = 0.9,
        mutation_rate: float = 0.05,
        fitness: Literal["gap", "labels"] = "gap",
        breeding: Literal["genetic", "random"] = "genetic",
    ) -> None:
        """Sets the parameters; those of the paper are the defaults.

        Args:
            crossover_rate: how often two parents exchange a fragment.
            mutation_rate: how often a gene mutates.
            fitness: the paper's gap between scores, or what the published code takes, 2 · |label difference| + 1.
            breeding: "random" only mutates, without selection and crossover: for ablations.
        """
        if fitness not in ("gap", "labels"):
            raise InputError(f"There is no fitness {fitness!r}; choose gap or labels.")
        if breeding not in ("genetic", "random"):
            raise InputError(f"There is no breeding {breeding!r}; choose genetic or random.")
        self.crossover_rate = crossover_rate if breeding == "genetic" else 0.0
        self.mutation_rate = mutation_rate
        self.fitness = fitness
        self.breeding = breeding

    def search(self, context: Context) -> Generator[Batch, Verdict, None]:
        domain, rng = context.domain, context.rng
        seeds = context.seeds.rows
        anchor = seeds[:POPULATION]
        genomes = domain.rows[anchor]
        fitness = np.zeros(len(genomes))
        used, barren = len(anchor), 0
        archive = _Archive(genomes[:0], anchor[:0])
        while barren < GIVE_UP:
            batch = Batch(genomes, anchor)
            verdict = yield batch
            archive.add(batch, verdict)
            fitness[verdict.tested] = self._worth(verdict)
            barren = 0 if len(verdict.tested) else barren + 1
            if verdict.novel.mean() < STALE_SHARE:
                fresh = np.roll(seeds, -used)[: POPULATION - len(archive.anchor) // 2]
                used = (used + len(fresh)) % len(seeds)
                old = rng.permutation(len(archive.anchor))[: POPULATION - len(fresh)]
                genomes = np.concatenate([archive.genomes[old], domain.rows[fresh]])
                anchor = np.concatenate([archive.anchor[old], fresh])
                fitness = np.zeros(len(genomes))
            chosen = rng.permutation(roulette(fitness, len(genomes), rng))
            genomes, anchor, fitness = self._breed(context, genomes[chosen], anchor[chosen], fitness[chosen])

    def _worth(self, verdict: Verdict) -> FloatArray:
        """(m,) the fitness of the samples tested; where nothing is selected, all are worth the same."""
        if self.breeding == "random":
            return np.zeros(len(verdict.gap))
        if self.fitness == "labels":
            return np.asarray(2.0 * np.abs(verdict.labels[:, 0] - verdict.labels[:, 1]) + 1.0)
        return verdict.gap

    def _breed(
        self, context: Context, genomes: IntArray, anchor: IndexArray, fitness: np.ndarray
    ) -> tuple[IntArray, IndexArray, np.ndarray]:
        """The next generation: neighbours in the shuffled population mate, then every gene may mutate."""
        domain, rng = context.domain, context.rng
        half = len(genomes) // 2
        mask = fragments(half, domain.mutable, rng) & (rng.random((half, 1)) < self.crossover_rate)
        one, other = crossover(genomes[:half], genomes[half : 2 * half], mask)
        children = np.concatenate([one, other, genomes[2 * half :]])
        mutable = each_gene(len(children), domain.mutable, self.mutation_rate, rng)
        children = domain.mutated(children, mutable, rng)
        return domain.within_reach(children, anchor, rng), anchor, fitness
