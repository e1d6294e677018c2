"""The words of a text, with their places: what lies between them is never touched."""

from __future__ import annotations

import re
from dataclasses import dataclass

# Letters, joined by hyphens and apostrophes; the 's of a possessive stays outside, the dots of U.S. inside.
_WORD = re.compile(r"(?:[^\W\d_]\.){2,}|(?!(?<=\w['’])s\b)[^\W\d_]+(?:[-'’](?!s\b)[^\W\d_]+)*", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?:;\n\"“”]|--")
_SILENT_H = ("hour", "honest", "honor", "honour", "heir")
_SPOKEN_CONSONANT = ("uni", "unan", "use", "usu", "usa", "uti", "uto", "ura", "ubi", "eu", "ew", "one", "once")
_SPOKEN_VOWEL = ("unin", "unim", "unid", "uniro", "onerous")
ARTICLES = ("a", "an")


@dataclass(frozen=True, slots=True)
class Words:
    """A text and its w words."""

    text: str
    spans: tuple[tuple[int, int], ...]
    words: tuple[str, ...]
    """As they are written."""
    lower: tuple[str, ...]
    follows: tuple[str, ...]
    """What stands between each word and the next, or the end."""
    vocabulary: frozenset[str]
    """The different words, in lower case."""

    def __len__(self) -> int:
        return len(self.spans)

    def joined(self, first: int, last: int) -> bool:
        """Whether nothing but blanks stands between the words from first to last."""
        return all(self.follows[place].isspace() for place in range(first, last))

    def starts_sentence(self, place: int) -> bool:
        """Whether the word stands at the beginning of a sentence, where a capital says nothing."""
        return place == 0 or bool(_SENTENCE_END.search(self.follows[place - 1]))

    def capital(self, place: int) -> bool:
        """Whether a word begins with a capital, and is not written in capitals altogether."""
        word = self.words[place]
        return word[0].isupper() and not (len(word) > 1 and word.isupper())


def words_of(text: str) -> Words:
    """The words of a text."""
    spans = tuple(match.span() for match in _WORD.finditer(text))
    words = tuple(text[start:end] for start, end in spans)
    starts = [start for start, _ in spans[1:]] + [len(text)]
    follows = tuple(text[end:start] for (_, end), start in zip(spans, starts, strict=False)) if spans else ()
    lower = tuple(word.lower() for word in words)
    return Words(text, spans, words, lower, follows, frozenset(lower))


def written_like(original: str, word: str) -> str:
    """The word in the capitals of the original: all, the first letter, or none."""
    if len(original) > 1 and original.isupper():
        return word.upper()
    if original[:1].isupper():
        return word[:1].upper() + word[1:]
    return word.lower() if original.islower() else word


def with_article(article: str, word: str) -> str:
    """The article, a or an, as it goes before a word, in the capitals of the one given."""
    right = "an" if _begins_with_vowel(word) else "a"
    if article[0].isupper() and len(word) > 1 and word.isupper():
        return right.upper()
    return right.capitalize() if article[0].isupper() else right


def _begins_with_vowel(word: str) -> bool:
    lower = word.lower()
    if lower.startswith(_SILENT_H):
        return True
    if lower.startswith(_SPOKEN_CONSONANT) and not lower.startswith(_SPOKEN_VOWEL):
        return False
    return lower[:1] in "aeiou"
