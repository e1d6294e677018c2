"""What an audit needs to know of its subject, whatever its kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from expga.contracts import Model
from expga.engine import AttributedDomain
from expga.errors import ModelError, UnusableModelError, is_theirs, reason_of
from expga.findings import Findings
from expga.models import wrap


@dataclass(frozen=True, slots=True)
class Subject:
    """A domain, a model, and how to show what is found."""

    domain: AttributedDomain
    model: Model
    positive: int | None
    """The number of the class that scores are given for."""
    settings: dict[str, Any]
    """What a summary says of the subject, and `replay` needs to know."""
    rules: dict[str, Any]
    """What an audit of other rows must be told to read them in the same way."""
    numbered: bool
    """Whether findings call the row behind them by its number, and not as the user does."""
    rows: str
    """Tells one table, or set of texts, from another."""
    fingerprint: str
    """The same, with the rules that it is read by."""
    frame: Callable[[Findings, list[Any], bool], pd.DataFrame]
    examples: Callable[[Findings, pd.DataFrame], list[dict[str, Any]]]
    figures: Callable[[Findings], dict[str, Any]]


def tried(
    model: Any, inputs: Any, positive: Any, threshold: float | None, classes: Sequence[Any] = ()
) -> tuple[Model, int | None]:
    """The model behind its contract, by what it answers about some inputs; whatever it raises is one sentence."""
    try:
        return wrap(model, inputs, positive=positive, threshold=threshold, classes=classes)
    except ModelError as error:
        raise UnusableModelError(str(error)) from error
    except BaseException as error:
        if not is_theirs(error):
            raise
        raise UnusableModelError(f"The model failed on the data: {reason_of(error)}") from error
