"""What findings of every kind have in common when they are shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from expga.contracts import BoolArray, FloatArray, IndexArray, Model
from expga.domain.naming import no_name, numbered
from expga.findings import Findings
from expga.models import gives_scores
from expga.plain import plain

LABELS = ("label", "label__twin")
RESULTS = (*LABELS, "score", "score__twin", "gap", "anchor", "distance")
TWIN = "__twin"
OURS = "expga__"
EACH = 5
"""Examples for every small number of changes, ..."""
AMONG = 4_096
"""... which are mostly among so many of the best."""


def turned(findings: Findings, swap: BoolArray) -> Findings:
    """The findings with the two sides of some pairs (n,) exchanged."""
    sides = {name: getattr(findings, name) for name in ("pair", "labels", "scores")}
    return replace(findings, **{name: np.where(swap[:, None], two[:, ::-1], two) for name, two in sides.items()})


def result_columns(findings: Findings, classes: list[Any], index: Any, distance: FloatArray) -> dict[str, Any]:
    """By name, what the model said of each pair, and the real row behind it.

    Args:
        findings: n pairs.
        classes: the model's labels, by class number; none where it predicts numbers.
        index: what the user calls each real row.
        distance: (n,) how far each lies from it.
    """
    scores, anchor = findings.scores, findings.anchor
    values = [
        *(_labels(findings, classes, side) for side in ((0, 1) if classes else ())),
        np.ascontiguousarray(scores[:, 0]),
        np.ascontiguousarray(scores[:, 1]),
        findings.gap,
        anchor.astype(np.int64) if numbered(index) else pd.Series(pd.Index(index)[anchor]).infer_objects().array,
        distance,
    ]
    return dict(zip(results_of(classes), values, strict=True))


def _labels(findings: Findings, classes: list[Any], side: int) -> Any:
    """(n,) the labels of one side in the user's own values."""
    known = pd.Series(np.array([*classes, None], dtype=object)[:-1]).infer_objects()
    labels = known.array.take(findings.labels[:, side])
    return labels if known.dtype != object else pd.Series(labels, dtype=object).infer_objects().array


def results_of(classes: Sequence[Any]) -> tuple[str, ...]:
    """What findings tell of the answers of a model with these classes; one that predicts numbers has no labels."""
    return RESULTS if classes else RESULTS[len(LABELS) :]


def said_of(row: Any, results: Mapping[str, str], model: Model) -> dict[str, Any]:
    """By name, what an example tells of the answers in a row of findings: labels, and scores, where there are any.

    Args:
        row: of the findings.
        results: what their columns are called.
        model: that was asked.
    """
    labels = [or_none(row[results[name]]) for name in LABELS] if model.classes else None
    scores = [float(row[results[name]]) for name in ("score", "score__twin")] if gives_scores(model) else None
    return {"labels": labels, "scores": scores}


@dataclass(frozen=True, slots=True)
class Names:
    """What the columns of findings are called beside a user's own."""

    twins: dict[str, str]
    """By covered column, that of the second twin's values."""
    results: dict[str, str]
    """By what they hold, those of `results_of`."""

    @classmethod
    def beside(cls, features: Sequence[str], covered: Sequence[str] = (), held: Sequence[str] = RESULTS) -> Names:
        """No two alike: what would have a name that is taken has `expga__` before it, a label together with its twin's.

        Args:
            features: the user's columns.
            covered: those of them that a reading covers.
            held: what the results are.
        """
        taken = set(features)

        def free(name: str) -> str:
            while name in taken:
                name = f"{OURS}{name}"
            taken.add(name)
            return name

        twins = {column: free(f"{column}{TWIN}") for column in covered}
        clash = {name for name in held if name.removesuffix(TWIN) in features}
        return cls(twins, {name: free(f"{OURS}{name}" if name in clash else name) for name in held})

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> Names:
        """Those of an audit with these settings."""
        return cls.beside(settings.get("features", ()), settings.get("covered", ()), results_of(settings["classes"]))


def nan_columns(frame: pd.DataFrame) -> list[str]:
    """The columns of objects whose missing values are NaN, which Parquet would hand back as None."""
    return [
        str(column)
        for column, values in frame.items()
        if values.dtype == object and any(isinstance(thing, float) for thing in values[values.isna()])
    ]


def telling(findings: Findings, changes: IndexArray, worth: FloatArray) -> list[int]:
    """Numbers of findings worth most (n,), each from another real row: some for every small number of changes (n,)."""
    picks: list[int] = []
    for few in range(3):
        some = np.flatnonzero(changes == few)
        for most in (AMONG, len(some)):
            best = _best(some, worth[some], most)
            _, first = np.unique(findings.anchor[best], return_index=True)
            if len(first) >= EACH or most >= len(some):
                break
        picks += best[np.sort(first)][:EACH].tolist()
    return picks


def _best(numbers: IndexArray, worth: FloatArray, most: int) -> IndexArray:
    """So many of the numbers (n,) that are worth most (n,), best first, and those worth as much as the last."""
    if most < len(numbers):
        last = -np.partition(-worth, most)[most]
        numbers, worth = numbers[worth >= last], worth[worth >= last]
    return numbers[np.argsort(-worth, kind="stable")]


def anchor_of(index: Any, anchor: Any) -> dict[str, Any]:
    """What an example says of the row behind it, by its name in an index (N,) or, where that is none, its place."""
    by_place = {} if no_name(index) is None else {"by_place": True}
    return {"anchor": or_none(anchor), **by_place}


def or_none(value: Any) -> Any:
    """A cell's value as JSON has it, None where there is none."""
    if value is None or value is pd.NA or value != value:
        return None
    return value if isinstance(value, bool | int | float) and not isinstance(value, np.generic) else plain(value)
