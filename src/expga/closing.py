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
SLACK = 2.0
"""Millions take longer each than a few, which fit into a cache; and they are compared with each other."""


@dataclass(slots=True)
class Closing:
    """Tries on a few findings what will be done with all of them."""

    close: Callable[[Findings], object]
    """Makes results of findings."""
    _each: float = 0.0
    _next: int = field(default=FEWEST)

    def seconds(self, some: Findings, count: int) -> float:
        """What so many findings will take, going by some of them."""
        if len(some) >= FEWEST and count >= self._next:
            one, all_of_them = (self._took(part) for part in (some.first(1), some))
            self._each = SLACK * max(0.0, all_of_them - one) / len(some)
            self._next = AGAIN * count
        return self._each * count

    def _took(self, findings: Findings) -> float:
        began = time.perf_counter()
        self.close(findings)
        return time.perf_counter() - began
