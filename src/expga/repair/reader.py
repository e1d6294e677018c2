"""Reads any rows as an audit read its own: the same columns, readings, labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from expga import lexicon
from expga.comparison import Yardstick
from expga.contracts import FloatArray, IntArray, Model, Readings
from expga.criterion import criterion_of
from expga.domain.schema import FeatureRule, read_schema
from expga.domain.tabular import TabularDomain
from expga.domain.text import TextDomain
from expga.domain.text.readings import AS_IS, SWAPPED, Attribute
from expga.inquiry import Inquiry, answers_of
from expga.majority import in_voices
from expga.repair.rows import Rows, take
from expga.subjects import tried, unnamed_columns

ASKED_AT_ONCE = 50_000
NEEDED = (
    "kind",
    "protected",
    "rules",
    "features",
    "covered",
    "as_array",
    "positive",
    "threshold",
    "min_gap",
    "classes",
)
RULES = {"table": ("schema",), "text": ("lexicon", "vectors")}


@dataclass(frozen=True, slots=True)
class Reader:
    """What an audit says of its subject, enough to ask a model about other rows."""

    settings: Mapping[str, Any]

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> Reader:
        """The part of an audit's settings that reading rows takes."""
        needed = {name: settings[name] for name in NEEDED if name in settings}
        return cls({**needed, "rules": {name: settings["rules"][name] for name in RULES[settings["kind"]]}})

    @property
    def texts(self) -> bool:
        return bool(self.settings["kind"] == "text")

    @property
    def protected(self) -> list[str]:
        return list(self.settings["protected"])

    def inputs(self, rows: Rows) -> Any:
        """The rows as the model takes them."""
        return rows.to_numpy() if isinstance(rows, pd.DataFrame) and self.settings["as_array"] else rows

    def data(self, rows: Rows) -> Any:
        """The rows as an audit takes them: an array if that is what the user gave, whose columns have no names."""
        unnamed = isinstance(rows, pd.DataFrame) and list(rows.columns) == unnamed_columns(rows.shape[1])
        return self.inputs(rows) if unnamed else rows

    def domain(self, rows: Rows) -> TabularDomain | TextDomain:
        """The rows with their readings. Nothing is bounded: any row may come."""
        rules, protected = self.settings["rules"], self.protected
        if not isinstance(rows, pd.DataFrame):
            return TextDomain(
                rows, protected, lexicon.load(rules["lexicon"]), lambda texts: [{} for _ in texts], "data"
            )
        schema = read_schema(rules["schema"])
        types = {name: FeatureRule(type=rule.type) for name, rule in schema.features.items()}
        unbounded = type(schema)(types, schema.forbid, schema.protected)
        return TabularDomain(rows, protected, unbounded, "data", self.settings["as_array"])

    def wrapped(self, model: Any, sample: Rows) -> tuple[Model, int | None]:
        """The model behind its contract, tried on some rows."""
        settings = self.settings
        some = self.inputs(take(sample, np.arange(min(len(sample), 200))))
        return tried(model, some, settings["positive"], settings["threshold"], settings["classes"])

    def inquiry(self, model: Model, positive: int | None, rows: Rows) -> Inquiry:
        """A model asked about these rows as the audit asked about its own."""
        yardstick = Yardstick(criterion_of(self.settings["min_gap"]), positive)
        return Inquiry(model=model, domain=self.domain(rows), yardstick=yardstick)


def one_version(domain: TextDomain) -> list[str]:
    """(N,) each text with everybody in it of the first group that they can be of."""
    number = {tuple(label.values()): reading for reading, label in enumerate(domain.readings.labels)}
    names = [attribute.name for attribute in domain.attributes]
    own = zip(*(domain.groups(name) for name in names), strict=True)
    valid = domain.readings.valid(domain.rows)
    reading = np.zeros(len(domain.rows), dtype=np.intp)
    for row, groups in enumerate(own):
        choices = product(*(_first_groups(a, group) for a, group in zip(domain.attributes, groups, strict=True)))
        reading[row] = next((number[c] for c in choices if c in number and valid[row, number[c]]), 0)
    return domain.decode(domain.readings.read(domain.rows, reading))


def _first_groups(attribute: Attribute, own: str | None) -> list[str]:
    """The readings of a text that speaks of one group, or of none, those that twins share first."""
    if attribute.two_sided:
        one, _ = attribute.groups
        return [one, AS_IS if own == one else SWAPPED, AS_IS]
    first = [AS_IS if group == own else group for group in attribute.groups]
    return first if AS_IS in first else [*first, AS_IS]


def shared_rows(reader: Reader, rows: Rows) -> tuple[TabularDomain | TextDomain, IntArray]:
    """A domain, and in it each of N rows as a genome (N, d) that has the same readings as those of the row's twins."""
    domain = reader.domain(rows)
    if isinstance(domain, TabularDomain):
        return domain, domain.readings.shared(domain.rows)
    domain = reader.domain(one_version(domain))
    return domain, domain.rows


def reading_weights(readings: Readings, genomes: IntArray, shares: FloatArray | None) -> FloatArray:
    """(N, R) how much each reading of each row counts: the same for all twins of a row.

    Args:
        readings: R of them.
        genomes: (N, d) rows as `shared_rows` has them.
        shares: (R,) the weight of each reading; None: all alike. A row that has none of those with any weight
            counts all it has, and one that has none at all is read as if it had.
    """
    valid = readings.valid(genomes).astype(np.float64)
    usual = np.eye(readings.count)[0] if shares is None else shares
    weights = valid if shares is None else valid * shares
    for instead in (valid, usual):
        weights = np.where(weights.any(axis=1, keepdims=True), weights, instead)
    return weights


def mean_scores(reader: Reader, model: Model, rows: Rows, shares: FloatArray | None) -> FloatArray:
    """(N, k) the model's scores for each row, averaged over its readings.

    Args:
        reader: how rows are read.
        model: what to ask.
        rows: N of them.
        shares: (R,) the weight of each reading; None: all alike.
    """
    domain, genomes = shared_rows(reader, rows)
    readings = domain.readings
    weights = reading_weights(readings, genomes, shares)
    owner, reading = np.nonzero(weights)
    twins, weight = readings.read(genomes[owner], reading), weights[owner, reading]
    twins, voices = in_voices(readings, twins)
    if voices is not None:
        owner, weight = np.repeat(owner, voices), np.repeat(weight / voices, voices)
    parts = [
        answers_of(model, domain.decode(twins[start : start + ASKED_AT_ONCE])).scores
        for start in range(0, len(twins), ASKED_AT_ONCE)
    ]
    widest = max(part.shape[1] for part in parts)  # a model of labels may show a new one at any time
    scores = np.concatenate([np.pad(part, ((0, 0), (0, widest - part.shape[1]))) for part in parts])
    total = np.bincount(owner, weight, len(genomes))
    sums = [np.bincount(owner, weight * column, len(genomes)) / total for column in scores.T]
    return np.column_stack(sums)
