"""Substitutes as they come with the package: readable, never sensitive, and never for a sensitive word."""

from __future__ import annotations

import numpy as np
import pytest

from expga.domain.text.substitutes import candidates
from expga.domain.text.words import words_of

TEXTS = [
    "She gives an excellent performance in a terrible film, and the old king is a wonderful character.",
    "The Norwegian director tells a beautiful story about an honest man and his ugly town.",
    "She fears the attacker, loves the animals and an adversary.",  # near a gunman, humans, an antagonist
    "It 's an awful movie , but she is n't a bad actress and never a boring one .",
]


@pytest.fixture(scope="module")
def domain(fit, lexicon):
    return fit(TEXTS, "gender", "country", substitutes=candidates(lexicon), realism="domain")


@pytest.fixture(scope="module")
def pairs(domain):
    """Every substitution of the texts: the word and what may stand there instead."""
    return [pair for (pair,) in domain.substituted(domain.neighbours(domain.anchors))]


def test_there_are_some_in_every_text(domain):
    assert set(domain.neighbours(domain.anchors)[:, 0]) == {0, 1, 2, 3}


def test_no_sensitive_word_is_replaced_or_put_in(pairs, lexicon):
    assert not any(lexicon.sensitive(word) for pair in pairs for word in pair)


def test_no_word_of_another_attribute_is_replaced_either(fit, lexicon):
    domain = fit(TEXTS, "gender", substitutes=candidates(lexicon), realism="domain")
    replaced = {old for pairs in domain.substituted(domain.neighbours(domain.anchors)) for old, _ in pairs}
    assert not {"Norwegian", "old", "king", "director"} & replaced


def test_no_function_word_or_negation_is_replaced_or_put_in(pairs):
    words = {word.lower() for pair in pairs for word in pair}
    assert not words & {"a", "an", "the", "and", "but", "is", "s", "n't", "never", "not", "no", "in", "about", "it"}


def test_the_word_itself_is_none_of_them(pairs):
    assert all(old.lower() != new.lower() for old, new in pairs)
    assert len(set(pairs)) > 10


def test_articles_go_with_what_is_put_in(domain):
    for text in domain.decode(domain.neighbours(domain.anchors)):
        words = words_of(text)
        for place, word in enumerate(words.lower[:-1]):
            if word in ("a", "an") and words.joined(place, place + 1):
                vowel = words.lower[place + 1][0] in "aeiou" or words.lower[place + 1].startswith("honest")
                assert (word == "an") == vowel or words.lower[place + 1].startswith(("one", "uni", "use")), text


def test_only_one_word_and_its_article_differ(domain):
    neighbours = domain.neighbours(domain.anchors)
    for genome, text in zip(neighbours, domain.decode(neighbours), strict=True):
        old, new = words_of(domain.text(int(genome[0]))), words_of(text)
        differ = [place for place in range(len(old)) if old.words[place] != new.words[place]]
        assert old.follows == new.follows
        assert 1 <= len(differ) <= 2
        assert len(differ) == 1 or old.lower[differ[0]] in ("a", "an")


def test_the_same_text_twice_has_the_same_substitutes(fit, lexicon):
    domain = fit([TEXTS[0], TEXTS[0]], substitutes=candidates(lexicon))
    one, other = (domain.neighbours(np.array([row])) for row in (0, 1))
    assert domain.decode(one) == domain.decode(other)
    np.testing.assert_array_equal(domain.keys(one), domain.keys(other))
