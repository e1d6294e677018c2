"""Runs an audit: measure the population, choose seeds, search, within a budget; keep all that is found."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np

from expga import seeds as seeding
from expga.account import Account
from expga.budget import StopReason
from expga.closing import Closing
from expga.confirmation import Confirmation, left_by_noise
from expga.contracts import (
    Answers,
    Batch,
    Context,
    FloatArray,
    Gradients,
    Probe,
    Seeds,
    Verdict,
)
from expga.errors import InputError, ModelError
from expga.explaining import explained, most_to_explain
from expga.findings import Findings, batch_fault
from expga.hearing import Hearing
from expga.ledger import Counters, Ledger
from expga.meter import Meter, OutOfTimeError
from expga.models import functions_of
from expga.models.calls import LARGEST_CALL
from expga.oracle import Oracle
from expga.placebo import Placebo, ask_twice, rows_to_ask
from expga.plan import Outcome, Plan, Snapshot, Watch
from expga.population import Population
from expga.sizes import batch_size, largest_batch, largest_question
from expga.store import Store
from expga.survey import Survey

FIRST_INPUTS = 200
"""Inputs that are asked about at once of the first real rows, where a search goes on beside it."""
LEARNING_SHARE = 0.1
"""The most of a budget that learning from the data may take, but for what no search can do without."""
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
        self._notes.extend(note for note in self._ledger.store.notes if note not in self._notes)
        self._search_began: float | None = None
        account.phase, account.spending = "population", self._spending
        self._stage = "population"
        """What whoever watches is told: real rows that are measured beside a search are no stage of their own."""
        self._meter = Meter(plan.inquiry.model, account, plan.gradients)
        self._hearing = Hearing()
        self._learns = bool(getattr(plan.strategy, "learns", False))
        hear = self._hearing.hear if self._learns else None
        rows = largest_question(plan.budget, domain)
        self._inquiry = replace(plan.inquiry, model=self._meter, rows_a_call=rows, hear=hear)
        self._news: list[Population] = []
        self._domain = domain
        self._oracle = Oracle(self._inquiry)
        self._oracle.refused, self._oracle.dropped = before.refused, before.dropped
        self._closing = Closing(plan.close, plan.close_s)
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
        survey = self._survey()
        failure: ModelError | None = None
        reason = self._measured_first(survey)
        try:
            reason = reason or self._search_around(survey)
        except OutOfTimeError:
            reason = StopReason.TIME
        except KeyboardInterrupt:
            reason = StopReason.INTERRUPTED
        except ModelError as error:
            reason, failure = StopReason.FAILED, error
        population = self._population(survey)
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

    def _survey(self) -> Survey:
        """The real rows that are to be measured."""
        return Survey(
            self._inquiry,
            self._account,
            self._plan.budget,
            self._plan.population_share,
            functions=lambda: self._functions,
            pace=self._meter.pace,
            rng=self._rng(0),
            before=self._ledger.population(),
        )

    def _population(self, survey: Survey) -> Population:
        """What was measured by now."""
        return replace(survey.population, total=self._plan.total or survey.population.total)

    def _measured_first(self, survey: Survey) -> StopReason | None:
        """Measures what a search should know that goes on beside it, for one that does not learn everything."""
        by_queries = self._plan.budget.queries is not None
        reason = None
        try:
            while not (survey.begun if self._learns else survey.over):
                self._measure(survey, FIRST_INPUTS if self._learns and by_queries else LARGEST_CALL)
        except OutOfTimeError:
            reason = StopReason.TIME
        self._ledger.measured(self._population(survey), self._counters())
        return reason

    def _measure(self, survey: Survey, inputs: int) -> None:
        """Measures some real rows; those that flip are findings as they are."""
        part, shown = survey.next(inputs)
        self._oracle.remember(self._domain.rows[part.asked], shown)
        self._news.append(part)
        if self._learns:
            self._judge_flips(part)
        self._tell()

    def _judge_flips(self, population: Population) -> None:
        """Judges the real rows that were seen to flip: what is known is not asked, unless it must hold again."""
        flip = np.flatnonzero(population.unfair & np.isin(population.asked, self._domain.anchors))
        rows, size = population.asked[flip], largest_batch(self._domain)
        phase, self._account.phase = self._account.phase, "search"
        for start in range(0, len(rows) if self._plan.by_gap else 0, size):
            some = slice(start, start + size)
            self._judge(Batch(self._domain.rows[rows[some]], rows[some], population.pair[flip[some]]))
        self._account.phase = phase

    def _more_seeds(self) -> Seeds | None:
        """Real rows that were measured since it was asked last."""
        if not self._news or not self._plan.by_gap:
            return None
        news, self._news = Population.joined(self._news), []
        return seeding.newly(self._domain, news, self._rng(1))

    def _learn(self) -> None:
        """Has the domain learn what a search needs: by the clock alone, what a share of the time is enough for."""
        budget, began = self._plan.budget, self._account.elapsed
        self._stage = LEARNING

        def enough() -> bool:
            self._tell()
            if (left := self._account.seconds_left()) is not None and left <= 0:
                raise OutOfTimeError
            if budget.queries is not None or budget.seconds is None:
                return False
            return self._account.elapsed - began > LEARNING_SHARE * budget.seconds

        enough()
        self._domain.prepare(enough)
        self._notes.extend(note for note in self._domain.notes() if note not in self._notes)
        # Rows were compared with each other, and findings will be with rows: with half as many cells at most.
        self._closing.besides += (self._account.elapsed - began) / 2

    def _search_around(self, survey: Survey) -> StopReason:
        """Searches, and measures beside it; what was found has no say in how much is measured."""
        self._learn()
        seeds, self._news = self._seeds(survey.population), []
        self._account.phase = self._stage = "search"
        self._search_began = time.perf_counter()
        reason = self._search(seeds, survey)
        if reason in (StopReason.EXHAUSTED, StopReason.FINDINGS, StopReason.GENERATIONS):
            while not survey.over:
                self._measure(survey, LARGEST_CALL)
        self._judge_flips(survey.population)
        self._ledger.measured(self._population(survey), self._counters())
        return reason

    def _judge(self, batch: Batch) -> Verdict:
        """What the oracle says of a batch, kept."""
        most = None if (limit := self._plan.budget.findings) is None else limit - self._ledger.found
        verdict = self._oracle.judge(batch, self._plan.strategy.asking, self._inputs_left())
        self._tested += len(verdict.tested)
        self._complete += int(verdict.complete.sum())
        self._keep(Findings.of(batch, verdict, most))
        return verdict

    def _seeds(self, population: Population) -> Seeds:
        """Where the search starts from."""
        plan, rng = self._plan, self._rng(1)
        if plan.explainer is None:
            return (seeding.by_gap if plan.by_gap else seeding.at_random)(self._domain, population, rng)
        self._account.phase = "explain"
        most = most_to_explain(plan.budget, self._inputs_left(), self._functions, self._meter.seconds_an_input)
        seeds, note = explained(plan, population, self._meter, most, rng)
        self._notes.extend(note)
        return seeds

    def _search(self, seeds: Seeds, survey: Survey) -> StopReason:
        plan = self._plan
        deciding = self._inquiry.yardstick.deciding
        size = self._batch_size()
        context = Context(
            domain=self._domain,
            seeds=seeds,
            rng=self._rng(2),
            batch_size=size,
            deciding=deciding,
            compared=self._compared,
            labels_decide=self._inquiry.yardstick.criterion.labels_decide,
            manner=plan.manner,
            queries_left=self._inputs_left,
            asked=self._oracle.seen.has,
            heard=self._hearing.taken,
            more_seeds=self._more_seeds,
            pace=self._seconds_an_input,
            sizes=self._batch_size,
        )
        search = plan.strategy.search(context)
        try:
            proposal = next(search)
            while (reason := self._spent()) is None:
                if self._learns and survey.due:
                    self._measure(survey, LARGEST_CALL if plan.budget.queries is None else size)
                    self._ledger.measured(self._population(survey), self._counters())
                    continue
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

    def _batch_size(self) -> int:
        """How many samples are worth asking about together by now; where queries are counted, always as many."""
        return batch_size(self._plan.budget, self._domain, self._account, self._meter.turn(), self._learns)

    @property
    def _functions(self) -> int:
        """How many queries an input may take."""
        return functions_of(self._plan.inquiry.model) * self._account.repeats

    def _inputs_left(self) -> int | None:
        """How many more inputs the model may be asked about, whatever they take; None: no limit."""
        left = self._account.queries_left()
        return None if left is None else left // self._functions

    def _seconds_an_input(self) -> float | None:
        """By the clock only where no queries are counted."""
        return None if self._plan.budget.queries is not None else self._meter.seconds_an_input()

    @property
    def _compared(self) -> int | None:
        """The class whose scores are compared; a model that predicts numbers has but one column of them."""
        return 0 if not self._plan.inquiry.model.classes else self._inquiry.yardstick.positive

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
        self._tell()
        if self._plan.budget.queries is None:
            self._account.closing_s = self._closing.seconds(findings, self._ledger.found)

    def _tell(self) -> None:
        if self._watch is not None:
            now, ledger = self._account, self._ledger
            self._watch(Snapshot(self._stage, now.elapsed, now.total, self._tested, ledger.found, ledger.kept))

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
