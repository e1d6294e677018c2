"""What measuring real rows has shown is known: nobody is asked about it again."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import expga
from expga.contracts import Batch
from expga.measuring import measured
from expga.oracle import Memory


def by_race(frame):
    """d is treated worst, c next; the young are never hired."""
    return np.where(frame["age"] < 30, 0.1, frame["race"].astype(str).map({"a": 0.9, "b": 0.8, "c": 0.3, "d": 0.2}))


def of(setting, rows):
    rows = np.asarray(rows)
    return Batch(setting.domain.rows[rows], rows, np.tile(np.array([0, 1]), (len(rows), 1)))


@pytest.fixture
def measured_first(case, people):
    """An oracle that knows the first forty rows; the calls that this took are forgotten."""

    def make(rows=range(40), **options):
        setting = case(people, by_race, **options)
        oracle, rows = setting.oracle(), np.asarray(list(rows))
        _, shown = measured(setting.inquiry, rows)
        oracle.remember(setting.domain.rows[rows], shown)
        setting.calls.clear()
        return setting, oracle, shown

    return make


class TestWhatIsKnown:
    @pytest.mark.parametrize("asking", ["pair", "all"])
    def test_is_not_asked_about_again(self, measured_first, asking):
        setting, oracle, _ = measured_first()
        verdict = oracle.judge(of(setting, range(40)), asking)
        assert setting.calls == []
        assert len(verdict.tested) == 40

    @pytest.mark.parametrize("asking", ["pair", "all"])
    def test_is_what_asking_about_all_readings_would_say(self, measured_first, asking):
        setting, oracle, _ = measured_first()
        known, asked = (
            oracle.judge(of(setting, range(40)), asking),
            setting.oracle().judge(of(setting, range(40)), "all"),
        )
        for name in ("unfair", "gap", "pair", "labels", "scores", "complete"):
            np.testing.assert_array_equal(getattr(known, name), getattr(asked, name))

    @pytest.mark.parametrize("asking", ["pair", "all"])
    def test_is_known_completely_whatever_pair_is_asked_for(self, measured_first, asking):
        setting, oracle, _ = measured_first()
        verdict = oracle.judge(of(setting, range(50)), asking)
        assert verdict.complete[:40].all()
        assert verdict.complete[40:].all() == (asking == "all")

    def test_comes_between_what_is_not(self, measured_first):
        """Each answer is about the sample that it stands at."""
        rows = np.random.default_rng(0).permutation(60)
        setting, oracle, _ = measured_first(rows=range(0, 60, 2))
        verdict, expected = oracle.judge(of(setting, rows), "all"), setting.oracle().judge(of(setting, rows), "all")
        assert setting.calls[0] == 4 * 30
        np.testing.assert_array_equal(verdict.unfair, expected.unfair)
        np.testing.assert_array_equal(verdict.scores, expected.scores)

    def test_costs_no_queries(self, measured_first):
        setting, oracle, _ = measured_first()
        verdict = oracle.judge(of(setting, range(60)), "pair", most_queries=10)
        assert verdict.cut
        assert verdict.tested.tolist() == list(range(45))
        assert sum(setting.calls) == 10

    def test_is_still_a_sample_that_comes_once(self, measured_first):
        setting, oracle, _ = measured_first()
        oracle.judge(of(setting, range(40)), "pair")
        assert not oracle.judge(of(setting, range(40)), "pair").novel.any()


class TestWhatIsNot:
    def test_another_sample_is_asked_about(self, measured_first):
        setting, oracle, _ = measured_first()
        oracle.judge(of(setting, range(40, 60)), "pair")
        assert sum(setting.calls) == 40

    def test_nor_is_one_with_another_value_of_its_own(self, case):
        """Numbers are read at quantiles, and as the sample is itself: two that are alike in all else differ in that."""
        rng = np.random.default_rng(1)
        frame = pd.DataFrame({"age": np.arange(20, 80), "job": rng.choice(["cook", "nurse"], 60)})
        setting = case(frame, lambda frame: np.where(frame["age"] == 33, 0.9, 0.1), protected=("age",))
        oracle, cooks = setting.oracle(), np.flatnonzero(frame["job"] == "cook")
        rows = cooks[frame["age"].to_numpy()[cooks] != 33][:1]
        _, shown = measured(setting.inquiry, rows)
        oracle.remember(setting.domain.rows[rows], shown)
        setting.calls.clear()
        other = setting.domain.rows[cooks[-1:]]
        oracle.judge(Batch(other, cooks[-1:]), "all")
        assert sum(setting.calls) > 0


class TestMemory:
    def shown(self, setting, rows):
        return measured(setting.inquiry, np.asarray(rows))[1]

    def test_of_nothing_knows_nobody(self, case, people):
        setting = case(people, by_race)
        assert (Memory().places(setting.domain.rows) == -1).all()

    def test_finds_each_where_it_stands_however_many_parts_it_came_in(self, case, people):
        setting = case(people, by_race)
        memory = Memory()
        rows, every = setting.domain.rows, self.shown(case(people, by_race), range(60))
        for part in ([7, 3], [50], [20, 21, 22]):
            memory.add(rows[part], self.shown(setting, part))
            memory.places(rows[:1])
        known = np.array([3, 7, 20, 21, 22, 50])
        place = memory.places(rows)
        assert np.flatnonzero(place >= 0).tolist() == known.tolist()
        np.testing.assert_array_equal(memory.shown.those(place[known]).scores, every.scores[known])

    def test_the_same_twice_is_one(self, case, people):
        setting = case(people, by_race)
        memory = Memory()
        for _ in range(2):
            memory.add(setting.domain.rows[[5, 5, 9]], self.shown(setting, [5, 5, 9]))
        assert sorted(set(memory.places(setting.domain.rows[[5, 9]]).tolist())) == [0, 1]
        assert len(memory.shown.gap) == 2


class TestAWholeAudit:
    """What it has been told once it does not ask again, in measuring and in searching.

    With so few queries all measuring comes first; later the search may have come upon a real row before.
    """

    @pytest.fixture(scope="class")
    @classmethod
    def frame(cls):
        rng = np.random.default_rng(2)
        frame = pd.DataFrame(
            {
                "sex": rng.choice(["f", "m"], 300),
                "race": rng.choice(list("abc"), 300),
                "age": rng.integers(20, 66, 300),
                "hours": rng.integers(20, 60, 300),
                "debt": rng.integers(0, 500, 300),
            }
        )
        return frame.drop_duplicates(["age", "hours", "debt"])

    @pytest.mark.parametrize("strategy", ["expga", "random"])
    @pytest.mark.parametrize("protected", ["sex", "race"])
    def test_gives_the_model_no_row_twice_after_it_was_tried(self, frame, strategy, protected):
        asked = []

        def model(frame):
            asked.append(frame.copy())
            worth = frame["age"] + 3 * (frame[protected] == frame[protected].max()) + frame["hours"] / 4
            return 1 / (1 + np.exp(-(worth.to_numpy() - 57) / 6))

        audit = expga.audit(model, frame, protected=protected, strategy=strategy, max_queries=1_000)
        queries = audit.summary["queries"]
        assert queries["placebo"] > 0
        tried = queries["trial"] + queries["placebo"]
        rows = pd.concat(asked, ignore_index=True)
        assert len(rows) == queries["total"]
        assert audit.summary["found"] > 0
        assert not rows.iloc[tried:].duplicated().any()
