"""What makes ADF ADF: seeds from clusters, steps on which both twins' gradients agree, local walks by small ones."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import expga
from expga.contracts import Batch, Context, Gradients, Seeds, Verdict
from expga.errors import InputError, ModelError
from expga.search import of_kind
from expga.search.adf import ADF, GIVE_UP, agreed, nudged
from expga.search.clusters import clustered_rounds

WIDE = pd.DataFrame({"sex": [0, 1] * 50, "a": np.arange(100), "b": np.arange(100), "c": np.arange(100)[::-1]})
MIDDLE = 50


@pytest.fixture
def domain(domain_of):
    return domain_of(WIDE, "domain", schema=None)


@pytest.fixture
def begun(domain, rng):
    """A search that a test answers itself, and its first question."""

    def begin(walks=1, where=domain, **steps):
        nobody = Seeds(np.zeros(0, dtype=np.intp), np.zeros(0), np.zeros((0, 2), dtype=np.intp))
        manner = "faithful" if walks == 1 else "batched"
        search = ADF(**steps).search(Context(where, nobody, rng, max(walks, 64), 1, manner))
        return search, next(search)

    return begin


def judged(batch, unfair=False, scores=(0.2, 0.3), novel=True, tested=True):
    """A verdict of one kind about a whole batch."""
    count = len(batch) if tested else 0
    return Verdict(
        novel=np.full(len(batch), novel),
        tested=np.arange(count),
        unfair=np.full(count, unfair),
        complete=np.ones(count, dtype=bool),
        gap=np.full(count, abs(scores[0] - scores[1])),
        pair=np.tile(np.array([0, 1]), (count, 1)),
        labels=np.zeros((count, 2), dtype=np.intp),
        scores=np.tile(np.array(scores), (count, 1)),
        cut=False,
    )


def flat(question, gradients=(0.0, 0.0, 0.0, 0.0)):
    return np.tile(np.array(gradients), (len(question), 1))


class TestSeeds:
    def test_each_cluster_has_its_turn_until_it_is_empty(self, rng):
        cluster = np.repeat([0, 1, 2, 3], [10, 10, 10, 3])
        rows = (1_000 * cluster[:, None] + rng.integers(0, 5, (33, 2))).astype(np.int32)
        order = clustered_rounds(rows, rng)
        assert sorted(order) == list(range(33))
        turns = cluster[order]
        assert all(set(turns[4 * i : 4 * i + 4]) == {0, 1, 2, 3} for i in range(3))
        assert all(set(turns[12 + 3 * i : 15 + 3 * i]) == {0, 1, 2} for i in range(7))

    @pytest.mark.parametrize("count", [1, 3, 9])
    def test_few_or_equal_rows_do(self, rng, count):
        assert sorted(clustered_rounds(np.ones((count, 2), dtype=np.int32), rng)) == list(range(count))

    def test_they_are_the_real_rows_one_at_a_time(self, begun, domain):
        search, batch = begun()
        anchors = []
        for _ in domain.anchors:
            assert len(batch) == 1
            np.testing.assert_array_equal(batch.genomes, domain.rows[batch.anchor])
            anchors.extend(batch.anchor)
            batch = next_or_none(search, judged(batch, tested=False))
        assert batch is None
        assert sorted(anchors) == domain.anchors.tolist()

    def test_many_walk_together_in_the_batched_manner(self, begun):
        assert len(begun(walks=64)[1]) == 64


def next_or_none(search, answer):
    try:
        return search.send(answer)
    except StopIteration:
        return None


class TestGlobal:
    def test_gradients_are_asked_for_at_both_twins(self, begun, domain):
        search, batch = begun()
        question = search.send(judged(batch))
        assert isinstance(question, Gradients)
        twins = domain.readings.read(np.repeat(batch.genomes, 2, axis=0), np.array([0, 1]))
        np.testing.assert_array_equal(question.genomes, twins)

    @pytest.mark.parametrize(
        ("scores", "direction"), [((0.2, 0.3), 1), ((0.8, 0.9), -1)], ids=["both rejected", "both hired"]
    )
    def test_genes_on_which_both_agree_go_one_step_to_the_boundary(self, begun, scores, direction):
        """A loss rises where its label becomes less likely."""
        search, batch = begun()
        while abs(batch.genomes[0, 1] - MIDDLE) > 40:
            batch = search.send(judged(batch, tested=False))
        search.send(judged(batch, scores=scores))
        moved = search.send(np.array([[9.0, 0.1, 0.5, -2.0], [9.0, 7.0, -0.5, -1.0]]))
        steps = (moved.genomes - batch.genomes)[0]
        assert steps.tolist() == [0, direction, 0, -direction]
        assert moved.anchor.tolist() == batch.anchor.tolist()

    def test_without_agreement_one_gene_takes_a_random_step(self, rng):
        opposed = np.tile(np.array([[1.0, 1.0, -1.0], [1.0, -1.0, 1.0]]), (4_000, 1, 1))
        steps = agreed(opposed, np.array([False, True, True]), rng)
        assert (np.abs(steps).sum(axis=1) == 1).all()
        np.testing.assert_allclose(np.abs(steps).mean(axis=0), [0, 0.5, 0.5], atol=0.05)
        np.testing.assert_allclose(steps.mean(axis=0), 0, atol=0.05)

    def test_a_gene_without_slope_stays_beside_one_that_goes(self, rng):
        steps = agreed(np.array([[[0.0, 1.0], [0.0, 2.0]]]), np.array([True, True]), rng)
        assert steps.tolist() == [[0, 1]]

    @pytest.mark.parametrize("most", [1, 10])
    def test_it_gives_up_after_so_many_steps(self, begun, most):
        search, batch = begun(global_steps=most)
        seed = batch.anchor[0]
        visited = 0
        while batch.anchor[0] == seed:
            visited += 1
            answer = search.send(judged(batch))
            batch = search.send(flat(answer)) if isinstance(answer, Gradients) else answer
        assert visited == most + 1

    def test_a_sample_met_before_ends_it(self, begun):
        search, batch = begun()
        after = search.send(judged(batch, novel=False, tested=False))
        assert isinstance(after, Batch)
        assert after.anchor[0] != batch.anchor[0]


class TestLocal:
    @pytest.fixture
    def walk(self, begun):
        """A local walk from a finding: its search, where it begins, and the first step."""

        def go(gradients=(0.0, 1.0, 1.0, 1.0), **steps):
            search, seed = begun(**steps)
            question = search.send(judged(seed, unfair=True, scores=(0.4, 0.6)))
            assert isinstance(question, Gradients)
            return search, seed, search.send(flat(question, gradients))

        return go

    def test_it_moves_one_gene_by_one(self, walk):
        _, seed, step = walk()
        assert np.abs(step.genomes - seed.genomes).sum() == 1
        assert step.anchor.tolist() == seed.anchor.tolist()

    def test_genes_come_up_by_one_over_their_gradients(self, domain, rng):
        genomes = np.full((30_000, 4), MIDDLE, dtype=np.int32)
        moved = nudged(domain, genomes, np.tile(np.array([0.0, 1.0, 2.0, 6.0]), (len(genomes), 1)), rng)
        steps = moved - genomes
        assert (np.abs(steps).sum(axis=1) == 1).all()
        np.testing.assert_allclose(np.abs(steps).mean(axis=0), [0, 0.6, 0.3, 0.1], atol=0.02)
        np.testing.assert_allclose(steps.mean(axis=0), 0, atol=0.02)

    def test_one_without_gradient_counts_like_the_least_and_none_at_all_like_each_other(self, domain, rng):
        genomes = np.full((30_000, 4), MIDDLE, dtype=np.int32)
        for impact, odds in (
            ([0, 0.0, 1e-300, 4e-300], [0, 4 / 9, 4 / 9, 1 / 9]),
            ([0, 0, 0, 0], [0, 1 / 3, 1 / 3, 1 / 3]),
        ):
            moved = nudged(domain, genomes, np.tile(np.array(impact, dtype=float), (len(genomes), 1)), rng)
            np.testing.assert_allclose((moved != genomes).mean(axis=0), odds, atol=0.02)

    def test_a_bound_turns_it_round(self, domain, rng):
        for edge, inside in ((0, 1), (99, 98)):
            genomes = np.full((500, 4), edge, dtype=np.int32)
            moved = nudged(domain, genomes, np.ones((500, 4)), rng)
            assert (moved[moved != genomes] == inside).all()
            assert ((moved != genomes).sum(axis=1) == 1).all()

    def test_it_goes_on_from_what_it_finds_with_the_gradients_there(self, walk, domain):
        search, _, step = walk()
        question = search.send(judged(step, unfair=True))
        assert isinstance(question, Gradients)
        np.testing.assert_array_equal(domain.keys(question.genomes), np.repeat(domain.keys(step.genomes), 2))
        further = search.send(flat(question))
        assert np.abs(further.genomes - step.genomes).sum() == 1

    def test_gradients_are_those_of_the_loss(self, walk):
        """The twins' scores weigh their gradients: one that is sure of its label hardly has any."""
        chosen = []
        search, _, step = walk(gradients=(0, 1, 1, 1))
        for _ in range(150):
            search.send(judged(step, unfair=True, scores=(0.4, 1.0)))
            gradients = np.array([[0.0, 1.0, 10.0, 10.0], [0.0, 1e3, 1.0, 1.0]])  # the second twin's do not count
            following = search.send(gradients)
            chosen.append(int(np.flatnonzero((following.genomes != step.genomes)[0])[0]))
            step = following
        assert chosen.count(1) > 100

    def test_it_seldom_leaves_a_finding_for_a_miss(self, begun):
        """As often as scipy's basin hopping does: one time in e."""
        search, batch = begun(walks=100, local_steps=1)
        taken = tested = 0
        while batch is not None:
            question = search.send(judged(batch, unfair=True, scores=(0.4, 0.6)))
            first = search.send(flat(question))
            answer = next_or_none(search, judged(first, unfair=False))
            tested += len(first)
            if isinstance(answer, Gradients):
                taken += len(answer) // 2
                answer = search.send(flat(answer))
            batch = answer if answer is not None and tested < 100 else None
        assert taken / tested == pytest.approx(np.exp(-1), abs=0.15)

    def test_from_a_miss_any_step_is_taken(self, walk):
        search, _, step = walk()
        answer = search.send(judged(step))
        while not isinstance(answer, Gradients):  # it stayed on the finding
            answer = search.send(judged(answer))
        for _ in range(20):
            step = search.send(flat(answer))
            answer = search.send(judged(step))
            assert isinstance(answer, Gradients)

    def test_what_was_met_before_is_passed_over_without_a_question(self, walk):
        search, _, step = walk()
        further = search.send(judged(step, novel=False, tested=False))
        assert isinstance(further, Batch)
        assert np.abs(further.genomes - step.genomes).sum() == 1

    def test_what_has_no_twin_is_not_entered(self, walk):
        search, seed, step = walk()
        further = search.send(judged(step, novel=True, tested=False))
        assert np.abs(further.genomes - seed.genomes).sum() == 1

    def test_it_takes_so_many_steps(self, walk):
        search, seed, step = walk(local_steps=7)
        visited = 0
        while step.anchor[0] == seed.anchor[0]:
            visited += 1
            question = search.send(judged(step, unfair=True))
            step = search.send(flat(question)) if isinstance(question, Gradients) else question
        assert visited == 7

    def test_nothing_new_for_long_ends_it(self, walk):
        search, seed, step = walk()
        visited = 0
        while step.anchor[0] == seed.anchor[0]:
            visited += 1
            step = search.send(judged(step, novel=False, tested=False))
        assert visited == GIVE_UP

    def test_published_numbers_of_steps(self):
        assert (ADF().global_steps, ADF().local_steps) == (10, 1_000)


class TestAudit:
    @pytest.fixture
    def table(self):
        rng = np.random.default_rng(0)
        frame = pd.DataFrame(
            {"sex": rng.integers(0, 2, 300), "age": rng.integers(20, 60, 300), "pay": rng.integers(0, 90, 300)}
        )
        return frame, (frame["age"] + frame["pay"] + 15 * frame["sex"] > 95).astype(int)

    @pytest.mark.parametrize("manner", ["batched", "faithful"])
    def test_more_of_what_it_tests_is_unfair_than_at_random(self, table, manner):
        frame, hired = table
        model = LogisticRegression(max_iter=1_000).fit(frame, hired)
        options = {"protected": "sex", "realism": "domain", "max_queries": 3_000}
        ours = expga.audit(model, frame, strategy="adf", manner=manner, **options)
        rate = ours.summary["found"] / ours.summary["tested"]
        control = expga.audit(model, frame, strategy="random", **options)
        assert rate > control.summary["found"] / control.summary["tested"]
        assert ours.summary["settings"]["manner"] == manner

    def test_a_model_without_gradients_is_told_what_to_do(self, table):
        with pytest.raises(InputError) as told:
            expga.audit(lambda rows: rows["age"] > 30, table[0], protected="sex", strategy="adf")
        for word in (
            "offers no gradients",
            "MLP",
            "logistic",
            "PyTorch",
            "gradients(X)",
            "expga, expga-published, random",
        ):
            assert word in str(told.value)

    @pytest.mark.parametrize("positive", [None, 2])
    def test_so_is_one_of_three_classes(self, table, positive):
        frame, hired = table
        model = LogisticRegression(max_iter=2_000).fit(frame, hired + (frame["age"] > 50))
        with pytest.raises(InputError, match="this model has 3 classes, not two"):
            expga.audit(model, frame, protected="sex", strategy="adf", positive=positive)

    def test_so_is_a_callable_of_three_that_offers_gradients(self, table):
        class Three:
            def __call__(self, rows):
                return np.column_stack([rows["age"], rows["pay"], 50 * rows["sex"]]) / 100

            def gradients(self, rows):
                return np.ones(rows.shape)

        with pytest.raises(InputError, match="this model has 3 classes, not two"):
            expga.audit(Three(), table[0], protected="sex", strategy="adf", positive=1)

    def test_for_texts_there_are_others(self):
        with pytest.raises(InputError, match="The strategy adf is for tables; on texts choose one of expga,"):
            expga.audit(len, ["He came."], protected="gender", strategy="adf")

    def test_gradients_that_fail_are_a_failure_of_the_model(self, table):
        class Broken:
            def __call__(self, rows):
                return rows["age"] / 100

            def gradients(self, _):
                raise ValueError("out of chalk")

        with pytest.raises(ModelError, match="ValueError: out of chalk"):
            expga.audit(Broken(), table[0], protected="sex", strategy="adf", max_queries=5_000)


def test_it_needs_gradients_and_asks_about_every_reading():
    ours = of_kind("table")["adf"]()
    assert (ours.needs_gradients, ours.asking, ours.manners) == (True, "all", ("batched", "faithful"))
