"""ExpGA as its paper has it: explanation-guided seeds, then one generation after the other."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from expga.contracts import Asking, Batch, Context, FloatArray, IndexArray, IntArray, Manner, Realism, Strategy, Verdict
from expga.errors import InputError
from expga.search.operators import crossover, each_gene, fragments, roulette_within

POPULATION = 100
STALE_SHARE = 0.1
"""Below this share of novel children a population is refreshed."""
GIVE_UP = 50
"""Generations in a row without a testable child before the domain counts as exhausted."""


@dataclass(slots=True)
class _Archive:
    """Findings to refresh stale populations from: the latest `POPULATION` of them for each."""

    genomes: IntArray
    anchor: IndexArray
    populations: int

    def add(self, batch: Batch, verdict: Verdict) -> None:
        most = POPULATION * self.populations
        self.genomes = np.concatenate([self.genomes, batch.genomes[verdict.found]])[-most:]
        self.anchor = np.concatenate([self.anchor, batch.anchor[verdict.found]])[-most:]


class PublishedExpGA(Strategy):
    """ExpGA (Fan, Wei, Jin, Yang, Liu: Explanation-Guided Fairness Testing through Genetic Algorithm, ICSE 2022).

    Deviations: a stale population is refreshed, half from the findings and half from new seeds, where the
    paper would breed clones; the traps of the published code (empty fragments, bounds never reached,
    protected genes that mutate, seeds counted unchecked) are not repeated. In the batched manner as many
    populations as fit into a batch live side by side, each selecting and breeding within itself; they share the
    findings that they are refreshed from, all at once.
    """

    name = "expga-published"
    asking: Asking = "all"
    manners: tuple[Manner, ...] = ("faithful", "batched")
    kinds = ("table",)
    usual_explainer: str | None = "lime"
    usual_realism: Realism = "domain"
    published_seeds = True

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
        domain, rng, seeds = context.domain, context.rng, context.seeds.rows
        populations = max(1, context.walks // POPULATION)
        anchor = _in_turn(seeds, 0, populations, POPULATION)
        genomes = domain.rows[anchor]
        fitness = np.zeros(len(genomes))
        used, barren = len(anchor), 0
        archive = _Archive(genomes[:0], anchor[:0], populations)
        while barren < GIVE_UP:
            batch = Batch(genomes, anchor)
            verdict = yield batch
            archive.add(batch, verdict)
            fitness[verdict.tested] = self._worth(verdict)
            barren = 0 if len(verdict.tested) else barren + 1
            if verdict.novel.mean() < STALE_SHARE:
                share = len(archive.anchor) // populations
                fresh = _in_turn(seeds, used, populations, POPULATION - share // 2)
                used = (used + len(fresh)) % len(seeds)
                most = min(share, POPULATION - len(fresh) // populations)
                old = rng.permutation(len(archive.anchor))[: populations * most]
                anchor = _side_by_side(archive.anchor[old], fresh, populations)
                genomes = _side_by_side(archive.genomes[old], domain.rows[fresh], populations)
                fitness = np.zeros(len(genomes))
            chosen = roulette_within(fitness.reshape(populations, -1), rng).ravel()
            anchor, fitness = anchor[chosen], fitness[chosen]
            genomes = self._breed(context, genomes[chosen], anchor, populations)

    def _worth(self, verdict: Verdict) -> FloatArray:
        """(m,) the fitness of the samples tested; where nothing is selected, all are worth the same."""
        if self.breeding == "random":
            return np.zeros(len(verdict.gap))
        if self.fitness == "labels":
            return np.asarray(2.0 * np.abs(verdict.labels[:, 0] - verdict.labels[:, 1]) + 1.0)
        return verdict.gap

    def _breed(self, context: Context, genomes: IntArray, anchor: IndexArray, populations: int) -> IntArray:
        """The next generation: neighbours in each shuffled population mate, then every gene may mutate."""
        domain, rng, width = context.domain, context.rng, genomes.shape[1]
        population = genomes.reshape(populations, -1, width)
        half = population.shape[1] // 2
        one, other = (population[:, side * half : (side + 1) * half].reshape(-1, width) for side in (0, 1))
        mask = fragments(len(one), domain.mutable, rng) & (rng.random((len(one), 1)) < self.crossover_rate)
        pairs = [part.reshape(populations, half, width) for part in crossover(one, other, mask)]
        children = np.concatenate([*pairs, population[:, 2 * half :]], axis=1).reshape(-1, width)
        mutable = each_gene(len(children), domain.mutable, self.mutation_rate, rng)
        children = domain.mutated(children, mutable, rng)
        return domain.within_reach(children, anchor, rng)


def _in_turn(seeds: IndexArray, used: int, populations: int, most: int) -> IndexArray:
    """(populations · n,) the seeds whose turn it is, at most so many for each population, and none twice in one."""
    each = min(most, len(seeds))
    return np.take(seeds, used + np.arange(populations * each), mode="wrap")


def _side_by_side(old: np.ndarray, fresh: np.ndarray, populations: int) -> np.ndarray:
    """For each population its share of the old, then of the fresh, first axis by first axis."""
    parts = [part.reshape(populations, len(part) // populations, *part.shape[1:]) for part in (old, fresh)]
    both = np.concatenate(parts, axis=1)
    return both.reshape(-1, *both.shape[2:])
