"""Models that answer the same question differently: their noise is measured, told, and no finding."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import expga
from expga import engine
from expga.confirmation import TIMES, Confirmation, left_by_noise
from expga.errors import InputError
from expga.placebo import ask_twice
from expga.search import of_kind, strategy
from expga.search.exhaustive import Exhaustive
from expga.testing.case import Watched

QUERIES = 4_000


class Noisy:
    """Likes age, perhaps men, and is never quite sure; it counts what it is asked."""

    def __init__(self, men=0.0, noise=0.1, seed=0):
        self.men, self.noise, self.rng, self.asked = men, noise, np.random.default_rng(seed), 0

    def __call__(self, frame):
        self.asked += len(frame)
        worth = (frame["age"].to_numpy() - 44) / 40 + self.men * (frame["sex"] == "male").to_numpy()
        return np.clip(0.5 + worth + self.rng.normal(0, self.noise, len(frame)), 0, 1)

    def gradients(self, frame):
        self.asked += len(frame)
        return np.tile([1.0, 0.5, 0.0, 0.1], (len(frame), 1))


class Labels(Noisy):
    def __call__(self, frame):
        return np.where(super().__call__(frame) > 0.5, "yes", "no")


def by_the_batch(frame):
    """Standardises what it is given; men are liked."""
    worth = frame["age"].to_numpy() + 8.0 * (frame["sex"] == "male").to_numpy()
    return 1 / (1 + np.exp(-(worth - worth.mean()) / (worth.std() + 1e-9)))


def audited(model, people, **options):
    return expga.audit(model, people, **{"protected": "sex", "max_queries": QUERIES, **options})


@pytest.fixture(scope="module")
def audit(people):
    """Of a model that ignores the attribute."""
    return audited(Noisy(), people)


class TestNoiseAlone:
    def test_is_told_beside_the_flip_rate_in_numbers_and_in_words(self, audit):
        summary, population = audit.summary, audit.population
        placebo = summary["placebo"]
        assert (placebo["answers"], placebo["rows"]) == ("random", 40)
        assert population.placebo.flipped == placebo["flipped"] > 0
        assert population.placebo.ci95 == tuple(placebo["ci95"])
        assert summary["by_attribute"]["sex"]["by_noise"] == summary["population"]["by_noise"]
        assert summary["population"]["by_noise"]["rate"] == placebo["rate"]
        assert any("The model is random" in note for note in summary["notes"])
        first, second, *_ = str(audit).splitlines()
        assert f"is not clearly more than noise alone would make it ({placebo['rate']:.2%}, at most" in first
        assert f"Asked twice as they are, {placebo['rate']:.2%} of 40 get another label" in second

    def test_makes_rows_flip_but_none_surely(self, audit):
        assert audit.population.flipped > 5
        assert audit.population.ci95[0] > 0
        assert audit.population.at_least == audit.summary["population"]["at_least"] == 0

    def test_makes_next_to_no_findings(self, audit):
        summary = audit.summary
        assert summary["dropped"] > 50
        assert summary["found"] <= 2 * summary["left_by_noise"] + 3
        assert summary["left_by_noise"] == pytest.approx(summary["dropped"] / 63)
        assert f"{summary['dropped']:,} more differed at first" in str(audit)

    @pytest.mark.parametrize("gap", [0.05, 0.3])
    def test_is_no_gap_either(self, people, gap):
        audit = audited(Noisy(), people, min_gap=gap)
        assert audit.population.flipped > 0
        assert audit.population.at_least == 0
        assert audit.summary["found"] <= 2 * audit.summary["left_by_noise"] + 3

    def test_is_none_of_several_readings_either(self, people):
        audit = audited(Noisy(), people, protected=["sex", "job"], max_queries=20_000, max_generations=1)
        crossed, alone = audit.summary["population"], audit.summary["by_attribute"]
        assert crossed["by_noise"]["rate"] == pytest.approx(3 * alone["sex"]["by_noise"]["rate"])
        assert alone["job"]["by_noise"]["rate"] == pytest.approx(1.5 * alone["sex"]["by_noise"]["rate"])
        assert crossed["rate"] > 1.5 * audit.population.placebo.rate
        assert crossed["at_least"] == alone["sex"]["at_least"] == alone["job"]["at_least"] == 0


class TestUnfairnessBeyondIt:
    def test_is_told_and_found(self, people):
        audit = audited(Noisy(men=0.4), people)
        assert 0 < audit.population.at_least < audit.population.ci95[0]
        assert f"at least {audit.population.at_least:.2%} are beyond that" in str(audit)
        assert audit.summary["found"] > 100 > audit.summary["left_by_noise"]
        holds, total = expga.replay(audit, Noisy(men=0.4, seed=1))
        assert holds > 0.8 * total

    def test_is_found_where_scores_alone_move(self, people):
        """Labels hardly ever do, but near the boundary they would."""
        audit = audited(Noisy(noise=1e-3), people)
        assert audit.summary["placebo"]["flipped"] == 0 < audit.summary["placebo"]["moved"]
        assert audit.summary["found"] <= 1

    def test_by_the_batch_is_told_from_chance(self, people):
        summary = audited(by_the_batch, people).summary
        assert summary["placebo"]["answers"] == "by the batch"
        assert any("depends on what else is in the batch" in note for note in summary["notes"])


class TestModelsThatAnswerAlike:
    def test_have_no_noise_and_nothing_to_hold_again(self, unfair, people):
        audit = audited(unfair, people)
        assert (audit.summary["placebo"]["answers"], audit.summary["placebo"]["flipped"]) == ("alike", 0)
        assert audit.summary["queries"]["placebo"] == 80
        assert (audit.summary["dropped"], audit.summary["population"]["by_noise"]) == (0, None)
        assert audit.population.at_least == audit.population.ci95[0]
        assert "Asked twice as they are, 0.00% of 40 get another label" in str(audit)
        assert not any("twice" in note for note in audit.summary["notes"])

    @pytest.fixture(params=["expga-published", "random", "expga"])
    def with_and_without(self, request, unfair, people, monkeypatch):
        """The findings of a strategy with a placebo and without one."""
        with_it = audited(unfair, people, strategy=request.param)
        monkeypatch.setattr(engine, "rows_to_ask", lambda *_: np.zeros((0, 4), dtype=np.int32))
        return request.param, with_it.findings, audited(unfair, people, strategy=request.param).findings

    def test_have_the_findings_that_they_would_have_without_a_placebo(self, with_and_without):
        name, with_it, without = with_and_without
        if strategy(name, "table", "tables").learns:  # from the placebo as well, and goes another way
            assert len(with_it) >= 0.95 * (len(without) - 80 / 2)
            return
        assert len(with_it) >= len(without) - 80 / 2
        pd.testing.assert_frame_equal(with_it[: len(without)], without[: len(with_it)])

    def test_are_not_known_to_where_the_budget_is_too_small(self, unfair, people):
        summary = audited(unfair, people, max_queries=300).summary
        assert (summary["placebo"]["answers"], summary["placebo"]["rate"]) == ("unknown", None)
        assert summary["queries"]["placebo"] == 0
        assert any("whether the model always answers alike is not known" in note for note in summary["notes"])
        assert "Asked twice" not in str(audited(unfair, people, max_queries=300))


class TestEveryStrategy:
    @pytest.mark.parametrize("name", of_kind("table"))
    @pytest.mark.parametrize("most", [321, 600])
    def test_keeps_to_its_budget_and_sees_what_holds(self, people, name, most, monkeypatch):
        monkeypatch.setattr(Exhaustive, "limit", 10**9)
        model, seen = Noisy(men=0.2), Watched(strategy(name, "table", "tables"))
        audit = audited(model, people, strategy=seen, max_queries=most)
        assert model.asked == audit.summary["queries"]["total"] <= most
        found = [len(verdict.found) for _, verdict in seen.judged]
        assert sum(found) <= audit.summary["found"]  # the last verdict may come after the last query
        assert audit.summary["placebo"]["answers"] == "random"

    def test_uses_its_budget_up(self, people):
        """Nothing is kept back for findings that turn out not to be any."""
        summary = audited(Noisy(men=0.2), people).summary
        assert summary["stop_reason"] == "queries"
        assert QUERIES - summary["queries"]["total"] < 2 + 2 * TIMES

    def test_takes_no_sample_for_unfair_that_did_not_hold(self, people, monkeypatch):
        monkeypatch.setattr(Confirmation, "holds", lambda *asked: (np.zeros(len(asked[1]), dtype=bool), 0))
        seen = Watched(strategy("expga", "table", "tables"))
        summary = audited(Noisy(men=0.4), people, strategy=seen).summary
        assert summary["found"] == sum(verdict.unfair.sum() for _, verdict in seen.judged) == 0
        assert summary["dropped"] > 100


class TestTakenUpAgain:
    def cut(self, people, out):
        """A run of a random model that is interrupted in its search."""
        model = Noisy(men=0.3)

        def until(frame):
            if model.asked > 2_500:
                raise KeyboardInterrupt
            return model(frame)

        return audited(until, people, out=out)

    def test_a_run_knows_its_model_and_goes_on(self, people, tmp_path):
        before = self.cut(people, tmp_path)
        after = audited(Noisy(men=0.3, seed=9), people, out=tmp_path, resume=True)
        assert before.summary["stop_reason"] == "interrupted"
        assert before.summary["found"] > 0
        pd.testing.assert_frame_equal(after.findings[: len(before.findings)], before.findings)
        assert after.summary["found"] > before.summary["found"]
        assert after.summary["dropped"] > before.summary["dropped"] > 0
        assert after.summary["placebo"] == before.summary["placebo"]
        assert after.summary["queries"]["placebo"] == before.summary["queries"]["placebo"]
        assert after.summary["queries"]["total"] <= QUERIES

    def test_another_model_is_refused(self, people, tmp_path):
        self.cut(people, tmp_path)
        model = Noisy(seed=9)
        with pytest.raises(InputError, match="a model that answers otherwise on the same rows"):
            audited(lambda frame: 1 - model(frame), people, out=tmp_path, resume=True)


class TestRepeats:
    @pytest.mark.parametrize("kind", [Noisy, Labels])
    def test_make_less_noise_and_count_each_answer(self, people, kind):
        once, model = audited(kind(), people), kind()
        often = audited(model, people, repeats=9, max_queries=9 * QUERIES)
        assert model.asked == often.summary["queries"]["total"] <= 9 * QUERIES
        assert often.population.rows == once.population.rows == 150
        assert often.population.flipped < once.population.flipped
        assert often.summary["queries"]["population"] == 9 * 300
        assert often.summary["placebo"]["furthest"] < once.summary["placebo"]["furthest"] or kind is Labels

    @pytest.mark.parametrize("most", [5, 40, 400, 2_000])
    def test_keep_to_the_budget(self, people, most):
        for kind in (Noisy, Labels):
            model = kind()
            total = audited(model, people, repeats=5, max_queries=most).summary["queries"]["total"]
            assert model.asked == total <= most

    def test_are_too_dear_for_a_budget_below_a_first_question(self, people):
        with pytest.raises(InputError, match="each of its functions, each asked 5 times, takes up to 5; give more"):
            audited(Noisy(), people, repeats=5, max_queries=4)

    def test_are_kept_for_replay_and_for_taking_up(self, people, tmp_path):
        model = Noisy(men=0.4)
        audit = audited(model, people, repeats=3, out=tmp_path)
        assert audit.summary["settings"]["repeats"] == 3
        before = model.asked
        expga.replay(expga.Audit.load(tmp_path), model)
        assert (model.asked - before) % 3 == 0
        assert model.asked - before >= 3 * 2 * len(audit.findings)
        with pytest.raises(InputError, match="was started with repeats 3, not 1"):
            audited(model, people, out=tmp_path, resume=True)

    @pytest.mark.parametrize("repeats", [0, -1, 1.5, True, "two", 10**6])
    def test_are_whole_numbers_within_reason(self, people, repeats):
        with pytest.raises(InputError, match="a whole number from 1 to 1,000, not"):
            audited(Noisy(), people, repeats=repeats)


class TestTime:
    def test_a_placebo_takes_a_small_share_of_it(self, people, clock):
        model = Noisy()

        def slow(frame):
            clock.now += 0.1 * len(frame)
            return model(frame)

        summary = audited(slow, people, budget="100s", max_queries=None, max_generations=1).summary
        assert 16 <= summary["queries"]["placebo"] <= 0.1 * 1_000
        assert summary["population"]["rows"] > 0

    def test_where_it_is_over_by_then_the_population_gets_a_call_all_the_same(self, people, unfair, clock, monkeypatch):
        def late(*asked):
            clock.now += 1_000.0
            return ask_twice(*asked)

        monkeypatch.setattr(engine, "ask_twice", late)
        summary = audited(unfair, people, budget="20s", max_queries=None).summary
        assert (summary["placebo"]["answers"], summary["queries"]["placebo"]) == ("unknown", 0)
        assert summary["population"]["rows"] > 0
        assert summary["stop_reason"] == "time"


def test_texts_with_names_are_asked_twice_in_all_their_voices(letters):
    rng, asked = np.random.default_rng(0), []

    def model(texts):
        asked.append(len(texts))
        return np.array([0.5 + 0.1 * ("Maria" in text) for text in texts]) + rng.normal(0, 0.1, len(texts))

    summary = expga.audit(model, letters, protected="gender", max_queries=6_000).summary
    assert summary["placebo"]["answers"] == "random"
    assert sum(asked) == summary["queries"]["total"] <= 6_000
    assert summary["queries"]["placebo"] > 2 * summary["placebo"]["rows"]


def test_twins_that_differ_the_other_way_round_do_not_hold(people):
    """Men first fare better, then worse: that is no unfairness to either."""
    calls = []

    def turning(frame):
        calls.append(len(frame))
        better = "male" if len(calls) % 2 else "female"
        return np.where(frame["sex"] == better, 0.9, 0.1)

    summary = audited(turning, people).summary
    assert summary["found"] == 0 < summary["dropped"]


def test_a_gap_comes_out_the_same_way_by_chance_more_often_than_labels():
    assert (left_by_noise(630, True), left_by_noise(70, False)) == (10, 10)
