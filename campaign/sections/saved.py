"""What an earlier command left, changed by somebody: with all checksums right, so that only its content is wrong."""

from __future__ import annotations

import hashlib
import io
import json
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from campaign import finished
from campaign.case import Case, Step
from campaign.frames import with_column
from campaign.odd import CELLS, NAMES, NUMBERS, chance, damaged, pick

NAME = "saved"
Rng: TypeAlias = np.random.Generator
Files: TypeAlias = "dict[str, bytes]"
ODD: tuple[Any, ...] = (
    *(
        None,
        True,
        False,
        0,
        1,
        -1,
        0.5,
        10**25,
        [],
        {},
        [1],
        ["sex"],
        {"a": 1},
        "",
        "sex",
        "text",
        "table",
        [[]],
        [None],
        [0.5],
    ),
    *NUMBERS,
    *CELLS,
    *NAMES[:12],
)
ROOTS = (
    "Infinity",
    "NaN",
    "-Infinity",
    "1e999",
    "[" * 3_000 + "]" * 3_000,
    '{"a":' * 3_000 + "1" + "}" * 3_000,
    "9" * 5_000,
    '"\\ud800"',
)


class Saved:
    """An audit's or a repair's folder with something changed, and a command that reads it."""

    name = NAME
    total = 5_000
    at_once = 20

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def case(self, number: int) -> Case:
        rng = np.random.default_rng([self._seed, 8, number])
        texts = chance(rng, 0.3)
        files = dict(finished.audit_of_texts() if texts else finished.audit())
        model = ("--model", "anyone:model") if texts else finished.WITH_MODEL
        again = ("audit", *model, *(finished.LETTERS if texts else finished.PEOPLE), "--out", "out")
        repairing = ("retrain", *finished.WITH_MODEL, *finished.REPAIR, "--out", "repaired")
        reading: list[tuple[str, ...]] = [("replay", "out", *model)]
        if not texts:
            reading.append(repairing)
        writing: list[tuple[str, ...]] = [(*again, "--resume"), (*again, "--overwrite"), again]
        match int(rng.choice(6, p=[0.4, 0.2, 0.17, 0.08, 0.08, 0.07])):
            case 0:
                about, words = "another summary", pick(rng, reading if chance(rng, 0.9) else writing)
                _sign(files, _changed_summary(rng, json.loads(files["out/summary.json"])), rng)
            case 1:
                about, words = "other findings", pick(rng, reading)
                _other_findings(rng, files)
            case 2:
                about, words = "another store", pick(rng, writing)
                files["out/expga.db"], files["out/expga.db-mark"] = _other_store(rng, files["out/expga.db"])
            case 3:
                about, words = "odd files", pick(rng, writing + reading)
                _odd_files(rng, files, "out")
            case 4 if not texts:
                files |= finished.repair()
                about, words = "another repair", (*repairing, *pick(rng, (("--resume",), ("--overwrite",), ())))
                if chance(rng, 0.6):
                    place = "repaired/expga.db"
                    files[place], files[f"{place}-mark"] = _other_store(rng, files[place])
                else:
                    _odd_files(rng, files, "repaired")
            case _:
                name = str(pick(rng, list(files)))
                about, words = f"a damaged {name}", pick(rng, writing + reading)
                files[name] = damaged(rng, files[name])
        ours = tuple(name for name in files if name.startswith(("out/", "repaired/")) and "user" not in name)
        step = Step(tuple(words), codes=(0, 2, 3))
        return Case(NAME, finished.inputs() | files, (step,), ("tidy",), about=about, ours=ours)


def _changed_summary(rng: Rng, summary: Any) -> Any:
    for _ in range(int(rng.choice([1, 2, 4]))):
        top = "settings" if chance(rng, 0.6) else str(pick(rng, list(summary))) if summary else ""
        if top in summary and isinstance(summary[top], dict | list) and chance(rng, 0.85):
            summary = {**summary, top: _changed(rng, summary[top])}
        else:
            summary = _changed(rng, summary)
        if not isinstance(summary, dict):
            return summary
    return summary


def _changed(rng: Rng, value: Any) -> Any:
    """A value of JSON with something odd in it."""
    if isinstance(value, dict) and value:
        name = pick(rng, list(value))
        match int(rng.integers(6)):
            case 0:
                return {other: of for other, of in value.items() if other != name}
            case 1:
                return {**value, pick(rng, NAMES): pick(rng, ODD)}
            case 2:
                return {**value, name: value[pick(rng, list(value))]}
            case 3:
                return {**value, name: pick(rng, ODD)}
            case _:
                return {**value, name: _changed(rng, value[name])}
    if isinstance(value, list) and value and chance(rng, 0.7):
        place = int(rng.integers(len(value)))
        match int(rng.integers(4)):
            case 0:
                return value[:place] + value[place + 1 :]
            case 1:
                return [*value, pick(rng, value)]
            case 2:
                return [value[number] for number in rng.permutation(len(value))]
            case _:
                return [_changed(rng, of) if number == place else of for number, of in enumerate(value)]
    return pick(rng, ODD)


def _sign(files: Files, summary: Any, rng: Rng) -> None:
    """The summary as expga itself would have written it; sometimes not quite."""
    from expga.results.record import signed

    if chance(rng, 0.08) or not isinstance(summary, dict):
        told = json.dumps(summary, indent=2, default=str)
        files["out/summary.json"] = told.replace('"gap"', pick(rng, ROOTS), 1).encode("utf-8", "surrogatepass")
        return
    files["out/summary.json"] = signed(summary)
    if chance(rng, 0.05):
        files["out/summary.json"] = files["out/summary.json"].replace(b": 1", b": " + pick(rng, ROOTS).encode(), 1)


def _other_findings(rng: Rng, files: Files) -> None:
    """Other columns, types and rows, and a summary that has their digest."""
    import pandas as pd

    frame = pd.read_parquet(io.BytesIO(files["out/findings.parquet"]))
    for _ in range(int(rng.integers(1, 4))):
        column = pick(rng, list(frame.columns)) if frame.shape[1] else "none"
        changes: dict[str, Callable[[Any, Any], Any]] = {
            "fewer columns": lambda frame, column: frame.drop(columns=column, errors="ignore"),
            "a column more": lambda frame, _: with_column(frame, str(pick(rng, NAMES)), 1),
            "another name": lambda frame, column: frame.rename(columns={column: pick(rng, NAMES)}),
            "another type": lambda frame, column: with_column(
                frame, column, [pick(rng, ODD[:12] if chance(rng, 0.2) else CELLS) for _ in range(len(frame))]
            ),
            "one odd value": lambda frame, column: with_column(
                frame, column, frame[column].astype(object).where(np.arange(len(frame)) > 0, pick(rng, CELLS))
            ),
            "as text": lambda frame, column: with_column(frame, column, frame[column].astype(str)),
            "as numbers": lambda frame, column: with_column(frame, column, rng.normal(size=len(frame))),
            "as bytes": lambda frame, column: with_column(frame, column, [b"\xff"] * len(frame)),
            "holes": lambda frame, column: with_column(frame, column, None),
            "infinite": lambda frame, column: with_column(frame, column, np.inf),
            "large": lambda frame, column: with_column(frame, column, 2**62 + np.arange(len(frame))),
            "lists": lambda frame, column: with_column(frame, column, [[pick(rng, CELLS)]] * len(frame)),
            "categories": lambda frame, column: with_column(
                frame, column, frame[column].astype(str).astype("category")
            ),
            "no rows": lambda frame, _: frame[:0],
            "one row": lambda frame, _: frame[:1],
            "twice": lambda frame, _: pd.concat([frame, frame], ignore_index=True),
            "doubled names": lambda frame, column: pd.concat([frame, frame[[column]]], axis=1),
            "another order": lambda frame, _: frame.sample(frac=1, random_state=int(rng.integers(99))),
            "an index": lambda frame, column: frame.set_index(column),
        }
        try:
            frame = changes[str(pick(rng, list(changes)))](frame, column)
        except (KeyError, TypeError, ValueError):
            continue
    file = io.BytesIO()
    try:
        frame.to_parquet(file)
    except Exception:  # what cannot be written is tried as text
        frame = frame.loc[:, ~frame.columns.duplicated()].map(repr)
        file = io.BytesIO()
        frame.to_parquet(file)
    content = file.getvalue()
    if chance(rng, 0.05):
        content = damaged(rng, content)
    files["out/findings.parquet"] = content
    summary = json.loads(files["out/summary.json"])
    summary["files"] = {"findings.parquet": hashlib.sha256(content).hexdigest()}
    if chance(rng, 0.3):
        summary["found"] = len(frame)
    if chance(rng, 0.2):
        summary = _changed_summary(rng, summary)
    _sign(files, summary, rng)


def _other_store(rng: Rng, content: bytes) -> tuple[bytes, bytes]:
    """A database whose records are others, with their checksums, and its mark."""
    from expga.store.mark import Mark
    from expga.store.store import _checksum

    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "expga.db"
        path.write_bytes(content)
        with closing(sqlite3.connect(path)) as connection:
            for _ in range(int(rng.choice([1, 2, 3]))):
                _change_store(rng, connection, _checksum)
            connection.commit()
            sequence = connection.execute("SELECT number FROM sequence").fetchone()
        mark = Mark(path)
        number = sequence[0] if sequence and isinstance(sequence[0], int) else 0
        mark.take(number if 0 <= number < 2**63 else 0, lambda: None, path.read_bytes)
        mark.close()
        return path.read_bytes(), mark.path.read_bytes()


def _change_store(rng: Rng, connection: sqlite3.Connection, checksum: Callable[[int, str, bytes], bytes]) -> None:
    records = connection.execute("SELECT run, name, value FROM record").fetchall()
    parts = connection.execute("SELECT run, number, value FROM part").fetchall()
    match int(rng.choice(7, p=[0.5, 0.15, 0.1, 0.07, 0.06, 0.06, 0.06])):
        case 0 if records:
            run, name, value = pick(rng, records)
            other = _other_record(rng, value)
            connection.execute(
                "UPDATE record SET value = ?, checksum = ? WHERE run = ? AND name = ?",
                (other, checksum(run, name, other), run, name),
            )
        case 1 if parts:
            run, number, value = pick(rng, parts)
            other = (
                damaged(rng, value)
                if chance(rng, 0.6)
                else pick(rng, (b"", b"{}", b"\x00" * 50, value[: len(value) // 2]))
            )
            connection.execute(
                "UPDATE part SET value = ?, checksum = ? WHERE run = ? AND number = ?",
                (other, checksum(run, str(number), other), run, number),
            )
        case 2 if records:
            run, name, _ = pick(rng, records)
            connection.execute("DELETE FROM record WHERE run = ? AND name = ?", (run, name))
        case 3:
            connection.execute("UPDATE run SET done = ?", (pick(rng, (0, 1, 2, "x", -1)),))
        case 4:
            connection.execute("UPDATE run SET kind = ?", (pick(rng, ("repair", "audit", "\x1b[31m", "", b"\xff", 5)),))
        case 5:
            connection.execute("UPDATE sequence SET number = ?", (pick(rng, (0, 5, 10**9)),))
        case _:
            extra = (
                "DELETE FROM run",
                "DELETE FROM part",
                "DELETE FROM file",
                "CREATE TABLE more (a)",
                "DELETE FROM sequence",
            )
            connection.execute(
                pick(rng, (*extra, "PRAGMA user_version = 7", "CREATE VIEW v AS SELECT 1", "DELETE FROM record"))
            )


def _other_record(rng: Rng, value: bytes) -> bytes:
    try:
        told = json.loads(value)
    except (ValueError, RecursionError):
        return damaged(rng, value)
    for _ in range(int(rng.integers(1, 4))):
        told = _changed(rng, told)
    if chance(rng, 0.05):
        return str(pick(rng, ROOTS)).encode("utf-8", "surrogatepass")
    return json.dumps(told, default=str).encode("utf-8", "surrogatepass")


def _odd_files(rng: Rng, files: Files, folder: str) -> None:
    """Files missing, empty, of the user's, or another's in their place."""
    names = sorted(name for name in files if name.startswith(f"{folder}/"))
    for _ in range(int(rng.integers(1, 4))):
        name = str(pick(rng, names))
        match int(rng.integers(5)):
            case 0:
                files.pop(name, None)
            case 1:
                files[name] = b""
            case 2:
                files[name] = files.get(str(pick(rng, names)), b"x")
            case 3:
                files[name] = pick(
                    rng, (b"not ours", b"SQLite format 3\0" + b"\0" * 84, b"PAR1PAR1", b"{}", b"[]", b"\xff" * 99)
                )
            case _:
                odd = (
                    "expga.db-wal",
                    "expga.db-shm",
                    "expga.db-journal",
                    ".expga-x.tmp",
                    "user.txt",
                    "retrain.json",
                    "model.skops",
                )
                files[f"{folder}/{pick(rng, odd)}"] = rng.bytes(int(rng.choice([0, 10, 5_000])))
