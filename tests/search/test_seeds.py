"""Which rows a search starts from, and with which pair of readings."""

from __future__ import annotations

import numpy as np
import pytest

from expga.comparison import Yardstick
from expga.criterion import Flip
from expga.explain.ranking import protected_rank
from expga.inquiry import Inquiry
from expga.measuring import measure
from expga.models import wrap
from expga.seeds import at_random, by_explanation, by_gap, calibrated


@pytest.fixture
def population_of():
    """What the model says about the readings of some rows."""

    def ask(domain, rule, order=None):
        model, positive = wrap(rule, domain.decode(domain.rows))
        inquiry = Inquiry(model=model, domain=domain, yardstick=Yardstick(Flip(), positive))
        return measure(inquiry, order)

    return ask


class TestRanks:
    IMPORTANCE = np.array([[0.1, 0.9, 0.5], [0.7, 0.2, 0.1], [0.0, 0.3, 0.6]])

    def test_a_rank_counts_from_the_weightiest(self):
        assert protected_rank(self.IMPORTANCE, np.array([True, False, False])).tolist() == [3, 1, 3]

    def test_of_several_protected_genes_the_best_counts(self):
        assert protected_rank(self.IMPORTANCE, np.array([True, False, True])).tolist() == [2, 1, 1]

    def test_epsilon_is_the_20th_smallest_of_100_ranks(self):
        assert calibrated(np.random.default_rng(0).permutation(np.arange(1, 101))) == 20

    def test_epsilon_looks_at_the_first_100_rows_only(self):
        assert calibrated(np.concatenate([np.full(100, 9), np.full(900, 1)])) == 9


class TestByExplanation:
    def importance(self, domain, ranks):
        """(n, d) weights under which sex has these ranks."""
        weights = np.tile(np.arange(2.0, 2 * len(domain.features) + 1, 2)[::-1], (len(ranks), 1))
        weights[:, 0] = 2 * (len(domain.features) - np.asarray(ranks)) + 1
        return weights

    def test_rows_within_the_rank_come_in(self, domain_of, people, biased, population_of):
        domain = domain_of(people)
        rows = domain.anchors[:6]
        rank = protected_rank(self.importance(domain, [1, 2, 3, 4, 5, 6]), domain.protected)
        assert rank.tolist() == [1, 2, 3, 4, 5, 6]
        seeds, epsilon, admitted = by_explanation(domain, population_of(domain, biased), rows, rank, 2)
        assert (seeds.rows.tolist(), epsilon, admitted) == (rows[:2].tolist(), 2, True)

    def test_where_none_comes_in_the_best_fifth_does(self, domain_of, people, biased, population_of):
        domain = domain_of(people)
        rows = domain.anchors[:10]
        rank = np.array([6, 6, 6, 3, 6, 6, 4, 6, 6, 6])
        seeds, epsilon, admitted = by_explanation(domain, population_of(domain, biased), rows, rank, 1)
        assert sorted(seeds.rows) == sorted(rows[[3, 6]])
        assert (epsilon, admitted) == (1, False)


class TestByGap:
    def test_rows_that_flip_come_first(self, domain_of, people, biased, population_of, rng):
        domain = domain_of(people)
        population = population_of(domain, biased)
        seeds = by_gap(domain, population, rng)
        flips = int(population.unfair[domain.anchors].sum())
        assert 0 < flips < len(domain.anchors)
        assert set(seeds.rows[:flips]) == set(domain.anchors[population.unfair[domain.anchors]])
        assert (seeds.promise[:flips] == 1).all()
        assert (seeds.promise[flips:] < 1).all()

    def test_only_rows_within_bounds_come_in_each_once(self, domain_of, people, biased, population_of, rng):
        domain = domain_of(people)
        for choose in (by_gap, at_random):
            assert sorted(choose(domain, population_of(domain, biased), rng).rows) == domain.anchors.tolist()

    def test_rows_that_were_not_asked_about_come_last(self, domain_of, people, biased, population_of, rng):
        domain = domain_of(people)
        asked = np.arange(0, 150, 2)
        seeds = by_gap(domain, population_of(domain, biased, asked), rng)
        known = np.isin(seeds.rows, asked)
        assert known[: known.sum()].all()

    def test_a_seed_brings_the_pair_that_its_row_showed(self, domain_of, people, population_of, rng):
        domain = domain_of(people, protected=("job",))
        population = population_of(domain, lambda frame: frame["job"].map({"clerk": 0.4, "cook": 0.9, "nurse": 0.1}))
        loudest = people.job.map({"clerk": (0, 1), "cook": (1, 2), "nurse": (2, 1)})
        for choose in (by_gap, at_random):
            seeds = choose(domain, population, rng)
            assert seeds.pair.tolist() == [list(pair) for pair in loudest.iloc[seeds.rows]]
