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
TRIED = 16_384
"""Findings to try with: more than fit into a cache."""
MOST_TRIES = 16
LONG_ENOUGH = 0.1
"""Seconds of trying."""
SLACK = 1.6
"""Millions take longer each than thousands do; and they are compared with each other."""


@dataclass(slots=True)
class Closing:
    """Tries on the latest findings what will be done with all of them."""

    close: Callable[[Findings], object]
    """Makes results of findings, and writes them where they are to be written."""
    besides: float = 0.0
    """Seconds that it takes however few they are."""
    _begun: bool = False
    _once: float = 0.0
    _each: float = 0.0
    _next: int = field(default=FEWEST)
    _latest: list[Findings] = field(default_factory=list)

    def seconds(self, some: Findings, count: int) -> float:
        """What so many findings will take, some of which were found just now; what is learned once is learned now."""
        if len(some) and not self._begun:
            self.close(some.first(1))
            self._begun = True
        self._latest.append(some)
        while len(self._latest) > 1 and sum(map(len, self._latest[1:])) >= TRIED:
            del self._latest[0]
        held = sum(map(len, self._latest))
        if held >= FEWEST and count >= self._next:
            tried = Findings.joined(self._latest, some.genomes.shape[1]).first(TRIED)
            self._once, whole = self._took(tried.first(1), tried)
            self._each = SLACK * max(0.0, whole - self._once) / len(tried)
            self._next = AGAIN * count
        return self.besides + self._once + self._each * count

    def _took(self, one: Findings, several: Findings) -> tuple[float, float]:
        """How long each takes: on average of several tries, for a busy machine stops now and then."""
        tries, took = 0, [0.0, 0.0]
        while tries < MOST_TRIES and sum(took) < LONG_ENOUGH:
            for place, findings in enumerate((one, several)):
                began = time.perf_counter()
                self.close(findings)
                took[place] += time.perf_counter() - began
            tries += 1
        return took[0] / tries, took[1] / tries
