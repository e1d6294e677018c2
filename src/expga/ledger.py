"""What a run has found, asked and measured so far: each batch in one transaction of the store."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from expga.contracts import Domain
from expga.findings import Findings
from expga.placebo import Placebo
from expga.population import Population
from expga.store import NAME, Store, damaged, decoding, kept

STATE, PLACEBO, POPULATION = "state", "placebo", "population"


class Counters(msgspec.Struct, forbid_unknown_fields=True):
    """How far a run is."""

    runs: int = 0
    """How often it was begun or taken up."""
    elapsed: float = 0.0
    search_s: float = 0.0
    tested: int = 0
    complete: int = 0
    generations: int = 0
    found: int = 0
    parts: int = 0
    refused: int = 0
    dropped: int = 0
    """Samples that were unfair at first, and not when they were asked about again."""
    queries: dict[str, int] = {}
    model_s: dict[str, float] = {}
    notes: list[str] = []
    classes: list[Any] = []
    """The model's labels by class number, which findings are kept with; those that show up late are the last."""
    positive: int | None = None


def counters_of(store: Store) -> Counters:
    """How far the run in a store is."""
    return kept(store, STATE, partial(msgspec.json.decode, type=Counters)) or Counters()


def placebo_of(store: Store) -> Placebo | None:
    """How rows were answered that the run in a store asked about twice, if it did."""
    return kept(store, PLACEBO, partial(msgspec.json.decode, type=Placebo))


class Ledger:
    """The findings and counters of a run, in the store: a batch in one transaction, as soon as it is judged.

    What is asked is counted before the answer is there, so that a run that is killed has paid for it. A store that ends
    with this process is not written to: nobody could read it.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self.before = counters_of(store)
        """How far the run had come when it was taken up."""
        self.kept = self.before.found
        """Findings that are in the store."""
        self._parts = self.before.parts
        self._waiting: list[tuple[int, Findings]] = []
        """Findings that are not, each time with how many there are by then."""
        self._lasting = store.path is not None

    @property
    def found(self) -> int:
        """Findings so far."""
        return self._waiting[-1][0] if self._waiting else self.kept

    def placebo(self) -> Placebo | None:
        """How rows were answered that were asked about twice, if they were."""
        return placebo_of(self.store)

    def asked_twice(self, placebo: Placebo, now: Counters) -> None:
        """Keeps what asking twice has shown, together with what it cost."""
        self._write(now, {PLACEBO: msgspec.json.encode(placebo)})

    def population(self) -> Population | None:
        """What was measured of the real rows, if it was."""
        return kept(self.store, POPULATION, Population.unpacked)

    def measured(self, population: Population, now: Counters) -> None:
        """Keeps a measurement together with what it cost."""
        self._write(now, {POPULATION: population.packed()})

    def add(self, findings: Findings, now: Counters) -> None:
        """Keeps what a batch found, and how far the run is."""
        if len(findings):
            self._waiting.append((self.found + len(findings), findings))
        self.spend(now)

    def spend(self, now: Counters) -> None:
        """Keeps how far the run is."""
        self.flush(now)

    def flush(self, now: Counters) -> None:
        """Writes all that waits, and the counters that go with it."""
        self._write(now, {})

    def _write(self, now: Counters, records: dict[str, bytes]) -> None:
        """Writes a part under the next number; where Ctrl-C comes in between, it is written again in the same place."""
        if not self._lasting:
            return
        found, waiting, part = self.found, [findings for _, findings in self._waiting], None
        if waiting:
            part = (self._parts + 1, Findings.joined(waiting, waiting[0].genomes.shape[1]).packed())
        now.found, now.parts = found, self._parts + (part is not None)
        self.store.put({**records, STATE: msgspec.json.encode(now)}, part)
        self._parts, self.kept, self._waiting = now.parts, found, []

    def findings(self, domain: Domain) -> Findings:
        """All that was found, in its order; what was written is checked against the counters and the domain."""
        if not self._lasting:
            parts = [findings for _, findings in self._waiting]
            whole = parts[0] if len(parts) == 1 else Findings.joined(parts, domain.rows.shape[1])
            self._waiting = [(len(whole), whole)]
            return whole
        with decoding(self.store, "part"):
            parts = [Findings.unpacked(part) for part in self.store.parts()]
            found = Findings.joined(parts, domain.rows.shape[1])
        counted = counters_of(self.store)
        if (len(parts), len(found)) != (counted.parts, counted.found):
            reason = f"{len(found)} findings are there, {counted.found} were counted"
            raise damaged(self.store.path or Path(NAME), reason)
        if not all(part.are_of(domain) for part in parts):
            raise damaged(self.store.path or Path(NAME), "it holds findings that these data and rules cannot lead to")
        return found
