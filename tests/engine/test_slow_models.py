"""Models that take long: how much they are asked at a time, and several calls that go on at once."""

from __future__ import annotations

import signal
import threading

import numpy as np
import pandas as pd
import pytest

import expga
from expga.account import Account
from expga.contracts import Batch, Strategy
from expga.errors import ModelError
from expga.models import in_this_process
from expga.models.calls import LARGEST_CALL
from expga.models.isolated import Isolated

PATIENCE = 60
"""Seconds that a call waits for the others, however busy the machine is."""
IN_THE_SEARCH = 60
"""Calls after which a run is well into its search."""


class Watching(Strategy):
    """Random moves, in batches as large as they should be by now."""

    name = "watching"

    def __init__(self):
        self.sizes = []

    def search(self, context):
        self.sizes.append(context.batch_size)
        while True:
            self.sizes.append(size := context.batch_size_now)
            anchor = context.rng.choice(context.domain.anchors, size)
            genomes = context.domain.rows[anchor]
            every = np.broadcast_to(context.domain.mutable, genomes.shape)
            yield Batch(context.domain.mutated(genomes, every, context.rng), anchor)


class AtOnce:
    """Hires men above 30, several calls at once; from some call on something else happens."""

    def __init__(self, calls, then=None):
        self.concurrent_calls = calls
        self.sizes = []
        self._then = then

    def __call__(self, frame):
        self.sizes.append(len(frame))
        if self._then is not None and len(self.sizes) > IN_THE_SEARCH:
            self._then()
        return np.where((frame["sex"] == "male") & (frame["age"] > 30), 0.9, 0.1)


def options(**more):
    return {"protected": "sex", "realism": "domain", "max_queries": 20_000, **more}


class TestByTheClock:
    def run(self, unfair, people, clock, call_s, row_s, budget, strategy, **more):
        sizes = []

        def slow(frame):
            sizes.append(len(frame))
            clock.now += call_s + row_s * len(frame)
            return unfair(frame)

        more = {"protected": "sex", "realism": "domain", "budget": budget, "strategy": strategy, **more}
        return expga.audit(slow, people, **more), sizes

    def test_a_model_that_is_far_away_is_asked_about_as_many_as_cost_the_same(self, unfair, people, clock):
        strategy = Watching()
        _, sizes = self.run(unfair, people, clock, 0.2, 0.0, "60s", strategy, max_generations=4)
        assert max(sizes) > LARGEST_CALL
        assert strategy.sizes[-1] == max(strategy.sizes) > LARGEST_CALL // 2

    def test_what_any_call_takes_is_a_small_part_of_it(self, unfair, people, clock):
        strategy = Watching()
        self.run(unfair, people, clock, 0.2, 0.001, "60s", strategy, max_generations=6)
        assert 2 * strategy.sizes[-1] * 0.001 == pytest.approx(0.2 / 0.15 - 0.2, rel=0.25)

    def test_it_is_a_small_part_of_the_time_too(self, unfair, people, clock):
        audit, sizes = self.run(unfair, people, clock, 0.2, 0.001, "5s", Watching())
        assert max(sizes) <= 320
        assert 4.5 < audit.summary["elapsed_s"] < 5.3

    def test_a_model_that_takes_its_time_for_each_row_is_asked_about_few(self, unfair, people, clock):
        audit, sizes = self.run(unfair, people, clock, 0.0, 0.001, "5s", Watching())
        assert max(sizes) <= 125
        assert audit.summary["elapsed_s"] < 5.2

    def test_by_queries_a_batch_is_as_large_however_slow_the_model_is(self, unfair, people, clock):
        slow, quick = Watching(), Watching()
        for strategy, seconds in ((slow, 10.0), (quick, 1e-6)):
            limits = {"budget": None, "max_queries": 20_000}
            self.run(unfair, people, clock, seconds, seconds, strategy=strategy, **limits)
        assert set(slow.sizes) == set(quick.sizes) == {100}


class TestAtOnce:
    def test_findings_and_queries_are_those_of_one_call_after_the_other(self, people):
        one, *others = (expga.audit(AtOnce(calls), people, **options(max_queries=3_000)) for calls in (1, 2, 8))
        assert len(one.findings) > 0
        for other in others:
            pd.testing.assert_frame_equal(other.findings, one.findings)
            assert other.summary["queries"] == one.summary["queries"]

    def test_every_query_counts_once(self, people):
        model = AtOnce(8)
        audit = expga.audit(model, people, **options(max_queries=3_000))
        assert audit.summary["queries"]["total"] == sum(model.sizes)

    def test_the_time_inside_the_model_is_that_in_which_any_call_goes_on(self, clock):
        meeting = threading.Barrier(2)

        def slow(rows):
            meeting.wait(PATIENCE)
            clock.now = 3.0
            meeting.wait(PATIENCE)
            return rows

        slow.concurrent_calls = 2
        account = Account()
        account.through(in_this_process)(slow, None)(np.arange(8.0))
        assert account.model_s["trial"] == 3.0
        assert account.total == 8

    def test_one_that_fails_loses_nothing(self, people, tmp_path):
        def fail():
            raise ConnectionError("no answer")

        with pytest.raises(ModelError, match=r"failed on [\d,]+ rows: ConnectionError: no answer") as failure:
            expga.audit(AtOnce(4, fail), people, out=tmp_path, **options())
        audit = failure.value.audit
        assert audit.summary["found"] == len(audit.findings) > 0
        pd.testing.assert_frame_equal(expga.Audit.load(tmp_path).findings, audit.findings)

    def test_ctrl_c_leaves_them_to_themselves_and_keeps_what_was_found(self, people):
        over, main = threading.Event(), threading.main_thread().ident

        def hang():
            signal.pthread_kill(main, signal.SIGINT)
            over.wait()

        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            audit = expga.audit(AtOnce(4, hang), people, **options())
        except KeyboardInterrupt:
            pytest.fail("the interruption came through")
        finally:
            over.set()
            signal.signal(signal.SIGINT, before)
        assert audit.summary["stop_reason"] == "interrupted"
        assert audit.summary["found"] == len(audit.findings) > 0

    def test_a_process_of_its_own_takes_as_many(self):
        class Meeting:
            """Answers only where two calls go on."""

            concurrent_calls = 2

            def __setstate__(self, _):
                self.meeting = threading.Barrier(2)

            def __getstate__(self):
                return ()

            def __call__(self, rows):
                self.meeting.wait(PATIENCE)
                return rows / 10

        model = Meeting()
        with Isolated(model, 2 * PATIENCE) as isolated:
            assert isolated.reach(model, None)(np.arange(8)).tolist() == (np.arange(8) / 10).tolist()

    def test_with_a_limit_for_calls_the_findings_are_the_same(self, people):
        here = expga.audit(AtOnce(4), people, **options(max_queries=1_000))
        there = expga.audit(AtOnce(4), people, **options(max_queries=1_000, call_timeout="5m"))
        pd.testing.assert_frame_equal(here.findings, there.findings)
