"""Any object that predicts, as a `Model`: the label is what its own `predict` would say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from expga.contracts import TIE, Answers, Model
from expga.errors import InputError, ModelError
from expga.models.answers import Labels, checked, from_class_scores, from_positive_scores

Predict = Callable[[Any], Any]

MOSTLY = 0.9
"""The share of rows on which the highest decision value must be the label's for the values to be its scores."""


class _NotOfClassesError(ModelError):
    """Scores of something else than the classes, such as of each pair of them."""


@dataclass(frozen=True, slots=True)
class ScoreModel:
    """A model known by its scores, with the rule that turns them into a label."""

    predict: Predict
    classes: Sequence[Any]
    what: str
    """How to call the source of the scores in an error."""
    whole: float = 1.0
    """What the scores of two classes add up to: 1 for probabilities, 0 for decision values."""
    boundary: float | None = None
    """For one score a row: where the second class begins."""
    threshold: tuple[int, float] | None = None
    """The user's own: a class number, and the score from which that class is the label."""

    def ask(self, inputs: Any) -> Answers:
        scores = checked(self.predict(inputs), len(inputs), self.what)
        if scores.dtype.kind not in "fiub":
            raise ModelError(f"{self.what} returned {scores.dtype} where numbers were expected.")
        scores = scores.astype(np.float64)
        if scores.ndim == 2 and scores.shape[1] != len(self.classes):
            raise ModelError(f"{self.what} returned {scores.shape[1]} scores a row for {len(self.classes)} classes.")
        if self.threshold is not None:
            positive, boundary = self.threshold
            mine = scores[:, positive] if scores.ndim == 2 else self._side(scores, positive)
            return from_positive_scores(mine, boundary, positive, whole=self.whole, inclusive=True)
        if scores.ndim == 1:
            boundary = 0.5 if self.boundary is None else self.boundary
            return from_positive_scores(scores, boundary, 1, whole=self.whole)
        return from_class_scores(scores)

    def _side(self, scores: np.ndarray, positive: int) -> np.ndarray:
        return scores if positive == 1 else self.whole - scores


@dataclass(frozen=True, slots=True)
class LabelModel:
    """A model that gives labels, and perhaps scores that do not decide them."""

    predict: Predict
    labels: Labels
    what: str
    scored: ScoreModel | None = None

    @property
    def classes(self) -> Sequence[Any]:
        return self.labels.classes

    def ask(self, inputs: Any) -> Answers:
        labels = checked(self.predict(inputs), len(inputs), self.what)
        if labels.ndim == 2:
            raise ModelError(f"{self.what} returned {labels.shape[1]} columns where one label a row was expected.")
        alone = self.labels.answers(labels)
        if self.scored is None:
            return alone
        scores = self.scored.ask(inputs).scores
        unknown = len(self.classes) - scores.shape[1]  # labels that were said for the first time, and have no score
        return Answers(alone.labels, np.pad(scores, ((0, 0), (0, max(0, unknown)))), alone.margins)


def wrap(
    model: Any,
    sample: Any,
    *,
    positive: Any = None,
    threshold: float | None = None,
    classes: Sequence[Any] = (),
) -> tuple[Model, int | None]:
    """The model behind one contract, and the number of its positive class (None: more than two classes).

    Args:
        model: an estimator with `predict`, or a callable.
        sample: some inputs as the model will get them: what it answers shows what kind of model it is.
        positive: the label that scores are given for; by default the second of two.
        threshold: the score of the positive class from which a row gets that label.
        classes: labels that a callable is known to give, though it may not show them on the sample.
    """
    wrapped: Model
    if callable(getattr(model, "predict", None)):
        wrapped = (
            _estimator(model, sample)
            if hasattr(model, "classes_")
            else _function(model.predict, sample, positive, threshold, classes)
        )
    elif callable(model):
        wrapped = _function(model, sample, positive, threshold, classes)
    else:
        raise InputError(f"The model is a {type(model).__name__}, which has no predict method and cannot be called.")
    number = _positive(wrapped.classes, positive)
    if threshold is not None:
        return _with_threshold(wrapped, number, threshold), number
    return wrapped, number


def _estimator(model: Any, sample: Any) -> Model:
    """The cheapest source of scores that never contradicts `predict`; failing that, both are asked."""
    classes = _classes(model)
    family = _family(model)
    last = LabelModel(model.predict, Labels(classes), "The model's predict")
    scored: ScoreModel | None = None
    sources: list[Literal["predict_proba", "decision_function"]] = ["predict_proba", "decision_function"]
    for source in sources:
        if not callable(getattr(model, source, None)) or (source == "predict_proba" and "BaseSVC" in family):
            continue
        candidate = ScoreModel(
            getattr(model, source),
            classes,
            f"The model's {source}",
            whole=1.0 if source == "predict_proba" else 0.0,
            boundary=0.5 if source == "predict_proba" else 0.0,
        )
        try:
            answers = candidate.ask(sample)
        except _NotOfClassesError:
            continue
        theirs = last.ask(sample)
        # Scores may be of something else than classes: an SVC can give one for each pair of more than two.
        of_classes = source == "predict_proba" or len(classes) == 2
        if of_classes or (answers.labels == theirs.labels).mean() >= MOSTLY:
            scored = scored or candidate
        # Votes decide between more than two classes of an SVC, a threshold of its own in these classifiers.
        by_scores = not ("BaseSVC" in family and len(classes) > 2) and "BaseThresholdClassifier" not in family
        if by_scores and _agrees(answers, theirs):
            return candidate
    return LabelModel(model.predict, last.labels, last.what, scored)


def _classes(model: Any) -> list[Any]:
    classes = model.classes_
    if isinstance(classes, list) or np.asarray(classes).ndim != 1:
        raise InputError("The model predicts several outputs at once; audit one of them at a time.")
    return list(np.asarray(classes).tolist())


def _family(model: Any) -> set[str]:
    """Names of the classes that an estimator, or the last step inside it, descends from."""
    names = {base.__name__ for base in type(model).__mro__}
    inner = getattr(model, "best_estimator_", None)
    if inner is None and getattr(model, "steps", None):
        inner = model.steps[-1][1]
    return names if inner is None else names | _family(inner)


def _agrees(ours: Answers, theirs: Answers) -> bool:
    clear = ours.margins > TIE
    return bool((ours.labels == theirs.labels)[clear].all())


def _function(function: Predict, sample: Any, positive: Any, threshold: float | None, classes: Sequence[Any]) -> Model:
    """A callable, by what it returns: class scores, the probability of one class, or labels."""
    output = checked(function(sample), len(sample), "The model")
    if output.ndim == 2:
        if output.shape[1] < 2 or output.dtype.kind not in "fiu":
            raise ModelError(f"The model returned the shape {output.shape}; give one score a class, or labels.")
        return ScoreModel(function, list(range(output.shape[1])), "The model", boundary=0.5)
    if output.dtype.kind != "f":
        return LabelModel(function, Labels(_all_labels(output, classes)), "The model")
    if bool(((output >= 0) & (output <= 1)).all()) or threshold is not None:
        named = positive is not None and str(positive) not in ("0", "1", "0.0", "1.0")
        return ScoreModel(function, [f"not {positive}", positive] if named else [0, 1], "The model", boundary=0.5)
    if bool((output == np.round(output)).all()):
        return LabelModel(function, Labels(_all_labels(output, classes)), "The model")
    raise ModelError(
        f"The model returned numbers from {output.min():.3g} to {output.max():.3g}, neither labels nor "
        "probabilities; return one of these, or give the threshold from which a row is positive."
    )


def _all_labels(output: np.ndarray, known: Sequence[Any]) -> list[Any]:
    """Those known and those just seen, in order."""
    seen = np.unique(output).tolist()
    return sorted({*seen, *known}) if known else seen


def _positive(classes: Sequence[Any], positive: Any) -> int | None:
    if positive is None:
        return 1 if len(classes) == 2 else None
    for number, label in enumerate(classes):
        if label == positive or str(label) == str(positive):
            return number
    raise InputError(f"The model has no class {positive!r}; its classes are {', '.join(map(str, classes))}.")


def _with_threshold(model: Model, positive: int | None, threshold: float) -> ScoreModel:
    if isinstance(model, LabelModel):
        model = model.scored or model
    if not isinstance(model, ScoreModel):
        raise InputError("A threshold needs a model that gives scores; this one gives only labels.")
    if positive is None or len(model.classes) != 2:
        raise InputError(f"A threshold needs a model of two classes; this one has {len(model.classes)}.")
    if model.whole == 1.0 and model.what != "The model" and not 0 <= threshold <= 1:
        raise InputError(f"The threshold {threshold:g} is no probability; give one from 0 to 1.")
    return ScoreModel(model.predict, model.classes, model.what, model.whole, model.boundary, (positive, threshold))
