"""From raw predictions to `Answers`: labels, scores and margins, checked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from expga.contracts import Answers, FloatArray, IndexArray
from expga.errors import ModelError

Values: TypeAlias = np.ndarray[Any, Any]

BITS = 30
"""Of a row's largest score, how many binary places count; what is beyond may hang on the order of a sum."""
SMALLEST_EXPONENT = -990
MOST_LABELS = 5_000
MOST_NUMBERS = 30
"""Of more different numbers it is not believed that each is a label, unless the model has them in its `classes_`."""
NUMBERS_MENDED = (
    "give the smallest gap that counts, min_gap, in their unit to audit the numbers themselves, or the threshold from "
    "which a row is positive, or a function that returns labels or probabilities"
)
"""What to do about numbers that are no labels."""

_NUMBERS = {"integer": None, "floating": np.float64, "mixed-integer-float": np.float64, "decimal": np.float64}
_LABELS = ("string", "bytes", "date", "datetime", "datetime64", "time", "timedelta", "timedelta64")


def checked(raw: Any, rows: int, what: str) -> Values:
    """The model's raw output as an array with one entry a row and none missing, or an error that says what it was.

    Args:
        raw: an array, list, frame, tensor, sparse matrix, iterator: whatever the model returned.
        rows: how many answers were asked for.
        what: how to call the source in an error.
    """
    values = _array(raw, rows, what)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim not in (1, 2) or len(values) != rows:
        raise ModelError(
            f"{what} returned the shape {values.shape} for {rows} rows; it should be ({rows},) or ({rows}, classes)."
        )
    if values.dtype.kind in "OMm":
        return _plain(values, what)
    if values.dtype.kind in "cV":
        raise ModelError(f"{what} returned values of the type {values.dtype}; return labels or real numbers.")
    if values.dtype.kind == "f":
        _refuse_rows(~np.isfinite(values), what, "NaN or infinite values")
    return values


def _array(raw: Any, rows: int, what: str) -> Values:
    """The output as numpy sees it, row by row in the order of the inputs."""
    if raw is None:
        raise ModelError(f"{what} returned None for {rows} rows; it should return one answer a row.")
    if hasattr(raw, "detach"):  # a torch tensor that may still carry gradients
        raw = raw.detach().cpu()
    if isinstance(raw, Iterator):
        raw = list(islice(raw, rows + 1))  # it may never end
    if hasattr(raw, "toarray"):  # a sparse matrix
        raw = raw.toarray()
    if isinstance(raw, np.ma.MaskedArray) and np.shape(raw)[:1] == (rows,):
        _refuse_rows(np.ma.getmaskarray(raw), what, "masked values")
    if isinstance(raw, pd.Series | pd.DataFrame):
        raw = _in_order(raw, rows)
    try:
        values = np.asarray(raw)
        if (
            values.dtype.kind in "US"
            and isinstance(raw, list | tuple)
            and values.ndim == 1
            and len(set(map(type, raw))) > 1
        ):
            return np.array([*raw, None], dtype=object)[:-1]  # numpy has made text of what is none
    except ValueError:
        raise ModelError(f"{what} returned lists of different lengths; return one answer a row.") from None
    return values


def _in_order(raw: Any, rows: int) -> Any:
    """A frame or series whose index has the inputs' numbers in another order, put back into theirs."""
    index = raw.index
    if len(index) == rows and pd.api.types.is_integer_dtype(index.dtype):
        order = np.argsort(index.to_numpy(), kind="stable")
        if (index.to_numpy()[order] == np.arange(rows)).all():
            return raw.iloc[order]
    return raw


def _refuse_rows(bad: np.ndarray[Any, np.dtype[np.bool_]], what: str, which: str) -> None:
    """An error that counts the rows (n,) or (n, k) that have something bad about them."""
    if bad.any():
        count = int(bad.reshape(len(bad), -1).any(axis=1).sum())
        raise ModelError(f"{what} returned {which} for {count} of {len(bad)} rows.")


def _plain(values: Values, what: str) -> Values:
    """Objects (n,) or (n, k) as the numbers they are, or as labels that a file can hold."""
    if values.dtype.kind in "Mm":
        values = np.array(pd.Series(values.ravel()).astype(object), dtype=object).reshape(values.shape)
    _refuse_rows(np.asarray(pd.isna(values)), what, "missing values")
    kind = pd.api.types.infer_dtype(values.ravel(), skipna=False)
    if kind in _NUMBERS:
        try:
            numbers = values.astype(_NUMBERS[kind] or np.int64)
        except OverflowError:
            raise ModelError(f"{what} returned a whole number of more than 64 bits; return labels as text.") from None
        if numbers.dtype.kind == "f":
            _refuse_rows(~np.isfinite(numbers), what, "NaN or infinite values")
        return numbers
    if kind == "boolean":
        return values.astype(bool)
    if kind not in _LABELS and values.size:
        types = sorted({type(value).__name__ for value in values.ravel()})
        raise ModelError(
            f"{what} returned values of the type {' and '.join(types[:3])}; return labels of one type, "
            "text or whole numbers, or scores."
        )
    return values


def units(scores: FloatArray, whole: float | None = None) -> FloatArray:
    """(n,) what the scores of each row are counted in: 2^-30 of the row's largest, or twice that.

    Threads that add up probabilities in any order differ in the last of 53 bits. In whole units a tie stays a tie, and
    equal rows stay equal, however they were added up; p and 1 - p are rounded alike.

    Args:
        scores: (n, k), or (n,) those of one of two classes.
        whole: what the scores of two classes add up to, where there is one score a row.
    """
    size = np.abs(scores)
    largest = size.max(axis=1, initial=0.0) if whole is None else np.maximum(size, np.abs(whole - scores))
    fraction, exponent = np.frexp(largest)
    # The largest is rounded first: on either side of a power of two the others would have another unit.
    exponent = exponent + (np.rint(np.ldexp(fraction, BITS)) >= 2.0**BITS)
    return np.asarray(np.ldexp(1.0, np.maximum(exponent, SMALLEST_EXPONENT) - BITS))


def rounded(values: FloatArray | float, unit: FloatArray) -> FloatArray:
    """The values as multiples of a unit."""
    return np.asarray(np.rint(values / unit) * unit)


def from_class_scores(scores: FloatArray) -> Answers:
    """Answers of a model that scores each class (n, k): the highest wins."""
    labels = scores.argmax(axis=1)
    top = np.sort(scores, axis=1) if scores.shape[1] == 2 else np.partition(scores, -2, axis=1)
    # Half the lead: for two probabilities that is the distance of either from one half.
    return Answers(labels, scores, (top[:, -1] - top[:, -2]) / 2)


def from_positive_scores(
    score: FloatArray, boundary: FloatArray | float, positive: int, *, whole: float, inclusive: bool = False
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


def some_of(answers: Answers, rows: IndexArray) -> Answers:
    """Those about some rows (n,), in their order."""
    return Answers(answers.labels[rows], answers.scores[rows], answers.margins[rows])


def joined(parts: Sequence[Answers]) -> Answers:
    """Answers one after the other; a model of labels may know more of them later on."""
    if len(parts) == 1:
        return parts[0]
    classes = max(part.scores.shape[1] for part in parts)
    scores = [np.pad(part.scores, ((0, 0), (0, classes - part.scores.shape[1]))) for part in parts]
    return Answers(
        np.concatenate([part.labels for part in parts]),
        np.concatenate(scores),
        np.concatenate([part.margins for part in parts]),
    )


def joined_values(parts: Sequence[Values]) -> Values:
    """What a function returned, part by part, as one array; numbers and texts do not go together."""
    if len(parts) == 1:
        return parts[0]
    if len({part.ndim for part in parts}) > 1 or len({part.shape[1:] for part in parts}) > 1:
        raise ModelError(f"The model returned the shape {parts[0].shape} once, and {parts[-1].shape} another time.")
    if len({part.dtype.kind in "fiub" for part in parts}) > 1:
        first = next(part for part in parts if part.dtype.kind not in "fiub")
        raise ModelError(f"The model returned numbers once, and labels such as {first.flat[0]!r} another time.")
    if all(part.dtype.kind in "fiub" for part in parts):
        return np.concatenate(parts)
    return checked(np.concatenate([part.astype(object) for part in parts]), sum(map(len, parts)), "The model")


def check_writable(label: Any) -> None:
    """Whether files can hold a label."""
    try:
        str(label).encode()
    except UnicodeEncodeError as error:  # half a character
        raise ModelError(
            f"The model has the label {label!r}, which is no text that a file can hold; return labels in Unicode."
        ) from error


def _has_fraction(text: str) -> bool:
    """Whether a text is a number that is no whole one."""
    try:
        return not float(text).is_integer()
    except ValueError:
        return False


class Labels:
    """Class numbers for labels; a model that only labels may show a new one at any time."""

    def __init__(self, known: Sequence[Any], said: Sequence[Any] = (), *, whole: bool = False) -> None:
        """Starts with some labels.

        Args:
            known: labels by class number, some of which may be the texts that a file made of bytes or dates.
            said: labels that the model has given itself.
            whole: whether a number must be a whole one to be a label.
        """
        self.classes: list[Any] = list(known)
        self._numbers = {label: number for number, label in enumerate(self.classes)}
        self._whole = whole
        self._type: str | None = None
        self.said: set[Any] = set()
        """Those that the model has given itself."""
        if len(said):
            self._learn(list(said))

    def number(self, labels: Values) -> IndexArray:
        """(n,) class numbers of labels (n,)."""
        place, distinct = pd.factorize(labels.astype(object) if labels.dtype.kind in "US" else labels)
        told = distinct.tolist()
        self._learn(told)
        numbers = np.array([self._numbers[label] for label in told], dtype=np.intp)
        return np.asarray(numbers[place])

    def answers(self, labels: Values) -> Answers:
        """Answers with a score of 1 for the label given and 0 for the others."""
        numbers = self.number(labels)
        scores = np.zeros((len(numbers), len(self.classes)))
        scores[np.arange(len(numbers)), numbers] = 1.0
        return Answers(numbers, scores, np.ones(len(numbers)))

    def _learn(self, said: list[Any]) -> None:
        for label in said:
            self._check(label)
        self.said.update(said)
        for label in sorted(label for label in said if label not in self._numbers):
            text = str(label)
            number = self._numbers.pop(text, len(self.classes)) if not isinstance(label, str) else len(self.classes)
            self.classes[number : number + 1] = [label]
            self._numbers[label] = number
        if self._whole and len(self.classes) > MOST_NUMBERS:
            self._check_many(said[0])
        if len(self.classes) > MOST_LABELS:
            raise ModelError(
                f"The model gave more than {MOST_LABELS:,} different labels, such as {said[0]!r}; return one of few "
                "labels a row, or the probability of a class as a number."
            )

    def _check_many(self, label: Any) -> None:
        """Whether so many labels, such as this one, may be what a callable means by its answers."""
        many = f"The model returned {len(self.classes)} different"
        if self._type == "number":
            raise ModelError(
                f"{many} whole numbers, such as {label:g}, which are hardly labels; {NUMBERS_MENDED} (if they are "
                "labels, as text)."
            )
        if self._type == "str" and any(_has_fraction(label) for label in self.said):
            raise ModelError(f"{many} texts, such as {label!r}, that are numbers; return them as numbers.")

    def _check(self, label: Any) -> None:
        """Whether it goes with those that the model has given so far."""
        number = isinstance(label, int | float)
        if self._whole and number and label != np.floor(label):
            raise ModelError(
                f"The model returned {label!r} where it gave whole numbers before, which were taken for labels; "
                f"{NUMBERS_MENDED}."
            )
        check_writable(label)
        name = "number" if number else type(label).__name__
        self._type = self._type or name
        if name != self._type:
            raise ModelError(
                f"The model returned the label {label!r}, a {name}, where it gave a {self._type} before; return "
                "labels of one type."
            )
