"""A trial: a case in a folder of its own, step by step, and all that is wrong with what comes of it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from campaign import checks
from campaign.case import LIMIT_S, Case, Step, write
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
                touched |= checks.flip(folder, step.words[0], float(step.words[1]))
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
        _conclude(outcome, folder, before, touched, remembered, nursery)
    finally:
        shutil.rmtree(folder)
    return outcome


def run_series(cases: Sequence[Case], nursery: Nursery, within: Path) -> list[Outcome]:
    """Runs cases of plain commands in one process; where anything is odd about one, it is run again by itself."""
    folders = [Path(tempfile.mkdtemp(prefix="case-", dir=within)) for _ in cases]
    outcomes = [Outcome(case) for case in cases]
    try:
        before = []
        for case, folder in zip(cases, folders, strict=True):
            write(case, folder)
            before.append(Snapshot(folder, case))
        calls = [(case, folder, step) for case, folder in zip(cases, folders, strict=True) for step in case.steps]
        series = iter(nursery.series([(folder, step.words) for _, folder, step in calls], LIMIT_S))
        for outcome, folder, was in zip(outcomes, folders, before, strict=True):
            ended = [next(series) for _ in outcome.case.steps]
            outcome.ended = [one for one in ended if one is not None]
            for step, one in zip(outcome.case.steps, outcome.ended, strict=False):
                outcome.defects += defects_of(step, one)
            if None in ended:
                outcome.defects.append("it did not come to an end")
            _conclude(outcome, folder, was, set(), set(), nursery)
    finally:
        for folder in folders:
            shutil.rmtree(folder)
    return [run(one.case, nursery, within) if one.defects else one for one in outcomes]


def is_plain(case: Case) -> bool:
    """Whether nothing befalls any of a case's commands, so that they may share a process with others."""
    return all(step.do == "run" and step.fault is None and step.limit_s == LIMIT_S for step in case.steps)


def _conclude(
    outcome: Outcome, folder: Path, before: Snapshot, touched: set[str], remembered: set[bytes], nursery: Nursery
) -> None:
    """What is wrong with what a case has left."""
    outcome.defects += [f"{name} of the user's was changed" for name in before.changed(touched)]
    if not outcome.defects:
        scene = checks.Scene(folder, outcome.ended, nursery, remembered, touched, outcome.case)
        for check in outcome.case.checks:
            outcome.defects += checks.CHECKS[check](scene)


def _step(step: Step, folder: Path, nursery: Nursery) -> list[Ended]:
    if step.do == "together":
        return nursery.run(folder, step.words, step.fault, step.limit_s, times=2)
    if step.do != "carry on":
        return nursery.run(folder, step.words, step.fault, step.limit_s)
    ended = nursery.run(folder, (*step.words, "--resume"), step.fault, step.limit_s)
    if ended[-1].code == 2 and NOTHING_THERE in ended[-1].stderr:
        (folder / checks.LOG).unlink(missing_ok=True)  # what was asked before counts for a run that never began
        if (folder / "out.gone").exists() and not (folder / "out").exists():
            (folder / "out.gone").rename(folder / "out")  # what was in it is the user's, wherever it is
        ended += nursery.run(folder, step.words, step.fault, step.limit_s)
    return ended
