"""What is measured of a model before and after a repair, on rows and findings that took no part in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from expga.api import audit, replay
from expga.contracts import Answers, BoolArray, FloatArray, IndexArray, Model
from expga.errors import InputError, ModelError
from expga.inquiry import answers_of
from expga.measuring import measure
from expga.placebo import ask_twice, rows_to_ask
from expga.population import FlipRate
from expga.repair.pairs import Pairs
from expga.repair.reader import Reader
from expga.results import Audit
from expga.subjects import Rows

MOST_ROWS = 10_000
"""Training rows whose flips are counted, at random where there are more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exam:
    """What every model of one repeat is asked, before and after."""

    reader: Reader
    classes: Sequence[Any]
    """The labels, by the numbers that they have in `truth`."""
    train: Rows
    """The rows that models are fitted to."""
    test: Rows
    """n rows that no model was fitted to."""
    truth: IndexArray
    """(n,) the numbers of their labels."""
    held_out: Pairs
    """Findings that repaired nothing."""
    strategies: Sequence[str]
    """The searches: that of the audit, then methods that took no part in the repair."""
    max_queries: int
    """Of each search."""
    seed: int

    def of(self, model: Any) -> dict[str, Any]:
        """Everything that is measured of a model."""
        wrapped, positive = self.reader.wrapped(model, self.test)
        answers, number = asked(wrapped, self.reader.subject.inputs(self.test), self.classes)
        holds, total = replay(self.held_out.audit, model, criterion=self.reader.criterion)
        picks = np.random.default_rng(self.seed).permutation(len(self.train))[:MOST_ROWS]
        return {
            **quality(answers, self.truth),
            "held_out": FlipRate(total, holds).as_dict(),
            "flips_train": self._flips(wrapped, positive, self.reader.subject.take(self.train, picks)),
            "flips_test": self._flips(wrapped, positive, self.test),
            "placebo": self._placebo(wrapped, positive),
            "searches": {strategy: self._search(model, strategy) for strategy in self.strategies},
            "groups": self._groups(answers.labels, None if positive is None else int(number[positive])),
        }

    def _flips(self, model: Model, positive: int | None, rows: Rows) -> dict[str, Any]:
        return measure(self.reader.inquiry(model, positive, rows)).overall.as_dict()

    def _placebo(self, model: Model, positive: int | None) -> dict[str, Any]:
        """How often test rows disagree with themselves."""
        inquiry, rng = self.reader.inquiry(model, positive, self.test), np.random.default_rng([self.seed, 1])
        return ask_twice(inquiry, rows_to_ask(inquiry, np.inf, np.inf, rng), rng).as_dict()

    def _search(self, model: Any, strategy: str) -> dict[str, Any]:
        """A fresh search around the test rows; no figures where it cannot search, such as without gradients."""
        names = ("tested", "found", "bred", "success_rate", "distinct_anchors")
        costs = ("seconds_per_finding", "queries_per_finding")
        try:
            found = search_near(self.reader, model, self.test, strategy, self.max_queries, self.seed).summary
        except ModelError:
            raise
        except InputError as error:
            return {**dict.fromkeys((*names, *costs, "queries", "findings_per_query")), "failed": str(error)}
        queries = found["queries"]["explain"] + found["queries"]["search"]
        each = found["bred"] / queries if queries else 0.0
        return {**{name: found[name] for name in (*names, *costs)}, "queries": queries, "findings_per_query": each}

    def _groups(self, labels: IndexArray, positive: int | None) -> dict[str, dict[str, float]]:
        """By attribute, how differently its groups fare, where there are two labels."""
        if positive is None:
            return {}
        said, truth = labels == positive, self.truth == positive
        domain = self.reader.subject.domain(self.test)
        figures: dict[str, dict[str, float]] = {}
        for attribute in self.reader.protected:
            groups = np.array(domain.groups(attribute), dtype=object)
            known = np.array([group is not None for group in groups])
            if len(set(groups[known])) < 2:
                continue
            figures[attribute] = group_differences(said[known], truth[known], groups[known].astype(str))
        return figures


def search_near(reader: Reader, model: Any, rows: Rows, strategy: str, max_queries: int, seed: int) -> Audit:
    """An audit of a model near these rows, by the rules of an earlier one."""
    settings = reader.settings
    return audit(
        model,
        reader.subject.data(rows),
        protected=reader.protected,
        strategy=strategy,
        positive=settings["positive"],
        threshold=settings["threshold"],
        criterion=reader.criterion,
        repeats=settings.get("repeats", 1),
        realism="data",
        max_queries=max_queries,
        seed=seed,
        **reader.subject.options(),
    )


def asked(model: Model, inputs: Any, known: Sequence[Any]) -> tuple[Answers, IndexArray]:
    """A model's answers with classes numbered as they are known, and the number (k,) of each of its own.

    A model fitted to some of the rows may not have met all of them. One whose classes are all unknown has other names
    for them, in the same order.
    """
    answers = answers_of(model, inputs)
    names = list(model.classes)
    numbers = {label: number for number, label in enumerate(known)}
    number = np.arange(len(names))
    if any(label in numbers for label in names):
        number = np.array([numbers.get(label, len(known) + place) for place, label in enumerate(names)])
    scores = np.zeros((len(answers.labels), max(len(known), int(number.max()) + 1)))
    scores[:, number] = answers.scores
    return Answers(number[answers.labels], scores, answers.margins), number


def group_differences(said: BoolArray, truth: BoolArray, groups: npt.NDArray[np.str_]) -> dict[str, float]:
    """How far apart groups are: between the highest and the lowest share of positive answers.

    Demographic parity looks at all rows; equalized odds at those that are positive and at those that are not, and
    takes the larger difference. A group without such rows counts with a share of 0, as it does in fairlearn.

    Args:
        said: (n,) whether the model says positive.
        truth: (n,) whether that is so.
        groups: (n,) what each row belongs to.
    """
    names, number = np.unique(groups, return_inverse=True)

    def apart(some: BoolArray) -> float:
        rows, positive = (np.bincount(number[which], minlength=len(names)) for which in (some, some & said))
        shares = positive / np.maximum(rows, 1)
        return float(shares.max() - shares.min())

    return {
        "demographic_parity_difference": apart(np.ones_like(truth)),
        "equalized_odds_difference": max(apart(truth), apart(~truth)),
    }


def quality(answers: Answers, truth: IndexArray) -> dict[str, float | None]:
    """How good a model is at its task: accuracy, balanced accuracy, AUC (None where there is none to tell)."""
    right = answers.labels == truth
    return {
        "accuracy": float(right.mean()),
        "balanced_accuracy": float(np.mean([right[truth == label].mean() for label in np.unique(truth)])),
        "auc": _auc(answers.scores, truth),
    }


def _auc(scores: FloatArray, truth: IndexArray) -> float | None:
    from sklearn.metrics import roc_auc_score

    classes = scores.shape[1]
    if len(np.unique(truth)) < classes:
        return None
    if classes == 2:
        return float(roc_auc_score(truth, scores[:, 1]))
    one = scores.sum(axis=1, keepdims=True)
    shares = np.divide(scores, one, out=np.full_like(scores, 1 / classes), where=one > 0)
    probable = bool((scores >= 0).all() and np.allclose(shares.sum(axis=1), 1))
    return float(roc_auc_score(truth, shares, multi_class="ovr")) if probable else None
