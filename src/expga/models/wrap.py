"""Any object that predicts, as a `Model`: the label is what its own `predict` would say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from expga.contracts import Model
from expga.errors import InputError, ModelError
from expga.models.answers import NUMBERS_MENDED, Labels, Values, check_writable, checked, joined_values
from expga.models.calls import Reach
from expga.models.notes import notes_on_answers, notes_on_labels, notes_on_positive
from expga.models.reaching import in_this_process
from expga.models.trial import MOST, Allowance, FirstAnswers, Trial, Unlimited
from expga.models.wrapped import (
    LabelModel,
    NumberModel,
    ProvisionalModel,
    RawModel,
    ScoreModel,
    Source,
    agree,
    deciding,
    no_meaning,
)

MOSTLY = 0.9
"""The share of rows on which the highest decision value must be the label's for the values to be its scores."""

SEVERAL = "The model predicts several outputs at once; audit one of them at a time."

Scores = Literal["predict_proba", "decision_function"]
SOURCES: tuple[Scores, ...] = ("predict_proba", "decision_function")


@dataclass(frozen=True, slots=True)
class Known:
    """What an earlier part of a run knew of its model."""

    classes: Sequence[Any]
    """Its labels, by class number; some may be the texts that a file made of them."""
    positive: int | None
    """The number of the class that scores are given for."""


@dataclass(frozen=True, slots=True)
class Learnt:
    """What a trial showed of a model."""

    model: Model
    positive: int | None
    """The number of the class that scores are given for; None: more than two classes."""
    first: FirstAnswers
    """Its first answers, which tell it from another."""
    shown: int
    """How many rows it was tried on."""
    _noticed: list[str] = field(default_factory=list)

    @property
    def notes(self) -> list[str]:
        """What users should know about it, by now: labels may show up at any time."""
        on_labels = notes_on_labels(self.model.classes)
        return [*self._noticed, *on_labels, *notes_on_positive(self.model, self.positive)]


def wrap(
    model: Any, sample: Any, *, positive: Any = None, threshold: float | None = None, classes: Sequence[Any] = ()
) -> tuple[Model, int | None]:
    """The model behind one contract, and the number of its positive class; see `learn`."""
    learnt = learn(model, sample, positive=positive, threshold=threshold, classes=classes)
    return learnt.model, learnt.positive


def learn(
    model: Any,
    sample: Any,
    *,
    positive: Any = None,
    threshold: float | None = None,
    classes: Sequence[Any] = (),
    labels_decide: bool = True,
    reach: Reach = in_this_process,
    allowance: Allowance | None = None,
    known: Known | None = None,
    most: int = MOST,
) -> Learnt:
    """The model behind one contract, by what it answers about few rows, and then about more.

    Args:
        model: an estimator with `predict`, or a callable.
        sample: some inputs as the model will get them, those first that it should be shown first.
        positive: the label that scores are given for; by default the second of two.
        threshold: the score of the positive class from which a row gets that label.
        classes: labels that a callable is known to give, though it may not show them on the sample.
        labels_decide: whether labels are what counts; where scores are, numbers that are no labels are taken as they
            are, and the model has no classes.
        reach: how the model's functions are called.
        allowance: what the trial may cost; by default all of the sample is shown.
        known: from an earlier part of the same run, whatever this trial happens to show.
        most: rows of the sample that are shown, at most.
    """
    trial = Trial(sample, allowance or Unlimited(), most)
    user = _User(model, reach, positive, threshold, labels_decide, classes if known is None else known.classes)
    trial.grow(user.functions)
    found = user.judged(trial)
    while trial.grow(user.functions):
        found = user.judged(trial)
    number = known.positive if known is not None and positive is None else _positive(found.classes, positive)
    if threshold is not None:
        found = _with_threshold(found, number, threshold)
    return Learnt(found, number, trial.first(found), trial.shown, notes_on_answers(trial, found))


@dataclass(frozen=True, slots=True)
class _User:
    """The user's model, and what the user says of it."""

    model: Any
    reach: Reach
    positive: Any
    threshold: float | None
    labels_decide: bool
    known: Sequence[Any]

    @property
    def functions(self) -> int:
        """How many of its functions may be asked about each row of a trial."""
        return 1 + sum(_offers(self.model, name) for name in SOURCES) if self._has_classes else 1

    @property
    def _has_classes(self) -> bool:
        return _offers(self.model, "predict") and bool(np.size(getattr(self.model, "classes_", ())))

    def judged(self, trial: Trial) -> Model:
        """The model by what it has said so far."""
        if self._has_classes:
            return self._estimator(trial)
        if _offers(self.model, "predict"):
            return self._function(trial, "predict")
        if (source := next((name for name in SOURCES if _offers(self.model, name)), None)) is not None:
            return self._scores_alone(trial, source)
        if callable(self.model):
            return self._function(trial, None)
        raise InputError(
            f"The model is a {type(self.model).__name__}, which has no predict method and cannot be called."
        )

    def _estimator(self, trial: Trial) -> Model:
        """The cheapest source of scores that never contradicts `predict`; failing that, both are asked."""
        classes, family = _classes(self.model), _family(self.model)
        predict = self.reach(self.model, "predict")
        last = LabelModel(predict, Labels(classes), "The model's predict", asks="predict")
        scored: ScoreModel | None = None
        for source in SOURCES:
            if not _offers(self.model, source) or (source == "predict_proba" and "BaseSVC" in family):
                continue
            candidate = self._candidate(source, classes)
            if source == "decision_function" and _of_pairs(trial.said(candidate), len(classes)):
                continue
            answers, theirs = trial.answers(candidate), trial.answers(last)
            # Scores may be of something else than classes: an SVC can give one for each pair of more than two.
            of_classes = source == "predict_proba" or len(classes) == 2
            if of_classes or (answers.labels == theirs.labels).mean() >= MOSTLY:
                scored = scored or candidate
            # Votes decide between more than two classes of an SVC, a threshold of its own in these classifiers.
            by_scores = not ("BaseSVC" in family and len(classes) > 2) and "BaseThresholdClassifier" not in family
            if by_scores and agree(answers, theirs):
                if trial.whole:
                    return candidate
                both = replace(last, scored=candidate)
                return ProvisionalModel(candidate, both, trial.total - trial.shown)
        said = joined_values(trial.said(last))
        if _are_no_classes(said, classes):
            if self.labels_decide:
                raise ModelError(
                    f"The model's predict returned numbers from {said.min():.5g} to {said.max():.5g}, none of which is "
                    f"one of its classes, {', '.join(map(str, classes[:5]))}; {NUMBERS_MENDED}."
                )
            return RawModel(predict, "The model's predict", "predict")
        return replace(last, scored=scored)

    def _scores_alone(self, trial: Trial, source: Scores) -> Model:
        """An object that gives scores, and no labels of its own."""
        declared = bool(np.size(getattr(self.model, "classes_", ())))
        candidate = self._candidate(source, _classes(self.model) if declared else self._two)
        said = joined_values(trial.said(candidate))
        if said.ndim == 2 and not declared:
            return replace(candidate, classes=list(range(said.shape[1])))
        return candidate

    def _candidate(self, source: Scores, classes: Sequence[Any]) -> ScoreModel:
        probabilities = source == "predict_proba"
        return ScoreModel(
            self.reach(self.model, source),
            classes,
            f"The model's {source}",
            whole=1.0 if probabilities else 0.0,
            boundary=0.5 if probabilities else 0.0,
            asks=source,
        )

    @property
    def _two(self) -> list[Any]:
        """What the two classes of a model are called that does not say."""
        named = self.positive is not None and str(self.positive) not in ("0", "1", "0.0", "1.0")
        return [f"not {self.positive}", self.positive] if named else [0, 1]

    def _function(self, trial: Trial, method: str | None) -> Source:
        """A callable, by what it returns: class scores, the probability of one class, labels, or other numbers."""
        predict = self.reach(self.model, method)
        scores = ScoreModel(predict, self._two, "The model", boundary=0.5, asks=method)
        said = joined_values(trial.said(scores))
        regressor = is_regressor(self.model)
        if said.ndim == 2:
            if regressor:
                raise InputError(SEVERAL)
            if said.shape[1] < 2 or said.dtype.kind not in "fiu":
                raise ModelError(f"The model returned the shape {said.shape}; give one score a class, or labels.")
            return replace(scores, classes=list(range(said.shape[1])))
        if said.dtype.kind in "fiu" and (regressor or self.threshold is not None or not self.labels_decide):
            return self._by_number(scores, said, regressor)
        if said.dtype.kind == "f":
            if _within(said):
                return NumberModel(scores)
            if not _whole(said):
                raise no_meaning("The model", said)
        return LabelModel(predict, self._labels(said, trial), "The model", asks=method)

    def _by_number(self, scores: ScoreModel, said: Values, regressor: bool) -> Source:
        """What a callable says in numbers (n,) that a threshold or a gap is for, or a regressor's predictions."""
        labels = said.dtype.kind != "f" and _within(said) and not regressor
        if self.threshold is not None:
            return scores if not labels else LabelModel(scores.predict, Labels([0, 1]), "The model", asks=scores.asks)
        if self.labels_decide:
            raise ModelError(
                f"The model is a regressor, {type(self.model).__name__}, which predicted numbers from {said.min():.5g} "
                f"to {said.max():.5g}; {NUMBERS_MENDED}."
            )
        if not regressor and said.dtype.kind == "f" and _within(said):
            return NumberModel(scores, strict=False)
        return RawModel(scores.predict, "The model", scores.asks)

    def _labels(self, said: Values, trial: Trial) -> Labels:
        """Those known and those just seen, in order."""
        distinct = list(dict.fromkeys(said.tolist()))
        labels = Labels(self.known, distinct, whole=True)
        if not self.known:
            # Of no and yes in numbers, either may come first.
            both = [0, 1] if said.dtype.kind in "iu" else [False, True] if said.dtype.kind == "b" else []
            labels = Labels(sorted({*distinct, *(both if set(distinct) <= set(both) else [])}), distinct, whole=True)
        if self.positive is not None and not trial.whole and not _numbers_of(labels.classes, self.positive):
            labels = Labels([*labels.classes, self.positive], distinct, whole=True)
        return labels


def _offers(model: Any, method: str) -> bool:
    return callable(getattr(model, method, None))


def is_regressor(model: Any) -> bool:
    """Whether a model says of itself that it predicts numbers: by its tags, or as estimators said it before tags."""
    if isinstance(getattr(model, "_estimator_type", None), str):
        return bool(model._estimator_type == "regressor")
    if isinstance(model, type) or not _offers(model, "__sklearn_tags__"):
        return False
    from sklearn.base import is_regressor as says_so

    return bool(says_so(model))


def _within(said: Values) -> bool:
    return bool(((said >= 0) & (said <= 1)).all())


def _whole(said: Values) -> bool:
    return bool((said == np.round(said)).all())


def _are_no_classes(said: Values, classes: Sequence[Any]) -> bool:
    """Whether what should be labels are other numbers: raw scores."""
    return said.ndim == 1 and said.dtype.kind == "f" and not _whole(said) and not np.isin(said, classes).any()


def _of_pairs(said: list[Values], classes: int) -> bool:
    """Whether decision values are those of each pair of classes, and not of each class."""
    return any(part.ndim == 2 and part.shape[1] == classes * (classes - 1) // 2 != classes for part in said)


def _classes(model: Any) -> list[Any]:
    classes = model.classes_
    if (isinstance(classes, list) and any(np.ndim(label) for label in classes)) or np.ndim(classes) != 1:
        raise InputError(SEVERAL)
    labels = list(checked(classes, len(classes), "The model's classes_").tolist())
    for label in labels:
        check_writable(label)
    return labels


def _family(model: Any) -> set[str]:
    """Names of the classes that an estimator, or the last step inside it, descends from."""
    names = {base.__name__ for base in type(model).__mro__}
    inner = getattr(model, "best_estimator_", None)
    if inner is None and getattr(model, "steps", None):
        inner = model.steps[-1][1]
    return names if inner is None else names | _family(inner)


def _numbers_of(classes: Sequence[Any], label: Any) -> list[int]:
    return [number for number, known in enumerate(classes) if known == label or str(known) == str(label)]


def _positive(classes: Sequence[Any], positive: Any) -> int | None:
    if positive is None:
        return 1 if len(classes) == 2 else None
    if numbers := _numbers_of(classes, positive):
        return numbers[0]
    if not classes:
        raise InputError(f"The model predicts numbers and has no class {positive!r}; leave the positive label out.")
    raise InputError(f"The model has no class {positive!r}; its classes are {', '.join(map(str, classes))}.")


def _with_threshold(model: Model, positive: int | None, threshold: float) -> ScoreModel:
    scores = model.scored if isinstance(model, LabelModel) else deciding(model)
    if scores is None:
        raise InputError("A threshold needs a model that gives scores; this one gives only labels.")
    if positive is None or len(scores.classes) != 2:
        raise InputError(f"A threshold needs a model of two classes; this one has {len(scores.classes)}.")
    if scores.whole == 1.0 and scores.what != "The model" and not 0 <= threshold <= 1:
        raise InputError(f"The threshold {threshold:g} is no probability; give one from 0 to 1.")
    return replace(scores, threshold=(positive, threshold))
