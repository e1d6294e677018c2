"""Neighbours against brute force, however few rows are compared at once."""

from __future__ import annotations

import numpy as np
import pytest

from expga.domain import neighbours


@pytest.fixture
def places():
    """(90, 6) where rows lie, two genes of them categories, some rows twice; and which genes are."""
    rng = np.random.default_rng(5)
    numbers, categories = rng.normal(size=(45, 4)), 2.0 * rng.integers(0, 3, (45, 2))
    return np.tile(np.hstack([categories, numbers]), (2, 1)), np.arange(6) < 2


def by_hand(places, row, others):
    return np.minimum(np.abs(places[others] - places[row]), 1.0).mean(axis=1)


@pytest.mark.parametrize("tile", [(64, 4_096), (7, 11), (1, 1)])
def test_the_nearest_other_row_is_that_of_brute_force(places, tile, monkeypatch):
    monkeypatch.setattr(neighbours, "TILE", tile)
    positions, categorical = places
    positions = positions[:45]
    rows = np.arange(0, 45, 3)
    found = neighbours.nearest(positions[rows], positions, categorical=categorical, skip=rows)
    expected = [by_hand(positions, row, np.delete(np.arange(45), row)).min() for row in rows]
    assert found == pytest.approx(expected, abs=1e-6)
    assert (found > 0).all()


@pytest.mark.parametrize("tile", [(64, 4_096), (7, 11), (1, 1)])
def test_of_rows_equally_near_it_is_the_first(places, tile, monkeypatch):
    monkeypatch.setattr(neighbours, "TILE", tile)
    positions, categorical = places
    assert neighbours.nearest_of(positions, positions, categorical=categorical).tolist() == [*range(45), *range(45)]


def test_more_categories_than_a_byte_holds_are_told_apart():
    positions = 2.0 * np.arange(300.0)[:, None]
    assert neighbours.nearest_of(positions, positions, categorical=np.array([True])).tolist() == list(range(300))


@pytest.mark.parametrize("largest", [2**62, 10_000])
def test_rows_are_sorted_gene_by_gene_however_many_one_number_holds(places, largest, monkeypatch):
    monkeypatch.setattr(neighbours, "LARGEST_KEY", largest)
    positions = places[0] * [1.0, 1.0, 1.0, 3.0, 1e9, 1.0]
    genes, offset = np.array([4, 0, 3, 5, 1, 2]), np.linspace(0.0, 0.9, 6)
    steps = np.floor(2.0 * positions[:, genes] + offset)
    assert neighbours._sorted(positions, genes, offset).tolist() == np.lexsort(steps.T).tolist()


def test_rows_that_differ_only_behind_what_one_number_holds_are_sorted_too():
    rng = np.random.default_rng(2)
    positions = 300.0 * rng.random((60, 40))
    positions[:, 8:] = positions[rng.integers(0, 2, 60), 8:]
    genes, offset = np.arange(40), np.zeros(40)
    assert neighbours._sorted(positions, genes, offset).tolist() == np.lexsort(np.floor(2.0 * positions).T).tolist()


def test_real_rows_as_they_are_may_be_asked_about_before_anything_is_learned(domain_of, people):
    domain = domain_of(people)
    assert domain.admits(domain.rows, np.arange(len(people))).all()
    assert "reach" not in vars(domain)
