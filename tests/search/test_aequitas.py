"""What makes AEQUITAS: inputs first, then walks of single steps, which learn where to go."""

from __future__ import annotations

import numpy as np
import pytest

from expga.contracts import Batch, Context, Seeds, Verdict
from expga.search import of_kind
from expga.search.aequitas import GLOBAL_BATCHES, Aequitas, Steps

MUTABLE = np.array([True, False, True, True])


def verdict_of(batch, unfair, tested=None):
    """As if the model had been asked about the places tested, all by default."""
    tested = np.arange(len(batch)) if tested is None else np.asarray(tested, dtype=np.intp)
    unfair = np.broadcast_to(np.asarray(unfair, dtype=bool), tested.shape)
    novel = np.isin(np.arange(len(batch)), tested)
    nothing = np.zeros((len(tested), 2))
    return Verdict(
        novel, tested, unfair, unfair, nothing[:, 0], nothing.astype(np.intp), nothing.astype(np.intp), nothing, False
    )


@pytest.fixture
def context_of(domain_of, people):
    def context(manner, realism="domain", batch_size=8):
        domain = domain_of(people, realism)
        rows = domain.anchors
        seeds = Seeds(rows, np.full(len(rows), 0.05), np.zeros((len(rows), 2), dtype=np.intp))
        return Context(domain, seeds, np.random.default_rng(0), batch_size, 1, manner)

    return context


def started(context, hits, **options):
    """A search whose global phase is over, with the inputs of these numbers as hits, and its first local batch."""
    search = Aequitas(**options).search(context)
    inputs, batch = [], next(search)
    wanted = options["global_inputs"] if context.walks == 1 else GLOBAL_BATCHES * context.walks
    while (tried := sum(map(len, inputs))) < wanted:
        inputs.append(batch)
        batch = search.send(verdict_of(batch, np.isin(np.arange(tried, tried + len(batch)), hits)))
    whole = Batch(np.concatenate([b.genomes for b in inputs]), np.concatenate([b.anchor for b in inputs]))
    return search, whole, batch


class TestPhases:
    @pytest.mark.parametrize("realism", ["data", "domain"])
    def test_all_inputs_are_tried_then_each_hit_is_walked_from_one_step_at_a_time(self, context_of, realism):
        context = context_of("faithful", realism)
        search, inputs, batch = started(context, [3, 17], global_inputs=20, local_steps=30)
        assert len(inputs) == 20
        for hit in (3, 17):
            before, moves = inputs.genomes[[hit]], 0
            for _ in range(30):
                assert batch.anchor.tolist() == [inputs.anchor[hit]]
                step = np.abs(batch.genomes - before)
                assert step.max() <= (1 if realism == "domain" else 1_000)
                assert (step > 0).sum() <= 1
                moves += int(step.any())
                before = batch.genomes
                batch = search.send(verdict_of(batch, False))
            assert moves > 10
        assert len(batch) == 1  # and another round begins
        assert batch.genomes.tolist() != before.tolist()

    def test_under_realism_inputs_are_real_rows_each_once(self, context_of):
        context = context_of("faithful", "data")
        count = len(context.domain.anchors)
        _, inputs, _ = started(context, [0], global_inputs=count)
        np.testing.assert_array_equal(inputs.genomes, context.domain.rows[inputs.anchor])
        assert sorted(inputs.anchor) == sorted(context.domain.anchors)

    def test_a_row_that_was_a_hit_is_one_when_it_comes_again(self, context_of):
        context = context_of("faithful", "data")
        count = len(context.domain.anchors)
        search, inputs, batch = started(context, [5], global_inputs=count, local_steps=3)
        for _ in range(3 + count):  # three steps; then all rows again, of which nothing is said
            batch = search.send(verdict_of(batch, False, tested=[]))
        assert batch.anchor.tolist() == [inputs.anchor[5]]

    def test_together_as_many_walks_as_fit_start_evenly_from_the_hits(self, context_of):
        context = context_of("batched")
        _, inputs, batch = started(context, [3, 17], global_inputs=20)
        assert batch.anchor.tolist() == np.tile(inputs.anchor[[3, 17]], 4).tolist()
        differs = batch.genomes != np.tile(inputs.genomes[[3, 17]], (4, 1))
        assert differs.sum(axis=1).max() == 1

    def test_a_walk_ends_after_its_steps_or_when_nothing_new_comes_up(self, context_of):
        for tested, steps in ((None, 70), ([], 50)):
            context = context_of("faithful")
            search, inputs, batch = started(context, [3], global_inputs=10, local_steps=70)
            taken = 0
            while batch.anchor[0] == inputs.anchor[3]:
                batch = search.send(verdict_of(batch, False, tested))
                taken += 1
            assert taken == steps


class TestSteps:
    def test_features_and_directions_start_even(self, rng):
        gene, step = Steps(MUTABLE, "fully-directed", 0.001).draw(30_000, rng)
        np.testing.assert_allclose(np.bincount(gene) / 30_000, MUTABLE / 3, atol=0.01)
        assert abs(step.mean()) < 0.02
        assert set(step) == {-1, 1}

    @pytest.mark.parametrize(("step", "hit", "up"), [(1, True, 1), (1, False, -1), (-1, True, -1), (-1, False, 1)])
    def test_a_hit_raises_its_feature_and_direction_a_miss_lowers_them(self, step, hit, up):
        steps = Steps(MUTABLE, "fully-directed", 0.001)
        steps.learn(np.array([2]), np.array([step]), np.array([hit]))
        assert steps.up.tolist() == pytest.approx([0.5, 0.5, 0.5 + 0.001 * up, 0.5])
        change = 0.001 if hit else -0.001
        published = (np.array([1, 0, 1, 1]) / 3 + [0, 0, change, 0]) / (1 + change)
        np.testing.assert_allclose(steps.feature, published, atol=1e-5)

    def test_schemes_learn_nothing_directions_or_both(self):
        learned = []
        for scheme in ("random", "semi-directed", "fully-directed"):
            steps = Steps(MUTABLE, scheme, 0.001)
            steps.learn(np.array([2, 2]), np.array([1, 1]), np.array([True, True]))
            learned.append((bool(steps.feature[2] > 1 / 3), bool(steps.up[2] > 0.5)))
        assert learned == [(False, False), (False, True), (True, True)]

    def test_thousands_of_misses_at_once_leave_probabilities(self, rng):
        steps = Steps(MUTABLE, "fully-directed", 0.001)
        for _ in range(20):
            gene, step = steps.draw(8_192, rng)
            steps.learn(gene, step, np.zeros(len(gene), dtype=bool))
            assert steps.feature.sum() == pytest.approx(1)
            assert (steps.feature >= 0).all()
            assert ((steps.up >= 0) & (steps.up <= 1)).all()
            assert steps.feature[1] == 0

    def test_among_many_misses_at_once_the_feature_with_the_fewest_gains(self, rng):
        steps = Steps(MUTABLE, "fully-directed", 0.001)
        gene, step = steps.draw(1_000, rng)
        steps.learn(gene, step, rng.random(1_000) < np.where(gene == 2, 0.3, 0.1))
        assert 0.35 < steps.feature[2] < 0.6
        assert (steps.feature[[0, 3]] > 0.2).all()

    def test_what_brings_hits_is_drawn_more_often(self, rng):
        steps = Steps(MUTABLE, "fully-directed", 0.001)
        for _ in range(2_000):
            gene, step = steps.draw(1, rng)
            steps.learn(gene, step, (gene == 2) & (step == -1))
        assert steps.feature[2] > 0.5
        assert steps.up[2] < 0.1


@pytest.mark.parametrize(
    ("name", "scheme"),
    [
        ("aequitas", "fully-directed"),
        ("aequitas-semi-directed", "semi-directed"),
        ("aequitas-random", "random"),
    ],
)
def test_each_scheme_has_a_name_and_the_published_numbers(name, scheme):
    chosen = of_kind("table")[name]()
    assert (chosen.scheme, chosen.global_inputs, chosen.local_steps, chosen.change) == (scheme, 1_000, 1_000, 0.001)
    assert chosen.asking == "all"
