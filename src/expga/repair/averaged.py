"""A model that cannot flip: what it says of a row is the mean over all its twins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.utils.metaestimators import available_if

from expga.contracts import FloatArray, Model
from expga.errors import InputError
from expga.repair.reader import Reader, mean_scores
from expga.repair.rows import Rows


def _decides_by_probability(model: Averaged) -> bool:
    return model.probabilities


def _decides_by_value(model: Averaged) -> bool:
    return not model.probabilities


class Averaged:
    """Another model, asked about every protected value of a row; its scores are averaged.

    Two rows that differ only in protected attributes have the same twins, so they get the same score: nothing can
    flip, whatever the model. Other columns can still stand in for the attribute.

    Attributes:
        model: what is asked.
        classes_: (k,) the labels.
    """

    _wrapped: Model | None = None
    """The model behind its contract, once it was asked; it is not saved."""

    def __init__(
        self,
        model: Any,
        settings: Mapping[str, Any],
        shares: FloatArray | None,
        classes: list[Any],
        probabilities: bool,
    ) -> None:
        """Wraps a model.

        Args:
            model: anything that predicts.
            settings: how an audit reads rows, as `Reader` has it.
            shares: (R,) how much each reading counts; None: all alike.
            classes: the model's labels.
            probabilities: whether its scores are probabilities, or shares of votes; else they are decision values.
        """
        self.model = model
        self.settings = dict(settings)
        self.shares = shares
        self.classes_ = np.array([*classes, None], dtype=object)[:-1] if _mixed(classes) else np.array(classes)
        self.probabilities = probabilities

    @available_if(_decides_by_probability)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> FloatArray:
        """(n, k) mean probabilities."""
        return self._scores(X)

    @available_if(_decides_by_value)  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> FloatArray:
        """(n,) mean decision values of the second of two classes, or (n, k)."""
        scores = self._scores(X)
        return scores[:, 1] if scores.shape[1] == 2 else scores

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """(n,) labels."""
        scores = self._scores(X)
        threshold, positive = self.settings["threshold"], self.settings["positive"]
        if threshold is not None:
            number = list(self.classes_).index(positive)
            labels = np.where(scores[:, number] >= threshold, number, 1 - number)
        else:
            labels = scores.argmax(axis=1)
        told: npt.NDArray[Any] = self.classes_[labels]
        return told

    def _scores(self, X: Any) -> FloatArray:
        rows = self._rows(X)
        if not len(rows):
            return np.zeros((0, len(self.classes_)))
        reader = Reader(self.settings)
        if self._wrapped is None:
            self._wrapped, _ = reader.wrapped(self.model, rows)
        return mean_scores(reader, self._wrapped, rows, self.shares)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_wrapped"}

    def _rows(self, X: Any) -> Rows:
        if self.settings["kind"] == "text":
            return list(X)
        names = self.settings["features"]
        if not isinstance(X, pd.DataFrame):
            return pd.DataFrame(np.asarray(X), columns=names)
        by_name = {str(column): column for column in X.columns}
        if lacking := [name for name in names if name not in by_name]:
            raise InputError(f"The rows lack the column {lacking[0]!r}, which the model takes.")
        return X[[by_name[name] for name in names]]


def _mixed(classes: list[Any]) -> bool:
    return len({type(label) for label in classes}) > 1
