"""Runs a plan, a process for each cell, one after the other; what is done is kept, whatever happens next."""

from __future__ import annotations

import json
import multiprocessing
import os
import platform
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import expga
from expga.bench.plan import Cell
from expga.errors import ExpgaError, InputError
from expga.files import write_table, write_text

LOOK_S = 0.2
"""How often the files of a running cell are counted."""

Tell = Callable[[str], None]


def run(cells: list[Cell], out: Path, texts: Path, *, resume: bool = False, say: Tell = print) -> None:
    """Runs what is not done yet, and leaves a file for each run under `out`.

    Args:
        cells: the plan; all runs of a cell happen in one process of its own, so that nothing else is timed with it.
        out: a folder that is empty, or holds a part of the same plan.
        texts: where the texts lie that do not come with the project.
        resume: go on with what is in `out`.
        say: called with a sentence for each cell.
    """
    _prepare(cells, out, resume)
    with _progress(cells, out) as show:
        for cell in cells:
            missing = [repeat for repeat in range(cell.repeats) if not run_path(out, cell, repeat).exists()]
            if not missing:
                continue
            if cell.texts and not _there(cell.data, texts):
                _leave(out, cell, "absent", f"the texts of {cell.data} are not there")
                say(f"{cell.name}: absent")
                continue
            for kind in ("failed", "absent"):
                (out / kind / f"{cell.name}.json").unlink(missing_ok=True)
            _in_its_own_process(cell, out, texts, missing, show)
            say(f"{cell.name}: {_outcome(out, cell)}")


def run_path(out: Path, cell: Cell, repeat: int) -> Path:
    return out / "runs" / f"{cell.name}--{repeat}.json"


def facts() -> dict[str, str]:
    """What results depend on besides the plan."""
    from importlib.metadata import version

    libraries = ("numpy", "pandas", "scikit-learn", "scipy", "shap")
    return {
        "expga": expga.__version__,
        "python": platform.python_version(),
        **{name: version(name) for name in libraries},
    }


def _prepare(cells: list[Cell], out: Path, resume: bool) -> None:
    """Writes the plan, or makes sure that it is the one that was begun."""
    path = out / "plan.json"
    ours = json.loads(json.dumps({"facts": facts(), "cells": [cell.as_dict() for cell in cells]}))
    if not path.exists():
        if out.exists() and (not out.is_dir() or any(path.name != "models" for path in out.iterdir())):
            raise InputError(f"{out} holds something else than a bench; choose another folder, or an empty one.")
        try:
            (out / "runs").mkdir(parents=True)
            write_text(path, json.dumps(ours, indent=1))
        except OSError as error:
            raise InputError(f"The folder {out} cannot be written to: {error.strerror or error}.") from error
        return
    if not resume:
        raise InputError(f"{out} holds a bench already; add --resume to go on with it, or choose another folder.")
    try:
        theirs = json.loads(path.read_text(encoding="utf-8"))
        begun = {cell["name"]: cell for cell in theirs["cells"]}
        versions = dict(theirs["facts"])
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"The file {path} is damaged; choose another folder.") from error
    if difference := _difference(begun, versions, ours):
        raise InputError(f"The bench in {out} was begun with {difference}; resume it with the same.")


def _difference(begun: dict[str, Any], versions: dict[str, str], ours: dict[str, Any]) -> str | None:
    for name, version in ours["facts"].items():
        if versions.get(name) != version:
            return f"{name} {versions.get(name)}, not {version}"
    wanted = {cell["name"]: cell for cell in ours["cells"]}
    for name in [*begun, *wanted]:
        if name not in wanted:
            return f"the cell {name}, which is not in this plan"
        if name not in begun:
            return f"no cell {name}"
        for field, value in wanted[name].items():
            if begun[name].get(field) != value:
                return f"{field} {begun[name].get(field)}, not {value}"
    return None


def _in_its_own_process(cell: Cell, out: Path, texts: Path, missing: list[int], show: Callable[[Cell], None]) -> None:
    context = multiprocessing.get_context("spawn")
    process = context.Process(target=work, args=(cell.as_dict(), out, texts, missing))
    process.start()
    try:
        while process.is_alive():
            process.join(LOOK_S)
            show(cell)
    except BaseException:
        process.terminate()
        process.join()
        raise
    if process.exitcode and not (out / "failed" / f"{cell.name}.json").exists():
        _leave(out, cell, "failed", f"its process ended with the code {process.exitcode}")


def work(told: dict[str, Any], out: Path, texts: Path, missing: list[int]) -> None:
    """Does the runs of a cell that are missing; called in a process of its own."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears it, and ends this process
    threading.Thread(target=_end_with_parent, daemon=True).start()
    cell = Cell.of(told)
    try:
        session = _sessions(cell)(cell, out, texts)
        for repeat in missing:
            result, positions = session.run(repeat)
            if positions is not None:
                _keep_positions(out, cell, positions, session.real())
            record = {"cell": cell.name, "repeat": repeat, "seed": cell.seed + repeat, **result}
            write_text(run_path(out, cell, repeat), json.dumps(record, default=_plain) + "\n")
    except Exception as error:  # whatever it is: reported, never dropped
        reason = str(error) if isinstance(error, ExpgaError) else f"{type(error).__name__}: {error}"
        _leave(out, cell, "failed", " ".join(reason.split())[:500])


def _sessions(cell: Cell) -> Any:
    """The class that does the runs of such cells, and says what they came to."""
    if cell.kind == "retrain":
        from expga.bench.retrain.session import RepairSession

        return RepairSession
    if cell.kind == "text":
        from expga.bench.texts import TextSession

        return TextSession
    from expga.bench.cells import TableSession

    return TableSession


def _end_with_parent() -> None:
    """A bench that is killed leaves no run behind that goes on without it."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _keep_positions(out: Path, cell: Cell, found: Any, real: Any) -> None:
    """The positions of some findings and real rows, for the picture."""
    import pyarrow as pa

    folder = out / "positions"
    folder.mkdir(exist_ok=True)
    for name, values in ((cell.name, found), (f"real--{cell.data}--{cell.attribute}", real)):
        columns = {str(gene): np.asarray(values[:, gene], dtype=np.float32) for gene in range(values.shape[1])}
        write_table(pa.table(columns), folder / f"{name}.parquet")


def _leave(out: Path, cell: Cell, kind: str, reason: str) -> None:
    (out / kind).mkdir(exist_ok=True)
    write_text(out / kind / f"{cell.name}.json", json.dumps({"cell": cell.name, "reason": reason}) + "\n")


def _there(data: str, texts: Path) -> bool:
    from expga.bench.texts import available

    return available(data, texts)


def _outcome(out: Path, cell: Cell) -> str:
    failed = out / "failed" / f"{cell.name}.json"
    if failed.exists():
        return "failed: " + str(json.loads(failed.read_text(encoding="utf-8"))["reason"])
    figures = [
        json.loads(run_path(out, cell, repeat).read_text(encoding="utf-8"))["figures"] for repeat in range(cell.repeats)
    ]
    return str(_sessions(cell).outcome(figures))


@contextmanager
def _progress(cells: list[Cell], out: Path) -> Iterator[Callable[[Cell], None]]:
    """A bar on a terminal: how many runs are done, which cell is running, how long it may take yet."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda _: None
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, speed_estimate_period=600) as bars:
        task = bars.add_task("bench", total=sum(cell.repeats for cell in cells), completed=_done(out))
        counted = time.monotonic()

        def show(cell: Cell) -> None:
            nonlocal counted
            if time.monotonic() - counted >= 1:
                counted = time.monotonic()
                what = f"{cell.data} {cell.attribute} {cell.model} {cell.method}"
                bars.update(task, completed=_done(out), description=f"{cell.kind}: {what}")

        yield show


def _done(out: Path) -> int:
    return sum(1 for _ in (out / "runs").glob("*.json"))


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} is not JSON")
