"""The door of the campaign: five minutes, or with CAMPAIGN=long until every section has tried all it set out to."""

from __future__ import annotations

import argparse
import hashlib
import os
import queue
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from rich.console import Console
from rich.table import Table

from campaign.case import Case
from campaign.judge import kind_of
from campaign.nursery import Nursery
from campaign.sections import sections
from campaign.shrink import shrunk
from campaign.trial import Outcome, is_plain, run, run_series

SHORT_S = 300.0
EVERY_S = 60.0
IN_MEMORY = Path("/dev/shm")
CASES = Path(__file__).parent / "cases"


class Section(Protocol):
    """A source of cases."""

    name: str
    total: int
    """After so many it has tried what it set out to try."""

    def case(self, number: int) -> Case:
        """The same for the same seed and number."""
        ...


@dataclass(slots=True)
class Tally:
    """What came of a section."""

    cases: int = 0
    codes: Counter[str] = field(default_factory=Counter)
    defects: Counter[str] = field(default_factory=Counter)
    slowest: float = 0.0


class Campaign:
    """All sections, a worker for each core, until the time is over or everything was tried."""

    def __init__(self, chosen: list[Section], seconds: float | None, keep: Path | None) -> None:
        self._chosen = chosen
        self._ends = None if seconds is None else time.monotonic() + seconds
        self._keep = keep
        self._next = dict.fromkeys((section.name for section in chosen), 0)
        self.tallies = {section.name: Tally() for section in chosen}
        self._lock = threading.Lock()
        self._told = time.monotonic()
        self._console = Console(stderr=True)
        self._broken: queue.Queue[BaseException] = queue.Queue()

    def run(self, workers: int) -> None:
        """Runs all of it; an error of the campaign itself ends it."""
        threads = [threading.Thread(target=self._work, daemon=True) for _ in range(workers)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if not self._broken.empty():
            raise self._broken.get()

    def _work(self) -> None:
        try:
            with tempfile.TemporaryDirectory(prefix="campaign-", dir=_memory()) as place:
                nursery = Nursery(Path(place))
                try:
                    while cases := self._draw():
                        for outcome in self._tried(cases, nursery, Path(place)):
                            self._take(outcome, nursery, Path(place))
                finally:
                    nursery.close()
        except BaseException as error:
            self._broken.put(error)

    @staticmethod
    def _tried(cases: list[Case], nursery: Nursery, place: Path) -> Iterator[Outcome]:
        if len(cases) > 1:
            yield from run_series([case for case in cases if is_plain(case)], nursery, place)
            cases = [case for case in cases if not is_plain(case)]
        yield from (run(case, nursery, place) for case in cases)

    def _draw(self) -> list[Case]:
        """Cases of the section that is furthest from its end."""
        with self._lock:
            over = self._ends is not None and time.monotonic() > self._ends
            if over or not self._broken.empty():
                return []
            section = min(self._chosen, key=lambda one: self._next[one.name] / one.total)
            number = self._next[section.name]
            if self._ends is None and number >= section.total:
                return []
            count = getattr(section, "at_once", 1)  # cases that may share a process
            self._next[section.name] += count
        return [section.case(number + more) for more in range(count)]

    def _take(self, outcome: Outcome, nursery: Nursery, place: Path) -> None:
        kinds = {kind_of(defect): defect for defect in outcome.defects}
        with self._lock:
            tally = self.tallies[outcome.case.section]
            tally.cases += 1
            tally.codes.update("killed" if one.killed else str(one.code) for one in outcome.ended)
            tally.slowest = max([tally.slowest, *(one.seconds for one in outcome.ended)])
            self._tell()
            new = [kind for kind in kinds if kind not in tally.defects]
            tally.defects.update(list(kinds))
        for kind in new:
            self._console.print(f"[red]{outcome.case.section}[/]: {outcome.case.about}", markup=True)
            self._console.print(f"  {kinds[kind]}", markup=False, soft_wrap=True)
            if self._keep is not None:
                small = shrunk(outcome.case, lambda one, kind=kind: kind in _kinds(run(one, nursery, place)))  # type: ignore[misc]
                name = f"{small.section}-{hashlib.sha256(kind.encode()).hexdigest()[:8]}.json"
                self._keep.mkdir(parents=True, exist_ok=True)
                (self._keep / name).write_text(small.to_json(), encoding="utf-8")

    def _tell(self) -> None:
        """Once in a while, how far it is."""
        if time.monotonic() < self._told + EVERY_S:
            return
        self._told = time.monotonic()
        done = sum(tally.cases for tally in self.tallies.values())
        total = sum(section.total for section in self._chosen)
        self._console.print(f"{done:,} cases{f' of {total:,}' if self._ends is None else ''}")

    def report(self) -> bool:
        """Prints what came of it; whether nothing was wrong."""
        table = Table(title="What came of the campaign", title_justify="left", box=None, padding=(0, 2, 0, 0))
        for heading in ("section", "cases", "how commands ended", "slowest", "defects"):
            table.add_column(heading, justify="left" if heading in ("section", "how commands ended") else "right")
        for name, tally in self.tallies.items():
            ends = ", ".join(f"{code}: {count:,}" for code, count in sorted(tally.codes.items()))
            wrong = sum(tally.defects.values())
            table.add_row(name, f"{tally.cases:,}", ends, f"{tally.slowest:.1f} s", f"{wrong:,}")
        self._console.print(table)
        return not any(tally.defects for tally in self.tallies.values())


def _memory() -> Path | None:
    """Where files take no time: what is tried here outlives processes, and no loss of power."""
    return IN_MEMORY if os.access(IN_MEMORY, os.W_OK) else None


def _kinds(outcome: Outcome) -> set[str]:
    return {kind_of(defect) for defect in outcome.defects}


def main() -> int:
    """0: nothing was wrong."""
    parser = argparse.ArgumentParser(prog="python -m campaign", description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="sections, separated by commas")
    parser.add_argument("--seconds", type=float, default=None, help=f"default: {SHORT_S:g}, unless CAMPAIGN=long")
    parser.add_argument("--keep", type=Path, default=CASES, help="where small cases of new defects go")
    given = parser.parse_args()
    seconds = given.seconds
    if seconds is None and os.environ.get("CAMPAIGN") != "long":
        seconds = SHORT_S
    chosen = sections(given.seed, [name for name in given.only.split(",") if name])
    campaign = Campaign(chosen, seconds, given.keep)
    try:
        campaign.run(os.cpu_count() or 1)
    finally:
        well = campaign.report()
    return 0 if well else 1


if __name__ == "__main__":
    raise SystemExit(main())
