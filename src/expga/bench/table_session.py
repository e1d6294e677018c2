"""Runs of a strategy on a model of a table, with everything that results show of them."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from expga import datasets, metrics
from expga.api import audit
from expga.bench.curve import Recorder, cost_of
from expga.bench.plan import Cell
from expga.bench.session import Models, Session
from expga.bench.table_models import literature_model
from expga.comparison import Yardstick
from expga.criterion import Flip
from expga.domain.schema import read_schema
from expga.domain.tabular import TabularDomain
from expga.inquiry import Inquiry
from expga.jury import Jury
from expga.measuring import measure
from expga.models import wrap
from expga.search import of_kind

if TYPE_CHECKING:
    import pandas as pd

    from expga.contracts import BoolArray, FloatArray
    from expga.results import Audit

SHOWN = 1_000
"""Findings that are kept for the picture, and that diversity is measured on."""
ASIDE = 4_000
"""Rows kept aside that are asked about, to learn what real discriminatory rows look like."""
WARM_UP = 1_000
"""Queries of an audit before the first run."""
PATIENCE = 1.0
"""Seconds that measuring plausibility may take before it is done for the first run of a cell only."""


@dataclass(frozen=True, slots=True)
class Halves:
    """A data set in numbers, cut at random: one half to train on and search around, the other kept aside."""

    searched: pd.DataFrame
    target: pd.Series[Any]
    aside: pd.DataFrame
    aside_target: pd.Series[Any]
    schema: dict[str, Any]


def halves(name: str, seed: int) -> Halves:
    """Census in the literature's encoding; the others with each category as its number in the alphabet."""
    data = datasets.load("census-encoded" if name == "census" else name)
    frame, schema = (data.frame, data.schema) if name == "census" else _ordinal(data)
    order = np.random.default_rng(seed).permutation(len(frame))
    one, other = order[: len(order) // 2], order[len(order) // 2 :]
    target = (data.target == data.positive).astype(int)

    def part(of: Any, rows: Any) -> Any:
        return of.iloc[rows].reset_index(drop=True)

    return Halves(part(frame, one), part(target, one), part(frame, other), part(target, other), schema)


def _ordinal(data: datasets.Dataset) -> tuple[pd.DataFrame, dict[str, Any]]:
    """The frame with categories as numbers, and the part of its schema that still says something."""
    import pandas as pd

    frame = data.frame.copy()
    features: dict[str, Any] = {}
    for column in frame.columns:
        if not pd.api.types.is_numeric_dtype(frame[column]) or frame[column].dtype == bool:
            frame[column] = pd.factorize(frame[column], sort=True)[0].astype(np.int64)
            features[column] = {"type": "categorical"}
    return frame, {"features": features}


def literature_schema(name: str, frame: pd.DataFrame) -> dict[str, Any]:
    """Every column a range of integers: the published bounds of Census, the data's own for the others."""
    if name == "census":
        return {"features": datasets.literature_bounds()}
    ranges = {column: (int(frame[column].min()), int(frame[column].max())) for column in frame.columns}
    return {"features": {name: {"type": "integer", "min": low, "max": high} for name, (low, high) in ranges.items()}}


@dataclass(frozen=True, slots=True)
class Trained:
    """A model, and how often it is right about the rows kept aside."""

    model: Any
    accuracy: float


def trained(kind: str, parts: Halves, seed: int) -> Trained:
    """A model of the paper."""
    model = literature_model(kind, parts.searched, parts.target, seed)
    return Trained(model, float((model.predict(parts.aside) == parts.aside_target).mean()))


class TableSession(Session):
    """What all runs of a cell share: the data, the model, and what real discriminatory rows look like."""

    def __init__(self, cell: Cell, models: Models, texts: Path) -> None:  # noqa: ARG002 - a session like the others
        self.cell = cell
        self.parts = halves(cell.data, cell.seed)
        self.trained: Trained = models(str(cell.seed), lambda: trained(cell.model, self.parts, cell.seed))
        self.domain = TabularDomain(self.parts.searched, [cell.attribute], read_schema(self.parts.schema), "data")
        self._realism_s = 0.0
        self._audit(None, WARM_UP, cell.seed)  # so that no run is timed with what is loaded once

    def run(self, repeat: int) -> tuple[dict[str, Any], FloatArray | None]:
        """One run: its figures and curve, and the positions of some findings where it is the first."""
        recorder = Recorder()
        result = self._audit(self.cell.seconds, self.cell.queries, self.cell.seed + repeat, recorder)
        found = result.findings
        picks = np.random.default_rng(repeat).permutation(len(found))[: metrics.SAMPLE]
        positions = self.domain.positions_of(found.iloc[picks][self.domain.columns])
        figures = {
            **_figures(result, recorder),
            **self._counted_as_published(result),
            **self._variety(positions),
            **self._realism(positions, result.column("distance").to_numpy()[picks] > 0),
            "accuracy": self.trained.accuracy,
        }
        told = {"figures": figures, "curve": recorder.curve(), "notes": result.summary["notes"]}
        return told, positions[:SHOWN] if repeat == 0 else None

    def _audit(self, seconds: float | None, queries: int | None, seed: int, recorder: Recorder | None = None) -> Audit:
        cell, parts = self.cell, self.parts
        options: dict[str, Any] = dict(cell.options)
        return audit(
            self.trained.model,
            parts.searched,
            protected=[cell.attribute],
            schema=literature_schema(cell.data, parts.searched) if cell.realism == "domain" else parts.schema,
            strategy=of_kind("table")[cell.strategy](**options),
            manner=cell.manner,
            explainer=cell.explainer,
            realism=cell.realism,
            budget=seconds,
            max_queries=queries,
            seed=seed,
            progress=recorder,
        )

    def real(self) -> FloatArray:
        """Positions of some real rows, to stand behind those of findings."""
        picks = np.random.default_rng(0).permutation(len(self.domain.rows))[:SHOWN]
        return self.domain.positions(self.domain.rows[picks])

    def _counted_as_published(self, result: Audit) -> dict[str, Any]:
        """Tested and found as the published code counts: ExpGA's samples once for each protected value asked."""
        every = self.domain.readings.count if of_kind("table")[self.cell.strategy].asking == "all" else 2
        times = every if self.cell.strategy.startswith("expga") else 1
        summary = result.summary
        return {"literature_tested": times * summary["tested"], "literature_found": times * summary["found"]}

    def _variety(self, positions: FloatArray) -> dict[str, Any]:
        some = positions[:SHOWN]
        real = self.domain.positions(self.domain.rows)
        return {
            "mean_distance": metrics.mean_pairwise_distance(some),
            "grid_share": metrics.grid_share(some, real, self.domain.categorical[self.domain.compared]),
        }

    def _realism(self, found: FloatArray, bred: BoolArray) -> dict[str, Any]:
        """How typical findings are of the rows kept aside, how near to them, and unlike the discriminatory ones.

        Args:
            found: (n, genes) positions of the findings.
            bred: (n,) those that are no real rows.
        """
        if not len(found) or self._realism_s > PATIENCE:
            return {"typical_share": None, "plausible_share": None, "realism_auc": None}
        discriminatory, jury = self._discriminatory, self._jury
        began = time.perf_counter()
        typical = None if jury is None else jury.judge(found[bred])
        told = {
            "typical_share": None if typical is None else typical.share,
            "plausible_share": metrics.plausible_beside(
                found,
                self.domain.positions(self.domain.rows),
                self._aside,
                self.domain.categorical[self.domain.compared],
            ),
            "realism_auc": metrics.realism_auc(found, discriminatory),
        }
        self._realism_s = time.perf_counter() - began
        return told

    @cached_property
    def _jury(self) -> Jury | None:
        return Jury.of(self._aside)

    @cached_property
    def _aside(self) -> FloatArray:
        return self.domain.positions_of(self.parts.aside)

    @cached_property
    def _discriminatory(self) -> FloatArray:
        """(m, genes) positions of the rows kept aside that flip."""
        parts, attribute = self.parts, self.cell.attribute
        domain = TabularDomain(parts.aside, [attribute], read_schema(parts.schema), "data")
        wrapped, positive = wrap(self.trained.model, parts.aside[:500])
        inquiry = Inquiry(model=wrapped, domain=domain, yardstick=Yardstick(Flip(), positive))
        population = measure(inquiry, np.arange(len(domain.rows))[:ASIDE])
        return np.asarray(self._aside[population.asked][population.unfair])


def _figures(result: Audit, recorder: Recorder) -> dict[str, Any]:
    summary = result.summary
    cost = cost_of(summary, recorder)
    found, tested = summary["found"], summary["tested"]
    return {
        "population_rate": summary["population"]["rate"],
        "tested": tested,
        "found": found,
        "found_as_they_are": summary["found_as_they_are"],
        "bred": summary["bred"],
        "counted": metrics.counted(result.findings["anchor"].to_numpy()),
        "seconds": cost.seconds,
        "offset_s": cost.offset_s,
        "offset_queries": cost.offset_queries,
        "seconds_per_finding": cost.seconds / found if found else None,
        "success_rate": found / tested if tested else None,
        "queries": summary["queries"],
        "queries_per_finding": summary["queries_per_finding"],
        "queries_all_in": summary["queries_all_in"],
        "model_share": summary["model_s_by_phase"]["search"] / summary["search_s"] if summary["search_s"] else None,
        "clone_share": summary["clone_share"],
        "anchors": summary["distinct_anchors"],
        "largest_anchor_share": summary["largest_anchor_share"],
        "stop_reason": summary["stop_reason"],
    }
