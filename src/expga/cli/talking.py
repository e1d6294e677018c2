"""How the command line speaks: results on standard output, progress on a terminal, the user's words literally."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from expga.cli.ending import InterruptionError
from expga.cli.streams import put_back
from expga.errors import BAD_INPUT, ExpgaError, visible

if TYPE_CHECKING:
    from rich.console import Console

    from expga.plan import Snapshot


def say(text: str) -> None:
    from rich.console import Console

    put_back()
    Console(highlight=False, soft_wrap=True).print(text)


def report(columns: int) -> Console:
    """Standard output, for a report that needs so many columns.

    A narrower terminal breaks its lines, where rich would leave out whatever does not fit.
    """
    from rich.console import Console

    put_back()
    console = Console(highlight=False)
    console.width = max(console.width, columns)
    return console


def literal(text: object) -> str:
    """Something of the user's, to be printed as it is: neither rich nor the terminal obeys any of it."""
    from rich.markup import escape

    return escape(visible(text))


@contextmanager
def live(first: str) -> Iterator[Callable[[str], None] | None]:
    """A live line on a terminal, to be told what it says; nothing elsewhere."""
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    dots = (console.encoding or "").lower().startswith("utf")
    with console.status(f"{first} …", spinner="dots" if dots else "line") as status:
        yield lambda text: status.update(text)


DOING = {"learn": "Learning how close real rows lie", "explain": "Explaining"}
"""What a live line says while there is no search."""


class Watch:
    """Sees a run go on, and tells a live line, if there is one."""

    def __init__(self, tell: Callable[[str], None] | None) -> None:
        self._tell = tell
        self.measured = False
        """Whether the population was, so that there is something to keep."""
        self.kept = 0
        """Findings that are in the store."""

    def __call__(self, now: Snapshot) -> None:
        self.measured, self.kept = now.phase == "search", now.kept
        if self._tell is None:
            return
        if not self.measured:
            doing = DOING.get(now.phase, "Measuring the population")
            self._tell(f"{doing}: {now.found:,} findings, {now.queries:,} queries, {now.elapsed:.0f} s")
            return
        rate = now.found / max(now.elapsed, 1e-9)
        self._tell(
            f"Searching: [bold]{now.found:,}[/] findings, {now.queries:,} queries, "
            f"{rate:,.0f} findings a second, {now.elapsed:.0f} s"
        )


@contextmanager
def running(out: Path) -> Iterator[Watch]:
    """An audit that goes on; whatever ends it before its time, the sentence says what is kept, and where."""
    with live("Measuring the population") as tell:
        watch = Watch(tell)
        try:
            yield watch
        except KeyboardInterrupt:
            if not watch.measured:
                raise InterruptionError("Interrupted before anything was measured.") from None
            raise InterruptionError(f"Interrupted before all results were written; {_kept(out, watch)}.") from None
        except Exception as error:
            wrong = isinstance(error, ExpgaError) and error.exit_code == BAD_INPUT
            if not wrong and (watch.measured or getattr(error, "audit", None) is not None):
                error.add_note(_kept(out, watch))
            raise


def _kept(out: Path, watch: Watch) -> str:
    if not os.path.isdir(out):
        return f"nothing is kept, for the folder {out} is not there any more"
    return f"what was found until then, {watch.kept:,} findings, is kept in {out}, and --resume goes on from there"
