"""Small tables of people, and the domain that is fitted to one."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from expga.domain.schema import read_schema
from expga.domain.tabular import TabularDomain


@pytest.fixture(scope="session")
def domain_of():
    """Fits a domain to a frame."""

    def fit(frame, protected=("sex",), schema=None, realism="data", as_array=False):
        return TabularDomain(frame, list(protected), read_schema(schema), realism, as_array)

    return fit


@pytest.fixture(scope="session")
def people():
    """(120, 6) mixed columns, some values missing."""
    rng = np.random.default_rng(1)
    count = 120
    return pd.DataFrame(
        {
            "age": rng.integers(18, 80, count),
            "sex": rng.choice(["Female", "Male"], count),
            "job": rng.choice(["clerk", "cook", "nurse", "smith"], count),
            "hours": np.round(rng.normal(40, 8, count), 1),
            "gain": np.where(rng.random(count) < 0.97, 0.0, rng.integers(1, 9_999, count)),
            "debt": np.where(rng.random(count) < 0.2, np.nan, rng.integers(0, 50, count)),
        }
    )


@pytest.fixture
def rng():
    return np.random.default_rng(0)
