"""A case: files of a user's, and commands one after the other, some of which something befalls."""

from __future__ import annotations

import base64
import json
import zlib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

LIMIT_S = 20.0
"""What takes longer than this hangs, unless the case says otherwise."""


@dataclass(frozen=True, slots=True)
class Fault:
    """What befalls a command, at an operation on files below its folder for results, or at a moment.

    Attributes:
        action: "signal", "torn" (half a write, then the signal), "full" (from then on no room), "failing" (once,
            with an errno), "read-only" (from then on), "gone" (the folder is moved away).
        operation: at which change of a file; 0 for a moment.
        seconds: at which moment, for signals.
        argument: the signal, or the errno.
        below: the folder whose changes count.
    """

    action: str = "signal"
    operation: int = 0
    seconds: float = 0.0
    argument: int = 0
    below: str = "out"


@dataclass(frozen=True, slots=True)
class Step:
    """One call of the command, or something done to the files between two.

    Attributes:
        words: after `expga`; for `do` other than "run" its arguments.
        do: "run"; "carry on" (the words and --resume; without it where there is nothing to resume); "together" (the
            same command twice at the same time); "flip" (a bit of a file, at a share of its length); "move" (a file
            or folder, to another name).
        fault: what befalls it.
        codes: the exit codes that are right, if it is known which.
        may_die: whether a model that ends its own process, in any way, may end this one.
    """

    words: tuple[str, ...] = ()
    do: str = "run"
    fault: Fault | None = None
    codes: tuple[int, ...] = ()
    limit_s: float = LIMIT_S
    may_die: bool = False


@dataclass(frozen=True, slots=True)
class Case:
    """Files and steps, and what must be true afterwards besides what always must."""

    section: str
    files: dict[str, bytes] = field(default_factory=dict)
    steps: tuple[Step, ...] = ()
    checks: tuple[str, ...] = ()
    links: dict[str, str] = field(default_factory=dict)
    """Symbolic links by name, and where they lead; "fifo:" makes a pipe instead, "folder:" a folder, "locked:" a file
    that nobody may read."""
    about: str = ""
    ours: tuple[str, ...] = ()
    """Files that an earlier command is meant to have written, so that another may replace or remove them."""

    def with_steps(self, steps: tuple[Step, ...]) -> Case:
        return replace(self, steps=steps)

    def to_json(self) -> str:
        """As a file has it: what is text as text, everything else packed."""
        told: dict[str, Any] = {"section": self.section, "about": self.about, "checks": list(self.checks)}
        told["files"] = {name: _told(content) for name, content in self.files.items()}
        told["links"] = self.links
        if self.ours:
            told["ours"] = list(self.ours)
        told["steps"] = [_plain(step) for step in self.steps]
        return json.dumps(told, indent=1, ensure_ascii=True) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Case:
        told = json.loads(text)
        steps = tuple(
            Step(
                tuple(step.get("words", ())),
                step.get("do", "run"),
                Fault(**step["fault"]) if step.get("fault") else None,
                tuple(step.get("codes", ())),
                step.get("limit_s", LIMIT_S),
                step.get("may_die", False),
            )
            for step in told["steps"]
        )
        files = {name: _content(content) for name, content in told["files"].items()}
        checks, ours = tuple(told["checks"]), tuple(told.get("ours", ()))
        return cls(told["section"], files, steps, checks, told["links"], told["about"], ours)


def words(text: str) -> tuple[str, ...]:
    """The words of a command as one would type them."""
    return tuple(text.split())


def write(case: Case, folder: Path) -> None:
    """The case's files in a folder of its own."""
    for name, content in case.files.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    for name, target in case.links.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        if target == "fifo:":
            import os

            os.mkfifo(place)
        elif target == "folder:":
            place.mkdir()
        elif target == "locked:":
            place.touch(mode=0)
        else:
            place.symlink_to(target)


def _plain(step: Step) -> dict[str, Any]:
    told: dict[str, Any] = {"words": list(step.words)}
    if step.do != "run":
        told["do"] = step.do
    if step.fault is not None:
        told["fault"] = {name: getattr(step.fault, name) for name in Fault.__slots__}
    if step.codes:
        told["codes"] = list(step.codes)
    if step.limit_s != LIMIT_S:
        told["limit_s"] = step.limit_s
    if step.may_die:
        told["may_die"] = True
    return told


def _told(content: bytes) -> str | dict[str, str]:
    try:
        text = content.decode()
        if all(character.isprintable() or character in "\n\t" for character in text):
            return text
    except UnicodeDecodeError:
        pass
    return {"packed": base64.b85encode(zlib.compress(content, 9)).decode()}


def _content(told: str | dict[str, str]) -> bytes:
    return told.encode() if isinstance(told, str) else zlib.decompress(base64.b85decode(told["packed"]))
