"""The pages of a database file and of its write-ahead log, as they lie on the disk: what they add up to."""

from __future__ import annotations

import hashlib
import zlib
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

PAGE = 4_096
Sums: TypeAlias = npt.NDArray[np.uint64]
_AT_ONCE = 1_024
_HEADER = 32
_FRAME = np.dtype([("page", ">u4"), ("commits", ">u4"), ("check", "V16"), ("content", f"V{PAGE}")])
"""Of the log: a version of a page; the last one of a transaction says how many pages there are then."""


def sums_of(path: Path) -> Sums:
    """(pages, 2) a number for each page of a file, which knows its place; none where there is no file."""
    sums: list[bytes] = []
    if path.is_file() and not path.is_symlink():
        with path.open("rb") as file:
            while content := file.read(PAGE * _AT_ONCE):
                sums += _sums(content, len(sums))
    return _table(sums)


def sums_in(content: bytes) -> Sums:
    """(pages, 2) the same of what a file would hold."""
    return _table(_sums(content, 0))


def total_of(sums: Sums) -> bytes:
    """What they come to, in any order: one that changes changes it."""
    return bytes(np.bitwise_xor.reduce(sums, axis=0).tobytes())


class Log:
    """A log as it lies on the disk."""

    def __init__(self, path: Path, transactions: int | None = None) -> None:
        """Reads it.

        Args:
            path: of the log.
            transactions: how many are in it, after which only the rest of one may follow that never was; None: all.
        """
        content = path.read_bytes() if path.is_file() else b""
        self.empty = not content
        self.check = zlib.crc32(content)
        frames = np.frombuffer(
            content, _FRAME, max(0, (len(content) - _HEADER) // _FRAME.itemsize), min(_HEADER, len(content))
        )
        ends = np.flatnonzero(frames["commits"])[:transactions]
        self._frames: npt.NDArray[Any] = frames[: ends[-1] + 1] if len(ends) else frames[:0]

    def under(self, sums: Sums) -> Sums:
        """The pages of the database that the log has another version of, as they are; nothing where there is none."""
        pages = np.unique(self._frames["page"]).astype(np.intp) - 1
        under = np.zeros((len(pages), 2), dtype=np.uint64)
        there = pages < len(sums)
        under[there] = sums[pages[there]]
        return under

    def beside(self, sums: Sums) -> Sums:
        """The pages of the database that stay as they are, wherever the log has no other version of them."""
        stay = np.ones(len(sums), dtype=bool)
        pages = self._frames["page"].astype(np.intp) - 1
        stay[pages[pages < len(sums)]] = False
        return sums[stay]

    def emptied_into(self, sums: Sums) -> Sums:
        """The pages of the database once the log's are in it."""
        pages, fresh = self._fresh()
        after = np.zeros((max(len(sums), int(pages.max(initial=-1)) + 1), 2), dtype=np.uint64)
        after[: len(sums)] = sums
        after[pages] = fresh
        return after

    def mends(self, sums: Sums, before: Sums) -> int:
        """How many pages of the database are neither what they were nor what the log makes of them.

        Args:
            sums: of the database.
            before: as `under` told them.
        """
        _, fresh = self._fresh()
        now = self.under(sums)
        strange = (now != before).any(axis=1) & (now != fresh).any(axis=1) & now.any(axis=1)
        return int(strange.sum())

    def _fresh(self) -> tuple[npt.NDArray[np.intp], Sums]:
        """(pages,) the pages that the log has, in their order, and (pages, 2) the last version of each."""
        pages, last = np.unique(self._frames["page"][::-1], return_index=True)
        fresh = [
            _sum(int(page) - 1, bytes(self._frames["content"][len(self._frames) - 1 - place]))
            for page, place in zip(pages, last, strict=True)
        ]
        return pages.astype(np.intp) - 1, _table(fresh)


def _sums(content: bytes, first: int) -> list[bytes]:
    return [_sum(first + n, content[at : at + PAGE]) for n, at in enumerate(range(0, len(content), PAGE))]


def _sum(number: int, content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=16, salt=number.to_bytes(16, "big")).digest()


def _table(sums: list[bytes]) -> Sums:
    return np.frombuffer(b"".join(sums), dtype=np.uint64).reshape(-1, 2)
