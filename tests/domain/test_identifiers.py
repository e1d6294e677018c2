"""Columns that tell rows apart: left as they are, counted in no distance; and measurements, which are not."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn import datasets as sklearn_tables

import expga
from expga.domain.identifiers import settled
from expga.domain.schema import FeatureRule

COUNT = 1_000
RNG = np.random.default_rng(0)
IDENTIFIERS = {
    "customer": RNG.permutation(COUNT) + 100_000,
    "drawn_at_random": RNG.choice(np.arange(10**6, 10**7), COUNT, replace=False),
    "accountId": RNG.choice(10**9, COUNT, replace=False),
    "as_floats": np.arange(COUNT).astype(float),
    "some_twice": np.concatenate([np.arange(COUNT - 20), np.arange(20)]),
    "hash": [f"{number:x}" for number in RNG.integers(0, 2**60, COUNT)],
    "name": [f"Ann B{number}" for number in RNG.integers(0, 900, COUNT)],
    "remark": [f"called on day {number}" for number in RNG.integers(0, 300, COUNT)],
    "day_as_text": pd.date_range("2020-01-01", periods=COUNT).astype(str).where(np.arange(COUNT) < 200, "2020-01-01"),
    "category": pd.Categorical([f"c{number}" for number in range(COUNT)]),
}
MEASUREMENTS = {
    "age": RNG.integers(18, 90, COUNT),
    "income": RNG.lognormal(10.5, 0.6, COUNT).round().astype(int),
    "income_in_cents": np.unique((RNG.lognormal(10.5, 0.6, 2 * COUNT) * 100).astype(int))[:COUNT],
    "price": RNG.integers(100, 999, COUNT) * 1_000,
    "prices_of_one_length": RNG.choice(np.arange(100_000, 1_000_000, 10), COUNT, replace=False),
    "population": (RNG.pareto(1, COUNT) * 10_000).round().astype(int),
    "share": RNG.random(COUNT),
    "number_of_rooms": RNG.integers(1, 9, COUNT),
    "job": RNG.choice([f"j{number}" for number in range(300)], COUNT),
}


@pytest.mark.parametrize("name", IDENTIFIERS)
def test_an_identifier_a_name_or_a_text_is_known_by_its_values(name):
    assert settled(pd.Series(IDENTIFIERS[name], name=name), FeatureRule()).type == "identifier"


@pytest.mark.parametrize("name", MEASUREMENTS)
def test_a_measurement_stays_what_it_is(name):
    assert settled(pd.Series(MEASUREMENTS[name], name=name), FeatureRule()) == FeatureRule()


@pytest.mark.parametrize("times", [1, 100, 1_000])
@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer", "diabetes", "digits", "linnerud"])
def test_no_measurement_of_known_tables_is_taken_for_one(name, times):
    """Also where it was rounded to whole numbers, with the more values the more digits are kept."""
    frame = getattr(sklearn_tables, f"load_{name}")(as_frame=True).data
    frame = frame if times == 1 else (frame * times).round().astype(int)
    assert not [column for column in frame if settled(frame[column], FeatureRule()) != FeatureRule()]


@pytest.mark.parametrize("rows", [30, 300, None])
@pytest.mark.parametrize("name", ["census", "credit", "bank", "census-encoded"])
def test_no_column_that_ships_is_taken_for_one(name, rows):
    frame = expga.datasets.load(name).frame
    frame = frame if rows is None else frame.sample(rows, random_state=1)
    assert not [column for column in frame if settled(frame[column], FeatureRule()) != FeatureRule()]


def test_dates_stay_and_count_in_distances():
    column = pd.Series(pd.date_range("2020-01-01", periods=50))
    assert settled(column, FeatureRule()) == FeatureRule(immutable=True)


@pytest.mark.parametrize("said", [{"immutable": False}, {"type": "integer"}, {"min": 0.0}, {"immutable": True}])
def test_what_the_schema_says_stands(said):
    assert settled(pd.Series(np.arange(COUNT)), FeatureRule(**said)) == FeatureRule(**said)


class TestDomain:
    @pytest.fixture
    def frame(self):
        rng = np.random.default_rng(1)
        return pd.DataFrame(
            {
                "customer": rng.permutation(300),
                "sex": rng.choice(["F", "M"], 300),
                "age": rng.integers(18, 60, 300),
                "hours": rng.integers(1, 60, 300),
                "name": [f"n{number}" for number in range(300)],
            }
        )

    @pytest.fixture
    def bare(self, frame):
        return frame[["sex", "age", "hours"]]

    def test_no_search_changes_them_and_a_note_says_so(self, domain_of, frame, bare):
        domain = domain_of(frame)
        assert [c for c, free in zip(domain.columns, domain.mutable, strict=True) if free] == ["age", "hours"]
        (note,) = domain.notes()
        assert "customer, name are left as they are" in note
        assert "immutable = false" in note
        assert domain_of(bare).notes() == []

    def test_they_count_in_no_distance(self, domain_of, frame, bare):
        """Every row is 1 away in a name: with it the reach would be a quarter, whatever else."""
        one, other = domain_of(frame), domain_of(bare)
        assert one.reach == other.reach > 0
        rows = np.arange(300)
        np.testing.assert_array_equal(
            one.distance(one.rows, one.rows[rows - 1]), other.distance(other.rows, other.rows[rows - 1])
        )

    def test_samples_that_differ_in_them_only_are_the_same(self, domain_of, frame, bare):
        double = pd.concat([frame, frame.assign(customer=frame.customer + 300, name=frame.name + "b")])
        domain = domain_of(double)
        assert len(set(domain.keys(domain.rows).tolist())) == len(bare[["age", "hours"]].drop_duplicates())

    def test_a_search_keeps_each_rows_own(self, frame):
        audit = expga.audit(
            lambda X: 1 / (1 + np.exp(-(X["age"] - 40 + X["hours"] / 9 + 3 * (X["sex"] == "F")) / 3)),
            frame,
            protected=["sex"],
            max_queries=4_000,
            seed=0,
        )
        found = audit.findings
        assert len(found) > 50
        for column in ("customer", "name"):
            assert found[column].tolist() == frame[column].iloc[found["anchor"]].tolist()
        assert not found.duplicated(["age", "hours"]).any()

    def test_the_schema_may_have_them_changed(self, domain_of, frame):
        domain = domain_of(frame, schema={"features": {"customer": {"immutable": False}, "name": {"immutable": False}}})
        assert domain.mutable.sum() == 4
        assert domain.notes() == []

    def test_the_schema_may_call_any_column_one(self, domain_of, frame):
        domain = domain_of(frame, schema={"features": {"hours": {"type": "identifier"}}})
        assert [c for c, free in zip(domain.columns, domain.mutable, strict=True) if free] == ["age"]

    def test_a_protected_or_linked_one_is_read_as_ever(self, domain_of, frame):
        link = [{"name": {"F": "n1", "M": "n2"}}]
        domain = domain_of(frame, ["sex", "customer"], {"protected": {"sex": {"link": link}}})
        assert domain.protected.tolist() == [True, True, False, False, True]
        assert domain.notes() == []

    def test_other_rows_are_read_alike(self, domain_of, frame):
        whole = domain_of(frame)
        part = domain_of(frame.head(5), schema=whole.pinned())
        np.testing.assert_array_equal(part.mutable, whole.mutable)
        np.testing.assert_array_equal(part.compared, whole.compared)

    def test_where_nothing_else_is_there_they_are_compared(self, domain_of, frame):
        domain = domain_of(frame[["customer", "sex"]])
        assert domain.distance(domain.rows[:1], domain.rows[1:2])[0] > 0
