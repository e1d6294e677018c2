"""What a user hands over to be repaired, checked: model, rows, labels, audit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from expga.api import asked_again
from expga.contracts import BoolArray, Criterion, IndexArray, KeyArray
from expga.errors import InputError
from expga.inquiry import answers_of
from expga.repair.evidence import quality
from expga.repair.pairs import Pairs, pairs_of
from expga.repair.reader import Reader
from expga.results import Audit
from expga.subjects import Rows, Values
from expga.subjects.showing import varies

ASKED_AGAIN = 200
"""Findings whose answers tell whether an audit is of this model."""
ALIKE = 0.99
CLOSE = 1e-3
ALIKE_OF_VARYING = 0.5
"""Of a model that does not always answer alike: how many pairs must get the labels again that were recorded."""
GUESSING = 0.55
"""A balanced accuracy below this on the rows that a model was fitted to is worth a word."""


@dataclass(frozen=True, slots=True)
class Case:
    """All N rows, those to fit to first, then those to test on where they were given."""

    model: Any
    reader: Reader
    rows: Rows
    labels: Values
    """(N,) in the user's own values."""
    truth: IndexArray
    """(N,) as class numbers."""
    classes: list[Any]
    """The k labels."""
    alike: KeyArray
    """(N,) the same number for rows with the same values."""
    given: int
    """How many rows were given to fit to; the others are for testing."""
    pairs: Pairs
    notes: tuple[str, ...]

    def split(self, share: float, repeat: int, seed: int) -> tuple[IndexArray, IndexArray]:
        """Numbers of the rows to fit to and of those to test on: as given, or cut with the same labels in both."""
        everything = np.arange(len(self.truth))
        if self.given < len(self.truth):
            return everything[: self.given], everything[self.given :]
        from sklearn.model_selection import train_test_split

        rare = np.unique(self.truth, return_counts=True)[1].min() < 2
        try:
            one, other = train_test_split(
                everything,
                test_size=share,
                random_state=np.random.RandomState([seed, repeat]),
                stratify=None if rare else self.truth,
            )
        except ValueError as error:
            raise InputError(
                f"Of {len(everything):,} rows a share of {share:g} cannot be set aside for testing, with every label "
                "on both sides; choose another share, or give test rows."
            ) from error
        return np.sort(one), np.sort(other)

    def may_repair(self, train: IndexArray, test: IndexArray) -> BoolArray:
        """(N,) the rows whose findings may repair: those to fit to, unless a test row is just the same."""
        may = np.zeros(len(self.alike), dtype=bool)
        may[train] = ~np.isin(self.alike[train], self.alike[test])
        return may


def case_of(
    model: Any, X: Any, y: Any, audit: Audit, X_test: Any, y_test: Any, criterion: Criterion | None = None
) -> Case:
    """The case, or one sentence on why there is none."""
    settings = audit.summary["settings"]
    if not {"rules", "rows", "numbered"} <= set(settings):
        raise InputError(
            "The audit was made by an earlier version, which kept too little of it; audit the model again."
        )
    if not settings["classes"]:
        raise InputError(
            "The audit is of predictions that are numbers, and repairs are for labels; repair a classifier, or average "
            "the predictions over the protected values."
        )
    if (X_test is None) != (y_test is None):
        raise InputError("Test rows need both X_test and y_test; give the other one too, or neither.")
    if not len(audit.findings):
        raise InputError("The audit found nothing that the model treats differently; there is nothing to repair.")
    reader = Reader.of(settings, criterion)
    subject = reader.subject
    rows, index = subject.rows(model, X)
    known, index_of_all = rows, index
    if X_test is not None:
        test, test_index = subject.rows(model, X_test)
        if not len(test):
            raise InputError("X_test has no rows; give some, or leave it out.")
        known = subject.joined([rows, test])
        if subject.fingerprint(rows) != settings["rows"] and subject.fingerprint(known) == settings["rows"]:
            index_of_all = pd.Index(index).append(pd.Index(test_index))
    audited = rows if index_of_all is index else known
    if subject.fingerprint(audited) != settings["rows"]:
        raise InputError(
            f"The audit is of other rows, or of these in another order: it has {_counted(audit)}, the data "
            f"{len(rows):,}; give the rows that were audited, as they were."
        )
    _same_model(audit, model, reader)
    labels = _labels(y, len(rows), "y")
    if y_test is not None:
        labels = np.concatenate([labels, _labels(y_test, len(known) - len(rows), "y_test")])
    wrapped, _ = reader.wrapped(model, known)
    classes = list(wrapped.classes)
    truth = _truth(labels, classes)
    notes = _notes(reader, model, known, truth, len(rows))
    pairs = pairs_of(audit, index_of_all)
    return Case(model, reader, known, labels, truth, classes, subject.hashes(known), len(rows), pairs, notes)


def _counted(audit: Audit) -> str:
    return f"{audit.summary['population']['total_rows']:,} rows"


def _same_model(audit: Audit, model: Any, reader: Reader) -> None:
    """Raises unless the model still says what the audit recorded."""
    settings = audit.summary["settings"]
    picks = np.random.default_rng(0).permutation(len(audit.findings))[:ASKED_AGAIN]
    some = Audit(audit.summary, audit.findings.iloc[picks])
    today = asked_again(some, model, criterion=reader.criterion)
    recorded = [some.column(name) for name in ("label", "label__twin", "score", "score__twin")]
    classes = [str(label) for label in settings["classes"]]
    said = np.column_stack([[classes.index(str(label)) for label in side] for side in recorded[:2]])
    before = np.column_stack([side.to_numpy(dtype=float) for side in recorded[2:]])
    alike, least = (said == today.labels).all(axis=1), ALIKE_OF_VARYING
    if not varies(audit.summary):
        alike, least = alike & (np.abs(before - today.scores) < CLOSE).all(axis=1), ALIKE
    if alike.mean() < least:
        raise InputError(
            f"The audit is of another model: of {len(picks)} pairs that it recorded, this one answers "
            f"{int((~alike).sum())} differently; audit this model first."
        )


def _labels(y: Any, count: int, name: str) -> Values:
    values = y if isinstance(y, pd.Series) else np.asarray(y)
    if values.ndim != 1:
        raise InputError(f"The labels in {name} have the shape {values.shape}; give one label a row.")
    series = pd.Series(values)
    if len(series) != count:
        raise InputError(f"There are {count:,} rows and {len(series):,} labels in {name}; give one label a row.")
    if missing := int(series.isna().sum()):
        raise InputError(f"{missing:,} of {count:,} labels in {name} are missing; drop those rows.")
    return np.asarray(series.to_numpy())


def _truth(labels: Values, classes: list[Any]) -> IndexArray:
    numbers = {label: number for number, label in enumerate(classes)}
    unknown = [label for label in pd.unique(labels) if label not in numbers]
    if unknown:
        raise InputError(
            f"The target holds {unknown[0]!r}, which the model never says: it knows {', '.join(map(str, classes))}; "
            "give the column that it was trained on."
        )
    if len(np.unique(labels)) < 2:
        raise InputError(f"The target holds only {labels[0]!r}; a model is fitted to at least two labels.")
    return np.array([numbers[label] for label in labels], dtype=np.intp)


def _notes(reader: Reader, model: Any, rows: Rows, truth: IndexArray, given: int) -> tuple[str, ...]:
    picks = np.random.default_rng(0).permutation(given)[:2_000]
    wrapped, _ = reader.wrapped(model, rows)
    right = (
        quality(answers_of(wrapped, reader.subject.inputs(reader.subject.take(rows, picks))), truth[picks])[
            "balanced_accuracy"
        ]
        or 0.0
    )
    if right >= GUESSING:
        return ()
    return (
        f"The model is hardly better than guessing on these labels (balanced accuracy {right:.0%}): is it the column "
        "that it was trained on?",
    )
