"""A table as the subject of an audit."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from expga.contracts import Model, Realism
from expga.domain.schema import Schema, read_schema
from expga.domain.tabular import TabularDomain
from expga.errors import InputError, ModelError
from expga.results import numbered, tables
from expga.subjects.fingerprint import fingerprint_of
from expga.subjects.subject import Subject, tried

PROBE_ROWS = 1_000


def table_subject(
    model: Any,
    X: pd.DataFrame | np.ndarray,
    protected: Sequence[str],
    schema: Schema | Mapping[str, Any] | str | Path | None,
    realism: Realism,
    positive: Any,
    threshold: float | None,
) -> Subject:
    """The subject that a user's frame or array, schema and model make."""
    frame, as_array = table_of(model, X, protected)
    rules = read_schema(schema)
    domain = TabularDomain(frame, protected, rules, realism, as_array)
    wrapped, number = _wrap(model, domain, positive, threshold)
    settings = {
        "kind": "table",
        "as_array": as_array,
        "features": [str(column) for column in domain.columns],
        "covered": [str(domain.columns[gene]) for gene in sorted(domain.readings.genes)],
    }
    rows = fingerprint_of(frame)
    return Subject(
        domain,
        wrapped,
        number,
        settings,
        {"schema": domain.pinned().as_dict()},
        numbered(frame.index),
        rows,
        hashlib.sha256(f"{rows} {rules!r}".encode()).hexdigest(),
        partial(tables.findings_frame, domain),
        partial(tables.examples, domain),
        partial(tables.figures, domain),
    )


def table_of(model: Any, X: Any, protected: Sequence[str]) -> tuple[pd.DataFrame, bool]:
    """The features as a frame of exactly the model's columns, and whether the model wants an array."""
    if isinstance(X, pd.DataFrame):
        frame, as_array = X, False
    else:
        array = np.asarray(X)
        if array.ndim != 2:
            raise InputError(f"The data has the shape {array.shape}; it must be a table of rows and columns.")
        frame, as_array = pd.DataFrame(array, columns=unnamed_columns(array.shape[1])), True
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


def unnamed_columns(count: int) -> list[str]:
    """What the columns of an array are called."""
    return [f"x{number}" for number in range(count)]


def _wrap(model: Any, domain: TabularDomain, positive: Any, threshold: float | None) -> tuple[Model, int | None]:
    """The model behind its contract, tried on some rows, those with missing values among them."""
    missing = np.column_stack(
        [feature.values.isna().to_numpy()[domain.rows[:, gene]] for gene, feature in enumerate(domain.features)]
    )
    picks = np.random.default_rng(0).permutation(len(domain.rows))[:PROBE_ROWS]
    first_missing = np.concatenate([np.flatnonzero(column)[:1] for column in missing.T])
    picks = np.unique(np.concatenate([picks, first_missing]))

    def attempt(rows: np.ndarray) -> tuple[Model, int | None]:
        return tried(model, domain.decode(domain.rows[rows]), positive, threshold)

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
