"""The outcome of an audit as a person wants to see it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from expga.cli.talking import literal, report

if TYPE_CHECKING:
    from expga.results import Audit

COLUMNS = 40
"""Within fewer no figure has room."""


def show(result: Audit, out: Path) -> None:
    """The outcome as a person wants to see it."""
    from rich.panel import Panel
    from rich.table import Table

    console = report(COLUMNS)
    console.print(Panel.fit(_headline(result.summary), title="How unfair the model is", title_align="left"))
    table = Table(
        title="What the search found", title_justify="left", show_header=False, box=None, padding=(0, 2, 0, 0)
    )
    for name, number in _figures(result.summary):
        table.add_row(name, number)
    console.print(table)
    if sentences := result.sentences():
        console.print("\n[bold]The most telling[/]")
        told = Table.grid(padding=(0, 1))
        for sentence in sentences:
            told.add_row(" •", literal(sentence))
        console.print(told)
    for note in result.summary["notes"]:
        console.print(f"[yellow]Note:[/] {literal(note)}")
    console.print(f"\nAll of it is in {literal(out)}: summary.json and findings.parquet.", soft_wrap=True)


def _headline(summary: dict[str, Any]) -> str:

    population, texts = summary["population"], summary["settings"]["kind"] == "text"
    if not population["rows"]:
        row = "text" if texts else "row"
        return f"Nothing is known of the real {row}s: no {row} that was asked about has two readings that are possible."
    low, high = population["ci95"]
    attributes = literal(" and ".join(summary["protected"]))
    change = "change" if texts or len(summary["protected"]) > 1 else "changes"
    what = "label" if summary["settings"]["min_gap"] is None else "score"
    rows, changing = "real rows", attributes
    if texts:
        rows, changing = f"real texts that mention {attributes.replace(' and ', ' or ')}", "those words"
    lines = [
        f"[bold]{population['rate']:.2%}[/] of {_of(population, texts)} {rows} get another {what} when only "
        f"{changing} {change} (95% interval {low:.2%} to {high:.2%})."
    ]
    if len(summary["by_attribute"]) > 1:
        for name, rate in summary["by_attribute"].items():
            low, high = rate["ci95"]
            known = f"{rate['rate']:.2%} ({low:.2%} to {high:.2%})" if rate["rows"] else "nothing known"
            lines.append(f"  {literal(name)} alone: {known}")
    if texts:
        for name, mention in summary["mentioning"].items():
            share = f"{mention['texts']:,} of {summary['texts']:,} texts ({mention['share']:.0%})"
            lines.append(f"  {share} mention {literal(name)}.")
    elif population["rows_without_twin"]:
        lines.append(f"  Left out, for want of a possible twin: {population['rows_without_twin']:,}.")
    return "\n".join(lines)


def _of(population: dict[str, Any], texts: bool) -> str:
    if not population["sampled"]:
        return f"{population['rows']:,}"
    if texts:
        return f"{population['rows']:,} sampled"
    return f"a random sample of {population['rows']:,} of {population['total_rows']:,}"


def _figures(summary: dict[str, Any]) -> Iterator[tuple[str, str]]:
    found, queries = summary["found"], summary["queries"]
    yield "discriminatory samples", f"[bold]{found:,}[/] distinct, of {summary['tested']:,} tested"
    if found:
        near, most = summary["distinct_anchors"], summary["largest_anchor_share"]
        rows = "texts" if summary["settings"]["kind"] == "text" else "rows"
        yield "spread", f"near {near:,} real {rows}, none with more than {most:.1%} of them"
        if summary["plausible_share"] is not None:
            yield "plausible", f"{summary['plausible_share']:.1%} have another real row as near as real rows are"
        else:
            yield (
                "words changed",
                f"{summary['mean_share_changed']:.1%} of a text on average, besides the sensitive ones",
            )
        yield "queries a finding", f"{summary['queries_per_finding']:.1f} (the floor is 2)"
    yield (
        "queries",
        f"{queries['trial']:,} trial, {queries['population']:,} population, {queries['explain']:,} explaining, "
        f"{queries['search']:,} search",
    )
    share = summary["model_s"] / max(summary["elapsed_s"], 1e-9)
    yield "time", f"{summary['elapsed_s']:.1f} s, {share:.0%} inside the model; stopped: {summary['stop_reason']}"
