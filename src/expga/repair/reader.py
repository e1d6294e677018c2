"""Reads any rows as an audit read its own: the same columns, readings, labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from expga import lexicon
from expga.contracts import BoolArray, FloatArray, Model
from expga.criterion import Criterion
from expga.domain.schema import FeatureRule, read_schema
from expga.domain.tabular import TabularDomain
from expga.domain.text import TextDomain
from expga.domain.text.readings import AS_IS, SWAPPED
from expga.population import Population, measure
from expga.repair.rows import Rows, take
from expga.subjects import tried

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


@dataclass(frozen=True, slots=True)
class Reader:
    """What an audit says of its subject, enough to ask a model about other rows."""

    settings: Mapping[str, Any]

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> Reader:
        """The part of an audit's settings that reading rows takes."""
        return cls({name: settings[name] for name in NEEDED if name in settings})

    @property
    def texts(self) -> bool:
        return bool(self.settings["kind"] == "text")

    @property
    def protected(self) -> list[str]:
        return list(self.settings["protected"])

    def inputs(self, rows: Rows) -> Any:
        """The rows as the model takes them."""
        return rows.to_numpy() if isinstance(rows, pd.DataFrame) and self.settings["as_array"] else rows

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

    def population(self, model: Model, positive: int | None, rows: Rows) -> Population:
        """How often these rows flip."""
        domain = self.domain(rows)

        def ask(genomes: Any) -> Any:
            return model.ask(domain.decode(genomes))

        return measure(
            ask,
            domain.rows,
            np.arange(len(rows)),
            domain.readings,
            dict(domain.attribute_readings),
            Criterion(self.settings["min_gap"]),
            positive,
            lambda: False,
        )


def closed(domain: TabularDomain | TextDomain, valid: BoolArray) -> BoolArray:
    """(n, R) of the valid readings those that each twin of a row has as well, as a set.

    A text about a woman and a man can be read with both swapped, or as about two women; but the text about two women
    knows only two men. What both have in common are the readings that name one group for everybody.
    """
    if isinstance(domain, TabularDomain):
        return valid
    two_sided = [attribute.name for attribute in domain.attributes if attribute.two_sided]
    named = np.array([all(label[n] not in (AS_IS, SWAPPED) for n in two_sided) for label in domain.readings.labels])
    common = valid & named
    return np.where((common.any(axis=1) & bool(two_sided))[:, None], common, valid)


def reading_weights(domain: TabularDomain | TextDomain, shares: FloatArray | None) -> FloatArray:
    """(N, R) how much each reading of each row counts: the same for all twins of a row.

    Args:
        domain: N rows.
        shares: (R,) the weight of each reading; None: all alike. A row that has none of those with any weight
            counts all it has.
    """
    valid = closed(domain, domain.readings.valid(domain.rows)).astype(np.float64)
    if shares is None:
        return valid
    weights = valid * shares
    return np.where(weights.sum(axis=1, keepdims=True) > 0, weights, valid)


def mean_scores(model: Model, domain: TabularDomain | TextDomain, shares: FloatArray | None) -> FloatArray:
    """(N, k) the model's scores for each row of a domain, averaged over its readings.

    Args:
        model: what to ask.
        domain: N rows.
        shares: (R,) the weight of each reading; None: all alike.
    """
    genomes, readings = domain.rows, domain.readings
    weights = reading_weights(domain, shares)
    alone = np.flatnonzero(weights.sum(axis=1) == 0)
    owner, reading = np.nonzero(weights)
    twins = np.concatenate([readings.read(genomes[owner], reading), genomes[alone]])
    weight = np.concatenate([weights[owner, reading], np.ones(len(alone))])
    owner = np.concatenate([owner, alone])
    if (voices := readings.voices(twins)) is not None:
        spoken = np.repeat(np.arange(len(twins)), voices)
        voice = np.arange(len(spoken)) - np.repeat(np.cumsum(voices) - voices, voices)
        twins, owner = readings.speak(twins[spoken], voice), owner[spoken]
        weight = (weight / voices)[spoken]
    parts = [
        model.ask(domain.decode(twins[start : start + ASKED_AT_ONCE])).scores
        for start in range(0, len(twins), ASKED_AT_ONCE)
    ]
    scores = np.concatenate(parts)
    total = np.bincount(owner, weight, len(genomes))
    sums = [np.bincount(owner, weight * column, len(genomes)) / total for column in scores.T]
    return np.column_stack(sums)
