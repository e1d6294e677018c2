"""A trial: a case in a folder of its own, step by step, and all that is wrong with what comes of it."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from campaign import checks
from campaign.case import Case, Step, write
from campaign.judge import Snapshot, defects_of
from campaign.nursery import Ended, Nursery

NOTHING_THERE = "here is nothing to resume"


@dataclass(slots=True)
class Outcome:
    """What came of a case."""

    case: Case
    ended: list[Ended] = field(default_factory=list)
    defects: list[str] = field(default_factory=list)


def run(case: Case, nursery: Nursery, within: Path) -> Outcome:
    """Runs a case; its folder is gone afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="case-", dir=within))
    outcome = Outcome(case)
    try:
        write(case, folder)
        before = Snapshot(folder, case)
        touched: set[str] = set()
        remembered: set[bytes] = set()
        for step in case.steps:
            if step.do == "flip":
                touched.add(checks.flip(folder, step.words[0], float(step.words[1])))
                continue
            if step.do == "move":
                if (folder / step.words[0]).exists() and not (folder / step.words[1]).exists():
                    (folder / step.words[0]).rename(folder / step.words[1])
                continue
            ended = _step(step, folder, nursery)
            outcome.ended += ended
            for one in ended:
                outcome.defects += defects_of(step, one)
            if any(one.killed for one in ended):
                remembered |= checks.held(folder)
        outcome.defects += [f"{name} of the user's was changed" for name in before.changed(touched)]
        if not outcome.defects:
            scene = checks.Scene(folder, outcome.ended, nursery, remembered)
            for check in case.checks:
                outcome.defects += checks.CHECKS[check](scene)
    finally:
        shutil.rmtree(folder)
    return outcome


def _step(step: Step, folder: Path, nursery: Nursery) -> list[Ended]:
    if step.do == "together":
        return nursery.run(folder, step.words, step.fault, step.limit_s, times=2)
    if step.do != "carry on":
        return nursery.run(folder, step.words, step.fault, step.limit_s)
    (ended,) = nursery.run(folder, (*step.words, "--resume"), step.fault, step.limit_s)
    if ended.code == 2 and NOTHING_THERE in ended.stderr:
        (folder / checks.LOG).unlink(missing_ok=True)  # what was asked before counts for a run that never began
        (ended,) = nursery.run(folder, step.words, step.fault, step.limit_s)
    return [ended]
