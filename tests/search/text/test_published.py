"""ExpGA as published, for texts: populations of 21 around each seed, 20 generations."""

from __future__ import annotations

import numpy as np
import pytest

from expga.search.operators import roulette_within
from expga.search.published_text import PublishedTextExpGA


@pytest.fixture(scope="module")
def seen(watch, reviews, biased):
    return watch("expga-published", biased, reviews, batches=10_000, batch_size=200, realism="domain")


def populations(batch):
    """(s, 21, d)"""
    return batch.genomes.reshape(-1, 21, batch.genomes.shape[1])


def test_its_rates_are_those_of_the_paper():
    assert (PublishedTextExpGA().crossover_rate, PublishedTextExpGA().mutation_rate) == (0.5, 0.05)
    assert PublishedTextExpGA.asking == "all"


def test_many_seeds_advance_together_for_twenty_generations(seen):
    together = 200 // 21
    groups = -(-len(seen.domain.anchors) // together)
    assert seen.exhausted
    assert len(seen.batches) == 20 * groups
    assert {len(batch) for batch in seen.batches[: 20 * (groups - 1)]} == {together * 21}


def test_every_seed_has_its_turn(seen):
    assert set(seen.anchor) == set(seen.domain.anchors)


def test_the_first_generation_is_the_seed_and_twenty_versions_with_one_word_replaced(seen):
    for batch in seen.batches[::20]:
        changed = (populations(batch)[:, :, seen.domain.mutable] > 0).sum(axis=2)
        assert (changed == [0, *[1] * 20]).all()


def test_the_versions_replace_one_word_after_another(seen):
    replaced = (populations(seen.batches[0])[:, 1:, seen.domain.mutable] > 0).sum(axis=1)
    assert (replaced.sum(axis=1) == 20).all()
    assert (replaced == 4).all()  # five words can be replaced, and each is four times


def test_texts_of_one_seed_stay_together(seen):
    for batch in seen.batches:
        genomes = populations(batch)
        assert (genomes[:, :, 0] == genomes[:, :1, 0]).all()
        np.testing.assert_array_equal(batch.anchor, batch.genomes[:, 0])


def test_without_crossover_and_mutation_nothing_new_is_born(watch, reviews, biased, monkeypatch):
    monkeypatch.setattr(PublishedTextExpGA.__init__, "__defaults__", (0.0, 0.0))
    still = watch("expga-published", biased, reviews, batches=10_000, batch_size=200)
    assert not any(len(verdict.tested) for n, verdict in enumerate(still.verdicts) if n % 20)


def test_crossover_alone_mixes_the_words_of_a_population(watch, reviews, biased, monkeypatch):
    monkeypatch.setattr(PublishedTextExpGA.__init__, "__defaults__", (0.5, 0.0))
    mixing = watch("expga-published", biased, reviews, batches=6, batch_size=200, realism="domain")
    first = populations(mixing.batches[0])
    for batch in mixing.batches[1:]:
        for before, after in zip(first, populations(batch), strict=True):
            for gene in np.flatnonzero(mixing.domain.mutable):
                assert set(after[:, gene]) <= set(before[:, gene])
    assert (populations(mixing.batches[5])[:, :, mixing.domain.mutable] > 0).sum(axis=2).max() >= 2


def test_mutation_alone_changes_one_word_in_twenty(watch, reviews, biased, monkeypatch):
    monkeypatch.setattr(PublishedTextExpGA.__init__, "__defaults__", (0.0, 0.05))
    monkeypatch.setattr("expga.search.published_text.roulette_within", lambda f, _: np.arange(f.size).reshape(f.shape))
    mutating = watch("expga-published", biased, reviews, batches=20, batch_size=1_000, realism="domain")
    one, other = (mutating.batches[n].genomes for n in (0, 1))
    words = np.repeat((mutating.domain.donors(one, np.random.default_rng(0)) > 0)[:, 3:], 1, axis=0)
    # A word that mutates takes any substitute, the one it had among them.
    share = (one != other)[:, 3:][words].mean()
    assert 0.035 < share < 0.055


def test_fitness_is_the_gap_between_twins(watch, reviews, biased, monkeypatch):
    spun = []

    def spin(fitness, rng):
        spun.append(fitness.ravel())
        return roulette_within(fitness, rng)

    monkeypatch.setattr("expga.search.published_text.roulette_within", spin)
    seen = watch("expga-published", biased, reviews, batches=20, batch_size=3_000)
    assert len(spun) >= 19
    for fitness, verdict in zip(spun, seen.verdicts, strict=False):
        np.testing.assert_array_equal(fitness[verdict.tested], verdict.gap)
    assert (spun[0] > 0).any()


def test_in_the_faithful_manner_one_seed_lives_at_a_time(watch, reviews, biased):
    seen = watch("expga-published", biased, reviews, batches=10_000, batch_size=200, manner="faithful")
    assert seen.exhausted
    assert {len(batch) for batch in seen.batches} == {21}
    lives = seen.anchor.reshape(-1, 20 * 21)
    assert (lives == lives[:, :1]).all()
    assert sorted(lives[:, 0]) == seen.domain.anchors.tolist()
