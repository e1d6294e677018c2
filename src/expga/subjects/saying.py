"""Values, names and lists as one would say them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def plain(column: str) -> str:
    """A column's name as one would say it."""
    return str(column).replace("_", " ").replace("-", " ")


def value(thing: Any) -> str:
    """A value as one would say it."""
    if thing is None or thing != thing:
        return "nothing known"
    if isinstance(thing, float) and thing == int(thing):
        return f"{int(thing):,}"
    if isinstance(thing, float):
        return f"{thing:,.4g}"
    return str(thing)


def called(what: str, anchor: Any, by_place: bool) -> str:
    """A row or a text at the beginning of a sentence: by its name, or by its place (from 0), which has none."""
    if not by_place:
        return f"{what.capitalize()} {anchor}"
    place = int(anchor) + 1
    ending = "th" if place % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th")
    return f"The {place:,}{ending} {what}"


def listed(parts: Sequence[str]) -> str:
    """A list as one would say it."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
