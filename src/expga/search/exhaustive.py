"""Every sample of a small domain: the truth that searches can be measured by."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from math import gcd, prod
from typing import cast

import numpy as np

from expga.contracts import Asking, Batch, Columns, Context, IndexArray, IntArray, Strategy, Verdict
from expga.errors import InputError
from expga.keyset import KeySet

EXPANDED = 65_536
"""The most genomes that are made at once of those one gene nearer to their anchors."""


class Exhaustive(Strategy):
    """Every sample once: all combinations of values within the bounds, or all that are within reach of a real row.

    The order is scattered by the seed, so that a run cut short is spread over the domain. Of the columns that a
    reading covers, a sample has its anchor's values.
    """

    name = "exhaustive"
    asking: Asking = "all"
    kinds = ("table",)
    limit = 1_000_000
    """The most samples that count as few."""

    def search(self, context: Context) -> Generator[Batch, Verdict, None]:
        space = _Space(context)
        if context.domain.realism == "data":
            if space.size > self.limit and space.reaches_more_than(self.limit):
                raise InputError(
                    f"More than {self.limit:,} samples are within reach of the data's rows, of {space.size:,} within "
                    "bounds, too many to test them all; choose another strategy, or make columns immutable."
                )
            samples = _shuffled(space.within_reach(), context)
        else:
            if space.size > self.limit:
                raise InputError(
                    f"The domain has {space.size:,} samples, too many to test them all; choose another strategy, or "
                    f"bound or fix columns in the schema until there are at most {self.limit:,}."
                )
            samples = space.within_bounds()
        yield from samples  # no verdict changes what comes next


class _Space:
    """The samples of a domain, made when they are wanted."""

    def __init__(self, context: Context) -> None:
        self._batch_size, self._rng = context.batch_size, context.rng
        self._domain = domain = cast(Columns, context.domain)
        self._genes: list[int] = self._rng.permutation(np.flatnonzero(domain.mutable)).tolist()
        self._choices = [domain.choices(gene) for gene in self._genes]
        self._anchors = self._rng.permutation(domain.anchors)
        fixed = domain.rows[self._anchors][:, ~domain.mutable & ~domain.protected]
        _, group = np.unique(fixed, axis=0, return_inverse=True)
        self._by_group = self._anchors[np.argsort(group, kind="stable")]
        self._group_size = np.bincount(group)
        self.size = len(self._group_size) * prod(len(codes) for codes in self._choices)
        """How many samples the bounds allow: all values, for each combination of what must stay as it is."""

    def within_bounds(self) -> Generator[Batch, Verdict, None]:
        """Every sample once, with an anchor that has its immutable values."""
        size, rng = self.size, self._rng
        first = int(rng.integers(0, size))
        # A stride that has no factor in common with the size comes to every place once.
        stride = next(s for s in [*rng.integers(1, size + 1, 1_000).tolist(), 1] if gcd(s, size) == 1)
        for start in range(0, size, self._batch_size):
            turn = np.arange(start, min(start + self._batch_size, size))
            place, group = np.divmod((first + turn * stride) % size, len(self._group_size))
            group_start = np.cumsum(self._group_size)[group] - self._group_size[group]
            anchor = self._by_group[group_start + turn % self._group_size[group]]
            genomes = self._domain.rows[anchor]
            for gene, codes in zip(self._genes, self._choices, strict=True):
                place, code = np.divmod(place, len(codes))
                genomes[:, gene] = codes[code]
            yield Batch(genomes, anchor)

    def within_reach(self) -> Iterator[Batch]:
        """Every sample once, with an anchor that it is within reach of: real rows first."""
        seen = KeySet()
        for batch in self._changed_from(self._domain.rows[self._anchors], self._anchors, 0):
            new = seen.add(self._domain.keys(batch.genomes))
            yield Batch(batch.genomes[new], batch.anchor[new])

    def reaches_more_than(self, limit: int) -> bool:
        """Whether more samples than that are within reach of a real row."""
        count = 0
        return any((count := count + len(batch)) > limit for batch in self.within_reach())

    def _changed_from(self, genomes: IntArray, anchor: IndexArray, place: int) -> Iterator[Batch]:
        """The genomes (n, d), and all within reach that differ from them in genes from a place on.

        Every change leads further away from an anchor, so nothing within reach lies behind what is not.
        """
        yield Batch(genomes, anchor)
        for later in range(place, len(self._genes)):
            gene, codes = self._genes[later], self._choices[later]
            at_once = max(1, EXPANDED // len(codes))
            for start in range(0, len(genomes), at_once):
                changed = np.repeat(genomes[start : start + at_once], len(codes), axis=0)
                whose = np.repeat(anchor[start : start + at_once], len(codes))
                changed[:, gene] = np.tile(codes, len(changed) // len(codes))
                put_back = self._domain.within_reach(changed, whose, self._rng)
                kept = (put_back == changed).all(axis=1) & (changed[:, gene] != self._domain.rows[whose, gene])
                if kept.any():
                    yield from self._changed_from(changed[kept], whose[kept], later + 1)


def _shuffled(samples: Iterable[Batch], context: Context) -> Generator[Batch, Verdict, None]:
    """The same samples in batches of one size, some tens of thousands at a time in random order."""
    size, most = context.batch_size, max(context.batch_size, EXPANDED)
    held: list[Batch] = []
    for some in samples:
        held.append(some)
        if sum(map(len, held)) >= most:
            yield from _cut(held, size, context.rng)
            held = []
    yield from _cut(held, size, context.rng)


def _cut(held: list[Batch], size: int, rng: np.random.Generator) -> Generator[Batch, Verdict, None]:
    if not held:
        return
    genomes, anchor = (np.concatenate([getattr(batch, part) for batch in held]) for part in ("genomes", "anchor"))
    order = rng.permutation(len(anchor))
    for start in range(0, len(order), size):
        some = order[start : start + size]
        yield Batch(genomes[some], anchor[some])
