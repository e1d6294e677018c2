"""The one place where the user's model is called: what it is given is its own, what it raises is one sentence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from expga.errors import UnusableModelError, failed_on, is_theirs, reason_of

FIRST = 8
"""Rows of a first call, whose time nobody knows."""
LARGEST_CALL = 16_384

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
    """How many inputs a call should have where its time matters, by how long those before took."""

    seconds: float
    """The most that a call should take."""
    rows: int = FIRST

    def took(self, rows: int, seconds: float) -> None:
        """Told of a call when it is over."""
        if 2 * seconds < self.seconds and rows >= self.rows:
            self.rows = min(2 * self.rows, LARGEST_CALL)
        elif seconds > self.seconds:
            self.rows = max(1, self.rows // 2)


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
