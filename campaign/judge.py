"""What every outcome must be, whatever befell the command: a kept result, or one sentence with the right code."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from dataclasses import replace
from pathlib import Path

from campaign.case import Case, Step
from campaign.nursery import Ended

CODES = (0, 1, 2, 3, 130)
LONGEST_SENTENCE = 4_000
WRONG = {
    "Traceback (most recent call last)": "a traceback",
    "This is a defect of expga": "a defect that it knows of itself",
}
_OBEYED = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
PRINTED = ("<<a model says", "so it says>>")
"""What a model prints stands between these, and is its own."""
_ITS_OWN = re.compile(f"{PRINTED[0]}.*?({PRINTED[1]}|$)", re.DOTALL)
_PLACES = re.compile(r"/[\w./-]+")
_NUMBERS = re.compile(r"\d+")
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|“[^”]*”")


class Snapshot:
    """The user's own files, as they were before the first step."""

    def __init__(self, folder: Path, case: Case) -> None:
        self._folder = folder
        self._was = {name: _looks(folder / name) for name in (*case.files, *case.links) if name not in case.ours}

    def changed(self, flipped: set[str]) -> list[str]:
        """Files that are not as they were, though no step of the case has touched them."""
        return [name for name, was in self._was.items() if name not in flipped and _looks(self._folder / name) != was]


def _looks(path: Path) -> str:
    try:
        status = path.lstat()
    except OSError:
        return "gone"
    if stat.S_ISLNK(status.st_mode):
        return f"link to {os.readlink(path)}"
    if not stat.S_ISREG(status.st_mode):
        return f"mode {stat.S_IFMT(status.st_mode)}"
    return hashlib.sha256(path.read_bytes()).hexdigest()


def defects_of(step: Step, ended: Ended) -> list[str]:
    """What is wrong with how a command ended."""
    if ended.hung:
        return [f"hangs: no end after {step.limit_s:g} s"]
    if step.may_die and (ended.killed or ended.code not in CODES):
        return []
    ended = replace(ended, stdout=_ITS_OWN.sub("", ended.stdout), stderr=_ITS_OWN.sub("", ended.stderr))
    fault = step.fault
    if ended.killed:
        if fault is not None and fault.action in ("signal", "torn") and -ended.code == fault.argument:
            return []
        return [f"dies of the signal {-ended.code}: {_end_of(ended.stderr)}"]
    told = []
    if ended.code not in (step.codes or CODES):
        told.append(f"the exit code {ended.code}: {_end_of(ended.stderr)}")
    told += [wrong for stream in (ended.stdout, ended.stderr) for wrong in _of_stream(stream)]
    return told + (_of_sentence(ended) if ended.code in (2, 3, 130) else [])


def _of_stream(stream: str) -> list[str]:
    told = [f"{what}: {_end_of(stream)}" for phrase, what in WRONG.items() if phrase in stream]
    if obeyed := _OBEYED.search(stream):
        around = stream[max(0, obeyed.start() - 60) : obeyed.end() + 20]
        told.append(f"{obeyed.group()!a} reaches the terminal: {around!a}")
    return told


def _of_sentence(ended: Ended) -> list[str]:
    lines = [line for line in ended.stderr.splitlines() if not re.match(r"expga: \w*Warning: ", line)]
    sentences = [line for line in lines if line.startswith("expga: ")]
    if len(sentences) != 1 or lines[-1] != sentences[0]:
        return [f"{len(sentences)} sentences with the exit code {ended.code}: {ended.stderr[-300:]!a}"]
    if len(sentences[0]) > LONGEST_SENTENCE:
        return [f"a sentence of {len(sentences[0]):,} characters: {sentences[0][:200]}"]
    return []


def _end_of(stream: str) -> str:
    return stream.strip()[-300:].replace("\n", " | ")


def kind_of(defect: str) -> str:
    """The same for defects that are most likely one: without names, paths and numbers."""
    return _NUMBERS.sub("N", _PLACES.sub("PATH", _QUOTED.sub("Q", defect)))[:160]
