"""A small file beside a database: how many transactions it has seen, the one that is being written included, and what
the pages of the database add up to.

SQLite checks neither the pages of a database nor, in a log, more than where it ends: a bit that flips there takes later
transactions with it unnoticed. The mark remembers that there were more, and what the database was before the log. So
that every bit of the two files counts, the log is emptied here alone: it never holds anything but what is not yet in
the database, and the database changes only while the mark says so, and what the pages were that change. Without a mark
nothing is lost but this memory.
"""

from __future__ import annotations

import hashlib
import os
import struct
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import numpy as np

from expga.files import settle, sync, temporary
from expga.store.pages import Log, Sums, sums_in, sums_of, total_of

_LAYOUT = struct.Struct(">4sBQQ16s16sI")
_MAGIC = b"ExM2"
_CHECK = 8
_ROOM = 1_000 * 4_096
"""Bytes of a log from which on it is emptied."""


class Mark:
    """Of one database; written over and over in place, in one small write each time."""

    def __init__(self, database: Path) -> None:
        """Looks the database over, which nobody may have open in this process.

        Args:
            database: its path; the mark's is beside it.
        """
        self.path = database.with_name(f"{database.name}-mark")
        self._log = database.with_name(f"{database.name}-wal")
        self._file: BinaryIO | None = None
        self._untidy = False
        self._after: Sums | None = None
        """What the pages come to once the log is emptied, while it is."""
        self.broken = False
        """Whether what stands under its name is not what was written."""
        self.altered = False
        """Whether the database is not what it was."""
        self.mended = 0
        """Pages of the database that are not what they were, and that the log holds."""
        self._known = 0
        self._emptied: int | None = None
        """How many transactions there were when the log was last emptied; None: nobody knows."""
        self._told = self._content()
        self._sums: Sums = sums_of(database)
        self._read()

    def take(self, sequence: int, empty: Callable[[], None], content: Callable[[], bytes]) -> int:
        """Takes over for a database.

        Args:
            sequence: the transaction that it has come to.
            empty: empties its log.
            content: all that is in it.

        Returns: how many transactions it had that are gone.
        """
        if self._told is None or self._emptied is None:
            empty()
            self._sums, self._emptied = sums_in(content()), sequence
        else:
            self._file = self._begun(self._told)
            self.emptying(sequence, empty)
        self.reached(sequence)
        return max(0, self._known - sequence)

    @property
    def overtaken(self) -> bool:
        """Whether somebody else has written since the database was looked over."""
        return self._content() != self._told

    def reached(self, sequence: int) -> None:
        """So many transactions are there."""
        self._write(sequence, total_of(self._sums))

    def full(self) -> bool:
        """Whether the log should be emptied."""
        return self._untidy or (self._log.is_file() and self._log.stat().st_size >= _ROOM)

    def undone(self, sequence: int) -> None:
        """There are no more than so many after all, and the log may hold the rest of one that never was."""
        self._untidy = True
        self.reached(sequence)

    def emptying(self, sequence: int, empty: Callable[[], None]) -> None:
        """Empties the log into the database, which may end at any moment and is then begun again.

        Args:
            sequence: how many transactions there are.
            empty: does it.
        """
        if not self._log.is_file():
            return
        log = Log(self._log, sequence - (self._emptied or 0))
        if log.empty and self._after is None:
            return
        if self._after is None or not log.empty:  # else it was emptied before, and interrupted then
            self._after = log.emptied_into(self._sums)
        after, self._untidy = self._after, True
        sync(self._log)
        before = log.under(self._sums).tobytes()
        self._put(_LAYOUT.size + _CHECK, before + _check(before))
        self._write(sequence, total_of(log.beside(self._sums)), total_of(after), log.check)
        self._sync()
        empty()
        self._sums, self._emptied = after, sequence
        self._after, self._untidy = None, False
        self.reached(sequence)
        if self._file is not None:
            self._file.truncate(_LAYOUT.size + _CHECK)
        self._sync()

    def let_go(self, close: Callable[[], None]) -> None:
        """Leaves a database that was not taken over: closing one empties its log, too.

        Args:
            close: closes it.
        """
        if self._told is None or self.broken or self.altered:
            return
        if self._file is None:
            self._file = self._begun(self._told)
        self.emptying(self._known, close)
        self.close()

    def close(self) -> None:
        """Ends the writing."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _write(self, sequence: int, pages: bytes, after: bytes = b"", log: int = 0) -> None:
        told = _LAYOUT.pack(_MAGIC, bool(after), sequence, self._emptied or 0, pages, after, log)
        self._put(0, told + _check(told))

    def _put(self, place: int, told: bytes) -> None:
        if self._file is None:
            self._file = self._begun(told)
            return
        self._file.seek(place)
        self._file.write(told)

    def _begun(self, told: bytes) -> BinaryIO:
        """A whole file of ours in place of whatever stands there, a link included."""
        place = temporary(self.path.parent)
        try:
            file = place.open("r+b", buffering=0)
            file.write(told)
            settle(place, self.path)
        finally:
            place.unlink(missing_ok=True)
        return file

    def _sync(self) -> None:
        if self._file is not None:
            os.fsync(self._file.fileno())

    def _content(self) -> bytes | None:
        return self.path.read_bytes() if self.path.is_file() and not self.path.is_symlink() else None

    def _read(self) -> None:
        """What the mark says, and whether the database is so."""
        told = self._told
        if told is None:
            return
        head, before = told[: _LAYOUT.size + _CHECK], told[_LAYOUT.size + _CHECK :]
        if not _holds(head) or not (before == b"" or _holds(before)):
            self.broken = True
            return
        _, emptying, self._known, emptied, pages, after, check = _LAYOUT.unpack(head[:-_CHECK])
        self._emptied = emptied
        if not emptying:
            self.altered = total_of(self._sums) != pages
            return
        log = Log(self._log, self._known - emptied)
        if log.empty:
            self._emptied = self._known
            self.altered = total_of(self._sums) != after
        elif log.check != check or total_of(log.beside(self._sums)) != pages:
            self.altered = True
        else:
            self.mended = log.mends(self._sums, np.frombuffer(before[:-_CHECK], dtype=np.uint64).reshape(-1, 2))


def _check(told: bytes) -> bytes:
    return hashlib.blake2b(told, digest_size=_CHECK).digest()


def _holds(told: bytes) -> bool:
    return len(told) > _CHECK and _check(told[:-_CHECK]) == told[-_CHECK:]
