"""What calls take: a fixed time and a time for each row, told from few calls of a machine with other work to do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from expga.models.calls import FIRST, LARGEST_CALL
from expga.models.costs import KEPT, LEAP, CallCosts

SIZES = (1, 7, 8, 60, 500, 4_000, 16_000)


def learned(fixed, each, sizes=SIZES, noise=0.0, seed=0):
    """From calls of these sizes, on a machine that only ever holds up."""
    costs, late = CallCosts(), np.random.default_rng(seed).exponential(noise, len(sizes))
    for rows, more in zip(sizes, late, strict=True):
        costs.took(rows, (fixed + each * rows) * (1 + more))
    return costs


@given(
    fixed=st.one_of(st.just(0.0), st.floats(1e-4, 10)),
    each=st.one_of(st.just(0.0), st.floats(1e-6, 1)),
    sizes=st.sets(st.integers(1, 16_384), min_size=2, max_size=20),
)
def test_both_are_told_where_nothing_holds_calls_up(fixed, each, sizes):
    if fixed == each == 0.0 or len({size.bit_length() for size in sizes}) == 1:
        return
    costs = learned(fixed, each, sorted(sizes))
    for rows in sizes:
        assert costs.fixed + costs.each * rows == pytest.approx(fixed + each * rows, rel=0.35)


@pytest.mark.parametrize(("fixed", "each"), [(0.2, 1e-6), (0.2, 1e-3), (0.0, 1e-3), (0.05, 1e-5), (1e-3, 5e-6)])
@pytest.mark.parametrize("seed", range(5))
def test_a_busy_machine_says_little(fixed, each, seed):
    costs = learned(fixed, each, [size for size in SIZES for _ in range(3)], 0.3, seed)
    for rows in (1, 1_000, 16_000):
        assert 0.9 < (costs.fixed + costs.each * rows) / (fixed + each * rows) < 2


def test_a_first_call_with_all_that_a_model_loads_says_next_to_nothing():
    costs = CallCosts()
    for rows, seconds in ((1, 3.0), (7, 0.007), (8, 0.008), (16, 0.016)):
        costs.took(rows, seconds)
    assert costs.fixed < 0.002
    assert costs.each == pytest.approx(1e-3, rel=0.2)


def test_one_large_call_that_was_held_up_is_soon_made_up_for():
    costs = learned(0.2, 1e-6, SIZES[:-1])
    costs.took(16_000, 3.0)
    for _ in range(4):
        rows = costs.rows_within(0.4)
        costs.took(rows, 0.2 + 1e-6 * rows)
    assert costs.rows_within(0.4) == LARGEST_CALL


def test_a_model_that_has_become_slower_is_known_to_be():
    costs = learned(0.01, 1e-6)
    for _ in range(KEPT):
        costs.took(16_000, 16.0)
    assert costs.rows_within(1.0) < 3_000


def test_thousands_of_calls_of_one_size_do_not_make_forgotten_what_small_ones_took():
    costs = learned(0.2, 1e-5)
    for _ in range(1_000):
        costs.took(8_000, 0.28)
    assert costs.fixed == pytest.approx(0.2, rel=0.05)
    assert costs.each == pytest.approx(1e-5, rel=0.05)


class TestRowsWithinATime:
    def test_are_few_where_nothing_is_known(self):
        assert CallCosts().rows_within(100.0) == FIRST
        assert CallCosts().rows_within(100.0, most=3) == 3

    def test_are_what_the_line_says(self):
        assert learned(0.2, 1e-3).rows_within(0.5) == pytest.approx(300, abs=1)

    def test_are_one_at_least_and_never_more_than_allowed(self):
        assert learned(0.2, 1e-3).rows_within(0.1) == 1
        assert learned(0.2, 0.0).rows_within(0.3, most=10_000) == 10_000

    def test_leap_no_further_than_so_many_times_the_largest(self):
        assert learned(0.2, 0.0, (1, 7)).rows_within(0.3) == LEAP * 7

    def test_of_calls_of_one_size_take_all_for_the_rows(self):
        assert learned(0.2, 0.0, (7,)).rows_within(1.0) == 35
        assert learned(0.2, 0.0, (7, 7)).rows_within(0.01) == 1

    @pytest.mark.parametrize("rows", [1, 6])
    def test_of_calls_of_one_size_are_another_size(self, rows):
        assert learned(0.2, 0.0, (rows, rows)).rows_within(0.2) == 2 * rows

    def test_calls_about_nothing_tell_nothing(self):
        costs = CallCosts()
        costs.took(0, 5.0)
        assert costs.rows_within(1.0) == FIRST
