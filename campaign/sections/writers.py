"""Two runs at once in one folder."""

from __future__ import annotations

import signal

import numpy as np

from campaign.case import Case, Fault, Step
from campaign.sections.faults import AUDIT, people

NAME = "writers"


class Writers:
    """Two that begin, or two that go on with what a killed one has left."""

    name = NAME
    total = 100

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def case(self, number: int) -> Case:
        rng = np.random.default_rng([self._seed, 4, number])
        if rng.random() < 0.5:
            return Case(
                NAME, people(), (Step(AUDIT, "together"), Step(AUDIT, "carry on")), ("kept",), about="two begin"
            )
        killed = Step(AUDIT, fault=Fault("signal", int(rng.integers(40, 130)), argument=signal.SIGKILL))
        both = Step((*AUDIT, "--resume"), "together")
        return Case(NAME, people(), (killed, both, Step(AUDIT, "carry on")), ("kept",), about="two go on")
