"""What was found: kept in memory, journalled to disk while the run goes on, shown as a table."""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from expga.contracts import Batch, FloatArray, IndexArray, IntArray, Verdict
from expga.errors import InputError

WRITING_SHARE = 0.02
"""The journal may take this share of the time: large batches are written one by one, small ones together."""


@dataclass(frozen=True, slots=True)
class Findings:
    """Discriminatory samples, aligned: n of them with d genes."""

    genomes: IntArray
    """(n, d)"""
    anchor: IndexArray
    """(n,) row numbers of the domain."""
    pair: IndexArray
    """(n, 2) the readings that disagree."""
    labels: IndexArray
    """(n, 2) class numbers."""
    scores: FloatArray
    """(n, 2)"""

    def __len__(self) -> int:
        return len(self.anchor)

    @classmethod
    def none(cls, width: int) -> Findings:
        """No findings of genomes that wide."""
        two = np.zeros((0, 2), dtype=np.intp)
        return cls(np.zeros((0, width), dtype=np.int32), np.zeros(0, dtype=np.intp), two, two, np.zeros((0, 2)))

    @classmethod
    def of(cls, batch: Batch, verdict: Verdict, most: int | None) -> Findings:
        """The first unfair samples of a batch, no more than `most`."""
        unfair = np.flatnonzero(verdict.unfair)[:most]
        found = verdict.tested[unfair]
        return cls(
            batch.genomes.take(found, axis=0),
            batch.anchor[found],
            verdict.pair[unfair],
            verdict.labels[unfair],
            verdict.scores[unfair],
        )

    @classmethod
    def joined(cls, parts: list[Findings], width: int) -> Findings:
        """Several, one after the other."""
        parts = [cls.none(width), *parts]
        return cls(
            np.concatenate([part.genomes for part in parts]),
            np.concatenate([part.anchor for part in parts]),
            np.concatenate([part.pair for part in parts]),
            np.concatenate([part.labels for part in parts]),
            np.concatenate([part.scores for part in parts]),
        )

    @property
    def gap(self) -> FloatArray:
        """(n,)"""
        return np.abs(self.scores[:, 0] - self.scores[:, 1])


class Journal:
    """A folder of Parquet parts and a state file: what a killed run leaves behind for `--resume`.

    Every file is written beside its place and then moved there, so a reader sees all of it or none.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._waiting: list[Findings] = []
        self._last = time.perf_counter()
        self._cost = 0.0
        self._parts = len(list(folder.glob("part-*.parquet"))) if folder.exists() else 0
        folder.mkdir(parents=True, exist_ok=True)

    def add(self, findings: Findings, state: dict[str, Any]) -> None:
        """Takes findings in and writes them unless the last writing was a moment ago."""
        if len(findings):
            self._waiting.append(findings)
        if self._waiting and time.perf_counter() - self._last >= self._cost / WRITING_SHARE:
            self.flush(state)

    def flush(self, state: dict[str, Any]) -> None:
        """Writes all that waits, then the state that goes with it."""
        began = time.perf_counter()
        if self._waiting:
            part = Findings.joined(self._waiting, self._waiting[0].genomes.shape[1])
            self._parts += 1
            _write_part(part, self._folder / f"part-{self._parts:06d}.parquet")
            self._waiting = []
        write_text(self._folder / "state.json", json.dumps({**state, "parts": self._parts}))
        self._last = time.perf_counter()
        self._cost = self._last - began


def read_journal(folder: Path, width: int) -> tuple[Findings, dict[str, Any]]:
    """What an earlier run left: its findings, and its last state (empty where there is none)."""
    state: dict[str, Any] = {}
    paths = sorted(folder.glob("part-*.parquet"))
    path = folder / "state.json"
    try:
        if path.exists():
            state = dict(json.loads(path.read_text(encoding="utf-8")))
        parts = [_read_part(path := part) for part in paths]
        return Findings.joined(parts, width), state
    except (ValueError, KeyError, TypeError, OSError) as error:
        raise InputError(f"The file {path} is damaged; remove it, or the folder, and start anew.") from error


def write_text(path: Path, text: str) -> None:
    """Writes a text file in one move."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    beside.write_text(text, encoding="utf-8")
    beside.replace(path)


def write_table(table: Any, path: Path) -> None:
    """Writes an Arrow table as Parquet in one move."""
    import pyarrow.parquet as parquet

    beside = path.with_name(f".{path.name}.{os.getpid()}")
    parquet.write_table(table, beside, compression="zstd")
    beside.replace(path)


def _write_part(part: Findings, path: Path) -> None:
    import pyarrow as pa

    width = part.genomes.shape[1]
    genes = pa.py_buffer(np.ascontiguousarray(part.genomes))
    columns: dict[str, Any] = {
        "genome": pa.FixedSizeBinaryArray.from_buffers(pa.binary(4 * width), len(part), [None, genes]),
        "anchor": part.anchor,
    }
    for name, two in (("pair", part.pair), ("label", part.labels), ("score", part.scores)):
        columns |= {f"{name}0": np.ascontiguousarray(two[:, 0]), f"{name}1": np.ascontiguousarray(two[:, 1])}
    write_table(pa.table(columns), path)


def _read_part(path: Path) -> Findings:
    import pyarrow.parquet as parquet

    table = parquet.read_table(path)
    genes = np.frombuffer(b"".join(table["genome"].to_pylist()), dtype=np.int32)

    def two(name: str) -> np.ndarray:
        return np.column_stack([table[f"{name}0"].to_numpy(), table[f"{name}1"].to_numpy()])

    anchor = table["anchor"].to_numpy().astype(np.intp)
    return Findings(
        genes.reshape(len(anchor), -1).copy(),
        anchor,
        two("pair").astype(np.intp),
        two("label").astype(np.intp),
        two("score"),
    )
