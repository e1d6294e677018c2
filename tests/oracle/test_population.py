"""The flip rate of real rows against brute force over all readings, done with pandas."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

from expga.criterion import Flip, Gap
from expga.measuring import queries_of
from expga.population import FlipRate
from expga.seeds import by_gap

RACES, SEXES = ["a", "b", "c", "d"], ["F", "M"]


def by_race_and_sex(frame, score=False):
    """Labels that hang on all columns together, or the scores behind them."""
    worth = frame["age"] + frame["race"].map({"a": 0, "b": 9, "c": -4, "d": 2}) + 5 * (frame["sex"] == "M")
    worth = worth + 3 * (frame["job"] == "cook")
    return 1 / (1 + np.exp(-(worth - 55.03) / 9)) if score else np.where(worth > 55, "yes", "no")


def brute_force(frame, rule, choices, possible=lambda _: True):
    """(rows that have a twin, rows that flip) by asking about one row at a time."""
    counted = flipped = 0
    for _, row in frame.iterrows():
        readings = [{**row.to_dict(), **choice} for choice in (choices(row) if callable(choices) else choices)]
        readings = [reading for reading in readings if possible(reading)]
        labels = rule(pd.DataFrame(readings)) if readings else []
        counted += len(readings) >= 2
        flipped += len(readings) >= 2 and len(set(labels)) > 1
    return counted, flipped


def choices(**values):
    return [dict(zip(values, choice, strict=True)) for choice in product(*values.values())]


def numbers(rate):
    return rate.rows, rate.flipped


class TestAgainstBruteForce:
    def test_one_attribute(self, case, people):
        population = case(people, by_race_and_sex).population()
        expected = brute_force(people, by_race_and_sex, choices(race=RACES))
        assert numbers(population.overall) == expected
        assert numbers(population.by_attribute["race"]) == expected
        assert 0 < expected[1] < expected[0] == 60

    def test_several_attributes_together_and_each_alone(self, case, people):
        population = case(people, by_race_and_sex, protected=("race", "sex")).population()
        together = brute_force(people, by_race_and_sex, choices(race=RACES, sex=SEXES))
        race = brute_force(people, by_race_and_sex, choices(race=RACES))
        sex = brute_force(people, by_race_and_sex, choices(sex=SEXES))
        assert numbers(population.overall) == together
        assert numbers(population.by_attribute["race"]) == race
        assert numbers(population.by_attribute["sex"]) == sex
        assert together[1] > race[1] > sex[1] > 0

    def test_rows_without_a_twin_leave_the_denominator(self, case, people):
        schema = {"forbid": [{"sex": "M", "job": "nurse"}, {"race": ["b", "c", "d"], "age": {"min": 60}}]}
        population = case(people, by_race_and_sex, ("race", "sex"), schema).population()

        def possible(row):
            return not (row["sex"] == "M" and row["job"] == "nurse") and not (row["race"] != "a" and row["age"] >= 60)

        together = brute_force(people, by_race_and_sex, choices(race=RACES, sex=SEXES), possible)
        assert numbers(population.overall) == together
        assert population.no_twin == 60 - together[0] > 0
        alone = population.by_attribute
        assert numbers(alone["race"]) == brute_force(people, by_race_and_sex, choices(race=RACES), possible)
        assert numbers(alone["sex"]) == brute_force(people, by_race_and_sex, choices(sex=SEXES), possible)
        assert alone["sex"].rows < together[0]

    def test_a_number_is_read_at_its_quantiles_and_the_rest_of_the_row_as_it_is(self, case, people):
        setting = case(people.assign(age=people.age + 0.123456789), by_race_and_sex, ("age",))
        *labels, _ = setting.domain.readings.labels
        ages = [float(label["age"]) for label in labels]
        assert len(ages) == 8
        counted, flipped = brute_force(setting.frame, by_race_and_sex, lambda row: choices(age=[*ages, row["age"]]))
        assert numbers(setting.population().overall) == (counted, flipped)
        assert sum(setting.calls) == 60 * 9 - 8, "eight have an age that all are read at"

    def test_a_value_that_a_row_has_anyway_is_asked_about_once(self, case, people):
        schema = {"protected": {"age": {"values": [20, 45, 79]}}}
        setting = case(people, by_race_and_sex, ("age", "sex"), schema)
        counted, flipped = brute_force(
            people, by_race_and_sex, lambda row: choices(age={20, 45, 79, row["age"]}, sex=SEXES)
        )
        assert numbers(setting.population().overall) == (counted, flipped)
        ages = sum(len({20, 45, 79, age}) for age in people.age)
        assert sum(setting.calls) == 2 * ages + ages + 2 * 60
        assert queries_of(setting.domain, setting.domain.rows).sum() == sum(setting.calls)

    @pytest.mark.parametrize("protected", [("age",), ("race",), ("race", "age"), ("race", "sex", "age")])
    @pytest.mark.parametrize("criterion", [Flip(), Gap(0.2)])
    def test_a_row_that_flips_is_one_of_the_pair_that_shows_it(self, case, people, protected, criterion):
        """Unless the row as it is takes no part: with a smallest gap it may lie between two others."""
        scores = by_race_and_sex(people, score=True)
        assert len(set(scores)) > 10
        setting = case(people, lambda frame: by_race_and_sex(frame, score=True), protected, criterion=criterion)
        population = setting.population()
        domain = setting.domain
        own = domain.readings.own(domain.rows)
        has_own = (population.pair == own[:, None]).any(axis=1)
        assert population.unfair.sum() > 5
        if criterion == Flip():
            assert has_own.all()
        else:
            every = [domain.readings.read(domain.rows, np.full(60, n)) for n in range(domain.readings.count)]
            worth = np.column_stack([by_race_and_sex(domain.frame(read), score=True) for read in every])
            worth = np.where(domain.readings.valid(domain.rows), worth, np.nan)
            from_own = np.nanmax(np.abs(worth - worth[np.arange(60), own][:, None]), axis=1)
            assert has_own[population.unfair].tolist() == (from_own > 0.2 + 1e-6)[population.unfair].tolist()

    def test_probabilities_flip_where_labels_do(self, case, people):
        def probability(frame):
            return 0.2 + 0.6 * (by_race_and_sex(frame) == "yes")

        expected = brute_force(people, by_race_and_sex, choices(race=RACES))
        assert numbers(case(people, probability).population().overall) == expected

    def test_small_calls_make_no_difference(self, case, people):
        expected = case(people, by_race_and_sex, ("race", "sex")).population()
        setting = case(people, by_race_and_sex, ("race", "sex"))
        population = setting.population(each=3)
        assert max(setting.calls) <= 3 * 8
        assert population.as_dict() == expected.as_dict()
        np.testing.assert_array_equal(population.pair, expected.pair)


class TestTies:
    def test_a_tie_is_a_flip_of_the_population_and_no_finding(self, case, people):
        """As a forest of an even number of trees has it: half of them for, half against."""
        population = case(people, lambda frame: np.where(frame["race"] == "d", 0.9, 0.5)).population()
        assert population.overall.flipped == population.ties == 60
        assert not population.unfair.any()

    def test_a_gap_is_counted_instead_of_labels_where_asked_for(self, case, people):
        def rule(frame):
            return np.where(frame["race"] == "d", 0.9, 0.75)

        assert case(people, rule).population().overall.flipped == 0
        assert case(people, rule, criterion=Gap(0.1)).population().overall.flipped == 60
        assert case(people, rule, criterion=Gap(0.2)).population().overall.flipped == 0


class TestSamples:
    def test_all_rows_are_no_sample(self, case, people):
        assert not case(people, by_race_and_sex).population().sampled

    def test_a_part_of_the_rows_is_a_sample_and_says_so(self, case, people):
        rows = [5, 40, 17, 3]
        population = case(people, by_race_and_sex).population(rows)
        assert population.sampled
        assert population.asked.tolist() == rows
        assert numbers(population.overall) == brute_force(people.iloc[rows], by_race_and_sex, choices(race=RACES))


class TestInterval:
    def test_it_is_wilsons(self):
        """By hand: centre (3 + z²/2) / (10 + z²), half width z √(3·7/10 + z²/4) / (10 + z²), z = 1.959964."""
        z = 1.959964
        centre, half = (3 + z**2 / 2) / (10 + z**2), z * np.sqrt(2.1 + z**2 / 4) / (10 + z**2)
        assert FlipRate(10, 3).ci95 == pytest.approx((centre - half, centre + half), abs=1e-6)
        assert FlipRate(10, 3).ci95 == pytest.approx((0.10779, 0.60322), abs=1e-5)

    def test_it_is_scipys_to_the_last_bit(self):
        for rows in (1, 2, 3, 7, 40, 999, 1_000, 48_842):
            for flipped in {0, 1, rows // 3, rows // 2, rows - 1, rows}:
                expected = binomtest(flipped, rows).proportion_ci(0.95, method="wilson")
                assert FlipRate(rows, flipped).ci95 == (expected.low, expected.high), (flipped, rows)

    def test_no_flip_is_not_certainty(self):
        low, high = FlipRate(100, 0).ci95
        assert low == 0
        assert high == pytest.approx(0.03699, abs=1e-5)

    def test_no_row_tells_nothing(self):
        assert FlipRate(0, 0).rate is None
        assert FlipRate(0, 0).ci95 == (0, 1)


def test_where_scores_decide_the_rows_with_the_widest_gaps_promise_most(case, people):
    """Not those near the boundary between labels: here they are the ones whose scores hardly move."""

    def rule(frame):
        return 0.5 + (frame["age"] - 19) / 200 * np.where(frame["race"] == "d", 1, 0.9)

    setting = case(people, rule, criterion=Gap(0.025))
    seeds = by_gap(setting.domain, setting.population(), np.random.default_rng(0))
    ages = people["age"].to_numpy()[seeds.rows]
    flips = (ages - 19) / 2_000 >= 0.025
    assert flips[: flips.sum()].all()
    assert (np.diff(ages[flips.sum() :]) < 0).all()
    assert (np.diff(seeds.promise[flips.sum() :]) < 0).all()
    assert 0 < flips.sum() < 60
