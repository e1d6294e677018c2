"""What each value of each gene adds to a score: a ridge regression that becomes a table to look up."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from expga.contracts import Domain, FloatArray, IntArray

STEPS = 8
"""A number may add something else in each of so many parts of its range, besides what it adds in proportion."""
VALUES = 48
"""So many values of a gene may have an effect of their own, the most frequent, where it has no more than twice that."""
WIDEST = 600
"""Columns of the regression; where that is too few, values have effects in proportion only."""
PENALTIES = np.logspace(-3, 3, 13)
ASIDE = 5
"""Every so manieth answer chooses the penalty."""


class Additive:
    """Learned from answers (n, q) about genomes (n, d)."""

    def __init__(self, domain: Domain, genomes: IntArray, known: FloatArray) -> None:
        effects = [_effects(domain.scale(gene), genomes[:, gene]) for gene in range(genomes.shape[1])]
        if sum(each.shape[1] for each in effects) > WIDEST:
            effects = [each[:, :1] for each in effects]
        sizes = [len(each) for each in effects]
        self._start: IntArray = np.cumsum([0, *sizes[:-1]]).astype(np.int32)
        columns = np.concatenate([each[genomes[:, gene]] for gene, each in enumerate(effects)], axis=1)
        centre, mean = columns.mean(axis=0), known.mean(axis=0)
        weights, self.off = _ridge(columns - centre, known - mean)
        self._mean: FloatArray = mean - centre @ weights
        self._table: FloatArray = _table(effects, weights)

    def __call__(self, genomes: IntArray) -> FloatArray:
        """(n, q) what the values of genomes (n, d) add up to."""
        return np.asarray(self._table.take(genomes + self._start, axis=0).sum(axis=1) + self._mean)


def _effects(scale: FloatArray, codes: IntArray) -> FloatArray:
    """(v, k) what each code of a gene, which lies there on its scale (v,), has in common with others.

    Args:
        scale: of all codes; what is no number has none.
        codes: (n,) those that the answers are about.
    """
    where = np.where(np.isnan(scale), np.nanmedian(scale) if np.isfinite(scale).any() else 0.0, scale)
    seen = where[codes]
    spread = seen.std()
    parts = [np.clip((where - seen.mean()) / (spread if spread > 0 else 1.0), -5.0, 5.0)[:, None]]
    frequent = np.argsort(-np.bincount(codes, minlength=len(scale)), kind="stable")[:VALUES]
    if len(scale) <= 2 * VALUES:
        parts.append((np.arange(len(scale))[:, None] == frequent).astype(float))
    cuts = np.unique(np.quantile(seen, np.linspace(0, 1, STEPS + 1)[1:-1]))
    if len(scale) > STEPS:
        step = np.searchsorted(cuts, where, side="right")
        parts.append((step[:, None] == np.arange(len(cuts) + 1)).astype(float))
    return np.concatenate(parts, axis=1)


def _ridge(columns: FloatArray, known: FloatArray) -> tuple[FloatArray, float]:
    """(p, q) the weights of columns (n, p) with the penalty that does best on answers (n, q) kept aside, and by how
    much these were missed, typically."""
    aside = np.arange(len(columns)) % ASIDE == ASIDE - 1
    weights = _weights(columns[~aside], known[~aside])
    missed = [np.abs(known[aside] - columns[aside] @ one) for one in weights]
    best = int(np.argmin([np.mean(miss**2) for miss in missed]))
    chosen = _weights(columns, known)[best]
    return chosen, float(1.48 * np.median(missed[best])) + 1e-3


def _weights(columns: FloatArray, known: FloatArray) -> Sequence[FloatArray]:
    """The weights (p, q) under each penalty."""
    values, vectors = np.linalg.eigh(columns.T @ columns)
    turned = vectors.T @ (columns.T @ known)
    count = len(columns)
    return [vectors @ (turned / (np.maximum(values, 0.0) + penalty * count / 100)[:, None]) for penalty in PENALTIES]


def _table(effects: Sequence[FloatArray], weights: FloatArray) -> FloatArray:
    """(sum of v, q) what each code of each gene adds."""
    ends = np.cumsum([each.shape[1] for each in effects])
    parts = np.split(weights, ends[:-1])
    return np.concatenate([each @ part for each, part in zip(effects, parts, strict=True)])
