"""A strategy may ask about genomes as they are: it is answered, pays for it, and tests nothing by it."""

from __future__ import annotations

import numpy as np
import pytest

from expga.account import Account
from expga.budget import Budget, StopReason
from expga.comparison import Yardstick
from expga.contracts import Batch, Probe
from expga.criterion import Flip, Gap
from expga.domain.text import TextDomain
from expga.engine import Engine
from expga.inquiry import Inquiry
from expga.lexicon import load
from expga.models import in_this_process, learn
from expga.plan import Plan

TEXTS = ["He came .", "She left .", "Sarah stayed .", "Nothing was ."]


class Asking:
    """Proposes what it is told to, and notes what it is answered."""

    name, asking = "asking", "pair"

    def __init__(self, *proposals):
        self.proposals = proposals
        self.answers = []
        self.context = None
        self.closed = False

    def search(self, context):
        self.context = context
        try:
            for proposal in self.proposals:
                self.answers.append((yield proposal))
        finally:
            self.closed = True


@pytest.fixture
def domain():
    return TextDomain(TEXTS, ["gender"], load(), lambda texts: [{} for _ in texts], "data")


def he(texts):
    return np.array([0.9 if "He" in text else 0.2 + len(text) / 100 for text in texts])


@pytest.fixture
def run(domain):
    def go(strategy, model=he, criterion=None, **limits):
        budget = Budget(**limits)
        account = Account(budget.queries, budget.seconds)
        learnt = learn(model, TEXTS, reach=account.through(in_this_process))
        account.queries["trial"] = 0
        yardstick = Yardstick(criterion or Flip(), learnt.positive)
        inquiry = Inquiry(model=learnt.model, domain=domain, yardstick=yardstick)
        plan = Plan(
            inquiry=inquiry, strategy=strategy, explainer=None, by_gap=False, epsilon=None, budget=budget, seed=0
        )
        return Engine(plan, account).run()

    return go


def test_the_answers_are_those_about_the_genomes_as_they_are(domain, run):
    twins = domain.readings.read(domain.rows, np.array([0, 1, 1, 0]))
    strategy = Asking(Probe(twins))
    outcome = run(strategy, queries=1_000)
    (answers,) = strategy.answers
    np.testing.assert_allclose(answers.scores[:, 1], he(domain.decode(twins)))
    assert outcome.stop_reason is StopReason.EXHAUSTED


def test_they_are_queries_of_the_search_and_no_tests_and_no_generations(domain, run):
    """Only the voice that a genome has is asked about; and nothing of a row that was measured."""
    outcome = run(
        Asking(Probe(domain.rows), Probe(domain.rows[:1]), Batch(domain.rows[:1], np.array([0]))), queries=1_000
    )
    assert outcome.queries["search"] == 4 + 1
    assert (outcome.tested, outcome.generations) == (1, 1)


@pytest.mark.parametrize(("left", "answered"), [(3, False), (4, True)])
def test_one_that_does_not_fit_the_budget_is_not_asked(domain, run, left, answered):
    cost = 2 + 2 + 10  # of the population, which needs less than its share
    spent = run(Asking(), queries=70).queries["population"]
    assert spent == cost
    strategy = Asking(Probe(domain.rows[[0] * (70 - cost - left)]), Probe(domain.rows))
    outcome = run(strategy, queries=70)
    assert len(strategy.answers) == 1 + answered
    assert sum(outcome.queries.values()) == 70 - (0 if answered else left)
    assert strategy.closed
    assert outcome.stop_reason is (StopReason.QUERIES if not answered else outcome.stop_reason)


def test_what_decides_is_told_where_one_score_does(run):
    strategy = Asking()
    run(strategy, queries=100)
    assert strategy.context.deciding == 1
    run(strategy, criterion=Gap(0.1), queries=100)
    assert strategy.context.deciding is None
    run(strategy, model=lambda texts: np.column_stack([he(texts) / 2, he(texts) / 2, 1 - he(texts)]), queries=100)
    assert strategy.context.deciding is None


@pytest.mark.parametrize("queries", [1, 2, 5, 9, 10, 13, 14, 40, 60])
def test_the_population_pays_for_every_voice(run, queries):
    outcome = run(Asking(), queries=queries)
    assert outcome.queries["population"] <= max(0.2 * queries, 10 if queries >= 10 else 2)
    assert outcome.queries["population"] <= queries


def test_what_is_left_of_the_queries_is_told_at_any_time(domain, run):
    strategy = Asking(Probe(domain.rows), Probe(domain.rows[:1]))
    outcome = run(strategy, queries=100)
    assert strategy.context.queries_left() == 100 - sum(outcome.queries.values())
    run(strategy, generations=3)
    assert strategy.context.queries_left() is None
