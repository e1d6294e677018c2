"""One flipped bit, anywhere in what a run has left."""

from __future__ import annotations

import signal
from dataclasses import replace

import numpy as np

from campaign.case import Case, Fault, Step
from campaign.sections.faults import AUDIT, people

NAME = "flips"
FINISHED = ("expga.db", "expga.db-mark", "findings.parquet", "summary.json")
KILLED = ("expga.db", "expga.db-wal", "expga.db-mark")
REPLAY = ("replay", "out", "--model", "quiet:model", "--fail-under", "1")


class Flips:
    """A finished or a killed run, one of its files, one bit."""

    name = NAME
    total = 2_000

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def case(self, number: int) -> Case:
        rng = np.random.default_rng([self._seed, 3, number])
        finished = rng.random() < 0.5
        name = str(rng.choice(FINISHED if finished else KILLED))
        run = Step(AUDIT)
        if not finished:
            run = replace(run, fault=Fault("signal", int(rng.integers(40, 130)), argument=signal.SIGKILL))
        flip = Step((f"out/{name}", f"{rng.random():.9f}"), "flip")
        read = Step(REPLAY) if name in ("findings.parquet", "summary.json") else Step(AUDIT, "carry on")
        kind = "finished" if finished else "killed"
        return Case(NAME, people(), (run, flip, read), ("noticed",), about=f"{name} of a {kind} run")
