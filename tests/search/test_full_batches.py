"""A call about a few samples costs nearly as much as one about many: batches are full as long as anything is new."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd

import expga
from expga.search.expga import FULL, MOST_CHILDREN, _Wanted


def narrow():
    """(300, 5) rows of few values, between which nothing is far."""
    rng = np.random.default_rng(0)
    values = {name: rng.integers(0, 6, 300) for name in "abcd"}
    return pd.DataFrame({"sex": rng.choice(["f", "m"], 300), **values})


class TestASearchOfANarrowTable:
    def test_asks_about_many_new_samples_a_call_until_hardly_any_are_left(self):
        sizes = []

        def model(X):
            sizes.append(len(X))
            return np.where((X["sex"] == "m") & (X["a"] > 2), 0.9, 0.1)

        audit = expga.audit(model, narrow(), protected="sex", max_queries=100_000)
        tested = np.cumsum(sizes)
        most = tested[-1]
        assert audit.summary["stop_reason"] == "exhausted"
        calls = int(np.searchsorted(tested, 0.98 * most))
        assert calls < 25

    def test_finds_all_there_is(self):
        frame = narrow()

        def model(X):
            return np.where((X["sex"] == "m") & (X["a"] > 2), 0.9, 0.1)

        ours = expga.audit(model, frame, protected="sex", max_queries=100_000)
        all_of_it = expga.audit(model, frame, protected="sex", strategy="exhaustive", max_queries=100_000)
        assert ours.summary["found"] >= 0.95 * all_of_it.summary["found"]


class TestChildren:
    def test_are_a_batch_as_long_as_half_of_it_is_new(self):
        wanted = _Wanted(100, 5)
        wanted.learn(int(FULL * 100), 100)
        assert wanted.children == 100

    def test_are_as_many_more_as_it_takes_and_fewer_again(self):
        wanted = _Wanted(100, 5)
        wanted.learn(10, 100)
        assert wanted.children == 500
        wanted.learn(200, 500)
        assert wanted.children == 125

    def test_are_never_more_than_memory_should_hold(self):
        for batch, genes in product((64, 8_192), (5, 1_000)):
            wanted = _Wanted(batch, genes)
            wanted.learn(0, batch)
            assert batch <= wanted.children <= MOST_CHILDREN * batch
            assert wanted.children == batch or wanted.children * genes <= 1 << 20
