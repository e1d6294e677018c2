"""A finding is about somebody: one of its twins has what the real row behind it has."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import expga
from expga.search import of_kind

STRATEGIES = [name for name, strategy in of_kind("table").items() if not strategy.needs_gradients]


@pytest.fixture(scope="module")
def people():
    """(200, 4) of few jobs and shifts, so that a whole domain can be searched."""
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 80, 200),
            "race": rng.choice(list("abcd"), 200),
            "job": rng.choice(["cook", "nurse", "smith"], 200),
            "shifts": rng.integers(1, 9, 200),
        }
    )


def score(frame):
    worth = frame["age"] / 9 + frame["race"].map({"a": 0, "b": 3, "c": -1, "d": 1}) + frame["shifts"]
    return 1 / (1 + np.exp(-(worth + 2 * (frame["job"] == "cook") - 11.03)))


def both_of(people, findings, protected):
    """(n,) whether each finding has what its real row has as its first twin, and something else as its second."""
    real = people.loc[findings["anchor"], protected].to_numpy()
    twin = findings[[f"{column}__twin" for column in protected]].to_numpy()
    return (findings[protected].to_numpy() == real).all(axis=1) & (twin != real).any(axis=1)


@pytest.mark.parametrize("protected", [["age"], ["race"], ["race", "age"]], ids=", ".join)
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_of_every_pair_the_first_is_as_the_row_is(people, strategy, protected):
    audit = expga.audit(score, people, protected=protected, strategy=strategy, max_queries=4_000, max_generations=40)
    assert len(audit.findings) > 5
    assert both_of(people, audit.findings, protected).all()


def test_they_hold_when_asked_again_as_they_were_saved(people, tmp_path):
    audit = expga.audit(score, people, protected=["age"], max_queries=4_000)
    audit.save(tmp_path / "audit")
    saved = expga.Audit.load(tmp_path / "audit")
    assert both_of(people, saved.findings, ["age"]).all()
    for side, twins in zip(("", "__twin"), saved.twins(), strict=True):
        np.testing.assert_allclose(score(twins), saved.findings[f"score{side}"], atol=1e-6)


def test_a_repair_is_tried_on_rows_as_they_are(people):
    """A model averaged over what an age is read at says the same of every age, also of those that it is not read at."""
    from sklearn.linear_model import LogisticRegression

    numbers = people.assign(race=people["race"].map(ord), job=people["job"].map(len))
    model = LogisticRegression(max_iter=2_000).fit(numbers, score(people) > 0.5)
    audit = expga.audit(model, numbers, protected=["age"], max_queries=4_000)
    fairer = expga.retrain(model, numbers, score(people) > 0.5, audit, repair="average", max_queries=200)
    said = [fairer.model.predict_proba(numbers.assign(age=age)) for age in range(18, 80)]
    assert np.ptp(said, axis=0).max() < 1e-9
