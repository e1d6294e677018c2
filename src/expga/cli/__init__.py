"""The command line. Heavy libraries are imported by the commands that need them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from expga.cli.bench import bench
from expga.cli.lexicon import lexicon
from expga.cli.options import ModelOption, OverwriteOption, PickleOption, ResumeOption, TrustOption, names_of
from expga.cli.retrain import retrain
from expga.cli.talking import OVER, bad_input, progress, say

app = typer.Typer(
    help="Does this model treat two people differently who differ only in a protected attribute?",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

app.add_typer(lexicon, name="lexicon")
app.add_typer(bench, name="bench")
app.command()(retrain)


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
    threshold: Annotated[float | None, typer.Option(help="The score from which a row is positive.")] = None,
    min_gap: Annotated[float | None, typer.Option(help="Count score gaps of at least this, not flips.")] = None,
    schema: Annotated[Path | None, typer.Option(help="A TOML file on types, bounds, readings.")] = None,
    lexicon: Annotated[Path | None, typer.Option(help="A TOML file of words to add, or a graph (texts).")] = None,
    vectors: Annotated[Path | None, typer.Option(help="A GloVe file for substitutes (texts).")] = None,
    strategy: Annotated[
        str,
        typer.Option(
            help="expga, expga-published or random; tables: aequitas, sg, adf, exhaustive, ...; texts: mtnlp."
        ),
    ] = "expga",
    manner: Annotated[
        str | None, typer.Option(help="batched: many walks at once; faithful: one at a time, as published.")
    ] = None,
    explainer: Annotated[
        str, typer.Option(help="What seeds are chosen by: gap, lime, shap or none; auto: the strategy's own.")
    ] = "auto",
    epsilon: Annotated[str | None, typer.Option(help="The rank that lets a seed in (lime, shap), or auto.")] = None,
    realism: Annotated[str | None, typer.Option(help="data: near real rows; domain: within bounds only.")] = None,
    budget: Annotated[str | None, typer.Option(help="Time, such as 30s, 5m, 1h. [default: 30s]")] = None,
    max_queries: Annotated[int | None, typer.Option(help="The most model queries; alone: no time limit.")] = None,
    max_generations: Annotated[int | None, typer.Option(help="The most batches of the search.")] = None,
    max_findings: Annotated[int | None, typer.Option(help="The most findings.")] = None,
    seed: Annotated[int, typer.Option(help="Of all randomness.")] = 0,
    fail_over: Annotated[
        float | None, typer.Option(help="Exit with 1 if the flip rate is surely (95%) above this.")
    ] = None,
    resume: ResumeOption = False,
    overwrite: OverwriteOption = False,
    allow_pickle: PickleOption = False,
    trust: TrustOption = "",
) -> None:
    """Measure how often a model flips real rows, and search for more discriminatory samples."""
    with bad_input():
        from expga.api import audit as run
        from expga.cli.data import features_of, texts_of
        from expga.cli.showing import show
        from expga.errors import InputError
        from expga.models.load import load_model

        if fail_over is not None and not 0 <= fail_over < 1:
            raise InputError(f"--fail-over is a rate from 0 to 1, not {fail_over:g}.")
        features = features_of(data, target) if text_column is None else texts_of(data, text_column)
        loaded = load_model(model, allow_pickle=allow_pickle, trust=names_of(trust))
        with progress() as watch:
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
                explainer=None if explainer == "none" else explainer,  # type: ignore[arg-type]  # checked inside
                epsilon=int(epsilon) if epsilon and epsilon.isdecimal() else epsilon,  # type: ignore[arg-type]  # too
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
                overwrite=overwrite,
                inputs=[Path(name) for name in (model, data, schema, lexicon, vectors) if name is not None],
                progress=watch,
            )
    show(result, out)
    if fail_over is not None and result.population.ci95[0] > fail_over:
        low = result.population.ci95[0]
        say(f"[bold red]Over the limit:[/] the flip rate is above {fail_over:.2%} (at least {low:.2%}).")
        raise typer.Exit(OVER)


@app.command()
def replay(
    folder: Annotated[Path, typer.Argument(help="The folder of a finished audit.")],
    model: ModelOption,
    allow_pickle: PickleOption = False,
    trust: TrustOption = "",
) -> None:
    """Ask a model again about every pair that an audit found."""
    with bad_input():
        from expga.api import replay as ask_again
        from expga.models.load import load_model
        from expga.results import Audit

        kept = Audit.load(folder)
        holds, total = ask_again(kept, load_model(model, allow_pickle=allow_pickle, trust=names_of(trust)))
    say(f"{holds:,} of {total:,} pairs still hold.")


@app.command()
def demo(
    out: Annotated[Path | None, typer.Option(help="The folder for the results. [default: expga-demo, anew]")] = None,
    text: Annotated[bool, typer.Option("--text", help="Audit texts: film reviews, for gender.")] = False,
    budget: Annotated[str, typer.Option(help="Time for the audit.")] = "10s",
    seed: Annotated[int, typer.Option(help="Of all randomness.")] = 0,
) -> None:
    """Train a forest on the Census data and audit it for sex; or a logistic regression on film reviews, for gender."""
    with bad_input():
        from expga.api import audit as run
        from expga.bench.demo import census, reviews
        from expga.cli.showing import show

        model, X, options = (reviews if text else census)(seed, say)
        with progress() as watch:
            folder = out or Path("expga-demo")
            options |= {"out": folder, "overwrite": out is None, "progress": watch}
            result = run(model, X, budget=budget, seed=seed, **options)
    show(result, folder)
