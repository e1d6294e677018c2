"""One SQLite database in a folder: records and parts with checksums, written in transactions, under one lock."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from expga.errors import InputError
from expga.store import form
from expga.store.form import NAME
from expga.store.mark import Mark
from expga.store.saying import damaged, in_use, talking_to

UNKNOWN = "The mark beside the store is damaged, so nobody knows whether the last transactions are all there."
LAST = "The last transaction of the store is not there: it was being written when the run ended, or was lost since."
LOST = (
    "The last {missing} transactions of the store are missing, after a loss of power or through damage: what was found "
    "in them is lost."
)
MENDED = (
    "A page of the store was damaged while the run was interrupted, or only half written then; it was written again "
    "from the log, and nothing is lost."
)
_HELD: set[Path] = set()
"""Databases that this process has open: a file's locks end when the process closes it anywhere."""


class Store:
    """A database of ours, open for one writer.

    In between, commits survive the end of the process, however it comes, but not a loss of power; `finish` and `close`
    wait for the disk. Beside the database lies its mark, which tells whether the last transactions are all there.
    """

    def __init__(self, connection: sqlite3.Connection, folder: Path | None, mark: Mark | None) -> None:
        self._connection = connection
        self.folder = folder
        self.notes: list[str] = []
        self._mark = mark
        self._sequence = _sequence_of(connection)
        row = connection.execute("SELECT number, kind, done FROM run ORDER BY number DESC LIMIT 1").fetchone()
        self._run: int = row[0] if row else 0
        self.kind: str = row[1] if row else ""
        self.done: bool = bool(row[2]) if row else False

    @classmethod
    def in_memory(cls) -> Store:
        """A store that nobody else sees, and that ends with its owner."""
        connection = sqlite3.connect(":memory:", isolation_level=None)
        form.make_tables(connection)
        return cls(connection, None, None)

    @classmethod
    def open(cls, folder: Path, *, make: bool = True) -> Store:
        """The store of a folder; a new one where there is none, if wanted.

        Raises:
            InputError: it is not ours, of another version, damaged, or another process writes to it.
        """
        path = folder / NAME
        if path.absolute() in _HELD:  # looking into the file would let go of the lock that this process has on it
            raise in_use(folder)
        if not form.is_ours_to_open(path):
            if not make:
                raise InputError(f"There is nothing to resume in {folder}; leave --resume out to start anew.")
            with talking_to(path):
                form.make(path)
        with talking_to(path):
            mark = Mark(path)
            connection = sqlite3.connect(
                f"{path.absolute().as_uri()}?mode=rw", uri=True, isolation_level=None, timeout=0
            )
            try:
                _lock(connection)
                if mark.overtaken:
                    raise in_use(folder)
                try:
                    store = cls._taken_over(connection, folder, mark)
                except BaseException:
                    mark.let_go(connection.close)
                    raise
            except BaseException:
                connection.close()
                raise
        _HELD.add(path.absolute())
        return store

    @classmethod
    def _taken_over(cls, connection: sqlite3.Connection, folder: Path, mark: Mark) -> Store:
        """A store that nobody else has, once it is what was written."""
        path = folder / NAME
        if mark.altered:
            raise damaged(path, "it is not what was written")
        connection.execute("PRAGMA synchronous = NORMAL")
        form.check(connection, path)
        store = cls(connection, folder, mark)
        if missing := mark.take(store._sequence, store._write_back, connection.serialize):
            store.notes.append(LAST if missing == 1 else LOST.format(missing=missing))
        if mark.broken:
            store.notes.append(UNKNOWN)
        if mark.mended:
            store.notes.append(MENDED)
        return store

    @property
    def path(self) -> Path | None:
        """Of the database."""
        return None if self.folder is None else self.folder / NAME

    @property
    def empty(self) -> bool:
        """Whether no run was begun."""
        return self._run == 0

    def begin(self, kind: str, records: Mapping[str, bytes]) -> None:
        """Begins a run; an unfinished one before it is forgotten, a finished one stays until this one is."""
        with self._transaction() as cursor:
            self._forget(cursor, "done = 0")
            cursor.execute("INSERT INTO run (kind, done) VALUES (?, 0)", (kind,))
            self._run, self.kind, self.done = int(cursor.lastrowid or 0), kind, False
            self._put(cursor, records)

    def again(self) -> None:
        """Opens a finished run once more."""
        with self._transaction() as cursor:
            cursor.execute("UPDATE run SET done = 0 WHERE number = ?", (self._run,))
        self.done = False

    def put(self, records: Mapping[str, bytes], part: tuple[int, bytes] | None = None) -> None:
        """Writes records and a part, all or nothing.

        Args:
            records: by name; an earlier one of the same name gives way.
            part: its number, and what it holds; an earlier one of the same number gives way.
        """
        with self._transaction() as cursor:
            self._put(cursor, records)
            if part is not None:
                number, value = part
                checksum = _checksum(self._run, str(number), value)
                cursor.execute("INSERT OR REPLACE INTO part VALUES (?, ?, ?, ?)", (self._run, number, value, checksum))

    def finish(self, records: Mapping[str, bytes]) -> None:
        """Ends a run: it is kept on the disk, and those before it go."""
        with self._durably(), self._transaction() as cursor:
            self._put(cursor, records)
            cursor.execute("UPDATE run SET done = 1 WHERE number = ?", (self._run,))
            self._forget(cursor, f"number <> {self._run:d}")
        self.done = True

    def abandon(self) -> None:
        """Forgets the unfinished run; what was there before it is there again."""
        with self._transaction() as cursor:
            self._forget(cursor, "done = 0")
            row = cursor.execute("SELECT number, kind, done FROM run ORDER BY number DESC LIMIT 1").fetchone()
        self._run, self.kind, self.done = (row[0], row[1], bool(row[2])) if row else (0, "", False)

    def get(self, name: str) -> bytes | None:
        """A record of the run."""
        with self._talking():
            row = self._connection.execute(
                "SELECT value, checksum FROM record WHERE run = ? AND name = ?", (self._run, name)
            ).fetchone()
        return None if row is None else self._checked(name, *row)

    def names(self, prefix: str = "") -> list[str]:
        """The names of the run's records that begin so."""
        with self._talking():
            rows = self._connection.execute("SELECT name FROM record WHERE run = ? ORDER BY name", (self._run,))
            return [name for (name,) in rows if name.startswith(prefix)]

    def parts(self) -> Iterator[bytes]:
        """The parts of the run in their order."""
        with self._talking():
            rows = self._connection.execute(
                "SELECT number, value, checksum FROM part WHERE run = ? ORDER BY number", (self._run,)
            )
            for number, value, checksum in rows:
                yield self._checked(str(number), value, checksum)

    def knows(self, name: str, digest: str | None) -> bool:
        """Whether a file with this digest is one that we wrote under that name."""
        with self._talking():
            found = self._connection.execute("SELECT 1 FROM file WHERE name = ? AND digest = ?", (name, digest))
            return found.fetchone() is not None

    def files(self) -> list[str]:
        """The names of the files that we wrote."""
        with self._talking():
            found = self._connection.execute("SELECT DISTINCT name FROM file ORDER BY name").fetchall()
        names = [str(name) for (name,) in found]
        if strange := next((name for name in names if Path(name).name != name), None):
            raise damaged(self.path or Path(NAME), f"nothing under the name {strange!r} was ever ours")
        return names

    def will_write(self, digests: Mapping[str, str]) -> None:
        """Knows files as ours before they have their names, beside those that they replace."""
        with self._durably(), self._transaction() as cursor:
            cursor.executemany("INSERT OR IGNORE INTO file VALUES (?, ?)", digests.items())

    def has_written(self, digests: Mapping[str, str]) -> None:
        """Knows only these files."""
        others = [name for name in self.files() if name not in digests]
        with self._transaction() as cursor:
            cursor.executemany("DELETE FROM file WHERE name = ?", [(name,) for name in others])
            for name, digest in digests.items():
                cursor.execute("DELETE FROM file WHERE name = ? AND digest <> ?", (name, digest))

    def close(self) -> None:
        """Puts everything into the one file, and lets others have it."""
        path = self.path
        if path is None or self._mark is None:
            self._connection.close()
            return
        try:
            with talking_to(path), self._durably():
                self._empty_log(self._mark)
        finally:
            self._mark.close()
            self._connection.close()
            _HELD.discard(path.absolute())

    def leave(self) -> None:
        """Closes the store and, where no run and no file is known, removes it."""
        bare = self.empty and not self.files()
        self.close()
        path = self.path
        if bare and path is not None:
            for name in (f"{NAME}-mark", f"{NAME}-wal", NAME):  # without it the others are in the way
                path.with_name(name).unlink(missing_ok=True)

    def _put(self, cursor: sqlite3.Cursor, records: Mapping[str, bytes]) -> None:
        rows = [(self._run, name, value, _checksum(self._run, name, value)) for name, value in records.items()]
        cursor.executemany("INSERT OR REPLACE INTO record VALUES (?, ?, ?, ?)", rows)

    def _forget(self, cursor: sqlite3.Cursor, which: str) -> None:
        for table in ("record", "part"):
            cursor.execute(f"DELETE FROM {table} WHERE run IN (SELECT number FROM run WHERE {which})")
        cursor.execute(f"DELETE FROM run WHERE {which}")

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Cursor]:
        """All of it or nothing; the mark says before that it will be there."""
        mark = self._mark
        with self._talking():
            if mark is not None and mark.full():
                self._empty_log(mark)
            cursor = self._connection.cursor()
            cursor.execute("BEGIN IMMEDIATE")
            try:
                yield cursor
                cursor.execute("UPDATE sequence SET number = ?", (self._sequence + 1,))
                if mark is not None:
                    mark.reached(self._sequence + 1)  # first: nothing that is committed may be unknown to it
                cursor.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    cursor.execute("ROLLBACK")
                reached, self._sequence = self._sequence, _sequence_of(self._connection)
                if mark is not None and self._sequence == reached:  # else Ctrl-C came when it was all there
                    mark.undone(self._sequence)
                raise
            self._sequence += 1

    def _empty_log(self, mark: Mark) -> None:
        mark.emptying(self._sequence, self._write_back)

    def _write_back(self) -> None:
        busy, *_ = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy:
            raise sqlite3.OperationalError("its log cannot be emptied")

    @contextmanager
    def _durably(self) -> Iterator[None]:
        """What is committed inside is on the disk when it ends."""
        self._connection.execute("PRAGMA synchronous = FULL")
        yield
        self._connection.execute("PRAGMA synchronous = NORMAL")

    @contextmanager
    def _talking(self) -> Iterator[None]:
        with talking_to(self.path or Path(NAME)):
            yield

    def _checked(self, name: str, value: Any, checksum: bytes) -> bytes:
        if not isinstance(value, bytes) or _checksum(self._run, name, value) != checksum:
            raise damaged(self.path or Path(NAME), f"the checksum of {name!r} is wrong")
        return value


def _checksum(run: int, name: str, value: bytes) -> bytes:
    digest = hashlib.blake2b(f"{run} {name} ".encode(), digest_size=8)
    digest.update(value)
    return digest.digest()


def _sequence_of(connection: sqlite3.Connection) -> int:
    """How many transactions a database has come to."""
    number: int = connection.execute("SELECT number FROM sequence").fetchone()[0]
    return number


def _lock(connection: sqlite3.Connection) -> None:
    """Takes the store for this process."""
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    connection.execute("PRAGMA wal_autocheckpoint = 0")  # the mark says when
    connection.execute("PRAGMA cache_spill = OFF")  # nothing reaches the log before it is committed
    connection.execute("BEGIN EXCLUSIVE")
    connection.execute("COMMIT")
