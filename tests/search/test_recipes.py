"""What is one strategy's own."""

from __future__ import annotations

import numpy as np
import pytest

from expga.contracts import Context, Seeds
from expga.search import strategy
from expga.search.published import POPULATION


@pytest.fixture
def context(domain_of, people, rng):
    """Seeds of which the first thirty are known to be discriminatory."""
    domain = domain_of(people)
    rows = rng.permutation(domain.anchors)
    promise = np.where(np.arange(len(rows)) < 30, 1.0, 0.05)
    return Context(domain, Seeds(rows, promise, np.tile(np.array([1, 0]), (len(rows), 1))), rng, batch_size=64)


def test_the_published_search_starts_from_the_first_seeds_as_they_are(context):
    batch = next(strategy("expga-published").search(context))
    assert batch.anchor.tolist() == context.seeds.rows[:POPULATION].tolist()
    np.testing.assert_array_equal(batch.genomes, context.domain.rows[batch.anchor])


def test_our_search_asks_first_about_the_rows_that_are_known_to_flip(context):
    batch = next(strategy("expga").search(context))
    assert batch.anchor.tolist() == context.seeds.rows[:30].tolist()
    np.testing.assert_array_equal(batch.genomes, context.domain.rows[batch.anchor])
    assert batch.pair.tolist() == [[1, 0]] * 30


def test_our_search_keeps_any_anchor_from_supplying_most_findings(watch, people, domain_of, biased):
    seen = watch("expga", domain_of(people), biased, batches=60)
    found = np.concatenate(
        [batch.anchor[verdict.found] for batch, verdict in zip(seen.batches, seen.verdicts, strict=True)]
    )
    assert np.bincount(found).max() < 0.1 * len(found)


@pytest.mark.parametrize(("name", "asking"), [("expga", "pair"), ("expga-published", "all"), ("random", "pair")])
def test_the_published_search_reads_every_reading_the_others_two(name, asking):
    assert strategy(name).asking == asking
