"""The moves of a genetic search: pure functions of arrays and a random generator."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from expga.contracts import BoolArray, FloatArray, IndexArray, IntArray


def roulette(fitness: FloatArray, count: int, rng: np.random.Generator) -> IndexArray:
    """(count,) individuals drawn in proportion to fitness (m,), rising; uniformly where all of it is 0.

    One spin with `count` evenly spaced pointers (Baker's universal sampling): the same odds as a spin each,
    with less luck in it.
    """
    wheel = np.cumsum(fitness)
    if not wheel[-1] > 0:
        wheel = np.arange(1.0, len(fitness) + 1)
    pointers = (np.arange(count) + rng.random()) * (wheel[-1] / count)
    chosen = np.searchsorted(wheel, pointers, side="right")
    return np.asarray(np.minimum(chosen, len(fitness) - 1))


def roulette_within(fitness: FloatArray, rng: np.random.Generator) -> IndexArray:
    """(s, m) for each of s populations of m, given by their fitness (s, m), as many individuals by roulette.

    Numbers count through all populations; each is shuffled. Where all fitness is 0, everyone comes once.
    """
    wheel = np.cumsum(np.where(fitness.any(axis=1, keepdims=True), fitness, 1.0), axis=1)
    populations, size = fitness.shape
    pointers = (np.arange(size) + rng.random((populations, 1))) * (wheel[:, -1:] / size)
    # One search over all wheels, each turned on behind the one before.
    turned = np.cumsum(wheel[:, -1]) - wheel[:, -1]
    chosen = np.searchsorted((wheel + turned[:, None]).ravel(), (pointers + turned[:, None]).ravel(), side="right")
    first = np.arange(populations)[:, None] * size
    chosen = np.clip(chosen.reshape(fitness.shape), first, first + size - 1)
    return np.asarray(rng.permuted(chosen, axis=1))


def fragments(count: int, mutable: BoolArray, rng: np.random.Generator) -> BoolArray:
    """(count, d) one contiguous run of the mutable genes each, never empty."""
    genes = np.flatnonzero(mutable)
    if not len(genes):
        return np.zeros((count, len(mutable)), dtype=bool)
    ends = np.sort(rng.integers(0, len(genes), (2, count)), axis=0)
    place = np.arange(len(genes))
    inside = (place >= ends[0][:, None]) & (place <= ends[1][:, None])
    mask = np.zeros((count, len(mutable)), dtype=bool)
    mask[:, genes] = inside
    return mask


@np.errstate(invalid="ignore")  # BLAS may flag what stands in its padding; the numbers here are finite
def runs(differs: BoolArray, longest: FloatArray | int, rng: np.random.Generator) -> BoolArray:
    """(n, d) a contiguous run of the genes (n, d) in which two individuals differ, at least one, never all.

    Genes that are equal anyway do not count, so that no exchange is empty. Where only one differs, it goes.

    Args:
        differs: (n, d) the genes to choose from.
        longest: the most genes in a run, for all or (n,) for each.
        rng: where the run begins and how long it is.
    """
    # The rank of each gene among those that differ, as a product: a cumulative sum along so short an axis is slow.
    rank = differs.astype(np.float32) @ _up_to(differs.shape[1])
    count = rank[:, -1]
    start, length = rng.random((2, len(count)), dtype=np.float32)
    first = np.floor(start * count) + 1.0
    behind = first + 1.0 + np.floor(length * np.clip(count - 1.0, 1.0, longest))
    inside = (rank >= first[:, None]) & (rank < behind[:, None])
    return np.asarray(inside & differs)


@cache
def _up_to(width: int) -> npt.NDArray[np.float32]:
    """(d, d) which genes come up to each: ones above the diagonal and on it."""
    return np.triu(np.ones((width, width), dtype=np.float32))


def each_gene(count: int, mutable: BoolArray, rate: float, rng: np.random.Generator) -> BoolArray:
    """(count, d) every mutable gene with the same odds."""
    return np.asarray((rng.random((count, len(mutable))) < rate) & mutable)


def crossover(parents: IntArray, mates: IntArray, mask: BoolArray) -> tuple[IntArray, IntArray]:
    """Both children (n, d) of parents and mates (n, d) that exchange the genes in the mask (n, d)."""
    return np.where(mask, mates, parents), np.where(mask, parents, mates)
