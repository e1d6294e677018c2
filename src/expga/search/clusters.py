"""Seeds that differ from each other: real rows, in turn from each of a few clusters."""

from __future__ import annotations

import warnings

import numpy as np

from expga.contracts import IndexArray, IntArray

CLUSTERS = 4


def clustered_rounds(rows: IntArray, rng: np.random.Generator, clusters: int = CLUSTERS) -> IndexArray:
    """(n,) the order in which rows (n, d) come up: one of each k-means cluster in turn, at random within a cluster."""
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    means = KMeans(min(clusters, len(rows)), n_init=1, random_state=int(rng.integers(2**31)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer distinct rows than clusters do no harm
        cluster = means.fit_predict(rows.astype(np.float64))
    shuffled = rng.permutation(len(rows))
    grouped = shuffled[np.argsort(cluster[shuffled], kind="stable")]
    size = np.bincount(cluster)
    turn = np.arange(len(rows)) - np.repeat(np.cumsum(size) - size, size)
    return np.asarray(grouped[np.argsort(turn, kind="stable")])
