"""Words and what lies between them: nothing is lost, capitals and articles follow what is put in."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from expga.domain.text import TextDomain
from expga.domain.text.words import with_article, words_of, written_like
from expga.lexicon import load

ODD = [
    "He said: “don’t!”\r\nShe   didn't…",
    "\tit 's not her fault ; she could n't know . ",
    "<br /><br />The actress (b. 1950) is 10/10 👩‍🎤 — she's it!!!",
    "Она любит его. her 映画 は his",
    "e\u0301lan of a man\u00a0, a\u200bwoman",
    "he\x00she \ud7ff \U0001f600her",
    "  his  ",
    "She is a honest woman in an great film , a actress",
]
SIGNS = " \t\r\n“'-.\0é男😀"
pieces = st.sampled_from(["he", "She", "HER", "an", "a", "actor", "excellent", "'s", "n't", "U.S.", *SIGNS])
written = st.one_of(st.text(max_size=60), st.lists(pieces, max_size=25).map("".join))


def every_word(texts):
    """Substitutes for all words but articles, which follow what comes after them."""
    return [
        {place: ("other", "unusual") for place, word in enumerate(words.lower) if word not in ("a", "an")}
        for words in texts
    ]


class TestCutting:
    @given(written)
    def test_words_and_what_lies_between_make_the_text(self, text):
        words = words_of(text)
        start = words.spans[0][0] if len(words) else len(text)
        assert text[:start] + "".join(w + f for w, f in zip(words.words, words.follows, strict=True)) == text
        assert [text[a:b] for a, b in words.spans] == list(words.words)

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("it 's a film , is n't it ?", "it s a film is n't it"),
            ("Sarah's father-in-law won't go", "Sarah father-in-law won't go"),
            ("the boss’s U.S. car", "the boss U.S. car"),
            ("10/10 for 3D", "for D"),
            ("l'été à Paris", "l'été à Paris"),
        ],
    )
    def test_what_is_a_word(self, text, words):
        assert " ".join(words_of(text).words) == words

    @pytest.mark.parametrize("text", ["", " \n", "10/10 !", "😀😀"])
    def test_a_text_may_have_none(self, text):
        assert len(words_of(text)) == 0


class TestRoundTrip:
    @pytest.mark.parametrize("text", ODD)
    def test_a_row_is_its_text(self, fit, text):
        domain = fit([text], substitutes=every_word)
        assert domain.decode(domain.rows) == [text]

    @settings(max_examples=60)
    @given(st.lists(written, min_size=1, max_size=4))
    def test_whatever_is_written(self, texts):
        texts = ["he", *texts]
        domain = TextDomain(texts, ["gender"], load(), every_word, "data")
        assert domain.decode(domain.rows) == texts
        assert [domain.text(row) for row in range(len(texts))] == texts

    @settings(max_examples=60)
    @given(written)
    def test_substitutes_change_their_words_and_articles_only(self, text):
        text += " his film"
        domain = TextDomain([text], ["gender"], load(), every_word, "domain")
        genome = domain.rows.copy()
        genome[0, 3:] = 1
        old, kept = words_of(text), domain.sensitive(0)
        new = [
            w if k or w.lower() in ("a", "an") else written_like(w, "other")
            for w, k in zip(old.words, kept, strict=True)
        ]
        for place in range(len(new) - 1):
            if old.lower[place] in ("a", "an") and old.follows[place].isspace() and new[place + 1].lower() == "other":
                new[place] = with_article(old.words[place], new[place + 1])
        lead = text[: old.spans[0][0]]
        slots = (~kept).sum() - sum(word in ("a", "an") for word in old.lower)
        assert genome.shape[1] - 3 == slots
        assert domain.decode(genome)[0] == lead + "".join(w + f for w, f in zip(new, old.follows, strict=True))

    def test_spacing_and_punctuation_stay(self, fit):
        text = "He 's  in an\texcellent , slow\r\nfilm;   (an honest  story)…"
        domain = fit([text], realism="domain")
        genome = domain.rows.copy()
        genome[0, 3:] = 1
        changed = "He 's  in a\tterrific , uneven\r\nmovie;   (a sincere  tale)…"
        assert domain.decode(genome) == [changed]
        assert domain.decode(domain.readings.read(genome, np.array([1]))) == [changed.replace("He", "She")]


class TestCapitals:
    @pytest.mark.parametrize(
        ("original", "word", "result"),
        [
            ("actor", "actress", "actress"),
            ("Actor", "actress", "Actress"),
            ("ACTOR", "actress", "ACTRESS"),
            ("norwegian", "American", "american"),
            ("NORWAY", "South Korea", "SOUTH KOREA"),
            ("I", "we", "We"),
            ("iPod", "Walkman", "Walkman"),
        ],
    )
    def test_they_are_those_of_the_original(self, original, word, result):
        assert written_like(original, word) == result


class TestArticles:
    @pytest.mark.parametrize("word", ["actor", "hour", "honest", "heir", "uninspired", "unironic", "ugly", "onerous"])
    def test_an(self, word):
        assert with_article("a", word) == "an"

    @pytest.mark.parametrize(
        "word",
        [
            "film",
            "house",
            "one-note",
            "once-great",
            "European",
            "unique",
            "useful",
            "unicorn",
            "unanimous",
            "utopian",
            "usual",
            "eulogy",
        ],
    )
    def test_a(self, word):
        assert with_article("an", word) == "a"

    @pytest.mark.parametrize(
        ("article", "word", "result"),
        [("A", "actor", "An"), ("An", "man", "A"), ("AN", "MAN", "A"), ("A", "ACTOR", "AN"), ("AN", "INDIAN", "AN")],
    )
    def test_in_the_capitals_of_the_one_before(self, article, word, result):
        assert with_article(article, word) == result
