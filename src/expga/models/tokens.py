"""Texts as numbers, in bulk: what a network reads."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Self

import numpy as np

from expga.contracts import IndexArray, IntArray

PAD = 0
"""What stands after the end of a text."""
UNKNOWN = 1
"""Any token outside the vocabulary; also all there is of a text without tokens."""

Split = Callable[[str], list[str]]

_TOKEN = re.compile(r"\w+(?:['’]\w+)*|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Encoded:
    """Texts one behind the other, as token numbers."""

    tokens: IntArray
    """(all tokens,)"""
    start: IndexArray
    """(n,) where each text begins in `tokens`."""
    length: IndexArray
    """(n,) how many tokens of it count, at least one."""

    def padded(self, texts: IndexArray, beyond: int) -> IntArray:
        """(m, L + beyond) the tokens of some texts (m,), the longest of which has L, with `PAD` after their ends."""
        place = np.arange(self.length[texts].max() + beyond)
        inside = place < self.length[texts, None]
        return np.where(inside, self.tokens[np.where(inside, self.start[texts, None] + place, 0)], PAD)


class Numbers(dict[str, int]):
    """Numbers strings in the order in which they are first asked for."""

    def __missing__(self, key: str) -> int:
        number = self[key] = len(self)
        return number


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The numbers of the tokens that a network knows; they begin at 2."""

    numbers: dict[str, int]

    @classmethod
    def of(cls, texts: Iterable[str], rarest: int, known: Sequence[str]) -> Self:
        """The words already known, then the tokens that occur at least so often, most frequent first."""
        pieces = Counter(chain.from_iterable(text.lower().split() for text in texts))
        counts: Counter[str] = Counter()
        for piece, count in pieces.items():
            for token in _TOKEN.findall(piece):
                counts[token] += count
        frequent = (token for token, count in counts.most_common() if count >= rarest)
        words = dict.fromkeys(chain(known, frequent))
        return cls({word: number for number, word in enumerate(words, start=UNKNOWN + 1)})

    def __len__(self) -> int:
        return len(self.numbers) + UNKNOWN + 1

    def encode(self, texts: Sequence[str], longest: int) -> Encoded:
        """The texts as token numbers, cut after so many tokens."""
        tokens, length = self._taken_apart([text.lower() for text in texts], (_sentences, str.split))
        start = length.cumsum() - length
        start[length == 0] = len(tokens)
        return Encoded(np.append(tokens, np.int32(UNKNOWN)), start, np.clip(length, 1, longest))

    def _taken_apart(self, texts: Sequence[str], splits: Sequence[Split]) -> tuple[IntArray, IndexArray]:
        """The tokens of n texts one behind the other, and how many each has (n,).

        Texts that a search makes share most sentences, and sentences most words: of what a split yields, only the
        distinct parts are taken apart further.
        """
        if not splits:
            found = list(map(_TOKEN.findall, texts))
            look_up = self.numbers.get
            tokens = np.array([look_up(token, UNKNOWN) for token in chain.from_iterable(found)], dtype=np.int32)
            return tokens, np.fromiter(map(len, found), dtype=np.intp, count=len(found))
        split = list(map(splits[0], texts))
        last = np.fromiter(map(len, split), dtype=np.intp, count=len(split)).cumsum()
        numbers = Numbers()
        part = np.fromiter(map(numbers.__getitem__, chain.from_iterable(split)), dtype=np.intp)
        tokens, size = self._taken_apart(list(numbers), splits[1:])
        sizes = size[part]
        ends = np.append(0, sizes.cumsum())
        # From where a part's tokens stand in the texts to where they stand among those of the distinct parts.
        shift = (size.cumsum() - size)[part] - ends[:-1]
        return tokens[np.repeat(shift, sizes) + np.arange(ends[-1])], np.diff(ends[last], prepend=0)


def _sentences(text: str) -> list[str]:
    """Parts of a text with no token across their borders, about as long as sentences."""
    return text.replace(". ", ".\n").split("\n")
