"""The readings of a text: what its mentions become when only the protected attribute changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from expga.contracts import BoolArray, IndexArray, IntArray
from expga.domain.combinations import combinations
from expga.domain.text.mentions import NAME, Mention
from expga.domain.text.words import Words, written_like
from expga.lexicon import Lexicon

AS_IS, SWAPPED = "as it is", "swapped"
MOST_GROUPS = 30
"""Groups that an attribute with many of them is read at."""
VOICES = 5
"""Names that speak for a group."""
TEXT, READING, VOICE, SLOTS = 0, 1, 2, 3
"""Genes: which text, under which reading, with which names; from the fourth on, which substitute for each word."""


@dataclass(frozen=True, slots=True)
class Attribute:
    """A protected attribute and its readings by name."""

    name: str
    groups: tuple[str, ...]
    """Those that texts are read at."""
    labels: tuple[str, ...]

    @property
    def two_sided(self) -> bool:
        """Whether there are two groups, so that every mention has an opposite."""
        return SWAPPED in self.labels

    @classmethod
    def of(cls, name: str, lexicon: Lexicon) -> Attribute:
        """The attribute of that name: two groups are swapped, of more the first few are read one by one."""
        groups = tuple(lexicon.groups(name))
        if len(groups) == 2:
            return cls(name, groups, (AS_IS, SWAPPED, *groups))
        return cls(name, groups[:MOST_GROUPS], (AS_IS, *groups[:MOST_GROUPS]))


Versions = tuple[tuple[str, ...], ...]
"""(readings, voices) what stands in the place of a mention."""


@dataclass(frozen=True, slots=True)
class Twins:
    """How one attribute can be read in one text."""

    versions: dict[Mention, Versions]
    """What each mention becomes; those that never change are left out."""
    valid: tuple[bool, ...]
    """Which readings the text has."""
    voices: int


def twins_of(words: Words, mentions: Sequence[Mention], attribute: Attribute, lexicon: Lexicon) -> Twins:
    """The readings of an attribute, given all its mentions in a text."""
    telling = [mention for mention in mentions if not mention.neutral]
    if telling and attribute.two_sided:
        return _opposites(words, telling, attribute, lexicon)
    if telling:
        return _others(words, telling, attribute, lexicon)
    if mentions and attribute.two_sided:
        return _modified(words, mentions, attribute, lexicon)
    return _nothing(attribute)


def _nothing(attribute: Attribute) -> Twins:
    return Twins({}, tuple(label == AS_IS for label in attribute.labels), 1)


def _opposites(words: Words, telling: Sequence[Mention], attribute: Attribute, lexicon: Lexicon) -> Twins:
    """Every mention and its opposite: all of them swapped, or all people in the text of one group."""
    one, other = attribute.groups
    opposite = {one: other, other: one}
    names = _names(words, telling)
    voices = VOICES if names else 1
    versions: dict[Mention, Versions] = {}
    for mention in telling:
        group = mention.sense.group
        own = _voiced(words, mention, group, names, lexicon, voices)
        swapped = _voiced(words, mention, opposite[group], names, lexicon, voices)
        if own is not None and swapped is not None:
            by_group = {group: own, opposite[group]: swapped}
            versions[mention] = (own, swapped, by_group[one], by_group[other])
    if any(mention.sense.family == NAME and mention not in versions for mention in telling):
        return _nothing(attribute)  # more people than there are names for: half of a swap is none
    present = {mention.sense.group for mention in versions}
    return Twins(versions, (True, len(present) > 0, *(len(present) == 2,) * 2), voices if versions else 1)


def _others(words: Words, telling: Sequence[Mention], attribute: Attribute, lexicon: Lexicon) -> Twins:
    """The mentions of the group that the text speaks of most, as those of other groups that it does not mention."""
    counts = Counter(mention.sense.group for mention in telling)
    spoken_of = max(counts, key=lambda group: counts[group])
    mine = [mention for mention in telling if mention.sense.group == spoken_of]
    names = _names(words, mine)
    voices = VOICES if names else 1
    readings = {group: [_voiced(words, m, group, names, lexicon, voices) for m in mine] for group in attribute.groups}
    own = [_voiced(words, m, spoken_of, names, lexicon, voices) for m in mine]
    valid = [group not in counts and None not in readings[group] for group in attribute.groups]
    if None in own or not any(valid):
        return _nothing(attribute)
    versions = {}
    for place, mention in enumerate(mine):
        as_is = own[place] or ()
        choices = (
            (readings[group][place] or as_is) if ok else as_is
            for group, ok in zip(attribute.groups, valid, strict=True)
        )
        versions[mention] = (as_is, *choices)
    return Twins(versions, (True, *valid), voices)


def _modified(words: Words, neutral: Sequence[Mention], attribute: Attribute, lexicon: Lexicon) -> Twins:
    """The first person whom the text only names, with a modifier in front wherever its sentence names them."""
    modifiers = lexicon.modifiers(attribute.name)
    if any(group not in modifiers for group in attribute.groups):
        return _nothing(attribute)
    first = neutral[0]
    sentence = _sentence_end(words, first.last)
    same = [m for m in neutral if m.first <= sentence and words.lower[m.first] == words.lower[first.first]]
    versions: dict[Mention, Versions] = {}
    for mention in same:
        original = _written(words, mention)
        plain = original if words.words[mention.first].isupper() else original[:1].lower() + original[1:]
        modified = [(written_like(original, modifiers[group]) + " " + plain,) for group in attribute.groups]
        versions[mention] = ((original,), (original,), *modified)
    return Twins(versions, (False, False, True, True), 1)


def _sentence_end(words: Words, place: int) -> int:
    """The last word of the sentence that a word stands in."""
    while place + 1 < len(words) and not words.starts_sentence(place + 1):
        place += 1
    return place


def _names(words: Words, mentions: Sequence[Mention]) -> list[str]:
    """The distinct names among the mentions, in order."""
    return list(dict.fromkeys(words.lower[m.first] for m in mentions if m.sense.family == NAME))


def _written(words: Words, mention: Mention) -> str:
    return words.text[words.spans[mention.first][0] : words.spans[mention.last][1]]


def _voiced(
    words: Words, mention: Mention, group: str, names: list[str], lexicon: Lexicon, voices: int
) -> tuple[str, ...] | None:
    """(voices) what a mention becomes for a group in each voice; None where the group has no such word.

    The first voice of a text's own group is the text itself. Different names stay different, and no name
    speaks in so many voices that it would decide alone.
    """
    original = _written(words, mention)
    if mention.sense.family != NAME:
        if group == mention.sense.group:
            return (original,) * voices
        counterparts = lexicon.counterparts(mention.sense, group)
        if not counterparts or not _fits(words, mention, original, counterparts[0]):
            return None
        usual = lexicon.counterparts(mention.sense, mention.sense.group)
        as_usual = original in usual and not (original[0].isupper() and words.starts_sentence(mention.first))
        return (counterparts[0] if as_usual else written_like(original, counterparts[0]),) * voices
    pool = [name for name in lexicon.counterparts(mention.sense, group) if name.lower() not in words.vocabulary]
    step = len(pool) // voices
    if len(names) > step * (voices // 2):
        return None
    number = names.index(words.lower[mention.first])
    chosen = [written_like(original, pool[(voice * step + number) % len(pool)]) for voice in range(voices)]
    return (original, *chosen[1:]) if group == mention.sense.group else tuple(chosen)


def _fits(words: Words, mention: Mention, original: str, other: str) -> bool:
    """Whether a people can stand for another: "the Chinese" for "the Mexicans", but not "Chinese" for "Mexicans"."""
    if mention.sense.form != "people" or original.endswith("s") == other.endswith("s"):
        return True
    return mention.first > 0 and words.lower[mention.first - 1] == "the"


class TextReadings:
    """Combinations of the attributes' readings: of all of them, or of one with the others as they are."""

    def __init__(
        self, choices: IndexArray, valid: BoolArray, voices: IndexArray, labels: Sequence[dict[str, str]], possible: int
    ) -> None:
        """Readings of N texts.

        Args:
            choices: (R,) the values of the reading's gene.
            valid: (N, R) which readings each text has.
            voices: (N,) in how many voices each text is read.
            labels: (R,) by attribute, what each reading is called.
            possible: how many combinations there are.
        """
        self._choices = choices.astype(np.int32)
        self._valid = valid
        self._voices = voices
        self._several = bool((voices > 1).any())
        self.labels = tuple(labels)
        self.possible = possible

    @property
    def count(self) -> int:
        """R."""
        return len(self._choices)

    def read(self, genomes: IntArray, reading: IndexArray) -> IntArray:
        """(n, d) each genome under the reading (n,) asked for."""
        twins = genomes.copy()
        twins[:, READING] = self._choices.take(reading)
        return twins

    def valid(self, genomes: IntArray) -> BoolArray:
        """(n, R) the readings that each genome's text has; that differ by what they say."""
        return self._valid.take(genomes[:, TEXT], axis=0)

    def own(self, genomes: IntArray) -> IndexArray | None:  # noqa: ARG002 - a text often has none of its own
        """None: of a text any two readings may be shown."""
        return None

    def voices(self, genomes: IntArray) -> IndexArray | None:
        """(n,) several where the text names people; None where no text does."""
        return self._voices.take(genomes[:, TEXT]) if self._several else None

    def speak(self, genomes: IntArray, voice: IndexArray) -> IntArray:
        """(n, d) each genome with the names of that voice (n,)."""
        spoken = genomes.copy()
        spoken[:, VOICE] = voice
        return spoken


def combined(attributes: Sequence[Attribute]) -> tuple[IndexArray, int]:
    """(R, k) the combinations of the k attributes' readings, in the order of the gene, and how many there could be.

    Those of one attribute with the others as they are, are always among them: most texts mention only one.
    """
    sizes = [len(attribute.labels) for attribute in attributes]
    alone = [np.eye(len(sizes), dtype=np.intp)[place] * n for place, size in enumerate(sizes) for n in range(size)]
    return combinations(sizes, alone), prod(sizes)
