"""Which words of a text tell of an attribute: measured on labelled phrases, and shown on hard ones."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from expga.domain.text.mentions import mentions_of
from expga.domain.text.words import words_of

LABELLED = Path(__file__).parents[2] / "lexicon" / "labelled.csv"


@pytest.fixture(scope="module")
def labelled():
    """Word, phrase, and the attributes that a careful reader says the word tells of."""
    with LABELLED.open(encoding="utf-8", newline="") as file:
        return [(r["word"], r["phrase"], set(filter(None, r["attributes"].split(";")))) for r in csv.DictReader(file)]


@pytest.fixture(scope="module")
def told(lexicon):
    """Whether a word of a phrase is mentioned as telling of an attribute, by its own group or by a modifier."""

    def tell(word, phrase, attribute, *, neutral=False):
        words, wanted = words_of(phrase), words_of(word).lower
        starts = [at for at in range(len(words)) if words.lower[at : at + len(wanted)] == wanted]
        places = set(range(starts[0], starts[0] + len(wanted))) if starts else set()
        return any(
            places & set(range(mention.first, mention.last + 1))
            for mention in mentions_of(words, lexicon, [attribute])
            if neutral or not mention.neutral
        )

    return tell


class TestQuality:
    @pytest.mark.parametrize("attribute", ["gender", "country", "religion", "age", "race"])
    def test_precision_and_recall(self, labelled, told, lexicon, attribute):
        """Words that take the modifier of every attribute are left out: they would lift the figures of each."""
        cases = [case for case in labelled if len(case[2]) < len(lexicon.attributes)]
        hits = [(told(word, phrase, attribute), attribute in true) for word, phrase, true in cases]
        right = sum(found and true for found, true in hits)
        assert right / sum(found for found, _ in hits) >= 0.95
        assert right / sum(true for _, true in hits) >= 0.85

    def test_people_without_a_group_can_take_a_modifier(self, labelled, told, lexicon):
        cases = [case for case in labelled if len(case[2]) == len(lexicon.attributes)]
        found = [told(word, phrase, "gender", neutral=True) for word, phrase, _ in cases]
        assert len(cases) >= 30
        assert sum(found) >= 0.85 * len(found)  # a compound's head takes none: a country singer


class TestOrder:
    def test_mentions_come_in_order_and_share_no_word(self, lexicon):
        words = words_of("The old Norwegian actress Sarah, her Muslim aunt in the United States, Sarah's black doctor")
        mentions = mentions_of(words, lexicon, lexicon.attributes)
        places = [place for mention in mentions for place in range(mention.first, mention.last + 1)]
        assert places == sorted(set(places))
        assert {mention.sense.attribute for mention in mentions} == set(lexicon.attributes)

    def test_the_longest_entry_counts(self, lexicon):
        words = words_of("in the United States of America")
        (mention,) = mentions_of(words, lexicon, ["country"])[:1]
        assert (mention.first, mention.sense.group) == (1, "united states")
        assert mention.last >= 3

    @pytest.mark.parametrize("text", ["united, states", "New. Zealand"])
    def test_not_across_punctuation(self, lexicon, text):
        assert mentions_of(words_of(text), lexicon, ["country"]) == []


class TestTitles:
    @pytest.mark.parametrize(
        ("text", "attribute"),
        [
            ("we saw King Kong again", "gender"),
            ("they love Spider Man there", "gender"),
            ("at the Queen Mary Hall", "gender"),
            ("it beats American Beauty", "country"),
            ("I saw The Italian Job", "country"),
            ("the Bank of America", "country"),
        ],
    )
    def test_words_in_names_of_things_do_not_count(self, lexicon, text, attribute):
        assert mentions_of(words_of(text), lexicon, [attribute]) == []

    @pytest.mark.parametrize(
        ("text", "attribute", "count"),
        [
            ("we saw the king again", "gender", 1),
            ("The King is dead. A Woman cries.", "gender", 2),
            ("then Mr. Jones left", "gender", 1),
            ("The American dream", "country", 1),
            ("he lives in America now", "country", 1),
        ],
    )
    def test_the_same_words_for_people_do(self, lexicon, text, attribute, count):
        mentions = [m for m in mentions_of(words_of(text), lexicon, [attribute]) if not m.neutral]
        assert len(mentions) == count
