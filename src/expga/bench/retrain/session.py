"""Runs of a cell: train, audit, repair in every way, measure; each from its own halves of the data on."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from expga.api import audit
from expga.bench.plan import Cell
from expga.bench.session import Models, Session
from expga.repair import retrain
from expga.repair.result import flat


class RepairSession(Session):
    """The runs of a cell, which share nothing but the texts."""

    def __init__(self, cell: Cell, models: Models, texts: Path) -> None:
        self.cell = cell
        self.givens = cell.material.givens()(cell, models, texts)

    def run(self, repeat: int) -> tuple[dict[str, Any], None]:
        """One run: the figures of the model before, and after each repair."""
        cell, seed = self.cell, self.cell.seed + repeat
        began = time.perf_counter()
        given = self.givens.of(seed)
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
        name = figures[0]["repair"]
        sides = [one["before"] for one in figures], [one["repairs"][name]["after"] for one in figures]
        before, after = (np.mean([one["flips_test"] or 0.0 for one in side]) for side in sides)
        return f"{before:.2%} of the test rows flip before, {after:.2%} after the repair by {name}"


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
        "repairs": {name: _repair(told) for name, told in run["repairs"].items()},
    }


def _repair(told: dict[str, Any]) -> dict[str, Any]:
    if "failed" in told:
        return {"failed": told["failed"]}
    kept = {name: told[name] for name in ("pairs", "rows_added", "seconds")}
    return {"after": flat(told), **kept, "rounds": [flat(one) for one in told["rounds"]]}
