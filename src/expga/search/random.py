"""Random testing, the control that every search must beat."""

from __future__ import annotations

from collections.abc import Generator

import numpy as np

from expga.contracts import Batch, Context, Manner, Strategy, Verdict
from expga.search.operators import runs

MOVED = 3
"""Under the realism bound, a random real row gets up to this many values of another."""
STALE = 200
"""Batches in a row without a new input before the search calls its domain exhausted, ..."""
FEWEST = 2_000
"""... but no fewer inputs than this."""


class RandomTesting(Strategy):
    """THEMIS (Galhotra, Brun, Meliou 2017): inputs drawn uniformly, each checked over its readings.

    Deviations: two readings are asked about instead of all of them; under `realism="data"` an input is a random
    real row that took up to three values from another one.
    """

    name = "random"
    judges_repairs = True
    manners: tuple[Manner, ...] = ("batched", "faithful")

    def search(self, context: Context) -> Generator[Batch, Verdict, None]:
        domain, rng, count = context.domain, context.rng, context.walks
        stale, enough = 0, max(FEWEST, STALE * count)
        while stale < enough:
            anchor = domain.anchors[rng.integers(0, len(domain.anchors), count)]
            genomes = domain.rows[anchor]
            drawn = domain.donors(genomes, rng)
            if domain.realism == "data":
                mask = runs((drawn != genomes) & domain.mutable, MOVED, rng)
                drawn = domain.within_reach(np.where(mask, drawn, genomes), anchor, rng)
            verdict = yield Batch(drawn, anchor)
            stale = 0 if len(verdict.tested) else stale + count
