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
        ("He had a tendency to escape.", "tendency", "NN"),
        ("It was an entertaining documentary.", "entertaining", "JJ"),
        ("It has entertaining characters.", "entertaining", "JJ"),
        ("The story is deeply moving.", "moving", "JJ"),
        ("The story is moving and sad.", "moving", "JJ"),
        ("It is a slick, engrossing melodrama.", "engrossing", "JJ"),
        ("It is a strong and confident work.", "strong", "JJ"),
        ("It was a good match of the two.", "good", "JJ"),
        ("It is a compelling look at the war.", "compelling", "JJ"),
        ("A powerful though flawed movie.", "powerful", "JJ"),
        ("dense, exhilarating documentary.", "dense", "JJ"),
        ("I liked the big ending.", "big", "JJ"),
        ("It is a modern story.", "modern", "JJ"),
        ("It was great help, with great help.", "great", "JJ"),
        ("The story is funny throughout.", "funny", "JJ"),
        ("The story is strong though.", "strong", "JJ"),
        ("It is as funny as it was.", "funny", "JJ"),
        ("It was so bad it hurt.", "bad", "JJ"),
        ("They said how funny it was.", "funny", "JJ"),
        ("It is difficult to say.", "difficult", "JJ"),
        ("It isn't funny.", "funny", "JJ"),
        ("It is n't funny .", "funny", "JJ"),
        ("The laughs are rare.", "laughs", "NNS"),
        ("It is the kind of movie during which they slept.", "movie", "NN"),
        ("It has films about war.", "films", "NNS"),
        ("The movie works.", "movie", "NN"),
        ("He bought a low-budget film - a thriller.", "film", "NN"),
        ("They had new viewers.", "viewers", "NNS"),
        ("It passes for humor in many places.", "humor", "NN"),
        ("It lacks charisma.", "lacks", "VBZ"),
        ("He did n't scream .", "scream", "VB"),
        ("It has a nice plot", "plot", "NN"),
        ("Enigma offers an exploration of it.", "offers", "VBZ"),
        ("Qwrtz offers an exploration of it.", "offers", "VBZ"),
        ("It is a story that offers nothing.", "offers", "VBZ"),
        ("It offers insight into it.", "offers", "VBZ"),
        ("He did n't enjoy it .", "enjoy", "VB"),
        ("It seems to work.", "seems", "VBZ"),
        ("They tried to work.", "tried", "VBD"),
        ("It was depicted in detail.", "depicted", "VBN"),
        ("He saw nearly every corner of it.", "nearly", "RB"),
        ("He is really rather nice.", "really", "RB"),
        ("It was a wisely zxqvish story.", "wisely", "RB"),
        ("They learned so quickly but forgot it.", "quickly", "RB"),
        ("It is a very moving story.", "very", "RB"),
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
        ("He had a ticket to escape.", "ticket", "a noun before its infinitive"),
        ("It was not there.", "not", "a negation"),
        ("It took two hours.", "two", "a number"),
        ("It took two hours.", "hours", "a measure of time"),
        ("It is too nice.", "too", "an adverb of degree"),
        ("He is fond of the house.", "fond", "an adjective with its preposition"),
        ("I was hit in castle today.", "castle", "a countable noun without a determiner"),
        ("It was zxqv.", "zxqv", "an unknown word"),
        ("The secret opens doors.", "secret", "an adjective that may be a noun"),
        ("The film tunes into grief.", "tunes", "a noun that may be a verb"),
        ("The car is moving.", "moving", "a participle that may be an adjective"),
        ("He left after engaging young children.", "engaging", "a gerund or an adjective"),
        ("He has a good many of them.", "good", "an adjective that tells an amount"),
        ("He runs as fast as they do.", "fast", "an adjective that may be an adverb"),
        ("He is good at it.", "good", "an adjective with its preposition"),
        ("It is not nearly as good.", "nearly", "an adverb that its negation holds"),
        ("It had a few rather than dozens.", "rather", "half of a conjunction"),
        ("It is easily the best of them.", "easily", "an adverb before a determiner"),
        ("They want to reflect on it.", "reflect", "a verb with its preposition"),
        ("They deserve to win.", "deserve", "a verb before its infinitive"),
        ("He went on in sorrow from there.", "sorrow", "a noun between its prepositions"),
        ("The movie franchise is old.", "movie", "a noun before its noun"),
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


def test_a_possessive_outside_its_word_is_seen():
    words = ["They", "liked", "the", "movie", "plot"]

    assert tags(words, TABLE, [" ", " ", " ", "'s ", "."])[3:] == ["NN", "NN"]
    assert tags(words, TABLE, [" ", " ", " ", " ", "."])[3:] == [None, "NN"]


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
