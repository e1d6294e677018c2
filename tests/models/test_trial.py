"""The first questions to a model: few rows, counted, and nothing learnt from few that more would contradict."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier

from expga.errors import InputError, ModelError
from expga.models import FirstAnswers, functions_of, learn

X = np.column_stack([np.linspace(0, 1, 500), np.ones(500)])


class Purse:
    """So many questions."""

    def __init__(self, questions):
        self.left = questions

    def afford(self, rows, functions, shown):
        assert shown or self.left >= 0
        more = min(rows, self.left // functions)
        self.left -= more * functions
        return more


class Recorder:
    """A model with scores and labels that notes how many rows each of them is asked about."""

    classes_ = np.array(["no", "yes"])

    def __init__(self, limit=0.5):
        self.limit = limit
        self.asked = []

    def predict_proba(self, inputs):
        self.asked.append(len(inputs))
        return np.column_stack([1 - inputs[:, 0], inputs[:, 0]])

    def predict(self, inputs):
        self.asked.append(len(inputs))
        return self.classes_[(inputs[:, 0] > self.limit).astype(int)]


def shuffled(rows, seed=0):
    return np.random.default_rng(seed).permutation(rows)


class TestSize:
    def test_the_first_question_is_small_and_each_further_one_doubles(self):
        asked = []

        def model(inputs):
            asked.append(len(inputs))
            return inputs[:, 0]

        assert learn(model, X).shown == 500
        assert asked == [8, 8, 16, 32, 64, 128, 244]

    def test_no_more_than_so_many_rows_are_shown(self):
        assert learn(lambda inputs: inputs[:, 0], X, most=20).shown == 20

    def test_each_function_is_asked_about_each_row_once(self):
        model = Recorder()
        learn(model, shuffled(X))
        assert sum(model.asked) == 2 * len(X)

    @pytest.mark.parametrize("questions", [0, 1, 2, 7, 16, 100, 999])
    def test_it_ends_with_the_allowance(self, questions):
        model = Recorder()
        learnt = learn(model, shuffled(X), allowance=Purse(questions))
        assert sum(model.asked) <= max(2, questions)
        assert learnt.shown == max(1, questions // 2)

    def test_after_a_short_beginning_it_goes_on_as_after_any_other(self):
        asked = []

        class OneAtFirst:
            def afford(self, rows, functions, shown):
                assert (functions, shown) == (1, sum(asked))
                return rows if shown else 1

        def model(inputs):
            asked.append(len(inputs))
            return inputs[:, 0]

        learn(model, X, allowance=OneAtFirst())
        assert asked == [1, 7, 8, 16, 32, 64, 128, 244]

    def test_an_allowance_is_told_of_all_functions_that_may_be_asked(self):
        told = set()

        class Listening:
            def afford(self, rows, functions, shown):  # noqa: ARG002
                told.add(functions)
                return rows

        model = Recorder()
        model.decision_function = lambda inputs: inputs[:, 0] - 0.5
        learn(model, X, allowance=Listening())
        assert told == {3}

    def test_the_first_answers_are_those_of_the_first_rows_whatever_the_allowance(self):
        rows = shuffled(X)
        short = learn(Recorder(), rows, allowance=Purse(16)).first
        whole = learn(Recorder(), rows).first
        assert (len(short.labels), len(whole.labels)) == (8, 64)
        assert whole.labels[:8] == short.labels
        np.testing.assert_array_equal(whole.scores[:8], short.scores)
        np.testing.assert_allclose(whole.scores[:, 1], rows[:64, 0], atol=1e-9)


class TestKnowingAgain:
    def test_the_same_model_is_known_by_fewer_or_more_rows(self):
        rows = shuffled(X)
        kept = learn(Recorder(), rows, allowance=Purse(40)).first
        assert learn(Recorder(), rows).first.same_as(kept)
        assert learn(Recorder(), rows, allowance=Purse(2)).first.same_as(kept)

    def test_another_one_is_not(self):
        rows = shuffled(X)
        kept = learn(Recorder(), rows).first
        assert not learn(lambda inputs: inputs[:, 0] ** 2, rows).first.same_as(kept)
        assert not learn(lambda inputs: np.where(inputs[:, 0] > 0.5, "yes", "no"), rows).first.same_as(kept)

    def test_labels_tell_models_apart_too(self):
        def above(limit):
            return learn(lambda inputs: np.where(inputs[:, 0] > limit, "yes", "no"), shuffled(X)).first

        assert above(0.5).same_as(above(0.5))
        assert not above(0.3).same_as(above(0.5))

    @pytest.mark.parametrize("model", [Recorder(), lambda inputs: np.where(inputs[:, 0] > 0.5, "yes", "no")])
    def test_what_is_kept_comes_back(self, model):
        first = learn(model, shuffled(X)).first
        back = FirstAnswers.unpacked(first.packed())
        assert back.labels == first.labels
        np.testing.assert_array_equal(back.scores, first.scores)


class TestScoresThatDoNotDecide:
    """Few rows may hide that `predict` has a rule of its own."""

    def test_labels_are_those_of_predict_all_the_same(self, labels_of):
        model = Recorder(limit=0.9)
        agreeing = X[(X[:, 0] < 0.5) | (X[:, 0] > 0.9)]
        learnt = learn(model, np.concatenate([agreeing[:8], X]), allowance=Purse(16))
        for part in (agreeing[:30], X, X[::-1], agreeing):
            answers = learnt.model.ask(part)
            assert labels_of(learnt.model, answers) == model.predict(part).tolist()
            np.testing.assert_allclose(answers.scores[:, 1], part[:, 0], atol=1e-9)

    def test_nothing_is_asked_more_often_than_it_takes(self):
        model = Recorder(limit=0.9)
        wrapped = learn(model, X, allowance=Purse(16)).model
        assert (sum(model.asked), functions_of(wrapped)) == (16, 2)
        del model.asked[:]
        wrapped.ask(X[:20])
        assert model.asked == [20, 2]
        wrapped.ask(np.concatenate([X, X]))
        assert model.asked[2:] == [1_000, 30, 970]
        assert functions_of(wrapped) == 2

    def test_scores_that_do_decide_are_asked_alone_in_the_end(self):
        model = Recorder()
        learnt = learn(model, shuffled(X), allowance=Purse(100))
        assert functions_of(learnt.model) == 2
        before = len(model.asked)
        learnt.model.ask(X)
        assert functions_of(learnt.model) == 1
        learnt.model.ask(X)
        assert model.asked[before:] == [500, 29, 500]

    def test_a_threshold_of_the_user_needs_no_probation(self):
        model = Recorder(limit=0.9)
        learnt = learn(model, X, threshold=0.2, allowance=Purse(16))
        del model.asked[:]
        assert learnt.model.ask(X).labels.tolist() == (X[:, 0] >= 0.2).astype(int).tolist()
        assert model.asked == [500]

    def test_a_wrapped_threshold_is_kept(self, points, labels_of):
        numbers, y = points()
        model = FixedThresholdClassifier(LogisticRegression(), threshold=0.9, pos_label="good").fit(numbers, y)
        learnt = learn(model, numbers, allowance=Purse(4))
        assert labels_of(learnt.model, learnt.model.ask(numbers)) == model.predict(numbers).tolist()


class TestCallables:
    """What few rows suggest, more may contradict."""

    FEW = 8

    def tried_on_few(self, model, rows=X, **options):
        return learn(model, rows, allowance=Purse(self.FEW), **options).model

    def test_a_number_beyond_probabilities_is_refused(self):
        wrapped = self.tried_on_few(lambda inputs: 3.7 * inputs[:, 0])
        with pytest.raises(ModelError, match=r"^The model returned numbers from 0 to 3\.7, neither labels nor prob"):
            wrapped.ask(X)

    def test_noughts_and_ones_may_turn_out_to_be_labels(self, labels_of):
        wrapped = self.tried_on_few(lambda inputs: np.round(2 * inputs[:, 0]))
        assert labels_of(wrapped, wrapped.ask(X)) == np.round(2 * X[:, 0]).tolist()
        assert labels_of(wrapped, wrapped.ask(X[:9])) == [0.0] * 9

    def test_but_not_after_probabilities(self):
        wrapped = self.tried_on_few(lambda inputs: 2 * np.round(inputs[:, 0], 2), X[::-1] / 2)
        wrapped.ask(X / 2)
        with pytest.raises(ModelError, match="neither labels nor probabilities"):
            wrapped.ask(np.full((3, 2), 1.0))

    def test_whole_numbers_may_turn_out_to_be_none(self):
        wrapped = self.tried_on_few(lambda inputs: np.where(inputs[:, 0] < 0.1, 7.0, 7.5))
        with pytest.raises(
            ModelError, match=r"^The model returned 7\.5 where it gave whole numbers before, which were"
        ):
            wrapped.ask(X)

    def test_two_labels_may_become_three(self, labels_of):
        def model(inputs):
            return np.array(["no", "maybe", "yes"])[np.minimum(2, (3 * inputs[:, 0]).astype(int))]

        wrapped = self.tried_on_few(model, X[::80])
        assert labels_of(wrapped, wrapped.ask(X)) == model(X).tolist()

    def test_labels_of_another_type(self):
        def model(inputs):
            return ["yes" if value > 0.5 else 0 for value in inputs[:, 0]]

        wrapped = self.tried_on_few(model)
        with pytest.raises(ModelError, match="The model returned values of the type int and str"):
            wrapped.ask(X)
        with pytest.raises(ModelError, match="returned the label 'yes', a str, where it gave a number before"):
            wrapped.ask(X[400:])

    def test_a_positive_label_may_come_late(self, labels_of):
        learnt = learn(
            lambda inputs: np.where(inputs[:, 0] > 0.5, "yes", "no"), X, positive="yes", allowance=Purse(self.FEW)
        )
        assert learnt.model.classes[learnt.positive] == "yes"
        assert labels_of(learnt.model, learnt.model.ask(X[200:300:99])) == ["no", "yes"]

    def test_but_must_come_where_all_rows_are_shown(self):
        with pytest.raises(InputError, match="The model has no class 'maybe'; its classes are no, yes"):
            learn(lambda inputs: np.where(inputs[:, 0] > 0.5, "yes", "no"), X, positive="maybe")

    @pytest.mark.parametrize(("kind", "classes"), [(int, [0, 1]), (bool, [False, True])])
    def test_noughts_alone_are_one_of_two(self, kind, classes):
        learnt = learn(lambda inputs: (inputs[:, 0] > 0.5).astype(kind), X, allowance=Purse(self.FEW))
        assert (list(learnt.model.classes), learnt.positive) == (classes, 1)

    def test_another_number_of_scores(self):
        def model(inputs):
            return np.ones((len(inputs), 2 if len(inputs) < 16 else 3))

        with pytest.raises(ModelError, match="The model returned the shape"):
            learn(model, X)


class TestNotes:
    def notes(self, model, rows=X, **options):
        return learn(model, rows, **options).notes

    def test_an_ordinary_model_has_none(self, points):
        numbers, y = points()
        assert self.notes(LogisticRegression().fit(numbers, y), numbers) == []

    def test_very_many_labels(self):
        notes = self.notes(lambda inputs: (499 * inputs[:, 0]).round().astype(int).astype(str))
        assert len(notes) == 1
        assert "500 different labels" in notes[0]

    def test_labels_that_come_later(self):
        learnt = learn(lambda inputs: (np.floor(200 * inputs[:, 0]) + 5).astype(int).astype(str), X, allowance=Purse(8))
        assert learnt.notes == []
        learnt.model.ask(X)
        assert "201 different labels" in learnt.notes[0]

    def test_whole_numbers_that_turn_out_to_be_very_many_are_no_labels(self):
        learnt = learn(lambda inputs: np.floor(200 * inputs[:, 0]) + 5, X, allowance=Purse(8))
        with pytest.raises(ModelError, match=r"^The model returned 201 different whole numbers, such as 5, which are"):
            learnt.model.ask(X)

    def test_a_positive_label_that_never_comes(self):
        learnt = learn(
            lambda inputs: np.where(inputs[:, 0] > 0.5, "yes", "no"), shuffled(X), positive="yse", allowance=Purse(8)
        )
        (note,) = learnt.notes
        assert note.startswith("The model never gave the label 'yse', which scores are given for, but no, yes; if it")

    def test_a_positive_label_that_comes_late_is_none(self):
        def model(inputs):
            return np.array(["no", "maybe", "yes"])[np.minimum(2, (3 * inputs[:, 0]).astype(int))]

        learnt = learn(model, X[::60], positive="yes", allowance=Purse(5))
        assert len(learnt.notes) == 1
        learnt.model.ask(X)
        assert learnt.notes == []

    def test_one_answer_for_all(self):
        (note,) = self.notes(lambda inputs: np.full(len(inputs), 0.3))
        assert note == "The model gave one and the same answer, '0', for all 500 rows that it was tried on."

    def test_one_label_for_all(self):
        (note,) = self.notes(lambda inputs: 0.3 * inputs[:, 0])
        assert note == "The model gave the label '0' to all 500 rows that it was tried on."

    def test_probabilities_that_do_not_add_up(self):
        (note,) = self.notes(lambda inputs: np.column_stack([1 - inputs[:, 0], 0.9 * inputs[:, 0]]))
        assert "The probabilities of 495 of 500 rows" in note
        assert "(those of one to 0.9)" in note

    def test_probabilities_that_are_none(self):
        model = Recorder()
        model.predict_proba = lambda inputs: 3 * np.column_stack([0.5 - inputs[:, 0], inputs[:, 0] - 0.5])
        (note,) = self.notes(model)
        assert "predict_proba gave numbers from -1.5 to 1.5, which are no probabilities, for 500 of 500 rows" in note

    def test_more_labels_than_any_classifier_has(self):
        with pytest.raises(ModelError, match=r"more than 5,000 different labels, such as 'at 0\.0'; return one of few"):
            learn(lambda inputs: np.char.add("at ", inputs[:, 0].astype(str)), X).model.ask(
                np.linspace(0, 1, 6_000)[:, np.newaxis]
            )
