"""The values that the schema's bounds leave each gene, and steps among them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from expga.contracts import BoolArray, IndexArray, IntArray
from expga.domain.features import Feature


class Bounds:
    """Flat tables of the allowed codes of all genes, so that a step is a few look-ups, whatever the width."""

    def __init__(self, features: Sequence[Feature]) -> None:
        sizes = [len(feature.values) for feature in features]
        self._start = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        self._categorical: BoolArray = np.array([not feature.numeric for feature in features])
        allowed = [np.flatnonzero(feature.allowed) for feature in features]
        self._size = np.array([len(codes) for codes in allowed])
        self._first = np.concatenate([[0], np.cumsum(self._size)[:-1]])
        self._code: IntArray = np.concatenate(allowed).astype(np.int32)
        # A number takes no step to a missing value, which comes last, nor back.
        missing_last = [f.numeric and bool(np.isnan(f.numbers[-1])) for f in features]
        self._top_rank = self._size - 1 - np.array(missing_last)
        self._rank = np.concatenate(
            [
                np.minimum(np.searchsorted(codes, np.arange(size)), len(codes) - 1).astype(np.int32)
                for codes, size in zip(allowed, sizes, strict=True)
            ]
        )

    def choices(self, gene: int) -> IntArray:
        """(v,) the codes of a gene, rising."""
        first = self._first[gene]
        return np.asarray(self._code[first : first + self._size[gene]])

    def draw(self, gene: int, count: int, rng: np.random.Generator) -> IntArray:
        """(count,) codes of one gene, uniformly."""
        return np.asarray(self._code.take(self._first[gene] + rng.integers(0, self._size[gene], count)))

    def strangers(self, gene: IndexArray, near: IntArray, rng: np.random.Generator) -> IntArray:
        """(n,) another code for each gene; any can come, for numbers near ones more often."""
        size = self._size[gene]
        rank = self._rank[self._start[gene] + near]
        widest = np.maximum(size - 1, 1)
        far = rng.random(len(gene))
        anywhere = (far * widest).astype(np.intp) + 1
        close = np.exp(far * np.log(widest + 1)).astype(np.intp)
        step = np.where(self._categorical[gene], anywhere, np.clip(close, 1, widest))
        step = np.where(rng.random(len(gene)) < 0.5, step, -step)
        step = np.where((rank + step < 0) | (rank + step >= size), -step, step)
        return np.asarray(self._code.take(self._first[gene] + (rank + step) % size))

    def shifted(self, genomes: IntArray, steps: IntArray) -> IntArray:
        """(n, d) with each gene so many values (n, d or d) up or down, as far as its bounds let it."""
        rank = self._rank.take(self._start + genomes)
        to = np.clip(rank + steps, 0, np.maximum(self._top_rank, 0))
        stays = (steps == 0) | (rank > self._top_rank)
        return np.where(stays, genomes, self._code.take(self._first + to))
