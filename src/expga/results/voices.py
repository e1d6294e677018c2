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
    longest_first = sorted(zip(names, others, strict=True), key=lambda two: -len(two[0]))
    spans = words_of(text).spans
    stops = {stop for _, stop in spans}
    parts, end = [], 0
    for start, _ in spans:
        for name, other in longest_first:
            if start >= end and text.startswith(name, start) and start + len(name) in stops:
                parts += [text[end:start], other]
                end = start + len(name)
    return "".join([*parts, text[end:]])
