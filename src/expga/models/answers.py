"""From raw predictions to `Answers`: labels, scores and margins, checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from expga.contracts import Answers, FloatArray, IndexArray
from expga.errors import ModelError


def checked(raw: Any, rows: int, what: str) -> np.ndarray[Any, Any]:
    """The model's raw output as an array with one entry a row and no NaN, or an error that says what it was."""
    if hasattr(raw, "detach"):  # a torch tensor that may still carry gradients
        raw = raw.detach().cpu()
    values = np.asarray(raw)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim not in (1, 2) or len(values) != rows:
        raise ModelError(
            f"{what} returned the shape {values.shape} for {rows} rows; it should be ({rows},) or ({rows}, classes)."
        )
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        bad = int((~np.isfinite(values)).reshape(rows, -1).any(axis=1).sum())
        raise ModelError(f"{what} returned NaN or infinite values for {bad} of {rows} rows.")
    return values


def from_class_scores(scores: FloatArray) -> Answers:
    """Answers of a model that scores each class (n, k): the highest wins."""
    labels = scores.argmax(axis=1)
    top = np.sort(scores, axis=1) if scores.shape[1] == 2 else np.partition(scores, -2, axis=1)
    # Half the lead: for two probabilities that is the distance of either from one half.
    return Answers(labels, scores, (top[:, -1] - top[:, -2]) / 2)


def from_positive_scores(
    score: FloatArray, boundary: float, positive: int, *, whole: float, inclusive: bool = False
) -> Answers:
    """Answers of a binary model by the score of its positive class (n,) and a boundary.

    Args:
        score: probabilities or decision values.
        boundary: above it the label is positive.
        positive: class number, 0 or 1.
        whole: what the scores of both classes add up to: 1 for probabilities, 0 for decision values.
        inclusive: whether the boundary itself is positive.
    """
    is_positive = score >= boundary if inclusive else score > boundary
    labels = np.where(is_positive, positive, 1 - positive).astype(np.intp)
    scores = np.column_stack([whole - score, score] if positive else [score, whole - score])
    return Answers(labels, scores, np.abs(score - boundary))


class Labels:
    """Class numbers for labels; a model that only labels may show a new one at any time."""

    def __init__(self, known: Sequence[Any]) -> None:
        self.classes: list[Any] = list(known)

    def number(self, labels: np.ndarray[Any, Any]) -> IndexArray:
        """(n,) class numbers of labels (n,)."""
        distinct, inverse = np.unique(labels, return_inverse=True)
        numbers = np.empty(len(distinct), dtype=np.intp)
        for i, label in enumerate(distinct.tolist()):
            if label not in self.classes:
                self.classes.append(label)
            numbers[i] = self.classes.index(label)
        return numbers[inverse]

    def answers(self, labels: np.ndarray[Any, Any]) -> Answers:
        """Answers with a score of 1 for the label given and 0 for the others."""
        numbers = self.number(labels)
        return Answers(numbers, np.eye(len(self.classes))[numbers], np.ones(len(numbers)))
