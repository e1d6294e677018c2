"""The one place where the user's model is called: what it is given is its own, what it raises is one sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from expga.contracts import IndexArray
from expga.errors import UnusableModelError, failed_on, is_theirs, reason_of

FIRST = 8
"""Rows of a first call, whose time nobody knows."""
LARGEST_CALL = 16_384
"""Rows of a call, unless it is a long way to the model."""

Predict: TypeAlias = Callable[[Any], Any]
"""Inputs in, whatever the model says out."""

Reach: TypeAlias = Callable[[Any, str | None], Predict]
"""From a model and the name of one of its methods (None: the model itself is called) to what calls it."""


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
