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
        self._folding = folding
        self._array_dtype = array_dtype
        cells = folding.cells([feature.values for feature in features])
        self._cells = [_held(values) for values in cells]
        self._values = [_held(feature.values) for feature in features]
        self._behind: IndexArray | None = folding.behind if folding.groups else None
        sizes = [len(values) for values in cells]
        self._start: IntArray = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int32)
        dtypes = {values.dtype for values in cells}
        only = dtypes.pop() if len(dtypes) == 1 else None
        alike = isinstance(only, np.dtype) and only.kind in "iuf"  # then decoding is one look-up
        self._flat = np.concatenate(self._cells) if alike else None

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
        codes = np.ascontiguousarray(genomes.T)
        return _framed(self._cells, [codes[gene] for gene in self._folding.behind.tolist()], self._folding.takes)

    def shown(self, genomes: IntArray) -> pd.DataFrame:
        """(n, d) a frame of features."""
        return _framed(self._values, list(np.ascontiguousarray(genomes.T)), self._folding.features)

    def column(self, gene: int, codes: IntArray) -> Any:
        """(n,) a column of that frame, by its codes (n,)."""
        return self._values[gene].take(codes)


def _framed(values: Sequence[Any], codes: Sequence[IntArray], labels: Sequence[Any]) -> pd.DataFrame:
    """A frame whose columns hold one of these values (v,) for each code (n,)."""
    return frame_of([some.take(chosen) for some, chosen in zip(values, codes, strict=True)], labels)


def frame_of(columns: Sequence[Any], labels: Sequence[Any]) -> pd.DataFrame:
    """A frame of columns (n,) as they are, without a copy of any."""
    # Of objects pandas would make something else; a Series for every column takes long.
    kept = [pd.Series(held, dtype=object, copy=False) if held.dtype == object else held for held in columns]
    frame = pd.DataFrame(dict(enumerate(kept)), copy=False)
    frame.columns = pd.Index(labels)
    return frame


def _held(values: pd.Series[Any]) -> Any:
    """Values (v,) as pandas holds them."""
    return values.to_numpy() if isinstance(values.dtype, np.dtype) else values.array
