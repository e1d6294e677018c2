"""A mixture of models: what fairlearn's reductions come to, as one classifier that always says the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from expga.contracts import FloatArray, IndexArray
from expga.errors import InputError
from expga.repair.recipe import Recipe
from expga.repair.rows import Values

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
    """A recipe as the estimator that fairlearn wants: `fit` with weights, then `predict`."""

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> _Fitted:
        self.model = self.recipe.fit(X, np.asarray(y), None if sample_weight is None else np.asarray(sample_weight))
        return self

    def predict(self, X: Any) -> npt.NDArray[Any]:
        labels: npt.NDArray[Any] = np.asarray(self.model.predict(X))
        return labels


def reduction(recipe: Recipe, inputs: Any, labels: Values, groups: IndexArray) -> Mixture:
    """Fits a mixture under demographic parity between groups (n,)."""
    from fairlearn.reductions import DemographicParity, ExponentiatedGradient

    classes, numbers = np.unique(labels, return_inverse=True)
    if len(classes) != 2:
        raise InputError(f"Fairlearn's reductions need two labels; there are {len(classes)}.")
    if recipe.weights is None:
        raise InputError("Fairlearn's reductions need a model that takes sample weights; this one takes none.")
    search = ExponentiatedGradient(_Fitted(recipe), DemographicParity(), max_iter=MOST_FITS)
    search.fit(inputs, numbers, sensitive_features=groups)
    used = [(model.model, share) for model, share in zip(search.predictors_, search.weights_, strict=True) if share > 0]
    return Mixture([model for model, _ in used], np.array([share for _, share in used]), classes)
