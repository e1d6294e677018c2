"""What counts as treating two readings differently, and what hangs on rounding."""

from __future__ import annotations

import numpy as np
import pytest

from expga.comparison import Yardstick
from expga.criterion import Flip, Gap

FAR = (0.3, 0.3)


def flips(criterion, labels, gap):
    return bool(criterion.flips(np.array([labels]), np.array([[0.0, gap]]))[0])


def unfair(criterion, labels, gap, margins=FAR):
    return bool(criterion.unfair(np.array([labels]), np.array([[0.0, gap]]), np.array([margins]))[0])


class TestLabels:
    def test_other_labels_are_a_flip_and_a_finding(self):
        assert flips(Flip(), (0, 1), 0.1)
        assert unfair(Flip(), (0, 1), 0.1)

    def test_the_same_label_is_neither_whatever_the_gap(self):
        assert not flips(Flip(), (1, 1), 0.9)
        assert not unfair(Flip(), (1, 1), 0.9)

    @pytest.mark.parametrize("margins", [(0.0, 0.3), (0.3, 0.0), (1e-6, 0.3), (0.3, 9e-7)])
    def test_a_tie_on_either_side_is_a_flip_and_no_finding(self, margins):
        assert flips(Flip(), (0, 1), 0.3)
        assert not unfair(Flip(), (0, 1), 0.3, margins)

    def test_just_beyond_a_tie_is_a_finding(self):
        assert unfair(Flip(), (0, 1), 0.3, (2e-6, 2e-6))


class TestGaps:
    def test_a_gap_counts_whatever_the_labels(self):
        assert flips(Gap(0.2), (1, 1), 0.3)
        assert unfair(Gap(0.2), (1, 1), 0.3)
        assert not flips(Gap(0.2), (0, 1), 0.1)
        assert not unfair(Gap(0.2), (0, 1), 0.1)

    @pytest.mark.parametrize("gap", [0.25, 5_000, 1e-9])
    def test_a_gap_exactly_as_large_counts_and_so_does_one_that_rounding_made_smaller(self, gap):
        for counts in (flips, unfair):
            assert counts(Gap(gap), (0, 1), gap)
            assert counts(Gap(gap), (0, 1), gap * (1 - 2e-9))
            assert not counts(Gap(gap), (0, 1), gap * (1 - 2e-3))

    def test_rounding_is_of_the_size_of_the_scores(self):
        def counts(base):
            return bool(Gap(0.1).flips(np.zeros((1, 2), dtype=int), np.array([[base, base + 0.09999]]))[0])

        assert counts(1e5)
        assert not counts(1.0)

    def test_the_boundary_between_labels_does_not_matter(self):
        assert unfair(Gap(0.2), (0, 1), 0.3, (0.0, 0.3))


class TestPairScores:
    SCORES = np.array([[0.1, 0.7, 0.2], [0.5, 0.2, 0.3]])
    TWINS = np.array([[0.3, 0.3, 0.4], [0.6, 0.1, 0.3]])

    def test_of_the_positive_class(self):
        assert Yardstick(Flip(), 2).scores(self.SCORES, self.TWINS, np.array([1, 0])).tolist() == [
            [0.2, 0.4],
            [0.3, 0.3],
        ]

    def test_of_the_first_twins_label_with_more_than_two_classes(self):
        assert Yardstick(Flip(), None).scores(self.SCORES, self.TWINS, np.array([1, 0])).tolist() == [
            [0.7, 0.3],
            [0.5, 0.6],
        ]
