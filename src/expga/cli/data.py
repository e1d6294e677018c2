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
    from expga.inputs import listed

    if target not in frame.columns:
        raise InputError(f"The target column {target!r} is not in {path}; its columns are {listed(frame)}.")
    if not len(frame):
        raise InputError(f"The data file {path} has no rows.")
    try:
        classes = frame[target].nunique()
    except TypeError as error:
        raise InputError(
            f"The target column {target!r} of {path} holds lists or other values that are no labels; "
            "turn them into text or numbers."
        ) from error
    if classes < 2:
        raise InputError(f"The target column {target!r} has only one class in {path}; an audit needs at least two.")
    return frame


def texts_of(path: Path, column: str) -> pd.DataFrame:
    """The column of texts, checked; an empty cell is an empty text."""
    from expga.errors import InputError
    from expga.inputs import listed

    frame = _read(path, keep_default_na=False) if path.suffix == ".csv" else _read(path)
    if column not in frame.columns:
        raise InputError(f"The text column {column!r} is not in {path}; its columns are {listed(frame)}.")
    if not len(frame):
        raise InputError(f"The data file {path} has no rows.")
    return frame[[column]]


def _read(path: Path, **options: Any) -> pd.DataFrame:
    import pandas as pd

    from expga.domain.columns import check_columns
    from expga.errors import InputError
    from expga.inputs import reason, regular_file

    readers: dict[str, Callable[..., pd.DataFrame]] = {".csv": _csv, ".parquet": pd.read_parquet}
    if path.suffix not in readers:
        raise InputError(f"The data {path} is neither a .csv nor a .parquet file.")
    regular_file(path, "data file")
    try:
        frame = readers[path.suffix](path, **options)
    except InputError:
        raise
    except UnicodeDecodeError as error:
        raise InputError(f"The data file {path} is not UTF-8 text; save it as UTF-8.") from error
    except Exception as error:  # a reader's complaints are of many types
        raise InputError(f"The data file {path} cannot be read: {reason(error)}.") from error
    check_columns(frame.columns, str(path))
    return frame


def _csv(path: Path, **options: Any) -> pd.DataFrame:
    """A table of text, whose column names are checked as they are written: the reader makes doubled ones unique."""
    import pandas as pd

    from expga.domain.columns import check_columns
    from expga.errors import InputError

    with path.open("rb") as file:
        if any(b"\0" in block for block in iter(lambda: file.read(1 << 20), b"")):
            raise InputError(f"The data file {path} has NUL bytes, so it is no text; save it as CSV in UTF-8.")
    header = pd.read_csv(path, header=None, nrows=1, dtype=str).iloc[0].dropna()
    check_columns(pd.Index(header), str(path))
    # Read piece by piece, a column may become of two types.
    frame: pd.DataFrame = pd.read_csv(path, low_memory=False, **options)
    return frame
