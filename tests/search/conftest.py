"""Searches over the people of the conformance suite that are watched from batch to batch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from expga.comparison import Yardstick
from expga.contracts import Batch, Context, Probe, Seeds, Verdict
from expga.criterion import Flip
from expga.domain.schema import read_schema
from expga.domain.tabular import TabularDomain
from expga.inquiry import Inquiry
from expga.models import gradients_of, wrap
from expga.oracle import Oracle
from expga.search import of_kind
from expga.testing import tables

TABLES = tables()
SCHEMA = TABLES.options["schema"]


class WithGradients:
    """A rule that offers gradients too, as if it rose evenly with every number."""

    def __init__(self, rule):
        self.rule = rule

    def __call__(self, frame):
        return self.rule(frame)

    def gradients(self, frame):
        return TABLES.gradients(frame)


@dataclass
class Watched:
    """A search, batch by batch."""

    domain: TabularDomain
    batches: list[Batch]
    verdicts: list[Verdict]
    exhausted: bool
    probed: list[int]
    """How many genomes each question besides batches was about."""
    probed_before: list[int]
    """For each batch, how many of them came before it."""

    def found_within(self, queries=np.inf):
        """(n, d) what was found with the first so many queries."""
        runs = list(zip(self.batches, self.verdicts, strict=True))
        tested = np.concatenate([batch.genomes[verdict.tested] for batch, verdict in runs])
        unfair = np.concatenate([verdict.unfair for _, verdict in runs])
        probed = np.repeat(self.probed_before, [len(verdict.tested) for verdict in self.verdicts])
        asked = probed + self.domain.readings.count * np.arange(1, len(tested) + 1)
        return tested[unfair & (asked <= queries)]

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
def people():
    return TABLES.rows


@pytest.fixture(scope="session")
def schema():
    return SCHEMA


@pytest.fixture(scope="session")
def biased():
    return TABLES.biased


@pytest.fixture(scope="session")
def domain_of():
    def fit(frame, realism="data", schema=SCHEMA, protected=("sex",)):
        return TabularDomain(frame, list(protected), read_schema(schema), realism)

    return fit


@pytest.fixture(scope="session")
def watch():
    """Runs a search by hand for so many batches or queries, or until it has nothing new to propose."""

    def run(strategy, domain, rule, batches=30, batch_size=64, seed=0, manner="batched", queries=np.inf):
        model, positive = wrap(rule, domain.decode(domain.rows))
        gradients = gradients_of(WithGradients(rule), domain, positive)
        inquiry = Inquiry(model=model, domain=domain, yardstick=Yardstick(Flip(), positive))
        oracle = Oracle(inquiry)
        rng = np.random.default_rng(seed)
        rows = rng.permutation(domain.anchors)
        last = domain.readings.count - 1
        seeds = Seeds(rows, np.full(len(rows), 0.05), np.tile(np.array([0, last]), (len(rows), 1)))
        context = Context(domain, seeds, rng, batch_size, positive, manner)
        search = of_kind("table")[strategy]().search(context)
        watched = Watched(domain, [], [], exhausted=False, probed=[], probed_before=[])
        left = queries
        try:
            proposal = next(search)
            while len(watched.batches) < batches and left >= 2:
                if not isinstance(proposal, Batch):
                    watched.probed.append(len(proposal))
                    left -= len(proposal)
                    probe = isinstance(proposal, Probe)
                    answer = model.ask(domain.decode(proposal.genomes)) if probe else gradients(proposal.genomes)
                    proposal = search.send(answer)
                    continue
                watched.batches.append(proposal)
                watched.probed_before.append(sum(watched.probed))
                most = None if left == np.inf else int(left)
                watched.verdicts.append(oracle.judge(proposal, of_kind("table")[strategy].asking, most))
                left -= domain.readings.count * len(watched.verdicts[-1].tested)
                proposal = search.send(watched.verdicts[-1])
        except StopIteration:
            watched.exhausted = True
        return watched

    return run


@pytest.fixture
def rng():
    return np.random.default_rng(0)
