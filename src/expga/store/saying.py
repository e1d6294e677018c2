"""What SQLite and the disk complain about, in one sentence."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from expga.errors import InputError, StoreError

_BUSY = ("locked", "busy")


@contextmanager
def talking_to(path: Path) -> Iterator[None]:
    """Turns what SQLite and the disk complain about into one sentence."""
    try:
        yield
    except sqlite3.OperationalError as error:
        reason = str(error)
        if any(word in reason for word in _BUSY):
            raise in_use(path.parent) from error
        if "malformed" in reason or "not a database" in reason:
            raise damaged(path, reason) from error
        raise StoreError(f"The store {path} cannot be written or read: {reason}.") from error
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # the latter: what SQLite would say of broken names
        raise damaged(path, str(error)) from error
    except OSError as error:
        raise StoreError(f"The store {path} cannot be written or read: {error.strerror or error}.") from error


def in_use(folder: Path) -> InputError:
    """What to say of a store that somebody else has open."""
    return InputError(f"Another run is writing to {folder}; wait until it has ended, or choose another folder.")


def damaged(path: Path, reason: str) -> InputError:
    """What to say of a store that cannot be relied on."""
    return InputError(f"The store {path} is damaged ({reason}); move the folder away and start anew.")
