"""Fairlearn's reductions as one classifier: votes that are counted, and a search that gets rows of any kind."""

from __future__ import annotations

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from expga.errors import InputError
from expga.models.load import load_model
from expga.models.save import SavedModel
from expga.repair.mixture import Mixture, reduction
from expga.repair.reader import Reader
from expga.repair.recipe import Recipe, recipe_of
from expga.subjects.table.kind import SavedTable
from expga.subjects.text.kind import SavedText

ARRAYS = Reader(
    SavedTable({"as_array": True, "takes": [], "one_hot": [], "features": [], "covered": [], "classes": [0, 1]})
)


class Says:
    def __init__(self, *labels):
        self.labels = np.array(labels)

    def predict(self, X):
        return self.labels[: len(X)]


class TestVotes:
    @pytest.fixture
    def votes(self):
        models = [Says(0, 0, 1, 1), Says(0, 1, 0, 1), Says(0, 1, 1, 0)]
        return Mixture(models, np.array([0.5, 0.3, 0.2]), np.array(["no", "yes"], dtype=object))

    def test_scores_are_shares_of_the_vote(self, votes):
        np.testing.assert_allclose(votes.predict_proba(range(4))[:, 1], [0.0, 0.5, 0.7, 0.8])
        np.testing.assert_allclose(votes.predict_proba(range(4)).sum(axis=1), 1.0)

    def test_the_label_is_that_of_most(self, votes):
        assert votes.predict(range(4)).tolist() == ["no", "no", "yes", "yes"]

    def test_the_same_row_always_gets_the_same_label(self, votes):
        assert {tuple(votes.predict(range(4))) for _ in range(20)} == {("no", "no", "yes", "yes")}

    def test_rounding_leaves_no_share_above_one(self):
        votes = Mixture([Says(1)] * 10, np.full(10, 0.1) + 1e-12, np.array([0, 1]))
        assert votes.predict_proba([0])[0].tolist() == [0.0, 1.0]


@pytest.fixture(scope="module")
def drawn():
    """Numbers, of which the last is the group, labels that hang on it, and the groups."""
    rng = np.random.default_rng(2)
    groups = rng.integers(0, 2, 200)
    X = np.column_stack([rng.normal(size=(200, 2)), groups])
    return X, np.where(X[:, 0] + 2.0 * groups + rng.normal(size=200) > 1, "yes", "no").astype(object), groups


@pytest.fixture(scope="module")
def mixture(drawn):
    X, y, groups = drawn
    return reduction(recipe_of(LogisticRegression(), None), ARRAYS, pd.DataFrame(X), y, groups, None)


class TestReduction:
    def test_groups_fare_more_alike_than_before(self, drawn, mixture):
        X, y, groups = drawn

        def apart(model):
            said = model.predict(X) == "yes"
            return abs(said[groups == 1].mean() - said[groups == 0].mean())

        assert apart(mixture) < 0.2 < 0.5 < apart(LogisticRegression().fit(X, y))

    def test_it_is_a_mixture_of_several_models_of_the_users_kind(self, mixture):
        assert len(mixture.models) == len(mixture.shares) > 1
        assert all(isinstance(model, LogisticRegression) for model in mixture.models)
        assert mixture.shares.sum() == pytest.approx(1.0)
        assert (mixture.shares > 0).all()
        assert mixture.classes_.tolist() == ["no", "yes"]

    def test_a_file_holds_it(self, tmp_path, drawn, mixture):
        saved = SavedModel.of(mixture)
        (tmp_path / saved.name).write_bytes(saved.content)
        name, trust = saved.name, saved.trust
        again = load_model(str(tmp_path / name), trust=trust)
        np.testing.assert_array_equal(again.predict_proba(drawn[0]), mixture.predict_proba(drawn[0]))

    def test_the_seed_reaches_the_models(self, drawn):
        X, y, groups = drawn
        seeds = []

        def make(seed):
            seeds.append(seed)
            return LogisticRegression(max_iter=5).fit

        reduction(Recipe(make, "sample_weight"), ARRAYS, pd.DataFrame(X), y, groups, 5)
        assert set(seeds) == {5}

    def test_a_constant_in_the_place_of_a_model_votes_too(self):
        groups = (np.arange(40) < 28).astype(int)
        X = np.column_stack([np.random.default_rng(0).normal(size=40), groups])
        y = np.where(groups == 1, "yes", "no").astype(object)
        mixture = reduction(recipe_of(LogisticRegression(), None), ARRAYS, pd.DataFrame(X), y, groups, None)
        assert any(isinstance(model, DummyClassifier) for model in mixture.models)
        assert mixture.n_features_in_ == 2
        assert set(mixture.predict(X)) <= {"no", "yes"}

    def test_the_model_gets_rows_of_any_kind(self):
        texts = ["good one", "bad one"] * 20
        got = []

        class Reads:
            def fit(self, X, y, sample_weight):
                got.append((list(X), list(y), len(sample_weight)))
                return self

            def predict(self, X):
                return np.array([int("good" in text) for text in X])

        labels = np.array([1, 0] * 20)
        mixture = reduction(
            Recipe(lambda _: Reads().fit, "sample_weight"),
            Reader(SavedText({})),
            texts,
            labels,
            np.arange(40) // 20,
            None,
        )
        assert got[0] == (texts, labels.tolist(), 40)
        assert mixture.predict(["good", "bad"]).tolist() == [1, 0]

    def test_the_given_model_is_as_it_was(self, drawn):
        X, y, groups = drawn
        model = LogisticRegression().fit(X, y)
        before = joblib.hash(model)
        reduction(recipe_of(model, None), ARRAYS, pd.DataFrame(X), y, groups, 3)
        assert joblib.hash(model) == before


class TestRefusals:
    def reduced(self, recipe, labels):
        X = pd.DataFrame(np.random.default_rng(0).normal(size=(len(labels), 2)))
        return reduction(recipe, ARRAYS, X, np.array(labels), np.arange(len(labels)) % 2, None)

    def test_three_labels(self):
        with pytest.raises(InputError, match="need two labels; there are 3"):
            self.reduced(recipe_of(LogisticRegression(), None), [0, 1, 2] * 4)

    def test_a_model_without_weights(self):
        with pytest.raises(InputError, match="need a model that takes sample weights; this one takes none"):
            self.reduced(recipe_of(KNeighborsClassifier(), None), [0, 1] * 5)

    def test_a_model_that_is_only_called(self):
        recipe = Recipe(lambda _: lambda *_, **__: np.zeros_like, "sample_weight")
        with pytest.raises(InputError, match="need a model with a predict method; this one has none"):
            self.reduced(recipe, [0, 1] * 5)
