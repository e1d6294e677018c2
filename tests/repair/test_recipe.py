"""How a model is fitted again: as a clone, a copy, or by the user's function; never the one that was given."""

from __future__ import annotations

import joblib
import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from expga.errors import InputError
from expga.repair.recipe import recipe_of


class Shares:
    """Knows nothing but how often each label was; no scikit-learn in it."""

    def __init__(self):
        self.seen = {}

    def fit(self, X, y, sample_weight=None):
        weights = np.ones(len(X)) if sample_weight is None else sample_weight
        for label, weight in zip(y, weights, strict=True):
            self.seen[label] = self.seen.get(label, 0) + float(weight)

    def predict(self, X):
        return np.full(len(X), max(self.seen, key=self.seen.get))


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    return X, (X[:, 0] + 0.3 * rng.normal(size=40) > 0).astype(int)


class TestWhatIsFitted:
    @pytest.mark.parametrize(
        "model",
        [LogisticRegression(), make_pipeline(StandardScaler(), LogisticRegression()), RandomForestClassifier(3)],
    )
    def test_an_estimator_is_cloned(self, rows, model):
        X, y = rows
        model.fit(X, 1 - y)
        before = joblib.hash(model)
        fitted = recipe_of(model, None).fit(X, y)
        assert fitted is not model
        assert type(fitted) is type(model)
        assert (fitted.predict(X) == y).mean() > 0.8
        assert joblib.hash(model) == before

    def test_anything_else_with_a_fit_is_copied_before_it_is_fitted(self, rows):
        X, _ = rows
        model = Shares()
        model.fit(X, np.full(40, "old"))
        fitted = recipe_of(model, None).fit(X, np.full(40, "new"))
        assert fitted is not model
        assert model.seen == {"old": 40.0}
        assert fitted.seen == {"old": 40.0, "new": 40.0}

    def test_a_users_function_returns_the_model(self, rows):
        X, y = rows
        recipe = recipe_of("no model at all", lambda _, labels: lambda rows: np.full(len(rows), labels.mean()))
        assert recipe.weights is None
        assert recipe.fit(X, y)(X[:2]).tolist() == [y.mean()] * 2

    def test_a_users_function_comes_before_the_models_own_fit(self, rows):
        fitted = recipe_of(LogisticRegression(), lambda X, y: KNeighborsClassifier().fit(X, y)).fit(*rows)
        assert isinstance(fitted, KNeighborsClassifier)


class TestWeights:
    @pytest.mark.parametrize(
        ("model", "name"),
        [
            (LogisticRegression(), "sample_weight"),
            (KNeighborsClassifier(), None),
            (make_pipeline(StandardScaler(), LogisticRegression()), "logisticregression__sample_weight"),
            (make_pipeline(StandardScaler(), KNeighborsClassifier()), None),
            (
                make_pipeline(StandardScaler(), make_pipeline(StandardScaler(), LogisticRegression())),
                "pipeline__logisticregression__sample_weight",
            ),
            (Shares(), "sample_weight"),
        ],
    )
    def test_the_argument_that_takes_them_is_known(self, model, name):
        assert recipe_of(model, None).weights == name

    def test_a_function_may_take_them(self):
        assert recipe_of(None, Shares().fit).weights == "sample_weight"
        assert recipe_of(None, lambda *_: Shares()).weights is None

    def test_a_function_without_a_signature_takes_none(self):
        assert recipe_of(None, type).weights is None

    @pytest.mark.parametrize(
        "model",
        [
            LogisticRegression(C=1e4),
            make_pipeline(StandardScaler(), make_pipeline(StandardScaler(), LogisticRegression(C=1e4))),
        ],
    )
    def test_they_reach_the_model(self, rows, model):
        X, y = rows
        heavy = np.where(np.arange(40) < 20, 1.0, 1e-9)
        weighted = recipe_of(model, None).fit(X, y, heavy)
        half = recipe_of(model, None).fit(np.concatenate([X[:20], X[:20]]), np.concatenate([y[:20], y[:20]]))
        plain = recipe_of(model, None).fit(X, y)
        agree = (weighted.predict(X) == half.predict(X)).mean()
        assert agree > (plain.predict(X) == half.predict(X)).mean() or agree == 1.0
        assert joblib.hash(weighted.predict_proba(X)) != joblib.hash(plain.predict_proba(X))

    def test_they_are_left_out_where_none_are_taken(self, rows):
        X, y = rows
        recipe = recipe_of(KNeighborsClassifier(), None)
        np.testing.assert_array_equal(recipe.fit(X, y, np.ones(40)).predict(X), recipe.fit(X, y).predict(X))


class TestSeeds:
    @pytest.fixture
    def forest(self):
        return make_pipeline(StandardScaler(), RandomForestClassifier(3, random_state=7))

    def test_the_users_own_random_state_stays_without_a_seed(self, rows, forest):
        recipe = recipe_of(forest, None)
        assert recipe.fit(*rows)[-1].random_state == 7
        assert recipe.fit(*rows, None, 3)[-1].random_state == 3
        assert forest[-1].random_state == 7

    def test_a_random_state_left_to_chance_is_seeded(self, rows):
        recipe = recipe_of(RandomForestClassifier(3), None, seed=5)
        one, again, other = (recipe.fit(*rows, None, seed) for seed in (None, None, 6))
        assert (one.random_state, other.random_state) == (5, 6)
        assert joblib.hash(one.predict_proba(rows[0])) == joblib.hash(again.predict_proba(rows[0]))


class Fussy(ClassifierMixin, BaseEstimator):
    def fit(self, *_):
        raise RuntimeError("not\n  with me")


class Shy:
    """Fails when anything of it is looked up."""

    def __getattr__(self, name):
        raise OSError(f"no {name}\nhere")


class TestRefusals:
    def test_a_model_that_fails_when_it_is_looked_at(self):
        with pytest.raises(InputError, match=r"failed when its fit was looked up: OSError: no fit here$"):
            recipe_of(Shy(), None)

    def test_a_pipeline_that_ends_in_no_estimator_takes_no_weights(self):
        assert recipe_of(make_pipeline(StandardScaler(), "passthrough"), None).weights is None

    def test_a_model_that_cannot_be_fitted(self):
        with pytest.raises(InputError, match=r"a function, cannot be fitted again: it has no fit method; give .* fit"):
            recipe_of(lambda X: X, None)

    def test_a_fit_that_is_no_function(self):
        with pytest.raises(InputError, match="fit must be a function"):
            recipe_of(LogisticRegression(), "fit")

    def test_a_fit_that_fails_is_one_sentence(self, rows):
        with pytest.raises(InputError, match=r"cannot be fitted to these rows: RuntimeError: not with me\.$"):
            recipe_of(Fussy(), None).fit(*rows)

    def test_a_function_that_returns_no_model(self, rows):
        with pytest.raises(InputError, match="returned a NoneType, which cannot predict; return the model"):
            recipe_of(None, lambda *_: None).fit(*rows)
