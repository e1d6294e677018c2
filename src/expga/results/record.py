"""What a summary on disk must hold for the rest of the program to rely on it."""

from __future__ import annotations

import hashlib
import json
from typing import Any, NotRequired, TypedDict

import msgspec

from expga.errors import InputError
from expga.inputs import reason
from expga.plain import as_json
from expga.subjects import saved

FORMAT = 2
"""Of summary.json, and of the files that it goes with."""


class Noise(TypedDict):
    """What a rate would be by noise alone."""

    rate: float
    ci95: tuple[float, float]


class Rate(TypedDict):
    """Of rows that flip."""

    rows: int
    flipped: int
    rate: float | None
    ci95: tuple[float, float]
    by_noise: NotRequired[Noise | None]
    at_least: NotRequired[float]


class Twice(Rate):
    """Of rows that disagree with themselves."""

    answers: str
    moved: int


class Exposed(TypedDict):
    """What share of the rows flips, or is a few changes away from a sample that does."""

    rows: int
    as_they_are: int
    within_reach: int
    at_least: float
    ci95: tuple[float, float]
    changes: dict[int, int]
    at_least_after: dict[int, float]


class Made(TypedDict):
    """How an audit was made, besides what its kind knows."""

    strategy: str
    manner: str
    explainer: str | None
    realism: str
    min_gap: float | None
    seed: int
    nan_columns: list[str]
    rows: str


class Summary(TypedDict):
    """The parts of a summary that are read again."""

    strategy: str
    protected: list[str]
    seed: int
    found: int
    found_as_they_are: int
    bred: int
    queries_per_finding: float | None
    queries_all_in: float | None
    dropped: NotRequired[int]
    left_by_noise: NotRequired[float]
    placebo: NotRequired[Twice]
    population: Rate
    exposure: NotRequired[Exposed | None]
    by_attribute: dict[str, Rate]
    notes: list[str]
    examples: list[dict[str, Any]]
    settings: Made
    files: dict[str, str]


class _Format(msgspec.Struct):
    """What a summary of any version says."""

    format: int


def signed(summary: dict[str, Any]) -> bytes:
    """A summary as a file has it: JSON with a checksum of all the rest as its last entry."""
    told = {name: value for name, value in summary.items() if name != "checksum"}
    plain = json.loads(as_json(told))
    return as_json({**plain, "checksum": hashlib.sha256(as_json(plain, indent=2)).hexdigest()}, indent=2)


def checked_summary(told: bytes) -> dict[str, Any]:
    """A summary from what was written, or a sentence on what is wrong with it."""
    _check_format(told)
    try:
        msgspec.json.decode(told, type=Summary)
        summary: dict[str, Any] = json.loads(told)
        saved(summary["settings"])
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise InputError(f"summary.json is not one that this version of expga writes ({reason(error)}).") from error
    if signed(summary) != told:
        raise InputError("summary.json was changed since it was written; put it back, or audit again.")
    return summary


def _check_format(told: bytes) -> None:
    try:
        known: object = msgspec.json.decode(told, type=_Format).format
    except msgspec.ValidationError:
        known = None
    except (msgspec.MsgspecError, RecursionError):
        return  # it is no JSON at all, which is another sentence
    if known != FORMAT:
        which = "it has no format" if known is None else f"its format is {known}"
        raise InputError(
            f"summary.json was written by another version of expga ({which}, this one reads {FORMAT}); use that "
            "version, or audit again."
        )
