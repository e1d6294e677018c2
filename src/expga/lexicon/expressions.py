"""Where a text has fixed expressions."""

from __future__ import annotations

from collections.abc import Sequence

from expga.lexicon.wordtable import WordTable

_MOST_WORDS = 4
"""The longest fixed expression that is looked for."""


def expressions(words: Sequence[str], table: WordTable) -> set[int]:
    """The places of words in fixed expressions: "ice cream", "on the other hand"; inflected at either end."""
    places: set[int] = set()
    bases = [table.bases.get(word, word) for word in words]
    known, openings = table.expressions, table.openings
    for start in range(len(words) - 1):
        second = words[start + 1]
        if not words[start] or not second:
            continue
        for first in {words[start], bases[start]}:
            opening = f"{first} {second}"
            if opening in known or f"{first} {bases[start + 1]}" in known:
                places.update((start, start + 1))
            if opening in openings:
                for end in range(start + 3, min(start + _MOST_WORDS, len(words)) + 1):
                    begun = " ".join((opening, *words[start + 2 : end - 1]))
                    if f"{begun} {words[end - 1]}" in known or f"{begun} {bases[end - 1]}" in known:
                        places.update(range(start, end))
    return places
