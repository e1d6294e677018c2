"""What the runs of a bench of repairs add up to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from expga.bench.paper import REPAIRED, SOURCE
from expga.bench.plan import Cell
from expga.bench.statistics import median_cost
from expga.bench.summary import runs_by_cell, where
from expga.repair.result import WORSE, over

TAKEN = ("pairs", "rows_added", "seconds")
"""What a repair takes, beside the figures of the model that it makes."""
CHANGES = ("accuracy", "flips_test")
"""Figures whose change is told with an interval of its own."""
ROWS = {"flips_test": "test rows that flip", "flips_train": "training rows that flip"}

Row = dict[str, Any]
Figures = dict[str, dict[str, Any]]
"""By name a mean with its interval."""


def summarise(cells: list[Cell], runs: list[dict[str, Any]]) -> dict[str, Any]:
    """Means of every cell before and after each repair, and where a repair did harm."""
    by_cell = runs_by_cell(runs)
    rows = [_row(cell, [run["figures"] for run in by_cell[cell.name]]) for cell in cells if cell.name in by_cell]
    return {
        "cells": rows,
        "worse": [one for row in rows for one in _worse(row, [run["figures"] for run in by_cell[row["cell"]]])],
    }


def _row(cell: Cell, figures: Sequence[Mapping[str, Any]]) -> Row:
    """A cell's means over its runs, and what the paper reports for it."""
    chosen = dict(cell.options)["repair"]
    elsewhere = REPAIRED.get((cell.data, cell.attribute, cell.model))
    before = over([one["before"] for one in figures])
    row: Row = {
        **where(cell),
        "cell": cell.name,
        "material": cell.material.name,
        "repair": chosen,
        "runs": len(figures),
        "of": cell.repeats,
        **{
            name: float(np.mean([one[name] for one in figures]))
            for name in ("found", "train_rows", "test_rows", "repairing", "held_out", "seconds")
        },
        "before": before,
        "repairs": {name: _repair(name, cell.strategy, before, figures) for name in figures[0]["repairs"]},
        "published": None if elsewhere is None else {**asdict(elsewhere), "source": SOURCE},
    }
    row["curve"] = _curve([one["repairs"][chosen]["rounds"] for one in figures])
    return row


def _repair(repair: str, strategy: str, before: Figures, figures: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    told = [one["repairs"][repair] for one in figures]
    failed = next((one["failed"] for one in told if "failed" in one), None)
    if failed is not None:
        return {"failed": failed}
    after = over([{**one["after"], **{name: one[name] for name in TAKEN}} for one in told])
    pairs = zip([one["before"] for one in figures], [one["after"] for one in told], strict=True)
    dss = f"{strategy}.seconds_per_finding"
    costs = [[one["before"][dss] for one in figures], [one["after"][dss] for one in told]]
    return {
        "after": after,
        "change": over([_change(*pair) for pair in pairs]),
        "paper": _as_in_the_paper(strategy, before, after, costs, figures[0]["train_rows"]),
    }


def _change(before: Mapping[str, float | None], after: Mapping[str, float | None]) -> dict[str, float | None]:
    """Of one run: its halves and its model are the same before and after, whatever those of other runs are."""
    pairs = {name: (before[name], after[name]) for name in CHANGES}
    return {name: None if old is None or new is None else new - old for name, (old, new) in pairs.items()}


def _as_in_the_paper(
    strategy: str, before: Figures, after: Figures, costs: Sequence[Sequence[float | None]], rows: int
) -> dict[str, Any]:
    """The columns of table 9; pairs of values are before and after.

    Args:
        strategy: whose fresh search it is.
        before: means of the model as it was.
        after: means of the repaired one.
        costs: seconds a finding of each run, before and after.
        rows: that the model is fitted to.
    """

    def both(name: str) -> list[float | None]:
        return [before[name]["mean"], after[name]["mean"]]

    return {
        "added": after["pairs"]["mean"] / rows,
        "accuracy": both("accuracy"),
        "still": both("held_out"),
        "seconds_per_finding": [median_cost(side) for side in costs],
        "success_rate": both(f"{strategy}.success_rate"),
    }


def _curve(rounds: Sequence[Sequence[Mapping[str, Any]]]) -> list[dict[str, Any]]:
    """By round the figures of the model after it, over the runs that came so far."""
    longest = max(len(one) for one in rounds)
    return [over([one[number] for one in rounds if number < len(one)]) for number in range(longest)]


def _worse(row: Row, figures: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Where more rows flip after a repair than before, and where a difference between groups grew by a point."""
    told = []
    for repair, made in row["repairs"].items():
        for name, before in row["before"].items():
            after = made.get("after", {}).get(name, {}).get("mean")
            limit = 0.0 if name in ROWS else WORSE if name.endswith("_difference") else np.inf
            if after is None or before["mean"] is None or after - before["mean"] <= limit:
                continue
            each = [(one["before"][name], one["repairs"][repair]["after"].get(name)) for one in figures]
            told.append(
                {
                    **{key: row[key] for key in ("data", "attribute", "model")},
                    "repair": repair,
                    "what": ROWS.get(name, name.rpartition(".")[2].replace("_", " ")),
                    "before": before["mean"],
                    "after": after,
                    "runs": sum(old is not None and new is not None and new > old for old, new in each),
                    "of": len(each),
                }
            )
    return told
