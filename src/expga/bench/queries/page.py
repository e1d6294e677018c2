"""The results page of methods at several numbers of queries: where ExpGA is behind, the curve, means, every cell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from expga.bench.markdown import NONE, Column, count, long_table, number, share, table
from expga.bench.outcome import files_of, names_of
from expga.bench.page import lost, missing, shown
from expga.bench.pictures import Picture
from expga.bench.plan import Cell
from expga.bench.queries import pictures
from expga.bench.queries.summary import LEADER, summarise
from expga.bench.summary import Results, gather

if TYPE_CHECKING:
    from expga.bench.workplace import Workplace

COLUMNS: tuple[Column, ...] = (
    ("bred", "bred", count),
    ("queries/finding", "queries_per_finding", number),
    ("all in", "queries_all_in", number),
    ("as they are", "found_as_they_are", count),
    ("typical", "typical_share", share),
    ("anchors", "anchors", count),
    ("clones", "clone_share", share),
)


def names(cells: Sequence[Cell]) -> list[str]:  # noqa: ARG001 - a page like the others
    """Of all files that `present` may write for a plan."""
    return names_of([pictures.PICTURE.name])


def present(place: Workplace) -> Results:
    """Sums up a bench at several numbers of queries, draws its picture and writes its page, and publishes all of it."""
    results = gather(place, summarise)
    drawn = pictures.draw(results)
    place.publish(files_of(results, page(results, list(drawn)), drawn))
    return results


def page(results: Results, drawn: Sequence[Picture]) -> str:
    """The page as Markdown; every number in it is in `results.json`."""
    budgets = results["summary"]["budgets"]
    lines = ["# Results of `expga bench queries`", "", *_behind(budgets), *lost(results), *shown(drawn)]
    lines += [*_means(budgets), *_what_was_run(results)]
    for told in budgets:
        rows = [row for row in results["summary"]["cells"] if row["queries"] == told["queries"]]
        lines += [f"## {told['queries']:,} queries", "", *long_table(rows, COLUMNS)]
    lines += [*missing(results), "## How to read this", "", *HOW_TO_READ.strip().splitlines(), ""]
    return "\n".join(lines).rstrip() + "\n"


def _behind(budgets: list[dict[str, Any]]) -> list[str]:
    """Where another method has more findings than ExpGA, plainly."""
    lines = ["## Where another strategy has more findings", ""]
    rows = []
    for told in budgets:
        places = {name: len({_place(one) for one in told["more"] if _more(one, name)}) for name in ("bred", "found")}
        lines.append(
            f"- {told['queries']:,} queries: another strategy bred more than `{LEADER}` in {places['bred']} of "
            f"{told['compared']} cells; with real rows that flip as they are, it found more in {places['found']}."
        )
        rows += [[count(told["queries"]), *_beside(one)] for one in told["more"]]
    heads = ["queries", "data", "attribute", "model", "strategy"]
    for head in ("bred", "found", "queries/finding", "typical"):
        heads += [head, f"{LEADER}'s"]
    return [*lines, "", *table(heads, rows)]


def _place(one: dict[str, Any]) -> tuple[str, ...]:
    return one["data"], one["attribute"], one["model"]


def _more(one: dict[str, Any], figure: str) -> bool:
    theirs, ours = one[figure]
    return bool((theirs or 0) > (ours or 0))


def _beside(one: dict[str, Any]) -> list[str]:
    written = (("bred", count), ("found", count), ("queries_per_finding", number), ("typical_share", share))
    figures = [write(value) for name, write in written for value in one[name]]
    return [*_place(one), one["method"], *figures]


def _means(budgets: list[dict[str, Any]]) -> list[str]:
    """Every method over its cells, at each number of queries."""
    heads = ["queries", "strategy", "cells", "nothing bred", "bred", "queries/finding", "at most", "all in", "at most"]
    heads += ["typical", "at least", "anchors", "clones"]
    rows = [
        [
            count(told["queries"]),
            method,
            count(of["cells"]),
            count(of["without"]),
            count(of["bred"]),
            number(of["queries_per_finding"]),
            number(of["most_queries_per_finding"]),
            number(of["queries_all_in"]),
            number(of["most_queries_all_in"]),
            share(of["typical_share"]),
            share(of["least_typical_share"]),
            count(of["anchors"]),
            share(of["clone_share"]),
        ]
        for told in budgets
        for method, of in told["methods"].items()
    ]
    return [
        "## Over all cells",
        "",
        "Geometric means over the cells of a strategy, shares as plain means, and the worst cell of each. What a "
        f"finding costs is known of cells in which there is one; {NONE}: of none.",
        "",
        *table(heads, rows),
    ]


def _what_was_run(results: Results) -> list[str]:
    cells = [Cell.of(told) for told in results["plan"]]
    repeats, seeds = (dict.fromkeys(getattr(cell, name) for cell in cells) for name in ("repeats", "seed"))
    versions = ", ".join(f"{name} {version}" for name, version in results["facts"].items())
    return [
        "## What was run",
        "",
        f"- {len(cells)} cells, {len(results['runs'])} of {sum(cell.repeats for cell in cells)} runs done, each number "
        "of queries in runs of its own, since it shapes a run: how much of it goes to real rows, and how much is asked "
        "at a time.",
        f"- Runs a cell: {', '.join(map(str, repeats))}; one model for all runs of a cell, trained with the seed "
        f"{', '.join(map(str, seeds))}; the runs differ in the seed of the search only.",
        '- `realism="data"`: every sample stays within reach of a real row, for every strategy. Those that need '
        "gradients run on the MLP only.",
        f"- Versions: {versions}.",
        "",
    ]


HOW_TO_READ = """
- **queries** are all that a run may ask: trial, placebo, population, explaining and searching. Every figure is the
  median over the runs of a cell.
- **bred**: findings that are no real rows, distinct without the protected attribute. **as they are**: real rows that
  flip with nothing changed. **found**: both.
- **queries/finding**: queries of explaining and searching, by those that were bred; 2 is the floor. **all in**: every
  query, the population's too, by every finding.
- **typical**: findings that were bred that trees taught by one half of the rows kept aside take for real, at a bar that
  95% of the other half pass; no search knows these trees. **anchors**: real rows that findings lie near. **clones**:
  findings that differ from another in one feature.
- Every number is in `results.json`: `plan` has the cells, `runs` each run with its figures and its curve, `summary` the
  medians, means and curves.
"""
