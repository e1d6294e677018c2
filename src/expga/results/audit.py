"""What an audit came to: a summary, the population's flip rate, the findings, and files that hold them."""

from __future__ import annotations

import hashlib
import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from expga import words
from expga.contracts import IndexArray
from expga.engine import Outcome
from expga.errors import InputError
from expga.population import FlipRate
from expga.results.columns import Names
from expga.results.record import FORMAT, checked_summary, signed
from expga.results.texts import FEATURES
from expga.results.voices import in_all_voices
from expga.store import Shelf

KIND = "audit"
FILES = ("findings.parquet", "summary.json")


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
        """An audit from the folder that it was saved to, both files as they were written."""
        place = Path(folder)
        for name in reversed(FILES):
            if not (place / name).is_file():
                raise InputError(f"There is no finished audit in {place}: {name} is missing.")
        try:
            summary = checked_summary((place / "summary.json").read_bytes())
            content = (place / "findings.parquet").read_bytes()
            if hashlib.sha256(content).hexdigest() != summary["files"]["findings.parquet"]:
                raise InputError(
                    f"{place / 'findings.parquet'} is not the file that summary.json was written with; audit again."
                )
            findings = _checked(pd.read_parquet(io.BytesIO(content)), summary)
            for column in summary["settings"]["nan_columns"]:  # Parquet has one kind of missing text, models know two
                findings[column] = findings[column].astype(object).where(findings[column].notna(), np.nan)
        except InputError as error:
            raise InputError(f"The audit in {place} cannot be used: {error}") from error
        except Exception as error:  # a damaged file fails in many ways
            reason = " ".join(str(error).split())
            raise InputError(f"The audit in {place} cannot be read: {type(error).__name__}: {reason}.") from error
        return cls(
            {name: value for name, value in summary.items() if name not in ("format", "files", "checksum")}, findings
        )

    def twins(self) -> tuple[Any, Any]:
        """The two sides of every pair, each as the model takes it: a frame of features, or texts."""
        settings = self.summary["settings"]
        if settings["kind"] == "text":
            return self.findings["text"].tolist(), self.findings["text__twin"].tolist()
        first = self.findings[settings["features"]].copy()
        second = first.copy()
        for column, name in Names.of(settings).twins.items():
            second[column] = self.findings[name]
        return first, second

    def asked(self) -> tuple[tuple[Any, Any], tuple[IndexArray, IndexArray]]:
        """What the model was asked about either side of every pair, and in how many voices each."""
        settings, sides = self.summary["settings"], self.twins()
        if settings["kind"] == "text":
            names = (self.findings["names"], self.findings["names__twin"])
            try:
                (one, voices), (other, twin_voices) = (in_all_voices(*side) for side in zip(sides, names, strict=True))
            except (AttributeError, TypeError, ValueError) as error:
                raise InputError("The names in findings.parquet do not belong together; audit again.") from error
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


def _checked(findings: pd.DataFrame, summary: dict[str, Any]) -> pd.DataFrame:
    """The findings, once they are known to be of the shape that the summary speaks of."""
    settings = summary["settings"]
    texts = settings["kind"] == "text"
    features = list(FEATURES if texts else settings["features"])
    told = Names.of(settings)
    label, twin, *numbers = (name for result, name in told.results.items() if result != "anchor")
    expected = [*features, *told.twins.values(), *told.results.values()]
    names = [str(column) for column in findings.columns]
    if wrong := next((name for name in expected if names.count(name) != 1), None):
        raise InputError(f"findings.parquet has {names.count(wrong)} columns {wrong!r}, not one; audit again.")
    if len(findings) != summary["found"]:
        raise InputError(f"it speaks of {summary['found']:,} findings, and {len(findings):,} are there; audit again.")
    if other := next((name for name in numbers if findings[name].dtype.kind != "f"), None):
        raise InputError(f"the column {other!r} of findings.parquet does not hold numbers; audit again.")
    anchor = findings[told.results["anchor"]]
    if settings["numbered"] and anchor.dtype.kind != "i":
        raise InputError(f"the column {anchor.name!r} of findings.parquet does not hold numbers of rows; audit again.")
    if not {str(value) for name in (label, twin) for value in findings[name].unique()} <= set(
        map(str, settings["classes"])
    ):
        raise InputError("findings.parquet has labels that the model does not know; audit again.")
    if texts:
        for name in ("text", "text__twin"):
            if not all(isinstance(text, str) for text in findings[name]):
                raise InputError(f"the column {name!r} of findings.parquet does not hold texts; audit again.")
    return findings


def files_of(audit: Audit) -> dict[str, bytes]:
    """The content of each file of an audit, the one that readers look for last."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = pa.BufferOutputStream()
    pq.write_table(_arrow(audit.findings), file, compression="zstd")
    findings = file.getvalue().to_pybytes()
    digest = hashlib.sha256(findings).hexdigest()
    summary = {"format": FORMAT, **audit.summary, "files": {"findings.parquet": digest}}
    return {"findings.parquet": findings, "summary.json": signed(summary)}


def _arrow(findings: pd.DataFrame) -> Any:
    import pyarrow as pa

    try:
        return pa.Table.from_pandas(findings, preserve_index=False)
    except (pa.ArrowException, ValueError, TypeError, OverflowError) as error:
        mixed = ", ".join(str(column) for column, values in findings.items() if values.dtype == object)
        raise InputError(
            f"The findings cannot be written: one of the columns {mixed} mixes types that no file format "
            "holds together; turn it into text."
        ) from error


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
