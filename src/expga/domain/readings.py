"""Protected attributes: the readings of a row, and which of them are possible for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from math import prod
from typing import Any

import numpy as np
import pandas as pd

from expga.contracts import BoolArray, IndexArray, IntArray, KeyArray
from expga.domain.combinations import MOST_READINGS, combinations
from expga.domain.features import NUMERIC, Feature, as_numbers, distinct, kind_of, written
from expga.domain.hashing import hashed, multipliers_of
from expga.domain.schema import Condition, FeatureRule, ProtectedRule, Schema
from expga.errors import InputError
from expga.inputs import in_short, listed

NUMERIC_READINGS = 8
"""A numeric attribute is read at no more than this many values of the data unless the user says otherwise, ..."""
USUAL = 0.05, 0.95
"""... which are quantiles of it between these two: where it has more values, its extremes are few people's."""
AS_IT_IS = "as it is"
"""What a reading is called that leaves an attribute as the row has it."""


@dataclass(frozen=True, slots=True)
class Attribute:
    """A protected attribute: its readings' names, and what each makes of every covered column."""

    name: str
    labels: tuple[str, ...]
    maps: Mapping[int, IntArray]
    """By gene: (k, v) the code that each reading turns each code into."""
    own_column: bool
    """Whether the attribute is itself a column, so that no two of its values can coincide."""
    as_it_is: bool
    """Whether each row is also read as it is: a number that a row has may be none of those that it is read at."""


def reading_values(column: pd.Series[Any], name: str, feature: FeatureRule, rule: ProtectedRule) -> list[Any]:
    """The values that a protected column is read at, before any of them has a code."""
    kind = kind_of(column, feature)
    known = _within(column.dropna(), feature, kind)
    if rule.values is not None:
        values = list(rule.values)
    elif rule.bins is not None:
        if kind not in NUMERIC:
            raise InputError(f"The schema cuts {name!r} into bins, but it is {kind}; list its values instead.")
        values = _bin_medians(known, name, rule.bins)
    elif kind in NUMERIC:
        values = _usual(known)
    else:
        once = distinct(known)
        values = list(once.iloc[np.argsort(written(once), kind="stable")])
    values = list({str(value): value for value in values}.values())
    if len(values) < 2:
        seen = f"only the value {in_short(values[0])}" if values else "no value at all"
        raise InputError(
            f"The protected column {name!r} has {seen}; a twin needs a second one: "
            "give data that has it, or list the values in the schema."
        )
    return values


def _within(known: pd.Series[Any], feature: FeatureRule, kind: str) -> pd.Series[Any]:
    """The values that the schema allows the column to have."""
    if feature.values is not None:
        known = known[np.isin(written(known), [*map(str, feature.values)])]
    if kind in NUMERIC and (feature.min is not None or feature.max is not None):
        numbers = as_numbers(known)
        low = -np.inf if feature.min is None else feature.min
        high = np.inf if feature.max is None else feature.max
        known = known[(numbers >= low) & (numbers <= high)]
    return known


def _usual(known: pd.Series[Any]) -> list[Any]:
    """The values (n,) of a number if they are few, else quantiles; of the values themselves if one is nearly all."""
    once = distinct(known)
    if len(once) <= NUMERIC_READINGS:
        return list(once.iloc[np.argsort(as_numbers(once), kind="stable")])
    for some in (known, once):
        ordered = some.iloc[np.argsort(as_numbers(some), kind="stable")]
        picks = np.round(np.linspace(*USUAL, NUMERIC_READINGS) * (len(ordered) - 1)).astype(int)
        values = list(ordered.iloc[picks].drop_duplicates())
        if len(values) > 1:
            break
    return values


def _bin_medians(known: pd.Series[Any], name: str, bins: Sequence[float]) -> list[Any]:
    numbers = as_numbers(known)
    order = np.argsort(numbers, kind="stable")
    numbers, ordered = numbers[order], known.iloc[order]
    values = []
    for low, high, last in zip(bins[:-1], bins[1:], [False] * (len(bins) - 2) + [True], strict=True):
        inside = np.flatnonzero((numbers >= low) & ((numbers <= high) if last else (numbers < high)))
        if not len(inside):
            raise InputError(f"No row has {name!r} in the bin {low:g} to {high:g}; choose other bins.")
        values.append(ordered.iloc[inside[(len(inside) - 1) // 2]])
    return list(pd.Series(values, dtype=known.dtype).drop_duplicates())


def values_of(name: str, frame: pd.DataFrame, schema: Schema, rule: ProtectedRule) -> list[Any]:
    """What an attribute is read at: values of its column or, where it has none, names."""
    for gene, column in enumerate(frame.columns):
        if str(column) == name:
            return reading_values(frame.iloc[:, gene], name, schema.features.get(name, FeatureRule()), rule)
    return list(rule.values or ())


def wanted_values(
    readings: dict[str, list[Any]], rules: dict[str, ProtectedRule], names: Sequence[str]
) -> dict[str, list[Any]]:
    """Values that need a code although the data may not show them, by column."""
    wanted: dict[str, list[Any]] = {name: list(values) for name, values in readings.items() if name in names}
    for rule in rules.values():
        for link in rule.links:
            wanted.setdefault(link.column, []).extend(link.values.values())
    return wanted


def build_attribute(
    name: str, values: Sequence[Any], rule: ProtectedRule, features: Sequence[Feature], rows: IntArray
) -> Attribute:
    """An attribute from its reading values and links; `values` are names where it is no column.

    Args:
        name: of the attribute.
        values: what it is read at.
        rule: what the schema says of it.
        features: all genes.
        rows: (N, d) the real rows.
    """
    genes = {str(feature.name): gene for gene, feature in enumerate(features)}
    labels = tuple(str(value) for value in values)
    maps: dict[int, IntArray] = {}
    if name in genes:
        feature = features[genes[name]]
        codes = _codes(feature, values, name)
        # A view: a column of names has as many values as readings, and their square would fill the memory.
        maps[genes[name]] = np.broadcast_to(np.array(codes, dtype=np.int32)[:, None], (len(codes), len(feature.values)))
    for link in rule.links:
        feature = features[genes[link.column]]
        unknown = sorted(set(link.values) - set(labels))
        if unknown:
            raise InputError(
                f"The link of {name!r} with {link.column!r} names the reading {in_short(unknown[0])}; "
                f"its readings are {listed(labels)}."
            )
        group = dict(zip(link.values, _codes(feature, list(link.values.values()), link.column), strict=True))
        if link.column == name:
            continue  # it says what it is read at, whatever else is said of it
        gene_map = maps.setdefault(genes[link.column], _identity(len(labels), len(feature.values)))
        for code in set(group.values()):
            if (gene_map[:, code] == code).all():  # the first group that has a value decides
                gene_map[:, code] = [group.get(label, code) for label in labels]
    own = name in genes
    as_it_is = own and _is_left_out(features[genes[name]], rows[:, genes[name]], maps[genes[name]][:, 0], rule)
    return Attribute(name, labels, maps, own, as_it_is)


def _is_left_out(feature: Feature, column: IntArray, codes: IntArray, rule: ProtectedRule) -> bool:
    """Whether rows (N,) must be read as they are too, beside the values that have these codes (k,)."""
    if rule.as_it_is is not None:
        return rule.as_it_is
    return feature.numeric and bool((~np.isnan(feature.numbers[column]) & ~np.isin(column, codes)).any())


def _codes(feature: Feature, values: Sequence[Any], name: str) -> list[int]:
    codes = feature.codes_of(values)
    known = [code for code in codes if code is not None]
    if len(known) < len(values):
        absent = in_short(values[codes.index(None)])
        raise InputError(f"The column {name!r} has no value {absent}; it has {listed(feature.values)}.")
    return known


def _missing(attribute: Attribute, features: Sequence[Feature]) -> dict[int, BoolArray]:
    """The values of an attribute's own column that are none, which nobody is read at; empty where it has none."""
    empty = {gene: features[gene].values.isna().to_numpy(dtype=bool) for gene in attribute.maps}
    return {gene: none for gene, none in empty.items() if str(features[gene].name) == attribute.name and none.any()}


def _identity(readings: int, values: int) -> IntArray:
    return np.tile(np.arange(values, dtype=np.int32), (readings, 1))


def _first_alike(table: IntArray) -> IntArray:
    """(v,) for each code one of those that readings (R, v) turn into each other, directly or by way of others.

    It is one that the first reading gives, so that to read it as it is makes no further reading.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    readings, values = table.shape
    edges = np.tile(np.arange(values), readings), table.ravel()
    _, part = connected_components(coo_array((np.ones(table.size), edges), shape=(values, values)), directed=False)
    _, first = np.unique(part, return_index=True)
    return np.asarray(table[0, first[part]], dtype=np.int32)


class Forbidden:
    """Combinations that cannot be, as one table of bits a gene.

    Bit g of a value tells whether it meets what combination g says of its gene (or g says nothing of it); a
    genome in which all genes agree on some bit shows that combination.
    """

    WORD = 64

    def __init__(self, groups: Sequence[Mapping[int, BoolArray]]) -> None:
        self.groups = list(groups)
        self._words: list[dict[int, KeyArray]] = []
        for start in range(0, len(groups), self.WORD):
            word = groups[start : start + self.WORD]
            everything = np.uint64((1 << len(word)) - 1)
            tables: dict[int, KeyArray] = {}
            for bit, group in enumerate(word):
                for gene, meets in group.items():
                    table = tables.setdefault(gene, np.full(len(meets), everything, dtype=np.uint64))
                    table[~meets] &= ~np.uint64(1 << bit)
            self._words.append(tables)

    @classmethod
    def of(cls, groups: Sequence[Sequence[Condition]], features: Sequence[Feature]) -> Forbidden:
        """The schema's combinations."""
        genes = {str(feature.name): gene for gene, feature in enumerate(features)}
        return cls([{genes[c.column]: features[genes[c.column]].satisfies(c) for c in group} for group in groups])

    def touching(self, genes: Sequence[int]) -> tuple[Forbidden, Forbidden]:
        """The combinations that involve any of these genes, and the others."""
        inside = [group for group in self.groups if set(group) & set(genes)]
        outside = [group for group in self.groups if not set(group) & set(genes)]
        return Forbidden(inside), Forbidden(outside)

    def under(self, maps: Mapping[int, IntArray], reading: int) -> Forbidden:
        """The combinations as they apply to a genome before it is read, for one reading of `maps` (R, v)."""
        return Forbidden(
            [
                {gene: meets[maps[gene][reading]] if gene in maps else meets for gene, meets in group.items()}
                for group in self.groups
            ]
        )

    def broken(self, genomes: IntArray) -> BoolArray:
        """(n,) whether a genome (n, d) shows any of the combinations."""
        broken = np.zeros(len(genomes), dtype=bool)
        for tables in self._words:
            shown = np.full(len(genomes), ~np.uint64(0))
            for gene, table in tables.items():
                shown &= table.take(genomes[:, gene])
            broken |= shown != 0
        return broken


class TabularReadings:
    """The combinations of the attributes' readings that are asked about."""

    def __init__(self, attributes: Sequence[Attribute], features: Sequence[Feature], forbidden: Forbidden) -> None:
        self.attributes = tuple(attributes)
        values = np.array([len(attribute.labels) for attribute in attributes])
        sizes = values + [attribute.as_it_is for attribute in attributes]
        self.possible: int = prod(sizes.tolist())
        choices = combinations(sizes.tolist())
        if self.possible > MOST_READINGS:  # a row's own combination may be none of those chosen
            choices = np.concatenate([combinations(values.tolist())[: MOST_READINGS - 1], values[None]])
        self.as_it_is: BoolArray = (choices == values).any(axis=1)
        self.labels = tuple(
            {a.name: (*a.labels, AS_IT_IS)[i] for a, i in zip(attributes, choice, strict=True)}
            for choice in choices.tolist()
        )
        self.maps: dict[int, IntArray] = {}
        for attribute, reading, count in zip(attributes, choices.T, values, strict=True):
            kept = (reading == count)[:, None]
            for gene, table in attribute.maps.items():
                before = self.maps.get(gene, _identity(len(choices), len(features[gene].values)))
                self.maps[gene] = np.where(kept, before, table[np.where(kept, 0, reading[:, None]), before])
        covered = [gene for attribute in attributes for gene in attribute.maps]
        own = all(attribute.own_column for attribute in attributes) and not self.as_it_is.any()
        self._distinct = own and len(set(covered)) == len(covered)
        touched, self._always = forbidden.touching(tuple(self.maps))
        missing = [_missing(attribute, features) for attribute in attributes]
        impossible = [
            [*touched.under(self.maps, number).groups, *filter(None, compress(missing, choice == values))]
            for number, choice in enumerate(choices)
        ]
        self._by_reading = [Forbidden(groups) for groups in impossible] if any(impossible) else []

    @property
    def count(self) -> int:
        """R."""
        return len(self.labels)

    @property
    def genes(self) -> tuple[int, ...]:
        """The genes that some reading covers."""
        return tuple(self.maps)

    def read(self, genomes: IntArray, reading: IndexArray) -> IntArray:
        """(n, d) each genome under the reading (n,) asked for."""
        twins = genomes.copy()
        for gene in self.maps:
            twins[:, gene] = self.read_gene(gene, genomes[:, gene], reading)
        return twins

    def read_gene(self, gene: int, codes: IntArray, reading: IndexArray | IntArray) -> IntArray:
        """(n,) what a gene that is covered, with these codes (n,), is under the reading (n,) asked for."""
        table = self.maps[gene]
        return np.asarray(table.take(reading * table.shape[1] + codes))

    def own(self, genomes: IntArray) -> IndexArray:
        """(n,) the first reading under which each genome stays as it is; -1 where there is none."""
        same = np.ones((self.count, len(genomes)), dtype=bool)
        for gene, kept in self._kept.items():
            same &= kept.take(genomes[:, gene], axis=1)
        return np.where(same.any(axis=0), same.argmax(axis=0), -1)

    @cached_property
    def _kept(self) -> dict[int, BoolArray]:
        """By gene, (R, v) whether a reading leaves a code as it is."""
        return {gene: table == np.arange(table.shape[1]) for gene, table in self.maps.items()}

    def shared(self, genomes: IntArray) -> IntArray:
        """(n, d) the genomes in a form that each shares with its twins: it has the same readings as theirs.

        Twins of twins need not be twins. With "Wife" for women, "Husband" for men and no word for others, a wife
        and a husband are twins, yet one of them keeps "Wife" when read as another, and one keeps "Husband".
        """
        shared = genomes.copy()
        for gene, first in self._first_alike.items():
            shared[:, gene] = first.take(genomes[:, gene])
        return shared

    @cached_property
    def _first_alike(self) -> dict[int, IntArray]:
        """Of the genes that are read by what they are; the others become the same in all twins anyway."""
        return {gene: _first_alike(table) for gene, table in self.maps.items() if (table != table[:, :1]).any()}

    def valid(self, genomes: IntArray) -> BoolArray:
        """(n, R) readings that break no constraint and repeat no earlier reading."""
        valid = np.repeat(~self._always.broken(genomes)[:, None], self.count, axis=1)
        for reading, forbidden in enumerate(self._by_reading):
            valid[:, reading] &= ~forbidden.broken(genomes)
        return valid if self._distinct else self._without_repeats(genomes, valid)

    def voices(self, genomes: IntArray) -> IndexArray | None:  # noqa: ARG002 - the same for every genome
        """One each."""
        return None

    def speak(self, genomes: IntArray, voice: IndexArray) -> IntArray:  # noqa: ARG002 - there is only one
        """(n, d) the genomes as they are."""
        return genomes

    def _without_repeats(self, genomes: IntArray, valid: BoolArray) -> BoolArray:
        """(n, R) valid readings less those that read the same as an earlier valid one."""
        keys = np.empty(valid.shape, dtype=np.uint64)
        everyone = np.ones(len(genomes), dtype=np.intp)
        covered = list(self.genes)
        multipliers = multipliers_of(np.zeros(len(covered), dtype=bool))
        for reading in range(self.count):
            keys[:, reading] = hashed(self.read(genomes, reading * everyone)[:, covered], multipliers)
        keys = (keys << np.uint64(1)) | ~valid  # readings of one key are then all valid, or none is
        order = np.argsort(keys, axis=1, kind="stable")
        keys = np.take_along_axis(keys, order, axis=1)
        repeats = np.zeros(valid.shape, dtype=bool)
        np.put_along_axis(repeats, order[:, 1:], keys[:, 1:] == keys[:, :-1], axis=1)
        return valid & ~repeats
