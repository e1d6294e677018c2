"""People, rules that judge them, and searches that are watched from batch to batch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from expga.comparison import Yardstick
from expga.contracts import Batch, Context, Probe, Seeds, Verdict
from expga.criterion import Flip
from expga.domain.schema import read_schema
from expga.domain.tabular import TabularDomain
from expga.inquiry import Inquiry
from expga.models import slopes_of, wrap
from expga.oracle import Oracle
from expga.search import of_kind

SCHEMA = {"features": {"age": {"min": 25, "max": 60}, "town": {"immutable": True}}}


class Sloped:
    """A rule that offers gradients too, as if it rose evenly with every number."""

    def __init__(self, rule):
        self.rule = rule

    def __call__(self, frame):
        return self.rule(frame)

    def gradients(self, frame):
        self.rule(frame)  # whoever goes back through a model has gone forward first
        dtypes = frame.dtypes if isinstance(frame, pd.DataFrame) else [frame.dtype] * frame.shape[1]
        rises = [pd.api.types.is_numeric_dtype(dtype) for dtype in dtypes]
        return np.tile(np.array(rises, dtype=float), (len(frame), 1))


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
    """(150, 6) mixed columns; some ages lie outside the schema's bounds."""
    rng = np.random.default_rng(4)
    count = 150
    return pd.DataFrame(
        {
            "sex": rng.choice(["Female", "Male"], count),
            "age": rng.integers(20, 66, count),
            "job": rng.choice(["clerk", "cook", "nurse"], count),
            "town": rng.choice(["east", "north", "west"], count),
            "hours": np.round(rng.normal(40, 8, count), 1),
            "debt": np.where(rng.random(count) < 0.2, np.nan, rng.integers(0, 30, count)),
        }
    )


@pytest.fixture(scope="session")
def schema():
    return SCHEMA


@pytest.fixture(scope="session")
def biased():
    """A rule for which a man is worth as much as five years more."""

    def rule(frame):
        # On arrays: with a call for every sample, arithmetic on columns is most of the time.
        sex, age, job, hours = (frame[name].to_numpy() for name in ("sex", "age", "job", "hours"))
        worth = age + 5 * (sex == "Male") + (hours - 40) / 4 - 2 * (job == "cook")
        return pd.Series(1 / (1 + np.exp(-(worth - 42) / 6)))

    return rule


@pytest.fixture(scope="session")
def fair():
    """A rule that looks at anything but sex."""

    def rule(frame):
        return 1 / (1 + np.exp(-(frame["age"].to_numpy() + frame["hours"].to_numpy() - 82) / 6))

    return rule


@pytest.fixture(scope="session")
def offered():
    """The rule, with gradients where a strategy needs them."""

    def offer(rule, strategy):
        return Sloped(rule) if of_kind("table")[strategy].needs_slopes else rule

    return offer


@pytest.fixture(scope="session")
def domain_of():
    def fit(frame, realism="data", schema=SCHEMA, protected=("sex",)):
        return TabularDomain(frame, list(protected), read_schema(schema), realism)

    return fit


@pytest.fixture(scope="session")
def watch():
    """Runs a search by hand for so many batches, samples or queries, or until it has nothing new to propose."""

    def run(
        strategy, domain, rule, batches=30, batch_size=64, seed=0, manner="batched", samples=np.inf, queries=np.inf
    ):
        model, positive = wrap(rule, domain.decode(domain.rows))
        slopes = slopes_of(Sloped(rule), domain, positive)
        inquiry = Inquiry(model=model, domain=domain, yardstick=Yardstick(Flip(), positive))
        oracle = Oracle(inquiry)
        rng = np.random.default_rng(seed)
        rows = rng.permutation(domain.anchors)
        last = domain.readings.count - 1
        seeds = Seeds(rows, np.full(len(rows), 0.05), np.tile(np.array([0, last]), (len(rows), 1)))
        context = Context(domain, seeds, rng, batch_size, positive, manner)
        search = of_kind("table")[strategy]().search(context)
        watched = Watched(domain, [], [], exhausted=False, probed=[], probed_before=[])
        proposed, left = 0, queries
        try:
            proposal = next(search)
            while len(watched.batches) < batches and proposed < samples and left >= 2:
                if not isinstance(proposal, Batch):
                    watched.probed.append(len(proposal))
                    left -= len(proposal)
                    probe = isinstance(proposal, Probe)
                    answer = model.ask(domain.decode(proposal.genomes)) if probe else slopes(proposal.genomes)
                    proposal = search.send(answer)
                    continue
                watched.batches.append(proposal)
                watched.probed_before.append(sum(watched.probed))
                most = None if left == np.inf else int(left)
                watched.verdicts.append(oracle.judge(proposal, of_kind("table")[strategy].asking, most))
                proposed += len(proposal)
                left -= domain.readings.count * len(watched.verdicts[-1].tested)
                proposal = search.send(watched.verdicts[-1])
        except StopIteration:
            watched.exhausted = True
        return watched

    return run


@pytest.fixture
def rng():
    return np.random.default_rng(0)
