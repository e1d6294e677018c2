"""MT-NLP: text by text, versions with similar words, under every reading, guided by nothing."""

from __future__ import annotations

import numpy as np
import pytest

from expga.contracts import Context, Seeds
from expga.domain.text import TextDomain
from expga.lexicon import load
from expga.search.mtnlp import MTNLP, PATIENCE

A_TURN = 15


@pytest.fixture(scope="module")
def together(watch, reviews, biased):
    return watch("mtnlp", biased, reviews, "domain", batches=100, batch_size=100)


@pytest.fixture(scope="module")
def one_by_one(watch, reviews, biased, together):
    """Two turns of each text."""
    count = 2 * A_TURN * len(together.domain.anchors)
    return watch("mtnlp", biased, reviews, "domain", batches=count, manner="faithful")


def test_its_parameters_are_those_that_it_states():
    assert (MTNLP().versions, MTNLP().replacement_rate) == (A_TURN, 0.2)
    assert MTNLP.asking == "all"


class TestTurns:
    def test_a_faithful_search_tests_one_version_at_a_time(self, one_by_one):
        assert {len(batch) for batch in one_by_one.batches} == {1}

    def test_each_text_has_its_turn_before_any_comes_again(self, one_by_one):
        turns = one_by_one.anchor.reshape(2, -1, A_TURN)
        assert (turns == turns[:, :, :1]).all()
        for order in turns[:, :, 0]:
            assert sorted(order) == one_by_one.domain.anchors.tolist()

    def test_batches_hold_many_versions_in_the_same_order(self, together, one_by_one):
        assert {len(batch) for batch in together.batches[:10]} == {100}
        count = A_TURN * len(together.domain.anchors)
        np.testing.assert_array_equal(together.anchor[:count], one_by_one.anchor[:count])

    @pytest.mark.parametrize("seen", ["one_by_one", "together"])
    def test_a_turn_begins_with_the_text_itself(self, seen, request):
        seen = request.getfixturevalue(seen)
        count = A_TURN * len(seen.domain.anchors)
        first = seen.genomes[:count:A_TURN]
        np.testing.assert_array_equal(first, seen.domain.rows[seen.anchor[:count:A_TURN]])

    def test_texts_come_up_whether_they_are_seeds_or_not(self, reviews, others):
        domain = TextDomain(reviews, ["gender"], load(), others, "data")
        seeds = Seeds(domain.anchors[:1], np.ones(1), np.array([[0, 1]]))
        context = Context(domain, seeds, np.random.default_rng(0), A_TURN * len(domain.anchors))
        assert set(next(MTNLP().search(context)).anchor) == set(domain.anchors)


class TestVersions:
    def test_a_fifth_of_the_other_words_is_replaced(self, together):
        count = A_TURN * len(together.domain.anchors)
        versions = np.arange(count) % A_TURN > 0
        replaced = (together.genomes[:count, together.domain.mutable] > 0)[versions]
        assert 0.17 < replaced.mean() < 0.23
        assert (replaced.mean(axis=0) > 0.14).all()
        assert (replaced.mean(axis=0) < 0.26).all()

    def test_nothing_that_the_model_says_guides_them(self, watch, reviews, biased, fair):
        one, other = (watch("mtnlp", model, reviews, batches=150, batch_size=100) for model in (biased, fair))
        assert one.found > 30
        assert other.found == 0
        np.testing.assert_array_equal(one.genomes, other.genomes)


class TestReadings:
    @pytest.mark.parametrize(
        ("text", "asked"),
        [
            ("The actress came .", {"The actress came .", "The actor came ."}),
            ("An editor came .", {"A female editor came .", "A male editor came ."}),
            (
                "The actress saw a king .",
                {f"The {a} saw a {b} ." for a in ("actress", "actor") for b in ("king", "queen")},
            ),
        ],
        ids=["analogy", "active", "two people"],
    )
    def test_words_for_people_are_asked_in_all_their_versions(self, watch, text, asked):
        heard = set()

        def model(texts):
            heard.update(texts)
            return np.full(len(texts), 0.5) + 0.1 * np.arange(len(texts))

        watch("mtnlp", model, [text])
        assert heard | {text} == asked | {text}


class TestTheEnd:
    def test_a_text_without_anything_new_leaves_and_the_others_go_on(self, watch, biased):
        short, long = "He came .", "She gave us a decent film , an uneven movie and a superb picture ."
        seen = watch("mtnlp", biased, [short, long], "domain", batches=10_000, batch_size=2 * A_TURN)
        turns = [np.bincount(batch.anchor, minlength=2).tolist() for batch in seen.batches]
        assert turns[: PATIENCE + 1] == [[A_TURN, A_TURN]] * (PATIENCE + 1)  # the first brought the text itself
        assert turns[PATIENCE + 1 :] == [[0, A_TURN]] * (len(turns) - PATIENCE - 1)
        assert len(turns) > 3 * PATIENCE
        assert seen.exhausted

    def test_it_ends_ten_turns_after_the_last_new_version(self, watch, biased):
        seen = watch("mtnlp", biased, ["She gave us a decent film ."], "domain", batches=10_000, batch_size=A_TURN)
        new = [bool(len(verdict.tested)) for verdict in seen.verdicts]
        assert seen.exhausted
        assert new[-PATIENCE - 1 :] == [True] + [False] * PATIENCE
        assert sum(len(verdict.tested) for verdict in seen.verdicts) == 5 * 3
