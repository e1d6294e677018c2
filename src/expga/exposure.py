"""How many real rows flip, or are a few believable changes away from a sample that does: a lower bound.

Whether such a sample exists is a fact about a row and the model, whatever the search did. So of rows drawn at random,
those near which one was found are no more than those near which there is one, and of these the interval holds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isqrt
from typing import Any, TypeAlias

import numpy as np

from expga.budget import Budget
from expga.contracts import Domain, FloatArray, IndexArray
from expga.findings import Findings
from expga.population import FlipRate, Population

MOST_ROWS = 2_000
"""Rows that are looked at: of so many an interval is 4 points wide at most."""
MOST_FINDINGS = 50_000
"""Findings that are looked at."""
MOST_CELLS = 1 << 28
"""Rows times findings times genes that are compared, in all."""
CELLS_A_SECOND = 1e9
SHARE = 0.02
"""Of a budget of time, the most that comparing them may take."""

Fewest: TypeAlias = Callable[[IndexArray, Findings, int], FloatArray]
"""(m,) by how few changes a finding lies within reach of each of some rows (m,), infinite where none does, comparing no
more cells than this. What it does not look at makes a lower bound lower, and no less true."""


@dataclass(frozen=True, slots=True)
class Exposure:
    """Of a random sample of real rows: which flip, and which have a believable discriminatory sample within reach."""

    rows: int
    """Those looked at that have two readings."""
    changes: Mapping[int, int]
    """By the fewest changes that were found to do, how many rows; 0: the row flips as it is."""

    @property
    def as_they_are(self) -> int:
        """Rows that flip."""
        return self.changes.get(0, 0)

    @property
    def within_reach(self) -> int:
        """Rows that flip, or near which a believable sample was found that does."""
        return sum(self.changes.values())

    @property
    def ci95(self) -> tuple[float, float]:
        """The Wilson interval of the share of rows within reach; there may be more than was found, and no fewer."""
        return self.after().ci95

    @property
    def at_least(self) -> float:
        """What share of all rows surely (95%) flips, or has a believable sample within reach that does."""
        return self.after().at_least

    def after(self, most: int | None = None) -> FlipRate:
        """The share of rows that flip, or do after no more changes than this; by default whatever it takes."""
        flipped = sum(rows for changes, rows in self.changes.items() if most is None or changes <= most)
        return FlipRate(self.rows, flipped)

    def share(self, changes: int) -> float:
        """Of the rows that take so many changes, and do with no fewer, as far as was found."""
        return self.changes.get(changes, 0) / self.rows

    def as_dict(self) -> dict[str, Any]:
        """The numbers as they stand in a summary."""
        return {
            "rows": self.rows,
            "as_they_are": self.as_they_are,
            "within_reach": self.within_reach,
            "ci95": list(self.ci95),
            "at_least": self.at_least,
            "changes": {str(changes): rows for changes, rows in self.changes.items()},
            "at_least_after": {str(changes): self.after(changes).at_least for changes in self.changes},
        }

    @classmethod
    def told(cls, numbers: Mapping[str, Any]) -> Exposure:
        """What a summary says."""
        return cls(numbers["rows"], {int(changes): rows for changes, rows in numbers["changes"].items()})


def exposure(
    domain: Domain, population: Population, findings: Findings, fewest: Fewest | None, cells: int
) -> Exposure | None:
    """What share of the rows is exposed; None where none has two readings.

    Args:
        domain: of the rows.
        population: which of them were asked about, a random sample, and what became of them.
        findings: of the run, in any order.
        fewest: what it takes to come from rows to findings; by default only from a row to those that it is the anchor
            of.
        cells: how many may be compared.
    """
    rng = np.random.default_rng(0)
    most = max(isqrt(cells // domain.rows.shape[1]), cells // max(1, findings.genomes.size))
    drawn = rng.permutation(len(population.asked))[: min(MOST_ROWS, max(1, most))]
    drawn = drawn[(domain.readings.valid(domain.rows[population.asked[drawn]]).sum(axis=1) >= 2)]
    if not len(drawn):
        return None
    rows = population.asked[drawn]
    some = _some(findings, rows, rng)
    believable = some.those(np.flatnonzero(domain.typical(some.genomes)))
    changes = near_anchors(domain, rows, believable) if fewest is None else fewest(rows, believable, cells)
    changes = np.where(population.unfair[drawn], 0, changes)
    number, count = np.unique(changes[np.isfinite(changes)], return_counts=True)
    return Exposure(len(rows), dict(zip(number.astype(int).tolist(), count.tolist(), strict=True)))


def cells_within(budget: Budget) -> int:
    """How many cells may be compared: by the time that there is only where no queries are counted."""
    if budget.queries is not None or budget.seconds is None:
        return MOST_CELLS
    return min(MOST_CELLS, int(SHARE * CELLS_A_SECOND * budget.seconds))


def seconds_within(budget: Budget) -> float:
    """How long comparing them takes, about."""
    return cells_within(budget) / CELLS_A_SECOND


def near_anchors(domain: Domain, rows: IndexArray, findings: Findings) -> FloatArray:
    """(m,) by how few changes each row (m,) becomes one of the findings that it is the anchor of."""
    fewest = np.full(len(domain.rows), np.inf)
    differs = findings.genomes != domain.rows[findings.anchor]
    np.minimum.at(fewest, findings.anchor, differs[:, domain.mutable].sum(axis=1))
    return np.asarray(fewest[rows])


def _some(findings: Findings, rows: IndexArray, rng: np.random.Generator) -> Findings:
    """As many findings as are looked at, in random order, those with one of the rows (m,) for their anchor first."""
    order = rng.permutation(len(findings))
    elsewhere = ~np.isin(findings.anchor[order], rows)
    return findings.those(order[np.argsort(elsewhere, kind="stable")][:MOST_FINDINGS])
