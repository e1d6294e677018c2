"""Which real rows are measured, when, and how many: never by what was found, so that they are a random sample."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from expga.account import Account
from expga.budget import Budget
from expga.comparison import Comparison
from expga.contracts import IndexArray
from expga.inquiry import Inquiry
from expga.measuring import inputs_a_row, measured, queries_of
from expga.population import Population
from expga.sizes import largest_batch

FIRST = 0.25
"""The share of all measuring that comes before a search that goes on beside it, ..."""
FEWEST_FIRST = 200
"""... but so many queries at least."""


class Survey:
    """The real rows in random order, as many as a share of the budget covers, asked about part by part.

    How many that are hangs on the budget alone, or where time is what counts on the clock: a search that ends early for
    what it found does not end the survey.
    """

    def __init__(
        self,
        inquiry: Inquiry,
        account: Account,
        budget: Budget,
        share: float,
        *,
        functions: Callable[[], int],
        pace: Callable[[], int],
        rng: np.random.Generator,
        before: Population | None,
    ) -> None:
        """Begins, or goes on.

        Args:
            inquiry: whom to ask, and about what.
            account: of what was used so far.
            budget: of the run.
            share: of it that may be used.
            functions: how many queries an input may take by now.
            pace: how many inputs are worth asking about together by now.
            rng: draws the order.
            before: what an earlier part of the run measured.
        """
        self._inquiry, self._account, self._budget = inquiry, account, budget
        self._share, self._functions, self._pace = share, functions, pace
        self._parts = [] if before is None else [before]
        self._seconds, self._done = account.model_s["population"], 0
        order = rng.permutation(len(inquiry.domain.rows))
        self._order = order if before is None else order[~np.isin(order, before.asked)]

    @property
    def over(self) -> bool:
        """Whether there are no more rows to ask about, or no more time for it."""
        late = bool(self._parts) and self._by_the_clock and self._seconds >= self._share * (self._budget.seconds or 0.0)
        return late or not len(self._next(1))

    @property
    def begun(self) -> bool:
        """Whether as much was measured as a search should know that goes on beside it."""
        if self.over or not self._parts:
            return self.over
        if self._by_the_clock:
            return self._seconds >= FIRST * self._share * (self._budget.seconds or 0.0)
        if self._budget.queries is None:
            return False
        return self._account.queries["population"] >= max(FEWEST_FIRST, FIRST * self._share * self._budget.queries)

    @property
    def due(self) -> bool:
        """Whether less of what was used so far went into it than should."""
        if self.over:
            return False
        if self._by_the_clock:
            return self._seconds < self._share * self._account.elapsed
        return self._account.queries["population"] < self._share * self._account.total

    @property
    def _by_the_clock(self) -> bool:
        """Only where no queries are counted."""
        return self._budget.queries is None and self._budget.seconds is not None

    def next(self, inputs: int) -> tuple[Population, Comparison]:
        """Asks about the next rows, as many as so many inputs do for, if that many are worth asking about together.

        Returns:
            What became of them, of one row at least: in all, and row by row.
        """
        account, phase = self._account, self._account.phase
        rows = self._next(min(inputs, self._pace(), 2 * largest_batch(self._inquiry.domain)))
        account.phase, began = "population", account.elapsed
        try:
            part, shown = measured(self._inquiry, rows)
        finally:
            account.phase = phase
            self._seconds += account.elapsed - began
        self._done += len(rows)
        self._parts.append(part)
        return part, shown

    def _next(self, inputs: int) -> IndexArray:
        """(m,) the next rows, one at least, that so many inputs do for and the share of queries is enough for."""
        domain, account = self._inquiry.domain, self._account
        rows = self._order[self._done : self._done + max(1, inputs // inputs_a_row(domain))]
        if self._budget.queries is None or not len(rows):
            return rows
        cost = np.cumsum(queries_of(domain, domain.rows[rows])) * self._functions()
        share = self._share * self._budget.queries - account.queries["population"]
        fewest = 0.0 if self._parts else float(cost[0])  # of one row something is known, however small the share
        most = min(account.queries_left() or 0, max(share, fewest))
        return rows[: int(np.searchsorted(cost, most, side="right"))]

    @property
    def population(self) -> Population:
        """What was measured by now."""
        self._parts = [Population.joined(self._parts or [measured(self._inquiry, self._order[:0])[0]])]
        return self._parts[0]
