"""A user's texts as genomes: which substitute for each word, under which reading."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from expga.contracts import BoolArray, FloatArray, IndexArray, IntArray, KeyArray, Realism
from expga.domain.combinations import left_out
from expga.domain.naming import note_on_index
from expga.domain.text.identity import Identity
from expga.domain.text.mentions import NAME, Mention, mentions_of
from expga.domain.text.pieces import Piece, Pieces, value_of
from expga.domain.text.readings import (
    READING,
    SLOTS,
    TEXT,
    Attribute,
    TextReadings,
    Twins,
    combined,
    twins_of,
)
from expga.domain.text.words import Words, words_of, written_like
from expga.errors import InputError
from expga.lexicon import Lexicon

MOST_SLOTS = 64
"""Words of one text that may be replaced."""
CHANGED_SHARE = 0.2
FEWEST_CHANGED = 2
MOST_AT_ONCE = 12
"""Words that a version made from scratch has changed at most, more or less: long texts should stay readable too."""

Candidates = Callable[[Sequence[Words]], list[dict[int, tuple[str, ...]]]]
"""For each text, by the place of a word, what may stand there instead."""


@dataclass(frozen=True, slots=True)
class _Read:
    """A text, its mentions and its readings by attribute."""

    words: Words
    twins: tuple[Twins, ...]

    @property
    def mentions(self) -> list[Mention]:
        """Those that some reading changes, in order."""
        return sorted((m for twins in self.twins for m in twins.versions), key=lambda mention: mention.first)

    @property
    def voices(self) -> int:
        return max(twins.voices for twins in self.twins)


class TextDomain:
    """The space of texts around a user's own.

    A genome holds the number of a text, the reading, the voice (which names stand for a group), and for up
    to 64 of its words the number of a substitute; 0 is the word itself.
    """

    def __init__(
        self,
        texts: Sequence[str],
        protected: Sequence[str],
        lexicon: Lexicon,
        substitutes: Candidates,
        realism: Realism,
        index: Any = None,
    ) -> None:
        """Fits the domain to texts.

        Args:
            texts: (N,) what the model takes.
            protected: attributes of the lexicon.
            lexicon: which words are sensitive, and their counterparts.
            substitutes: finds what may stand in the place of the other words.
            realism: "data" bounds how much of a text may change, "domain" does not.
            index: (N,) the user's names for the texts.
        """
        _check(texts, protected, lexicon)
        self.realism = realism
        self.index = np.arange(len(texts)) if index is None else index
        self._texts = list(texts)
        self.attributes = [Attribute.of(name, lexicon) for name in protected]
        self.mentioned: dict[str, int] = dict.fromkeys(protected, 0)
        read = [self._read(words_of(text), lexicon) for text in texts]
        self._mentions = [reading.mentions for reading in read]
        self._make_readings(read)
        self._make_pieces(read, substitutes)
        self._word_counts = np.array([max(1, len(reading.words)) for reading in read])
        self._may_change = np.maximum(FEWEST_CHANGED, (CHANGED_SHARE * self._word_counts).astype(np.intp))

    def _read(self, words: Words, lexicon: Lexicon) -> _Read:
        mentions = mentions_of(words, lexicon, [attribute.name for attribute in self.attributes])
        twins = []
        for attribute in self.attributes:
            mine = [mention for mention in mentions if mention.sense.attribute == attribute.name]
            twins.append(twins_of(words, mine, attribute, lexicon))
            self.mentioned[attribute.name] += bool(twins[-1].versions)
        return _Read(words, tuple(twins))

    def _make_readings(self, read: Sequence[_Read]) -> None:
        """Combinations of readings, and those of each attribute alone."""
        choices, possible = combined(self.attributes)
        labels = [{a.name: a.labels[i] for a, i in zip(self.attributes, choice, strict=True)} for choice in choices]
        valid = np.ones((len(read), len(choices)), dtype=bool)
        self._voices: IndexArray = np.array([one.voices for one in read], dtype=np.intp)
        self.attribute_readings = {}
        for place, attribute in enumerate(self.attributes):
            own = np.array([one.twins[place].valid for one in read])
            valid &= own[:, choices[:, place]]
            alone = np.flatnonzero(~np.delete(choices, place, axis=1).any(axis=1))
            voices = np.array([one.twins[place].voices for one in read], dtype=np.intp)
            called = [labels[number] for number in alone]
            self.attribute_readings[attribute.name] = TextReadings(alone, own, voices, called, len(alone))
        valid &= valid.sum(axis=1, keepdims=True) >= 2
        self.readings = TextReadings(np.arange(len(choices)), valid, self._voices, labels, possible)
        self.anchors: IndexArray = np.flatnonzero(valid.any(axis=1))

    def notes(self) -> list[str]:
        """What a summary should say of how the texts are read."""
        chosen = "those of one attribute alone and random others, {} in all,"
        told = left_out(self.readings, [attribute.name for attribute in self.attributes], chosen)
        return [*told, *note_on_index(self.index)]

    def _make_pieces(self, read: Sequence[_Read], substitutes: Candidates) -> None:
        """What varies in each text: its mentions, and the words that have substitutes."""
        choices = combined(self.attributes)[0].tolist()
        found: list[dict[int, tuple[str, ...]]] = [{} for _ in read]
        for number, candidates in zip(self.anchors, substitutes([read[n].words for n in self.anchors]), strict=True):
            found[number] = candidates
        pieces = Pieces()
        slots = [_slots(one, candidates) for one, candidates in zip(read, found, strict=True)]
        width = max((len(some) for some in slots), default=0)
        self._sizes: IntArray = np.ones((len(read), width), dtype=np.int32)
        self._slots, self._spoken = slots, [[_piece(mention, one, choices) for mention in one.mentions] for one in read]
        self._named = [[mention.sense.family == NAME for mention in one.mentions] for one in read]
        for number, (one, some) in enumerate(zip(read, slots, strict=True)):
            self._sizes[number, : len(some)] = [len(piece.options) for piece in some]
            spoken = self._spoken[number]
            pieces.add(one.words, sorted([*some, *spoken], key=lambda piece: piece.first))
        self._pieces = pieces.table()
        self._identity = Identity(
            ((one.words, one.mentions, some) for one, some in zip(read, slots, strict=True)), width
        )
        self.rows: IntArray = np.zeros((len(read), SLOTS + width), dtype=np.int32)
        self.rows[:, TEXT] = np.arange(len(read))
        self.protected: BoolArray = np.zeros(SLOTS + width, dtype=bool)
        self.protected[READING:SLOTS] = True
        self.mutable: BoolArray = np.zeros(SLOTS + width, dtype=bool)
        self.mutable[SLOTS:] = True

    @property
    def radius(self) -> float:
        """The share of a text's words that may change (two of them in any case), or endless."""
        return CHANGED_SHARE if self.realism == "data" else float("inf")

    def scale(self, gene: int) -> FloatArray:
        """(v,) what stands in a place of a text, or in its slot for a word, is no number."""
        return np.arange(int(self.rows[:, gene].max(initial=0)) + 1, dtype=np.float64)

    def prepare(self, enough: Callable[[], bool]) -> None:
        """Nothing is left to learn."""

    def decode(self, genomes: IntArray) -> list[str]:
        """(n,) the texts of genomes (n, d)."""
        text = genomes[:, TEXT].astype(np.intp)
        return self._pieces.texts(text, value_of(genomes, self._voices.take(text)))

    def keys(self, genomes: IntArray) -> KeyArray:
        """(n,) a 64-bit hash of what each genome says, as far as no reading changes it."""
        return self._identity.keys(genomes)

    def distance(self, genomes: IntArray, others: IntArray) -> FloatArray:
        """(n,) the share of words that differ between versions of a text, or 1 between different texts."""
        differ = (genomes[:, SLOTS:] != others[:, SLOTS:]).sum(axis=1)
        share = differ / self._word_counts.take(genomes[:, TEXT])
        return np.where(genomes[:, TEXT] == others[:, TEXT], np.minimum(share, 1.0), 1.0)

    def admits(self, genomes: IntArray, anchor: IndexArray) -> BoolArray:
        """(n,) whether each genome is a version of its anchor's text with no more words replaced than may be."""
        sizes = self._sizes.take(anchor, axis=0)
        slots, its_own = genomes[:, SLOTS:], self.rows.take(anchor, axis=0)[:, :SLOTS]
        admitted = (genomes[:, :SLOTS] == its_own).all(axis=1) & ((slots >= 0) & (slots < sizes)).all(axis=1)
        return np.asarray(admitted & self.near(genomes, anchor) if self.realism == "data" else admitted)

    def near(self, genomes: IntArray, anchor: IndexArray) -> BoolArray:
        """(n,) whether each genome has no more words replaced than leave its anchor's text what it is."""
        return np.asarray((genomes[:, SLOTS:] > 0).sum(axis=1) <= self._may_change.take(anchor))

    def typical(self, genomes: IntArray) -> BoolArray:
        """(n,) all of them: which versions of a text read as it would be written, nothing here can tell."""
        return np.ones(len(genomes), dtype=bool)

    def within_reach(self, genomes: IntArray, anchor: IndexArray, rng: np.random.Generator) -> IntArray:
        """(n, d) genomes with random words put back until no more have changed than may."""
        if self.realism == "domain":
            return genomes
        changed = genomes[:, SLOTS:] > 0
        room = self._may_change.take(anchor)
        over = np.flatnonzero(changed.sum(axis=1) > room)
        if not len(over):
            return genomes
        lot = rng.random((len(over), changed.shape[1]), dtype=np.float32)
        lot[~changed[over]] = 2.0
        last = np.take_along_axis(np.sort(lot, axis=1), room[over][:, None] - 1, axis=1)
        kept = genomes.copy()
        kept[over, SLOTS:] = np.where(lot <= last, genomes[over, SLOTS:], 0)
        return kept

    def mates(self, genomes: IntArray, anchor: IndexArray, rng: np.random.Generator) -> tuple[IntArray, IndexArray]:
        """For each genome another version of its text, with few changes rather than many; the same anchors."""
        mates = self.donors(genomes, rng)
        slots = np.maximum(1, (self._sizes > 1).sum(axis=1)).take(anchor)
        changes = np.minimum(self._may_change.take(anchor), MOST_AT_ONCE) ** (rng.random(len(anchor)) ** 2)
        share = np.minimum(0.5, changes / slots)
        mates[:, SLOTS:] *= rng.random((len(mates), mates.shape[1] - SLOTS), dtype=np.float32) < share[:, None]
        return mates, anchor

    def donors(self, genomes: IntArray, rng: np.random.Generator) -> IntArray:
        """(n, d) each genome's text with every word that may change replaced."""
        sizes = self._sizes.take(genomes[:, TEXT], axis=0) - 1
        donors = genomes.copy()
        drawn = (rng.random(sizes.shape, dtype=np.float32) * sizes).astype(np.int32)
        donors[:, SLOTS:] = np.where(sizes > 0, np.minimum(drawn, sizes - 1) + 1, 0)
        return donors

    def mutated(self, genomes: IntArray, mask: BoolArray, rng: np.random.Generator) -> IntArray:
        """(n, d) the genomes with other substitutes for the words in the mask."""
        return np.where(mask, self.donors(genomes, rng), genomes)

    def text(self, row: int) -> str:
        """The text of a row, as the user gave it."""
        return self._texts[row]

    def spans(self, row: int) -> IndexArray:
        """(w, 2) where each word of that text begins and ends."""
        return np.array(words_of(self._texts[row]).spans, dtype=np.intp).reshape(-1, 2)

    def sensitive(self, row: int) -> BoolArray:
        """(w,) the words that a reading changes."""
        mask = np.zeros(len(self.spans(row)), dtype=bool)
        for mention in self._mentions[row]:
            mask[mention.first : mention.last + 1] = True
        return mask

    def groups(self, attribute: str) -> list[str | None]:
        """(N,) the group that each text speaks of most; None where it speaks of none."""
        spoken = [
            Counter(m.sense.group for m in mentions if m.sense.attribute == attribute and not m.neutral)
            for mentions in self._mentions
        ]
        return [max(counts, key=lambda group: counts[group]) if counts else None for counts in spoken]

    def may_change(self, rows: IndexArray) -> IndexArray:
        """(n,) how many words of each text (n,) may change."""
        return self._may_change[rows] if self.realism == "data" else (self._sizes[rows] > 1).sum(axis=1)

    def neighbours(self, rows: IndexArray) -> IntArray:
        """(m, d) every version of these texts (n,) with one word replaced, text by text."""
        sizes = self._sizes[rows]
        text, slot = np.nonzero(sizes > 1)
        others = sizes[text, slot] - 1
        first = np.repeat(np.cumsum(others) - others, others)
        versions = self.rows[np.repeat(rows[text], others)]
        versions[np.arange(len(versions)), SLOTS + np.repeat(slot, others)] = np.arange(len(versions)) - first + 1
        return versions

    def said(self, genomes: IntArray) -> list[tuple[str, ...]]:
        """(n,) what each mention says under a genome's reading, in the order of the text."""
        values = value_of(genomes, self._voices.take(genomes[:, TEXT]))[:, READING].tolist()
        texts = genomes[:, TEXT].tolist()
        return [tuple(piece.options[v] for piece in self._spoken[t]) for t, v in zip(texts, values, strict=True)]

    def names(self, genomes: IntArray) -> list[list[str]]:
        """(n,) for texts that name people, the distinct names of each voice; a name comes at the same place in all."""
        found: list[list[str]] = []
        for genome in genomes:
            text, reading = int(genome[TEXT]), int(genome[READING])
            voices = int(self._voices[text])
            named = [piece for piece, name in zip(self._spoken[text], self._named[text], strict=True) if name]
            first = reading * voices
            distinct = {piece.options[first]: piece for piece in named}.values()
            spoken = ["|".join(piece.options[first + v] for piece in distinct) for v in range(voices)]
            found.append(spoken if voices > 1 else [])
        return found

    def substituted(self, genomes: IntArray) -> list[list[tuple[str, str]]]:
        """(n,) the words that each genome replaces, and by what, in the order of the text."""
        return [
            [
                (piece.options[0], piece.options[code])
                for piece, code in zip(self._slots[text], codes, strict=False)
                if code
            ]
            for text, codes in zip(genomes[:, TEXT].tolist(), genomes[:, SLOTS:].tolist(), strict=True)
        ]


def _slots(one: _Read, candidates: dict[int, tuple[str, ...]]) -> list[Piece]:
    """The words of a text that may be replaced: those with substitutes, at random where there are too many."""
    taken = {place for mention in one.mentions for place in range(mention.first, mention.last + 1)}
    places = [place for place in sorted(candidates) if place not in taken and candidates[place]]
    if len(places) > MOST_SLOTS:
        rng = np.random.default_rng(zlib.crc32(one.words.text.encode()))
        places = sorted(rng.choice(places, MOST_SLOTS, replace=False).tolist())
    return [
        Piece(place, place, SLOTS + gene, (word, *(written_like(word, other) for other in candidates[place])))
        for gene, place in enumerate(places)
        for word in [one.words.words[place]]
    ]


def _piece(mention: Mention, one: _Read, choices: Sequence[Sequence[int]]) -> Piece:
    """A mention as a piece: what it says under every reading in every voice."""
    place = next(i for i, twins in enumerate(one.twins) if mention in twins.versions)
    versions = one.twins[place].versions[mention]
    stride = one.voices
    options = []
    for choice in choices:
        said = versions[choice[place]]
        options += list(said) * (stride // len(said))
    return Piece(mention.first, mention.last, READING, tuple(options))


def _check(texts: Sequence[str], protected: Sequence[str], lexicon: Lexicon) -> None:
    if not len(texts):
        raise InputError("There are no texts; an audit needs at least one.")
    if not protected:
        raise InputError(f"No protected attribute was named; choose from {', '.join(lexicon.attributes)}.")
    if len(set(protected)) < len(protected):
        raise InputError("A protected attribute is named twice; name each once.")
    for name in protected:
        if name not in lexicon.attributes:
            raise InputError(
                f"The lexicon does not know the attribute {name!r}; choose from {', '.join(lexicon.attributes)} "
                "(several as a list), or add it with a TOML file."
            )


def nothing_mentioned(texts: Sequence[str], protected: Sequence[str]) -> str:
    """What to say where no text has two readings."""
    if not any(text.strip() for text in texts):
        return "All texts are empty; an audit needs texts that mention people."
    what = " or ".join(protected)
    letters = [letter for text in texts for letter in text if letter.isalpha()]
    if letters and sum(letter.isascii() for letter in letters) < 0.5 * len(letters):
        return (
            f"No text mentions {what}: most of them are in another script, and the lexicon is English; "
            "add words with a TOML file."
        )
    return (
        f"None of the {len(texts):,} texts mentions {what}; "
        "check the column, or add words to the lexicon with a TOML file."
    )
