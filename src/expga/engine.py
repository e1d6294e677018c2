"""Runs an audit: measure the population, choose seeds, search, within a budget; keep all that is found."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from expga import seeds as seeding
from expga.account import Account
from expga.budget import StopReason
from expga.closing import Closing
from expga.comparison import Comparison
from expga.confirmation import Confirmation, left_by_noise
from expga.contracts import (
    Answers,
    Batch,
    Context,
    Explainer,
    FloatArray,
    Gradients,
    IndexArray,
    Probe,
    Seeds,
    Verdict,
)
from expga.errors import InputError, ModelError
from expga.findings import Findings, batch_fault
from expga.ledger import Counters, Ledger
from expga.meter import Meter, OutOfTimeError
from expga.models import functions_of
from expga.oracle import Oracle
from expga.placebo import Placebo, ask_twice, rows_to_ask
from expga.plan import Outcome, Plan, Snapshot, Watch
from expga.population import Population, measure, queries_of
from expga.sizes import batch_size, largest_batch
from expga.store import Store

POPULATION_SHARE = 0.3
"""The most of a budget that measuring the population may take."""
EXPLAIN_SHARE = 0.2
"""The most of a budget that explaining may take."""
EXPLAIN_ROWS = 1_000
LEARNING = "learn"
"""The phase, for whoever watches, in which nothing is asked."""


BEYOND = (
    "The strategy {name} proposed {count:,} samples beyond the bounds, or further from their real row than real rows "
    "lie from each other; they were not asked about."
)


class Engine:
    """One run of a plan."""

    def __init__(self, plan: Plan, account: Account, store: Store | None = None, watch: Watch | None = None) -> None:
        """Prepares a run.

        Args:
            plan: what to do.
            account: of what was used so far: by the trial of the model, and by earlier parts of the run.
            store: for what is found; what an earlier part of the same run left there is taken up.
            watch: called after every batch.
        """
        self._plan = plan
        self._watch = watch
        self._account = account
        self._ledger = Ledger(store or Store.in_memory())
        before = self._ledger.before
        self._notes = before.notes
        self._tested, self._complete = before.tested, before.complete
        self._generations, self._runs = before.generations, before.runs
        self._search_before = before.search_s
        domain = plan.inquiry.domain
        if not self._runs:
            self._notes.extend(domain.notes())
        self._notes.extend(note for note in self._ledger.store.notes if note not in self._notes)
        self._search_began: float | None = None
        account.phase, account.spending = "population", self._spending
        self._meter = Meter(plan.inquiry.model, account, plan.gradients)
        self._inquiry = replace(plan.inquiry, model=self._meter)
        self._domain = domain
        self._oracle = Oracle(self._inquiry)
        self._oracle.refused, self._oracle.dropped = before.refused, before.dropped
        self._closing = Closing(plan.close)
        if before.found:
            self._oracle.seen.add(domain.keys(self._ledger.findings(domain).genomes))

    @property
    def _search_s(self) -> float:
        began = self._search_began
        return self._search_before + (0.0 if began is None else time.perf_counter() - began)

    def run(self) -> Outcome:
        """Runs to the end of the budget, of the domain, or of the user's patience."""
        self._spending()
        self._tell()
        placebo = self._placebo()
        population = self._population()
        failure: ModelError | None = None
        try:
            self._tell(LEARNING)
            self._domain.prepare()
            seeds = self._seeds(population)
            self._account.phase = "search"
            self._search_began = time.perf_counter()
            reason = self._search(seeds)
        except OutOfTimeError:
            reason = StopReason.TIME
        except KeyboardInterrupt:
            reason = StopReason.INTERRUPTED
        except ModelError as error:
            reason, failure = StopReason.FAILED, error
        search_s = self._search_s
        if refused := self._oracle.refused:
            self._notes.append(BEYOND.format(name=self._plan.strategy.name, count=refused))
        self._ledger.flush(self._counters())
        return Outcome(
            placebo=placebo,
            population=population,
            findings=self._ledger.findings(self._domain),
            refused=self._oracle.refused,
            dropped=self._oracle.dropped,
            left_by_noise=left_by_noise(self._oracle.dropped, self._inquiry.yardstick.criterion.labels_decide),
            stop_reason=reason,
            queries=self._account.queries,
            model_s=self._account.model_s,
            elapsed=self._account.elapsed,
            search_s=search_s,
            tested=self._tested,
            complete=self._complete,
            generations=self._generations,
            notes=self._notes,
            failure=failure,
        )

    def _rng(self, phase: int) -> np.random.Generator:
        """A stream of its own for each phase and each time the run is taken up again."""
        return np.random.default_rng([self._plan.seed, phase, self._runs])

    def _placebo(self) -> Placebo:
        """Asks some rows twice; where the model does not answer alike, findings must hold from now on."""
        placebo = self._ledger.placebo()
        if placebo is None:
            self._account.phase, rng = "placebo", self._rng(3)
            inputs, left = self._inputs_in_all(), self._inputs_left()
            try:
                rows = rows_to_ask(self._inquiry, inputs, inputs if left is None else left, rng)
                placebo = ask_twice(self._inquiry, rows, rng, self._meter.pace)
            except OutOfTimeError:
                placebo = Placebo()
            if placebo.rows:
                self._ledger.asked_twice(placebo, self._counters())
            self._account.phase = "population"
        if placebo.varies:
            self._oracle.confirmation = Confirmation(self._inquiry, self._rng(4))
        return placebo

    def _inputs_in_all(self) -> float:
        """How many inputs the whole budget covers; by the clock only where no queries are counted."""
        budget = self._plan.budget
        if budget.queries is not None:
            return budget.queries / self._functions
        if budget.seconds is not None:
            return budget.seconds / max(1e-9, self._account.seconds_per_input)
        return float("inf")

    def _population(self) -> Population:
        """Measures all rows, or as many random ones as a share of the budget allows."""
        if (kept := self._ledger.population()) is not None:
            return kept
        domain, budget = self._domain, self._plan.budget
        order = self._rng(0).permutation(len(domain.rows))
        if (left := self._account.queries_left()) is not None:
            cost = np.cumsum(queries_of(domain, domain.rows[order])) * self._functions
            most = min(left, POPULATION_SHARE * (budget.queries or 0))
            order = order[: int(np.searchsorted(cost, most, side="right")) or int(left >= cost[0])]

        began = self._account.elapsed

        def enough() -> bool:
            self._tell()
            if budget.queries is not None or budget.seconds is None:
                return False
            return self._account.elapsed - began > POPULATION_SHARE * budget.seconds

        def pace() -> int:
            return min(self._meter.pace(), 2 * largest_batch(domain))

        measured = measure(self._inquiry, order, enough, pace, self._ask_again)
        population = replace(measured, total=self._plan.total or measured.total)
        self._ledger.measured(population, self._counters())
        return population

    def _ask_again(self, rows: IndexArray, shown: Comparison) -> None:
        """Asks at once about those of the rows (n,) that flip, where time is what counts.

        The search would begin with them. So they are found, however long it then takes to measure and to learn.
        """
        if not self._plan.by_gap or self._plan.budget.queries is not None:
            return
        flip = np.flatnonzero(shown.unfair & np.isin(rows, self._domain.anchors))
        if not len(flip):
            return
        self._account.phase = "search"
        with suppress(OutOfTimeError):  # measuring ends for the same reason
            self._judge(Batch(self._domain.rows[rows[flip]], rows[flip], shown.pair[flip]))
        self._account.phase = "population"

    def _judge(self, batch: Batch) -> Verdict:
        """What the oracle says of a batch, kept."""
        most = None if (limit := self._plan.budget.findings) is None else limit - self._ledger.found
        verdict = self._oracle.judge(batch, self._plan.strategy.asking, self._inputs_left())
        self._tested += len(verdict.tested)
        self._complete += int(verdict.complete.sum())
        self._keep(Findings.of(batch, verdict, most))
        return verdict

    def _seeds(self, population: Population) -> Seeds:
        domain, rng = self._domain, self._rng(1)
        if self._plan.explainer is None:
            choose = seeding.by_gap if self._plan.by_gap else seeding.at_random
            return choose(domain, population, rng)
        self._account.phase = "explain"
        rows = self._rows_to_explain(self._plan.explainer, rng)
        if not len(rows):
            self._notes.append("The budget is too small to explain any row; seeds are random rows.")
            return seeding.at_random(domain, population, rng)
        ranks = self._plan.explainer.ranks(self._meter, domain, rows, rng)
        seeds, epsilon, admitted = seeding.by_explanation(domain, population, rows, ranks, self._plan.epsilon)
        if not admitted:
            self._notes.append(f"No row has a protected feature among its first {epsilon}; took the best-ranked fifth.")
        return seeds

    def _rows_to_explain(self, explainer: Explainer, rng: np.random.Generator) -> IndexArray:
        """Up to 1,000 rows, halved until explaining them fits its share of the budget."""
        domain, budget = self._domain, self._plan.budget
        most = np.inf
        if (left := self._inputs_left()) is not None:
            most = min(left, EXPLAIN_SHARE * (budget.queries or 0) / self._functions)
        elif budget.seconds is not None:
            most = EXPLAIN_SHARE * budget.seconds / self._account.seconds_per_input
        count = min(EXPLAIN_ROWS, len(domain.anchors))
        while count and explainer.queries(domain, count) > most:
            count //= 2
        return rng.permutation(domain.anchors)[:count]

    def _search(self, seeds: Seeds) -> StopReason:
        plan = self._plan
        deciding = self._inquiry.yardstick.deciding
        size = batch_size(plan.budget, self._domain, self._account, self._meter.pace())
        context = Context(self._domain, seeds, self._rng(2), size, deciding, plan.manner, self._inputs_left)
        search = plan.strategy.search(context)
        try:
            proposal = next(search)
            while (reason := self._spent()) is None:
                left = self._inputs_left()
                if isinstance(proposal, Probe | Gradients):
                    if left is not None and len(proposal) > left:
                        return StopReason.QUERIES
                    proposal = search.send(self._answer(proposal))
                    self._tell()
                    continue
                self._check(proposal)
                self._generations += 1
                verdict = self._judge(proposal)
                if verdict.cut:
                    return StopReason.QUERIES
                proposal = search.send(verdict)
        except StopIteration:
            reason = StopReason.EXHAUSTED
        finally:
            search.close()
        return reason

    @property
    def _functions(self) -> int:
        """How many queries an input may take."""
        return functions_of(self._plan.inquiry.model) * self._account.repeats

    def _inputs_left(self) -> int | None:
        """How many more inputs the model may be asked about, whatever they take; None: no limit."""
        left = self._account.queries_left()
        return None if left is None else left // self._functions

    def _check(self, proposal: Any) -> None:
        """Raises unless a strategy, which may be anybody's, has proposed a batch of genomes near real rows."""
        called = f"The strategy {self._plan.strategy.name} proposed"
        if not isinstance(proposal, Batch):
            raise InputError(f"{called} a {type(proposal).__name__} where a Batch, a Probe or Gradients are expected.")
        if (wrong := batch_fault(proposal, self._domain)) is not None:
            raise InputError(f"{called} a batch {wrong}.")

    def _answer(self, question: Probe | Gradients) -> Answers | FloatArray:
        if isinstance(question, Probe):
            return self._inquiry.alone(question.genomes)
        return self._meter.gradients(question.genomes)

    def _spending(self) -> None:
        self._ledger.spend(self._counters())

    def _spent(self) -> StopReason | None:
        budget, left, seconds = self._plan.budget, self._inputs_left(), self._account.seconds_left()
        if budget.findings is not None and self._ledger.found >= budget.findings:
            return StopReason.FINDINGS
        if left is not None and left < 2:
            return StopReason.QUERIES
        if budget.generations is not None and self._generations >= budget.generations:
            return StopReason.GENERATIONS
        if seconds is not None and seconds <= 0:
            return StopReason.TIME
        return None

    def _keep(self, findings: Findings) -> None:
        self._ledger.add(findings, self._counters())
        if self._plan.budget.queries is None:
            self._account.closing_s = self._closing.seconds(findings, self._ledger.found)
        self._tell()

    def _tell(self, phase: str | None = None) -> None:
        if self._watch is not None:
            now, ledger = self._account, self._ledger
            self._watch(Snapshot(phase or now.phase, now.elapsed, now.total, self._tested, ledger.found, ledger.kept))

    def _counters(self) -> Counters:
        inquiry = self._plan.inquiry
        return Counters(
            runs=self._runs + 1,
            elapsed=self._account.elapsed,
            search_s=self._search_s,
            tested=self._tested,
            complete=self._complete,
            generations=self._generations,
            queries=self._account.queries,
            model_s=self._account.model_s,
            notes=self._notes,
            classes=[label if isinstance(label, str | int | float) else str(label) for label in inquiry.model.classes],
            positive=inquiry.yardstick.positive,
            refused=self._oracle.refused,
            dropped=self._oracle.dropped,
        )
