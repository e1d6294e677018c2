"""Which words of a sentence may be replaced, and as which part of speech.

Precision first: a word gets a tag only where its neighbours vouch for it. A noun wants a determiner or an adjective
before it and no noun behind it, a verb its object behind it or its subject before it, and no preposition behind it, an
adjective its article, its noun, its copula or another adjective. Words whose substitutes were chosen by hand, to fit
nearly anywhere, need less: a tag that is rare for their form ("an entertaining book"), an adverb in more places.
Whatever is idiom, grammar or doubtful stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from expga.lexicon.closed_classes import (
    AFTER_ADJECTIVE,
    AFTER_VERB,
    APPROXIMATE,
    BE,
    BEFORE_GERUND,
    BEFORE_INFINITIVE,
    COMPARISONS,
    COORDINATES,
    COPULAS,
    DEGREE,
    DETERMINERS,
    GRAMMAR,
    HAVE,
    INTENSE,
    JOINS,
    LIGHT,
    MEASURES,
    MOBILE,
    MODALS,
    NEGATIONS,
    NUMBERS,
    OBJECTS,
    PLURAL_ONLY,
    PREPOSITIONS,
    RIGID,
    SHORT_COPULAS,
    SINGULAR_ONLY,
    SORTS,
    SUBJECTS,
    SUBJECTS_OF_MANY,
    SUBJECTS_OF_ONE,
    VERBS,
    WHATEVER,
)
from expga.lexicon.expressions import expressions
from expga.lexicon.wordtable import WordTable

_SOME = 8
"""Percent of a form's uses that make a tag more than a curiosity."""
_POSSIBLE = 15
"""Percent of a form's uses below which a tag is not considered, unless it has substitutes chosen by hand."""
_PLAIN = 85
"""Percent of a form's uses from which a tag needs little to vouch for it: no compound, an object behind a verb."""
_USUAL = 80
"""Percent of a form's uses from which a tag is taken though the neighbours allow another of its part of speech."""


def rigid(word: str) -> bool:
    """Whether a lower-case word is never replaced nor put in: grammar, negation, number, light verb, vague word."""
    return word in RIGID


@dataclass(frozen=True, slots=True)
class _Sentence:
    """Lower-case words with empty strings where a clause ends, and what may be each word's tag."""

    words: Sequence[str]
    shares: Sequence[dict[str, int]]
    table: WordTable

    def past_adverbs(self, place: int) -> int:
        """The place of the word before, past adverbs of degree."""
        place -= 1
        while place > 0 and (self.words[place] in DEGREE or self.words[place].endswith("ly")):
            place -= 1
        return place

    def before(self, place: int) -> str:
        """The word before, past adverbs of degree."""
        return self.words[self.past_adverbs(place)]

    def chosen(self, place: int, *tags: str) -> bool:
        """Whether a word has substitutes that were chosen by hand under one of the tags."""
        return any((self.words[place], tag) in self.table.chosen for tag in tags)

    def is_mostly(self, place: int, *tags: str) -> bool:
        shares = self.shares[place]
        return bool(shares) and any(shares.get(tag, 0) >= 50 for tag in tags)

    def adjectival(self, place: int) -> bool:
        return self.is_mostly(place, "JJ", "JJR", "JJS") or self.chosen(place, "JJ") or "-" in self.words[place]

    def begins_noun(self, place: int) -> bool:
        """Whether a noun stands at a place, or behind adjectives with or without "and" or a comma between them."""
        if place >= len(self.words) - 1 or self.is_mostly(place, "NN", "NNS"):
            return place < len(self.words) - 1
        if self.words[place] in INTENSE or self.words[place].endswith("ly"):
            return self.begins_noun(place + 1)
        if not self.adjectival(place):
            return False
        return self.begins_noun(place + 1 + (self.words[place + 1] in COORDINATES))

    def unknown(self, place: int) -> bool:
        """Whether the table has nothing to say of a word, as of a name."""
        return not self.shares[place] and bool(self.words[place]) and not rigid(self.words[place])


def _noun(at: _Sentence, i: int, tag: str) -> bool:
    before, after = at.words[i - 1], at.words[i + 1]
    led = before in DETERMINERS and before not in (PLURAL_ONLY if tag == "NN" else SINGULAR_ONLY)
    led = led or before == "s" or before.endswith(("'s", "’s"))
    led = led or (at.is_mostly(i - 1, "VBG", "VBN") and at.words[i - 2] in DETERMINERS)
    bare = tag == "NNS" or at.words[i] in at.table.mass
    bare = bare and (before == "" or before in PREPOSITIONS or before in JOINS or (tag == "NNS" and before in NUMBERS))
    chosen = at.chosen(i, tag)
    idiom = tag == "NN" and (before in ("in", "on", "at", "by") or after in ("of", "to", "with"))  # "in awe of"
    sort = before == "of" and at.words[i - 2] in SORTS
    described = at.is_mostly(i - 1, "JJ", "JJR", "JJS") or "-" in before or at.chosen(i - 1, "JJ")
    compound = at.is_mostly(i - 1, "NN") and "VBZ" not in at.shares[i]  # "the film tunes into grief"
    return (
        (led or bare or sort or described or compound)
        and (not at.is_mostly(i + 1, "NN", "NNS") or (chosen and "VBZ" in at.shares[i + 1]))
        and (after != "to" or chosen)
        and (sort or before not in PREPOSITIONS or after not in PREPOSITIONS or (chosen and not idiom))
    )


def _adjective(at: _Sentence, i: int, tag: str) -> bool:
    place = at.past_adverbs(i)
    close, before, after = at.words[i - 1], at.words[place], at.words[i + 1]
    if at.words[i] in DEGREE or after in MEASURES:
        return False
    led = close == "s" or close in DETERMINERS or close in PREPOSITIONS
    noun = max(at.shares[i + 1].get("NN", 0), at.shares[i + 1].get("NNS", 0))
    if at.shares[i].get("NN", 0) >= _SOME:  # "the secret opens doors" against "the secret door"
        return at.is_mostly(i, tag) and noun >= (_POSSIBLE if before in ("a", "an") else _PLAIN)
    if at.begins_noun(i + 1) or (before in ("a", "an") and after != "to"):
        return True
    if led and (at.unknown(i + 1) or noun >= _POSSIBLE or at.is_mostly(i + 1, "VBG")):  # "the big ending"
        return True
    if tag != "JJ":
        return False
    if close == "how" or (close, after) in COMPARISONS:
        return at.shares[i].get("RB", 0) < _SOME
    coordinated = (before in COORDINATES and at.adjectival(place - 1)) or (
        after in COORDINATES and (at.begins_noun(i + 2) or (after != "" and at.adjectival(i + 2)))
    )
    degree = close in INTENSE or close.endswith("ly")
    copula = before in COPULAS or before.endswith(SHORT_COPULAS)
    copula = copula and (degree or not at.is_mostly(i, "VBG"))  # "the car is moving", "the story is very moving"
    vouched = copula or coordinated or (degree and (before == "" or at.chosen(i, tag)))
    if after == "to":
        return copula and at.chosen(i, tag)
    # "so bad it hurts"
    return vouched and (after == "" or after in AFTER_ADJECTIVE or (close == "so" and after in SUBJECTS))


def _adverb(at: _Sentence, i: int) -> bool:
    word, before, after = at.words[i], at.words[i - 1], at.words[i + 1]
    if word in MOBILE:
        return True
    if word == "very":
        return (at.adjectival(i + 1) or at.is_mostly(i + 1, "RB")) and before != "the"  # "the very first"
    if not word.endswith("ly") and not at.chosen(i, "RB"):
        return False
    if at.adjectival(i + 1) or at.is_mostly(i + 1, "VB", "VBN", "VBD", "VBG", "VBZ") or after in LIGHT:
        return True
    if before in NEGATIONS or before == "n't":  # "not nearly as good"
        return False
    if after in DETERMINERS or after in NUMBERS or after in WHATEVER:
        return word in APPROXIMATE
    return at.is_mostly(i + 1, "RB") or (word.endswith("ly") and at.shares[i].get("RB", 0) >= _PLAIN)


def _object(at: _Sentence, i: int) -> bool:
    """Whether an object follows a verb."""
    after = at.words[i + 1]
    if after in DETERMINERS:
        return after not in ("that", "what", "which")
    return (
        after in OBJECTS
        or after in WHATEVER
        or at.is_mostly(i + 1, "NNS")
        or (at.is_mostly(i + 1, "NN") and after in at.table.mass)
        or (at.adjectival(i + 1) and at.begins_noun(i + 2))
        or (at.chosen(i, *VERBS) and (at.begins_noun(i + 1) or at.unknown(i + 1)) and not after.endswith("ly"))
    )


def _closes(at: _Sentence, i: int) -> bool:
    """Whether an object or the end of the clause follows a verb: nothing that the verb alone governs."""
    return at.words[i + 1] == "" or _object(at, i)


def _governs(at: _Sentence, i: int) -> bool:
    """Whether a verb has its infinitive: "seems to work", "tried to work"."""
    return at.words[i + 1] == "to" and at.table.bases.get(at.words[i]) in BEFORE_INFINITIVE


def _finite(at: _Sentence, i: int, subjects: frozenset[str], *nouns: str) -> bool:
    """Whether a verb has a subject: a pronoun, or if an object follows a noun, or the clause before it."""
    if at.before(i) in subjects:
        return _closes(at, i)
    return _object(at, i) and (at.is_mostly(i - 1, *nouns) or at.words[i - 1] in ("and", "but"))


def _infinitive(at: _Sentence, i: int) -> bool:
    return at.before(i) in MODALS and (_closes(at, i) or (at.chosen(i, "VB") and at.words[i + 1] in AFTER_VERB))


def _present(at: _Sentence, i: int) -> bool:
    return _finite(at, i, SUBJECTS_OF_MANY, "NNS")


def _third_person(at: _Sentence, i: int) -> bool:
    return _finite(at, i, SUBJECTS_OF_ONE, "NN")


def _past(at: _Sentence, i: int) -> bool:
    return _finite(at, i, SUBJECTS, "NN", "NNS")


def _participle(at: _Sentence, i: int) -> bool:
    before = at.before(i)
    if before in BE:
        return at.words[i + 1] in ("", "by") or (at.chosen(i, "VBN") and at.words[i + 1] in AFTER_ADJECTIVE)
    return before in HAVE and _closes(at, i)


def _gerund(at: _Sentence, i: int) -> bool:
    opens = at.words[i - 1] == "" and not at.adjectival(i - 2)  # "a slick, engrossing melodrama"
    return (at.before(i) in BEFORE_GERUND or opens) and _object(at, i)


_LICENCES: dict[str, Callable[[_Sentence, int], bool]] = {
    "NN": partial(_noun, tag="NN"),
    "NNS": partial(_noun, tag="NNS"),
    "JJ": partial(_adjective, tag="JJ"),
    "JJR": partial(_adjective, tag="JJR"),
    "JJS": partial(_adjective, tag="JJS"),
    "RB": _adverb,
    "VB": _infinitive,
    "VBP": _present,
    "VBZ": _third_person,
    "VBD": _past,
    "VBN": _participle,
    "VBG": _gerund,
}

_CLAUSE_END = re.compile(r"""[.!?,;:()\[\]{}<>"“”…]|--|``|[–—]|\n|\s-|-\s""")
_POSSESSIVE = re.compile(r"['’]s\b")


def tags(words: Sequence[str], table: WordTable, follows: Sequence[str] | None = None) -> list[str | None]:
    """The Penn tags of the words that may be replaced, None for all others.

    Args:
        words: the words of a sentence, or of a whole text, as they stand; punctuation is not among them.
        table: what is known about words.
        follows: the raw text between each word and the next; None: nothing but spaces.
    """
    # Clause ends become words of their own, two of them at either end, so that every rule can look around.
    padded, origin = ["", ""], []
    stiff: set[int] = set()
    for number, word in enumerate(words):
        origin.append(len(padded))
        if word != word.lower():
            stiff.add(len(padded))
        padded.append(word.lower())
        after = " " if follows is None else follows[number]
        if not after.isspace():
            if _POSSESSIVE.match(after):
                padded.append("s")
            if _CLAUSE_END.search(after):
                padded.append("")
            elif "'" not in after and "’" not in after and number < len(words) - 1:  # hyphens and other ties
                stiff.update((len(padded) - 1, len(padded)))
    padded += ["", ""]
    at = _Sentence(padded, [{} if word in GRAMMAR else table.shares.get(word, {}) for word in padded], table)
    stiff |= expressions(padded, table)
    return [None if place in stiff else _tag(at, place) for place in origin]


def _tag(at: _Sentence, place: int) -> str | None:
    """The one kind of tag that the neighbours allow, or the usual one among those, or None."""
    if rigid(at.words[place]):
        return None
    shares = at.shares[place]
    if _governs(at, place):
        return next((tag for tag in shares if tag in VERBS), None)
    allowed = [
        tag
        for tag, share in shares.items()
        if (share >= _POSSIBLE or at.chosen(place, tag)) and _LICENCES[tag](at, place)
    ]
    usual = max(allowed, key=lambda tag: shares[tag], default=None)
    if usual is not None:
        clear = shares[usual] >= _USUAL and len({tag[:2] for tag in allowed}) == 1
        return usual if len(allowed) == 1 or clear else None
    return next((tag for tag, share in shares.items() if share >= _PLAIN and _stands_free(at, place, tag)), None)


def _stands_free(at: _Sentence, i: int, tag: str) -> bool:
    """Whether a word that is usually nothing else is no half of a compound, and nothing that follows depends on it."""
    before, after = at.words[i - 1], at.words[i + 1]
    if tag == "JJ":
        return (not after or at.unknown(i + 1)) and before != "the"
    if tag not in ("NN", "NNS"):  # a verb with its object
        return tag in ("VB", "VBZ", "VBD", "VBG") and _object(at, i) and at.before(i) not in BE | HAVE
    if after == "to":
        return False
    if after in PREPOSITIONS:
        return before not in PREPOSITIONS
    verbal = after in DETERMINERS or after in OBJECTS or after.endswith("ly")
    return not at.unknown(i + 1) and not verbal and not at.is_mostly(i + 1, "NN", "NNS", "JJ")
