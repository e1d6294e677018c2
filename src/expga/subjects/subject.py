"""What an audit needs to know of its subject, whatever its kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from expga.contracts import Domain, Model
from expga.errors import ModelError, UnusableModelError, failed_on, is_theirs
from expga.findings import Findings
from expga.models import FirstAnswers, Learnt, Reach, in_this_process, learn


@dataclass(frozen=True, slots=True)
class Subject:
    """A domain, a model, and how to show what is found."""

    domain: Domain
    learnt: Learnt
    """The model behind its contract, and what its trial showed."""
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

    @property
    def model(self) -> Model:
        return self.learnt.model

    @property
    def positive(self) -> int | None:
        """The number of the class that scores are given for."""
        return self.learnt.positive

    @property
    def notes(self) -> list[str]:
        """What users should know about the model's answers, by now."""
        return self.learnt.notes

    @property
    def first_answers(self) -> FirstAnswers:
        """What the model said of the first rows that it was tried on, which are the same for the same data."""
        return self.learnt.first


def tried(
    model: Any,
    inputs: Any,
    positive: Any,
    threshold: float | None,
    classes: Sequence[Any] = (),
    reach: Reach = in_this_process,
) -> tuple[Model, int | None]:
    """The model behind its contract, by what it answers about some inputs, and its positive class; see `learnt`."""
    found = learnt(model, inputs, positive=positive, threshold=threshold, classes=classes, reach=reach)
    return found.model, found.positive


def learnt(model: Any, inputs: Any, **options: Any) -> Learnt:
    """What `learn` says of a model with such options; whatever the model raises is one sentence."""
    try:
        return learn(model, inputs, **options)
    except ModelError as error:
        raise UnusableModelError(str(error)) from error
    except BaseException as error:
        if not is_theirs(error):
            raise
        raise UnusableModelError(str(failed_on("the data", error))) from error
