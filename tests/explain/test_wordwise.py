"""Texts put together again without some of their words."""

from __future__ import annotations

import numpy as np
import pytest

from expga.explain.wordwise import Cut


def cut(talk, text):
    return Cut(text, talk([text], None).spans(0))


def without(talk, text, *gone):
    """The text without the distinct words of these numbers."""
    part = cut(talk, text)
    kept = np.ones((1, part.count), dtype=bool)
    kept[:, gone] = False
    return part.keeping(kept)[0]


@pytest.mark.parametrize(
    "text",
    [
        "The actor, who sings, wins.",
        "  (He said:)  “don't\n\n go!”  ",
        "naïve Zoë 😀 smiled — très bien… 👩‍🚀",
        "ein Wort",
        "!?! …",
        "",
    ],
)
def test_a_text_with_all_its_words_is_the_text(talk, text):
    assert without(talk, text) == text


@pytest.mark.parametrize(
    ("text", "gone", "left"),
    [
        ("The actor, who sings, wins.", [1], "The, who sings, wins."),
        ("The actor, who sings, wins.", [2], "The actor, sings, wins."),
        ("The actor, who sings, wins.", [0], "actor, who sings, wins."),
        ("The actor, who sings, wins.", [0, 1, 2, 3, 4], ",,."),
        ("The actor  sings\n\nand wins", [2], "The actor\n\nand wins"),
        ("The actor - a man - wins!", [2, 3], "The actor - - wins!"),
        ("“Don't go,” he said", [0, 1], "“,” he said"),
        ("  The actor", [0], "actor"),
        ("the good and the bad", [0], "good and bad"),
        ("The good and the bad", [0], "good and the bad"),
        ("très naïve 😀 Zoë", [1], "très 😀 Zoë"),
        ("alone", [0], ""),
    ],
)
def test_a_word_goes_with_its_blanks_and_all_else_stays(talk, text, gone, left):
    assert without(talk, text, *gone) == left


def test_words_are_numbered_as_they_first_come(talk):
    part = cut(talk, "to be or not to be, To")
    assert part.number.tolist() == [0, 1, 2, 3, 0, 1, 4]
    assert part.count == 5


def test_no_blanks_are_doubled_whatever_goes(talk):
    text = "A man - (so they say) - who, at 5 o'clock, sang: “la la la”!"
    part = cut(talk, text)
    kept = np.random.default_rng(0).random((500, part.count)) < 0.5
    left = part.keeping(kept)
    assert not any("  " in each or each.startswith(" ") for each in left)
    assert len(set(left)) > 400
