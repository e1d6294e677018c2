"""Findings of a table in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from expga.subjects.saying import called, listed, plain, treated, value

PRONOUNS = {"female": "she", "woman": "she", "f": "she", "male": "he", "man": "he", "m": "he"}


def sentence(
    anchor: Any,
    changes: Mapping[str, Sequence[Any]],
    readings: Mapping[str, Sequence[Any]],
    labels: Sequence[Any] | None,
    scores: Sequence[float] | None,
    of: Any = None,
    by_place: bool = False,
) -> str:
    """One finding as a sentence.

    Args:
        anchor: the index of the real row it stays near.
        changes: by column, the real row's value and the finding's.
        readings: by covered column, the two twins' values.
        labels: what the model said of each twin; None: it predicts numbers.
        scores: and with which score; None: it gives labels only.
        of: the label that scores are given for.
        by_place: the anchor is its place, from 0.
    """
    pronoun = next((PRONOUNS[str(v[0]).lower()] for v in readings.values() if str(v[0]).lower() in PRONOUNS), "they")
    supposed = ""
    if changes:
        parts = [f"{plain(column)} {value(new)} instead of {value(old)}" for column, (old, new) in changes.items()]
        supposed = f", had {pronoun} had {listed(parts)},"
    differing = {column: two for column, two in readings.items() if two[0] != two[1]} or readings
    ways = [f"as {listed([reading(column, two[side]) for column, two in differing.items()])}" for side in (0, 1)]
    return f"{called('row', anchor, by_place)}{supposed} {treated(ways, bool(changes), labels, scores, of)}."


def reading(column: str, thing: Any) -> str:
    """A protected value as one would say it: a number needs its column's name, a category speaks for itself."""
    return f"{plain(column)} {value(thing)}" if isinstance(thing, int | float) else value(thing)
