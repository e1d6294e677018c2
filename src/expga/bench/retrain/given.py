"""What a run of repairs begins with: a model that was just trained, and the rows that it was trained on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from expga.datasets.reviews import TextData, load_texts

if TYPE_CHECKING:
    from expga.bench.plan import Cell
    from expga.bench.session import Models
    from expga.contracts import IndexArray

SAMPLED = {"imdb": (5_000, 2_000)}
"""Of data sets that are too large to be read that often, how many random texts are trained and tested on."""


@dataclass(frozen=True, slots=True)
class Given:
    """What is repaired: a model, the rows that it was fitted to, and rows to test on."""

    model: Any
    X: Any
    y: Any
    X_test: Any
    y_test: Any
    rules: dict[str, Any]
    """What an audit of it is told of the rows."""


class Givens(Protocol):
    """All that a cell's runs begin with."""

    def __init__(self, cell: Cell, models: Models, folder: Path) -> None: ...

    def of(self, seed: int) -> Given:
        """What the run with this seed begins with."""
        ...


class GivenTables(Givens):
    """Halves of a table, each run other ones."""

    def __init__(self, cell: Cell, models: Models, folder: Path) -> None:  # noqa: ARG002 - as those of texts
        self._cell = cell
        self._models = models

    def of(self, seed: int) -> Given:
        from expga.bench.table_session import halves, trained

        parts = halves(self._cell.data, seed)
        model = self._models(str(seed), lambda: trained(self._cell.model, parts, seed)).model
        rules = {"schema": parts.schema}
        return Given(model, parts.searched, parts.target, parts.aside, parts.aside_target, rules)


class GivenTexts(Givens):
    """Texts in the parts that they come in."""

    def __init__(self, cell: Cell, models: Models, folder: Path) -> None:
        self._cell = cell
        self._models = models
        self._folder = folder

    def of(self, seed: int) -> Given:
        from expga.bench.text_models import trained, vectors_for

        kind: Any = self._cell.model
        data = sampled(self._data, seed)
        model = self._models(str(seed), lambda: trained(data, kind, seed, vectors=vectors_for(kind))).model
        train, test = np.flatnonzero(data.train), np.flatnonzero(~data.train)
        return Given(model, *_some(data, train), *_some(data, test), {})

    @cached_property
    def _data(self) -> TextData:
        return load_texts(self._cell.data, self._folder)


def _some(data: TextData, numbers: IndexArray) -> tuple[list[str], IndexArray]:
    return [data.texts[number] for number in numbers], data.labels[numbers]


def sampled(data: TextData, seed: int) -> TextData:
    """All of the texts, or as many random ones to train and to test on as are enough."""
    if data.name not in SAMPLED:
        return data
    rng = np.random.default_rng(seed)
    parts = (np.flatnonzero(data.train), np.flatnonzero(~data.train))
    chosen = [rng.permutation(part)[:most] for part, most in zip(parts, SAMPLED[data.name], strict=True)]
    numbers = np.sort(np.concatenate(chosen))
    texts, labels = _some(data, numbers)
    return TextData(data.name, texts, labels, data.train[numbers])
