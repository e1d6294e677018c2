"""A strategy in one of its manners on one subject, and what is seen of it: runs are shared by all that look at them."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any, Literal, TypeAlias

import numpy as np

from expga import api
from expga.contracts import (
    Batch,
    Context,
    Domain,
    FloatArray,
    Gradients,
    IndexArray,
    IntArray,
    Manner,
    Probe,
    Realism,
    Strategy,
    Verdict,
)
from expga.results import Audit
from expga.search import strategy
from expga.testing.specimen import Scorer, Specimen, Variation

NOTHING = Variation()
Extent: TypeAlias = Literal["once", "in each manner", "everywhere"]


@dataclass(frozen=True, eq=False)
class Target:
    """A strategy, and what it costs or lacks."""

    strategy: Any
    """Its class, an object, or a name, as `expga.audit` takes them."""
    queries: Mapping[Manner, int] = field(default_factory=dict)
    """In a manner, how many queries it needs to find thirty samples where the subject's usual budget is too small for
    it, since it asks about much besides its samples, say."""
    digs: tuple[Manner, ...] = ()
    """The manners in which it stays around its first hit for long, so that samples need not spread over the rows."""
    ignores_seed: bool = False
    """Whether it draws nothing at random, so that two seeds cannot be told apart."""
    small_domains_only: bool = False
    """Whether it refuses domains with very many samples: it is then tried on a subject's small version."""


class Watched:
    """A strategy as it is, with all that it proposes and is told written down."""

    def __init__(self, target: Strategy) -> None:
        self._target = target
        self.proposals: list[Batch | Probe | Gradients] = []
        self.answers: list[Any] = []
        """Those that came; the last proposal may be beyond the budget."""
        self.domain: Domain
        self.seeds: IndexArray

    def __getattr__(self, name: str) -> Any:
        return getattr(self._target, name)

    def search(self, context: Context) -> Generator[Batch | Probe | Gradients, Any, None]:
        """The target's own search."""
        self.domain, self.seeds = context.domain, context.seeds.rows
        search = self._target.search(context)
        try:
            proposal = next(search)
            while True:
                self.proposals.append(proposal)
                self.answers.append((yield proposal))
                proposal = search.send(self.answers[-1])
        except StopIteration:
            return
        finally:
            search.close()

    @property
    def judged(self) -> list[tuple[Batch, Verdict]]:
        """Batches with their verdicts."""
        both = zip(self.proposals, self.answers, strict=False)
        return [(proposal, answer) for proposal, answer in both if isinstance(proposal, Batch)]

    @property
    def genomes(self) -> IntArray:
        """(n, d) all that was proposed."""
        return np.concatenate([one.genomes for one in self.proposals if isinstance(one, Batch)])

    @property
    def anchor(self) -> IndexArray:
        """(n,) the real row that each stays near."""
        return np.concatenate([one.anchor for one in self.proposals if isinstance(one, Batch)])

    @property
    def wanted_last(self) -> int:
        """The most queries that the proposal may take which came last; where one is left untold, what it takes."""
        last, readings = self.proposals[-1], self.domain.readings
        if not isinstance(last, Batch):
            return len(last)
        voices = readings.voices(self.domain.rows)
        asked = readings.count if self._target.asking == "all" else 2
        return asked * (1 if voices is None else int(voices.max()))


class Asked:
    """A model that counts what it is asked about, and may be interrupted."""

    def __init__(self, scorer: Scorer, specimen: Specimen, most: float = np.inf) -> None:
        self._scorer, self._most = scorer, most
        self.rows = 0
        if specimen.gradients is not None:
            self._gradients = specimen.gradients

    def __call__(self, rows: Any) -> FloatArray:
        self._count(rows)
        return self._scorer(rows)

    def gradients(self, rows: Any) -> FloatArray:
        """(n, columns) counted like any other question."""
        self._count(rows)
        return self._gradients(rows)

    def _count(self, rows: Any) -> None:
        self.rows += len(rows)
        if self.rows > self._most:
            raise KeyboardInterrupt


@dataclass(frozen=True)
class Run:
    """An audit that was watched."""

    audit: Audit
    seen: Watched
    asked: int
    """How many rows the model was asked about."""


@dataclass(frozen=True, eq=False)
class Case:
    """A target in one of its manners, on a specimen, with one realism."""

    target: Target
    specimen: Specimen
    manner: Manner
    realism: Realism
    extent: Extent
    """Which demands are made of it: those made once, those made in each manner too, or only those made everywhere."""

    @property
    def queries(self) -> int:
        """The usual budget."""
        return {**self.specimen.queries, **self.target.queries}[self.manner]

    def strategy(self) -> Strategy:
        """The strategy; where the target is a class or a name, a new object each time."""
        return strategy(self.target.strategy, self.specimen.kind, f"{self.specimen.kind}s")

    def asked(self, scorer: Scorer | None = None, most: float = np.inf) -> Asked:
        """The biased model unless another is given, which counts, and is interrupted after so many rows."""
        return Asked(scorer or self.specimen.biased, self.specimen, most)

    def audit(self, model: Any = None, variation: Variation = NOTHING, **options: Any) -> Audit:
        """An audit by queries and not by the clock: of the biased model, unless another is given."""
        specimen = self.specimen
        settings = {
            "protected": specimen.protected,
            "max_queries": self.queries,
            "strategy": self.target.strategy,
            **specimen.options,
            **variation.options,
            **options,
        }
        rows = specimen.rows if variation.rows is None else variation.rows
        with specimen.around():
            return api.audit(
                self.asked(variation.biased) if model is None else model,
                rows,
                manner=self.manner,
                realism=self.realism,
                **settings,
            )

    @cached_property
    def run(self) -> Run:
        """The usual audit, watched."""
        seen, model = Watched(self.strategy()), self.asked()
        return Run(self.audit(model, strategy=seen), seen, model.rows)


def cases_of(targets: Sequence[Target], specimens: Sequence[Specimen]) -> list[Case]:
    """Every target on every specimen, in all of its manners and all realisms."""
    found = []
    for target in targets:
        for whole in specimens:
            specimen = whole.small if target.small_domains_only and whole.small is not None else whole
            chosen = strategy(target.strategy, specimen.kind, f"{specimen.kind}s")
            manners, realisms = chosen.manners, specimen.realisms
            turns = range(max(len(manners), len(realisms)))
            in_turn = {(manners[turn % len(manners)], realisms[turn % len(realisms)]): turn for turn in turns}
            for both in product(manners, realisms):
                extent: Extent = "everywhere" if both not in in_turn else "in each manner" if in_turn[both] else "once"
                found.append(Case(target, specimen, *both, extent))
    return found
