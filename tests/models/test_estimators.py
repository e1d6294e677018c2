"""Estimators behind the contract: the label is always what their own `predict` says."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import FixedThresholdClassifier, GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import NearestCentroid
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from expga.errors import InputError, ModelError
from expga.models import wrap


def hard_vote():
    return VotingClassifier([("tree", DecisionTreeClassifier(max_depth=2)), ("bayes", GaussianNB())], voting="hard")


def probable_svc():
    return SVC(probability=True, random_state=0)


def fitted(estimator, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what scikit-learn thinks of an estimator is not the matter here
        return estimator.fit(X, y)


ESTIMATORS = {
    "probabilities": LogisticRegression,
    "a forest": lambda: RandomForestClassifier(10, random_state=0),
    "a network": lambda: MLPClassifier((8,), max_iter=50, random_state=0),
    "decision values": RidgeClassifier,
    "linear SVC": LinearSVC,
    "SVC": SVC,
    "SVC with probabilities": probable_svc,
    "SVC one against one": lambda: SVC(decision_function_shape="ovo"),
    "centroids": NearestCentroid,
    "labels only, by a hard vote": hard_vote,
    "a pipeline": lambda: make_pipeline(StandardScaler(), LogisticRegression()),
    "a pipeline of an SVC": lambda: make_pipeline(StandardScaler(), probable_svc()),
    "a grid search": lambda: GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=2),
    "a grid search of an SVC": lambda: GridSearchCV(probable_svc(), {"C": [0.1, 1.0]}, cv=2),
    "one against the rest": lambda: OneVsRestClassifier(LogisticRegression()),
}


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("name", ESTIMATORS)
def test_labels_are_those_of_predict(points, labels_of, name, classes):
    X, y = points(classes)
    model = fitted(ESTIMATORS[name](), X, y)
    wrapped, positive = wrap(model, X[:100])
    answers = wrapped.ask(X)
    assert positive == (1 if classes == 2 else None)
    assert list(wrapped.classes) == ["bad", "good", "great"][:classes]
    assert labels_of(wrapped, answers) == model.predict(X).tolist()
    assert answers.scores.shape == (len(X), classes)
    assert (answers.margins >= 0).all()


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("name", ESTIMATORS)
def test_labels_do_not_depend_on_the_size_of_the_batch(points, name, classes):
    X, y = points(classes)
    wrapped, _ = wrap(fitted(ESTIMATORS[name](), X, y), X)
    whole = wrapped.ask(X).labels
    for size in (1, 7):
        parts = [wrapped.ask(X[start : start + size]).labels for start in range(0, 21, size)]
        np.testing.assert_array_equal(np.concatenate(parts), whole[:21])


def test_a_fixed_threshold_is_kept_even_where_the_first_rows_do_not_show_it(points, labels_of):
    X, y = points()
    model = FixedThresholdClassifier(LogisticRegression(), threshold=0.9, pos_label="good").fit(X, y)
    ordinary = model.estimator_.predict(X) == model.predict(X)
    wrapped, _ = wrap(model, X[ordinary])
    assert labels_of(wrapped, wrapped.ask(X)) == model.predict(X).tolist()
    assert 0 < ordinary.mean() < 1


class TestScores:
    def test_probabilities_where_they_decide(self, points):
        X, y = points()
        model = LogisticRegression().fit(X, y)
        answers = wrap(model, X)[0].ask(X)
        np.testing.assert_allclose(answers.scores, model.predict_proba(X))
        np.testing.assert_allclose(answers.margins, np.abs(model.predict_proba(X)[:, 1] - 0.5))

    def test_decision_values_where_there_are_no_probabilities(self, points):
        X, y = points()
        model = LinearSVC().fit(X, y)
        answers = wrap(model, X)[0].ask(X)
        np.testing.assert_allclose(answers.scores[:, 1], model.decision_function(X))
        np.testing.assert_allclose(answers.margins, np.abs(model.decision_function(X)))

    @pytest.fixture
    def contradictory(self, points):
        """An SVC fitted to a few points, and those of all points on which its probabilities contradict its label."""
        X, y = points()
        model = fitted(probable_svc(), X[:40], y[:40])
        return model, X, model.classes_[model.predict_proba(X).argmax(axis=1)] != model.predict(X)

    def test_decision_values_where_probabilities_would_contradict_the_label(self, contradictory):
        model, X, contradicts = contradictory
        assert contradicts.any()
        answers = wrap(model, X)[0].ask(X)
        np.testing.assert_allclose(answers.scores[:, 1], model.decision_function(X))

    def test_even_where_the_first_rows_show_no_contradiction(self, contradictory, labels_of):
        model, X, contradicts = contradictory
        wrapped, _ = wrap(model, X[~contradicts])
        assert labels_of(wrapped, wrapped.ask(X)) == model.predict(X).tolist()

    def test_one_score_a_class_with_more_than_two(self, points):
        X, y = points(3)
        model = RandomForestClassifier(10, random_state=0).fit(X, y)
        answers = wrap(model, X)[0].ask(X)
        ordered = np.sort(model.predict_proba(X), axis=1)
        np.testing.assert_allclose(answers.scores, model.predict_proba(X))
        np.testing.assert_allclose(answers.margins, (ordered[:, 2] - ordered[:, 1]) / 2)

    def test_scores_beside_the_votes_of_an_svc(self, points):
        X, y = points(3)
        model = SVC().fit(X, y)
        np.testing.assert_allclose(wrap(model, X)[0].ask(X).scores, model.decision_function(X))

    def test_pairs_of_three_classes_are_not_mistaken_for_the_classes(self, points):
        """One value for each pair: as many as classes, by accident."""
        X, y = points(3)
        model = SVC(decision_function_shape="ovo").fit(X, y)
        answers = wrap(model, X)[0].ask(X)
        assert model.decision_function(X).shape == answers.scores.shape
        np.testing.assert_array_equal(answers.scores.argmax(axis=1), answers.labels)

    def test_values_of_each_pair_of_four_classes_are_no_scores(self, points, labels_of):
        X, _ = points()
        y = np.array(list("abcd"))[2 * (X[:, 0] > 0) + (X[:, 1] > 0)]
        model = SVC(decision_function_shape="ovo").fit(X, y)
        wrapped, _ = wrap(model, X)
        assert model.decision_function(X).shape == (300, 6)
        assert labels_of(wrapped, wrapped.ask(X)) == model.predict(X).tolist()

    def test_one_and_zero_where_there_are_only_labels(self, points):
        X, y = points()
        model = hard_vote().fit(X, y)
        answers = wrap(model, X)[0].ask(X)
        np.testing.assert_array_equal(answers.scores[:, 1], model.predict(X) == "good")
        assert (answers.margins > 1e-6).all()

    def test_a_tie_between_probabilities_has_no_margin(self):
        X = np.array([[0.0], [0.0], [1.0], [2.0]])
        model = DecisionTreeClassifier(max_depth=2).fit(X, [0, 1, 1, 0])
        answers = wrap(model, X)[0].ask(X)
        assert answers.margins.tolist() == [0.0, 0.0, 0.5, 0.5]
        assert answers.labels.tolist() == model.predict(X).tolist()


class TestFrames:
    def test_a_pipeline_gets_the_frame_with_its_columns(self, points, labels_of):
        X, y = points()
        frame = pd.DataFrame(X, columns=list("abcd")).assign(job=["cook", "nurse", "smith"] * 100)
        encode = make_column_transformer((OneHotEncoder(), ["job"]), remainder="passthrough")
        model = make_pipeline(encode, LogisticRegression()).fit(frame, y)
        wrapped, _ = wrap(model, frame)
        assert labels_of(wrapped, wrapped.ask(frame)) == model.predict(frame).tolist()


class TestPositive:
    @pytest.mark.parametrize(("positive", "number"), [(None, 1), ("bad", 0), ("good", 1)])
    def test_a_class_is_chosen_by_its_name(self, points, positive, number):
        X, y = points()
        assert wrap(LogisticRegression().fit(X, y), X, positive=positive)[1] == number

    def test_a_number_may_be_named_by_its_text(self, points):
        X, y = points()
        model = LogisticRegression().fit(X, (y == "good").astype(int))
        assert wrap(model, X, positive="0")[1] == 0
        assert wrap(model, X, positive=1)[1] == 1

    def test_an_unknown_class_is_an_error_that_lists_the_known(self, points):
        X, y = points()
        with pytest.raises(InputError, match=r"The model has no class 'best'; its classes are bad, good\."):
            wrap(LogisticRegression().fit(X, y), X, positive="best")


class TestThreshold:
    def test_a_row_at_the_threshold_is_positive(self):
        X = np.array([[0.0], [0.0], [0.0], [0.0], [1.0]])
        model = DecisionTreeClassifier().fit(X, ["no", "no", "no", "yes", "yes"])
        assert model.predict_proba(X[:1]).tolist() == [[0.75, 0.25]]
        assert wrap(model, X, threshold=0.25)[0].ask(X).labels.tolist() == [1] * 5
        assert wrap(model, X, threshold=0.26)[0].ask(X).labels.tolist() == [0] * 4 + [1]

    @pytest.mark.parametrize("positive", ["bad", "good"])
    def test_it_belongs_to_the_positive_class(self, points, labels_of, positive):
        X, y = points()
        model = LogisticRegression().fit(X, y)
        wrapped, number = wrap(model, X, positive=positive, threshold=0.3)
        answers = wrapped.ask(X)
        probability = model.predict_proba(X)[:, number]
        assert [label == positive for label in labels_of(wrapped, answers)] == (probability >= 0.3).tolist()
        np.testing.assert_allclose(answers.scores, model.predict_proba(X))
        np.testing.assert_allclose(answers.margins, np.abs(probability - 0.3))

    @pytest.mark.parametrize("positive", ["bad", "good"])
    def test_it_may_be_a_decision_value(self, points, labels_of, positive):
        X, y = points()
        model = SVC().fit(X, y)
        wrapped, number = wrap(model, X, positive=positive, threshold=0.5)
        value = model.decision_function(X) * (1 if number else -1)
        assert [label == positive for label in labels_of(wrapped, wrapped.ask(X))] == (value >= 0.5).tolist()
        assert 0 < (value >= 0.5).mean() < (value >= 0).mean()

    def test_it_replaces_the_models_own(self, points, labels_of):
        X, y = points()
        model = FixedThresholdClassifier(LogisticRegression(), threshold=0.9, pos_label="good").fit(X, y)
        wrapped, _ = wrap(model, X, threshold=0.2)
        expected = np.where(model.predict_proba(X)[:, 1] >= 0.2, "good", "bad")
        assert labels_of(wrapped, wrapped.ask(X)) == expected.tolist()

    def test_labels_alone_have_none(self, points):
        X, y = points()
        with pytest.raises(InputError, match="A threshold needs a model that gives scores; this one gives only labels"):
            wrap(hard_vote().fit(X, y), X, threshold=0.5)

    def test_more_than_two_classes_have_none(self, points):
        X, y = points(3)
        with pytest.raises(InputError, match="A threshold needs a model of two classes; this one has 3"):
            wrap(LogisticRegression().fit(X, y), X, threshold=0.5)

    def test_a_probability_lies_between_0_and_1(self, points):
        X, y = points()
        with pytest.raises(InputError, match="The threshold 30 is no probability; give one from 0 to 1"):
            wrap(LogisticRegression().fit(X, y), X, threshold=30)


class TestErrors:
    def test_several_outputs_at_once(self, points):
        X, y = points()
        model = DecisionTreeClassifier().fit(X, np.column_stack([y, y]))
        with pytest.raises(InputError, match="The model predicts several outputs at once; audit one of them at a time"):
            wrap(model, X)

    def test_no_model_at_all(self):
        with pytest.raises(InputError, match="The model is a int, which has no predict method and cannot be called"):
            wrap(7, np.zeros((2, 2)))

    def test_the_wrong_number_of_scores(self, points):
        X, y = points()
        model = LogisticRegression().fit(X, y)
        wrapped, _ = wrap(model, X)
        model.coef_, model.intercept_ = np.ones((3, 4)), np.ones(3)
        with pytest.raises(ModelError, match="The model's predict_proba returned 3 scores a row for 2 classes"):
            wrapped.ask(X)
