"""Callables behind the contract, by what they return: labels, probabilities or one score a class."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from expga.errors import InputError, ModelError
from expga.models import wrap

X = np.column_stack([np.linspace(0, 1, 11), np.ones(11)])


def first(inputs):
    return inputs[:, 0]


class TestProbabilities:
    @pytest.mark.parametrize("shape", [(-1,), (-1, 1)])
    def test_one_number_a_row_is_the_probability_of_the_second_class(self, shape):
        wrapped, positive = wrap(lambda inputs: first(inputs).reshape(shape), X)
        answers = wrapped.ask(X)
        assert (list(wrapped.classes), positive) == ([0, 1], 1)
        assert answers.labels.tolist() == [0] * 6 + [1] * 5
        np.testing.assert_allclose(answers.scores, np.column_stack([1 - X[:, 0], X[:, 0]]))
        np.testing.assert_allclose(answers.margins, np.abs(X[:, 0] - 0.5), atol=1e-12)

    def test_one_score_a_class_goes_to_the_highest(self):
        wrapped, positive = wrap(lambda inputs: np.column_stack([first(inputs), 0 * first(inputs) + 0.4]), X)
        answers = wrapped.ask(X)
        assert (list(wrapped.classes), positive) == ([0, 1], 1)
        assert answers.labels.tolist() == [1] * 4 + [0] * 7
        np.testing.assert_allclose(answers.margins, np.abs(X[:, 0] - 0.4) / 2, atol=1e-12)

    def test_three_scores_are_three_classes(self):
        wrapped, positive = wrap(lambda inputs: np.eye(3)[(2.99 * first(inputs)).astype(int)], X)
        assert (list(wrapped.classes), positive) == ([0, 1, 2], None)
        assert wrapped.ask(X).labels.tolist() == (2.99 * X[:, 0]).astype(int).tolist()

    def test_the_positive_class_may_be_given_a_name(self):
        wrapped, positive = wrap(first, X, positive="hired")
        assert (list(wrapped.classes), positive) == (["not hired", "hired"], 1)

    def test_a_threshold_includes_itself(self):
        wrapped, _ = wrap(first, X, threshold=0.3)
        assert wrapped.ask(np.array([[0.3, 1], [0.2999, 1]])).labels.tolist() == [1, 0]

    def test_a_threshold_on_the_first_class_counts_its_probability(self):
        wrapped, positive = wrap(first, X, positive=0, threshold=0.75)
        assert positive == 0
        assert wrapped.ask(np.array([[0.25, 1], [0.26, 1]])).labels.tolist() == [0, 1]

    def test_any_scores_will_do_with_a_threshold(self):
        wrapped, _ = wrap(lambda inputs: 100 * first(inputs) + 0.5, X, threshold=30)
        assert wrapped.ask(X).labels.tolist() == [0] * 3 + [1] * 8

    def test_a_frame_arrives_as_a_frame(self):
        frame = pd.DataFrame(X, columns=["a", "b"])
        wrapped, _ = wrap(lambda inputs: inputs["a"], frame)
        assert wrapped.ask(frame).labels.tolist() == [0] * 6 + [1] * 5


class TestLabels:
    def test_text(self, labels_of):
        wrapped, positive = wrap(lambda inputs: np.where(first(inputs) > 0.25, "yes", "no"), X)
        assert (list(wrapped.classes), positive) == (["no", "yes"], 1)
        assert labels_of(wrapped, wrapped.ask(X)) == ["no"] * 3 + ["yes"] * 8

    def test_booleans(self, labels_of):
        wrapped, positive = wrap(lambda inputs: first(inputs) > 0.25, X, positive="False")
        assert (list(wrapped.classes), positive) == ([False, True], 0)
        assert labels_of(wrapped, wrapped.ask(X)) == [False] * 3 + [True] * 8

    def test_integers(self, labels_of):
        wrapped, positive = wrap(lambda inputs: (3 * first(inputs)).astype(int), X)
        assert positive is None
        assert labels_of(wrapped, wrapped.ask(X)) == (3 * X[:, 0]).astype(int).tolist()

    def test_whole_floats(self, labels_of):
        wrapped, _ = wrap(lambda inputs: 5 * np.round(first(inputs)), X)
        assert labels_of(wrapped, wrapped.ask(X)) == (5 * np.round(X[:, 0])).tolist()

    def test_lists(self, labels_of):
        wrapped, _ = wrap(lambda inputs: ["yes" if value > 0.25 else "no" for value in first(inputs)], X)
        assert labels_of(wrapped, wrapped.ask(X)) == ["no"] * 3 + ["yes"] * 8

    def test_something_with_a_predict_method_and_no_classes(self, labels_of):
        class Rule:
            def predict(self, inputs):
                return np.where(first(inputs) > 0.25, "yes", "no")

        wrapped, _ = wrap(Rule(), X)
        assert labels_of(wrapped, wrapped.ask(X)) == ["no"] * 3 + ["yes"] * 8

    def test_a_label_may_show_up_late(self, labels_of):
        wrapped, _ = wrap(lambda inputs: np.where(first(inputs) > 0.25, "yes", "no"), X[:2])
        answers = wrapped.ask(X)
        assert labels_of(wrapped, answers) == ["no"] * 3 + ["yes"] * 8
        np.testing.assert_array_equal(answers.scores.argmax(axis=1), answers.labels)


class TestErrors:
    @pytest.mark.parametrize("bad", [np.nan, np.inf])
    def test_answers_that_are_no_numbers_are_counted(self, bad):
        with pytest.raises(ModelError, match="The model returned NaN or infinite values for 2 of 8 rows"):
            wrap(lambda inputs: np.where(first(inputs) < 0.15, bad, 0.5), X)

    def test_they_are_noticed_later_too(self):
        wrapped, _ = wrap(lambda inputs: np.where(first(inputs) > 1, np.nan, 0.4), X)
        with pytest.raises(ModelError, match="The model returned NaN or infinite values for 1 of 11 rows"):
            wrapped.ask(X + 0.05)

    @pytest.mark.parametrize("shape", [(7,), (2, 8), (8, 2, 2), ()])
    def test_the_wrong_shape_is_shown(self, shape):
        with pytest.raises(ModelError, match=r"The model returned the shape \(.*\) for 8 rows; it should be \(8,\)"):
            wrap(lambda _: np.zeros(shape), X)

    def test_no_score_at_all(self):
        with pytest.raises(ModelError, match="The model returned the shape"):
            wrap(lambda inputs: np.zeros((len(inputs), 0)), X)

    def test_texts_in_columns_are_no_scores(self):
        with pytest.raises(ModelError, match=r"The model returned the shape \(8, 2\); give one score a class, or"):
            wrap(lambda inputs: np.full((len(inputs), 2), "yes"), X)

    def test_numbers_that_are_neither_labels_nor_probabilities(self):
        with pytest.raises(ModelError, match=r"The model returned numbers from -3 to 2\.5, neither labels nor"):
            wrap(lambda inputs: np.linspace(-3, 2.5, len(inputs)), X)

    def test_labels_where_scores_were_shown_before(self):
        wrapped, _ = wrap(lambda inputs: np.full(len(inputs), "yes" if first(inputs)[0] > 5 else 0.5), X)
        with pytest.raises(ModelError, match=r"The model returned .* where numbers were expected"):
            wrapped.ask(X + 6)

    def test_a_threshold_on_labels(self):
        with pytest.raises(InputError, match="A threshold needs a model that gives scores; this one gives only labels"):
            wrap(lambda inputs: np.full(len(inputs), "yes"), X, threshold=0.5)

    def test_a_threshold_on_three_classes(self):
        with pytest.raises(InputError, match="A threshold needs a model of two classes; this one has 3"):
            wrap(lambda inputs: np.ones((len(inputs), 3)), X, threshold=0.5)

    def test_an_unknown_positive_label(self):
        with pytest.raises(InputError, match="The model has no class 'maybe'; its classes are no, yes"):
            wrap(lambda inputs: np.where(first(inputs) > 0.5, "yes", "no"), X, positive="maybe")
