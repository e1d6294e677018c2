"""Substitutes keep tag, grammar and polarity, and are never what is banned."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from expga.lexicon.embeddings import Vectors, load_vectors
from expga.lexicon.substitutes import Substitutes
from expga.lexicon.tagging import rigid
from expga.lexicon.wordtable import load_words

TABLE = load_words()
VECTORS = load_vectors()
PAIRS = [
    pair for pair in TABLE.rows if VECTORS.index.get(pair[0], 50_000) < 8_000 and TABLE.shares[pair[0]][pair[1]] >= 15
]


def never(_word: str) -> bool:
    return False


@pytest.fixture(scope="module")
def substitutes():
    return Substitutes(VECTORS, TABLE, never)


def of(substitutes, word, tag):
    return substitutes.find([(word, tag)])[0]


@pytest.mark.parametrize(
    ("word", "tag", "one", "why"),
    [
        ("film", "NN", "movie", "chosen by hand"),
        ("films", "NNS", "movies", "chosen by hand"),
        ("destroyed", "VBD", "ruined", "chosen by hand"),
        ("destroying", "VBG", "ruining", "chosen by hand"),
        ("best", "JJS", "finest", "chosen by hand"),
        ("luggage", "NN", "baggage", "a shared synset"),
        ("corpses", "NNS", "cadavers", "a shared synset"),
        ("randomly", "RB", "arbitrarily", "a shared synset"),
        ("highway", "NN", "road", "right above"),
        ("legendary", "JJ", "fabled", "one cluster of adjectives"),
    ],
)
def test_kin_and_near_words_are_found_in_the_same_form(substitutes, word, tag, one, why):
    assert one in of(substitutes, word, tag), why


@pytest.mark.parametrize(
    ("word", "tag", "other", "why"),
    [
        ("northeastern", "JJ", "northwestern", "opposites"),
        ("anxious", "JJ", "eager", "valence"),
        ("ironic", "JJ", "hilarious", "valence"),
        ("hospital", "NN", "infirmary", "countability"),
        ("fuel", "NN", "gasoline", "countability"),
        ("competing", "VBG", "vying", "objects"),
        ("travelers", "NNS", "travellers", "the same word"),
        ("neighbors", "NNS", "neighbours", "the same word"),
        ("combat", "NN", "fighting", "usually a verb"),
        ("occurred", "VBD", "happened", "a light verb"),
        ("principal", "JJ", "main", "a stop word"),
        ("biggest", "JJS", "hugest", "a form that nobody uses"),
        ("good", "JJ", "bad", "opposites"),
        ("great", "JJ", "terrible", "opposites"),
        ("best", "JJS", "worst", "opposites"),
    ],
)
def test_what_would_not_read_well_is_not_found(substitutes, word, tag, other, why):
    assert (other, tag) in TABLE.rows
    assert other not in of(substitutes, word, tag), why


def test_no_substitute_in_the_whole_table_is_an_opposite(substitutes):
    opposites = {tuple(pair.values()) for pair in TABLE.parts["opposites"].to_pylist()}
    groups = TABLE.column("synsets", "group")

    def groups_of(word, tag):
        senses = TABLE.senses[TABLE.column("forms", "lemma")[TABLE.rows[word, tag]]]
        return groups[senses[senses >= 0]].tolist()

    for (word, tag), others in zip(PAIRS, substitutes.find(PAIRS), strict=True):
        for other in others:
            pairs = {(one, two) for one in groups_of(word, tag) for two in groups_of(other, tag)}
            assert not pairs & opposites, (word, other)


def test_order_is_the_order_of_what_was_wanted(substitutes):
    wanted = [("highway", "NN"), ("legendary", "JJ"), ("nosuchword", "NN"), ("film", "NN"), ("fabled", "JJ")]

    together = substitutes.find(wanted)

    assert together == [of(substitutes, *pair) for pair in wanted]
    assert together[2] == ()


def test_choices_made_by_hand_go_before_all_else(substitutes):
    assert of(substitutes, "film", "NN")[:3] == ("movie", "picture", "flick")
    assert of(substitutes, "world", "NN") == ()


def test_a_word_with_choices_gets_no_others(substitutes):
    for word, tag in (("funny", "JJ"), ("destroyed", "VBD"), ("films", "NNS")):
        row = TABLE.rows[word, tag]
        lemma = TABLE.column("forms", "lemma")[row]
        name, pos = (TABLE.parts["lemmas"].column(part)[int(lemma)].as_py() for part in ("lemma", "pos"))

        assert 0 < len(of(substitutes, word, tag)) <= len(TABLE.choices[name, pos])
    assert "curious" not in of(substitutes, "funny", "JJ")


def test_choices_are_words_that_the_table_knows():
    lemmas = set(zip(*(TABLE.parts["lemmas"].column(name).to_pylist() for name in ("lemma", "pos")), strict=True))
    for (lemma, pos), others in TABLE.choices.items():
        assert {(lemma, pos), *((other, pos) for other in others)} <= lemmas
        assert lemma not in others
        assert not any(rigid(other) for other in others if other != "like")


def test_at_most_so_many(substitutes):
    few = Substitutes(VECTORS, TABLE, never, most=2)

    for word, tag in (("film", "NN"), ("legendary", "JJ")):
        assert of(few, word, tag) == of(substitutes, word, tag)[:2]
        assert len(of(substitutes, word, tag)) > 2


def test_a_higher_similarity_leaves_fewer(substitutes):
    strict = Substitutes(VECTORS, TABLE, never, least_similarity=0.7)

    assert set(of(strict, "legendary", "JJ")) < set(of(substitutes, "legendary", "JJ"))


def test_words_without_a_vector_are_left_alone():
    small = Vectors(("corpses", "cadavers", "film", "flick"), np.eye(4, dtype=np.float32)[[0, 0, 1, 2]])
    few = Substitutes(small, TABLE, never)

    assert few.find([("corpses", "NNS"), ("luggage", "NN"), ("film", "NN")]) == [("cadavers",), (), ("flick",)]


def test_the_nearer_comes_first():
    unit = np.array([[1, 0], [0.6, 0.8], [0.8, 0.6]], dtype=np.float32)

    assert of(Substitutes(Vectors(("porn", "porno", "erotica"), unit), TABLE, never), "porn", "NN") == (
        "erotica",
        "porno",
    )


@settings(max_examples=15)
@given(st.lists(st.sampled_from(PAIRS), min_size=1, max_size=60, unique=True))
def test_whatever_is_wanted_substitutes_keep_the_rules(wanted):
    def banned(word: str) -> bool:
        return len(word) % 2 == 0

    substitutes = Substitutes(VECTORS, TABLE, banned)
    found = substitutes.find(wanted)

    assert found == substitutes.find(wanted)
    for (word, tag), others in zip(wanted, found, strict=True):
        assert len(others) == len(set(others)) <= 8
        if rigid(word):
            assert others == ()
        for other in others:
            assert not banned(other)
            assert not rigid(other)
            assert other != word
            assert (other, tag) in TABLE.rows
