"""What the model would say, learned from what it said: by sums, and by trees on what sums leave."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from expga.contracts import Answers, Context, Seeds
from expga.domain.schema import read_schema
from expga.domain.tabular import TabularDomain
from expga.models import wrap
from expga.search.surrogate import ENOUGH, FEWEST, LARGEST, MOST, Surrogate


@pytest.fixture(scope="module")
def domain():
    """Genes that a number, a narrow number and a category stand behind."""
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(
        {
            "sex": rng.choice(["f", "m"], 400),
            "age": rng.integers(20, 66, 400),
            "hours": np.round(rng.normal(40, 8, 400), 1),
            "job": rng.choice(["clerk", "cook", "nurse"], 400),
        }
    )
    return TabularDomain(frame, ["sex"], read_schema(None), "data")


@pytest.fixture
def surrogate(domain):
    """One that scores of class 1 are compared by, unless another is asked for."""

    def make(compared=1, labels_decide=True):
        nobody = Seeds(np.zeros(0, dtype=np.intp), np.zeros(0), np.zeros((0, 2), dtype=np.intp))
        rng = np.random.default_rng(0)
        return Surrogate(
            Context(domain, nobody, rng, 64, compared=compared, labels_decide=labels_decide, deciding=compared)
        )

    return make


def samples(domain, count, seed=0):
    """(count, d) mixtures of real rows."""
    rng = np.random.default_rng(seed)
    rows = domain.rows
    return np.column_stack([rng.choice(rows[:, gene], count) for gene in range(rows.shape[1])])


def said(domain, rule, genomes, threshold=None):
    """What a rule, frame in, says of genomes."""
    frame = domain.decode(domain.rows)
    model, _ = wrap(rule, frame, **({} if threshold is None else {"threshold": threshold}))
    return model.ask(domain.decode(genomes))


def parts(frame):
    return tuple(frame[name].to_numpy() for name in ("sex", "age", "hours", "job"))


def additive(frame):
    """A probability that columns add up to."""
    sex, age, hours, job = parts(frame)
    return 0.5 + (age - 42) / 120 + (sex == "m") / 10 - (job == "cook") / 10 + (hours - 40) / 200 - 0.05


def interacting(frame):
    """A probability that age raises for men and lowers for women."""
    sex, age, _, _ = parts(frame)
    return 0.5 + np.where(sex == "m", 1, -1) * (age - 42) / 60


def several(frame):
    """Three classes: one of which age speaks for, one hours, one neither."""
    _, age, hours, job = parts(frame)
    raw = np.column_stack([age / 40, hours / 40, 1 + 0.2 * (job == "cook")])
    return raw / raw.sum(axis=1, keepdims=True)


def missed(surrogate, domain, rule, scores=slice(1, 2), **options):
    """How far off it is about samples that it never saw, typically, in units of how much they differ."""
    unseen = samples(domain, 500, seed=99)
    true = surrogate.scaled(said(domain, rule, unseen, **options).scores[:, scores])
    off = surrogate.expect(unseen) - true
    return np.sqrt((off**2).mean(axis=0)) / true.std(axis=0)


def taught(surrogate, domain, rule, count, trees, **options):
    genomes = samples(domain, count)
    surrogate.hear([(genomes, said(domain, rule, genomes, **options))])
    surrogate.learn(trees)
    return surrogate


class TestWhatItLearns:
    def test_what_values_add_up_to_from_few_hundred_answers(self, surrogate, domain):
        learned = taught(surrogate(), domain, additive, 300, trees=0)
        assert missed(learned, domain, additive) < 0.05

    def test_what_they_do_together_takes_trees(self, surrogate, domain):
        sums = taught(surrogate(), domain, interacting, 1_500, trees=0)
        assert missed(sums, domain, interacting) > 0.8
        trees = taught(surrogate(), domain, interacting, 1_500, trees=MOST)
        assert missed(trees, domain, interacting) < 0.3

    def test_trees_do_no_harm_where_sums_are_enough(self, surrogate, domain):
        assert missed(taught(surrogate(), domain, additive, 600, trees=MOST), domain, additive) < 0.1

    def test_each_of_several_classes(self, surrogate, domain):
        learned = taught(surrogate(compared=None), domain, several, 600, trees=0)
        assert (missed(learned, domain, several, slice(None)) < 0.2).all()

    def test_numbers_of_a_regressor_whatever_their_size(self, surrogate, domain):
        def wages(frame):
            return 1e6 + 1e5 * additive(frame)

        def answers(genomes):
            scores = wages(domain.decode(genomes))[:, None]
            none = np.zeros(len(genomes), dtype=np.intp)
            return Answers(none, scores, np.full(len(genomes), np.inf))

        learned, seen, unseen = surrogate(0, False), samples(domain, 300), samples(domain, 500, seed=99)
        learned.hear([(seen, answers(seen))])
        learned.learn(0)
        true = learned.scaled(answers(unseen).scores)
        assert true.std() == pytest.approx(1.0, rel=0.1)
        assert np.abs(learned.expect(unseen) - true).mean() < 0.05

    def test_which_label_where_that_is_all_the_model_says(self, surrogate, domain):
        def rule(frame):
            return np.where(additive(frame) > 0.5, "yes", "no")

        learned, unseen = taught(surrogate(), domain, rule, 600, trees=MOST), samples(domain, 500, seed=99)
        yes = said(domain, rule, unseen).labels == 1
        assert ((learned.expect(unseen)[:, 0] > 0) == yes).mean() > 0.9

    def test_a_class_that_shows_up_late_is_learned_from_then_on(self, surrogate, domain):
        seen = samples(domain, 400)
        three = said(domain, several, seen)
        two = Answers(np.minimum(three.labels, 1), three.scores[:, :2], three.margins)
        learned = surrogate(compared=None)
        learned.hear([(seen, two)])
        learned.learn(0)
        assert learned.expect(seen).shape == (400, 2)
        learned.hear([(seen, three)])
        assert learned.due
        learned.learn(0)
        assert learned.expect(seen).shape == (400, 3)
        assert (missed(learned, domain, several, slice(None)) < 0.2).all()


class TestTheScale:
    @pytest.mark.parametrize("threshold", [0.5, 0.2])
    def test_labels_of_two_classes_change_at_0(self, surrogate, domain, threshold):
        learned, unseen = taught(surrogate(), domain, additive, 600, 0, threshold=threshold), samples(domain, 500, 99)
        answers = said(domain, additive, unseen, threshold=threshold)
        scaled = learned.scaled(answers.scores[:, 1])
        assert ((scaled > 0) == (answers.labels == 1)).all()
        assert ((learned.expect(unseen)[:, 0] > 0) == (answers.labels == 1)).mean() > 0.95

    def test_the_compared_class_may_be_the_first(self, surrogate, domain):
        learned = taught(surrogate(compared=0), domain, additive, 600, 0, threshold=0.2)
        answers = said(domain, additive, samples(domain, 500, 99), threshold=0.2)
        assert ((learned.scaled(answers.scores[:, 0]) > 0) == (answers.labels == 0)).all()

    def test_labels_alone_lie_on_both_sides_of_0(self, surrogate, domain):
        for often in (0.4, 0.6):
            rule = lambda frame, often=often: np.where(additive(frame) > often, "yes", "no")  # noqa: E731
            assert taught(surrogate(), domain, rule, 300, trees=0).scaled(np.array([0.0, 1.0])).tolist() == [-1.0, 1.0]

    @pytest.mark.parametrize("before", [0, 300])
    def test_labels_that_scores_do_not_decide_change_where_most_of_them_do(self, surrogate, domain, before):
        """A threshold of the model's own, maybe one that nobody knew of at first."""
        seen, unseen = samples(domain, 600), samples(domain, 500, 99)
        first, answers, later = (said(domain, additive, some) for some in (seen[:before], seen, unseen))

        def labelled(answers):
            return Answers((answers.scores[:, 1] > 0.4).astype(np.intp), answers.scores, np.ones(len(answers.scores)))

        learned = surrogate()
        if before:
            learned.hear([(seen[:before], first)])
            learned.learn(0)
            assert learned.scaled(np.array([0.5])) == pytest.approx(0.0)
        learned.hear([(seen, labelled(answers))])
        learned.learn(0)
        assert ((learned.expect(unseen)[:, 0] > 0) == (later.scores[:, 1] > 0.4)).mean() > 0.93

    def test_a_model_that_gave_one_label_only_is_learned_from_too(self, surrogate, domain):
        learned = surrogate()
        seen = samples(domain, 300)
        no = np.zeros(300, dtype=np.intp)
        learned.hear([(seen, Answers(no, np.tile([1.0, 0.0], (300, 1)), np.ones(300)))])
        learned.learn(0)
        assert np.isfinite(learned.expect(seen)).all()

    def test_what_is_very_far_from_the_boundary_is_all_alike(self, surrogate, domain):
        learned = taught(surrogate(), domain, lambda frame: 0.5 + (additive(frame) - 0.5) ** 5, 600, trees=0)
        assert learned.scaled(np.array([-1e9, 1e9])).tolist() == [-LARGEST, LARGEST]


class TestLessons:
    def test_nothing_heard_makes_none_due(self, surrogate):
        assert not surrogate().due

    def test_are_due_from_few_answers_on_and_again_when_there_are_more(self, surrogate, domain):
        some = samples(domain, 4 * FEWEST)
        answers = said(domain, additive, some)

        def heard(start, end):
            part = slice(start, end)
            return [(some[part], Answers(answers.labels[part], answers.scores[part], answers.margins[part]))]

        learned = surrogate()
        learned.hear(heard(0, FEWEST - 1))
        assert not learned.due
        learned.hear(heard(FEWEST - 1, FEWEST))
        assert learned.due
        learned.learn(0)
        assert not learned.due
        learned.hear(heard(FEWEST, FEWEST + 2))
        assert not learned.due
        learned.hear(heard(FEWEST + 2, 2 * FEWEST))
        assert learned.due

    @pytest.mark.parametrize("count", [300, 1_500, 3_000])
    def test_the_same_answers_give_the_same_expectations(self, surrogate, domain, count):
        once, again = (taught(surrogate(), domain, interacting, count, trees=MOST) for _ in range(2))
        unseen = samples(domain, 200, seed=99)
        np.testing.assert_array_equal(once.expect(unseen), again.expect(unseen))

    def test_how_many_parts_they_came_in_makes_no_difference(self, surrogate, domain):
        seen = samples(domain, 600)
        answers = said(domain, interacting, seen)
        whole, parted = surrogate(), surrogate()
        whole.hear([(seen, answers)])
        for start in range(0, 600, 50):
            part = slice(start, start + 50)
            parted.hear([(seen[part], Answers(answers.labels[part], answers.scores[part], answers.margins[part]))])
        for one in (whole, parted):
            one.learn(0)
        unseen = samples(domain, 200, seed=99)
        np.testing.assert_array_equal(whole.expect(unseen), parted.expect(unseen))

    def test_it_says_by_how_much_it_misses(self, surrogate, domain):
        easy = taught(surrogate(), domain, additive, 600, trees=0)
        hard = taught(surrogate(), domain, interacting, 600, trees=0)
        assert easy.spread < 0.1 * hard.spread

    def test_no_more_is_held_than_a_lesson_takes_in(self, surrogate, domain):
        learned, some = surrogate(), samples(domain, 10_000)
        answers = said(domain, additive, some)
        for _ in range(8):
            learned.hear([(some, answers)])
        learned.learn(0)
        assert sum(len(part) for part in learned._genomes) == MOST
        assert sum(len(part) for part in learned._scores) == MOST

    def test_sums_are_learned_from_the_latest_answers(self, surrogate, domain):
        """Those before count no more, as soon as the latest are enough."""
        learned, some = surrogate(), samples(domain, ENOUGH)
        learned.hear([(some, said(domain, lambda frame: 1 - additive(frame), some))])
        learned.hear([(some, said(domain, additive, some))])
        learned.learn(0)
        assert missed(learned, domain, additive) < 0.05
