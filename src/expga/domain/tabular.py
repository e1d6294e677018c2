"""A user's table as genomes: encode, twins, keys, distance, reach, decode."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from expga.contracts import BoolArray, FloatArray, IndexArray, IntArray, KeyArray, Realism
from expga.domain.bounds import Bounds
from expga.domain.columns import check_columns, check_protected
from expga.domain.combinations import left_out
from expga.domain.decoding import Decoding
from expga.domain.features import Feature, build_feature, coded
from expga.domain.folding import Folding
from expga.domain.hashing import hashed, multipliers_of
from expga.domain.identifiers import note_on_identifiers, settled
from expga.domain.naming import note_on_index
from expga.domain.neighbours import Floats, NeighbourOrders
from expga.domain.people import People, people
from expga.domain.reach import reach_of
from expga.domain.readings import Attribute, Forbidden, TabularReadings, build_attribute, values_of, wanted_values
from expga.domain.rules import Rules
from expga.domain.ruling import rules_of
from expga.domain.schema import FeatureRule, ProtectedRule, RowRules, Schema
from expga.domain.spelling import check_values
from expga.domain.telltale import notes_on_telltales
from expga.errors import InputError

ROOM = 1.25
"""In radii, how far an individual may be from its anchor and its anchor from the next row, taken together."""
AT_ONCE = 262_144
"""Cells whose distances are taken at once: few, so that they stay where they are near."""
SLACK = 1e-4
"""Keeps a distance summed in single precision from crossing the radius by rounding."""
SINGLE_TAIL = 64.0
"""In scales, how far a number may lie from the middle for single precision to do."""


class TabularDomain:
    """The space of rows around a user's table.

    A genome holds for each column the code of a value; codes index `Feature.values`, which list every
    value of the table, so a real row survives encoding and decoding to the last bit.
    """

    def __init__(
        self,
        frame: pd.DataFrame,
        protected: Sequence[str],
        schema: Schema,
        realism: Realism,
        as_array: bool = False,
    ) -> None:
        """Fits the domain to a table.

        Args:
            frame: the features, exactly as the model takes them.
            protected: names of columns, or of attributes that the schema defines by its links.
            schema: what the user says beyond what the data shows.
            realism: "data" stays within reach of real rows, "domain" within the bounds only.
            as_array: decode to a numpy array instead of a frame.
        """
        self.realism = realism
        self._enough: Callable[[], bool] = bool  # never
        check_columns(frame.columns, "the data")
        array_dtype = frame.to_numpy().dtype if as_array else None
        self._declared, self._named = schema.one_hot, protected
        self.folding = Folding.of(frame, protected, schema)
        frame, schema = self.folding.folded(frame), self.folding.schema(schema)
        protected = self.folding.protected(protected)
        self._schema = schema
        self.columns, self.index = list(frame.columns), frame.index
        names = list(map(str, self.columns))
        check_protected(names, len(frame), protected, schema)
        check_values(frame, schema)
        rules = {name: schema.protected.get(name, ProtectedRule()) for name in protected}
        readings_at = {name: values_of(name, frame, schema, rules[name]) for name in protected}
        self._readings_at = readings_at
        wanted = wanted_values(readings_at, rules, names)
        self._rules = {name: schema.features.get(name, FeatureRule()) for name in names}
        built = [self._built(column, wanted) for _, column in frame.items()]
        self.features: list[Feature] = [feature for feature, _ in built]
        self.rows: IntArray = np.column_stack([codes for _, codes in built])
        self.attributes: list[Attribute] = [
            build_attribute(name, readings_at[name], rules[name], self.features, self.rows) for name in protected
        ]
        forbidden = Forbidden.of(schema.forbid, self.features)
        self.readings = TabularReadings(self.attributes, self.features, forbidden)
        self.attribute_readings = {
            attribute.name: TabularReadings([attribute], self.features, forbidden) for attribute in self.attributes
        }
        self._decoding = Decoding(self.features, self.folding, array_dtype)
        self.bounds = Bounds(self.features)
        self._tables()
        if schema.rules.named:
            self.rules  # noqa: B018 - a cached property, which tells whether the rows keep them

    def _built(self, column: pd.Series[Any], wanted: Mapping[str, Sequence[Any]]) -> tuple[Feature, IntArray]:
        """A feature and the codes (N,) of its column; settles whether a search may change it."""
        name, coding = str(column.name), coded(column)
        if name not in wanted:
            self._rules[name] = settled(column, self._rules[name], coding)
        return build_feature(column, self._rules[name], wanted.get(name, ()), self.realism, coding)

    def notes(self) -> list[str]:
        """What a summary should say of how the rows are read."""
        together = left_out(self.readings, list(self.attribute_readings))
        alone = [left_out(readings, [name]) for name, readings in self.attribute_readings.items()]
        left = [name for name, rule in self._rules.items() if rule != self._schema.features.get(name, FeatureRule())]
        return [
            *self.folding.notes(self._declared, self._named),
            *dict.fromkeys(sum(alone, together)),
            *notes_on_telltales(self.rows, self.features, list(self.attribute_readings), self.readings.genes),
            *note_on_index(self.index),
            *note_on_identifiers(left),
            *self.rules.notes,
        ]

    def _tables(self) -> None:
        """Flat tables over all genes, so that every operation is a few look-ups, whatever the width."""
        width = len(self.features)
        self.protected: BoolArray = np.zeros(width, dtype=bool)
        self.protected[list(self.readings.genes)] = True
        if self.protected.all():
            raise InputError("Every column is protected or linked to a protected one; nothing is left to search.")
        immutable = np.array([feature.immutable for feature in self.features])
        self.mutable: BoolArray = ~self.protected & ~immutable
        same = self.protected | np.array([feature.kind == "identifier" for feature in self.features])
        self.compared: BoolArray = ~(self.protected if same.all() else same)
        self.categorical: BoolArray = np.array([not feature.numeric for feature in self.features])
        sizes = np.array([len(feature.values) for feature in self.features])
        self._sizes: IntArray = sizes.astype(np.int32)
        self._start = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        kept = ~self.mutable  # as they are, whatever the bounds say
        self._within_bounds = np.concatenate(
            [feature.allowed | kept[gene] for gene, feature in enumerate(self.features)]
        )
        self._position = np.concatenate([feature.position for feature in self.features])
        inside = np.ones(len(self.rows), dtype=bool)
        for gene, feature in enumerate(self.features):
            inside &= self.protected[gene] or feature.allowed.all() or feature.allowed[self.rows[:, gene]]
        self.anchors: IndexArray = np.flatnonzero(inside)
        if not len(self.anchors):
            raise InputError("No row of the data lies within the schema's bounds; widen them.")
        self._offset: IntArray = self._start.astype(np.int32)
        centred = [feature.position - np.median(feature.position) for feature in self.features]
        tail = max(
            (float(np.abs(c).max()) for c, f in zip(centred, self.features, strict=True) if f.numeric), default=0
        )
        # The search's own bookkeeping is in single precision where that can tell neighbours in the tails apart.
        precise = np.float32 if tail <= SINGLE_TAIL else np.float64
        self._counts: Floats = self.compared.astype(precise)
        self._up_to: Floats = np.triu(np.ones((width, width), dtype=precise))
        self._where: Floats = np.concatenate(centred).astype(precise)
        self._row_where: Floats = self._where[self._offset + self.rows]
        self._multipliers: KeyArray = multipliers_of(~self.compared)

    @cached_property
    def radius(self) -> float:
        """The furthest that an individual may be from its anchor: the reach of real rows, or endless."""
        return float("inf") if self.realism == "domain" else self.reach

    @cached_property
    def reach(self) -> float:
        """How close real rows lie."""
        return reach_of(self.positions(self.rows), self.categorical[self.compared], self._enough)

    def prepare(self, enough: Callable[[], bool]) -> None:
        """Learns how close real rows lie, and which lie beside each other (where time is short, in
        fewer orders), and which are typical."""
        self._enough = enough
        try:
            if self.realism == "data":
                self._rooms  # noqa: B018 - a cached property, and what it needs
                self._people  # noqa: B018
            else:
                self._orders  # noqa: B018
        finally:
            self._enough = bool

    def positions(self, genomes: IntArray) -> FloatArray:
        """(n, genes that are compared) where each genome lies."""
        free = np.flatnonzero(self.compared)
        return self._position[self._start[free] + genomes[:, free]]

    def positions_of(self, frame: pd.DataFrame) -> FloatArray:
        """(n, genes that are compared) where other rows lie, as the model takes them, whatever their values."""
        frame = self.folding.folded(frame)
        free = np.flatnonzero(self.compared)
        columns = [self.features[gene].positions_of(frame[self.columns[gene]]) for gene in free]
        return np.column_stack(columns)

    def distance(self, genomes: IntArray, others: IntArray) -> FloatArray:
        """(n,) mean over the genes that are compared of the difference in position, each at most 1."""
        rows = max(1, AT_ONCE // len(self.features))
        parts = [slice(start, start + rows) for start in range(0, len(genomes), rows)] or [slice(0)]
        return np.concatenate([self._differences(genomes[part], others[part]).mean(axis=1) for part in parts])

    def _differences(self, genomes: IntArray, others: IntArray) -> FloatArray:
        difference = np.abs(self.positions(genomes) - self.positions(others))
        return np.minimum(difference, 1.0)

    @np.errstate(invalid="ignore")  # as below
    def admits(self, genomes: IntArray, anchor: IndexArray) -> BoolArray:
        """(n,) whether each genome is within the bounds and the radius, and has its anchor's values where it must."""
        known = ((genomes >= 0) & (genomes < self._sizes)).all(axis=1)
        codes = self._offset + (genomes if known.all() else np.clip(genomes, 0, self._sizes - 1))
        fixed = np.flatnonzero(~self.mutable)
        as_it_was = (genomes.take(fixed, axis=1) == self.rows.take(anchor, axis=0).take(fixed, axis=1)).all(axis=1)
        admitted = known & as_it_was & self._within_bounds.take(codes).all(axis=1)
        if self.realism == "data":
            moved = np.abs(self._where.take(codes) - self._row_where.take(anchor, axis=0))
            far = np.minimum(moved, self._counts) @ self._counts
            if far.any():  # real rows as they are may be asked about before anybody knows how far one may go
                admitted &= far <= self.radius * self._counts.sum() + SLACK
        return np.asarray(admitted)

    def typical(self, genomes: IntArray) -> BoolArray:
        """(n,) whether each genome (n, d) breaks no rule and looks no less real than nine in ten real rows do."""
        if self.realism == "domain":
            return np.ones(len(genomes), dtype=bool)
        kept = ~self.rules.broken(genomes)
        return kept if self._people is None else kept & self._people.accepts(genomes)

    def mended(self, genomes: IntArray, anchor: IndexArray) -> IntArray:
        """(n, d) the genomes (n, d) with genes that follow from others made to, as rules between columns have it."""
        return self.rules.mended(genomes, anchor)

    @cached_property
    def rules(self) -> Rules:
        """What no row breaks; nothing where only bounds count."""
        named = self._schema.rules if self.realism == "data" else RowRules(find=False)
        unprotected = np.flatnonzero(~self.protected).tolist()
        return rules_of(named, self.rows, self.features, unprotected, self.mutable, self._schema.unseen)

    @property
    def judged(self) -> bool:
        """Whether enough is known to tell which genomes are typical."""
        return self._people is not None

    @cached_property
    def _people(self) -> People | None:
        return people(self.rows, self.categorical, self.compared, self.compared & self.mutable)

    @np.errstate(invalid="ignore")  # BLAS may flag what stands in its padding; the numbers here are finite
    def within_reach(self, genomes: IntArray, anchor: IndexArray, rng: np.random.Generator) -> IntArray:
        """(n, d) genomes with genes put back to their anchor's until the radius holds.

        Genes are kept from a random one on, around the end, as long as there is room.
        """
        if self.realism == "domain":
            return genomes
        genomes = self.mended(genomes, anchor)
        moved = self._where.take(self._offset + genomes)
        moved -= self._row_where.take(anchor, axis=0)
        np.abs(moved, out=moved)
        np.minimum(moved, self._counts, out=moved)
        reach = self._rooms.take(anchor)
        over = np.flatnonzero(moved @ self._counts > reach)
        if not len(over):
            return genomes
        moved, reach = moved.take(over, axis=0), reach.take(over)[:, None]
        far = moved > reach
        moved[far] = 0.0
        total = moved @ self._up_to  # a cumulative sum, which along so short an axis is slow
        rows, start = np.arange(len(over)), rng.integers(0, moved.shape[1], len(over))
        before = total[rows, start] - moved[rows, start]
        wrapped = np.arange(moved.shape[1]) < start[:, None]
        travelled = total - before[:, None] + wrapped * total[:, -1:]
        back = self.rules.back(far | ((travelled > reach) & (moved > 0)))
        kept = genomes.copy()
        kept[over] = np.where(back, self.rows.take(anchor.take(over), axis=0), genomes.take(over, axis=0))
        return kept

    def bins(self, genomes: IntArray) -> IntArray:
        """(d, n) the bin of each gene of each genome (n, d): a quartile of the data, or the category itself."""
        bins = np.ascontiguousarray(genomes.T)
        for gene, feature in enumerate(self.features):
            if feature.numeric:
                bins[gene] = feature.quartiles(self.rows[:, gene]).take(bins[gene])
        return bins

    def mates(self, genomes: IntArray, anchor: IndexArray, rng: np.random.Generator) -> tuple[IntArray, IndexArray]:  # noqa: ARG002
        """For each anchor (n,) a real row near it: its genome (n, d) and its number (n,)."""
        mate = self.near(anchor, rng)
        return self.rows.take(mate, axis=0), mate

    def donors(self, genomes: IntArray, rng: np.random.Generator) -> IntArray:
        """(n, d) random real rows or, within the bounds only, uniform draws for every gene that may change."""
        count = len(genomes)
        if self.realism == "data":
            return np.asarray(self.rows[self.anchors[rng.integers(0, len(self.anchors), count)]])
        drawn = genomes.copy()
        for gene in np.flatnonzero(self.mutable).tolist():
            drawn[:, gene] = self.bounds.draw(gene, count, rng)
        return drawn

    def mutated(self, genomes: IntArray, mask: BoolArray, rng: np.random.Generator) -> IntArray:
        """(n, d) with a random real row's values for the genes in the mask, or any within bounds, near ones first."""
        if self.realism == "data":
            return np.where(mask, self.donors(genomes, rng), genomes)
        mutated = genomes.copy()
        row, gene = np.nonzero(mask)
        mutated[row, gene] = self.bounds.strangers(gene, genomes[row, gene], rng)
        return mutated

    def near(self, anchor: IndexArray, rng: np.random.Generator) -> IndexArray:
        """(n,) for each anchor (n,) one of its neighbours in some order of the anchors."""
        return self._orders.near(anchor, rng)

    @cached_property
    def _orders(self) -> NeighbourOrders:
        return NeighbourOrders(self.positions(self.rows[self.anchors]), self.anchors, len(self.rows), self._enough)

    @cached_property
    def _rooms(self) -> Floats:
        """(N,) how far one may go from each row, summed over genes: less where no other row is near."""
        radius = self.radius  # before what may have to do with little time
        lonely = self._orders.nearest(self._row_where, self._counts, self._enough)
        rooms = np.clip(ROOM * radius - lonely, 0.0, radius)
        return np.asarray(rooms * self._counts.sum() - SLACK, dtype=self._counts.dtype)

    def scale(self, gene: int) -> FloatArray:
        """(v,) where each code of a gene lies: numbers by size, categories by their code."""
        return np.asarray(self.features[gene].position, dtype=np.float64)

    def choices(self, gene: int) -> IntArray:
        """(v,) the codes of a gene within the schema's bounds, rising."""
        return self.bounds.choices(gene)

    def shifted(self, genomes: IntArray, steps: IntArray) -> IntArray:
        """(n, d) with each gene so many allowed values (n, d or d) up or down, as far as its bounds let it."""
        return self.bounds.shifted(genomes, steps)

    def pinned(self) -> Schema:
        """The schema with all that was inferred from this table spelled out, to read other rows in the same way."""
        return Schema(
            {str(f.name): replace(self._rules[str(f.name)], type=f.kind) for f in self.features},
            self._schema.forbid,
            {
                attribute.name: replace(
                    self._schema.protected.get(attribute.name, ProtectedRule()),
                    values=tuple(pd.Series(self._readings_at[attribute.name]).tolist()),
                    bins=None,
                    as_it_is=attribute.as_it_is,
                )
                for attribute in self.attributes
            },
            self.folding.rules(),
            unseen=True,
            rules=self.rules.pinned(self._schema.rules),
        )

    def nearest_reading(self, readings: TabularReadings) -> IndexArray:
        """(N,) the reading that each row has, or of numbers the nearest; -1 where it has none."""
        genes = list(readings.genes)
        own = self._position[self._start[genes] + self.rows[:, genes]]
        # Of a category, or a missing number, nothing is near.
        alone = np.column_stack([np.isnan(self.features[gene].numbers)[self.rows[:, gene]] for gene in genes])
        apart = np.empty((len(self.rows), readings.count))
        for reading in range(readings.count):
            if readings.as_it_is[reading]:
                apart[:, reading] = np.inf
                continue
            twins = readings.read(self.rows, np.full(len(self.rows), reading))
            there = self._position[self._start[genes] + twins[:, genes]]
            apart[:, reading] = np.where(alone & (there != own), np.inf, np.abs(there - own)).sum(axis=1)
        return np.where(np.isfinite(apart.min(axis=1)), apart.argmin(axis=1), -1)

    def groups(self, attribute: str) -> list[str | None]:
        """(N,) what a protected attribute says of each row, of numbers the nearest of its readings; None: nothing."""
        readings = self.attribute_readings[attribute]
        names = [reading[attribute] for reading in readings.labels]
        read = [readings.read(self.rows, np.full(len(self.rows), n)) for n in np.flatnonzero(~readings.as_it_is)]
        silent = np.all([(twins == read[0]).all(axis=1) for twins in read[1:]], axis=0)
        own = np.where(silent, -1, self.nearest_reading(readings))
        return [None if reading < 0 else names[reading] for reading in own.tolist()]

    def keys(self, genomes: IntArray) -> KeyArray:
        """(n,) a 64-bit hash of the genes that are compared."""
        return hashed(genomes, self._multipliers)

    def decode(self, genomes: IntArray) -> Any:
        """What the model was trained on: the user's columns, order and dtypes, for genomes (n, d)."""
        return self._decoding.inputs(genomes)

    @property
    def behind(self) -> IndexArray:
        """(D,) the gene behind each column that the model takes."""
        return self.folding.behind

    def taken(self, genomes: IntArray) -> pd.DataFrame:
        """The genomes (n, d) as a frame of the columns that the model takes."""
        return self._decoding.rows(genomes)

    def frame(self, genomes: IntArray) -> pd.DataFrame:
        """The genomes (n, d) as a frame of features, as they are shown."""
        return self._decoding.shown(genomes)

    def column(self, gene: int, codes: IntArray) -> Any:
        """(n,) a column of that frame, by the codes (n,) of its gene."""
        return self._decoding.column(gene, codes)
