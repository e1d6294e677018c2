"""Rules that no row breaks: a number that is at most another, a column that another tells, a sum, flags apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

import numpy as np

from expga.contracts import BoolArray, FloatArray, IndexArray, IntArray
from expga.domain.features import Feature
from expga.domain.schema import RULES, RowRules, Rule
from expga.errors import InputError

ROUNDING = 1e-6
"""The part of the largest number in it by which a sum may miss."""

_Values = TypeVar("_Values", BoolArray, FloatArray)


class Holding(Protocol):
    """A rule as it holds in a table."""

    @property
    def genes(self) -> tuple[int, ...]: ...

    def broken(self, genomes: IntArray) -> BoolArray:
        """(n,) whether each genome (n, d) breaks it; what is missing breaks nothing."""


@dataclass(frozen=True, slots=True)
class AtMost:
    """One number is never above another."""

    genes: tuple[int, ...]
    low: FloatArray
    """(v,) the values of the first."""
    high: FloatArray
    """(w,) the values of the second."""

    def broken(self, genomes: IntArray) -> BoolArray:
        one, other = self.genes
        return np.asarray(self.low.take(genomes[:, one]) > self.high.take(genomes[:, other]))


@dataclass(frozen=True, slots=True)
class Determines:
    """The value of one gene tells that of another."""

    genes: tuple[int, ...]
    told: IntArray
    """(v,) for each code of the first the code of the second; -1 where no row shows it."""

    def broken(self, genomes: IntArray) -> BoolArray:
        told = self.told.take(genomes[:, self.genes[0]])
        return np.asarray((told >= 0) & (told != genomes[:, self.genes[1]]))


@dataclass(frozen=True, slots=True)
class Sum:
    """The last number is the sum of the others."""

    genes: tuple[int, ...]
    numbers: tuple[FloatArray, ...]
    """By gene, its values."""

    def parts(self, genomes: IntArray) -> tuple[FloatArray, FloatArray]:
        """(n,) what the parts of each genome (n, d) add up to, and by how much it may be missed, but for the total."""
        added = [self.numbers[place].take(genomes[:, gene]) for place, gene in enumerate(self.genes[:-1])]
        return np.sum(added, axis=0), ROUNDING * np.max(np.abs(added), axis=0)

    def broken(self, genomes: IntArray) -> BoolArray:
        added, slack = self.parts(genomes)
        total = self.numbers[-1].take(genomes[:, self.genes[-1]])
        return np.asarray(np.abs(added - total) > np.maximum(slack, ROUNDING * np.abs(total)))


@dataclass(frozen=True, slots=True)
class Exclusive:
    """Flags of which a row has one at most."""

    genes: tuple[int, ...]
    yes: tuple[BoolArray, ...]
    """By gene, (v,) the codes that say yes."""

    def broken(self, genomes: IntArray) -> BoolArray:
        has = [yes.take(genomes[:, gene]) for yes, gene in zip(self.yes, self.genes, strict=True)]
        return np.asarray(np.sum(has, axis=0) > 1)


def holding(rule: Rule, genes: Sequence[int], features: Sequence[Feature], rows: IntArray) -> Holding:
    """A rule about these genes, as rows (N, d) show it.

    Raises:
        InputError: it asks of a column what that cannot be.
    """
    its = tuple(genes)
    if rule.kind == "determines":
        told = np.full(len(features[its[0]].values), -1, dtype=np.int32)
        told[rows[:, its[0]]] = rows[:, its[1]]
        return Determines(its, told)
    if rule.kind == "exclusive":
        flags = [yes_of(features[gene]) for gene in its]
        return Exclusive(
            its, tuple(_known(flag, gene, features, "a flag") for flag, gene in zip(flags, its, strict=True))
        )
    numbers = [features[gene].numbers if features[gene].numeric else None for gene in its]
    known = tuple(_known(some, gene, features, "a number") for some, gene in zip(numbers, its, strict=True))
    return AtMost(its, *known) if rule.kind == "at_most" else Sum(its, known)


def yes_of(feature: Feature) -> BoolArray | None:
    """(v,) which values of a flag say yes; None where it is none."""
    if feature.kind == "boolean":
        return np.array([str(value) == "True" for value in feature.values], dtype=bool)
    known = feature.numbers[~np.isnan(feature.numbers)]
    return np.asarray(feature.numbers == 1) if len(known) and np.isin(known, (0, 1)).all() else None


def _known(found: _Values | None, gene: int, features: Sequence[Feature], what: str) -> _Values:
    if found is None:
        raise InputError(
            f"The schema's rules take {str(features[gene].name)!r} for {what}, which it is not; mend them."
        )
    return found


class Rules:
    """All rules of a table."""

    def __init__(
        self,
        held: Sequence[Holding],
        rows: IntArray,
        mutable: BoolArray,
        found: Sequence[Rule] = (),
        notes: Sequence[str] = (),
    ) -> None:
        """Of a table.

        Args:
            held: by its rows.
            rows: (N, d) which they are.
            mutable: (d,) genes that may be mended.
            found: those that the schema does not name.
            notes: what a user should know of them.
        """
        self.held, self.notes = list(held), list(notes)
        self._rows, self._mutable, self._found = rows, mutable, tuple(found)
        told = {rule.genes: rule for rule in held if isinstance(rule, Determines)}
        values = [len(np.unique(rows[:, genes[0]])) for genes in told]
        order = np.argsort(np.negative(values), kind="stable").tolist()
        self._outward = [rule for rule in map([*told.values()].__getitem__, order) if not self._follows(rule, told)]
        self._inward = [told[rule.genes[::-1]] for rule in self._outward if rule.genes[::-1] in told]
        self._sums = [rule for rule in held if isinstance(rule, Sum)]
        self._together = _components([*told, *(rule.genes for rule in self._sums)])

    @staticmethod
    def _follows(rule: Determines, told: dict[tuple[int, ...], Determines]) -> bool:
        """Whether it is the way back of two columns that tell each other, of which the earlier one leads."""
        return rule.genes[::-1] in told and rule.genes[0] > rule.genes[1]

    def broken(self, genomes: IntArray) -> BoolArray:
        """(n,) whether each genome (n, d) breaks any."""
        broken = np.zeros(len(genomes), dtype=bool)
        for rule in self.held:
            broken |= rule.broken(genomes)
        return broken

    def pinned(self, rules: RowRules) -> RowRules:
        """What a schema that says this much must say, so that other rows are read in the same way."""
        named = sorted([*rules.named, *self._found], key=lambda rule: RULES.index(rule.kind))
        return replace(rules, find=False, named=tuple(named)) if self._found else rules

    @property
    def mends(self) -> bool:
        """Whether any gene follows from others."""
        return bool(self._together)

    def mended(self, genomes: IntArray, anchor: IndexArray) -> IntArray:
        """(n, d) the genomes (n, d) with what follows from other genes made to: it comes from rows, as they do.

        Of two columns that tell each other, the one that differs from the anchor (n,) leads. A total that no row has is
        no value: it goes back to the anchor's, with its parts.
        """
        if not self.mends:
            return genomes
        mended = genomes.copy()
        for rule in self._inward:
            one, other = rule.genes
            alone = (mended[:, other] == self._rows[anchor, other]) & (mended[:, one] != self._rows[anchor, one])
            self._tell(rule, mended, alone)
        for rule in self._outward:
            self._tell(rule, mended, np.ones(len(mended), dtype=bool))
        for total in self._sums:
            self._add(total, mended)
            back = np.flatnonzero(total.broken(mended))
            genes = [gene for gene in total.genes if self._mutable[gene]]
            mended[back[:, None], genes] = self._rows[anchor[back][:, None], genes]
        return mended

    def back(self, back: BoolArray) -> BoolArray:
        """(n, d) the genes that go back to the anchor's, if these do (n, d): what follows from another goes with it."""
        for genes in self._together:
            back[:, genes] |= back[:, genes].any(axis=1, keepdims=True)
        return back

    def _tell(self, rule: Determines, genomes: IntArray, where: BoolArray) -> None:
        one, other = rule.genes
        if self._mutable[other]:
            told = rule.told.take(genomes[:, one])
            genomes[:, other] = np.where(where & (told >= 0), told, genomes[:, other])

    def _add(self, rule: Sum, genomes: IntArray) -> None:
        if not self._mutable[rule.genes[-1]]:
            return
        added, slack = rule.parts(genomes)
        numbers = rule.numbers[-1]
        known = numbers[~np.isnan(numbers)]
        place = np.minimum(np.searchsorted(known, added - slack), len(known) - 1).astype(np.int32)
        there = np.abs(known.take(place) - added) <= slack
        genomes[:, rule.genes[-1]] = np.where(there, place, genomes[:, rule.genes[-1]])


def _components(groups: Sequence[tuple[int, ...]]) -> list[list[int]]:
    """Genes that some group has together, directly or by way of others."""
    parts: list[set[int]] = []
    for group in groups:
        touched = [part for part in parts if part & set(group)]
        parts = [part for part in parts if not part & set(group)]
        parts.append(set(group).union(*touched))
    return [sorted(part) for part in parts]
