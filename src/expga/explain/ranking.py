"""From the weights of columns or words to the rank of a protected one."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from expga.contracts import Answers, Ask, BoolArray, Columns, FloatArray, IndexArray, IntArray, Model


class Weighs(Protocol):
    """What every explainer of tables can do."""

    def importance(self, ask: Ask, domain: Columns, genomes: IntArray, rng: np.random.Generator) -> FloatArray:
        """(n, d) the weight of each gene for the label of each genome (n, d)."""
        ...


def protected_rank(importance: FloatArray, protected: BoolArray) -> IndexArray:
    """(n,) the best rank (1 is first) of a protected part by importance (n, w); protected is (w,) or (n, w)."""
    order = np.argsort(-importance, axis=1, kind="stable")
    ranked = np.take_along_axis(np.broadcast_to(protected, importance.shape), order, axis=1)
    return np.asarray(ranked.argmax(axis=1) + 1)


def gene_ranks(
    explainer: Weighs, model: Model, domain: Columns, rows: IndexArray, rng: np.random.Generator
) -> IndexArray:
    """(n,) the best rank of a protected gene of each row (n,)."""

    def ask(genomes: IntArray) -> Answers:
        return model.ask(domain.decode(genomes))

    return protected_rank(explainer.importance(ask, domain, domain.rows[rows], rng), domain.protected)
