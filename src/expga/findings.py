"""What was found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from expga.contracts import Batch, BoolArray, Domain, FloatArray, IndexArray, IntArray, Verdict
from expga.store import pack, unpack


@dataclass(frozen=True, slots=True)
class Findings:
    """Discriminatory samples, aligned: n of them with d genes. There may be millions, so numbers are short."""

    genomes: IntArray
    """(n, d)"""
    anchor: IntArray
    """(n,) row numbers of the domain."""
    pair: IntArray
    """(n, 2) the readings that disagree."""
    labels: IntArray
    """(n, 2) class numbers."""
    scores: FloatArray
    """(n, 2)"""

    def __len__(self) -> int:
        return len(self.anchor)

    @classmethod
    def none(cls, width: int) -> Findings:
        """No findings of genomes that wide."""
        two = np.zeros((0, 2), dtype=np.int32)
        return cls(np.zeros((0, width), dtype=np.int32), np.zeros(0, dtype=np.int32), two, two, np.zeros((0, 2)))

    @classmethod
    def of(cls, batch: Batch, verdict: Verdict, most: int | None) -> Findings:
        """The first unfair samples of a batch, no more than `most`."""
        unfair = np.flatnonzero(verdict.unfair)[:most]
        found = verdict.tested[unfair]
        return cls(
            batch.genomes.take(found, axis=0),
            batch.anchor[found].astype(np.int32),
            verdict.pair[unfair].astype(np.int32),
            verdict.labels[unfair].astype(np.int32),
            verdict.scores[unfair],
        )

    def first(self, count: int) -> Findings:
        """So many of them."""
        return Findings(*(getattr(self, name)[:count] for name in self.__slots__))

    def those(self, numbers: IndexArray) -> Findings:
        """Some of them, by their numbers (m,)."""
        return Findings(*(getattr(self, name)[numbers] for name in self.__slots__))

    @classmethod
    def joined(cls, parts: list[Findings], width: int) -> Findings:
        """Several, one after the other."""
        parts = [cls.none(width), *parts]
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in cls.__slots__))

    def are_of(self, domain: Domain) -> bool:
        """Whether they can have been found in this domain."""
        anchor = self.anchor.astype(np.intp)
        fault = batch_fault(Batch(self.genomes, anchor, self.pair.astype(np.intp)), domain)
        return fault is None and bool((self.labels >= 0).all() and domain.admits(self.genomes, anchor).all())

    def as_they_are(self, domain: Domain) -> BoolArray:
        """(n,) those that are their anchors, with nothing changed but what they are read as."""
        same = np.ones(len(self), dtype=bool)
        for gene in range(self.genomes.shape[1]):  # together they would take as much memory again as all findings
            same &= self.genomes[:, gene] == domain.rows[self.anchor, gene]
        return same

    @property
    def gap(self) -> FloatArray:
        """(n,)"""
        return np.abs(self.scores[:, 0] - self.scores[:, 1])

    def packed(self) -> bytes:
        """All of them as bytes."""
        return pack({name: getattr(self, name) for name in self.__slots__})

    @classmethod
    def unpacked(cls, packed: bytes) -> Findings:
        """What `packed` gave."""
        arrays = unpack(packed)
        if len({len(arrays[name]) for name in cls.__slots__}) != 1:
            raise ValueError("its arrays are not of one length")
        short = {name: array.astype(np.int32) for name, array in arrays.items() if name != "scores"}
        return cls(**short, scores=arrays["scores"].astype(np.float64))


def batch_fault(batch: Batch, domain: Domain) -> str | None:
    """What is wrong with a batch that anybody has put together, in words; None: it is one of genomes of this domain."""
    (rows, width), readings = domain.rows.shape, domain.readings.count
    genomes: Any = batch.genomes
    anchor: Any = batch.anchor
    pair: Any = batch.pair
    for name, array, shape in (
        ("genomes", genomes, (len(anchor), width)),
        ("anchor", anchor, (len(anchor),)),
        ("pair", pair, (len(anchor), 2)),
    ):
        if array is not None and (not isinstance(array, np.ndarray) or array.dtype.kind not in "iu"):
            return f"whose {name} is no array of whole numbers"
        if array is not None and array.shape != shape:
            return f"whose {name} has the shape {array.shape}, not {shape}"
    for name, array, most in (("anchor", anchor, rows), ("pair", pair, readings)):
        if array is not None and array.size and not 0 <= array.min() <= array.max() < most:
            return f"whose {name} names something else than the numbers from 0 to {most - 1}"
    return None
