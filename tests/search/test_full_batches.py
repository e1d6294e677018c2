"""A call about a few samples costs nearly as much as one about many: batches are full as long as anything is new."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import expga
from expga.contracts import Batch
from expga.search.exhaustive import Exhaustive


def narrow():
    """(300, 5) rows of few values, between which nothing is far."""
    rng = np.random.default_rng(0)
    values = {name: rng.integers(0, 6, 300) for name in "abcd"}
    return pd.DataFrame({"sex": rng.choice(["f", "m"], 300), **values})


def model(frame):
    """Hires men with more than 2 of the first."""
    return np.where((frame["sex"] == "m") & (frame["a"] > 2), 0.9, 0.1)


class Typical(Exhaustive):
    """Everything that looks like a real row."""

    def search(self, context):
        for batch in super().search(context):
            some = context.domain.typical(batch.genomes)
            if some.any():
                yield Batch(batch.genomes[some], batch.anchor[some])


@pytest.fixture(scope="module")
def searched():
    """An audit until nothing is left, and how many rows each call was about."""
    sizes = []

    def watched(frame):
        sizes.append(len(frame))
        return model(frame)

    return expga.audit(watched, narrow(), protected="sex", max_queries=100_000), sizes


def test_a_search_asks_about_many_new_samples_a_call_until_hardly_any_are_left(searched):
    audit, sizes = searched
    tested = np.cumsum(sizes)
    assert audit.summary["stop_reason"] == "exhausted"
    calls = int(np.searchsorted(tested, 0.98 * tested[-1]))
    assert calls < 25


def test_it_finds_all_there_is_that_looks_like_a_real_row(searched):
    audit, _ = searched
    everything = expga.audit(model, narrow(), protected="sex", strategy=Typical(), max_queries=100_000)
    assert audit.summary["found"] >= 0.95 * everything.summary["found"] > 0
