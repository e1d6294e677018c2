"""What an audit needs to know of its subject, whatever its kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from expga.contracts import Domain, Model
from expga.errors import ModelError, UnusableModelError, failed_on, is_theirs
from expga.exposure import Fewest
from expga.findings import Findings
from expga.models import Allowance, FirstAnswers, Known, Learnt, Reach, in_this_process, learn

SAMPLED = "The data has {total:,} rows; a random {held:,} of them were read, measured, and searched around."


@dataclass(frozen=True, slots=True, kw_only=True)
class Trying:
    """How a model is tried before it is audited; see `learn`."""

    positive: Any = None
    threshold: float | None = None
    classes: Sequence[Any] = ()
    labels_decide: bool = True
    reach: Reach = in_this_process
    allowance: Allowance | None = None
    known: Known | None = None

    def of(self, model: Any, inputs: Any, **more: Any) -> Learnt:
        """What a model shows on some inputs; whatever it raises is one sentence."""
        try:
            return learn(model, inputs, **{name: getattr(self, name) for name in self.__slots__}, **more)
        except ModelError as error:
            raise UnusableModelError(str(error)) from error
        except BaseException as error:
            if not is_theirs(error):
                raise
            raise UnusableModelError(str(failed_on("the data", error))) from error


@dataclass(frozen=True, slots=True, kw_only=True)
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
    rows: Callable[[], str]
    """Tells one table, or set of texts, from another; of a large one that takes a while."""
    fingerprint: Callable[[], str]
    """The same, with the rules that it is read by."""
    frame: Callable[[Findings, list[Any], bool], pd.DataFrame]
    examples: Callable[[Findings, pd.DataFrame], list[dict[str, Any]]]
    figures: Callable[[Findings], dict[str, Any]]
    remarks: Callable[[Findings], list[str]] = lambda _: []
    """What users should know of the findings as a whole."""
    ready: Callable[[], object] = lambda: None
    """Learns now what figures would otherwise wait for."""
    fewest: Fewest | None = None
    """By how few changes rows become findings; None: those that they are the anchors of."""
    total: int | None = None
    """How many rows the user gave, where the domain may hold no more than a sample of them; None: all of them."""

    @property
    def model(self) -> Model:
        return self.learnt.model

    @property
    def positive(self) -> int | None:
        """The number of the class that scores are given for."""
        return self.learnt.positive

    @property
    def notes(self) -> list[str]:
        """What users should know about the rows and the model's answers, by now."""
        held = len(self.domain.rows)
        sample = [] if self.total in (None, held) else [SAMPLED.format(total=self.total, held=held)]
        return [*sample, *self.learnt.notes]

    @property
    def first_answers(self) -> FirstAnswers:
        """What the model said of the first rows that it was tried on, which are the same for the same data."""
        return self.learnt.first
