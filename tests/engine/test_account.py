"""What a run has used, and what a trial may: by a clock that the tests set."""

from __future__ import annotations

import numpy as np
import pytest

from expga.account import Account
from expga.errors import InputError
from expga.meter import Meter, OutOfTimeError
from expga.models import in_this_process, learn
from expga.models.calls import LARGEST_CALL


def tried(clock, seconds_a_row, rows=1_000, call_s=0.0, **limits):
    """The sizes of the calls of a trial, by a model that takes so long for a row, and for a call."""
    sizes = []

    def model(inputs):
        sizes.append(len(inputs))
        clock.now += call_s + seconds_a_row * len(inputs)
        return [0.1 * (value % 10) for value in inputs]

    account = Account(began=clock.now, **limits)
    learn(model, list(range(rows)), reach=account.through(in_this_process), allowance=account)
    assert account.total == sum(sizes)
    assert account.model_s["trial"] == pytest.approx(call_s * len(sizes) + seconds_a_row * sum(sizes))
    return sizes


class TestATrialByTheClock:
    def test_begins_with_a_single_row(self, clock):
        assert tried(clock, 1e-6, most_seconds=10)[:4] == [1, 7, 8, 16]

    def test_takes_a_twentieth_of_the_time(self, clock):
        assert sum(tried(clock, 0.02, most_seconds=10)) == 25

    def test_takes_more_only_for_its_first_rows(self, clock):
        assert tried(clock, 0.1, most_seconds=2) == [1, 7]

    def test_stays_with_fewer_where_they_would_take_more_than_half(self, clock):
        assert tried(clock, 1.0, most_seconds=10) == [1, 4]
        assert tried(clock, 30.0, most_seconds=10) == [1]

    def test_is_cut_short_by_what_passed_before_it(self, clock):
        account = Account(most_seconds=10, began=clock.now)
        clock.now += 9
        sizes = []

        def model(inputs):
            sizes.append(len(inputs))
            clock.now += 0.1 * len(inputs)
            return [0.5 for _ in inputs]

        learn(model, list(range(50)), reach=account.through(in_this_process), allowance=account)
        assert sizes == [1, 4]

    def test_shows_all_rows_to_a_quick_model(self, clock):
        assert sum(tried(clock, 1e-5, most_seconds=30)) == 1_000

    def test_keeps_to_the_queries_too(self, clock):
        assert sum(tried(clock, 1e-6, most_seconds=30, most_queries=400)) == 20


def test_without_a_limit_of_time_a_trial_does_not_look_at_the_clock(clock):
    quick, slow = (tried(clock, pause, most_queries=1_000) for pause in (1e-6, 100.0))
    assert quick == slow == [8, 8, 16, 18]


def test_what_an_earlier_part_used_is_not_there_any_more(clock):
    account = Account(most_queries=100, most_seconds=60, began=clock.now)
    account.take_up(20.0, {"trial": 8, "search": 52}, {"trial": 1.0, "search": 12.0})
    clock.now += 4
    assert (account.total, account.queries_left(), account.seconds_left()) == (60, 40, 36)
    assert account.elapsed == 24


def test_a_run_without_anything_left_may_be_taken_up_but_not_begun(clock):
    spent = Account(most_queries=8, began=clock.now)
    spent.take_up(1.0, {"search": 8}, {})
    assert spent.afford(8, 2, 0) == 0
    with pytest.raises(InputError, match="does not cover the first question"):
        Account(most_queries=1, began=clock.now).afford(8, 2, 0)


def test_a_question_counts_when_it_is_asked_whatever_becomes_of_it():
    told = []
    account = Account(spending=lambda: told.append(dict(account.queries)))

    def model(_):
        raise ValueError

    with pytest.raises(ValueError):  # noqa: PT011 - the model's own
        account.through(lambda it, _: it)(model, None)([1, 2, 3])
    assert [told[0]["trial"], account.total] == [3, 3]


class TestAMeter:
    """Of a model that takes a second a row."""

    @pytest.fixture
    def meter(self, clock):
        def make(seconds, each=1.0, start=0.0, **phases):
            sizes = []

            def model(inputs):
                sizes.append(len(inputs))
                clock.now += start + each * len(inputs)
                return [0.5 for _ in inputs]

            account = Account(most_seconds=seconds, began=clock.now)
            learnt = learn(model, [1], reach=account.through(in_this_process), allowance=account)
            account.phase = "search"
            made = Meter(learnt.model, account, lambda rows: np.asarray(model(rows))[:, None])
            account.queries.update(phases)
            del sizes[:]
            return made, sizes

        return make

    def test_asks_one_call_more_than_there_is_time_for(self, meter):
        asking, sizes = meter(6.5, population=1)
        with pytest.raises(OutOfTimeError):
            asking.ask([1] * 20)
        assert sizes == [2, 1, 1, 1, 1]

    def test_asks_nothing_once_the_time_is_over(self, meter):
        asking, sizes = meter(0.5, population=1)
        with pytest.raises(OutOfTimeError):
            asking.ask([1])
        assert sizes == []

    def test_makes_one_call_about_the_population_all_the_same(self, meter):
        asking, sizes = meter(0.5)
        asking.account.phase = "population"
        asking.ask([1])
        with pytest.raises(OutOfTimeError):
            asking.ask([1])
        assert sizes == [1]

    def test_begins_with_calls_as_large_as_the_trial_was_quick(self, meter):
        asking, sizes = meter(200, population=1)
        asking.ask([1] * 10)
        assert sizes == [5, 5]

    def test_makes_calls_larger_as_long_as_they_are_short(self, meter):
        asking, sizes = meter(1_000, each=0.001, population=1)
        asking.ask([1] * 100)
        assert sizes == [20, 80]

    def test_makes_calls_larger_where_each_takes_its_time_however_small_it_is(self, meter):
        asking, sizes = meter(50, each=0.01, start=1.5, population=1)
        asking.ask([1] * 1_000)
        assert len(sizes) < 20
        assert max(sizes) > 100

    def test_lets_what_any_call_takes_be_a_small_part_of_it(self, meter):
        asking, sizes = meter(30, each=0.001, start=0.2, population=1)
        asking.ask([1] * 10_000)
        assert 1_000 < sizes[-1] < 1_450

    def test_asks_larger_questions_than_ever_where_a_row_takes_next_to_nothing(self, meter):
        asking, sizes = meter(30, each=0.0, start=0.2, population=1)
        asking.ask([1] * 500_000)
        assert sizes[-1] > LARGEST_CALL

    def test_asks_no_larger_ones_where_a_search_takes_its_time_for_each_row(self, meter, clock):
        asking, sizes = meter(300, each=0.0, start=0.2, population=1)
        for _ in range(8):
            asking.ask([1] * asking.pace())
            clock.now += 0.001 * asking.pace()
        assert max(sizes) == LARGEST_CALL

    def test_proposals_are_as_large_as_can_be_bred_in_time(self, meter, clock):
        asking, _ = meter(30, each=0.0, start=0.2, population=1)
        asking.ask([1] * 100)
        clock.now += 10
        asking.ask([1] * 200)
        account = asking.account
        assert account.seconds_beside > 0.02
        assert asking.turn() == pytest.approx(account.seconds_left() / account.seconds_beside, abs=2)
        assert asking.turn() < asking.pace()

    def test_ends_the_last_call_with_the_time(self, meter):
        asking, sizes = meter(10, each=0.01, start=0.0, population=1)
        with pytest.raises(OutOfTimeError):
            asking.ask([1] * 10_000)
        assert asking.account.elapsed == pytest.approx(10, abs=0.02)
        assert len(sizes) < 100

    def test_counts_all_calls_that_a_question_takes(self, meter):
        asking, _ = meter(10, each=0.01, population=1)
        asking.account.repeats = 4
        assert asking.pace() == pytest.approx(0.02 * 10 / 0.01 / 4)

    def test_cuts_questions_for_gradients_too(self, meter):
        asking, sizes = meter(200, population=1)
        assert asking.gradients(np.zeros((10, 1))).shape == (10, 1)
        assert sizes == [5, 5]
        assert asking.account.queries["search"] == 10

    def test_makes_one_call_of_all_where_time_is_not_limited(self, meter):
        asking, sizes = meter(None, population=1)
        asking.ask([1] * 50_000)
        assert sizes == [50_000]
