"""`make bench`: the table of cells, the cost of explaining, and how cost grows. Writes JSON beside it."""

from __future__ import annotations

import argparse
import json
import multiprocessing
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from expga.bench import cells, explaining, scaling, texts
from expga.bench.models import MODELS
from expga.datasets.texts import text_names
from expga.findings import write_text

COLUMNS: tuple[tuple[str, str, str], ...] = (
    ("findings/s", "findings_per_second", ",.0f"),
    ("queries/finding", "queries_per_finding", ".1f"),
    ("in model", "model_share", ".0%"),
    ("plausible", "plausible_share", ".1%"),
    ("AUC", "realism_auc", ".2f"),
    ("clones", "clone_share", ".0%"),
    ("anchors", "anchors", ",d"),
    ("top anchor", "largest_anchor_share", ".2%"),
    ("MB", "peak_mb", ",.0f"),
)
TEXT_COLUMNS: tuple[tuple[str, str, str], ...] = (
    ("TSN", "tested", ",d"),
    ("DSN", "counted", ",d"),
    ("DSS, s", "seconds_per_finding", ".4f"),
    ("published", "published_dss", ".2f"),
    ("times faster", "times_faster", ",.0f"),
    ("SUR", "success_rate", ".1%"),
    ("published", "published_sur", ".1%"),
    ("queries/finding", "queries_per_finding", ".1f"),
    ("in model", "model_share", ".0%"),
    ("texts", "anchors", ",d"),
    ("top text", "largest_anchor_share", ".1%"),
    ("words changed", "share_changed", ".1%"),
)
STEPS = (2_500_000, 10_000_000)


def main() -> None:
    """Runs what was asked for and writes each result as it comes."""
    parser = argparse.ArgumentParser(prog="python -m expga.bench", description=__doc__)
    parser.add_argument("parts", nargs="*", default=["cells", "explaining", "scaling"])
    parser.add_argument("--seconds", type=float, default=30.0, help="for each run of a cell")
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--data", default="census,credit,bank,sst,imdb,movie-reviews")
    parser.add_argument("--text-models", default="lr,cnn")
    parser.add_argument("--text-strategies", default="expga,random")
    parser.add_argument("--out", type=Path, default=Path("bench-results"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    console = Console(width=160)
    if "cells" in options.parts:
        _cells(options, console)
    if "texts" in options.parts:
        _texts(options, console)
    if "explaining" in options.parts:
        _keep(options.out / "explaining.json", told := _apart(explaining.run), console)
        console.print(f"LIME: {told['times_faster']:.0f} times the package's speed")
    if "scaling" in options.parts:
        small, large = (_apart(scaling.growth, tested) for tested in STEPS)
        growth = large["cpu_s"] / small["cpu_s"] / (large["tested"] / small["tested"])
        light = [_apart(scaling.memory, tested) for tested in STEPS]
        _keep(options.out / "scaling.json", {"runs": [small, large], "growth": growth, "memory": light}, console)


def _apart(work: Callable[..., Any], *arguments: Any) -> Any:
    """Runs something in a process of its own, so that memory and caches are its own too."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(work, *arguments).result()


def _keep(path: Path, told: dict[str, Any], console: Console) -> None:
    write_text(path, json.dumps(told, indent=2) + "\n")
    console.print_json(json.dumps(told))


def _cells(options: argparse.Namespace, console: Console) -> None:
    rows: list[dict[str, Any]] = []
    for data, attribute in cells.PAIRS:
        for model in options.models.split(","):
            if data not in options.data.split(","):
                continue
            ours = cells.Cell(data, attribute, model, "expga", options.seconds)
            for cell in (ours, replace(ours, strategy="random")):
                rows.append({**asdict(cell), **_apart(cells.run, cell)})
                write_text(options.out / "cells.json", json.dumps(rows, indent=2) + "\n")
                console.print(f"{data} {attribute} {model} {cell.strategy}: {rows[-1]['findings_per_second']:,.0f}/s")
    console.print(_table(rows, COLUMNS))
    asked = [row["queries_per_finding"] for row in rows if row["strategy"] == "expga"]
    if all(asked):
        mean = float(np.exp(np.mean(np.log(asked))))
        console.print(f"queries a finding, geometric mean over {len(asked)} cells: {mean:.2f} (the floor is 2)")


def _texts(options: argparse.Namespace, console: Console) -> None:
    rows: list[dict[str, Any]] = []
    for data in options.data.split(","):
        if data not in text_names():
            continue
        if not texts.available(data):
            console.print(f"{data} is left out: its files are not in {texts.LOCAL}.")
            continue
        for model, attribute, strategy in product(
            options.text_models.split(","), ("gender", "country"), options.text_strategies.split(",")
        ):
            cell = texts.TextCell(data, attribute, model, strategy, options.seconds)
            told = _apart(texts.run, cell)
            seconds, rate = texts.PUBLISHED.get((data, attribute, model), (None, None))
            faster = seconds and told["seconds_per_finding"] and seconds / told["seconds_per_finding"]
            rows.append(
                {**asdict(cell), **told, "published_dss": seconds, "published_sur": rate, "times_faster": faster}
            )
            write_text(options.out / "texts.json", json.dumps(rows, indent=2) + "\n")
            console.print(
                f"{data} {attribute} {model} {strategy}: {told['counted']:,} findings in {told['wall_s']:.0f} s"
            )
    console.print(_table(rows, TEXT_COLUMNS))


def _table(rows: list[dict[str, Any]], columns: tuple[tuple[str, str, str], ...]) -> Table:
    table = Table("data", "attribute", "model", "strategy", *(name for name, _, _ in columns))
    for row in rows:
        figures = ["–" if row[key] is None else format(row[key], style) for _, key, style in columns]
        table.add_row(row["data"], row["attribute"], row["model"], row["strategy"], *figures)
    return table


if __name__ == "__main__":
    main()
