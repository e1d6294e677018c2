"""Where a run ends, what it may ask, and that the same questions come again with the same seed."""

from __future__ import annotations

import time
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

import expga
from expga.budget import Budget, seconds_of
from expga.contracts import Strategy
from expga.errors import InputError
from expga.search.expga import ExpGA


class Nothing(Strategy):
    """Proposes nothing."""

    name = "nothing"

    def search(self, context):  # noqa: ARG002
        return
        yield


class TestLengthsOfTime:
    @pytest.mark.parametrize(
        ("text", "seconds"),
        [
            ("30s", 30),
            ("30", 30),
            ("5m", 300),
            ("2h", 7200),
            ("1h30m", 5400),
            ("1m30s", 90),
            ("1h1m1s", 3661),
            ("0.5s", 0.5),
            ("1.5m", 90),
            (" 10S ", 10),
            (45, 45),
            (0.25, 0.25),
        ],
    )
    def test_are_read(self, text, seconds):
        assert seconds_of(text) == pytest.approx(seconds)

    @pytest.mark.parametrize("text", ["", "s", "soon", "30x", "-5s", "30s5m", "1 h", "1e3", "5m5m", ".", True, None])
    def test_that_are_none_are_refused_by_their_words(self, text):
        with pytest.raises(InputError, match="no length of time") as error:
            seconds_of(text)
        assert repr(text) in str(error.value)

    @pytest.mark.parametrize("seconds", [float("nan"), 0.0, -1.0])
    def test_that_never_end_or_never_begin_are_refused(self, seconds):
        with pytest.raises(InputError, match="budget"):
            Budget(seconds=seconds_of(seconds))


class TestPopulation:
    def test_is_all_rows_where_that_takes_no_more_than_20_percent_of_the_queries(self, unfair, people):
        audit = expga.audit(unfair, people, protected="sex", max_queries=1_500)
        population = audit.summary["population"]
        assert (population["rows"], population["total_rows"], population["sampled"]) == (150, 150, False)
        assert audit.summary["queries"]["population"] == 300

    @pytest.mark.parametrize("most", [20, 300, 1_499])
    @pytest.mark.parametrize("protected", [["sex"], ["sex", "job"]])
    def test_is_a_random_sample_where_all_rows_would_take_more(self, unfair, people, protected, most):
        most *= len(protected) ** 2
        audit = expga.audit(unfair, people, protected=protected, max_queries=most)
        population = audit.summary["population"]
        assert population["sampled"]
        assert 0 < population["rows"] < population["total_rows"] == 150
        assert 0 < audit.summary["queries"]["population"] <= 0.2 * most

    def test_is_a_sample_where_all_rows_would_take_more_than_20_percent_of_the_time(self, unfair, people, clock):
        def slow(frame):
            clock.now += 2.0 * len(frame)
            return unfair(frame)

        audit = expga.audit(slow, people, protected="sex", budget="500s", max_generations=1)
        assert audit.summary["population"]["sampled"]
        assert 0 < audit.summary["population"]["rows"] < 150

    def test_another_seed_draws_another_sample_and_the_rate_is_that_of_the_sample(self, people):
        def model(frame):
            return np.where((frame["sex"] == "male") & (frame["age"] > 40), 0.9, 0.1)

        rates = set()
        for seed in range(4):
            population = expga.audit(model, people, protected="sex", max_queries=600, seed=seed).population
            assert population.rows == 60
            rates.add(population.rate)
            low, high = population.ci95
            assert low < (people["age"] > 40).mean() < high
        assert len(rates) > 1

    def test_is_never_asked_about_rounded_or_moved_rows(self, people):
        seen = []

        def model(frame):
            seen.append(frame)
            return np.where(frame["sex"] == "male", 0.9, 0.1)

        exact = people.assign(hours=people["hours"] + np.pi / 1_000)
        expga.audit(model, exact, protected="sex", max_queries=2_000, strategy=Nothing)
        asked = pd.concat(seen)
        assert len(asked) == 100 + 40 + 300  # the model is tried on some rows first, and asked about some twice
        free = ["age", "job", "hours"]
        assert set(asked[free].itertuples(index=False)) == set(exact[free].itertuples(index=False))


class TestSameSeed:
    def run(self, model, people, out, **options):
        settings = {"protected": "sex", "max_queries": 1_500, "seed": 4, **options}
        expga.audit(model, people, out=out, **settings)
        return (out / "findings.parquet").read_bytes()

    @pytest.mark.parametrize("strategy", ["expga", "expga-published", "random"])
    @pytest.mark.parametrize("realism", ["data", "domain"])
    def test_and_queries_give_the_same_file_to_the_byte(self, unfair, people, tmp_path, strategy, realism):
        options = {"strategy": strategy, "realism": realism}
        one, two = (self.run(unfair, people, tmp_path / name, **options) for name in ("one", "two"))
        assert one == two
        other = self.run(unfair, people, tmp_path / "other", seed=5, **options)
        assert one != other

    def test_gives_the_same_answers_whatever_the_pace_of_the_model(self, unfair, people, tmp_path):
        def slow(frame):
            time.sleep(0.004)
            return unfair(frame)

        assert self.run(unfair, people, tmp_path / "quick") == self.run(slow, people, tmp_path / "slow")

    def test_gives_the_same_with_a_journal_and_without(self, unfair, people, tmp_path):
        settings = {"protected": "sex", "max_queries": 1_500}
        kept = expga.audit(unfair, people, out=tmp_path / "out", **settings)
        pd.testing.assert_frame_equal(kept.findings, expga.audit(unfair, people, **settings).findings)

    def test_leaves_numpys_own_randomness_alone(self, unfair, people):
        before = np.random.get_state()[1].tolist()  # noqa: NPY002 - the very thing to look at
        expga.audit(unfair, people, protected="sex", max_queries=1_500, explainer="lime")
        assert np.random.get_state()[1].tolist() == before  # noqa: NPY002


def test_whoever_watches_is_told_of_every_batch(unfair, people):
    told = []
    audit = expga.audit(unfair, people, protected="sex", max_queries=1_500, progress=told.append)
    search = [now for now in told if now.phase == "search"]
    assert [now.phase for now in told[:1]] == ["population"]
    assert all(a.queries <= b.queries and a.found <= b.found for a, b in pairwise(told))
    assert (search[-1].queries, search[-1].found) == (audit.summary["queries"]["total"], audit.summary["found"])
    assert search[-1].tested == audit.summary["tested"]


@pytest.mark.parametrize("most", [1, 4])
def test_generations_are_batches_of_the_search(unfair, people, most):
    judged = []

    class Counted(ExpGA):
        name = "counted"

        def search(self, context):
            search, verdict = super().search(context), None
            while True:
                verdict = yield search.send(verdict)
                judged.append(verdict)

    audit = expga.audit(unfair, people, protected="sex", strategy=Counted, max_queries=20_000, max_generations=most)
    assert audit.summary["stop_reason"] == "generations"
    assert len(judged) == most


def test_without_any_limit_there_is_one_of_time(people, monkeypatch):
    monkeypatch.setattr("expga.request.DEFAULT_BUDGET", "0.2s")
    audit = expga.audit(lambda frame: frame["sex"] == "male", people, protected="sex", realism="domain")
    assert audit.summary["stop_reason"] == "time"
