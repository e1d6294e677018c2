"""When a run ends, and what it has used so far."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeVar

import numpy as np

from expga.account import Account
from expga.contracts import Answers, Domain, FloatArray, IntArray, Model, SlopesOf
from expga.criterion import majority
from expga.errors import InputError, ModelError, failed_on, is_theirs
from expga.models.answers import joined
from expga.models.calls import FIRST, LARGEST_CALL, Pace, part_of

Told = TypeVar("Told")

CALL_SHARE = 0.02
"""One call should take no more of a budget of time than this."""


class StopReason(StrEnum):
    """Why a run ended."""

    TIME = "time"
    QUERIES = "queries"
    FINDINGS = "findings"
    GENERATIONS = "generations"
    EXHAUSTED = "exhausted"
    INTERRUPTED = "interrupted"
    FAILED = "model failed"


@dataclass(frozen=True, slots=True)
class Budget:
    """What a run may use; None: no limit. Whichever is reached first ends it."""

    seconds: float | None = None
    queries: int | None = None
    generations: int | None = None
    findings: int | None = None

    def __post_init__(self) -> None:
        for name in ("seconds", "queries", "generations", "findings"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise InputError(f"The budget of {value:g} {name} leaves nothing to do; give more than 0.")


def seconds_of(text: str | float, what: str = "budget") -> float:
    """Seconds from "30s", "5m", "2h", "1m30s", or a number of seconds; an error calls it by what it is."""
    if isinstance(text, int | float) and not isinstance(text, bool):
        return float(text)
    number = r"(\d+(?:\.\d+)?)"
    match = re.fullmatch(rf"(?:{number}h)?(?:{number}m)?(?:{number}s?)?", str(text).strip().lower())
    if match is None or not any(match.groups()):
        raise InputError(f"The {what} {text!r} is no length of time; write it like 30s, 5m or 1h30m.")
    hours, minutes, seconds = (float(part or 0) for part in match.groups())
    total = hours * 3600 + minutes * 60 + seconds
    if total == float("inf"):
        raise InputError(f"The {what} has more digits than a length of time can; write it like 30s, 5m or 1h30m.")
    return total


class OutOfTimeError(Exception):
    """The time is over in the middle of a question; what was answered of it is dropped."""


@dataclass(slots=True)
class Meter:
    """The model behind the domain, as long as there is time.

    Where that is limited a large question is put in several calls, each short against the time there is, so that one
    call at most goes beyond it.
    """

    model: Model
    domain: Domain
    account: Account = field(default_factory=Account)
    slopes_of: SlopesOf | None = None
    _pace: Pace | None = None

    def __post_init__(self) -> None:
        limit, each = self.account.most_seconds, self.account.seconds_per_query
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
        left = self.account.seconds_left()
        return left is not None and left <= 0 and self.account.queries["population"] > 0

    def pace(self) -> int:
        """How many queries are worth asking together by now."""
        return LARGEST_CALL if self._pace is None else self._pace.rows

    def slopes(self, genomes: IntArray) -> FloatArray:
        """(n, d) the model's gradients at genomes (n, d), by gene."""
        return np.concatenate(self._in_calls(self._slopes, genomes))

    def _slopes(self, genomes: IntArray) -> FloatArray:
        if self.slopes_of is None:
            raise ModelError("The model offers no gradients.")
        try:
            with self.account.asking(len(genomes)):
                return self.slopes_of(genomes)
        except BaseException as error:
            if not is_theirs(error):
                raise
            raise failed_on(f"{len(genomes):,} rows", error) from error

    def about(self, genomes: IntArray) -> Answers:
        """Answers for genomes (n, d), each by the majority of its voices."""
        readings, decode = self.domain.readings, self.domain.decode
        voices = readings.voices(genomes)
        if voices is None:
            return self.ask(decode(genomes))
        ends = np.cumsum(voices)
        voice = np.arange(int(ends[-1])) - np.repeat(ends - voices, voices) if len(ends) else ends
        return majority(self.ask(decode(readings.speak(np.repeat(genomes, voices, axis=0), voice))), voices)


def answers_of(model: Model, inputs: Any) -> Answers:
    """The model's answers; what it returned may still fail when it is read, which becomes one sentence too."""
    try:
        return model.ask(inputs)
    except BaseException as error:
        if not is_theirs(error):
            raise
        raise failed_on(f"{len(inputs):,} rows", error) from error
