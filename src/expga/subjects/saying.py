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


def listed(parts: Sequence[str]) -> str:
    """A list as one would say it."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
