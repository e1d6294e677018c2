"""Random small tables, schemas and models, for audits through the front door."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from hypothesis import strategies as st

import expga
from expga.search import of_kind

QUERIES = 1_500
"""Enough to measure the population on all rows of any of these tables."""

MISSING = "?"

ANY_TABLE = sorted(name for name, kind in of_kind("table").items() if name != "exhaustive" and not kind.needs_gradients)
"""Strategies for any model and any table: not those that want gradients, nor the one that refuses large domains."""


def as_text(value):
    return MISSING if pd.isna(value) else str(value)


@dataclass(frozen=True)
class Rule:
    """A model over any table: by weights of its columns, or by a table of decisions that looks random.

    A category weighs what a hash makes of its text, so that the same value weighs the same in every batch.
    """

    kind: str
    """probabilities, labels, or decisions: a label of three for every combination of values."""
    weights: dict[str, float]
    """By column; one that is not named has no say."""
    boundary: float = 0.0

    def __call__(self, frame):
        if self.kind == "decisions":
            texts = [" ".join(row) for row in zip(*(frame[name].map(as_text) for name in self.weights), strict=True)]
            return np.array(["low", "middle", "high"])[[zlib.crc32(text.encode()) % 3 for text in texts]]
        total = sum((self._column(frame[name]) * weight for name, weight in self.weights.items()), np.zeros(len(frame)))
        probability = 1 / (1 + np.exp(self.boundary - total))
        return probability if self.kind == "probabilities" else np.where(probability > 0.5, "yes", "no")

    def _column(self, column):
        if pd.api.types.is_numeric_dtype(column.dtype) and not pd.api.types.is_bool_dtype(column.dtype):
            return column.to_numpy(dtype=float, na_value=-3.0) / 10
        return np.array([zlib.crc32(as_text(value).encode()) % 1_000 / 500 - 1 for value in column])

    def blind_to(self, columns):
        """The same without a look at these columns."""
        return Rule(self.kind, {n: w for n, w in self.weights.items() if n not in columns}, self.boundary)

    def labels(self, frame):
        answers = self(frame)
        return answers > 0.5 if self.kind == "probabilities" else answers


@dataclass(frozen=True)
class Case:
    """Everything an audit is about."""

    frame: pd.DataFrame
    protected: list[str]
    readings: dict[str, list]
    """By protected attribute, the values it is read at."""
    schema: dict
    model: Rule
    strategy: str
    realism: str
    seed: int

    def audit(self, model=None):
        return expga.audit(
            model or self.model,
            self.frame,
            protected=self.protected,
            schema=self.schema,
            strategy=self.strategy,
            realism=self.realism,
            max_queries=QUERIES,
            seed=self.seed,
        )

    @property
    def free(self):
        return [name for name in self.frame if name not in self.protected]

    def possible(self, row):
        """Whether a row, given as a dict, shows no forbidden combination."""
        return not any(all(row[name] == value for name, value in group.items()) for group in self.schema["forbid"])


def columns(count):
    """Columns of any dtype: names of categories, numbers, missing values."""
    words = st.lists(st.sampled_from(["ash", "beech", "cedar", "elm"]), min_size=count, max_size=count)
    maybe_words = st.lists(st.sampled_from(["ash", "beech", None]), min_size=count, max_size=count)
    whole = st.lists(st.integers(-20, 20), min_size=count, max_size=count)
    maybe_whole = st.lists(st.one_of(st.none(), st.integers(0, 9)), min_size=count, max_size=count)
    real = st.lists(st.integers(-400, 400).map(lambda n: n / 16), min_size=count, max_size=count)
    maybe_real = st.lists(st.one_of(st.none(), st.integers(0, 99).map(lambda n: n / 7)), min_size=count, max_size=count)
    flags = st.lists(st.booleans(), min_size=count, max_size=count)
    return st.one_of(
        words.map(lambda values: pd.Series(values, dtype="str")),
        maybe_words.map(lambda values: pd.Series(values, dtype=object)),
        maybe_words.map(lambda values: pd.Series(values, dtype="string")),
        words.map(lambda values: pd.Series(pd.Categorical(values, categories=["elm", "cedar", "beech", "ash", "fir"]))),
        whole.map(lambda values: pd.Series(values, dtype="int64")),
        whole.map(lambda values: pd.Series(values, dtype="int8")),
        maybe_whole.map(lambda values: pd.Series(values, dtype="Int64")),
        real.map(lambda values: pd.Series(values, dtype="float32")),
        maybe_real.map(lambda values: pd.Series(values, dtype="float64")),
        flags.map(lambda values: pd.Series(values, dtype="bool")),
    )


def attributes(count):
    """A protected column with at least two values, and those that it is read at."""
    kinds = st.sampled_from(
        [(["F", "M"], "str"), (["F", "M", "X"], "category"), ([False, True], "bool"), ([3, 40], "int64")]
    )

    def column(kind):
        values, dtype = kind
        filled = st.lists(st.sampled_from(values), min_size=count - len(values), max_size=count - len(values))
        return filled.map(lambda more: (pd.Series(values + more, dtype=dtype), values))

    return kinds.flatmap(column)


@st.composite
def feature_rules(draw, column):
    """Perhaps immutable, perhaps with bounds that the first row lies within."""
    rule = {"immutable": True} if draw(st.integers(0, 4)) == 0 else {}
    if column.dtype.kind in "if" and not pd.isna(column[0]) and draw(st.booleans()):
        first = float(column[0])
        rule |= {"min": first - draw(st.integers(0, 15)), "max": first + draw(st.integers(0, 15))}
    return rule


@st.composite
def cases(draw):
    count = draw(st.integers(5, 20))
    frame = pd.DataFrame({f"x{i}": draw(columns(count)) for i in range(draw(st.integers(1, 4)))})
    readings = {}
    for name in ["group", "class"][: draw(st.integers(1, 2))]:
        frame[name], readings[name] = draw(attributes(count))
    free = [name for name in frame if name not in readings]
    forbid = []
    if draw(st.booleans()):
        name = draw(st.sampled_from(free))
        known = frame[name].dropna()
        if len(known) and frame[name].dtype.kind != "f":
            forbid.append({"group": readings["group"][0], name: known.iloc[draw(st.integers(0, len(known) - 1))]})
    weights = {name: draw(st.integers(-8, 8)) / 2 for name in frame}
    model = Rule(draw(st.sampled_from(["probabilities", "labels", "decisions"])), weights, draw(st.integers(-2, 2)) / 2)
    return Case(
        frame=frame,
        protected=list(readings),
        readings=readings,
        schema={
            "features": {name: draw(feature_rules(frame[name])) for name in free},
            "forbid": forbid,
            "protected": {name: {"values": values} for name, values in readings.items()},
        },
        model=model,
        strategy=draw(st.sampled_from(ANY_TABLE)),
        realism=draw(st.sampled_from(["data", "domain"])),
        seed=draw(st.integers(0, 3)),
    )


@pytest.fixture(scope="session")
def random_cases():
    return cases()
