"""Numbers about findings: how plausible, how varied, how spread over real rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from expga.contracts import FloatArray, IndexArray, IntArray, KeyArray
from expga.domain.neighbours import nearest

if TYPE_CHECKING:
    from expga.domain.tabular import TabularDomain

SAMPLE = 2_000
"""Findings whose nearest real row is looked up."""


def plausible_share(domain: TabularDomain, genomes: IntArray, anchor: IndexArray) -> float | None:
    """The share of findings with a real row, other than their anchor, as near as real rows lie to each other.

    The anchor is near by construction, so it does not count. Measured on a sample of findings (n, d); None
    where there are none.
    """
    if not len(genomes):
        return None
    picks = np.random.default_rng(0).permutation(len(genomes))[:SAMPLE]
    distances = nearest(
        domain.positions(genomes[picks]),
        domain.positions(domain.rows),
        categorical=domain.categorical[~domain.protected],
        skip=anchor[picks],
    )
    return float((distances <= domain.reach + 1e-6).mean())


def plausible_beside(domain: TabularDomain, genomes: IntArray, aside: FloatArray, seed: int = 0) -> float:
    """The share of findings as near to rows kept aside as the rows of the two parts lie to each other.

    Args:
        domain: fitted to the part that was searched.
        genomes: (n, d) findings.
        aside: (m, genes) positions of the rows kept aside.
        seed: of the samples that the distances are taken on.
    """
    rng = np.random.default_rng(seed)
    categorical = domain.categorical[~domain.protected]
    real = domain.positions(domain.rows[rng.permutation(len(domain.rows))[:SAMPLE]])
    bound = np.percentile(nearest(real, aside, categorical=categorical), 99)
    found = domain.positions(genomes[rng.permutation(len(genomes))[:SAMPLE]])
    return float((nearest(found, aside, categorical=categorical) <= bound + 1e-6).mean())


def clone_share(genomes: IntArray, protected: np.ndarray) -> float | None:
    """The share of findings (n, d) that differ from another in one unprotected gene; None where there are none."""
    if not len(genomes):
        return None
    genes = genomes[:, ~protected].astype(np.uint64)
    weights: KeyArray = np.random.default_rng(0).integers(1, 2**63, genes.shape[1:], dtype=np.uint64)
    whole = genes @ weights
    clone = np.zeros(len(genes), dtype=bool)
    for gene in range(genes.shape[1]):
        _, group, sizes = np.unique(whole - genes[:, gene] * weights[gene], return_inverse=True, return_counts=True)
        clone |= sizes[group] > 1
    return float(clone.mean())


def counted(anchor: IndexArray, largest_share: float = 0.01) -> int:
    """How many findings count when no anchor (n,) may supply more than a share of those counted."""
    supplies = np.sort(np.bincount(anchor))[::-1] if len(anchor) else np.zeros(0, dtype=int)
    total = int(supplies.sum())
    # The largest total t with sum(min(supply, share * t)) >= t: the cap and the total decide each other.
    low, high = 0, total
    while low < high:
        middle = (low + high + 1) // 2
        cap = int(largest_share * middle)
        if int(np.minimum(supplies, cap).sum()) >= middle:
            low = middle
        else:
            high = middle - 1
    return low
