"""The readings of a row: at which values, of which columns together, and which of them are possible."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pandas as pd
import pytest

from expga.domain.combinations import MOST_READINGS, combinations
from expga.errors import InputError

FAMILY = {"protected": {"sex": {"link": [{"role": {"Male": "Husband", "Female": "Wife"}}]}}}

UNSEEN = {"unseen": True}

STATUS = {
    "protected": {
        "sex": {"values": ["male", "female"], "link": [{"status": {"male": "single man", "female": "single woman"}}]}
    }
}


@pytest.fixture
def family():
    return pd.DataFrame(
        {
            "sex": ["Male", "Female", "Male", "Female"],
            "role": ["Husband", "Wife", "Child", "Single"],
            "age": [40, 50, 10, 30],
        }
    )


def texts(domain):
    """The readings' names, as one text each."""
    return [", ".join(label.values()) for label in domain.readings.labels]


AS_IT_IS = "as it is"


def twins(domain, row):
    """A row's possible readings, each as a dict of the user's values."""
    genome = domain.rows[[row]]
    possible = np.flatnonzero(domain.readings.valid(genome)[0])
    read = domain.readings.read(np.repeat(genome, len(possible), axis=0), possible)
    return domain.frame(read).to_dict("records")


class TestValues:
    def test_a_category_is_read_at_all_its_values(self, domain_of, people):
        assert texts(domain_of(people, ["job"])) == ["clerk", "cook", "nurse", "smith"]

    def test_an_unused_category_is_not_read(self, domain_of):
        frame = pd.DataFrame({"sex": pd.Categorical(["F", "M"], categories=["F", "M", "X"]), "age": [1, 2]})
        assert texts(domain_of(frame)) == ["F", "M"]

    def test_missing_is_not_read(self, domain_of):
        frame = pd.DataFrame({"sex": ["F", None, "M"], "age": [1, 2, 3]})
        domain = domain_of(frame)
        assert texts(domain) == ["F", "M"]
        assert [twin["sex"] for twin in twins(domain, 1)] == ["F", "M"]

    def test_booleans_are_read_both_ways(self, domain_of):
        frame = pd.DataFrame({"married": [True, False, True], "age": [1, 2, 3]})
        assert texts(domain_of(frame, ["married"])) == ["False", "True"]

    def test_numbers_are_read_at_eight_quantiles_without_the_extremes_and_as_they_are(self, domain_of):
        frame = pd.DataFrame({"age": np.arange(141), "x": 0})
        values = ["7", "25", "43", "61", "79", "97", "115", "133"]
        assert texts(domain_of(frame, ["age"])) == [*values, AS_IT_IS]

    def test_quantiles_are_values_of_the_data_and_each_comes_once(self, domain_of, people):
        *readings, last = texts(domain_of(people, ["hours"]))
        readings = [float(text) for text in readings]
        assert last == AS_IT_IS
        assert 2 <= len(readings) <= 8
        assert len(set(readings)) == len(readings)
        assert set(readings) <= set(people.hours)

    @pytest.mark.parametrize("groups", [2, 5, 8])
    def test_a_group_that_has_a_number_is_read_however_rare(self, domain_of, groups):
        """Of eight quantiles nearly all would be 0."""
        race = np.concatenate([np.zeros(1_000, dtype=int), np.arange(groups)])
        domain = domain_of(pd.DataFrame({"race": race, "x": np.arange(len(race))}), ["race"])
        assert texts(domain) == [str(group) for group in range(groups)]

    def test_a_number_that_is_nearly_always_the_same_has_others_to_be_read_at(self, domain_of):
        gain = np.concatenate([np.zeros(1_000, dtype=int), np.arange(1, 31)])
        readings = texts(domain_of(pd.DataFrame({"gain": gain, "x": np.arange(len(gain))}), ["gain"]))
        assert len(readings) == 9

    def test_few_numbers_are_all_read(self, domain_of):
        frame = pd.DataFrame({"age": [30, 20, 40], "x": 0})
        assert texts(domain_of(frame, ["age"])) == ["20", "30", "40"]

    def test_a_number_called_categorical_is_read_at_all_its_values(self, domain_of):
        frame = pd.DataFrame({"code": range(12), "x": 0})
        schema = {"features": {"code": {"type": "categorical"}}}
        assert len(texts(domain_of(frame, ["code"], schema))) == 12

    def test_the_users_values_replace_what_is_inferred(self, domain_of, people):
        domain = domain_of(
            people, ["age"], {"features": {"age": {"unseen": True}}, "protected": {"age": {"values": [25, 65, 101]}}}
        )
        assert texts(domain) == ["25", "65", "101", AS_IT_IS]
        assert [twin["age"] for twin in twins(domain, 0)] == [25, 65, 101, people.age[0]]

    def test_a_value_that_only_the_user_knows_gives_a_twin(self, domain_of, people):
        men = people[people.sex == "Male"].reset_index(drop=True)
        domain = domain_of(men, schema={**UNSEEN, "protected": {"sex": {"values": ["Male", "Female"]}}})
        assert [twin["sex"] for twin in twins(domain, 0)] == ["Male", "Female"]

    def test_a_bin_is_read_at_its_median_and_ends_before_the_next(self, domain_of):
        frame = pd.DataFrame({"age": [20, 25, 29, 30, 30, 31, 59, 59, 60, 60, 61, 90, 90], "x": 0})
        domain = domain_of(frame, ["age"], {"protected": {"age": {"bins": [20, 30, 60, 90]}}})
        assert texts(domain) == ["25", "31", "61", AS_IT_IS]

    def test_an_empty_bin_is_an_error(self, domain_of, people):
        with pytest.raises(InputError, match="No row has 'age' in the bin 0 to 10; choose other bins"):
            domain_of(people, ["age"], {"protected": {"age": {"bins": [0, 10, 100]}}})

    def test_a_category_has_no_bins(self, domain_of, people):
        with pytest.raises(InputError, match="The schema cuts 'job' into bins, but it is categorical"):
            domain_of(people, ["job"], {"protected": {"job": {"bins": [1, 2, 3]}}})

    def test_readings_keep_to_the_bounds_of_their_column(self, domain_of):
        frame = pd.DataFrame({"age": np.arange(100), "x": 0})
        *readings, _ = texts(domain_of(frame, ["age"], {"features": {"age": {"min": 18, "max": 66}}}))
        assert [int(text) for text in (readings[0], readings[-1])] == [20, 64]
        assert len(readings) == 8

    def test_readings_keep_to_the_values_of_their_column(self, domain_of, people):
        schema = {"features": {"job": {"values": ["cook", "nurse"]}}}
        assert texts(domain_of(people, ["job"], schema)) == ["cook", "nurse"]

    def test_a_value_listed_twice_is_one_reading(self, domain_of, people):
        domain = domain_of(people, schema={"protected": {"sex": {"values": ["Female", "Male", "Male"]}}})
        assert (domain.readings.valid(domain.rows).sum(axis=1) == 2).all()


class TestAsItIs:
    """A number that a row has need not be one of those that it is read at."""

    AGES: ClassVar = {"protected": {"age": {"values": [20, 40, 60]}}}

    @pytest.fixture
    def ages(self):
        return pd.DataFrame({"age": [20.0, 27.0, 60.0, np.nan], "sex": ["F", "M", "F", "M"], "x": [1, 2, 3, 4]})

    def test_each_row_is_read_as_it_is_once(self, domain_of, ages):
        domain = domain_of(ages, ["age"], self.AGES)
        found = [sorted(twin["age"] for twin in twins(domain, row)) for row in range(4)]
        assert found == [[20, 40, 60], [20, 27, 40, 60], [20, 40, 60], [20, 40, 60]]

    def test_its_own_reading_is_known(self, domain_of, ages):
        assert domain_of(ages, ["age"], self.AGES).readings.own(domain_of(ages, ["age"], self.AGES).rows)[
            :3
        ].tolist() == [
            0,
            3,
            2,
        ]

    def test_in_every_combination_of_several_attributes(self, domain_of, ages):
        domain = domain_of(ages, ["sex", "age"], self.AGES)
        found = {(twin["sex"], twin["age"]) for twin in twins(domain, 1)}
        assert found == {(sex, age) for sex in "FM" for age in (20, 27, 40, 60)}
        own = domain.readings.own(domain.rows)
        read = domain.readings.read(domain.rows[:3], own[:3])
        np.testing.assert_array_equal(read, domain.rows[:3])

    def test_what_is_linked_stays_too(self, domain_of):
        frame = pd.DataFrame({"age": [30, 63, 70], "pension": ["no", "early", "yes"], "x": [1, 2, 3]})
        link = {"pension": {"30": "no", "70": "yes"}}
        domain = domain_of(frame, ["age"], {"protected": {"age": {"values": [30, 70], "link": [link]}}})
        assert [(t["age"], t["pension"]) for t in twins(domain, 1)] == [(30, "early"), (70, "early"), (63, "early")]
        assert [(t["age"], t["pension"]) for t in twins(domain, 2)] == [(30, "no"), (70, "yes")]

    def test_not_where_that_is_forbidden(self, domain_of, ages):
        schema = {**self.AGES, "forbid": [{"age": {"min": 25, "max": 30}, "x": 2}]}
        assert [twin["age"] for twin in twins(domain_of(ages, ["age"], schema), 1)] == [20, 40, 60]

    def test_a_category_is_read_at_what_is_listed_unless_the_schema_wants_more(self, domain_of, people):
        rule = {"values": ["cook", "nurse"]}
        assert len(texts(domain_of(people, ["job"], {"protected": {"job": rule}}))) == 2
        domain = domain_of(people, ["job"], {"protected": {"job": {**rule, "as_it_is": True}}})
        assert texts(domain) == ["cook", "nurse", AS_IT_IS]

    def test_a_schema_may_want_the_values_and_no_others(self, domain_of, ages):
        rule = {"values": [20, 40, 60], "as_it_is": False}
        domain = domain_of(ages, ["age"], {"protected": {"age": rule}})
        assert [twin["age"] for twin in twins(domain, 1)] == [20, 40, 60]

    def test_other_rows_are_read_alike_whatever_their_values(self, domain_of, ages):
        whole = domain_of(ages, ["age"], self.AGES)
        assert domain_of(ages.iloc[[0, 2]], ["age"], whole.pinned()).readings.count == whole.readings.count == 4
        listed = domain_of(ages.iloc[[0, 2]], ["age"], {"protected": {"age": {"values": [20, 60]}}})
        assert domain_of(ages, ["age"], listed.pinned()).readings.count == listed.readings.count == 2

    def test_where_too_many_combinations_are_left_out_each_row_keeps_its_own(self, domain_of):
        count = np.arange(600)
        frame = pd.DataFrame(
            {"town": [f"t{n % 300}" for n in count], "month": [f"m{n % 12}" for n in count], "x": count // 12}
        )
        domain = domain_of(frame, ["town", "month"])
        valid, own = domain.readings.valid(domain.rows), domain.readings.own(domain.rows)
        assert valid[count, own].all()
        np.testing.assert_array_equal(domain.readings.read(domain.rows, own), domain.rows)


class TestLinks:
    def test_linked_columns_change_with_the_attribute(self, domain_of, family):
        domain = domain_of(family, schema=FAMILY)
        assert twins(domain, 0) == [
            {"sex": "Female", "role": "Wife", "age": 40},
            {"sex": "Male", "role": "Husband", "age": 40},
        ]
        assert twins(domain, 1) == [
            {"sex": "Female", "role": "Wife", "age": 50},
            {"sex": "Male", "role": "Husband", "age": 50},
        ]

    def test_a_value_outside_the_link_stays(self, domain_of, family):
        assert [twin["role"] for twin in twins(domain_of(family, schema=FAMILY), 2)] == ["Child", "Child"]

    def test_linked_columns_count_as_protected(self, domain_of, family):
        domain = domain_of(family, schema=FAMILY)
        assert domain.protected.tolist() == [True, True, False]
        assert domain.mutable.tolist() == [False, False, True]

    def test_the_first_group_that_has_a_value_decides(self, domain_of, family):
        schema = {
            "protected": {
                "sex": {
                    "link": [
                        {"role": {"Male": "Husband", "Female": "Wife"}},
                        {"role": {"Male": "Husband", "Female": "Single"}},
                    ]
                }
            }
        }
        domain = domain_of(family, schema=schema)
        assert [twin["role"] for twin in twins(domain, 0)] == ["Wife", "Husband"]
        assert [twin["role"] for twin in twins(domain, 3)] == ["Single", "Husband"]

    def test_a_link_may_bring_a_value_that_the_data_does_not_show(self, domain_of, family):
        men = family[family.sex == "Male"].reset_index(drop=True)
        rule = {**FAMILY["protected"]["sex"], "values": ["Male", "Female"]}
        domain = domain_of(men, schema={**UNSEEN, "protected": {"sex": rule}})
        assert [twin["role"] for twin in twins(domain, 0)] == ["Husband", "Wife"]


class TestAttributesWithoutAColumn:
    def test_its_readings_are_those_of_the_linked_column(self, domain_of):
        frame = pd.DataFrame({"status": ["single man", "single woman", "widow"], "age": [1, 2, 3]})
        domain = domain_of(frame, schema=STATUS)
        assert [twin["status"] for twin in twins(domain, 0)] == ["single man", "single woman"]
        assert [twin["status"] for twin in twins(domain, 1)] == ["single man", "single woman"]

    def test_a_row_that_reads_the_same_either_way_has_no_twin(self, domain_of):
        frame = pd.DataFrame({"status": ["single man", "single woman", "widow"], "age": [1, 2, 3]})
        domain = domain_of(frame, schema=STATUS)
        assert domain.readings.valid(domain.rows).sum(axis=1).tolist() == [2, 2, 1]

    def test_without_values_it_cannot_be_read(self, domain_of):
        frame = pd.DataFrame({"status": ["single man", "single woman"], "age": [1, 2]})
        with pytest.raises(
            InputError, match="'sex', which is no column of the data; an attribute without a column needs"
        ):
            domain_of(frame, schema={"protected": {"sex": {"link": [{"status": {"male": "single man"}}]}}})


class TestSeveralAttributes:
    def test_every_combination_is_a_reading(self, domain_of, people):
        domain = domain_of(people, ["sex", "job"])
        assert domain.readings.count == 8
        assert texts(domain)[:5] == ["Female, clerk", "Female, cook", "Female, nurse", "Female, smith", "Male, clerk"]
        assert {(twin["sex"], twin["job"]) for twin in twins(domain, 0)} == {
            (sex, job) for sex in ("Female", "Male") for job in ("clerk", "cook", "nurse", "smith")
        }

    def test_each_alone_leaves_the_other_as_it_is(self, domain_of, people):
        domain = domain_of(people, ["sex", "job"])
        alone = domain.attribute_readings["sex"]
        read = domain.frame(alone.read(domain.rows, np.zeros(len(people), dtype=np.intp)))
        assert (read.sex == "Female").all()
        assert read.job.tolist() == people.job.tolist()

    def test_combinations_that_come_to_the_same_are_read_once(self, domain_of, family):
        """Role is read first, then sex turns every Husband into a Wife: two combinations are one woman."""
        schema = {"protected": {**FAMILY["protected"], "role": {"values": ["Husband", "Wife"]}}}
        domain = domain_of(family, ["role", "sex"], schema)
        seen = [tuple(twin.values()) for twin in twins(domain, 0)]
        assert len(seen) == len(set(seen))

    def test_of_those_that_come_to_the_same_the_first_possible_is_read(self, domain_of):
        """Titles by sex: without one, people are read the same; the first is impossible for the young."""
        frame = pd.DataFrame({"title": ["Sir", "Madam", "Dr", "Dr"], "age": [30, 40, 50, 90]})
        schema = {
            "protected": {
                "sex": {"values": ["f", "m", "x"], "link": [{"title": {"f": "Madam", "m": "Sir", "x": "Sir"}}]}
            },
            "forbid": [{"title": "Madam", "age": {"max": 35}}],
        }
        domain = domain_of(frame, ["sex"], schema)
        assert domain.readings.valid(domain.rows).astype(int).tolist() == [[0, 1, 0], [1, 1, 0], [1, 0, 0], [1, 0, 0]]

    def test_no_reading_of_many_comes_twice(self, domain_of):
        """Against brute force: two attributes without a column that speak of the same one."""
        frame = pd.DataFrame({"name": [f"n{n}" for n in range(40)], "x": range(40)})
        link = {f"g{n}": f"n{n % 7}" for n in range(12)}
        other = {f"h{n}": f"n{n % 9}" for n in range(15)}
        schema = {
            "protected": {
                "one": {"values": list(link), "link": [{"name": link}]},
                "two": {"values": list(other), "link": [{"name": other}]},
            },
            "forbid": [{"name": "n3", "x": {"min": 5}}],
        }
        domain = domain_of(frame, ["one", "two"], schema)
        valid = domain.readings.valid(domain.rows)
        assert domain.readings.count == 180
        for row in range(40):
            names = domain.frame(domain.readings.read(domain.rows[[row] * 180], np.arange(180)))["name"].tolist()
            allowed = [name for name in names if not (name == "n3" and row >= 5)]
            first = {names.index(name) for name in allowed}
            assert set(np.flatnonzero(valid[row])) == first


class TestTooManyCombinations:
    @pytest.fixture
    def towns(self):
        """(600, 3) of 300 towns, and twelve months."""
        count = np.arange(600)
        return pd.DataFrame(
            {"town": [f"t{n % 300}" for n in count], "month": [f"m{n % 12}" for n in count], "x": count // 12}
        )

    def test_up_to_the_limit_each_is_asked(self):
        assert combinations([16, 16]).tolist() == [[a, b] for a in range(16) for b in range(16)]

    @pytest.mark.parametrize("sizes", [[257], [2, 129], [9] * 12, [1_000] * 40], ids=str)
    def test_beyond_it_as_many_as_the_limit_and_no_two_alike(self, sizes):
        chosen = combinations(sizes)
        assert len(np.unique(chosen, axis=0)) == len(chosen) == MOST_READINGS
        assert (chosen >= 0).all()
        assert (chosen < sizes).all()
        np.testing.assert_array_equal(combinations(sizes), chosen)

    def test_no_part_of_an_attribute_is_preferred(self):
        """Of 256 draws a tenth is 25.6, give or take 4.8; this is 5 times as far."""
        counts = np.array([np.bincount(column, minlength=10) for column in combinations([10] * 6).T])
        assert counts.sum() == 6 * MOST_READINGS
        assert np.abs(counts - 25.6).max() < 24

    def test_those_that_must_be_asked_are(self):
        must = [np.array([7, 7, 7]), np.array([0, 0, 0])]
        chosen = combinations([8, 8, 8], must)
        assert len(chosen) == MOST_READINGS
        assert chosen[[0, -1]].tolist() == [[0, 0, 0], [7, 7, 7]]

    def test_a_domain_says_how_many_there_are(self, domain_of, towns):
        domain = domain_of(towns, ["town", "month"])
        assert (domain.readings.count, domain.readings.possible) == (256, 3_600)
        assert domain.notes() == [
            "town and month have 3,600 combinations; a random 256 of them are asked.",
            "town has 300 values; a random 256 of them are asked.",
        ]
        assert domain_of(towns, ["town"]).notes() == ["town has 300 values; a random 256 of them are asked."]
        assert not any("asked" in note for note in domain_of(towns, ["month"]).notes())

    def test_each_is_read_as_it_is_called(self, domain_of, towns):
        domain = domain_of(towns, ["town", "month"])
        read = domain.frame(domain.readings.read(domain.rows[:1].repeat(256, axis=0), np.arange(256)))
        assert read[["town", "month"]].to_dict("records")[:-1] == list(domain.readings.labels)[:-1]
        assert set(domain.readings.labels[-1].values()) == {AS_IT_IS}
        assert (read["x"] == 0).all()

    def test_other_rows_are_read_at_the_same_ones(self, domain_of, towns):
        assert domain_of(towns, ["town", "month"]).readings.labels == (
            domain_of(towns[::-1], ["town", "month"]).readings.labels
        )

    def test_a_column_of_names_fits_into_memory(self, domain_of):
        """The square of its values would take 40 GB."""
        frame = pd.DataFrame({"name": [f"n{n}" for n in range(100_000)], "x": np.arange(100_000)})
        assert domain_of(frame, ["name"]).readings.possible == 100_000


class TestConstraints:
    def test_a_reading_that_breaks_a_constraint_is_skipped(self, domain_of, family):
        domain = domain_of(family, schema={"forbid": [{"role": "Husband", "sex": "Female"}]})
        assert [twin["sex"] for twin in twins(domain, 0)] == ["Male"]
        assert [twin["sex"] for twin in twins(domain, 2)] == ["Female", "Male"]

    def test_a_constraint_is_checked_after_the_links(self, domain_of, family):
        domain = domain_of(family, schema={**FAMILY, "forbid": [{"role": "Husband", "sex": "Female"}]})
        assert [(twin["sex"], twin["role"]) for twin in twins(domain, 0)] == [("Female", "Wife"), ("Male", "Husband")]

    def test_a_constraint_among_other_columns_bars_every_reading(self, domain_of, family):
        domain = domain_of(family, schema={"forbid": [{"role": "Child", "age": {"max": 12}}]})
        assert domain.readings.valid(domain.rows).sum(axis=1).tolist() == [2, 2, 0, 2]

    def test_constraints_hold_for_each_attribute_alone(self, domain_of, family):
        schema = {"forbid": [{"role": "Husband", "sex": "Female"}]}
        domain = domain_of(family, ["sex", "age"], schema)
        assert domain.attribute_readings["sex"].valid(domain.rows).sum(axis=1).tolist() == [1, 2, 2, 2]
