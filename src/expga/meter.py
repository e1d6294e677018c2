"""A model whose calls keep to the time that there is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import Any, TypeVar

import numpy as np

from expga.account import Account
from expga.contracts import Answers, FloatArray, GradientsOf, IntArray, Model
from expga.errors import ExpgaError, ModelError, failed_on, is_theirs
from expga.inquiry import answers_of
from expga.models import functions_of
from expga.models.answers import joined
from expga.models.calls import LARGEST_CALL, part_of
from expga.models.costs import SHORTEST

Told = TypeVar("Told")

CALL_SHARE = 0.02
"""One call should take no more of a budget of time than this, ..."""
FIXED_SHARE = 0.15
"""... unless more than this of it is what any call takes: then it may be about more rows, ..."""
LONG_SHARE = 0.06
"""... and take this much of the time."""
MOST_ROWS = 4 * LARGEST_CALL
"""Rows of a call where any call takes long, and a row next to nothing, to the model and to the search."""
SLACK = 1.25
"""Times as many rows that a call may have, where it is one less for it."""


class OutOfTimeError(ExpgaError):
    """The time is over in the middle of a question; what was answered of it is dropped."""

    def __init__(self) -> None:
        super().__init__("The time is over.")


@dataclass(slots=True)
class Meter:
    """A model, as long as there is time.

    Where that is limited a large question is put in several calls, each short against the time there is, but not so
    short that most of it is what any call takes, be it about a single row. One call at most goes beyond the time.
    """

    model: Model
    account: Account = field(default_factory=Account)
    gradients_of: GradientsOf | None = None

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
            some = part_of(inputs, done, done + self._next(len(inputs) - done))
            parts.append(ask(some))
            done += len(some)
        return parts

    def _next(self, left: int) -> int:
        """How many of so many rows the next call is about: all alike, and rather a little larger than one more."""
        rows = self._rows
        return left if rows is None else ceil(left / max(1, ceil(left / int(SLACK * rows))))

    @property
    def _late(self) -> bool:
        """Whether the time is over; a single call about the population is made all the same."""
        left, first = self.account.seconds_left(), self.account.phase == "population"
        return left is not None and left <= 0 and not (first and not self.account.queries["population"])

    def pace(self) -> int:
        """How many inputs are worth asking about together by now."""
        return self._rows or LARGEST_CALL

    def turn(self) -> int:
        """How many inputs the search may propose to ask about: no more than can be bred and answered in time."""
        left, rows = self.account.seconds_left(), self.pace()
        if left is None or not np.isfinite(beside := self.account.seconds_beside):
            return rows
        each = self._functions * (beside + self.account.costs.each)
        return int(np.clip(left / max(each, SHORTEST), 1, rows))

    @property
    def _rows(self) -> int | None:
        """Of a call, by what those before took and by the time that is left; None: time is not limited."""
        account, left = self.account, self.account.seconds_left()
        if account.most_seconds is None or left is None:
            return None
        functions = self._functions
        fixed, each = functions * account.costs.fixed, functions * account.costs.each
        worth = min(fixed / FIXED_SHARE, LONG_SHARE * account.most_seconds)
        seconds = max(CALL_SHARE * account.most_seconds, worth, 2 * fixed)
        seconds = min(seconds, max(left, (1 + FIXED_SHARE) * fixed))  # the last one ends with the time
        turn = max(each + functions * account.seconds_beside, SHORTEST)
        most = int(np.clip((seconds - fixed) / turn, LARGEST_CALL, MOST_ROWS))
        return account.costs.rows_within(seconds / functions, most)

    @property
    def _functions(self) -> int:
        """How many calls a question may take."""
        return functions_of(self.model) * self.account.repeats

    def seconds_an_input(self) -> float:
        """What one takes, in a call of the size that is worth while by now."""
        costs, rows = self.account.costs, self.pace()
        return self._functions * (costs.fixed / rows + costs.each)

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
