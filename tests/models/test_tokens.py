"""Texts as token numbers: the same as one text at a time would give, and laid out in full."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from expga.models.tokens import PAD, UNKNOWN, Vocabulary

VOCABULARY = Vocabulary({"a": 2, "film": 3, ".": 4, "don't": 5, "'": 6})


def tokens(encoded, text):
    return encoded.tokens[encoded.start[text] :][: encoded.length[text]].tolist()


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("A film.", [2, 3, 4]),
        ("  a\n\nFILM  ", [2, 3]),
        ("Don't film", [5, 3]),
        ("'a film'", [6, 2, 3, 6]),
        ("an a", [UNKNOWN, 2]),
        ("...", [4, 4, 4]),
        ("Film. A. film a.", [3, 4, 2, 4, 3, 2, 4]),
        ("", [UNKNOWN]),
        (" \n ", [UNKNOWN]),
    ],
)
def test_a_text_is_its_tokens(text, numbers):
    encoded = VOCABULARY.encode(["a", text, "film"], longest=9)
    assert [tokens(encoded, i) for i in range(3)] == [[2], numbers, [3]]


@given(st.lists(st.text(alphabet="aA '.\nm\u00a0", max_size=12)))
def test_in_bulk_they_are_what_each_alone_is(texts):
    encoded = VOCABULARY.encode(texts, longest=5)
    for number, text in enumerate(texts):
        alone = [VOCABULARY.numbers.get(token, 1) for token in re.findall(r"\w+(?:'\w+)*|[^\w\s]", text.lower())]
        assert tokens(encoded, number) == (alone[:5] or [UNKNOWN])


def test_padding_follows_the_end_of_a_text():
    encoded = VOCABULARY.encode(["a film .", "film", "", "a a a a a"], longest=4)
    np.testing.assert_array_equal(
        encoded.padded(np.array([1, 0, 2]), beyond=2),
        [[3, PAD, PAD, PAD, PAD], [2, 3, 4, PAD, PAD], [UNKNOWN, PAD, PAD, PAD, PAD]],
    )
    np.testing.assert_array_equal(encoded.padded(np.array([3]), beyond=0), [[2, 2, 2, 2]])


def test_a_vocabulary_has_known_words_first_then_frequent_tokens():
    vocabulary = Vocabulary.of(["The film, the FILM!", "the end"], rarest=2, known=["sea", "film"])
    assert vocabulary.numbers == {"sea": 2, "film": 3, "the": 4}
    assert len(vocabulary) == 5
