"""The paper's text cells: how fast, with how many queries and from how many texts pairs of sentences are found."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from expga import lexicon, metrics
from expga.api import audit
from expga.bench.curve import Recorder, cost_of
from expga.bench.plan import Cell
from expga.bench.session import Models, Session
from expga.bench.text_models import Trained, trained, vectors_for
from expga.datasets.reviews import load_texts
from expga.domain.text.mentions import mentions_of
from expga.domain.text.readings import Attribute, twins_of
from expga.domain.text.words import words_of
from expga.search import of_kind

if TYPE_CHECKING:
    from expga.results import Audit

TEXTS = 1_000
WARM_UP = 100
"""Texts, and queries, of an audit before the first run."""
LARGEST_SHARE = 0.05
"""Of the findings that count, from one text."""


class TextSession(Session):
    """What all runs of a cell share: the texts and the model."""

    def __init__(self, cell: Cell, models: Models, texts: Path) -> None:
        data = load_texts(cell.data, texts)
        kind: Any = cell.model
        self.cell = cell
        self.trained: Trained = models(
            str(cell.seed), lambda: trained(data, kind, cell.seed, vectors=vectors_for(cell.model))
        )
        self.texts = _mentioning(data.texts, cell.attribute, cell.seed)
        self._audit(self.texts[:WARM_UP], None, WARM_UP, cell.seed)  # no run is timed with what is loaded once

    def run(self, repeat: int) -> tuple[dict[str, Any], None]:
        """One run: its figures and curve, and some findings for a reader to judge."""
        recorder = Recorder()
        began = time.perf_counter()
        result = self._audit(self.texts, self.cell.seconds, self.cell.queries, self.cell.seed + repeat, recorder)
        figures = _figures(result, time.perf_counter() - began, recorder.engine_began - began, recorder)
        told = {
            "figures": {**figures, "texts": len(self.texts), "accuracy": self.trained.accuracy},
            "curve": recorder.curve(),
            "notes": result.summary["notes"],
            "examples": _examples(result),
        }
        return told, None

    def _audit(
        self,
        texts: list[str],
        seconds: float | None,
        queries: int | None,
        seed: int,
        recorder: Recorder | None = None,
    ) -> Audit:
        cell = self.cell
        options: dict[str, Any] = dict(cell.options)
        return audit(
            self.trained.model,
            texts,
            protected=[cell.attribute],
            strategy=of_kind("text")[cell.strategy](**options),
            manner=cell.manner,
            explainer=cell.explainer,
            realism=cell.realism,
            budget=seconds,
            max_queries=queries,
            seed=seed,
            progress=recorder,
        )


def _mentioning(texts: list[str], attribute: str, seed: int) -> list[str]:
    """1,000 random texts of those that can be read in two ways."""
    words, chosen = lexicon.load(), []
    read = Attribute.of(attribute, words)
    for number in np.random.default_rng(seed).permutation(len(texts)):
        parted = words_of(texts[number])
        if twins_of(parted, mentions_of(parted, words, [attribute]), read, words).versions:
            chosen.append(texts[number])
            if len(chosen) == TEXTS:
                break
    return chosen


def _figures(result: Audit, wall: float, setup: float, recorder: Recorder) -> dict[str, Any]:
    summary = result.summary
    found = summary["found"]
    cost = cost_of(summary, recorder)
    counted = metrics.counted(result.findings["anchor"].to_numpy(), LARGEST_SHARE)
    return {
        "population_rate": summary["population"]["rate"],
        "tested": summary["tested"],
        "found": found,
        "found_as_they_are": summary["found_as_they_are"],
        "bred": summary["bred"],
        "counted": counted,
        "seconds": wall,
        "offset_s": -setup,
        "offset_queries": cost.offset_queries,
        "seconds_per_finding": wall / found if found else None,
        "seconds_per_counted": wall / counted if counted else None,
        "success_rate": found / summary["tested"] if summary["tested"] else None,
        "queries": summary["queries"],
        "queries_per_finding": summary["queries_per_finding"],
        "queries_all_in": summary["queries_all_in"],
        "model_share": summary["model_s_by_phase"]["search"] / summary["search_s"] if summary["search_s"] else None,
        "anchors": summary["distinct_anchors"],
        "largest_anchor_share": summary["largest_anchor_share"],
        "share_changed": summary["mean_share_changed"],
        "clone_share": summary["clone_share"],
        "stop_reason": summary["stop_reason"],
    }


def _examples(result: Audit, count: int = 10) -> list[dict[str, Any]]:
    """Random findings, for a reader to judge."""
    found = result.findings
    picks = np.random.default_rng(1).permutation(len(found))[:count]
    columns = ["text", "text__twin", "word", "word__twin", "label", "label__twin", "score", "score__twin"]
    return [
        {**{name: row[name] for name in columns}, "changed": list(row["changed"])}
        for _, row in found.iloc[picks].iterrows()
    ]
