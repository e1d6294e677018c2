"""Smaller cases with the same defect."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from campaign.case import Case

MOST_TRIES = 80
LONGEST_S = 60.0


def shrunk(case: Case, same: Callable[[Case], bool]) -> Case:
    """The smallest case found that still shows the same.

    Args:
        case: shows a defect.
        same: tries a case, and says whether it shows that defect.
    """
    tries, began = 0, time.monotonic()
    smaller = True
    while smaller:
        smaller = False
        for candidate in _smaller(case):
            tries += 1
            if tries > MOST_TRIES or time.monotonic() - began > LONGEST_S:
                return case
            if same(candidate):
                case, smaller = candidate, True
                break
    return case


def _smaller(case: Case) -> Iterator[Case]:
    """Cases with something less, the boldest first."""
    for number in range(len(case.steps) - 1):
        yield replace(case, steps=case.steps[:number] + case.steps[number + 1 :])
    for name in case.files:
        yield replace(case, files={other: content for other, content in case.files.items() if other != name})
    for number, step in enumerate(case.steps):
        for words in _fewer(step.words):
            yield replace(case, steps=(*case.steps[:number], replace(step, words=words), *case.steps[number + 1 :]))
    for name, content in case.files.items():
        for less in _less(content):
            yield replace(case, files={**case.files, name: less})


def _fewer(words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Words without one option and its value."""
    for start, word in enumerate(words):
        if word.startswith("--"):
            stop = start + 1
            while stop < len(words) and not words[stop].startswith("--"):
                stop += 1
            yield words[:start] + words[stop:]


def _less(content: bytes) -> Iterator[bytes]:
    """Content without one of its pieces: lines where it has some, else bytes; large pieces first."""
    lines = content.splitlines(keepends=True)
    pieces = lines if len(lines) > 2 else [content[start : start + 1] for start in range(len(content))]
    size = len(pieces) // 2
    while size >= max(1, len(pieces) // 32):
        for start in range(0, len(pieces), size):
            yield b"".join(pieces[:start] + pieces[start + size :])
        size //= 2
