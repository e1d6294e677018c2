"""Data files of users."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


def features_of(path: Path, target: str | None) -> pd.DataFrame:
    """The table without its target, checked."""
    from expga.errors import InputError

    if target is None:
        raise InputError("Name the target column with --target, or the column of texts with --text-column.")
    return _with_target(_read(path), path, target).drop(columns=target)


def labelled(path: Path, target: str, column: str | None) -> tuple[pd.DataFrame, pd.Series[Any]]:
    """The table without its target, or its column of texts, and the target, checked."""
    frame = _with_target(_read(path), path, target)
    features = frame.drop(columns=target) if column is None else texts_of(path, column)
    return features, frame[target]


def _with_target(frame: pd.DataFrame, path: Path, target: str) -> pd.DataFrame:
    from expga.errors import InputError

    if target not in frame.columns:
        raise InputError(
            f"The target column {target!r} is not in {path}; its columns are {', '.join(map(str, frame))}."
        )
    if not len(frame):
        raise InputError(f"The data file {path} has no rows.")
    if frame[target].nunique() < 2:
        raise InputError(f"The target column {target!r} has only one class in {path}; an audit needs at least two.")
    return frame


def texts_of(path: Path, column: str) -> pd.DataFrame:
    """The column of texts, checked; an empty cell is an empty text."""
    from expga.errors import InputError

    frame = _read(path, keep_default_na=False) if path.suffix == ".csv" else _read(path)
    if column not in frame.columns:
        raise InputError(f"The text column {column!r} is not in {path}; its columns are {', '.join(map(str, frame))}.")
    if not len(frame):
        raise InputError(f"The data file {path} has no rows.")
    return frame[[column]]


def _read(path: Path, **options: Any) -> pd.DataFrame:
    import pandas as pd

    from expga.errors import InputError

    readers: dict[str, Callable[..., pd.DataFrame]] = {".csv": pd.read_csv, ".parquet": pd.read_parquet}
    if path.suffix not in readers:
        raise InputError(f"The data {path} is neither a .csv nor a .parquet file.")
    if not path.is_file():
        raise InputError(f"There is no data file {path}.")
    try:
        frame = readers[path.suffix](path, **options)
        header = list(pd.read_csv(path, header=None, nrows=1, dtype=str).iloc[0]) if path.suffix == ".csv" else []
    except Exception as error:  # a reader's complaints are of many types
        reason = " ".join(str(error).split())
        raise InputError(f"The data file {path} cannot be read: {reason}") from error
    if twice := next((name for name in header if header.count(name) > 1), None):
        raise InputError(f"The column {twice!r} stands twice in {path}; rename one of them.")
    return frame
