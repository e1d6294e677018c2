"""SHAP through the library of its authors, with the model's answers fetched in bulk."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from expga.contracts import Ask, Columns, Explainer, FloatArray, IndexArray, IntArray, Model
from expga.explain.ranking import gene_ranks
from expga.importing import optional, require

BACKGROUND = 10
"""Rows of the data that lend their values to a row whose own are masked."""
CELLS = 2**20
"""Genes sent to the model at once."""

Answer = Callable[[FloatArray], FloatArray]
"""Masked genomes (m, d), as the library makes them, in; scores (m, k) out."""


class Shap(Explainer):
    """Lundberg and Lee, "A unified approach to interpreting model predictions", NeurIPS 2017.

    Shapley values by the library's permutation explainer: the row's genes are switched on in random
    order and off again in that order, against each background row: once, more often only where so many
    of the row's genes equal the whole background's that the queries still suffice.
    """

    kinds = ("table",)

    def __init__(self) -> None:
        require("shap")

    def queries(self, domain: Columns, rows: int) -> int:
        """At most so many: the library leaves out what a background row shares with the row explained."""
        return rows * (1 + _masked(domain))

    def ranks(self, model: Model, domain: Columns, rows: IndexArray, rng: np.random.Generator) -> IndexArray:
        """(n,) the best rank of a protected gene of each row (n,)."""
        return gene_ranks(self, model, domain, rows, rng)

    def importance(self, ask: Ask, domain: Columns, genomes: IntArray, rng: np.random.Generator) -> FloatArray:
        """(n, d) the size of each gene's Shapley value for the label of each genome (n, d)."""
        picks = rng.choice(len(domain.rows), size=_background(domain), replace=False)
        background = domain.rows[picks]
        importance = np.empty(genomes.shape)
        step = max(1, CELLS // (_masked(domain) * genomes.shape[1]))
        for start in range(0, len(genomes), step):
            part = slice(start, start + step)
            seed = int(rng.integers(2**32))
            importance[part] = _explain(ask, background, genomes[part], seed)
        return importance


def _background(domain: Columns) -> int:
    return min(BACKGROUND, len(domain.rows))


def _masked(domain: Columns) -> int:
    """The most masked genomes that the explanation of one row can take."""
    return _background(domain) * evaluations(domain.rows.shape[1])


def evaluations(width: int) -> int:
    """Masks of one round: no gene switched on, then one more at a time, then one less at a time."""
    return 2 * width + 1


def _explain(ask: Ask, background: IntArray, genomes: IntArray, seed: int) -> FloatArray:
    """(n, d) the importance of each gene of each genome (n, d).

    The library asks row by row, but what it asks depends on its random numbers alone. So it runs twice
    with the same ones: first to learn its questions, then, all of them answered at once, for the values.
    """
    questions: list[IntArray] = [genomes]

    def note(masked: FloatArray) -> FloatArray:
        questions.append(np.rint(masked).astype(np.int32))
        return np.zeros((len(masked), 1))

    masks = evaluations(genomes.shape[1])
    shapley_values(note, background, genomes, masks, seed)
    answers = ask(np.concatenate(questions))
    ends = np.cumsum([len(question) for question in questions])
    # In one memory layout whatever the model: the library compiles itself anew, for a second, for each.
    parts = iter(np.split(np.ascontiguousarray(answers.scores), ends[:-1])[1:])
    values = shapley_values(lambda _: next(parts), background, genomes, masks, seed)
    labels = answers.labels[: len(genomes)]
    return np.abs(values[np.arange(len(genomes)), :, labels])


def shapley_values(answer: Answer, background: IntArray, genomes: IntArray, masks: int, seed: int) -> FloatArray:
    """(n, d, k) the Shapley value of each gene of each genome (n, d), for each score, by at most so many masks each."""
    library = _library()
    state = np.random.get_state()  # noqa: NPY002 - the library draws from numpy's global state
    try:
        masker = library.maskers.Independent(background.astype(np.float64))
        explainer = library.PermutationExplainer(answer, masker, seed=seed)
        # Row by row, since from the second row on the library's own loop asks for main effects as well.
        rows = [
            explainer.explain_row(
                row,
                max_evals=masks,
                main_effects=False,
                error_bounds=False,
                batch_size=None,
                outputs=None,
                silent=True,
            )["values"]
            for row in genomes.astype(np.float64)
        ]
    finally:
        np.random.set_state(state)  # noqa: NPY002
    return np.stack(rows)


def _library() -> Any:
    with warnings.catch_warnings():
        # The library's plots set up their colours, on import, in a way that matplotlib is leaving behind.
        warnings.filterwarnings("ignore", r"The set_\w+ function will be", PendingDeprecationWarning)
        return optional("shap")
