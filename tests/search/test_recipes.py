"""What is one strategy's own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from expga.contracts import Context, Seeds, Verdict
from expga.search import of_kind
from expga.search.published import POPULATION, PublishedExpGA


def strategy(name):
    return of_kind("table")[name]()


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


def test_our_search_breeds_first_from_the_rows_that_are_known_to_flip(context):
    """The rows themselves are judged already."""
    batch = next(strategy("expga").search(context))
    domain, best = context.domain, set(context.seeds.rows[:30].tolist())
    rows = domain.rows[:, domain.mutable]
    genes = batch.genomes[:, domain.mutable]
    nearest = (genes[:, None] == rows).sum(axis=2)
    alike = nearest[:, sorted(best)].max(axis=1) == nearest.max(axis=1)
    assert alike.mean() > 0.4
    assert np.isin(batch.anchor, list(best)).mean() > 0.4


def test_our_search_keeps_any_anchor_from_supplying_most_findings(watch, people, domain_of, biased):
    seen = watch("expga", domain_of(people), biased, batches=60)
    found = np.concatenate(
        [batch.anchor[verdict.found] for batch, verdict in zip(seen.batches, seen.verdicts, strict=True)]
    )
    assert np.bincount(found).max() < 0.1 * len(found)


@pytest.mark.parametrize(("name", "asking"), [("expga", "pair"), ("expga-published", "all"), ("random", "pair")])
def test_the_published_search_reads_every_reading_the_others_two(name, asking):
    assert strategy(name).asking == asking


class TestPublishedPopulations:
    """In the batched manner many live side by side."""

    @pytest.fixture
    def many(self, context):
        return replace(context, batch_size=350, manner="batched")

    def test_as_many_as_fit_each_with_the_next_seeds(self, many):
        batch = next(strategy("expga-published").search(many))
        seeds = many.seeds.rows
        assert batch.anchor.tolist() == np.resize(seeds, 3 * POPULATION).tolist()

    def test_one_alone_is_what_the_faithful_manner_has(self, context):
        assert len(next(strategy("expga-published").search(replace(context, manner="faithful")))) == POPULATION
        assert len(next(strategy("expga-published").search(context))) == POPULATION

    def test_nobody_mates_outside_their_population(self, many):
        """Told by a fitness that leaves one parent in each."""
        search = PublishedExpGA(mutation_rate=0.0).search(many)
        batch = next(search)
        best = np.array([7, POPULATION + 8, 2 * POPULATION + 9])
        gap = np.zeros(len(batch))
        gap[best] = 1.0
        every = np.arange(len(batch))
        pairs = np.zeros((len(batch), 2), dtype=np.intp)
        none = np.zeros(len(batch), dtype=bool)
        verdict = Verdict(~none, every, none, ~none, gap, pairs, pairs, pairs.astype(float), False)
        children = search.send(verdict)
        np.testing.assert_array_equal(children.anchor, np.repeat(batch.anchor[best], POPULATION))
        np.testing.assert_array_equal(children.genomes, np.repeat(batch.genomes[best], POPULATION, axis=0))

    def test_stale_ones_get_half_of_their_members_from_the_findings_of_all(self, many):
        search = PublishedExpGA(crossover_rate=0.0, mutation_rate=0.0).search(many)
        batch = next(search)
        every = np.arange(len(batch))
        pairs = np.zeros((len(batch), 2), dtype=np.intp)
        stale = np.zeros(len(batch), dtype=bool)
        verdict = Verdict(stale, every, ~stale, ~stale, stale + 1.0, pairs, pairs, pairs.astype(float), False)
        fresh = search.send(verdict)
        assert len(fresh) == len(batch)
        found = [set(part) & set(batch.anchor[:POPULATION]) for part in np.split(fresh.anchor, 3)]
        assert all(len(part) > 10 for part in found)
