"""Strategies: each a generator that proposes batches and is handed the verdicts."""

from __future__ import annotations

from expga.contracts import Strategy
from expga.errors import InputError
from expga.search.aequitas import Aequitas, RandomAequitas, SemiDirectedAequitas
from expga.search.exhaustive import Exhaustive
from expga.search.expga import ExpGA
from expga.search.expga_text import TextExpGA
from expga.search.published import PublishedExpGA
from expga.search.published_text import PublishedTextExpGA
from expga.search.random import RandomTesting

STRATEGIES = {
    kind.name: kind
    for kind in (
        ExpGA,
        PublishedExpGA,
        RandomTesting,
        Aequitas,
        RandomAequitas,
        SemiDirectedAequitas,
        Exhaustive,
    )
}
TEXT_STRATEGIES = {kind.name: kind for kind in (TextExpGA, PublishedTextExpGA, RandomTesting)}


def strategy(name: str, *, texts: bool = False) -> Strategy:
    """The strategy of that name, for tables or for texts, with its published or measured parameters."""
    known = TEXT_STRATEGIES if texts else STRATEGIES
    if name not in known:
        raise InputError(f"There is no strategy {name!r}; choose one of {', '.join(known)}.")
    return known[name]()
