"""The identity of a version of a text: what it says, as far as no reading and no voice changes it, as one number."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np

from expga.contracts import IntArray, KeyArray
from expga.domain.hashing import mixed, multipliers_of
from expga.domain.text.mentions import NAME, Mention
from expga.domain.text.pieces import Piece
from expga.domain.text.readings import SLOTS, TEXT
from expga.domain.text.words import ARTICLES, Words


class Identity:
    """N texts as sums over what they consist of, so that a substitute adds what it differs by.

    Two versions of different texts that say the same are one. A mention counts by the kind of word it is, so that
    all readings and all names are alike; so are articles, which follow the word behind them.
    """

    def __init__(self, texts: Iterable[tuple[Words, Sequence[Mention], Sequence[Piece]]], width: int) -> None:
        """Takes in N texts.

        Args:
            texts: the words of each, its mentions, and the pieces of its words that may be replaced.
            width: how many words may be replaced in any of them, at most.
        """
        known = [(_tokens(words, mentions), slots) for words, mentions, slots in texts]
        most = max((len(tokens) for (tokens, _), _ in known), default=0)
        odd = multipliers_of(np.zeros(most, dtype=bool))
        self._text: KeyArray = np.zeros(len(known), dtype=np.uint64)
        self._first: IntArray = np.zeros((len(known), width), dtype=np.int32)
        differences: list[KeyArray] = [np.zeros(1, dtype=np.uint64)]
        count = 1
        for number, ((tokens, token_of), slots) in enumerate(known):
            self._text[number] = _numbers(tokens) @ odd[: len(tokens)]
            for slot, piece in enumerate(slots):
                options = _numbers(piece.options)
                differences.append((options - options[:1]) * odd[token_of[piece.first]])
                self._first[number, slot] = count
                count += len(options)
        self._differences: KeyArray = np.concatenate(differences)

    def keys(self, genomes: IntArray) -> KeyArray:
        """(n,) the identities of genomes (n, d)."""
        text = genomes[:, TEXT]
        place = self._first.take(text, axis=0)
        place += genomes[:, SLOTS:]
        differences = self._differences.take(place, mode="clip")  # all are there; to say so is faster
        return mixed(self._text.take(text) + differences.sum(axis=1, dtype=np.uint64))


def _tokens(words: Words, mentions: Sequence[Mention]) -> tuple[list[str], dict[int, int]]:
    """The words of a text and what lies between them, and by its place where each word stands in that."""
    tokens, token_of = [words.text[: words.spans[0][0]] if len(words) else words.text], {}
    names: dict[str, int] = {}
    begins = {mention.first: mention for mention in mentions}
    place = 0
    while place < len(words):
        mention, token = begins.get(place), words.words[place]
        token_of[place] = len(tokens)
        if mention is not None:
            sense, word = mention.sense, words.lower[place]
            who = names.setdefault(word, len(names)) if sense.family == NAME else word if mention.neutral else ""
            token = f"\0{sense.attribute}:{sense.family}:{sense.form}:{who}"
            place = mention.last
        elif words.lower[place] in ARTICLES:
            token = ARTICLES[0]
        tokens += [token, words.follows[place]]
        place += 1
    return tokens, token_of


def _numbers(strings: Sequence[str]) -> KeyArray:
    return np.array([_number(string) for string in strings], dtype=np.uint64)


@lru_cache(maxsize=1 << 16)
def _number(string: str) -> int:
    digest = hashlib.blake2b(string.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")
