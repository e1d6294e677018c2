"""Tables of which only a sample is read, and time that is over before all is learned."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import expga
from expga.budget import Budget
from expga.closing import AGAIN, FEWEST, SLACK, TRIED, Closing
from expga.contracts import Strategy
from expga.domain import sampling
from expga.domain.neighbours import NeighbourOrders
from expga.domain.tabular import TabularDomain
from expga.errors import InputError
from expga.exposure import seconds_within
from expga.findings import Findings


@pytest.fixture
def large(monkeypatch):
    """So many cells make a table large."""

    def make(cells):
        monkeypatch.setattr(sampling, "MOST_CELLS", cells)

    return make


class TestATableThatIsTooLarge:
    def test_is_read_as_a_random_sample_and_says_so(self, unfair, people, large):
        large(4 * 60)
        audit = expga.audit(unfair, people, protected="sex", max_queries=2_000)
        population = audit.summary["population"]
        assert (population["rows"], population["total_rows"], population["sampled"]) == (60, 150, True)
        assert "a random sample of 60 of 150 real rows" in str(audit)
        assert any(note.startswith("The data has 150 rows; a random 60") for note in audit.summary["notes"])

    def test_that_is_just_small_enough_is_read_whole(self, unfair, people, large):
        large(people.size)
        audit = expga.audit(unfair, people, protected="sex", max_queries=2_000)
        assert not audit.summary["population"]["sampled"]
        assert not any(note.startswith("The data has") for note in audit.summary["notes"])

    @pytest.mark.parametrize("index", [None, "names", "twice"])
    def test_calls_its_rows_as_the_user_does(self, unfair, people, large, index):
        large(4 * 60)
        frame = people.reset_index(drop=True)
        if index == "names":
            frame.index = pd.Index([f"p{number}" for number in range(150)])
        if index == "twice":
            frame.index = pd.Index([7] * 150)
        found = expga.audit(unfair, frame, protected="sex", max_queries=2_000).findings
        as_they_are = found[found["distance"] == 0]
        assert len(as_they_are) > 5
        place = as_they_are["anchor"] if index != "names" else frame.index.get_indexer(as_they_are["anchor"])
        real = frame.iloc[np.asarray(place)]
        assert (real[["age", "job", "hours"]].to_numpy() == as_they_are[["age", "job", "hours"]].to_numpy()).all()

    def test_keeps_the_groups_that_only_rows_outside_of_the_sample_show(self, large):
        rng = np.random.default_rng(0)
        frame = pd.DataFrame({"age": rng.integers(18, 70, 300).astype(float), "race": rng.choice(["a", "b"], 300)})
        sampled = sampling.rows_read(300, 2)
        assert sampled is None
        large(2 * 30)
        outside = np.setdiff1d(np.arange(300), sampling.rows_read(300, 2))[0]
        frame.loc[outside, "race"] = "rare"
        audit = expga.audit(lambda X: np.where(X["race"] == "rare", 0.9, 0.1), frame, protected="race", max_queries=900)
        assert audit.population.rate == 1.0
        assert audit.summary["settings"]["rules"]["schema"]["protected"]["race"]["values"] == ["a", "b", "rare"]

    def test_of_zeros_and_ones_has_its_features(self, large):
        rng = np.random.default_rng(0)
        plain = pd.DataFrame({"age": rng.integers(18, 70, 400), "sex": rng.choice(["f", "m"], 400)})
        frame = pd.get_dummies(plain)
        large(3 * 100)
        audit = expga.audit(lambda X: np.where(X["sex_m"], 0.9, 0.1), frame, protected="sex", max_queries=900)
        assert (audit.population.rate, audit.summary["population"]["sampled"]) == (1.0, True)
        with pytest.raises(InputError, match="The schema gives 'age' the value 'x'"):
            expga.audit(
                lambda X: X["sex_m"], frame, protected="sex", schema={"forbid": [{"age": ["x"]}]}, max_queries=900
            )

    def test_is_read_in_the_same_way_when_a_run_is_taken_up_with_another_budget(self, unfair, people, large, tmp_path):
        large(4 * 60)
        out = tmp_path / "out"
        first = expga.audit(unfair, people, protected="sex", max_queries=900, out=out)
        more = expga.audit(unfair, people, protected="sex", max_queries=2_000, out=out, resume=True)
        assert more.summary["population"] == first.summary["population"]
        assert len(more.findings) > len(first.findings)


class TestByTheClock:
    def test_rows_that_flip_are_found_though_learning_takes_all_the_time(self, unfair, people, clock, monkeypatch):
        def prepare(*_):
            clock.now += 1_000.0

        monkeypatch.setattr(TabularDomain, "prepare", prepare)
        audit = expga.audit(unfair, people, protected="sex", budget="100s")
        assert audit.summary["stop_reason"] == "time"
        flip = people[unfair(people.assign(sex="male")) > 0.5].drop(columns="sex")  # of rows alike one is a finding
        assert audit.summary["found"] == len(flip.drop_duplicates()) > 10
        assert audit.summary["queries"]["search"] == 0

    def test_they_are_found_while_the_others_are_measured(self, unfair, people, clock):
        def slow(frame):
            clock.now += len(frame)
            return unfair(frame)

        seen = []
        expga.audit(slow, people, protected="sex", budget="500s", progress=seen.append)
        first = next(now for now in seen if now.found)
        assert first.elapsed < 60
        assert any(now.phase == "population" and now.found for now in seen)

    def test_by_queries_nothing_is_asked_but_what_the_strategy_proposes(self, unfair, people):
        class Nothing(Strategy):
            name = "nothing"

            def search(self, context):  # noqa: ARG002
                return
                yield

        audit = expga.audit(unfair, people, protected="sex", strategy=Nothing, max_queries=2_000)
        flip = people[unfair(people.assign(sex="male")) > 0.5].drop(columns="sex")
        assert (audit.summary["found"], audit.summary["queries"]["search"]) == (len(flip.drop_duplicates()), 0)
        assert (audit.findings["distance"] == 0).all()

    def test_a_table_is_told_from_others_only_after_the_first_findings(self, unfair, people, monkeypatch):
        found, at = [0], []

        def fingerprint(_):
            at.append(found[0])
            return "0"

        monkeypatch.setattr("expga.subjects.table.subject.fingerprint_of", fingerprint)
        expga.audit(
            unfair,
            people,
            protected="sex",
            budget="100s",
            max_findings=10,
            progress=lambda now: found.__setitem__(0, now.found),
        )
        assert at == [10]

    def test_learning_ends_when_the_time_is_over(self, unfair, people, clock, monkeypatch):
        steps = []

        def prepare(_, enough):
            for step in range(100):
                clock.now += 10.0
                steps.append(step)
                enough()

        monkeypatch.setattr(TabularDomain, "prepare", prepare)
        audit = expga.audit(unfair, people, protected="sex", budget="100s")
        assert audit.summary["stop_reason"] == "time"
        assert len(steps) == 10
        assert audit.summary["found"] > 10

    @pytest.mark.parametrize(("limits", "late"), [({"budget": "100s"}, True), ({"max_queries": 500}, False)])
    def test_learning_is_told_when_its_share_is_over(self, unfair, people, clock, monkeypatch, limits, late):
        told = []

        def prepare(_, enough):
            for seconds in (9.0, 2.0):
                clock.now += seconds
                told.append(enough())

        monkeypatch.setattr(TabularDomain, "prepare", prepare)
        expga.audit(unfair, people, protected="sex", max_findings=40, **limits)
        assert told == [False, late]

    def test_learning_tells_of_its_steps(self, unfair, people):
        phases = []
        expga.audit(unfair, people, protected="sex", max_queries=2_000, progress=lambda now: phases.append(now.phase))
        assert phases.count("learn") >= 2 * NeighbourOrders.ORDERS

    def test_learning_is_a_phase_of_its_own_for_whoever_watches(self, unfair, people):
        phases = []
        expga.audit(unfair, people, protected="sex", max_queries=2_000, progress=lambda now: phases.append(now.phase))
        assert list(dict.fromkeys(phases)) == ["population", "learn", "search"]


class TestClosing:
    @pytest.fixture
    def findings(self):
        def some(count):
            two = np.zeros((count, 2), dtype=np.int32)
            return Findings(np.zeros((count, 3), dtype=np.int32), np.zeros(count, dtype=np.int32), two, two, two * 1.0)

        return some

    @pytest.fixture
    def tried(self, clock):
        """What is tried: half a second however few there are, and a hundredth for each."""
        tried = []

        def close(some):
            tried.append(len(some))
            clock.now += 0.5 + 0.01 * len(some)

        return Closing(close), tried

    def test_is_told_by_a_few_findings(self, tried, findings):
        closing, _ = tried
        each = 0.01 * (1_000 - 1) / 1_000
        assert closing.seconds(findings(1_000), 50_000) == pytest.approx(0.51 + SLACK * each * 50_000)

    def test_figures_take_half_as_long_as_learning_did(self, unfair, people, clock, monkeypatch):
        closing = Closing(lambda _: None, besides=3.0)
        assert closing.seconds(Findings.none(3), 5) == 3.0

        def prepare(*_):
            clock.now += 20.0

        monkeypatch.setattr(TabularDomain, "prepare", prepare)
        told = []
        monkeypatch.setattr(Closing, "seconds", lambda self, *_: told.append(self.besides) or 0.0)
        expga.audit(unfair, people, protected="sex", budget="100s", max_findings=200)
        assert told[0] == seconds_within(Budget(seconds=100.0))
        assert told[-1] == pytest.approx(told[0] + 10.0)

    def test_is_told_again_only_when_there_are_many_more(self, tried, findings):
        closing, sizes = tried
        few = FEWEST // 2 - 1
        for _ in range(2):
            closing.seconds(findings(few), 10_000)
        assert sizes == [1]
        for count in (1_000, 2_000, AGAIN * 1_000 - 1):
            closing.seconds(findings(500), count)
        assert sizes == [1, 1, 2 * few + 500]
        closing.seconds(findings(600), AGAIN * 1_000)
        assert sizes[3:] == [1, 2 * few + 3 * 500 + 600]

    def test_is_tried_with_the_latest_that_are_enough(self, tried, findings):
        closing, sizes = tried
        for count in (TRIED - 1, TRIED, TRIED - 1, 1):
            closing.seconds(findings(count), 1)
        closing.seconds(findings(100), 1_000_000)
        assert sizes == [1, 1, TRIED]
        assert sum(map(len, closing._latest)) == TRIED + 100

    def test_counts_what_writing_takes(self, unfair, people, tmp_path, monkeypatch):
        written = []
        monkeypatch.setattr("expga.folder.parquet_of", lambda table: written.append(list(table)))
        monkeypatch.setattr(Closing, "seconds", lambda self, some, _: self.close(some) or 0.0)
        audit = expga.audit(unfair, people, protected="sex", budget="100s", max_findings=40, out=tmp_path / "out")
        assert written
        assert all(columns == list(audit.findings) for columns in written)

    def test_what_is_learned_once_is_learned_with_the_first_finding(self, tried, findings, clock):
        closing, sizes = tried
        closing.seconds(findings(0), 0)
        assert sizes == []
        before = clock.now
        closing.seconds(findings(1), 1)
        assert sizes == [1]
        assert clock.now > before

    def test_is_part_of_the_time_there_is(self, clock, monkeypatch):
        rng = np.random.default_rng(0)
        frame = pd.DataFrame({"sex": rng.choice(["f", "m"], 600), "a": rng.random(600), "b": rng.random(600)})

        def model(X):
            clock.now += 0.5
            return np.where(X["sex"] == "m", 0.9, 0.1)

        monkeypatch.setattr(Closing, "seconds", lambda _self, _some, count: 0.01 * count)
        audit = expga.audit(model, frame, protected="sex", budget="100s")
        left = 100 - audit.summary["elapsed_s"]
        assert 5 < left <= 0.01 * audit.summary["found"]
        assert audit.summary["stop_reason"] == "time"
