"""A small table of people, mixed in its columns, and models that note what they are asked."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import pytest

from expga.domain.schema import read_schema
from expga.domain.tabular import TabularDomain
from expga.models import wrap


@dataclass
class Setting:
    """A domain, and a model behind it; `asked` holds the genomes of each call."""

    frame: pd.DataFrame
    model: object
    domain: TabularDomain = field(init=False)
    asked: list = field(default_factory=list)

    def __post_init__(self):
        categories = {name: {"type": "categorical"} for name in ("sex", "job", "town") if name in self.frame}
        self.domain = TabularDomain(self.frame, ["sex"], read_schema({"features": categories}), "data")
        self.wrapped, _ = wrap(self.model, self.frame)

    def ask(self, genomes):
        self.asked.append(genomes)
        return self.wrapped.ask(self.domain.decode(genomes))

    @property
    def queries(self):
        return sum(map(len, self.asked))


@pytest.fixture(scope="session")
def people():
    """(400, 6) categories as numbers, so that the package `lime` can take them too."""
    rng = np.random.default_rng(0)
    count = 400
    return pd.DataFrame(
        {
            "age": rng.integers(18, 80, count),
            "sex": rng.integers(0, 2, count),
            "job": rng.choice(5, count, p=[0.4, 0.3, 0.15, 0.1, 0.05]),
            "hours": np.round(rng.normal(40, 10, count), 1),
            "gain": np.where(rng.random(count) < 0.8, 0, rng.integers(1, 9_999, count)),
            "town": rng.integers(0, 8, count),
        }
    )


@pytest.fixture
def setting():
    return Setting
