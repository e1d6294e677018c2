"""How much thought goes into what to ask: never more than the asking itself takes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

MOST = 32.0
"""Children bred for each that can be asked about, where queries are what counts."""
TREES_PAY = 10e-6
"""Seconds that an input must take a model for trees to be worth their time, ..."""
RANKING_PAYS = 2e-6
"""... and for any ranking."""
MOST_ANSWERS = 60_000
"""That trees learn from at a time, ..."""
ANSWERS_A_SECOND = 40_000
"""... and about how many they learn from in a second."""
LESSONS = 0.1
"""The share of the time that lessons may take."""
FULL = 0.5
"""The share of a batch that should be worth asking about: a call about few costs nearly as much as one about many."""
MOST_TO_FILL = 64.0
"""Children bred for each that can be asked about, where most are not worth it, ..."""
MOST_GENES = 1 << 21
"""... and genes of all of them, unless one batch has more."""
THOUGHT = 0.7
"""Of the time that asking takes, what thinking of what to ask should."""
STEP = 1.3


class Thrift:
    """By the clock, where time is what counts; where queries are, all the thought that helps."""

    def __init__(self, pace: Callable[[], float | None], genes: int) -> None:
        """Begins.

        Args:
            pace: the seconds that an input takes the model; None: queries are what counts.
            genes: of a child.
        """
        self._pace, self._genes = pace, genes
        self._to_fill = 1.0
        self._children = MOST if pace() is None else STEP
        self._thought = self._lessons = self._asking = 0.0
        self._began = 0.0 if pace() is None else time.perf_counter()

    @property
    def trees(self) -> int:
        """From how many answers trees may learn; 0: they do not pay for themselves."""
        pace = self._pace()
        if pace is None:
            return MOST_ANSWERS
        return 0 if pace < TREES_PAY else min(MOST_ANSWERS, int(ANSWERS_A_SECOND * self._asking / 10))

    @property
    def ranks(self) -> bool:
        """Whether ranking pays for itself, and a lesson is not too soon."""
        pace = self._pace()
        if pace is None:
            return True
        return pace >= RANKING_PAYS and self._lessons <= LESSONS * (time.perf_counter() - self._began)

    def children(self, batch: int) -> int:
        """How many to breed for a batch of so many."""
        most = max(batch, MOST_GENES // max(1, self._genes))
        return min(most, int(batch * max(self._children, self._to_fill)))

    @contextmanager
    def thinking(self, lesson: bool = False) -> Iterator[None]:
        """Time that goes into thought."""
        if self._pace() is None:
            yield
            return
        began = time.perf_counter()
        yield
        took = time.perf_counter() - began
        if lesson:
            self._lessons += took
        else:
            self._thought += took

    def asked(self, samples: int, bred: int) -> None:
        """Told how many samples were asked about, of so many bred.

        More thought goes into the next where it took less time than it should, or less.
        """
        self._to_fill = min(MOST_TO_FILL, max(1.0, FULL * bred / max(1, samples)))
        pace = self._pace()
        if pace is None:
            return
        asking, thought, self._thought = 2 * samples * pace, self._thought, 0.0
        self._asking += asking
        step = STEP if thought < THOUGHT * asking else 1 / STEP
        self._children = min(MOST, max(1.0, self._children * step))
