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
        """Adds keys (n,) and tells which (n,) were new; of equal keys in one call only one is."""
        keys = np.where(keys == EMPTY, np.uint64(1), keys)
        self._reserve(len(keys))
        new = self._insert(keys)
        inserted = np.flatnonzero(new)
        new[inserted] = first_of_equals(keys.take(inserted))
        self._count += int(np.count_nonzero(new))
        return new

    def has(self, keys: KeyArray) -> BoolArray:
        """Which of the keys (n,) are there."""
        keys = np.where(keys == EMPTY, np.uint64(1), keys)
        found = np.zeros(len(keys), dtype=bool)
        mask = len(self._slots) - 1
        left, slot = np.arange(len(keys)), (keys & np.uint64(mask)).astype(np.intp)
        while len(left):
            held = self._slots.take(slot)
            found[left] = held == keys.take(left)
            further = (held != EMPTY) & ~found[left]
            left, slot = left[further], (slot[further] + 1) & mask
        return found

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
        """Puts keys (n,) into slots and tells which (n,) were not there; equal ones all say so."""
        new = np.zeros(len(keys), dtype=bool)
        mask = len(self._slots) - 1
        left, wanted = np.arange(len(keys)), keys
        slot = (wanted & np.uint64(mask)).astype(np.intp)
        while len(left):
            held = self._slots.take(slot)
            free = np.flatnonzero(held == EMPTY)
            place = slot.take(free)
            # Of several keys that want one free slot the last write stays; the others move on.
            self._slots[place] = wanted.take(free)
            held[free] = self._slots.take(place)
            elsewhere = held != wanted
            new[left.take(free)] = ~elsewhere.take(free)
            left, wanted = left[elsewhere], wanted[elsewhere]
            slot = (slot[elsewhere] + 1) & mask
        return new


def first_of_equals(keys: KeyArray) -> BoolArray:
    """(n,) which keys (n,) to keep so that each value stays once; sorts only what a small table cannot tell."""
    numbers = np.arange(len(keys), dtype=np.int32)
    table = np.zeros(1 << max(4, (4 * len(keys)).bit_length()), dtype=np.int32)
    slot = (keys & np.uint64(len(table) - 1)).astype(np.intp)
    table[slot] = numbers
    winner = table.take(slot)
    keep: BoolArray = np.asarray(winner == numbers)
    losers = np.flatnonzero(~keep)
    apart = losers[keys.take(winner.take(losers)) != keys.take(losers)]
    _, first = np.unique(keys.take(apart), return_index=True)
    keep[apart.take(first)] = True
    return keep
