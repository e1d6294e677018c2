"""The front door of repairs."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from expga.contracts import Criterion
from expga.criterion import criterion_of
from expga.domain.features import written
from expga.errors import InputError
from expga.models import adapted, attribute
from expga.repair.asked import Options, Share
from expga.repair.case import Case, case_of
from expga.repair.pairs import Relabel
from expga.repair.recipe import recipe_of
from expga.repair.repairs import Repair, repairs_of
from expga.repair.repeat import Repeat, Tell
from expga.repair.result import Retrained, summarise
from expga.repair.workplace import Workplace
from expga.results import Audit

KNOWN_ROWS = (
    "The model cannot be fitted again without the test rows, and may have been fitted to them: its accuracy may be "
    "flattered, before as after; give test rows that it never saw."
)


def retrain(
    model: Any,
    X: Any,
    y: Any,
    audit: Audit | str | Path,
    *,
    repair: str | type[Repair] | Repair = "both",
    compare: Sequence[str | type[Repair] | Repair] | Literal["all"] = (),
    share: Share = None,
    relabel: Relabel = "majority",
    weight: float | None = None,
    rounds: int = 1,
    fit: Callable[..., Any] | None = None,
    X_test: Any = None,
    y_test: Any = None,
    test_share: float = 0.25,
    repeats: int = 3,
    max_loss: float = 0.01,
    max_queries: int = 20_000,
    criterion: str | type | Criterion | None = None,
    seed: int = 0,
    out: str | Path | None = None,
    resume: bool = False,
    overwrite: bool = False,
    inputs: Sequence[Path] = (),
    progress: Tell | None = None,
) -> Retrained:
    """Fits a fairer model, and measures what it costs and whether it holds on what took no part in the repair.

    The model that is given is never changed.

    Args:
        model: what was audited: an estimator or pipeline, anything with a `fit`, or any model together with `fit`.
        X: the rows that it was fitted to, which were audited: a frame, an array, or texts.
        y: (n,) their labels.
        audit: what `expga.audit` returned, or the folder that it was saved to.
        repair: "both" adds found samples and real rows with all their protected values; "findings" (the published way)
            adds found pairs, "twins" those of real rows; "average" fits nothing and averages the scores over all
            protected values; for comparison "drop" (the protected column), "reweigh" and "reduction" (fairlearn's
            exponentiated gradient).
        compare: others to measure beside it, or "all".
        share: found pairs to add, as a share of the training rows; "auto" tries several and keeps the fairest
            within `max_loss`; by default from a tenth on as many as it takes; for texts half of what was found.
        relabel: the label of both twins of an added pair: "majority" (the model's own, averaged over all protected
            values), "nearest" (that of the nearest real row), "original" (that of the row behind it).
        weight: how much an added row counts beside a real one, for models that take sample weights; by default as
            much; with "both" a row and its twins together count as one row, and all found pairs a twentieth of the
            real rows at most.
        rounds: audit the repaired model and repair it again, so many times in all.
        fit: a function of inputs and labels that returns a new model, for models that cannot be fitted again.
        X_test: rows that the model was not fitted to; without them some of `X` are set aside, and "before" is the same
            recipe fitted to the others.
        y_test: (m,) their labels.
        test_share: how many are set aside.
        repeats: how often all of it is done, with other random draws, for the intervals.
        max_loss: the loss of accuracy that you would accept, 0.01 for a point.
        max_queries: of each fresh search.
        criterion: the one of the audit, where that is neither ours nor that of an installed package.
        seed: of all randomness.
        out: a folder for the model and `retrain.json`; repeats that are done are kept there while others go on.
        resume: go on with a repair that was stopped.
        overwrite: let the new results take the place of those of an earlier repair in `out`, once they are complete.
        inputs: files that must not be replaced, wherever `out` is.
        progress: called with a sentence before each step.

    Returns:
        The new model of the first repeat, with the evidence.
    """
    chosen, repairs = repairs_of(repair, compare)
    options = Options(
        repair=chosen,
        repairs=tuple(repairs),
        share=share,
        relabel=relabel,
        weight=weight,
        rounds=rounds,
        test_share=test_share,
        repeats=repeats,
        max_loss=max_loss,
        max_queries=max_queries,
        seed=seed,
    )
    known = audit if isinstance(audit, Audit) else Audit.load(audit)
    model = adapted(model)
    refits = any(one.refits for one in repairs.values()) or fit is not None or attribute(model, "fit") is not None
    recipe = recipe_of(model, fit, seed) if refits else None
    if weight not in (None, 1) and recipe is not None and recipe.weights is None:
        raise InputError("The model's fit takes no sample weights; leave the weight of added rows out.")
    different = None if criterion is None else criterion_of(criterion)
    case = case_of(model, X, y, known, X_test, y_test, different)
    if recipe is None and X_test is None:
        case = replace(case, notes=(*case.notes, KNOWN_ROWS))
    tell = progress or (lambda _: None)

    def repeat(number: int) -> tuple[dict[str, Any], Any]:
        return Repeat(case, recipe, options, repairs, number, tell).run()

    if out is None:
        told, models = zip(*(repeat(number) for number in range(options.repeats)), strict=True)
        return Retrained(models[0], summarise(case, asdict(options), repairs, told))
    with Workplace(Path(out), _plan(options, known, case), resume, overwrite, inputs) as place:
        runs = [place.done(number) or place.keep(number, *repeat(number)) for number in range(options.repeats)]
        saved = place.model()
        noted = replace(case, notes=(*case.notes, *place.shelf.store.notes))
        result = Retrained(place.repaired or saved.safely(), summarise(noted, asdict(options), repairs, runs))
        if result.model is None:  # only a file that can run code would hold it: made again instead
            result = replace(result, model=repeat(0)[1])
        place.shelf.publish(result.files(saved), {})
    return result


def _plan(options: Options, audit: Audit, case: Case) -> dict[str, Any]:
    """What a repair that goes on must have in common with the one that was begun."""
    columns = {place: written(column) for place, (_, column) in enumerate(audit.findings.items())}
    findings = pd.util.hash_pandas_object(pd.DataFrame(columns), index=False).sum()
    labels = pd.util.hash_array(np.asarray(case.truth)).sum()
    told = {
        **asdict(options),
        "findings": str(findings),
        "labels": str(labels),
        "rows": case.reader.subject.fingerprint(case.rows),
    }
    return dict(json.loads(json.dumps(told)))
