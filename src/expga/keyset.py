"""A set of 64-bit keys that answers for whole batches, at 11 to 22 bytes a key."""

from __future__ import annotations

import numpy as np

from expga.contracts import BoolArray, KeyArray

EMPTY = np.uint64(0)
FULLEST = 0.7


class KeySet:
    """Open addressing in one numpy array; keys are already hashed, so their low bits are the slot."""

    def __init__(self, capacity: int = 1 << 16) -> None:
        self._slots: KeyArray = np.zeros(capacity, dtype=np.uint64)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return self._slots.nbytes

    def add(self, keys: KeyArray) -> BoolArray:
        """Adds keys (n,) and tells which (n,) were new; of equal keys in one call only the first is."""
        distinct, first = np.unique(np.where(keys == EMPTY, np.uint64(1), keys), return_index=True)
        self._reserve(len(distinct))
        new = np.zeros(len(keys), dtype=bool)
        new[first[self._insert(distinct)]] = True
        self._count += int(new.sum())
        return new

    def _reserve(self, more: int) -> None:
        capacity = len(self._slots)
        while self._count + more > capacity * FULLEST:
            capacity *= 2
        if capacity > len(self._slots):
            old = self._slots
            self._slots = np.zeros(capacity, dtype=np.uint64)
            for start in range(0, len(old), 1 << 16):  # in pieces: the copies of one piece stay small
                piece = old[start : start + (1 << 16)]
                self._insert(piece[piece != EMPTY])

    def _insert(self, distinct: KeyArray) -> BoolArray:
        """Puts distinct keys (n,) into slots and tells which (n,) were not there."""
        new = np.zeros(len(distinct), dtype=bool)
        mask = np.uint64(len(self._slots) - 1)
        left = np.arange(len(distinct))
        slot = distinct & mask
        while len(left):
            wanted = distinct[left]
            free = self._slots[slot] == EMPTY
            # Of several keys that want one free slot the last write stays; the others move on.
            self._slots[slot[free]] = wanted[free]
            mine = self._slots[slot] == wanted
            new[left[mine & free]] = True
            left = left[~mine]
            slot = (slot[~mine] + np.uint64(1)) & mask
        return new
