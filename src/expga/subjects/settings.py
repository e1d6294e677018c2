"""What is saved of how an audit read and asked about its rows, as far as all kinds have it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict, TypeVar

import msgspec

Typed = TypeVar("Typed", bound="Settings")


class Settings(TypedDict):
    """What it takes to ask about the same rows again, or about others in the same way."""

    kind: str
    protected: list[str]
    positive: Any
    threshold: float | None
    criterion: dict[str, Any]
    classes: list[Any]
    numbered: bool


def typed(settings: Mapping[str, Any], kind: type[Typed]) -> Typed:
    """Of an audit's settings those of this type; a `msgspec.ValidationError` where they are not."""
    told: Typed = msgspec.convert(dict(settings), kind)
    return told
