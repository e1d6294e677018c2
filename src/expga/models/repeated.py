"""Models that are random by nature: each question is put several times; what they say most, or on average, counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from expga.models.answers import Values, checked, joined_values
from expga.models.calls import Predict, Reach, own

MOST_REPEATS = 1_000


def repeated(reach: Reach, times: int) -> Reach:
    """The same way to a model's functions, each of which answers with what it says most of so many times."""
    if times == 1:
        return reach

    def several(model: Any, method: str | None) -> Predict:
        predict, what = reach(model, method), "The model" if method is None else f"The model's {method}"

        def ask(inputs: Any) -> Values:
            said = [checked(predict(own(inputs)), len(inputs), what) for _ in range(times)]
            return combined(said, only_scores=method not in (None, "predict"))

        return ask

    return several


def combined(said: Sequence[Values], *, only_scores: bool) -> Values:
    """One answer for each of n rows: of scores the mean, from which the label then follows, and of labels the majority.

    Args:
        said: each time (n,) or (n, k).
        only_scores: whether even whole numbers are scores; else they are labels, and of two that came equally often it
            is the one that came first.
    """
    everything = joined_values(said).reshape(len(said), *said[0].shape)
    numbers = everything.dtype.kind in "fiub"
    whole = not numbers or bool((everything == np.floor(everything)).all())
    if numbers and (only_scores or everything.ndim == 3 or not whole):
        return np.asarray(everything.mean(axis=0, dtype=np.float64))
    codes = pd.factorize(everything.ravel())[0].reshape(everything.shape)
    votes = np.zeros(codes.shape, dtype=np.intp)
    for one in codes:
        votes += codes == one
    return np.asarray(np.take_along_axis(everything, votes.argmax(axis=0)[np.newaxis], axis=0)[0])
