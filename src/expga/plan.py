"""What a run is told, what it tells on its way, and what it comes to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from expga.budget import POPULATION_SHARE, Budget, StopReason
from expga.contracts import Explainer, GradientsOf, Manner, Strategy
from expga.errors import ModelError
from expga.findings import Findings
from expga.inquiry import Inquiry
from expga.placebo import Placebo
from expga.population import Population


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Everything a run needs to know."""

    inquiry: Inquiry
    """Whom it asks, about what, and what counts as different."""
    strategy: Strategy
    explainer: Explainer | None
    by_gap: bool
    """Whether seeds are chosen by the gaps of the population's rows; else, where nothing explains, at random."""
    epsilon: int | None
    budget: Budget
    seed: int
    manner: Manner = "batched"
    population_share: float = POPULATION_SHARE
    """Of the budget, the most that measuring the population may take."""
    gradients: GradientsOf | None = None
    """The model's gradients, for strategies that need them."""
    close: Callable[[Findings], object] = lambda _: None
    """What is done with findings when all is over, which takes time."""
    close_s: float = 0.0
    """What takes so many seconds more, however few they are."""
    total: int | None = None
    """How many rows there are in the data, where the domain may hold a sample of them; None: those it holds."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """How far a run is, for whoever watches."""

    phase: str
    elapsed: float
    queries: int
    tested: int
    found: int
    kept: int
    """Findings that are in the store, whatever happens next."""


@dataclass(slots=True)
class Outcome:
    """What a run came to."""

    placebo: Placebo
    population: Population
    findings: Findings
    refused: int
    """Samples that the strategy proposed beyond what may be asked about."""
    dropped: int
    """Samples that were unfair at first, and not when they were asked about again."""
    left_by_noise: float
    """How many findings are to be expected, at most, of twins that differ by noise alone."""
    stop_reason: StopReason
    queries: dict[str, int]
    model_s: dict[str, float]
    elapsed: float
    search_s: float
    tested: int
    complete: int
    """Tested samples of which every reading was asked."""
    generations: int
    notes: list[str]
    failure: ModelError | None
    """What the model died of in the middle of the search."""


Watch = Callable[[Snapshot], None]
