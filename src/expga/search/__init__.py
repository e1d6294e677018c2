"""Strategies: each a generator that proposes batches and is handed the verdicts."""

from __future__ import annotations

from expga.contracts import Strategy
from expga.errors import InputError
from expga.search.adf import ADF
from expga.search.aequitas import Aequitas, RandomAequitas, SemiDirectedAequitas
from expga.search.exhaustive import Exhaustive
from expga.search.expga import ExpGA
from expga.search.expga_text import TextExpGA
from expga.search.mtnlp import MTNLP
from expga.search.published import PublishedExpGA
from expga.search.published_text import PublishedTextExpGA
from expga.search.random import RandomTesting
from expga.search.sg import SG

STRATEGIES = {
    kind.name: kind
    for kind in (
        ExpGA,
        PublishedExpGA,
        RandomTesting,
        Aequitas,
        SemiDirectedAequitas,
        RandomAequitas,
        SG,
        ADF,
        Exhaustive,
    )
}
TEXT_STRATEGIES = {kind.name: kind for kind in (TextExpGA, PublishedTextExpGA, MTNLP, RandomTesting)}


def strategy(name: str, *, texts: bool = False) -> Strategy:
    """The strategy of that name, for tables or for texts, with its published or measured parameters."""
    ours, others = (TEXT_STRATEGIES, STRATEGIES) if texts else (STRATEGIES, TEXT_STRATEGIES)
    if name in ours:
        return ours[name]()
    if name in others:
        kind, other_kind = ("texts", "tables") if texts else ("tables", "texts")
        raise InputError(f"The strategy {name} is for {other_kind}; on {kind} choose one of {', '.join(ours)}.")
    raise InputError(f"There is no strategy {name!r}; choose one of {', '.join(ours)}.")
