"""Runs of a cell: train, audit, repair in every way, measure; each from its own halves of the data on."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from expga.api import audit
from expga.bench.plan import Cell
from expga.datasets.reviews import TextData, load_texts
from expga.repair import retrain
from expga.repair.result import flat

if TYPE_CHECKING:
    from expga.bench.runner import Models
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


class RepairSession:
    """The runs of a cell, which share nothing but the texts."""

    def __init__(self, cell: Cell, models: Models, texts: Path) -> None:
        self.cell = cell
        self.models = models
        self.folder = texts

    def run(self, repeat: int) -> tuple[dict[str, Any], None]:
        """One run: the figures of the model before, and after each repair."""
        cell, seed = self.cell, self.cell.seed + repeat
        began = time.perf_counter()
        given = self._texts(seed) if cell.texts else self._table(seed)
        found = audit(
            given.model,
            given.X,
            protected=[cell.attribute],
            strategy=cell.strategy,
            realism=cell.realism,
            max_queries=cell.queries,
            seed=seed,
            **given.rules,
        )
        options: dict[str, Any] = dict(cell.options)
        result = retrain(
            given.model,
            given.X,
            given.y,
            found,
            **{**options, "compare": list(filter(None, options["compare"].split(",")))},
            X_test=given.X_test,
            y_test=given.y_test,
            repeats=1,
            seed=seed,
        )
        figures = figures_of(result.summary) | {"seconds": time.perf_counter() - began}
        return {"figures": figures, "notes": result.sentences()}, None

    @staticmethod
    def outcome(figures: Sequence[dict[str, Any]]) -> str:
        """What the repair that the others are compared with did, in a few words."""
        way = figures[0]["repair"]
        sides = [one["before"] for one in figures], [one["ways"][way]["after"] for one in figures]
        before, after = (np.mean([one["flips_test"] or 0.0 for one in side]) for side in sides)
        return f"{before:.2%} of the test rows flip before, {after:.2%} after the repair by {way}"

    def _table(self, seed: int) -> Given:
        from expga.bench.table_session import halves, trained

        parts = halves(self.cell.data, seed)
        model = self.models(str(seed), lambda: trained(self.cell.model, parts, seed)).model
        rules = {"schema": parts.schema}
        return Given(model, parts.searched, parts.target, parts.aside, parts.aside_target, rules)

    def _texts(self, seed: int) -> Given:
        from expga.bench.text_models import trained
        from expga.bench.text_session import vectors_for

        kind: Any = self.cell.model
        data = sampled(self._data, seed)
        model = self.models(str(seed), lambda: trained(data, kind, seed, vectors=vectors_for(kind))).model
        train, test = np.flatnonzero(data.train), np.flatnonzero(~data.train)
        return Given(model, *_some(data, train), *_some(data, test), {})

    @cached_property
    def _data(self) -> TextData:
        return load_texts(self.cell.data, self.folder)


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


def figures_of(summary: dict[str, Any]) -> dict[str, Any]:
    """A repair of one repeat, with the figures of every model by name."""
    (run,) = summary["runs"]
    return {
        "repair": summary["repair"],
        "found": summary["findings"],
        "train_rows": run["train"],
        "test_rows": run["test"],
        "repairing": run["repairing"],
        "held_out": run["held_out"],
        "before": flat(run["before"]),
        "ways": {way: _way(told) for way, told in run["ways"].items()},
    }


def _way(told: dict[str, Any]) -> dict[str, Any]:
    if "failed" in told:
        return {"failed": told["failed"]}
    kept = {name: told[name] for name in ("pairs", "rows_added", "seconds")}
    return {"after": flat(told), **kept, "rounds": [flat(one) for one in told["rounds"]]}
