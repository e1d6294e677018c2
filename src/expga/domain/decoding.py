"""From genomes back to rows: as they are shown, and as the model takes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from expga.contracts import IndexArray, IntArray
from expga.domain.features import Feature
from expga.domain.folding import Folding


class Decoding:
    """Of genomes of d features, which a model takes in D columns."""

    def __init__(self, features: Sequence[Feature], folding: Folding, array_dtype: Any) -> None:
        """Lays out what each code becomes.

        Args:
            features: by gene.
            folding: the columns that each of them stands in.
            array_dtype: of the array that the model takes; None: it takes a frame.
        """
        self._features = features
        self._folding = folding
        self._array_dtype = array_dtype
        self._cells = folding.cells([feature.values for feature in features])
        self._behind: IndexArray | None = folding.behind if folding.groups else None
        sizes = [len(cells) for cells in self._cells]
        self._start: IntArray = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int32)
        dtypes = {cells.dtype for cells in self._cells}
        only = dtypes.pop() if len(dtypes) == 1 else None
        alike = isinstance(only, np.dtype) and only.kind in "iuf"  # then decoding is one look-up
        self._flat = np.concatenate([cells.to_numpy() for cells in self._cells]) if alike else None

    def inputs(self, genomes: IntArray) -> Any:
        """What the model was trained on: the user's columns, order and dtypes, for genomes (n, d)."""
        if self._flat is not None:
            codes = genomes if self._behind is None else genomes.take(self._behind, axis=1)
            values = self._flat.take(self._start + codes)
            if self._array_dtype is not None:
                return values
            return pd.DataFrame(values, columns=self._folding.takes, copy=False)
        frame = self.rows(genomes)
        return frame if self._array_dtype is None else frame.to_numpy(dtype=self._array_dtype)

    def rows(self, genomes: IntArray) -> pd.DataFrame:
        """(n, D) a frame of the user's columns and dtypes."""
        behind = self._folding.behind.tolist()
        codes = [genomes[:, gene] for gene in behind]
        return _framed(self._cells, codes, self._folding.takes)

    def shown(self, genomes: IntArray) -> pd.DataFrame:
        """(n, d) a frame of features."""
        values = [feature.values for feature in self._features]
        return _framed(values, list(genomes.T), [feature.name for feature in self._features])


def _framed(values: Sequence[pd.Series[Any]], codes: Sequence[IntArray], labels: Sequence[Any]) -> pd.DataFrame:
    columns = {
        place: pd.Series(some.array.take(chosen), dtype=some.dtype, copy=False)
        for place, (some, chosen) in enumerate(zip(values, codes, strict=True))
    }
    frame = pd.DataFrame(columns, copy=False)
    frame.columns = pd.Index(labels)
    return frame
