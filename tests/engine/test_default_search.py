"""The default search pays, whatever a model says: labels, several classes, numbers, or with a mind of its own."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import expga

QUERIES = 2_000


@pytest.fixture(scope="module")
def applicants():
    """(500, 5) a table in which few flip."""
    rng = np.random.default_rng(1)
    return pd.DataFrame(
        {
            "sex": rng.choice(["f", "m"], 500),
            "age": rng.integers(20, 66, 500),
            "job": rng.choice(["clerk", "cook", "nurse"], 500),
            "hours": np.round(rng.normal(40, 8, 500), 1),
            "debt": rng.integers(0, 30, 500),
        }
    )


def worth(frame):
    """(n,) for which a man is worth one and a half years more."""
    men, cooks = (frame["sex"] == "m").to_numpy(), (frame["job"] == "cook").to_numpy()
    return (
        frame["age"].to_numpy() + 1.5 * men + frame["hours"].to_numpy() / 2 - 3 * cooks - frame["debt"].to_numpy() / 3
    )


def probability(frame):
    return 1 / (1 + np.exp(-(worth(frame) - 57) / 6))


def label(frame):
    return np.where(worth(frame) > 57, "yes", "no")


def grade(frame):
    """One of three labels, and no more."""
    return np.select([worth(frame) > 68, worth(frame) > 50], ["high", "middle"], "low")


class Estimator:
    """Three classes with a probability each, or two with a threshold of its own."""

    def __init__(self, classes, threshold=None):
        self.classes_ = np.array(classes)
        self.threshold = threshold

    def predict_proba(self, frame):
        if len(self.classes_) == 2:
            yes = probability(frame)
            return np.column_stack([1 - yes, yes])
        away = np.abs(worth(frame)[:, None] - np.array([40, 58, 76])) / 9
        raw = np.exp(-away)
        return raw / raw.sum(axis=1, keepdims=True)

    def predict(self, frame):
        said = self.predict_proba(frame)
        first = said.argmax(axis=1) if self.threshold is None else (said[:, 1] > self.threshold).astype(int)
        return self.classes_[first]


def wages(frame):
    """Numbers, of which a man gets more where he is paid well anyway."""
    men = (frame["sex"] == "m").to_numpy()
    return 1_000 * worth(frame) + 3_000 * men * (frame["age"].to_numpy() > 50)


MODELS = {
    "probability": (probability, {}),
    "label": (label, {}),
    "one of three labels": (grade, {}),
    "three probabilities": (Estimator(["high", "low", "middle"]), {}),
    "a threshold of its own": (Estimator([0, 1], 0.2), {}),
    "numbers": (wages, {"min_gap": 4_000}),
}


@pytest.mark.parametrize("name", list(MODELS))
def test_it_finds_several_times_what_random_testing_finds(applicants, name):
    model, options = MODELS[name]
    ours, random = (
        expga.audit(model, applicants, protected="sex", strategy=strategy, max_queries=QUERIES, **options).summary
        for strategy in ("expga", "random")
    )
    assert ours["queries"]["total"] <= QUERIES
    assert ours["found"] > 2 * random["found"] > 0
