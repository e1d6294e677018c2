"""What must be true of a folder after a case, besides what always must."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from campaign.case import Case
from campaign.nursery import Ended, Nursery

BY_MODELS = {"ran.txt", "asked.txt"}
KNOWN = {"expga.db", "expga.db-wal", "expga.db-mark", "findings.parquet", "summary.json", "notes.txt", "keep"}


TRIAL_SHARE = 0.06
"""A little more than the share of a budget that a trial takes."""
LOG = "asked.txt"
"""Where the models of these cases write down how many rows they are asked about."""
REPAIRED = {"expga.db", "expga.db-wal", "expga.db-mark", "retrain.json", "model.skops", "model.joblib"}
TOLD = (
    "transaction of the store is not there",
    "transactions of the store are missing",
    "the mark beside the store is damaged",
    "a page of the store was damaged",
)
"""Notes on what a kill or a flipped bit may have taken with it."""


def flip(folder: Path, name: str, share: float) -> set[str]:
    """Flips the bit at a share of a file's length, or of the database's where that file is empty or not there.

    Returns: the name of the file, unless there was nothing to flip.
    """
    for one in (name, f"{Path(name).parent}/expga.db"):
        path = folder / one
        if content := bytearray(path.read_bytes()) if path.exists() else bytearray():
            bit = min(int(share * len(content) * 8), len(content) * 8 - 1)
            content[bit // 8] ^= 1 << bit % 8
            path.write_bytes(content)
            return {one}
    return set()


@dataclass(frozen=True, slots=True)
class Scene:
    """What is there once all steps are done."""

    folder: Path
    ended: list[Ended]
    nursery: Nursery
    remembered: set[bytes]
    """The parts that were in the store after each kill."""
    touched: set[str]
    """Files with a flipped bit."""
    case: Case


def kept(scene: Scene) -> list[str]:
    """An audit that was carried on to its end: complete, nothing lost or twice, all counts right, every pair true."""
    last = scene.ended[-1]
    if last.code != 0:
        return [f"it could not be carried on (exit code {last.code}): {last.stderr.strip()[-300:]}"]
    out = scene.folder / "out"
    summary = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    findings = pd.read_parquet(out / "findings.parquet")
    told = []
    if summary["found"] != len(findings):
        told.append(f"the summary counts {summary['found']} findings, the file holds {len(findings)}")
    identity = [column for column in ("age", "job", "hours", "text") if column in findings]
    if twice := int(findings.duplicated(identity).sum()):
        told.append(f"{twice} of {len(findings)} findings are there twice")
    told += _counts(scene, summary)
    if lost := len(scene.remembered - held(scene.folder)):
        told.append(f"{lost} parts were in the store after a kill and are gone")
    if strangers := {path.name for path in out.iterdir()} - KNOWN:
        told.append(f"{', '.join(sorted(strangers))} was left in the folder")
    told += _replayed(scene, len(findings))
    return told


def _counts(scene: Scene, summary: dict[str, Any]) -> list[str]:
    """What the model was asked, by its own log.

    A kill may leave one call counted and unasked, be it that for the whole population, and the trial of a run that was
    taken up asked and uncounted.
    """
    calls = [int(line) for line in (scene.folder / LOG).read_text(encoding="utf-8").split()]
    counted, asked, struck = summary["queries"]["total"], sum(calls), _struck(scene)
    if not asked - struck * TRIAL_SHARE * counted <= counted <= asked + struck * max(*calls, counted // 2):
        return [f"{asked} rows were asked about in {len(calls)} calls, {counted} were counted"]
    return []


def _struck(scene: Scene) -> int:
    """How many commands before the last came to an end that was not theirs; one that was refused did not begin."""
    return sum(one.code != 2 for one in scene.ended[:-1])


def _replayed(scene: Scene, total: int) -> list[str]:
    words = ("replay", "out", "--model", "quiet:model", "--fail-under", "1")
    (ended,) = scene.nursery.run(scene.folder, words, None, 60.0)
    if ended.code == 0 and f"{total:,} of {total:,} pairs still hold" in ended.stdout:
        return []
    return [f"replay ends with {ended.code}: {(ended.stdout + ended.stderr).strip()[-300:]}"]


def held(folder: Path) -> set[bytes]:
    """The parts of a store as a reader of a copy finds them: what is kept at this moment."""
    copy = folder / "copy-of-store"
    copy.mkdir()
    try:
        for path in (folder / "out").glob("expga.db*"):
            shutil.copy2(path, copy / path.name)
        if not (copy / "expga.db").exists():
            return set()
        with closing(sqlite3.connect(copy / "expga.db")) as connection:
            if not connection.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'part'").fetchone()[0]:
                return set()
            newest = connection.execute("SELECT value FROM part WHERE run = (SELECT max(number) FROM run)")
            return {bytes(value) for (value,) in newest}
    finally:
        shutil.rmtree(copy)


def noticed(scene: Scene) -> list[str]:
    """A flipped bit: refused in a sentence, or named in a note."""
    if not scene.touched:
        return kept(scene)
    last = scene.ended[-1]
    said = " ".join(word for one in scene.ended for word in (one.stdout + one.stderr).split())
    if last.code == 2 or any(phrase in said.lower() for phrase in TOLD):
        return []
    return [f"a flipped bit went unnoticed (exit code {last.code})"]


def repaired(scene: Scene) -> list[str]:
    """A repair that was carried on to its end: the figures of one that nothing befell, and a model that loads."""
    last = scene.ended[-1]
    if last.code != 0:
        return [f"it could not be carried on (exit code {last.code}): {last.stderr.strip()[-300:]}"]
    out = scene.folder / "out"
    evidence = json.loads((out / "retrain.json").read_text(encoding="utf-8"))
    told = []
    if not (out / evidence["model"]["file"]).is_file():
        told.append(f"{evidence['model']['file']} is missing")
    if strangers := {path.name for path in out.iterdir()} - REPAIRED:
        told.append(f"{', '.join(sorted(strangers))} was left in the folder")
    evidence["notes"] = [note for note in evidence["notes"] if not any(phrase in note.lower() for phrase in TOLD)]
    figures = json.dumps(_without_seconds(evidence), sort_keys=True)
    if figures != _EXPECTED.setdefault("retrain", figures):
        told.append("its figures are not those of a repair that nothing befell")
    return told


def compared(scene: Scene) -> list[str]:
    """A bench that was carried on to its end: every run once, none failed, and all its files."""
    last = scene.ended[-1]
    if last.code != 0 or "4 runs; 0 cells failed, 0 absent" not in last.stdout:
        return [f"it could not be carried on (exit code {last.code}): {(last.stdout + last.stderr).strip()[-300:]}"]
    out = scene.folder / "out"
    there = {path.name for path in out.iterdir()}
    told = [f"{name} is missing" for name in {"results.md", "results.json", "expga.db"} - there]
    if temporary := {name for name in there if name.startswith(".")}:
        told.append(f"{', '.join(sorted(temporary))} was left in the folder")
    runs = json.loads((out / "results.json").read_text(encoding="utf-8"))["runs"]
    each = {(run["cell"], run["repeat"]) for run in runs}
    return told if len(each) == len(runs) else [*told, f"{len(runs)} runs, {len(each)} different ones"]


_EXPECTED: dict[str, str] = {}
"""The figures that came first: the campaign measures each scene undisturbed before anything befalls it."""


def _without_seconds(told: Any) -> Any:
    if isinstance(told, dict):
        return {name: _without_seconds(value) for name, value in told.items() if "second" not in name}
    return [_without_seconds(value) for value in told] if isinstance(told, list) else told


def tidy(scene: Scene) -> list[str]:
    """Nothing is left outside the folders that results were to go to, nor any file of a passing kind inside."""
    given = {*scene.case.files, *scene.case.links}
    outs = [out for words in _words(scene) for out in _after("--out", words)]
    here = os.path.realpath(scene.folder)
    folders = [os.path.relpath(os.path.realpath(os.path.join(here, out)), here) for out in outs]
    told = []
    for place, below, names in os.walk(scene.folder):
        below[:] = [name for name in below if name != "__pycache__"]
        inside = os.path.relpath(place, scene.folder)
        for name in names:
            path = os.path.normpath(os.path.join(inside, name))
            ours = any(path == out or path.startswith(f"{out}/") or out == "." for out in folders)
            if path not in given | BY_MODELS and (not ours or name.startswith(".expga-")):
                told.append(f"{path!a} was left behind")
    return told


def _after(option: str, words: tuple[str, ...]) -> list[str]:
    """What an option was given, be it as the next word or behind a sign."""
    nexts = [words[place + 1] for place in range(len(words) - 1) if words[place] == option]
    return [*nexts, *(word.removeprefix(f"{option}=") for word in words if word.startswith(f"{option}="))]


def unasked(scene: Scene) -> list[str]:
    """No code out of a model file was run, for nobody allowed it."""
    return ["code in a model file was run unasked"] if (scene.folder / "ran.txt").exists() else []


def whole(scene: Scene) -> list[str]:
    """Where there are results, they agree with each other, and nothing in them is there twice."""
    out = scene.folder / "out"
    if not (out / "summary.json").is_file():
        return [] if scene.ended[-1].code else ["a run that ended well has left no summary"]
    summary = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    findings = pd.read_parquet(out / "findings.parquet")
    if summary["found"] != len(findings):
        return [f"the summary counts {summary['found']} findings, the file holds {len(findings)}"]
    return []


def _words(scene: Scene) -> list[tuple[str, ...]]:
    return [step.words for step in scene.case.steps]


CHECKS: dict[str, Callable[[Scene], list[str]]] = {
    "kept": kept,
    "noticed": noticed,
    "repaired": repaired,
    "tidy": tidy,
    "unasked": unasked,
    "whole": whole,
    "compared": compared,
}
