"""How many samples are asked about together."""

from __future__ import annotations

import numpy as np

from expga.account import Account
from expga.budget import Budget
from expga.contracts import Domain
from expga.meter import MOST_ROWS
from expga.models.calls import LARGEST_CALL

LARGEST_BATCH = 8_192
BATCH_CELLS = 1 << 21
"""Of a wide table a batch has no more cells than this: copies of it come and go."""
SMALLEST_BATCH = 64
SMALLEST_LESSON = 16
"""The same of a search that learns from one batch what to ask in the next."""
FEWEST_BY_THE_CLOCK = 16
"""Of a slow model a batch may be smaller, so that time does not end before the search has turned once."""
BATCH_SHARE = 0.01
"""One batch should take no more of a budget than this."""


def batch_size(budget: Budget, domain: Domain, account: Account, pace: int, learns: bool = False) -> int:
    """As large as helps a model, small against the budget; by the clock only where no queries are counted.

    Args:
        budget: of the run.
        domain: whose genomes a batch is of.
        account: says how often each question is put.
        pace: how many inputs are worth asking together by now.
        learns: whether the strategy learns from every batch.
    """
    largest = largest_batch(domain)
    if budget.queries is not None:
        fewest = SMALLEST_LESSON if learns else SMALLEST_BATCH
        return int(np.clip(BATCH_SHARE * budget.queries / account.repeats / 2, fewest, largest))
    if budget.seconds is not None:
        return int(np.clip(pace / 2, FEWEST_BY_THE_CLOCK, largest_batch(domain, pace)))
    return largest


def largest_question(budget: Budget, domain: Domain) -> int:
    """The most rows that a model is asked about together; by the clock more, where a call about many costs as much."""
    if budget.queries is not None or budget.seconds is None:
        return LARGEST_CALL
    return int(np.clip(2 * BATCH_CELLS // domain.rows.shape[1], LARGEST_CALL, MOST_ROWS))


def largest_batch(domain: Domain, most: int = LARGEST_BATCH) -> int:
    """The most samples of a batch, whatever the budget; no more than so many, however narrow the table is."""
    return int(np.clip(BATCH_CELLS // domain.rows.shape[1], SMALLEST_BATCH, max(SMALLEST_BATCH, most)))
