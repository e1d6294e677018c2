"""Searches over the reviews of the conformance suite that are watched from batch to batch."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest

import expga
from expga.comparison import Yardstick
from expga.contracts import Batch, Context, Probe, Seeds, Verdict
from expga.criterion import Flip
from expga.domain.text import TextDomain
from expga.inquiry import Inquiry
from expga.lexicon import load
from expga.models import wrap
from expga.oracle import Oracle
from expga.search import of_kind
from expga.testing import texts
from expga.testing.texts import known_others, male_names, substitutes_known, weigher, written

TEXTS = texts()


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
    return TEXTS.rows


@pytest.fixture(scope="session", name="male_names")
def _male_names():
    return male_names()


@pytest.fixture(scope="session")
def biased():
    return TEXTS.biased


@pytest.fixture(scope="session")
def fair():
    return TEXTS.fair


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
        with substitutes_known():
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
