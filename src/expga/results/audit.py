"""What an audit came to: a summary, the population's flip rate, the findings, and files that hold them."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from expga.contracts import IndexArray
from expga.errors import InputError
from expga.exposure import Exposure
from expga.inputs import in_short, reason
from expga.plan import Outcome
from expga.population import FlipRate, Noise
from expga.results.outputs import FILES, Output, Outputs, names_of, outputs_of, written
from expga.results.record import FORMAT, checked_summary, signed
from expga.store import Shelf
from expga.subjects import Saved, saved, showing

KIND = "audit"


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
        """The flip rate of the real rows: how unfair the model is, beside the noise of one that does not always answer
        alike."""
        population, placebo = self.summary["population"], self.summary.get("placebo", {})
        noise, asked = population.get("by_noise"), placebo.get("rows", 0)
        return FlipRate(
            population["rows"],
            population["flipped"],
            None if noise is None else Noise(noise["rate"], *noise["ci95"]),
            FlipRate(asked, placebo["flipped"]) if asked else None,
        )

    @property
    def exposure(self) -> Exposure | None:
        """The share of real rows that flip, or are a few believable changes away from a sample that does, bounded from
        below. None where nothing can be said: no row was measured, or the model does not always answer alike."""
        told = self.summary.get("exposure")
        return None if told is None else Exposure.told(told)

    def __str__(self) -> str:
        """How unfair the model is, what the search found, and the most telling of it, in words."""
        telling = (f"- {sentence}" for sentence in self.sentences())
        return "\n".join([*self.headline(), self.subject.found(self.summary), *self.unconfirmed(), *telling])

    def headline(self) -> list[str]:
        """How unfair the model is, in words, and how often it disagrees with itself."""
        return [*self.subject.headline(self.summary), *showing.placebo_of(self.summary)]

    def unconfirmed(self) -> list[str]:
        """What became of samples that differed at first and not again, in words, if there are any."""
        return showing.unconfirmed(self.summary)

    def save(self, folder: str | Path, *, overwrite: bool = False, outputs: Outputs = ()) -> Path:
        """Writes `findings.parquet` and `summary.json`, together, and returns the folder.

        Args:
            folder: made if it is not there.
            overwrite: whether an audit that is there may be replaced.
            outputs: what else to write, in the same move: "csv", or outputs of yours.
        """
        more = outputs_of(outputs)
        shelf = Shelf.open(Path(folder), names_of(more), KIND, overwrite=overwrite)
        try:
            shelf.publish(files_of(self, more), {})
        finally:
            shelf.leave()
        return Path(folder)

    @classmethod
    def load(cls, folder: str | Path) -> Audit:
        """An audit from the folder that it was saved to, both files as they were written."""
        place = Path(folder)
        try:
            missing = [name for name in reversed(FILES) if not (place / name).is_file()]
        except (OSError, ValueError) as error:  # a name that is too long, say
            raise InputError(f"The audit in {in_short(str(folder))} cannot be read: {reason(error)}.") from error
        if missing:
            raise InputError(f"There is no finished audit in {place}: {missing[0]} is missing.")
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
            raise InputError(
                f"The audit in {place} cannot be read: {type(error).__name__}: {reason(error)}."
            ) from error
        return cls(
            {name: value for name, value in summary.items() if name not in ("format", "files", "checksum")}, findings
        )

    @property
    def subject(self) -> Saved:
        """What was audited, as the settings tell it."""
        return saved(self.summary["settings"])

    def twins(self) -> tuple[Any, Any]:
        """The two sides of every pair, each as the model takes it: a frame of features, or texts."""
        return self.subject.twins(self.findings)

    def asked(self) -> tuple[tuple[Any, Any], tuple[IndexArray, IndexArray]]:
        """What the model was asked about either side of every pair, and in how many voices each."""
        return self.subject.asked(self.findings)

    def column(self, result: str) -> pd.Series[Any]:
        """The column that holds a result, such as `label` or `anchor`, whatever it is called beside the user's own."""
        return self.findings[self.subject.results()[result]]

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
        return [self.subject.sentence(examples[row]) for row in list(first.values())[:count]]


def _checked(findings: pd.DataFrame, summary: dict[str, Any]) -> pd.DataFrame:
    """The findings, once they are known to be of the shape that the summary speaks of."""
    saved(summary["settings"]).check(findings)
    if len(findings) != summary["found"]:
        raise InputError(f"it speaks of {summary['found']:,} findings, and {len(findings):,} are there; audit again.")
    return findings


def files_of(audit: Audit, outputs: Sequence[Output] = ()) -> dict[str, bytes]:
    """The content of each file of an audit, the one that readers look for last."""
    files = {"findings.parquet": parquet_of(audit.findings), **written(outputs, audit)}
    digests = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    return {**files, "summary.json": signed({"format": FORMAT, **audit.summary, "files": digests})}


def parquet_of(findings: pd.DataFrame) -> bytes:
    """The content of a file that holds a table of findings."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = pa.BufferOutputStream()
    pq.write_table(_arrow(findings), file, compression="zstd")
    return bytes(file.getvalue().to_pybytes())


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


def summarise(
    outcome: Outcome, as_they_are: int, exposed: Exposure | None, figures: dict[str, Any], settings: dict[str, Any]
) -> dict[str, Any]:
    """Every number of a run, as `summary.json` has them.

    Args:
        outcome: of the run.
        as_they_are: how many of the findings are real rows.
        exposed: how many rows are, where that is known.
        figures: those of its kind.
        settings: what it was made with.
    """
    found, tested = len(outcome.findings), outcome.tested
    bred = found - as_they_are
    population, placebo = outcome.population, outcome.placebo
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
        "found_as_they_are": as_they_are,
        "bred": bred,
        "refused": outcome.refused,
        "dropped": outcome.dropped,
        "left_by_noise": outcome.left_by_noise,
        "seconds_per_finding": outcome.elapsed / found if found else None,
        "success_rate": found / tested if tested else None,
        "queries_per_finding": asked / bred if bred else None,
        "queries_all_in": queries["total"] / found if found else None,
        "distinct_anchors": int((supplies > 0).sum()),
        "largest_anchor_share": float(supplies.max() / found) if found else None,
        **figures,
        "placebo": placebo.as_dict(),
        "population": {**population.as_dict(), **population.overall.beside(placebo.noise())},
        "exposure": None if exposed is None else exposed.as_dict(),
        "by_attribute": {name: rate.beside(placebo.noise(name)) for name, rate in population.by_attribute.items()},
        "notes": outcome.notes,
        "settings": settings,
    }
