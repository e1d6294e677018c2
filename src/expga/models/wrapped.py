"""Models behind the contract, by what decides their label: scores, their own `predict`, or one number a row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from expga.contracts import TIE, Answers, Model
from expga.errors import ModelError
from expga.models.answers import (
    NUMBERS_MENDED,
    Labels,
    Values,
    checked,
    from_class_scores,
    from_positive_scores,
    joined,
    rounded,
    some_of,
    units,
)
from expga.models.calls import Predict, call, picked


class Source(Model, Protocol):
    """A model that is asked through one function, so that what that said once can be read again."""

    @property
    def predict(self) -> Predict: ...

    @property
    def what(self) -> str:
        """How to call the function in an error."""
        ...

    @property
    def asks(self) -> str | None:
        """The method of the user's model behind the function; None: the model itself is called."""
        ...

    def read(self, values: Values) -> Answers:
        """Answers from what the function returned, checked."""
        ...


@dataclass(frozen=True, slots=True)
class ScoreModel:
    """A model known by its scores, with the rule that turns them into a label."""

    predict: Predict
    classes: Sequence[Any]
    what: str
    whole: float = 1.0
    """What the scores of two classes add up to: 1 for probabilities, 0 for decision values."""
    boundary: float | None = None
    """For one score a row: where the second class begins."""
    threshold: tuple[int, float] | None = None
    """The user's own: a class number, and the score from which that class is the label."""
    asks: str | None = None

    def ask(self, inputs: Any) -> Answers:
        return self.read(answer(self.predict, inputs, self.what))

    def read(self, values: Values) -> Answers:
        if values.dtype.kind not in "fiub":
            raise ModelError(f"{self.what} returned {values.dtype} where numbers were expected.")
        scores = values.astype(np.float64)
        if scores.ndim == 2 and scores.shape[1] != len(self.classes):
            raise ModelError(f"{self.what} returned {scores.shape[1]} scores a row for {len(self.classes)} classes.")
        if scores.ndim == 2:
            unit = units(scores)
            scores = rounded(scores, unit[:, np.newaxis])
        else:
            unit = units(scores, self.whole)
            scores = rounded(scores, unit)
        if self.threshold is not None:
            positive, boundary = self.threshold
            mine = scores[:, positive] if scores.ndim == 2 else self._side(scores, positive)
            # A row at the threshold is there however both are written.
            return from_positive_scores(mine, rounded(boundary, unit), positive, whole=self.whole, inclusive=True)
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
    asks: str | None = None

    @property
    def classes(self) -> Sequence[Any]:
        return self.labels.classes

    def ask(self, inputs: Any) -> Answers:
        alone = self.read(answer(self.predict, inputs, self.what))
        return alone if self.scored is None else self.beside(alone, self.scored.ask(inputs))

    def read(self, values: Values) -> Answers:
        if values.ndim == 2:
            raise ModelError(f"{self.what} returned {values.shape[1]} columns where one label a row was expected.")
        return self.labels.answers(values)

    def beside(self, labelled: Answers, scored: Answers) -> Answers:
        """The labels of the one with the scores of the other."""
        unknown = len(self.classes) - scored.scores.shape[1]  # said for the first time, and without a score
        scores = np.pad(scored.scores, ((0, 0), (0, max(0, unknown))))
        return Answers(labelled.labels, scores, labelled.margins)


@dataclass(frozen=True, slots=True)
class RawModel:
    """One number a row that is compared as it is, in its own unit: a regressor's prediction, a raw score."""

    predict: Predict
    what: str
    asks: str | None = None
    classes: Sequence[Any] = ()
    """There are no labels."""

    def ask(self, inputs: Any) -> Answers:
        return self.read(answer(self.predict, inputs, self.what))

    def read(self, values: Values) -> Answers:
        if values.ndim == 2:
            raise ModelError(f"{self.what} returned {values.shape[1]} columns where one number a row was expected.")
        if values.dtype.kind not in "fiub":
            raise ModelError(f"{self.what} returned {values.dtype} where numbers were expected.")
        scores = values.astype(np.float64)[:, np.newaxis]
        scores = rounded(scores, units(scores)[:, np.newaxis])
        return Answers(np.zeros(len(scores), dtype=np.intp), scores, np.full(len(scores), np.inf))


@dataclass(slots=True)
class NumberModel:
    """One number a row: the probability of the second class, unless whole numbers beyond 0 and 1 show up."""

    scores: ScoreModel
    strict: bool = True
    """Whether it matters what other numbers mean; they are compared as they are where no label decides."""
    labels: Labels | None = None
    """The whole numbers that are labels, as soon as it is known that they are."""
    binary: bool = field(default=True, init=False)
    """Whether nothing but 0 and 1 came so far, which says the same either way."""

    @property
    def predict(self) -> Predict:
        return self.scores.predict

    @property
    def what(self) -> str:
        return self.scores.what

    @property
    def asks(self) -> str | None:
        return self.scores.asks

    @property
    def classes(self) -> Sequence[Any]:
        return self.scores.classes if self.labels is None else self.labels.classes

    def ask(self, inputs: Any) -> Answers:
        return self.read(answer(self.predict, inputs, self.what))

    def read(self, values: Values) -> Answers:
        if self.labels is None and values.ndim == 1 and values.dtype.kind in "fiu":
            if bool(((values >= 0) & (values <= 1)).all()):
                self.binary = self.binary and bool(((values == 0) | (values == 1)).all())
            elif not self.strict:
                self.binary = False
            elif self.binary and list(self.scores.classes) == [0, 1] and bool((values == np.round(values)).all()):
                self.labels = Labels([0, 1], whole=True)
            else:
                raise no_meaning(self.what, values)
        if self.labels is None:
            return self.scores.read(values)
        return LabelModel(self.predict, self.labels, self.what).read(values)


NEAREST = 16
"""One of so many inputs is put to `predict` as well, ..."""


class ProvisionalModel:
    """Scores that have decided every label so far: `predict` is asked beside them until enough rows have shown it.

    It is asked about the rows that lie nearest to where labels change: a threshold of its own shows there first.

    Whatever it answers is what `predict` says, also on the rows that show that the scores do not decide.
    """

    def __init__(self, scores: ScoreModel, labels: LabelModel, rows: int) -> None:
        """Begins the time of probation.

        Args:
            scores: decide as far as is known.
            labels: what `predict` says, with the same scores beside it.
            rows: how many more are looked at.
        """
        self.scores = scores
        self._labels = labels
        self._rows = rows
        self._model: ScoreModel | LabelModel = scores

    @property
    def classes(self) -> Sequence[Any]:
        return self._model.classes

    @property
    def functions(self) -> int:
        """How many of the model's functions an input may yet be handed to."""
        return 1 if self._model is self.scores and self._rows <= 0 else 2

    def ask(self, inputs: Any) -> Answers:
        if self._model is not self.scores or self._rows <= 0:
            return self._model.ask(inputs)
        ours = self.scores.ask(inputs)
        doubtful = np.argsort(ours.margins, kind="stable")
        count = -(-min(self._rows, len(inputs)) // NEAREST)
        theirs = self._said(picked(inputs, doubtful[:count]))
        self._rows -= len(inputs)
        if agree(some_of(ours, doubtful[:count]), theirs):
            return ours
        self._model = self._labels
        rest = [self._said(picked(inputs, doubtful[count:]))] if count < len(inputs) else []
        return self._labels.beside(some_of(joined([theirs, *rest]), np.argsort(doubtful)), ours)

    def _said(self, inputs: Any) -> Answers:
        """What `predict` says alone."""
        return self._labels.read(answer(self._labels.predict, inputs, self._labels.what))


def functions_of(model: Model) -> int:
    """How many functions of the user's model an input may yet be handed to: what it costs, at most."""
    if isinstance(model, ProvisionalModel):
        return model.functions
    return 1 if not isinstance(model, LabelModel) or model.scored is None else 2


def deciding(model: Model) -> ScoreModel | None:
    """The scores that decide a model's labels, None where they do not."""
    if isinstance(model, ProvisionalModel) or (isinstance(model, NumberModel) and model.labels is None):
        return model.scores
    return model if isinstance(model, ScoreModel) else None


def gives_scores(model: Model) -> bool:
    """Whether a model has said more, by now, than which label a row gets."""
    if isinstance(model, NumberModel):
        return model.labels is None and not model.binary
    return not isinstance(model, LabelModel) or model.scored is not None


def answer(predict: Predict, inputs: Any, what: str) -> Values:
    """What a model returns for inputs (n,), checked."""
    return checked(call(predict, inputs, what), len(inputs), what)


def agree(ours: Answers, theirs: Answers) -> bool:
    """Whether the first rows' labels are those of `predict`, wherever it is no tie."""
    rows = len(theirs.labels)
    clear = ours.margins[:rows] > TIE
    return bool((ours.labels[:rows] == theirs.labels)[clear].all())


def no_meaning(what: str, values: Values) -> ModelError:
    """What to say of numbers that are neither labels nor probabilities."""
    return ModelError(
        f"{what} returned numbers from {values.min():.5g} to {values.max():.5g}, neither labels nor probabilities; "
        f"{NUMBERS_MENDED}."
    )
