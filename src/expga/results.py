"""What an audit came to: a summary, the population's flip rate, the findings, and files that hold them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from expga import metrics, words
from expga.engine import Outcome
from expga.errors import InputError
from expga.findings import Findings, write_table, write_text
from expga.population import FlipRate

if TYPE_CHECKING:
    from expga.domain.tabular import TabularDomain

RESULTS = ("label", "label__twin", "score", "score__twin", "gap", "anchor", "distance")
TWIN = "__twin"


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

    def twins(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        """The two sides of every pair, each as the frame of features that the model takes."""
        settings = self.summary["settings"]
        first = self.findings[settings["features"]].copy()
        second = first.copy()
        for column in settings["covered"]:
            second[column] = self.findings[result_name(f"{column}{TWIN}", settings["features"])]
        return first, second

    def sentences(self, count: int = 3) -> list[str]:
        """The most telling findings in words: first a real row as it is, then one with a change, then more."""
        changes, anchors = self.summary["examples"]["changes"], self.summary["examples"]["anchor"]
        rank: dict[int, int] = {}
        order = []
        for row, change in enumerate(changes):  # the examples come most telling first
            rank[len(change)] = rank.get(len(change), -1) + 1
            order.append((rank[len(change)], len(change), row))
        first: dict[Any, int] = {}
        for _, _, row in sorted(order):
            first.setdefault(anchors[row], row)
        return [self._sentence(row) for row in list(first.values())[:count]]

    def _sentence(self, row: int) -> str:
        examples = self.summary["examples"]
        return words.sentence(
            examples["anchor"][row],
            {column: tuple(two) for column, two in examples["changes"][row].items()},
            {column: tuple(two) for column, two in examples["readings"][row].items()},
            tuple(examples["labels"][row]),
            tuple(examples["scores"][row]),
        )


def _plain(value: Any) -> Any:
    """A numpy or pandas value as JSON has it."""
    if isinstance(value, np.generic):
        return value.item()
    return str(value)


def findings_frame(domain: TabularDomain, findings: Findings, classes: list[Any], ordered: bool) -> pd.DataFrame:
    """The findings as a table of the user's own values.

    Args:
        domain: to decode with.
        findings: n pairs.
        classes: the model's labels, by class number.
        ordered: put the reading that the anchor really has first (scores must be those of one class).
    """
    pair, labels, scores = findings.pair, findings.labels, findings.scores
    anchors = domain.rows[findings.anchor]
    covered = list(domain.readings.genes)
    if ordered and len(findings):
        second = domain.readings.read(findings.genomes, pair[:, 1])
        swap = (second[:, covered] == anchors[:, covered]).all(axis=1)[:, None]
        pair, labels, scores = (np.where(swap, two[:, ::-1], two) for two in (pair, labels, scores))
    first = domain.frame(domain.readings.read(findings.genomes, pair[:, 0]))
    second_frame = domain.frame(domain.readings.read(findings.genomes, pair[:, 1]))
    twins = {f"{domain.columns[gene]}{TWIN}": second_frame[domain.columns[gene]] for gene in sorted(covered)}
    names = np.array([*classes, None], dtype=object)[:-1]
    results = [
        names[labels[:, 0]],
        names[labels[:, 1]],
        scores[:, 0],
        scores[:, 1],
        np.abs(scores[:, 0] - scores[:, 1]),
        domain.index[findings.anchor] if domain.index.is_unique else findings.anchor,
        domain.distance(findings.genomes, anchors),
    ]
    frame = first.set_axis([str(column) for column in domain.columns], axis=1)
    features = list(frame.columns)
    added = {
        **twins,
        **{name: pd.Series(values).infer_objects() for name, values in zip(RESULTS, results, strict=True)},
    }
    named = {result_name(name, features): values for name, values in added.items()}
    return pd.concat([frame, pd.DataFrame(named)], axis=1)


def result_name(name: str, features: Sequence[str]) -> str:
    """What a column of results is called beside these features: its name, or one that none of them has."""
    clash = name in features or (name in RESULTS and name.removesuffix(TWIN) in features)
    return f"expga__{name}" if clash else name


def nan_columns(frame: pd.DataFrame) -> list[str]:
    """The columns of objects whose missing values are NaN, which Parquet would hand back as None."""
    return [
        str(column)
        for column, values in frame.items()
        if values.dtype == object and any(isinstance(thing, float) for thing in values[values.isna()])
    ]


def summarise(outcome: Outcome, domain: TabularDomain, settings: dict[str, Any]) -> dict[str, Any]:
    """Every number of a run, as `summary.json` has them."""
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
        "plausible_share": metrics.plausible_share(domain, outcome.findings.genomes, outcome.findings.anchor),
        "clone_share": metrics.clone_share(outcome.findings.genomes, domain.protected),
        "distinct_anchors": int((supplies > 0).sum()),
        "largest_anchor_share": float(supplies.max() / found) if found else None,
        "radius": domain.reach if domain.realism == "data" else None,
        "population": outcome.population.as_dict(),
        "by_attribute": {name: rate.as_dict() for name, rate in outcome.population.by_attribute.items()},
        "notes": outcome.notes,
        "settings": settings,
    }


def examples(domain: TabularDomain, findings: Findings, frame: pd.DataFrame, each: int = 5) -> dict[str, Any]:
    """Findings with large gaps, each from another real row, spelled out: some for every small number of changes."""
    differs = (findings.genomes != domain.rows[findings.anchor]) & ~domain.protected
    changed = differs.sum(axis=1)
    gap = findings.gap
    picks: list[int] = []
    for changes in range(3):
        some = np.flatnonzero(changed == changes)
        some = some[np.argsort(-gap[some], kind="stable")]
        _, first = np.unique(findings.anchor[some], return_index=True)
        picks += some[np.sort(first)][:each].tolist()
    real = domain.frame(domain.rows[findings.anchor[picks]])
    names = [str(column) for column in domain.columns]
    attributes = [gene for gene in sorted(domain.readings.genes) if names[gene] in domain.attribute_readings]
    shown = attributes or sorted(domain.readings.genes)
    result = {name: result_name(name, names) for name in RESULTS}
    twin_of = {gene: result_name(names[gene] + TWIN, names) for gene in shown}

    def told(place: int) -> dict[str, Any]:
        row, genes = frame.iloc[picks[place]], np.flatnonzero(differs[picks[place]])
        return {
            "anchor": _json(row[result["anchor"]]),
            "changes": {names[g]: [_json(real.iloc[place, int(g)]), _json(row[names[g]])] for g in genes},
            "readings": {names[g]: [_json(row[names[g]]), _json(row[twin_of[g]])] for g in shown},
            "labels": [_json(row[result["label"]]), _json(row[result["label__twin"]])],
            "scores": [float(row[result["score"]]), float(row[result["score__twin"]])],
        }

    stories = [told(place) for place in range(len(picks))]
    return {key: [story[key] for story in stories] for key in ("anchor", "changes", "readings", "labels", "scores")}


def _json(value: Any) -> Any:
    if value is None or value is pd.NA or value != value:
        return None
    return (
        value.item()
        if isinstance(value, np.generic)
        else value
        if isinstance(value, bool | int | float)
        else str(value)
    )
