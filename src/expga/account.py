"""What a run has used by now: every question to the model and every second inside it, phase by phase."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from expga.errors import InputError
from expga.models import Reach
from expga.models.calls import FIRST, Predict
from expga.models.costs import CallCosts
from expga.models.repeated import repeated

PHASES = ("trial", "placebo", "population", "explain", "search")
TRIAL_SHARE = 0.05
"""The most of a budget that trying the model may take, besides its first few rows."""
FIRST_SHARE = 0.5
"""The most of a budget that those may take, but for the very first of them."""


@dataclass(slots=True)
class Account:
    """Of one run, from the first question on; where it is taken up again, of all its parts.

    A question is one row handed to one of the model's functions. It counts when it is asked, whatever becomes of it.
    """

    repeats: int = field(default=1, kw_only=True)
    """How often each question is put, for the majority of the answers."""

    most_queries: int | None = None
    most_seconds: float | None = None
    began: float = field(default_factory=time.perf_counter)
    """When the clock of this part of the run stood at 0."""
    phase: str = "trial"
    queries: dict[str, int] = field(default_factory=lambda: dict.fromkeys(PHASES, 0))
    model_s: dict[str, float] = field(default_factory=lambda: dict.fromkeys(PHASES, 0.0))
    """Seconds inside the model: of several calls that go on at once, as long as one of them goes on."""
    costs: CallCosts = field(default_factory=CallCosts)
    """What calls of one of the model's functions have taken."""
    closing_s: float = 0.0
    """The seconds that it will take to make results of what was found, which are part of the time there is."""
    spending: Callable[[], None] = lambda: None
    """Told before each call, when its queries are counted."""
    _elapsed_before: float = 0.0
    _tried_before: tuple[int, float] = (0, 0.0)
    _continued: bool = False
    _ended: tuple[str, float] = ("", 0.0)
    """The phase of the last call, and when it was over."""
    _beside: tuple[float, int] = (0.0, 0)
    """The seconds between the calls of the search, and the queries of those calls."""

    def take_up(self, elapsed: float, queries: Mapping[str, int], model_s: Mapping[str, float]) -> None:
        """Begins with what an earlier part of the same run has used."""
        self._elapsed_before = elapsed
        self.queries.update(queries)
        self.model_s.update(model_s)
        self._tried_before = self.queries["trial"], self.model_s["trial"]
        self._continued = True

    @property
    def total(self) -> int:
        """Queries so far."""
        return sum(self.queries.values())

    @property
    def seconds_per_query(self) -> float:
        """What a query has cost on average."""
        return sum(self.model_s.values()) / max(1, self.total)

    @property
    def seconds_per_input(self) -> float:
        """The same of all that is put to a function of the model about one row."""
        return self.seconds_per_query * self.repeats

    @property
    def seconds_beside(self) -> float:
        """What a query of the search takes until it is asked: breeding, reading, comparing; endless while unknown."""
        seconds, queries = self._beside
        return seconds / queries if queries else float("inf")

    @property
    def elapsed(self) -> float:
        return self._elapsed_before + time.perf_counter() - self.began

    def queries_left(self) -> int | None:
        """None: no limit."""
        return None if self.most_queries is None else self.most_queries - self.total

    def seconds_left(self) -> float | None:
        """Until nothing more may be asked; None: no limit."""
        return None if self.most_seconds is None else self.most_seconds - self.elapsed - self.closing_s

    def through(self, reach: Reach) -> Reach:
        """The same way to a model's functions, on which nothing passes uncounted; each question is put repeatedly."""

        def counted(model: Any, method: str | None) -> Predict:
            predict = reach(model, method)

            def ask(inputs: Any) -> Any:
                with self.asking(len(inputs)):
                    return predict(inputs)

            return ask

        return repeated(counted, self.repeats)

    @contextmanager
    def asking(self, rows: int) -> Iterator[None]:
        """So many questions, and the time that they take."""
        self.queries[self.phase] += rows
        self.spending()
        began = time.perf_counter()
        if self.phase == self._ended[0] == "search":
            self._beside = self._beside[0] + began - self._ended[1], self._beside[1] + rows
        try:
            yield
        finally:
            now = time.perf_counter()
            took, self._ended = now - began, (self.phase, now)
            self.model_s[self.phase] += took
            self.costs.took(rows, took)

    def afford(self, rows: int, functions: int, shown: int) -> int:
        """How many of so many more rows a trial may ask about; an `Allowance`.

        The first few may take up to half of what there is, more of them a small share. By the clock a trial begins
        with a single row, to learn how long that takes; without a limit of time it never looks at the clock.

        Raises:
            InputError: the budget does not even cover the first row. A run that is taken up asks about it all the same.
        """
        functions *= self.repeats
        share = FIRST_SHARE if shown < FIRST else TRIAL_SHARE
        tried, took = self.queries["trial"] - self._tried_before[0], self.model_s["trial"] - self._tried_before[1]
        if (left := self.queries_left()) is not None:
            if left + tried < functions and not self._continued:
                asked = f", each asked {self.repeats} times," if self.repeats > 1 else ""
                raise InputError(
                    f"The budget of queries, {self.most_queries}, does not cover the first question to the model: one "
                    f"row for each of its functions{asked} takes up to {functions}; give more."
                )
            rows = min(rows, int(share * (left + tried) - tried) // functions)
        if (seconds := self.seconds_left()) is not None:
            spare = share * (max(0.0, seconds) + took) - took
            rows = min(rows, int(spare * tried / max(took, 1e-9)) // functions if tried else 1)
        return max(0, rows)
