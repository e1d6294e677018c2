"""Files, each written whole or not at all, under names that nobody can guess, and never through a link."""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PREFIX, SUFFIX = ".expga-", ".tmp"


def write_text(path: Path, text: str) -> None:
    """Writes a text file in one move."""
    with beside(path) as place:
        place.write_text(text, encoding="utf-8")


def write_table(table: Any, path: Path) -> None:
    """Writes an Arrow table as Parquet in one move."""
    import pyarrow.parquet as pq

    with beside(path) as place:
        pq.write_table(table, place, compression="zstd")


@contextmanager
def beside(path: Path) -> Iterator[Path]:
    """A place to write what is then moved to `path`; whatever goes wrong before leaves nothing behind."""
    place = temporary(path.parent)
    try:
        yield place
        settle(place, path)
    finally:
        place.unlink(missing_ok=True)


def temporary(folder: Path) -> Path:
    """A new empty file of ours in a folder, readable like any other file that the user makes."""
    handle, name = tempfile.mkstemp(prefix=PREFIX, suffix=SUFFIX, dir=folder)
    os.close(handle)
    mask = os.umask(0)
    os.umask(mask)
    os.chmod(name, 0o666 & ~mask)
    return Path(name)


def settle(place: Path, path: Path) -> None:
    """Moves a whole file to its name, once the disk holds it."""
    sync(place)
    os.replace(place, path)
    if os.name == "posix":  # so that the new name survives a loss of power too
        sync(path.parent)


def settle_new(place: Path, path: Path) -> None:
    """Gives a whole file its name, once the disk holds it, unless something has that name by now."""
    sync(place)
    try:
        os.link(place, path)
    except FileExistsError:
        return
    except OSError:  # a file system without links
        if not occupied(path):
            os.replace(place, path)
    if os.name == "posix":
        sync(path.parent)


def sync(path: Path) -> None:
    """Waits until the disk holds a file, or the names in a folder."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def forget_temporary(folder: Path) -> None:
    """Removes what a killed run of ours was writing; only for whoever holds the folder's lock."""
    for path in folder.glob(f"{PREFIX}*{SUFFIX}"):
        if stat.S_ISREG(path.lstat().st_mode):
            path.unlink(missing_ok=True)


def digest_of(path: Path) -> str | None:
    """The SHA-256 of a regular file; None where there is none, or a link, a folder, a pipe."""
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            return None
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        return None


def occupied(path: Path) -> bool:
    """Whether anything stands under this name, be it a link that leads nowhere."""
    return os.path.lexists(path)
