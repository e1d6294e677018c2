"""Findings in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

BETWEEN = ", "
"""Stands between the sensitive words of a text where they are listed."""
SHOWN = 4
"""So many of them are named in a sentence."""
PRONOUNS = {"female": "she", "woman": "she", "f": "she", "male": "he", "man": "he", "m": "he"}


def sentence(
    anchor: Any,
    changes: Mapping[str, Sequence[Any]],
    readings: Mapping[str, Sequence[Any]],
    labels: Sequence[Any],
    scores: Sequence[float],
) -> str:
    """One finding as a sentence.

    Args:
        anchor: the index of the real row it stays near.
        changes: by column, the real row's value and the finding's.
        readings: by covered column, the two twins' values.
        labels: what the model said of each twin.
        scores: and with which score.
    """
    pronoun = next((PRONOUNS[str(v[0]).lower()] for v in readings.values() if str(v[0]).lower() in PRONOUNS), "they")
    supposed = ""
    if changes:
        parts = [f"{plain(column)} {value(new)} instead of {value(old)}" for column, (old, new) in changes.items()]
        supposed = f", had {pronoun} had {listed(parts)},"
    gets = "would get" if changes else "gets"
    differing = {column: two for column, two in readings.items() if two[0] != two[1]} or readings
    one, other = (listed([reading(column, two[side]) for column, two in differing.items()]) for side in (0, 1))
    return (
        f"Row {anchor}{supposed} {gets} {value(labels[0])} as {one} (score {scores[0]:.2f}) "
        f"and {value(labels[1])} as {other} ({scores[1]:.2f})."
    )


def pair_of_texts(
    anchor: Any,
    real: bool,
    changes: Sequence[Sequence[str]],
    readings: Sequence[str],
    texts: Sequence[str],
    labels: Sequence[Any],
    scores: Sequence[float],
) -> str:
    """One finding of texts as a sentence, with so much of the text as shows where they differ.

    Args:
        anchor: what the user calls the real text.
        real: whether the first twin is that text, word for word.
        changes: words of the real text and what stands there instead.
        readings: the sensitive words of either twin.
        texts: the twins.
        labels: what the model said of each.
        scores: and with which score.
    """
    supposed = ", with " + listed([f"“{new}” for “{old}”" for old, new in changes]) + "," if changes else ""
    gets = "gets" if real else "would get"
    shown = around_difference(texts[0], texts[1])
    one, other = (few(words) for words in readings)
    return (
        f"Text {anchor}{supposed} {gets} {value(labels[0])} with “{one}” (score {scores[0]:.2f}) "
        f"and {value(labels[1])} with “{other}” ({scores[1]:.2f}): {shown}"
    )


def few(words: str) -> str:
    """The first few of a list of words."""
    listed = words.split(BETWEEN)
    return BETWEEN.join([*listed[:SHOWN], "…"] if len(listed) > SHOWN else listed)


def around_difference(one: str, other: str, room: int = 90) -> str:
    """The first text from a little before it differs from the other, in quotation marks."""
    first = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    start = max(0, first - room)
    if start:
        start = one.find(" ", start) + 1 or start
    end = min(len(one), first + 2 * room)
    if end < len(one):
        end = one.rfind(" ", first, end) if one.rfind(" ", first, end) > first else end
    return f"“{'… ' if start else ''}{' '.join(one[start:end].split())}{' …' if end < len(one) else ''}”"


def reading(column: str, thing: Any) -> str:
    """A protected value as one would say it: a number needs its column's name, a category speaks for itself."""
    return f"{plain(column)} {value(thing)}" if isinstance(thing, int | float) else value(thing)


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
