"""How the command ends: whatever happens becomes one sentence and an exit code that can be relied upon."""

from __future__ import annotations

import os
import signal
import sqlite3
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any, NoReturn

import typer
from typer.core import TyperGroup

from expga.cli.streams import put_back
from expga.errors import BAD_INPUT, FAILED, ExpgaError, InputError, in_brief, reason_of, visible

OVER, INTERRUPTED = 1, 130
"""Exit codes: unfair beyond the gate, and interrupted before anything was measured."""

UsageError: type[Exception] = typer.BadParameter.__mro__[1]
"""Words that are no options; some versions of typer have a click of their own, where it is another class."""


class InterruptionError(ExpgaError):
    """Ctrl-C, with what became of the run."""

    exit_code = INTERRUPTED


class Commands(TyperGroup):
    """A group of commands that end in one sentence."""

    def main(self, args: Sequence[str] | None = None, *_: Any, **__: Any) -> NoReturn:
        """Runs what the words say, and exits."""
        code = 0
        try:
            with one_sentence():
                words = list(sys.argv[1:] if args is None else args)
                _check_encoding(words)
                with self.make_context("expga", words) as context:
                    self.invoke(context)
        except typer.Exit as ending:
            code = ending.exit_code
        sys.exit(code)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """As ever; no words at all show the help, but are no success, for nothing was done."""
        if not args:
            typer.echo(ctx.get_help())
            raise typer.Exit(BAD_INPUT)
        return super().parse_args(ctx, args)


def _check_encoding(words: list[str]) -> None:
    for word in words:
        try:
            word.encode()
        except UnicodeEncodeError as error:
            raise InputError(
                f"The argument {word!r} is not in the encoding {sys.getfilesystemencoding()}; "
                "rename the file or folder that it names."
            ) from error


@contextmanager
def one_sentence() -> Iterator[None]:
    """Turns every exception into a sentence on standard error and the exit code that it stands for."""
    try:
        yield
    except typer.Exit:
        raise
    except BaseException as error:
        if os.environ.get("EXPGA_TRACEBACK") == "1":
            _show_traceback(error)
        sentence, code = _told(error)
        complain("; ".join([sentence.rstrip("."), *getattr(error, "__notes__", ())]))
        raise typer.Exit(code) from None


def _told(error: BaseException) -> tuple[str, int]:
    """What an exception is to the user: a sentence, and an exit code."""
    if isinstance(error, ExpgaError):
        return str(error), error.exit_code
    if isinstance(error, UsageError):
        return _misused(error), BAD_INPUT
    if isinstance(error, KeyboardInterrupt):
        return "Interrupted", INTERRUPTED
    if isinstance(error, OSError | sqlite3.Error):
        return f"The system refused something, so the run could not go on: {reason_of(error)}", FAILED
    if isinstance(error, MemoryError):
        return "There is not enough memory to go on; give it less data, or a smaller budget", FAILED
    if isinstance(error, SystemExit):
        return f"Code that was called ended the program in the middle of the run: {reason_of(error)}", FAILED
    return f"This is a defect of expga: {reason_of(error)}; EXPGA_TRACEBACK=1 shows where, for a report", FAILED


def _misused(error: Any) -> str:
    """What typer says of words that are no options, and where the options are listed."""
    context = getattr(error, "ctx", None)
    asked = "expga" if context is None else context.command_path
    return f"{error.format_message().rstrip('.')}; see {asked} --help"


def complain(sentence: str) -> None:
    """One line on standard error."""
    put_back()
    line = in_brief(sentence)
    print(f"expga: {line}{'' if line.endswith(('.', '?', '!')) else '.'}", file=sys.stderr)


def _show_traceback(error: BaseException) -> None:
    for line in "".join(traceback.format_exception(error)).split("\n"):
        print(visible(line), file=sys.stderr)


def interrupt_on_sigterm() -> None:
    """Makes a request to terminate what Ctrl-C is, in this process and not in those that it starts."""
    owner = os.getpid()

    def interrupt(number: int, _: FrameType | None) -> None:
        if os.getpid() == owner:
            raise KeyboardInterrupt
        signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)

    if signal.getsignal(signal.SIGTERM) == signal.SIG_DFL:
        signal.signal(signal.SIGTERM, interrupt)


def interrupt_no_more() -> None:
    """For the moment between the verdict and the end."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
