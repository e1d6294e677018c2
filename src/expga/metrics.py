"""Numbers about findings: how plausible, how varied, how spread over real rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from expga.contracts import BoolArray, FloatArray, IndexArray, IntArray, KeyArray
from expga.domain.neighbours import nearest, within

if TYPE_CHECKING:
    from expga.domain.tabular import TabularDomain

SAMPLE = 2_000
"""Findings whose nearest real row is looked up."""
LOOKED_UP, MOST_LOOKED_UP = 20_000, 2_000_000
"""Findings that are looked up among all, and cells of theirs, at most."""
SPARSE = 32
"""Places for each of them in a table that most others miss."""
MOST_COMPARED = 500_000_000
"""Cells that they are compared with, in all: of a large table fewer findings are looked up."""


def plausible_share(domain: TabularDomain, genomes: IntArray, anchor: IntArray) -> float | None:
    """The share of findings with a real row, other than their anchor, as near as real rows lie to each other.

    The anchor is near by construction, so it does not count. Measured on a sample of findings (n, d); None
    where there are none.
    """
    if not len(genomes):
        return None
    most = min(SAMPLE, max(1, MOST_COMPARED // domain.rows.size))
    picks = np.random.default_rng(0).permutation(len(genomes))[:most]
    near = within(
        domain.positions(genomes[picks]),
        domain.positions(domain.rows),
        domain.reach + 1e-6,
        categorical=domain.categorical[domain.compared],
        skip=anchor[picks].astype(np.intp),
    )
    return float(near.mean())


def plausible_beside(found: FloatArray, searched: FloatArray, aside: FloatArray, categorical: BoolArray) -> float:
    """The share of findings as near to rows kept aside as the rows of the two parts lie to each other.

    Args:
        found: (n, genes) positions of the findings.
        searched: (a, genes) of the real rows that were searched around.
        aside: (b, genes) of the real rows that were not.
        categorical: (genes,) which of them are categories.
    """
    real = nearest(_some(searched), aside, categorical=categorical)
    bound = float(np.percentile(real, 99))
    return float((nearest(_some(found), aside, categorical=categorical) <= bound + 1e-6).mean())


def realism_auc(found: FloatArray, real: FloatArray, least: int = 20) -> float | None:
    """How well findings can be told from real rows that are themselves discriminatory; 0.5: not at all.

    The cross-validated AUC of gradient-boosted trees on equally many of both, given by their positions
    (n, genes) and (m, genes); None where there are too few real ones to tell.
    """
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.metrics import roc_auc_score
    from sklearn.model_selection import cross_val_predict

    count = min(len(found), len(real), SAMPLE)
    if count < least:
        return None
    both = np.concatenate([_some(found)[:count], _some(real)[:count]])
    which = np.repeat([1, 0], count)
    trees = HistGradientBoostingClassifier(max_iter=100, random_state=0)
    told = cross_val_predict(trees, both, which, cv=5, method="predict_proba")[:, 1]
    return float(roc_auc_score(which, told))


def mean_pairwise_distance(found: FloatArray, pairs: int = 2_000) -> float | None:
    """The mean distance between random pairs of findings, given by their positions (n, genes)."""
    if len(found) < 2:
        return None
    rng = np.random.default_rng(0)
    one = rng.integers(0, len(found), pairs)
    other = (one + rng.integers(1, len(found), pairs)) % len(found)
    return float(np.minimum(np.abs(found[one] - found[other]), 1.0).mean())


def grid_share(found: FloatArray, real: FloatArray, categorical: BoolArray, steps: int = 10) -> float | None:
    """The share of the values that real rows show, feature by feature, which findings show too.

    Args:
        found: (n, genes) positions of the findings.
        real: (m, genes) of real rows.
        categorical: (genes,) which of them are categories; the others are cut into equal steps of their range.
        steps: how many.
    """
    if not len(found):
        return None
    shown = known = 0
    for gene, category in enumerate(categorical.tolist()):
        values = np.unique(real[:, gene])
        cells, ours = values, found[:, gene]
        if not category and len(values) > steps:
            edges = np.linspace(values[0], values[-1], steps + 1)[1:-1]
            inside = (ours >= values[0]) & (ours <= values[-1])
            cells, ours = np.unique(np.digitize(values, edges)), np.digitize(ours[inside], edges)
        known += len(cells)
        shown += len(np.intersect1d(cells, ours))
    return shown / known


def _some(rows: FloatArray) -> FloatArray:
    return rows[np.random.default_rng(0).permutation(len(rows))[:SAMPLE]]


def clone_share(genomes: IntArray, protected: BoolArray, apart: BoolArray) -> float | None:
    """The share of findings (n, d) that differ from another in one gene only; None where there are none.

    Of many findings a random sample is looked up, among all of them.

    Args:
        genomes: the findings.
        protected: (d,) genes that do not count.
        apart: (d,) genes in which clones may differ.
    """
    count, width = genomes.shape
    if not count:
        return None
    picks = np.random.default_rng(0).permutation(count)[: min(LOOKED_UP, max(1, MOST_LOOKED_UP // width))]
    weights: KeyArray = np.random.default_rng(0).integers(1, 2**63, (width,), dtype=np.uint64)
    weights[protected] = 0

    def part_of_key(gene: int) -> KeyArray:
        return np.asarray(genomes[:, gene].astype(np.uint64) * weights[gene])

    whole: KeyArray = np.zeros(count, dtype=np.uint64)
    for gene in np.flatnonzero(~protected).tolist():
        whole += part_of_key(gene)
    clone = np.zeros(len(picks), dtype=bool)
    for gene in np.flatnonzero(apart).tolist():
        others = whole - part_of_key(gene)
        clone |= _times(others[picks], others) > 1
    return float(clone.mean())


def _times(keys: KeyArray, among: KeyArray) -> IndexArray:
    """(k,) how often each key (k,) is there among others (n,): most of these are sorted out by a few of their bits."""
    known, place = np.unique(keys, return_inverse=True)
    bits = (SPARSE * len(known)).bit_length()
    shift, likely = np.uint64(64 - bits), np.zeros(1 << bits, dtype=bool)
    likely[known >> shift] = True
    among = among[likely[among >> shift]]
    found = np.minimum(np.searchsorted(known, among), len(known) - 1)
    return np.bincount(found[known[found] == among], minlength=len(known))[place]


def counted(anchor: IndexArray, largest_share: float = 0.01) -> int:
    """How many findings count when no anchor (n,) may supply more than a share of those counted."""
    supplies = np.unique(anchor, return_counts=True)[1]
    # The largest total t with sum(min(supply, share * t)) >= t: the cap and the total decide each other.
    low, high = 0, len(anchor)
    while low < high:
        middle = (low + high + 1) // 2
        cap = int(largest_share * middle)
        if int(np.minimum(supplies, cap).sum()) >= middle:
            low = middle
        else:
            high = middle - 1
    return low
