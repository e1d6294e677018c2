"""The Python front door."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from expga.budget import Budget, answers_of, seconds_of
from expga.contracts import Explainer, Model, Realism
from expga.criterion import Criterion, pair_scores
from expga.domain.schema import Schema, read_schema
from expga.domain.tabular import TabularDomain
from expga.engine import Engine, Plan, Snapshot
from expga.errors import InputError, ModelError
from expga.explain import explainer as explainer_of
from expga.findings import write_text
from expga.models import wrap
from expga.results import Audit, examples, findings_frame, nan_columns, summarise
from expga.search import strategy as strategy_of

DEFAULT_BUDGET = "30s"
PROBE_ROWS = 1_000


def audit(
    model: Any,
    X: pd.DataFrame | np.ndarray,
    *,
    protected: str | Sequence[str],
    schema: Schema | Mapping[str, Any] | str | Path | None = None,
    strategy: str = "expga",
    explainer: Literal["auto", "gap", "lime", "shap"] | None = "auto",
    epsilon: int | None = None,
    realism: Realism | None = None,
    positive: Any = None,
    threshold: float | None = None,
    min_gap: float | None = None,
    budget: str | float | None = None,
    max_queries: int | None = None,
    max_generations: int | None = None,
    max_findings: int | None = None,
    seed: int = 0,
    out: str | Path | None = None,
    resume: bool = False,
    progress: Callable[[Snapshot], None] | None = None,
) -> Audit:
    """Measures how often the model flips real rows, and searches for more discriminatory samples.

    Args:
        model: anything that predicts: an estimator or pipeline, or a callable on what `X` is.
        X: the features, a frame or an array, as the model takes them.
        protected: the protected attributes: columns, or attributes that the schema defines.
        schema: types, bounds, immutables, forbidden combinations, readings; a mapping or a TOML file.
        strategy: "expga", "expga-published" or "random".
        explainer: what seeds are chosen by: "gap" (the gap between real rows' twins, which the population's
            measurement already knows), "lime", "shap" (the published rule), None (random rows); "auto" is
            "gap", and "lime" for the published strategy.
        epsilon: the rank within which a protected feature lets a row in; by default calibrated.
        realism: "data" stays within reach of real rows, "domain" only within bounds; by default the
            strategy's own.
        positive: the label that scores are given for; by default the second of two.
        threshold: the score from which a row is positive, instead of the model's own rule.
        min_gap: count a score gap of at least this much instead of a label flip.
        budget: time, such as "30s" (the default unless `max_queries` is given).
        max_queries: the most model queries.
        max_generations: the most batches of the search.
        max_findings: the most findings.
        seed: of all randomness.
        out: a folder for the results, and for findings while the run goes on.
        resume: go on from what an earlier run left in `out`.
        progress: called after every batch.

    Returns:
        The audit. A `ModelError` in the middle of a search carries what was found so far as `.audit`.
    """
    names = [protected] if isinstance(protected, str) else [str(name) for name in protected]
    if budget is None and max_queries is None:
        budget = DEFAULT_BUDGET
    limits = Budget(None if budget is None else seconds_of(budget), max_queries, max_generations, max_findings)
    _check_numbers(min_gap, threshold, epsilon, seed)
    chosen = strategy_of(strategy)
    published = strategy == "expga-published"
    bound: Realism = realism or ("domain" if published else "data")
    if bound not in ("data", "domain"):
        raise InputError(f"There is no realism {bound!r}; choose data or domain.")
    seeds = ("lime" if published else "gap") if explainer == "auto" else explainer
    explains: Explainer | None = None if seeds in ("gap", None) else explainer_of(str(seeds), max_queries)
    frame, as_array = _table(model, X, names)
    rules = read_schema(schema)
    domain = TabularDomain(frame, names, rules, bound, as_array)
    wrapped, number = _wrap(model, domain, positive, threshold)
    settings = {
        "strategy": strategy,
        "protected": names,
        "explainer": seeds,
        "realism": bound,
        "positive": None if number is None else wrapped.classes[number],
        "threshold": threshold,
        "min_gap": min_gap,
        "epsilon": epsilon,
        "seed": seed,
        "as_array": as_array,
        "features": [str(column) for column in domain.columns],
        "covered": [str(domain.columns[gene]) for gene in sorted(domain.readings.genes)],
        "classes": list(wrapped.classes),
    }
    journal = None if out is None else _prepare(Path(out), resume, settings, _fingerprint(domain, rules))
    plan = Plan(domain, wrapped, number, Criterion(min_gap), chosen, explains, seeds or "random", epsilon, limits, seed)
    outcome = Engine(plan, journal, progress).run()
    table = findings_frame(domain, outcome.findings, list(wrapped.classes), ordered=number is not None)
    settings = {**settings, "classes": list(wrapped.classes), "nan_columns": nan_columns(table)}
    summary = summarise(outcome, domain, settings)
    result = Audit({**summary, "examples": examples(domain, outcome.findings, table)}, table)
    if out is not None:
        result.save(out)
    if outcome.failure is not None:
        outcome.failure.audit = result
        raise outcome.failure
    return result


def replay(audit: Audit, model: Any) -> tuple[int, int]:
    """Asks the model again about every pair: how many still hold, and how many there are."""
    settings = audit.summary["settings"]
    if not len(audit.findings):
        return 0, 0
    first, second = audit.twins()
    inputs = [side.to_numpy() if settings["as_array"] else side for side in (first, second)]
    wrapped, number = _tried(model, inputs[0], settings["positive"], settings["threshold"], settings["classes"])
    one, other = (answers_of(wrapped, side) for side in inputs)
    scores = pair_scores(one.scores, other.scores, one.labels, number)
    labels = np.column_stack([one.labels, other.labels])
    margins = np.column_stack([one.margins, other.margins])
    holds = Criterion(settings["min_gap"]).unfair(labels, np.abs(scores[:, 0] - scores[:, 1]), margins)
    return int(holds.sum()), len(holds)


def _check_numbers(min_gap: float | None, threshold: float | None, epsilon: int | None, seed: int) -> None:
    if seed < 0:
        raise InputError(f"The seed must be 0 or more, not {seed}.")
    if min_gap is not None and not min_gap > 0:
        raise InputError(f"The smallest gap that counts must be above 0, not {min_gap:g}.")
    if threshold is not None and not np.isfinite(threshold):
        raise InputError(f"The threshold must be a number, not {threshold}.")
    if epsilon is not None and epsilon < 1:
        raise InputError(f"ε is a rank from 1 on, not {epsilon}.")


def _table(model: Any, X: Any, protected: Sequence[str]) -> tuple[pd.DataFrame, bool]:
    """The features as a frame of exactly the model's columns, and whether the model wants an array."""
    if isinstance(X, pd.DataFrame):
        frame, as_array = X, False
    else:
        array = np.asarray(X)
        if array.ndim != 2:
            raise InputError(f"The data has the shape {array.shape}; it must be a table of rows and columns.")
        frame, as_array = pd.DataFrame(array, columns=[f"x{i}" for i in range(array.shape[1])]), True
    wanted = getattr(model, "feature_names_in_", None)
    if wanted is not None and not as_array:
        missing = [str(name) for name in wanted if name not in frame.columns]
        if missing:
            raise InputError(f"The model was trained on the column {missing[0]!r}, which the data does not have.")
        unused = [name for name in protected if name in frame.columns and name not in list(wanted)]
        if unused:
            raise InputError(f"The model does not take the protected column {unused[0]!r}, so it cannot flip on it.")
        frame = frame[list(wanted)]
    elif not as_array and hasattr(model, "n_features_in_"):
        numeric = all(pd.api.types.is_numeric_dtype(dtype) for dtype in frame.dtypes)
        as_array = numeric and not hasattr(model, "feature_names_in_")
        if model.n_features_in_ != frame.shape[1]:
            raise InputError(f"The model was trained on {model.n_features_in_} columns, the data has {frame.shape[1]}.")
    return frame, as_array


def _tried(
    model: Any, inputs: Any, positive: Any, threshold: float | None, classes: Sequence[Any] = ()
) -> tuple[Model, int | None]:
    """The model behind its contract, by what it answers about some inputs; whatever it raises is one sentence."""
    try:
        return wrap(model, inputs, positive=positive, threshold=threshold, classes=classes)
    except InputError:
        raise
    except Exception as error:
        reason = " ".join(str(error).split())[:300]
        raise ModelError(f"The model failed on the data: {type(error).__name__}: {reason}") from error


def _wrap(model: Any, domain: TabularDomain, positive: Any, threshold: float | None) -> tuple[Model, int | None]:
    """The model behind its contract, tried on some rows, those with missing values among them."""
    missing = np.column_stack(
        [feature.values.isna().to_numpy()[domain.rows[:, gene]] for gene, feature in enumerate(domain.features)]
    )
    picks = np.random.default_rng(0).permutation(len(domain.rows))[:PROBE_ROWS]
    first_missing = np.concatenate([np.flatnonzero(column)[:1] for column in missing.T])
    picks = np.unique(np.concatenate([picks, first_missing]))

    def attempt(rows: np.ndarray) -> tuple[Model, int | None]:
        return _tried(model, domain.decode(domain.rows[rows]), positive, threshold)

    try:
        return attempt(picks)
    except ModelError as error:
        whole = picks[~missing[picks].any(axis=1)]
        if len(whole) in (0, len(picks)):
            raise
        try:
            attempt(whole)
        except InputError:
            raise error from None
        raise InputError(
            f"The model rejects missing values, and the column {_rejected(attempt, domain, missing)!r} has some; "
            "fill them, drop those rows, or put an imputer into the model."
        ) from error


def _rejected(attempt: Callable[[np.ndarray], Any], domain: TabularDomain, missing: np.ndarray) -> str:
    """The first column whose missing values alone make the model fail; else the first that has any."""
    with_missing = np.flatnonzero(missing.any(axis=0))
    for gene in with_missing:
        alone = np.flatnonzero(missing[:, gene] & (missing.sum(axis=1) == 1))[:1]
        try:
            if len(alone):
                attempt(alone)
        except InputError:
            return str(domain.columns[gene])
    return str(domain.columns[with_missing[0]])


def _fingerprint(domain: TabularDomain, rules: Schema) -> str:
    """What tells one table, read by one schema, from another."""
    digest = hashlib.sha256(np.ascontiguousarray(domain.rows).tobytes())
    for feature in domain.features:
        digest.update(repr((str(feature.name), str(feature.values.dtype), feature.values.tolist())).encode())
    digest.update(repr(rules).encode())
    return digest.hexdigest()


def _prepare(folder: Path, resume: bool, settings: dict[str, Any], fingerprint: str) -> Path:
    """The journal's folder: empty for a new run, with the same plan for one that goes on."""
    journal, plan = folder / "journal", folder / "journal" / "plan.json"
    ours = json.loads(json.dumps({**settings, "data": fingerprint}, default=str))
    try:
        if resume:
            _check_same(folder, plan, ours)
            return journal
        if journal.exists():
            if any(journal.glob("part-*.parquet")) and not (folder / "summary.json").exists():
                raise InputError(
                    f"{folder} holds findings of an unfinished run; "
                    "add --resume to go on with it, or remove the folder."
                )
            shutil.rmtree(journal)
        for name in ("summary.json", "findings.parquet"):
            (folder / name).unlink(missing_ok=True)
        journal.mkdir(parents=True)
        write_text(plan, json.dumps(ours))
    except OSError as error:
        raise InputError(f"The folder {folder} cannot be written to: {error.strerror or error}.") from error
    return journal


def _check_same(folder: Path, plan: Path, ours: dict[str, Any]) -> None:
    if not plan.exists():
        raise InputError(f"There is nothing to resume in {folder}; leave --resume out to start anew.")
    try:
        theirs = json.loads(plan.read_text(encoding="utf-8"))
        names = [name for name, value in ours.items() if theirs.get(name) != value]
    except (ValueError, AttributeError) as error:
        raise InputError(f"The file {plan} is damaged; remove the folder and start anew.") from error
    if names:
        name = names[0]
        what = "other data or another schema" if name == "data" else f"{name} {theirs.get(name)!r}, not {ours[name]!r}"
        raise InputError(f"The run in {folder} was started with {what}; resume it with the same.")
