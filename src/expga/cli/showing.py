"""The outcome of an audit as a person wants to see it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from expga.cli.talking import literal, report

if TYPE_CHECKING:
    from expga.results import Audit

COLUMNS = 40
"""Within fewer no figure has room."""


def show(result: Audit, out: Path, more: Sequence[str] = ()) -> None:
    """The outcome as a person wants to see it.

    Args:
        result: of the audit.
        out: where it was saved.
        more: files that were written there, beside those of every audit.
    """
    from rich.panel import Panel
    from rich.table import Table

    console = report(COLUMNS)
    console.print(Panel.fit(_headline(result), title="How unfair the model is", title_align="left"))
    table = Table(
        title="What the search found", title_justify="left", show_header=False, box=None, padding=(0, 2, 0, 0)
    )
    for name, number in _figures(result):
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
    *others, last = "summary.json", "findings.parquet", *map(literal, more)
    console.print(f"\nAll of it is in {literal(out)}: {', '.join(others)} and {last}.", soft_wrap=True)


def _headline(result: Audit) -> str:
    """The sentences of its kind, with the rate that the first begins with in bold."""
    first, *more = map(literal, result.headline())
    rate, _, rest = first.partition(" ")
    bold = f"[bold]{rate}[/] {rest}" if rate.endswith("%") else first
    return "\n".join([bold, *(f"  {line}" for line in more)])


def _figures(result: Audit) -> Iterator[tuple[str, str]]:
    summary = result.summary
    found, queries = summary["found"], summary["queries"]
    yield "discriminatory samples", f"[bold]{found:,}[/] distinct, of {summary['tested']:,} tested"
    if found:
        for name, told in result.subject.figures(summary):
            yield literal(name), literal(told)
        yield "of these", f"{summary['found_as_they_are']:,} real as they are, {summary['bred']:,} bred"
        each, all_in = summary["queries_per_finding"], f"{summary['queries_all_in']:.1f} all in"
        bred = "" if each is None else f"{each:.1f} for a bred one (the floor is 2), "
        yield "queries a finding", bred + all_in
    for told in result.unconfirmed():
        yield "asked again", literal(told)
    phases = {
        "trial": "trial",
        "placebo": "placebo",
        "population": "population",
        "explain": "explaining",
        "search": "search",
    }
    yield "queries", ", ".join(f"{queries[phase]:,} {called}" for phase, called in phases.items())
    share = summary["model_s"] / max(summary["elapsed_s"], 1e-9)
    yield "time", f"{summary['elapsed_s']:.1f} s, {share:.0%} inside the model; stopped: {summary['stop_reason']}"
