"""The conformance suite itself: who cheats fails the demand that concerns it, and who is honest passes."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest

from expga.contracts import Batch
from expga.errors import InputError
from expga.search.random import RandomTesting
from expga.testing import Conformance, Target, tables, texts
from expga.testing.case import cases_of

TABLES = tables()
SAME = "test_the_same_seed_and_budget_find_the_same"
OTHERS = "test_another_seed_finds_others"
MAY = "test_it_asks_about_what_it_may_and_about_nothing_twice"
USED = "test_every_question_is_counted_and_the_budget_is_used"
SPREADS = "test_it_finds_what_is_there_and_spreads"
BEYOND = "test_only_without_realism_it_goes_beyond_what_real_rows_show"


class Honest(RandomTesting):
    name = "honest"
    manners = ("batched",)

    def search(self, context):
        search = super().search(self.looked_at(context))
        verdict = None
        with suppress(StopIteration):
            while True:
                verdict = yield self.proposed(search.send(verdict), context)

    def looked_at(self, context):
        return context

    def proposed(self, batch, _):
        return batch


class Unseeded(Honest):
    def looked_at(self, context):
        return replace(context, rng=np.random.default_rng())


class AlwaysTheSame(Honest):
    def looked_at(self, context):
        return replace(context, rng=np.random.default_rng(0))


class TurnsTheProtected(Honest):
    def proposed(self, batch, context):
        genomes = batch.genomes.copy()
        genomes[:, context.domain.protected] = 1 - genomes[:, context.domain.protected]
        return Batch(genomes, batch.anchor)


class TooYoung(Honest):
    def proposed(self, batch, _):
        genomes = batch.genomes.copy()
        genomes[::2, 1] = 0
        return Batch(genomes, batch.anchor)


class FromElsewhere(Honest):
    def proposed(self, batch, context):
        domain = context.domain
        genomes = np.where(domain.mutable, domain.donors(batch.genomes, context.rng), batch.genomes)
        return Batch(genomes, batch.anchor)


class StaysAtHome(Honest):
    def looked_at(self, context):
        domain = context.domain

        class Home:
            anchors = domain.anchors[:3]

            def __getattr__(self, name):
                return getattr(domain, name)

        return replace(context, domain=Home())


class AgeAlone(Honest):
    def proposed(self, batch, context):
        genomes = context.domain.rows[batch.anchor]
        genomes[:, 1] = batch.genomes[:, 1]
        return Batch(genomes, batch.anchor)


class RealRowsAlone(Honest):
    def proposed(self, batch, context):
        return Batch(context.domain.rows[batch.anchor], batch.anchor)


class SoonTired(Honest):
    def search(self, context):
        search = super().search(context)
        batch = next(search)
        for _ in range(3):
            batch = search.send((yield batch))


def on_tables(strategy, realism="data", **flags):
    """The case of a strategy in this realism."""
    return next(case for case in cases_of([Target(strategy, **flags)], [TABLES]) if case.realism == realism)


def make(demand, case):
    getattr(Conformance(), demand)(case)


DEMANDS = (SAME, OTHERS, MAY, USED, SPREADS, BEYOND)


@pytest.mark.parametrize("demand", DEMANDS)
@pytest.mark.parametrize("realism", ["data", "domain"])
def test_who_is_honest_passes(demand, realism):
    make(demand, on_tables(Honest, realism))


@pytest.mark.parametrize(
    ("cheat", "demand", "realism"),
    [
        (Unseeded, SAME, "data"),
        (AlwaysTheSame, OTHERS, "data"),
        (TurnsTheProtected, MAY, "domain"),
        (TooYoung, MAY, "domain"),
        (FromElsewhere, MAY, "data"),
        (StaysAtHome, SPREADS, "domain"),
        (AgeAlone, SPREADS, "data"),
        (RealRowsAlone, BEYOND, "domain"),
        (SoonTired, USED, "data"),
    ],
)
def test_who_cheats_fails_the_demand_that_concerns_it(cheat, demand, realism):
    with pytest.raises(AssertionError):
        make(demand, on_tables(cheat, realism))


def test_a_flag_lets_pass_what_it_speaks_of():
    with pytest.raises(pytest.skip.Exception, match="it draws nothing at random"):
        make(OTHERS, on_tables(AlwaysTheSame, ignores_seed=True))
    make(SPREADS, on_tables(StaysAtHome, "domain", digs=("batched",)))


def test_a_target_that_needs_few_samples_gets_the_small_version():
    case = on_tables("exhaustive", small_domains_only=True)
    assert case.specimen is TABLES.small
    assert on_tables("random").specimen is TABLES


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("exhaustive", [("batched", "data", "once"), ("batched", "domain", "in each manner")]),
        (
            "random",
            [
                ("batched", "data", "once"),
                ("batched", "domain", "everywhere"),
                ("faithful", "data", "everywhere"),
                ("faithful", "domain", "in each manner"),
            ],
        ),
    ],
)
def test_every_manner_and_every_realism_has_its_turn(name, made):
    assert [(case.manner, case.realism, case.extent) for case in cases_of([Target(name)], [TABLES])] == made


def test_a_target_for_another_kind_is_refused_in_a_sentence():
    with pytest.raises(InputError, match="The strategy sg is for tables; on texts choose one of"):
        cases_of([Target("sg")], [texts()])


def test_what_a_model_is_asked_beside_the_count_is_seen(monkeypatch):
    from expga.account import Account

    real = Account.asking

    def forgetful(self, rows):
        return real(self, max(0, rows - 1))

    monkeypatch.setattr(Account, "asking", forgetful)
    with pytest.raises(AssertionError):
        make(USED, on_tables(Honest))


def test_a_model_that_is_accused_falsely_is_seen(monkeypatch):
    case = on_tables(Honest)
    monkeypatch.setitem(case.__dict__, "specimen", replace(TABLES, fair=TABLES.biased))
    with pytest.raises(AssertionError):
        make("test_a_model_that_ignores_the_attribute_is_never_accused", case)


def test_who_does_not_test_does_without_it():
    told = (
        "import sys, expga.cli, expga.api; print([name for name in ('pytest', 'expga.testing') if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"
