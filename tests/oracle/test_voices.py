"""Readings in several voices: the majority speaks, ties prove nothing, every voice is paid for."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest

from expga.comparison import Yardstick
from expga.contracts import TIE, Answers, Batch
from expga.criterion import Flip
from expga.inquiry import Inquiry
from expga.majority import majority
from expga.oracle import Oracle
from expga.pairs import possible_pairs


def answers(scores, boundary=0.5):
    """Of a model with two classes, by the score of the second."""
    high = np.array(scores, dtype=float)
    return Answers((high > boundary).astype(np.intp), np.column_stack([1 - high, high]), np.abs(high - boundary))


class TestMajority:
    def test_the_label_is_that_of_most_and_the_score_the_median(self):
        one = majority(answers([0.9, 0.8, 0.1, 0.2, 0.4, 0.7]), np.array([3, 2, 1]))
        assert one.labels.tolist() == [1, 0, 1]
        np.testing.assert_allclose(one.scores[:, 1], [0.8, 0.3, 0.7])
        np.testing.assert_allclose(one.scores.sum(axis=1), 1)

    def test_the_mean_does_not_decide(self):
        assert majority(answers([0.51, 0.52, 0.53, 0.0, 0.0]), np.array([5])).labels.tolist() == [1]

    def test_one_odd_voice_makes_no_gap(self):
        one = majority(answers([0.9, 0.9, 0.0, 0.9, 0.9]), np.array([5]))
        np.testing.assert_allclose(one.scores, [[0.1, 0.9]])

    def test_one_voice_says_what_it_says(self):
        said = answers([0.9, 0.2, 0.5000001])
        one = majority(said, np.ones(3, dtype=np.intp))
        assert one.labels.tolist() == said.labels.tolist()
        np.testing.assert_allclose(one.margins, said.margins)
        np.testing.assert_allclose(one.scores, said.scores)

    @pytest.mark.parametrize(
        ("scores", "margin"),
        [
            ([0.9, 0.8, 0.7, 0.1, 0.0], 0.2),  # three are needed: the third is the last
            ([0.9, 0.8, 0.7, 0.6, 0.0], 0.2),
            ([0.9, 0.8, 0.5 + TIE / 2, 0.1, 0.0], TIE / 2),
            ([0.9, 0.1], 0.0),
            ([0.9, 0.8, 0.1, 0.2], 0.0),
        ],
    )
    def test_the_margin_is_that_of_the_last_voice_it_needs(self, scores, margin):
        assert majority(answers(scores), np.array([len(scores)])).margins[0] == pytest.approx(margin, abs=1e-12)

    def test_of_three_classes_more_than_half_must_agree(self):
        labels = np.array([0, 1, 2, 1, 0, 2, 2, 2, 0, 1])
        one = majority(Answers(labels, np.eye(3)[labels], np.ones(10)), np.array([5, 5]))
        assert one.margins.tolist() == [0.0, 1.0]
        assert one.labels[1] == 2


@dataclass
class Choir:
    """A domain of samples in two readings, each in some voices; a genome is sample, reading, voice."""

    counts: tuple[int, ...]
    spoken: list = field(default_factory=list)

    @property
    def readings(self):
        return self

    @property
    def count(self):
        return 2

    def keys(self, genomes):
        return genomes[:, 0].astype(np.uint64) + 1

    def valid(self, genomes):
        return np.ones((len(genomes), 2), dtype=bool)

    def read(self, genomes, reading):
        twins = genomes.copy()
        twins[:, 1] = reading
        return twins

    def own(self, _):
        return None

    def voices(self, genomes):
        return None if set(self.counts) == {1} else np.array(self.counts, dtype=np.intp)[genomes[:, 0]]

    def speak(self, genomes, voice):
        spoken = genomes.copy()
        spoken[:, 2] = voice
        return spoken

    def admits(self, genomes, _):
        return np.ones(len(genomes), dtype=bool)

    def typical(self, genomes):
        return np.ones(len(genomes), dtype=bool)

    def decode(self, genomes):
        self.spoken += [tuple(genome) for genome in genomes.tolist()]
        return genomes

    @property
    def rows(self):
        genomes = np.zeros((len(self.counts), 3), dtype=np.int32)
        genomes[:, 0] = np.arange(len(genomes))
        return genomes


class Unfair:
    """Says 1 to the second reading, in as many voices as it is told to."""

    classes = (0, 1)

    def __init__(self, voices):
        self.voices = voices

    def ask(self, genomes):
        return answers(np.where((genomes[:, 1] == 1) & (genomes[:, 2] < self.voices), 0.9, 0.1))


def judged(counts, voices, asking="pair", most=None):
    choir = Choir(counts)
    batch = Batch(choir.rows, np.arange(len(counts)))
    return Oracle(inquiry(choir, voices)).judge(batch, asking, most), choir


def inquiry(choir, voices):
    return Inquiry(model=Unfair(voices), domain=choir, yardstick=Yardstick(Flip(), 1))


class TestAsking:
    def test_every_reading_is_asked_in_every_voice(self):
        _, choir = judged((3, 1, 5), 5)
        wanted = {(s, r, v) for s, count in enumerate((3, 1, 5)) for r in (0, 1) for v in range(count)}
        assert set(choir.spoken) == wanted
        assert len(choir.spoken) == 18

    @pytest.mark.parametrize(("voices", "found"), [(0, []), (1, [1]), (2, [0, 1]), (3, [0, 1, 2])])
    @pytest.mark.parametrize("asking", ["pair", "all"])
    def test_a_reading_flips_with_most_of_its_voices(self, asking, voices, found):
        assert judged((3, 1, 5), voices, asking)[0].found.tolist() == found

    def test_without_voices_each_is_asked_once(self):
        _, choir = judged((1, 1), 1)
        assert len(choir.spoken) == 4

    @pytest.mark.parametrize(("most", "tested"), [(None, 3), (18, 3), (17, 2), (8, 2), (7, 1), (6, 1), (5, 0), (2, 0)])
    @pytest.mark.parametrize("asking", ["pair", "all"])
    def test_what_voices_cost_is_known_before_they_are_asked(self, asking, most, tested):
        verdict, choir = judged((3, 1, 5), 5, asking, most)
        assert len(verdict.tested) == tested
        assert verdict.cut == (tested < 3)
        assert len(choir.spoken) == [0, 6, 8, 18][tested]

    def test_nothing_asked_nothing_answered(self):
        choir = Choir((3, 1))
        answered = inquiry(choir, 1).about(choir.rows[:0])
        assert len(answered.labels) == 0


class TestPairs:
    VALID = np.array([[True, True, True, True], [False, True, True, False], [True, False, False, True]])

    def test_without_a_proposal_the_outermost_valid_ones(self):
        assert possible_pairs(self.VALID).tolist() == [[0, 3], [1, 2], [0, 3]]

    def test_a_proposal_holds_where_both_are_valid_and_differ(self):
        for proposed, pairs in (
            ([2, 1], [[2, 1], [2, 1], [0, 3]]),
            ([0, 1], [[0, 1], [1, 2], [0, 3]]),
            ([3, 0], [[3, 0], [1, 2], [3, 0]]),
            ([1, 1], [[0, 3], [1, 2], [0, 3]]),
        ):
            assert possible_pairs(self.VALID, np.tile(proposed, (3, 1))).tolist() == pairs
