"""What an audit came to: a summary, the population's flip rate, the findings, and files that hold them."""

from __future__ import annotations

import json
from collections.abc import Iterable
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
        place.mkdir(parents=True, exist_ok=True)
        write_table(pa.Table.from_pandas(self.findings, preserve_index=False), place / "findings.parquet")
        write_text(place / "summary.json", json.dumps(self.summary, indent=2, default=_plain) + "\n")
        return place

    @classmethod
    def load(cls, folder: str | Path) -> Audit:
        """An audit from the folder that it was saved to."""
        place = Path(folder)
        try:
            summary = json.loads((place / "summary.json").read_text(encoding="utf-8"))
            findings = pd.read_parquet(place / "findings.parquet")
        except FileNotFoundError as error:
            raise InputError(
                f"There is no finished audit in {place}: {Path(error.filename).name} is missing."
            ) from error
        except (json.JSONDecodeError, OSError) as error:
            raise InputError(f"The audit in {place} cannot be read: {error}.") from error
        return cls(summary, findings)

    def twins(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        """The two sides of every pair, each as the frame of features that the model takes."""
        columns = self.summary["settings"]["features"]
        first = self.findings[columns].copy()
        second = first.copy()
        for column in columns:
            if f"{column}{TWIN}" in self.findings:
                second[column] = self.findings[f"{column}{TWIN}"]
        return first, second

    def sentences(self, count: int = 3) -> list[str]:
        """The most telling findings in words: few changes, a large gap, each from another real row."""
        return [self._sentence(row) for row in self._most_telling(count)]

    def _most_telling(self, count: int) -> Iterable[int]:
        changed = pd.Series([len(change) for change in self.summary["examples"]["changes"]], dtype=float)
        gaps = pd.Series(self.summary["examples"]["gap"], dtype=float)
        anchors = pd.Series(self.summary["examples"]["anchor"])
        order = (gaps - 0.05 * changed).sort_values(ascending=False, kind="stable").index
        return list(anchors.loc[order].drop_duplicates().index[:count])

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
    taken = set(frame.columns) | set(twins)
    named = {
        (f"expga__{name}" if name in taken else name): pd.Series(values).infer_objects()
        for name, values in zip(RESULTS, results, strict=True)
    }
    return pd.concat([frame, pd.DataFrame(twins), pd.DataFrame(named)], axis=1)


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


def examples(domain: TabularDomain, findings: Findings, frame: pd.DataFrame, most: int = 20) -> dict[str, Any]:
    """The findings with the largest gaps among those that change least, spelled out against their real rows."""
    free = ~domain.protected
    differs = (findings.genomes != domain.rows[findings.anchor]) & free
    telling = findings.gap - 0.05 * differs.sum(axis=1)
    order = np.argsort(-telling, kind="stable")
    _, first = np.unique(findings.anchor[order], return_index=True)
    picks = order[np.sort(first)][:most]
    real = domain.frame(domain.rows[findings.anchor[picks]]).set_axis([str(c) for c in domain.columns], axis=1)
    names = [str(column) for column in domain.columns]
    result = {name: f"expga__{name}" if f"expga__{name}" in frame else name for name in RESULTS}
    told: dict[str, list[Any]] = {"anchor": [], "changes": [], "readings": [], "labels": [], "scores": [], "gap": []}
    for place, pick in enumerate(picks):
        row = frame.iloc[pick]
        genes = np.flatnonzero(differs[pick])
        told["anchor"].append(_json(row[result["anchor"]]))
        told["changes"].append({names[g]: [_json(real.iloc[place][names[g]]), _json(row[names[g]])] for g in genes})
        told["readings"].append(
            {
                names[g]: [_json(row[names[g]]), _json(row[names[g] + TWIN])]
                for g in sorted(domain.readings.genes)
                if row[names[g]] != row[names[g] + TWIN]
            }
        )
        told["labels"].append([_json(row[result["label"]]), _json(row[result["label__twin"]])])
        told["scores"].append([float(row[result["score"]]), float(row[result["score__twin"]])])
        told["gap"].append(float(row[result["gap"]]))
    return told


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
