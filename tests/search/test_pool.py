"""Parents, and what is known of the real rows that they lie near."""

from __future__ import annotations

import numpy as np
import pytest

from expga.contracts import Batch, Context, Seeds, Verdict
from expga.search.pool import BELIEF, LARGEST_SHARE, POOL, Pool

FLIP = 30
"""Rows that are known to flip."""
DRAWN = 20_000


@pytest.fixture
def context(domain_of, people, rng):
    """Seeds of which the first thirty are known to be discriminatory."""
    domain = domain_of(people)
    rows = rng.permutation(domain.anchors)
    promise = np.where(np.arange(len(rows)) < FLIP, 1.0, 0.05)
    return Context(domain, Seeds(rows, promise, np.tile(np.array([1, 0]), (len(rows), 1))), rng, batch_size=64)


@pytest.fixture
def pool(context):
    return Pool(context)


def told(pool, context, anchor, unfair, scores=0.5):
    """Tells a pool what became of samples near real rows (n,), and returns them."""
    anchor, unfair = np.asarray(anchor, dtype=np.intp), np.asarray(unfair, dtype=bool)
    every = np.arange(len(anchor))
    pair, scores = np.tile(np.array([1, 0]), (len(anchor), 1)), np.full((len(anchor), 2), scores)
    batch = Batch(context.domain.rows[anchor], anchor, pair)
    pool.learn(batch, Verdict(unfair | True, every, unfair, ~unfair, scores[:, 0], pair, pair, scores, False))
    return batch


def chosen(pool):
    """(N,) how often a parent is near each real row."""
    return np.bincount(pool.anchor[pool.choose(DRAWN)], minlength=len(pool._promise)) / DRAWN


class TestPromises:
    def test_rows_are_chosen_by_their_promise_as_long_as_nothing_else_is_known(self, pool, context):
        odds, seeds = chosen(pool), context.seeds
        expected = seeds.promise / seeds.promise.sum()
        np.testing.assert_allclose(odds[seeds.rows], expected, atol=2e-3)

    def test_a_row_that_flips_keeps_its_own_whatever_else_is_said_of_it(self, pool, context):
        rows = context.seeds.rows
        pool.promise(rows, np.zeros(len(rows)))
        assert (pool._promise[rows[:FLIP]] == 1.0).all()
        assert (pool._promise[rows[FLIP:]] < 0.1).all()

    def test_no_row_is_promised_as_much_as_one_that_flips(self, pool, context):
        rows = context.seeds.rows
        pool.promise(rows, np.ones(len(rows)))
        assert pool._promise[rows[FLIP:]].max() < 0.5

    def test_the_most_promising_are_let_in_again(self, pool, context):
        promising = context.seeds.rows[-3:]
        before = np.bincount(pool.anchor[: pool.size], minlength=len(context.domain.rows))
        pool.promise(context.seeds.rows, np.isin(context.seeds.rows, promising).astype(float))
        after = np.bincount(pool.anchor[: pool.size], minlength=len(context.domain.rows))
        assert (after[promising] > before[promising]).all()

    def test_rows_measured_later_get_the_promise_and_the_pair_that_they_showed(self, pool, context):
        late = context.seeds.rows[FLIP : FLIP + 2]
        pool.measured(Seeds(late, np.array([1.0, 0.2]), np.array([[0, 1], [1, 0]])))
        assert pool._promise[late].tolist() == [1.0, 0.2]
        assert pool.pair_of(late).tolist() == [[0, 1], [1, 0]]

    def test_of_a_row_nothing_was_said_of_the_first_and_last_reading_are_asked(self, context):
        seeds = context.seeds
        some = Seeds(seeds.rows[:5], seeds.promise[:5], seeds.pair[:5])
        pool = Pool(Context(context.domain, some, context.rng, 64))
        assert pool.pair_of(seeds.rows[5:6]).tolist() == [[0, context.domain.readings.count - 1]]


class TestRecords:
    def test_a_row_near_which_nothing_was_found_is_chosen_less(self, pool, context):
        row = context.seeds.rows[0]
        before = chosen(pool)[row]
        told(pool, context, [row] * 20, [False] * 20)
        pool.choose(1), pool.choose(1), pool.choose(1)
        assert chosen(pool)[row] == pytest.approx(before * BELIEF / (BELIEF + 20), rel=0.3)

    def test_nobody_supplies_more_than_a_share_of_the_findings_while_others_could(self, pool, context):
        """Whoever has more than that waits."""
        first, rest = context.seeds.rows[0], context.seeds.rows
        told(pool, context, [first] * 10, [True] * 10)
        told(pool, context, np.repeat(rest[1:], 2), np.ones(2 * len(rest) - 2, dtype=bool))
        assert LARGEST_SHARE * pool._found.sum() < 10
        assert chosen(pool)[first] == 0.0
        assert chosen(pool)[rest[1:]].sum() == pytest.approx(1.0)

    def test_where_everybody_had_their_share_better_uneven_than_none(self, pool, context):
        told(pool, context, np.repeat(context.seeds.rows, 3), np.ones(3 * len(context.seeds.rows), dtype=bool))
        assert chosen(pool).sum() == pytest.approx(1.0)
        assert (chosen(pool) > 0).sum() > 0.9 * len(context.seeds.rows)

    def test_many_parents_near_one_row_share_what_is_the_rows(self, pool, context):
        one, other = context.seeds.rows[:2]
        crowd = context.domain.rows[np.full(50, one)]
        pool.put(crowd, np.full(50, one), np.zeros((50, 2), dtype=np.intp))
        odds = chosen(pool)
        assert odds[one] == pytest.approx(odds[other], rel=0.2)


class TestParents:
    def test_findings_come_in_with_what_the_model_said_of_them(self, pool, context):
        size, rows = pool.size, context.seeds.rows
        told(pool, context, rows[:3], [True, False, True], scores=0.25)
        assert pool.size == size + 2
        assert pool.anchor[size : pool.size].tolist() == rows[[0, 2]].tolist()
        np.testing.assert_array_equal(pool.genomes[size : pool.size], context.domain.rows[rows[[0, 2]]])
        assert (pool.scores[size : pool.size] == 0.25).all()

    def test_of_seeds_nobody_knows_what_the_model_said(self, pool):
        assert np.isnan(pool.scores[: pool.size]).all()

    def test_a_full_pool_keeps_its_size_and_the_latest_overwrite_some(self, pool, context):
        rows = np.resize(context.seeds.rows, POOL)
        told(pool, context, rows, np.ones(POOL, dtype=bool), scores=0.1)
        assert pool.size == POOL
        told(pool, context, rows[:500], np.ones(500, dtype=bool), scores=0.9)
        assert pool.size == POOL
        assert 400 < (pool.scores == 0.9).all(axis=1).sum() <= 500
        assert len(pool.choose(100)) == 100
