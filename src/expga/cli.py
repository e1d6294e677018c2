"""The command line. Heavy libraries are imported by the commands that need them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

if TYPE_CHECKING:
    import pandas as pd

    from expga.engine import Snapshot
    from expga.results import Audit

app = typer.Typer(
    help="Does this model treat two people differently who differ only in a protected attribute?",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

OVER, BAD_INPUT, INTERRUPTED = 1, 2, 130

ModelOption = Annotated[str, typer.Option(help="A .joblib, .pkl or .skops file, or package.module:attribute.")]
PickleOption = Annotated[bool, typer.Option("--allow-pickle", help="Load model files that can run any code.")]
TrustOption = Annotated[str, typer.Option(help="Types that a .skops file may hold, separated by commas.")]


@app.command()
def audit(
    model: ModelOption,
    data: Annotated[Path, typer.Option(help="The table: .csv or .parquet.")],
    target: Annotated[str, typer.Option(help="The column that the model predicts; it is not a feature.")],
    protected: Annotated[str, typer.Option(help="Protected attributes, separated by commas.")],
    out: Annotated[Path, typer.Option(help="The folder for summary.json and findings.parquet.")],
    positive: Annotated[str | None, typer.Option(help="The label that scores are given for.")] = None,
    threshold: Annotated[float | None, typer.Option(help="The score from which a row is positive.")] = None,
    min_gap: Annotated[float | None, typer.Option(help="Count score gaps of at least this, not flips.")] = None,
    schema: Annotated[Path | None, typer.Option(help="A TOML file on types, bounds, readings.")] = None,
    strategy: Annotated[str, typer.Option(help="expga, expga-published or random.")] = "expga",
    explainer: Annotated[
        str, typer.Option(help="What seeds are chosen by: gap, lime, shap or none; auto: the strategy's own.")
    ] = "auto",
    epsilon: Annotated[int | None, typer.Option(help="The rank that lets a seed in (lime, shap).")] = None,
    realism: Annotated[str | None, typer.Option(help="data: near real rows; domain: within bounds only.")] = None,
    budget: Annotated[str | None, typer.Option(help="Time, such as 30s, 5m, 1h. [default: 30s]")] = None,
    max_queries: Annotated[int | None, typer.Option(help="The most model queries; alone: no time limit.")] = None,
    max_generations: Annotated[int | None, typer.Option(help="The most batches of the search.")] = None,
    max_findings: Annotated[int | None, typer.Option(help="The most findings.")] = None,
    seed: Annotated[int, typer.Option(help="Of all randomness.")] = 0,
    fail_over: Annotated[
        float | None, typer.Option(help="Exit with 1 if the flip rate is surely (95%) above this.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with an earlier run in the same folder.")] = False,
    allow_pickle: PickleOption = False,
    trust: TrustOption = "",
) -> None:
    """Measure how often a model flips real rows, and search for more discriminatory samples."""
    with _bad_input():
        from expga.api import audit as run
        from expga.errors import InputError
        from expga.models.load import load_model

        if fail_over is not None and not 0 <= fail_over < 1:
            raise InputError(f"--fail-over is a rate from 0 to 1, not {fail_over:g}.")
        features = _features(data, target)
        loaded = load_model(model, allow_pickle=allow_pickle, trust=_names(trust))
        with _progress() as progress:
            result = run(
                loaded,
                features,
                protected=_names(protected),
                schema=schema,
                strategy=strategy,
                explainer=None if explainer == "none" else explainer,  # type: ignore[arg-type]  # checked inside
                epsilon=epsilon,
                realism=realism,  # type: ignore[arg-type]  # checked inside
                positive=positive,
                threshold=threshold,
                min_gap=min_gap,
                budget=budget,
                max_queries=max_queries,
                max_generations=max_generations,
                max_findings=max_findings,
                seed=seed,
                out=out,
                resume=resume,
                progress=progress,
            )
    _show(result, out)
    if fail_over is not None and result.population.ci95[0] > fail_over:
        low = result.population.ci95[0]
        _say(f"[bold red]Over the limit:[/] the flip rate is above {fail_over:.2%} (at least {low:.2%}).")
        raise typer.Exit(OVER)


@app.command()
def replay(
    folder: Annotated[Path, typer.Argument(help="The folder of a finished audit.")],
    model: ModelOption,
    allow_pickle: PickleOption = False,
    trust: TrustOption = "",
) -> None:
    """Ask a model again about every pair that an audit found."""
    with _bad_input():
        from expga.api import replay as ask_again
        from expga.models.load import load_model
        from expga.results import Audit

        kept = Audit.load(folder)
        holds, total = ask_again(kept, load_model(model, allow_pickle=allow_pickle, trust=_names(trust)))
    _say(f"{holds:,} of {total:,} pairs still hold.")


@app.command()
def demo(
    out: Annotated[Path, typer.Option(help="The folder for the results.")] = Path("expga-demo"),
    budget: Annotated[str, typer.Option(help="Time for the audit.")] = "10s",
    seed: Annotated[int, typer.Option(help="Of all randomness.")] = 0,
) -> None:
    """Train a forest on the Census data and audit it for sex."""
    with _bad_input():
        from expga import datasets
        from expga.api import audit as run
        from expga.bench.models import census_forest

        census = datasets.load("census")
        _say(f"Training a forest on {len(census.frame):,} rows of the Census data …")
        model = census_forest(census, seed)
        with _progress() as progress:
            result = run(
                model,
                census.frame,
                protected=["sex"],
                schema=census.schema,
                positive=census.positive,
                budget=budget,
                seed=seed,
                out=out,
                progress=progress,
            )
    _show(result, out)


def _features(path: Path, target: str) -> pd.DataFrame:
    """The table without its target, checked."""
    import pandas as pd

    from expga.errors import InputError

    readers: dict[str, Callable[[Path], pd.DataFrame]] = {".csv": pd.read_csv, ".parquet": pd.read_parquet}
    if path.suffix not in readers:
        raise InputError(f"The data {path} is neither a .csv nor a .parquet file.")
    if not path.is_file():
        raise InputError(f"There is no data file {path}.")
    try:
        frame = readers[path.suffix](path)
        header = list(pd.read_csv(path, header=None, nrows=1, dtype=str).iloc[0]) if path.suffix == ".csv" else []
    except Exception as error:  # a reader's complaints are of many types
        reason = " ".join(str(error).split())
        raise InputError(f"The data file {path} cannot be read: {reason}") from error
    if twice := next((name for name in header if header.count(name) > 1), None):
        raise InputError(f"The column {twice!r} stands twice in {path}; rename one of them.")
    if target not in frame.columns:
        raise InputError(
            f"The target column {target!r} is not in {path}; its columns are {', '.join(map(str, frame))}."
        )
    if not len(frame):
        raise InputError(f"The data file {path} has no rows.")
    if frame[target].nunique() < 2:
        raise InputError(f"The target column {target!r} has only one class in {path}; an audit needs at least two.")
    return frame.drop(columns=target)


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _say(text: str) -> None:
    from rich.console import Console

    Console(highlight=False, soft_wrap=True).print(text)


@contextmanager
def _bad_input() -> Iterator[None]:
    """Turns what users can mend into one sentence and exit code 2."""
    from expga.errors import ExpgaError

    try:
        yield
    except ExpgaError as error:
        _fail(str(error), BAD_INPUT)
    except KeyboardInterrupt:
        _fail("Interrupted before anything was measured.", INTERRUPTED)


def _fail(message: str, code: int) -> NoReturn:
    print(f"expga: {message}", file=sys.stderr)
    raise typer.Exit(code)


@contextmanager
def _progress() -> Iterator[Callable[[Snapshot], None] | None]:
    """A live line on a terminal, nothing elsewhere."""
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    with console.status("Measuring the population …") as status:

        def tell(now: Snapshot) -> None:
            if now.phase != "search":
                status.update(f"Measuring the population: {now.queries:,} queries, {now.elapsed:.0f} s")
                return
            rate = now.found / max(now.elapsed, 1e-9)
            status.update(
                f"Searching: [bold]{now.found:,}[/] findings, {now.queries:,} queries, "
                f"{rate:,.0f} findings a second, {now.elapsed:.0f} s"
            )

        yield tell


def _show(result: Audit, out: Path) -> None:
    """The outcome as a person wants to see it."""
    from rich.console import Console
    from rich.markup import escape
    from rich.panel import Panel
    from rich.table import Table

    console = Console(highlight=False)
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
            told.add_row(" •", escape(sentence))
        console.print(told)
    for note in result.summary["notes"]:
        console.print(f"[yellow]Note:[/] {escape(note)}")
    console.print(f"\nAll of it is in {escape(str(out))}: summary.json and findings.parquet.", soft_wrap=True)


def _headline(summary: dict[str, Any]) -> str:
    from rich.markup import escape

    population = summary["population"]
    if not population["rows"]:
        return "Nothing is known of the real rows: no row that was asked about has two readings that are possible."
    low, high = population["ci95"]
    of = f"a random sample of {population['rows']:,} of" if population["sampled"] else f"{population['rows']:,}"
    total = f" {population['total_rows']:,}" if population["sampled"] else ""
    change = "changes" if len(summary["protected"]) == 1 else "change"
    what = "label" if summary["settings"]["min_gap"] is None else "score"
    lines = [
        f"[bold]{population['rate']:.2%}[/] of {of}{total} real rows get another {what} when only "
        f"{escape(' and '.join(summary['protected']))} {change} (95% interval {low:.2%} to {high:.2%})."
    ]
    if len(summary["by_attribute"]) > 1:
        for name, rate in summary["by_attribute"].items():
            lines.append(f"  {escape(name)} alone: {rate['rate']:.2%} ({rate['ci95'][0]:.2%} to {rate['ci95'][1]:.2%})")
    if population["rows_without_twin"]:
        lines.append(f"  Left out, for want of a possible twin: {population['rows_without_twin']:,}.")
    return "\n".join(lines)


def _figures(summary: dict[str, Any]) -> Iterator[tuple[str, str]]:
    found, queries = summary["found"], summary["queries"]
    yield "discriminatory samples", f"[bold]{found:,}[/] distinct, of {summary['tested']:,} tested"
    if found:
        near, most = summary["distinct_anchors"], summary["largest_anchor_share"]
        yield "spread", f"near {near:,} real rows, none with more than {most:.1%} of them"
        yield "plausible", f"{summary['plausible_share']:.1%} have another real row as near as real rows are"
        yield "queries a finding", f"{summary['queries_per_finding']:.1f} (the floor is 2)"
    yield (
        "queries",
        f"{queries['population']:,} population, {queries['explain']:,} explaining, {queries['search']:,} search",
    )
    share = summary["model_s"] / max(summary["elapsed_s"], 1e-9)
    yield "time", f"{summary['elapsed_s']:.1f} s, {share:.0%} inside the model; stopped: {summary['stop_reason']}"
