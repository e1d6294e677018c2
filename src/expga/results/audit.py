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
from expga.findings import write_table, write_text
from expga.population import FlipRate
from expga.results.columns import TWIN, result_name
from expga.results.voices import in_all_voices


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

    def save(self, folder: str | Path) -> Path:
        """Writes `findings.parquet` and `summary.json`, each in one move, and returns the folder."""
        import pyarrow as pa

        place = Path(folder)
        try:
            place.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"The folder {place} cannot be made: {error.strerror}.") from error
        try:
            table = pa.Table.from_pandas(self.findings, preserve_index=False)
        except pa.ArrowException as error:  # what was found stays in the journal, whatever comes
            mixed = ", ".join(str(column) for column, values in self.findings.items() if values.dtype == object)
            raise InputError(
                f"The findings cannot be written: one of the columns {mixed} mixes types that no file format "
                "holds together; turn it into text."
            ) from error
        write_table(table, place / "findings.parquet")
        write_text(place / "summary.json", json.dumps(self.summary, indent=2, default=_plain) + "\n")
        return place

    @classmethod
    def load(cls, folder: str | Path) -> Audit:
        """An audit from the folder that it was saved to."""
        place = Path(folder)
        for name in ("summary.json", "findings.parquet"):
            if not (place / name).is_file():
                raise InputError(f"There is no finished audit in {place}: {name} is missing.")
        try:
            summary = json.loads((place / "summary.json").read_text(encoding="utf-8"))
            settings = summary["settings"]
            findings = pd.read_parquet(place / "findings.parquet")
            for column in settings["nan_columns"]:  # Parquet has one kind of missing text, models may know two
                findings[column] = findings[column].astype(object).where(findings[column].notna(), np.nan)
            return cls(summary, findings)
        except (ValueError, KeyError, TypeError, OSError) as error:
            raise InputError(f"The audit in {place} cannot be read: {' '.join(str(error).split())}.") from error

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
