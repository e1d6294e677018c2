"""The first questions to a model: few rows, then more, as long as an allowance lasts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import msgspec
import numpy as np

from expga.contracts import TIE, Answers, FloatArray, Model
from expga.models.answers import Values, joined
from expga.models.calls import FIRST, part_of
from expga.models.wrapped import LabelModel, Source, answer, deciding

MOST = 1_000
REMEMBERED = 64
"""Rows whose answers tell one model from another."""


class Allowance(Protocol):
    """What a trial may cost."""

    def afford(self, rows: int, functions: int, shown: int) -> int:
        """How many of so many more rows may be asked about; 0 ends a trial, but one row is always asked about.

        Args:
            rows: that are wanted next.
            functions: of the model, to each of which a row may be handed.
            shown: rows so far.
        """
        ...


class Unlimited:
    """An allowance for all the rows there are."""

    def afford(self, rows: int, functions: int, shown: int) -> int:  # noqa: ARG002 - whatever they are
        return rows


@dataclass(frozen=True, slots=True)
class FirstAnswers:
    """What a model said of the first rows of a trial, to know it again by."""

    labels: list[str | None]
    """(m,) in the user's own words; None where it is a tie, or there are none."""
    scores: FloatArray
    """(m, k) one a class, k = 0 where there are only labels."""

    def packed(self) -> bytes:
        """All of it as bytes."""
        return msgspec.json.encode(_Record(self.labels, self.scores.tolist()))

    @classmethod
    def unpacked(cls, packed: bytes) -> FirstAnswers:
        """What `packed` gave."""
        told = msgspec.json.decode(packed, type=_Record)
        return cls(told.labels, np.array(told.scores, dtype=np.float64).reshape(len(told.labels), -1))

    def same_as(self, kept: FirstAnswers) -> bool:
        """Whether the model that left these answers may be this one, by the rows that both were asked about."""
        rows = min(len(self.labels), len(kept.labels))
        ours, theirs = self.scores[:rows], kept.scores[:rows]
        if ours.shape != theirs.shape or (np.abs(ours - theirs) > TIE * np.maximum(1.0, np.abs(theirs))).any():
            return False
        return self.relabelled(kept)[0] == 0

    def relabelled(self, kept: FirstAnswers) -> tuple[int, int]:
        """To how many of the rows that both were asked about they give another label, and how many rows these are."""
        pairs = list(zip(self.labels, kept.labels, strict=False))
        return sum(None not in pair and pair[0] != pair[1] for pair in pairs), len(pairs)


class _Record(msgspec.Struct, forbid_unknown_fields=True):
    """First answers as they are kept."""

    labels: list[str | None]
    scores: list[list[float]]


class Trial:
    """A model's answers about the first rows of a sample, each function asked about each row once."""

    def __init__(self, sample: Any, allowance: Allowance, most: int = MOST) -> None:
        """Nothing is asked yet.

        Args:
            sample: rows as the model takes them, those first that it should be shown first.
            allowance: what it may cost.
            most: rows, at most.
        """
        self._sample = sample
        self._allowance = allowance
        self.total = min(len(sample), most)
        self.shown = 0
        self._said: dict[str | None, list[Values]] = {}

    @property
    def whole(self) -> bool:
        """Whether all rows were shown."""
        return self.shown >= self.total

    def grow(self, functions: int) -> bool:
        """Shows the first few rows, or as many more as were shown so far; whether there were more that it may.

        Args:
            functions: how many of the model's functions may be asked about each row.
        """
        wanted = min(self.shown if self.shown >= FIRST else FIRST - self.shown, self.total - self.shown)
        more = min(wanted, self._allowance.afford(wanted, functions, self.shown)) if wanted else 0
        if not self.shown:
            more = max(1, more)
        self.shown += max(0, more)
        return more > 0

    def said(self, source: Source) -> list[Values]:
        """What a function returned for the rows shown, part by part; it is asked about those that are new to it."""
        parts = self._said.setdefault(source.asks, [])
        known = sum(map(len, parts))
        if known < self.shown:
            parts.append(answer(source.predict, part_of(self._sample, known, self.shown), source.what))
        return parts

    def answers(self, model: Source) -> Answers:
        """A model's answers about the rows shown."""
        answers = joined([model.read(part) for part in self.said(model)])
        if isinstance(model, LabelModel) and model.scored is not None:
            return model.beside(answers, self.answers(model.scored))
        return answers

    def first(self, model: Model) -> FirstAnswers:
        """What the model says of the first rows."""
        answers = self.of(model)
        labels, classes = answers.labels[:REMEMBERED].tolist(), model.classes
        names = [str(classes[number]) if classes else None for number in labels]
        clear = (answers.margins[:REMEMBERED] > TIE).tolist()
        only_labels = isinstance(model, LabelModel) and model.scored is None
        return FirstAnswers(
            [name if sure else None for name, sure in zip(names, clear, strict=True)],
            answers.scores[:REMEMBERED, : 0 if only_labels else None],
        )

    def of(self, model: Model) -> Answers:
        """A model's answers about the rows shown, whatever asks them."""
        source: Any = deciding(model) or model
        return self.answers(source)
