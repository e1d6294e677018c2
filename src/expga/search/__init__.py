"""Strategies: each a generator that proposes batches and is handed the verdicts."""

from __future__ import annotations

from expga.contracts import Strategy
from expga.errors import InputError
from expga.search.expga import ExpGA
from expga.search.published import PublishedExpGA
from expga.search.random import RandomTesting

STRATEGIES = {kind.name: kind for kind in (ExpGA, PublishedExpGA, RandomTesting)}


def strategy(name: str) -> Strategy:
    """The strategy of that name, with its published or measured parameters."""
    if name not in STRATEGIES:
        raise InputError(f"There is no strategy {name!r}; choose one of {', '.join(STRATEGIES)}.")
    return STRATEGIES[name]()
