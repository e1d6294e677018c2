"""The course of a run: found and tested samples over time and queries, in few enough points to keep."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

from expga.plan import Snapshot

MOST = 200
"""Points that are kept of a curve."""

Point = tuple[str, float, int, int, int]
"""Phase, seconds, queries, tested, found."""


@dataclass(slots=True)
class Recorder:
    """Watches an audit; every so many snapshots are kept, fewer the longer it goes on, and always the last."""

    points: list[Point] = field(default_factory=list)
    last: Point | None = None
    begun: float | None = None
    """Seconds at the first snapshot, when the table was learnt and the model was tried."""
    tried: int = 0
    """Queries at the first snapshot: those of the trial."""
    engine_began: float = 0.0
    """When the audit's clock stood at 0, by `time.perf_counter`."""
    ends: dict[str, tuple[float, int]] = field(default_factory=dict)
    """Seconds and queries at the last snapshot of each phase."""
    seen: int = 0
    stride: int = 1

    def __call__(self, now: Snapshot) -> None:
        self.last = (now.phase, round(now.elapsed, 4), now.queries, now.tested, now.found)
        if self.begun is None:
            self.begun, self.tried = now.elapsed, now.queries
            self.engine_began = time.perf_counter() - now.elapsed
        self.ends[now.phase] = (now.elapsed, now.queries)
        if self.seen % self.stride == 0:
            self.points.append(self.last)
            if len(self.points) >= MOST:
                self.points = self.points[::2]
                self.stride *= 2
        self.seen += 1

    def curve(self) -> list[Point]:
        """At most `MOST` points, the last snapshot among them."""
        complete = self.last is None or (self.points and self.points[-1] == self.last)
        return self.points if complete or self.last is None else [*self.points, self.last]


@dataclass(frozen=True, slots=True)
class Cost:
    """What a method itself has used: explaining and searching, and the population where its seeds come from it."""

    seconds: float
    offset_s: float
    """What its clock shows less than the audit's."""
    offset_queries: int


def cost_of(summary: dict[str, Any], recorder: Recorder) -> Cost:
    """A method's own: not learning the table nor trying the model, the population only where seeds come from it."""
    seconds, queries = recorder.begun or 0.0, recorder.tried
    if summary["settings"]["explainer"] != "gap":
        seconds, queries = recorder.ends.get("population", (seconds, 0))
    return Cost(summary["elapsed_s"] - seconds, seconds, queries)
