"""How long it will take to make results of what was found: a search of a quick model may find millions."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from expga.findings import Findings

FEWEST = 256
"""Findings by which that can be told."""
AGAIN = 4
"""Times as many findings after which it is told again."""
MOST_TRIES = 16
LONG_ENOUGH = 0.1
"""Seconds of trying."""
SLACK = 2.5
"""Millions take longer each than a few, which fit into a cache; and they are compared with each other."""


@dataclass(slots=True)
class Closing:
    """Tries on a few findings what will be done with all of them."""

    close: Callable[[Findings], object]
    """Makes results of findings."""
    besides: float = 0.0
    """Seconds that it takes however few they are."""
    _begun: bool = False
    _each: float = 0.0
    _next: int = field(default=FEWEST)

    def seconds(self, some: Findings, count: int) -> float:
        """What so many findings will take, going by some of them; what is learned once is learned now."""
        if len(some) and not self._begun:
            self.close(some.first(1))
            self._begun = True
        if len(some) >= FEWEST and count >= self._next:
            self._each = SLACK * max(0.0, self._beyond_one(some)) / len(some)
            self._next = AGAIN * count
        return self.besides + self._each * count

    def _beyond_one(self, some: Findings) -> float:
        """How much longer some take than one: on average of several tries, for a busy machine stops now and then."""
        tries, one, whole = 0, 0.0, 0.0
        while tries < MOST_TRIES and one + whole < LONG_ENOUGH:
            one += self._took(some.first(1))
            whole += self._took(some)
            tries += 1
        return (whole - one) / tries

    def _took(self, findings: Findings) -> float:
        began = time.perf_counter()
        self.close(findings)
        return time.perf_counter() - began
