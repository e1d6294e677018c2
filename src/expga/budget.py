"""When a run ends, and what it has used so far."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np

from expga.contracts import Answers, Domain, FloatArray, IntArray, Model, SlopesOf
from expga.criterion import majority
from expga.errors import InputError, ModelError, failed_on, is_theirs

FIRST_CALL = 8
LARGEST_CALL = 16_384


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


def seconds_of(text: str | float) -> float:
    """Seconds from "30s", "5m", "2h", "1m30s", or a number of seconds."""
    if isinstance(text, int | float) and not isinstance(text, bool):
        return float(text)
    number = r"(\d+(?:\.\d+)?)"
    match = re.fullmatch(rf"(?:{number}h)?(?:{number}m)?(?:{number}s?)?", str(text).strip().lower())
    if match is None or not any(match.groups()):
        raise InputError(f"The budget {text!r} is no length of time; write it like 30s, 5m or 1h30m.")
    hours, minutes, seconds = (float(part or 0) for part in match.groups())
    total = hours * 3600 + minutes * 60 + seconds
    if total == float("inf"):
        raise InputError("The budget has more digits than a length of time can; write it like 30s, 5m or 1h30m.")
    return total


class OutOfTimeError(Exception):
    """The time is over in the middle of a question; what was answered of it is dropped."""


@dataclass(slots=True)
class Meter:
    """The model behind the domain, with every query and every second inside the model counted.

    A query counts when it is asked, whatever becomes of it. Where time is limited a large question is put in several
    calls, each short against the time there is, so that one call at most goes beyond it.
    """

    model: Model
    domain: Domain
    slopes_of: SlopesOf | None = None
    seconds_left: Callable[[], float] | None = None
    """Until the run must end; None: no limit."""
    call_s: float = 0.0
    """How long a call should take at most where time is limited."""
    spending: Callable[[], None] = lambda: None
    """Told before each call, when its queries are counted."""
    rows: int = FIRST_CALL
    """How many inputs the next call should have, by how long those before took."""
    phase: str = "population"
    queries: dict[str, int] = field(default_factory=lambda: {"population": 0, "explain": 0, "search": 0})
    model_s: dict[str, float] = field(default_factory=lambda: {"population": 0.0, "explain": 0.0, "search": 0.0})

    @property
    def total(self) -> int:
        """Queries so far."""
        return sum(self.queries.values())

    @property
    def seconds_per_query(self) -> float:
        """What a query has cost on average."""
        return sum(self.model_s.values()) / max(1, self.total)

    @property
    def classes(self) -> Sequence[Any]:
        """The model's labels."""
        return self.model.classes

    def ask(self, inputs: Any) -> Answers:
        """Answers for inputs as the model takes them."""
        if self.seconds_left is None or len(inputs) <= 1:
            return self._call(inputs)
        parts: list[Answers] = []
        done = 0
        while done < len(inputs):
            if done and self.seconds_left() <= 0:
                raise OutOfTimeError
            some = _slice(inputs, done, self.rows)
            parts.append(self._call(some))
            done += len(some)
        return parts[0] if len(parts) == 1 else joined(parts)

    def pace(self) -> int:
        """How many queries are worth asking together by now."""
        return LARGEST_CALL if self.seconds_left is None else self.rows

    def _call(self, inputs: Any) -> Answers:
        self.queries[self.phase] += len(inputs)
        self.spending()
        began = time.perf_counter()
        try:
            return answers_of(self.model, inputs)
        finally:
            took = time.perf_counter() - began
            self.model_s[self.phase] += took
            if 2 * took < self.call_s and len(inputs) >= self.rows:
                self.rows = min(2 * self.rows, LARGEST_CALL)
            elif took > self.call_s:
                self.rows = max(1, self.rows // 2)

    def slopes(self, genomes: IntArray) -> FloatArray:
        """(n, d) the model's gradients at genomes (n, d), by gene."""
        if self.slopes_of is None:
            raise ModelError("The model offers no gradients.")
        self.queries[self.phase] += len(genomes)
        self.spending()
        began = time.perf_counter()
        try:
            return self.slopes_of(genomes)
        except BaseException as error:
            if not is_theirs(error):
                raise
            raise failed_on(f"{len(genomes):,} rows", error) from error
        finally:
            self.model_s[self.phase] += time.perf_counter() - began

    def about(self, genomes: IntArray) -> Answers:
        """Answers for genomes (n, d), each by the majority of its voices."""
        readings, decode = self.domain.readings, self.domain.decode
        voices = readings.voices(genomes)
        if voices is None:
            return self.ask(decode(genomes))
        ends = np.cumsum(voices)
        voice = np.arange(int(ends[-1])) - np.repeat(ends - voices, voices) if len(ends) else ends
        return majority(self.ask(decode(readings.speak(np.repeat(genomes, voices, axis=0), voice))), voices)


def _slice(inputs: Any, start: int, rows: int) -> Any:
    """Some inputs of a frame or an array, as one of their own."""
    return inputs.iloc[start : start + rows] if hasattr(inputs, "iloc") else inputs[start : start + rows]


def joined(parts: Sequence[Answers]) -> Answers:
    """Answers one after the other; a model of labels may know more of them later on."""
    classes = max(part.scores.shape[1] for part in parts)
    scores = [np.pad(part.scores, ((0, 0), (0, classes - part.scores.shape[1]))) for part in parts]
    return Answers(
        np.concatenate([part.labels for part in parts]),
        np.concatenate(scores),
        np.concatenate([part.margins for part in parts]),
    )


def answers_of(model: Model, inputs: Any) -> Answers:
    """The model's answers; what it returned may still fail when it is read, which becomes one sentence too."""
    try:
        return model.ask(inputs)
    except BaseException as error:
        if not is_theirs(error):
            raise
        raise failed_on(f"{len(inputs):,} rows", error) from error
