"""How close real rows lie, and what little it takes to know whether any is near."""

from __future__ import annotations

import numpy as np
import pytest

from expga.domain import reach
from expga.domain.neighbours import NeighbourOrders, nearest, within


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    return np.column_stack([rng.normal(size=6_000), rng.normal(size=6_000), 2.0 * rng.integers(0, 3, 6_000)])


CATEGORICAL = np.array([False, False, True])


def test_of_a_large_table_fewer_rows_are_looked_up_by_its_size_alone(rows, monkeypatch):
    looked = []

    def few(positions, others, **more):
        looked.append(len(positions))
        return nearest(positions, others, **more)

    monkeypatch.setattr(reach, "nearest", few)
    whole = reach.reach_of(rows, CATEGORICAL, bool)
    monkeypatch.setattr(reach, "MOST_COMPARED", 300 * rows.size)
    assert reach.reach_of(rows, CATEGORICAL, bool) == pytest.approx(whole, rel=0.3)
    assert looked == [1_000, 300]


def test_it_tells_on_its_way(rows):
    told = []
    reach.reach_of(rows, CATEGORICAL, lambda: told.append(1))
    assert len(told) == 8


@pytest.mark.parametrize("most", [0.0, 0.01, 0.05, 0.5])
def test_whether_any_is_within_is_what_the_nearest_says(rows, most):
    ours, skip = rows[:200], np.arange(200)
    distances = nearest(ours, rows, categorical=CATEGORICAL, skip=skip)
    assert (within(ours, rows, most, categorical=CATEGORICAL, skip=skip) == (distances <= most)).all()


def test_nothing_is_within_no_rows(rows):
    none = within(rows[:5], rows[:0], 9.0, categorical=CATEGORICAL, skip=np.full(5, -1))
    assert not none.any()


def test_rows_are_sorted_in_fewer_orders_where_time_is_short(rows):
    asked = []
    orders = NeighbourOrders(rows, np.arange(len(rows)), len(rows), lambda: not asked.append(1))
    assert len(asked) == len(orders._rows) == len(orders._rank) == NeighbourOrders.FEWEST
    near = orders.near(np.arange(len(rows)), np.random.default_rng(0))
    assert near.min() >= 0
    assert nearest(rows[:300], rows, categorical=CATEGORICAL).max() == 0.0
    where = orders.nearest(rows, np.ones(3), lambda: True)
    assert (where >= nearest(rows, rows, categorical=CATEGORICAL, skip=np.arange(len(rows))) - 1e-6).all()


def test_very_many_rows_are_sorted_in_fewer_orders(rows, monkeypatch):
    def orders():
        return len(NeighbourOrders(rows, np.arange(len(rows)), len(rows))._rows)

    assert orders() == NeighbourOrders.ORDERS
    monkeypatch.setattr(NeighbourOrders, "MOST_PLACES", 7 * len(rows))
    assert orders() == 7
    monkeypatch.setattr(NeighbourOrders, "MOST_PLACES", 0)
    assert orders() == NeighbourOrders.FEWEST
