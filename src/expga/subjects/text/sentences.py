"""Findings of texts in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from expga.subjects.saying import called, listed, treated

BETWEEN = ", "
"""Stands between the sensitive words of a text where they are listed."""
SHOWN = 4
"""So many of them are named in a sentence."""


def pair_of_texts(
    anchor: Any,
    real: bool,
    changes: Sequence[Sequence[str]],
    readings: Sequence[str],
    texts: Sequence[str],
    labels: Sequence[Any] | None,
    scores: Sequence[float] | None,
    of: Any = None,
    by_place: bool = False,
) -> str:
    """One finding of texts as a sentence, with so much of the text as shows where they differ.

    Args:
        anchor: what the user calls the real text.
        real: whether the first twin is that text, word for word.
        changes: words of the real text and what stands there instead.
        readings: the sensitive words of either twin.
        texts: the twins.
        labels: what the model said of each; None: it predicts numbers.
        scores: and with which score; None: it gives labels only.
        of: the label that scores are given for.
        by_place: the anchor is its place, from 0.
    """
    supposed = ", with " + listed([f"“{new}” for “{old}”" for old, new in changes]) + "," if changes else ""
    ways = [f"with “{few(words)}”" for words in readings]
    shown = around_difference(texts[0], texts[1])
    return f"{called('text', anchor, by_place)}{supposed} {treated(ways, not real, labels, scores, of)}: {shown}"


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
