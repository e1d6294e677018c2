"""Numbers that are no labels: audited as they are where scores are what counts, refused in a sentence where not."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from expga.errors import InputError, ModelError
from expga.models import gives_scores, learn, wrap

X = np.column_stack([np.linspace(0, 1, 200), np.ones(200)])
MENDED = (
    r"; give the smallest gap that counts, min_gap, in their unit .* or the threshold .* or a function that returns"
)


class LogOdds:
    """As a base class does that knows its classes, and predicts something else."""

    classes_ = np.array([0, 1])

    def predict(self, inputs):
        return 6 * inputs[:, 0] - 2.9


class Probabilities:
    """Nothing but `predict_proba`."""

    def __init__(self, columns=2):
        self.columns = columns

    def predict_proba(self, inputs):
        p = inputs[:, 0]
        return {1: p, 2: np.column_stack([1 - p, p]), 3: np.column_stack([1 - p, p / 2, p / 2])}[self.columns]


class Decisions:
    """Nothing but `decision_function`."""

    def decision_function(self, inputs):
        return inputs[:, 0] - 0.25


def pay(inputs):
    return 40_000 * inputs[:, 0] + 0.5


def whole(inputs):
    return pay(inputs).astype(int)


def regressors():
    y = pay(X)
    plain = LinearRegression()
    return {
        "plain": plain,
        "pipeline": make_pipeline(StandardScaler(), plain),
        "search": GridSearchCV(plain, {"fit_intercept": [True, False]}, cv=2),
        "of noughts and ones": (RandomForestRegressor(3, random_state=0), (y > 20_000) * 1),
    }


def fitted(name):
    given = regressors()[name]
    model, y = given if isinstance(given, tuple) else (given, pay(X))
    return model.fit(X, y)


class TestWhereLabelsDecide:
    @pytest.mark.parametrize("name", regressors())
    def test_a_regressor_is_refused_whatever_it_predicts(self, name):
        with pytest.raises(
            ModelError, match=rf"^The model is a regressor, \w+, which predicted numbers from .*{MENDED}"
        ):
            learn(fitted(name), X)

    def test_one_from_before_there_were_tags_too(self):
        class Old:
            _estimator_type = "regressor"

            def predict(self, inputs):
                return inputs[:, 0]

        with pytest.raises(ModelError, match=r"^The model is a regressor, Old,"):
            learn(Old(), X)

    def test_scores_that_are_none_of_the_classes_are_refused(self):
        told = r"^The model's predict returned numbers from -2.9 to -2.6889, none of which is one of its classes, 0, 1"
        with pytest.raises(ModelError, match=told + MENDED):
            learn(LogOdds(), X)

    def test_very_many_whole_numbers_are_refused(self):
        with pytest.raises(ModelError, match=r"^The model returned \d+ different whole numbers, such as 0, which are"):
            learn(whole, X)

    def test_unless_they_are_texts(self):
        learnt = learn(lambda inputs: (40 * inputs[:, 0]).astype(int).astype(str), X)
        assert len(learnt.model.classes) == 41

    def test_few_whole_numbers_are_labels(self):
        assert list(learn(lambda inputs: (29 * inputs[:, 0]).astype(int), X).model.classes) == list(range(30))

    def test_numbers_as_texts_are_refused(self):
        with pytest.raises(
            ModelError, match=r"^The model returned 32 different texts, such as '0.0', that are numbers"
        ):
            learn(lambda inputs: inputs[:, 0].astype(str), X)

    def test_a_fraction_among_whole_numbers_is_shown_in_full(self):
        learnt = learn(lambda inputs: np.where(inputs[:, 0] < 0.9, 7.0, 55.000000000000007), X[:9])
        with pytest.raises(ModelError, match=r"^The model returned 55\.00000000000001 where it gave whole numbers"):
            learnt.model.ask(X)

    @pytest.mark.parametrize("model", ["plain", whole, pay])
    def test_a_threshold_makes_labels_of_them(self, model):
        wrapped, positive = wrap(fitted(model) if isinstance(model, str) else model, X, threshold=10_000)
        answers = wrapped.ask(X)
        assert (list(wrapped.classes), positive) == ([0, 1], 1)
        assert answers.labels.tolist() == (X[:, 0] > 0.25).astype(int).tolist()
        np.testing.assert_allclose(answers.scores[:, 1], pay(X), atol=1)


class TestWhereScoresDecide:
    @pytest.mark.parametrize(
        ("model", "expected"),
        [("plain", pay(X)), (pay, pay(X)), (whole, whole(X)), (LogOdds(), LogOdds().predict(X))],
        ids=["regressor", "callable", "whole numbers", "log-odds"],
    )
    def test_they_are_taken_as_they_are(self, model, expected):
        learnt = learn(fitted(model) if isinstance(model, str) else model, X, labels_decide=False)
        answers = learnt.model.ask(X)
        assert (list(learnt.model.classes), learnt.positive, learnt.notes) == ([], None, [])
        assert answers.scores.shape == (200, 1)
        np.testing.assert_allclose(answers.scores[:, 0], expected, rtol=1e-6)
        assert gives_scores(learnt.model)

    def test_of_a_tiny_unit_too(self):
        model = learn(lambda inputs: -2e-9 * inputs[:, 0], X, labels_decide=False).model
        np.testing.assert_allclose(model.ask(X).scores[:, 0], -2e-9 * X[:, 0], rtol=1e-8)

    def test_probabilities_stay_probabilities_also_when_they_leave_their_bounds(self):
        model = learn(lambda inputs: inputs[:, 0], X, labels_decide=False).model
        assert list(model.classes) == [0, 1]
        np.testing.assert_allclose(model.ask(3 * X).scores[:, 1], 3 * X[:, 0], atol=1e-8)

    def test_a_label_that_scores_are_given_for_has_no_meaning(self):
        with pytest.raises(InputError, match="predicts numbers and has no class 'rich'; leave the positive label out"):
            learn(fitted("plain"), X, positive="rich", labels_decide=False)

    def test_several_numbers_a_row_are_refused(self):
        model = LinearRegression().fit(X, np.column_stack([pay(X), pay(X)]))
        with pytest.raises(InputError, match="predicts several outputs at once"):
            learn(model, X, labels_decide=False)

    def test_one_number_for_all_is_worth_a_note(self):
        (note,) = learn(lambda inputs: np.full(len(inputs), 31_000.5), X, labels_decide=False).notes
        assert note.startswith("The model gave one and the same answer, '31000',")

    def test_the_same_numbers_are_known_again(self):
        first = learn(pay, X, labels_decide=False).first
        assert first.same_as(learn(pay, X, labels_decide=False).first)
        assert not first.same_as(learn(lambda inputs: 1.1 * pay(inputs), X, labels_decide=False).first)


class TestScoresAlone:
    @pytest.mark.parametrize("columns", [1, 2, 3])
    def test_of_an_object_that_only_gives_probabilities(self, columns):
        wrapped, positive = wrap(Probabilities(columns), X)
        assert list(wrapped.classes) == list(range(max(2, columns)))
        assert positive == (1 if columns < 3 else None)
        assert wrapped.ask(X).labels.tolist()[-1] == 1

    def test_with_classes_of_its_own(self):
        model = Probabilities()
        model.classes_ = np.array(["no", "yes"])
        assert list(wrap(model, X)[0].classes) == ["no", "yes"]

    def test_with_a_threshold(self):
        wrapped, _ = wrap(Probabilities(1), X, threshold=0.2)
        assert wrapped.ask(X).labels.sum() == (X[:, 0] >= 0.2).sum()

    def test_of_an_object_that_only_gives_decisions(self):
        answers = wrap(Decisions(), X)[0].ask(X)
        assert answers.labels.tolist() == (X[:, 0] > 0.25).astype(int).tolist()


class TestOnlyLabels:
    @staticmethod
    def asked(model):
        wrapped, _ = wrap(model, X)
        wrapped.ask(X)
        return wrapped

    def test_have_no_scores(self):
        assert not gives_scores(self.asked(lambda inputs: np.where(inputs[:, 0] > 0.5, "yes", "no")))
        assert not gives_scores(self.asked(lambda inputs: np.round(inputs[:, 0])))
        assert gives_scores(self.asked(lambda inputs: inputs[:, 0]))
        assert gives_scores(self.asked(Probabilities()))
