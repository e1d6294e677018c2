"""A generation before it is asked about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from expga.contracts import Batch, BoolArray, IndexArray, IntArray


@dataclass(frozen=True, slots=True)
class Children:
    """n of them, with d genes."""

    genomes: IntArray
    """(n, d)"""
    anchor: IndexArray
    """(n,) the real row that each one stays near."""
    pair: IndexArray
    """(n, 2) the readings that each is asked about."""
    parent: IndexArray
    """(n,) the place in the pool of the parent that most of its genes are from; -1: they are a real row's."""

    def __len__(self) -> int:
        return len(self.anchor)

    def those(self, some: IndexArray | BoolArray) -> Children:
        """Some of them."""
        return Children(*(getattr(self, field.name)[some] for field in fields(self)))

    @classmethod
    def joined(cls, parts: Sequence[Children]) -> Children:
        """Several generations as one."""
        return cls(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(cls)))

    @property
    def batch(self) -> Batch:
        """As a strategy proposes them."""
        return Batch(self.genomes, self.anchor, self.pair)
