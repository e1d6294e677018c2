"""Applicants, a model that prefers men, an audit of it, and repairs that take moments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import expga
from expga.repair.pairs import pairs_of
from expga.repair.parts import Material
from expga.repair.reader import Reader
from expga.repair.recipe import recipe_of
from expga.results import Audit

QUICK = {"repeats": 1, "max_queries": 40}
"""So few queries that a repair with all its evidence is a matter of moments."""


def drawn(seed: int, count: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Applicants, and who of them is hired: men more often, and who is older or works more."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 70, count),
            "sex": rng.choice(["female", "male"], count),
            "role": rng.choice(["alone", "spouse"], count),
            "hours": np.round(rng.normal(38, 8, count), 1),
        },
        index=[f"row {number}" for number in range(1_000 * seed, 1_000 * seed + count)],
    )
    spouse = np.where(frame["sex"] == "male", "husband", "wife")
    frame["role"] = np.where(frame["role"] == "spouse", spouse, "alone")
    wish = (frame["age"] - 44) / 8 + (frame["hours"] - 38) / 6 + 2.5 * (frame["sex"] == "male") - 1.2
    return frame, np.where(rng.random(count) < 1 / (1 + np.exp(-wish)), "yes", "no")


@pytest.fixture(scope="session", autouse=True)
def few_fits():
    """How a mixture behaves shows with few models."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("expga.repair.mixture.MOST_FITS", 4)
        yield


@pytest.fixture(scope="session")
def people() -> pd.DataFrame:
    """(80, 4) applicants whose index is not their row number."""
    return drawn(1, 80)[0]


@pytest.fixture(scope="session")
def hired() -> np.ndarray:
    return drawn(1, 80)[1]


@pytest.fixture(scope="session")
def others() -> tuple[pd.DataFrame, np.ndarray]:
    """(40, 4) other applicants, and who is hired."""
    return drawn(2, 40)


class Numbers(TransformerMixin, BaseEstimator):
    """Applicants as numbers: what a column transformer makes of them, in a tenth of its time."""

    def fit(self, X: pd.DataFrame, _: Any = None) -> Numbers:
        self.feature_names_in_ = X.columns.to_numpy(dtype=object)
        self.middle_, self.spread_ = X[["age", "hours"]].mean().to_numpy(), X[["age", "hours"]].std(ddof=0).to_numpy()
        return self

    def transform(self, X: pd.DataFrame) -> np.ndarray:
        numbers = [X[name].to_numpy(dtype=float) for name in ("age", "hours")]
        words = {"sex": ("female", "male"), "role": ("alone", "husband", "wife")}
        hot = [X[name].to_numpy() == word for name, of in words.items() for word in of]
        return np.column_stack([(np.column_stack(numbers) - self.middle_) / self.spread_, *hot])


@pytest.fixture(scope="session")
def model(people, hired):
    return make_pipeline(Numbers(), LogisticRegression()).fit(people, hired)


@pytest.fixture(scope="session")
def found(model, people) -> Audit:
    """An audit for sex: no links, some 100 findings near many rows."""
    return expga.audit(model, people, protected="sex", max_queries=1_060, seed=0)


@pytest.fixture(scope="session")
def points() -> tuple[np.ndarray, np.ndarray]:
    """(60, 3) numbers, the second of them 0 or 1 and telling, and labels."""
    rng = np.random.default_rng(4)
    X = np.column_stack([rng.integers(0, 9, 60), rng.integers(0, 2, 60), rng.normal(0, 2, 60)])
    return X, (X[:, 0] - 4 + X[:, 2] + 3 * X[:, 1] > 1.5).astype(int)


@pytest.fixture(scope="session")
def plain(points):
    """A model of arrays, and an audit of it."""
    model = LogisticRegression().fit(*points)
    return model, expga.audit(model, points[0], protected="x1", max_queries=400, seed=0)


@pytest.fixture(scope="session")
def retrain():
    """`expga.retrain`, quickly."""
    return lambda *given, **options: expga.retrain(*given, **{**QUICK, **options})


@pytest.fixture(scope="session")
def material_of(people, hired, model, found):
    """What a way to repair works on, around all rows and findings unless others are given."""

    def make(audit=found, rows=people, labels=hired, before=model, **others):
        reader = Reader.of(audit.summary["settings"])
        given = {
            "reader": reader,
            "recipe": recipe_of(before, None if hasattr(before, "fit") else lambda *_: before),
            "rows": rows,
            "labels": np.asarray(labels, dtype=object) if np.asarray(labels).dtype.kind == "U" else labels,
            "numbers": np.arange(len(rows)),
            "before": before,
            "pairs": pairs_of(audit, rows.index if isinstance(rows, pd.DataFrame) else range(len(rows))),
            "shares": None,
            "relabel": "majority",
            "weight": None,
            "pairs_weigh": None,
            "seed": None,
        }
        return Material(**{**given, **others})

    return make
