"""What is done to frames before they are written, and Parquet that pandas alone would not write."""

from __future__ import annotations

import io
from collections.abc import Callable
from decimal import Decimal
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from campaign.odd import CELLS, NAMES, NUMBERS, RESULTS, chance, pick

Rng: TypeAlias = np.random.Generator
Changed: TypeAlias = "tuple[pd.DataFrame, str, str]"
"""A frame, its target, and the protected column."""


def _column(rng: Rng, frame: pd.DataFrame) -> Any:
    return frame.columns[int(rng.integers(frame.shape[1]))]


def _renamed(rng: Rng, frame: pd.DataFrame, target: str, protected: str) -> Changed:
    """One column under an odd name, which may be another's."""
    place, name = int(rng.integers(frame.shape[1])), str(pick(rng, NAMES))
    old = str(frame.columns[place])
    names = [name if number == place else column for number, column in enumerate(frame.columns)]
    target, protected = (name if old == told and chance(rng, 0.9) else told for told in (target, protected))
    return frame.set_axis(pd.Index(names), axis=1), target, protected


def _all_renamed(rng: Rng, frame: pd.DataFrame, target: str, protected: str) -> Changed:
    names = {old: str(new) for old, new in zip(frame.columns, rng.permutation(NAMES)[: frame.shape[1]], strict=False)}
    return frame.rename(columns=names), names.get(target, target), names.get(protected, protected)


def with_column(frame: pd.DataFrame, name: Any, values: Any) -> pd.DataFrame:
    """Another frame with these values in a column, whatever that is called: `assign` takes no "self"."""
    other = frame.copy()
    other[name] = values
    return other


def _values(rng: Rng, frame: pd.DataFrame, make: Callable[[Rng, int], Any]) -> pd.DataFrame:
    column = _column(rng, frame)
    if list(frame.columns).count(column) > 1:
        return frame
    return with_column(frame, column, make(rng, len(frame))) if isinstance(column, str) else frame


def _times(rng: Rng, count: int) -> pd.Series[Any]:
    starts = ("2020-01-01", "1700-01-01", "2200-12-31", "1970-01-01")
    times = pd.Series(pd.to_datetime(str(pick(rng, starts))) + pd.to_timedelta(rng.integers(0, 9, count), unit="D"))
    if chance(rng, 0.3):
        times = times.dt.tz_localize(str(pick(rng, ("UTC", "Europe/Berlin", "+05:30"))))
    return times.dt.as_unit(pick(rng, ("s", "ms", "us", "ns")))


def _holes(rng: Rng, frame: pd.DataFrame) -> pd.DataFrame:
    column = _column(rng, frame)
    if list(frame.columns).count(column) > 1:
        return frame
    return with_column(frame, column, frame[column].mask(rng.random(len(frame)) < rng.choice([0.1, 0.9])))


def _odd_cells(rng: Rng, count: int) -> list[Any]:
    return [pick(rng, CELLS) for _ in range(count)]


VALUES: dict[str, Callable[[Rng, int], Any]] = {
    "one value": lambda _, count: ["same"] * count,
    "one number": lambda _, count: np.ones(count),
    "nothing but holes": lambda _, count: [None] * count,
    "nan": lambda _, count: np.full(count, np.nan),
    "infinite": lambda rng, count: rng.choice([np.inf, -np.inf, 1.0], count),
    "extreme numbers": lambda rng, count: [float(pick(rng, NUMBERS)) for _ in range(count)],
    "large integers": lambda rng, count: rng.integers(2**62, 2**63 - 1, count),
    "unsigned": lambda rng, count: rng.integers(2**63, 2**64 - 1, count, dtype=np.uint64),
    "25 digits": lambda rng, count: [str(rng.integers(1, 9)) * 25 for _ in range(count)],
    "odd cells": _odd_cells,
    "each another": lambda _, count: [f"p{number}" for number in range(count)],
    "escapes": lambda rng, count: [f"\x1b[3{rng.integers(8)}mx" for _ in range(count)],
    "long cells": lambda rng, count: [str(rng.integers(3)) * 5_000 for _ in range(count)],
    "booleans": lambda rng, count: rng.random(count) < 0.5,
    "booleans and holes": lambda rng, count: rng.choice(np.array([True, False, None], dtype=object), count),
    "numbers and words": lambda rng, count: rng.choice(np.array(["1", "2", "many"], dtype=object), count),
    "dates as text": lambda rng, count: [f"20{rng.integers(10, 99)}-01-0{rng.integers(1, 9)}" for _ in range(count)],
    "times": _times,
    "durations": lambda rng, count: pd.to_timedelta(rng.integers(-5, 5, count), unit="h"),
    "categories": lambda rng, count: pd.Categorical(rng.choice(["a", "b"], count), categories=["b", "a", "never"]),
    "ordered": lambda rng, count: pd.Categorical(rng.integers(0, 3, count), categories=[2, 1, 0], ordered=True),
    "nullable integers": lambda rng, count: pd.array(
        [None if chance(rng, 0.2) else int(rng.integers(5)) for _ in range(count)], dtype="Int64"
    ),
    "nullable text": lambda rng, count: pd.array(
        [None if chance(rng, 0.2) else str(rng.integers(3)) for _ in range(count)], dtype="string"
    ),
    "nullable booleans": lambda rng, count: pd.array(
        [pick(rng, (None, True, False)) for _ in range(count)], dtype="boolean"
    ),
    "small floats": lambda rng, count: rng.random(count).astype(np.float32),
    "half floats": lambda rng, count: rng.random(count).astype(np.float16),
    "bytes": lambda rng, count: [bytes([int(rng.integers(256))]) for _ in range(count)],
    "small integers": lambda rng, count: rng.integers(-128, 127, count).astype(np.int8),
    "decimals": lambda rng, count: [Decimal(int(rng.integers(5))) / 4 for _ in range(count)],
    "dates": lambda rng, count: [pd.Timestamp(2000 + int(rng.integers(9)), 1, 1).date() for _ in range(count)],
    "lists": lambda rng, count: [[int(rng.integers(2))] for _ in range(count)],
    "structs": lambda rng, count: [{"a": int(rng.integers(2))} for _ in range(count)],
    "periods": lambda _, count: pd.period_range("2020", periods=count, freq="M"),
    "intervals": lambda rng, count: pd.cut(pd.Series(rng.random(count)), 3),
    "negative zero": lambda rng, count: rng.choice([0.0, -0.0], count),
    "tiny steps": lambda rng, count: 1.0 + rng.integers(0, 9, count) * 1e-16,
}


def _retyped(name: str) -> Callable[[Rng, pd.DataFrame, str, str], Changed]:
    return lambda rng, frame, target, protected: (_values(rng, frame, VALUES[name]), target, protected)


def _protected_of(kind: Callable[[Rng, int], Any]) -> Callable[[Rng, pd.DataFrame, str, str], Changed]:
    def change(rng: Rng, frame: pd.DataFrame, target: str, protected: str) -> Changed:
        if protected in frame.columns and list(frame.columns).count(protected) == 1:
            frame = with_column(frame, protected, kind(rng, len(frame)))
        return frame, target, protected

    return change


def _wide(rng: Rng, frame: pd.DataFrame, target: str, protected: str) -> Changed:
    more = pd.DataFrame(rng.integers(0, 3, (len(frame), 300)), columns=[f"c{number}" for number in range(300)])
    return pd.concat([frame.reset_index(drop=True), more], axis=1), target, protected


def _many_protected(rng: Rng, frame: pd.DataFrame, target: str, protected: str) -> Changed:
    names = [f"group {number}" for number in range(int(rng.integers(2, 9)))]
    more = {name: rng.integers(0, int(rng.integers(2, 12)), len(frame)).astype(str) for name in names}
    return frame.assign(**more), target, ",".join([*names, protected])


def _tall(rng: Rng, frame: pd.DataFrame, target: str, protected: str) -> Changed:
    frame = table_of(3_000)
    if chance(rng, 0.5):
        frame["sex"] = [f"kind {number}" for number in range(len(frame))]
    return frame, target, protected


def table_of(rows: int) -> pd.DataFrame:
    from campaign.people import table

    return table(rows)


def _index(rng: Rng, frame: pd.DataFrame, target: str, protected: str) -> Changed:
    indexes: tuple[Any, ...] = (
        np.zeros(len(frame), dtype=int),
        [f"\x1b[31m{number}" for number in range(len(frame))],
        pd.MultiIndex.from_arrays([range(len(frame)), ["x"] * len(frame)], names=["sex", None]),
        pd.Index(range(len(frame)), name="age"),
        pd.date_range("2020", periods=len(frame)),
        np.arange(len(frame))[::-1] / 2,
        pd.Index([None, *range(1, len(frame))], dtype=object),
    )
    return frame.set_axis(pick(rng, indexes), axis=0), target, protected


def _levels(rng: Rng, frame: pd.DataFrame, target: str, protected: str) -> Changed:  # noqa: ARG001 - as all of them
    names = [("top", str(name)) for name in frame.columns]
    return frame.set_axis(pd.MultiIndex.from_tuples(names), axis=1), target, protected


def _numbered(rng: Rng, frame: pd.DataFrame, target: str, protected: str) -> Changed:  # noqa: ARG001
    names = {str(name): str(number) for number, name in enumerate(frame.columns)}
    changed = frame.set_axis(pd.RangeIndex(frame.shape[1]), axis=1)
    return changed, names.get(target, target), names.get(protected, protected)


def _doubled(rng: Rng, frame: pd.DataFrame, target: str, protected: str) -> Changed:
    return pd.concat([frame, frame[[_column(rng, frame)]]], axis=1), target, protected


def _called_like_results(rng: Rng, frame: pd.DataFrame, target: str, protected: str) -> Changed:
    """Columns, the protected one among them, with names that columns of results have too."""
    free = [name for name in rng.permutation(RESULTS).tolist() if name not in frame.columns]
    others = [column for column in frame.columns if column not in (target, protected) and chance(rng, 0.5)]
    names = dict(zip([protected, *others], free, strict=False))
    return frame.rename(columns=names), target, names.get(protected, protected)


CHANGES: dict[str, Callable[[Rng, pd.DataFrame, str, str], Changed]] = {
    "a name": _renamed,
    "another name": _renamed,
    "all names": _all_renamed,
    "names of results": _called_like_results,
    "holes": lambda rng, frame, target, protected: (_holes(rng, frame), target, protected),
    "many columns": _wide,
    "many protected": _many_protected,
    "many rows": _tall,
    "an index": _index,
    "levels": _levels,
    "numbers for names": _numbered,
    "a doubled column": _doubled,
    "the target protected": lambda _, frame, target, protected: (frame, target, f"{protected},{target}"),
    "another target": lambda rng, frame, _, protected: (frame, str(_column(rng, frame)), protected),
    "another protected": lambda rng, frame, target, _: (frame, target, str(_column(rng, frame))),
    "no columns": lambda _, frame, target, protected: (frame[[]], target, protected),
    "few columns": lambda rng, frame, target, protected: (
        (
            frame[[column for column in frame.columns if chance(rng, 0.6)]],
            target,
            protected,
        )
        if frame.shape[1] > 1
        else (frame, target, protected)
    ),
    **{f"{name} somewhere": _retyped(name) for name in VALUES},
    **{f"protected {name}": _protected_of(make) for name, make in VALUES.items()},
}
"""By name: what is done to a frame, its target and its protected column."""


def _arrows() -> dict[str, Callable[[int], Any]]:
    import pyarrow as pa

    return {
        "null": lambda n: pa.nulls(n),
        "large text": lambda n: pa.array(["a", "b"] * n, pa.large_string())[:n],
        "views": lambda n: pa.array(["a", "b"] * n, pa.string_view())[:n],
        "binary": lambda n: pa.array([b"\xff", b"a"] * n)[:n],
        "decimals": lambda n: pa.array([Decimal("1.5"), Decimal("2.25")] * n, pa.decimal128(38, 2))[:n],
        "lists": lambda n: pa.array([[1], [2, 3], None] * n)[:n],
        "structs": lambda n: pa.array([{"a": 1}, {"a": None}] * n)[:n],
        "maps": lambda n: pa.array([[("a", 1)], []] * n, pa.map_(pa.string(), pa.int64()))[:n],
        "dictionary": lambda n: pa.array(["a", "b", None] * n).dictionary_encode()[:n],
        "dictionary of numbers": lambda n: pa.array([1.5, 2.5] * n).dictionary_encode()[:n],
        "dates": lambda n: pa.array([0, 1, None] * n, pa.date32())[:n],
        "times of day": lambda n: pa.array([0, 1, None] * n, pa.time64("ns"))[:n],
        "far times": lambda n: pa.array([0, 2**55] * n, pa.timestamp("us"))[:n],
        "zoned times": lambda n: pa.array([0, 10**9, None] * n, pa.timestamp("us", "America/New_York"))[:n],
        "durations": lambda n: pa.array([0, 1, None] * n, pa.duration("ms"))[:n],
        "half floats": lambda n: pa.array(np.array([0.5, 1.5] * n, dtype=np.float16))[:n],
        "unsigned": lambda n: pa.array([2**64 - 1, 0, None] * n, pa.uint64())[:n],
        "booleans": lambda n: pa.array([True, False, None] * n)[:n],
        "floats": lambda n: pa.array([np.nan, np.inf, None, 1.0] * n)[:n],
    }


ARROWS = (*_arrows(), "no columns", "a doubled name", "no rows", "odd metadata")


def arrow(rng: Rng, frame: pd.DataFrame, how: str) -> bytes:
    """A Parquet file with a column of some type of Arrow's in the place of another, or with something else odd."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.Table.from_pandas(frame, preserve_index=False)
    if how == "no columns":
        table = table.select([])
    elif how == "no rows":
        table = table.slice(0, 0)
    elif how == "a doubled name":
        table = table.append_column(table.column_names[0], table.column(0)) if table.num_columns else table
    elif how == "odd metadata":
        table = table.replace_schema_metadata(
            {"pandas": pick(rng, ("{}", "[", '{"columns": 3}', '{"index_columns": ["a"]}'))}
        )
    elif table.num_columns:
        place = int(rng.integers(table.num_columns))
        table = table.set_column(place, table.column_names[place], _arrows()[how](table.num_rows))
        if chance(rng, 0.5):
            table = table.replace_schema_metadata(None)
    file = io.BytesIO()
    pq.write_table(table, file)
    return file.getvalue()
