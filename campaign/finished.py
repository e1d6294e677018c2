"""Audits and repairs that went well, as the files that they left: made once, with the command itself."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from campaign.case import Case, Step, write
from campaign.people import ANY, csv, letters, table
from campaign.sections.faults import fitted

BEGIN = "from expga.cli import main; main()"
WITH_MODEL = ("--model", "model.joblib", "--allow-pickle")
PEOPLE = ("--data", "people.csv", "--target", "hired", "--protected", "sex", "--max-queries", "150")
LETTERS = ("--data", "letters.csv", "--text-column", "letter", "--protected", "gender", "--max-queries", "80")
REPAIR = ("--data", "people.csv", "--target", "hired", "--audit", "out", "--repeats", "1", "--max-queries", "40")


def inputs() -> dict[str, bytes]:
    """What a user hands over."""
    return {
        "people.csv": csv(table(40)),
        "letters.csv": csv(letters(12)),
        "anyone.py": ANY.encode(),
        "model.joblib": fitted(),
    }


def _after(files: Mapping[str, bytes], words: tuple[str, ...], folder: str) -> dict[str, bytes]:
    """What a command leaves in a folder, by name."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        write(Case("finished", dict(files), (Step(words),)), place)
        variables = {**os.environ, "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))}
        command = [sys.executable, "-c", BEGIN, *words]
        subprocess.run(command, cwd=place, env=variables, check=True, capture_output=True)
        return {f"{folder}/{path.name}": path.read_bytes() for path in sorted((place / folder).iterdir())}


@functools.cache
def audit() -> dict[str, bytes]:
    """An audit of the people, by a model in a file."""
    return _after(inputs(), ("audit", *WITH_MODEL, *PEOPLE, "--out", "out"), "out")


@functools.cache
def audit_of_texts() -> dict[str, bytes]:
    """An audit of the letters."""
    return _after(inputs(), ("audit", "--model", "anyone:model", *LETTERS, "--out", "out"), "out")


@functools.cache
def repair() -> dict[str, bytes]:
    """What a repair of that model left."""
    return _after({**inputs(), **audit()}, ("retrain", *WITH_MODEL, *REPAIR, "--out", "repaired"), "repaired")
