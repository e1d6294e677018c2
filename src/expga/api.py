"""The Python front door."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from expga.account import Account
from expga.budget import Budget, seconds_of
from expga.comparison import Comparison, Yardstick
from expga.contracts import Criterion, Explainer, GradientsOf, Manner, Realism, Strategy
from expga.criterion import as_saved, criterion_of, saved_criterion
from expga.domain.schema import Schema
from expga.engine import Engine, Plan, Snapshot
from expga.errors import InputError, StoreError
from expga.explain import explainer as explainer_of
from expga.inquiry import Inquiry, answers_of
from expga.ledger import counters_of
from expga.majority import majority
from expga.models import FirstAnswers, Known, Reach, adapted, functions_of, in_this_process
from expga.models.isolated import reached
from expga.results import KIND, Audit, Output, Outputs, files_of, names_of, outputs_of, summarise
from expga.search import of_kind
from expga.search import strategy as strategy_of
from expga.store import Shelf, kept, kept_plan, plan_record
from expga.subjects import Kind, Subject, Trying, kind_of, nan_columns

DEFAULT_BUDGET = "30s"


def audit(
    model: Any,
    X: Any,
    *,
    protected: str | Sequence[str],
    schema: Schema | Mapping[str, Any] | str | Path | None = None,
    text_column: str | None = None,
    lexicon: Mapping[str, Any] | str | Path | None = None,
    vectors: str | Path | None = None,
    strategy: str | type[Strategy] | Strategy = "expga",
    manner: Manner | None = None,
    explainer: str | type[Explainer] | Explainer | None = "auto",
    epsilon: int | Literal["auto"] | None = None,
    realism: Realism | None = None,
    positive: Any = None,
    threshold: float | None = None,
    min_gap: float | None = None,
    criterion: str | type | Criterion | None = None,
    budget: str | float | None = None,
    max_queries: int | None = None,
    max_generations: int | None = None,
    max_findings: int | None = None,
    call_timeout: str | float | None = None,
    seed: int = 0,
    out: str | Path | None = None,
    resume: bool = False,
    overwrite: bool = False,
    inputs: Sequence[Path] = (),
    outputs: Outputs = (),
    progress: Callable[[Snapshot], None] | None = None,
    **options: Any,
) -> Audit:
    """Measures how often the model flips real rows, and searches for more discriminatory samples.

    Args:
        model: anything that predicts: an estimator or pipeline, or a callable on what `X` is.
        X: the features as the model takes them, a frame or an array; or texts, a list or a column of a frame.
        protected: the protected attributes: columns, or attributes that the schema defines; for texts those
            of the lexicon: gender, country, religion, age, race.
        schema: types, bounds, immutables, forbidden combinations, readings; a mapping or a TOML file.
        text_column: the column of a frame that holds texts, which alone the model takes, as a list.
        lexicon: words, pairs or attributes to add to the lexicon; a mapping or a TOML file. Or another graph, the
            .parquet file that `expga lexicon build` wrote.
        vectors: a GloVe file to take substitutes from instead of the vectors that come with the package.
        strategy: "expga", "expga-published" or "random"; for tables also "aequitas", "aequitas-semi-directed",
            "aequitas-random", "sg", "adf" (models with gradients) and "exhaustive", for texts "mtnlp"; or one of
            yours, as `package.module:Name`, a class or an object (see `docs/extending.md`).
        manner: "batched" advances many walks of a strategy at once, "faithful" one at a time, as its paper has it;
            by default the strategy's usual one.
        explainer: what seeds are chosen by: "gap" (the gap between real rows' twins, which the population's
            measurement already knows), "lime", "shap" (the published rule), None (random rows), or one of yours;
            "auto" is the strategy's own: "gap", and for the published strategy "lime" on tables, "shap" on texts.
        epsilon: the rank within which a protected feature lets a row in; "auto" calibrates it, which is the
            default for tables; for texts that is 20.
        realism: "data" stays within reach of real rows (a fifth of a text's words), "domain" only within
            bounds; by default the strategy's own.
        positive: the label that scores are given for; by default the second of two.
        threshold: the score from which a row is positive, instead of the model's own rule.
        min_gap: count a score gap of at least this much instead of a label flip.
        criterion: what else counts as different: "flip", "gap", or one of yours.
        budget: time, such as "30s" (the default unless `max_queries` is given).
        max_queries: the most model queries.
        max_generations: the most batches of the search.
        max_findings: the most findings.
        call_timeout: the most time for one call of the model, such as "10s": the model then runs in a process of its
            own, and a call that hangs, or a model that ends its process, is a `ModelError` like any other.
        seed: of all randomness.
        out: a folder for the results, and for findings while the run goes on.
        resume: go on from what an earlier run left in `out`.
        overwrite: let the new results take the place of those of an earlier audit in `out`, once they are complete.
        inputs: files that must not be replaced, wherever `out` is.
        outputs: what else to write to `out`: "csv", or outputs of yours.
        progress: called after every batch.
        options: what other kinds of subject take.

    Returns:
        The audit. A `ModelError` in the middle of a search carries what was found so far as `.audit`.
    """
    began = time.perf_counter()
    names = [protected] if isinstance(protected, str) else [str(name) for name in protected]
    if budget is None and max_queries is None:
        budget = DEFAULT_BUDGET
    limits = Budget(None if budget is None else seconds_of(budget), max_queries, max_generations, max_findings)
    timeout = None if call_timeout is None else seconds_of(call_timeout, "call timeout")
    _check_numbers(threshold, epsilon, seed)
    own = {"schema": schema, "text_column": text_column, "lexicon": lexicon, "vectors": vectors, **options}
    kind = kind_of(X, own)
    model = adapted(model)
    how = _How.chosen(strategy, manner, explainer, realism, epsilon, kind, timeout)
    different = criterion_of(criterion, min_gap)
    written = outputs_of(outputs)
    with _shelf(out, written, resume, overwrite, inputs) as shelf, reached(model, timeout) as reach:
        account, known = _account(limits, began, shelf if resume else None)
        terms: dict[str, Any] = {"reach": account.through(reach), "allowance": account, "known": known}
        trying = Trying(positive=positive, threshold=threshold, **terms)
        subject = kind.subject(model, X, names, how.realism, own, trying)
        wrapped, number = subject.model, subject.positive
        plan = Plan(
            inquiry=Inquiry(model=wrapped, domain=subject.domain, yardstick=Yardstick(different, number)),
            strategy=how.strategy,
            explainer=how.explainer(None if max_queries is None else max_queries // functions_of(wrapped)),
            seeds=how.seeds_by or "random",
            epsilon=how.rank,
            budget=limits,
            seed=seed,
            manner=how.manner,
            gradients=_gradients(how.strategy, kind, model, subject),
        )
        settings = {
            "strategy": how.strategy.name,
            "manner": how.manner,
            "protected": names,
            "explainer": how.seeds_by,
            "realism": how.realism,
            "positive": positive,
            "threshold": threshold,
            "min_gap": getattr(different, "min_gap", None),
            "criterion": as_saved(different),
            "epsilon": epsilon,
            "seed": seed,
            **subject.settings,
        }
        with _begun(shelf, resume, settings, kind, subject, known):
            outcome = Engine(plan, account, None if shelf is None else shelf.store, progress).run()
        table = subject.frame(outcome.findings, list(wrapped.classes), number is not None)
        settings = {
            **settings,
            "positive": None if number is None else wrapped.classes[number],
            "classes": list(wrapped.classes),
            "nan_columns": nan_columns(table),
            "rules": subject.rules,
            "rows": subject.rows,
            "numbered": subject.numbered,
        }
        outcome.notes.extend(note for note in subject.notes if note not in outcome.notes)
        summary = summarise(outcome, subject.figures(outcome.findings), settings)
        result = Audit({**summary, "examples": subject.examples(outcome.findings, table)}, table)
        if shelf is not None:
            _publish(shelf, result, written)
    if outcome.failure is not None:
        outcome.failure.audit = result
        raise outcome.failure
    return result


@dataclass(frozen=True, slots=True)
class _How:
    """How an audit searches, with the usual choices for what was left open."""

    strategy: Strategy
    manner: Manner
    seeds: str | type[Explainer] | Explainer | None
    """What seeds are chosen by."""
    rank: int | None
    realism: Realism
    kind: Kind

    @classmethod
    def chosen(
        cls,
        strategy: str | type[Strategy] | Strategy,
        manner: Manner | None,
        explainer: str | type[Explainer] | Explainer | None,
        realism: Realism | None,
        epsilon: int | Literal["auto"] | None,
        kind: Kind,
        timeout: float | None,
    ) -> _How:
        """By what the user says, or one sentence on what does not go together."""
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
                f"{_without_gradients(kind)}."
            )
        seeds = chosen.usual_explainer if isinstance(explainer, str) and explainer == "auto" else explainer
        rank = None if epsilon == "auto" else epsilon or kind.usual_epsilon
        how = cls(chosen, manner or chosen.manners[0], seeds, rank, bound, kind)
        how.explainer(None)  # one that there is not is refused before the model is asked anything
        chosen.check(how.manner)
        return how

    def explainer(self, most: int | None) -> Explainer | None:
        """What explains rows, if anything does, where so many may be asked about in all."""
        if self.seeds is None or (isinstance(self.seeds, str) and self.seeds == "gap"):
            return None
        return explainer_of(self.seeds, self.kind.name, most)

    @property
    def seeds_by(self) -> str | None:
        """The name of what seeds are chosen by."""
        if self.seeds is None or isinstance(self.seeds, str):
            return self.seeds
        return (self.seeds if isinstance(self.seeds, type) else type(self.seeds)).__name__


def _account(limits: Budget, began: float, resumed: Shelf | None) -> tuple[Account, Known | None]:
    """What the run has used, and what is known of its model, where it is taken up again."""
    account = Account(limits.queries, limits.seconds, began)
    if resumed is None:
        return account, None
    kept_plan(resumed.store)  # so that a run of another version is refused by its plan
    before = counters_of(resumed.store)
    account.take_up(before.elapsed, before.queries, before.model_s)
    return account, Known(before.classes, before.positive) if before.runs else None


@contextmanager
def _shelf(
    out: str | Path | None, outputs: Sequence[Output], resume: bool, overwrite: bool, inputs: Sequence[Path]
) -> Iterator[Shelf | None]:
    """The folder for the results and these outputs; what fails before anything was measured leaves it as it was."""
    if out is None:
        if resume:
            raise InputError("There is nothing to resume without a folder; say where the run was kept with `out`.")
        if outputs:
            raise InputError(f"There is no folder for the output {outputs[0].name}; say where with `out`.")
        yield None
        return
    shelf = Shelf.open(Path(out), names_of(outputs), KIND, resume=resume, overwrite=overwrite, inputs=inputs)
    try:
        yield shelf
    finally:
        shelf.leave()


@contextmanager
def _begun(
    shelf: Shelf | None, resume: bool, settings: dict[str, Any], kind: Kind, subject: Subject, known: Known | None
) -> Iterator[None]:
    """A run in the store, new or taken up; a new one that fails before anything was measured leaves no trace."""
    if shelf is None:
        yield
        return
    store = shelf.store
    ours = json.loads(json.dumps({**settings, "data": subject.fingerprint}, default=str))
    if resume:
        _check_same(shelf, ours, kind, subject, known)
        if store.done:
            store.again()
    else:
        store.begin(KIND, {"plan": plan_record(ours), "model": subject.first_answers.packed()})
    try:
        yield
    except BaseException:
        if not resume and store.get("population") is None:
            store.abandon()
        raise


def _check_same(shelf: Shelf, ours: dict[str, Any], kind: Kind, subject: Subject, known: Known | None) -> None:
    """Whether a run was begun with the same plan, data and model."""
    theirs = kept_plan(shelf.store)
    name = next((name for name, value in ours.items() if theirs.get(name) != value), None)
    if name is not None:
        other = f"other data or another {kind.rules_are}"
        what = other if name == "data" else f"{name} {theirs.get(name)!r}, not {ours[name]!r}"
        raise InputError(f"The run in {shelf.folder} was started with {what}; resume it with the same.")
    first = kept(shelf.store, "model", FirstAnswers.unpacked)
    classes = [] if known is None else known.classes
    same_classes = [str(label) for label in subject.model.classes[: len(classes)]] == [str(label) for label in classes]
    if first is None or not same_classes or not subject.first_answers.same_as(first):
        raise InputError(
            f"The run in {shelf.folder} was started with a model that answers otherwise on the same rows; "
            "resume it with that one, or start anew."
        )


def _publish(shelf: Shelf, result: Audit, outputs: Sequence[Output]) -> None:
    try:
        shelf.publish(files_of(result, outputs), {})
    except StoreError as error:  # the disk is full, say, or an output failed: what was found can still be used
        error.audit = result
        raise


def _gradients(chosen: Strategy, kind: Kind, model: Any, subject: Subject) -> GradientsOf | None:
    """The gradients of the user's model for a strategy that needs them."""
    if not chosen.needs_gradients:
        return None
    found, classes = kind.gradients(model, subject), len(subject.model.classes)
    if found is None:
        lack = "offers no gradients" if classes == 2 else f"has {classes} classes, not two"
        raise InputError(
            f"The strategy {chosen.name} follows gradients, and this model {lack}; give a scikit-learn MLP or logistic "
            "regression of two classes, a PyTorch module as expga.models.TorchTable, or a model with a method "
            f"gradients(X), or choose a strategy that does without: {_without_gradients(kind)}."
        )
    return found


def _without_gradients(kind: Kind) -> str:
    return ", ".join(name for name, strategy in of_kind(kind.name).items() if not strategy.needs_gradients)


def replay(
    audit: Audit,
    model: Any,
    call_timeout: str | float | None = None,
    criterion: str | type | Criterion | None = None,
) -> tuple[int, int]:
    """Asks the model again about every pair: how many still hold, and how many there are.

    Args:
        audit: what `expga.audit` returned, or `Audit.load` read.
        model: the one that was audited, or another.
        call_timeout: the most time for one call of the model, which then runs in a process of its own.
        criterion: the one of the audit, where that is neither ours nor that of an installed package.
    """
    model, different = adapted(model), None if criterion is None else criterion_of(criterion)
    if not len(audit.findings):
        return 0, 0
    with reached(model, None if call_timeout is None else seconds_of(call_timeout, "call timeout")) as reach:
        unfair = asked_again(audit, model, reach, different).unfair
    return int(unfair.sum()), len(unfair)


def asked_again(
    audit: Audit, model: Any, reach: Reach = in_this_process, criterion: Criterion | None = None
) -> Comparison:
    """What a model says today of both twins of every pair."""
    settings = audit.summary["settings"]
    inputs, voices = audit.asked()
    told = {name: settings[name] for name in ("positive", "threshold", "classes")}
    found = Trying(**told, reach=reach).of(model, inputs[0])
    wrapped, number = found.model, found.positive
    one, other = (majority(answers_of(wrapped, side), count) for side, count in zip(inputs, voices, strict=True))
    yardstick = Yardstick(criterion or saved_criterion(settings["criterion"]), number)
    return yardstick.sides(one, other)


def _check_numbers(threshold: float | None, epsilon: int | str | None, seed: int) -> None:
    if seed < 0:
        raise InputError(f"The seed must be 0 or more, not {seed}.")
    if threshold is not None and not np.isfinite(threshold):
        raise InputError(f"The threshold must be a number, not {threshold}.")
    if epsilon not in (None, "auto") and not (isinstance(epsilon, int) and epsilon >= 1):
        raise InputError(f"ε is a rank from 1 on, or auto, not {epsilon}.")
