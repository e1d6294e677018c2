"""The commands that compare methods."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated

import typer

from expga.cli.ending import Commands, InterruptionError
from expga.cli.options import OverwriteOption, ResumeOption, RunsSeedOption, names_of, number, numbers_of, share_of
from expga.cli.talking import literal, live, report, say

if TYPE_CHECKING:
    from expga.bench.plan import Cell, Choice
    from expga.bench.workplace import Workplace

bench = typer.Typer(help="Compare methods: tables, pictures, statistics; and what the library costs.", cls=Commands)

DataOption = Annotated[str | None, typer.Option(help="Data sets, separated by commas. [default: all]")]
AttributeOption = Annotated[
    str | None, typer.Option("--attribute", help="Protected attributes, separated by commas. [default: all]")
]
ModelsOption = Annotated[str | None, typer.Option(help="Models, separated by commas. [default: all]")]
StrategiesOption = Annotated[str | None, typer.Option(help="Strategies, separated by commas. [default: all]")]
BudgetOption = Annotated[str | None, typer.Option(help="Time of a run, such as 5s or 1h. [default: 5s; texts: 15s]")]
QueriesOption = Annotated[int | None, number("Queries of a run; alone: no time limit.")]
BUDGETS_HELP = "Queries of a run, several numbers separated by commas. [default: 1000,5000,20000,100000]"
RepeatsOption = Annotated[int | None, number("Runs of a cell. [default: 5; texts: 1]")]
OutOption = Annotated[
    Path | None, typer.Option(help="The folder for all that comes out. [default: bench-results/ and the command]")
]
FolderOption = Annotated[Path | None, typer.Option(help="Where sst.tsv.gz and imdb50k.tsv.gz lie.")]


@bench.command()
def tabular(
    data: DataOption = None,
    attribute: AttributeOption = None,
    models: ModelsOption = None,
    strategies: StrategiesOption = None,
    budget: BudgetOption = None,
    max_queries: QueriesOption = None,
    repeats: RepeatsOption = None,
    seed: RunsSeedOption = 0,
    out: OutOption = None,
    resume: ResumeOption = False,
    overwrite: OverwriteOption = False,
) -> None:
    """The paper's tables 3 to 5 in the literature's manner, and the same cells near real rows."""
    from expga.bench import page
    from expga.bench.plan import tabular_plan

    choice = _choice(data, attribute, models, strategies, budget, max_queries, repeats, seed)
    _run(page, tabular_plan(choice), out or Path("bench-results/tabular"), None, resume, overwrite)


@bench.command()
def queries(
    data: DataOption = None,
    attribute: AttributeOption = None,
    models: ModelsOption = None,
    strategies: StrategiesOption = None,
    max_queries: Annotated[str | None, typer.Option(help=BUDGETS_HELP)] = None,
    repeats: Annotated[int | None, number("Runs of a cell. [default: 3]")] = None,
    seed: RunsSeedOption = 0,
    out: OutOption = None,
    resume: ResumeOption = False,
    overwrite: OverwriteOption = False,
) -> None:
    """What each strategy finds near real rows within 1,000 to 100,000 queries: findings, their price, how typical."""
    from expga.bench.plan import BUDGETS, queries_plan
    from expga.bench.queries import page

    choice = _choice(data, attribute, models, strategies, None, None, repeats, seed)
    budgets = BUDGETS if max_queries is None else numbers_of("--max-queries", max_queries)
    _run(page, queries_plan(choice, budgets), out or Path("bench-results/queries"), None, resume, overwrite)


@bench.command()
def text(
    data: DataOption = None,
    attribute: AttributeOption = None,
    models: ModelsOption = None,
    strategies: StrategiesOption = None,
    budget: BudgetOption = None,
    max_queries: QueriesOption = None,
    repeats: RepeatsOption = None,
    seed: RunsSeedOption = 0,
    folder: FolderOption = None,
    out: OutOption = None,
    resume: ResumeOption = False,
    overwrite: OverwriteOption = False,
) -> None:
    """The paper's tables 6 to 8, and film reviews that anyone can install."""
    from expga.bench import page
    from expga.bench.material import LOCAL, check_available
    from expga.bench.plan import text_plan

    choice = _choice(data, attribute, models, strategies, budget, max_queries, repeats, seed)
    cells = text_plan(choice)
    check_available(choice.data or (), folder or LOCAL)
    _run(page, cells, out or Path("bench-results/text"), folder, resume, overwrite)


@bench.command()
def ablation(
    data: DataOption = None,
    attribute: AttributeOption = None,
    models: Annotated[str | None, typer.Option(help="Models, separated by commas. [default: mlp,forest]")] = None,
    budget: Annotated[
        str | None, typer.Option(help="Time of a run, such as 5s or 1h. [default: 5s for the published recipe]")
    ] = None,
    max_queries: Annotated[
        int | None, number("Queries of a run; alone: no time limit. [default: 20000 for ours]")
    ] = None,
    repeats: RepeatsOption = None,
    seed: RunsSeedOption = 0,
    out: OutOption = None,
    resume: ResumeOption = False,
    overwrite: OverwriteOption = False,
) -> None:
    """ExpGA with and without its parts: explainer, seeds, breeding, fitness, realism, judge, ranking."""
    from expga.bench import page
    from expga.bench.plan import ablation_plan

    choice = _choice(data, attribute, models, None, budget, max_queries, repeats, seed)
    _run(page, ablation_plan(choice), out or Path("bench-results/ablation"), None, resume, overwrite)


@bench.command()
def paper(
    budget: BudgetOption = None,
    max_queries: QueriesOption = None,
    repeats: RepeatsOption = None,
    seed: RunsSeedOption = 0,
    folder: FolderOption = None,
    out: OutOption = None,
    resume: ResumeOption = False,
    overwrite: OverwriteOption = False,
) -> None:
    """All of the paper's tables, 3 to 8, on one page; `--repeats 30 --budget 1h` is its own protocol."""
    from expga.bench import page
    from expga.bench.material import TEXTS
    from expga.bench.plan import tabular_plan, text_plan

    choice = _choice(None, None, None, None, budget, max_queries, repeats, seed)
    texts = [cell for cell in text_plan(choice) if (cell.data, cell.attribute) in TEXTS.repaired]
    cells = tabular_plan(choice, ["reproduction"]) + texts
    _run(page, cells, out or Path("bench-results/paper"), folder, resume, overwrite)


@bench.command()
def retrain(
    data: DataOption = None,
    attribute: AttributeOption = None,
    models: ModelsOption = None,
    repairs: Annotated[
        str, typer.Option(help="Ways to repair, separated by commas; also reweigh and reduction.")
    ] = "findings,twins,both,average,drop",
    share: Annotated[
        str | None,
        typer.Option(help="Found pairs to add, as a share of the rows, or auto. [default: what each repair has]"),
    ] = None,
    rounds: Annotated[int, number("Rounds of audit and repair, of the repair both.")] = 1,
    max_queries: Annotated[int, number("Queries of each fresh search.")] = 20_000,
    repeats: Annotated[int | None, number("Runs of a cell. [default: 3]")] = None,
    seed: RunsSeedOption = 0,
    folder: FolderOption = None,
    out: OutOption = None,
    resume: ResumeOption = False,
    overwrite: OverwriteOption = False,
) -> None:
    """The paper's table 9: models repaired with what was found, and every other repair beside it."""
    from expga.bench.material import LOCAL, check_available
    from expga.bench.plan import retrain_plan
    from expga.bench.retrain import page

    choice = _choice(data, attribute, models, None, None, None, repeats, seed)
    cells = retrain_plan(choice, names_of(repairs), share_of(share), rounds, max_queries)
    check_available(choice.data or (), folder or LOCAL)
    _run(page, cells, out or Path("bench-results/retrain"), folder, resume, overwrite)


@bench.command()
def cost(
    parts: Annotated[
        list[str] | None, typer.Argument(help="explaining, scaling, keeping, large. [default: all]")
    ] = None,
    out: Annotated[Path, typer.Option(help="The folder for costs.json.")] = Path("bench-results/cost"),
    overwrite: OverwriteOption = False,
) -> None:
    """What the library costs: LIME beside the package lime, long searches, keeping findings, large tables."""
    from rich.table import Table

    from expga.bench.costs.measure import COSTS, measure

    with live("Measuring") as tell:
        told = measure(parts or [], out, overwrite=overwrite, tell=tell or (lambda _: None))
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    for part, figures in told.items():
        for place, (name, figure) in enumerate(figures):
            table.add_row("" if place else f"[bold]{part}[/]", name, figure)
    report(100).print(table)
    say(f"All figures are in {literal(out / COSTS)}.")


def _choice(
    data: str | None,
    attribute: str | None,
    models: str | None,
    strategies: str | None,
    budget: str | None,
    max_queries: int | None,
    repeats: int | None,
    seed: int,
) -> Choice:
    from expga.bench.plan import Choice
    from expga.budget import Budget, seconds_of
    from expga.errors import InputError

    if repeats is not None and repeats < 1:
        raise InputError(f"A cell needs at least one run, not {repeats}; give --repeats 1 or more.")
    if seed < 0:
        raise InputError(f"The seed must be 0 or more, not {seed}.")
    seconds = None if budget is None else seconds_of(budget)
    Budget(seconds, max_queries)
    what = _names(data), _names(attribute), _names(models), _names(strategies)
    return Choice(*what, seconds, max_queries, repeats, seed)


def _names(text: str | None) -> list[str] | None:
    return None if text is None else names_of(text)


def _run(page: ModuleType, cells: list[Cell], out: Path, folder: Path | None, resume: bool, overwrite: bool) -> None:
    """Runs cells and publishes what they came to, by the module that writes such pages."""
    from expga.bench.material import LOCAL
    from expga.bench.outcome import PAGE
    from expga.bench.plan import check_packages
    from expga.bench.runner import run
    from expga.bench.workplace import Workplace
    from expga.errors import StoreError
    from expga.importing import require

    texts = folder or LOCAL
    require("matplotlib")
    check_packages(cell for cell in cells if cell.material.available(cell.data, texts))
    with Workplace(out, cells, page.names(cells), resume=resume, overwrite=overwrite) as place:
        try:
            run(place, texts, lambda sentence: say(literal(sentence)))
            results = page.present(place)
        except KeyboardInterrupt:
            raise InterruptionError(_interrupted(place)) from None
        except (OSError, StoreError) as error:
            if place.done:
                error.add_note(_kept(place))
            raise
    lost = len(results["failed"])
    see = literal(out / PAGE)
    say(f"{len(results['runs'])} runs; {lost} cells failed, {len(results['absent'])} absent. See {see}.")


def _interrupted(place: Workplace) -> str:
    return f"Interrupted; {_kept(place)}." if place.done else "Interrupted before anything was measured."


def _kept(place: Workplace) -> str:
    if not place.folder.is_dir():
        return f"nothing is kept, for the folder {place.folder} is not there any more"
    of = sum(cell.repeats for cell in place.cells)
    return f"{place.done} of {of} runs are kept in {place.folder}, and --resume goes on from there"
