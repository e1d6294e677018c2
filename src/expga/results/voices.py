"""Pairs of texts in which names stand for a group: every name that was asked about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from expga.contracts import IndexArray
from expga.domain.text.words import words_of

BETWEEN = "|"


def in_all_voices(texts: Sequence[str], names: Iterable[Sequence[str]]) -> tuple[list[str], IndexArray]:
    """All versions of n texts, those of one beside each other, and how many each has.

    Args:
        texts: each in its first voice.
        names: for each text the names of every voice, the first one's first; empty for one voice.
    """
    versions: list[str] = []
    voices = []
    for text, named in zip(texts, names, strict=True):
        versions.append(text)
        versions += [renamed(text, named[0].split(BETWEEN), other.split(BETWEEN)) for other in list(named)[1:]]
        voices.append(max(1, len(named)))
    return versions, np.array(voices, dtype=np.intp)


def renamed(text: str, names: Sequence[str], others: Sequence[str]) -> str:
    """The text with each of these names, wherever it is written so, replaced by the other in its place."""
    other_of = dict(zip(names, others, strict=True))
    words = words_of(text)
    parts, end = [], 0
    for word, (start, stop) in zip(words.words, words.spans, strict=True):
        if word in other_of:
            parts += [text[end:start], other_of[word]]
            end = stop
    return "".join([*parts, text[end:]])
