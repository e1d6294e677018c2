"""Names stand for a group: many speak for it, and none of them alone."""

from __future__ import annotations

import numpy as np
import pytest

from expga.comparison import Yardstick
from expga.contracts import Answers, Batch
from expga.criterion import Flip, Gap
from expga.inquiry import Inquiry
from expga.oracle import Oracle

LABELS = Flip()
SIX = "Anna met Emma, Laura, Julia, Kate and Alice; she liked Peter."


class ByWord:
    """A model that says 1 to texts with some word in them, and 0 to all others."""

    classes = (0, 1)

    def __init__(self, *words):
        self.words = words
        self.asked = 0

    def ask(self, texts):
        self.asked += len(texts)
        labels = np.array([any(word in text for word in self.words) for text in texts], dtype=np.intp)
        return Answers(labels, np.eye(2)[labels], np.full(len(texts), 0.5))


def words_in(text):
    """The words of a text, without its punctuation."""
    return text.replace(",", " ").replace(";", " ").replace(".", " ").split()


def names_in(text):
    return {word for word in words_in(text) if word[0].isupper()}


def judged(domain, model, criterion=LABELS):
    inquiry = Inquiry(model=model, domain=domain, yardstick=Yardstick(criterion, 1))
    return Oracle(inquiry).judge(Batch(domain.rows, np.arange(len(domain.rows))), "all")


class TestVoices:
    def test_five_names_speak_for_each_group(self, voices_of):
        own, other = voices_of("Sarah is fine.")
        assert own[0] == "Sarah is fine."
        assert len(set(own)) == len(set(other)) == 5
        assert not set(own) & set(other)

    def test_a_text_without_names_is_asked_about_once(self, fit):
        domain = fit(["she is fine", "Sarah is fine"])
        assert domain.readings.voices(domain.rows).tolist() == [1, 5]
        assert fit(["she is fine"]).readings.voices(domain.rows[:1]) is None

    def test_everything_that_names_the_person_changes_together(self, voices_of):
        for said in voices_of("Sarah's mother loves Sarah. SARAH! Oh, Sarah's here.")[1]:
            name = said.split("'")[0]
            assert name != "Sarah"
            assert said == f"{name}'s father loves {name}. {name.upper()}! Oh, {name}'s here."

    def test_in_titles_too(self, voices_of):
        for said in voices_of("In Finding Sarah they find Sarah .")[1]:
            assert "Sarah" not in said

    def test_different_people_keep_different_names(self, voices_of):
        for said in (text for reading in voices_of(SIX) for text in reading):
            assert len(names_in(said)) == 7

    def test_no_name_of_the_text_is_put_in(self, voices_of):
        _, swapped, _, _ = voices_of("Michael , David and James met Jennifer")
        assert not any(name in said for said in swapped for name in ("Michael", "David", "James", "Jennifer"))

    def test_pronouns_go_with_their_names(self, voices_of):
        _, swapped = voices_of("Tom thinks he is clever.")
        assert all(said.endswith(" thinks she is clever.") and not said.startswith("Tom") for said in swapped)

    def test_no_name_speaks_in_most_voices(self, voices_of):
        for reading in voices_of(SIX):
            names = [names_in(said) for said in reading]
            new = set.union(*names) - names_in(SIX)
            assert max(sum(name in said for said in names) for name in new) <= 2

    def test_more_people_than_there_are_names_are_left_alone(self, fit):
        names = "Anna Emma Laura Julia Kate Alice Karen Susan Nancy Linda Carol Ruth Helen"
        domain = fit([names.replace(" ", ", ") + " and she", "he"])
        assert domain.anchors.tolist() == [1]

    def test_the_names_of_each_voice(self, fit):
        domain = fit(["Sarah met Emma , and Sarah left", "she"])
        own, none = domain.names(domain.rows)
        assert own[0] == "Sarah|Emma"
        assert len(set(own)) == 5
        assert none == []


class TestMajority:
    @pytest.mark.parametrize("voice", range(5))
    def test_one_odd_name_cannot_make_a_finding(self, fit, voices_of, voice):
        own, other = voices_of("Sarah is fine.")
        for group in (own, other):
            verdict = judged(fit(["Sarah is fine."]), ByWord(group[voice].split()[0]))
            assert not verdict.unfair.any()

    def test_nor_a_gap_between_scores(self, fit, voices_of):
        odd = voices_of("Sarah is fine.")[1][2].split()[0]
        verdict = judged(fit(["Sarah is fine."]), ByWord(odd), Gap(0.1))
        assert not verdict.unfair.any()

    def test_two_cannot_and_three_can(self, fit, voices_of):
        names = [said.split()[0] for said in voices_of("Sarah is fine.")[1]]
        found = [judged(fit(["Sarah is fine."]), ByWord(*names[:count])).unfair.tolist() for count in range(1, 6)]
        assert found == [[False], [False], [True], [True], [True]]

    def test_among_many_people_one_odd_name_cannot_either(self, fit, voices_of):
        names = set.union(*(names_in(said) for reading in voices_of(SIX) for said in reading))
        domain = fit([SIX])
        for name in sorted(names - names_in(SIX)):
            assert not judged(domain, ByWord(name + " ", name + ",", name + ";", name + ".")).unfair.any(), name

    def test_every_voice_is_asked(self, fit):
        model = ByWord("nothing")
        verdict = judged(fit(["Sarah is fine.", "she is fine", "a film"]), model)
        assert verdict.tested.tolist() == [0, 1]
        assert model.asked == 2 * 5 + 2

    def test_a_group_that_is_treated_otherwise_is_found(self, fit, voices_of):
        names = [said.split()[0] for said in voices_of("Sarah is fine.")[1]]
        verdict = judged(fit(["Sarah is fine.", "Emma is fine."]), ByWord(*names))
        assert verdict.unfair.all()
        assert verdict.gap.tolist() == [1.0] * len(verdict.gap)
