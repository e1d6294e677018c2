"""One run of a strategy on one model, with everything that a table of results shows of it."""

from __future__ import annotations

import resource
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from expga import datasets, metrics
from expga.api import audit
from expga.bench.models import literature_model
from expga.criterion import Criterion
from expga.domain.schema import read_schema
from expga.domain.tabular import TabularDomain
from expga.models import wrap
from expga.population import measure

if TYPE_CHECKING:
    import pandas as pd

    from expga.contracts import BoolArray
    from expga.results import Audit

PAIRS = (
    ("census", "sex"),
    ("census", "age"),
    ("census", "race"),
    ("credit", "sex"),
    ("credit", "age"),
    ("bank", "age"),
)


@dataclass(frozen=True, slots=True)
class Cell:
    """What to run: a strategy for some seconds on a model of a data set, for one protected attribute."""

    data: str
    attribute: str
    model: str
    strategy: str
    seconds: float
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Halves:
    """A data set in numbers, cut at random: one half to train on and search around, the other kept aside."""

    searched: pd.DataFrame
    target: pd.Series[Any]
    aside: pd.DataFrame
    schema: dict[str, Any]


def halves(name: str, seed: int) -> Halves:
    """Census in the literature's encoding; the others with each category as its number in the alphabet."""
    data = datasets.load("census-encoded" if name == "census" else name)
    frame, schema = (data.frame, data.schema) if name == "census" else _ordinal(data)
    order = np.random.default_rng(seed).permutation(len(frame))
    one, other = order[: len(order) // 2], order[len(order) // 2 :]
    target = (data.target == data.positive).astype(int)
    return Halves(
        frame.iloc[one].reset_index(drop=True),
        target.iloc[one].reset_index(drop=True),
        frame.iloc[other].reset_index(drop=True),
        schema,
    )


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


def run(cell: Cell) -> dict[str, Any]:
    """Trains, audits and measures."""
    parts = halves(cell.data, cell.seed)
    model = literature_model(cell.model, parts.searched, parts.target, cell.seed)
    before = _peak()
    result = audit(
        model,
        parts.searched,
        protected=[cell.attribute],
        schema=parts.schema,
        strategy=cell.strategy,
        budget=cell.seconds,
        seed=cell.seed,
    )
    return {**_figures(result), "peak_mb": (_peak() - before) / 2**20, **_realism(result, model, parts, cell.attribute)}


def _figures(result: Audit) -> dict[str, Any]:
    summary = result.summary
    counts = metrics.counted(result.findings["anchor"].to_numpy())
    return {
        "population_rate": summary["population"]["rate"],
        "found": summary["found"],
        "tested": summary["tested"],
        "counted": counts,
        "findings_per_second": counts / summary["search_s"],
        "queries_per_finding": summary["queries_per_finding"],
        "model_share": summary["model_s_by_phase"]["search"] / summary["search_s"],
        "clone_share": summary["clone_share"],
        "anchors": summary["distinct_anchors"],
        "largest_anchor_share": summary["largest_anchor_share"],
        "stop_reason": summary["stop_reason"],
    }


def _realism(result: Audit, model: Any, parts: Halves, attribute: str) -> dict[str, Any]:
    """Plausibility on the rows kept aside, and how findings differ from the discriminatory ones among them."""
    domain = TabularDomain(parts.searched, [attribute], read_schema(parts.schema), "data")
    found = domain.positions_of(result.findings[domain.columns])
    aside = domain.positions_of(parts.aside)
    if not len(found):
        return {"plausible_share": None, "realism_auc": None}
    searched = domain.positions(domain.rows)
    return {
        "plausible_share": metrics.plausible_beside(found, searched, aside, domain.categorical[~domain.protected]),
        "realism_auc": metrics.realism_auc(found, aside[_discriminatory(model, parts, attribute)]),
    }


def _discriminatory(model: Any, parts: Halves, attribute: str) -> BoolArray:
    """(b,) which of the rows kept aside flip."""
    domain = TabularDomain(parts.aside, [attribute], read_schema(parts.schema), "data")
    wrapped, positive = wrap(model, parts.aside[:500])
    order = np.arange(len(domain.rows))
    population = measure(
        lambda genomes: wrapped.ask(domain.decode(genomes)),
        domain.rows,
        order,
        domain.readings,
        dict(domain.attribute_readings),
        Criterion(),
        positive,
        lambda: False,
    )
    return population.unfair


def _peak() -> int:
    """The most memory this process has held, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
