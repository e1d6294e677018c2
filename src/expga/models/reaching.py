"""How a model's functions are called in this process: several calls at once, where the model takes them."""

from __future__ import annotations

from functools import partial
from threading import Thread
from types import MethodType
from typing import Any

import numpy as np

from expga.errors import InputError
from expga.inputs import in_short
from expga.models.answers import Values, checked, joined_values
from expga.models.calls import Predict, attribute, call, part_of

MOST_AT_ONCE = 256
FEWEST_ROWS = 4
"""Rows of each call, where several are made instead of one."""


def in_this_process(model: Any, method: str | None) -> Predict:
    """The model's own method, or the model itself; for several calls at once where it has `concurrent_calls`."""
    predict: Predict = model if method is None else getattr(model, method)
    most = calls_at_once(model)
    what = "The model" if method is None else f"The model's {method}"
    return predict if most == 1 else partial(_at_once, predict, most, what)


def calls_at_once(model: Any) -> int:
    """How many calls of a model may go on at once, as it says itself, or the object whose method it is."""
    said = attribute(model, "concurrent_calls")
    if said is None and isinstance(model, MethodType):
        said = attribute(model.__self__, "concurrent_calls")
    if said is None:
        return 1
    if isinstance(said, bool) or not isinstance(said, int | np.integer) or not 1 <= said <= MOST_AT_ONCE:
        raise InputError(
            f"The model's concurrent_calls, how many calls it takes at once, is {in_short(said)}; make it a whole "
            f"number from 1 to {MOST_AT_ONCE}."
        )
    return int(said)


def _at_once(predict: Predict, most: int, what: str, inputs: Any) -> Values:
    """What a function says of inputs (n,), asked about in equal parts at the same time; how many hangs on n alone.

    All calls are waited for, and of several errors the first part's counts; only Ctrl-C leaves them to themselves.
    """
    parts = max(1, min(most, len(inputs) // FEWEST_ROWS))
    bounds = np.linspace(0, len(inputs), parts + 1).astype(int)
    said: dict[int, Values] = {}
    failed: dict[int, BaseException] = {}

    def ask(place: int) -> None:
        some = part_of(inputs, bounds[place], bounds[place + 1])
        try:
            said[place] = checked(call(predict, some, what), len(some), what)
        except BaseException as error:  # whatever it is, it is raised where it is waited for
            failed[place] = error

    threads = [Thread(target=ask, args=(place,), daemon=True) for place in range(parts)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[min(failed)]
    return joined_values([said[place] for place in range(parts)])
