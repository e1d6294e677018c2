"""Rows that a domain was not fitted to, read in the same way: what was inferred, whose group, which twins."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from expga.domain.neighbours import nearest_of
from expga.domain.schema import read_schema

SCHEMA = {
    "features": {
        "age": {"type": "integer", "min": 0, "max": 99.5},
        "job": {"values": ["cook", "nurse"], "immutable": True},
        "flag": {"type": "boolean", "values": [False]},
    },
    "forbid": [
        {"job": "cook", "sex": ["F", "X"], "age": {"min": 3}},
        {"age": {"max": 9.5}},
        {"hours": {"min": 0, "max": 0}},
    ],
    "protected": {
        "sex": {"values": ["F", "M"], "link": [{"role": {"F": "Wife", "M": "Husband"}}, {"job": {"M": "cook"}}]},
        "age": {"bins": [0, 30, 99]},
        "faith": {"values": ["a", "b"], "link": [{"temple": {"a": 0, "b": 1.5}}]},
    },
}


def labels(domain):
    return [tuple(label.values()) for label in domain.readings.labels]


def through_json(schema):
    return read_schema(json.loads(json.dumps(schema.as_dict())))


class TestSchemaAsDict:
    @pytest.mark.parametrize("source", [SCHEMA, {}, {"features": {"age": {}}}, {"protected": {"sex": {}}}])
    def test_it_is_read_as_the_same_schema(self, source):
        schema = read_schema(source)
        assert through_json(schema) == schema

    def test_what_was_not_said_is_left_out(self):
        assert read_schema({"features": {"age": {"min": 0}}}).as_dict()["features"] == {"age": {"min": 0.0}}


class TestPinned:
    def test_other_rows_have_the_same_readings_and_types(self, domain_of, people):
        whole = domain_of(people, ["sex", "age"])
        few = people.iloc[:3].assign(sex="Male", debt=[1.5, 2.0, 3.0])
        part = domain_of(few, ["sex", "age"], whole.pinned())
        assert labels(part) == labels(whole)
        assert len(labels(whole)) == 2 * (8 + 1)
        assert [feature.kind for feature in part.features] == [feature.kind for feature in whole.features]

    def test_it_survives_json_with_links_bins_and_what_is_forbidden(self, domain_of):
        rng = np.random.default_rng(0)
        frame = pd.DataFrame(
            {
                "sex": rng.choice(["F", "M"], 60),
                "role": rng.choice(["Wife", "Husband", "Child"], 60),
                "age": rng.integers(10, 90, 60),
                "hours": rng.normal(40, 9, 60).astype(np.float32),
                "job": rng.choice(["cook", "nurse"], 60),
            }
        )
        schema = {
            "forbid": [{"role": "Child", "age": {"min": 50}}],
            "protected": {
                "sex": {"link": [{"role": {"F": "Wife", "M": "Husband"}}]},
                "age": {"bins": [0, 30, 60, 99]},
            },
        }
        whole = domain_of(frame, ["sex", "age", "hours"], schema)
        again = domain_of(frame.iloc[::-1], ["sex", "age", "hours"], through_json(whole.pinned()))
        assert labels(again) == labels(whole)
        assert len(labels(whole)) == 2 * (3 + 1) * (8 + 1)
        rows = np.arange(60)
        np.testing.assert_array_equal(again.readings.valid(again.rows)[::-1], whole.readings.valid(whole.rows))
        for reading in (0, 17, 71):
            one, other = (
                domain.frame(domain.readings.read(domain.rows, np.full(60, reading))) for domain in (whole, again)
            )
            pd.testing.assert_frame_equal(one, other.iloc[::-1].set_axis(rows))

    def test_bounds_and_immutables_stay(self, domain_of, people):
        schema = {"features": {"age": {"min": 30}, "job": {"values": ["cook", "nurse"], "immutable": True}}}
        pinned = domain_of(people, schema=schema).pinned()
        assert pinned.features["age"].min == 30
        assert pinned.features["age"].type == "integer"
        assert pinned.features["job"].values == ("cook", "nurse")
        assert pinned.features["job"].immutable


class TestGroups:
    def test_a_category_is_its_own_group_and_missing_is_none(self, domain_of):
        frame = pd.DataFrame({"sex": ["F", "M", None, "X", "M"], "age": [1, 2, 3, 4, 5]})
        domain = domain_of(frame, schema={"protected": {"sex": {"values": ["M", "F"]}}})
        assert domain.groups("sex") == ["F", "M", None, None, "M"]
        assert domain.nearest_reading(domain.readings).tolist() == [1, 0, -1, -1, 0]

    def test_a_number_is_in_the_group_of_the_nearest_reading(self, domain_of):
        frame = pd.DataFrame({"age": [20.0, 29.0, 31.0, 80.0, np.nan], "job": list("aabbc")})
        domain = domain_of(frame, ["age"], {"protected": {"age": {"values": [20, 40, 60]}}})
        assert domain.groups("age") == ["20", "20", "40", "60", None]

    def test_each_attribute_has_groups_of_its_own(self, domain_of):
        frame = pd.DataFrame({"sex": ["F", "M", "X"], "age": [20, 39, 65], "job": list("abc")})
        schema = {"protected": {"age": {"values": [20, 40, 60]}, "sex": {"values": ["F", "M"]}}}
        domain = domain_of(frame, ["sex", "age"], schema)
        assert domain.groups("sex") == ["F", "M", None]
        assert domain.groups("age") == ["20", "40", "60"]
        assert domain.nearest_reading(domain.readings).tolist() == [0, 5, -1]

    def test_an_attribute_without_a_column_is_seen_in_those_that_it_is_linked_with(self, domain_of):
        frame = pd.DataFrame({"role": ["Wife", "Husband", "Child"], "age": [1, 2, 3]})
        schema = {"protected": {"sex": {"values": ["F", "M"], "link": [{"role": {"F": "Wife", "M": "Husband"}}]}}}
        domain = domain_of(frame, ["sex"], schema)
        assert domain.groups("sex") == ["F", "M", None]


class TestShared:
    def everyone(self, domain_of, schema, protected=("sex",)):
        """A domain of all combinations of sex, role and two jobs."""
        sexes, roles = ["F", "M", "X"], ["Child", "Husband", "Wife"]
        rows = [(sex, role, job) for sex in sexes for role in roles for job in ("cook", "nurse")]
        return domain_of(pd.DataFrame(rows, columns=["sex", "role", "job"]), protected, schema)

    def has_the_readings_of_its_twins(self, domain):
        shared, readings = domain.readings.shared, domain.readings
        rows = shared(domain.rows)
        for reading in range(readings.count):
            twins = shared(readings.read(domain.rows, np.full(len(rows), reading)))
            np.testing.assert_array_equal(readings.valid(twins), readings.valid(rows))
            for other in range(readings.count):
                everywhere = np.full(len(rows), other)
                np.testing.assert_array_equal(readings.read(twins, everywhere), readings.read(rows, everywhere))
        return True

    def test_a_number_that_is_also_read_as_it_is_parts_no_twins(self, domain_of, people):
        domain = domain_of(people, ["sex", "age"])
        assert self.has_the_readings_of_its_twins(domain)
        rows = domain.readings.shared(domain.rows)
        assert len(np.unique(rows[:, 0])) == 1
        assert (domain.readings.valid(rows).sum(axis=1) == 2 * 8).all(), "what no row has is read once"

    def test_without_links_nothing_need_change(self, domain_of, people):
        domain = domain_of(people, ["sex", "job"])
        np.testing.assert_array_equal(domain.readings.shared(domain.rows), domain.rows)
        assert self.has_the_readings_of_its_twins(domain)

    def test_a_whole_link_reads_as_it_did(self, domain_of):
        link = {"role": {"F": "Wife", "M": "Husband", "X": "Child"}}
        domain = self.everyone(domain_of, {"protected": {"sex": {"link": [link]}}})
        for reading in range(3):
            everywhere = np.full(len(domain.rows), reading)
            one, other = (domain.readings.read(rows, everywhere) for rows in (domain.rows, shared_rows(domain)))
            np.testing.assert_array_equal(one, other)

    @pytest.mark.parametrize(
        "links",
        [
            [{"role": {"F": "Wife", "M": "Husband"}}],
            [{"role": {"M": "Wife", "X": "Husband"}}],
            [{"role": {"F": "Wife", "M": "Husband"}}, {"role": {"F": "Husband", "M": "Child"}}],
        ],
    )
    def test_links_that_leave_readings_out_or_overlap_part_no_twins(self, domain_of, links):
        forbid = [{"sex": "X", "role": "Husband", "job": "nurse"}]
        domain = self.everyone(domain_of, {"forbid": forbid, "protected": {"sex": {"link": links}}})
        assert self.has_the_readings_of_its_twins(domain)

    def test_two_attributes_linked_with_one_column_part_no_twins(self, domain_of):
        schema = {
            "protected": {
                "sex": {"link": [{"role": {"F": "Wife", "M": "Husband"}}]},
                "married": {"values": ["yes", "no"], "link": [{"role": {"yes": "Husband", "no": "Child"}}]},
            }
        }
        assert self.has_the_readings_of_its_twins(self.everyone(domain_of, schema, ["sex", "married"]))


def shared_rows(domain):
    return domain.readings.shared(domain.rows)


class TestNearestOf:
    @settings(max_examples=40)
    @given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.integers(1, 12))
    def test_it_is_one_at_the_smallest_distance(self, seed, count, others):
        rng = np.random.default_rng(seed)
        categorical = np.array([True, False, False])
        here, there = (
            np.column_stack([2.0 * rng.integers(0, 3, n), rng.normal(0, 2, n), rng.normal(0, 0.3, n)])
            for n in (count, others)
        )
        apart = np.minimum(np.abs(here[:, None] - there[None]), 1.0).sum(axis=2)
        near = nearest_of(here, there, categorical=categorical)
        np.testing.assert_allclose(apart[np.arange(count), near], apart.min(axis=1), atol=1e-5)

    def test_no_rows_have_no_neighbours(self):
        assert nearest_of(np.zeros((0, 2)), np.zeros((3, 2)), categorical=np.zeros(2, dtype=bool)).tolist() == []
