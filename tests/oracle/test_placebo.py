"""Asking twice with nothing changed: what it finds out of a model, what it costs, and what a flip rate is beside it."""

from __future__ import annotations

from itertools import combinations

import msgspec
import numpy as np
import pytest

from expga.criterion import Gap
from expga.placebo import Placebo, ask_twice, odds_of, rows_to_ask
from expga.population import FlipRate, Noise


def twice(case, rows=60, pace=10_000):
    rng = np.random.default_rng(0)
    return ask_twice(case.inquiry, case.domain.rows[:rows], rng, lambda: pace)


def old(frame):
    return (frame["age"].to_numpy() - 20) / 60


class Random:
    """Its answers about a share of the rows are drawn by lot; of the others they never change."""

    def __init__(self, share, low=0.1, high=0.9):
        self.rng, self.share, self.sides = np.random.default_rng(1), share, (low, high)

    def __call__(self, frame):
        drawn = self.rng.choice(self.sides, len(frame))
        return np.where(frame["age"] < 20 + 60 * self.share, drawn, 0.9)


def by_batch(frame):
    worth = frame["age"].to_numpy()
    return 1 / (1 + np.exp(-(worth - worth.mean()) / 20))


def by_place(frame):
    """Random at first sight; but it begins anew with each call."""
    return np.random.default_rng(0).random(len(frame))


class TestModels:
    def test_one_that_answers_alike_has_no_noise_and_is_asked_twice_only(self, case, people):
        seen = case(people, old)
        placebo = twice(seen)
        assert (placebo.answers, placebo.changed, placebo.moved, placebo.furthest) == ("alike", 0, 0, 0)
        assert placebo.noise() is None
        assert placebo.notes("label") == []
        assert seen.calls == [60, 20, 40]

    def test_one_that_is_random_is_called_so(self, case, people):
        placebo = twice(case(people, Random(1)))
        assert placebo.answers == "random"
        assert 20 < placebo.changed == placebo.relabelled < 40
        assert placebo.furthest == pytest.approx(0.8)
        assert placebo.rate == FlipRate(60, placebo.changed)
        assert "The model is random" in placebo.notes("label")[0]
        assert f"{placebo.changed} of 60 got another label" in placebo.notes("label")[0]

    @pytest.mark.parametrize("rule", [by_batch, by_place])
    def test_one_whose_answers_hang_on_the_batch_is_told_from_a_random_one(self, case, people, rule):
        placebo = twice(case(people, rule))
        assert placebo.answers == "by the batch"
        assert placebo.moved > 50
        assert "depends on what else is in the batch" in placebo.notes("label")[0]

    def test_what_comes_in_one_call_is_small_enough_for_the_pace(self, case, people):
        seen = case(people, by_batch)
        twice(seen, pace=15)
        assert seen.calls == [60, 20, 40, 7, 7]

    def test_scores_that_move_without_a_label_are_noticed(self, case, people):
        """Near its boundary, where a search is at home, such a model flips by noise alone."""
        placebo = twice(case(people, Random(1, 0.60, 0.61)))
        assert (placebo.answers, placebo.changed) == ("random", 0)
        assert placebo.moved > 20
        assert placebo.noise() == Noise(0.0, 0.0, 2 * placebo.rate.ci95[1])

    def test_what_counts_is_what_the_criterion_counts(self, case, people):
        for gap, changes in ((0.3, True), (0.5, False)):
            placebo = twice(case(people, Random(1, 0.55, 0.95), criterion=Gap(gap)))
            assert (placebo.changed > 0) == changes
            assert placebo.relabelled == 0 < placebo.moved

    def test_a_label_that_is_new_the_second_time_is_only_another_label(self, case, people):
        seen = case(people, lambda frame: np.repeat("c" if len(frame) == 40 else "ab"[len(frame) == 20], len(frame)))
        placebo = twice(seen)
        assert list(seen.classes) == ["a", "b", "c"]
        assert (placebo.changed, placebo.moved) == (60, 60)

    def test_it_is_kept_as_it_is(self, case, people):
        placebo = twice(case(people, Random(1)))
        assert msgspec.json.decode(msgspec.json.encode(placebo), type=Placebo) == placebo


class TestRows:
    @pytest.fixture
    def rows(self, case, people):
        def count(inputs, left=1e9, rows=60):
            sex = {"schema": {"protected": {"sex": {"values": ["F", "M"]}}, "unseen": True}}
            inquiry = case(people[:rows], old, protected=("sex",), **sex).inquiry
            return len(rows_to_ask(inquiry, inputs, left, np.random.default_rng(0)))

        return count

    @pytest.mark.parametrize(
        ("inputs", "count"), [(1e9, 60), (4_000, 40), (1_000, 10), (799, 8), (320, 8), (319, 0), (1, 0), (0, 0)]
    )
    def test_take_a_fiftieth_of_the_budget_and_of_a_small_one_a_twentieth(self, rows, inputs, count):
        assert rows(inputs) == count

    def test_leave_as_much_again_to_look_closer(self, rows):
        assert [rows(4_000, left) for left in (80, 160, 31)] == [20, 40, 0]

    def test_are_all_of_a_table_that_has_very_few(self, rows):
        assert rows(1e9, rows=3) == 3

    def test_are_real_ones_under_readings_of_theirs(self, case, people):
        domain = case(people, old).domain
        asked = rows_to_ask(case(people, old).inquiry, 1e9, 1e9, np.random.default_rng(0))
        assert sorted(domain.keys(asked)) == sorted(domain.keys(domain.rows))
        assert len(set(asked[:, domain.protected].ravel().tolist())) == 4


class TestSeveralReadings:
    """Of R answers by the same odds, how often are they not all alike, against two?"""

    @pytest.mark.parametrize("labels_decide", [True, False])
    def test_odds_are_those_of_two_where_there_are_two(self, case, people, labels_decide):
        domain = case(people, old, protected=("sex",)).domain
        assert odds_of(domain.readings, domain.rows, labels_decide) == 1

    def test_odds_bound_what_noise_alone_would_make_of_more(self, case, people):
        domain, rng = case(people, old).domain, np.random.default_rng(0)
        odds = odds_of(domain.readings, domain.rows, labels_decide=True)
        every = odds_of(domain.readings, domain.rows, labels_decide=False)
        assert (odds, every) == (2, 6)
        for rare in (0.02, 0.1, 0.5):
            labels = rng.random((100_000, 4)) < rare
            two, several = (labels[:, 0] != labels[:, 1]).mean(), (labels != labels[:, :1]).any(axis=1).mean()
            assert several <= odds * two + 0.01
        scores = rng.normal(size=(100_000, 4))
        two, several = (np.abs(scores[:, 0] - scores[:, 1]) > 4).mean(), (np.ptp(scores, axis=1) > 4).mean()
        assert odds * two < several <= every * two
        assert len(list(combinations(range(4), 2))) == every


class TestFlipRate:
    def test_of_a_model_that_answers_alike_is_surely_above_its_lower_bound(self):
        rate = FlipRate(1_000, 100)
        assert rate.at_least == rate.ci95[0]

    def test_counts_only_beyond_the_noise(self):
        assert FlipRate(1_000, 134, Noise(0.13, 0.09, 0.18)).at_least == 0
        clear = FlipRate(1_000, 400, Noise(0.05, 0.03, 0.09))
        assert 0.25 < clear.at_least < 0.40 - 0.05 - 0.04

    def test_is_seldom_surely_above_noise_where_there_is_nothing_else(self):
        """The lower bound of a difference at 95% is beyond it in one of forty measurements, or less."""
        rng, above = np.random.default_rng(0), 0
        for flipped, changed in zip(rng.binomial(1_000, 0.1, 400), rng.binomial(200, 0.1, 400), strict=True):
            noise = Noise(changed / 200, *FlipRate(200, int(changed)).ci95)
            above += FlipRate(1_000, int(flipped), noise).at_least > 0
        assert above <= 20

    def test_beside_nothing_measured_is_as_it_was(self):
        told = FlipRate(100, 10).beside(Placebo().noise())
        assert told["by_noise"] is None
        assert told["at_least"] == FlipRate(100, 10).ci95[0]


def test_a_whim_explains_as_many_other_labels_as_it_makes():
    placebo = Placebo(rows=200, changed=20, relabelled=20, moved=200)
    assert placebo.explains(0, 64)
    assert placebo.explains(8, 64)
    assert not placebo.explains(40, 64)
