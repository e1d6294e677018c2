"""Random testing, the control that every search must beat."""

from __future__ import annotations

from collections.abc import Generator

import numpy as np

from expga.contracts import Asking, Batch, Context, Manner, Verdict
from expga.search.operators import runs

MOVED = 3
"""Under the realism bound, a random real row gets up to this many values of another."""
STALE = 200
"""Inputs in a row without a new one before the search calls its domain exhausted, for each real row, or for each
place in a batch where there are more rows."""


class RandomTesting:
    """THEMIS (Galhotra, Brun, Meliou 2017): inputs drawn uniformly, each checked over its readings.

    Deviations: two readings are asked about instead of all of them; under `realism="data"` an input is a random
    real row that took up to three values from another one.
    """

    name = "random"
    asking: Asking = "pair"
    manners: tuple[Manner, ...] = ("batched", "faithful")
    needs_slopes = False

    def search(self, context: Context) -> Generator[Batch, Verdict, None]:
        domain, rng, count = context.domain, context.rng, context.walks
        stale, patience = 0, STALE * min(context.batch_size, len(domain.anchors))
        while stale < patience:
            anchor = domain.anchors[rng.integers(0, len(domain.anchors), count)]
            genomes = domain.rows[anchor]
            drawn = domain.donors(genomes, rng)
            if domain.realism == "data":
                mask = runs((drawn != genomes) & domain.mutable, MOVED, rng)
                drawn = domain.within_reach(np.where(mask, drawn, genomes), anchor, rng)
            verdict = yield Batch(drawn, anchor)
            stale = 0 if len(verdict.tested) else stale + count
