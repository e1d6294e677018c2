"""Seeds by explanation, the published rule, as far as a budget goes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from expga.budget import Budget
from expga.contracts import Domain, Explainer, IndexArray, Model, Seeds
from expga.plan import Plan
from expga.population import Population
from expga.seeds import at_random, by_explanation

SHARE = 0.2
"""The most of a budget that explaining may take."""
ROWS = 1_000


def most_to_explain(budget: Budget, left: int | None, functions: int, pace: Callable[[], float]) -> float:
    """How many inputs explaining may take.

    Args:
        budget: of the run.
        left: how many inputs are left of it; None: no limit.
        functions: how many queries an input may take.
        pace: the seconds that an input takes, where time is what counts.
    """
    if left is not None:
        return min(left, SHARE * (budget.queries or 0) / functions)
    return np.inf if budget.seconds is None else SHARE * budget.seconds / max(1e-9, pace())


def explained(
    plan: Plan, population: Population, model: Model, most: float, rng: np.random.Generator
) -> tuple[Seeds, list[str]]:
    """Seeds by what a plan's explainer makes of random rows, and what users should know of it.

    Args:
        plan: has an explainer.
        population: what was measured of the real rows.
        model: is asked.
        most: inputs that it may take.
        rng: draws the rows.
    """
    domain, explainer = plan.inquiry.domain, plan.explainer
    rows = np.zeros(0, dtype=np.intp) if explainer is None else _rows(explainer, domain, most, rng)
    if explainer is None or not len(rows):
        return at_random(domain, population, rng), [
            "The budget is too small to explain any row; seeds are random rows."
        ]
    ranks = explainer.ranks(model, domain, rows, rng)
    seeds, epsilon, admitted = by_explanation(domain, population, rows, ranks, plan.epsilon)
    lacking = f"No row has a protected feature among its first {epsilon}; took the best-ranked fifth."
    return seeds, [] if admitted else [lacking]


def _rows(explainer: Explainer, domain: Domain, most: float, rng: np.random.Generator) -> IndexArray:
    """(n,) up to 1,000 anchors, halved until explaining them takes no more than that."""
    count = min(ROWS, len(domain.anchors))
    while count and explainer.queries(domain, count) > most:
        count //= 2
    return rng.permutation(domain.anchors)[:count]
