"""A small file beside a database: how many transactions it has seen, the one that is being written included, and a
digest of all of it once it is closed.

SQLite's log ends for it where a checksum fails, so that a bit that flips there takes later transactions with it
unnoticed. The mark remembers that there were more. Without one nothing is lost but this memory.
"""

from __future__ import annotations

import hashlib
import os
import struct
from pathlib import Path
from typing import BinaryIO

from expga.files import temporary

_LAYOUT = struct.Struct(">4sQ32s")
_MAGIC = b"ExMk"
_OPEN = bytes(32)


class Mark:
    """Of one database; written over and over in place, in one small write each time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: BinaryIO | None = None
        self.broken = False
        """Whether what stands under its name is not what was written."""
        self.altered = False
        """Whether the database is not what it was when it was closed."""
        self._known = self._read()

    def take(self, sequence: int) -> int:
        """Takes over for a database that has come to this transaction; how many it had that are gone."""
        missing = max(0, self._known - sequence)
        self.reached(sequence)
        return missing

    def reached(self, sequence: int) -> None:
        """So many transactions are there."""
        self._write(sequence, _OPEN)

    def end(self, sequence: int, path: Path) -> None:
        """All of it is in the database at `path`, which is closed."""
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").digest()
        self._write(sequence, digest)
        if self._file is not None:
            self._file.close()
            self._file = None

    def _write(self, sequence: int, digest: bytes) -> None:
        told = _LAYOUT.pack(_MAGIC, sequence, digest)
        told += hashlib.blake2b(told, digest_size=8).digest()
        if self._file is None:
            self._file = self._begun(told)
            return
        self._file.seek(0)
        self._file.write(told)

    def _begun(self, told: bytes) -> BinaryIO:
        """A whole file of ours in place of whatever stands there, a link included."""
        place = temporary(self.path.parent)
        try:
            file = place.open("r+b", buffering=0)
            file.write(told)
            os.replace(place, self.path)
        finally:
            place.unlink(missing_ok=True)
        return file

    def _read(self) -> int:
        """How far the database had come."""
        if not self.path.is_file() or self.path.is_symlink():
            return 0
        told = self.path.read_bytes()
        if len(told) != _LAYOUT.size + 8 or hashlib.blake2b(told[:-8], digest_size=8).digest() != told[-8:]:
            self.broken = True
            return 0
        _, sequence, digest = _LAYOUT.unpack(told[:-8])
        database = self.path.with_name(self.path.name.removesuffix("-mark"))
        if digest != _OPEN and database.is_file():
            with database.open("rb") as file:
                self.altered = hashlib.file_digest(file, "sha256").digest() != digest
        return int(sequence)
