"""The judge of rows: what it accepts, when there is one, and that it always is the same."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from expga.domain.people import FEWEST, PAIRS, people, with_swaps


def bound_together(count, seed=0):
    """(count, 5) age, years at work, grade, sex and region: all but the last two follow from each other, roughly."""
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 66, count)
    return pd.DataFrame(
        {
            "age": age,
            "years": np.maximum(0, age - 20 - rng.integers(0, 5, count)),
            "grade": np.array(["junior", "middle", "senior"])[np.digitize(age + rng.normal(0, 3, count), [30, 45])],
            "sex": rng.choice(["Female", "Male"], count),
            "region": rng.choice(["north", "south"], count),
        }
    )


def unrelated(count):
    rng = np.random.default_rng(0)
    return pd.DataFrame({"sex": rng.choice(["a", "b"], count), **{f"x{i}": rng.normal(size=count) for i in range(4)}})


@pytest.fixture(scope="module")
def domain(domain_of):
    return domain_of(bound_together(2_000), schema={"rules": False})


@pytest.fixture(scope="module")
def fresh(domain):
    """(n, 5) rows that the domain was not fitted to, as its genomes."""
    rows = bound_together(6_000, seed=1)
    codes = [feature.codes_of(rows[feature.name].tolist()) for feature in domain.features]
    known = [row for row in zip(*codes, strict=True) if None not in row]
    return np.array(known, dtype=np.int32)


def test_nine_in_ten_fresh_rows_are_typical(domain, fresh):
    assert len(fresh) > 5_000
    assert 0.86 < domain.typical(fresh).mean() < 0.94


def test_rows_with_a_swapped_value_are_less_often_so(domain, fresh, rng):
    swapped = with_swaps(fresh, np.array([0, 1, 2]), 5_000, rng, most=1)
    assert domain.typical(swapped).mean() < 0.5


def test_someone_of_20_with_40_years_at_work_is_not(domain):
    young = domain.rows[domain.rows[:, 0] == 2][:1]
    old = domain.rows[domain.rows[:, 0] == 45][:1]
    assert not domain.typical(np.where(np.arange(5) == 1, old, young)).any()


def test_what_is_protected_makes_no_difference(domain, fresh):
    twins = fresh.copy()
    twins[:, 3] = 1 - twins[:, 3]
    np.testing.assert_array_equal(domain.typical(fresh), domain.typical(twins))


def test_a_judgement_does_not_hang_on_who_else_is_judged(domain, fresh):
    many = np.concatenate([fresh] * 3)
    np.testing.assert_array_equal(domain.typical(many)[: len(fresh)], domain.typical(fresh))
    np.testing.assert_array_equal(domain.typical(fresh[7:8]), domain.typical(fresh)[7:8])
    assert domain.typical(fresh[:0]).shape == (0,)


def test_the_same_rows_make_the_same_judge(domain, domain_of, fresh):
    again = domain_of(bound_together(2_000), schema={"rules": False})
    np.testing.assert_array_equal(domain.typical(fresh), again.typical(fresh))


def test_within_bounds_only_everything_is_typical(domain_of, rng):
    domain = domain_of(bound_together(500), realism="domain")
    assert domain.typical(domain.donors(domain.rows, rng)).all()


@pytest.mark.parametrize("frame", [unrelated(2_000), bound_together(FEWEST - 1)], ids=["unrelated", "few"])
def test_where_too_little_is_known_everything_is_typical(domain_of, rng, frame):
    domain = domain_of(frame, schema={"rules": False})
    assert domain.typical(with_swaps(domain.rows, np.arange(5), 500, rng)).all()


def test_of_many_columns_those_that_hang_together_are_looked_at(rng):
    half = rng.integers(0, 16, (1_000, 30)).astype(np.int32)
    everything = np.ones(60, dtype=bool)
    judge = people(np.column_stack([half, half]), ~everything, everything, everything)
    assert judge is not None
    assert {(place, place + 30) for place in range(30)} <= set(judge.pairs)
    assert len(set(judge.pairs)) == PAIRS


def test_identifiers_say_nothing(domain_of, fresh, domain):
    numbered = bound_together(2_000).assign(number=np.arange(2_000) * 7 + 1_000_003)
    told = domain_of(numbered, schema={"rules": False, "features": {"number": {"type": "identifier"}}})
    np.testing.assert_array_equal(told.typical(np.insert(fresh, 5, 0, axis=1)), domain.typical(fresh))


def test_swaps_change_one_value_to_three_of_those_that_may(rng):
    rows = rng.integers(0, 1_000, (500, 8)).astype(np.int32)
    swapped = with_swaps(rows, np.array([1, 2, 5, 6]), 400, rng)
    known = {tuple(row[[0, 3, 4, 7]]): row for row in rows}
    changed = np.array([(row != known[tuple(row[[0, 3, 4, 7]])]).sum() for row in swapped])
    assert set(changed) == {1, 2, 3}
    assert all(np.isin(swapped[:, place], rows[:, place]).all() for place in range(8))
