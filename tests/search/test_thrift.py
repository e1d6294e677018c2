"""How much thought goes into what to ask."""

from __future__ import annotations

from itertools import product

import pytest

from expga.search import thrift
from expga.search.thrift import FULL, MOST, MOST_ANSWERS, MOST_GENES, MOST_TO_FILL, STEP, Thrift

GENES = 10


class Clock:
    """Seconds that pass only when told to."""

    now = 0.0

    def perf_counter(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    made = Clock()
    monkeypatch.setattr(thrift, "time", made)
    return made


def turns(clock, pace, thought_a_child, lesson=0.0, batch=1_000, count=60):
    """What it comes to, where thought about a child takes so long and each of its questions `pace`."""
    kept = Thrift(lambda: pace, GENES)
    for _ in range(count):
        if kept.ranks:
            with kept.thinking(lesson=True):
                clock.now += lesson
        bred = kept.children(batch)
        with kept.thinking():
            clock.now += thought_a_child * bred
        clock.now += 2 * batch * pace
        kept.asked(batch, bred)
    return kept


class TestWhereQueriesCount:
    def test_nobody_looks_at_the_clock(self, monkeypatch):
        monkeypatch.setattr(thrift, "time", None)
        kept = Thrift(lambda: None, GENES)
        amounts = []
        for _ in range(3):
            with kept.thinking(), kept.thinking(lesson=True):
                pass
            kept.asked(500, 1_000)
            amounts.append((kept.ranks, kept.trees, kept.children(1_000)))
        assert amounts == 3 * [(True, MOST_ANSWERS, int(MOST) * 1_000)]

    def test_as_much_thought_goes_in_as_helps(self):
        assert Thrift(lambda: None, GENES).children(100) == MOST * 100


class TestWhereTimeCounts:
    def test_a_fast_model_is_asked_without_much_thought(self, clock):
        kept = turns(clock, pace=1e-6, thought_a_child=5e-6)
        assert kept.children(1_000) < 2 * 1_000
        assert not kept.trees
        assert not kept.ranks

    def test_of_a_slow_model_many_children_are_bred_for_each_question(self, clock):
        kept = turns(clock, pace=1e-3, thought_a_child=5e-6)
        assert kept.children(1_000) == MOST * 1_000
        assert kept.trees == MOST_ANSWERS
        assert kept.ranks

    def test_in_between_thought_takes_about_as_long_as_it_may(self, clock):
        pace, a_child = 20e-6, 5e-6
        kept = turns(clock, pace, a_child)
        share = a_child * kept.children(1_000) / (2 * 1_000 * pace)
        assert thrift.THOUGHT / STEP**1.1 < share < thrift.THOUGHT * STEP**1.1

    def test_trees_learn_from_more_as_time_goes_by(self, clock):
        few, many = (turns(clock, 50e-6, 5e-6, count=count).trees for count in (10, 60))
        assert 0 < few < many <= MOST_ANSWERS

    def test_lessons_wait_while_they_take_more_than_their_share(self, clock):
        kept = Thrift(lambda: 1e-3, GENES)
        assert kept.ranks
        with kept.thinking(lesson=True):
            clock.now += 1.0
        assert not kept.ranks
        clock.now += 9.5
        assert kept.ranks

    def test_lessons_take_no_more_than_about_their_share_of_the_time(self, clock):
        began, lessons = clock.now, 0.0
        kept = Thrift(lambda: 1e-3, GENES)
        for _ in range(200):
            if kept.ranks:
                with kept.thinking(lesson=True):
                    clock.now += 0.5
                lessons += 0.5
            clock.now += 1.0
            kept.asked(500, 1_000)
        assert lessons <= thrift.LESSONS * (clock.now - began) + 0.5

    def test_time_for_lessons_is_no_reason_to_breed_fewer(self, clock):
        without, beside = (turns(clock, 1e-4, 5e-6, lesson).children(1_000) for lesson in (0.0, 0.05))
        assert without == beside


class TestFullBatches:
    @pytest.fixture
    def fast(self, clock):  # noqa: ARG002 - stands still
        """Of a model that is asked without thought, so that all that are bred are bred to fill batches."""

        def make(genes=5):
            kept = Thrift(lambda: 0.0, genes)
            for _ in range(3):
                kept.asked(1, 1)
            return kept

        return make

    def test_a_batch_of_children_is_enough_as_long_as_half_of_it_is_worth_asking(self, fast):
        kept = fast()
        kept.asked(int(FULL * 100), 100)
        assert kept.children(100) == 100

    def test_are_as_many_more_as_it_takes_and_fewer_again(self, fast):
        kept = fast()
        kept.asked(10, 100)
        assert kept.children(100) == 500
        kept.asked(200, 500)
        assert kept.children(100) == 125

    def test_also_where_queries_count(self):
        kept = Thrift(lambda: None, 5)
        kept.asked(1, 3_200)
        assert kept.children(100) == MOST_TO_FILL * 100

    def test_are_never_more_than_memory_should_hold(self, fast):
        for batch, genes in product((64, 8_192), (5, 1_000)):
            for kept in (fast(genes), Thrift(lambda: None, genes)):
                kept.asked(0, batch)
                assert batch <= kept.children(batch) <= MOST_TO_FILL * batch
                assert kept.children(batch) == batch or kept.children(batch) * genes <= MOST_GENES
