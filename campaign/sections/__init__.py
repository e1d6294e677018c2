"""What the campaign tries: each section makes its n-th case from the campaign's seed and n alone."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from campaign.case import Case
from campaign.nursery import Nursery
from campaign.sections.faults import Faults, comparison, scenes
from campaign.sections.flips import Flips
from campaign.sections.hostile import Hostile
from campaign.sections.modelfiles import ModelFiles
from campaign.sections.rules import Rules
from campaign.sections.saved import Saved
from campaign.sections.tables import Tables
from campaign.sections.words import Words
from campaign.sections.writers import Writers
from campaign.trial import run


def sections(seed: int, only: list[str]) -> list[Any]:
    """The sections that were asked for; all, if none was."""
    made: dict[str, Callable[[], Any]] = {
        "faults": lambda: Faults("faults", scenes(), seed, _changes),
        "bench": lambda: Faults("bench", comparison(), seed, _changes),
        "flips": lambda: Flips(seed),
        "writers": lambda: Writers(seed),
        "tables": lambda: Tables(seed),
        "rules": lambda: Rules(seed),
        "words": lambda: Words(seed),
        "saved": lambda: Saved(seed),
        "modelfiles": lambda: ModelFiles(seed),
        "hostile": lambda: Hostile(seed),
    }
    unknown = [name for name in only if name not in made]
    if unknown:
        raise SystemExit(f"There is no section {unknown[0]}; choose from {', '.join(made)}.")
    return [make() for name, make in made.items() if not only or name in only]


def _changes(case: Case) -> int:
    """How many changes of files a case's last step takes when nothing befalls it, which must go well."""
    with tempfile.TemporaryDirectory(prefix="campaign-") as place:
        nursery = Nursery(Path(place))
        try:
            outcome = run(case, nursery, Path(place))
        finally:
            nursery.close()
    if outcome.defects:
        raise SystemExit(f"Undisturbed, something is wrong already: {'; '.join(outcome.defects)}")
    return outcome.ended[-1].operations
