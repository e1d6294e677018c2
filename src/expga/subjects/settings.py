"""What is saved of how an audit read and asked about its rows, as far as all kinds have it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, NotRequired, TypedDict, TypeVar

import msgspec
import numpy as np

from expga.models.repeated import MOST_REPEATS

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
    repeats: NotRequired[Annotated[int, msgspec.Meta(ge=1, le=MOST_REPEATS)]]
    """How often each question is put; by default once."""


def typed(settings: Mapping[str, Any], kind: type[Typed]) -> Typed:
    """Of an audit's settings those of this type; a `msgspec.ValidationError` where they are not."""
    plain = {name: value.item() if isinstance(value, np.generic) else value for name, value in settings.items()}
    told: Typed = msgspec.convert(plain, kind)
    return told
