"""People judged by a rule: a domain, and a model behind it that notes what it is asked."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import pytest

from expga.comparison import Yardstick
from expga.contracts import Criterion
from expga.criterion import Flip
from expga.domain.schema import read_schema
from expga.domain.tabular import TabularDomain
from expga.inquiry import Inquiry
from expga.measuring import measured
from expga.models import wrap
from expga.oracle import Oracle
from expga.population import Population


@dataclass
class Case:
    """A rule (frame in, probabilities or labels out) and the table that it is asked about."""

    frame: pd.DataFrame
    rule: object
    protected: tuple[str, ...] = ("race",)
    schema: dict | None = None
    criterion: Criterion = field(default_factory=Flip)
    calls: list[int] = field(default_factory=list)

    def __post_init__(self):
        self.domain = TabularDomain(self.frame, list(self.protected), read_schema(self.schema), "data")
        self.model, self.positive = wrap(self.rule, self.frame)

    @property
    def classes(self):
        return self.model.classes

    def ask(self, inputs):
        self.calls.append(len(inputs))
        return self.model.ask(inputs)

    @property
    def inquiry(self):
        return Inquiry(model=self, domain=self.domain, yardstick=Yardstick(self.criterion, self.positive))

    def oracle(self):
        return Oracle(self.inquiry)

    def population(self, rows=None, each=8_192):
        """What these rows come to, so many asked about at once."""
        rows = np.arange(len(self.domain.rows)) if rows is None else np.asarray(rows)
        return Population.joined(
            [measured(self.inquiry, rows[start : start + each])[0] for start in range(0, len(rows), each)]
        )


@pytest.fixture(scope="session")
def case():
    return Case


@pytest.fixture(scope="session")
def people():
    """(60, 4) no two alike but for what is protected."""
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "race": rng.choice(["a", "b", "c", "d"], 60),
            "sex": rng.choice(["F", "M"], 60),
            "age": rng.permutation(np.arange(20, 80)),
            "job": rng.choice(["cook", "nurse", "smith"], 60),
        }
    )
