"""A mixture of models: what fairlearn's reductions come to, as one classifier that always says the same."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt

from expga.contracts import FloatArray, IndexArray
from expga.errors import InputError
from expga.importing import optional
from expga.repair.reader import Reader
from expga.repair.recipe import Recipe
from expga.subjects import Rows, Values

MOST_FITS = 10
"""Rounds of the exponentiated gradient, each of which fits a model or two."""


class Mixture:
    """Several models, each with a share of the vote.

    The published classifier draws one of them for each row; here their votes are counted, so that the same row
    always gets the same label.

    Attributes:
        models: of labels 0 and 1.
        shares: (m,) of the vote.
        classes_: (2,) the labels.
    """

    def __init__(self, models: list[Any], shares: FloatArray, classes: Values) -> None:
        self.models = models
        self.shares = shares
        self.classes_ = classes

    def predict_proba(self, X: Any) -> FloatArray:
        """(n, 2) shares of the vote."""
        votes = [
            share * np.asarray(model.predict(X), dtype=float)
            for model, share in zip(self.models, self.shares, strict=True)
        ]
        second = np.clip(np.sum(votes, axis=0), 0.0, 1.0)
        return np.column_stack([1.0 - second, second])

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """(n,) labels."""
        labels: npt.NDArray[Any] = self.classes_[self.predict_proba(X).argmax(axis=1)]
        return labels


class _Fitted:
    """A recipe as the estimator that fairlearn wants: `fit` with weights, then `predict`.

    It is shown the numbers of rows (n, 1) instead of rows, which may be of any kind.
    """

    def __init__(self, recipe: Recipe, reader: Reader, rows: Rows, seed: int | None) -> None:
        self._given = recipe, reader, rows, seed

    def __sklearn_clone__(self) -> _Fitted:
        return _Fitted(*self._given)

    def fit(self, X: Any, y: Any, sample_weight: Any) -> _Fitted:
        recipe, _, _, seed = self._given
        self.model = recipe.fit(self._inputs(X), np.asarray(y), np.asarray(sample_weight), seed)
        if not callable(getattr(self.model, "predict", None)):
            raise InputError("Fairlearn's reductions need a model with a predict method; this one has none.")
        return self

    def predict(self, X: Any) -> npt.NDArray[Any]:
        labels: npt.NDArray[Any] = np.asarray(self.model.predict(self._inputs(X)))
        return labels

    def _inputs(self, numbers: Any) -> Any:
        _, reader, rows, _ = self._given
        return reader.subject.inputs(reader.subject.take(rows, np.asarray(numbers)[:, 0]))


def reduction(
    recipe: Recipe, reader: Reader, rows: Rows, labels: Values, groups: IndexArray, seed: int | None
) -> Mixture:
    """Fits a mixture under demographic parity.

    Args:
        recipe: fits each model.
        reader: makes rows what the model takes.
        rows: n of them.
        labels: (n,) of two kinds.
        groups: (n,) the numbers of protected groups.
        seed: for models with a random state, another one than the user's.
    """
    classes, numbers = np.unique(labels, return_inverse=True)
    if len(classes) != 2:
        raise InputError(f"Fairlearn's reductions need two labels; there are {len(classes)}.")
    if recipe.weights is None:
        raise InputError("Fairlearn's reductions need a model that takes sample weights; this one takes none.")
    library = optional("fairlearn.reductions")
    estimator, parity = _Fitted(recipe, reader, rows, seed), library.DemographicParity()
    search = library.ExponentiatedGradient(estimator, parity, max_iter=MOST_FITS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # between fairlearn and pandas
        search.fit(np.arange(len(labels))[:, None], numbers, sensitive_features=groups)
    used = [(model, share) for model, share in zip(search.predictors_, search.weights_, strict=True) if share > 0]
    # Where all rows should get one label, fairlearn has a constant in the place of a model.
    models = [model.model if isinstance(model, _Fitted) else model for model, _ in used]
    mixture = Mixture(models, np.array([share for _, share in used]), classes)
    one = next(model.model for model in search.predictors_ if isinstance(model, _Fitted))
    for name in ("feature_names_in_", "n_features_in_"):  # by which an audit knows what a model takes
        if hasattr(one, name):
            setattr(mixture, name, getattr(one, name))
    return mixture
