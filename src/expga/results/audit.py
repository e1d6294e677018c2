"""What an audit came to: a summary, the population's flip rate, the findings, and files that hold them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from expga import words
from expga.contracts import IndexArray
from expga.engine import Outcome
from expga.errors import InputError
from expga.files import parquet
from expga.population import FlipRate
from expga.results.columns import TWIN, result_name
from expga.results.record import checked_summary
from expga.results.voices import in_all_voices
from expga.store import Shelf
from expga.store.shelf import Writer

KIND = "audit"
FILES = ("findings.parquet", "summary.json")
KEY = b"expga"
"""Under which a file of findings holds the summary."""


@dataclass(frozen=True, slots=True)
class Audit:
    """The result of an audit.

    Attributes:
        summary: every number of `summary.json`.
        findings: one discriminatory pair a row; the columns are described in the README.
    """

    summary: dict[str, Any]
    findings: pd.DataFrame

    @property
    def population(self) -> FlipRate:
        """The flip rate of the real rows: how unfair the model is."""
        return FlipRate(self.summary["population"]["rows"], self.summary["population"]["flipped"])

    def save(self, folder: str | Path, *, overwrite: bool = False) -> Path:
        """Writes `findings.parquet` and `summary.json`, together, and returns the folder.

        Args:
            folder: made if it is not there.
            overwrite: whether an audit that is there may be replaced.
        """
        shelf = Shelf.open(Path(folder), FILES, KIND, overwrite=overwrite)
        try:
            shelf.publish(files_of(self), {})
        finally:
            shelf.leave()
        return Path(folder)

    @classmethod
    def load(cls, folder: str | Path) -> Audit:
        """An audit from the folder that it was saved to.

        The summary is taken from `findings.parquet`, which holds a copy: both appear in one move.
        """
        import pyarrow.parquet as pq

        place = Path(folder) / "findings.parquet"
        if not place.is_file():
            raise InputError(f"There is no finished audit in {folder}: {place.name} is missing.")
        try:
            table = pq.read_table(place, page_checksum_verification=True)
            told = (table.schema.metadata or {}).get(KEY)
            if told is None:
                raise InputError(f"{place} does not come from this version of expga; audit again with it.")
            summary = checked_summary(told)
            findings = table.to_pandas()
            for column in summary["settings"]["nan_columns"]:  # Parquet has one kind of missing text, models know two
                findings[column] = findings[column].astype(object).where(findings[column].notna(), np.nan)
        except InputError:
            raise
        except Exception as error:  # a damaged file fails in many ways
            raise InputError(f"The audit in {folder} cannot be read: {type(error).__name__}: {error}.") from error
        _check_copy(place, told)
        return cls(summary, findings)

    def twins(self) -> tuple[Any, Any]:
        """The two sides of every pair, each as the model takes it: a frame of features, or texts."""
        settings = self.summary["settings"]
        if settings["kind"] == "text":
            return self.findings["text"].tolist(), self.findings["text__twin"].tolist()
        first = self.findings[settings["features"]].copy()
        second = first.copy()
        for column in settings["covered"]:
            second[column] = self.findings[result_name(f"{column}{TWIN}", settings["features"])]
        return first, second

    def asked(self) -> tuple[tuple[Any, Any], tuple[IndexArray, IndexArray]]:
        """What the model was asked about either side of every pair, and in how many voices each."""
        settings, sides = self.summary["settings"], self.twins()
        if settings["kind"] == "text":
            names = (self.findings["names"], self.findings["names__twin"])
            (one, voices), (other, twin_voices) = (in_all_voices(*side) for side in zip(sides, names, strict=True))
            return (one, other), (voices, twin_voices)
        first, second = (side.to_numpy() if settings["as_array"] else side for side in sides)
        return (first, second), (np.ones(len(first), dtype=np.intp),) * 2

    def sentences(self, count: int = 3) -> list[str]:
        """The most telling findings in words: first a real row as it is, then one with a change, then more."""
        rank: dict[int, int] = {}
        order = []
        examples = self.summary["examples"]
        for row, example in enumerate(examples):  # they come most telling first
            changes = len(example["changes"])
            rank[changes] = rank.get(changes, -1) + 1
            order.append((rank[changes], changes, row))
        first: dict[Any, int] = {}
        for _, _, row in sorted(order):
            first.setdefault(examples[row]["anchor"], row)
        tell = words.pair_of_texts if self.summary["settings"]["kind"] == "text" else words.sentence
        return [tell(**examples[row]) for row in list(first.values())[:count]]


def files_of(audit: Audit) -> dict[str, Writer]:
    """What writes each file of an audit, the one that readers look for last."""
    told = json.dumps(audit.summary, indent=2, default=_plain) + "\n"
    table = _arrow(audit.findings)
    table = table.replace_schema_metadata({**(table.schema.metadata or {}), KEY: told.encode()})
    return {
        "findings.parquet": lambda place: parquet(table, place),
        "summary.json": lambda place: place.write_text(told, encoding="utf-8") and None,
    }


def _arrow(findings: pd.DataFrame) -> Any:
    import pyarrow as pa

    try:
        return pa.Table.from_pandas(findings, preserve_index=False)
    except (pa.ArrowException, ValueError, TypeError) as error:  # what was found stays in the store, whatever comes
        mixed = ", ".join(str(column) for column, values in findings.items() if values.dtype == object)
        raise InputError(
            f"The findings cannot be written: one of the columns {mixed} mixes types that no file format "
            "holds together; turn it into text."
        ) from error


def _check_copy(place: Path, told: bytes) -> None:
    """Raises where `summary.json` says something else than the findings' own copy of it."""
    copy = place.with_name("summary.json")
    if copy.is_file() and copy.read_bytes() != told:
        raise InputError(
            f"{copy} is not what was written together with {place.name}; put the file back, or audit again."
        )


def _plain(value: Any) -> Any:
    """A numpy or pandas value as JSON has it."""
    if isinstance(value, np.generic):
        return value.item()
    return str(value)


def summarise(outcome: Outcome, figures: dict[str, Any], settings: dict[str, Any]) -> dict[str, Any]:
    """Every number of a run, as `summary.json` has them; `figures` are those of its kind."""
    found, tested = len(outcome.findings), outcome.tested
    queries = {**outcome.queries, "total": sum(outcome.queries.values())}
    asked = queries["explain"] + queries["search"]
    supplies = np.bincount(outcome.findings.anchor) if found else np.zeros(1, dtype=int)
    return {
        "strategy": settings["strategy"],
        "protected": settings["protected"],
        "seed": settings["seed"],
        "stop_reason": str(outcome.stop_reason),
        "elapsed_s": outcome.elapsed,
        "search_s": outcome.search_s,
        "model_s": sum(outcome.model_s.values()),
        "model_s_by_phase": outcome.model_s,
        "queries": queries,
        "tested": tested,
        "tested_completely": outcome.complete,
        "found": found,
        "seconds_per_finding": outcome.elapsed / found if found else None,
        "success_rate": found / tested if tested else None,
        "queries_per_finding": asked / found if found else None,
        "distinct_anchors": int((supplies > 0).sum()),
        "largest_anchor_share": float(supplies.max() / found) if found else None,
        **figures,
        "population": outcome.population.as_dict(),
        "by_attribute": {name: rate.as_dict() for name, rate in outcome.population.by_attribute.items()},
        "notes": outcome.notes,
        "settings": settings,
    }
