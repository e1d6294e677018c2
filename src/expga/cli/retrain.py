"""The command that repairs a model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from expga.cli.options import (
    CriterionOption,
    ModelOption,
    OverwriteOption,
    PickleOption,
    ResumeOption,
    SeedOption,
    TrustOption,
    names_of,
    share_of,
)
from expga.cli.talking import literal, live, report

if TYPE_CHECKING:
    from expga.repair import Retrained

COLUMNS = 70
"""Within fewer the tables have no room for their figures."""


def retrain(
    model: ModelOption,
    data: Annotated[Path, typer.Option(help="The table that was audited: .csv or .parquet.")],
    target: Annotated[str, typer.Option(help="The column that the model predicts.")],
    audit: Annotated[Path, typer.Option(help="The folder of the audit.")],
    out: Annotated[Path, typer.Option(help="The folder for the new model and retrain.json.")],
    test: Annotated[
        Path | None, typer.Option(help="Rows that the model was not fitted to; else some are set aside.")
    ] = None,
    repair: Annotated[
        str, typer.Option(help="both, findings, twins, average, drop, reweigh, reduction or package.module:Name.")
    ] = "both",
    compare: Annotated[str, typer.Option(help="Other repairs to measure beside it, separated by commas, or all.")] = "",
    share: Annotated[
        str | None,
        typer.Option(
            help="Found pairs to add, as a share of the rows; auto tries several. [default: as many as it takes]"
        ),
    ] = None,
    relabel: Annotated[str, typer.Option(help="The label of added pairs: majority, nearest or original.")] = "majority",
    weight: Annotated[float | None, typer.Option(help="How much an added row counts beside a real one.")] = None,
    rounds: Annotated[int, typer.Option(help="Audit the new model and repair it again, so many times in all.")] = 1,
    repeats: Annotated[int, typer.Option(help="How often all of it is done, for the intervals.")] = 3,
    test_share: Annotated[float, typer.Option(help="Rows to set aside where no test rows are given.")] = 0.25,
    max_loss: Annotated[float, typer.Option(help="The loss of accuracy to accept: 0.01 is a point.")] = 0.01,
    max_queries: Annotated[int, typer.Option(help="Of each fresh search.")] = 20_000,
    criterion: CriterionOption = None,
    seed: SeedOption = 0,
    resume: ResumeOption = False,
    overwrite: OverwriteOption = False,
    allow_pickle: PickleOption = False,
    trust: TrustOption = "",
) -> None:
    """Fit a fairer model to what an audit found, and show what it costs and whether it holds."""
    from expga.cli.data import labelled
    from expga.models.load import load_model
    from expga.repair import retrain as repaired
    from expga.results import Audit

    found = Audit.load(audit)
    column = found.summary["settings"].get("column")
    X, y = labelled(data, target, column)
    X_test, y_test = (None, None) if test is None else labelled(test, target, column)
    loaded = load_model(model, allow_pickle=allow_pickle, trust=names_of(trust))
    with live("Checking") as tell:
        result = repaired(
            loaded,
            X,
            y,
            found,
            repair=repair,
            compare="all" if compare == "all" else names_of(compare),
            share=share_of(share),
            relabel=relabel,  # type: ignore[arg-type]  # retrain() checks it
            weight=weight,
            rounds=rounds,
            X_test=X_test,
            y_test=y_test,
            test_share=test_share,
            repeats=repeats,
            max_loss=max_loss,
            max_queries=max_queries,
            criterion=criterion,
            seed=seed,
            out=out,
            resume=resume,
            overwrite=overwrite,
            inputs=[Path(name) for name in (model, data, test) if name is not None],
            progress=None if tell is None else lambda text: tell(f"{literal(text)} …"),
        )
    _show(result, out)


def _show(result: Retrained, out: Path) -> None:
    from rich.panel import Panel

    console = report(COLUMNS)
    summary = result.summary
    first, *others = result.sentences()
    console.print(Panel.fit(literal(first), title="What the repair did", title_align="left"))
    console.print(_measured_on(summary))
    for table in _tables(summary):
        console.print(table)
    for sentence in others:
        console.print(f"[yellow]Note:[/] {literal(sentence)}")
    console.print(f"\nThe new model and all figures, with their intervals, are in {literal(out)}.", soft_wrap=True)


def _measured_on(summary: dict[str, Any]) -> str:
    given = "given" if summary["test_rows_given"] else "set aside"
    times = f"; means of {summary['repeats']} repeats" if summary["repeats"] > 1 else ""
    return (
        f"Measured on {summary['test_rows']:,} test rows, {given}, and {summary['held_out']:,} findings that took no "
        f"part in the repair{times}."
    )


def _tables(summary: dict[str, Any]) -> Iterator[Any]:
    """The repairs as rows, before first: what they do to the task and to flips, to searches, and to groups."""
    from rich.table import Table

    repairs = {name: told for name, told in summary["repairs"].items() if "after" in told}
    for title, columns in _figures(summary):
        table = Table(title=title, title_justify="left", box=None, padding=(0, 2, 0, 0), header_style="bold")
        table.add_column("")
        for heading, _, _ in columns:
            table.add_column(literal(heading), justify="right")
        after = ((name, told["after"]) for name, told in repairs.items())
        for name, figures in (("before", summary["before"]), *after):
            values = [worded(figures.get(figure, {}).get("mean")) for _, figure, worded in columns]
            table.add_row(name, *values, style="bold" if name == summary["repair"] else "")
        yield table
    table = Table(title="What they take", title_justify="left", box=None, padding=(0, 2, 0, 0), header_style="bold")
    for heading in ("", "pairs added", "rows added", "seconds"):
        table.add_column(heading, justify="right" if heading else "left")
    for name, told in repairs.items():
        table.add_row(name, f"{told['pairs']:,}", f"{told['rows_added']:,}", f"{told['seconds']:.1f}")
    yield table


Column = tuple[str, str, Callable[[float | None], str]]
"""A heading, the name of a figure, and how to write it."""


def _figures(summary: dict[str, Any]) -> Iterator[tuple[str, list[Column]]]:
    def share(value: float | None) -> str:
        return "–" if value is None else f"{value:.2%}"

    def number(value: float | None) -> str:
        return "–" if value is None else f"{value:.3f}"

    def per_thousand(value: float | None) -> str:
        return "–" if value is None else f"{1000 * value:.1f}"

    names = [name.rpartition(".") for name in summary["before"]]
    yield (
        "The task, and who still flips",
        [
            ("accuracy", "accuracy", share),
            ("balanced", "balanced_accuracy", share),
            ("AUC", "auc", number),
            ("test rows", "flips_test", share),
            ("training rows", "flips_train", share),
            ("findings", "held_out", share),
        ],
    )
    yield (
        "Fresh searches: found per 1,000 queries",
        [(who, f"{who}.{kind}", per_thousand) for who, _, kind in names if kind == "findings_per_query"],
    )
    groups: list[Column] = []
    for who, _, kind in names:
        if kind.endswith("_difference"):
            groups.append((f"{who}: {_KINDS[kind]}", f"{who}.{kind}", number))
    if groups:
        yield "Differences between groups", groups


_KINDS = {
    "demographic_parity_difference": "demographic parity",
    "equalized_odds_difference": "equalized odds",
}
