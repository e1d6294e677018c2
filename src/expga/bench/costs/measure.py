"""Measures what was asked for, each part in processes of its own, and publishes all of it in one file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

from expga.bench.costs import explaining, keeping, large, scaling
from expga.bench.workplace import facts
from expga.errors import InputError
from expga.plain import as_json
from expga.store import Shelf

COSTS = "costs.json"
KIND = "measurement"


class Part(Protocol):
    """A module that measures something."""

    def measure(self, folder: Path, /) -> dict[str, Any]:
        """All figures, given a folder to write to for a while."""
        ...

    def shown(self, told: dict[str, Any]) -> list[tuple[str, str]]:
        """The figures that count, each with its name."""
        ...


PARTS: dict[str, Part] = {"explaining": explaining, "scaling": scaling, "keeping": keeping, "large": large}


def measure(
    names: Sequence[str], out: Path, *, overwrite: bool, tell: Callable[[str], None]
) -> dict[str, list[tuple[str, str]]]:
    """Measures the parts with these names, all where there are none, and returns what to show of each.

    Args:
        names: of `PARTS`.
        out: the folder for `costs.json`.
        overwrite: an earlier measurement there may be replaced, once this one is complete.
        tell: called with what is being measured.

    Raises:
        InputError: there is no such part, something that it needs is missing, or the folder is not ours.
    """
    if unknown := [name for name in names if name not in PARTS]:
        raise InputError(f"There is no part {unknown[0]!r}; choose from {', '.join(PARTS)}.")
    parts = {name: part for name, part in PARTS.items() if name in (names or PARTS)}
    shelf = Shelf.open(out, [COSTS], KIND, overwrite=overwrite, resumable=False)
    try:
        told = {}
        for name, part in parts.items():
            tell(f"Measuring {name}")
            told[name] = part.measure(out)
        content = as_json({"facts": facts(), **told}, indent=1)
        shelf.publish({COSTS: content}, {})
    finally:
        shelf.leave()
    return {name: part.shown(told[name]) for name, part in parts.items()}
