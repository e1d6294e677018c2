"""Everything that a bench came to, gathered from its store: the plan, the runs, and what they add up to."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from expga.bench.experiments import EXPERIMENTS
from expga.bench.paper import SOURCE, published
from expga.bench.plan import QUESTIONS, Cell
from expga.bench.statistics import Course, compare, equal, median, median_cost

if TYPE_CHECKING:
    from expga.bench.workplace import Loss, Workplace

MEDIANS = (
    "population_rate",
    "tested",
    "found",
    "found_as_they_are",
    "bred",
    "counted",
    "literature_tested",
    "literature_found",
    "seconds",
    "seconds_per_finding",
    "seconds_per_counted",
    "success_rate",
    "queries_per_finding",
    "queries_all_in",
    "model_share",
    "typical_share",
    "plausible_share",
    "realism_auc",
    "clone_share",
    "anchors",
    "largest_anchor_share",
    "mean_distance",
    "grid_share",
    "share_changed",
    "texts",
    "accuracy",
)

COSTS = ("seconds_per_finding", "seconds_per_counted", "queries_per_finding", "queries_all_in")
"""Of these, None says that nothing was found; of the others, that something was not measured."""

Results = dict[str, Any]
SummaryOf = Callable[[list[Cell], list[dict[str, Any]]], dict[str, Any]]
"""What runs add up to, given the cells of a plan and the runs that there are."""


def gather(place: Workplace, summary_of: SummaryOf | None = None) -> Results:
    """Everything in a bench's store, summed up by `summarise` unless told otherwise."""
    cells = list(place.cells)
    runs = [told for cell in cells for told in place.runs(cell)]
    return {
        "facts": place.facts,
        "plan": [cell.as_dict() for cell in cells],
        "absent": _lost(place, "absent"),
        "failed": _lost(place, "failed"),
        "summary": (summary_of or summarise)(cells, runs),
        "runs": runs,
    }


def _lost(place: Workplace, loss: Loss) -> list[dict[str, str]]:
    told = [(cell.name, place.reason(cell, loss)) for cell in place.cells]
    return [{"cell": name, "reason": reason} for name, reason in told if reason is not None]


def summarise(cells: list[Cell], runs: list[dict[str, Any]]) -> dict[str, Any]:
    """Medians of every cell, comparisons within every place, and who is ahead."""
    by_cell = runs_by_cell(runs)
    done = [cell for cell in cells if cell.name in by_cell]
    rows = [row_of(cell, by_cell[cell.name]) for cell in done]
    places = [_place([cell for cell in done if cell.place == place], by_cell) for place in _places(done)]
    return {
        "cells": rows,
        "places": places,
        "ahead": {
            name: _ahead(name, rows)
            for name in dict.fromkeys(cell.experiment for cell in done)
            if EXPERIMENTS[name].leader
        },
        "ablation": _answers(done, by_cell),
    }


def runs_by_cell(runs: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    by_cell: dict[str, list[dict[str, Any]]] = {}
    for run in runs:
        by_cell.setdefault(run["cell"], []).append(run)
    return by_cell


def _places(cells: list[Cell]) -> list[tuple[str, str, str, str]]:
    return list(dict.fromkeys(cell.place for cell in cells))


def row_of(cell: Cell, runs: list[dict[str, Any]]) -> dict[str, Any]:
    """A cell's medians over its runs, and what the paper reports for it."""
    figures = [run["figures"] for run in runs]
    elsewhere = None if cell.arm else published(cell.data, cell.attribute, cell.model, cell.strategy)
    medians = {name: _middle(name)(figure.get(name) for figure in figures) for name in MEDIANS}
    reasons = [figure["stop_reason"] for figure in figures]
    row = {
        **where(cell),
        "cell": cell.name,
        "strategy": cell.strategy,
        "method": cell.method,
        "manner": cell.manner,
        "runs": len(runs),
        "of": cell.repeats,
        **medians,
        "stop_reason": max(reasons, key=reasons.count),
        "published": None if elsewhere is None else {**asdict(elsewhere), "source": SOURCE},
    }
    ours = row["seconds_per_finding"]
    theirs = None if elsewhere is None else elsewhere.seconds_per_finding
    row["times_faster"] = theirs / ours if theirs and ours else None
    return row


def _middle(figure: str) -> Callable[[Iterable[float | None]], float | None]:
    return median_cost if figure in COSTS else median


def where(cell: Cell) -> dict[str, str]:
    return {"experiment": cell.experiment, "data": cell.data, "attribute": cell.attribute, "model": cell.model}


def _place(cells: list[Cell], by_cell: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """The methods of a place beside each other: equal time, equal queries, and ExpGA against each by DSS."""
    told: dict[str, Any] = {**where(cells[0]), "equal": {}, "against": []}
    for manner in dict.fromkeys(cell.manner for cell in cells):
        some = [cell for cell in cells if cell.manner == manner]
        courses = {cell.method: [Course.of(run) for run in by_cell[cell.name]] for cell in some}
        if (read := equal(courses)) is not None:
            told["equal"][manner] = asdict(read)
        leader = next((cell for cell in some if cell.strategy == EXPERIMENTS[cell.experiment].leader), None)
        others = [cell for cell in some if leader is not None and cell is not leader and not cell.arm]
        for cell in others:
            assert leader is not None
            told["against"].append(_against(leader, cell, by_cell))
    return told


def _against(leader: Cell, cell: Cell, by_cell: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    ours, theirs = (_dss(by_cell[one.name]) for one in (leader, cell))
    compared = compare(ours, theirs)
    return {
        "leader": leader.method,
        "method": cell.method,
        "leader_dss": median_cost(ours),
        "dss": median_cost(theirs),
        **({} if compared is None else asdict(compared)),
    }


def _dss(runs: list[dict[str, Any]]) -> list[float | None]:
    return [run["figures"]["seconds_per_finding"] for run in runs]


AHEAD = (
    ("seconds_per_finding", "DSS", False),
    ("queries_per_finding", "queries a finding", False),
    ("success_rate", "SUR", True),
    ("found", "DSN", True),
)
"""What methods are ranked by: the figure, its name, and whether more is better."""


def _ahead(experiment: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """For each measure, in how many places each method is first, and where one is before ExpGA's recipe.

    Only the batched manner is compared, and a place counts where at least two methods ran and one found something.
    """
    leader = EXPERIMENTS[experiment].leader
    told: dict[str, Any] = {}
    for figure, name, more in AHEAD:
        first: dict[str, int] = {}
        beaten = []
        places = 0
        for rivals in _rivals(experiment, rows):
            known = sorted((row for row in rivals if row[figure]), key=lambda row: row[figure], reverse=more)
            if len(rivals) < 2 or not known:
                continue
            places += 1
            first[known[0]["strategy"]] = first.get(known[0]["strategy"], 0) + 1
            ours = next((row for row in rivals if row["strategy"] == leader), None)
            if ours is not None:
                beaten += [_beaten(row, ours, figure) for row in known if _before(row, ours, figure, more)]
        told[name] = {"places": places, "first": first, "beats_expga": beaten}
    return told


def _rivals(experiment: str, rows: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Rows of the same place."""
    groups: dict[Any, list[dict[str, Any]]] = {}
    for row in rows:
        if row["experiment"] == experiment and row["manner"] == "batched":
            groups.setdefault((row["data"], row["attribute"], row["model"]), []).append(row)
    return list(groups.values())


def _before(row: dict[str, Any], ours: dict[str, Any], figure: str, more: bool) -> bool:
    if row is ours:
        return False
    if ours[figure] is None:
        return True
    return bool(row[figure] > ours[figure] if more else row[figure] < ours[figure])


def _beaten(row: dict[str, Any], ours: dict[str, Any], figure: str) -> dict[str, Any]:
    place = {name: row[name] for name in ("data", "attribute", "model", "method")}
    return {**place, "value": row[figure], "expga": ours[figure]}


def _answers(cells: list[Cell], by_cell: dict[str, list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """What an ablation answers, place by place: two arms beside each other."""
    arms = {(cell.place, cell.strategy, cell.arm): cell for cell in cells if cell.arm}
    told = []
    for question, strategy, one, other in QUESTIONS:
        for place in dict.fromkeys(place for place, _, _ in arms):
            pair = [arms.get((place, strategy, arm)) for arm in (one, other)]
            if pair[0] is None or pair[1] is None:
                continue
            runs = [by_cell[cell.name] for cell in pair if cell is not None]
            compared = compare(_dss(runs[0]), _dss(runs[1]))
            told.append(
                {
                    "question": question,
                    "recipe": strategy,
                    "arms": [one, other],
                    **where(pair[0]),
                    **{
                        name: [_middle(name)(run["figures"][name] for run in side) for side in runs] for name in ABLATED
                    },
                    **({} if compared is None else asdict(compared)),
                }
            )
    return told


ABLATED = (
    "seconds_per_finding",
    "queries_per_finding",
    "typical_share",
    "success_rate",
    "plausible_share",
    "found",
    "bred",
)
