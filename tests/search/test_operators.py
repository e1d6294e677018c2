"""The moves of a genetic search."""

from __future__ import annotations

import numpy as np
import pytest

from expga.search.operators import crossover, each_gene, fragments, roulette, roulette_within, runs

COUNT = 20_000


def lengths(mask, of):
    """(n,) how many places each mask (n, d) spans from its first to its last, among the genes `of` (d,) or (n, d)."""
    place = np.cumsum(np.broadcast_to(of, mask.shape), axis=1)
    low = np.where(mask, place, mask.shape[1] + 1).min(axis=1)
    high = np.where(mask, place, 0).max(axis=1)
    return high - low + 1


class TestRoulette:
    def test_odds_are_proportional_to_fitness(self, rng):
        fitness = np.array([1.0, 0.0, 2.0, 5.0])
        odds = np.bincount(roulette(fitness, COUNT, rng), minlength=4) / COUNT
        np.testing.assert_allclose(odds, fitness / 8, atol=0.01)

    def test_over_many_small_spins_too(self, rng):
        fitness = np.array([1.0, 0.0, 2.0, 5.0])
        drawn = np.concatenate([roulette(fitness, 1, rng) for _ in range(4_000)])
        np.testing.assert_allclose(np.bincount(drawn, minlength=4) / 4_000, fitness / 8, atol=0.03)

    def test_without_any_fitness_all_are_alike(self, rng):
        odds = np.bincount(roulette(np.zeros(5), COUNT, rng), minlength=5) / COUNT
        np.testing.assert_allclose(odds, 0.2, atol=0.01)

    @pytest.mark.parametrize("fitness", [[0.0, 1.0], [1.0, 0.0], [0.0, 1e-300, 0.0]])
    def test_whoever_has_none_is_never_drawn(self, rng, fitness):
        assert set(roulette(np.array(fitness), 100, rng)) == {int(np.argmax(fitness))}

    @pytest.mark.parametrize("count", [1, 2, 7])
    def test_as_many_as_asked_for(self, rng, count):
        assert roulette(np.ones(3), count, rng).shape == (count,)


class TestRouletteWithin:
    FITNESS = np.array([[1.0, 0.0, 2.0, 5.0], [0.0, 0.0, 3.0, 0.0], [0.0, 0.0, 0.0, 0.0]])

    def test_each_population_draws_from_itself(self, rng):
        drawn = roulette_within(np.tile(self.FITNESS, (50, 1)), rng)
        assert drawn.shape == (150, 4)
        np.testing.assert_array_equal(drawn // 4, np.repeat(np.arange(150)[:, None], 4, axis=1))

    def test_odds_are_proportional_to_fitness(self, rng):
        drawn = roulette_within(np.tile(self.FITNESS[0], (COUNT // 4, 1)), rng) % 4
        np.testing.assert_allclose(np.bincount(drawn.ravel(), minlength=4) / COUNT, self.FITNESS[0] / 8, atol=0.01)

    def test_whoever_has_none_is_never_drawn_and_without_any_everyone_comes_once(self, rng):
        for _ in range(50):
            drawn = roulette_within(self.FITNESS, rng)
            assert 1 not in drawn[0]
            assert drawn[1].tolist() == [6] * 4
            assert sorted(drawn[2].tolist()) == [8, 9, 10, 11]

    def test_the_chosen_are_shuffled(self, rng):
        drawn = roulette_within(np.ones((2_000, 4)), rng) % 4
        np.testing.assert_allclose(drawn.mean(axis=0), 1.5, atol=0.1)

    @pytest.mark.parametrize("scale", [1e-12, 1e12])
    def test_populations_of_any_size_of_fitness_stand_beside_each_other(self, rng, scale):
        fitness = np.vstack([np.full((1, 3), scale), [[0.0, 1.0, 0.0]], [[1.0, 0.0, 0.0]]])
        drawn = roulette_within(fitness, rng)
        assert drawn[1].tolist() == [4] * 3
        assert drawn[2].tolist() == [6] * 3


class TestFragments:
    MUTABLE = np.array([True, False, True, True, False, True, True])

    def test_they_are_never_empty(self, rng):
        assert fragments(COUNT, self.MUTABLE, rng).any(axis=1).all()

    def test_they_hold_mutable_genes_only(self, rng):
        assert not fragments(COUNT, self.MUTABLE, rng)[:, ~self.MUTABLE].any()

    def test_they_are_contiguous_among_the_mutable(self, rng):
        mask = fragments(COUNT, self.MUTABLE, rng)
        np.testing.assert_array_equal(lengths(mask, self.MUTABLE), mask.sum(axis=1))

    def test_every_gene_and_every_length_comes(self, rng):
        mask = fragments(COUNT, self.MUTABLE, rng)
        assert mask[:, self.MUTABLE].any(axis=0).all()
        assert set(mask.sum(axis=1)) == {1, 2, 3, 4, 5}

    def test_one_mutable_gene_is_the_fragment(self, rng):
        assert fragments(50, np.array([False, True]), rng).tolist() == [[False, True]] * 50


class TestRuns:
    @pytest.fixture
    def differs(self):
        return np.random.default_rng(1).random((COUNT, 9)) < 0.5

    @pytest.mark.parametrize("longest", [1, 3, 9])
    def test_they_hold_differing_genes_only_and_no_more_than_asked_for(self, differs, rng, longest):
        mask = runs(differs, longest, rng)
        assert not (mask & ~differs).any()
        assert mask.sum(axis=1).max() == min(longest, 8)

    @pytest.mark.parametrize("longest", [1, 3, 9])
    def test_they_are_empty_only_where_nothing_differs(self, differs, rng, longest):
        np.testing.assert_array_equal(runs(differs, longest, rng).any(axis=1), differs.any(axis=1))

    def test_they_never_hold_all_where_more_than_one_differs(self, differs, rng):
        mask, count = runs(differs, 9, rng), differs.sum(axis=1)
        assert (mask.sum(axis=1) < count)[count > 1].all()
        assert (mask.sum(axis=1) == 1)[count == 1].all()

    def test_they_are_contiguous_among_the_differing(self, differs, rng):
        mask = runs(differs, 9, rng)
        some = mask.any(axis=1)
        np.testing.assert_array_equal(lengths(mask[some], differs[some]), mask[some].sum(axis=1))

    def test_every_gene_comes(self, rng):
        mask = runs(np.ones((COUNT, 6), dtype=bool), 3, rng)
        assert (mask.mean(axis=0) > 0.1).all()


class TestCrossover:
    def test_it_serves_both_children(self):
        parents, mates = np.zeros((2, 4), dtype=np.int32), np.ones((2, 4), dtype=np.int32)
        mask = np.array([[False, True, True, False], [True, False, False, False]])
        one, other = crossover(parents, mates, mask)
        assert one.tolist() == [[0, 1, 1, 0], [1, 0, 0, 0]]
        assert other.tolist() == [[1, 0, 0, 1], [0, 1, 1, 1]]


class TestMutation:
    def test_the_rate_holds_for_each_mutable_gene(self, rng):
        mutable = np.array([True, False, True])
        mask = each_gene(COUNT, mutable, 0.05, rng)
        np.testing.assert_allclose(mask.mean(axis=0), [0.05, 0, 0.05], atol=0.01)

    @pytest.mark.parametrize("realism", ["data", "domain"])
    def test_only_the_genes_in_the_mask_change(self, domain_of, people, realism, rng):
        domain = domain_of(people, realism)
        genomes = domain.rows[rng.choice(domain.anchors, 2_000)]
        mask = each_gene(2_000, domain.mutable, 0.5, rng)
        mutated = domain.mutated(genomes, mask, rng)
        np.testing.assert_array_equal(mutated[~mask], genomes[~mask])
        fixed = [domain.columns.index(name) for name in ("sex", "town")]
        np.testing.assert_array_equal(mutated[:, fixed], genomes[:, fixed])
        assert (mutated != genomes).any(axis=0)[domain.mutable].all()

    def test_with_realism_new_values_are_those_of_one_real_row(self, domain_of, people, rng):
        domain = domain_of(people)
        genomes = domain.rows[rng.choice(domain.anchors, 500)]
        mutated = domain.mutated(genomes, np.tile(domain.mutable, (500, 1)), rng)
        real = {tuple(row) for row in domain.rows[domain.anchors][:, domain.mutable].tolist()}
        assert {tuple(row) for row in mutated[:, domain.mutable].tolist()} <= real

    def test_without_realism_any_other_allowed_value_comes(self, domain_of, people, rng):
        domain = domain_of(people, "domain")
        gene = domain.columns.index("age")
        genomes = np.repeat(domain.rows[domain.anchors[:1]], COUNT, axis=0)
        mask = np.tile(np.arange(len(domain.features)) == gene, (COUNT, 1))
        ages = domain.frame(domain.mutated(genomes, mask, rng))["age"]
        assert set(ages) == set(range(25, 61)) - {people.age[domain.anchors[0]]}
