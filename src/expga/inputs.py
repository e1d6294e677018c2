"""What users hand over: files that are known to be files before anything opens them, and values that fit a sentence."""

from __future__ import annotations

import difflib
import os
import reprlib
import stat
import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from expga.errors import InputError

LONGEST_REASON = 300
MOST_NAMES = 20

_brief = reprlib.Repr()
_brief.maxlevel = 2
_brief.maxstring = _brief.maxother = _brief.maxlong = 80


def regular_file(path: str | Path, what: str) -> Path:
    """The path, once it is known to be a file that ends: a pipe or a device could be read for ever.

    Args:
        path: what the user gave.
        what: how to call it, such as "data file".

    Raises:
        InputError: it is something else, or not there.
    """
    path = Path(path)
    try:
        mode = os.stat(path).st_mode
    except (FileNotFoundError, NotADirectoryError) as error:
        raise InputError(f"There is no {what} {path}.") from error
    except (OSError, ValueError) as error:  # a name with a NUL in it is a ValueError
        raise InputError(f"The {what} {in_short(str(path))} cannot be read: {reason(error)}.") from error
    if stat.S_ISDIR(mode):
        raise InputError(f"The {what} {path} is a folder; give a file.")
    if not stat.S_ISREG(mode):
        raise InputError(f"The {what} {path} is a pipe or a device; save what comes out of it, and give that file.")
    return path


def read_toml(path: str | Path, what: str) -> dict[str, Any]:
    """The content of a TOML file.

    Args:
        path: what the user gave.
        what: how to call it, such as "schema file".

    Raises:
        InputError: the file is missing, or is not TOML.
    """
    path = regular_file(path, what)
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(f"The {what} {path} cannot be read: {reason(error)}.") from error
    except UnicodeDecodeError as error:
        raise InputError(f"The {what} {path} is not UTF-8 text; save it as UTF-8.") from error
    except RecursionError as error:
        raise InputError(f"The {what} {path} is nested too deep to be read; take some of its brackets away.") from error
    except ValueError as error:  # not TOML, or a number of thousands of digits
        raise InputError(f"The {what} {path} is not valid TOML: {reason(error)}.") from error


def reason(error: BaseException) -> str:
    """What an exception of somebody else's says, in one line that is not too long."""
    told = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return (" ".join(told.split())[:LONGEST_REASON] or type(error).__name__).rstrip(".")


def in_short(value: Any) -> str:
    """A value of the user's as Python writes it, cut short: it may be nested without end, or have a million digits."""
    try:
        return _brief.repr(value)
    except (ValueError, RecursionError):
        return f"a {type(value).__name__} too long to write"


def meant(name: str, known: Iterable[Any]) -> str | None:
    """Which of the names that there are somebody may have meant; None: none is near."""
    by_text = {str(one).strip().casefold(): str(one) for one in known}
    near = difflib.get_close_matches(name.strip().casefold(), by_text, n=1)
    return by_text[near[0]] if near else None


def or_meant(name: str, known: Sequence[Any]) -> str:
    """What to say of a column that is none of those known: all of them, and which of them is near."""
    near = meant(name, known)
    return f"its columns are {listed(known)}{'.' if near is None else f': did you mean {near!r}?'}"


def listed(names: Iterable[Any]) -> str:
    """Names with commas between them; of many, the first."""
    texts = [text if len(text := str(name)) <= LONGEST_REASON else f"{text[:LONGEST_REASON]}…" for name in names]
    more = len(texts) - MOST_NAMES
    return ", ".join(texts[:MOST_NAMES]) + (f" and {more:,} more" if more > 0 else "")
