"""The one place that decides: what it asks, what it never asks twice, and what it concludes."""

from __future__ import annotations

from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from expga.comparison import Yardstick
from expga.contracts import TIE, Answers, Batch
from expga.criterion import Gap, criterion_of
from expga.inquiry import Inquiry

NEVER_OLD_B = {"forbid": [{"race": "b", "age": {"min": 50}}]}
ANY_RACE = {"protected": {"race": {"values": list("abcd")}}}
ONLY_TWO = {"forbid": [{"race": ["c", "d"], "age": {"min": 40}}]}
ONLY_ONE = {"forbid": [{"race": ["b", "c", "d"], "job": "cook"}]}


def by_race(frame):
    """d is treated worst, c next; the young are never hired."""
    return np.where(frame["age"] < 30, 0.1, frame["race"].astype(str).map({"a": 0.9, "b": 0.8, "c": 0.3, "d": 0.2}))


def of_one_race(people, race):
    """The people as if all were of one race."""
    return people.assign(race=pd.Categorical([race] * len(people), categories=list("abcd")))


def everyone(case, pair=None):
    rows = np.arange(len(case.frame))
    return Batch(case.domain.rows, rows, None if pair is None else np.tile(pair, (len(rows), 1)))


class TestNovelty:
    def test_what_was_seen_is_not_asked_about_again(self, case, people):
        setting = case(people, by_race)
        oracle = setting.oracle()
        first, second = (oracle.judge(everyone(setting), "all") for _ in range(2))
        assert first.novel.all()
        assert len(first.tested) == 60
        assert not second.novel.any()
        assert len(second.tested) == 0
        assert setting.calls == [240]

    def test_a_twin_is_no_other_sample(self, case, people):
        setting = case(people, by_race)
        oracle = setting.oracle()
        oracle.judge(everyone(setting), "pair")
        twins = setting.domain.readings.read(setting.domain.rows, np.full(60, 3))
        assert not oracle.judge(Batch(twins, np.arange(60)), "pair").novel.any()

    def test_equals_in_one_batch_are_asked_about_once(self, case, people):
        setting = case(people, by_race)
        rows = np.array([4, 5, 4, 4, 6])
        verdict = setting.oracle().judge(Batch(setting.domain.rows[rows], rows), "pair")
        assert verdict.novel.sum() == 3
        assert sorted(rows[verdict.tested]) == [4, 5, 6]
        assert setting.calls == [6]


class TestAsking:
    @pytest.mark.parametrize(("asking", "queries"), [("pair", 120), ("all", 240)])
    def test_the_model_is_called_once_a_batch(self, case, people, asking, queries):
        setting = case(people, by_race)
        setting.oracle().judge(everyone(setting), asking)
        assert setting.calls == [queries]

    def test_every_novel_sample_with_a_twin_is_tested(self, case, people):
        setting = case(people, by_race, schema=ONLY_ONE)
        for asking in ("pair", "all"):
            verdict = setting.oracle().judge(everyone(setting), asking)
            assert verdict.novel.all()
            assert verdict.tested.tolist() == np.flatnonzero(people.job != "cook").tolist()

    def test_the_pair_proposed_is_asked(self, case, people):
        setting = case(of_one_race(people, "c"), by_race, schema=ANY_RACE)
        verdict = setting.oracle().judge(everyone(setting, [2, 1]), "pair")
        assert verdict.pair.tolist() == [[2, 1]] * 60
        grown = (people.age >= 30).to_numpy()
        np.testing.assert_allclose(verdict.scores[grown], [[0.3, 0.8]] * grown.sum())
        assert verdict.labels[grown].tolist() == [[0, 1]] * grown.sum()

    @pytest.mark.parametrize(
        ("race", "asked"), [("a", [0, 2]), ("b", [1, 2]), ("c", [2, 1]), ("d", [3, 2])], ids=list("abcd")
    )
    def test_whatever_is_proposed_each_is_asked_about_as_it_is(self, case, people, race, asked):
        """Of a pair for others, the first is of another row, and gives way."""
        setting = case(of_one_race(people, race), by_race, schema=ANY_RACE)
        assert setting.oracle().judge(everyone(setting, [1, 2]), "pair").pair.tolist() == [asked] * 60

    def test_one_who_cannot_be_read_as_it_is_is_asked_about_as_proposed(self, case, people):
        setting = case(of_one_race(people, "b"), by_race, schema=NEVER_OLD_B | ANY_RACE)
        verdict = setting.oracle().judge(everyone(setting, [3, 2]), "pair")
        assert verdict.pair.tolist() == [[3, 2] if age >= 50 else [1, 2] for age in people.age]

    def test_without_a_proposal_the_outermost_are_asked(self, case, people):
        setting = case(of_one_race(people, "a"), by_race, schema=ANY_RACE)
        assert setting.oracle().judge(everyone(setting), "pair").pair.tolist() == [[0, 3]] * 60

    @pytest.mark.parametrize("proposed", [[1, 2], [2, 1]])
    def test_an_impossible_proposal_falls_back_to_the_outermost_possible(self, case, people, proposed):
        setting = case(of_one_race(people, "c"), by_race, schema=NEVER_OLD_B | ANY_RACE)
        verdict = setting.oracle().judge(everyone(setting, proposed), "pair")
        expected = [[2, 3] if age >= 50 else [2, 1] for age in people.age]
        assert verdict.pair.tolist() == expected

    def test_the_outermost_are_the_outermost_possible(self, case, people):
        setting = case(of_one_race(people, "a"), by_race, schema=ONLY_TWO | ANY_RACE)
        verdict = setting.oracle().judge(everyone(setting), "pair")
        assert verdict.pair.tolist() == [[0, 1] if age >= 40 else [0, 3] for age in people.age]

    def test_a_reading_is_no_pair_with_itself(self, case, people):
        setting = case(of_one_race(people, "a"), by_race, schema=ANY_RACE)
        assert setting.oracle().judge(everyone(setting, [2, 2]), "pair").pair.tolist() == [[0, 3]] * 60


class TestBudget:
    @pytest.mark.parametrize("asking", ["pair", "all"])
    @pytest.mark.parametrize("most", [0, 1, 2, 3, 5, 39, 119, 1_000])
    def test_no_more_queries_than_allowed(self, case, people, asking, most):
        setting = case(people, by_race, schema=NEVER_OLD_B)
        verdict = setting.oracle().judge(everyone(setting), asking, most)
        assert sum(setting.calls) <= most
        takes = np.full(60, 2) if asking == "pair" else np.where(people.age >= 50, 3, 4)
        affordable = int((np.cumsum(takes) <= most).sum())
        assert verdict.tested.tolist() == list(range(affordable))
        assert sum(setting.calls) == takes[:affordable].sum()


class TestCompleteness:
    def test_asking_all_is_always_complete(self, case, people):
        setting = case(people, by_race, schema=NEVER_OLD_B)
        assert setting.oracle().judge(everyone(setting), "all").complete.all()

    def test_asking_a_pair_is_complete_only_where_there_are_two(self, case, people):
        setting = case(people, by_race, schema=ONLY_TWO)
        verdict = setting.oracle().judge(everyone(setting), "pair")
        assert verdict.complete.tolist() == (people.age >= 40).tolist()


class TestVerdicts:
    def test_all_readings_find_what_a_pair_may_miss(self, case, people):
        grown = (people.age >= 30).tolist()
        setting = case(of_one_race(people, "a"), by_race, schema=ANY_RACE)
        assert setting.oracle().judge(everyone(setting, [0, 1]), "pair").unfair.tolist() == [False] * 60
        assert setting.oracle().judge(everyone(setting), "all").unfair.tolist() == grown

    def test_the_loudest_pair_is_reported(self, case, people):
        setting = case(people, by_race)
        verdict = setting.oracle().judge(everyone(setting), "all")
        loudest = people.race.map({"a": (0, 3), "b": (1, 3), "c": (2, 0), "d": (3, 0)})[verdict.unfair]
        assert verdict.pair[verdict.unfair].tolist() == [list(pair) for pair in loudest]
        np.testing.assert_allclose(
            verdict.gap[verdict.unfair], people.race.map({"a": 0.7, "b": 0.6, "c": 0.6, "d": 0.7})[verdict.unfair]
        )
        assert verdict.found.tolist() == np.flatnonzero(people.age >= 30).tolist()

    def test_a_tie_is_no_finding(self, case, people):
        setting = case(
            of_one_race(people, "a"), lambda frame: np.where(frame["race"] == "d", 0.9, 0.5), schema=ANY_RACE
        )
        for asking in ("pair", "all"):
            verdict = setting.oracle().judge(everyone(setting), asking)
            assert (np.sort(verdict.labels) == [0, 1]).all()
            np.testing.assert_allclose(verdict.gap, 0.4)
            assert not verdict.unfair.any()

    def test_a_clear_pair_counts_although_a_louder_one_is_a_tie(self, case, people):
        scores = {"a": 0.5, "b": 0.45, "c": 0.51, "d": 0.9}
        setting = case(people, lambda frame: frame["race"].map(scores).to_numpy())
        verdict = setting.oracle().judge(everyone(setting), "all")
        assert verdict.unfair.all()
        pairs = people.race.map({"a": (1, 3), "b": (1, 3), "c": (2, 1), "d": (3, 1)})
        assert verdict.pair.tolist() == [list(pair) for pair in pairs]

    def test_a_smallest_gap_replaces_the_labels(self, case, people):
        people = of_one_race(people, "a")
        setting = case(people, by_race, schema=ANY_RACE, criterion=Gap(0.08))
        verdict = setting.oracle().judge(everyone(setting, [0, 1]), "pair")
        assert verdict.unfair.tolist() == (people.age >= 30).tolist()
        strict = case(people, by_race, schema=ANY_RACE, criterion=Gap(0.12))
        assert not strict.oracle().judge(everyone(strict, [0, 1]), "pair").unfair.any()

    def test_labels_alone_are_enough(self, case, people):
        setting = case(people, lambda frame: np.where(frame["race"] == "d", "no", "yes"))
        verdict = setting.oracle().judge(everyone(setting), "all")
        assert verdict.unfair.all()
        assert (verdict.gap == 1).all()


def louder(answers, asked, criterion, positive, own=None):
    """One sample's pair of readings by brute force: the largest gap, among the unfair where there are any.

    One with its own reading before any other, if that is unfair or none is.
    """
    found = []
    pairs = list(combinations(asked, 2))
    for (a, i), (b, j) in [*pairs, *((other, one) for one, other in pairs if other[0] == own)]:
        which = answers.labels[i] if positive is None else positive
        gap = abs(answers.scores[i, which] - answers.scores[j, which])
        if criterion.labels_decide:
            clear = min(answers.margins[i], answers.margins[j]) > TIE
            flip = answers.labels[i] != answers.labels[j]
            found.append((flip and clear, a == own, gap, (a, b), flip))
        else:
            unfair = gap >= criterion.min_gap - TIE
            found.append((unfair, a == own, gap, (a, b), unfair))
    unfair, _, gap, pair, _ = max(found)
    return unfair, gap, pair, any(flip for *_, flip in found)


def asking(answers, domain, criterion, positive):
    """Somebody to ask who says just this, whatever the question."""
    model = SimpleNamespace(classes=(0, 1, 2), ask=lambda _: answers)
    return Inquiry(model=model, domain=domain, yardstick=Yardstick(criterion, positive))


@pytest.mark.parametrize("positive", [1, None])
@pytest.mark.parametrize("min_gap", [None, 0.6])
def test_over_all_pairs_the_loudest_unfair_one_wins(case, people, positive, min_gap):
    """Against brute force, with answers drawn at random: labels, scores and ties have nothing to do with each other."""
    setting, criterion = case(people, by_race), criterion_of(min_gap=min_gap)
    rng = np.random.default_rng(7)
    chosen = rng.random((60, 4)) < 0.7
    chosen[chosen.sum(axis=1) < 2] = True
    count = int(chosen.sum())
    answers = Answers(rng.integers(0, 3, count), rng.random((count, 3)), rng.choice([0.0, 0.2], count, p=[0.4, 0.6]))
    inquiry = asking(answers, setting.domain, criterion, positive)
    best = inquiry.loudest(setting.domain.rows, chosen)
    place = iter(range(count))
    asked = [[(reading, next(place)) for reading in np.flatnonzero(row)] for row in chosen]
    own = setting.domain.readings.own(setting.domain.rows)
    expected = [louder(answers, *each, criterion, positive, of) for *each, of in zip(asked, own, strict=True)]
    assert best.unfair.tolist() == [unfair for unfair, *_ in expected]
    np.testing.assert_allclose(best.gap, [gap for _, gap, *_ in expected])
    assert best.pair.tolist() == [list(pair) for *_, pair, _ in expected]
    assert best.flips.tolist() == [flips for *_, flips in expected]
    assert 0 < best.unfair.sum() < 60
    assert (best.flips & ~best.unfair).any() or min_gap is not None


@pytest.mark.parametrize("labels", [2, 3])
@pytest.mark.parametrize("min_gap", [None, 0.3])
@pytest.mark.parametrize("scores", ["any", "few", "equal"])
def test_of_many_readings_the_same_pair_wins(labels, min_gap, scores):
    """Where there are many readings only some of their pairs are looked at."""
    rng = np.random.default_rng(3)
    chosen = rng.random((80, 16)) < 0.8
    count, criterion = int(chosen.sum()), criterion_of(min_gap=min_gap)
    drawn = {"any": rng.random((count, labels)), "few": rng.integers(0, 5, (count, labels)) / 4}
    margins = rng.choice([0.0, 0.2], count, p=[0.4, 0.6])
    answers = Answers(rng.integers(0, labels, count), drawn.get(scores, np.full((count, labels), 0.5)), margins)
    readings = SimpleNamespace(read=lambda genomes, _: genomes, voices=lambda _: None, own=lambda _: None)
    domain = SimpleNamespace(readings=readings, decode=lambda genomes: genomes)
    best = asking(answers, domain, criterion, 1).loudest(np.zeros((80, 1), dtype=np.int32), chosen)
    place = iter(range(count))
    for number, row in enumerate(chosen):
        asked = [(reading, next(place)) for reading in np.flatnonzero(row)]
        unfair, gap, _, flips = louder(answers, asked, criterion, 1)
        assert (best.unfair[number], best.flips[number]) == (unfair, flips)
        assert best.gap[number] == pytest.approx(gap)
        a, b = (dict(asked)[reading] for reading in best.pair[number])
        assert best.gap[number] == pytest.approx(abs(answers.scores[a, 1] - answers.scores[b, 1]))
