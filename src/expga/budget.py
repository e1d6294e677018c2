"""When a run ends."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from expga.errors import InputError

POPULATION_SHARE = 0.2
"""Of a budget, what measuring real rows takes at most unless the user says otherwise."""


class StopReason(StrEnum):
    """Why a run ended."""

    TIME = "time"
    QUERIES = "queries"
    FINDINGS = "findings"
    GENERATIONS = "generations"
    EXHAUSTED = "exhausted"
    INTERRUPTED = "interrupted"
    FAILED = "model failed"


@dataclass(frozen=True, slots=True)
class Budget:
    """What a run may use; None: no limit. Whichever is reached first ends it."""

    seconds: float | None = None
    queries: int | None = None
    generations: int | None = None
    findings: int | None = None

    def __post_init__(self) -> None:
        for name in ("seconds", "queries", "generations", "findings"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise InputError(f"The budget of {value:g} {name} leaves nothing to do; give more than 0.")


def seconds_of(text: str | float, what: str = "budget") -> float:
    """Seconds from "30s", "5m", "2h", "1m30s", or a number of seconds; an error calls it by what it is."""
    if isinstance(text, int | float) and not isinstance(text, bool):
        return float(text)
    number = r"(\d+(?:\.\d+)?)"
    match = re.fullmatch(rf"(?:{number}h)?(?:{number}m)?(?:{number}s?)?", str(text).strip().lower())
    if match is None or not any(match.groups()):
        raise InputError(f"The {what} {text!r} is no length of time; write it like 30s, 5m or 1h30m.")
    hours, minutes, seconds = (float(part or 0) for part in match.groups())
    total = hours * 3600 + minutes * 60 + seconds
    if total == float("inf"):
        raise InputError(f"The {what} has more digits than a length of time can; write it like 30s, 5m or 1h30m.")
    return total
