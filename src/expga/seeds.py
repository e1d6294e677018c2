"""Which real rows a search starts from."""

from __future__ import annotations

import numpy as np

from expga.contracts import Domain, FloatArray, IndexArray, Seeds
from expga.population import Population

UNKNOWN = 0.05
"""The promise of a row of which nothing is known."""
CALIBRATION_ROWS = 100
CALIBRATION_PLACE = 20


def by_gap(domain: Domain, population: Population, rng: np.random.Generator) -> Seeds:
    """Rows by what the population showed: those that flip, then those whose twins nearly straddle the boundary.

    The promise of a row that does not flip is its gap against that gap and twice the way to the boundary;
    rows that were not asked about come last, in random order.
    """
    promise = np.full(len(domain.rows), UNKNOWN / 2)
    widest = (population.gap.max(initial=0.0) - population.gap) / 2
    margin = np.where(np.isinf(population.margin), widest, population.margin)
    reach = population.gap / (population.gap + 2 * margin + 1e-12)
    promise[population.asked] = np.where(population.unfair, 1.0, UNKNOWN + 0.3 * reach)
    return _ordered(domain, promise, population, rng)


def newly(domain: Domain, population: Population, rng: np.random.Generator) -> Seeds:
    """The anchors among the rows that were asked about, in the order that `by_gap` has them in."""
    every = by_gap(domain, population, rng)
    new = np.isin(every.rows, population.asked)
    return Seeds(every.rows[new], every.promise[new], every.pair[new])


def at_random(domain: Domain, population: Population, rng: np.random.Generator) -> Seeds:
    """Rows in random order: the ablation."""
    return _ordered(domain, np.full(len(domain.rows), UNKNOWN), population, rng)


def by_explanation(
    domain: Domain,
    population: Population,
    explained: IndexArray,
    rank: IndexArray,
    epsilon: int | None,
) -> tuple[Seeds, int, bool]:
    """The published rule: rows in whose explanation a protected feature ranks within the first ε.

    Args:
        domain: where the rows live.
        population: for the readings most likely to disagree.
        explained: (n,) numbers of the rows explained, in random order.
        rank: (n,) the best rank of a protected feature among all by their weight.
        epsilon: the rank that lets a row in; None: calibrated.

    Returns:
        The seeds (those admitted, in the order given), the ε used, and whether the rule admitted any row
        (if not, the best-ranked fifth came in).
    """
    used = calibrated(rank) if epsilon is None else epsilon
    admitted = rank <= used
    if not (any_admitted := bool(admitted.any())):
        admitted = rank <= np.quantile(rank, 0.2)
    rows = explained[admitted]
    promise = np.full(len(rows), UNKNOWN)
    return Seeds(rows, promise, _pairs(domain, population)[rows]), used, any_admitted


def calibrated(rank: IndexArray) -> int:
    """ε as published: of 100 rows' best protected ranks the 20th smallest, so about a fifth qualify."""
    sample = np.sort(rank[:CALIBRATION_ROWS])
    return int(sample[min(len(sample), CALIBRATION_PLACE) - 1])


def _pairs(domain: Domain, population: Population) -> IndexArray:
    """(N, 2) the pair each asked row showed; for the others the one that spoke loudest most often."""
    pairs = np.zeros((len(domain.rows), 2), dtype=np.intp)
    count = domain.readings.count
    loudness = np.bincount(population.pair @ [count, 1], weights=population.gap, minlength=count * count)
    usual = int(loudness.argmax())
    pairs[:] = divmod(usual, count) if usual % count != usual // count else (0, count - 1)
    differs = population.pair[:, 0] != population.pair[:, 1]
    pairs[population.asked[differs]] = population.pair[differs]
    return pairs


def _ordered(domain: Domain, promise: FloatArray, population: Population, rng: np.random.Generator) -> Seeds:
    """The anchors, most promising first, equals in random order."""
    rows = rng.permutation(domain.anchors)
    rows = rows[np.argsort(-promise[rows], kind="stable")]
    return Seeds(rows, promise[rows], _pairs(domain, population)[rows])
