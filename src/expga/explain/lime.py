"""LIME for tables, all rows at once: one neighbourhood, one round of answers, one small fit a row."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from expga.contracts import Ask, BoolArray, Columns, Explainer, FloatArray, IndexArray, IntArray, Model
from expga.explain.ranking import gene_ranks

SAMPLES = 5_000
SHARE = 0.15
"""The most of a budget of queries that the shared neighbourhood may take."""
FEWEST = 50
"""Samples below which a neighbourhood explains nothing."""
KERNEL_WIDTH = 0.75
"""In units of the square root of the number of genes, as in the published package."""
ALPHA = 1.0
CELLS = 2**18
"""Numbers in the designs of the rows fitted together: few enough to stay in a processor's cache."""
LANES = 16
"""Designs are padded to a multiple of this: BLAS takes half as long again where its kernels do not fit."""


class Lime(Explainer):
    """Ribeiro, Singh and Guestrin, "Why should I trust you?", KDD 2016: the tabular explainer.

    As the package `lime` does by default: numbers are cut into quartiles, a sample is coded by which of
    its bins equal the row's, samples weigh more the more do, and a weighted ridge regression of the
    score on that code gives the weight of each gene. Deliberate deviations:

    - The neighbourhood is drawn once for all rows. The package draws it anew for each, but from the
      data as well, never around the row, so that only the row's own coding and weights differ.
    - Numbers come from the data's own column, not from a normal distribution fitted to the bin: the
      model is asked about values that exist, and a category or a number is drawn alike.
    - A row's own place in its neighbourhood comes on top of the samples, not out of them.
    - A missing number has a bin of its own; the package takes none.
    """

    kinds = ("table",)

    def __init__(self, samples: int = SAMPLES) -> None:
        self._samples = samples

    @classmethod
    def within(cls, most_queries: int | None) -> Lime:
        """One whose neighbourhood takes a small share of so many queries."""
        affordable = SAMPLES if most_queries is None else int(SHARE * most_queries)
        return cls(min(SAMPLES, max(FEWEST, affordable)))

    def queries(self, domain: Columns, rows: int) -> int:  # noqa: ARG002 - the same for every domain
        """The samples, whatever the number of rows, and each row itself."""
        return self._samples + rows

    def ranks(self, model: Model, domain: Columns, rows: IndexArray, rng: np.random.Generator) -> IndexArray:
        """(n,) the best rank of a protected gene of each row (n,)."""
        return gene_ranks(self, model, domain, rows, rng)

    def importance(self, ask: Ask, domain: Columns, genomes: IntArray, rng: np.random.Generator) -> FloatArray:
        """(n, d) the size of each gene's coefficient for the label of each genome (n, d)."""
        count, width = genomes.shape
        drawn = self._samples
        samples = domain.rows[rng.integers(len(domain.rows), size=(drawn, width)), np.arange(width)]
        both = np.concatenate([samples, genomes])
        answers = ask(both)
        bins = domain.bins(both)
        # Centred once in full precision, so that the fits can do with half of it.
        scores = answers.scores.T - answers.scores[:drawn].mean(axis=0)[:, np.newaxis]
        sampled = scores[:, :drawn].astype(np.float32)
        labels = answers.labels[drawn:]
        own = scores[labels, np.arange(drawn, drawn + count)]
        importance = np.empty((count, width))
        step = max(1, CELLS // (width * drawn))
        for start in range(0, count, step):
            part = slice(start, start + step)
            differs = bins[:, :drawn] != bins[:, drawn:].T[part, :, np.newaxis]
            importance[part] = np.abs(_coefficients(differs, sampled[labels[part]], own[part]))
        return importance


@np.errstate(invalid="ignore")  # BLAS may flag what stands in its padding; the numbers here are finite
def _coefficients(differs: BoolArray, scores: npt.NDArray[np.float32], own: FloatArray) -> FloatArray:
    """(c, d) the weighted ridge regressions of c rows, each with an intercept.

    Codes are 1 where a sample differs from the row, the reverse of the package's: that turns the signs
    around and nothing else, the row itself becomes all zeros, and a column without choice drops out.

    Args:
        differs: (c, d, N) whether each gene of each sample lies in another bin than the row's.
        scores: (c, N) the scores of the samples, for each row those of its own label.
        own: (c,) the score of each row itself, which takes part with a weight of 1.
    """
    rows, width, count = differs.shape
    # The squared distance is the number of differing genes; the root goes to either side of the product.
    distance = np.arange(width + 1)
    root = np.exp(-distance / (4 * KERNEL_WIDTH**2 * width)).astype(np.float32)
    root = root[differs.sum(axis=1, dtype=np.uint16)]
    design = np.zeros((rows, -(-(width + 2) // LANES) * LANES, count), dtype=np.float32)
    np.multiply(differs, root[:, np.newaxis], out=design[:, :width])
    design[:, width] = root
    np.multiply(scores, root, out=design[:, width + 1])
    products = (design @ design.transpose(0, 2, 1)).astype(np.float64)
    sums = products[:, width, :width]
    total = products[:, width, width] + 1.0
    mean = (products[:, width, width + 1] + own) / total
    gram = products[:, :width, :width] - sums[:, :, np.newaxis] * (sums / total[:, np.newaxis])[:, np.newaxis]
    cross = products[:, :width, width + 1] - sums * mean[:, np.newaxis]
    solved = np.linalg.solve(gram + ALPHA * np.eye(width), cross[:, :, np.newaxis])
    return np.asarray(solved[:, :, 0], dtype=np.float64)
