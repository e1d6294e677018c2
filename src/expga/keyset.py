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
        keys = np.where(keys == EMPTY, np.uint64(1), keys)
        self._reserve(len(keys))
        new = np.flatnonzero(self._insert(keys))
        _, first = np.unique(keys[new], return_index=True)
        is_new = np.zeros(len(keys), dtype=bool)
        is_new[new[first]] = True
        self._count += len(first)
        return is_new

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

    def _insert(self, keys: KeyArray) -> BoolArray:
        """Puts keys (n,) into slots and tells which (n,) were not there before this call."""
        new = np.zeros(len(keys), dtype=bool)
        mask = np.uint64(len(self._slots) - 1)
        left, wanted = np.arange(len(keys)), keys
        slot = wanted & mask
        while len(left):
            held = self._slots[slot]
            free = held == EMPTY
            # Of several keys that want one free slot the last write stays; the others move on.
            self._slots[slot[free]] = wanted[free]
            held[free] = self._slots[slot[free]]
            mine = held == wanted
            new[left[mine & free]] = True
            left, wanted = left[~mine], wanted[~mine]
            slot = (slot[~mine] + np.uint64(1)) & mask
        return new
