"""The command line. Heavy libraries are imported by the commands that need them."""

from __future__ import annotations

import sys
from math import floor
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from expga.budget import POPULATION_SHARE
from expga.cli.bench import bench
from expga.cli.ending import INTERRUPTED, OVER, Commands, complain, interrupt_no_more, interrupt_on_sigterm
from expga.cli.lexicon import lexicon
from expga.cli.options import (
    CriterionOption,
    ModelOption,
    OverwriteOption,
    PickleOption,
    ResumeOption,
    SeedOption,
    TimeoutOption,
    TrustOption,
    names_of,
    number,
    rank_of,
)
from expga.cli.retrain import retrain
from expga.cli.streams import ended, steady_streams
from expga.cli.talking import Watch, live, running, say

DEMO_BUDGET = "10s"

app = typer.Typer(
    help="Does this model treat two people differently who differ only in a protected attribute?",
    cls=Commands,
    add_completion=False,
    pretty_exceptions_enable=False,
)

app.add_typer(lexicon, name="lexicon")
app.add_typer(bench, name="bench")
app.command()(retrain)


def main() -> NoReturn:
    """The command as it is installed: `app`, whatever becomes of its streams and whoever wants it to end."""
    below, code = None, 0
    try:
        below = steady_streams()
        interrupt_on_sigterm()
        app()
    except SystemExit as ending:
        code = int(ending.code or 0)
    except KeyboardInterrupt:  # before the command has begun, or once more, while a sentence was being written
        code = INTERRUPTED
        complain("Interrupted")
    interrupt_no_more()
    sys.exit(code if below is None else ended(below, code))


@app.command()
def audit(
    model: ModelOption,
    data: Annotated[Path, typer.Option(help="The table: .csv or .parquet.")],
    protected: Annotated[str, typer.Option(help="Protected attributes, separated by commas.")],
    out: Annotated[Path, typer.Option(help="The folder for summary.json and findings.parquet.")],
    target: Annotated[
        str | None, typer.Option(help="The column that the model predicts; it is no feature. Needed for tables.")
    ] = None,
    text_column: Annotated[str | None, typer.Option(help="Audit texts: the column that holds them.")] = None,
    positive: Annotated[str | None, typer.Option(help="The label that scores are given for.")] = None,
    threshold: Annotated[float | None, number("The score from which a row is positive.")] = None,
    min_gap: Annotated[float | None, number("Count score gaps of at least this, not flips.")] = None,
    criterion: CriterionOption = None,
    schema: Annotated[Path | None, typer.Option(help="A TOML file on types, bounds, readings.")] = None,
    lexicon: Annotated[Path | None, typer.Option(help="A TOML file of words to add, or a graph (texts).")] = None,
    vectors: Annotated[Path | None, typer.Option(help="A GloVe file for substitutes (texts).")] = None,
    strategy: Annotated[
        str,
        typer.Option(
            help="expga, expga-published or random; tables: aequitas, sg, adf, exhaustive, ...; texts: mtnlp; "
            "or package.module:Name."
        ),
    ] = "expga",
    manner: Annotated[
        str | None, typer.Option(help="batched: many walks at once; faithful: one at a time, as published.")
    ] = None,
    explainer: Annotated[
        str,
        typer.Option(
            help="What seeds are chosen by: gap, lime, shap, none or package.module:Name; auto: the strategy's own."
        ),
    ] = "auto",
    epsilon: Annotated[str | None, typer.Option(help="The rank that lets a seed in (lime, shap), or auto.")] = None,
    realism: Annotated[str | None, typer.Option(help="data: near real rows; domain: within bounds only.")] = None,
    budget: Annotated[str | None, typer.Option(help="Time, such as 30s, 5m, 1h. [default: 30s]")] = None,
    max_queries: Annotated[int | None, number("The most model queries; alone: no time limit.")] = None,
    max_generations: Annotated[int | None, number("The most batches of the search.")] = None,
    max_findings: Annotated[int | None, number("The most findings.")] = None,
    population_share: Annotated[float, number("Of the budget, the most that measures real rows.")] = POPULATION_SHARE,
    call_timeout: TimeoutOption = None,
    repeats: Annotated[int, number("How often to put each question to a random model; the majority counts.")] = 1,
    seed: SeedOption = 0,
    output: Annotated[
        list[str] | None, typer.Option(help="What else to write: csv, or package.module:Name; several with commas.")
    ] = None,
    fail_over: Annotated[
        float | None, typer.Option(help="Exit with 1 if the flip rate is surely (95%) above this, noise left out.")
    ] = None,
    resume: ResumeOption = False,
    overwrite: OverwriteOption = False,
    allow_pickle: PickleOption = False,
    trust: TrustOption = "",
) -> None:
    """Measure how often a model flips real rows, and search for more discriminatory samples."""
    from expga.api import audit as run
    from expga.cli.data import features_of, texts_of
    from expga.cli.showing import show
    from expga.errors import InputError
    from expga.models.load import load_model
    from expga.results import outputs_of

    if fail_over is not None and not 0 <= fail_over < 1:
        raise InputError(f"--fail-over is a rate from 0 to 1, not {fail_over:g}.")
    outputs = outputs_of([name for one in output or () for name in names_of(one)])
    features = features_of(data, target) if text_column is None else texts_of(data, text_column)
    loaded = load_model(model, allow_pickle=allow_pickle, trust=names_of(trust))
    with running(out) as watch:
        result = run(
            loaded,
            features,
            protected=names_of(protected),
            schema=schema,
            text_column=text_column,
            lexicon=lexicon,
            vectors=vectors,
            strategy=strategy,
            manner=manner,  # type: ignore[arg-type]  # audit() checks it
            explainer=None if explainer == "none" else explainer,
            epsilon=rank_of(epsilon),
            realism=realism,  # type: ignore[arg-type]  # checked inside
            positive=positive,
            threshold=threshold,
            min_gap=min_gap,
            criterion=criterion,
            budget=budget,
            max_queries=max_queries,
            max_generations=max_generations,
            max_findings=max_findings,
            population_share=population_share,
            call_timeout=call_timeout,
            repeats=repeats,
            seed=seed,
            out=out,
            resume=resume,
            overwrite=overwrite,
            inputs=[Path(name) for name in (model, data, schema, lexicon, vectors) if name is not None],
            outputs=outputs,
            progress=watch,
        )
    show(result, out, [name for one in outputs for name in one.writes])
    if fail_over is not None and (low := result.population.at_least) > fail_over:
        say(f"[bold red]Over the limit:[/] the flip rate is above {fail_over:.2%} (at least {low:.2%}).")
        raise typer.Exit(OVER)


@app.command()
def replay(
    folder: Annotated[Path, typer.Argument(help="The folder of a finished audit.")],
    model: ModelOption,
    fail_under: Annotated[
        float | None, typer.Option(help="Exit with 1 if a smaller share of the pairs than this still holds.")
    ] = None,
    call_timeout: TimeoutOption = None,
    criterion: CriterionOption = None,
    allow_pickle: PickleOption = False,
    trust: TrustOption = "",
) -> None:
    """Ask a model again about every pair that an audit found."""
    from expga.api import replay as ask_again
    from expga.errors import InputError
    from expga.models.load import load_model
    from expga.results import Audit
    from expga.subjects.showing import varying

    if fail_under is not None and not 0 <= fail_under <= 1:
        raise InputError(f"--fail-under is a share from 0 to 1, not {fail_under:g}.")
    kept = Audit.load(folder)
    loaded = load_model(model, allow_pickle=allow_pickle, trust=names_of(trust))
    holds, total = ask_again(kept, loaded, call_timeout, criterion)
    share = holds / total if total else 1.0
    rounded = f" ({floor(share * 10_000) / 10_000:.2%})" if total else ""  # only what is all of them is 100%
    say(f"{holds:,} of {total:,} pairs still hold{rounded}.{varying(kept.summary)}")
    if fail_under is not None and share < fail_under:
        say(f"[bold red]Under the limit:[/] fewer than {fail_under:.2%} of the pairs still hold.")
        raise typer.Exit(OVER)


@app.command()
def demo(
    out: Annotated[Path | None, typer.Option(help="The folder for the results. [default: expga-demo, anew]")] = None,
    text: Annotated[bool, typer.Option("--text", help="Audit texts: film reviews, for gender.")] = False,
    budget: Annotated[str | None, typer.Option(help="Time for the audit. [default: 10s]")] = None,
    max_queries: Annotated[int | None, number("The most model queries; alone: no time limit.")] = None,
    seed: SeedOption = 0,
) -> None:
    """Train a forest on the Census data and audit it for sex; or a logistic regression on film reviews, for gender."""
    from expga.api import audit as run
    from expga.bench.demo import census, reviews
    from expga.cli.showing import show

    model, X, options = (reviews if text else census)(seed, say)
    with live("Measuring the population") as tell:
        folder = out or Path("expga-demo")
        options |= {"out": folder, "overwrite": out is None, "progress": Watch(tell)}
        options |= {"budget": budget or (DEMO_BUDGET if max_queries is None else None), "max_queries": max_queries}
        result = run(model, X, seed=seed, **options)
    show(result, folder)
