"""What users should know about a model's answers, though an audit goes on with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from expga.contracts import Answers, FloatArray, Model
from expga.models.calls import FIRST
from expga.models.trial import Trial
from expga.models.wrapped import LabelModel, ScoreModel, deciding

MANY_LABELS = 50
NOT_ONE = 1e-3
"""How far the probabilities of a row may add up to something else than 1."""
ENOUGH = 100
"""Rows from which on it is news that all have the same label."""


def notes_on_answers(trial: Trial, model: Model) -> list[str]:
    """What is odd about the answers of a trial."""
    notes = _on_sameness(trial.of(model), model.classes)
    scores = model.scored if isinstance(model, LabelModel) else deciding(model)
    if scores is not None and scores.whole == 1.0:
        numbers = np.concatenate(trial.said(scores)).astype(np.float64)
        notes += _on_probabilities(numbers, scores)
    return notes


def notes_on_labels(classes: Sequence[Any]) -> list[str]:
    """What is odd about there being such classes (k,)."""
    if len(classes) <= MANY_LABELS:
        return []
    return [
        f"The model has {len(classes):,} different labels, such as {str(classes[0])[:50]!r}; where these are numbers "
        "and not classes, return them as probabilities, or compare them with a threshold."
    ]


def notes_on_positive(model: Model, positive: int | None) -> list[str]:
    """Whether a model that gives other labels has never given the one that scores are given for."""
    if positive is None or not isinstance(model, LabelModel) or len(model.labels.said) < 2:
        return []
    label = model.classes[positive]
    if label in model.labels.said:
        return []
    others = ", ".join(sorted(str(said)[:50] for said in model.labels.said)[:5])
    return [
        f"The model never gave the label {str(label)[:50]!r}, which scores are given for, but {others}; if it is "
        "misspelt, audit again with one of these."
    ]


def _on_sameness(answers: Answers, classes: Sequence[Any]) -> list[str]:
    rows = len(answers.labels)
    label = str(classes[answers.labels[0]])[:50] if classes else f"{answers.scores[0, 0]:.5g}"
    if rows >= FIRST and _alike(answers.scores) and _alike(answers.margins):
        return [f"The model gave one and the same answer, {label!r}, for all {rows:,} rows that it was tried on."]
    if classes and rows >= ENOUGH and bool((answers.labels == answers.labels[0]).all()):
        return [f"The model gave the label {label!r} to all {rows:,} rows that it was tried on."]
    return []


def _alike(values: FloatArray) -> bool:
    return bool((values == values[0]).all())


def _on_probabilities(numbers: FloatArray, scores: ScoreModel) -> list[str]:
    """Of what should be probabilities (n,) or (n, k); a callable's are if they lie between 0 and 1."""
    rows = len(numbers)
    outside = ((numbers < 0) | (numbers > 1)).reshape(rows, -1).any(axis=1)
    if outside.any():
        if scores.asks != "predict_proba":
            return []
        return [
            f"{scores.what} gave numbers from {numbers.min():.3g} to {numbers.max():.3g}, which are no probabilities, "
            f"for {int(outside.sum()):,} of {rows:,} rows; they are compared as they are."
        ]
    off = np.abs(numbers.sum(axis=1) - 1) if numbers.ndim == 2 else np.zeros(rows)
    if not (off > NOT_ONE).any():
        return []
    furthest = numbers[off.argmax()].sum()
    return [
        f"The probabilities of {int((off > NOT_ONE).sum()):,} of {rows:,} rows that the model was tried on do not add "
        f"up to 1 (those of one to {furthest:.3g}); they are compared as they are."
    ]
