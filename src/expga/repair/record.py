"""A repeat as it comes back from a store: of the form that this version writes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypedDict

import msgspec

from expga.store import decoded


class Rate(TypedDict):
    """Of rows or findings that flip."""

    rows: int
    flipped: int
    rate: float | None
    ci95: tuple[float, float]


class Twice(Rate):
    """Of rows that disagree with themselves when they are asked about twice."""

    answers: str
    relabelled: int
    moved: int
    furthest: float


class Search(TypedDict):
    """What a fresh search came to; nothing where it could not search."""

    tested: int | None
    found: int | None
    bred: int | None
    queries: int | None
    distinct_anchors: int | None
    seconds_per_finding: float | None
    success_rate: float | None
    queries_per_finding: float | None
    findings_per_query: float | None


class Evidence(TypedDict):
    """What was measured of one model."""

    accuracy: float
    balanced_accuracy: float
    auc: float | None
    held_out: Rate
    flips_train: Rate
    flips_test: Rate
    placebo: Twice
    searches: dict[str, Search]
    groups: dict[str, dict[str, float]]


class Made(Evidence):
    """What one way to repair came to."""

    pairs: int
    rows_added: int
    seconds: float
    share: float | None
    rounds: list[Evidence]


class Failed(TypedDict):
    """A way that was compared, and could not be."""

    failed: str


class Repeated(TypedDict):
    """All of it, the repairs still to be told apart."""

    repeat: int
    train: int
    test: int
    repairing: int
    held_out: int
    before: Evidence
    repairs: dict[str, dict[str, Any]]


def repeat_of(told: bytes, repairs: Sequence[str], chosen: str) -> dict[str, Any]:
    """A repeat with these repairs; a `msgspec.ValidationError` where it is something else."""
    repeat: dict[str, Any] = dict(decoded(told, Repeated))
    if set(repeat["repairs"]) != set(repairs):
        raise msgspec.ValidationError(f"it has the repairs {', '.join(repeat['repairs'])}")
    for name, made in repeat["repairs"].items():
        repeat["repairs"][name] = dict(msgspec.convert(made, Failed if "failed" in made and name != chosen else Made))
    if not repeat["repairs"][chosen]["rounds"]:
        raise msgspec.ValidationError("its repair has no round")
    return repeat
