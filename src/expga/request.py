"""What a user asks of an audit, checked, with the usual choices for what was left open."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Literal

import numpy as np
import pandas as pd

from expga.account import Account
from expga.budget import Budget, StopReason, seconds_of
from expga.comparison import Yardstick
from expga.contracts import Criterion, Explainer, GradientsOf, Manner, Realism, Strategy
from expga.criterion import as_saved, criterion_of
from expga.errors import InputError
from expga.explain import explainer as explainer_of
from expga.exposure import Exposure, cells_within, exposure, seconds_within
from expga.findings import Findings
from expga.inputs import in_short
from expga.inquiry import Inquiry
from expga.models import Known, Reach, adapted, functions_of, gives_scores
from expga.models.repeated import MOST_REPEATS
from expga.plan import Outcome, Plan
from expga.results import Audit, summarise
from expga.search import of_kind
from expga.search import strategy as strategy_of
from expga.subjects import Kind, Subject, Trying, kind_of, nan_columns

DEFAULT_BUDGET = "30s"
GAP = "gap"
"""What stands in the place of an explainer where seeds are chosen by what the population's measurement knows."""

GivenExplainer = str | type[Explainer] | Explainer | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """An audit as it is wanted: nothing of it can fail for what the user said, only for the model and the data."""

    model: Any
    X: Any
    kind: Kind
    options: Mapping[str, Any]
    """Those that kinds of subject take, by name."""
    protected: list[str]
    strategy: Strategy
    manner: Manner
    explainer: GivenExplainer
    """What seeds are chosen by; "gap": by nothing that explains; None: at random."""
    epsilon: int | Literal["auto"] | None
    realism: Realism
    positive: Any
    threshold: float | None
    criterion: Criterion
    budget: Budget
    population_share: float
    """Of the budget, the most that measuring real rows may take."""
    call_timeout: float | None
    repeats: int
    """How often each question is put to the model, for the majority of its answers."""
    seed: int

    @classmethod
    def of(
        cls,
        model: Any,
        X: Any,
        *,
        options: Mapping[str, Any],
        protected: str | Sequence[str],
        strategy: str | type[Strategy] | Strategy,
        manner: Manner | None,
        explainer: GivenExplainer,
        epsilon: int | Literal["auto"] | None,
        realism: Realism | None,
        positive: Any,
        threshold: float | None,
        criterion: str | type | Criterion | None,
        min_gap: float | None,
        budget: Budget,
        population_share: float,
        call_timeout: str | float | None,
        repeats: int,
        seed: int,
    ) -> Request:
        """By what the user says, or one sentence on what cannot be meant or does not go together."""
        _check_numbers(threshold, epsilon, repeats, seed)
        if not 0 < population_share < 1:
            raise InputError(
                "The share of the budget that measures real rows lies between 0 and 1, such as 0.2, and is not "
                f"{in_short(population_share)}."
            )
        timeout = None if call_timeout is None else seconds_of(call_timeout, "call timeout")
        kind = kind_of(X, options)
        chosen = strategy_of(strategy, kind.name, kind.called)
        if manner not in (None, *chosen.manners):
            raise InputError(
                f"The strategy {chosen.name} has no manner {manner!r}; choose {' or '.join(chosen.manners)}."
            )
        bound: Realism = realism or chosen.usual_realism
        if bound not in ("data", "domain"):
            raise InputError(f"There is no realism {bound!r}; choose data or domain.")
        if timeout is not None and chosen.needs_gradients:
            raise InputError(
                f"The strategy {chosen.name} takes the model's gradients in this process, where no call can be ended; "
                "leave the call timeout out, or choose a strategy that does without gradients: "
                f"{_without(kind)}."
            )
        request = cls(
            model=adapted(model),
            X=X,
            kind=kind,
            options=options,
            protected=names_of(protected),
            strategy=chosen,
            manner=manner or chosen.manners[0],
            explainer=chosen.usual_explainer if isinstance(explainer, str) and explainer == "auto" else explainer,
            epsilon=epsilon,
            realism=bound,
            positive=positive,
            threshold=threshold,
            criterion=criterion_of(criterion, min_gap),
            budget=budget,
            population_share=population_share,
            call_timeout=timeout,
            repeats=repeats,
            seed=seed,
        )
        request._explains(None)  # one that there is not is refused before the model is asked anything
        chosen.check(request.manner)
        return request

    def subject(self, account: Account, reach: Reach, known: Known | None) -> Subject:
        """The subject that model and data make, once the model has been tried."""
        trying = Trying(
            positive=self.positive,
            threshold=self.threshold,
            labels_decide=self.criterion.labels_decide,
            reach=account.through(reach),
            allowance=account,
            known=known,
        )
        return self.kind.subject(self.model, self.X, self.protected, self.realism, self.options, trying)

    def plan(self, subject: Subject, write: Callable[[pd.DataFrame], object] = lambda _: None) -> Plan:
        """What the engine is to do.

        Args:
            subject: of the audit.
            write: what will be done with a table of findings, but for leaving it somewhere.
        """
        model, queries = subject.model, self.budget.queries

        def close(findings: Findings) -> None:
            subject.ready()
            table = subject.frame(findings, list(model.classes), subject.positive is not None or not model.classes)
            subject.examples(findings, table)
            write(table)

        if not model.classes and getattr(self.strategy, "needs_labels", False):
            raise InputError(
                f"The strategy {self.strategy.name} follows labels, and this model predicts numbers; choose a strategy "
                f"that does without: {_without(self.kind, 'needs_labels')}."
            )
        return Plan(
            inquiry=Inquiry(model=model, domain=subject.domain, yardstick=Yardstick(self.criterion, subject.positive)),
            strategy=self.strategy,
            explainer=self._explains(None if queries is None else queries // (functions_of(model) * self.repeats)),
            by_gap=self._by_gap,
            epsilon=None if self.epsilon == "auto" else self.epsilon or self.kind.usual_epsilon,
            budget=self.budget,
            seed=self.seed,
            manner=self.manner,
            population_share=self.population_share,
            gradients=self._gradients(subject),
            close=close,
            close_s=seconds_within(self.budget),
            total=subject.total,
        )

    def settings(self, subject: Subject) -> dict[str, Any]:
        """What a run must be begun and taken up with, to be the same."""
        return {
            "strategy": self.strategy.name,
            "manner": self.manner,
            "protected": list(subject.domain.attribute_readings),
            "explainer": self._explainer_name,
            "realism": self.realism,
            "positive": self.positive,
            "threshold": self.threshold,
            "min_gap": getattr(self.criterion, "min_gap", None),
            "criterion": as_saved(self.criterion),
            "epsilon": self.epsilon,
            "repeats": self.repeats,
            "population_share": self.population_share,
            "seed": self.seed,
            **subject.settings,
        }

    def result(self, outcome: Outcome, subject: Subject) -> Audit:
        """What a run came to, as the user gets it."""
        classes, number = list(subject.model.classes), subject.positive
        table = subject.frame(outcome.findings, classes, number is not None or not classes)
        settings = {
            **self.settings(subject),
            "positive": None if number is None else classes[number],
            "classes": classes,
            "scored": gives_scores(subject.model),
            "nan_columns": nan_columns(table),
            "rules": subject.rules,
            "rows": subject.rows(),
            "numbered": subject.numbered,
        }
        told = [*subject.notes, *subject.remarks(outcome.findings)]
        noticed = [*outcome.placebo.notes(self.criterion.what), *told, *self._on_gaps(outcome), *_on_ends(outcome)]
        outcome.notes.extend(note for note in noticed if note not in outcome.notes)
        as_they_are = int(outcome.findings.as_they_are(subject.domain).sum())
        exposed, figures = self._exposure(outcome, subject), subject.figures(outcome.findings)
        summary = summarise(outcome, as_they_are, exposed, figures, settings)
        return Audit({**summary, "examples": subject.examples(outcome.findings, table)}, table)

    def _exposure(self, outcome: Outcome, subject: Subject) -> Exposure | None:
        """How many rows are exposed; of a model that does not always answer alike nobody knows."""
        if outcome.placebo.varies:
            return None
        cells = cells_within(self.budget)
        return exposure(subject.domain, outcome.population, outcome.findings, subject.fewest, cells)

    def _on_gaps(self, outcome: Outcome) -> list[str]:
        """How far scores come apart where none came as far as counts: the gap asked for may be in another unit."""
        gaps = outcome.population.gap
        if self.criterion.labels_decide or outcome.population.overall.flipped or len(outcome.findings) or not len(gaps):
            return []
        return [f"Nothing counted as different; the widest gap between the twins of a real row was {gaps.max():.4g}."]

    def _explains(self, most: int | None) -> Explainer | None:
        """What explains rows, if anything does, where so many may be asked about in all."""
        if self.explainer is None or self._by_gap:
            return None
        return explainer_of(self.explainer, self.kind.name, most)

    @property
    def _by_gap(self) -> bool:
        return isinstance(self.explainer, str) and self.explainer == GAP

    @property
    def _explainer_name(self) -> str | None:
        if self.explainer is None or isinstance(self.explainer, str):
            return self.explainer
        return (self.explainer if isinstance(self.explainer, type) else type(self.explainer)).__name__

    def _gradients(self, subject: Subject) -> GradientsOf | None:
        """The gradients of the user's model for a strategy that needs them."""
        if not self.strategy.needs_gradients:
            return None
        found, classes = self.kind.gradients(self.model, subject), len(subject.model.classes)
        if found is None:
            lack = "offers no gradients" if classes == 2 else f"has {classes} classes, not two"
            lack = lack if classes else "predicts numbers, not one of two labels"
            raise InputError(
                f"The strategy {self.strategy.name} follows gradients, and this model {lack}; give a scikit-learn MLP "
                "or logistic regression of two classes, a PyTorch module as expga.models.TorchTable, or a model with a "
                f"method gradients(X), or choose a strategy that does without: {_without(self.kind)}."
            )
        return found


def _on_ends(outcome: Outcome) -> list[str]:
    """That a search ended before its budget did."""
    if outcome.stop_reason != StopReason.EXHAUSTED:
        return []
    return ["The search ended before its budget: nothing was left that could be asked about and was not yet."]


def names_of(protected: Any) -> list[str]:
    """The protected attributes that a user means by one name or number, or by several; a set has no order."""
    if isinstance(protected, str | Integral):
        return [str(protected)]
    if not isinstance(protected, Iterable):
        raise InputError(f"The protected attributes are {in_short(protected)}; give their names as a list.")
    names = [str(name) for name in protected]
    return sorted(names) if isinstance(protected, set | frozenset) else names


def budget_of(
    budget: str | float | None, max_queries: int | None, max_generations: int | None, max_findings: int | None
) -> Budget:
    """When a run ends: by the clock too, unless queries end it."""
    if budget is None and max_queries is None:
        budget = DEFAULT_BUDGET
    return Budget(None if budget is None else seconds_of(budget), max_queries, max_generations, max_findings)


def _without(kind: Kind, *needs: str) -> str:
    """The strategies for a kind of subject that have none of these needs."""
    fitting = [
        name
        for name, strategy in of_kind(kind.name).items()
        if not any(getattr(strategy, need, False) for need in (*needs, "needs_gradients"))
    ]
    return ", ".join(fitting)


def _check_numbers(threshold: float | None, epsilon: int | str | None, repeats: Any, seed: int) -> None:
    if seed < 0:
        raise InputError(f"The seed must be 0 or more, not {seed}.")
    if not isinstance(repeats, int) or isinstance(repeats, bool) or not 1 <= repeats <= MOST_REPEATS:
        raise InputError(
            f"The number of repeats, how often each question is put, is a whole number from 1 to {MOST_REPEATS:,}, "
            f"not {in_short(repeats)}."
        )
    if threshold is not None and not np.isfinite(threshold):
        raise InputError(f"The threshold must be a number, not {threshold}.")
    if epsilon not in (None, "auto") and not (isinstance(epsilon, int) and epsilon >= 1):
        raise InputError(f"ε is a rank from 1 on, or auto, not {epsilon}.")
