"""The identity of a sample as one number."""

from __future__ import annotations

import numpy as np

from expga.contracts import BoolArray, IntArray, KeyArray


def multipliers_of(protected: BoolArray) -> KeyArray:
    """(d,) an odd number for each gene, 0 for those that a reading covers."""
    odd = np.random.default_rng(0).integers(1, 2**63, len(protected), dtype=np.uint64) * 2 + 1
    return np.where(protected, 0, odd).astype(np.uint64)


def hashed(genomes: IntArray, multipliers: KeyArray) -> KeyArray:
    """(n,) a 64-bit hash of the uncovered genes; two in 10 million collide with odds below 1e-5."""
    return mixed(genomes.astype(np.uint64) @ multipliers)


def mixed(sums: KeyArray) -> KeyArray:
    """(n,) numbers (n,) with every bit spread over all, in their place."""
    sums ^= sums >> np.uint64(30)
    sums *= np.uint64(0xBF58476D1CE4E5B9)
    sums ^= sums >> np.uint64(27)
    sums *= np.uint64(0x94D049BB133111EB)
    return np.asarray(sums ^ (sums >> np.uint64(31)))
