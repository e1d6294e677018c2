"""ExpGA as its paper has it for texts: a small population around each seed, some generations long."""

from __future__ import annotations

from collections.abc import Generator

import numpy as np

from expga.contracts import (
    Asking,
    Batch,
    BoolArray,
    Context,
    Domain,
    FloatArray,
    IndexArray,
    IntArray,
    Manner,
    Strategy,
    Verdict,
)
from expga.search.operators import crossover, roulette_within, runs

NEIGHBOURS = 20
"""k: the population of a seed is itself and so many versions of it, each with one word replaced."""
GENERATIONS = 20


class PublishedTextExpGA(Strategy):
    """ExpGA (Fan, Wei, Jin, Yang, Liu: Explanation-Guided Fairness Testing through Genetic Algorithm, ICSE 2022).

    Deviations: in the batched manner as many seeds as fit into a batch advance together, each with its own
    population, so that the model is asked about hundreds of texts at once; in the faithful one there is one seed
    at a time. Two parents exchange a fragment of the words in which they
    differ, so that no exchange is empty; an exchange may not move a text out of its reach.
    """

    name = "expga-published"
    asking: Asking = "all"
    manners: tuple[Manner, ...] = ("batched", "faithful")
    kinds = ("text",)
    usual_explainer: str | None = "shap"
    published_seeds = True

    def __init__(self, crossover_rate: float = 0.5, mutation_rate: float = 0.05) -> None:
        self.crossover_rate = crossover_rate
        self.mutation_rate = mutation_rate

    def search(self, context: Context) -> Generator[Batch, Verdict, None]:
        together = max(1, context.walks // (NEIGHBOURS + 1))
        for start in range(0, len(context.seeds.rows), together):
            yield from self._evolve(context, context.seeds.rows[start : start + together])

    def _evolve(self, context: Context, seeds: IndexArray) -> Generator[Batch, Verdict, None]:
        """The generations of some seeds (s,): populations are (s, k + 1, d)."""
        domain, rng = context.domain, context.rng
        anchor = np.repeat(seeds, NEIGHBOURS + 1)
        genomes = _first_generation(domain, seeds, rng)
        fitness: FloatArray = np.zeros(len(anchor))
        for _ in range(GENERATIONS):
            verdict = yield Batch(genomes, anchor)
            fitness[verdict.tested] = verdict.gap
            chosen = roulette_within(fitness.reshape(len(seeds), -1), rng)
            genomes = self._breed(domain, genomes[chosen.ravel()], len(seeds), rng)
            genomes, fitness = domain.within_reach(genomes, anchor, rng), fitness[chosen.ravel()]

    def _breed(self, domain: Domain, genomes: IntArray, seeds: int, rng: np.random.Generator) -> IntArray:
        """The next generation: within each population neighbours mate, then every word may mutate."""
        width = genomes.shape[1]
        population = genomes.reshape(seeds, -1, width)
        half = population.shape[1] // 2
        one, other = (population[:, side * half : (side + 1) * half].reshape(-1, width) for side in (0, 1))
        mates: BoolArray = rng.random((len(one), 1)) < self.crossover_rate
        mask = runs((one != other) & domain.mutable, width, rng) & mates
        children = [part.reshape(seeds, half, width) for part in crossover(one, other, mask)]
        bred = np.concatenate([*children, population[:, 2 * half :]], axis=1).reshape(-1, width)
        mutable = (rng.random(bred.shape, dtype=np.float32) < self.mutation_rate) & domain.mutable
        return domain.mutated(bred, mutable, rng)


def _first_generation(domain: Domain, seeds: IndexArray, rng: np.random.Generator) -> IntArray:
    """(s · (k + 1), d) each seed, and versions of it with one word replaced: another one each, while there are some."""
    rows = domain.rows[np.repeat(seeds, NEIGHBOURS + 1)]
    drawn = domain.donors(rows, rng)
    possible = (domain.donors(domain.rows[seeds], rng) != domain.rows[seeds]) & domain.mutable
    order = np.argsort(rng.random(possible.shape) - possible, axis=1)
    turn = np.arange(NEIGHBOURS) % np.maximum(1, possible.sum(axis=1))[:, None]
    gene = np.take_along_axis(order, turn, axis=1)
    population = rows.reshape(len(seeds), NEIGHBOURS + 1, -1)
    seed, version = np.indices(gene.shape)
    population[seed, version + 1, gene] = drawn.reshape(population.shape)[seed, version + 1, gene]
    return population.reshape(rows.shape)
