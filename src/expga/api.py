"""The Python front door."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from expga.budget import POPULATION_SHARE, seconds_of
from expga.comparison import Comparison, Yardstick
from expga.contracts import Criterion, Explainer, Manner, Realism, Strategy
from expga.criterion import criterion_of, saved_criterion
from expga.domain.schema import Schema
from expga.engine import Engine
from expga.folder import AuditFolder
from expga.inquiry import answers_of
from expga.majority import majority
from expga.models import Reach, adapted, in_this_process
from expga.models.isolated import reached
from expga.models.repeated import repeated
from expga.plan import Snapshot
from expga.request import Request, budget_of
from expga.results import Audit, Outputs
from expga.subjects import Trying


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
    population_share: float = POPULATION_SHARE,
    call_timeout: str | float | None = None,
    repeats: int = 1,
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
        min_gap: count a gap of at least this much between scores instead of a label flip; for regressors and raw
            scores, in their own unit.
        criterion: what else counts as different: "flip", "gap", or one of yours.
        budget: time, such as "30s" (the default unless `max_queries` is given).
        max_queries: the most model queries.
        max_generations: the most batches of the search.
        max_findings: the most findings.
        population_share: of the budget, the most that goes into measuring how often real rows flip; the rest searches.
        call_timeout: the most time for one call of the model, such as "10s": the model then runs in a process of its
            own, and a call that hangs, or a model that ends its process, is a `ModelError` like any other.
        repeats: how often each question is put to a model that is random by nature: the mean of its scores counts, or
            the majority of its labels. Each answer is a query.
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
    request = Request.of(
        model,
        X,
        options={"schema": schema, "text_column": text_column, "lexicon": lexicon, "vectors": vectors, **options},
        protected=protected,
        strategy=strategy,
        manner=manner,
        explainer=explainer,
        epsilon=epsilon,
        realism=realism,
        positive=positive,
        threshold=threshold,
        criterion=criterion,
        min_gap=min_gap,
        budget=budget_of(budget, max_queries, max_generations, max_findings),
        population_share=population_share,
        call_timeout=call_timeout,
        repeats=repeats,
        seed=seed,
    )
    opened = AuditFolder.open(out, outputs, resume=resume, overwrite=overwrite, inputs=inputs)
    with opened as folder, reached(request.model, request.call_timeout) as reach:
        account = folder.account(request.budget.queries, request.budget.seconds, began, request.repeats)
        subject = request.subject(account, reach, folder.known)
        plan = request.plan(subject, folder.write)
        with folder.run(request, subject):
            outcome = Engine(plan, account, folder.store, progress).run()
        result = request.result(outcome, subject)
        folder.publish(result)
    if outcome.failure is not None:
        outcome.failure.audit = result
        raise outcome.failure
    return result


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
    criterion = criterion or saved_criterion(settings["criterion"])
    reach = repeated(reach, settings.get("repeats", 1))
    found = Trying(**told, labels_decide=criterion.labels_decide, reach=reach).of(model, inputs[0])
    wrapped, number = found.model, found.positive
    one, other = (majority(answers_of(wrapped, side), count) for side, count in zip(inputs, voices, strict=True))
    return Yardstick(criterion, number).sides(one, other)
