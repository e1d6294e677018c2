"""Texts cut into pieces that stay and pieces that vary, so that a genome becomes a text by look-ups and one join."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from expga.contracts import IndexArray, IntArray
from expga.domain.text.readings import READING, TEXT
from expga.domain.text.words import ARTICLES, Words, with_article


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a text that a gene chooses: its options, the first one or more words from `first` to `last` for."""

    first: int
    last: int
    gene: int
    options: tuple[str, ...]


@dataclass(slots=True)
class Pieces:
    """The pieces of N texts, as numbers of strings."""

    strings: list[str] = field(default_factory=lambda: [""])
    _blocks: dict[tuple[str, ...], int] = field(default_factory=lambda: {("",): 0})
    _texts: list[tuple[list[int], list[int]]] = field(default_factory=list)

    def add(self, words: Words, varying: list[Piece]) -> None:
        """Takes in the next text; what varies comes in the order of the text."""
        bases, genes = [], []
        end = 0
        for piece in varying:
            start, options = _after_article(words, piece)
            bases += [self._block((words.text[end:start],)), self._block(options)]
            genes += [TEXT, piece.gene]
            end = words.spans[piece.last][1]
        bases.append(self._block((words.text[end:],)))
        genes.append(TEXT)
        self._texts.append((bases, genes))

    def _block(self, options: tuple[str, ...]) -> int:
        """The number of the first of these strings, which stand beside each other."""
        if options not in self._blocks:
            self._blocks[options] = len(self.strings)
            self.strings += options
        return self._blocks[options]

    def table(self) -> PieceTable:
        """All of it as arrays."""
        lengths = np.array([len(bases) for bases, _ in self._texts], dtype=np.intp)
        shape = (len(self._texts), int(lengths.max(initial=0)))
        base, gene = np.zeros(shape, dtype=np.int32), np.zeros(shape, dtype=np.int16)
        for text, (bases, genes) in enumerate(self._texts):
            base[text, : len(bases)], gene[text, : len(genes)] = bases, genes
        strings = np.array([*self.strings, None], dtype=object)[:-1]
        return PieceTable(strings, base, gene, lengths)


@dataclass(frozen=True, slots=True)
class PieceTable:
    """The pieces of N texts: text t is the strings number `base[t]` plus what the genes `gene[t]` hold."""

    strings: np.ndarray
    base: IntArray
    gene: np.ndarray
    lengths: IndexArray

    def texts(self, text: IndexArray, chosen: IntArray) -> list[str]:
        """(n,) the texts numbered `text` (n,) with the values `chosen` (n, d); those of the first gene are 0."""
        if not len(text):
            return []
        most = int(self.lengths.take(text).max())
        numbers = self.base[:, :most].take(text, axis=0)
        numbers += np.take_along_axis(chosen, self.gene[:, :most].take(text, axis=0).astype(np.intp), axis=1)
        # Row by row: thousands of lists at once would set off the garbage collector.
        return ["".join(row.tolist()) for row in self.strings.take(numbers)]


def _after_article(words: Words, piece: Piece) -> tuple[int, tuple[str, ...]]:
    """Where a piece begins, and its options: an article right in front of it belongs to it and goes with each."""
    start = words.spans[piece.first][0]
    before = piece.first - 1
    if piece.first == 0 or words.lower[before] not in ARTICLES or not words.joined(before, piece.first):
        return start, piece.options
    original = words.text[start : words.spans[piece.last][1]]
    article, gap = words.words[before], words.follows[before]
    options = tuple(
        (article if option == original else with_article(article, option)) + gap + option for option in piece.options
    )
    return words.spans[before][0], options


def value_of(genomes: IntArray, stride: IndexArray) -> IntArray:
    """(n, d) what the pieces' genes choose: reading and voice as one number, and nothing for what stays."""
    chosen = genomes.copy()
    chosen[:, TEXT] = 0
    chosen[:, READING] = genomes[:, READING] * stride + genomes[:, READING + 1]
    return chosen
