"""The exceptions that users meet: one sentence each, saying what is wrong, where, and what to do."""

from __future__ import annotations

import re
import sys
from typing import Any

BAD_INPUT, FAILED = 2, 3
"""Exit codes of the command: something to mend in what was given, and something that failed on the way."""

LONGEST_REASON = 300
LONGEST_WORD, LONGEST_SENTENCE = 1_000, 3_000

_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f"  # control characters, which a terminal obeys
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # those that turn the direction of a line
    "\u2028\u2029"  # those that break it
    "\ud800-\udfff]"  # halves of characters: bytes of a file name that are no UTF-8
)


def visible(text: object) -> str:
    r"""A text with everything that a terminal would obey, and not show, written out: an escape as \x1b."""

    def written_out(match: re.Match[str]) -> str:
        code = ord(match.group())
        return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"

    return _UNSEEN.sub(written_out, str(text))


def one_line(text: object) -> str:
    """A text as one visible line, all whitespace as single spaces."""
    return visible(" ".join(str(text).split()))


def in_brief(text: object) -> str:
    """A sentence in one visible line, without the middle of endless names, nor of an endless sentence."""
    words = [_without_middle(word, LONGEST_WORD) for word in one_line(text).split(" ")]
    return _without_middle(" ".join(words), LONGEST_SENTENCE)


def _without_middle(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most // 2]}…{text[1 - most // 2 :]}"


def reason_of(error: BaseException) -> str:
    """The type of an exception and the start of what it says, in one line."""
    try:
        told = one_line(error)[:LONGEST_REASON]
    except Exception:  # an exception of anybody's may fail at saying what it is
        told = ""
    return f"{type(error).__name__}: {told}" if told else type(error).__name__


def warned(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
    """Shows a library's warning, or a model's, in one visible line: it can hold names of the user's."""
    print(f"expga: {category.__name__}: {one_line(message)}", file=sys.stderr)


class ExpgaError(Exception):
    """Anything this library raises on purpose."""

    exit_code = FAILED
    """What the command ends with."""

    def __init__(self, message: str) -> None:
        """Makes one visible line of the message, whatever names and values of the user's are in it."""
        super().__init__(in_brief(message))


class InputError(ExpgaError):
    """What the user handed over cannot be used as it is."""

    exit_code = BAD_INPUT


class ModelError(InputError):
    """The model failed, or answered with something that is not a prediction."""

    exit_code = FAILED

    audit: Any = None
    """What was found before a model failed in the middle of a search: an `expga.Audit`."""


class UnusableModelError(ModelError):
    """The model failed when it was first tried, so nothing was lost."""

    exit_code = BAD_INPUT


def failed_on(asked: str, error: BaseException, what: str = "The model") -> ModelError:
    """What is said of a model that raised something, whatever that was.

    Args:
        asked: what it was asked about.
        error: what it raised.
        what: how to call the model, or the part of it that was called.
    """
    return ModelError(f"{what} failed on {asked}: {reason_of(error)}")


def is_theirs(error: BaseException) -> bool:
    """Whether code of the user's failed with this, be it by sys.exit(); a sentence and Ctrl-C go on as they are."""
    return not isinstance(error, ExpgaError) and type(error) is not KeyboardInterrupt


class StoreError(ExpgaError):
    """The disk, the database or an output failed; what was kept before is still there."""

    audit: Any = None
    """What was found before: an `expga.Audit`."""
