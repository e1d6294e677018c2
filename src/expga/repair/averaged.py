"""A model that cannot flip: what it says of a row is the mean over all its twins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from sklearn.utils.metaestimators import available_if

from expga.contracts import FloatArray, Model
from expga.models.answers import Labels
from expga.models.wrapped import LabelModel, ScoreModel, deciding
from expga.repair.reader import Reader, mean_scores
from expga.subjects import Rows

Kind = Literal["probabilities", "values", "votes"]


def _gives_probabilities(model: Averaged) -> bool:
    return model.kind != "values"


def _gives_values(model: Averaged) -> bool:
    return model.kind == "values"


class Averaged:
    """Another model, asked about every protected value of a row; its scores are averaged.

    Two rows that differ only in protected attributes have the same twins, so they get the same score: nothing can
    flip, whatever the model. Other columns can still stand in for the attribute.

    Attributes:
        model: what is asked.
        classes_: (k,) the labels.
    """

    def __init__(
        self,
        model: Any,
        settings: Mapping[str, Any],
        shares: FloatArray | None,
        classes: list[Any],
        asks: str | None,
        kind: Kind,
    ) -> None:
        """Wraps a model; see `of`.

        Args:
            model: anything that predicts.
            settings: how an audit reads rows, as `Reader` has it.
            shares: (R,) how much each reading counts; None: all alike.
            classes: the model's labels.
            asks: the method that is asked; None: the model itself is called.
            kind: what it gives, and what is averaged: probabilities, decision values, or labels, each a vote.
        """
        self.model = model
        self.settings = dict(settings)
        self.shares = shares
        self.classes_ = _array(classes)
        self.asks = asks
        self.kind = kind
        if hasattr(model, "feature_names_in_"):
            self.feature_names_in_ = model.feature_names_in_

    @classmethod
    def of(cls, model: Any, reader: Reader, rows: Rows, shares: FloatArray | None) -> Averaged:
        """The average of a model. What to ask it shows on these rows, and is then the same for all others."""
        wrapped, _ = reader.wrapped(model, rows)
        kind: Kind = "votes"
        if (scores := deciding(wrapped)) is not None:
            beyond = scores.threshold is not None and not 0 <= scores.threshold[1] <= 1
            kind = "values" if scores.whole == 0 or beyond else "probabilities"
        return cls(model, reader.settings, shares, list(wrapped.classes), getattr(wrapped, "asks", None), kind)

    @available_if(_gives_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> FloatArray:
        """(n, k) mean probabilities, or shares of the vote."""
        return self._scores(X)[0][:, : len(self.classes_)]

    @available_if(_gives_values)  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> FloatArray:
        """(n,) mean decision values of the second of two classes, or (n, k)."""
        scores, _ = self._scores(X)
        return scores[:, 1] if scores.shape[1] == 2 else scores

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """(n,) labels."""
        scores, classes = self._scores(X)
        threshold, positive = self.settings["threshold"], self.settings["positive"]
        if threshold is not None:
            number = list(self.classes_).index(positive)
            labels = np.where(scores[:, number] >= threshold, number, 1 - number)
        else:
            labels = scores.argmax(axis=1)
        return classes[labels]

    def _scores(self, X: Any) -> tuple[FloatArray, npt.NDArray[Any]]:
        """(n, c) mean scores, and the classes (c,): those known, then any that a model of labels says for once."""
        reader = Reader.of(self.settings)
        rows = reader.subject.asked_about(X)
        if not len(rows):
            return np.zeros((0, len(self.classes_))), self.classes_
        asked = self._asked()
        scores = mean_scores(reader, asked, rows, self.shares)
        known, names = len(self.classes_), list(asked.classes)
        if len(names) == known:
            return scores, self.classes_
        order = [*range(known), *sorted(range(known, len(names)), key=lambda number: str(names[number]))]
        return scores[:, order], _array([names[number] for number in order])

    def _asked(self) -> Model:
        predict = self.model if self.asks is None else getattr(self.model, self.asks)
        classes: list[Any] = self.classes_.tolist()
        if self.kind == "votes":
            return LabelModel(predict, Labels(classes), "The model")
        whole = 1.0 if self.kind == "probabilities" else 0.0
        return ScoreModel(predict, classes, "The model", whole, whole / 2)


def _array(classes: list[Any]) -> npt.NDArray[Any]:
    mixed = len({type(label) for label in classes}) > 1
    return np.array([*classes, None], dtype=object)[:-1] if mixed else np.array(classes)
