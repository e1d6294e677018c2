"""The one place where the user's model is called: what it is given is its own, what it raises is one sentence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from expga.contracts import IndexArray
from expga.errors import UnusableModelError, failed_on, is_theirs, reason_of

FIRST = 8
"""Rows of a first call, whose time nobody knows."""
LARGEST_CALL = 16_384
LEAP = 8
"""How many times larger the next call may be, by what those before took."""

Predict: TypeAlias = Callable[[Any], Any]
"""Inputs in, whatever the model says out."""

Reach: TypeAlias = Callable[[Any, str | None], Predict]
"""From a model and the name of one of its methods (None: the model itself is called) to what calls it."""


def in_this_process(model: Any, method: str | None) -> Predict:
    """The model's own method, or the model itself."""
    predict: Predict = model if method is None else getattr(model, method)
    return predict


@dataclass(slots=True)
class Pace:
    """How many inputs a call should have where its time matters, by how long those before took.

    The quickest call tells what any call takes at least, be it an endpoint's answer or a pipeline's first steps. Where
    that is more than a call should take, smaller calls would not help: then a call may take twice as long.
    """

    seconds: float
    """The most that a call should take."""
    longest: float = np.inf
    """The most that it may take, whatever it takes at least."""
    rows: int = FIRST
    quickest: float = np.inf
    _fewest: float = np.inf

    def took(self, rows: int, seconds: float) -> None:
        """Told of a call when it is over."""
        self.quickest = min(self.quickest, seconds)
        allowed = max(self.seconds, min(2 * self.quickest, self.longest))
        each = (seconds - self.quickest) / rows
        fits = (allowed - self.quickest) / each if each > 0 else np.inf
        if rows < self.rows:  # it had no more to ask, and says nothing of larger ones
            fits = min(fits, self.rows)
        larger = LEAP if rows > self._fewest else 2  # what more rows take is known once two sizes are
        self._fewest = min(self._fewest, rows)
        self.rows = int(np.clip(fits, max(1, self.rows // 2), min(larger * self.rows, LARGEST_CALL)))


def attribute(model: Any, name: str) -> Any:
    """What a model has under a name, None where it has nothing: looking for it may run code of the user's as well."""
    try:
        return getattr(model, name, None)
    except BaseException as error:
        if not is_theirs(error):
            raise
        raise UnusableModelError(f"The model failed when its {name} was looked up: {reason_of(error)}") from error


def call(predict: Predict, inputs: Any, what: str) -> Any:
    """What a model says of inputs (n,), which it may change or keep as it likes.

    Args:
        predict: the model's own.
        inputs: a frame, an array or texts.
        what: how to call it in an error.
    """
    try:
        return predict(own(inputs))
    except BaseException as error:  # be it SystemExit: a model must not end an audit as if all were well
        if not is_theirs(error):
            raise
        raise failed_on(f"{len(inputs):,} rows", error, what) from error


def own(inputs: Any) -> Any:
    """The inputs once more, with nothing in common with the first; a frame's rows are numbered from 0."""
    if isinstance(inputs, pd.DataFrame):
        frame = inputs.copy()
        frame.index = pd.RangeIndex(len(frame))  # so that answers in another order can be told from a new index
        return frame
    return inputs.copy() if isinstance(inputs, np.ndarray) else list(inputs)


def part_of(inputs: Any, start: int, stop: int) -> Any:
    """Some of the inputs, those next to each other."""
    return inputs.iloc[start:stop] if isinstance(inputs, pd.DataFrame) else inputs[start:stop]


def picked(inputs: Any, rows: IndexArray) -> Any:
    """Some of the inputs, by their numbers (m,)."""
    if isinstance(inputs, pd.DataFrame):
        return inputs.iloc[rows]
    return inputs[rows] if isinstance(inputs, np.ndarray) else [inputs[row] for row in rows.tolist()]
