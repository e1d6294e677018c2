"""The form of the database: its tables, how one is made, and whether one is of this form."""

from __future__ import annotations

import sqlite3
import stat
from contextlib import closing
from pathlib import Path
from typing import Any

from expga.errors import InputError
from expga.files import occupied, settle_new, temporary
from expga.store.pages import PAGE
from expga.store.saying import damaged, talking_to

NAME = "expga.db"
APPLICATION_ID = 0x45785047
"""Our mark in the header of the database: "ExPG"."""
VERSION = 2
"""Of the tables, and of what the records hold."""
SCHEMA = {
    "run": "CREATE TABLE run (number INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, done INTEGER NOT NULL)",
    "record": "CREATE TABLE record (run INTEGER NOT NULL, name TEXT NOT NULL, value BLOB NOT NULL, "
    "checksum BLOB NOT NULL, PRIMARY KEY (run, name))",
    "part": "CREATE TABLE part (run INTEGER NOT NULL, number INTEGER NOT NULL, value BLOB NOT NULL, "
    "checksum BLOB NOT NULL, PRIMARY KEY (run, number))",
    "file": "CREATE TABLE file (name TEXT NOT NULL, digest TEXT NOT NULL, PRIMARY KEY (name, digest))",
    "sequence": "CREATE TABLE sequence (number INTEGER NOT NULL)",
}


def is_ours_to_open(path: Path) -> bool:
    """Whether there is a database; raises where something else has its name."""
    try:
        status = path.lstat()
    except FileNotFoundError:
        return False
    except OSError as error:
        raise InputError(f"The folder {path.parent} cannot be used: {error.strerror or error}.") from error
    if not stat.S_ISREG(status.st_mode):
        raise InputError(f"{path} is no store of expga; choose another folder.")
    with talking_to(path), path.open("rb") as file:
        header = file.read(100)
    if int.from_bytes(header[68:72], "big") != APPLICATION_ID or not header.startswith(b"SQLite format 3\0"):
        raise InputError(f"{path} is no store of expga, or its header is damaged; choose another folder.")
    return True


def make(path: Path) -> None:
    """A database without a run, under its name at once and complete, unless another process has just made one."""
    for companion in ("-wal", "-journal", "-mark"):
        if occupied(rest := path.with_name(f"{NAME}{companion}")):
            raise InputError(f"{rest} is left of a store that is not there; move it away, or choose another folder.")
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        make_tables(connection)
        content = bytearray(connection.serialize())
    content[18:20] = 2, 2  # the format of a database with a write-ahead log
    place = temporary(path.parent)
    try:
        place.write_bytes(content)
        settle_new(place, path)
    finally:
        place.unlink(missing_ok=True)


def make_tables(connection: sqlite3.Connection) -> None:
    connection.execute(f"PRAGMA page_size = {PAGE}")
    connection.execute("BEGIN IMMEDIATE")
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {VERSION}")
    for statement in SCHEMA.values():
        connection.execute(statement)
    connection.execute("INSERT INTO sequence VALUES (0)")
    connection.execute("COMMIT")


def check(connection: sqlite3.Connection, path: Path) -> None:
    """Raises where a store is of another version, or not what we left."""
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version != VERSION:
        raise InputError(
            f"{path} was written by another version of expga (its store is of format {version}, this one writes "
            f"{VERSION}); go on with that version, or choose another folder."
        )
    tables: dict[str, Any] = dict(
        connection.execute("SELECT name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'").fetchall()
    )
    if tables != SCHEMA:
        raise damaged(path, "its tables are not ours")
    found = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
    if found != "ok":
        raise damaged(path, " ".join(str(found).split()))
    for kind, done in connection.execute("SELECT kind, done FROM run"):
        if not isinstance(kind, str) or done not in (0, 1):
            raise damaged(path, "it does not know what it holds")
    sequence = connection.execute("SELECT number FROM sequence").fetchall()
    if len(sequence) != 1 or not isinstance(sequence[0][0], int):
        raise damaged(path, "it does not know how far it is")
