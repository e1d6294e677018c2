"""How the command line speaks: results on standard output, complaints in one sentence, progress on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

import typer

if TYPE_CHECKING:
    from expga.engine import Snapshot

OVER, BAD_INPUT, INTERRUPTED = 1, 2, 130


def say(text: str) -> None:
    from rich.console import Console

    Console(highlight=False, soft_wrap=True).print(text)


@contextmanager
def bad_input() -> Iterator[None]:
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
def progress() -> Iterator[Callable[[Snapshot], None] | None]:
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
