"""How likely samples are to be discriminatory that nobody asked about."""

from __future__ import annotations

import numpy as np
import pytest

from expga.contracts import Answers, Context, Seeds, Verdict
from expga.search.children import Children
from expga.search.outlook import LARGEST_SHARE, Expected, Outlook
from expga.search.pool import Pool


def yes(domain, genomes, man=5.0):
    """(n,) a probability that rises with age, and being a man is worth some years."""
    frame = domain.decode(genomes)
    worth = frame["age"].to_numpy() - 40 + man * (frame["sex"] == "Male").to_numpy()
    return 1 / (1 + np.exp(-worth / 6))


def said(domain, genomes, man=5.0):
    score = yes(domain, genomes, man)
    return Answers((score > 0.5).astype(np.intp), np.column_stack([1 - score, score]), np.abs(score - 0.5))


class Case:
    """A search that heard some answers, and what children it has."""

    def __init__(self, domain, labels_decide=True, answer=said):
        self.domain, self.rng, self.answer = domain, np.random.default_rng(0), answer
        self.heard = []
        rows = domain.anchors
        pair = np.tile(np.array([0, domain.readings.count - 1]), (len(rows), 1))
        self.context = Context(
            domain,
            Seeds(rows, np.full(len(rows), 0.05), pair),
            self.rng,
            64,
            deciding=1 if labels_decide else None,
            compared=1,
            labels_decide=labels_decide,
            heard=self._taken,
        )
        self.pool, self.outlook = Pool(self.context), Outlook(self.context)

    def _taken(self):
        parts, self.heard = self.heard, []
        return parts

    def teach(self, count=600, trees=0):
        genomes = self.samples(count)
        self.heard.append((genomes, self.answer(self.domain, genomes)))
        assert self.outlook.learn(trees)
        return self

    def samples(self, count):
        """(count, d) mixtures of real rows."""
        rows = self.domain.rows
        return np.column_stack([self.rng.choice(rows[:, gene], count) for gene in range(rows.shape[1])])

    def children(self, count, parent=None):
        genomes = self.samples(count)
        anchor = np.arange(count) % len(self.domain.rows)
        pair = np.tile(np.array([0, 1]), (count, 1))
        return Children(genomes, anchor, pair, np.full(count, -1) if parent is None else parent)

    def twins(self, genomes, pair):
        read = self.domain.readings.read
        return np.column_stack([yes(self.domain, read(genomes, pair[:, side])) for side in (0, 1)])

    def straddle(self, children):
        """(n,) whether the twins of each lie on two sides of the boundary."""
        scores = self.twins(children.genomes, children.pair)
        return (scores[:, 0] > 0.5) != (scores[:, 1] > 0.5)

    def verdict(self, scores):
        """What the oracle would say of samples with such scores (n, 2)."""
        unfair = (scores[:, 0] > 0.5) != (scores[:, 1] > 0.5)
        every, pair = np.arange(len(scores)), np.tile(np.array([0, 1]), (len(scores), 1))
        return Verdict(
            unfair | True, every, unfair, ~unfair, np.abs(scores[:, 0] - scores[:, 1]), pair, pair, scores, False
        )


@pytest.fixture(scope="module")
def domain(domain_of, people):
    return domain_of(people)


@pytest.fixture
def case(domain):
    return Case(domain)


class TestBeforeAnyLesson:
    def test_children_of_every_kind_come(self, case):
        """They are bred kind by kind, and there are many more than can be asked about."""
        children = case.children(1_000)
        place = {genome.tobytes(): number for number, genome in enumerate(children.genomes)}
        some, expected = case.outlook.best(children, case.pool, 200)
        assert expected is None
        places = np.array([place[genome.tobytes()] for genome in some.genomes])
        assert (np.bincount(places // 250, minlength=4) > 20).all()

    def test_nothing_heard_is_nothing_learned(self, case):
        assert not case.outlook.learn(1_000)

    def test_a_verdict_on_what_nobody_expected_teaches_nothing(self, case):
        case.outlook.learn_from(None, case.verdict(np.full((5, 2), 0.5)))
        assert case.outlook._spread is None


class TestOdds:
    def test_those_that_should_straddle_the_boundary_come_first(self, case):
        children = case.teach().children(1_000)
        true = case.straddle(children)
        some, _ = case.outlook.best(children, case.pool, int(true.sum()))
        assert true.mean() < 0.4
        assert case.straddle(some).mean() > 0.9

    def test_the_best_come_first_and_all_are_in_falling_order(self, case):
        children = case.teach().children(300)
        some, expected = case.outlook.best(children, case.pool, 300)
        assert len(some) == 300
        odds = case.outlook._odds(expected)
        assert (np.diff(odds) <= 0).all()
        assert ((odds >= 0) & (odds <= 1)).all()

    def test_they_are_about_as_often_right_as_they_say(self, case):
        children = case.teach(200).children(2_000)
        case.outlook.learn_from(
            case.outlook._expected(children, case.pool), case.verdict(case.twins(children.genomes, children.pair))
        )
        odds = case.outlook._odds(case.outlook._expected(children, case.pool))
        assert odds.mean() == pytest.approx(case.straddle(children).mean(), abs=0.05)

    def test_the_order_of_the_two_readings_makes_no_difference(self, case):
        children = case.teach().children(200)
        turned = Children(children.genomes, children.anchor, children.pair[:, ::-1], children.parent)
        one, other = (case.outlook._odds(case.outlook._expected(some, case.pool)) for some in (children, turned))
        np.testing.assert_allclose(one, other, atol=1e-6)

    def test_where_gaps_count_wide_ones_come_first_wherever_they_are(self, domain):
        case = Case(domain, labels_decide=False).teach(600, trees=1_000)
        children = case.children(1_000)
        some, _ = case.outlook.best(children, case.pool, 200)
        gaps = [np.abs(np.diff(case.twins(one.genomes, one.pair))).mean() for one in (some, children)]
        assert gaps[0] > 1.3 * gaps[1]

    def test_several_classes_are_told_apart_by_the_lead_of_one(self, domain):
        def three(domain, genomes):
            first = yes(domain, genomes)
            scores = np.column_stack([0.9 - 0.8 * first, 0.1 + 0.8 * first, np.full(len(first), 0.05)])
            ranked = np.sort(scores, axis=1)
            return Answers(scores.argmax(axis=1), scores, (ranked[:, -1] - ranked[:, -2]) / 2)

        case = Case(domain, answer=three)
        context = case.context
        case.context = Context(domain, context.seeds, context.rng, 64, deciding=None, compared=None, heard=case._taken)
        case.outlook = Outlook(case.context)
        children = case.teach().children(1_000)
        true = case.straddle(children)
        some, _ = case.outlook.best(children, case.pool, int(true.sum()))
        assert case.straddle(some).mean() > 0.85


class TestAnchors:
    def test_no_more_than_a_share_of_a_batch_lies_near_one_row(self, case):
        for taught in (False, True):
            if taught:
                case.teach()
            children = case.children(2_000)
            crowded = Children(
                children.genomes, np.where(np.arange(2_000) < 1_000, 0, children.anchor), children.pair, children.parent
            )
            most = 500
            some, _ = case.outlook.best(crowded, case.pool, most)
            assert np.bincount(some.anchor).max() <= LARGEST_SHARE * most

    def test_of_a_small_batch_two_may(self, case):
        children = case.children(50)
        crowded = Children(children.genomes, np.zeros(50, dtype=np.intp), children.pair, children.parent)
        assert len(case.outlook.best(crowded, case.pool, 20)[0]) == 2


class TestParents:
    """What was missed about a parent is likely to be missed about its children too."""

    def known(self, case, off):
        """A child like its parent, of which the model said by so much more than was learned."""
        case.teach()
        genomes = case.samples(1)
        pair = np.array([[0, 1]])
        learned = case.outlook._learned(genomes, pair)
        unit = case.outlook._surrogate._unit
        sides = 0.5 + unit * np.array([[learned[0, 0] + learned[0, 1] + off, learned[0, 0] - learned[0, 1] + off]])
        place = case.pool.size
        case.pool.put(genomes, np.array([0]), pair, sides)
        return Children(genomes, np.array([0]), pair, np.array([place]))

    def test_the_expectation_moves_by_half_of_it_at_first(self, case):
        child = self.known(case, 0.2)
        expected = case.outlook._expected(child, case.pool)
        np.testing.assert_allclose(expected.parent_off, [[0.2, 0.0]], atol=1e-9)
        assert case.outlook._carried.tolist() == [0.5, 0.5]

    @pytest.mark.parametrize("share", [0.0, 0.9])
    def test_and_by_what_it_turned_out_to_be_later(self, case, share):
        case.teach()
        rng = np.random.default_rng(1)
        for _ in range(20):
            learned, off = rng.normal(0, 1, (200, 2)), rng.normal(0, 0.5, (200, 2))
            known = learned + share * off + rng.normal(0, 0.01, (200, 2))
            sides = np.column_stack([known[:, 0] + known[:, 1], known[:, 0] - known[:, 1]])
            scores = 0.5 + case.outlook._surrogate._unit * sides
            case.outlook.learn_from(Expected(learned, off), case.verdict(scores))
        np.testing.assert_allclose(case.outlook._carried, share, atol=0.15)

    def test_readings_the_other_way_round_turn_what_lies_between_round(self, case):
        child = self.known(case, 0.0)
        place = child.parent[0]
        case.pool.scores[place] += np.array([0.05, -0.05])
        turned = Children(child.genomes, child.anchor, child.pair[:, ::-1], child.parent)
        one, other = (case.outlook._expected(some, case.pool).parent_off for some in (child, turned))
        assert one[0, 1] != 0.0
        assert other[0, 1] == pytest.approx(-one[0, 1])

    def test_of_a_parent_that_was_never_asked_about_nothing_carries_over(self, case):
        case.teach()
        children = case.children(10, parent=np.arange(10))
        assert not case.outlook._expected(children, case.pool).parent_off.any()

    def test_large_misses_make_it_less_sure(self, case):
        children = case.teach().children(200)
        before = case.outlook._spread.copy()
        expected = case.outlook._expected(children, case.pool)
        rng = np.random.default_rng(0)
        case.outlook.learn_from(expected, case.verdict(np.clip(0.5 + rng.normal(0, 1, (200, 2)), 0, 1)))
        assert (case.outlook._spread > before).all()


class TestRows:
    def test_those_promise_most_whose_twins_lie_about_the_boundary(self, case):
        rows = case.teach().domain.anchors
        pair = case.pool.pair_of(rows)
        promise = case.outlook.promise(rows, pair)
        scores = case.twins(case.domain.rows[rows], pair)
        straddle = (scores[:, 0] > 0.5) != (scores[:, 1] > 0.5)
        assert ((promise >= 0) & (promise <= 1)).all()
        assert promise[straddle].min() > np.median(promise[~straddle])
