"""A word gets a tag only where its neighbours vouch for it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from expga.lexicon.tagging import rigid, tags
from expga.lexicon.wordtable import TAGS, load_words

TABLE = load_words()


def tagged(text: str) -> dict[str, str]:
    """The words of a text that get a tag."""
    found = list(re.finditer(r"[^\W_]+(?:'[^\W_]+)*", text))
    words = [match.group() for match in found]
    ends = [match.start() for match in found[1:]] + [len(text)]
    follows = [text[match.end() : end] for match, end in zip(found, ends, strict=True)]
    result = tags(words, TABLE, follows)
    return {word: tag for word, tag in zip(words, result, strict=True) if tag}


@pytest.mark.parametrize(
    ("text", "word", "tag"),
    [
        ("I saw the movie on Friday.", "movie", "NN"),
        ("It has three beautiful castles.", "castles", "NNS"),
        ("It has three beautiful castles.", "beautiful", "JJ"),
        ("The acting is superb and the rest is not.", "superb", "JJ"),
        ("A larger house would do.", "larger", "JJR"),
        ("It is the largest house here.", "largest", "JJS"),
        ("He wanted to destroy the house.", "destroy", "VB"),
        ("They adore the house.", "adore", "VBP"),
        ("She adores the house.", "adores", "VBZ"),
        ("She destroyed the house.", "destroyed", "VBD"),
        ("She has destroyed the house.", "destroyed", "VBN"),
        ("He left after destroying the house.", "destroying", "VBG"),
        ("It was incredibly beautiful.", "incredibly", "RB"),
        ("Full of humor and other things.", "humor", "NN"),
        ("It is the film's plot.", "plot", "NN"),
        ("It is a very nice house.", "very", "RB"),
        ("It's bizarre, they say.", "bizarre", "JJ"),
        ("Ugly, bizarre, it went on.", "bizarre", "JJ"),
        ("Perhaps it rains, perhaps it does not.", "perhaps", "RB"),
        ("It was a movie to remember.", "movie", "NN"),
    ],
)
def test_neighbours_give_a_tag(text, word, tag):
    assert tagged(text)[word] == tag


@pytest.mark.parametrize(
    ("text", "word", "why"),
    [
        ("He wanted to look at the house.", "look", "a light verb"),
        ("They laughed at the house.", "laughed", "a verb with its preposition"),
        ("She collapsed into the chair.", "collapsed", "a verb with its preposition"),
        ("I saw the Castle on Friday.", "Castle", "a name"),
        ("I ate the ice cream today.", "cream", "a fixed expression"),
        ("I liked the high schools here.", "schools", "a fixed expression in the plural"),
        ("It went all of a sudden, they say.", "sudden", "a fixed expression with a letter in it"),
        ("It was so from the very first time.", "very", "an adjective that looks like an adverb"),
        ("He kicks the bucket.", "bucket", "a fixed expression with an inflected verb"),
        ("He stood in awe of it.", "awe", "a noun between its prepositions"),
        ("He was reduced to tears.", "reduced", "a participle with its preposition"),
        ("They understand that he left.", "understand", "a verb before its clause"),
        ("The dog barks and attacks the house.", "attacks", "a noun or a verb"),
        ("On the other hand, it works.", "hand", "a longer fixed expression"),
        ("It was a well-made film-noir.", "film", "a hyphenated word"),
        ("It was a castle-like house.", "castle", "a hyphenated word"),
        ("The castle garden was nice.", "castle", "a noun before its noun"),
        ("He had a tendency to escape.", "tendency", "a noun before its infinitive"),
        ("It was not there.", "not", "a negation"),
        ("It took two hours.", "two", "a number"),
        ("It took two hours.", "hours", "a measure of time"),
        ("It is too nice.", "too", "an adverb of degree"),
        ("He is fond of the house.", "fond", "an adjective with its preposition"),
        ("I was hit in castle today.", "castle", "a countable noun without a determiner"),
        ("It was zxqv.", "zxqv", "an unknown word"),
        ("The secret opens doors.", "secret", "an adjective that may be a noun"),
        ("The film tunes into grief.", "tunes", "a noun that may be a verb"),
    ],
)
def test_doubt_gives_none(text, word, why):
    assert word not in tagged(text), why


def test_one_form_is_a_noun_or_a_verb_by_its_neighbours():
    assert tagged("He wanted to murder the king.")["murder"] == "VB"
    assert tagged("It was a murder.")["murder"] == "NN"


def test_a_clause_ends_at_punctuation():
    assert "castle" not in tagged("I like the castle garden.")
    assert tagged("I like the castle, garden aside.")["castle"] == "NN"


def test_without_what_follows_only_spaces_stand_between_words():
    words = ["I", "made", "the", "movie", "on", "Friday"]

    assert tags(words, TABLE) == tags(words, TABLE, [" "] * 5 + [""]) == [None, None, None, "NN", None, None]


def test_nothing_has_no_tags():
    assert tags([], TABLE) == []


WORDS = ("the", "a", "movie", "film", "is", "not", "never", "beautiful", "and", "destroyed", "to", "two", "house", "He")


@given(
    words=st.lists(st.sampled_from(WORDS) | st.text(max_size=6), max_size=12),
    between=st.sampled_from([" ", "", "-", ", ", "'"]),
)
def test_any_words_get_tags_that_the_table_knows(words, between):
    result = tags(words, TABLE, [between] * len(words))

    assert len(result) == len(words)
    for word, tag in zip(words, result, strict=True):
        if tag is not None:
            assert tag in TAGS
            assert (word, tag) in TABLE.rows
            assert not rigid(word)
