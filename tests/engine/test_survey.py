"""Which real rows are measured, and when: a random sample, whatever is found."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from expga.account import Account
from expga.budget import Budget, StopReason
from expga.comparison import Yardstick
from expga.criterion import Flip
from expga.domain.schema import read_schema
from expga.domain.tabular import TabularDomain
from expga.engine import Engine
from expga.inquiry import Inquiry
from expga.measuring import measure
from expga.models import wrap
from expga.plan import POPULATION_SHARE, Plan
from expga.search.expga import ExpGA
from expga.survey import FEWEST_FIRST, FIRST, Survey

ROWS = 400
RUNS = 300
"""Audits with a seed each, where it is about what they come to on average."""


@pytest.fixture(scope="module")
def domain():
    """Of (400, 4) people, more than any budget here measures."""
    rng = np.random.default_rng(7)
    frame = pd.DataFrame(
        {
            "sex": rng.choice(["f", "m"], ROWS),
            "age": rng.integers(20, 66, ROWS),
            "hours": rng.integers(20, 60, ROWS),
            "job": rng.choice(["clerk", "cook", "nurse"], ROWS),
        }
    )
    return TabularDomain(frame, ["sex"], read_schema(None), "data")


def hires(frame, years=8):
    """A probability, for which a man is worth some years more."""
    worth = frame["age"].to_numpy() + years * (frame["sex"] == "m").to_numpy() + frame["hours"].to_numpy() / 4
    return 1 / (1 + np.exp(-(worth - 57) / 6))


def fair(frame):
    """The same for men and women."""
    return hires(frame, years=0)


def far_from_fair(frame):
    """Nearly all men, and old women."""
    return hires(frame, years=40)


def inquiry(domain, model=hires):
    made, positive = wrap(model, domain.decode(domain.rows[:100]))
    return Inquiry(model=made, domain=domain, yardstick=Yardstick(Flip(), positive))


@dataclass
class Counted:
    """A model whose questions an account counts."""

    model: object
    account: Account

    @property
    def classes(self):
        return self.model.classes

    def ask(self, inputs):
        with self.account.asking(len(inputs)):
            return self.model.ask(inputs)


def audited(domain, about, seed=0, **budget):
    """What an audit by the default search comes to; it does not try the model, and trees would make it long."""
    limits = Budget(**budget)
    account = Account(most_queries=limits.queries)
    about = Inquiry(model=Counted(about.model, account), domain=domain, yardstick=about.yardstick)
    plan = Plan(
        inquiry=about,
        strategy=ExpGA(trees=False),
        explainer=None,
        by_gap=True,
        epsilon=None,
        budget=limits,
        seed=seed,
    )
    return Engine(plan, account).run()


@dataclass
class Desk:
    """A survey by hand."""

    survey: Survey
    account: Account

    def to_the_end(self, inputs=32):
        while not self.survey.over:
            self.survey.next(inputs)
        return self.survey.population


@pytest.fixture
def desk(domain):
    def make(model=hires, *, seed=0, before=None, pace=64, spent=0, share=POPULATION_SHARE, **budget):
        limits, about = Budget(**budget), inquiry(domain, model)
        account = Account(most_queries=limits.queries, most_seconds=limits.seconds)
        account.queries["population"] = spent
        survey = Survey(
            Inquiry(model=Counted(about.model, account), domain=domain, yardstick=about.yardstick),
            account,
            limits,
            share,
            functions=lambda: 1,
            pace=lambda: pace,
            rng=np.random.default_rng(seed),
            before=before,
        )
        return Desk(survey, account)

    return make


class TestWhichRows:
    @pytest.mark.parametrize("seed", [0, 1])
    def test_hang_on_nothing_that_was_found(self, domain, seed):
        asked = [
            audited(domain, inquiry(domain, model), seed, queries=500).population.asked
            for model in (hires, fair, far_from_fair)
        ]
        assert len(asked[0]) == 50
        assert asked[0].tolist() == asked[1].tolist() == asked[2].tolist()

    def test_hang_on_no_limit_of_findings(self, domain):
        about = inquiry(domain)
        long, short = (audited(domain, about, queries=600, **limit) for limit in ({}, {"findings": 3}))
        assert short.stop_reason is StopReason.FINDINGS
        assert short.population.asked.tolist() == long.population.asked.tolist()

    def test_of_a_larger_budget_begin_with_those_of_a_smaller_one(self, desk):
        few, many = (desk(queries=queries).to_the_end().asked for queries in (200, 1_000))
        assert few.tolist() == many[: len(few)].tolist()

    def test_are_others_with_another_seed_and_none_comes_twice(self, desk):
        one, other = (desk(queries=1_000, seed=seed).to_the_end().asked for seed in (0, 1))
        assert len(set(one.tolist())) == len(one) == len(other)
        assert set(one.tolist()) != set(other.tolist())

    @pytest.mark.parametrize("pace", [2, 7, 64, 10_000])
    def test_hang_on_no_size_of_a_call(self, desk, pace):
        assert desk(queries=600, pace=pace).to_the_end(inputs=pace).asked.tolist() == (
            desk(queries=600).to_the_end().asked.tolist()
        )

    def test_every_row_has_the_same_odds(self, desk):
        often = np.zeros(ROWS)
        survey = desk(queries=200).survey
        for seed in range(600):
            survey._order, survey._done = np.random.default_rng(seed).permutation(ROWS), 0
            often[survey._next(10**6)] += 1
        share = 20 / ROWS
        assert np.abs(often / 600 - share).max() < 5 * np.sqrt(share * (1 - share) / 600)

    def test_all_are_measured_where_no_budget_forbids_it(self, desk):
        population = desk().to_the_end(inputs=10_000)
        assert sorted(population.asked.tolist()) == list(range(ROWS))
        assert not population.sampled


class TestHowMany:
    @pytest.mark.parametrize("queries", [10, 33, 200, 501, 3_000])
    @pytest.mark.parametrize("share", [0.1, 0.2, 0.5])
    def test_never_take_more_than_their_share_of_the_queries_nor_two_less(self, desk, queries, share):
        desk = desk(queries=queries, share=share)
        desk.to_the_end()
        used = desk.account.queries["population"]
        assert used <= max(2, share * queries)
        assert used > share * queries - 2 or used == 2 * ROWS

    def test_one_at_least_however_small_the_share(self, desk):
        one = desk(queries=5, share=0.01)
        assert len(one.to_the_end().asked) == 1
        assert one.account.queries["population"] == 2

    def test_none_where_no_query_is_left(self, desk):
        some = desk(queries=5)
        some.account.queries["trial"] = 4
        assert some.survey.over
        assert len(some.to_the_end().asked) == 0

    def test_a_run_that_ends_early_for_what_it_found_measures_its_share_all_the_same(self, domain):
        outcome = audited(domain, inquiry(domain), queries=2_000, findings=1)
        assert outcome.stop_reason is StopReason.FINDINGS
        assert outcome.queries["population"] == POPULATION_SHARE * 2_000

    def test_a_run_that_goes_on_asks_about_no_row_again(self, desk):
        first = desk(queries=300)
        before = first.to_the_end()
        second = desk(queries=900, before=before, spent=first.account.queries["population"], seed=5)
        after = second.to_the_end()
        assert after.asked[: len(before.asked)].tolist() == before.asked.tolist()
        assert len(set(after.asked.tolist())) == len(after.asked) == POPULATION_SHARE * 900 / 2
        assert second.account.queries["population"] == POPULATION_SHARE * 900

    def test_parts_come_to_what_measuring_them_at_once_comes_to(self, desk, domain):
        population = desk(queries=1_000).to_the_end(inputs=6)
        at_once = measure(inquiry(domain), population.asked)
        assert population.packed() == at_once.packed()


class TestWhen:
    def test_a_search_may_begin_when_some_are_known(self, desk):
        few, large = desk(queries=300), desk(queries=8_000)
        assert not few.survey.begun
        few.survey.next(8)
        assert not few.survey.begun  # less than FEWEST_FIRST, and more to come
        few.to_the_end()
        assert few.survey.begun
        while not large.survey.begun:
            large.survey.next(8)
        first = max(FEWEST_FIRST, FIRST * POPULATION_SHARE * 8_000)
        assert first <= large.account.queries["population"] < first + 8

    def test_more_are_due_when_the_search_has_used_its_part(self, desk):
        desk = desk(queries=4_000)
        desk.survey.next(64)
        assert not desk.survey.due
        used = desk.account.queries["population"]
        desk.account.queries["search"] = int(used / POPULATION_SHARE) - used
        assert not desk.survey.due
        desk.account.queries["search"] += 2
        assert desk.survey.due
        desk.to_the_end()
        assert not desk.survey.due

    def test_questions_are_counted_as_those_of_the_population_whatever_comes_after(self, desk):
        desk = desk(queries=4_000)
        desk.account.phase = "search"
        desk.survey.next(64)
        assert desk.account.queries["population"] == 64
        assert desk.account.queries["search"] == 0
        assert desk.account.phase == "search"


@pytest.mark.slow
class TestWhatItSaysOfAllRows:
    """Over many audits, each with a search beside the measuring that looks for rows that flip."""

    @pytest.fixture(scope="class")
    @classmethod
    def truth(cls, domain):
        return measure(inquiry(domain)).overall.rate

    @pytest.mark.parametrize("limit", [{}, {"findings": 2}], ids=["to_the_end", "until_something_is_found"])
    def test_intervals_hold_the_truth_as_often_as_they_say_and_rates_are_right_on_average(self, domain, truth, limit):
        about = inquiry(domain)
        rates = [audited(domain, about, seed, queries=300, **limit).population.overall for seed in range(RUNS)]
        rows = rates[0].rows
        assert all(rate.rows == rows for rate in rates)
        assert 0.05 < truth < 0.3
        assert np.mean([rate.ci95[0] <= truth <= rate.ci95[1] for rate in rates]) >= 0.93
        error = np.sqrt(truth * (1 - truth) * (ROWS - rows) / (ROWS - 1) / rows / RUNS)
        assert np.mean([rate.rate for rate in rates]) == pytest.approx(truth, abs=3 * error)
