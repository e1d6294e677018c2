"""A model whose calls keep to the time that there is."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from expga.account import Account
from expga.contracts import Answers, FloatArray, GradientsOf, IntArray, Model
from expga.errors import ExpgaError, ModelError, failed_on, is_theirs
from expga.inquiry import answers_of
from expga.models.answers import joined
from expga.models.calls import FIRST, LARGEST_CALL, Pace, part_of

Told = TypeVar("Told")

CALL_SHARE = 0.02
"""One call should take no more of a budget of time than this."""


class OutOfTimeError(ExpgaError):
    """The time is over in the middle of a question; what was answered of it is dropped."""

    def __init__(self) -> None:
        super().__init__("The time is over.")


@dataclass(slots=True)
class Meter:
    """A model, as long as there is time.

    Where that is limited a large question is put in several calls, each short against the time there is, so that one
    call at most goes beyond it.
    """

    model: Model
    account: Account = field(default_factory=Account)
    gradients_of: GradientsOf | None = None
    _pace: Pace | None = None

    def __post_init__(self) -> None:
        limit, each = self.account.most_seconds, self.account.seconds_per_input
        if limit is not None:
            call_s = CALL_SHARE * limit
            rows = int(np.clip(call_s / each if each else FIRST, 1, FIRST))
            self._pace = Pace(call_s, rows=rows, quickest=self.account.quickest)

    @property
    def classes(self) -> Sequence[Any]:
        """The model's labels."""
        return self.model.classes

    def ask(self, inputs: Any) -> Answers:
        """Answers for inputs as the model takes them."""
        return joined(self._in_calls(lambda some: answers_of(self.model, some), inputs))

    def _in_calls(self, ask: Callable[[Any], Told], inputs: Any) -> list[Told]:
        """What is said to one part of the inputs after the other, each so small that it takes little of the time."""
        parts: list[Told] = []
        done = 0
        while not parts or done < len(inputs):
            if self._late:
                raise OutOfTimeError
            some = inputs if self._pace is None else part_of(inputs, done, done + self._pace.rows)
            began = time.perf_counter()
            parts.append(ask(some))
            if self._pace is not None:
                self._pace.took(len(some), time.perf_counter() - began)
            done += len(some)
        return parts

    @property
    def _late(self) -> bool:
        """Whether the time is over; a single call about the population is made all the same."""
        left, first = self.account.seconds_left(), self.account.phase == "population"
        return left is not None and left <= 0 and not (first and not self.account.queries["population"])

    def pace(self) -> int:
        """How many queries are worth asking together by now."""
        return LARGEST_CALL if self._pace is None else self._pace.rows

    def gradients(self, genomes: IntArray) -> FloatArray:
        """(n, d) the model's gradients at genomes (n, d), by gene."""
        return np.concatenate(self._in_calls(self._gradients, genomes))

    def _gradients(self, genomes: IntArray) -> FloatArray:
        if self.gradients_of is None:
            raise ModelError("The model offers no gradients.")
        try:
            with self.account.asking(len(genomes)):
                return self.gradients_of(genomes)
        except BaseException as error:
            if not is_theirs(error):
                raise
            raise failed_on(f"{len(genomes):,} rows", error) from error
