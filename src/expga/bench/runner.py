"""Runs a plan, a process for each cell, one after the other; only the one that started them writes."""

from __future__ import annotations

import io
import multiprocessing
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

from expga.bench.apart import serve_parent, unheard
from expga.bench.plan import Cell
from expga.bench.session import Session, Train
from expga.bench.workplace import Workplace
from expga.errors import ExpgaError, one_line, reason_of
from expga.plain import as_json

LOOK_S = 0.2
"""How long the wait for a running cell may be until the bar moves on."""

Tell = Callable[[str], None]


def run(place: Workplace, texts: Path, say: Tell = print) -> None:
    """Runs what is not done yet, and keeps each run as it comes.

    Args:
        place: the plan and its store; all runs of a cell happen in one process of its own, so that nothing else is
            timed with it.
        texts: where the texts lie that do not come with the project.
        say: called with a sentence for each cell.
    """
    for note in place.notes:
        say(note)
    models: dict[str, bytes] = {}
    with _progress(place) as show:
        for number, cell in enumerate(place.cells):
            if not place.missing(cell):
                continue
            if not cell.material.available(cell.data, texts):
                place.lose(cell, "absent", f"the {cell.material.name} of {cell.data} are not there")
                say(f"{cell.name}: absent")
                continue
            wanted = tuple(_model_name(later, "") for later in place.cells[number:])
            models = {name: model for name, model in models.items() if name.startswith(wanted)}
            Host(cell, place, models, show).run(texts)
            say(f"{cell.name}: {_outcome(place, cell)}")


class Host:
    """Starts the process of a cell, and answers what it asks; while it answers, that process waits.

    So nothing is measured while something is written, and a run is known to be kept before the next one begins.
    """

    def __init__(self, cell: Cell, place: Workplace, models: dict[str, bytes], show: Callable[[Cell], None]) -> None:
        """A host; see `run`.

        Args:
            cell: whose runs are missing.
            place: where they are kept.
            models: those that were trained, as bytes by name; new ones are added.
            show: called every now and then.
        """
        self._cell = cell
        self._place = place
        self._models = models
        self._show = show
        self._over = False

    def run(self, texts: Path) -> None:
        """Has all missing runs done; a process that ends before that is a failed cell."""
        context = multiprocessing.get_context("spawn")
        line, theirs = context.Pipe()
        process = context.Process(target=work, args=(self._cell.as_dict(), texts, theirs))
        with line, theirs:
            try:
                with unheard():
                    process.start()
                theirs.close()
                while self._goes_on(line, process.is_alive):
                    self._show(self._cell)
            except BaseException:
                if process.pid is not None:
                    process.terminate()
                    process.join()
                raise
            process.join()
        if not self._over:
            self._place.lose(self._cell, "failed", f"its process ended with the code {process.exitcode}")

    def _goes_on(self, line: Connection, alive: Callable[[], bool]) -> bool:
        """Answers a question, if there is one, and says whether there may be more."""
        if not line.poll(LOOK_S):
            return alive()
        try:
            question = line.recv()
        except (EOFError, OSError):  # it ended, perhaps in the middle of a question
            return False
        answer = self._answer(question)
        try:
            line.send(answer)
        except OSError:  # it ended in the meantime
            return False
        return True

    def _answer(self, question: tuple[Any, ...]) -> Any:
        """Does what is asked; None where there is nothing to say, no model or no run."""
        match question:
            case ("next",):
                missing = self._place.missing(self._cell)
                self._over = not missing
                return missing[0] if missing else None
            case ("ran", repeat, told, positions):
                self._place.keep(self._cell, repeat, told, positions)
            case ("failed", reason):
                self._place.lose(self._cell, "failed", reason)
                self._over = True
            case ("model", name):
                return self._models.get(name)
            case ("trained", name, model):
                self._models[name] = model
        return None


class Guest:
    """The other end: what the process of a cell asks its host."""

    def __init__(self, cell: Cell, line: Connection) -> None:
        self._cell = cell
        self._line = line

    def ask(self, what: str, *content: Any) -> Any:
        """What the host answers; where there is no host any more, nobody waits for anything."""
        try:
            self._line.send((what, *content))
            return self._line.recv()
        except (EOFError, OSError):
            os._exit(1)

    def model(self, name: str, train: Train) -> Any:
        """The model that an earlier cell of this bench trained, else a new one, which the host then has too."""
        import joblib

        name = _model_name(self._cell, name)
        known = self.ask("model", name)
        if known is not None:
            return joblib.load(io.BytesIO(known))
        made, content = train(), io.BytesIO()
        joblib.dump(made, content, compress=1)
        self.ask("trained", name, content.getvalue())
        return made


def _model_name(cell: Cell, name: str) -> str:
    return f"{cell.data}--{cell.model}--{name}"


def work(told: dict[str, Any], texts: Path, line: Connection) -> None:
    """Does the runs of a cell that are missing; called in a process of its own."""
    serve_parent()
    cell = Cell.of(told)
    guest = Guest(cell, line)
    try:
        session = _sessions(cell)(cell, guest.model, texts)
        while (repeat := guest.ask("next")) is not None:
            result, positions = session.run(repeat)
            record = {"cell": cell.name, "repeat": repeat, "seed": cell.seed + repeat, **result}
            shown = {} if positions is None else _positions(cell, positions, session.real())
            guest.ask("ran", repeat, as_json(record), shown)
    except (Exception, SystemExit) as error:  # whatever it is: reported, never dropped
        guest.ask("failed", one_line(error) if isinstance(error, ExpgaError) else reason_of(error))


def _sessions(cell: Cell) -> type[Session]:
    """The class that does the runs of such cells, and says what they came to."""
    if cell.experiment == "retrain":
        from expga.bench.retrain.session import RepairSession

        return RepairSession
    return cell.material.session()


def _positions(cell: Cell, found: Any, real: Any) -> dict[str, Any]:
    """The positions of some findings and real rows, for the picture."""
    named = {cell.name: found, f"real--{cell.data}--{cell.attribute}": real}
    return {name: np.asarray(values, dtype=np.float32) for name, values in named.items()}


def _outcome(place: Workplace, cell: Cell) -> str:
    reason = place.reason(cell, "failed")
    if reason is not None:
        return f"failed: {reason}"
    return _sessions(cell).outcome([told["figures"] for told in place.runs(cell)])


@contextmanager
def _progress(place: Workplace) -> Iterator[Callable[[Cell], None]]:
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
        task = bars.add_task("bench", total=sum(cell.repeats for cell in place.cells), completed=place.done)
        shown = time.monotonic()

        def show(cell: Cell) -> None:
            nonlocal shown
            if time.monotonic() - shown >= 1:
                shown = time.monotonic()
                what = f"{cell.data} {cell.attribute} {cell.model} {cell.method}"
                bars.update(task, completed=place.done, description=f"{cell.experiment}: {what}")

        yield show
