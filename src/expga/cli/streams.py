"""Standard streams that never decide what becomes of a run: whatever cannot be written is left out."""

from __future__ import annotations

import codecs
import errno
import io
import os
import select
import sys
import warnings
from typing import Any, TextIO

from expga.errors import FAILED, warned

PLAIN = "expga-plain"
"""The error handler for characters that an encoding does not have."""

_STAND_INS = {
    **dict.fromkeys("•∙", "*"),
    **dict.fromkeys("–—─━╌╍═‐‑−", "-"),
    **dict.fromkeys("│┃║", "|"),
    **dict.fromkeys("“”„«»", '"'),
    **dict.fromkeys("‘’‚", "'"),
    "…": "...",
    "→": "->",
    "←": "<-",
    "×": "x",
    "≤": "<=",
    "≥": ">=",
    "±": "+-",
    "ε": "epsilon",
    "\N{NO-BREAK SPACE}": " ",
}


def _stand_in(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(_plain, error.object[error.start : error.end])), error.end


def _plain(character: str) -> str:
    if "\N{BOX DRAWINGS LIGHT HORIZONTAL}" <= character <= "\N{BOX DRAWINGS HEAVY UP AND LIGHT DOWN}":
        return _STAND_INS.get(character, "+")
    return _STAND_INS.get(character) or character.encode("ascii", "backslashreplace").decode("ascii")


class Steady(io.FileIO):
    """A descriptor to write to, which remembers the first failure and from then on takes everything for written.

    A report is cut off where its reader went away or its disk is full, but the run goes on to its end.
    """

    failure: OSError | None = None

    def close(self) -> None:
        """Stays open: code of the user's may close the stream above it."""

    def write(self, data: Any) -> int:
        """Writes what it can, and waits where a descriptor does not."""
        while self.failure is None:
            try:
                written = super().write(data)
            except OSError as error:
                self.failure = error
                break
            if written is not None:
                return written
            select.select([], [self], [])
        return memoryview(data).nbytes


_NUMBERS = {"stdout": 1, "stderr": 2}
_OURS: dict[str, tuple[TextIO, Steady, str]] = {}
"""By name: the stream that was put in place, what is below it, and its encoding."""


def steady_streams() -> Steady:
    """Puts steady streams in place of the process's own, in whatever encoding those have.

    Returns:
        What is below standard output.
    """
    codecs.register_error(PLAIN, _stand_in)
    for descriptor in range(3):
        _occupy(descriptor)
    for name in _NUMBERS:
        _OURS[name] = _steady(getattr(sys, name), name)
    for name, (stream, _, _) in _OURS.items():
        setattr(sys, name, stream)
    warnings.showwarning = warned
    return _OURS["stdout"][1]


def put_back() -> None:
    """Puts our streams back where code of the user's has closed them, or something else in their place."""
    for name, (stream, below, encoding) in _OURS.items():
        _occupy(_NUMBERS[name])
        if getattr(sys, name) is stream and not _over(stream):
            continue
        again = _above(below, encoding, name) if _over(stream) else stream
        _OURS[name] = again, below, encoding
        setattr(sys, name, again)


def _over(stream: TextIO) -> bool:
    try:
        stream.flush()
    except ValueError:  # it was closed, or detached from what is below
        return True
    return False


def _occupy(descriptor: int) -> None:
    """Keeps a closed descriptor from being given to the next file that is opened, which prints would end up in."""
    try:
        os.fstat(descriptor)
    except OSError:
        os.open(os.devnull, os.O_RDWR)


def _steady(stream: TextIO | None, name: str) -> tuple[TextIO, Steady, str]:
    if stream is None:  # it was closed from the start, so what is open there now is not for us
        below, encoding = Steady(os.open(os.devnull, os.O_WRONLY), "wb"), "utf-8"
    else:
        stream.flush()
        # A descriptor of its own: code of the user's may close the one that everybody knows.
        below, encoding = Steady(os.dup(_NUMBERS[name]), "wb"), stream.encoding
    return _above(below, encoding, name), below, encoding


def _above(below: Steady, encoding: str, name: str) -> TextIO:
    lines = name == "stderr" or below.isatty()
    return io.TextIOWrapper(io.BufferedWriter(below), encoding=encoding, errors=PLAIN, line_buffering=lines)


def ended(below: Steady, code: int) -> int:
    """The exit code, once all is written: a verdict stays what it is, but a report that is cut off is no success.

    A reader that went away has what it wanted.
    """
    put_back()
    sys.stdout.flush()
    if below.failure is None or below.failure.errno == errno.EPIPE:
        return code
    print(f"expga: Standard output was cut off: {below.failure.strerror}.", file=sys.stderr)
    return code or FAILED
