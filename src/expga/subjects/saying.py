"""Values, names and lists as one would say them."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, log10
from typing import Any

SMALLEST, LARGEST = 1e-4, 1e15
"""Numbers beyond are written as powers of ten."""


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


def called(what: str, anchor: Any, by_place: bool) -> str:
    """A row or a text at the beginning of a sentence: by its name, or by its place (from 0), which has none."""
    if not by_place:
        return f"{what.capitalize()} {anchor}"
    place = int(anchor) + 1
    ending = "th" if place % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th")
    return f"The {place:,}{ending} {what}"


def listed(parts: Sequence[str]) -> str:
    """A list as one would say it."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def treated(
    ways: Sequence[str], supposed: bool, labels: Sequence[Any] | None, scores: Sequence[float] | None, of: Any
) -> str:
    """What a model says of a pair of twins, as the end of a sentence.

    Args:
        ways: how each of them comes, such as "as female".
        supposed: whether they are no real row.
        labels: what the model said of each; None: it predicts numbers.
        scores: and with which score; None: it gives labels only.
        of: the label that scores are given for.
    """
    one, other = ways
    gets = "would get" if supposed else "gets"
    first, second = ("", "") if scores is None else apart(scores[0], scores[1])
    if labels is None:
        return f"{'would be' if supposed else 'is'} predicted {first} {one} and {second} {other}"
    if scores is None:
        return f"{gets} {value(labels[0])} {one} and {value(labels[1])} {other}"
    score = f"score for {value(of)}"
    if labels[0] == labels[1]:
        return f"{gets} a {score} of {first} {one} and {second} {other}"
    return f"{gets} {value(labels[0])} {one} and {value(labels[1])} {other} ({score}: {first} and {second})"


def apart(one: float, other: float) -> tuple[str, str]:
    """Two numbers with as many digits as show by how much they differ: two of the difference, and two decimals of
    small numbers."""
    size, gap = max(abs(one), abs(other)), abs(one - other)
    if size and not SMALLEST <= size < LARGEST:
        return f"{one:.3g}", f"{other:.3g}"
    whole = one == round(one) and other == round(other)
    decimals = 0 if whole else max(2 if size < 10 else 0, 1 - floor(log10(gap)) if gap else 0)
    return f"{one:,.{decimals}f}", f"{other:,.{decimals}f}"
