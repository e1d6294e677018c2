"""A table as the subject of an audit."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from expga.contracts import BoolArray, IndexArray, Realism
from expga.domain.naming import numbered
from expga.domain.sampling import rows_read, with_all_readings
from expga.domain.schema import Schema, read_schema
from expga.domain.spelling import check_values
from expga.domain.tabular import TabularDomain
from expga.errors import InputError, ModelError
from expga.jury import Jury
from expga.models import Learnt, attribute
from expga.models.calls import FIRST
from expga.subjects.fingerprint import fingerprint_of
from expga.subjects.subject import Subject, Trying
from expga.subjects.table import findings

PROBE_ROWS = 1_000


def table_subject(
    model: Any,
    X: pd.DataFrame | np.ndarray,
    protected: Sequence[str],
    schema: Schema | Mapping[str, Any] | str | Path | None,
    realism: Realism,
    trying: Trying,
) -> Subject:
    """The subject that a user's frame or array, schema and model make."""
    frame, as_array = table_of(model, X, protected)
    if not isinstance(X, pd.DataFrame):
        protected = by_number(protected, frame.columns)
    rules = read_schema(schema)
    domain = TabularDomain(*_read(frame, protected, rules), realism, as_array)
    rows = cache(partial(fingerprint_of, frame))
    learnt = _tried(partial(trying.of, model), domain)
    jury = cache(lambda: Jury.of(domain.positions(domain.rows)))
    return Subject(
        domain=domain,
        learnt=learnt,
        settings={
            "kind": "table",
            "as_array": as_array,
            "takes": [str(column) for column in domain.folding.takes],
            "one_hot": domain.folding.record(),
            "features": [str(column) for column in domain.columns],
            "covered": [str(domain.columns[gene]) for gene in sorted(domain.readings.genes)],
        },
        rules={"schema": domain.pinned().as_dict()},
        numbered=numbered(frame.index),
        total=len(frame),
        rows=rows,
        fingerprint=lambda: hashlib.sha256(f"{rows()} {rules!r}".encode()).hexdigest(),
        frame=partial(findings.findings_frame, domain),
        examples=partial(findings.examples, domain, learnt.model),
        figures=partial(findings.figures, domain, jury),
        remarks=partial(findings.remarks, domain),
        ready=jury,
        fewest=partial(findings.fewest_changes, domain),
    )


def _read(frame: pd.DataFrame, protected: Sequence[str], rules: Schema) -> tuple[pd.DataFrame, Sequence[str], Schema]:
    """What a domain is fitted to: the table, or of a large one a random sample, called as its rows are."""
    numbers = rows_read(*frame.shape)
    if numbers is None:
        return frame, protected, rules
    check_values(frame, rules)
    some = frame.iloc[numbers]
    some.index = pd.Index(numbers) if numbered(frame.index) else some.index
    return some, protected, with_all_readings(rules, frame, protected)


def table_of(model: Any, X: Any, protected: Sequence[str]) -> tuple[pd.DataFrame, bool]:
    """The features as a frame of exactly the model's columns, and whether the model wants an array."""
    if isinstance(X, pd.DataFrame):
        frame, as_array = X, False
    else:
        array = array_of(X)
        frame, as_array = pd.DataFrame(array, columns=unnamed_columns(array.shape[1])), True
    wanted, width = attribute(model, "feature_names_in_"), attribute(model, "n_features_in_")
    wanted = None if np.ndim(wanted) != 1 else wanted  # of an object that has any attribute one asks for
    if wanted is not None and not as_array:
        missing = [str(name) for name in wanted if name not in frame.columns]
        if missing:
            raise InputError(f"The model was trained on the column {missing[0]!r}, which the data does not have.")
        unused = [name for name in protected if name in frame.columns and name not in list(wanted)]
        if unused:
            raise InputError(f"The model does not take the protected column {unused[0]!r}, so it cannot flip on it.")
        if list(frame.columns) != list(wanted):  # it would be a copy
            frame = frame[list(wanted)]
    elif not as_array and width is not None:
        as_array = wanted is None and all(pd.api.types.is_numeric_dtype(dtype) for dtype in frame.dtypes)
        if width != frame.shape[1]:
            raise InputError(f"The model was trained on {width} columns, the data has {frame.shape[1]}.")
    return frame, as_array


def array_of(X: Any) -> np.ndarray[Any, Any]:
    """Rows and columns (N, columns) that are no frame, or one sentence on how to make some of what it is."""
    called = f"The data is a {type(X).__module__.partition('.')[0]} {type(X).__name__}"
    if hasattr(X, "to_pandas"):
        raise InputError(
            f"{called}; give X.to_pandas(), and, for a model that takes no pandas frame, a function that turns the "
            "frames that it is given back before it asks the model."
        )
    if hasattr(X, "toarray"):
        raise InputError(f"{called}, which is sparse; give X.toarray(), as the model will then get it.")
    if isinstance(X, Mapping):
        raise InputError(f"The data is a {type(X).__name__}; give it as pandas.DataFrame(X).")
    try:
        array = np.asarray(X)
    except ValueError as error:
        raise InputError("The data has rows of different lengths; give a table of rows and columns.") from error
    if array.dtype.names is not None:
        raise InputError("The data is a structured array; give it as pandas.DataFrame(X).")
    if array.ndim != 2:
        what = f"is a {type(X).__name__}" if array.ndim == 0 else f"has the shape {array.shape}"
        raise InputError(f"The data {what}; it must be a table of rows and columns, such as a pandas.DataFrame.")
    if array.dtype.kind in "US" and isinstance(X, list | tuple):
        return np.array(X, dtype=object)  # numpy has made text of numbers beside it
    return array


def by_number(protected: Sequence[str], columns: pd.Index[Any]) -> list[str]:
    """Protected columns of an array, whose numbers are as good as the names that it has not."""
    return [f"x{name}" if name.isdecimal() and f"x{name}" in columns else name for name in protected]


def unnamed_columns(count: int) -> list[str]:
    """What the columns of an array are called."""
    return [f"x{number}" for number in range(count)]


def _tried(learn: Callable[..., Learnt], domain: TabularDomain) -> Learnt:
    """What a model shows on some rows, those with missing values among them."""
    missing = np.column_stack(
        [feature.values.isna().to_numpy()[domain.rows[:, gene]] for gene, feature in enumerate(domain.features)]
    )
    rows = _first_rows(missing)

    def attempt(some: IndexArray) -> Learnt:
        return learn(domain.decode(domain.rows[some]), most=len(some))

    try:
        return attempt(rows)
    except ModelError as error:
        whole = rows[~missing[rows].any(axis=1)][:FIRST]
        if not len(whole) or not missing[rows].any():
            raise
        try:
            attempt(whole)
        except InputError:
            raise error from None
        rejected = _rejected(attempt, domain, missing)
        if rejected is None:
            raise
        raise InputError(
            f"The model rejects missing values, and the column {rejected!r} has some; "
            "fill them, drop those rows, or put an imputer into the model."
        ) from error


def _first_rows(missing: BoolArray) -> IndexArray:
    """Random rows in the order that a model is shown them, soon one for each column with missing values (n, d)."""
    drawn = np.random.default_rng(0).permutation(len(missing))[:PROBE_ROWS]
    with_missing = np.concatenate([np.flatnonzero(column)[:1] for column in missing.T])
    soon = [*drawn[: FIRST - 2].tolist(), *with_missing.tolist(), *drawn.tolist()]
    return np.array(list(dict.fromkeys(soon)), dtype=np.intp)


def _rejected(attempt: Callable[[IndexArray], Any], domain: TabularDomain, missing: BoolArray) -> str | None:
    """The first column whose missing values make the model fail; None where they do not."""
    for gene in np.flatnonzero(missing.any(axis=0)):
        has = np.flatnonzero(missing[:, gene])
        fewest = has[missing[has].sum(axis=1).argmin()]
        try:
            attempt(np.array([fewest]))
        except InputError:
            return str(domain.columns[gene])
    return None
