"""A small table of people, mixed in its columns, some texts, and models that note what they are asked."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import pytest

from expga.domain.schema import read_schema
from expga.domain.tabular import TabularDomain
from expga.models import wrap
from expga.models.answers import from_class_scores


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


WORD = re.compile(r"\w+(?:['’]\w+)*")


@dataclass
class Talk:
    """Texts as a domain has them, and a model behind them; `asked` holds the strings of each call."""

    texts: list[str]
    scores: Callable[[list[str]], np.ndarray]
    """Strings (m) in, scores (m, k) out."""
    genders: tuple[str, ...] = ("actor", "actress", "he", "she")
    asked: list = field(default_factory=list)

    def text(self, row):
        return self.texts[row]

    def spans(self, row):
        return np.array([match.span() for match in WORD.finditer(self.texts[row])], dtype=np.intp).reshape(-1, 2)

    def sensitive(self, row):
        return np.array([word.lower() in self.genders for word in WORD.findall(self.texts[row])], dtype=bool)

    def ask(self, strings):
        self.asked.append(strings)
        return from_class_scores(self.scores(strings))

    def explain(self, explainer, seed=0):
        """What the explainer makes of all the texts: for each the importance (w,) of its words."""
        return explainer.importance(self, self, np.arange(len(self.texts)), np.random.default_rng(seed))

    def rank(self, explainer, seed=0):
        """(n,) the best rank of a sensitive word in each of the texts."""
        return explainer.ranks(self, self, np.arange(len(self.texts)), np.random.default_rng(seed))

    @property
    def queries(self):
        return sum(map(len, self.asked))


@pytest.fixture
def talk():
    return Talk


def word_scores(weights):
    """A model of two classes: the second one's score is 0.3 and the weight of each word that is there, once."""

    def scores(strings):
        second = np.array([0.3 + sum(weights.get(word, 0.0) for word in set(WORD.findall(text))) for text in strings])
        return np.column_stack([1 - second, second])

    return scores


@pytest.fixture
def linear():
    return word_scores


@pytest.fixture(scope="session")
def reviews():
    """(240) made-up reviews of 8 to 40 words, and whether each is kind: by its words, with some noise."""
    rng = np.random.default_rng(0)
    known = (
        "the a and film story plot actor actress he she scene music good great fine dull bad awful slow bright "
        "warm cold never always camera script long short end start voice city night day"
    )
    words = np.array(known.split())
    effect = rng.normal(0, 1, len(words))
    picks = [rng.integers(len(words), size=rng.integers(8, 41)) for _ in range(240)]
    kind = [effect[pick].mean() + rng.normal(0, 0.1) > effect.mean() for pick in picks]
    return [" ".join(words[pick]) + "." for pick in picks], np.array(kind)
