"""Asks models about any rows as an audit asked about its own: the same columns, readings, labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from expga.comparison import Yardstick
from expga.contracts import Criterion, FloatArray, IntArray, Model, Readings
from expga.criterion import saved_criterion
from expga.inquiry import Inquiry, answers_of
from expga.majority import in_voices
from expga.models import in_this_process
from expga.models.repeated import repeated
from expga.subjects import Rows, Saved, Trying, saved

ASKED_AT_ONCE = 50_000
TRIED_ON = 200


@dataclass(frozen=True, slots=True)
class Reader:
    """What an audit says of its subject, enough to ask a model about other rows."""

    subject: Saved
    given: Criterion | None = None
    """The criterion of the audit, where its name alone does not make it again."""

    @classmethod
    def of(cls, settings: Mapping[str, Any], given: Criterion | None = None) -> Reader:
        """By an audit's settings."""
        return cls(saved(settings), given)

    @property
    def criterion(self) -> Criterion:
        """What the audit counts as different."""
        return self.given or saved_criterion(self.settings["criterion"])

    @property
    def settings(self) -> Mapping[str, Any]:
        return self.subject.settings

    @property
    def protected(self) -> list[str]:
        return list(self.settings["protected"])

    def wrapped(self, model: Any, sample: Rows) -> tuple[Model, int | None]:
        """The model behind its contract, tried on some rows."""
        some = self.subject.take(sample, np.arange(min(len(sample), TRIED_ON)))
        told = {name: self.settings[name] for name in ("positive", "threshold", "classes")}
        reach = repeated(in_this_process, self.settings.get("repeats", 1))
        trying = Trying(**told, labels_decide=self.criterion.labels_decide, reach=reach)
        found = trying.of(model, self.subject.inputs(some))
        return found.model, found.positive

    def inquiry(self, model: Model, positive: int | None, rows: Rows) -> Inquiry:
        """A model asked about these rows as the audit asked about its own."""
        yardstick = Yardstick(self.criterion, positive)
        return Inquiry(model=model, domain=self.subject.domain(rows), yardstick=yardstick)


def reading_weights(readings: Readings, genomes: IntArray, shares: FloatArray | None) -> FloatArray:
    """(N, R) how much each reading of each row counts: the same for all twins of a row.

    Args:
        readings: R of them.
        genomes: (N, d) rows in a form that they share with their twins.
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
    domain, genomes = reader.subject.shared(rows)
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
