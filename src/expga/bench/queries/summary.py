"""What methods found at several numbers of queries: cell by cell, over all cells, and where one is before ExpGA."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from expga.bench.experiments import EXPERIMENTS
from expga.bench.markdown import Row
from expga.bench.plan import Cell
from expga.bench.summary import row_of, runs_by_cell

LEADER = EXPERIMENTS["queries"].leader
"""The method that the others are compared with."""
COUNTS = ("bred", "found")
"""What a method may have more of."""
ALL_MODELS = "all models"


def summarise(cells: list[Cell], runs: list[dict[str, Any]]) -> dict[str, Any]:
    """Medians of every cell; at each number of queries what methods came to and who is before ExpGA; and curves."""
    by_cell = runs_by_cell(runs)
    rows = [{**row_of(cell, by_cell[cell.name]), "queries": cell.queries} for cell in cells if cell.name in by_cell]
    budgets = sorted({row["queries"] for row in rows})
    return {
        "cells": rows,
        "budgets": [_at(queries, [row for row in rows if row["queries"] == queries]) for queries in budgets],
        "curves": curves(rows, budgets),
    }


def _at(queries: int, rows: list[Row]) -> dict[str, Any]:
    """What there is to say of one number of queries."""
    methods = dict.fromkeys(row["method"] for row in rows)
    ours = {_place(row): row for row in rows if row["method"] == LEADER}
    rivals = [(row, ours[_place(row)]) for row in rows if row["method"] != LEADER and _place(row) in ours]
    more = [_beside(row, own) for row, own in rivals if any((row[count] or 0) > (own[count] or 0) for count in COUNTS)]
    return {
        "queries": queries,
        "compared": len({_place(row) for row, _ in rivals}),
        "more": more,
        "methods": {method: _over([row for row in rows if row["method"] == method]) for method in methods},
    }


def _place(row: Row) -> tuple[str, str, str]:
    return row["data"], row["attribute"], row["model"]


def _beside(row: Row, ours: Row) -> dict[str, Any]:
    """A method's figures, each beside ExpGA's."""
    figures = (*COUNTS, "queries_per_finding", "typical_share")
    told: dict[str, Any] = {name: row[name] for name in ("data", "attribute", "model", "method")}
    return {**told, **{name: [row[name], ours[name]] for name in figures}}


def _over(rows: list[Row]) -> dict[str, Any]:
    """A method over its cells: geometric means of what is a number of something, and the worst cell."""

    def known(figure: str) -> list[float]:
        return [row[figure] for row in rows if row[figure] is not None]

    costs = {name: known(name) for name in ("queries_per_finding", "queries_all_in")}
    return {
        "cells": len(rows),
        "without": len(rows) - len(costs["queries_per_finding"]),
        "bred": geometric(known("bred")),
        **{name: geometric(values) for name, values in costs.items()},
        **{f"most_{name}": max(values, default=None) for name, values in costs.items()},
        "typical_share": _of(np.mean, known("typical_share")),
        "least_typical_share": _of(np.min, known("typical_share")),
        "anchors": geometric(known("anchors")),
        "clone_share": _of(np.mean, known("clone_share")),
    }


def _of(figure: Callable[[Sequence[float]], Any], values: Sequence[float]) -> float | None:
    return float(figure(values)) if values else None


def geometric(values: Iterable[float]) -> float | None:
    """The geometric mean of some numbers, where less than one of something counts as one; None of none."""
    logs = np.log(np.maximum(1.0, list(values)))
    return float(np.exp(logs.mean())) if len(logs) else None


def curves(rows: list[Row], budgets: Sequence[int]) -> list[dict[str, Any]]:
    """Findings by method over queries, as geometric means: of all models, then of each.

    Only cells count in which every method of a curve's group ran at every number of queries; the methods of all models
    are those that run on each of them.
    """
    models = list(dict.fromkeys(row["model"] for row in rows))
    groups = [(ALL_MODELS, models)] if len(models) > 1 else []
    told = []
    for name, some in [*groups, *((model, [model]) for model in models)]:
        known = {(row["method"], _place(row), row["queries"]): row["bred"] for row in rows if row["model"] in some}
        methods = [
            method
            for method in dict.fromkeys(method for method, _, _ in known)
            if {model for who, (*_, model), _ in known if who == method} == set(some)
        ]
        places = [
            place
            for place in dict.fromkeys(place for _, place, _ in known)
            if all((method, place, queries) in known for method in methods for queries in budgets)
        ]
        bred = {
            method: [geometric(known[method, place, queries] for place in places) for queries in budgets]
            for method in methods
        }
        told.append({"models": name, "cells": len(places), "queries": list(budgets), "bred": bred if places else {}})
    return told
