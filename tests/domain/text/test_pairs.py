"""Readings of gender: counterparts, pronouns and modifiers, in sentences that stay grammatical."""

from __future__ import annotations

import pytest

from expga.domain.text.mentions import mentions_of
from expga.domain.text.words import words_of


class TestCounterparts:
    @pytest.mark.parametrize(
        ("text", "swapped"),
        [
            ("an actor", "an actress"),
            ("Actresses and waiters", "Actors and waitresses"),
            ("ACTRESSES AND ACTORS", "ACTORS AND ACTRESSES"),
            ("an honest man", "an honest woman"),
            ("the man's men's room", "the woman's women's room"),
            ("he 's a man 's man", "she 's a woman 's woman"),
            ("The waitress told the boys .", "The waiter told the girls ."),
            ("He is the king of films.", "She is the queen of films."),
            ("An heiress and a duchess", "An heir and a duke"),
            ("Mr. Smith met a widow", "Ms. Smith met a widower"),
            ("A male nurse cries.", "A female nurse cries."),
            ("\nMother of two\r\n", "\nFather of two\r\n"),
        ],
    )
    def test_they_keep_number_case_and_article(self, swap, text, swapped):
        assert swap(text) == swapped

    def test_swapping_twice_is_the_text(self, swap):
        for text in ("her film is his, she said to him herself", "Two actresses and an actor, MEN and a Woman"):
            assert swap(swap(text)) == text


class TestPronouns:
    @pytest.mark.parametrize(
        ("text", "swapped"),
        [
            ("She loved her dearly.", "He loved him dearly."),
            ("I love her film.", "I love his film."),
            ("The fault is his.", "The fault is hers."),
            ("The fault is hers , of course", "The fault is his , of course"),
            ("what she did n't know , he 'd tell", "what he did n't know , she 'd tell"),
            ("I gave her the book and told her about it.", "I gave him the book and told him about it."),
            ("Her performance is her own.", "His performance is his own."),
            ("for her and her family", "for him and his family"),
            ("her only friend, her lovely old house", "his only friend, his lovely old house"),
            ("He blames himself", "She blames herself"),
            ("HIS FILM, not HERS", "HER FILM, not HIS"),
            ("He gave his all to her.", "She gave her all to him."),
            ("That is her.", "That is him."),
            ("her most famous film, and I like her most", "his most famous film, and I like him most"),
            ("her two sons saw her hit them", "his two daughters saw him hit them"),
            ("in her very first role it was her first", "in his very first role it was his first"),
            ("with her, we laugh", "with him, we laugh"),
            ("The film made her famous .", "The film made him famous ."),
            ("We watched her sing and let her go home", "We watched him sing and let him go home"),
            ("It makes her feel old in her famous role", "It makes him feel old in his famous role"),
            ("I saw her acting , her worst", "I saw his acting , his worst"),
            ("It makes her debut a joy", "It makes his debut a joy"),
            ("her big , beautiful eyes", "his big , beautiful eyes"),
            (
                "her severed and bloody arm made her famous and rich .",
                "his severed and bloody arm made him famous and rich .",
            ),
            ("it made her famous, but her narration it's slow", "it made him famous, but his narration it's slow"),
            ('her "condition", her 19 rules', 'his "condition", his 19 rules'),
            ("to decipher her secret.", "to decipher his secret."),
            ("for her , and her alone", "for him , and him alone"),
            ("She told her family and her ugly bully", "He told his family and his ugly bully"),
        ],
    )
    def test_they_are_resolved_in_context(self, swap, text, swapped):
        assert swap(text) == swapped

    def test_all_of_one_person_flip_together(self, swap):
        text = "The actress says she does it herself, for her mother raised her so; the glory is hers."
        other = "The actor says he does it himself, for his father raised him so; the glory is his."
        assert swap(text) == other

    def test_where_both_groups_come_up_they_are_also_read_as_one(self, readings_of):
        assert readings_of("He loves his mother .") == {
            "as it is": "He loves his mother .",
            "swapped": "She loves her father .",
            "female": "She loves her mother .",
            "male": "He loves his father .",
        }

    def test_where_one_group_comes_up_there_are_two_readings(self, readings_of):
        assert list(readings_of("He loves his film .")) == ["as it is", "swapped"]


class TestModifiers:
    @pytest.mark.parametrize(
        ("text", "female", "male"),
        [
            ("An editor leaves.", "A female editor leaves.", "A male editor leaves."),
            ("a master", "a female master", "a male master"),
            ("AN EDITOR LEAVES", "A FEMALE EDITOR LEAVES", "A MALE EDITOR LEAVES"),
            ("Editors leave", "Female editors leave", "Male editors leave"),
            ("an old director", "an old female director", "an old male director"),
            ("the director's cut", "the female director's cut", "the male director's cut"),
        ],
    )
    def test_they_come_in_front_with_the_right_article(self, readings_of, text, female, male):
        assert readings_of(text) == {"female": female, "male": male}

    def test_all_that_a_sentence_says_of_the_person_gets_it_and_nobody_else(self, readings_of):
        text = "The director wrote it, and the director knows a critic. The director left."
        female = "The female director wrote it, and the female director knows a critic. The director left."
        assert readings_of(text)["female"] == female

    @pytest.mark.parametrize(
        ("text", "swapped"),
        [
            ("A director finds herself alone.", "A director finds himself alone."),
            ("The editor and his wife", "The editor and her husband"),
            ("a male nurse and a doctor", "a female nurse and a doctor"),
        ],
    )
    def test_not_where_anything_else_tells_the_gender(self, readings_of, text, swapped):
        assert readings_of(text)["swapped"] == swapped
        assert not any("female director" in said or "female editor" in said for said in readings_of(text).values())

    def test_there_are_none_for_an_attribute_of_many_groups(self, readings_of):
        assert readings_of("An editor leaves.", "country") == {}


class TestNobody:
    @pytest.mark.parametrize(
        "text",
        ["", "   ", "A dull film.", "King Kong is long.", "映画がすき", "The Godfather Trilogy"],
    )
    def test_a_text_that_mentions_nobody_has_no_twin(self, fit, text):
        domain = fit([text, "he"])
        assert domain.anchors.tolist() == [1]
        assert not domain.readings.valid(domain.rows)[0].any()
        assert not domain.sensitive(0).any()


class TestTwoSidedAge:
    def test_the_young_and_the_old(self, readings_of):
        assert readings_of("The young man and an old woman", "age") == {
            "as it is": "The young man and an old woman",
            "swapped": "The old man and a young woman",
            "young": "The young man and a young woman",
            "old": "The old man and an old woman",
        }

    @pytest.mark.parametrize("text", ["an old story", "the film is young", "an old , sad film"])
    def test_not_what_is_no_person(self, readings_of, text):
        assert readings_of(text, "age") == {}


@pytest.mark.parametrize("text", ["every child and his or her bicycle", "whether he or she likes it", "ask him or her"])
def test_he_or_she_speaks_of_everybody(lexicon, text):
    assert mentions_of(words_of(text), lexicon, ["gender"]) == []
