"""Diversity in numbers, on findings small enough to count by hand."""

from __future__ import annotations

import numpy as np
import pytest

from expga.metrics import grid_share, mean_pairwise_distance

REAL = np.column_stack([np.arange(101) / 10, np.arange(101) % 4]).astype(float)
CATEGORICAL = np.array([False, True])


def test_distance_is_the_mean_over_features_each_at_most_one():
    # The two differ by 0.5 in one feature, and by more than 1 in the other.
    assert mean_pairwise_distance(np.array([[0.0, 0.0], [0.5, 3.0]])) == pytest.approx(0.75)


def test_clones_have_no_distance_and_one_finding_has_none_to_compare():
    assert mean_pairwise_distance(np.zeros((5, 2))) == 0
    assert mean_pairwise_distance(np.zeros((1, 2))) is None


def test_the_grid_has_ten_steps_a_number_and_every_category():
    # One of ten steps and two of four categories: three of fourteen.
    assert grid_share(np.array([[0.1, 0.0], [0.2, 3.0]]), REAL, CATEGORICAL) == pytest.approx(3 / 14)
    assert grid_share(REAL, REAL, CATEGORICAL) == 1


def test_values_that_no_real_row_has_cover_nothing():
    assert grid_share(np.array([[99.0, 7.0], [-5.0, 9.0]]), REAL, CATEGORICAL) == 0
    assert grid_share(np.zeros((0, 2)), REAL, CATEGORICAL) is None
