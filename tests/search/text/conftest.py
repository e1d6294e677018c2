"""Reviews made of a few words, models that weigh these words, and searches that are watched from batch to batch."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

import numpy as np
import pytest

import expga
from expga.comparison import Yardstick
from expga.contracts import Batch, Context, Probe, Seeds, Verdict
from expga.criterion import Flip
from expga.domain.text import TextDomain
from expga.domain.text.words import words_of
from expga.inquiry import Inquiry
from expga.lexicon import load
from expga.models import wrap
from expga.oracle import Oracle
from expga.search import of_kind

PRAISE = ("awful", "uneven", "decent", "excellent", "superb")
"""Adjectives, the worst first: any may stand for any."""
THINGS = ("film", "movie", "picture")
TIMES = ("evening", "afternoon", "night")
GROUPS = (PRAISE, THINGS, TIMES)
MEN = frozenset({"he", "his", "him", "himself", "actor", "actors", "male", "man", "king"})
PEOPLE = ("He", "She", "The actress", "An actor", "An editor", "Sarah", "The king", "Michael")
WEIGHTS = {word: 0.7 * (place - 2) for place, word in enumerate(PRAISE)} | {"movie": 0.2, "picture": -0.3, "night": 0.1}


def known_others(texts):
    """Substitutes for the words above."""
    others = {word: tuple(o for o in group if o != word) for group in GROUPS for word in group}
    return [{place: others[word] for place, word in enumerate(words.lower) if word in others} for words in texts]


def written(count, seed=0):
    """Reviews of 13 to 16 words, five of which can be replaced; three may be."""
    rng = np.random.default_rng(seed)
    texts = []
    for person in rng.choice(PEOPLE, count):
        one, two = (f"{'an' if a[0] in 'aeiou' else 'a'} {a}" for a in rng.choice(PRAISE, 2))
        thing, other, time = rng.choice(THINGS), rng.choice(THINGS), rng.choice(TIMES)
        texts.append(f"{person} gave us {one} {thing} , {two} {other} and so on that {time} .")
    return texts


def weigher(bias_for_men, male_names=(), needed=0.03):
    """Probabilities by the sum of the words' weights, even where it is what is needed."""
    men = MEN | {name.lower() for name in male_names}

    @cache
    def weight(text):
        return sum(WEIGHTS.get(word, 0.0) + bias_for_men * (word in men) for word in words_of(text).lower)

    def model(texts):
        return 1 / (1 + np.exp(-(np.array([weight(text) for text in texts]) - needed)))

    return model


@dataclass
class Watched:
    """A search, batch by batch."""

    domain: TextDomain
    batches: list[Batch] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)
    probes: list[Probe] = field(default_factory=list)
    exhausted: bool = False

    @property
    def genomes(self):
        return np.concatenate([batch.genomes for batch in self.batches])

    @property
    def anchor(self):
        return np.concatenate([batch.anchor for batch in self.batches])

    @property
    def found(self):
        return sum(len(verdict.found) for verdict in self.verdicts)


@pytest.fixture(scope="session")
def reviews():
    """(80,) some of them without a word about anyone."""
    return [*written(70), *(text.replace("He gave", "It gave") for text in written(200) if text.startswith("He"))][:80]


@pytest.fixture(scope="session")
def male_names():
    return load().counterparts(load().senses("sarah")[0], "male")


@pytest.fixture(scope="session")
def biased(male_names):
    """A model for which a man is worth two thirds of a step from decent to excellent."""
    return weigher(0.5, male_names)


@pytest.fixture(scope="session")
def fair():
    return weigher(0.0)


@pytest.fixture(scope="session")
def weigh():
    return weigher


@pytest.fixture(scope="session")
def write():
    return written


@pytest.fixture(scope="session")
def others():
    return known_others


@pytest.fixture(scope="session")
def audit_texts():
    """An audit with the substitutes above, counted in queries and seeded by the gaps."""

    def run(model, texts, **options):
        settings = {"protected": "gender", "explainer": "gap", "max_queries": 2_000} | options
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("expga.subjects.text.subject.candidates", lambda *_: known_others)
            return expga.audit(model, texts, **settings)

    return run


@pytest.fixture(scope="session")
def watch():
    """Runs a search by hand for so many batches, or until it has nothing new to propose."""

    def run(strategy, model, texts, realism="data", batches=30, batch_size=64, manner="batched", graded=True):
        domain = TextDomain(texts, ["gender"], load(), known_others, realism)
        wrapped, positive = wrap(model, texts)
        inquiry = Inquiry(model=wrapped, domain=domain, yardstick=Yardstick(Flip(), positive))
        oracle = Oracle(inquiry)
        rng = np.random.default_rng(0)
        rows = rng.permutation(domain.anchors)
        seeds = Seeds(rows, np.full(len(rows), 0.05), np.tile(np.array([0, 1]), (len(rows), 1)))
        chosen = of_kind("text")[strategy]()
        search = chosen.search(Context(domain, seeds, rng, batch_size, positive if graded else None, manner))
        watched = Watched(domain)
        try:
            proposal = next(search)
            while len(watched.batches) < batches:
                if isinstance(proposal, Probe):
                    watched.probes.append(proposal)
                    proposal = search.send(wrapped.ask(domain.decode(proposal.genomes)))
                    continue
                watched.batches.append(proposal)
                watched.verdicts.append(oracle.judge(proposal, chosen.asking))
                proposal = search.send(watched.verdicts[-1])
        except StopIteration:
            watched.exhausted = True
        return watched

    return run
