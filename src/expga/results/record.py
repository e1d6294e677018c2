"""What a summary on disk must hold for the rest of the program to rely on it."""

from __future__ import annotations

from typing import Any, TypedDict

import msgspec

from expga.errors import InputError


class Rate(TypedDict):
    """Of rows that flip."""

    rows: int
    flipped: int
    rate: float | None
    ci95: tuple[float, float]


class Settings(TypedDict):
    """How an audit was made, as far as both kinds have it."""

    kind: str
    strategy: str
    manner: str
    protected: list[str]
    explainer: str | None
    realism: str
    positive: Any
    threshold: float | None
    min_gap: float | None
    seed: int
    classes: list[Any]
    nan_columns: list[str]
    rules: dict[str, Any]
    rows: str
    numbered: bool


class TableSettings(Settings):
    """Those of a table."""

    as_array: bool
    features: list[str]
    covered: list[str]


class TextSettings(Settings):
    """Those of texts."""

    column: str | None


class Summary(TypedDict):
    """The parts of a summary that are read again."""

    strategy: str
    protected: list[str]
    seed: int
    found: int
    population: Rate
    by_attribute: dict[str, Rate]
    notes: list[str]
    examples: list[dict[str, Any]]
    settings: Settings


_SETTINGS = {"table": TableSettings, "text": TextSettings}


def checked_summary(told: bytes) -> dict[str, Any]:
    """A summary from what was written, or a sentence on what it lacks."""
    summary: dict[str, Any] = msgspec.json.decode(told)
    try:
        msgspec.convert(summary, Summary)
        kind = _SETTINGS.get(summary["settings"]["kind"])
        if kind is None:
            raise InputError(f"The summary is of a kind that is not known here: {summary['settings']['kind']!r}.")
        msgspec.convert(summary["settings"], kind)
    except msgspec.ValidationError as error:
        raise InputError(f"The summary is not one of this version of expga: {error}.") from error
    return summary
